"""Recency: the policies LRU and TTL of cachetools, told of uses many at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, Final

from cachetools import LRUCache, TTLCache

from interned.retention import Retention

__all__ = ["Recency", "TimedRecency"]

_last_use: Final = attrgetter("used")


class Recency(Retention):
    """Keep values alive by last use.

    The policy need not hear of each use: entries note by themselves when they were used last, and
    the policy is told, in that order, before it decides about anything.

    Args:
        bound: How many values to keep, `math.inf` for any number.
        let_go: Called with each entry that is no longer kept; `None` where the table is weak.
    """

    every_use = False

    def __init__(self, bound: float, let_go: Callable[[Any], None] | None = None) -> None:
        self._bound = bound
        # Entries that were used since the policy was last told.
        self._dirty: dict[Any, None] = {}
        super().__init__(self._new_cache(), let_go)

    def touch(self, entry: Any, value: Any) -> None:
        """Note a use; a value of a weak table that was let go earlier is held again."""
        if entry.clean:
            entry.clean = False
            self._dirty[entry] = None
        # What nobody has decided about may have lost its `keep` to an interruption.
        if entry.kept is None or (self._let_go is None and not self.holds(entry)):
            self.keep(entry, value)
        elif entry.kept is False:
            self.abandon(entry)

    def holds(self, entry: Any) -> bool:
        """Say whether an entry's value is held, or about to be, and has not expired."""
        return entry.kept is not False

    def set_aside(self) -> Callable[[], None]:
        """Begin with nothing; calling what is returned holds again what was held."""
        former: list[Any] = []

        def take_all() -> None:
            former.extend((self.cache, self._dirty, self.evicted))
            self.cache, self._dirty, self.evicted = self._new_cache(), {}, 0

        def bring_back() -> None:
            self._clear()
            self.cache, self._dirty, self.evicted = former

        self.ask_and_wait(take_all)
        return partial(self.ask_and_wait, bring_back)

    def _put(self, entry: Any, value: Any) -> None:
        cache = self.cache
        try:
            if self._dirty:
                self._tell()
            if not entry.kept:
                if not self._bound:
                    self._drop(entry, value)
                    return
                if len(cache) >= self._bound:
                    least_recent = cache.popitem()
                    self.evicted += 1
                    least_recent[0].kept = False
                    self._dropped.append(least_recent)
            cache[entry] = value
            entry.kept = True
        except BaseException:
            if entry.kept is None:
                self._drop(entry, value)
            raise

    def _tell(self) -> None:
        """Tell the policy what was used since the last time, in the order of use."""
        used = []
        while self._dirty:
            try:
                entry, _ = self._dirty.popitem()
            except KeyError:
                # Others may take out what is still there.
                break
            entry.clean = True
            used.append(entry)
        used.sort(key=_last_use)
        for entry in used:
            try:
                self.cache[entry]
            except KeyError:
                # It was let go since, which an interruption may have kept from being noted.
                if entry.kept:
                    self._drop(entry, None)

    def _drop(self, entry: Any, value: Any) -> None:
        # Among those whose use is noted, it would be held on to.
        self._dirty.pop(entry, None)
        entry.clean = True
        super()._drop(entry, value)

    def _watched(self, cache: Any) -> Any:
        # It lets nothing go but what it is asked to, and a cycle of references would come of it.
        return cache

    def _empty(self) -> None:
        # A cache that was emptied would keep the size of its dictionaries.
        self.cache = self._new_cache()

    def _new_cache(self) -> Any:
        return LRUCache(self._bound)


class TimedRecency(Recency):
    """Keep values alive by last use, and for a time.

    Args:
        bound: How many values to keep, `math.inf` for any number.
        ttl: Seconds after which a value is let go.
        clock: The clock of `ttl`.
        let_go: Called with each entry that is no longer kept; `None` where the table is weak.
    """

    clock: Callable[[], float]

    def __init__(
        self,
        bound: float,
        ttl: float,
        clock: Callable[[], float],
        let_go: Callable[[Any], None] | None = None,
    ) -> None:
        self.clock = clock
        self._ttl = ttl
        super().__init__(bound, let_go)

    def __del__(self) -> None:
        self._empty()

    def holds(self, entry: Any) -> bool:
        """Say whether an entry's value is held, or about to be, and has not expired."""
        return entry.kept is not False and bool(entry.expires > self.clock())

    def expire(self) -> None:
        """Let go what has expired."""
        self.ask_and_wait(self._expire)

    def size(self) -> int:
        """Return how many values are held and have not expired."""
        self.expire()
        return super().size()

    def _put(self, entry: Any, value: Any) -> None:
        try:
            # As long as this goes on, the cache's time stands still.
            with self.cache.timer as now:
                self._expire()
                entry.expires = now + self._ttl
                super()._put(entry, value)
        except BaseException:
            if entry.kept is None:
                self._drop(entry, value)
            raise

    def _expire(self) -> None:
        self._note(self.cache.expire())

    def _empty(self) -> None:
        # The links of a `TTLCache` form a ring: what it holds would wait for the collector.
        for entry, _ in self._pairs():
            self._take_out(entry)
        super()._empty()

    def _new_cache(self) -> Any:
        return TTLCache(self._bound, self._ttl, self.clock)
