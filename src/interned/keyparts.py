"""The parts of an exact key: what stands in it for an object, and how parts are collected."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, Protocol, TypeAlias
from weakref import ref

from interned.errors import UnkeyableError

__all__ = [
    "ABSENT",
    "Equal",
    "EqualRef",
    "Identity",
    "IdentityRef",
    "Keyer",
    "Parts",
    "Rules",
    "Shared",
    "keyed",
    "located",
]

ABSENT: Final = object()
"""Stands for an attribute that was never set."""


class Keyer(Protocol):
    """One computation of a key, as the rules see it."""

    def key(self, value: Any, /) -> Hashable:
        """Return the exact key of a part."""

    def made(self, value: Any, /) -> Hashable:
        """Return the exact key of a value that nothing else keeps alive."""

    def identity(self, value: Any, /) -> Hashable:
        """Return what stands for an object that only equals itself."""

    def equal(self, value: Any, /) -> Hashable:
        """Return what stands for an object by its own `==` and `hash`."""


Parts: TypeAlias = Callable[[Any, Any, Keyer], tuple[Hashable, ...]]
"""A plain function that returns the parts of a value's key.

It is given what its rule knows, the value, and the computation. Between Python functions alone, a
value nested too deeply ends in a `RecursionError`; through C code it could end the process.
"""

Rules: TypeAlias = dict[str, Parts]
"""Rules by module and qualified name, which know the class of that name. A value may be of a
subclass: methods are looked up in the class, so that a subclass cannot answer in its place.
"""


class Identity:
    """Stand for an object by identity.

    Args:
        target: The object.
        hold: Keep it alive. Otherwise something else has to, for as long as the key matters.
    """

    __slots__ = ("_place", "_target")

    def __init__(self, target: object, *, hold: bool = True) -> None:
        self._place = id(target)
        self._target = target if hold else None

    def __eq__(self, other: object) -> bool:
        return type(other) is Identity and self._place == other._place

    def __hash__(self) -> int:
        return self._place

    def __repr__(self) -> str:
        return f"<the object at {self._place:#x}>"


class IdentityRef(ref[Any]):
    """Stand for an object by identity without keeping it alive; once dead, equal only to itself."""

    __slots__ = ("_hash",)

    def __init__(self, target: object) -> None:
        self._hash = id(target)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(other) is IdentityRef and (mine := self()) is not None and mine is other()

    __ne__ = object.__ne__  # instead of the reference's own, which asks the objects

    def __hash__(self) -> int:
        return self._hash


class Equal:
    """Stand for an object by its own `==` and the hash it had, and keep it alive."""

    __slots__ = ("_hash", "_target")

    def __init__(self, target: object) -> None:
        self._hash = hash(target)
        self._target = target

    def __call__(self) -> object:
        """Return the object, as a weak reference does."""
        return self._target

    def __eq__(self, other: object) -> bool:
        return _are_equal(self, other)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<equal to {self._target!r}>"


class EqualRef(ref[Any]):
    """Stand for an object by its own `==` without keeping it alive; once dead, equal to itself."""

    __slots__ = ("_hash",)

    def __init__(self, target: object) -> None:
        self._hash = hash(target)

    def __eq__(self, other: object) -> bool:
        return _are_equal(self, other)

    __ne__ = object.__ne__  # instead of the reference's own, which asks the objects

    def __hash__(self) -> int:
        return self._hash


def _are_equal(one: Equal | EqualRef, other: object) -> bool:
    if one is other:
        return True
    if not isinstance(other, (Equal, EqualRef)) or hash(one) != hash(other):
        return False
    mine, theirs = one(), other()
    if mine is None or theirs is None:
        return False
    return mine is theirs or bool(mine == theirs)


class Shared:
    """Stand for a key met again within one key, so that it is walked only once.

    It hashes like the key inside and equals it, but remembers the hash and what it was found equal
    to: keys found equal share a mark. Without that, comparing the keys of two values built by
    repeating `t = (t, t)` 60 times would take 2**60 steps.
    """

    __slots__ = ("_hash", "_key", "_mark")

    def __init__(self, key: Hashable) -> None:
        self._hash = hash(key)
        self._key = key
        self._mark = object()

    def __eq__(self, other: object) -> bool:
        if type(other) is not Shared:
            return self._key == other
        if self._mark is other._mark:
            return True
        if self._hash != other._hash or self._key != other._key:
            return False
        # Always the same one of two marks wins, so that marks settle. A race only forgets: whatever
        # mark is assigned, it belongs to a key that was found equal.
        self._mark = other._mark = min(self._mark, other._mark, key=id)
        return True

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<shared key {self._hash:#x}>"


def keyed(keyer: Keyer, values: Iterable[Any], place: Callable[[int], str]) -> tuple[Hashable, ...]:
    """Return the keys of values.

    Args:
        keyer: The computation.
        values: The values.
        place: Says how an error should name the place of a value, given its position.

    Raises:
        UnkeyableError: No exact key can stand for one of them; the message begins with its place.
    """
    key = keyer.key
    parts: list[Hashable] = []
    try:
        for value in values:
            cls = type(value)
            parts.append(value if cls is int or cls is str else key(value))
    except UnkeyableError as error:
        error.args = (located(error, place(len(parts))),)
        raise
    return tuple(parts)


def located(error: UnkeyableError, place: str) -> str:
    """Return an error's message with a place put in front, joined to the place that is there."""
    text = str(error)
    return place + text if text.startswith((".", "[", "{")) else f"{place}: {text}"
