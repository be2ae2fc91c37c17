"""What people use instead: each peer turned into a constructor or a decorator.

Each is as safe under threads as ours: cachetools has its lock, but where the name says otherwise.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from datetime import timedelta
from threading import RLock
from typing import Any, Self
from weakref import WeakValueDictionary

import cachetools

MAXSIZE = 1024
SECONDS = 3600

Function = Callable[..., Any]
Decorator = Callable[[Function], Any]


def plain(cls: Function) -> Function:
    """Leave a class as it is."""
    return cls


def weak_value_dictionary(cls: type) -> Function:
    """Intern by the hand-written recipe: a weak table keyed by the arguments, two fields only."""
    table: WeakValueDictionary[Any, Any] = WeakValueDictionary()

    def make(x: object, y: object) -> object:
        found = table.get((x, y))
        if found is None:
            found = table.setdefault((x, y), cls(x, y))
        return found

    return make


def hashcons_store(cls: type) -> Function:
    """Intern by hashcons, whose store a class of two fields asks in its `__new__`."""
    import hashcons

    store = hashcons.InstanceStore()

    class Stored:
        __slots__ = ("__weakref__", "x", "y")

        def __new__(cls, x: object, y: object) -> Self:
            with store.instance(cls, (x, y)) as found:
                if found is not None:
                    return found
                made = object.__new__(cls)
                made.x, made.y = x, y
                store.register(made)
                return made

    Stored.__name__ = cls.__name__
    return Stored


def jax_interner(function: Function) -> Function:
    """Intern by the weak table in C++ that JAX keeps its meshes and types in."""
    from jax._src.util import weak_value_interner

    return weak_value_interner(function)


def functools_lru(function: Function) -> Function:
    """Memoize by the C cache of the standard library, telling `1` from `1.0`."""
    return functools.lru_cache(maxsize=MAXSIZE, typed=True)(function)


def cachetools_lru(function: Function) -> Function:
    """Memoize by cachetools, made safe for threads by its lock."""
    return cachetools.cached(cachetools.LRUCache(MAXSIZE), lock=RLock())(function)


def cachetools_timed(function: Function) -> Function:
    """Memoize by cachetools, for a time."""
    return cachetools.cached(cachetools.TTLCache(MAXSIZE, SECONDS), lock=RLock())(function)


def cachetools_unbounded(function: Function) -> Function:
    """Memoize by cachetools in a plain dictionary, made safe for threads by its lock."""
    return cachetools.cached({}, lock=RLock())(function)


def cachebox_lru(function: Function) -> Function:
    """Memoize by cachebox, written in Rust, handing results out as they are."""
    import cachebox

    return cachebox.cached(cachebox.LRUCache(MAXSIZE), postprocess=None)(function)


def cachebox_timed(function: Function) -> Function:
    """Memoize by cachebox, for a time."""
    import cachebox

    return cachebox.cached(cachebox.TTLCache(MAXSIZE, SECONDS), postprocess=None)(function)


def wrapt_lru(function: Function) -> Function:
    """Memoize by wrapt, which puts the standard library's cache behind a proxy."""
    import wrapt

    return wrapt.lru_cache(maxsize=MAXSIZE, typed=True)(function)


def theine_memoize(function: Function, ttl: timedelta | None = None) -> Function:
    """Memoize by theine, whose policy is written in Rust, perhaps for a time."""
    import theine

    return theine.Memoize(MAXSIZE, ttl, typed=True)(function)


def moka_lru(function: Function, ttl: float | None = None) -> Function:
    """Memoize by moka, written in Rust, perhaps for a time."""
    import moka_py

    return moka_py.cached(maxsize=MAXSIZE, typed=True, policy="lru", ttl=ttl)(function)


INTERNERS: Mapping[str, Decorator] = {
    "plain class": plain,
    "WeakValueDictionary": weak_value_dictionary,
    "JAX's weak_value_interner": jax_interner,
    "hashcons": hashcons_store,
}
LRU: Mapping[str, Decorator] = {
    "lru_cache(typed=True)": functools_lru,
    "cachetools with a lock": cachetools_lru,
    "cachebox.LRUCache": cachebox_lru,
}
BOUNDED: Mapping[str, Decorator] = {
    **LRU,
    "wrapt.lru_cache": wrapt_lru,
    "theine": theine_memoize,
    "moka": moka_lru,
}
TIMED: Mapping[str, Decorator] = {
    "cachetools with a lock": cachetools_timed,
    "cachebox.TTLCache": cachebox_timed,
    "theine": functools.partial(theine_memoize, ttl=timedelta(seconds=SECONDS)),
    "moka": functools.partial(moka_lru, ttl=SECONDS),
}
UNBOUNDED: Mapping[str, Decorator] = {
    "lru_cache(typed=True)": functools.lru_cache(maxsize=None, typed=True),
    "cachetools with a lock": cachetools_unbounded,
}
