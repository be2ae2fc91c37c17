"""Values of all kinds that laws speak of, what a reader sees of them, pairs that mislead `==`."""

import dataclasses
import enum
import ipaddress
import pathlib
import re
import struct
import typing
import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import partial, singledispatch
from zoneinfo import ZoneInfo

import attrs
from hypothesis import strategies as st


class Color(enum.Enum):
    RED = 1
    GREEN = True + 1


class Level(enum.IntEnum):
    ZERO = 0
    ONE = 1


class Mode(enum.StrEnum):
    A = "a"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Word(str):
    __slots__ = ("tone",)


class Count(int):
    pass


class Ratio(float):
    __slots__ = ()


class Pair(tuple):
    __slots__ = ()


class Point(typing.NamedTuple):
    x: object
    y: object = 0


@dataclasses.dataclass(frozen=True)
class Leaf:
    value: object
    note: object = dataclasses.field(default=None, compare=False)


@attrs.frozen
class Node:
    left: object
    _right: object = attrs.field(default=None, eq=False)


ZONES = (None, UTC, timezone(timedelta(0), "UTC"), ZoneInfo("UTC"), ZoneInfo("Europe/Berlin"))


def _toned(text, tone):
    word = Word(text)
    if tone is not None:
        word.tone = tone
    return word


def _counted(number, note):
    count = Count(number)
    if note is not None:
        count.note = note
    return count


text = st.text(st.characters(exclude_categories=()), max_size=4)
numbers = st.one_of(
    st.integers(),
    st.booleans(),
    st.floats(),
    st.complex_numbers(),
    st.decimals().filter(lambda number: not number.is_snan()),
    st.fractions(),
    st.builds(Ratio, st.floats()),
    st.builds(_counted, st.integers(), st.none() | st.booleans() | st.integers(0, 1)),
)
times = st.one_of(
    st.dates(),
    st.timedeltas(),
    st.sampled_from(ZONES),
    st.builds(
        lambda moment, zone, fold: moment.replace(tzinfo=zone, fold=fold),
        st.datetimes() | st.times(),
        st.sampled_from(ZONES),
        st.integers(0, 1),
    ),
)
singletons = st.sampled_from(
    (None, ..., NotImplemented, int, len, Leaf, *Color, *Level, *Mode, *Access, ~Access.READ)
)
ranges = st.builds(range, *[st.integers(-3, 3)] * 2, st.sampled_from((-2, -1, 1, 2)))
others = st.one_of(
    st.uuids(),
    st.ip_addresses(),
    st.sampled_from((pathlib.PurePosixPath, pathlib.PureWindowsPath)).flatmap(
        lambda flavour: st.builds(flavour, st.sampled_from(("", ".", "a", "A", "a/b", "c:/a")))
    ),
    st.builds(re.compile, st.sampled_from(("a", b"a")), st.sampled_from((0, re.IGNORECASE))),
)

CONFUSABLE = (
    *(0, False, 0.0, -0.0, 0j, complex(-0.0, 0.0), complex(0.0, -0.0), Decimal(0), Decimal("-0")),
    *(Decimal("0.0"), Fraction(0), Level.ZERO, Count(0), Ratio(0.0), Ratio(-0.0)),
    *(_counted(0, 1), _counted(0, True)),
    *(1, True, 1.0, 1 + 0j, Decimal(1), Decimal("1.0"), Fraction(1), Level.ONE, Count(1)),
    *("a", Word("a"), _toned("a", 1), _toned("a", True), Mode.A, b"a", Color.RED, Access.READ),
    *((), Pair(), frozenset(), range(0), range(1, 1), range(0, 3, 2), range(0, 4, 2)),
    *((1, 0), Pair((1, 0)), Point(1, 0), Point(True, 0), Point(1, False)),
    *(Leaf(1), Leaf(True), Leaf(1, 0), Leaf(1, False), Node(1), Node(1.0), Node(1, 0)),
    *(float("nan"), -float("nan"), Decimal("NaN"), Decimal("NaN1")),
    *(datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=fold) for zone in ZONES for fold in (0, 1)),
    *(time(1), time(1, fold=1), time(1, tzinfo=UTC), date(2024, 1, 1), timedelta(0), *ZONES),
    *(pathlib.PureWindowsPath("a"), pathlib.PureWindowsPath("A"), pathlib.PurePosixPath("a")),
    *(uuid.UUID(int=0), uuid.UUID(int=0, is_safe=uuid.SafeUUID.safe)),
    *(ipaddress.ip_address("::1"), ipaddress.ip_interface("::1"), ipaddress.ip_network("::1")),
    *(int | str, str | int, typing.Literal[1], typing.Literal[True], partial(len, 1)),
)
"""Values that `==` calls equal to one another, in crowds; no two of them look the same."""

