"""Memory: what one living instance costs, with its entry in the table that shares it.

Counted by `tracemalloc`, so only what Python's allocator gives out: a peer that keeps its table in
C++ or Rust memory of its own cannot be compared, and is not.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import peers, values
from benchmarks.discipline import BYTES, Comparison, Plan, ratio
from benchmarks.hits import plain
from interned import interned

COUNT = 20_000

PEERS: dict[str, Callable[[type], Any]] = {
    "plain class": plain,
    "WeakValueDictionary": peers.weak_value_dictionary,
}


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure living instances of two fields; bytes do not vary, so `plan` does not matter."""
    del plan
    own = bytes_each(interned(values.two_fields()))
    others = {name: bytes_each(make(values.two_fields())) for name, make in PEERS.items()}
    ratios = tuple(ratio(name, [own], [other]) for name, other in others.items())
    yield Comparison("living instance of two fields", "interned", own, ratios, unit=BYTES)


def bytes_each(make: Callable[[int, int], object]) -> float:
    """Return the bytes that one more living instance takes, its two numbers left out."""
    numbers = [*range(1_000, 1_000 + COUNT)]
    living: list[object] = [None] * COUNT
    gc.collect()
    tracemalloc.start()
    try:
        for index, number in enumerate(numbers):
            living[index] = make(number, number)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / COUNT
    finally:
        tracemalloc.stop()
