"""Results: what the calls of one callable gave, by key."""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType
from typing import Any

import attrs

from interned.constancy import are_constant
from interned.entries import GONE, ExactKey, Key
from interned.errors import NotWeakReferenceableError
from interned.owners import Owners
from interned.sources import PREFIX
from interned.table import Table, is_roomy

__all__ = ["Details", "OwnResult", "Result", "Results", "WeakResult"]

_SLOTS = ("clean", "details", "expires", "forgotten", "kept", "key", "owners", "used")


@attrs.define
class Details:
    """What few entries have.

    Attributes:
        values: What the call is keyed by, where the key does not show that; else `None`.
        extra: What `**kwargs` took.
        spot: The addresses of owners and values, where being them is enough; else `None`.
        proof: A private copy of the result, where hits are to be verified; else `None`.
    """

    values: tuple[Any, ...] | None = None
    extra: Mapping[str, Any] | None = None
    spot: tuple[int, ...] | None = None
    proof: Any = None


class Result:
    """A result that is held until the retention lets it go.

    Attributes:
        value: The result.
        key: The key of the call.
        owners: The arguments with which the result goes.
        used: The number of the hit that used it last.
        clean: Whether the retention knows of every use.
        kept: Whether the retention holds the result; `None` until it has decided.
        expires: When the retention lets it go, on the clock of `ttl`.
        forgotten: Whether the table has let it go.
        details: What few entries have, `None` for most.
    """

    __slots__ = (*_SLOTS, "value")

    spellings: tuple[Key, ...] = ()

    def __init__(self, value: Any, key: Key, owners: tuple[weakref.ref[Any], ...]) -> None:
        self.value = value
        self.key = key
        self.owners = owners
        self.used = 0.0
        self.clean = True
        self.kept: bool | None = None
        # Who finds the entry before the retention has heard of it takes it for valid.
        self.expires = math.inf
        self.forgotten = False
        self.details: Details | None = None

    def close(self) -> None:
        """Note that the entry is forgotten."""
        self.forgotten = True

    @property
    def living(self) -> Any:
        """The value, or `GONE` once it was forgotten."""
        return GONE if self.forgotten else self.value


class OwnResult(Result):
    """A result that is one of its owners, which it must not keep alive.

    Its `value` is looked up where that of other results is stored.
    """

    __slots__ = ("_place",)

    def __init__(self, value: Any, key: Key, owners: tuple[weakref.ref[Any], ...]) -> None:
        super().__init__(None, key, owners)
        self._place = next(at for at, owner in enumerate(owners) if owner() is value)

    @property
    def value(self) -> Any:
        """The owner; whoever asks holds it."""
        return self.owners[self._place]()

    @value.setter
    def value(self, value: Any) -> None:
        """Keep nothing."""


class WeakResult(weakref.ref[Any]):
    """A result that lives as long as somebody holds it.

    It is no `Entry`: that would make the result a canonical instance of its class. It has the
    attributes of `Result` but for the value, which calling it gives.
    """

    __slots__ = _SLOTS

    spellings: tuple[Key, ...] = ()

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def start(self, key: Key, owners: tuple[weakref.ref[Any], ...]) -> None:
        """Take what a result is made with."""
        self.key = key
        self.owners = owners
        self.used = 0.0
        self.clean = True
        self.kept: bool | None = None
        self.expires = math.inf
        self.forgotten = False
        self.details: Details | None = None

    def close(self) -> None:
        """Note that the entry is forgotten."""
        self.forgotten = True

    @property
    def living(self) -> Any:
        """The value, or `GONE`."""
        value = self()
        return GONE if value is None or self.forgotten else value


