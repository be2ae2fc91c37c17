"""How the constructor of a class is called."""

from __future__ import annotations

import inspect
from typing import Any, Final

from interned.originals import own, user_new

__all__ = [
    "ANY_CALL",
    "VARIADIC",
    "constructor_signature",
    "is_demanding",
    "with_first",
    "without_first",
]

ANY_CALL: Final = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)
"""The signature of a constructor that does not tell its own."""

VARIADIC: Final = frozenset({inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD})
"""The kinds of `*args` and `**kwargs`."""


def constructor_signature(cls: type) -> inspect.Signature:
    """Return how the constructor is called, as far as `__init__` and `__new__` agree on it."""
    functions = (own(cls, "__init__"), user_new(cls.__mro__))
    told = [without_first(function) for function in functions if function is not None]
    precise = [signature for signature in told if not _is_any_call(signature)]
    if len(precise) > 1 and not _are_alike(*precise):
        return ANY_CALL
    return (precise or told or [ANY_CALL])[0]


def is_demanding(signature: inspect.Signature) -> bool:
    """Say whether a call without arguments is refused."""
    parameters = signature.parameters.values()
    return any(p.default is p.empty and p.kind not in VARIADIC for p in parameters)


def _is_any_call(signature: inspect.Signature) -> bool:
    return all(p.kind in VARIADIC for p in signature.parameters.values())


def _are_alike(one: inspect.Signature, other: inspect.Signature) -> bool:
    return [(p.name, p.kind, p.default) for p in one.parameters.values()] == [
        (p.name, p.kind, p.default) for p in other.parameters.values()
    ]


def without_first(function: Any) -> inspect.Signature:
    """Return a method's signature without `self` or `cls`; `ANY_CALL` where it does not tell."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ANY_CALL
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind not in VARIADIC:
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)


def with_first(signature: inspect.Signature, name: str) -> inspect.Signature:
    """Return a signature with one more parameter in front.

    Args:
        signature: That of a call.
        name: The parameter, `cls` for example; underscores are added where it is taken.
    """
    parameters = list(signature.parameters.values())
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if parameters and parameters[0].kind is inspect.Parameter.POSITIONAL_ONLY:
        kind = inspect.Parameter.POSITIONAL_ONLY
    while name in signature.parameters:
        name += "_"
    return signature.replace(parameters=[inspect.Parameter(name, kind), *parameters])
