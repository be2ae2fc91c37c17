"""Retention: strong references that keep unused values alive, by a policy of cachetools."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from cachetools import Cache

from interned.turns import Turns

__all__ = ["Retention"]

_MISSING: Final = object()


class Retention(Turns):
    """Keep values alive as a user's cache says; its keys are the values' entries.

    The cache is told of each single use, whatever its policy makes of it. What it lets go is
    released when nobody is at work on it, since that may run user code.

    Args:
        cache: The policy; it belongs to this retention alone.
        let_go: Called with each entry that is no longer kept; `None` where the table is weak.

    Attributes:
        cache: The policy.
        evicted: How many values it let go on its own, expired ones included.
        every_use: Whether `touch` has to be called at each use, not only where the entry is clean.
        clock: The clock of `ttl`; `None` where there is none or the cache has its own.
    """

    every_use = True
    clock: Callable[[], float] | None = None

    cache: Any

    def __init__(self, cache: Cache[Any, Any], let_go: Callable[[Any], None] | None = None) -> None:
        self.evicted = 0
        self._let_go = let_go
        self._dropped: deque[tuple[Any, Any]] = deque()
        super().__init__()
        self.cache = self._watched(cache)

    def keep(self, entry: Any, value: Any) -> None:
        """Hold a value, as the one used last."""
        try:
            self.ask(self._put, entry, value)
        except BaseException:
            if entry.kept is None:
                self.abandon(entry)
            raise

    def touch(self, entry: Any, value: Any) -> None:
        """Note a use; a value of a weak table that was let go earlier is held again."""
        self.ask(self._use, entry, value)

    @property
    def policy(self) -> str:
        """Which class the cache is of."""
        return type(self.cache).__name__

    def holds(self, entry: Any) -> bool:
        """Say whether an entry's value is held, or about to be, and has not expired."""
        return entry.kept is None or entry in self.cache

    def knows(self, entry: Any) -> bool:
        """Say whether an entry is in the cache, expired or not."""
        return Cache.__contains__(self.cache, entry)

    def discard(self, entry: Any) -> bool:
        """Let one entry go; return whether it was held."""
        held = self.holds(entry)
        self.ask_and_wait(self._remove, entry)
        return held

    def drop(self, entry: Any) -> None:
        """Let one entry go, now or as soon as it can be; a finalizer may ask for that."""
        self.ask(self._remove, entry)

    def expire(self) -> None:
        """Let go what has expired."""
        if hasattr(self.cache, "expire"):
            self.ask_and_wait(self.cache.expire)

    def clear(self) -> None:
        """Let everything go, and count from zero."""
        self.ask_and_wait(self._clear)

    def size(self) -> int:
        """Return how many values are held and have not expired."""
        return int(self._asked(lambda: len(self.cache)))

    def currsize(self) -> float:
        """Return what is held and has not expired in the units of `maxsize`."""
        return self._asked(lambda: self.cache.currsize)

    def _asked(self, question: Callable[[], float]) -> float:
        answers: list[float] = []
        self.ask_and_wait(lambda: answers.append(question()))
        return answers[0] if answers else 0

    def abandon(self, entry: Any) -> None:
        """Let go an entry that is not held and never will be."""
        entry.kept = False
        if self._let_go is not None:
            self._let_go(entry)

    def set_aside(self) -> Callable[[], None]:
        """Begin with nothing; calling what is returned holds again what was held."""
        pairs: list[tuple[Any, Any]] = []
        evicted, self.evicted = self.evicted, 0

        def take_all() -> None:
            pairs.extend(self._pairs())
            self._empty()

        def bring_back() -> None:
            self.clear()
            for entry, value in pairs:
                self.keep(entry, value)
            self.evicted = evicted

        self.ask_and_wait(take_all)
        return bring_back

    def _put(self, entry: Any, value: Any) -> None:
        try:
            self.cache[entry] = value
        except BaseException as error:
            if not self.knows(entry):
                self._drop(entry, value)
            if not (isinstance(error, ValueError) and self._is_too_large(value)):
                raise
            return
        entry.kept = self.knows(entry)
        if not entry.kept:
            # TLRUCache does not take what would expire at once.
            self._drop(entry, value)

    def _is_too_large(self, value: Any) -> bool:
        """Say whether a `ValueError` was cachetools' word for a value larger than the cache."""
        with contextlib.suppress(Exception):
            return bool(self.cache.getsizeof(value) > self.cache.maxsize)
        return False

    def _use(self, entry: Any, value: Any) -> None:
        if self.cache.get(entry, _MISSING) is not _MISSING:
            return
        # What nobody has decided about may have lost its `keep` to an interruption.
        if self._let_go is None or entry.kept is None:
            self._put(entry, value)
        else:
            self._drop(entry, value)

    def _remove(self, entry: Any) -> None:
        self._drop(entry, Cache.__getitem__(self.cache, entry) if self.knows(entry) else None)
        self._take_out(entry)

    def _clear(self) -> None:
        for entry, value in self._pairs():
            self._drop(entry, value)
        self._empty()
        self.evicted = 0

    def _pairs(self) -> list[tuple[Any, Any]]:
        # Past the iterator of a timed cache, which leaves out what has expired.
        cache = self.cache
        return [(entry, Cache.__getitem__(cache, entry)) for entry in Cache.__iter__(cache)]

    def _empty(self) -> None:
        # The `clear` of older cachetools would pass for as many evictions.
        for entry, _ in self._pairs():
            self._take_out(entry)

    def _take_out(self, entry: Any) -> None:
        # `pop` would leave what has expired; this takes it out, and then asks the clock and raises.
        with contextlib.suppress(Exception):
            del self.cache[entry]

    def _drop(self, entry: Any, value: Any) -> None:
        entry.kept = False
        self._dropped.append((entry, value))

    def _afterwards(self) -> None:
        while self._dropped:
            try:
                pair = self._dropped.popleft()
            except IndexError:
                # Another thread was faster.
                return
            try:
                if self._let_go is not None and not pair[0].kept:
                    self._let_go(pair[0])
            except BaseException:
                self._dropped.append(pair)
                raise

    def _repair(self, error: type[BaseException]) -> None:
        """Begin anew where something else than a callback has broken off what was going on.

        The classes of cachetools withstand what their callbacks raise, but no `KeyboardInterrupt`.
        """
        if not issubclass(error, Exception):
            self._clear()
            with contextlib.suppress(Exception):
                self.cache.clear()

    def _watched(self, cache: Any) -> Any:
        """Note what a cache lets go on its own: through `popitem` and, if timed, `expire`."""
        popitem: Callable[[], tuple[Any, Any]] = cache.popitem
        expire: Any = getattr(cache, "expire", None)

        def watched_popitem() -> tuple[Any, Any]:
            pair = popitem()
            self._note([pair])
            return pair

        def watched_expire(time: Any = None) -> list[tuple[Any, Any]]:
            pairs = list(expire(time))
            self._note(pairs)
            return pairs

        cache.popitem = watched_popitem
        if expire is not None:
            cache.expire = watched_expire
        return cache

    def _note(self, pairs: list[tuple[Any, Any]]) -> None:
        self.evicted += len(pairs)
        for entry, value in pairs:
            self._drop(entry, value)
