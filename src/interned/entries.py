"""Entries: what stands in a table for one canonical instance or one result."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Final

__all__ = ["GONE", "Entry", "ExactKey", "Key", "RetainedEntry", "StrongEntry", "entry_of"]

GONE: Final = object()
"""What an entry answers whose instance was collected, or whose value was forgotten."""


class ExactKey:
    """An exact key with its hash, taken once and outside any lock."""

    __slots__ = ("hash", "parts")

    def __init__(self, parts: Hashable) -> None:
        self.parts = parts
        self.hash = hash(parts)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return type(other) is ExactKey and self.hash == other.hash and self.parts == other.parts


Key = tuple[Any, ...] | ExactKey


class Entry(weakref.ref[Any]):
    """The weak reference that stands for one canonical instance, for as long as it lives.

    Attributes:
        key: The key of the instance's value.
        spellings: Keys of raw arguments that led here, newest last; at most eight.
        hashed: The instance's hash, once somebody asked.
        arguments: What a plain class's constructor was called with, where the key does not tell.
    """

    __slots__ = ("arguments", "hashed", "key", "spellings")

    key: Key
    spellings: tuple[Key, ...]
    hashed: int
    arguments: tuple[Any, ...]

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    def start(self, key: Key) -> None:
        """Take the key, before anyone can find the entry."""
        self.key = key
        self.spellings = ()

    def close(self) -> None:
        """Note that the entry is forgotten, which its instance's death has told already."""

    @property
    def living(self) -> Any:
        """The instance, or `GONE`."""
        value = self()
        return GONE if value is None else value


class RetainedEntry(Entry):
    """An entry of a target with a retention, which wants to know of each use.

    Attributes:
        used: The number of the hit that used it last.
        clean: Whether the retention knows of every use.
        kept: Whether the retention holds the instance; `None` until it has decided.
        expires: When the retention lets it go, on the clock of `ttl`.
    """

    __slots__ = ("clean", "expires", "kept", "used")

    used: int
    clean: bool
    kept: bool | None
    expires: float

    def start(self, key: Key) -> None:
        """Take the key, before anyone can find the entry."""
        super().start(key)
        # Who finds the entry before the retention has heard of it takes it for valid.
        self.used, self.clean, self.kept, self.expires = 0, True, None, math.inf


class StrongEntry:
    """An entry that holds its value itself: results of callables, instances with `weak=False`.

    It has the attributes of `RetainedEntry`, and `value`.
    """

    __slots__ = (
        *("arguments", "clean", "expires", "forgotten", "kept", "key", "spellings"),
        *("used", "value"),
    )

    def __init__(self, value: Any, gone: Callable[[Any], None] | None = None) -> None:
        del gone
        self.value = value
        self.forgotten = False

    def start(self, key: Key) -> None:
        """Take the key, before anyone can find the entry."""
        self.key = key
        self.spellings: tuple[Key, ...] = ()
        self.used, self.clean, self.expires = 0, True, math.inf
        self.kept: bool | None = None

    def close(self) -> None:
        """Note that the entry is forgotten."""
        self.forgotten = True

    def __call__(self) -> Any:
        """Return the value, as a weak reference does."""
        return self.value

    @property
    def living(self) -> Any:
        """The value, or `GONE` once it was forgotten."""
        return GONE if self.forgotten else self.value


def entry_of(instance: object) -> Entry | None:
    """Return the entry of a canonical instance, `None` for any other object."""
    for reference in weakref.getweakrefs(instance):
        if isinstance(reference, Entry):
            return reference
    return None
