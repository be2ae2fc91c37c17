"""Threads: several at once, all finding the same value, or now and then a new one.

The threads are let go together and share out a fixed number of calls; what counts is how long all
of them take, by call. With a global lock that is at best what one thread needs alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count, islice
from typing import Any

from benchmarks import peers, values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.hits import pair
from benchmarks.peers import MAXSIZE, Decorator
from interned import interned

COUNTS = (1, 2, 4, 8, 16)
CALLS = 16_384
HITS = 7
ROUNDS = 11
Work = Callable[[Any, Iterator[int], int], None]


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure each number of threads; a run is long, so there are fewer rounds."""
    plan = replace(plan, rounds=min(plan.rounds, ROUNDS))
    for case in cases():
        yield compare(case, plan)


def cases() -> Iterator[Case]:
    """Yield the cases."""
    kept = interned(maxsize=MAXSIZE)
    for title, target, decorator, work in (
        ("function, hits", lambda: pair, kept, find),
        ("function, 1 of 8 new", lambda: pair, kept, find_or_fill),
        ("class, hits", values.two_fields, interned, find),
        ("class, 1 of 8 new", values.two_fields, kept, find_or_fill),
    ):
        for size in COUNTS:
            yield shared_out(title, target, decorator, work, size)


def find(function: Any, _new: Iterator[int], calls: int) -> None:
    """Make calls that find the same value."""
    for _ in range(calls):
        function(3, 4)


def find_or_fill(function: Any, new: Iterator[int], calls: int) -> None:
    """Make calls of which one in eight has a new argument."""
    for number in islice(new, calls // (HITS + 1)):
        for _ in range(HITS):
            function(3, 4)
        function(number, 4)


def shared_out(
    title: str, target: Callable[[], Any], ours: Decorator, work: Work, size: int
) -> Case:
    """Make the case of a number of threads."""

    def subject(name: str, decorate: Decorator) -> Subject:
        crowd = Crowd(size)

        def names() -> Mapping[str, Any]:
            function = decorate(target())
            crowd.work = [worker(function, number) for number in range(size)]
            return {"kept": function(3, 4), "go": crowd.go}

        return Subject(name, "go()", names, per=CALLS, around=crowd.gathered)

    def worker(function: Any, number: int) -> Callable[[], None]:
        # No two threads, and no two runs of one, have the same new numbers.
        new = count((number + 1) << 40)
        return lambda: work(function, new, CALLS // size)

    others = [subject(*other) for other in peers.LRU.items()]
    many = f"{size} threads" if size > 1 else "1 thread"
    return Case(f"{title}, {many}", subject("interned", ours), others, at=size)


class Crowd:
    """Threads that wait behind a barrier, do their work together, and wait again.

    Args:
        size: The number of threads.

    Attributes:
        work: What each of them does.
    """

    def __init__(self, size: int) -> None:
        self.work: list[Callable[[], None]] = []
        self._start = threading.Barrier(size + 1)
        self._end = threading.Barrier(size + 1)

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Have the threads ready, and end them afterwards."""
        threads = [threading.Thread(target=self._serve, args=(work,)) for work in self.work]
        for barrier in (self._start, self._end):
            barrier.reset()
        for thread in threads:
            thread.start()
        self._end.wait()
        try:
            yield
        finally:
            self._start.abort()
            for thread in threads:
                thread.join()

    def go(self) -> None:
        """Let the threads go, and return when all of them are done.

        Raises:
            threading.BrokenBarrierError: The work of one of them failed.
        """
        self._start.wait()
        self._end.wait()

    def _serve(self, work: Callable[[], None]) -> None:
        with suppress(threading.BrokenBarrierError):
            self._end.wait()
            while True:
                self._start.wait()
                try:
                    work()
                except BaseException:
                    self._end.abort()
                    raise
                self._end.wait()
