"""What happens when a class is constructed and the hit path has not found the instance."""

import dataclasses
import gc
import pickle
import pickletools
import uuid
import weakref
from dataclasses import dataclass, field

import attr
import attrs
import pytest

from interned import DecoratorOrderError, UnkeyableError, interned, interner

ABOVE = {
    "dataclass": dataclass(frozen=True),
    "dataclass with slots": dataclass(frozen=True, slots=True, weakref_slot=True),
    "mutable dataclass": dataclass,
    "attrs": attrs.frozen,
    "attrs without slots": attrs.frozen(slots=False),
    "attr.s": attr.s(frozen=True, auto_attribs=True),
    "mutable attrs": attrs.define,
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
@pytest.mark.parametrize("constructor", ["generated", "own"])
def test_the_wrong_order_is_found_at_the_first_construction(above, constructor):
    class Row:
        x: int

        if constructor == "own":

            def __init__(self, x):
                object.__setattr__(self, "x", x)

    wrong = above(interned(Row))
    line = "@attrs.frozen" if "__attrs_attrs__" in vars(wrong) else "@dataclass"
    for _ in range(2):
        with pytest.raises(DecoratorOrderError, match=f"above the line {line}"):
            wrong(1)


# Factories.


def test_a_factory_that_gives_something_new_gives_distinct_objects():
    @interned
    @dataclass(frozen=True)
    class Ticket:
        number: uuid.UUID = field(default_factory=uuid.uuid4)

    one = Ticket()
    assert one is not Ticket()
    assert Ticket(one.number) is one


@pytest.mark.parametrize(
    ("make", "number"),
    [
        (dataclass(frozen=True), field(init=False, default_factory=uuid.uuid4)),
        (attrs.frozen, attrs.field(init=False, factory=uuid.uuid4)),
    ],
    ids=["dataclass", "attrs"],
)
def test_a_factory_of_a_field_without_parameter_is_called_at_every_construction(make, number):
    ticket = interned(
        make(type("Ticket", (), {"number": number, "__annotations__": {"number": str}}))
    )
    assert ticket() is not ticket()


def test_a_factory_runs_once_a_construction():
    calls = []

    @interned
    @dataclass(frozen=True)
    class Row:
        x: int
        tags: tuple = field(default_factory=lambda: (calls.append(1), ())[1])

    kept = Row(1)
    assert Row(1) is Row(1) is kept
    assert len(calls) == 3
    assert Row(1, ()) is kept
    assert len(calls) == 3


# Construction.


def test_a_constructor_may_construct_its_own_class():
    @interned
    @dataclass(frozen=True)
    class Nested:
        depth: int
        inner: object = field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "inner", Nested(self.depth - 1) if self.depth else None)

    assert Nested(3).inner.inner is Nested(1)


@pytest.mark.parametrize("options", [{}, {"weak": False, "maxsize": 5}], ids=["weak", "strong"])
def test_a_constructor_may_construct_its_own_value(options):
    depth = []

    @interned(**options)
    class Own:
        def __init__(self, x):
            depth.append(x)
            self.inner = Own(x) if len(depth) < 3 else None

    one = Own(1)
    assert Own(1) is one
    assert len(depth) == 3
    assert len(interner(Own).table) == 1


@pytest.mark.parametrize("failing", ["__init__", "__new__"])
def test_a_constructor_that_fails_leaves_nothing_and_is_tried_anew(failing):
    tries = []

    def fail_twice(self, number):
        tries.append(number)
        if len(tries) < 3:
            raise ValueError(number)
        return object.__new__(self) if failing == "__new__" else None

    port = interned(type("Port", (), {failing: fail_twice}))
    for _ in range(2):
        with pytest.raises(ValueError, match="80") as caught:
            port(80)
        assert caught.value.__context__ is None
    assert len(interner(port).table) == 0
    assert port(80) is port(number=80)
    assert tries == [80] * 3


def test_what_is_handed_out_was_initialised_once():
    @interned
    @attrs.frozen(slots=False)
    class Port:
        number: int = attrs.field(converter=int)

        def __attrs_post_init__(self):
            vars(self)["runs"] = vars(self).get("runs", 0) + 1

    one = Port("80")
    assert Port(80) is Port(" 80") is one
    assert one.runs == 1


def test_a_shared_instance_is_not_initialised_again_by_hand():
    @interned
    @dataclass(frozen=True)
    class Row:
        x: int

    one = Row(1)
    one.__init__(2)
    assert one.x == 1


