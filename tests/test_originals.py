"""The class's own special methods, past those put in their place."""

import enum
import typing

import pytest

from interned import interned
from interned.originals import GENERATED, Originals, is_lent, own, user_new


class Base:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return "base"


class Row(Base):
    def __repr__(self):
        return "row"

    @classmethod
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)


class Mixin:
    def __init__(self, x):
        self.mixed = x


class Proto(typing.Protocol):
    def size(self): ...


def test_own_looks_past_object_and_what_is_lent():
    assert own(Row, "__init__") is Base.__init__
    assert own(Row, "__eq__") is None
    assert is_lent(Proto.__init__)
    assert own(type("Row", (Proto,), {}), "__init__") is None
    assert own(type("Row", (Proto, Base), {}), "__init__") is Base.__init__
    assert not is_lent(Base.__init__)


def new(cls, *args):
    return object.__new__(cls)


def test_user_new_looks_through_what_was_generated():
    plain, making = type("Plain", (), {}), type("Making", (), {"__new__": new})
    assert user_new(plain.__mro__) is None
    assert user_new(making.__mro__) is new
    assert user_new(type("Sub", (making,), {}).__mro__) is new
    assert user_new(str.__mro__) is str.__new__
    interned(plain), interned(making)
    assert hasattr(vars(making)["__new__"].__func__, GENERATED)
    assert user_new(plain.__mro__) is None
    assert user_new(making.__mro__) is new
    assert user_new(type("Sub", (plain, making), {}).__mro__) is new


def test_what_finds_members_of_enums_is_no_maker():
    assert user_new(enum.Enum.__mro__) is None
    assert user_new(enum.IntEnum.__mro__) is int.__new__

    class Member(Row, enum.Enum):
        pass

    assert type(Originals(Row).new(Member, (1, 2), {})) is Member


def test_bind_finds_what_a_look_up_found_before():
    originals = Originals(Row)
    Row.__repr__, before = lambda self: "changed", Row.__repr__
    try:
        one = Row(1)
        assert repr(one) == "changed"
        assert originals.bind("__repr__", one, Row)() == "row"
        assert originals.bind("__repr__", None, Row)(one) == "row"
    finally:
        Row.__repr__ = before
    assert originals.bind("__init_subclass__", None, Row)() is None
    with pytest.raises(AttributeError):
        originals.bind("__copy__", one, Row)


def test_what_is_inherited_is_looked_up_at_each_call():
    originals = Originals(Row)
    sub = type("Sub", (Row, Mixin), {})
    originals.function("__init__")(one := object.__new__(sub), 1)
    assert vars(one) == {"x": 1}
    other = type("Other", (Base,), {"__init__": lambda self, x: setattr(self, "other", x)})
    both = type("Both", (Row, other), {})
    originals.function("__init__")(one := object.__new__(both), 1)
    assert vars(one) == {"other": 1}


def test_a_function_of_its_own_is_given_as_it_is():
    assert Originals(Base).function("__init__") is Base.__init__
    assert Originals(Base).defined("__init__") is Base.__init__
    assert Originals(Row).defined("__init__") is None


def test_an_initialiser_that_typing_lends_is_passed_over():
    row = type("Row", (Proto, Base), {"size": lambda self: 1})
    initialise = Originals(row).function("__init__")
    row.__init__ = lambda self, x: None
    one = row(3)
    initialise(one, 3)
    assert one.x == 3
    bare = type("Row", (Proto,), {})
    assert Originals(bare).function("__init__")(object.__new__(bare)) is None


@pytest.mark.parametrize("given", [(), (1,)])
def test_new_hands_arguments_only_to_who_wants_them(given):
    class Making:
        def __new__(cls, *args):
            made = object.__new__(cls)
            made.args = args
            return made

    assert vars(Originals(Row).new(Row, given, {})) == {}
    assert Originals(Making).new(Making, given, {}).args == given
    assert Originals(Row).new(type("Sub", (Row, Making), {}), given, {}).args == given
