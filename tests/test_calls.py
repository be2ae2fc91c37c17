"""The arguments of instances that a table holds strongly."""

import pickle
import sys

import pytest

from interned import interned, interner
from interned.calls import Calls

HERE = sys.modules[__name__]


class Loose:
    pass


class Fixed:
    __slots__ = ()


def test_arguments_are_found_by_the_instance_itself():
    calls = Calls()
    one, other, fixed = Loose(), Loose(), Fixed()
    calls.note(one, (1,))
    calls.note(fixed, (2,))
    assert calls.of(one) == (1,)
    assert calls.of(fixed) == (2,)
    assert calls.of(other) is None


def test_an_instance_that_can_be_referenced_is_known_until_it_dies():
    calls = Calls()
    one = Loose()
    place = id(one)
    calls.note(one, (1,))
    calls.drop(one)
    assert calls.of(one) == (1,)
    del one
    assert place not in calls._known


def test_any_other_is_known_until_it_is_dropped():
    calls = Calls()
    fixed = Fixed()
    calls.note(fixed, (2,))
    calls.drop(fixed)
    assert calls.of(fixed) is None


def test_a_late_death_takes_nothing_of_a_successor():
    calls = Calls()
    one = Loose()
    calls.note(one, (1,))
    mark = calls._known[id(one)][1]
    calls.note(one, (2,))
    mark.__callback__(mark)
    assert calls.of(one) == (2,)


@pytest.mark.parametrize("slots", [("x",), ("x", "__weakref__")])
def test_a_plain_instance_held_strongly_pickles_by_its_call(slots, monkeypatch):
    def make(self, x):
        self.x = [x]

    row = type("Row", (), {"__slots__": slots, "__init__": make, "__module__": __name__})
    monkeypatch.setattr(HERE, "Row", row, raising=False)
    interned(weak=False, maxsize=2)(row)
    kept = row(1)
    assert pickle.loads(pickle.dumps(kept)) is kept
    row(2), row(3)
    evicted, again = kept, pickle.loads(pickle.dumps(kept))
    assert again is not evicted
    assert again.x == [1]
    # Without a weak reference nobody knows any more which call it came from.
    assert (again is row(1)) is ("__weakref__" in slots)


def test_nothing_is_left_of_what_was_let_go():
    @interned(weak=False, maxsize=2)
    class Row:
        __slots__ = ("x",)

        def __init__(self, x):
            self.x = x

    for x in range(10):
        Row(x)
    assert len(interner(Row)._calls._known) == 2
    interner(Row).cache_clear()
    assert not interner(Row)._calls._known


def test_nothing_is_left_of_a_candidate_that_came_second():
    depth = []

    @interned(weak=False)
    class Row:
        __slots__ = ()

        def __init__(self, x):
            depth.append(x)
            if len(depth) < 3:
                Row(x)

    assert Row(1) is Row(1)
    assert len(depth) == 3
    assert len(interner(Row)._calls._known) == 1


def test_nothing_is_left_of_what_was_invalidated():
    row = interned(weak=False)(type("Row", (), {"__slots__": (), "__init__": lambda self, x: None}))
    row(1)
    assert interner(row).cache_invalidate(1)
    assert not interner(row)._calls._known
