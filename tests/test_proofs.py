"""Proofs: a change shows, and what cannot be checked says so."""

import collections
import threading
from dataclasses import dataclass, field

import attrs
import pytest

from interned.errors import MutatedError
from interned.proofs import Proof, mutated


@dataclass
class Data:
    x: object
    hidden: object = field(default=1, compare=False)


@attrs.define
class Record:
    x: object


class Loose:
    def __init__(self, x):
        self.x = x


class Equal(Loose):
    def __eq__(self, other):
        return self.x == other.x

    __hash__ = None


def knot():
    value = [1]
    value.append(value)
    return value


CHANGES = {
    "list": (lambda: [1], lambda v: v.append(2)),
    "type of an item": (lambda: [1], lambda v: v.__setitem__(0, True)),
    "deep list": (lambda: {"a": ([1], 2)}, lambda v: v["a"][0].append(2)),
    "dict": (lambda: {1: 2}, lambda v: v.__setitem__(1, 3)),
    "order of a dict": (lambda: {1: 2, 3: 4}, lambda v: v.__setitem__(1, v.pop(1))),
    "set": (lambda: {1}, lambda v: v.add(2)),
    "deque": (lambda: collections.deque([1]), lambda v: v.append(2)),
    "bytearray": (lambda: bytearray(b"a"), lambda v: v.append(2)),
    "dataclass": (lambda: Data(1), lambda v: setattr(v, "x", 2)),
    "hidden field": (lambda: Data(1), lambda v: setattr(v, "hidden", 2)),
    "attrs": (lambda: Record([1]), lambda v: v.x.append(2)),
    "object": (lambda: Loose(1), lambda v: setattr(v, "x", 2)),
    "own equality": (lambda: Equal([1]), lambda v: v.x.append(2)),
    "knot": (knot, lambda v: v.insert(0, 2)),
    "new attribute": (lambda: Loose(1), lambda v: setattr(v, "y", 2)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_shows(name):
    make, change = CHANGES[name]
    value = make()
    proof = Proof(value)
    assert not proof.is_void
    assert proof.fits(value)
    change(value)
    assert not proof.fits(value)


@pytest.mark.parametrize("value", [1, "a", (1, 2), None, float("nan"), int, frozenset()], ids=str)
def test_constant_values_always_fit(value):
    proof = Proof(value)
    assert not proof.is_void
    assert proof.fits(value)


class Unlike:
    """Its copies are not like it."""

    def __deepcopy__(self, memo):
        return Loose(1)


class Array:
    """Compares element by element, as an array does."""

    __slots__ = ("items",)

    def __init__(self, *items):
        self.items = list(items)

    def __eq__(self, other):
        return Array(*map(int.__eq__, self.items, other.items))

    __hash__ = None

    def __bool__(self):
        raise ValueError("ambiguous")

    def all(self):
        return all(self.items)


def test_arrays_are_compared_as_a_whole():
    value = Array(1, 2)
    proof = Proof(value)
    assert proof.fits(value)
    value.items[0] = 5
    assert not proof.fits(value)


@pytest.mark.parametrize("make", [threading.Lock, Unlike, lambda: (i for i in ())])
def test_what_cannot_be_checked_says_so(make):
    value = make()
    proof = Proof(value)
    assert proof.is_void
    assert proof.fits(value)


def test_the_error_names_what_was_changed():
    error = mutated("a result of f", "change a copy")
    assert isinstance(error, MutatedError)
    assert "a result of f was changed in place" in str(error)
    assert str(error).endswith("change a copy")
