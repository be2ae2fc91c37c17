"""Which special methods of a class are replaced, and how they give way."""

import abc
import enum
import inspect
import sys
import typing
from dataclasses import dataclass
from unittest import mock

import attrs
import pytest

from interned import interned, interner

T = typing.TypeVar("T")


def make_row():
    @dataclass(frozen=True)
    class Row:
        x: object
        y: object = 2

    return Row


def make_plain():
    class Row:
        def __init__(self, x):
            self.x = x

    return Row


# What the class gains.

COPYING = {"__copy__", "__deepcopy__", "__reduce_ex__"}
CONSTRUCTING = {"__new__", "__init__", "__init_subclass__"}


@pytest.mark.parametrize(
    ("make", "replaced"),
    [
        (make_row, COPYING | CONSTRUCTING | {"__hash__", "__eq__"}),
        (make_plain, COPYING | CONSTRUCTING),
        (lambda: type("Row", (), {}), (COPYING | CONSTRUCTING | {"__setstate__"}) - {"__init__"}),
    ],
)
def test_only_special_methods_are_replaced(make, replaced):
    cls = make()
    before = dict(vars(cls))
    interned(cls)
    after = dict(vars(cls))
    changed = {name for name, value in after.items() if before.get(name) is not value}
    assert changed == replaced | {"__interner__"}
    assert before.keys() <= after.keys()


def test_a_class_is_interned_once():
    cls = interned(make_row())
    with pytest.raises(TypeError, match=r"Row is interned already; write @interned once"):
        interned(cls)


@pytest.mark.parametrize("options", [{"weak_args": "x"}, {"single_flight": True}])
def test_options_of_callables_are_refused(options):
    with pytest.raises(TypeError, match="is for callables"):
        interned(**options)(make_row())


def test_a_metaclass_that_forbids_changes_is_no_obstacle():
    class Sealed(type):
        def __setattr__(cls, name, value):
            raise TypeError(name)

    class Row(metaclass=Sealed):
        def __init__(self, x):
            self.x = x

    interned(Row)
    assert Row(1) is Row(x=1)


def test_a_static_constructor_is_found_through_instances_too():
    one = interned(make_row())(1)
    assert one.__new__(type(one), 1) is one
    assert isinstance(vars(type(one))["__new__"], staticmethod)


def test_the_signature_is_that_of_the_class():
    @interned
    class Row:
        def __init__(self, cls, *args: int, key: str = "k") -> None:
            """Take anything."""

    assert str(inspect.signature(Row)) == "(cls, *args: int, key: str = 'k') -> None"
    assert (
        str(inspect.signature(Row.__init__))
        == str(inspect.signature(Row))[:1] + "self, " + (str(inspect.signature(Row))[1:])
    )
    assert Row.__init__.__doc__ == "Take anything."
    assert typing.get_type_hints(Row.__init__) == {"args": int, "key": str, "return": type(None)}
    with pytest.raises(TypeError):
        mock.create_autospec(Row)()


def test_source_and_name_of_an_own_new_are_found():
    @interned
    class Row:
        def __new__(cls, x):
            """Make one."""
            return super().__new__(cls)

    assert "Make one." in inspect.getsource(Row.__new__)
    assert Row.__new__.__qualname__.endswith("Row.__new__")


# Subclasses.


def test_hits_of_a_class_with_subclasses_stay_hits():
    cls = interned(info=True)(make_row())
    kept = cls(1)

    class Sub(cls):
        def __init__(self, *args, **options):
            super().__init__(1)

    Sub("a", "b", "c", "d", e=5)
    for spelled in (lambda: cls(1), lambda: cls(x=1, y=2)):
        assert spelled() is kept
    assert interner(cls).cache_info()[:2] == (2, 1)
    for wrong in (lambda: cls(1, 2, 3), lambda: cls(1, z=3), cls, lambda: cls(1, x=1)):
        with pytest.raises(TypeError, match=r"Row.__init__\(\)"):
            wrong()


def test_subclasses_from_before_the_decoration_are_seen():
    cls = make_row()

    class Sub(cls):
        def __init__(self, *, key):
            super().__init__(key)

    class SubSub(Sub):
        pass

    interned(cls)
    assert Sub(key=1).x == SubSub(key=1).x == 1
    assert Sub(key=1) is not Sub(key=1)
    assert cls(1) is cls(1)


@pytest.mark.parametrize("order", ["before", "after"])
def test_a_base_with_its_own_new_gets_the_arguments_as_they_were_given(order):
    cls = interned(make_row())

    class Recording:
        def __new__(cls, *args, **kwargs):
            made = super().__new__(cls)
            object.__setattr__(made, "given", (args, kwargs))
            return made

    bases = (Recording, cls) if order == "before" else (cls, Recording)
    sub = type("Sub", bases, {})
    assert sub(1, y=3).given == ((1,), {"y": 3})
    assert sub(x=1).given == ((), {"x": 1})
    assert cls(1) is cls(x=1)


