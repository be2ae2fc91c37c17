"""Every kind of class that people write: the rows of the matrix.

Each row is a function that makes its class anew, so that a decorated class can be compared with an
undecorated twin.
"""

import abc
import copy
import datetime as dt
import enum
import functools
import sys
import typing
from dataclasses import KW_ONLY, InitVar, dataclass, field
from importlib.util import find_spec

import attr
import attrs

from interned import interned

__all__ = ["TARGETS", "Call", "Target", "call"]

TARGETS = {}


class Call(typing.NamedTuple):
    """One way to spell a construction."""

    args: tuple
    kwargs: dict

    def __call__(self, cls):
        return cls(*self.args, **self.kwargs)


def call(*args, **kwargs):
    return Call(args, kwargs)


class Target(typing.NamedTuple):
    """One row of the matrix.

    `same` lists spellings of one value, `others` one spelling each of other values, `wrong` calls
    that its constructor refuses, and `changes` what `replace` changes to get which call's value.
    """

    make: typing.Callable[[], type]
    same: tuple
    others: tuple
    wrong: tuple
    changes: dict | None


WRONG = (call(*range(9)), call(bogus=1))


def target(same, others, wrong=WRONG, changes=None, *, possible=True):
    def enter(make):
        if possible:
            TARGETS[make.__name__] = Target(make, tuple(same), tuple(others), tuple(wrong), changes)
        return make

    return enter


ONE = [call(1), call(x=1)]
OTHERS = [call(2), call(True), call(1.0), call((1,)), call((True,)), call("1")]
PAIRS = [call(1, 2), call(1, y=2), call(x=1, y=2), call(y=2, x=1)]
OTHER_PAIRS = [call(2, 1), call(1, 2.0), call(True, 2), call((1, 2), None)]


# Dataclasses.


@target([*PAIRS, call(1), call(x=1)], [*OTHER_PAIRS, call(3)], changes={"y": 7})
def dataclass_plain():
    @dataclass(frozen=True)
    class Row:
        """A row."""

        x: object
        y: object = 2

    return Row


@target([*PAIRS, call(1)], OTHER_PAIRS, changes={"x": 7})
def dataclass_slots():
    @dataclass(frozen=True, slots=True, weakref_slot=True)
    class Row:
        x: object
        y: object = 2

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_slots_by_hand():
    @dataclass(frozen=True)
    class Row:
        __slots__ = ("__weakref__", "x")
        x: object

    return Row


@target([call(x=1, y=2), call(y=2, x=1), call(x=1)], [call(x=2)], [call(1)], changes={"x": 7})
def dataclass_kw_only_all():
    @dataclass(frozen=True, kw_only=True)
    class Row:
        x: object
        y: object = 2

    return Row


@target([call(1, unit="cm"), call(1), call(unit="cm", x=1)], [call(1, unit="m")], changes={"x": 7})
def dataclass_kw_only_marker():
    @dataclass(frozen=True)
    class Row:
        x: object
        _: KW_ONLY
        unit: str = "cm"

    return Row


@target([call(4, 2), call(4, scale=2), call(2, 4), call(x=8)], [call(3, 3), call(8.0)])
def dataclass_init_var():
    @dataclass(frozen=True)
    class Row:
        x: object
        scale: InitVar[int] = 1
        area: object = field(init=False)

        def __post_init__(self, scale):
            object.__setattr__(self, "area", self.x * scale)
            object.__setattr__(self, "x", None)

    return Row


@target([call(1), call(1, ()), call(x=1, tags=())], [call(1, (1,)), call(2)], changes={"x": 7})
def dataclass_default_factory():
    @dataclass(frozen=True)
    class Row:
        x: object
        tags: tuple = field(default_factory=tuple)

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_init_false():
    @dataclass(frozen=True)
    class Row:
        x: object
        twice: object = field(init=False)
        never: object = field(init=False, repr=False, compare=False)
        fixed: int = field(init=False, default=3)

        def __post_init__(self):
            object.__setattr__(self, "twice", (self.x, self.x))

    return Row


@target([call("a", 1), call("a", line=1)], [call("a", 2), call("b", 1)], changes={"line": 7})
def dataclass_compare_false():
    @dataclass(frozen=True)
    class Row:
        text: str
        line: int = field(default=0, compare=False)

    return Row


