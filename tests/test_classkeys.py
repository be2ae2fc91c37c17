"""How calls and finished values of a class are keyed."""

import copy
import pickle
import sys
import uuid
from dataclasses import InitVar, dataclass, field, make_dataclass

import attrs
import pytest

from interned import UnkeyableError, interned, interner
from interned.classkeys import ClassKeys
from interned.entries import ExactKey
from interned.options import Options
from interned.shapes import shape_of

HERE = sys.modules[__name__]
OPTIONS = {"bare": {}, "for ever": {"weak": False}, "strong": {"weak": False, "maxsize": 9}}
AGAIN = [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]


class Valued:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __hash__(self):
        return self.n


def keys_of(cls, **options):
    return ClassKeys(cls, shape_of(cls), Options(**options))


@dataclass(frozen=True)
class Pair:
    x: object
    y: object = 2


@attrs.frozen
class Port:
    number: int = attrs.field(converter=int)


class Plain:
    def __init__(self, x, *rest, **options):
        self.x = x


def test_plain_arguments_of_a_transparent_class_key_its_value():
    keys = keys_of(Pair)
    assert keys.of_arguments((1, "a")) == (1, "a", int, str) == keys.of_value(Pair(1, "a"))
    exact = keys.of_arguments((1, (2,)))
    assert isinstance(exact, ExactKey)
    assert exact == keys.of_value(Pair(1, (2,)))


def test_arguments_of_any_other_class_are_a_spelling():
    keys = keys_of(Port)
    assert keys.of_arguments(("80",)) == ("80", str)
    assert isinstance(keys.of_value(Port(80)), ExactKey)
    assert keys.of_value(Port(80)) == keys.of_value(Port("80")) != keys.of_arguments((80,))
    assert keys.of_arguments(([80],)) is None


def test_a_spelling_that_may_give_another_value_is_none():
    made = field(default_factory=uuid.uuid4)
    fresh = make_dataclass("Fresh", [("x", int), ("id", object, made)], frozen=True)
    keys = keys_of(fresh)
    assert keys.of_arguments((1, 2)) == (1, 2, int, int)
    assert keys.of_arguments((1, shape_of(fresh).factories[0][1])) is None


def test_an_unset_field_is_a_value_of_its_own():
    row = make_dataclass("Row", [("x", object, field(init=False))], frozen=True)
    unset, text = row(), row()
    object.__setattr__(text, "x", "<unset>")
    keys = keys_of(row)
    assert keys.of_value(unset) == keys.of_value(row())
    assert keys.of_value(unset) != keys.of_value(text)


def test_keywords_count_in_any_order_and_are_not_positions():
    keys = keys_of(Plain)

    def key(x, *rest, **options):
        return keys.of_call((x, rest, options))

    assert key(1, a=2, b=3) == key(1, b=3, a=2)
    different = [key(1), key(1, 2), key(1, a=2), key(1, a=3), key(1, b=2), key(1, ("a", 2))]
    assert len(set(different)) == len(different)
    with pytest.raises(UnkeyableError, match=r"Plain\.b: a list"):
        key(1, b=[])
    with pytest.raises(UnkeyableError, match=r"Plain\.rest\[1\]: a list"):
        key(1, 2, [])


def test_a_flat_key_tells_the_call():
    assert keys_of(Pair).call_in((1, 2, int, int)) == (1, 2)
    assert keys_of(Pair, ignore="y").call_in((1, int)) is None
    assert keys_of(Plain).call_in(ExactKey(("fields", 1))) is None


def test_what_a_factory_made_is_read_back():
    row = make_dataclass(
        "Row", [("x", int), ("y", tuple, field(default_factory=tuple))], frozen=True
    )
    omitted = shape_of(row).factories[0][1]
    keys = keys_of(row)
    assert keys.filled(row(1), (1, omitted)) == (1, ())
    assert keys.filled(row(1, (2,)), (1, (2,))) == (1, (2,))
    assert keys.filled(row(3)) == (3, ())


# key=


