"""Proofs: has a shared value been changed since? What `INTERNED_MODE=verify` asks at each hit."""

from __future__ import annotations

import copy
import dataclasses
from collections import deque
from typing import Any, Final

import attrs

from interned.constancy import are_constant
from interned.errors import MutatedError, UnkeyableError
from interned.keys import exact_key

__all__ = ["Proof", "mutated"]

_NONE: Final = object()
_SEQUENCES: Final = (list, tuple, deque)


class Proof:
    """A private copy of a value, by which a change of the value shows.

    Attributes:
        is_void: Whether the value cannot be copied or compared, so that nothing can be told.
    """

    __slots__ = ("_copy",)

    def __init__(self, value: Any) -> None:
        try:
            copied = copy.deepcopy(value)
            is_told = are_constant((value,)) if copied is value else _alike(value, copied)
            self._copy = copied if is_told else _NONE
        except Exception:  # noqa: BLE001 - whatever its class does, the value cannot be checked
            self._copy = _NONE

    @property
    def is_void(self) -> bool:
        """Whether nothing can be told."""
        return self._copy is _NONE

    def fits(self, value: Any) -> bool:
        """Say whether a value is still what it was."""
        return self.is_void or _alike(value, self._copy)


def mutated(what: str, remedy: str) -> MutatedError:
    """Return the error for a shared value that was changed."""
    return MutatedError(
        f"{what} was changed in place after it was first shared, and all who share it see the "
        f"change; {remedy}"
    )


def _alike(one: Any, other: Any) -> bool:
    """Say whether a value and a copy of it cannot be told apart."""
    ahead, met = [(one, other)], set[tuple[int, int]]()
    while ahead:
        pair = ahead.pop()
        mine, theirs = pair
        if mine is theirs or (id(mine), id(theirs)) in met:
            continue
        if type(mine) is not type(theirs):
            return False
        met.add((id(mine), id(theirs)))
        parts, others = _parts(mine), _parts(theirs)
        if parts is None or others is None:
            if not _is_equal(mine, theirs):
                return False
        elif len(parts) != len(others):
            return False
        else:
            ahead += zip(parts, others, strict=True)
    return True


def _parts(value: Any) -> list[Any] | None:
    """Return what a value consists of; `None` if only its class can compare it."""
    cls: Any = type(value)
    if issubclass(cls, _SEQUENCES) and cls.__iter__ in {base.__iter__ for base in _SEQUENCES}:
        return list(value)
    if issubclass(cls, dict) and cls.__iter__ is dict.__iter__:
        return [part for item in value.items() for part in item]
    if dataclasses.is_dataclass(cls):
        return [getattr(value, field.name, _NONE) for field in dataclasses.fields(cls)]
    if attrs.has(cls):
        return [getattr(value, field.name, _NONE) for field in attrs.fields(cls)]
    if cls.__eq__ is object.__eq__ and hasattr(value, "__dict__"):
        return [part for item in vars(value).items() for part in item]
    return None


def _is_equal(mine: Any, theirs: Any) -> bool:
    try:
        return bool(exact_key(mine) == exact_key(theirs))
    except UnkeyableError:
        pass
    same = mine == theirs
    try:
        return bool(same)
    except ValueError:
        # An array compares element by element.
        return bool(same.all())
