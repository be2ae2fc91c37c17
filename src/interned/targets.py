"""Targets: the callables that can be interned, and what their options may say."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs

from interned.errors import UnsupportedClassError
from interned.options import Options

__all__ = ["USED_UP", "Target", "check_options", "is_in_class_body", "target_of", "used_up"]

USED_UP: Final = frozenset({types.AsyncGeneratorType, types.CoroutineType, types.GeneratorType})
"""The types of results that serve their first reader only."""

_ANY_CALL: Final = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)
_VARIADIC: Final = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


@attrs.frozen
class Target:
    """A callable as its interner sees it.

    Attributes:
        function: The callable.
        name: How errors name it.
        signature: How it is called.
        coroutine: Whether calls give coroutines.
        in_class_body: Whether it was defined in the body of a class.
    """

    function: Callable[..., Any]
    name: str
    signature: inspect.Signature
    coroutine: bool
    in_class_body: bool

    def placed(self, *, in_class_body: bool) -> Target:
        """Return the same callable, known to be a method or to be none."""
        return attrs.evolve(self, in_class_body=in_class_body)


def target_of(function: Callable[..., Any]) -> Target:
    """Look at a callable.

    Raises:
        UnsupportedClassError: It is a generator function.
    """
    name = _name_of(function)
    layers = tuple(_layers(function))
    if any(inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f) for f in layers):
        raise UnsupportedClassError(
            f"{name} is a generator function, and its result would be used up by its first reader; "
            "return a tuple instead"
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = _ANY_CALL
    coroutine = any(map(inspect.iscoroutinefunction, layers))
    return Target(function, name, signature, coroutine, is_in_class_body(function))


def is_in_class_body(function: Any) -> bool:
    """Say whether a function was defined in the body of a class.

    >>> class Body:
    ...     def method(self): ...
    >>> is_in_class_body(Body.method), is_in_class_body(is_in_class_body)
    (True, False)
    """
    if inspect.ismethod(function) or not inspect.isfunction(inspect.unwrap(function)):
        return False
    outer, _, _ = getattr(function, "__qualname__", "").rpartition(".")
    return bool(outer) and not outer.endswith("<locals>")


def check_options(target: Target, options: Options) -> None:
    """Refuse options that make no sense for a callable.

    Raises:
        TypeError: An option names what is no parameter, or contradicts another one.
    """
    parameters = target.signature.parameters
    for option in ("ignore", "weak_args"):
        for name in getattr(options, option):
            if name not in parameters:
                known = ", ".join(parameters) or "none"
                raise TypeError(
                    f"{option}={name!r} is no parameter of {target.name}; it has {known}"
                )
    for name in options.weak_args:
        if name in options.ignore:
            raise TypeError(f"{name!r} of {target.name} cannot be in ignore= and in weak_args=")
        if parameters[name].kind in _VARIADIC:
            raise TypeError(
                f"weak_args={name!r} of {target.name} stands for any number of arguments; name "
                "parameters that stand for one"
            )
    for option in ("weak", "single_flight"):
        value = getattr(options, option)
        if value is not None and not isinstance(value, bool):
            raise TypeError(f"{option}={value!r} is neither True nor False")


def used_up(name: str, result: Any) -> UnsupportedClassError:
    """Return the error for a function that gave a result which cannot be shared."""
    kind = type(result).__name__.replace("_", " ")
    if isinstance(result, types.CoroutineType):
        # Nobody will await it now.
        result.close()
    return UnsupportedClassError(
        f"{name} returned a {kind}, which its first reader uses up; return a tuple, or intern the "
        "coroutine function itself"
    )


def _layers(function: Any) -> Iterator[Any]:
    """Yield a callable and what it calls, where the type shows that."""
    while isinstance(function, functools.partial):
        function = function.func
    yield function
    if not inspect.isroutine(function):
        yield type(function).__call__


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name: str = getattr(function, "__qualname__", type(function).__qualname__)
    return name
