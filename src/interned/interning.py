"""An interner: one target's key, table, retention and counters."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypedDict

import attrs
from cachetools import Cache

from interned.counters import Counter
from interned.entries import GONE, RetainedEntry, StrongEntry
from interned.options import Options
from interned.recency import Recency, TimedRecency
from interned.registry import register
from interned.retention import Retention
from interned.table import Table

__all__ = ["CacheInfo", "CacheParameters", "CacheStats", "Interner", "claim_cache"]


class CacheInfo(NamedTuple):
    """What `functools.lru_cache` reports, under the same names."""

    hits: int | None
    misses: int
    maxsize: float | None
    currsize: int


class CacheParameters(TypedDict):
    """How a target was decorated."""

    maxsize: float | None
    typed: bool
    weak: bool
    ttl: float | None
    policy: str | None


@attrs.frozen
class CacheStats:
    """More numbers than `cache_info` gives.

    Attributes:
        hits: Calls answered with a shared value; `None` where hits are not counted.
        misses: Calls that built or computed something.
        published: Built values that became canonical.
        duplicates: Misses that published nothing: an equal value lived already, or the code raised.
        evicted: Values that the retention let go on its own.
        retained: Values that the retention holds.
        living: Values that the table knows and that are alive.
        unchecked: Hits that `INTERNED_MODE=verify` had no means to check.
    """

    hits: int | None
    misses: int
    published: int
    duplicates: int
    evicted: int
    retained: int
    living: int
    unchecked: int


class Interner:
    """What classes and callables have in common; each kind keys and intercepts in its own way.

    Args:
        target: The class or function.
        options: What was asked for.
        weak: Whether values are held weakly.
        bound: How many values are kept alive, `None` for none on this account.
        entry_type: What stands for a value in the table.
    """

    def __init__(
        self,
        target: Callable[..., Any],
        options: Options,
        *,
        weak: bool,
        bound: float | None,
        entry_type: type[Any],
    ) -> None:
        self.target = target
        self.options = options
        self.weak = weak
        self.hits = Counter()
        self.misses = Counter()
        self.published = Counter()
        self.unchecked = Counter()
        self.cache = claim_cache(options)
        self.bound = bound
        self.retention = self._choose_retention()
        if self.retention is not None and not issubclass(entry_type, StrongEntry):
            entry_type = RetainedEntry
        self.table = Table(entry_type)
        register(self)

    def __repr__(self) -> str:
        return f"<interner of {self.target.__qualname__}>"

    @property
    def counted(self) -> bool:
        """Whether hits are counted."""
        return self.options.info

    def cache_info(self) -> CacheInfo:
        """Return hits, misses, maxsize and currsize, as `functools.lru_cache` does."""
        return CacheInfo(
            self.hits.value() if self.counted else None,
            self.misses.value(),
            self.cache_parameters()["maxsize"],
            len(self.table),
        )

    def cache_stats(self) -> CacheStats:
        """Return all numbers at once."""
        misses, published = self.misses.value(), self.published.value()
        return CacheStats(
            hits=self.hits.value() if self.counted else None,
            misses=misses,
            published=published,
            duplicates=misses - published,
            evicted=self.retention.evicted if self.retention is not None else 0,
            retained=self.retention.size() if self.retention is not None else 0,
            living=len(self.table),
            unchecked=self.unchecked.value(),
        )

    def cache_parameters(self) -> CacheParameters:
        """Return how the target was decorated."""
        bound = self.bound if self.cache is None else self.cache.maxsize
        return CacheParameters(
            maxsize=None if bound == math.inf else 0 if bound is None else bound,
            typed=True,
            weak=self.weak if self.options.weak is None else self.options.weak,
            ttl=self.options.ttl,
            policy=None if self.retention is None else self.retention.policy,
        )

    def cache_clear(self) -> None:
        """Let go what is retained and count from zero; living canonical instances stay so."""
        if self.retention is not None:
            self.retention.clear()
        self._tidy_up()
        for counter in (self.hits, self.misses, self.published, self.unchecked):
            counter.reset()

    def cache_expire(self) -> None:
        """Let go what `ttl` has expired."""
        if self.retention is not None:
            self.retention.expire()

    def set_aside(self) -> Callable[[], None]:
        """Begin with nothing; calling what is returned brings back all that still lives."""
        counters = (self.hits, self.misses, self.published, self.unchecked)
        counts = [counter.value() for counter in counters]
        returns = [self.table.set_aside()]
        if self.retention is not None:
            # After the table: what is held again has to be found there.
            returns.append(self.retention.set_aside())
        for counter in counters:
            counter.reset()

        def bring_back() -> None:
            for go_back in returns:
                go_back()
            for counter, count in zip(counters, counts, strict=True):
                counter.reset(count)

        return bring_back

    def _tidy_up(self) -> None:
        """Take out what interruptions have left: an exception of a signal handler, a fork."""
        for entry in self.table.entries():
            if entry.living is GONE:
                self.table.forget(entry)
            elif self.retention is not None and not self.retention.knows(entry):
                self.retention.abandon(entry)

    def _choose_retention(self) -> Retention | None:
        let_go = None if self.weak else self._let_go
        if self.cache is not None:
            return Retention(self.cache, let_go)
        if self.bound is None and self.options.ttl is None:
            return None
        bound = math.inf if self.bound is None else self.bound
        return self._by_recency(bound, let_go)

    def _by_recency(self, bound: float, let_go: Callable[[Any], None] | None) -> Retention:
        ttl = self.options.ttl
        if ttl is None:
            return Recency(bound, let_go)
        return TimedRecency(bound, ttl, self.options.clock, let_go)

    def _let_go(self, entry: Any) -> None:
        self.table.forget(entry)


_OWNER: Final = "interned_owner"


def claim_cache(options: Options) -> Cache[Any, Any] | None:
    """Return the user's cache, made if it came as a factory, and mark it as taken.

    Raises:
        TypeError: The factory made no cachetools cache.
        ValueError: The cache serves another target already, or is not empty.
    """
    if options.cache is None:
        return None
    cache = options.cache if isinstance(options.cache, Cache) else options.cache()
    if not isinstance(cache, Cache):
        raise TypeError(f"cache= was given a factory that made {cache!r}; make a cachetools cache")
    if inspect.getattr_static(cache, _OWNER, None) is not None:
        raise ValueError(
            "this cache serves another target already, whose values would be mixed with these; "
            "pass a factory, for example cache=lambda: LFUCache(maxsize=100)"
        )
    if Cache.__len__(cache):
        raise ValueError("cache= was given a cache that holds something already; pass an empty one")
    setattr(cache, _OWNER, True)
    return cache
