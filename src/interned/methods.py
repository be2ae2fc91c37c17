"""Methods: what stands in a class for an interned function."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Final

from interned.owners import require_weak_reference

__all__ = ["BoundMethod", "InternedClassMethod", "InternedProperty", "Method"]

_FUNCTION_LIKE: Final = ("__code__", "__defaults__", "__kwdefaults__")


class BoundMethod(functools.partial[Any]):
    """An interned method together with the instance or class that it is to be called on.

    Besides calling it, ask it what the wrapper of a function can be asked; what takes arguments
    takes those of the call.
    """

    __slots__ = ()

    @property
    def __func__(self) -> Any:
        return self.func

    @property
    def __self__(self) -> Any:
        return self.args[0]

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.func.__doc__

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(types.MethodType(self.func, self.args[0]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func, name)

    def __get__(self, _instance: Any, _owner: Any = None) -> BoundMethod:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundMethod):
            return NotImplemented
        return self.func is other.func and self.args[0] is other.args[0]

    def __hash__(self) -> int:
        return hash((self.func, id(self.args[0])))

    def __repr__(self) -> str:
        return f"<bound {self.func.__qualname__} of {self.args[0]!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.args[0], self.func.__name__)

    def cache_contains(self, /, *args: Any, **kwargs: Any) -> bool:
        """Say whether a call would be answered without running the method."""
        return bool(self.__func__.cache_contains(self.args[0], *args, **kwargs))

    def cache_invalidate(self, /, *args: Any, **kwargs: Any) -> bool:
        """Forget the result of a call; return whether there was one."""
        return bool(self.__func__.cache_invalidate(self.args[0], *args, **kwargs))

    def explain(self, /, *args: Any, **kwargs: Any) -> Any:
        """Say whether a call would be answered without running the method, and if not, why."""
        return self.__func__.explain(self.args[0], *args, **kwargs)


class Method:
    """An interned function that was defined in the body of a class.

    Args:
        wrapper: The generated wrapper, which it calls.
    """

    __slots__ = ("__dict__", "__weakref__", "wrapper")

    wrapper: Any

    def __init__(self, wrapper: Any) -> None:
        self.wrapper = wrapper
        functools.update_wrapper(self, wrapper)
        # Inspection takes for a function what has all of these.
        vars(self).update({name: getattr(wrapper, name) for name in _FUNCTION_LIKE})
        # attrs and dataclasses look here for `super()` and `__class__` when they rebuild a class.
        vars(self)["__closure__"] = getattr(wrapper.__wrapped__, "__closure__", None)
        vars(self)["__wrapped__"] = wrapper.__wrapped__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, with the instance as its first argument."""
        return self.wrapper(*args, **kwargs)

    def __set_name__(self, owner: type, name: str) -> None:
        interner = self.wrapper.__interner__
        interner.role.become_method()
        if interner.arguments.owners:
            require_weak_reference(owner, f"{owner.__qualname__}.{name}")

    def __get__(self, instance: Any, _owner: Any = None) -> Any:
        return self if instance is None else BoundMethod(self.wrapper, instance)

    def __repr__(self) -> str:
        return f"<interned {self.wrapper.__qualname__}>"

    def __reduce__(self) -> str:
        return str(self.wrapper.__qualname__)


class InternedClassMethod(classmethod):  # type: ignore[type-arg] # subscripted from 3.14 on
    """A class method whose function is interned."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        method: Any = self.__func__
        return BoundMethod(method.wrapper, type(instance) if owner is None else owner)


class InternedProperty(property):
    """A property whose getter is interned."""

    def __set_name__(self, owner: type, name: str) -> None:
        getter: Any = self.fget
        if getter.__interner__.arguments.owners:
            require_weak_reference(owner, f"{owner.__qualname__}.{name}")
        # From 3.13 on, properties want to know their name.
        tell: Any = getattr(super(), "__set_name__", None)
        if tell is not None:
            tell(owner, name)
