"""Owners: arguments known by identity and held weakly, with which results go."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final

from interned.entries import ExactKey
from interned.errors import NotWeakReferenceableError
from interned.forks import renew_after_fork
from interned.table import is_roomy

__all__ = ["Owners", "require_weak_reference"]

_HEAP_TYPE: Final = 1 << 9


class _Owner(weakref.ref[Any]):
    """The weak reference to one owner that reports its death.

    Attributes:
        entries: The entries that go with it.
        place: Its address, which identifies it as long as it lives.
        home: A weak reference to the `Owners` that made this.
    """

    __slots__ = ("entries", "home", "place")

    entries: set[Any]
    home: weakref.ref[Owners]
    place: int

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Owners:
    """The owners of one callable's results.

    An entry refers to its owners by plain weak references; its key begins with their addresses.

    Args:
        forget: A method called with each entry whose owner died; it must not wait for anybody.
    """

    def __init__(self, forget: Callable[[Any], None]) -> None:
        # Whose method that is owns this, and neither should have to wait for the collector.
        self._forget = weakref.WeakMethod(forget)
        self._known: dict[int, _Owner] = {}
        # Held as that of a table is, see there.
        self._lock = threading.RLock()
        renew_after_fork(self)

    def after_fork(self) -> None:
        """Replace the lock."""
        self._lock = threading.RLock()

    def references(
        self, values: tuple[Any, ...], names: tuple[str, ...], where: str
    ) -> tuple[weakref.ref[Any], ...]:
        """Return weak references to owners.

        Args:
            values: The owners.
            names: Their parameters.
            where: The function, for errors.

        Raises:
            NotWeakReferenceableError: One cannot be weakly referenced.
        """
        found = []
        for place, value in enumerate(values):
            try:
                found.append(weakref.ref(value))
            except TypeError:
                # A function that was put into a class later names no receiver.
                name = names[place] if place < len(names) else "self"
                require_weak_reference(type(value), f"{where}.{name}")
                raise
        return tuple(found)

    def add(self, entry: Any) -> None:
        """Let an entry go with its owners."""
        for reference in entry.owners:
            self._owner(reference()).entries.add(entry)

    def discard(self, entry: Any) -> None:
        """Let an entry that is forgotten go with nobody any more."""
        key: Any = entry.key.parts if isinstance(entry.key, ExactKey) else entry.key
        for place in key[: len(entry.owners)]:
            owner = self._known.get(place)
            if owner is not None:
                entries = owner.entries
                entries.discard(entry)
                if is_roomy(entries):
                    # In place: the set gets the body of its smaller copy.
                    entries &= entries

    def lose(self, owner: _Owner) -> None:
        """Forget an owner that died, and what goes with it."""
        place = owner.place
        with self._lock:
            known = self._known
            if place in known and known[place] is owner:
                del known[place]
        if is_roomy(known):
            known = {}
            with self._lock:
                known |= self._known
                self._known = known
        forget = self._forget()
        if forget is not None:
            for entry in tuple(owner.entries):
                forget(entry)

    def _owner(self, value: Any) -> _Owner:
        place = id(value)
        while True:
            known = self._known.get(place)
            if known is not None:
                if known() is value:
                    return known
                # It died, and its callback could not run: that was at the end of the stack.
                _died(known)
            owner = _Owner(value, _died)
            owner.entries, owner.home, owner.place = set(), weakref.ref(self), place
            with self._lock:
                if place not in self._known:
                    self._known[place] = owner


def _died(owner: _Owner, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
    home = owner.home()
    if home is not None and not is_ending():  # at the end of the process the globals are gone
        home.lose(owner)


def require_weak_reference(cls: type, where: str) -> None:
    """Refuse a class whose instances cannot be weakly referenced.

    Args:
        cls: The class.
        where: The parameter or method, for the error.

    Raises:
        NotWeakReferenceableError: Naming both, and the remedy.
    """
    if cls.__weakrefoffset__:
        return
    remedy = "pass an object that can be, or make it an argument that is keyed by value"
    if cls.__flags__ & _HEAP_TYPE and not cls.__itemsize__:
        remedy = 'add "__weakref__" to its __slots__ (weakref_slot=True on dataclasses and attrs)'
    raise NotWeakReferenceableError(
        f"{where}: instances of {cls.__qualname__} cannot be weakly referenced, so results could "
        f"not go with them; {remedy}"
    )
