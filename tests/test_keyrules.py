"""Which rule a class gets, and for how long."""

import array
import collections
import dataclasses
import enum
import functools
import gc
import re
import types
import weakref
from collections.abc import Mapping, MutableMapping

import pytest

from interned import keyrules
from interned.errors import UnkeyableError
from interned.keyrules import is_member, register, rule_of
from interned.keys import exact_key, weak_key

BOTH = pytest.mark.parametrize("key", [exact_key, weak_key])


def refusal(value):
    with pytest.raises(UnkeyableError) as caught:
        exact_key(value)
    return str(caught.value)


class Color(enum.Enum):
    RED = 1
    CRIMSON = RED
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


class Holder(tuple, enum.Enum):
    __slots__ = ()
    PAIR = (1, 2)


class Open(str, enum.Enum):  # noqa: UP042 (its comparison is under test)
    A = "a"

    @classmethod
    def _missing_(cls, value):
        member = str.__new__(cls, value)
        member._name_, member._value_ = "A", value
        return member


@BOTH
def test_members_of_enums_are_known_by_identity(key):
    members = [*Color, *Level, *Access, *Holder, *Open, Access.READ | Access.WRITE, Access(0)]
    assert len({key(member) for member in members}) == len(members)
    assert key(Color.RED) == key(Color.CRIMSON)
    assert key(Level.LOW) != key(1)
    assert key(Access.READ | Access.WRITE) == key(Access(3))
    assert key(re.IGNORECASE | re.MULTILINE) == key(re.RegexFlag(10))


@BOTH
def test_made_up_members_are_not_the_member_of_their_name(key):
    one, other = Open("x"), Open("x")
    assert not is_member(one)
    assert key(one) == key(one)
    assert len({key(one), key(other), key(Open.A)}) == 3
    flag = int.__new__(Access, 1)
    flag._name_, flag._value_ = "READ", 1
    assert key(flag) != key(Access.READ)


class Frozen(dict):
    def __hash__(self):
        return hash(frozenset(self.items()))

    def __setitem__(self, name, value):
        raise TypeError


class View(Mapping):
    def __init__(self, items):
        self.content = dict(items)

    def __getitem__(self, name):
        return self.content[name]

    def __iter__(self):
        return iter(self.content)

    def __len__(self):
        return len(self.content)

    def __hash__(self):
        return hash(frozenset(self.content.items()))


class Renamed(View):
    title = ""

    def __eq__(self, other):
        return super().__eq__(other) and self.title == other.title

    __hash__ = View.__hash__


@BOTH
@pytest.mark.parametrize("kind", [Frozen, View, Renamed])
def test_immutable_mappings_are_exact(key, kind):
    assert key(kind({"a": 1, "b": (2.0,)})) == key(kind({"a": 1, "b": (2.0,)}))
    assert key(kind({"a": 1})) != key(kind({"a": True}))
    assert key(kind({1: "a"})) != key(kind({True: "a"}))
    assert key(kind({"a": 1, "b": 2})) != key(kind({"b": 2, "a": 1}))
    assert key(kind({})) != key(())


def test_a_mapping_may_hold_more_than_its_items():
    one, other = Renamed({}), Renamed({})
    other.title = "x"
    assert exact_key(one) != exact_key(other)


@pytest.mark.parametrize("kind", [Frozen, View])
def test_a_mutable_value_in_a_mapping_is_named(kind):
    assert refusal(kind({"a": 1, "b": [1]})).startswith("['b']: a list is mutable")


class Stack(list):
    def __hash__(self):
        return 0


class Table(MutableMapping):
    __getitem__ = __setitem__ = __delitem__ = __iter__ = __len__ = None

    def __hash__(self):
        return 0


class Loose:
    def __eq__(self, other):
        return True


MUTABLE = [
    ([], "a list is mutable (unhashable)", "pass a tuple"),
    (set(), "a set is mutable (unhashable)", "pass a frozenset"),
    ({}, "a dict is mutable (unhashable)", "pass an immutable mapping or a tuple of its items"),
    (bytearray(), "a bytearray is mutable (unhashable)", "pass bytes"),
    (memoryview(b""), "a memoryview is mutable (hashable or not)", "pass bytes"),
    (array.array("i"), "an array is mutable (unhashable)", "pass a tuple or bytes"),
    (collections.deque(), "a deque is mutable (unhashable)", "pass a tuple"),
    (collections.defaultdict(), "a defaultdict is mutable (unhashable)", "a tuple of its items"),
    (collections.OrderedDict(), "an OrderedDict is mutable (unhashable)", "a tuple of its items"),
    (types.MappingProxyType({}), "a mappingproxy is mutable", "a tuple of its items"),
    (types.MappingProxyType(Frozen()), "a mappingproxy is mutable", "a tuple of its items"),
    (Stack(), "a Stack is mutable (hashable or not)", "pass a tuple"),
    (Table(), "a Table is mutable (hashable or not)", "call register_key(Table, …)"),
    (Loose(), "a Loose is unhashable", "make the class frozen, or call register_key(Loose, …)"),
    ({}.keys(), "a dict_keys is unhashable", "register_key"),
    (types.SimpleNamespace(), "a SimpleNamespace is unhashable", "register_key"),
]


@pytest.mark.parametrize(("value", "state", "remedy"), MUTABLE, ids=repr)
def test_what_is_refused(value, state, remedy):
    message = refusal(value)
    assert state in message
    assert remedy in message
    assert refusal((value,)) == f"[0]: {message}"


def test_a_list_known_by_identity_is_an_object_like_others():
    kind = type("Row", (list,), {"__eq__": object.__eq__, "__hash__": object.__hash__})
    one, other = kind(), kind()
    assert exact_key(one) == exact_key(one)
    assert exact_key(one) != exact_key(other)