@pytest.mark.parametrize("order", ["before", "after"])
def test_a_subclass_that_nobody_reported_can_be_constructed(order):
    class Quiet:
        def __init_subclass__(cls, **kwargs):
            pass

    cls = interned(make_row())

    class Sub(Quiet, cls):
        def __init__(self, x):
            super().__init__(x, 5)

    class Recording:
        def __new__(cls, *args, **kwargs):
            made = super().__new__(cls)
            object.__setattr__(made, "given", args)
            return made

    assert (Sub(1).x, Sub(x=1).y) == (1, 5)
    assert Sub(1) is not Sub(1)
    second = type("Second", (Quiet, cls, Recording), {"__init__": lambda self, x=None: None})
    assert second(1).given == second(x=1).given
    assert second().given == ()


def test_a_member_of_an_enum_may_be_made_of_an_interned_dataclass():
    def members(decorate):
        @decorate
        @dataclass(frozen=True)
        class Spec:
            mass: float
            radius: float

        class Planet(Spec, enum.Enum):
            EARTH = 1.0, 2.0
            MARS = 3.0, 4.0

        assert Planet(Spec(1.0, 2.0)) is Planet.EARTH
        return [(one.name, one.mass, one.radius) for one in Planet], repr(Planet.MARS)[-30:]

    assert members(interned) == members(lambda cls: cls)


@pytest.mark.parametrize("slots", [False, True])
def test_an_undecorated_subclass_may_have_more_fields(slots):
    base = interned(make_row())
    by_dataclass = dataclass(frozen=True, slots=slots)(
        type("Sub", (base,), {"__annotations__": {"z": int}, "z": 3})
    )
    by_attrs = attrs.frozen(slots=slots)(
        type("Sub", (interned(attrs.make_class("Row", ["x"], frozen=True)),), {"z": attrs.field()})
    )
    assert (by_dataclass(1, z=5).x, by_dataclass(1, z=5).z) == (1, 5)
    assert by_dataclass(1) == by_dataclass(1)
    assert by_dataclass(1) is not by_dataclass(1)
    assert str(inspect.signature(by_dataclass)).startswith("(x: object, y: object = 2, z: int = 3")
    assert (by_attrs(1, 2).x, by_attrs(1, z=2).z) == (1, 2)
    assert list(inspect.signature(by_attrs).parameters) == ["x", "z"]


def test_the_signature_of_an_undecorated_subclass_is_its_own():
    base = interned(make_row())
    own = type("Sub", (base,), {"__init__": lambda self, a, b: None})
    assert str(inspect.signature(own)) == "(a, b)"
    inherited = type("Sub", (base,), {})
    assert inspect.signature(inherited) == inspect.signature(base)
    assert inspect.signature(base) == inspect.signature(make_row())


def test_own_init_subclass_hears_of_each_subclass_once():
    heard = []

    @interned
    class Row:
        def __init_subclass__(cls, *, mark=None, **kwargs):
            super().__init_subclass__(**kwargs)
            heard.append((cls.__name__, mark))

    class Sub(Row, mark=1):
        pass

    class SubSub(Sub):
        pass

    assert heard == [("Sub", 1), ("SubSub", None)]


def test_an_inherited_init_subclass_hears_as_ever():
    heard = []

    class Base:
        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__(**kwargs)
            heard.append(cls.__name__)

    @interned
    class Row(Base):
        pass

    class Sub(Row):
        pass

    assert heard == ["Row", "Sub"]


def test_an_undecorated_subclass_hashes_and_compares_as_ever():
    @interned
    @dataclass(frozen=True)
    class Row:
        x: int

    class Sub(Row):
        pass

    class Hashing:
        def __hash__(self):
            return 7

    @interned
    class Plain:
        pass

    class Both(Plain, Hashing):
        pass

    assert Sub(1) == Sub(1)
    assert hash(Sub(1)) == hash(Row(1))
    assert Sub(1) != Row(1)
    assert hash(Both()) == 7


def test_abstract_bases_register_as_ever():
    @interned
    @dataclass(frozen=True)
    class Shape(abc.ABC):
        x: int

    class Virtual:
        pass

    Shape.register(Virtual)
    assert issubclass(Virtual, Shape)
    assert isinstance(Virtual(), Shape)
    assert Shape(1) is Shape(1)


# Hashes.


