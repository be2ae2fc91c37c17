"""Compare ours with its peers: interleaved, in many short rounds, by the median of paired ratios.

A machine's speed drifts while a benchmark runs. Both sides of a ratio are therefore measured within
the same round, milliseconds apart; rounds are many and short; every second one runs in the opposite
order. The ratio of each round is taken first and the median of the ratios afterwards, with the
quartiles as its spread. `timeit` keeps the garbage collector off while it measures.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from statistics import median, quantiles
from timeit import Timer
from typing import Any

NANOSECONDS = "ns"
BYTES = "B"


@dataclass(frozen=True)
class Plan:
    """How long to measure.

    Attributes:
        rounds: Number of paired ratios.
        slice_seconds: The least time that one subject runs in one round.
        clock: Returns seconds.
        large: Whether to measure also what takes minutes and gigabytes.
    """

    rounds: int = 101
    slice_seconds: float = 0.001
    clock: Callable[[], float] = time.perf_counter
    large: bool = False


@dataclass(frozen=True)
class Subject:
    """One way to do the work.

    Attributes:
        name: What the table calls it.
        code: The source text that is timed, in a loop without a call around it.
        names: Makes the namespace of `code`. A peer that is not installed fails to import here.
        per: How many operations one run of `code` does.
        around: Makes the context in which `code` is timed; entering it is not.
    """

    name: str
    code: str
    names: Callable[[], Mapping[str, Any]]
    per: int = 1
    around: Callable[[], AbstractContextManager[object]] = nullcontext


@dataclass(frozen=True)
class Case:
    """One piece of work, done our way and in other ways.

    Attributes:
        title: What is done.
        ours: Our way.
        peers: The other ways.
        at: The place of this case on a curve, such as a number of devices.
    """

    title: str
    ours: Subject
    peers: Sequence[Subject]
    at: int | None = None


@dataclass(frozen=True)
class Ratio:
    """Our cost by that of one peer: the median of the rounds, and the quartiles around it."""

    peer: str
    peer_cost: float
    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """What came of a case.

    Attributes:
        title: What was done.
        ours: The name of our way.
        cost: Our cost, the median of the rounds, in `unit`.
        ratios: Our cost by that of each peer.
        left_out: The peers that are not installed.
        unit: Nanoseconds or bytes.
        at: The place on a curve.
    """

    title: str
    ours: str
    cost: float
    ratios: tuple[Ratio, ...]
    left_out: tuple[str, ...] = ()
    unit: str = NANOSECONDS
    at: int | None = None


class Stopwatch:
    """Times one subject, in a loop long enough for the clock; finding that length warms it up."""

    def __init__(self, subject: Subject, plan: Plan) -> None:
        self._subject = subject
        self._timer = Timer(subject.code, timer=plan.clock, globals=dict(subject.names()))
        self._loops = 1
        # The first run may build what later ones find, and any run may be interrupted.
        while min(self._run(), self._run()) < plan.slice_seconds:
            self._loops *= 2

    def _run(self) -> float:
        with self._subject.around():
            return self._timer.timeit(self._loops)

    def nanoseconds(self) -> float:
        """Run the loop once and return the time of one operation."""
        return self._run() / (self._loops * self._subject.per) * 1e9


def compare(case: Case, plan: Plan) -> Comparison:
    """Measure a case.

    Raises:
        ImportError: Our own way cannot be imported; a peer is only left out.
    """
    ours = Stopwatch(case.ours, plan)
    peers, left_out = _installed(case.peers, plan)
    costs: dict[str, list[float]] = {name: [] for name in (case.ours.name, *peers)}
    watches = [(case.ours.name, ours), *peers.items()]
    gc.collect()
    for number in range(plan.rounds):
        for name, watch in watches if number % 2 else reversed(watches):
            costs[name].append(watch.nanoseconds())
    own = costs.pop(case.ours.name)
    ratios = tuple(ratio(name, own, others) for name, others in costs.items())
    return Comparison(case.title, case.ours.name, median(own), ratios, tuple(left_out), at=case.at)


def _installed(peers: Iterable[Subject], plan: Plan) -> tuple[dict[str, Stopwatch], list[str]]:
    watches, left_out = {}, []
    for peer in peers:
        try:
            watches[peer.name] = Stopwatch(peer, plan)
        except ModuleNotFoundError:
            left_out.append(peer.name)
    return watches, left_out


def ratio(peer: str, own: Sequence[float], others: Sequence[float]) -> Ratio:
    """Pair two series of costs, round by round."""
    pairs = [mine / other for mine, other in zip(own, others, strict=True)]
    # Quartiles of two would lie outside them.
    few = min(pairs), median(pairs), max(pairs)
    low, middle, high = quantiles(pairs, n=4) if len(pairs) > 2 else few  # noqa: PLR2004
    return Ratio(peer, median(others), middle, low, high)
