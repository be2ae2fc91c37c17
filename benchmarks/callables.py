"""Callables: calls answered from a cache, calls that fill it, and methods, against each peer.

The peers are as safe under threads as we are: cachetools has its lock, but where we say so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from threading import RLock
from typing import Any

import cachetools

from benchmarks import peers
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.hits import NESTED, pair
from interned import interned

MAXSIZE = peers.MAXSIZE
SECONDS = 3600
Decorator = Callable[[Callable[..., Any]], Any]


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure hits, then misses, then methods, then arguments that are not plain."""
    for case in (*hits(), *misses(), method(), *arguments(), *weak()):
        yield compare(case, plan)


def wrapt_lru(function: Callable[..., Any]) -> Any:
    """Memoize by wrapt, which puts the standard library's cache behind a proxy."""
    import wrapt

    return wrapt.lru_cache(maxsize=MAXSIZE, typed=True)(function)


def theine_memoize(function: Callable[..., Any]) -> Any:
    """Memoize by theine, whose policy is written in Rust."""
    import theine

    return theine.Memoize(MAXSIZE, None, typed=True)(function)


def theine_timed(function: Callable[..., Any]) -> Any:
    """Memoize by theine, for a time."""
    import theine

    return theine.Memoize(MAXSIZE, timedelta(seconds=SECONDS), typed=True)(function)


def moka_lru(function: Callable[..., Any]) -> Any:
    """Memoize by moka, written in Rust."""
    import moka_py

    return moka_py.cached(maxsize=MAXSIZE, typed=True, policy="lru")(function)


def moka_timed(function: Callable[..., Any]) -> Any:
    """Memoize by moka, for a time."""
    import moka_py

    return moka_py.cached(maxsize=MAXSIZE, typed=True, policy="lru", ttl=SECONDS)(function)


def cachetools_timed(function: Callable[..., Any]) -> Any:
    """Memoize by cachetools, for a time."""
    return cachetools.cached(cachetools.TTLCache(MAXSIZE, SECONDS), lock=RLock())(function)


def cachebox_timed(function: Callable[..., Any]) -> Any:
    """Memoize by cachebox, for a time."""
    import cachebox

    return cachebox.cached(cachebox.TTLCache(MAXSIZE, SECONDS), postprocess=None)(function)


BOUNDED: Mapping[str, Decorator] = {
    "lru_cache(typed=True)": peers.functools_lru,
    "cachetools with a lock": peers.cachetools_lru,
    "cachebox.LRUCache": peers.cachebox_lru,
    "wrapt.lru_cache": wrapt_lru,
    "theine": theine_memoize,
    "moka": moka_lru,
}
TIMED: Mapping[str, Decorator] = {
    "cachetools with a lock": cachetools_timed,
    "cachebox.TTLCache": cachebox_timed,
    "theine": theine_timed,
    "moka": moka_timed,
}
UNBOUNDED: Mapping[str, Decorator] = {
    "lru_cache(typed=True)": functools.lru_cache(maxsize=None, typed=True),
    "cachetools with a lock": cachetools.cached({}, lock=RLock()),
}


def memoized(
    title: str,
    code: str,
    ours: Decorator,
    others: Mapping[str, Decorator],
    **names: Callable[[], object],
) -> Case:
    """Make a case of a memoized function.

    Args:
        title: What is measured.
        code: The call; the function is `f`.
        ours: Our decorator.
        others: Those of the peers.
        names: Makers of what else the code refers to.
    """

    def subject(name: str, decorate: Decorator) -> Subject:
        def namespace() -> dict[str, Any]:
            return {"f": decorate(pair)} | {key: make() for key, make in names.items()}

        return Subject(name, code, namespace)

    return Case(title, subject("interned", ours), [subject(*other) for other in others.items()])


def hits() -> Iterator[Case]:
    """Yield the cases in which a result is found."""
    kept = interned(maxsize=MAXSIZE)
    yield memoized("hit", "f(3, 4)", interned, BOUNDED)
    yield memoized("hit by keyword", "f(a=3, b=4)", interned, BOUNDED)
    yield memoized("hit of a larger cache", "f(3, 4)", kept, BOUNDED)
    yield memoized("hit, maxsize=None", "f(3, 4)", interned(maxsize=None), UNBOUNDED)
    yield memoized("hit, ttl", "f(3, 4)", interned(ttl=SECONDS), TIMED)


def misses() -> Iterator[Case]:
    """Yield the cases in which each call is a new one."""
    new = functools.partial(iter, range(1 << 60))
    kept, timed = interned(maxsize=MAXSIZE), interned(maxsize=MAXSIZE, ttl=SECONDS)
    yield memoized("miss that evicts", "f(next(new), 4)", kept, BOUNDED, new=new)
    yield memoized("miss that evicts, ttl", "f(next(new), 4)", timed, TIMED, new=new)


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
