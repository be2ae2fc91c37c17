"""When is a value immutable? Decided by looking at it, whatever its annotation says."""

from __future__ import annotations

import enum
import sys
import types
from typing import Any, Final

__all__ = ["ATOMS", "Uncacheable", "an", "is_leaf", "is_sealed", "is_solid_tuple"]

# What `copy.deepcopy` returns as it is, and nothing can change.
ATOMS: frozenset[type] = frozenset(
    {
        *(type(None), bool, int, float, complex, str, bytes, range),
        *(types.EllipsisType, types.NotImplementedType),
    }
)
# Immutable by their documentation; a form may share them with its instance. Each is looked for in
# its module where that is in use: a value of the class proves that it is.
_LEAVES: Final = {
    **dict.fromkeys(("date", "timedelta", "timezone"), "datetime"),
    **dict.fromkeys(("PosixPath", "PurePosixPath", "PureWindowsPath", "WindowsPath"), "pathlib"),
    "Decimal": "decimal",
    "Fraction": "fractions",
    "UUID": "uuid",
    "ZoneInfo": "zoneinfo",
}
_ZONED: Final = {"datetime": "datetime", "time": "datetime"}
_ZONES: Final = {"timezone": "datetime", "ZoneInfo": "zoneinfo"}
_SCALARS: tuple[type, ...] = (int, float, complex, str, bytes)


class Uncacheable(Exception):  # noqa: N818 - not an error: the value is computed at each access
    """Says why a value's form cannot be kept; it never leaves the library.

    Attributes:
        reason: What the culprit is: "is a list".
        chain: The objects from the culprit up to the value that was looked at.
    """

    def __init__(self, reason: str, *chain: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.chain = list(chain)


def an(cls: type) -> str:
    """Name a class with its article: `an OrderedDict`."""
    name = cls.__qualname__.rpartition(".")[2]
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def is_leaf(value: Any) -> bool:
    """Say whether a value without parts is immutable, such as an atom, a date, an enum member."""
    cls = type(value)
    if cls in ATOMS or _is_among(cls, _LEAVES):
        return True
    if _is_among(cls, _ZONED):
        return value.tzinfo is None or _is_among(type(value.tzinfo), _ZONES)
    if cls is frozenset or cls is tuple:
        return all(map(is_leaf, value))
    return isinstance(value, enum.Enum) or is_sealed(cls)


def _is_among(cls: type, homes: dict[str, str]) -> bool:
    name = cls.__name__
    return name in homes and getattr(sys.modules.get(homes[name]), name, None) is cls


def is_sealed(cls: type) -> bool:
    """Say whether instances of a subclass of `int`, `str`, … have no room for attributes.

    Example:
        >>> class Plain(str): __slots__ = ()
        >>> class Roomy(str): pass
        >>> is_sealed(Plain), is_sealed(Roomy)
        (True, False)
    """
    base = next((base for base in _SCALARS if issubclass(cls, base)), None)
    return base is not None and not cls.__dictoffset__ and cls.__basicsize__ == base.__basicsize__


def is_solid_tuple(cls: type) -> bool:
    """Say whether instances of a tuple class are their items and nothing else.

    Named tuples are; a class that has a say in its construction or iteration is not.
    """
    return (
        issubclass(cls, tuple)
        and not cls.__dictoffset__
        and cls.__iter__ is tuple.__iter__
        and cls.__init__ is object.__init__
        and (cls.__new__ is tuple.__new__ or _is_generated(cls.__new__))
    )


def _is_generated(new: object) -> bool:
    """Recognize the `__new__` that `collections.namedtuple` writes."""
    return str(getattr(new, "__module__", "")).startswith("namedtuple_")