def test_validators_see_each_new_spelling_and_what_they_refuse_leaves_nothing():
    seen = []

    @interned
    @attrs.frozen
    class Port:
        number: int = attrs.field(converter=int)

        @number.validator
        def _check(self, attribute, value):
            seen.append(value)
            if value < 1:
                raise ValueError(value)

    one = Port(80)
    assert Port("80") is Port("80") is one
    assert seen == [80, 80]
    for _ in range(2):
        with pytest.raises(ValueError, match="0"):
            Port("0")
    assert len(interner(Port).table) == 1


def test_own_new_may_return_something_else():
    class Other:
        pass

    shared = Other()

    @interned
    class Row:
        def __new__(cls, x):
            return shared if x else super().__new__(cls)

        def __init__(self, x):
            self.x = x

    class Sub(Row):
        pass

    assert Row(1) is shared
    assert not vars(shared)
    assert Row(0) is Row(0)
    assert type(Row(0)) is Row
    assert Sub(1) is shared


def test_own_new_may_return_a_shared_object_again():
    known = {}

    @interned
    class Row:
        def __new__(cls, x):
            made = known.get(abs(x))
            if made is None:
                made = known[abs(x)] = super().__new__(cls)
            return made

        def __init__(self, x):
            self.runs = getattr(self, "runs", 0) + 1

    assert Row(1) is Row(-1) is Row(1)
    assert Row(-1).runs == 1


def test_own_new_may_return_an_instance_of_a_subclass():
    @interned
    @dataclass(frozen=True)
    class Row:
        x: int

        def __new__(cls, x):
            return object.__new__(Negative if x < 0 else cls)

    class Negative(Row):
        pass

    assert type(Row(-1)) is Negative
    assert Row(-1).x == -1
    assert Row(-1) is not Row(-1)
    assert Row(1) is Row(1)


def test_a_metaclass_may_pass_other_arguments_or_make_blanks():
    class Doubling(type):
        def __call__(cls, x):
            return super().__call__(x * 2)

    class ByHand(type):
        def __call__(cls, x):
            made = cls.__new__(cls)
            made.__init__(x)
            return made

    @interned
    @dataclass(frozen=True)
    class Double(metaclass=Doubling):
        x: int

    @interned
    @dataclass(frozen=True)
    class Handmade(metaclass=ByHand):
        x: int

    assert Double(2).x == 4
    assert Double(2) is Double(2)
    assert Handmade(2) == Handmade(2)
    assert Handmade(2) is not Handmade(2)


def test_an_abstract_class_cannot_be_constructed():
    import abc

    @interned
    @dataclass(frozen=True)
    class Shape(abc.ABC):
        x: int

        @abc.abstractmethod
        def area(self): ...

    @dataclass(frozen=True)
    class Square(Shape):
        def area(self):
            return self.x**2

    for _ in range(2):
        with pytest.raises(TypeError, match="abstract"):
            Shape(1)
    assert Square(3).area() == 9
    assert Square(3) is not Square(3)


def test_a_class_without_constructor_takes_no_arguments():
    @interned
    class Unit:
        pass

    assert Unit() is Unit()
    with pytest.raises(TypeError, match=r"Unit\(\) takes no arguments"):
        Unit(1)
    with pytest.raises(TypeError, match=r"Unit\(\) takes no arguments"):
        Unit(x=1)


def test_a_default_that_differs_between_new_and_init_is_left_to_each():
    @interned
    class Row:
        def __new__(cls, x, y=1):
            made = super().__new__(cls)
            made.new = (x, y)
            return made

        def __init__(self, x, y=2):
            self.init = (x, y)

    assert (Row(0).new, Row(0).init) == ((0, 1), (0, 2))
    assert Row(0) is Row(0)


# What is refused.


@pytest.mark.parametrize("value", [[1], {1: 2}, {1}, bytearray(b"a"), ([],), (1, {2: []})])
@pytest.mark.parametrize("make", [dataclass(frozen=True), attrs.frozen], ids=["dataclass", "attrs"])
def test_a_mutable_value_of_a_field_is_refused_by_name(make, value):
    row = interned(make(type("Row", (), {"__annotations__": {"x": object, "y": object}})))
    for wrong in ((1, value), (value, 1)):
        with pytest.raises(UnkeyableError, match=rf"Row\.{'x' if wrong[0] is value else 'y'}"):
            row(*wrong)
    assert len(interner(row).table) == 0