# By position, since Hypothesis writes out what it samples from.
confusable = st.integers(0, len(CONFUSABLE) - 1).map(lambda index: CONFUSABLE[index])
scalars = (
    st.one_of(numbers, text, st.binary(max_size=3), times, singletons, ranges, others) | confusable
)


def nested(leaves):
    """Puts values into every kind of immutable container, again and again."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(tuple),
            st.lists(inner, max_size=3).map(frozenset),
            st.lists(inner, max_size=2).map(Pair),
            st.builds(Point, inner, inner),
            st.builds(Leaf, inner, inner),
            st.builds(Node, inner, inner),
            st.builds(partial, st.just(max), inner, key=inner),
        ),
        max_leaves=6,
    )


values = nested(scalars)
confusable_values = nested(confusable)

WRAPPERS = (
    lambda value: (value,),
    lambda value: (0, (value, "x")),
    lambda value: frozenset((value,)),
    lambda value: Pair((value,)),
    Point,
    Leaf,
    lambda value: Leaf(0, value),
    Node,
    lambda value: Node(0, value),
    lambda value: partial(max, value),
    lambda value: partial(max, key=value),
)
near_misses = st.builds(
    lambda pair, wraps: tuple(_wrapped(value, wraps) for value in pair),
    st.permutations(range(len(CONFUSABLE))).map(lambda order: [CONFUSABLE[i] for i in order[:2]]),
    st.lists(st.sampled_from(WRAPPERS), max_size=3),
)
"""Pairs of values that can be told apart, but only by a careful reader, at any depth."""


def _wrapped(value, wraps):
    for wrap in wraps:
        value = wrap(value)
    return value


def reading(value):
    """Writes down all that a careful reader sees of a value."""
    cls = type(value)
    return f"{cls.__module__}.{cls.__qualname__}<{content(value)}>"


@singledispatch
def content(value):
    if dataclasses.is_dataclass(type(value)):
        return fields_read(value, dataclasses.fields(value))
    if attrs.has(type(value)):
        return fields_read(value, attrs.fields(type(value)))
    return repr(value)


def fields_read(value, fields):
    return ", ".join(reading(getattr(value, field.name)) for field in fields)


@content.register
def _(value: enum.Enum):
    return value.name


@content.register
def _(value: float):
    return struct.pack("<d", value).hex()


@content.register
def _(value: complex):
    return struct.pack("<dd", value.real, value.imag).hex()


@content.register
def _(value: tuple):
    return ", ".join(map(reading, value))


@content.register
def _(value: frozenset):
    return ", ".join(sorted(map(reading, value)))


@content.register
def _(value: datetime | time):
    return f"{value.replace(tzinfo=None)!r}, {value.fold}, {reading(value.tzinfo)}"


@content.register
def _(value: uuid.UUID):
    return f"{value}, {value.is_safe}"


@content.register
def _(value: partial):
    return reading((value.func, value.args, tuple(value.keywords.items())))


@content.register
def _(value: Word):
    return reading((str(value), getattr(value, "tone", ...)))


@content.register
def _(value: Count):
    return reading((int(value), *vars(value).items()))
