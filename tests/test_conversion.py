import collections
import dataclasses
import typing

import attrs
import pytest

from interned.conversion import conversion
from interned.frozen import FrozenDict, FrozenList
from interned.immutability import Uncacheable
from interned.oracles import ATTRS, DATACLASS


class Pair(typing.NamedTuple):
    left: object
    right: object


class Sealed(str):
    __slots__ = ()


@dataclasses.dataclass(frozen=True)
class Record:
    x: object


@dataclasses.dataclass
class Loose:
    x: object


@attrs.frozen
class Spec:
    x: object


class Bag:
    pass


def converting(oracle=DATACLASS, *, trusting=False, lasting=True, own=None):
    def own_rule(oracle, cls):
        return own if cls is Record else None

    return conversion(oracle, own_rule, trusting=trusting, lasting=lasting)


FIXED = [1, "a", None, (1, (2, ())), Record(1), Record((Record("a"),)), frozenset([1]), Sealed("a")]


@pytest.mark.parametrize("value", [*FIXED, Pair(1, (Record(2),))], ids=repr)
def test_it_foresees_dataclasses(value):
    expected = DATACLASS.bare(value)
    converted = converting().convert(value)
    assert converted == expected
    assert type(converted) in (type(expected), FrozenDict)


@pytest.mark.parametrize("value", [1, "a", (1, (Spec(1),)), Spec((Spec("a"),)), frozenset([1])])
def test_it_foresees_attrs(value):
    converted = converting(ATTRS).convert(value)
    assert converted == ATTRS.bare(value)
    assert type(converted) in (type(ATTRS.bare(value)), FrozenDict)


@pytest.mark.parametrize(
    ("oracle", "value", "reason"),
    [
        (DATACLASS, [1], "is a list"),
        (DATACLASS, {}, "is a dict"),
        (DATACLASS, {1}, "is a set"),
        (DATACLASS, Loose(1), "is a Loose, which is not frozen"),
        (DATACLASS, collections.OrderedDict(), "is an OrderedDict"),
        (DATACLASS, Bag(), "is a Bag"),
        (DATACLASS, Spec(1), "is a Spec"),
        (ATTRS, [1], "is a list"),
        (ATTRS, Pair(1, 2), "is a Pair"),
        (ATTRS, Record(1), "is a Record"),
    ],
)
def test_it_names_what_may_change_and_those_that_hold_it(oracle, value, reason):
    holder = (1, value)
    with pytest.raises(Uncacheable) as caught:
        converting(oracle).convert(holder)
    assert caught.value.reason == reason
    assert [*map(id, caught.value.chain)] == [id(value), id(holder)]


@pytest.mark.parametrize("oracle", [DATACLASS, ATTRS])
def test_where_it_is_trusted_containers_become_read_only(oracle):
    converted = converting(oracle, trusting=True).convert({"a": [1, {}], (1, 2): ()})
    assert converted == {"a": [1, {}], (1, 2): ()}
    assert type(converted) is FrozenDict
    assert type(converted["a"]) is FrozenList
    assert type(converted["a"][1]) is FrozenDict


@pytest.mark.parametrize("oracle", [DATACLASS, ATTRS])
@pytest.mark.parametrize("value", [Bag(), {1}, collections.deque()])
def test_what_readers_could_change_is_never_handed_out(oracle, value):
    with pytest.raises(Uncacheable):
        converting(oracle, trusting=True).convert([value])


def test_what_is_only_to_be_encoded_is_plain_and_left_to_asdict_where_unknown():
    bag, counted = Bag(), collections.Counter("aab")
    converted = converting(trusting=True, lasting=False).convert([bag, counted, Loose([1])])
    assert type(converted) is list
    assert type(converted[0]) is Bag
    assert converted[0] is not bag
    assert converted[1:] == [DATACLASS.bare(counted), {"x": [1]}]
    assert type(converted[1]) is collections.Counter


def test_a_subclass_of_dict_becomes_a_dict_as_attrs_makes_it():
    value = collections.OrderedDict(a=1)
    assert type(converting(ATTRS, trusting=True).convert(value)) is FrozenDict


def test_a_tuple_that_stays_as_it_is_is_not_copied():
    value = (1, ("a", (2.0,)))
    assert converting().convert(value) is value


def test_records_that_have_forms_are_left_to_their_own_rule():
    converted = converting(own=lambda record: ["own", record.x]).convert((Record(1), Record(2)))
    assert converted == (["own", 1], ["own", 2])


def test_the_rule_of_a_class_is_found_once():
    asked = []

    def own_rule(oracle, cls):
        asked.append(cls)

    converter = conversion(DATACLASS, own_rule, trusting=False, lasting=True)
    assert converter.convert((Record(1), Record(2))) == ({"x": 1}, {"x": 2})
    assert asked == [Record]


def test_what_the_class_of_a_leaf_makes_of_a_copy_is_looked_at():
    class Tricky(str):
        __slots__ = ()

        def __deepcopy__(self, memo):
            return []

    with pytest.raises(Uncacheable):
        converting().convert(Tricky("a"))
