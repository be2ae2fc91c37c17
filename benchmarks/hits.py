"""Hits: the value lives already. Classes against plain construction, functions against caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks import peers, values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.peers import Decorator, plain
from interned import interned

NESTED = ((1, 2, (3, "four")), ("five", 6.5))
PLAIN: Mapping[str, Decorator] = {"plain class": plain}
RIVALS: Mapping[str, Decorator] = {**peers.INTERNERS, "cachebox.LRUCache": peers.cachebox_lru}


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure the hits of classes, then those of functions."""
    for case in (*classes(), *functions()):
        yield compare(case, plan)


def classes() -> Iterator[Case]:
    """Yield the cases in which an instance is found instead of built."""
    retained = interned(maxsize=peers.MAXSIZE)
    wide = "C(1, 2, 3, 'four', 5, 6)"
    yield constructed("two fields", "C(3, 4)", values.two_fields, others=RIVALS)
    yield constructed("two fields by keyword", "C(x=3, y=4)", values.two_fields)
    yield constructed("two fields, maxsize=1024", "C(3, 4)", values.two_fields, retained)
    yield constructed("two fields, attrs", "C(3, 4)", values.two_attrs_fields)
    yield constructed("six fields", wide, values.six_fields)
    yield constructed("nested tuple", "C(nested, 4)", values.two_fields)


def constructed(
    title: str,
    code: str,
    cls: Callable[[], type],
    decorator: Callable[[type], type] = interned,
    others: Mapping[str, Decorator] = PLAIN,
) -> Case:
    """Make a case of a class: interned, plain, and perhaps by other interners."""

    def subject(name: str, make: Decorator) -> Subject:
        return Subject(name, code, lambda: alive(code, make(cls())))

    return Case(
        title, subject("interned", decorator), [subject(*other) for other in others.items()]
    )


def alive(code: str, make: Callable[..., Any]) -> dict[str, Any]:
    """Make the namespace of a hit: the constructor, and one instance that somebody holds."""
    names = {"C": make, "nested": NESTED}
    return names | {"kept": eval(code, dict(names))}  # noqa: S307 - the code under measurement


def functions() -> Iterator[Case]:
    """Yield the cases in which a result is found instead of computed."""
    ours = interned(maxsize=peers.MAXSIZE)
    yield memoized("function of two arguments", "f(3, 4)", ours, peers.LRU)
    yield memoized("function, by keyword", "f(a=3, b=4)", ours, peers.LRU)
    yield memoized("function of a string", "f('key', 4)", ours, peers.LRU)


def memoized(
    title: str,
    code: str,
    ours: Decorator,
    others: Mapping[str, Decorator],
    per: int = 1,
    **names: Callable[[], object],
) -> Case:
    """Make a case of a memoized function.

    Args:
        title: What is measured.
        code: The call; the function is `f`.
        ours: Our decorator.
        others: Those of the peers.
        per: How many calls the code makes.
        names: Makers of what else the code refers to.
    """

    def subject(name: str, decorate: Decorator) -> Subject:
        def namespace() -> dict[str, Any]:
            return {"f": decorate(pair)} | {key: make() for key, make in names.items()}

        return Subject(name, code, namespace, per)

    return Case(title, subject("interned", ours), [subject(*other) for other in others.items()])


def pair(a: object, b: object) -> tuple[object, object]:
    """Be the function that is memoized."""
    return (a, b)
