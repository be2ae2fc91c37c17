"""Frozen values are keyed field by field, subclasses of values by what they add."""

import dataclasses
import functools
import gc
import ipaddress
import typing
import weakref

import attrs
import pytest

from interned.errors import UnkeyableError
from interned.fields import field_owner, is_frozen
from interned.keys import exact_key, weak_key


@dataclasses.dataclass(frozen=True)
class Leaf:
    value: object
    note: object = dataclasses.field(default=None, compare=False)
    late: object = dataclasses.field(init=False, repr=False, compare=False)
    shift: dataclasses.InitVar[int] = 0
    count: typing.ClassVar[int] = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    value: object


@attrs.frozen
class Node:
    value: object = attrs.field(eq=str)
    _note: object = attrs.field(default=None, eq=False)


@attrs.frozen(slots=False, cache_hash=True)
class Open:
    value: object


class Extended(Leaf):
    """An undecorated subclass: its instances take attributes."""


class Grown(Slotted):
    __slots__ = ("more",)


class Roomy(Node):
    __slots__ = ("more",)


class Hashed(Open):
    pass


class Word(str):
    __slots__ = ("tone",)


class Title(Word):
    __slots__ = ("tone",)


class Count(int):
    pass


class Point(typing.NamedTuple):
    x: object
    y: object = 0


class Named(Point):
    @functools.cached_property
    def length(self):
        return abs(self.x)


class Net(ipaddress.IPv4Network):
    pass


@dataclasses.dataclass(frozen=True)
class Amount(int):
    unit: str

    def __new__(cls, number, unit):
        return super().__new__(cls, number)

    def __init__(self, number, unit):
        object.__setattr__(self, "unit", unit)


def having(value, **attributes):
    for name, content in attributes.items():
        object.__setattr__(value, name, content)
    return value


DIFFERENT = [
    (Leaf(1), Leaf(True)),
    (Leaf(1, 0), Leaf(1, False)),
    (Leaf(1), Leaf(1, 0)),
    (Leaf(1), having(Leaf(1), late=1)),
    (having(Leaf(1), late=()), Leaf(1)),
    (Slotted(1), Slotted(1.0)),
    (Slotted(1), Leaf(1)),
    (Slotted((0.0,)), Slotted((-0.0,))),
    (Node(1), Node("1")),
    (Node(1, 0), Node(1, 1)),
    (Open(1), Open(True)),
    (Leaf(1), Extended(1)),
    (Extended(1), having(Extended(1), extra=1)),
    (having(Extended(1), extra=1), having(Extended(1), extra=True)),
    (having(Extended(1), extra=1), having(Extended(1), other=1)),
    (having(Grown(1), more=1), having(Grown(1), more=True)),
    (Grown(1), having(Grown(1), more=None)),
    (having(Roomy(1), more=1), Roomy(1)),
    (having(Word("a"), tone=1), having(Word("a"), tone=True)),
    (having(Word("a"), tone=1), Word("a")),
    (having(Count(1), tone=1), Count(1)),
    (having(Count(1), tone=1), having(Count(2), tone=1)),
    (Point(1), (1, 0)),
    (Point(1), Named(1)),
    (having(Named(1), tone=1), Named(1)),
    (Named(1), Named(1, (1,))),
    (Net("10.0.0.0/8"), Net("10.0.0.0/9")),
    (having(Net("10.0.0.0/31"), note=1), Net("10.0.0.0/31")),
    (Amount(1, "m"), Amount(2, "m")),
    (Amount(1, "m"), Amount(1, "km")),
]


@pytest.mark.parametrize("key", [exact_key, weak_key])
@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=repr)
def test_values_that_can_be_told_apart(key, one, other):
    assert key(one) == key(one)
    assert key(one) != key(other)


SAME = [
    lambda: Leaf(1, 2.0),
    lambda: Leaf(Leaf((1, 2)), Slotted(3)),
    lambda: having(Leaf(1), late=2),
    lambda: Node(Node(1), 0),
    lambda: Open(1),
    lambda: having(Extended(1), extra=1, other=2),
    lambda: having(Grown(1), more=(2,)),
    lambda: having(Title("a"), tone=(1, 2)),
    lambda: having(Count(1), b=2, a=1),
    lambda: having(Net("10.0.0.0/31"), note=1),
    lambda: Amount(1, "m"),
]


@pytest.mark.parametrize("key", [exact_key, weak_key])
@pytest.mark.parametrize("make", SAME, ids=lambda make: repr(make()))
def test_values_that_cannot_be_told_apart(key, make):
    one, other = make(), make()
    assert key(one) == key(other)
    assert hash(key(one)) == hash(key(other))