@target(PAIRS, OTHER_PAIRS, changes={"y": 7})
def dataclass_hash_false_and_repr_false():
    @dataclass(frozen=True)
    class Row:
        x: object = field(hash=False)
        y: object = field(repr=False)

    return Row


@target([call(1, 2), call(y=2, x=1)], [call(1, 3), call(2, 2)], changes={"y": 7})
def dataclass_order():
    @dataclass(frozen=True, order=True)
    class Row:
        x: int
        y: int = field(compare=False)

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_eq_false():
    @dataclass(frozen=True, eq=False)
    class Row:
        x: object

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_unsafe_hash():
    @dataclass(frozen=True, unsafe_hash=True)
    class Row:
        x: object

    return Row


@target([call(" Red"), call("red"), call(name="RED ")], [call("blue")], changes={"name": "Blue"})
def dataclass_post_init():
    @dataclass(frozen=True)
    class Row:
        name: str

        def __post_init__(self):
            object.__setattr__(self, "name", self.name.strip().lower())

    return Row


@target([call(1, 2, 3), call(1, z=3), call(z=3, x=1)], [call(1, 2), call(2, z=3)], changes={"z": 7})
def dataclass_inherited_fields():
    @dataclass(frozen=True)
    class Base:
        x: object
        y: object = 2

        def __post_init__(self):
            assert self.x is not None

    @dataclass(frozen=True)
    class Row(Base):
        z: object = None

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_inherited_as_it_is():
    @dataclass(frozen=True)
    class Base:
        x: object

    class Row(Base):
        pass

    return Row


@target([call(1, "n"), call(x=1, note="n")], [call(1, "m"), call(2, "n")])
def dataclass_inherited_with_own_init():
    @dataclass(frozen=True)
    class Base:
        x: object

    class Row(Base):
        def __init__(self, x, note):
            super().__init__(x)
            object.__setattr__(self, "note", note)

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_new():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __new__(cls, x):
            made = super().__new__(cls)
            object.__setattr__(made, "made", True)
            return made

    return Row


@target([call("1"), call(1), call(text="1")], [call("2")])
def dataclass_own_init():
    @dataclass(frozen=True)
    class Row:
        x: int
        y: int = 0

        def __init__(self, text):
            object.__setattr__(self, "x", int(text))
            object.__setattr__(self, "y", -int(text))

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_eq_and_hash():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __eq__(self, other):
            return isinstance(other, type(self))

        def __hash__(self):
            return 3

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_eq_alone():
    @dataclass(eq=False, frozen=True)
    class Row:
        x: object

        def __eq__(self, other):
            return self is other or NotImplemented

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_setattr_of_a_base():
    class Careful:
        def __setattr__(self, name, value):
            raise TypeError(name)

        def __delattr__(self, name):
            raise TypeError(name)

    @dataclass(frozen=True)
    class Row(Careful):
        x: object

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_reduce():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __reduce__(self):
            return type(self), (self.x,)

    return Row


def unlock(cls, parts):
    made = object.__new__(cls)
    object.__setattr__(made, "x", parts[0])
    return made


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_reduce_ex():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __reduce_ex__(self, protocol):
            return unlock, (type(self), [self.x]), None

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_state():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __getstate__(self):
            return [self.x]

        def __setstate__(self, state):
            object.__setattr__(self, "x", state[0])

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_getnewargs_ex():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __new__(cls, x=None, *, quiet=False):
            return super().__new__(cls)

        def __getnewargs_ex__(self):
            return (), {"quiet": True}

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_copies():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __copy__(self):
            made = object.__new__(type(self))
            object.__setattr__(made, "x", self.x)
            return made

        def __deepcopy__(self, memo):
            return type(self)(copy.deepcopy(self.x, memo))

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_getattr():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return name

    return Row


@target(ONE, OTHERS)
def dataclass_own_getattribute():
    @dataclass(frozen=True)
    class Row:
        x: object

        def __getattribute__(self, name):
            found = super().__getattribute__(name)
            return ("read", found) if name == "x" else found

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_own_init_subclass():
    seen = []

    @dataclass(frozen=True)
    class Row:
        x: object
        family = seen

        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__(**kwargs)
            seen.append(cls)

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def dataclass_cached_property():
    @dataclass(frozen=True)
    class Row:
        x: object

        @functools.cached_property
        def shown(self):
            return repr(self.x)

    return Row


