"""The two `asdict` whose answers are right by definition, and what each takes for a record."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import attrs

from interned.immutability import an

__all__ = ["ATTRS", "DATACLASS", "Oracle", "oracle_of"]


@dataclasses.dataclass
class _DataclassBox:
    """Brings a bare value before `dataclasses.asdict`."""

    value: object


@attrs.define
class _AttrsBox:
    """Brings a bare value before `attrs.asdict`."""

    value: object


@attrs.frozen
class _Frozen:
    """Shows the `__setattr__` that attrs gives every frozen class."""


class Oracle:
    """One library's `asdict`, and what there is to know of its record classes.

    Args:
        marker: The attribute that its records have.
        asdict: The function itself.
        box: A record of one field, `value`.
        names: Finds the names of a record class's fields.
        refuses: Says whether a record class's `__setattr__` is the library's, which refuses.
    """

    __slots__ = ("_box", "_names", "_refuses", "asdict", "marker")

    def __init__(
        self,
        marker: str,
        asdict: Callable[[Any], dict[str, Any]],
        box: Callable[[object], Any],
        names: Callable[[type], tuple[str, ...]],
        refuses: Callable[[type], bool],
    ) -> None:
        self.marker = marker
        self.asdict = asdict
        self._box = box
        self._names = names
        self._refuses = refuses

    def covers(self, cls: type) -> bool:
        """Say whether instances of `cls` become a dict of their fields."""
        return getattr(cls, self.marker, None) is not None

    def names(self, cls: type) -> tuple[str, ...]:
        """List the names of the fields, in order."""
        return self._names(cls)

    def bare(self, value: object) -> Any:
        """Return what `asdict` makes of a value that is not a record itself."""
        return self.asdict(self._box(value))["value"]

    def flaw(self, cls: type) -> str | None:
        """Say why fields of a record may change, `None` if they cannot."""
        if not self._refuses(cls):
            return f"is {an(cls)}, which is not frozen"
        getattribute: Any = cls.__getattribute__
        if getattribute is not object.__getattribute__:
            return f"is {an(cls)}, which has its own __getattribute__"
        computed = next((name for name in self.names(cls) if not _is_stored(cls, name)), None)
        if computed is not None:
            return f"is {an(cls)}, which computes {computed!r}"
        return None


def _is_stored(cls: type, name: str) -> bool:
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    return isinstance(found, types.MemberDescriptorType) or not hasattr(type(found), "__get__")


def _dataclass_refuses(cls: type) -> bool:
    owner = next(base for base in cls.__mro__ if "__setattr__" in vars(base))
    params = vars(owner).get("__dataclass_params__")
    return params is not None and params.frozen


def _attrs_refuses(cls: type) -> bool:
    refusing: Any = _Frozen.__setattr__
    return cls.__setattr__ is refusing


def _dataclass_names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


def _attrs_names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in attrs.fields(cls))


DATACLASS = Oracle(
    "__dataclass_fields__",
    dataclasses.asdict,
    _DataclassBox,
    _dataclass_names,
    _dataclass_refuses,
)
ATTRS = Oracle("__attrs_attrs__", attrs.asdict, _AttrsBox, _attrs_names, _attrs_refuses)


def oracle_of(cls: type) -> Oracle:
    """Return the oracle of a class: of its nearest ancestor that is a record of either kind.

    A class that is neither has the one of dataclasses, which refuses it in its own words.
    """
    for base in cls.__mro__:
        for oracle in (DATACLASS, ATTRS):
            if oracle.marker in vars(base):
                return oracle
    return DATACLASS
