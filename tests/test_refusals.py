"""Classes that cannot be interned, each with its reason and the remedy."""

import collections
import copy
import dataclasses
import datetime as dt
import enum
import pickle
import sys
import typing
from importlib.util import find_spec

import attrs
import pytest

from interned import (
    MutableClassError,
    NotWeakReferenceableError,
    UnsupportedClassError,
    interned,
)

# What is refused, with the reason and the remedy.


def a_named_tuple():
    return typing.NamedTuple("Row", [("x", int)])


def a_tuple():
    return type("Row", (tuple,), {})


def an_enum():
    return enum.Enum("Row", "A")


def a_flag():
    return enum.Flag("Row", "A")


def a_protocol():
    class Row(typing.Protocol):
        def size(self): ...

    return Row


def an_exception():
    return type("Row", (ValueError,), {})


def an_attrs_exception():
    return attrs.frozen(type("Row", (Exception,), {"__annotations__": {"x": int}}))


def a_metaclass():
    return type("Row", (type,), {})


def a_built_in():
    return dt.timedelta


def library_class(name, module):
    """Stands for a class of a library that need not be installed."""
    return type(name, (), {"__module__": module})


def a_pydantic_model():
    return type("Row", (library_class("BaseModel", "pydantic.main"),), {})


def a_real_pydantic_model():
    import pydantic

    body = {"__annotations__": {"x": int}, "__module__": __name__}
    return type("Row", (pydantic.BaseModel,), body)


def a_msgspec_struct():
    return type("Row", (library_class("Struct", "msgspec"),), {})


def a_real_msgspec_struct():
    import msgspec

    body = {"__annotations__": {"x": int}}
    return type(msgspec.Struct)("Row", (msgspec.Struct,), body)


def a_list():
    return type("Row", (list,), {})


def a_deque():
    return type("Row", (collections.deque,), {})


def a_mutable_mapping():
    return type("Row", (collections.UserDict,), {})


def a_typed_dict():
    return typing.TypedDict("Row", {"x": int})


def a_mutable_dataclass():
    return dataclasses.make_dataclass("Row", ["x"])


def a_mutable_dataclass_that_hashes():
    return dataclasses.make_dataclass("Row", ["x"], unsafe_hash=True)


def a_subclass_of_a_mutable_dataclass():
    return type("Row", (a_mutable_dataclass(),), {})


def a_mutable_attrs_class():
    return attrs.make_class("Row", ["x"])


def an_attrs_class_that_freezes_attributes_only():
    return attrs.define(on_setattr=attrs.setters.frozen)(
        type("Row", (), {"__annotations__": {"x": int}})
    )


def slots_without_weakref():
    return dataclasses.make_dataclass("Row", ["x"], frozen=True, slots=True)


def attrs_slots_without_weakref():
    return attrs.make_class("Row", ["x"], frozen=True, slots=True, weakref_slot=False)


def plain_slots_without_weakref():
    return type("Row", (), {"__slots__": ("x",)})


def an_int():
    return type("Row", (int,), {})


HERE = sys.modules[__name__]
REFUSED = [
    (a_named_tuple, UnsupportedClassError, "frozen dataclass"),
    (a_tuple, UnsupportedClassError, "frozen dataclass"),
    (an_enum, UnsupportedClassError, "leave @interned out"),
    (a_flag, UnsupportedClassError, "leave @interned out"),
    (a_protocol, UnsupportedClassError, "decorate the classes that implement it"),
    (an_exception, UnsupportedClassError, "intern the value that it carries"),
    (an_attrs_exception, UnsupportedClassError, "intern the value that it carries"),
    (a_metaclass, UnsupportedClassError, "decorate those"),
    (a_built_in, UnsupportedClassError, "decorate a subclass"),
    (a_pydantic_model, UnsupportedClassError, "use a frozen dataclass"),
    (a_msgspec_struct, UnsupportedClassError, "use a frozen dataclass"),
    (a_list, MutableClassError, "holds a tuple instead"),
    (a_deque, MutableClassError, "holds a tuple instead"),
    (a_mutable_mapping, MutableClassError, "holds a tuple instead"),
    (a_typed_dict, MutableClassError, "holds a tuple instead"),
    (a_mutable_dataclass, MutableClassError, r"@dataclass\(frozen=True\)"),
    (a_mutable_dataclass_that_hashes, MutableClassError, r"@dataclass\(frozen=True\)"),
    (a_subclass_of_a_mutable_dataclass, MutableClassError, r"@dataclass\(frozen=True\)"),
    (a_mutable_attrs_class, MutableClassError, "@attrs.frozen"),
    (an_attrs_class_that_freezes_attributes_only, MutableClassError, "@attrs.frozen"),
    (slots_without_weakref, NotWeakReferenceableError, "weakref_slot=True"),
    (attrs_slots_without_weakref, NotWeakReferenceableError, "weakref_slot=True"),
    (plain_slots_without_weakref, NotWeakReferenceableError, '"__weakref__"'),
    (an_int, NotWeakReferenceableError, "frozen dataclass that holds the value"),
]


if find_spec("pydantic"):
    REFUSED.append((a_real_pydantic_model, UnsupportedClassError, "use a frozen dataclass"))
if find_spec("msgspec"):
    REFUSED.append((a_real_msgspec_struct, UnsupportedClassError, "use a frozen dataclass"))


@pytest.mark.parametrize(
    ("make", "error", "remedy"), REFUSED, ids=[make.__name__ for make, *_ in REFUSED]
)
def test_what_cannot_work_is_refused_with_the_remedy(make, error, remedy):
    cls = make()
    before = dict(vars(cls))
    with pytest.raises(error, match=remedy) as caught:
        interned(cls)
    assert cls.__qualname__ in str(caught.value)
    assert dict(vars(cls)) == before


@pytest.mark.parametrize(
    "make", [slots_without_weakref, attrs_slots_without_weakref, an_int], ids=lambda m: m.__name__
)
@pytest.mark.parametrize("options", [{}, {"maxsize": 2}], ids=["for ever", "bounded"])
def test_what_cannot_be_referenced_weakly_is_interned_with_weak_false(make, options, monkeypatch):
    cls = make()
    cls.__module__ = __name__
    monkeypatch.setattr(HERE, "Row", cls, raising=False)
    interned(weak=False, **options)(cls)
    kept = cls(1)
    assert cls(1) is kept
    assert copy.copy(kept) is copy.deepcopy(kept) is kept
    assert pickle.loads(pickle.dumps(kept)) is kept
    cls(2), cls(3)
    assert (cls(1) is kept) is (not options)
    assert cls(1) == kept
