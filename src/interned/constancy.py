"""Constancy: does a value have the same exact key for ever, so that being it is enough?"""

from __future__ import annotations

from typing import Any

from interned.fields import field_owner, field_rule
from interned.immutability import is_leaf
from interned.keyrules import rule_of

__all__ = ["are_constant"]


def are_constant(values: tuple[Any, ...]) -> bool:
    """Say whether no value can ever have another exact key.

    Such are leaves, tuples, frozen sets, frozen dataclasses and attrs classes that hold nothing
    else, canonical instances, and objects that only equal themselves.

    >>> class Box:
    ...     def __init__(self, content): self.content = content
    ...     def __eq__(self, other): return self.content == other.content
    ...     def __hash__(self): return 0
    >>> are_constant((1, ("a", (2.5, None)), object())), are_constant(((1, Box(2)),))
    (True, False)
    """
    # Each part is looked at once, however often it is met.
    ahead, met = list(values), dict[int, Any]()
    while ahead:
        value = ahead.pop()
        if id(value) in met or is_leaf(value) or _is_itself(value):
            continue
        met[id(value)] = value
        parts = _parts(value)
        if parts is None:
            return False
        ahead += parts
    return True


def _is_itself(value: Any) -> bool:
    cls: Any = type(value)
    if cls is type:
        return True
    interner = vars(cls).get("__interner__")
    if interner is not None and interner.token(value) is not None:
        return True
    return cls.__eq__ is object.__eq__ and rule_of(cls).parts is rule_of(object).parts


def _parts(value: Any) -> list[Any] | None:
    cls = type(value)
    if cls is tuple or cls is frozenset:
        return list(value)
    if field_owner(cls) is cls and rule_of(cls).parts is field_rule(cls, cls)[0]:
        names = [field.name for field in vars(cls).get("__attrs_attrs__", ())]
        names += vars(cls).get("__dataclass_fields__", ())
        return [getattr(value, name, None) for name in names]
    return None
