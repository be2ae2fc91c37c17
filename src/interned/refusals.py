"""Which classes cannot be interned, each with its reason and the remedy."""

from __future__ import annotations

import enum
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet
from typing import Any, Final

import attrs

from interned.errors import (
    DecoratorOrderError,
    MutableClassError,
    NotWeakReferenceableError,
    UnsupportedClassError,
)
from interned.fields import field_owner

__all__ = ["refuse_unsupported", "require_weak_references", "wrong_order"]

_MUTABLE: Final = (MutableMapping, MutableSequence, MutableSet)
_IMMUTABLE_TYPE: Final = 1 << 8


def refuse_unsupported(cls: type) -> None:
    """Refuse kinds of classes that have an identity rule of their own.

    Raises:
        UnsupportedClassError: Naming the reason and the remedy.
        MutableClassError: The class is a mutable container.
    """
    for reason in _reasons(cls):
        raise UnsupportedClassError(f"{cls.__qualname__} cannot be interned: {reason}")
    if issubclass(cls, _MUTABLE):
        raise MutableClassError(
            f"{cls.__qualname__} is a mutable container, so one shared instance could be changed "
            "for everybody; intern a frozen dataclass that holds a tuple instead"
        )


def _reasons(cls: Any) -> Iterator[str]:
    if cls.__flags__ & _IMMUTABLE_TYPE:
        yield "it is built in, and its constructor cannot be replaced; decorate a subclass of it"
    if issubclass(cls, tuple):
        yield "it is a tuple, made by C code without its constructor; use a frozen dataclass"
    if isinstance(cls, enum.EnumMeta):
        yield "the members of an enum are canonical already; leave @interned out"
    if cls.__dict__.get("_is_protocol", False):
        yield "a Protocol has no instances; decorate the classes that implement it"
    if issubclass(cls, BaseException):
        yield "each raised exception carries its own traceback; intern the value that it carries"
    if _descends(cls, "pydantic", "BaseModel"):
        yield (
            "pydantic builds and copies models past their constructor; use a frozen dataclass "
            "(pydantic.dataclasses has them too)"
        )
    if _descends(cls, "msgspec", "Struct"):
        yield (
            "msgspec builds structs in C past their constructor; use a frozen dataclass or attrs "
            "class, which msgspec encodes as well"
        )
    if issubclass(cls, type):
        yield "a metaclass makes classes; decorate those"


def _descends(cls: type, package: str, name: str) -> bool:
    return any(
        base.__name__ == name and base.__module__.partition(".")[0] == package
        for base in cls.__mro__
    )


def require_weak_references(cls: type) -> None:
    """Refuse a class whose instances cannot be held weakly.

    Raises:
        NotWeakReferenceableError: Naming the class and how to add the slot.
    """
    if cls.__weakrefoffset__:
        return
    raise NotWeakReferenceableError(
        f"instances of {cls.__qualname__} cannot be weakly referenced; {_remedy(cls)}"
        "pass weak=False to hold them for ever"
    )


def _remedy(cls: type) -> str:
    if cls.__itemsize__:
        # Subclasses of int and bytes have no room for the slot.
        return "use a frozen dataclass that holds the value, or "
    if attrs.has(cls):
        return "write @attrs.frozen(weakref_slot=True), or "
    if field_owner(cls) is not None:
        return "write @dataclass(frozen=True, slots=True, weakref_slot=True), or "
    return 'add "__weakref__" to its __slots__, or '


def wrong_order(cls: type) -> DecoratorOrderError:
    """Return the error for `@interned` written below the decorator that makes the class."""
    maker = "@attrs.frozen" if "__attrs_attrs__" in cls.__dict__ else "@dataclass"
    return DecoratorOrderError(
        f"@interned is written below {maker} on {cls.__qualname__}, so it saw the class before its "
        f"fields were there; move the line @interned above the line {maker}"
    )
