"""What a class looks like to its interner."""

import dataclasses
from dataclasses import InitVar, dataclass, field

import attr
import attrs
import pytest

from interned.errors import MutableClassError
from interned.shapes import record_marks, shape_of


def make(decorator, **body):
    annotations = dict.fromkeys(body.pop("names", "x y").split(), object)
    return decorator(type("Row", (), {"__annotations__": annotations, **body}))


FROZEN = {
    "dataclass": dataclass(frozen=True),
    "slots": dataclass(frozen=True, slots=True),
    "attrs": attrs.frozen,
    "attrs without slots": attrs.frozen(slots=False),
    "attr.s": attr.s(frozen=True, auto_attribs=True),
}


@pytest.mark.parametrize("decorator", FROZEN.values(), ids=FROZEN)
def test_a_generated_constructor_is_transparent(decorator):
    shape = shape_of(make(decorator, y=2))
    assert shape.fields == shape.parameters == ("x", "y")
    assert shape.transparent
    assert shape.repeatable
    assert shape.blanks
    assert shape.initialises
    assert not shape.variadic
    assert not shape.takes_nothing
    assert shape.telltale == "x"


def test_fields_are_in_the_order_of_the_parameters():
    row = make(dataclass(frozen=True), x=field(kw_only=True))
    assert shape_of(row).fields == shape_of(row).parameters == ("y", "x")
    assert [f.name for f in dataclasses.fields(row)] == ["x", "y"]


def test_private_names_and_aliases_lead_to_their_fields():
    @attrs.frozen
    class Row:
        _x: int
        y: int = attrs.field(alias="why")

    shape = shape_of(Row)
    assert shape.transparent
    assert shape.parameters == ("x", "why")
    assert shape.fields == ("_x", "y")
    assert shape.field_of == {"x": "_x", "why": "y"}


class Descriptor:
    def __get__(self, instance, owner):
        return 1

    def __set__(self, instance, value):
        pass


DATACLASS = FROZEN["dataclass"]
OPAQUE = {
    "post init": make(DATACLASS, __post_init__=lambda self: None),
    "own init": make(DATACLASS, __init__=lambda self, x, y: None),
    "own new": make(DATACLASS, __new__=lambda cls, x, y: object.__new__(cls)),
    "init var": make(DATACLASS, __annotations__={"x": InitVar[int], "y": int}),
    "init false": make(DATACLASS, y=field(init=False)),
    "getattribute": make(DATACLASS, __getattribute__=object.__getattribute__),
    "descriptor": make(DATACLASS, y=Descriptor()),
    "converter": make(attrs.frozen, y=attrs.field(converter=int)),
    "validator": make(attrs.frozen, y=attrs.field(validator=attrs.validators.ge(1))),
    "pre init": make(attrs.frozen, __attrs_pre_init__=lambda self: None),
    "attrs post init": make(attrs.frozen, __attrs_post_init__=lambda self: None),
    "attrs own init": make(attrs.frozen, __init__=lambda self, x, y: None),
    "attrs init false": make(attrs.frozen, y=attrs.field(init=False)),
}


@pytest.mark.parametrize("cls", OPAQUE.values(), ids=OPAQUE)
def test_what_changes_values_on_the_way_is_opaque(cls):
    assert not shape_of(cls).transparent
    assert set(shape_of(cls).fields) <= {"x", "y"}


def test_a_constructor_from_a_string_is_not_taken_for_a_generated_one():
    names = {"dataclass": dataclass}
    source = "@dataclass(frozen=True)\nclass Row:\n x: int\n def __init__(self, x): pass"
    exec(compile(source, "<string>", "exec"), names)
    assert not shape_of(names["Row"]).transparent
    assert shape_of(names["Row"]).telltale is None


