"""Misses: the value is new and has to be built, or computed, and filed; none is let go for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from benchmarks import peers, values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.hits import PLAIN, memoized
from benchmarks.peers import Decorator
from interned import interned


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure the misses of classes, whose instances are dropped at once, and of a function."""
    for case in cases():
        yield compare(case, plan)


def cases() -> Iterator[Case]:
    """Yield the cases."""
    new, wide = "C(next(new), 4)", "C(next(new), 2, 3, 'four', 5, 6)"
    kept = interned(maxsize=None)
    yield missed("two fields", new, values.two_fields, others=peers.INTERNERS)
    yield missed("two fields, attrs", new, values.two_attrs_fields)
    yield missed("six fields", wide, values.six_fields)
    yield memoized("function", "f(next(new), 4)", kept, peers.UNBOUNDED, new=count)


def missed(
    title: str,
    code: str,
    cls: Callable[[], type],
    decorator: Decorator = interned,
    others: Mapping[str, Decorator] = PLAIN,
) -> Case:
    """Make a case of a class in which a new number makes each construction a miss."""

    def subject(name: str, decorate: Decorator) -> Subject:
        def namespace() -> dict[str, Any]:
            return {"C": decorate(cls()), "new": count()}

        return Subject(name, code, namespace)

    return Case(title, subject("interned", decorator), [subject(*o) for o in others.items()])
