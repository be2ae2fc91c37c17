"""Rules for values of the standard library whose `==` sees less than a reader does."""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from interned.keyparts import Keyer, Rules, keyed

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["CONTAINERS", "OWN_ATTRIBUTES", "SCALARS"]


def _nothing(_base: Any, _value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    return ()


def _identity(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (keyer.identity(value),)


def _int(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    return (base.__int__(value),)


def _str(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    return (base.__str__(value),)


def _bytes(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    return (base.__bytes__(value),)


def _float(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    return _float_parts(base.__float__(value))


def _complex(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    exact = base.__complex__(value)
    return (*_float_parts(exact.real), *_float_parts(exact.imag))


def _float_parts(value: float) -> tuple[Hashable, ...]:
    if value and value == value:  # noqa: PLR0124 (not a NaN)
        return (value,)
    return (None, *struct.unpack("<q", struct.pack("<d", value)))


def _range(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    places = (".start", ".stop", ".step")
    return keyed(keyer, (value.start, value.stop, value.step), places.__getitem__)


def _tuple(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return keyed(keyer, base.__iter__(value), "[{}]".format)


def _frozenset(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    keys = keyed(keyer, base.__iter__(value), "{{}}".format)
    distinct = frozenset(keys)
    if len(distinct) == len(keys):
        return (distinct,)
    # Elements that differ for `==`, but not for a reader: two NaN objects with the same bits.
    return (len(keys), frozenset(Counter(keys).items()))


def _method(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (keyer.identity(value.__self__), keyer.identity(value.__func__))


def _builtin_method(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    # The hash mixes the addresses of the object and of the C function, which nothing else shows.
    return (keyer.identity(value.__self__), value.__name__, hash(value))


def _partial(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    names, attributes = tuple(value.keywords), tuple(vars(value))
    places = (
        *(".func", ".args"),
        *(f".keywords[{name!r}]" for name in names),
        *(f".{name}" for name in attributes),
    )
    values = (value.func, value.args, *value.keywords.values(), *vars(value).values())
    return (names, attributes, *keyed(keyer, values, places.__getitem__))


def _alias(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    names = ("__origin__", "__args__", "__metadata__", "__unpacked__")
    values = (getattr(value, name, None) for name in names)
    return keyed(keyer, values, lambda index: f".{names[index]}")


def _decimal(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    return tuple(base.as_tuple(value))


def _fraction(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    terms = (base.numerator.__get__(value), base.denominator.__get__(value))
    return tuple(map(keyer.key, terms))


def _date(base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    state: tuple[Hashable, ...] = base.__reduce__(value)[1]
    return state


def _time(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    # Protocol 4 is the first whose packed state has the fold.
    state, *zone = base.__reduce_ex__(value, 4)[1]
    return (state, *keyed(keyer, zone, lambda _: ".tzinfo"))


def _timezone(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return tuple(map(keyer.key, base.__getinitargs__(value)))


def _uuid(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (base.int.__get__(value), keyer.key(base.is_safe.__get__(value)))


def _pattern(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (keyer.key(value.pattern), value.flags)


SCALARS: Final[Rules] = {
    "builtins.NotImplementedType": _nothing,
    "builtins.bool": _int,
    "builtins.builtin_function_or_method": _builtin_method,
    "builtins.bytes": _bytes,
    "builtins.complex": _complex,
    "builtins.ellipsis": _nothing,
    "builtins.float": _float,
    "builtins.int": _int,
    "builtins.method": _method,
    "builtins.method-wrapper": _builtin_method,
    "builtins.range": _range,
    "builtins.str": _str,
    "builtins.type": _identity,
    "datetime.date": _date,
    "datetime.datetime": _time,
    "datetime.time": _time,
    "datetime.timedelta": _date,
    "datetime.timezone": _timezone,
    "decimal.Decimal": _decimal,
    "fractions.Fraction": _fraction,
    "ipaddress.IPv4Address": _str,
    "ipaddress.IPv4Interface": _str,
    "ipaddress.IPv4Network": _str,
    "ipaddress.IPv6Address": _str,
    "ipaddress.IPv6Interface": _str,
    "ipaddress.IPv6Network": _str,
    "pathlib.PurePath": _str,
    "pathlib._local.PurePath": _str,
    "re.Pattern": _pattern,
    "uuid.UUID": _uuid,
}
"""Found by name, so that nothing is imported for their sake."""

CONTAINERS: Final[Rules] = {
    "builtins.frozenset": _frozenset,
    "builtins.slice": _range,
    "builtins.tuple": _tuple,
    "functools.partial": _partial,
    "types.GenericAlias": _alias,
    "types.UnionType": _alias,
    "typing.Union": _alias,
    "typing._GenericAlias": _alias,
}
"""Those that hold others."""

OWN_ATTRIBUTES: Final = dict.fromkeys(
    (name for name in SCALARS if name.endswith(("Interface", "Network"))),
    ("_prefixlen", "hosts", "netmask", "network", "network_address"),
)
"""Names in the instances' dictionaries that the rule of a class accounts for."""
