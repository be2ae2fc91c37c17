"""Methods: in every position a decorator can have, nothing is mixed up and nobody is kept alive."""

import abc
import contextlib
import copy
import enum
import functools
import gc
import inspect
import pickle
import pydoc
import sys
import typing
import weakref
from dataclasses import dataclass
from unittest import mock

import attrs
import pytest

from interned import NotWeakReferenceableError, interned, interner
from interned.methods import BoundMethod, Method


class Everything:
    """Each kind of method, with the decorator inside and outside."""

    @interned
    def method(self, x: int = 1) -> list:
        """A method."""
        return [self.__class__, x]

    @classmethod
    @interned
    def class_inside(cls, x=1):
        """A class method."""
        return [cls, x]

    @interned
    @classmethod
    def class_outside(cls, x=1):
        """A class method."""
        return [cls, x]

    @staticmethod
    @interned
    def static_inside(x=1):
        """A static method."""
        return [x]

    @interned
    @staticmethod
    def static_outside(x=1):
        """A static method."""
        return [x]

    @property
    @interned
    def property_inside(self):
        """A property."""
        return [self.__class__]

    @interned
    @property
    def property_outside(self):
        """A property."""
        return [self.__class__]

    @interned
    async def coroutine(self, x=1):
        """A coroutine method."""
        return [self.__class__, x]


class Derived(Everything):
    pass


METHODS = ("method",)
CLASS_METHODS = ("class_inside", "class_outside")
STATIC_METHODS = ("static_inside", "static_outside")
PROPERTIES = ("property_inside", "property_outside")


