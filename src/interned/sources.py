"""Source code of small functions: written from a signature, compiled, its names kept apart.

In the templates, `@` stands for a prefix that keeps our names apart from the parameters' own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

__all__ = [
    "MISSING",
    "PREFIX",
    "define",
    "flat_source",
    "forgiving",
    "namespace_of",
    "pass_on",
    "receive",
    "values_source",
]

PREFIX: Final = "interned__"

MISSING: Final = object()
"""The default of parameters that have none, in a `__new__` that leaves complaints to `__init__`."""

_BUILTINS: Final = (AttributeError, KeyError, RecursionError, TypeError, next, type)


def namespace_of(**names: Any) -> dict[str, Any]:
    """Make the globals of generated functions: our names and the builtins they use, prefixed."""
    builtins = {function.__name__: function for function in _BUILTINS}
    return {PREFIX + name: value for name, value in (builtins | names).items()}


def receive(signature: inspect.Signature, namespace: dict[str, Any]) -> str:
    """Write a signature's parameters as source, with their defaults put into `namespace`."""
    parts: list[str] = []
    previous: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    starred = False
    for index, parameter in enumerate(signature.parameters.values()):
        kind = parameter.kind
        if previous is parameter.POSITIONAL_ONLY and kind is not previous:
            parts.append("/")
        if kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or kind in {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}
        default = ""
        if parameter.default is not parameter.empty:
            namespace[f"{PREFIX}default_{index}"] = parameter.default
            default = f"=@default_{index}"
        parts.append(_stars(parameter) + parameter.name + default)
        previous = kind
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return ", ".join(parts)


def pass_on(signature: inspect.Signature) -> str:
    """Write the arguments that pass each parameter on as it came."""
    return ", ".join(
        f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else _stars(p) + p.name
        for p in signature.parameters.values()
    )


def values_source(signature: inspect.Signature) -> str:
    """Write the tuple of all parameters as source."""
    return "(" + "".join(f"{name}, " for name in signature.parameters) + ")"


def flat_source(names: tuple[str, ...]) -> str:
    """Write the flat key of arguments as source."""
    return ", ".join([*names, *(f"@type({name})" for name in names)]) or "()"


_STARS: Final[dict[Any, str]] = {
    inspect.Parameter.VAR_POSITIONAL: "rest",
    inspect.Parameter.VAR_KEYWORD: "more",
}


def _stars(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return "*"
    return "**" if parameter.kind is parameter.VAR_KEYWORD else ""


def define(
    template: str, namespace: dict[str, Any], origin: str, **parts: str
) -> Callable[..., Any]:
    """Compile the one function of a filled-in template, with `namespace` as its globals.

    Args:
        template: Source of one `def`, with `@` for the prefix of our own names.
        namespace: Our names, already prefixed.
        origin: What the function is for, shown in tracebacks.
        parts: What fills the template's braces.
    """
    source = template.format(**parts).replace("@", PREFIX)
    filename = f"<interned generated {origin}>"
    code = compile(source, filename, "exec")
    scope: dict[str, Any] = {}
    exec(code, namespace, scope)  # noqa: S102 - compiles our own templates
    (function,) = scope.values()
    made: Callable[..., Any] = function
    return made


def forgiving(signature: inspect.Signature, *, open_ended: bool) -> inspect.Signature:
    """Return a signature that also accepts calls with arguments missing.

    Args:
        signature: The constructor's, without `self`.
        open_ended: Accept more arguments as well.
    """
    parameters = [
        p.replace(default=MISSING) if p.default is p.empty and p.kind not in _STARS else p
        for p in signature.parameters.values()
    ]
    kinds = {p.kind for p in parameters}
    if open_ended:
        parameters += [
            inspect.Parameter(PREFIX + name, kind)
            for kind, name in _STARS.items()
            if kind not in kinds
        ]
    return inspect.Signature(sorted(parameters, key=lambda p: p.kind))
