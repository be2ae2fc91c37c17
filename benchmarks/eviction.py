"""Eviction: the cache is full, so each new value has an older one let go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from benchmarks import peers, values
from benchmarks.discipline import Case, Comparison, Plan, compare
from benchmarks.hits import memoized
from benchmarks.misses import missed
from benchmarks.peers import MAXSIZE, SECONDS, Decorator
from interned import interned

CLASSES: Mapping[str, Decorator] = {"plain class": peers.plain, **peers.BOUNDED}
NEW = "(next(new), 4)"
HITS = 7


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure constructions, then calls."""
    for case in (*classes(), *functions()):
        yield compare(case, plan)


def classes() -> Iterator[Case]:
    """Yield the cases of classes, the peers memoizing what constructs them."""
    kept = interned(maxsize=MAXSIZE)
    timed = interned(maxsize=MAXSIZE, ttl=SECONDS)
    yield missed("class, maxsize", f"C{NEW}", values.two_fields, kept, CLASSES)
    yield missed("class, maxsize and ttl", f"C{NEW}", values.two_fields, timed, peers.TIMED)


def functions() -> Iterator[Case]:
    """Yield the cases of functions."""
    kept = interned(maxsize=MAXSIZE)
    timed = interned(maxsize=MAXSIZE, ttl=SECONDS)
    mixed = "; ".join(["f(3, 4)"] * HITS + [f"f{NEW}"])
    yield memoized("function, maxsize", f"f{NEW}", kept, peers.BOUNDED, new=count)
    yield memoized("function, maxsize and ttl", f"f{NEW}", timed, peers.TIMED, new=count)
    yield memoized("call, 1 of 8 evicting", mixed, kept, peers.BOUNDED, per=HITS + 1, new=count)
