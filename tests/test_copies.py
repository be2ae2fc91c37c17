"""Copies and pickles: what is asked of a class, and where it leads."""

import copy
import copyreg
import dataclasses
import datetime as dt
import decimal
import fractions
import ipaddress
import os
import pathlib
import pickle
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import attrs
import pytest

from interned import interned, interner

HERE = sys.modules[__name__]
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@interned
@dataclass(frozen=True)
class Node:
    name: str
    kids: tuple = ()


@interned
@dataclass(frozen=True, slots=True, weakref_slot=True)
class Slotted:
    x: object


@interned
@attrs.frozen(cache_hash=True)
class Hashed:
    x: object


@interned
class Plain:
    def __init__(self, x, *, key=None):
        self.x = x
        self.log = []


def test_shared_parts_stay_shared():
    leaf = Node("leaf")
    tree = Node("root", (leaf, leaf))
    for protocol in PROTOCOLS:
        again = pickle.loads(pickle.dumps([tree, leaf], protocol))
        assert again == [tree, leaf]
        assert again[0] is tree
        assert again[1] is again[0].kids[0] is leaf


CHILD = """
import pickle, sys
sys.path.insert(0, {folder!r})
from tests.test_copies import Hashed, Node, Plain, Slotted
again = pickle.loads(bytes.fromhex({data!r}))
assert again[0] is Node("root", (Node("leaf"), Node("leaf")))
assert again[0] in {{Node("root", (Node("leaf"),) * 2)}}
assert again[1] is Slotted("s") and again[2] is Hashed("h") and hash(again[2]) == hash(Hashed("h"))
assert again[3] is Plain("p", key=1) and again[3].log == []
"""


def test_pickles_lead_to_the_canonical_objects_of_another_process():
    plain = Plain("p", key=1)
    plain.log.append("here")
    value = [Node("root", (Node("leaf"),) * 2), Slotted("s"), Hashed("h"), plain]
    hash(value[2])
    folder = str(Path(__file__).resolve().parent.parent)
    subprocess.run(
        [sys.executable, "-c", CHILD.format(folder=folder, data=pickle.dumps(value).hex())],
        env=os.environ | {"PYTHONHASHSEED": "12345"},
        check=True,
    )