class CodeComparison:
    """An `==` that is no Python function, and sees more of two numbers than anyone else."""

    def __init__(self):
        self.hidden = {}

    def __get__(self, number, cls):
        return self if number is None else functools.partial(self.compare, number)

    def compare(self, one, other):
        return self.hidden[id(one)] == self.hidden[id(other)]


class Stamp(int):
    __eq__ = CodeComparison()
    __hash__ = int.__hash__


@pytest.mark.parametrize("key", [exact_key, weak_key])
def test_a_comparison_in_other_code_is_asked_too(key):
    stamps = [Stamp(1), Stamp(1), Stamp(1), Stamp(2)]
    Stamp.__eq__.hidden = dict(zip(map(id, stamps), "aaba", strict=True))
    one, same, other, more = map(key, stamps)
    assert one == same
    assert one != other
    assert one != more


def test_a_slot_of_the_same_name_in_two_classes_is_two_slots():
    one, other = having(Title("a"), tone=1), Title("a")
    Word.tone.__set__(other, 1)
    assert exact_key(one) != exact_key(other)


def test_attributes_have_no_order():
    one, other = having(Count(1), a=1, b=2), having(Count(1), b=2, a=1)
    assert exact_key(one) == exact_key(other)


def test_what_a_value_derives_from_itself_does_not_change_its_key():
    one, other = Named(-1), Named(-1)
    assert one.length == 1
    assert exact_key(one) == exact_key(other)
    one, other = Net("10.0.0.0/8"), Net("10.0.0.0/8")
    assert int(one.hostmask) == 2**24 - 1
    assert one.broadcast_address in one
    assert exact_key(one) == exact_key(other)


def test_a_cached_hash_does_not_change_the_key():
    one, other = Hashed(1), Hashed(1)
    hash(one)
    assert exact_key(one) == exact_key(other)


def test_no_method_of_a_frozen_value_runs():
    def fail(*_):
        raise AssertionError

    watched = dataclasses.make_dataclass("Watched", ["x"], frozen=True, eq=False)
    watched.__eq__ = watched.__hash__ = watched.__repr__ = fail
    assert exact_key(watched(1)) == exact_key(watched(1))


def test_equality_by_identity_is_respected():
    kinds = [
        dataclasses.make_dataclass("Kind", ["x"], frozen=True, eq=False),
        dataclasses.make_dataclass("Kind", ["x"], eq=False),
        attrs.make_class("Kind", ["x"], frozen=True, eq=False),
        attrs.make_class("Kind", ["x"], eq=False),
    ]
    for kind in kinds:
        one, other = kind([]), kind([])
        assert exact_key(one) == exact_key(one)
        assert exact_key(one) != exact_key(other)


@pytest.mark.parametrize(
    "kind",
    [
        dataclasses.make_dataclass("Loose", ["x"]),
        dataclasses.make_dataclass("Loose", ["x"], unsafe_hash=True),
        attrs.make_class("Loose", ["x"]),
        attrs.make_class("Loose", ["x"], unsafe_hash=True),
        type("Loose", (attrs.make_class("Base", ["x"], unsafe_hash=True),), {}),
    ],
)
def test_a_class_that_is_not_frozen_is_refused(kind):
    with pytest.raises(UnkeyableError, match=r"^a Loose is .*hash.*make the class frozen"):
        exact_key(kind(1))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (Leaf([]), ".value"),
        (Leaf(1, [2]), ".note"),
        (Node(1, {}), "._note"),
        (Slotted((Leaf({1}),)), ".value[0].value"),
        (having(Extended(1), extra=[]), ".extra"),
        (having(Word("a"), tone=[]), ".tone"),
    ],
)
def test_a_mutable_field_is_named(value, place):
    with pytest.raises(UnkeyableError) as caught:
        exact_key(value)
    assert str(caught.value).startswith(f"{place}: ")


def test_a_rule_keeps_no_class_alive():
    for base in (Leaf, Node, Word, Count, Named, object):
        cls = type("Passing", (base,), {})
        exact_key(cls(*[1][: base is not object]))
        weak_key(cls)
        seen = weakref.ref(cls)
        del cls
        gc.collect()
        assert seen() is None


def test_the_owner_of_the_fields():
    assert field_owner(Leaf) is field_owner(Extended) is Leaf
    assert field_owner(Roomy) is Node
    assert field_owner(Word) is None


def test_which_classes_are_frozen():
    assert all(map(is_frozen, (Leaf, Slotted, Node, Open)))
    assert not is_frozen(dataclasses.make_dataclass("Loose", ["x"]))
    assert not is_frozen(attrs.make_class("Loose", ["x"]))
