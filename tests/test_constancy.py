"""Constancy: which values have the same exact key for ever."""

import collections
import datetime as dt
import decimal
import enum
from dataclasses import dataclass

import attrs
import pytest

from interned import interned, register_key
from interned.constancy import are_constant


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: object


@attrs.frozen
class Pair:
    x: object


@interned
class Canonical:
    def __init__(self, x):
        self.x = x


class Plain:
    pass


class Loose:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)


class Registered:
    pass


register_key(Registered, lambda _: 1)


@dataclass(frozen=True)
class Extended(Point):
    def __eq__(self, other):
        return True

    __hash__ = object.__hash__


class Roomy(Point):
    """Its instances may hold more than the fields."""


CONSTANT = [1, "a", None, 0.0, b"", decimal.Decimal("1.0"), Colour.RED, dt.date(2020, 1, 1), int]
CONSTANT += [(1, ("a", (2.5,))), frozenset({1, (2,)}), Point((1, 2)), Pair(Point(1)), Plain()]
CONSTANT += [Canonical(1), (Canonical(1), Plain()), (), Plain, lambda: 1]


@pytest.mark.parametrize("value", CONSTANT, ids=repr)
def test_constant_values(value):
    assert are_constant((value,))
    assert are_constant((1, (value, "a")))


CHANGING = [Loose(1), (1, Loose(1)), Point(Loose(1)), Registered(), Roomy(1)]
CHANGING += [collections.OrderedDict(), Pair((Loose(1),)), frozenset({Loose(1)})]


@pytest.mark.parametrize("value", CHANGING, ids=repr)
def test_values_that_may_change(value):
    assert not are_constant((value,))
    assert not are_constant((1, (value, "a")))


def test_a_value_of_shared_parts_is_looked_at_once():
    value = (Plain(),)
    for _ in range(80):
        value = (value, value)
    assert are_constant((value,))