def test_a_pickle_leaves_the_living_object_as_it_is():
    plain = Plain(1)
    data = pickle.dumps(plain)
    plain.log.append("later")
    assert pickle.loads(data) is plain
    assert plain.log == ["later"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_pickle_from_before_decoration_never_changes_a_shared_object(monkeypatch, protocol):
    def make(name, default):
        cls = dataclasses.make_dataclass(name, [("x", int, default)], frozen=True)
        cls.__module__ = __name__
        monkeypatch.setattr(HERE, name, cls, raising=False)
        return cls

    required, optional = make("Required", dataclasses.MISSING), make("Optional", field(default=1))
    old = [pickle.dumps(cls(5), protocol) for cls in (required, optional)]
    interned(required), interned(optional)
    kept = optional()
    assert pickle.loads(old[0]) == required(5)
    if protocol < 2:
        assert pickle.loads(old[1]) == optional(5)
    else:
        with pytest.raises(TypeError, match="made anew"):
            pickle.loads(old[1])
    assert kept.x == 1


def test_a_pickle_can_be_read_where_the_class_is_not_decorated(monkeypatch):
    values = {"Node": Node("n"), "Hashed": Hashed(1), "Plain": Plain(1)}
    data = {name: pickle.dumps(value) for name, value in values.items()}
    monkeypatch.setattr(HERE, "Node", dataclasses.make_dataclass("Node", ["name", "kids"]))
    monkeypatch.setattr(HERE, "Hashed", attrs.make_class("Hashed", ["x"]))
    monkeypatch.setattr(HERE, "Plain", dataclasses.make_dataclass("Plain", ["x", "key"]))
    assert pickle.loads(data["Node"]) == Node(name="n", kids=())
    assert pickle.loads(data["Hashed"]) == Hashed(1)
    assert pickle.loads(data["Plain"]) == Plain(1, None)


# Methods of the class's own.


def test_own_copies_are_asked_and_their_results_land():
    asked = []

    @interned
    @dataclass(frozen=True)
    class Row:
        x: int

        def __copy__(self):
            asked.append("copy")
            return dataclasses.replace(self, x=self.x + 1)

        def __deepcopy__(self, memo):
            asked.append("deepcopy")
            made = object.__new__(type(self))
            object.__setattr__(made, "x", self.x + 2)
            return made

    one = Row(1)
    kept = [Row(2), Row(3)]
    assert copy.copy(one) is kept[0]
    assert copy.deepcopy(one) is kept[1]
    assert asked == ["copy", "deepcopy"]


def test_an_own_copy_may_give_something_else():
    @interned
    class Row:
        def __init__(self, x):
            self.x = x

        def __copy__(self):
            return self.x

    assert copy.copy(Row(1)) == 1


def test_inherited_copies_are_for_objects_made_by_hand():
    class Base:
        def __copy__(self):
            return "copied"

        def __deepcopy__(self, memo):
            return "copied"

    @interned
    class Row(Base):
        pass

    one, loose = Row(), object.__new__(Row)
    assert copy.copy(one) is copy.deepcopy(one) is one
    assert copy.copy(loose) == copy.deepcopy(loose) == "copied"


@pytest.mark.parametrize(
    ("base", "spellings"),
    [
        (decimal.Decimal, [("1.0",), ("1.00",), (decimal.Decimal(1),)]),
        (fractions.Fraction, [("1/2",), (1, 2), (0.5,)]),
        (dt.date, [(2020, 1, 2)]),
        (ipaddress.IPv4Address, [("1.2.3.4",), (5,)]),
        (uuid.UUID, [("0" * 32,)]),
        (pathlib.PurePosixPath, [("a", "b"), ("a/b",)]),
        (frozenset, [((1, 2),)]),
        (str, [("a",), (b"a", "ascii")]),
    ],
)
def test_values_of_the_standard_library_copy_by_the_call_that_made_them(
    base, spellings, monkeypatch
):
    cls = interned(type("Value", (base,), {"__module__": __name__}))
    monkeypatch.setattr(HERE, "Value", cls, raising=False)
    kept = [cls(*arguments) for arguments in spellings]
    assert all(cls(*arguments) is one for arguments, one in zip(spellings, kept, strict=True))
    for one in kept:
        assert copy.copy(one) is copy.deepcopy(one) is one
        assert all(pickle.loads(pickle.dumps(one, protocol)) is one for protocol in PROTOCOLS)


@interned
class Secret:
    """Says itself what is pickled."""

    def __init__(self, name, password=None):
        self.name, self.password = name, password

    def __reduce__(self):
        return type(self), (self.name,)


def test_an_own_reduce_of_a_plain_class_is_asked():
    one = Secret("n", "password")
    data = pickle.dumps(one)
    assert b"password" not in data
    assert pickle.loads(data) is Secret("n")
    assert copy.copy(one) is one


@interned
class Singular:
    def __reduce__(self):
        return "SINGULAR"


SINGULAR = Singular()


def test_an_own_reduce_may_name_a_global():
    assert pickle.loads(pickle.dumps(SINGULAR)) is SINGULAR
    loose = object.__new__(Singular)
    assert copy.copy(loose) is loose


class Bag:
    """Tells by `__reduce__` of items, pairs and a state to be set by a function."""

    def __init__(self, items=()):
        self.items, self.pairs, self.x = list(items), {}, None

    def append(self, item):
        self.items.append(item)

    def __setitem__(self, key, value):
        self.pairs[key] = value

    def __reduce__(self):
        pairs = iter(self.pairs.items())
        return self.maker, (type(self),), self.x, iter(self.items), pairs, set_x


def set_x(made, state):
    made.x = state


def make_bag(cls):
    made = object.__new__(cls)
    made.__init__()
    return made


@pytest.mark.parametrize("again", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_whatever_a_reduce_may_say_is_done_but_not_to_shared_objects(again, monkeypatch):
    cls = interned(type("Told", (Bag,), {"__module__": __name__}))
    monkeypatch.setattr(HERE, "Told", cls, raising=False)
    cls.maker, shared, loose = staticmethod(make_bag), cls(), object.__new__(cls)
    loose.items, loose.pairs, loose.x = [1], {2: 3}, 4
    made = again(loose)
    assert made is not loose
    assert vars(made) == {"items": [1], "pairs": {2: 3}, "x": 4}
    cls.maker = staticmethod(construct)
    assert again(loose) is shared
    assert vars(shared) == {"items": [], "pairs": {}, "x": None}


def construct(cls):
    return cls()


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_objects_made_by_hand_keep_their_items_and_their_cycles(again):
    loose = object.__new__(Plain)
    loose.x, loose.me = [1], loose
    made = again(loose)
    assert made is not loose
    assert type(made) is Plain
    assert made.x == [1]
    assert made.me is (loose if again is copy.copy else made)


def test_a_registered_reducer_wins(monkeypatch):
    cls = interned(type("Registered", (), {"__init__": lambda self, x: setattr(self, "x", x)}))
    cls.__module__ = __name__
    monkeypatch.setattr(HERE, "Registered", cls, raising=False)
    monkeypatch.setitem(copyreg.dispatch_table, cls, lambda one: (cls, (one.x + 1,)))
    one, two = cls(1), cls(2)
    assert pickle.loads(pickle.dumps(one)) is two


# Undecorated subclasses.


class Sub(Node):
    pass


class PlainSub(Plain):
    def __init__(self):
        super().__init__(1)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_subclasses_copy_as_ever(again):
    one, plain = Sub("s"), PlainSub()
    plain.log.append(1)
    assert again(one) == one
    assert again(one) is not one
    assert again(plain).log == [1]
    for name in ("__copy__", "__deepcopy__", "__setstate__"):
        assert not hasattr(Sub, name)
        assert not hasattr(one, name)


def test_only_shared_instances_refuse_state():
    cls = interned(dataclasses.make_dataclass("Row", [("x", int, 1)], frozen=True))
    kept, loose = cls(), object.__new__(cls)
    assert hasattr(kept, "__setstate__")
    assert not hasattr(loose, "__setstate__")
    assert not hasattr(Node("n"), "__setstate__")


# Deep and wide.


def test_a_plain_instance_whose_argument_is_gone_pickles_by_its_state():
    class Unique:
        name = "u"

    @interned
    class Named:
        def __init__(self, unique):
            self.name = unique.name

    one = Named(Unique())
    assert interner(Named).call_of(one) is None
    assert copy.copy(one) is copy.deepcopy(one) is one
    function, arguments, state = one.__reduce_ex__(4)[:3]
    assert function(*arguments).__class__ is Named
    assert state == {"name": "u"}
