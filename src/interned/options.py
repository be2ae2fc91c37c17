"""The options of `@interned`, refused in words where they make no sense."""

from __future__ import annotations

import math
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import attrs
from cachetools import Cache

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    CacheFactory = Callable[[], Cache[Any, Any]]

__all__ = ["UNSET", "Options"]


class _Unset:
    """The value of an option that was left out, where `None` has a meaning of its own."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<left out>"


UNSET = _Unset()


def _names(value: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _seconds(value: float | timedelta | None) -> float | None:
    return value.total_seconds() if isinstance(value, timedelta) else value


@attrs.frozen(kw_only=True)
class Options:
    """What was asked of one target; see `interned.decorator.interned` for each meaning."""

    weak: bool | None = None
    weak_args: tuple[str, ...] = attrs.field(default=(), converter=_names)
    maxsize: float | _Unset | None = UNSET
    ttl: float | None = attrs.field(default=None, converter=_seconds)
    timer: Callable[[], float] | None = None
    cache: Cache[Any, Any] | CacheFactory | None = None
    key: Callable[..., Hashable] | None = None
    ignore: tuple[str, ...] = attrs.field(default=(), converter=_names)
    info: bool = False
    single_flight: bool | None = None

    def __attrs_post_init__(self) -> None:
        _check_maxsize(self.maxsize)
        _check_ttl(self.ttl)
        _check_cache(self)
        for name in ("key", "timer"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise TypeError(f"{name}={value!r} cannot be called; pass a function")
        if self.timer is not None and self.ttl is None:
            raise TypeError("timer= is the clock of ttl=; pass ttl= as well")
        if self.key is not None and self.ignore:
            raise TypeError("key= already says what counts; leave ignore= out")

    @property
    def clock(self) -> Callable[[], float]:
        """The clock of `ttl`, in seconds."""
        return self.timer or time.monotonic

    def bound(self, default: float | None) -> float | None:
        """Return `maxsize` as a number, `default` where it was left out.

        Args:
            default: What a target of this kind keeps when nothing was said; `None` for nothing.

        Returns:
            The greatest number of values to keep (`math.inf`: no bound), or `None`.
        """
        if isinstance(self.maxsize, _Unset):
            return math.inf if self.ttl is not None and default is None else default
        return math.inf if self.maxsize is None else self.maxsize


def _check_maxsize(value: object) -> None:
    if value is None or isinstance(value, _Unset):
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"maxsize={value!r} is no number; pass an int, or None for no bound "
            "(options are keywords: write @interned(maxsize=...))"
        )
    if math.isnan(value) or value < 0:
        raise ValueError(
            f"maxsize={value!r} is negative; pass 0 to keep nothing, None for no bound"
        )


def _check_ttl(value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"ttl={value!r} is no duration; pass seconds or a timedelta")
    if not value > 0:
        raise ValueError(f"ttl={value!r} is not positive; pass seconds, or leave ttl out")


def _check_cache(options: Options) -> None:
    cache = options.cache
    if cache is None:
        return
    if not isinstance(options.maxsize, _Unset) or options.ttl is not None:
        raise TypeError("cache= brings its own policy; leave maxsize=, ttl= and timer= out")
    if not isinstance(cache, Cache) and not callable(cache):
        raise TypeError(
            f"cache={cache!r} is neither a cachetools cache nor a factory of one; "
            "pass for example cachetools.LFUCache(maxsize=100)"
        )