class Even:
    """A descriptor that converts what is assigned, and shows something else again."""

    def __set_name__(self, owner, name):
        self.place = "_" + name

    def __get__(self, instance, owner):
        return 0 if instance is None else instance.__dict__[self.place]

    def __set__(self, instance, value):
        instance.__dict__[self.place] = value // 2 * 2


@target([call(4), call(5), call(x=5)], [call(6), call()], changes={"x": 7})
def dataclass_descriptor_field():
    @dataclass(frozen=True)
    class Row:
        x: int = Even()

    return Row


@target([call(None), call(x=None), call()], [call(0)], changes={"x": 7})
def dataclass_default_none():
    @dataclass(frozen=True)
    class Row:
        x: object = None

    return Row


# attrs.


@target([*PAIRS, call(1)], OTHER_PAIRS, changes={"y": 7})
def attrs_frozen():
    @attrs.frozen
    class Row:
        x: object
        y: object = 2

    return Row


@target([*PAIRS, call(1)], OTHER_PAIRS, changes={"y": 7})
def attrs_frozen_dict():
    @attrs.frozen(slots=False)
    class Row:
        x: object
        y: object = 2

    return Row


@target(PAIRS, OTHER_PAIRS, changes={"x": 7})
def attr_s():
    @attr.s(frozen=True)
    class Row:
        x = attr.ib()
        y = attr.ib(default=2)

    return Row


@target(PAIRS, OTHER_PAIRS, changes={"x": 7})
def attr_s_slots():
    @attr.s(frozen=True, slots=True, order=True)
    class Row:
        x = attr.ib(order=str)
        y = attr.ib(default=2, order=str)

    return Row


@target([call("80"), call(80), call(80.9), call(x=80)], [call("81")], changes={"x": "7"})
def attrs_converter():
    @attrs.frozen
    class Row:
        x: int = attrs.field(converter=int)

    return Row


@target(
    [call(2, "4"), call(2, 4), call(y=4.5, x=2)],
    [call(3, "4")],
    possible=hasattr(attrs, "Converter"),
)
def attrs_converter_takes_self():
    @attrs.frozen
    class Row:
        x: int
        y: int = attrs.field(
            converter=attrs.Converter(lambda value, self: int(value) * self.x, takes_self=True)
        )

    return Row


@target(ONE, [call(2)], [call(0), call()], changes={"x": 7})
def attrs_validator():
    @attrs.frozen
    class Row:
        x: int = attrs.field(validator=attrs.validators.ge(1))

    return Row


@target([call("A"), call(x="A")], [call("a"), call("b")], changes={"x": "c"})
def attrs_eq_key():
    @attrs.frozen
    class Row:
        x: str = attrs.field(eq=str.lower)

    return Row


@target([call("a", 1)], [call("a", 2), call("b", 1)], changes={"y": 7})
def attrs_eq_false_field():
    @attrs.frozen
    class Row:
        x: str
        y: object = attrs.field(eq=False)

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def attrs_eq_false():
    @attrs.frozen(eq=False)
    class Row:
        x: object

    return Row


@target([call(1), call(size=1)], [call(2), call(True)], changes={"size": 7})
def attrs_alias():
    @attrs.frozen
    class Row:
        x: object = attrs.field(alias="size")

    return Row


@target([call(1, 2), call(x=1, y=2)], [call(2, 1)], changes={"x": 7})
def attrs_private_names():
    @attrs.frozen
    class Row:
        _x: object
        y: object

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def attrs_init_false():
    @attrs.frozen(slots=False)
    class Row:
        x: object
        twice: object = attrs.field(init=False)
        never: object = attrs.field(init=False, repr=False, eq=False)
        fixed: int = attrs.field(init=False, default=3)

        @twice.default
        def _(self):
            return (self.x, self.x)

    return Row


@target([call(1), call(1, ()), call(x=1, tags=())], [call(1, (1,))], changes={"x": 7})
def attrs_factory():
    @attrs.frozen
    class Row:
        x: object
        tags: tuple = attrs.Factory(tuple)

    return Row


