"""Callables: calls answered from a cache, by function and by method, against each peer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any

import cachetools

from benchmarks import peers
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.hits import NESTED, memoized
from benchmarks.peers import BOUNDED, MAXSIZE, SECONDS, TIMED, UNBOUNDED, Decorator
from interned import interned


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure functions, then methods, then arguments that are not plain."""
    for case in (*hits(), method(), *arguments(), *weak()):
        yield compare(case, plan)


def hits() -> Iterator[Case]:
    """Yield the cases in which a result is found."""
    kept = interned(maxsize=MAXSIZE)
    yield memoized("hit", "f(3, 4)", interned, BOUNDED)
    yield memoized("hit by keyword", "f(a=3, b=4)", interned, BOUNDED)
    yield memoized("hit of a larger cache", "f(3, 4)", kept, BOUNDED)
    yield memoized("hit, maxsize=None", "f(3, 4)", interned(maxsize=None), UNBOUNDED)
    yield memoized("hit, ttl", "f(3, 4)", interned(ttl=SECONDS), TIMED)


class Ours:
    """A class with an interned method."""

    @interned
    def method(self, x: int) -> int:
        """Return the argument."""
        return x


class Cachetools:
    """A class whose instances have caches of their own."""

    def __init__(self) -> None:
        self.cache: cachetools.LRUCache[Any, Any] = cachetools.LRUCache(128)
        self.lock = RLock()

    @cachetools.cachedmethod(lambda self: self.cache, lock=lambda self: self.lock)
    def method(self, x: int) -> int:
        """Return the argument."""
        return x

    @cachetools.cachedmethod(lambda self: self.cache)
    def unlocked(self, x: int) -> int:
        """Return the argument."""
        return x


class Functools:
    """A class with a method that keeps its instances alive."""

    @functools.lru_cache(typed=True)  # noqa: B019 - what this costs is what is measured
    def method(self, x: int) -> int:
        """Return the argument."""
        return x


def wrapt_instance() -> object:
    """Make an instance of a class with a method memoized by wrapt."""
    import wrapt

    class Wrapt:
        @wrapt.lru_cache(typed=True)
        def method(self, x: int) -> int:
            return x

    return Wrapt()


def method() -> Case:
    """Make the case of a method's hit."""

    def subject(name: str, make: Callable[[], object], code: str = "o.method(3)") -> Subject:
        return Subject(name, code, lambda: {"o": make()})

    others = [
        subject("cachetools.cachedmethod with a lock", Cachetools),
        subject("cachetools.cachedmethod", Cachetools, "o.unlocked(3)"),
        subject("wrapt.lru_cache", wrapt_instance),
        subject("lru_cache(typed=True)", Functools),
    ]
    return Case("method", subject("interned", Ours), others)


@dataclass(frozen=True)
class Point:
    """A small value."""

    x: int
    y: int


def arguments() -> Iterator[Case]:
    """Yield hits with arguments that no plain key can stand for, and with `key=` as the way out."""
    for title, value in (
        ("tuple of 100 ints", tuple(range(100))),
        ("frozen dataclass", Point(1, 2)),
        ("nested tuples", NESTED),
    ):
        others = {"lru_cache(typed=True)": peers.functools_lru}
        make = functools.partial(lambda made: made, value)
        yield memoized(title, "f(value, 4)", interned, others, value=make)
        keyed = interned(key=lambda a, b: id(a) + b)
        yield memoized(f"{title}, key=", "f(value, 4)", keyed, others, value=make)
        equal = functools.partial(_another, value)
        yield memoized(f"{title}, each anew", "f(equal(), 4)", interned, others, equal=equal)


def _another(value: Any) -> Callable[[], Any]:
    if isinstance(value, Point):
        return lambda: Point(value.x, value.y)
    return lambda: (*value,)


class Mesh:
    """Something that is known by identity."""


def make_mesh(_number: int) -> Mesh:
    """Be the function whose results are held weakly."""
    return Mesh()


def jax_weakref(function: Callable[..., Any]) -> Any:
    """Memoize by JAX's cache in C++, which holds the first argument weakly."""
    from jax._src.util import weakref_lru_cache

    return weakref_lru_cache(function, trace_context_in_key=False)


def weak() -> Iterator[Case]:
    """Yield hits where an argument, or the result, is held weakly."""
    ours = interned(weak_args=("a",), maxsize=None)
    others = {"JAX's weakref_lru_cache": jax_weakref}
    yield memoized("weak argument", "f(mesh, 4)", ours, others, mesh=Mesh)

    def subject(name: str, decorate: Decorator) -> Subject:
        def namespace() -> dict[str, Any]:
            make = decorate(make_mesh)
            return {"f": make, "kept": make(3)}

        return Subject(name, "f(3)", namespace)

    others = {"JAX's weak_value_interner": peers.jax_interner}
    yield Case(
        "weak result",
        subject("interned", interned(weak=True)),
        [subject(*o) for o in others.items()],
    )
