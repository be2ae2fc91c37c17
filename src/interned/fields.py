"""What instances of Python classes hold: fields of dataclasses and attrs classes, other state."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from functools import cached_property
from inspect import getattr_static
from itertools import repeat
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, NamedTuple

from interned.keyparts import ABSENT, Keyer, Parts, keyed

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["field_owner", "field_rule", "is_frozen", "with_state"]


def field_owner(cls: type) -> type | None:
    """Return the class that the fields of a class come from, itself or a base, if any."""
    marks = ("__dataclass_fields__", "__attrs_attrs__")
    return next((base for base in cls.__mro__ if any(map(vars(base).__contains__, marks))), None)


def is_frozen(owner: Any) -> bool:
    """Say whether a dataclass or attrs class is frozen."""
    if "__attrs_attrs__" in vars(owner):
        return getattr(owner.__setattr__, "__name__", None) == "_frozen_setattrs"
    return bool(owner.__dataclass_params__.frozen)


def field_rule(cls: type, owner: Any) -> tuple[Parts, Any]:
    """Return the rule that keys values field by field, and what it knows."""
    if "__attrs_attrs__" in vars(owner):
        names = tuple(attribute.name for attribute in owner.__attrs_attrs__)
    else:
        names = tuple(field.name for field in dataclasses.fields(owner))
    return with_state(cls, owner, (_fields, names), (*names, "_attrs_cached_hash"))


def _fields(names: tuple[str, ...], value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    values = map(getattr, repeat(value), names, repeat(ABSENT))
    return keyed(keyer, values, lambda index: f".{names[index]}")


def with_state(
    cls: type,
    base: type,
    rule: tuple[Parts, Any],
    own: tuple[str, ...] | None,
    *,
    thorough: bool = False,
) -> tuple[Parts, Any]:
    """Return a rule that also reads what a class lets its instances hold in addition to a base.

    Args:
        cls: The class.
        base: The base that has the rule.
        rule: The rule, and what it knows.
        own: The names in an instance's dictionary that the rule reads; `None` where it reads all.
        thorough: Whether the rule reads what extension classes below the base hold, too.
    """
    if cls is base:
        return rule
    known = set(map(id, base.__mro__))
    slots = tuple(
        (depth, name)
        for depth, klass in enumerate(cls.__mro__)
        if id(klass) not in known
        for name, member in vars(klass).items()
        if type(member) is MemberDescriptorType
    )
    if own is None and not base.__dictoffset__:
        own = ()
    # An extension class may keep state that only its own comparison sees.
    foreign = cls.__eq__ is not base.__eq__ and not isinstance(cls.__eq__, FunctionType)
    opaque = foreign and not thorough
    hidden = own if cls.__dictoffset__ else None
    if not slots and hidden is None and not opaque:
        return rule
    return _parts_and_state, _State(*rule, slots, hidden, opaque)


class _State(NamedTuple):
    """What a rule knows that adds to the parts of a base whatever else an instance holds.

    Attributes:
        parts: The rule of the base.
        known: What that rule knows.
        slots: Slots that the base does not know, by depth in the resolution order and name.
        own: Names in the instance's dictionary that the base reads; `None` if it is not looked at.
        opaque: Whether the class compares in C code of its own.
    """

    parts: Parts
    known: Any
    slots: tuple[tuple[int, str], ...]
    own: tuple[str, ...] | None
    opaque: bool


def _parts_and_state(state: _State, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    parts = state.parts(state.known, value, keyer)
    if state.opaque:
        parts += (keyer.equal(value),)
    found = _slot_values(state, value) + _dict_values(state, value)
    if found:
        places, values = zip(*found, strict=True)
        keys = keyed(keyer, values, lambda index: f".{places[index][1]}")
        # No part is a bare frozenset, so this one cannot be taken for another.
        parts += (frozenset(zip(places, keys, strict=True)),)
    return parts


def _slot_values(state: _State, value: object) -> list[tuple[tuple[int, str], Any]]:
    mro = type(value).__mro__
    found = []
    for depth, name in state.slots:
        with suppress(AttributeError):
            found.append(((depth, name), vars(mro[depth])[name].__get__(value)))
    return found


def _dict_values(state: _State, value: object) -> list[tuple[tuple[int, str], Any]]:
    if state.own is None:
        return []
    return [
        ((-1, name), item)
        for name, item in vars(value).items()
        if name not in state.own and not _is_derived(type(value), name)
    ]


def _is_derived(cls: type, name: str) -> bool:
    return isinstance(getattr_static(cls, name, None), cached_property)