@target([call(1), call(1, (1, 1)), call(x=1)], [call(1, (2,)), call(2)], changes={"y": 7})
def attrs_factory_takes_self():
    @attrs.frozen
    class Row:
        x: object
        y: object = attrs.Factory(lambda self: (self.x, self.x), takes_self=True)

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def attrs_cache_hash():
    @attrs.frozen(cache_hash=True)
    class Row:
        x: object

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def attrs_cache_hash_dict():
    @attrs.frozen(cache_hash=True, slots=False)
    class Row:
        x: object

    return Row


@target([call(" Red"), call("red")], [call("blue")], changes={"name": "Blue"})
def attrs_hooks():
    @attrs.frozen
    class Row:
        name: str

        def __attrs_pre_init__(self):
            pass

        def __attrs_post_init__(self):
            object.__setattr__(self, "name", self.name.strip().lower())

    return Row


@target([call("1"), call(text="1"), call("1 ")], [call("2")])
def attrs_own_init():
    @attrs.frozen
    class Row:
        x: int

        def __init__(self, text):
            self.__attrs_init__(int(text))

    return Row


@target([call(x=1, y=2), call(x=1)], [call(x=2)], changes={"x": 7})
def attrs_kw_only():
    @attrs.frozen(kw_only=True)
    class Row:
        x: object
        y: object = 2

    return Row


@target([call(1, 2), call(1)], [call(1, 3)], changes={"y": 7})
def attrs_inherited():
    @attrs.frozen
    class Base:
        x: object

    @attrs.frozen
    class Row(Base):
        y: object = 2

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def attrs_cached_property_on_slots():
    @attrs.frozen
    class Row:
        x: object

        @functools.cached_property
        def shown(self):
            return repr(self.x)

    return Row


# Other kinds.

T = typing.TypeVar("T")


@target(ONE, OTHERS, changes={"x": 7})
def generic_dataclass():
    @dataclass(frozen=True)
    class Row(typing.Generic[T]):
        x: T

    return Row


@target(ONE, OTHERS)
def generic_plain():
    class Row(typing.Generic[T]):
        def __init__(self, x):
            self.x = x

    return Row


@target(ONE, OTHERS, changes={"x": 7}, possible=sys.version_info >= (3, 12))
def generic_pep_695():
    names = {"dataclass": dataclass, "__name__": __name__}
    exec("@dataclass(frozen=True)\nclass Row[T]:\n    x: T", names)
    return names["Row"]


class Sized(typing.Protocol):
    def size(self) -> int: ...


@target(ONE, OTHERS, changes={"x": 7})
def protocol_implementer():
    @dataclass(frozen=True)
    class Row(Sized):
        x: object

        def size(self):
            return 1

    return Row


@target(ONE, OTHERS)
def protocol_implementer_with_inherited_init():
    class Base:
        def __init__(self, x):
            self.x = x

    class Row(Sized, Base):
        def size(self):
            return 1

    return Row


@target([call()], [], [call(1)])
def protocol_implementer_without_init():
    class Row(Sized):
        def size(self):
            return 1

    return Row


@target(ONE, OTHERS, changes={"x": 7})
def abstract_base_implementer():
    class Base(abc.ABC):
        @abc.abstractmethod
        def size(self): ...

    @dataclass(frozen=True)
    class Row(Base):
        x: object

        def size(self):
            return 1

    return Row


class Meta(type):
    """Compares and hashes its classes in its own way, and does not let them be changed."""

    def __setattr__(cls, name, value):
        if not name.startswith("__"):
            raise TypeError(name)
        super().__setattr__(name, value)

    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        assert isinstance(made, cls)
        return made

    def __eq__(cls, other):
        return NotImplemented

    def __hash__(cls):
        return 5


@target(ONE, OTHERS, changes={"x": 7})
def own_metaclass():
    @dataclass(frozen=True)
    class Row(metaclass=Meta):
        x: object

    return Row


class Colour(enum.Enum):
    RED = 1
    ALSO_RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Flags(enum.Flag):
    A = 1
    B = 2


