import datetime as dt
import decimal
import enum
import fractions
import pathlib
import threading
import typing
import uuid
import zoneinfo
from collections import namedtuple

import pytest

from interned.immutability import an, is_leaf, is_sealed, is_solid_tuple


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Perm(enum.Flag):
    R = 1
    W = 2


class Sealed(str):
    __slots__ = ()


class SealedInt(int):
    __slots__ = ()


class Roomy(str):
    pass


class RoomyInt(int):
    pass


class Slotted(float):
    __slots__ = ("note",)


class Zone(dt.tzinfo):
    pass


IMMUTABLE = [
    *(None, True, 1, 1.5, 1j, "a", b"a", range(3), ..., NotImplemented),
    *(decimal.Decimal(1), fractions.Fraction(1, 2), uuid.UUID(int=1), pathlib.PurePosixPath("a")),
    *(dt.date.min, dt.timedelta(1), dt.UTC, zoneinfo.ZoneInfo("UTC"), dt.time(1)),
    *(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
    *(Colour.RED, Level.LOW, Perm.R | Perm.W, Sealed("a"), SealedInt(1)),
    *((1, ("a",)), frozenset([1, (2,)])),
]
NOT_KNOWN_TO_BE = [
    *([], {}, set(), bytearray(), object(), Roomy("a"), RoomyInt(1), Slotted(1.0)),
    *(int, Roomy, len, lambda: None, threading.Lock(), memoryview(b"a")),
    *(dt.datetime(2020, 1, 1, tzinfo=Zone()), dt.time(1, tzinfo=Zone())),
    *((1, []), frozenset([Roomy("a")])),
]


@pytest.mark.parametrize("value", IMMUTABLE, ids=repr)
def test_what_cannot_change_is_a_leaf(value):
    assert is_leaf(value)


@pytest.mark.parametrize("value", NOT_KNOWN_TO_BE, ids=lambda value: type(value).__name__)
def test_what_may_change_is_none(value):
    assert not is_leaf(value)


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (Sealed, True),
        (SealedInt, True),
        (Roomy, False),
        (RoomyInt, False),
        (Slotted, False),
        (list, False),
    ],
)
def test_a_scalar_with_room_for_attributes_is_not_sealed(cls, expected):
    assert is_sealed(cls) is expected


class Pair(typing.NamedTuple):
    left: object
    right: object


class RoomyPair(Pair):
    pass


class StrictPair(Pair):
    __slots__ = ()


class OwnNew(tuple):
    __slots__ = ()

    def __new__(cls, items):
        return super().__new__(cls, [*items, "more"])


class OwnIter(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter(())


class OwnInit(tuple):
    __slots__ = ()

    def __init__(self, items):
        pass


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (tuple, True),
        (Pair, True),
        (StrictPair, True),
        (namedtuple("Untyped", "a b"), True),
        (RoomyPair, False),
        (OwnNew, False),
        (OwnIter, False),
        (OwnInit, False),
        (list, False),
    ],
)
def test_a_solid_tuple_is_its_items_and_nothing_else(cls, expected):
    assert is_solid_tuple(cls) is expected


def test_classes_are_named_with_their_article():
    assert [an(cls) for cls in (list, int, Pair)] == ["a list", "an int", "a Pair"]
    assert an(type("Ω", (), {"__qualname__": "f.<locals>.Inner"})) == "an Inner"