class Results(Table):
    """The table of one callable.

    Attributes:
        weak: Whether results are held weakly.
        owners: The arguments with which results go, once there is a callable to tell.
        seen: Entries by the addresses of their arguments, which they hold. Finding one there spares
            making an exact key.
    """

    __slots__ = ("_readers", "owners", "seen", "weak")

    def __init__(self, *, weak: bool) -> None:
        self.weak = weak
        self.owners: Owners | None = None
        self.seen: dict[tuple[int, ...], Any] = {}
        self._readers: list[weakref.ref[FunctionType]] = []
        super().__init__(WeakResult if weak else Result)
        # The table must be freed by reference count, so its entries refer to it weakly.
        self._on_death = partial(_forget_in, weakref.ref(self))

    def serve(self, wrapper: FunctionType) -> None:
        """Let a wrapper find results by itself; it does not live longer for that."""
        self._readers.append(weakref.ref(wrapper))
        self._reflect()

    def entry(self, value: Any, key: Key, owners: tuple[weakref.ref[Any], ...]) -> Any:
        """Make the entry of a new result.

        Raises:
            NotWeakReferenceableError: The result is to be held weakly and cannot be.
        """
        if self.weak:
            entry = self._weakly(value)
            entry.start(key, owners)
            return entry
        if owners and any(owner() is value for owner in owners):
            return OwnResult(value, key, owners)
        return Result(value, key, owners)

    def enter(self, entry: Any) -> Any:
        """Make an entry that of its key, unless there is one; return the one that is."""
        holder = self._claim(entry.key, entry)
        if holder is entry and entry.owners and self.owners is not None:
            self.owners.add(entry)
        return holder

    def see(self, entry: Any, owners: tuple[Any, ...]) -> None:
        """Let an entry be found by the very arguments that it was made for, if it holds them."""
        values = entry.details.values
        if values is not None and not entry.details.extra and are_constant(values):
            spot = entry.details.spot = (*map(id, owners), *map(id, values))
            with self._lock:
                self.seen[spot] = entry
            if entry.forgotten:
                self._lose_sight(entry)

    def forget(self, entry: Any) -> None:
        """Take an entry out."""
        entry.forgotten = True
        if entry.details is not None:
            self._lose_sight(entry)
        if entry.owners and self.owners is not None:
            self.owners.discard(entry)
        key = entry.key
        if not self.weak and type(key) is not ExactKey:
            # A strong entry does not die by itself, so there is no need to find its very key
            # object. And there is no call within, see `interned.table`.
            with self._lock:
                flat: Any = self.flat
                if key in flat and flat[key] is entry:
                    del flat[key]
            if len(flat) % 256 != 1:
                return
        # This also looks whether the table has become too large for what is left.
        super().forget(entry)

    def clear(self) -> None:
        """Take every entry out."""
        entries = tuple(self.entries())
        self.set_aside()
        for entry in entries:
            entry.close()
            if entry.owners and self.owners is not None:
                self.owners.discard(entry)

    def set_aside(self) -> Callable[[], None]:
        """Begin with nothing; calling what is returned brings back all that still lives."""
        bring_back = super().set_aside()
        self.seen.clear()

        def bring_back_unseen() -> None:
            bring_back()
            self.seen.clear()

        return bring_back_unseen

    def _lose_sight(self, entry: Any) -> None:
        spot = entry.details.spot
        with self._lock:
            seen = self.seen
            if spot in seen and seen[spot] is entry:
                del seen[spot]
        if is_roomy(seen):
            seen = {}
            with self._lock:
                seen |= self.seen
                self.seen = seen
            self._reflect()

    def _weakly(self, value: Any) -> WeakResult:
        try:
            return WeakResult(value, self._on_death)
        except TypeError:
            raise NotWeakReferenceableError(
                f"the result is a {type(value).__qualname__}, which cannot be weakly referenced; "
                "leave weak=True out, or return an object that can be"
            ) from None

    def _reflect(self) -> None:
        wrappers: list[Callable[..., Any] | None] = [reader() for reader in self._readers]
        for namespace in [wrapper.__globals__ for wrapper in wrappers if wrapper is not None]:
            with self._lock:
                namespace[PREFIX + "table"] = self.flat
                namespace[PREFIX + "seen"] = self.seen


def _forget_in(
    table: weakref.ref[Results],
    entry: WeakResult,
    is_ending: Callable[[], bool] = sys.is_finalizing,
) -> None:
    results = table()
    if results is not None and not is_ending():  # at the end of the process the globals are gone
        results.forget(entry)
