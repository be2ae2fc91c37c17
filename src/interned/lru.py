"""LRU: keep what was used last, for a time, with single steps only.

It answers as a `Retention` does. Where that has a policy of cachetools to protect, here is nothing
to protect: the order is that of an `OrderedDict`, each change of which is one call into C that runs
no other code. So nobody waits for anybody, and whatever comes between two steps finds all in order.
"""

from __future__ import annotations

import contextlib
import math
from collections import OrderedDict
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

__all__ = ["LRU"]

_GONE: Final = object()
_last_use: Final = attrgetter("used")


class LRU:
    """Keep values alive by last use, and for a time.

    Nothing has to be told of each use: entries note by themselves when they were used last, and the
    order is put right before it matters.

    Args:
        bound: How many values to keep, `math.inf` for any number.
        ttl: Seconds after which a value is let go, `None` for never.
        clock: The clock of `ttl`.
        let_go: Called with each entry that is no longer kept; `None` where the table is weak.

    Attributes:
        clock: The clock of `ttl`; `None` where there is none.
        evicted: How many values were let go though nobody asked, expired ones included.
        every_use: Whether `touch` has to be called at each use, not only where the entry is clean.
        policy: Which class of cachetools does the same.
    """

    every_use = False

    def __init__(
        self,
        bound: float,
        ttl: float | None,
        clock: Callable[[], float],
        let_go: Callable[[Any], None] | None = None,
    ) -> None:
        self.clock = None if ttl is None else clock
        self.policy = "LRUCache" if ttl is None else "TTLCache"
        self.evicted = 0
        self._bound = bound
        self._ttl = math.inf if ttl is None else ttl
        self._let_go = let_go
        # Values by entry, in the order of last use as far as that is known.
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        # Entries in the order in which they expire.
        self._aging: OrderedDict[Any, None] = OrderedDict()
        # Entries that were used since the order was last put right.
        self._dirty: dict[Any, None] = {}

    def keep(self, entry: Any, value: Any) -> None:
        """Hold a value, as the one used last."""
        if self._dirty:
            self._sort()
        if self.clock is not None:
            self._set_time(entry, self.clock)
        kept = None
        while kept is not self._kept:  # Another thread may clear everything meanwhile.
            kept = self._kept
            kept[entry] = value
        entry.kept = True
        if len(kept) > self._bound:
            self._evict()

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
        if entry.kept is False:
            return False
        return self.clock is None or bool(entry.expires > self.clock())

    def knows(self, entry: Any) -> bool:
        """Say whether an entry's value is held, expired or not."""
        return entry in self._kept

    def discard(self, entry: Any) -> bool:
        """Let one entry go; return whether it was held."""
        held = self.holds(entry) and self.knows(entry)
        self.drop(entry)
        return held

    def drop(self, entry: Any) -> None:
        """Let one entry go."""
        self._aging.pop(entry, None)
        # Among those whose use is noted, it would be held on to.
        self._dirty.pop(entry, None)
        entry.clean = True
        value = self._kept.pop(entry, _GONE)
        self.abandon(entry)
        # Last of all, since releasing a value may run a finalizer.
        del value

    def abandon(self, entry: Any) -> None:
        """Let go an entry that is not held and never will be."""
        entry.kept = False
        if self._let_go is not None:
            self._let_go(entry)

    def expire(self) -> None:
        """Let go what has expired."""
        if self.clock is not None:
            self._expire(self.clock())

    def clear(self) -> None:
        """Let everything go, and count from zero."""
        # New dictionaries, since one that was emptied would keep its size.
        former, self._kept, self._aging = self._kept, OrderedDict(), OrderedDict()
        for entry in tuple(former):
            self.drop(entry)
        self.evicted = 0

    def size(self) -> int:
        """Return how many values are held and have not expired."""
        self.expire()
        return len(self._kept)

    def set_aside(self) -> Callable[[], None]:
        """Begin with nothing; calling what is returned holds again what was held."""
        former = self._kept, self._aging, self._dirty, self.evicted
        self._kept, self._aging, self._dirty = OrderedDict(), OrderedDict(), {}
        self.evicted = 0

        def go_back() -> None:
            self.clear()
            self._kept, self._aging, self._dirty, self.evicted = former

        return go_back

    def _set_time(self, entry: Any, clock: Callable[[], float]) -> None:
        try:
            now = clock()
        except BaseException:
            if entry.kept is None:
                self.abandon(entry)
            raise
        self._expire(now)
        entry.expires = now + self._ttl
        self._aging[entry] = None

    def _sort(self) -> None:
        """Put what was used since the last time behind all others, in the order of use."""
        used = []
        # Others may take out what is still there.
        with contextlib.suppress(KeyError):
            while self._dirty:
                entry, _ = self._dirty.popitem()
                entry.clean = True
                used.append(entry)
        used.sort(key=_last_use)
        for entry in used:
            # It may have been let go since.
            with contextlib.suppress(KeyError):
                self._kept.move_to_end(entry)

    def _evict(self) -> None:
        kept = self._kept
        while len(kept) > self._bound:
            try:
                entry, value = kept.popitem(last=False)
            except KeyError:
                # Others were faster.
                return
            self.evicted += 1
            if self.clock is not None:
                self._aging.pop(entry, None)
            self.abandon(entry)
            del value

    def _expire(self, now: float) -> None:
        aging = self._aging
        while (entry := _first(aging)) is not _GONE and entry.expires <= now:
            if aging.pop(entry, _GONE) is None:
                self.evicted += 1
                self.drop(entry)


def _first(entries: OrderedDict[Any, None]) -> Any:
    while True:
        try:
            return next(iter(entries), _GONE)
        except RuntimeError:
            # Another thread changed it between the two steps.
            continue
