"""Bounded forms: a cachetools cache says which forms are kept while their instances live."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from cachetools import Cache

from interned.forks import renew_after_fork
from interned.forms import Form, former_forms

__all__ = ["FormCache", "clear_form_caches"]

_PAUSE = 0.0005


class _Turn:
    """The turn of one thread to be at work, known by identity."""

    __slots__ = ("thread",)

    def __init__(self) -> None:
        self.thread = threading.get_ident()


class FormCache:
    """Keeps forms as a cachetools cache says, and none of them longer than its instance.

    One thread at a time is at work here. Whoever comes back meanwhile in that very thread (a
    finalizer, a signal handler, a callback of the cache) finds no form, and makes one that is not
    kept. What is let go is released when the work is done, as that may run user code.

    Args:
        make: Makes the cache where the forms are kept, each under itself.
        clock: The clock of the cache, read before the work begins.
    """

    def __init__(
        self, make: Callable[[], Cache[Any, Any]], clock: Callable[[], float] | None = None
    ) -> None:
        self.now = 0.0
        self._make = make
        self._cache = make()
        self._clock = clock
        self._guard = threading.RLock()
        self._turn: _Turn | None = None
        self._broken = False
        # cachetools' word for a value larger than the whole cache: it is not kept.
        self._excused: type[Exception] = ValueError
        self._dead: deque[Form] = deque()
        self._dropped: list[Any] = []
        self._watch()
        _caches[id(self)] = self
        renew_after_fork(self)

    def keep(self, form: Form, instance: object) -> None:
        """Keep a form, in place of any former one of its instance, if there is room for it."""
        former = former_forms(form, instance)
        self._run(lambda: self._put(form, former))

    def use(self, form: Form) -> bool:
        """Say whether a form is kept, and let the cache know that it is used."""
        return self._run(lambda: self._cache.get(form) is form)

    def forget(self, form: Form) -> None:
        """Let go of the form of an instance that died."""
        self._dead.append(form)
        self._sweep()

    def clear(self) -> None:
        """Let go of every form."""
        self._run(self._clear)

    def after_fork(self) -> None:
        """Go on without the thread that may have been at work."""
        self._guard = threading.RLock()
        if self._turn is not None and not self._is_ours():
            self._turn, self._broken = None, True

    def _run(self, action: Callable[[], bool]) -> bool:
        now = self._clock() if self._clock is not None else 0.0

        def timed() -> bool:
            self.now = now
            return action()

        try:
            return self._work(timed, wait=True)
        finally:
            self._sweep()

    def _sweep(self) -> None:
        # Who has been at work comes here afterwards, so what died meanwhile is not left behind.
        while self._dead and self._work(self._bury, wait=False):
            pass

    def _work(self, action: Callable[[], bool], *, wait: bool) -> bool:
        turn, dropped = _Turn(), list[Any]()
        try:
            while not self._take(turn):
                if not wait or self._is_ours():
                    return False
                time.sleep(_PAUSE)
            if self._broken:
                self._begin_anew()
            self._broken = True
            try:
                result = action()
            except Exception:
                # The classes of cachetools withstand what their callbacks raise.
                self._broken = False
                raise
            self._broken = False
            return result
        finally:
            # No call comes between the test and the stores, so that the turn is given back even if
            # a signal handler raises.
            if self._turn is turn:
                dropped, self._dropped = self._dropped, dropped
                self._turn = None

    def _take(self, turn: _Turn) -> bool:
        with self._guard:
            if self._turn is None:
                self._turn = turn
        return self._turn is turn

    def _is_ours(self) -> bool:
        turn = self._turn
        return turn is not None and turn.thread == threading.get_ident()

    def _bury(self) -> bool:
        while self._dead:
            self._remove(self._dead.popleft())
        return True

    def _put(self, form: Form, former: list[Form]) -> bool:
        for other in former:
            self._remove(other)
        with contextlib.suppress(self._excused):
            self._cache[form] = form
        return True

    def _remove(self, form: Form) -> None:
        self._dropped.append(form)
        # Unlike `pop`, this takes out what has expired as well, and then raises all the same.
        with contextlib.suppress(KeyError, self._excused):
            del self._cache[form]

    def _clear(self) -> bool:
        self._dropped += list(self._cache)
        self._cache.clear()
        return True

    def _begin_anew(self) -> None:
        """Replace a cache that was broken off in the middle of a change.

        One that was given cannot be replaced. It is emptied as far as it goes, and what it raises
        from then on only means that a form is not kept.
        """
        broken, self._cache = self._cache, self._make()
        with contextlib.suppress(Exception):
            self._dropped += list(broken)
        if self._cache is broken:
            self._excused = Exception
            with contextlib.suppress(Exception):
                broken.clear()
        else:
            vars(broken).clear()
            self._watch()

    def _watch(self) -> None:
        """Have what the cache lets go by itself released later: `popitem` and `expire` tell."""
        cache: Any = self._cache
        popitem: Any = cache.popitem
        expire: Any = getattr(cache, "expire", None)

        def watched_popitem() -> Any:
            pair = popitem()
            self._dropped.append(pair)
            return pair

        def watched_expire(time: Any = None) -> Any:
            pairs = expire(time)
            self._dropped.append(pairs)
            return pairs

        cache.popitem = watched_popitem
        if expire is not None:
            cache.expire = watched_expire


_caches: WeakValueDictionary[int, FormCache] = WeakValueDictionary()


def clear_form_caches() -> None:
    """Let go of the forms of every bounded class."""
    for reference in _caches.valuerefs():
        cache = reference()
        if cache is not None:
            cache.clear()
