"""The rule of a class: what parts of its values an exact key is made of, or why it has none."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, MutableMapping, MutableSequence, MutableSet
from enum import Enum, EnumMeta, Flag
from functools import partial
from typing import Any, Final, NoReturn
from weakref import ref

from interned.errors import UnkeyableError
from interned.fields import field_owner, field_rule, is_frozen, with_state
from interned.foreign import FOREIGN, THOROUGH
from interned.keyparts import IdentityRef, Keyer, Parts, Rules, keyed
from interned.scalars import CONTAINERS, OWN_ATTRIBUTES, SCALARS

__all__ = ["Rule", "is_member", "register", "rule_of"]

_HEAP_TYPE: Final = 1 << 9
_NAMED: Final[Rules] = SCALARS | CONTAINERS | FOREIGN
_MUTABLE: Final = {
    "array.array": "pass a tuple or bytes",
    "builtins.bytearray": "pass bytes",
    "builtins.dict": "pass an immutable mapping or a tuple of its items",
    "builtins.list": "pass a tuple",
    "builtins.mappingproxy": "pass an immutable mapping or a tuple of its items",
    "builtins.memoryview": "pass bytes",
    "builtins.set": "pass a frozenset",
    "collections.deque": "pass a tuple",
    "numpy.ndarray": "pass a tuple of its elements, or its bytes",
}
_UNHASHABLE: Final = {
    "builtins.slice": "pass a tuple of its bounds",
    "jaxlib._jax.ArrayImpl": "pass a tuple of its elements, or its bytes",
    "jaxlib.xla_extension.ArrayImpl": "pass a tuple of its elements, or its bytes",
}


class Rule:
    """How the values of one class are keyed. It holds the class weakly.

    Args:
        home: Where the rule is kept by the address of its class; it goes from there with the class.
        cls: The class.
        parts: Gives the parts of a value.
        known: What `parts` is given to know.
        nests: Whether values hold others, so that one may be met many times in a key.

    Attributes:
        target: A weak reference to the class.
        parts: As given.
        known: As given.
        nests: As given.
        closed: Whether the class is built in and can never be interned.
        stock: Whether the class compares and hashes as classes do, so that it can stand for itself.
        tag: Stands for the class in a key that keeps nothing alive.
        singletons: Whether two members of the enum are equal only if they are one.
    """

    __slots__ = ("closed", "known", "nests", "parts", "singletons", "stock", "tag", "target")

    def __init__(
        self, home: dict[int, Rule], cls: type, parts: Parts, known: Any, *, nests: bool
    ) -> None:
        # The callback is given the reference, which `pop` takes for what to return by default.
        self.target = ref(cls, partial(home.pop, id(cls)))
        self.parts = parts
        self.known = known
        self.nests = nests
        self.closed = not cls.__flags__ & _HEAP_TYPE
        meta = type(cls)
        self.stock = meta.__eq__ is type.__eq__ and meta.__hash__ is type.__hash__
        self.tag: Hashable = cls if self.closed and self.stock else IdentityRef(cls)
        self.singletons = self.stock and isinstance(cls, EnumMeta) and _compares_as_enum(cls)


# By the address of the class, since a metaclass may hash and compare as it likes. An entry that
# outlived its class is seen, because its reference is dead. A thread that resolved a rule before a
# registration stores it in the dictionary which that registration replaced.
_registered: dict[int, Rule] = {}
_rules: dict[int, Rule] = {}


def rule_of(cls: type) -> Rule:
    """Return the rule of a class, found once."""
    rules = _rules
    rule = rules.get(id(cls))
    if rule is None or rule.target() is not cls:
        rule = rules[id(cls)] = _resolve(rules, cls)
    return rule


def register(cls: type, function: Callable[[Any], Hashable]) -> None:
    """Make a function give the key of a class's values, and of subclasses without a nearer rule.

    Raises:
        TypeError: The class has an exact rule of its own, or is none.
    """
    global _rules  # noqa: PLW0603 (see above)
    if not isinstance(cls, type):
        raise TypeError(f"register_key takes a class and a function, not {cls!r}")
    if _name(cls) in _NAMED or isinstance(cls, EnumMeta):
        raise TypeError(f"values of {cls.__name__} have an exact key; register_key is for others")
    _registered[id(cls)] = Rule(_registered, cls, _registered_parts, function, nests=True)
    _rules = {}


def _registered_parts(
    function: Callable[[Any], Hashable], value: Any, keyer: Keyer
) -> tuple[Hashable, ...]:
    return (keyer.made(function(value)),)


def _resolve(home: dict[int, Rule], cls: Any) -> Rule:
    registered = _nearest_registered(cls)
    if registered is not None:
        return Rule(home, cls, registered.parts, registered.known, nests=True)
    if cls.__hash__ is None:
        return Rule(home, cls, *_refuse_unhashable(cls), nests=False)
    if isinstance(cls, EnumMeta):
        return Rule(home, cls, _member, None, nests=False)
    for base in cls.__mro__:
        name = _name(base)
        if name in _NAMED:
            rule, own = (_NAMED[name], base), OWN_ATTRIBUTES.get(name)
            rule = with_state(cls, base, rule, own, thorough=name in THOROUGH)
            return Rule(home, cls, *rule, nests=cls is not base or name not in SCALARS)
    if cls.__eq__ is object.__eq__:
        return Rule(home, cls, _identity, None, nests=False)
    parts, known = _comparable_rule(cls)
    return Rule(home, cls, parts, known, nests=parts is not _equal)


def _nearest_registered(cls: type) -> Rule | None:
    owner = field_owner(cls)
    for base in cls.__mro__:
        rule = _registered.get(id(base))
        if rule is not None and rule.target() is base:
            return rule
        if base is owner:
            break
    return None


def _comparable_rule(cls: type) -> tuple[Parts, Any]:
    owner = field_owner(cls)
    if owner is not None:
        if is_frozen(owner):
            return field_rule(cls, owner)
        return _refusal(cls, "mutable (hashable, but not frozen)", None)
    if issubclass(cls, dict) and cls.__setitem__ is not dict.__setitem__:
        return _mapping, None
    remedy = _remedy(cls, _MUTABLE)
    if remedy is not None or issubclass(cls, MutableMapping | MutableSequence | MutableSet):
        return _refusal(cls, "mutable (hashable or not)", remedy)
    return (_mapping if issubclass(cls, Mapping) else _equal), None


def _identity(_known: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (keyer.identity(value),)


def _equal(_known: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (keyer.equal(value),)


def _mapping(_known: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    items = tuple(dict.items(value) if isinstance(value, dict) else value.items())

    def place(index: int) -> str:
        return f"[{items[index][0]!r}]"

    names = keyed(keyer, (name for name, _ in items), place)
    return (names, keyed(keyer, (item for _, item in items), place), keyer.equal(value))


# Members of enums.


def _compares_as_enum(cls: Any) -> bool:
    hashes = (Enum.__hash__, int.__hash__, str.__hash__)
    return cls.__eq__ in (object.__eq__, int.__eq__, str.__eq__) and cls.__hash__ in hashes


def is_member(value: Any) -> bool:
    """Say whether an instance of an enum is the one that its class knows, and not made up."""
    cls = type(value)
    if isinstance(value, Flag):
        return cls._value2member_map_.get(value._value_) is value
    return cls._member_map_.get(value._name_) is value


def _member(_known: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    # Members of some enums cannot be referenced weakly, and the class holds them anyway.
    if not is_member(value):
        return (keyer.identity(value),)
    return (value._value_ if isinstance(value, Flag) else value._name_,)


# Values that no exact key can stand for.


def _refuse_unhashable(cls: type) -> tuple[Parts, Any]:
    remedy = _remedy(cls, _MUTABLE)
    if remedy is not None:
        return _refusal(cls, "mutable (unhashable)", remedy)
    return _refusal(cls, "unhashable", _remedy(cls, _UNHASHABLE))


def _refusal(cls: type, state: str, remedy: str | None) -> tuple[Parts, Any]:
    name = cls.__name__
    article = "an" if name.startswith(tuple("aeiouAEIOU")) else "a"
    if remedy is None:
        remedy = f"make the class frozen, or call register_key({name}, …) to say what its value is"
    return _refuse, f"{article} {name} is {state}, so no exact key can stand for it; {remedy}"


def _refuse(reason: str, _value: Any, _keyer: Keyer) -> NoReturn:
    raise UnkeyableError(reason)


def _remedy(cls: type, remedies: dict[str, str]) -> str | None:
    return next((remedies[name] for name in map(_name, cls.__mro__) if name in remedies), None)


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