def test_a_hash_is_computed_once_and_only_for_shared_instances():
    computed = []

    @interned
    @attrs.frozen(eq=False)
    class Row:
        x: int

        def __hash__(self):
            computed.append(self.x)
            return 5

    one = Row(1)
    assert [hash(one), hash(one)] == [5, 5]
    assert computed == [1]
    loose = object.__new__(Row)
    loose.__init__(2)
    assert [hash(loose), hash(loose)] == [5, 5]
    assert computed == [1, 2, 2]


def test_an_inherited_hash_is_looked_up_in_the_order_of_the_subclass():
    class Base:
        def __hash__(self):
            return 1

    class Other(Base):
        def __hash__(self):
            return 2

    class Row(Base):
        pass

    class Sub(interned(Row), Other):
        pass

    assert (hash(Row()), hash(Sub())) == (1, 2)


def test_a_class_that_cannot_be_hashed_stays_so():
    @interned
    class Row:
        def __init__(self, x):
            self.x = x

        def __eq__(self, other):
            return isinstance(other, Row)

    with pytest.raises(TypeError, match="unhashable"):
        hash(Row(1))
    assert Row(1) is Row(1)
    assert Row((Row(1),)) is Row((Row(1),))


# Generic aliases.


def test_an_alias_writes_nothing_on_a_shared_object():
    @interned
    class Box(typing.Generic[T]):
        def __init__(self, x):
            self.x = x

    @interned
    class Plain:
        __class_getitem__ = classmethod(type(list[int]))

    assert Box[int](1) is Box[str](1) is Box(1)
    assert Plain[int]() is Plain()
    for one in (Box(1), Plain()):
        assert not hasattr(one, "__orig_class__")
        assert not hasattr(type(one), "__orig_class__")
        with pytest.raises(AttributeError, match="others share"):
            one.__orig_class__ = int


def test_an_alias_of_an_undecorated_subclass_is_kept_as_ever():
    @interned
    class Box(typing.Generic[T]):
        def __init__(self, x):
            self.x = x

    class Sub(Box[T]):
        pass

    class Slotted(Box[T]):
        __slots__ = ()

    assert Sub[int](1).__orig_class__ == Sub[int]
    assert not hasattr(Sub(1), "__orig_class__")
    assert Slotted[int](1).x == 1


class Silent:
    def __init_subclass__(cls):
        """Hide subclasses from later bases."""


def test_a_hidden_subclass_is_initialised_though_it_looks_finished():
    @interned
    @dataclass(frozen=True)
    class Base:
        x: int

    class Hidden(Silent, Base):
        def __init__(self, x):
            object.__setattr__(self, "x", None)
            super().__init__(x)

    assert Hidden(7).x == 7
    assert Base(7) is Base(x=7)


def interpreter_calls_init(cls):
    """Tells whether constructing an instance runs the `__init__` that a look-up finds."""
    called = []
    code = cls.__init__.__code__

    def trace(frame, event, argument):
        if frame.f_code is code:
            called.append(event)

    sys.setprofile(trace)
    try:
        cls(1)
    finally:
        sys.setprofile(None)
    return bool(called)


def test_a_hit_runs_no_init_though_it_can_be_looked_up_and_called():
    row, other = interned(make_row()), make_row()
    living = row(1)
    assert not interpreter_calls_init(row)
    assert inspect.signature(row.__init__) == inspect.signature(other.__init__)
    assert row.__init__(living, 1) is None
    blank = object.__new__(row)
    row.__init__(blank, 3, y=4)
    assert (blank.x, blank.y) == (3, 4)


def test_a_missing_argument_is_refused_each_time():
    row = interned(make_row())
    living = row(1)
    for _ in range(3):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
            row()
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
            row(y=2)
    assert row(1) is living


def test_a_blank_made_by_hand_does_not_spoil_the_next_construction():
    row = interned(make_row())
    blank = row.__new__(row)
    assert not vars(blank)
    assert row(1) is row(1, 2)
    with pytest.raises(TypeError, match="missing"):
        row()


def test_an_init_assigned_later_runs_as_long_as_it_stands():
    row = interned(make_row())
    living = row(1)
    with mock.patch.object(row, "__init__", autospec=True, return_value=None) as patched:
        assert row(1) is living
    patched.assert_called_once_with(living, 1)
    assert row(1) is living
    assert row(x=5).x == 5


def test_a_subclass_runs_the_init_that_it_inherits():
    row = interned(make_row())

    class Sub(row):
        pass

    assert vars(Sub(1)) == {"x": 1, "y": 2}
    assert interpreter_calls_init(Sub)
    assert row(1) is row(1)
    with pytest.raises(TypeError, match="positional arguments"):
        row(1, 2, 3)


def test_an_init_that_was_deleted_is_missing_as_in_any_class():
    row = interned(make_plain())
    row(1)
    del row.__init__
    assert not vars(row())