@pytest.mark.parametrize(
    ("cls", "telltale"),
    [
        (make(DATACLASS), "x"),
        (make(DATACLASS, x=None, y=None), None),
        (make(DATACLASS, x=1, y=field(default_factory=tuple)), "y"),
        (make(FROZEN["slots"], x=None, y=None), "x"),
        (make(DATACLASS, __getattr__=lambda self, name: 1), None),
        (make(DATACLASS, __getattribute__=object.__getattribute__), None),
        (make(DATACLASS, x=field(init=False)), "y"),
        (OPAQUE["own init"], None),
        (OPAQUE["own new"], None),
        (make(attrs.frozen, __getattr__=lambda self, name: 1), None),
        (type("Plain", (), {}), None),
    ],
)
def test_the_telltale_is_a_field_that_only_a_finished_instance_has(cls, telltale):
    assert shape_of(cls).telltale == telltale


def test_factories_are_known_by_the_defaults_that_stand_for_them():
    shape = shape_of(make(DATACLASS, y=field(default_factory=tuple)))
    ((place, stand_in),) = shape.factories
    assert (place, stand_in) == (1, shape.signature.parameters["y"].default)
    by_attrs = shape_of(make(attrs.frozen, y=attrs.Factory(tuple)))
    assert by_attrs.factories == ((1, attrs.NOTHING),)
    own = shape_of(
        make(DATACLASS, y=field(default_factory=tuple), __init__=lambda self, y=(): None)
    )
    assert own.factories == ()


@pytest.mark.parametrize(
    ("cls", "repeatable"),
    [
        (make(DATACLASS, y=field(default_factory=list)), True),
        (make(DATACLASS, y=field(init=False, default_factory=list)), False),
        (make(DATACLASS, y=field(default_factory=list), __init__=lambda self: None), False),
        (make(attrs.frozen, y=attrs.field(init=False, factory=list)), False),
        (make(attrs.frozen, y=attrs.field(init=False, default=attrs.Factory(str, True))), True),
    ],
)
def test_a_factory_that_no_argument_replaces_makes_each_call_different(cls, repeatable):
    assert shape_of(cls).repeatable is repeatable


def test_a_plain_class_has_no_fields():
    class Plain:
        def __init__(self, x, *rest):
            pass

    shape = shape_of(Plain)
    assert shape.fields is None
    assert shape.parameters == ("x", "rest")
    assert shape.variadic
    assert shape.transparent


def test_a_subclass_inherits_the_fields_unless_it_brings_a_constructor():
    base = make(DATACLASS)
    assert shape_of(type("Sub", (base,), {})).fields == ("x", "y")
    assert shape_of(type("Sub", (base,), {"__init__": lambda self, z: None})).fields is None
    assert shape_of(type("Sub", (base,), {"__new__": lambda cls: None})).fields is None
    nearer = dataclasses.make_dataclass("Sub", ["z"], bases=(base,), frozen=True)
    assert shape_of(nearer).fields == ("x", "y", "z")


def test_the_nearest_library_counts():
    by_attrs = attrs.make_class("Sub", ["z"], bases=(make(DATACLASS),), frozen=True)
    assert shape_of(by_attrs).fields == ("z",)


@pytest.mark.parametrize(
    ("cls", "kind"),
    [
        (make(dataclass), "dataclass"),
        (make(attrs.define), "attrs class"),
        (type("Row", (make(dataclass),), {"__init__": lambda self: None}), "dataclass"),
    ],
)
def test_fields_that_can_be_assigned_are_refused(cls, kind):
    with pytest.raises(MutableClassError, match=f"Row is an? {kind} whose fields can be assigned"):
        shape_of(cls)


def test_marks_are_those_of_the_class_itself():
    base = make(DATACLASS)
    assert record_marks(base) == (base.__dataclass_fields__, None)
    assert record_marks(type("Sub", (base,), {})) == (None, None)


@pytest.mark.parametrize(
    ("body", "blanks", "nothing", "demanding"),
    [
        ({}, False, True, False),
        ({"__init__": lambda self, x: None}, True, False, False),
        ({"__new__": lambda cls: None}, False, False, False),
        ({"__new__": lambda cls, x: None}, False, False, True),
        ({"__new__": lambda cls, *x: None, "__init__": lambda self, x: None}, False, False, False),
    ],
)
def test_what_new_and_init_are_for(body, blanks, nothing, demanding):
    shape = shape_of(type("Plain", (), body))
    assert (shape.blanks, shape.takes_nothing, shape.demanding) == (blanks, nothing, demanding)