@pytest.fixture(autouse=True)
def no_collector():
    """Whatever is freed here is freed by reference count."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def fresh():
    """Returns a class made anew with one interned method, and the calls of it."""

    def make(*bases, **options):
        calls = []

        class Fresh(*bases):
            @interned(**options)
            def method(self, x=1, *rest):
                calls.append((self, x))
                return [x]

        return Fresh, calls

    return make


# What is shared with whom.


@pytest.mark.parametrize("name", METHODS)
def test_methods_share_by_instance(name):
    one, other, derived = Everything(), Everything(), Derived()
    method = getattr(one, name)
    assert method(1) is method() is method(x=1) is getattr(Everything, name)(one, 1)
    results = [getattr(x, name)() for x in (one, other, derived)]
    assert len({id(result) for result in results}) == 3
    assert results[2] == [Derived, 1]


@pytest.mark.parametrize("name", CLASS_METHODS)
def test_class_methods_share_by_class(name):
    method = getattr(Everything, name)
    assert method(1) is method() is method(x=1) is getattr(Everything(), name)(1)
    assert getattr(Derived, name)() is getattr(Derived(), name)() is not method()
    assert getattr(Derived, name)() == [Derived, 1]


@pytest.mark.parametrize("name", STATIC_METHODS)
def test_static_methods_share_by_arguments(name):
    method = getattr(Everything, name)
    assert method(1) is method() is getattr(Everything(), name)(x=1) is getattr(Derived, name)(1)
    assert method(Everything()) is not method(Everything())
    argument = Everything()
    assert method(argument) is method(argument)
    assert method((1, 2)) is method((1, int("2")))


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_share_by_instance(name):
    one, other, derived = Everything(), Everything(), Derived()
    assert getattr(one, name) is getattr(one, name) is not getattr(other, name)
    assert getattr(derived, name) == [Derived]
    assert isinstance(vars(Everything)[name], property)


def test_instances_are_told_apart_by_identity(fresh):
    class Same:
        __hash__ = None

        def __eq__(self, other):
            return True

    cls, calls = fresh(Same)
    one, other = cls(), cls()
    assert one.method() is one.method() is not other.method()
    assert len(calls) == 2
    assert cls.method.cache_info() == (1, 2, 128, 2)


def test_super_reaches_results_of_its_own():
    class Base:
        @interned
        def method(self):
            return ["base"]

        @interned
        @classmethod
        def build(cls):
            return [cls]

    class Sub(Base):
        @interned
        def method(self):
            return ["sub", super().method()]

        @interned
        @classmethod
        def build(cls):
            return [cls, super().build()]

    x = Sub()
    assert x.method() is x.method() == ["sub", ["base"]]
    assert Base.method(x) is x.method()[1]
    assert Sub.build() == [Sub, [Sub]]
    assert Base.build() == [Base]


def test_an_instance_passed_to_its_own_method_is_not_kept_alive():
    class Friendly:
        @interned
        def method(self, *others):
            return [len(others)]

    x = Friendly()
    assert x.method(x) is x.method(x)
    assert x.method(1, x, x) is x.method(1, x, x) is not x.method(1, x, Friendly())
    gone = weakref.ref(x)
    del x
    assert gone() is None


def test_a_property_that_is_first_asked_on_an_instance_made_later():
    class Late:
        @property
        @interned(maxsize=None)
        def value(self):
            return [id(self)]

    for _ in range(20):
        x = Late()
        assert x.value is x.value
        assert x.value == [id(x)]


# Nobody is kept alive.


@pytest.mark.parametrize("options", [{}, {"maxsize": None}, {"ttl": 60}, {"weak": True}], ids=str)
@pytest.mark.parametrize("argument", [1, (1, "a"), None])
def test_results_go_with_their_instance(options, argument):
    class Result:
        pass

    class Owner:
        @interned(**options)
        def method(self, x):
            return Result()

        @interned(**options)
        @property
        def value(self):
            return Result()

    owner = Owner()
    result, value = owner.method(argument), owner.value
    assert owner.method(argument) is result
    assert owner.value is value
    gone = [weakref.ref(x) for x in (owner, result, value)]
    del owner, result, value
    assert [reference() for reference in gone] == [None] * 3
    assert Owner.method.cache_info().currsize == 0


def test_a_result_that_is_the_instance_does_not_keep_it_alive():
    class Fluent:
        @interned
        def itself(self, x=1):
            return self

    x = Fluent()
    assert x.itself() is x is x.itself()
    assert Fluent.itself.cache_info()[:2] == (1, 1)
    gone = weakref.ref(x)
    del x
    assert gone() is None


def test_a_bound_method_keeps_its_instance_alive_as_any_other_does(fresh):
    cls, _ = fresh()
    bound = cls().method
    assert bound() is bound()


def test_a_class_goes_although_its_class_methods_were_called():
    def make():
        class Temporary:
            @interned
            @classmethod
            def build(cls):
                return [1]

            @classmethod
            @interned
            def build_inside(cls):
                return [1]

        Temporary.build()
        Temporary.build_inside()
        return weakref.ref(Temporary)

    gone = make()
    gc.collect()
    assert gone() is None


def test_evicted_results_leave_no_trace_on_a_long_living_instance(fresh):
    cls, _ = fresh(maxsize=2)
    x = cls()
    for number in range(100):
        x.method(number)
    owners = interner(cls.method).owners
    (owner,) = owners._known.values()
    assert len(owner.entries) == 2


def test_an_instance_lost_at_the_end_of_the_stack_is_not_mixed_up(monkeypatch):
    # There, the callback that should forget its results cannot run; its address is used again.
    failed = []
    monkeypatch.setattr(sys, "unraisablehook", failed.append)

    class Numbered:
        def __init__(self, number):
            self.number = number

        @interned(maxsize=None)
        def value(self):
            return [self.number]

    def lose(holder, depth):
        if depth:
            lose(holder, depth - 1)
        holder.clear()

    for number in range(sys.getrecursionlimit()):
        holder = [Numbered(number)]
        assert holder[0].value() == [number]
        with contextlib.suppress(RecursionError):
            lose(holder, number)
        holder.clear()
    assert failed
    assert Numbered.value.cache_info().hits == 0


# Slots.


def test_slots_with_weakref_are_enough():
    class Slotted:
        __slots__ = ("__weakref__", "x")

        @interned
        def method(self):
            return [1]

    x = Slotted()
    assert x.method() is x.method()


def slotted():
    class Slotted:
        __slots__ = ("x",)

        @interned
        def method(self):
            return [1]


def slotted_property():
    class Slotted:
        __slots__ = ("x",)

        @interned
        @property
        def method(self):
            return [1]


def slotted_dataclass():
    @dataclass(slots=True)
    class Slotted:
        x: int

        @interned
        def method(self):
            return [1]


def number():
    class Number(int):
        @interned
        def method(self):
            return [1]


@pytest.mark.parametrize("define", [slotted, slotted_property, slotted_dataclass, number])
def test_without_weakref_the_class_is_refused(define):
    kinds = NotWeakReferenceableError if sys.version_info >= (3, 12) else RuntimeError
    with pytest.raises(kinds) as caught:
        define()
    error = caught.value if sys.version_info >= (3, 12) else caught.value.__cause__
    assert isinstance(error, NotWeakReferenceableError)
    assert ".method: instances of " in str(error)


def test_where_no_class_tells_the_first_call_is_refused():
    ran = []

    class Slotted:
        __slots__ = ("x",)

        @property
        @interned
        def value(self):
            ran.append(1)

    with pytest.raises(NotWeakReferenceableError, match=r'add "__weakref__" to its __slots__'):
        _ = Slotted().value
    assert ran == []


def test_rebuilt_classes_work():
    @attrs.define(eq=False)
    class Attrs:
        x: int

        @interned
        def method(self):
            return [super().__eq__(self), self.x]

    @dataclass(slots=True, weakref_slot=True, eq=False)
    class Data:
        x: int

        @interned
        def method(self):
            return [self.x]

    for cls in (Attrs, Data):
        x = cls(3)
        assert x.method() is x.method()


def test_members_of_enums_have_methods():
    class Colour(enum.Enum):
        RED = 1
        BLUE = 2

        @interned
        def hex(self):
            return [self.value]

    assert len(Colour) == 2
    assert Colour.RED.hex() is Colour.RED.hex() is not Colour.BLUE.hex()


def test_metaclasses_have_methods():
    class Meta(type):
        @interned
        def describe(cls):
            return [cls]

    class One(metaclass=Meta):
        pass

    class Two(One):
        pass

    assert One.describe() is One.describe()
    assert Two.describe() == [Two]


def test_abstract_methods_stay_abstract():
    class Base(abc.ABC):
        @interned
        @abc.abstractmethod
        def inside(self): ...

        @abc.abstractmethod
        @interned
        def outside(self): ...

    assert Base.__abstractmethods__ == {"inside", "outside"}


# Functions that become methods in another way.


def test_a_function_that_is_put_into_a_class_later_keeps_nobody_alive():
    calls = []

    @interned
    def function(self, x=1):
        calls.append(x)
        return [x]

    assert function(3) is function(3)

    class Later:
        pass

    Later.method = function
    one, other = Later(), Later()
    assert one.method() is one.method() is function(one) is not other.method()
    assert function(3) is function(3)
    gone = weakref.ref(one)
    del one
    assert gone() is None
    assert calls == [1, 1, 1]


def test_a_function_used_while_its_class_is_made():
    class Early:
        @interned
        def double(x):
            return [x]

        four = double(4)
        same = double(4)

    assert Early.four is Early.same
    x = Early()
    assert x.double() is x.double()


def test_a_partial_method_works():
    class Partial:
        @interned
        def method(self, x, y):
            return [x, y]

        half = functools.partialmethod(method, 1)

    x = Partial()
    assert x.half(2) is x.half(2) is x.method(1, 2)


def test_a_method_without_parameters_by_name():
    class Variadic:
        @interned
        def method(*args, **kwargs):
            return [args[1:], kwargs]

    one, other = Variadic(), Variadic()
    assert one.method(1, a=2) is one.method(1, a=2) is not other.method(1, a=2)
    gone = weakref.ref(one)
    del one
    assert gone() is None


# Options.


def test_key_is_given_no_self():
    class Keyed:
        @interned(key=lambda x: x.lower())
        def method(self, x):
            return [x]

        @property
        @interned(key=lambda: 1)
        def value(self):
            return [1]

        @classmethod
        @interned(key=lambda x: x.lower())
        def build(cls, x):
            return [x]

    one, other = Keyed(), Keyed()
    assert one.method("A") is one.method("a") is not other.method("A")
    assert one.value is one.value is not other.value
    assert Keyed.build("A") is Keyed.build("a")


def test_ignoring_self_shares_by_arguments(fresh):
    cls, calls = fresh(ignore="self")
    assert cls().method(1) is cls().method(1)
    assert len(calls) == 1

    class Slotted:
        __slots__ = ()

        @interned(ignore="self")
        @property
        def value(self):
            return [1]

    assert Slotted().value is Slotted().value


def test_other_arguments_can_be_held_weakly():
    class Friendly:
        @interned(weak_args="friend")
        def method(self, friend):
            return [1]

    x, friend = Friendly(), Friendly()
    assert x.method(friend) is x.method(friend)
    assert Friendly.method.cache_info().currsize == 1
    del friend
    assert Friendly.method.cache_info().currsize == 0


# The interface.


def test_the_wrapper_answers_unbound_and_bound(fresh):
    cls, _ = fresh()
    x = cls()
    result = x.method(2)
    assert x.method.cache_info() == cls.method.cache_info() == (0, 1, 128, 1)
    assert x.method.cache_parameters() == cls.method.cache_parameters()
    assert x.method.cache_stats() == cls.method.cache_stats()
    assert x.method.cache_contains(2)
    assert cls.method.cache_contains(x, 2)
    assert not x.method.cache_contains(3)
    assert not cls().method.cache_contains(2)
    assert x.method.explain(2).hit
    assert x.method.explain(3).differences == cls.method.explain(x, 3).differences
    assert x.method.cache_invalidate(2)
    assert not cls.method.cache_invalidate(x, 2)
    assert x.method(2) is not result
    x.method.cache_expire()
    x.method.cache_clear()
    assert cls.method.cache_info() == (0, 0, 128, 0)


@pytest.mark.parametrize("name", ["class_inside", "class_outside"])
def test_class_methods_answer(name):
    method = getattr(Derived, name)
    if name == "class_inside" and sys.version_info >= (3, 13):
        pytest.skip("there, classmethod binds what it wraps by itself")
    method(5)
    assert method.cache_contains(5)
    assert method.explain(x=5).hit
    assert method.cache_invalidate(5)
    assert not method.cache_contains(5)


def test_static_methods_and_properties_answer():
    for name in STATIC_METHODS:
        method = getattr(Everything, name)
        method(7)
        assert method.cache_contains(7)
        assert method.cache_invalidate(7)
    x = Everything()
    for name in PROPERTIES:
        getter = getattr(Everything, name).fget
        getattr(x, name)
        assert getter.cache_contains(x)
        assert getter.cache_invalidate(x)


def test_the_interner_is_found_in_every_position():
    found = [interner(getattr(Everything, name)) for name in METHODS + CLASS_METHODS]
    found += [interner(getattr(Everything, name)) for name in STATIC_METHODS + PROPERTIES]
    found += [interner(vars(Everything)[name]) for name in CLASS_METHODS + STATIC_METHODS]
    assert len({id(one) for one in found}) == 7
    assert interner(Everything().method) is interner(Everything.method)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_methods_pickle_by_reference(protocol):
    for name in METHODS + STATIC_METHODS:
        method = getattr(Everything, name)
        assert pickle.loads(pickle.dumps(method, protocol)) is method
    bound = pickle.loads(pickle.dumps(Everything().method, protocol))
    assert isinstance(bound.__self__, Everything)
    assert bound() == [Everything, 1]


def test_methods_copy_by_reference():
    for name in METHODS + STATIC_METHODS:
        method = getattr(Everything, name)
        assert copy.copy(method) is method
        assert copy.deepcopy(method) is method


def test_inspection_sees_the_user_s_function():
    x = Everything()
    assert str(inspect.signature(Everything.method)) == "(self, x: int = 1) -> list"
    assert str(inspect.signature(x.method)) == "(x: int = 1) -> list"
    for name in CLASS_METHODS:
        assert str(inspect.signature(getattr(Everything, name))) == "(x=1)"
    for method in (Everything.method, x.method):
        assert typing.get_type_hints(method) == {"x": int, "return": list}
        assert method.__doc__ == "A method."
        assert method.__name__ == "method"
        assert method.__qualname__ == "Everything.method"
        assert method.__wrapped__.__code__.co_name == "method"
    assert inspect.iscoroutinefunction(Everything.coroutine)
    assert inspect.iscoroutinefunction(x.coroutine)
    assert not inspect.iscoroutinefunction(x.method)
    assert Everything.method.__module__ == __name__
    assert inspect.isroutine(Everything.method)


def test_help_reads_as_for_any_class():
    text = pydoc.render_doc(Everything, renderer=pydoc.plaintext)
    assert "Methods defined here" in text
    assert "method(self, x: int = 1) -> list\n |      A method." in text
    assert text.count("A class method.") == 2
    assert text.count("A static method.") == 2
    assert text.count("A property.") == 2
    text = pydoc.render_doc(Everything().method, renderer=pydoc.plaintext)
    assert "\n    A method." in text


def test_bound_methods_behave_like_bound_methods():
    x = Everything()
    bound = x.method
    assert isinstance(bound, BoundMethod)
    assert bound == x.method != Everything().method
    assert hash(bound) == hash(x.method)
    assert bound != 3
    assert bound.__self__ is x
    assert bound.__func__(x) is bound()
    assert repr(bound).startswith("<bound Everything.method of <")
    assert weakref.WeakMethod(bound)()() is bound()

    class Holder:
        attribute = bound

    assert Holder().attribute() is bound()
    with pytest.raises(AttributeError):
        _ = bound.no_such_thing


def test_a_method_can_be_replaced_for_a_while():
    x = Everything()
    with mock.patch.object(Everything, "method", return_value="patched"):
        assert x.method() == "patched"
    assert x.method() == [Everything, 1]
    assert isinstance(Everything.method, Method)
    assert repr(Everything.method) == "<interned Everything.method>"
