"""Scale: what one more value costs among many, from a thousand living ones to a million.

Each way runs in a process of its own, which grows from size to size: it has all memory and all
caches of the CPU for itself, and what it holds can be seen in the memory of the process. The ways
take turns, and each turn is a round. It takes seconds, so what counts is the time of the process.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks import peers, values
from benchmarks.children import answer
from benchmarks.discipline import BYTES, NANOSECONDS, Comparison, Plan, ratio
from benchmarks.memory import resident_now
from interned import interned

SIZES = (1_000, 10_000, 100_000, 1_000_000)
LARGE = (10_000_000,)
ROUNDS = 2
OPERATIONS = 50_000
PASSES = 3
AFTERWARDS = 1_000
COLLECTIONS = 3
EMPTIED = 100_000
WAYS: Mapping[str, Callable[[type], Any]] = {"interned": interned, **peers.INTERNERS}
# JAX keeps its table in C++, where `tracemalloc` does not look; a plain class has none.
TRACED = ("interned", "WeakValueDictionary", "hashcons")

Costs = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Curve:
    """What is measured at each size.

    Attributes:
        name: What a child calls it.
        title: What the table calls it.
        unit: Nanoseconds or bytes.
        least: The smallest size that it means something for.
    """

    name: str
    title: str
    unit: str = NANOSECONDS
    least: int = 0


CURVES = (
    Curve("miss", "a new one, kept"),
    Curve("hit", "a living one, found"),
    Curve("dropped", "a new one, dropped"),
    Curve("bytes", "instance and entry", BYTES, least=10_000),
    Curve("collect", "gc.collect(), by instance"),
)


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure each way in each round; `plan.slice_seconds` does not matter."""
    sizes = SIZES + LARGE * plan.large
    rounds, left_out = take_turns(sizes, min(plan.rounds, ROUNDS))
    for curve in CURVES:
        for place, size in enumerate(sizes):
            if size >= curve.least:
                costs = {
                    name: [found[curve.name][place] for found in each]
                    for name, each in rounds.items()
                }
                yield compared(f"{curve.title}: {size:,}", costs, left_out, curve.unit, size)
    yield left_behind()


def take_turns(
    sizes: Sequence[int], rounds: int
) -> tuple[dict[str, list[dict[str, list[float]]]], tuple[str, ...]]:
    """Let each way answer once a round, every second one in the opposite order."""
    found: dict[str, list[dict[str, list[float]]]] = {name: [] for name in WAYS}
    absent = set()
    for number in range(rounds):
        for name in list(found) if number % 2 else reversed(list(found)):
            curves = answer(__name__, name, *sizes)
            if curves is None:
                absent.add(name)
                del found[name]
            else:
                found[name].append(curves)
    return found, tuple(name for name in WAYS if name in absent)


def compared(
    title: str, costs: Costs, left_out: tuple[str, ...], unit: str, at: int | None = None
) -> Comparison:
    """Make the comparison of what each way cost, round by round; ours comes first."""
    (name, own), *others = costs.items()
    ratios = tuple(ratio(peer, own, theirs) for peer, theirs in others)
    return Comparison(title, name, median(own), ratios, left_out, unit, at)


def curves(make: Callable[[int, int], object], sizes: Sequence[int]) -> dict[str, list[float]]:
    """Grow from size to size, and return what an operation or an instance costs at each."""
    found: dict[str, list[float]] = {curve.name: [] for curve in CURVES}
    numbers = [*range(1_000, 1_000 + sizes[-1])]
    living: list[object] = [None] * sizes[-1]
    drop(make, range(-OPERATIONS, 0))
    gc.collect()
    gc.freeze()
    gc.disable()
    before, last = resident_now(), 0
    for size in sizes:
        found["miss"].append(grow(make, numbers, living, range(last, size)))
        found["bytes"].append((resident_now() - before) / size)
        found["hit"].append(find(make, numbers[:size]))
        found["collect"].append(collect() / size)
        last = size
    del living
    last = 0
    for size in sizes:
        found["dropped"].append(drop(make, numbers[last:size]))
        last = size
    return found


def grow(
    make: Callable[[int, int], object], numbers: list[int], living: list[object], places: range
) -> float:
    """Make and keep instances; return the nanoseconds of each."""
    start = time.process_time()
    for place in places:
        number = numbers[place]
        living[place] = make(number, number)
    return (time.process_time() - start) / len(places) * 1e9


def find(make: Callable[[int, int], object], numbers: list[int]) -> float:
    """Make instances that live already, anywhere in memory; return the nanoseconds of each."""
    chosen = random.Random(1).choices(numbers, k=OPERATIONS)  # noqa: S311 - the same in each run
    return min(drop(make, chosen) for _ in range(PASSES))


def drop(make: Callable[[int, int], object], numbers: Sequence[int]) -> float:
    """Make instances and drop each at once; return the nanoseconds of each."""
    start = time.process_time()
    for number in numbers:
        make(number, number)
    return (time.process_time() - start) / len(numbers) * 1e9


def collect() -> float:
    """Return the nanoseconds of a collection that looks at every instance."""
    times = []
    for _ in range(COLLECTIONS):
        start = time.process_time()
        gc.collect()
        times.append(time.process_time() - start)
    return min(times) * 1e9


def left_behind() -> Comparison:
    """Compare what is left of a table whose instances were dropped, 1,000 operations later."""
    costs: dict[str, list[float]] = {}
    left_out = []
    for name in TRACED:
        try:
            costs[name] = [bytes_left(WAYS[name](values.two_fields()))]
        except ModuleNotFoundError:
            left_out.append(name)
    title = f"left in all of {EMPTIED:,} dropped"
    return compared(title, costs, tuple(left_out), BYTES)


def bytes_left(make: Callable[[int, int], object]) -> float:
    """Fill and empty a table; return by how much the memory has grown."""
    numbers = [*range(1_000, 1_000 + EMPTIED)]
    # Small objects that CPython sets aside for later are there from the start.
    drop(make, range(AFTERWARDS))
    gc.collect()
    tracemalloc.start()
    try:
        living = [make(number, number) for number in numbers]
        living.clear()
        drop(make, range(AFTERWARDS))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def main() -> None:
    """Measure one way, named on the command line, at the sizes that follow."""
    name, *sizes = sys.argv[1:]
    make = WAYS[name](values.two_fields())
    print(json.dumps(curves(make, [*map(int, sizes)])))


if __name__ == "__main__":
    main()
