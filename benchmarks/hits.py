"""Hits: the value lives already. Classes against plain construction, functions against caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks import peers, values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from interned import interned

NESTED = ((1, 2, (3, "four")), ("five", 6.5))


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure the hits of classes, then those of functions."""
    for case in (*classes(), *functions()):
        yield compare(case, plan)


def classes() -> Iterator[Case]:
    """Yield the cases in which an instance is found instead of built."""
    retained = interned(maxsize=peers.MAXSIZE)
    wide = "C(1, 2, 3, 'four', 5, 6)"
    yield constructed("two fields", "C(3, 4)", values.two_fields, rivals=True)
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
    *,
    rivals: bool = False,
) -> Case:
    """Make a case of a class: interned, plain, and perhaps by other interners."""

    def subject(name: str, make: Callable[[type], Any]) -> Subject:
        return Subject(name, code, lambda: alive(code, make(cls())))

    others = [subject(name, make) for name, make in RIVALS.items()] if rivals else []
    return Case(title, subject("interned", decorator), [subject("plain class", plain), *others])


RIVALS: Mapping[str, Callable[[type], Any]] = {
    "WeakValueDictionary": peers.weak_value_dictionary,
    "JAX's weak_value_interner": peers.jax_interner,
    "cachebox.LRUCache": peers.cachebox_lru,
}


def plain(cls: type) -> type:
    """Leave a class as it is."""
    return cls


def alive(code: str, make: Callable[..., Any]) -> dict[str, Any]:
    """Make the namespace of a hit: the constructor, and one instance that somebody holds."""
    names = {"C": make, "nested": NESTED}
    return names | {"kept": eval(code, dict(names))}  # noqa: S307 - the code under measurement


def functions() -> Iterator[Case]:
    """Yield the cases in which a result is found instead of computed."""
    yield memoized("function of two arguments", "f(3, 4)")
    yield memoized("function, by keyword", "f(a=3, b=4)")
    yield memoized("function of a string", "f('key', 4)")


def memoized(title: str, code: str) -> Case:
    """Make a case of a memoized function."""

    def subject(name: str, decorate: Callable[[Callable[..., Any]], Any]) -> Subject:
        return Subject(name, code, lambda: {"f": decorate(pair)})

    ours = subject("interned", interned(maxsize=peers.MAXSIZE))
    return Case(title, ours, [subject(name, decorate) for name, decorate in CACHES.items()])


CACHES: Mapping[str, Callable[[Callable[..., Any]], Any]] = {
    "lru_cache(typed=True)": peers.functools_lru,
    "cachetools with a lock": peers.cachetools_lru,
    "cachebox.LRUCache": peers.cachebox_lru,
}


def pair(a: object, b: object) -> tuple[object, object]:
    """Be the function that is memoized."""
    return (a, b)
