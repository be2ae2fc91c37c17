"""How the arguments and the finished values of one class are keyed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interned.entries import ExactKey, Key
from interned.errors import UnkeyableError
from interned.hits import compile_apply
from interned.keyparts import ABSENT
from interned.keys import is_plain, unkeyable, weak_key
from interned.options import Options
from interned.shapes import Shape

__all__ = ["ClassKeys"]

Held = Callable[[object], bool]


class ClassKeys:
    """Key the calls of a class's constructor and what comes of them.

    Attributes:
        parameters: The parameters that take part in a key.
        by_call: Whether an instance is identified by the arguments that made it, not by its fields.
    """

    def __init__(self, cls: type, shape: Shape, options: Options) -> None:
        self._owner = cls.__qualname__
        self._shape = shape
        self._function = options.key
        self.apply = compile_apply(shape.signature, cls.__qualname__)
        self.parameters = self._without_ignored(options.ignore)
        self.by_call = shape.fields is None or (options.key is not None and not shape.transparent)
        self._places = tuple(shape.parameters.index(name) for name in self.parameters)
        self._factories = tuple(f for f in shape.factories if f[0] in self._places)
        ignored = {shape.field_of.get(name) for name in options.ignore}
        self._fields = tuple(name for name in shape.fields or () if name not in ignored)
        kinds = {p.kind: p.name for p in shape.signature.parameters.values()}
        self._keywords = next((n for k, n in kinds.items() if k.name == "VAR_KEYWORD"), None)

    def of_arguments(self, values: tuple[Any, ...]) -> Key | None:
        """Key a call, to look for what it made before.

        Args:
            values: One for each parameter of the constructor.

        Returns:
            The key; `None` where the same arguments need not give the same value.

        Raises:
            UnkeyableError: An argument is mutable.
        """
        if self._factories and any(values[place] is made for place, made in self._factories):
            return None
        if self._shape.transparent or self.by_call:
            return self.of_call(values)
        if not self._shape.repeatable:
            return None
        keyed = tuple(values[place] for place in self._places)
        if all(map(is_plain, keyed)):
            return (*keyed, *map(type, keyed))
        try:
            return self._exact("arguments", self.parameters, keyed)
        except UnkeyableError:
            # A converter may well make something immutable of it.
            return None

    def of_call(self, values: tuple[Any, ...]) -> Key:
        """Key a call whose arguments identify its instance.

        Args:
            values: One for each parameter of the constructor.

        Raises:
            UnkeyableError: An argument is mutable.
        """
        if self._function is not None:
            return self._exact("key", ("key=",), (self.apply(self._function, values),), _never)
        keyed = tuple(values[place] for place in self._places)
        if all(map(is_plain, keyed)):
            return (*keyed, *map(type, keyed))
        return self._exact("fields", self.parameters, keyed)

    def of_value(self, instance: Any) -> Key:
        """Key a finished instance that its fields identify.

        Raises:
            UnkeyableError: The value of a field is mutable.
        """
        if self._function is not None:
            return self.of_call(self.filled(instance))
        values = tuple(getattr(instance, name, ABSENT) for name in self._fields)
        if self._shape.transparent and all(map(is_plain, values)):
            return (*values, *map(type, values))
        return self._exact("fields", self._fields, values)

    def filled(self, instance: Any, values: tuple[Any, ...] | None = None) -> tuple[Any, ...]:
        """Return one value for each parameter, with those read back that a factory has made.

        Args:
            instance: What was made.
            values: The arguments; without them, all are read back.
        """
        filled = list(values or self._shape.parameters)
        made = dict(self._shape.factories)
        for place, name in enumerate(self._shape.parameters):
            if values is None or (place in made and values[place] is made[place]):
                filled[place] = getattr(instance, self._shape.field_of[name])
        return tuple(filled)

    def call_in(self, key: Key) -> tuple[Any, ...] | None:
        """Return the arguments that a key of a call consists of, `None` where it does not tell."""
        if type(key) is tuple and len(self.parameters) == len(self._shape.parameters):
            return key[: len(self.parameters)]
        return None

    def _exact(
        self, kind: str, names: tuple[str, ...], values: tuple[Any, ...], held: Held | None = None
    ) -> ExactKey:
        parts: list[Any] = [kind]
        for name, value in zip(names, values, strict=True):
            if name == self._keywords and kind != "key":
                # In whatever order they came.
                parts.append(tuple(sorted(value)))
                parts += [self._part(keyword, value[keyword], held) for keyword in sorted(value)]
            else:
                parts.append(self._part(name, value, held))
        return ExactKey(tuple(parts))

    def _part(self, name: str, value: Any, held: Held | None) -> Any:
        try:
            return weak_key(value, held)
        except UnkeyableError as error:
            raise unkeyable(self._owner, name, error) from None

    def _without_ignored(self, ignored: tuple[str, ...]) -> tuple[str, ...]:
        names = self._shape.parameters
        for name in ignored:
            if name not in names:
                raise TypeError(
                    f"ignore={name!r} is no parameter of {self._owner}; it has "
                    f"{', '.join(names) or 'none'}"
                )
        return tuple(name for name in names if name not in ignored)


def _never(_value: object) -> bool:
    return False
