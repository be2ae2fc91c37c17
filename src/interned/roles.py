"""Roles: is a function called as a method, and which wrapper serves it then?

A function in the body of a class cannot know whether it becomes a method, a property's getter, a
class method or a static method. `__set_name__` tells it, or else the class of the first argument of
a call: whether that has the function, and as what.
"""

from __future__ import annotations

import weakref
from functools import cached_property, partial, partialmethod
from types import FunctionType
from typing import Any, Final

from interned.arguments import Arguments, first_positional
from interned.callhits import HitCounter, Path, compile_undecided, compile_wrapper
from interned.options import Options
from interned.targets import Target

__all__ = ["Role"]

_LINKS: Final[dict[type, str]] = {
    classmethod: "__func__",
    property: "fget",
    cached_property: "func",
    partialmethod: "func",
}
_NEVER: Final = frozenset({int, str, bytes, bool, float, type(None), tuple})


class Role:
    """The role of one interned function, and its generated wrapper.

    Args:
        target: The function.
        options: What was asked for.
        path: What the wrapper has to do.
        counter: Counts the wrapper's hits.

    Attributes:
        arguments: How calls are keyed.
        faces: Weak references to what stands for the function: the wrapper, and its `Method`.
    """

    def __init__(self, target: Target, options: Options, path: Path, counter: HitCounter) -> None:
        self.arguments = Arguments(target.name, target.signature, options)
        self.faces: list[weakref.ref[Any]] = []
        self._target = target
        self._options = options
        self._path = path
        self._counter = counter
        self._first = first_positional(target.signature)
        self._can_change = target.in_class_body and self._first is not None
        self._may_be_method = options.key is None and self._first not in options.ignore
        self._classes: dict[int, tuple[weakref.ref[type], bool]] = {}

    def wrap(self, namespace: dict[str, Any]) -> FunctionType:
        """Generate the wrapper; see `compile_wrapper` for the namespace."""
        undecided = self._can_change and self._path.asks
        generate = compile_undecided if undecided else compile_wrapper
        wrapper = generate(self.arguments, self._path, self._counter, namespace)
        self.faces.append(weakref.ref(wrapper))
        return wrapper

    def has_face(self, face: Any) -> bool:
        """Say whether an object stands for the function."""
        return any(known() is face for known in self.faces)

    def decide(self, first: Any) -> FunctionType:
        """Take the role that a first call shows; return the wrapper, which plays it now."""
        if self._is_method_of(_class_of(first)):
            self.become_method()
        else:
            self._take_code(self.arguments)
        return self._wrapper()

    def become_method(self) -> None:
        """Key the first parameter by identity from now on."""
        if self._can_change and self.arguments.receiver is None:
            target = self._target
            self.arguments = Arguments(target.name, target.signature, self._options, self._first)
            self._take_code(self.arguments)

    def is_bound(self, values: tuple[Any, ...], owners: tuple[Any, ...]) -> bool:
        """Say whether the first of a call's values is in truth what the function was called on."""
        if not values or type(values[0]) in _NEVER or owners or not self._may_be_method:
            return False
        cls = _class_of(values[0])
        known = self._classes.get(id(cls))
        if known is None or known[0]() is not cls:
            forget = partial(self._classes.pop, id(cls))
            known = self._classes[id(cls)] = weakref.ref(cls, forget), self._is_method_of(cls)
        if known[1]:
            self.become_method()
        return known[1]

    def _wrapper(self) -> FunctionType:
        wrapper: Any = self.faces[0]()
        found: FunctionType = wrapper
        return found

    def _take_code(self, arguments: Arguments) -> None:
        if self._path.asks:
            wrapper = self._wrapper()
            spare = compile_wrapper(arguments, self._path, self._counter, wrapper.__globals__)
            # One step; whoever is in the old code goes on with it, and finds nothing wrong.
            wrapper.__code__ = spare.__code__

    def _is_method_of(self, cls: type) -> bool:
        faces = [face() for face in self.faces]
        metaclass: type = type(cls)
        bases = cls.__mro__ + metaclass.__mro__
        return any(
            _leads_to(attribute, faces)
            for base in bases
            for attribute in tuple(vars(base).values())
        )


def _class_of(value: Any) -> type:
    # Past `isinstance`, for which a proxy would have to load what it stands for.
    return value if issubclass(type(value), type) else type(value)


def _leads_to(attribute: Any, faces: list[Any]) -> bool:
    return any(one is face for one in (attribute, *_held_by(attribute)) for face in faces)


def _held_by(attribute: Any) -> list[Any]:
    """Return what a descriptor holds, without running any code of its own."""
    kind = type(attribute)
    if issubclass(kind, staticmethod):
        return []
    for known, link in _LINKS.items():
        if issubclass(kind, known):
            return [getattr(attribute, link)]
    try:
        state = object.__getattribute__(attribute, "__dict__")
    except AttributeError:
        return []
    return list(state.values())
