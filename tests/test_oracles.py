import dataclasses

import attr
import attrs
import pytest

from interned.oracles import ATTRS, DATACLASS, oracle_of


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object = 1
    y: object = dataclasses.field(default=2, repr=False, compare=False)


@dataclasses.dataclass
class Loose:
    x: object


@attrs.frozen
class Spec:
    _x: object = 1
    y: object = attrs.field(default=2, init=False)


@attrs.define
class LooseSpec:
    x: object


@attr.s(frozen=True)
class OldSpec:
    x = attr.ib()


class PlainChild(Frozen):
    pass


class AttrsOfDataclass(attrs.make_class("Made", ["z"], bases=(Frozen,), frozen=True)):
    pass


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (Frozen, DATACLASS),
        (PlainChild, DATACLASS),
        (Spec, ATTRS),
        (OldSpec, ATTRS),
        (AttrsOfDataclass, ATTRS),
        (int, DATACLASS),
    ],
)
def test_the_oracle_is_that_of_the_nearest_record_class(cls, expected):
    assert oracle_of(cls) is expected


@pytest.mark.parametrize(
    ("oracle", "instance"), [(DATACLASS, Frozen()), (DATACLASS, PlainChild()), (ATTRS, Spec())]
)
def test_names_are_the_keys_of_asdict(oracle, instance):
    assert oracle.covers(type(instance))
    assert list(oracle.asdict(instance)) == list(oracle.names(type(instance)))


def test_the_dict_is_the_one_that_the_library_gives():
    assert DATACLASS.asdict(Frozen()) == dataclasses.asdict(Frozen())
    assert ATTRS.asdict(Spec()) == attrs.asdict(Spec())


def test_each_covers_only_its_own():
    assert not DATACLASS.covers(Spec)
    assert not ATTRS.covers(Frozen)
    assert not DATACLASS.covers(int)


@pytest.mark.parametrize("oracle", [DATACLASS, ATTRS])
def test_a_bare_value_becomes_what_it_becomes_in_a_field(oracle):
    inside = [1]
    bare = oracle.bare({"k": inside})
    assert bare == {"k": [1]}
    assert bare["k"] is not inside


class Setting(Frozen):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Getting(Frozen):
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


class Computing(Frozen):
    @property
    def x(self):
        return []


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    x: object


@pytest.mark.parametrize(
    ("oracle", "cls", "flaw"),
    [
        (DATACLASS, Frozen, None),
        (DATACLASS, Slotted, None),
        (DATACLASS, PlainChild, None),
        (ATTRS, Spec, None),
        (ATTRS, OldSpec, None),
        (DATACLASS, Loose, "is a Loose, which is not frozen"),
        (ATTRS, LooseSpec, "is a LooseSpec, which is not frozen"),
        (DATACLASS, Setting, "is a Setting, which is not frozen"),
        (DATACLASS, Getting, "is a Getting, which has its own __getattribute__"),
        (DATACLASS, Computing, "is a Computing, which computes 'x'"),
    ],
)
def test_a_record_whose_fields_may_change_is_flawed(oracle, cls, flaw):
    assert oracle.flaw(cls) == flaw
