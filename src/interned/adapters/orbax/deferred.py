"""Objects handed out: each one fresh, and nothing in it made before somebody looks.

Orbax's metadata objects are mutable, so none may be shared; and filling one in costs as much as
its mesh is large. A deferred object belongs to a subclass of the stock class. Whatever is read from
it, written to it or asked of it first makes it a plain stock object with fresh fields of its own,
and that is what everybody sees from then on. Only the methods named as shortcuts answer before.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Protocol

__all__ = ["Source", "deferred_class", "hand_out", "settle", "source_of"]

# The one key in the `__dict__` of an object that is still deferred.
_SOURCE = "_source"

# For each deferred class its stock class, and the methods that need no fields.
_KINDS: dict[type[Any], tuple[type[Any], dict[str, Callable[..., Any]]]] = {}

_new = object.__new__
_read = object.__getattribute__
_write = object.__setattr__


class Source(Protocol):
    """What a deferred object is filled in from."""

    def fields(self) -> dict[str, Any]:
        """Return the fields of the stock object in their order, made anew at each call."""


class Deferred:
    """What a deferred class adds to its stock class.

    The stock class is the first base, since Python lets an object change only to a class of its own
    layout. The special methods are found here nevertheless: only `object` has them besides.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        kind = _KINDS.get(type(self))
        if kind is not None:  # None: another thread has settled it since
            stock, shortcuts = kind
            if name == "__class__":
                return stock
            if name in shortcuts:
                return MethodType(shortcuts[name], self)
            settle(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        settle(self)
        setattr(self, name, value)

    def __delattr__(self, name: str) -> None:
        settle(self)
        delattr(self, name)


def deferred_class(stock: type[Any], **shortcuts: Callable[..., Any]) -> type[Any]:
    """Return a new deferred class.

    Args:
        stock: The class that its objects become.
        **shortcuts: Methods that work without fields, in place of those of the stock class.
    """
    looks = {name: getattr(stock, name) for name in ("__module__", "__qualname__", "__doc__")}
    metaclass: Any = type(stock)
    kind: type[Any] = metaclass(stock.__name__, (stock, Deferred), looks)
    _KINDS[kind] = stock, shortcuts
    return kind


def hand_out(kind: type[Any], source: Source) -> Any:
    """Return a new object of a deferred class, to be filled in from `source`."""
    handed_out = _new(kind)
    _write(handed_out, _SOURCE, source)
    return handed_out


def source_of(handed_out: Any) -> Any:
    """Return what an object is to be filled in from, `None` once that has been done."""
    return _read(handed_out, "__dict__").get(_SOURCE) if type(handed_out) in _KINDS else None


def settle(handed_out: Any) -> None:
    """Make a deferred object a plain object of its stock class; others are left alone.

    Threads may do so at the same time. Each offers fields, the first one offered stays, and the
    source goes last: an object without it is complete, and what users write to it is not touched.
    """
    kind = _KINDS.get(type(handed_out))
    if kind is None:
        return
    state = _read(handed_out, "__dict__")
    source = state.get(_SOURCE)
    if source is not None:
        for name, value in source.fields().items():
            state.setdefault(name, value)
        state.pop(_SOURCE, None)
    _write(handed_out, "__class__", kind[0])