def test_a_mutable_value_is_refused_wherever_it_comes_from():
    @interned
    @dataclass(frozen=True)
    class Made:
        x: list = field(default_factory=list)

    @interned
    @attrs.frozen
    class Converted:
        x: list = attrs.field(converter=list)

    @interned
    @dataclass(frozen=True)
    class Derived:
        x: int
        parts: list = field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "parts", [self.x])

    for wrong in (Made, lambda: Converted((1,)), lambda: Derived(1)):
        with pytest.raises(UnkeyableError, match=r"Made\.x|Converted\.x|Derived\.parts"):
            wrong()


def test_a_mutable_argument_that_a_converter_freezes_is_welcome():
    @interned
    @attrs.frozen
    class Row:
        x: tuple = attrs.field(converter=tuple)

    assert Row([1, 2]) is Row((1, 2)) is Row([1, 2])
    assert Row([1, 3]) is not Row([1, 2])


def test_a_mutable_argument_of_a_plain_class_is_refused_by_name():
    @interned
    class Row:
        def __init__(self, x, *rest, **options):
            pass

    for wrong, name in (
        (lambda: Row([]), "x"),
        (lambda: Row(1, []), "rest"),
        (lambda: Row(1, k=[]), "k"),
    ):
        with pytest.raises(UnkeyableError, match=rf"Row\.{name}"):
            wrong()


# Spellings.


@interned
@attrs.frozen
class Port:
    number: int = attrs.field(converter=int)


def test_spellings_are_bounded_and_go_with_the_instance():
    one = Port(8)
    table = interner(Port).table
    for zeros in range(100):
        assert Port("0" * zeros + "8") is one
    assert len(table.flat) + len(table.exact) <= 10
    del one
    assert not table.flat
    assert not table.exact


def test_a_large_spelling_is_not_remembered():
    one = Port(8)
    assert Port(" " * 10_000 + "8") is one
    assert not any(len(str(key[0])) > 100 for key in interner(Port).table.flat)


def test_a_spelling_holds_no_argument_alive():
    class Eight:
        def __int__(self):
            return 8

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return 8

    argument = Eight()
    one = Port(argument)
    gone = weakref.ref(argument)
    assert Port(argument) is one
    del argument
    assert gone() is None
    assert Port(Eight()) is one


# Retention that is the table.


@interned(weak=False, maxsize=2)
class Strong:
    """Nothing on its instances tells that they are finished."""

    __slots__ = ("runs", "x")

    def __init__(self, x):
        self.x = x
        self.runs = getattr(self, "runs", 0) + 1

    def __reduce__(self):
        raise TypeError("pickled as its constructor's arguments, or not at all")


@pytest.mark.parametrize("maxsize", [0, 1, 2])
def test_what_a_retention_does_not_keep_is_initialised_once_all_the_same(maxsize):
    @interned(weak=False, maxsize=maxsize)
    class Row:
        __slots__ = ("runs",)

        def __init__(self, x):
            self.runs = getattr(self, "runs", 0) + 1

    rows = [Row(x) for x in (1, 2, 3, 1, 1)]
    assert [row.runs for row in rows] == [1] * 5
    assert (rows[3] is rows[4]) is (maxsize > 0)
    assert rows[0] is not rows[3]


def test_a_construction_in_between_does_not_make_init_run_again():
    class Interrupting(type):
        def __call__(cls, x, between=()):
            made = cls.__new__(cls, x)
            for other in between:
                cls(other)
            made.__init__(x)
            return made

    @interned(weak=False, maxsize=1)
    class Row(metaclass=Interrupting):
        def __init__(self, x):
            self.runs = getattr(self, "runs", 0) + 1

    assert Row(1, between=[2, 3, 2]).runs == 1


@interned(maxsize=2)
@dataclass(frozen=True)
class Recent:
    x: object


def test_each_way_to_an_instance_is_a_use_of_it():
    interner(Recent).cache_clear()
    gone = {n: weakref.ref(Recent((n,))) for n in (1, 2)}
    Recent((1,))
    Recent((3,))
    assert gone[2]() is None
    assert gone[1]() is Recent((1,))
    kept, data = Recent((4,)), pickle.dumps(Recent((4,)))
    Recent((5,)), Recent((6,))
    assert pickle.loads(data) is kept
    gone = weakref.ref(kept)
    del kept
    assert gone() is Recent((4,))
    interner(Recent).cache_clear()
    assert gone() is None


