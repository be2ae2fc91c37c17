"""Misses: the value is new and has to be built, or computed, and filed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from benchmarks import peers, values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.hits import CACHES, RIVALS, pair, plain
from interned import interned

Decorator = Callable[[Any], Any]


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure the misses of classes and of a function, each dropping an older value."""
    for case in cases():
        yield compare(case, plan)


def cases() -> Iterator[Case]:
    """Yield the cases."""
    retained = interned(maxsize=peers.MAXSIZE)
    rebuilt: dict[str, Decorator] = {"plain class": plain, **RIVALS}
    kept: dict[str, Decorator] = {"plain class": plain, "cachebox.LRUCache": peers.cachebox_lru}
    yield missed("two fields, dropped at once", values.two_fields, interned, rebuilt)
    yield missed("two fields, maxsize=1024", values.two_fields, retained, kept)
    yield missed("function of two arguments", lambda: pair, retained, CACHES)


def missed(
    title: str, target: Callable[[], Any], ours: Decorator, others: Mapping[str, Decorator]
) -> Case:
    """Make a case in which a new number makes each call a miss."""

    def subject(name: str, decorate: Decorator) -> Subject:
        return Subject(name, "f(next(new), 4)", lambda: {"f": decorate(target()), "new": count()})

    return Case(title, subject("interned", ours), [subject(*other) for other in others.items()])
