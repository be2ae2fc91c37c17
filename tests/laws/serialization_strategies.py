"""Anything that people put into dataclasses and attrs classes, nested in any way."""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import math
import typing
import uuid

import attrs
from hypothesis import strategies as st

from interned import CachedSerialization


class Colour(enum.Enum):
    RED = "red"
    BLUE = ("blue", 1)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Tone(enum.StrEnum):
    DARK = "dark"


class Perm(enum.Flag):
    R = 1
    W = 2


class SealedInt(int):
    __slots__ = ()


class SealedStr(str):
    __slots__ = ()


class RoomyStr(str):
    pass


class RoomyFloat(float):
    pass


class ListOfOurs(list):
    pass


class DictOfOurs(dict):
    pass


class TupleOfOurs(tuple):
    pass


class Pair(typing.NamedTuple):
    left: object
    right: object


class Bag:
    """A mutable object that JSON does not know."""

    def __init__(self, inside):
        self.inside = inside

    def __repr__(self):
        return f"Bag({self.inside!r})"


@dataclasses.dataclass(frozen=True)
class Frozen(CachedSerialization):
    first: object
    second: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted(CachedSerialization):
    only: object


@dataclasses.dataclass
class Loose(CachedSerialization):
    held: object


@dataclasses.dataclass(frozen=True)
class Promising(CachedSerialization, assume_immutable=True):
    held: object
    also: object = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Bounded(CachedSerialization, maxsize=2):
    held: object
    also: object = 0


@dataclasses.dataclass(frozen=True)
class Plain:
    held: object


@dataclasses.dataclass
class PlainLoose:
    held: object


@dataclasses.dataclass(frozen=True)
class Empty(CachedSerialization):
    pass


@attrs.frozen
class Spec(CachedSerialization):
    _first: object
    second: object = None


@attrs.define
class LooseSpec(CachedSerialization):
    held: object


@attrs.frozen(slots=False)
class PromisingSpec(CachedSerialization, assume_immutable=True):
    held: object


@attrs.frozen
class PlainSpec:
    held: object


DATACLASSES = (Frozen, Slotted, Loose, Promising, Bounded)
ATTRS_CLASSES = (Spec, LooseSpec, PromisingSpec)

# Equal, and yet no two of one kind.
LOOKALIKES = (0, 0.0, -0.0, False, 1, 1.0, True)
numbers = st.one_of(
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(),
    st.sampled_from(LOOKALIKES),
    st.sampled_from([math.nan, math.inf, -math.inf]),
)
# Surrogates included, alone and in pairs; what starts an escape; what JSON calls by name.
texts = st.one_of(
    st.text(st.characters(), max_size=8),
    st.sampled_from(["NaN", "-Infinity", "\\u0041", "\x7f", "\ud800", "\ud83d\ude00", "é", "1"]),
)
json_leaves = st.one_of(st.none(), numbers, texts)
odd_leaves = st.one_of(
    st.sampled_from([*Colour, *Level, *Tone, Perm.R | Perm.W]),
    st.builds(SealedInt, st.integers()),
    st.builds(SealedStr, texts),
    st.builds(RoomyStr, texts),
    st.builds(RoomyFloat, st.floats()),
    st.binary(max_size=4),
    st.builds(complex, st.floats(), st.floats()),
    st.decimals(),
    st.dates(),
    st.datetimes(timezones=st.just(dt.UTC)),
    st.uuids(),
    st.just(decimal.Decimal("sNaN")),
    st.just(uuid.UUID(int=0)),
    st.frozensets(st.one_of(numbers, texts), max_size=3),
    st.sampled_from([int, len, ..., NotImplemented, range(3)]),
    st.builds(Bag, json_leaves),
)
keys = st.one_of(
    texts,
    numbers,
    st.none(),
    st.sampled_from([*Level, *Tone, SealedStr("1"), (1, "a"), b"k"]),
    st.sampled_from([Frozen(1), Plain(1), Spec(1), (Frozen(1),), Pair(1, Slotted(2))]),
)


def _containers(inner, *, dict_keys):
    items = st.lists(inner, max_size=3)
    mappings = st.dictionaries(dict_keys, inner, max_size=3)
    return st.one_of(
        items.map(tuple),
        items.map(tuple),
        items,
        mappings,
        st.builds(Pair, inner, inner),
        items.map(ListOfOurs),
        items.map(TupleOfOurs),
        items.map(collections.deque),
        mappings.map(DictOfOurs),
        mappings.map(collections.OrderedDict),
        mappings.map(lambda d: collections.defaultdict(list, d)),
        st.dictionaries(dict_keys, st.integers(), max_size=2).map(collections.Counter),
    )


def _records(inner):
    return st.one_of(
        st.builds(Frozen, inner, inner),
        st.builds(Slotted, inner),
        st.builds(Loose, inner),
        st.builds(Promising, inner, inner),
        st.builds(Bounded, inner, inner),
        st.builds(Plain, inner),
        st.builds(PlainLoose, inner),
        st.just(Empty()),
        st.builds(Spec, inner, inner),
        st.builds(LooseSpec, inner),
        st.builds(PromisingSpec, inner),
        st.builds(PlainSpec, inner),
    )


def _recursive(leaves, dict_keys):
    return st.recursive(
        leaves,
        lambda inner: st.one_of(_containers(inner, dict_keys=dict_keys), _records(inner)),
        max_leaves=12,
    )


values = _recursive(st.one_of(json_leaves, odd_leaves), keys)
# Of these, `json.dumps` refuses few.
json_values = _recursive(json_leaves, st.one_of(texts, numbers, st.none()))
# Of these, every form can be cached.
stable_values = st.recursive(
    st.one_of(json_leaves, st.sampled_from([*Level, *Tone])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.builds(Frozen, inner, inner),
        st.builds(Slotted, inner),
        st.builds(Bounded, inner, inner),
        st.builds(Plain, inner),
        st.builds(Pair, inner, inner),
    ),
    max_leaves=12,
)


def instances(inner):
    """Instances with forms, of either library."""
    return st.one_of(
        *(st.builds(cls, inner) for cls in (*DATACLASSES, *ATTRS_CLASSES)),
        st.builds(Frozen, inner, inner),
    )


class Sorter:
    """Asked as `default`: turns what JSON does not know into text, and counts."""

    def __init__(self):
        self.asked = []

    def __call__(self, value):
        self.asked.append(type(value))
        return f"<{type(value).__name__}>"


options = st.fixed_dictionaries(
    {},
    optional={
        "skipkeys": st.booleans(),
        "ensure_ascii": st.booleans(),
        "check_circular": st.booleans(),
        "allow_nan": st.booleans(),
        "indent": st.sampled_from([None, 0, 2, "", "\t"]),
        "separators": st.sampled_from([None, (", ", ": "), (",", ":"), (",\n", "=")]),
        "sort_keys": st.booleans(),
    },
)