def test_uses_between_two_hits_keep_their_order():
    interner(Recent).cache_clear()
    outer = Recent(Recent(1))
    pickle.loads(pickle.dumps(outer, 0))
    last_used = weakref.ref(outer)
    del outer
    Recent(2)
    assert last_used() is not None


def test_what_expired_is_made_anew_where_the_retention_is_the_table():
    now = [0.0]
    row = interned(weak=False, ttl=10, timer=lambda: now[0])(
        attrs.make_class("Row", ["x"], frozen=True)
    )
    kept = [row(1), row((1,))]
    now[0] = 9.0
    assert [row(1) is kept[0], row((1,)) is kept[1]] == [True, True]
    now[0] = 10.0
    again = [row(1), row((1,))]
    assert again == kept
    assert again[0] is not kept[0]
    assert again[1] is not kept[1]


def test_weak_false_keeps_instances_for_ever():
    @interned(weak=False)
    @dataclass(frozen=True)
    class Row:
        x: int

    gone = weakref.ref(Row(1))
    gc.collect()
    assert gone() is Row(1)


# What counts and what tells.


def test_hits_are_counted_if_asked():
    @interned(info=True)
    @dataclass(frozen=True)
    class Row:
        x: object

    kept = [Row(1), Row((1,))]
    assert [Row(1), Row((1,)), Row((1,))] == [kept[0], kept[1], kept[1]]
    assert interner(Row).cache_info()[:2] == (3, 2)
    assert interner(Port).cache_info().hits is None


def test_an_object_made_by_hand_is_taken_as_it_is():
    @interned
    @dataclass(frozen=True)
    class Row:
        x: object
        y: object = None

    of = interner(Row)
    blank = object.__new__(Row)
    assert of.adopt(blank) is blank
    assert not of.is_canonical(blank)
    loose = object.__new__(Row)
    loose.__init__([1])
    assert of.adopt(loose) is loose
    assert not of.is_canonical(loose)
    finished = object.__new__(Row)
    finished.__init__(1)
    assert of.adopt(finished) is Row(1) is finished


def test_a_plain_object_made_by_hand_has_no_call():
    @interned
    class Row:
        def __init__(self, x):
            self.x = x

    made = object.__new__(Row)
    made.__init__(1)
    of = interner(Row)
    assert of.call_of(made) is None
    assert of.adopt(made) is made
    assert not of.is_canonical(made)
    assert of.call_of(Row(1)) == ((1,), {})


def test_the_call_of_a_plain_instance_is_its_constructors():
    @interned
    class Row:
        def __init__(self, x, /, *rest, key=None, **options):
            pass

    of = interner(Row)
    assert of.call_of(Row(1)) == ((1,), {"key": None})
    assert of.call_of(Row(1, 2, key=(3,), b=4, a=5)) == ((1, 2), {"key": (3,), "b": 4, "a": 5})


def test_strong_instances_are_known_by_their_value():
    of = interner(Strong)
    kept = Strong((1, 2))
    assert of.is_canonical(kept)
    assert of.call_of(kept) == (((1, 2),), {})
    Strong(2), Strong(3)
    assert not of.is_canonical(kept)


def test_a_missing_argument_is_for_init_to_complain_of():
    @interned
    @dataclass(frozen=True)
    class Row:
        x: int
        y: int = dataclasses.field(kw_only=True)

    for wrong, text in (
        (Row, r"Row.__init__\(\) missing 1 required positional argument: 'x'"),
        (lambda: Row(1), r"Row.__init__\(\) missing 1 required keyword-only argument: 'y'"),
        (lambda: Row(1, y=2, z=3), r"Row.__init__\(\) got an unexpected keyword argument 'z'"),
    ):
        with pytest.raises(TypeError, match=text):
            wrong()
    blank = Row.__new__(Row)
    assert type(blank) is Row
    assert not vars(blank)
    assert len(interner(Row).table) == 0


def test_a_pickle_holds_the_value_and_nothing_of_ours():
    one = Port(80)
    hash(one)
    texts = {part for _, part, _ in pickletools.genops(pickle.dumps(one)) if isinstance(part, str)}
    assert texts == {__name__, "Port", "number", "interned.copies", "adopt", "blank"}
