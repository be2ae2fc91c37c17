"""Wrappers: what type checkers know of interned callables.

Which object stands for an interned callable depends on where it was defined; these protocols say
what each can do. They are types only, and nothing inherits from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from interned.explaining import Explanation
from interned.interning import CacheInfo, CacheParameters, CacheStats

__all__ = ["BoundWrapper", "UnboundWrapper", "Wrapper"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")


class _Cached(Protocol):
    """What can be asked of any interned callable."""

    __name__: str
    __qualname__: str

    def cache_info(self) -> CacheInfo:
        """Return hits, misses, maxsize and currsize, as `functools.lru_cache` does."""

    def cache_parameters(self) -> CacheParameters:
        """Return how it was decorated."""

    def cache_stats(self) -> CacheStats:
        """Return all numbers at once."""

    def cache_clear(self) -> None:
        """Forget every result and count from zero; with `weak=True` those in use stay shared."""

    def cache_expire(self) -> None:
        """Let go what `ttl` has expired."""


class BoundWrapper(_Cached, Protocol[P, R_co]):
    """An interned callable that takes just the arguments of a call."""

    @property
    def __wrapped__(self) -> Callable[..., R_co]:
        """The function."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return the shared result."""

    def cache_contains(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Say whether a call would be answered without running the function."""

    def cache_invalidate(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Forget the result of a call; return whether there was one."""

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> Explanation:
        """Say whether a call would be answered without running the function, and if not, why."""


class UnboundWrapper(_Cached, Protocol[P, R_co]):
    """What a class gives for a method: its first argument is still to come.

    For a class method it is not, and a static method has none; checkers do not always tell them
    apart, so both ways to call are accepted.
    """

    @property
    def __wrapped__(self) -> Callable[..., R_co]:
        """The function."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(
        self: UnboundWrapper[Concatenate[Any, Q], R], *args: Q.args, **kwargs: Q.kwargs
    ) -> R: ...

    @overload
    def cache_contains(self, *args: P.args, **kwargs: P.kwargs) -> bool: ...
    @overload
    def cache_contains(
        self: UnboundWrapper[Concatenate[Any, Q], R], *args: Q.args, **kwargs: Q.kwargs
    ) -> bool: ...

    @overload
    def cache_invalidate(self, *args: P.args, **kwargs: P.kwargs) -> bool: ...
    @overload
    def cache_invalidate(
        self: UnboundWrapper[Concatenate[Any, Q], R], *args: Q.args, **kwargs: Q.kwargs
    ) -> bool: ...

    @overload
    def explain(self, *args: P.args, **kwargs: P.kwargs) -> Explanation: ...
    @overload
    def explain(
        self: UnboundWrapper[Concatenate[Any, Q], R], *args: Q.args, **kwargs: Q.kwargs
    ) -> Explanation: ...


class Wrapper(BoundWrapper[P, R_co], Protocol[P, R_co]):
    """What `@interned` makes of a callable."""

    @overload
    def __get__(self, instance: None, owner: Any = None) -> UnboundWrapper[P, R_co]: ...
    @overload
    def __get__(
        self: Wrapper[Concatenate[T, Q], R], instance: T, owner: Any = None
    ) -> BoundWrapper[Q, R]: ...
    @overload
    def __get__(
        self: Wrapper[Concatenate[type[T], Q], R], instance: T, owner: Any = None
    ) -> BoundWrapper[Q, R]: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> BoundWrapper[P, R_co]: ...