class Case(str):
    __slots__ = ()

    def __eq__(self, other):
        return self.lower() == other.lower()

    def __hash__(self):
        return hash(self.lower())


class Word:
    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Word) and self.text.lower() == other.text.lower()

    def __hash__(self):
        return hash(self.text.lower())


class Shout(Word):
    pass


@BOTH
def test_unknown_classes_are_told_apart_by_class_and_equality(key):
    one, other, shout = Word("a"), Word("A"), Shout("a")
    assert key(one) == key(other)
    assert hash(key(one)) == hash(key(other))
    assert one == shout
    assert key(one) != key(shout)
    assert key(Case("a")) != key(Case("A"))


@BOTH
def test_unknown_classes_without_equality_are_told_apart_by_identity(key):
    class Handle:
        def __hash__(self):
            raise AssertionError

    one, other = Handle(), Handle()
    assert key(one) == key(one)
    assert key(one) != key(other)


class Alike(type):
    def __eq__(cls, other):
        return isinstance(other, Alike)

    def __hash__(cls):
        return 0


@BOTH
def test_a_metaclass_does_not_merge_its_classes(key):
    one, other = Alike("C", (), {}), Alike("C", (), {})
    assert one == other
    assert key(one) == key(one)
    assert key(one) != key(other)
    number, digit = Alike("N", (int,), {}), Alike("N", (int,), {})
    assert key(number(1)) == key(number(1))
    assert key(number(1)) != key(digit(1))


class Angle:
    def __init__(self, degrees):
        self.degrees = degrees

    def __eq__(self, other):
        return self.degrees % 360 == other.degrees % 360

    def __hash__(self):
        return hash(self.degrees % 360)


class Arc(Angle):
    pass


class Bearing(Angle):
    pass


@pytest.fixture
def registered():
    register(Angle, lambda angle: (angle.degrees, "°"))
    register(Bearing, lambda bearing: bearing.degrees % 360)


@BOTH
@pytest.mark.usefixtures("registered")
def test_a_registered_function_tells_values_apart(key):
    assert key(Angle(0)) == key(Angle(0))
    assert key(Angle(0)) != key(Angle(360))
    assert key(Angle(1)) != key(Angle(True))
    assert key(Angle(0)) != key(Arc(0))


@BOTH
@pytest.mark.usefixtures("registered")
def test_the_nearest_registration_serves_subclasses(key):
    assert key(Arc(0)) != key(Arc(360))
    assert key(Bearing(0)) == key(Bearing(360))


@pytest.mark.usefixtures("registered")
def test_a_mutable_result_is_refused():
    register(Bearing, lambda bearing: [bearing.degrees])
    assert refusal(Bearing(0)).startswith("a list is mutable")


def test_a_registration_counts_at_once_and_the_last_one_wins():
    kind = type("Kind", (Word,), {})
    assert exact_key(kind("a")) == exact_key(kind("A"))
    register(Word, lambda word: word.text)
    try:
        assert exact_key(kind("a")) != exact_key(kind("A"))
        register(kind, lambda word: len(word.text))
        assert exact_key(kind("a")) == exact_key(kind("b"))
    finally:
        register(Word, Word.__hash__)


def test_fields_of_a_subclass_are_nearer_than_a_registration_of_its_base():
    kind = dataclasses.make_dataclass("Kind", ["x"], bases=(Angle,), frozen=True)
    register(Angle, lambda angle: 0)
    assert exact_key(kind(1)) != exact_key(kind(2))


@pytest.mark.parametrize("cls", [int, str, float, tuple, Color, functools.partial])
def test_exact_rules_are_not_replaced(cls):
    with pytest.raises(TypeError, match=rf"^values of {cls.__name__} have an exact key"):
        register(cls, id)


def test_only_classes_are_registered():
    with pytest.raises(TypeError, match=r"^register_key takes a class and a function, not 1$"):
        register(1, id)


def test_a_registration_goes_with_its_class():
    kind = type("Kind", (), {})
    register(kind, id)
    rule, seen = rule_of(kind), weakref.ref(kind)
    del kind
    gc.collect()
    assert seen() is None
    assert rule.target() is None


def test_the_rule_of_a_dead_class_is_not_another_s(monkeypatch):
    old, new = type("Old", (int,), {}), type("New", (), {})
    # What would be if the callback of a dead reference were lost, and its address used again.
    stale = rule_of(old)
    stale.target = weakref.ref(type("Dead", (), {}))
    gc.collect()
    for home in ("_rules", "_registered"):
        monkeypatch.setattr(keyrules, home, {id(new): stale})
    assert rule_of(new).target() is new
    assert rule_of(new).parts is not stale.parts


def test_a_rule_is_found_once():
    assert rule_of(Word) is rule_of(Word)


@pytest.mark.parametrize("error", [ValueError("sealed"), TypeError("sealed")], ids=type)
def test_an_exception_of_a_hash_reaches_the_caller(error):
    class Sealed:
        def __eq__(self, other):
            return True

        def __hash__(self):
            raise error

    with pytest.raises(type(error)) as caught:
        exact_key((1, Sealed()))
    assert caught.value is error


def test_an_unhashable_part_of_an_unknown_value_is_reported():
    class Box:
        def __init__(self, content):
            self.content = content

        def __eq__(self, other):
            return self.content == other.content

        def __hash__(self):
            return hash((Box, self.content))

    assert exact_key(Box(1)) == exact_key(Box(1))
    expected = "[1]: no exact key can stand for this Box: unhashable type: 'list'"
    assert refusal((0, Box([]))) == expected
