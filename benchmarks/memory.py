"""Memory: what one living instance costs, with its entry in the table that shares it.

Counted by `tracemalloc`, which sees what Python's allocator gives out; and, since a peer may keep
its table in C++ memory of its own, as the resident memory of a process that holds nothing else.
"""

from __future__ import annotations

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import peers, values
from benchmarks.children import answer
from benchmarks.discipline import BYTES, Comparison, Plan, ratio
from interned import interned

COUNT = 20_000
RESIDENT_COUNT = 200_000

PEERS: dict[str, Callable[[type], Any]] = {
    "plain class": peers.plain,
    "WeakValueDictionary": peers.weak_value_dictionary,
}
RESIDENT: dict[str, Callable[[type], Any]] = {
    "interned": interned,
    "WeakValueDictionary": peers.weak_value_dictionary,
    "JAX's weak_value_interner": peers.jax_interner,
}


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure living instances of two fields; bytes do not vary, so `plan` does not matter."""
    del plan
    own = bytes_each(interned(values.two_fields()))
    others = {name: bytes_each(make(values.two_fields())) for name, make in PEERS.items()}
    ratios = tuple(ratio(name, [own], [other]) for name, other in others.items())
    yield Comparison("living instance of two fields", "interned", own, ratios, unit=BYTES)
    yield resident()
    yield form()


def resident() -> Comparison:
    """Compare what the table takes beside the instances, each peer in a process of its own."""
    found = {name: answer(__name__, name) for name in RESIDENT}
    left_out = tuple(name for name, size in found.items() if size is None)
    own, *others = ((name, size) for name, size in found.items() if size is not None)
    ratios = tuple(ratio(name, [own[1]], [size]) for name, size in others)
    title = "its table in resident memory"
    return Comparison(title, own[0], own[1], ratios, left_out, unit=BYTES)


def grow(name: str) -> float:
    """Hold many instances, and return the resident bytes of each beyond the instance itself."""
    cls = values.two_fields()
    plainly = resident_bytes(cls)
    return resident_bytes(RESIDENT[name](cls)) - plainly


def resident_bytes(make: Callable[[int, int], object]) -> float:
    """Return by how much the process grows for each instance that is made and held."""
    numbers = [*range(1_000, 1_000 + RESIDENT_COUNT)]
    living: list[object] = [None] * RESIDENT_COUNT
    living[0] = make(0, 0)
    gc.collect()
    before = resident_now()
    for index, number in enumerate(numbers):
        living[index] = make(number, number)
    HELD.append(living)
    return (resident_now() - before) / RESIDENT_COUNT


HELD: list[list[object]] = []


def resident_now() -> int:
    """Return the resident memory of this process in bytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def form() -> Comparison:
    """Measure what a cached form takes beside its text and its dict."""
    axes = [values.Axis(f"axis {number}", number) for number in range(1_000, 1_000 + COUNT)]
    sizes = [0] * COUNT
    gc.collect()
    tracemalloc.start()
    try:
        for index, axis in enumerate(axes):
            text, data = axis.as_serialized_json, axis.as_serialized_dict
            sizes[index] = sys.getsizeof(text) + sys.getsizeof(data)
        del text, data
        used = tracemalloc.get_traced_memory()[0] - sum(sizes)
    finally:
        tracemalloc.stop()
    own, contents = used / COUNT, sum(sizes) / COUNT
    against = ratio("its text and dict", [own], [contents])
    return Comparison("form, beyond text and dict", "interned", own, (against,), unit=BYTES)


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


if __name__ == "__main__":
    print(grow(sys.argv[1]))