@target(
    [call(Colour.RED), call(Colour.ALSO_RED)],
    [call(Colour.BLUE), call(1), call(Level.LOW), call(Flags.A | Flags.B), call(Flags.A)],
    changes={"x": Colour.BLUE},
)
def enum_members():
    @dataclass(frozen=True)
    class Row:
        x: object

    return Row


@interned
@dataclass(frozen=True)
class Leaf:
    x: object


LEAF = Leaf(1)


@target(
    [call(LEAF), call(Leaf(1))],
    [call(Leaf(True)), call((LEAF,)), call(Leaf(LEAF)), call(1)],
    changes={"x": 7},
)
def nested_values():
    @dataclass(frozen=True)
    class Row:
        x: object

    return Row


@target(PAIRS, OTHER_PAIRS)
def plain():
    class Row:
        """A plain class, with state of its own."""

        def __init__(self, x, y=2):
            self.x, self.y = x, y
            self.log = []

    return Row


@target([call(1), call(x=1)], [call(2), call(True)])
def plain_slots():
    class Row:
        __slots__ = ("__weakref__", "_x", "seen")

        def __init__(self, x):
            self._x = x
            self.seen = 0

    return Row


@target(
    [call(1, k=1, j=2), call(1, j=2, k=1)], [call(1, k=1), call(1, 2, k=1, j=2), call(1)], [call()]
)
def plain_variadic():
    class Row:
        def __init__(self, x, *rest, **options):
            self.all = (x, rest, tuple(sorted(options.items())))

        def __eq__(self, other):
            return self.all == other.all

        def __hash__(self):
            return hash(self.all)

        def __repr__(self):
            return f"Row{self.all}"

    return Row


@target([call(1, 2), call(1)], [call(1, 3)], [call(), call(y=1), call(x=1)])
def plain_positional_only():
    class Row:
        def __init__(self, x, /, y=2, *, z=3):
            self.all = (x, y, z)

    return Row


@target(PAIRS, OTHER_PAIRS)
def plain_own_new():
    class Row:
        def __new__(cls, x, y=2):
            made = super().__new__(cls)
            made.pair = (x, y)
            return made

        def __getnewargs__(self):
            return self.pair

    return Row


@target(PAIRS, OTHER_PAIRS)
def plain_own_new_and_init():
    class Row:
        def __new__(cls, *args, **kwargs):
            return super().__new__(cls)

        def __init__(self, x, y=2):
            self.pair = (x, y)

        def __reduce__(self):
            return type(self), self.pair

    return Row


@target(ONE, OTHERS)
def plain_inherited():
    class Base:
        def __init__(self, x):
            self.x = x

        def __eq__(self, other):
            return type(self) is type(other) and self.x == other.x

        def __hash__(self):
            return hash(self.x)

    class Row(Base):
        pass

    return Row


@target(ONE, OTHERS)
def plain_own_accessors():
    class Row:
        def __init__(self, x):
            self.x = x

        def __setattr__(self, name, value):
            super().__setattr__("my_" + name, value)

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return self.__dict__["my_" + name]

    return Row


@target([call()], [], [call(1)])
def plain_without_arguments():
    class Row:
        pass

    return Row


@target([call("a")], [call("b"), call(b"a", "ascii")], [call(1, 2, 3, 4)])
def str_subclass():
    class Row(str):
        pass

    return Row


@target([call(1.5)], [call(2.5), call("1.5")])
def float_subclass():
    class Row(float):
        pass

    return Row


@target([call(2020, 1, 2)], [call(2020, 1, 3)])
def date_subclass():
    class Row(dt.date):
        pass

    return Row


@target([call("a"), call(text="a")], [call("b")])
def str_subclass_own_new():
    class Row(str):
        __slots__ = ("__dict__", "__weakref__")

        def __new__(cls, text):
            return super().__new__(cls, text.upper())

        def __getnewargs__(self):
            return (self.lower(),)

    return Row


@target(
    [call(1, 2), call(x=1, y=2)],
    [call(2, 2)],
    changes={"x": 7},
    possible=find_spec("pydantic") is not None,
)
def pydantic_dataclass():
    import pydantic

    @pydantic.dataclasses.dataclass(frozen=True)
    class Row:
        x: int
        y: int

    return Row
