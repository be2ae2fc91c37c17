"""When are two values the same? Exact keys are equal only where no reader can tell values apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from interned.errors import UnkeyableError
from interned.keyparts import Equal, EqualRef, Identity, IdentityRef, Shared, located
from interned.keyrules import Rule, is_member, register, rule_of

__all__ = ["exact_key", "is_plain", "register_key", "unkeyable", "weak_key"]

_DEPTH: Final = 4
_SMALL: Final = 8


def exact_key(value: object) -> Hashable:
    """Return a key that equals another value's key only if no reader can tell the two apart.

    An `int`, a `str` and `None` stand for themselves; any other key is a tuple that begins with the
    class. The key keeps alive what it refers to.

    Raises:
        UnkeyableError: The value, or a value inside it, is mutable or unhashable.
        RecursionError: The value is nested too deeply.

    >>> exact_key(1) == exact_key(True) or exact_key(0.0) == exact_key(-0.0)
    False
    >>> exact_key((1, frozenset({2}))) == exact_key((1, frozenset({2})))
    True
    """
    cls = type(value)
    if cls is int or cls is str or value is None:
        return value
    if cls is tuple and (key := _simple(value)) is not None:  # type: ignore[arg-type]
        return key
    return _Keyer().key(value)


def weak_key(value: object, held: Callable[[object], bool] | None = None) -> Hashable:
    """Return a key by the same law that keeps no object alive which can be referenced weakly.

    Objects known by identity, classes and canonical instances are referenced weakly. So are objects
    known by their own `==`, where something else keeps them alive as long as the key matters.

    Args:
        value: The value.
        held: Says whether something else keeps alive an object that is known by its own `==`;
            by default everything is held.

    Raises:
        UnkeyableError: The value, or a value inside it, is mutable or unhashable.
        RecursionError: The value is nested too deeply.
    """
    cls = type(value)
    if cls is int or cls is str or value is None:
        return value
    if cls is tuple and (key := _simple(value)) is not None:  # type: ignore[arg-type]
        return key
    return _WeakKeyer(held).key(value)


def register_key(type_: type, function: Callable[[Any], Hashable]) -> None:
    """Make the values of a class exact: they are told apart by class and by the function's result.

    The result is itself keyed exactly. The function also serves the subclasses that have no nearer
    rule. Register it before values of the class are interned: older keys do not change.

    Args:
        type_: The class.
        function: Maps a value to something that no two distinguishable values have in common.

    Raises:
        TypeError: `type_` is not a class, or the library has an exact rule for it.

    >>> class Angle:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> register_key(Angle, lambda angle: angle.degrees)
    >>> exact_key(Angle(90)) == exact_key(Angle(90))
    True
    """
    register(type_, function)


def is_plain(value: object) -> bool:
    """Say whether the value and its class are enough to tell it from all others.

    >>> [is_plain(value) for value in (1, "a", None, 1.5, 0.0, (1,))]
    [True, True, True, True, False, False]
    """
    cls = type(value)
    if cls is int or cls is str or value is None or cls is bool or cls is bytes:
        return True
    if cls is float:
        return bool(value) and value == value  # noqa: PLR0124 (not a NaN)
    return cls is not tuple and rule_of(cls).singletons and is_member(value)


def unkeyable(owner: str, name: str, error: UnkeyableError) -> UnkeyableError:
    """Return the error of a field's or parameter's value with its place in the message.

    Args:
        owner: The class or function.
        name: The field or parameter.
        error: What `exact_key` or `weak_key` raised for the value.
    """
    return UnkeyableError(located(error, f"{owner}.{name}"))


def _simple(value: tuple[object, ...], depth: int = _DEPTH) -> tuple[Hashable, ...] | None:
    """Return the key of a tuple of plain values and small tuples of such, `None` for any other.

    It is the key that a computation gives, without what that needs for values of any kind. Small,
    since a tuple that is met again is walked again.
    """
    parts: list[Hashable] = [tuple]
    for item in value:
        cls = type(item)
        if cls is int or cls is str or item is None:
            parts.append(item)
        elif cls is tuple:
            if not depth or len(item) > _SMALL:  # type: ignore[arg-type]
                return None
            key = _simple(item, depth - 1)  # type: ignore[arg-type]
            if key is None:
                return None
            parts.append(key)
        elif cls is bool or cls is bytes or (cls is float and item and item == item):  # noqa: PLR0124
            parts.append((cls, item))
        else:
            return None
    return tuple(parts)


class _Keyer:
    """Compute one key, which holds what it refers to."""

    __slots__ = ("_met",)

    def __init__(self) -> None:
        # Each key comes with its value, lest the value's address be given to another.
        self._met: dict[int, tuple[object, Hashable]] = {}

    def key(self, value: Any) -> Hashable:
        cls = type(value)
        if cls is int or cls is str or value is None:
            return value  # type: ignore[no-any-return]
        if cls is bool or cls is bytes or (cls is float and value and value == value):  # noqa: PLR0124
            return (cls, value)
        rule = rule_of(cls)
        if not rule.closed:
            interner = cls.__dict__.get("__interner__")
            token = None if interner is None else interner.token(value)
            if token is not None:
                return (self.tag(rule, cls), self.canonical(value, token))
        if not rule.nests:
            return (self.tag(rule, cls), *rule.parts(rule.known, value, self))
        if id(value) in self._met:
            return self._again(value)
        key = (self.tag(rule, cls), *rule.parts(rule.known, value, self))
        if len(key) > 1:
            self._met[id(value)] = value, key
        return key

    def _again(self, value: object) -> Hashable:
        key = self._met[id(value)][1]
        if type(key) is not Shared:
            key = Shared(key)
            self._met[id(value)] = value, key
        return key

    def made(self, value: Any) -> Hashable:
        return self.key(value)

    def tag(self, rule: Rule, cls: type) -> Hashable:
        """Return what stands for the class."""
        return cls if rule.stock else Identity(cls)

    def canonical(self, value: object, _token: Hashable) -> Hashable:
        """Return what stands for a canonical instance."""
        return Identity(value)

    def identity(self, value: object) -> Hashable:
        return Identity(value)

    def equal(self, value: object) -> Hashable:
        return _hashed(Equal, value)


class _WeakKeyer(_Keyer):
    """Compute one key that keeps nothing alive which can be referenced weakly."""

    __slots__ = ("_held",)

    def __init__(self, held: Callable[[object], bool] | None) -> None:
        super().__init__()
        self._held = held

    def made(self, value: Any) -> Hashable:
        held, self._held = self._held, _never
        try:
            return self.key(value)
        finally:
            self._held = held

    def tag(self, rule: Rule, cls: type) -> Hashable:  # noqa: ARG002 (see the base)
        return rule.tag

    def canonical(self, value: object, token: Hashable) -> Hashable:  # noqa: ARG002 (see the base)
        return token

    def identity(self, value: object) -> Hashable:
        try:
            return IdentityRef(value)
        except TypeError:
            return Identity(value, hold=not (self._held is None or self._held(value)))

    def equal(self, value: object) -> Hashable:
        weakly = type(value).__weakrefoffset__ and (self._held is None or self._held(value))
        return _hashed(EqualRef if weakly else Equal, value)


def _never(_value: object) -> bool:
    return False


def _hashed(stand_in: Callable[[object], Hashable], value: object) -> Hashable:
    try:
        return stand_in(value)
    except TypeError as error:
        if "unhashable type" not in str(error):
            raise
        name = type(value).__name__
        raise UnkeyableError(f"no exact key can stand for this {name}: {error}") from error
