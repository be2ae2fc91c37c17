"""Arguments: which of a function's parameters key a call, and how."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from interned.entries import ExactKey, Key
from interned.errors import UnkeyableError
from interned.keys import exact_key, is_plain, unkeyable
from interned.options import Options
from interned.sources import define, namespace_of, pass_on, receive

__all__ = ["Arguments", "Call", "first_positional"]

Call = tuple[tuple[Any, ...], tuple[Any, ...], Mapping[str, Any] | None]
"""A call as its key sees it: values, owners, and what `**kwargs` took."""

_REST: Final = inspect.Parameter.VAR_POSITIONAL
_EXTRA: Final = inspect.Parameter.VAR_KEYWORD
_PLAIN: Final = frozenset({int, str, bytes, bool, type(None)})

_BIND: Final = """
def bind({receive}):
    {prepare}
    return {values}, {owners}, {extra}
"""


class Arguments:
    """How the calls of one function are keyed, as data and as source for its generated wrapper.

    Args:
        name: The function's, for errors.
        signature: The function's.
        options: What was asked for.
        receiver: The first parameter, where that is the instance or class of a method.

    Attributes:
        owners: Names of the parameters keyed by identity and held weakly.
        names: Names of the parameters keyed by value.
        rest: The name of `*args`, where that takes part in the key; else `""`.
        extra: The name of `**kwargs`, where that takes part in the key; else `""`.
        made_by: The user's `key=`, which gives the one value in their place.
    """

    def __init__(
        self, name: str, signature: inspect.Signature, options: Options, receiver: str | None = None
    ) -> None:
        self.name = name
        self.signature = signature
        self.receiver = receiver
        self.made_by = options.key
        by_identity = {receiver, *options.weak_args} - set(options.ignore)
        self.owners = tuple(p for p in signature.parameters if p in by_identity)
        ignored = {*options.ignore, *(signature.parameters if self.made_by is not None else ())}
        keyed = {p.name: p.kind for p in signature.parameters.values() if p.name not in ignored}
        self.rest = next((name for name, kind in keyed.items() if kind is _REST), "")
        self.extra = next((name for name, kind in keyed.items() if kind is _EXTRA), "")
        self.names = tuple(n for n in keyed if n not in {self.rest, self.extra, *self.owners})

    @property
    def prepare(self) -> str:
        """The statement that comes first: calling `key=`, or nothing."""
        if self.made_by is None:
            return ""
        parameters = [p for p in self.signature.parameters.values() if p.name != self.receiver]
        return f"@made = @made_by({pass_on(inspect.Signature(parameters))})"

    @property
    def values(self) -> str:
        """The tuple of what is keyed by value."""
        return _tuple(*self._keyed, *(["*" + self.rest] if self.rest else []))

    @property
    def owned_by(self) -> str:
        """The tuple of what is keyed by identity."""
        return _tuple(*self.owners)

    @property
    def flat(self) -> str:
        """The flat key."""
        parts = [*(f"@id({name})" for name in self.owners), *self._keyed]
        types = [f"@type({name})" for name in self._keyed]
        if self.rest:
            parts.append("*" + self.rest)
            types.append(f"*@map(@type, {self.rest})")
        return _tuple(*parts, *types)

    @property
    def spot(self) -> str:
        """The addresses of all arguments that take part in the key, as a tuple."""
        parts = [f"@id({name})" for name in (*self.owners, *self.names)]
        return _tuple(*parts, *([f"*@map(@id, {self.rest})"] if self.rest else []))

    @cached_property
    def bind(self) -> Callable[..., Call]:
        """A function that takes a call apart; `TypeError` where it does not fit the signature."""
        namespace = namespace_of(made_by=self.made_by)
        function = define(
            _BIND,
            namespace,
            self.name,
            receive=receive(self.signature, namespace),
            prepare=self.prepare,
            values=self.values,
            owners=self.owned_by,
            extra=self.extra or "None",
        )
        function.__qualname__ = self.name
        return function

    def key(
        self,
        values: tuple[Any, ...],
        owners: tuple[Any, ...],
        extra: Mapping[str, Any] | None = None,
    ) -> Key:
        """Return the key of a call: flat where all values are plain, exact otherwise.

        Raises:
            UnkeyableError: A value is mutable or unhashable; the error names its parameter.
        """
        types = tuple(map(type, values))
        if not extra and (_PLAIN.issuperset(types) or all(map(is_plain, values))):
            return (*map(id, owners), *values, *types) if owners else values + types
        parts = [*map(id, owners), *self._parts(values, owners, self.label)]
        if extra:
            names = sorted(extra)
            parts.append(("**", *names))
            parts += self._parts([extra[name] for name in names], owners, names.__getitem__)
        return ExactKey(tuple(parts))

    def label(self, place: int) -> str:
        """Name the value at a place."""
        if self.made_by is not None:
            return "key="
        if place < len(self.names):
            return self.names[place]
        return f"{self.rest}[{place - len(self.names)}]"

    @cached_property
    def _keyed(self) -> tuple[str, ...]:
        return self.names if self.made_by is None else ("@made",)

    def _parts(
        self, values: Iterable[Any], owners: tuple[Any, ...], label: Callable[[int], str]
    ) -> list[Any]:
        parts: list[Any] = []
        try:
            for value in values:
                part = _owner_part(value, owners) if owners else None
                parts.append(exact_key(value) if part is None else part)
        except UnkeyableError as error:
            raise unkeyable(self.name, label(len(parts)), error) from None
        return parts


def _owner_part(value: Any, owners: tuple[Any, ...]) -> tuple[str, int] | None:
    """Return what stands for a value that is an owner, which an exact key might keep alive."""
    for place, owner in enumerate(owners):
        if value is owner:
            return ("owner", place)
    return None


def first_positional(signature: inspect.Signature) -> str | None:
    """Return the name of the first parameter, if an argument by position is its."""
    first = next(iter(signature.parameters.values()), None)
    if first is None or first.kind not in {first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD}:
        return None
    return first.name


def _tuple(*parts: str) -> str:
    return "(" + "".join(part + ", " for part in parts) + ")"
