"""Holding arguments without keeping alive what their instance does not keep alive."""

import copy
import gc
import pickle
import sys
import weakref

import pytest

from interned import interned, interner
from interned.holding import held_by, hold_all, is_light, unhold_all

HERE = sys.modules[__name__]


class Valued:
    """Compares by value, so that an equal one can come at any time."""

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return isinstance(other, Valued) and self.n == other.n

    def __hash__(self):
        return hash(self.n)


class Unique:
    """Compares by identity."""


class Slotted:
    __slots__ = ("__private", "x")

    def __init__(self, x):
        self.x = x
        self.__private = (x,)


class Holder:
    def __init__(self, **attributes):
        vars(self).update(attributes)


def nothing(_value):
    return False


# What an instance holds.


@pytest.mark.parametrize(
    "holder",
    [
        lambda value: Holder(x=value),
        lambda value: Holder(x=(1, [{"k": {value}}])),
        lambda value: Holder(x={value: 1}),
        lambda value: Holder(x=frozenset({value})),
        Slotted,
    ],
)
def test_what_is_reachable_through_containers_is_held(holder):
    value = Valued(1)
    held = held_by(holder(value))
    assert held(value)
    assert not held(Valued(1))


def test_what_other_objects_hold_is_not_held():
    value = Valued(1)
    assert not held_by(Holder(x=Holder(y=value)))(value)


def test_containers_in_a_cycle_end():
    loop = []
    loop.append(loop)
    assert not held_by(Holder(x=loop))(Valued(1))


# Arguments.


@pytest.mark.parametrize(
    "values",
    [
        (1, "a", None, b"b", 1.5),
        ((1, (2, "x")), frozenset({1, (2,)})),
        ((), {"k": 1, "j": (2,)}),
    ],
)
def test_arguments_are_given_back(values):
    assert unhold_all(hold_all(values, nothing)) == values


def test_an_object_known_by_value_is_held_unless_the_instance_holds_it():
    kept, loose = Valued(1), Valued(2)
    arguments = hold_all((kept, loose, (kept,)), held_by(Holder(x=kept)))
    gone = weakref.ref(loose)
    del loose
    assert gone() is not None
    assert unhold_all(arguments)[:2] == (kept, Valued(2))
    gone = weakref.ref(kept)
    del kept
    assert gone() is None
    assert unhold_all(arguments) is None


def test_an_object_known_by_identity_is_never_held():
    unique = Unique()
    arguments = hold_all(((unique,),), nothing)
    assert unhold_all(arguments) == ((unique,),)
    del unique
    assert unhold_all(arguments) is None


def test_what_cannot_be_referenced_weakly_is_held():
    slotted = Slotted(1)
    assert unhold_all(hold_all((slotted,), nothing)) == (slotted,)


def test_a_weak_reference_as_an_argument_stays_one():
    target = Valued(1)
    argument = weakref.ref(target)
    assert unhold_all(hold_all((argument,), nothing)) == (argument,)


# Keys.


@pytest.mark.parametrize(
    ("parts", "light"),
    [
        ((1, "a", int), True),
        (("x" * 10_000, str), False),
        ((1 << 100_000,), False),
        (tuple(range(1_000)), False),
        (("fields", ("x" * 500, ("y" * 500,))), False),
        ((frozenset({"x" * 2_000}),), False),
        ((Unique(),), True),
    ],
)
def test_a_key_is_light_up_to_a_kilobyte(parts, light):
    assert is_light(parts) is light


def test_a_deep_key_is_weighed_without_recursion():
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    assert not is_light(deep)


# What comes of it.


@pytest.fixture(params=["attribute", "list", "keywords"])
def keeping(request):
    @interned
    class Row:
        def __init__(self, value, **options):
            if request.param == "attribute":
                self.value = value
            elif request.param == "list":
                self.values = [[value]]
            else:
                self.options = options

    return lambda value: Row(value, k=value), interner(Row).table


def test_a_cycle_through_an_argument_is_collected(keeping):
    make, table = keeping
    value = Valued(1)
    value.row = make(value)
    gone = weakref.ref(value.row)
    assert make(Valued(1)) is value.row
    del value
    gc.collect()
    assert gone() is None
    assert not table.exact


@interned
class Squared:
    """Keeps nothing of its argument."""

    def __init__(self, value):
        self.square = getattr(value, "n", 0) ** 2


@interned
class Side:
    def __init__(self, n):
        self.n = n


@pytest.mark.parametrize("make", [lambda: Valued(3), lambda: Side(3), lambda: (Side(3), Valued(2))])
def test_an_argument_that_nobody_keeps_still_leads_to_its_instance(make):
    kept = Squared(make())
    gc.collect()
    assert Squared(make()) is kept
    assert all(pickle.loads(pickle.dumps(kept, protocol)) is kept for protocol in range(6))
    gone = weakref.ref(kept)
    del kept
    assert gone() is None
    assert not interner(Squared).table.exact
    assert not interner(Side).table.flat


def test_an_argument_known_by_identity_may_go():
    unique = Unique()
    kept = Squared(unique)
    assert Squared(unique) is kept
    gone = weakref.ref(unique)
    del unique
    assert gone() is None
    assert copy.copy(kept) is kept
    again = pickle.loads(pickle.dumps(kept))
    assert again is not kept
    assert vars(again) == vars(kept)