@pytest.fixture
def named(monkeypatch):
    def name(cls):
        cls.__module__, cls.__qualname__ = __name__, cls.__name__
        monkeypatch.setattr(HERE, cls.__name__, cls, raising=False)
        return cls

    return name


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_key_replaces_what_identifies(options, named):
    @interned(key=lambda name, *, note="": name.lower(), **options)
    @named
    @dataclass(frozen=True)
    class Row:
        name: str
        note: str = field(default="", kw_only=True)

    one = Row("A", note="first")
    assert Row("a") is Row(name="a", note="second") is one
    assert all(again(one) is one for again in AGAIN)
    assert Row("b") is not one


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_key_of_a_class_that_changes_its_arguments(options, named):
    asked = []

    def key(name, serial, note):
        asked.append(serial)
        return name

    @interned(key=key, **options)
    @named
    @attrs.frozen
    class Row:
        name: str = attrs.field(converter=str.lower)
        serial: object = attrs.field(factory=uuid.uuid4)
        note: str = ""

    one = Row("A")
    assert asked == [one.serial]
    assert Row("A", 1, "other") is one
    assert Row("a") is not one
    assert all(again(one) is one for again in AGAIN)
    assert attrs.evolve(one, note="changed") is not one


def test_a_result_of_key_that_nobody_else_keeps_still_leads_to_its_instance():
    @interned(key=lambda x: Valued(x % 10))
    class Row:
        def __init__(self, x):
            self.x = x

    one = Row(13)
    assert Row(23) is one
    assert Row(4) is not one


def test_key_of_a_plain_class_may_be_any_hashable_value():
    @interned(key=lambda url: url.split("?")[0])
    class Page:
        def __init__(self, url):
            self.url = url

    one = Page("a?1")
    assert Page("a?2") is one
    assert Page("b") is not one


def test_a_mutable_result_of_key_is_refused():
    row = interned(key=lambda x: [x])(make_dataclass("Row", ["x"], frozen=True))
    with pytest.raises(UnkeyableError, match=r"Row\.key=: a list"):
        row(1)


def test_what_key_raises_reaches_the_caller():
    row = interned(key=lambda x: x.upper())(make_dataclass("Row", ["x"], frozen=True))
    with pytest.raises(AttributeError):
        row(1)
    assert row("a") is row("A")


def test_a_result_of_key_is_keyed_exactly():
    row = interned(key=lambda x: x)(make_dataclass("Row", ["x"], frozen=True))
    kept = [row(x) for x in (1, True, 1.0, 0.0, -0.0, (1,), (True,))]
    assert len({id(one) for one in kept}) == 7


# ignore=


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_ignored_parameters_take_no_part(options, named):
    @interned(ignore="note", **options)
    @named
    @attrs.frozen
    class ByField:
        name: str
        _note: str = attrs.field(alias="note", factory=lambda: uuid.uuid4().hex)

    @interned(ignore=["note"], **options)
    @named
    class ByCall:
        def __init__(self, name, note=""):
            self.name, self.note = name, note

    @interned(ignore=("note",), **options)
    @named
    @dataclass(frozen=True)
    class ByValue:
        name: str
        note: InitVar[str] = ""

        def __post_init__(self, note):
            object.__setattr__(self, "name", self.name.lower())

    for cls in (ByField, ByCall, ByValue):
        one = cls("a", "first")
        assert cls("a") is cls(name="a", note="second") is one
        assert cls(("a",)[0], note="third") is one
        assert all(again(one) is one for again in AGAIN)
        assert cls("b") is not one
    assert ByValue("A", "first") is ByValue("a", "second")


def test_a_plain_instance_with_ignored_arguments_pickles_with_them(named):
    @interned(ignore="note")
    @named
    class Noted:
        def __init__(self, name, note):
            self.note = note

    data = pickle.dumps(Noted("a", "first"))
    assert len(interner(Noted).table) == 0
    assert pickle.loads(data).note == "first"


@pytest.mark.parametrize(("cls", "has"), [(Pair, "x, y"), (type("Empty", (), {}), "args, kwargs")])
def test_ignoring_what_is_no_parameter_is_refused(cls, has):
    with pytest.raises(
        TypeError, match=rf"ignore='z' is no parameter of {cls.__name__}; it has {has}"
    ):
        keys_of(cls, ignore="z")
