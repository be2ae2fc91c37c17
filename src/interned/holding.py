"""Hold arguments without keeping alive what their instance does not keep alive."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Final

__all__ = ["held_by", "hold_all", "is_light", "unhold_all"]

_LIGHT: Final = 1024
_ATOMS: Final = (int, str, bytes, float, complex)
_CONTAINERS: Final = (tuple, list, dict, set, frozenset)


class _Ref(weakref.ref[Any]):
    """A reference of ours, which an argument never is."""

    __slots__ = ()


class _Held:
    """A container of arguments whose items are held one by one."""

    __slots__ = ("items", "make")

    def __init__(self, make: Callable[[Iterable[Any]], Any], items: Iterable[Any]) -> None:
        self.make = make
        self.items = tuple(items)


def held_by(instance: object) -> Callable[[object], bool]:
    """Return a test that says whether an instance keeps an object alive, itself or in containers.

    What it holds is looked at once, when the test is first used.
    """
    known: set[int] = set()

    def is_held(value: object) -> bool:
        if not known:
            known.update(_reachable(instance))
        return id(value) in known

    return is_held


def _reachable(instance: object) -> set[int]:
    known = {id(instance)}
    open_ends: list[object] = [instance]
    while open_ends:
        for found in gc.get_referents(open_ends.pop()):
            if id(found) not in known:
                known.add(id(found))
                if any(type(found) is container for container in _CONTAINERS):
                    open_ends.append(found)
    return known


def hold_all(values: tuple[Any, ...], held: Callable[[object], bool]) -> tuple[Any, ...]:
    """Wrap arguments so that they can be given back as long as their instance needs them.

    An object that the instance holds, or of which an equal one cannot be made again, is referenced
    weakly; any other is held.

    Args:
        values: The arguments.
        held: Whether the instance itself keeps an object alive.
    """
    return tuple(_hold(value, held) for value in values)


def unhold_all(arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Give back what `hold_all` wrapped, `None` if a part of it does not live any more."""
    try:
        return tuple(map(_unhold, arguments))
    except ReferenceError:
        return None


def _hold(value: Any, held: Callable[[object], bool]) -> Any:
    cls = type(value)
    if value is None or any(cls is atom for atom in _ATOMS):
        return value
    if cls is tuple or cls is frozenset:
        return _Held(cls, (_hold(item, held) for item in value))
    if cls is dict:
        return _Held(dict, (_hold(pair, held) for pair in value.items()))
    equality: Any = cls.__eq__
    unique = equality is object.__eq__ and "__interner__" not in cls.__dict__
    if not (unique or held(value)):
        return value
    try:
        return _Ref(value)
    except TypeError:
        return value


def _unhold(held: Any) -> Any:
    if type(held) is _Held:
        return held.make(map(_unhold, held.items))
    if type(held) is not _Ref:
        return held
    value = held()
    if value is None:
        raise ReferenceError
    return value


def is_light(parts: object) -> bool:
    """Say whether a key holds little memory of its own: a kilobyte of atoms at most."""
    left = _LIGHT
    open_ends = [parts]
    while open_ends and left >= 0:
        part = open_ends.pop()
        if isinstance(part, tuple | frozenset):
            left -= len(part) * 8
            open_ends.extend(part)
        elif isinstance(part, _ATOMS):
            left -= sys.getsizeof(part)
    return left >= 0
