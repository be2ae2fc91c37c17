"""The class's own special methods, as they were before decoration.

What the class defined itself is captured; what it inherits is looked up anew at each call, so that
an undecorated subclass with several bases meets the same methods in the same order as ever.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

__all__ = ["GENERATED", "Originals", "is_lent", "own", "user_new"]

GENERATED: Final = "__interned_generated__"
"""The attribute of constructors made here that leads to the one in whose place they are."""


class _Probe(Protocol):
    """Shows the `__init__` that `typing` lends to protocols; it is nobody's own."""


_LENT: Final[object] = vars(_Probe)["__init__"]
_LOOKING_UP: Final[object] = vars(enum.Enum)["__new__"].__func__


def is_lent(function: object) -> bool:
    """Say whether an `__init__` is the one that `typing` lends to protocols."""
    return function is _LENT


def own(cls: type, name: str) -> object:
    """Return what the MRO holds under a name, unbound; `None` where only `object` has it."""
    for base in cls.__mro__[:-1]:
        found = base.__dict__.get(name)
        if found is not None and not is_lent(found):
            return found
    return None


def user_new(bases: Iterable[type]) -> Any:
    """Return the first `__new__`, as it was before decoration; `None` if that is `object`'s."""
    for base in bases:
        found = base.__dict__.get("__new__")
        function = found.__func__ if isinstance(found, staticmethod) else found
        function = getattr(function, GENERATED, function)
        # That of enums finds members; what makes them is the next one.
        if base is not object and function is not None and function is not _LOOKING_UP:
            return function
    return None


class Originals:
    """Call one class's own special methods, past those that its interner put in their place."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self._own = dict(cls.__dict__)

    def defined(self, name: str) -> object:
        """Return what the class itself defines under a name, unbound; `None` if it does not."""
        return self._own.get(name)

    def bind(self, name: str, instance: Any, owner: type) -> Any:
        """Return a special method as `getattr` would without the decorator.

        Args:
            name: The method.
            instance: What to bind it to; `None` to look it up on the class.
            owner: The class of the instance: the decorated class or a subclass.

        Raises:
            AttributeError: The class has no such method.
        """
        if name not in self._own:
            return getattr(super(self.cls, owner if instance is None else instance), name)
        method = self._own[name]
        return method.__get__(instance, owner) if hasattr(method, "__get__") else method

    def new(self, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make an object that is not initialised yet."""
        function = self.bind("__new__", None, cls)
        if function is object.__new__ or function is _LOOKING_UP:
            return object.__new__(cls)
        return function(cls, *args, **kwargs)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a special method as a function of the instance and its arguments."""
        defined = self._own.get(name)
        if defined is not None:
            function: Callable[..., Any] = defined
            return function
        cls = self.cls

        def inherited(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            return _next_method(cls, name, self)(*args, **kwargs)

        return inherited


def _next_method(cls: type, name: str, instance: Any) -> Any:
    found = getattr(super(cls, instance), name)
    if not is_lent(getattr(found, "__func__", None)):
        return found
    # What protocols are lent does nothing on a class with an `__init__` in its place, as ours is.
    mro = type(instance).__mro__
    methods = (base.__dict__.get(name, _LENT) for base in mro[mro.index(cls) + 1 :])
    return next(method for method in methods if not is_lent(method)).__get__(instance)
