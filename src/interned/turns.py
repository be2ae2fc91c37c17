"""Turns: one after another, though nobody waits for anybody."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from interned.forks import pause_at_fork

__all__ = ["Turns"]

_PAUSE: Final = 0.0005
_PATIENCE: Final = 2_000


_Turn = tuple[int]
"""One call's turn, known by identity; the number is that of its thread."""


class Turns(ABC):
    """Serve requests one at a time, in the order in which they were made.

    A request made while another one is served is left to whoever serves. So the collector, a
    finalizer or a signal handler may make one in the middle of anything. What a request raises
    reaches the call in which it ran.

    This is a base class, so that no cycle of references ties it to what it protects.
    """

    def __init__(self) -> None:
        self._queue: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._guard = threading.RLock()
        self._turn: _Turn | None = None
        self._pause: _Turn | None = None
        self._broken: type[BaseException] | None = None
        pause_at_fork(self)

    @abstractmethod
    def _afterwards(self) -> None:
        """Finish when requests were served and the turn is over; this may run user code."""

    @abstractmethod
    def _repair(self, error: type[BaseException]) -> None:
        """Put in order what a request has left that was broken off, before the next request.

        Args:
            error: The type of the exception that broke it off; `BaseException` where a fork did.
        """

    def ask(self, request: Callable[..., object], *arguments: Any) -> None:
        """Have a request served: at once, or by whoever is at it.

        This is one function, since each miss of a bounded target comes through it.
        """
        self._queue.append((request, arguments))
        # Who has had the turn looks again: a request made just before it ended was left to them.
        while self._queue:
            turn = (threading.get_ident(),)
            try:
                with self._guard:
                    if self._turn is None:
                        self._turn = turn
                if self._turn is not turn:
                    return
                while self._queue:
                    if self._broken is not None:
                        self._repair(self._broken)
                    self._broken = BaseException
                    oldest, given = self._queue[0]
                    try:
                        oldest(*given)
                    except Exception as error:
                        self._broken = type(error)
                        raise
                    finally:
                        self._queue.popleft()
                    self._broken = None
            finally:
                # No call comes between the test and the store, so nothing else can either: even if
                # a signal handler raises, the turn is given back.
                if self._turn is turn:
                    self._turn = None
                    self._afterwards()

    def ask_and_wait(self, request: Callable[..., object], *arguments: Any) -> None:
        """Have a request served before going on.

        Where this very thread is serving, further down the stack, it goes on at once.
        """
        done: list[bool] = []

        def noted() -> None:
            try:
                request(*arguments)
            finally:
                done.append(True)

        self.ask(noted)
        while not done and not self._is_ours():
            time.sleep(_PAUSE)
            self.ask(_do_nothing)

    def before_fork(self) -> None:
        """Take the turn, for a second at most: a callback may be waiting for this very thread."""
        self._pause = (threading.get_ident(),)
        for _ in range(_PATIENCE):
            if self._is_ours() or self._take(self._pause):
                return
            time.sleep(_PAUSE)

    def resume(self) -> None:
        """Go on after a fork."""
        if self._turn is self._pause:
            self._turn = None
        if self._queue:
            self.ask(_do_nothing)

    def resume_in_child(self) -> None:
        """Go on in the forked child, without the thread that may have had the turn."""
        self._guard = threading.RLock()
        if not self._is_ours():
            self._turn = None
        self.resume()

    def _is_ours(self) -> bool:
        turn = self._turn
        return turn is not None and turn[0] == threading.get_ident()

    def _take(self, turn: _Turn) -> bool:
        with self._guard:
            if self._turn is None:
                self._turn = turn
        return self._turn is turn


def _do_nothing() -> None:
    """Be the request of who wants those of others served."""
