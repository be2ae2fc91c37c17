"""Roles: the first call, or the class, tells what a function is."""

import functools
import gc
import inspect

import pytest

from interned import interned, interner
from interned.callhits import HitCounter, Path
from interned.options import Options
from interned.roles import Role
from interned.targets import Target

PATH = Path(
    coroutine=False,
    shortcut=False,
    asks=True,
    flights=False,
    weak=False,
    recency=False,
    timed=False,
    every_use=False,
)


@pytest.fixture
def role():
    """Makes a role for a function, with its wrapper."""
    wrappers = []

    def make(function, *, in_class_body=True, **options):
        target = Target(function, "f", inspect.signature(function), False, in_class_body)
        role = Role(target, Options(**options), PATH, HitCounter())
        wrappers.append(role.wrap({}))
        return role, wrappers[-1]

    return make


class Thing:
    pass


def test_a_function_of_the_first_argument_s_class_is_a_method(role):
    found, wrapper = role(lambda self, x: None)
    cls = type("Owner", (), {"method": wrapper})
    undecided = wrapper.__code__
    assert found.decide(cls()) is wrapper
    assert found.arguments.receiver == "self"
    assert wrapper.__code__ is not undecided


@pytest.mark.parametrize("wrap", [property, classmethod, functools.cached_property])
def test_so_is_one_within_a_descriptor(role, wrap):
    found, wrapper = role(lambda self, x: None)
    cls = type("Owner", (), {"method": wrap(wrapper)})
    found.decide(cls if wrap is classmethod else cls())
    assert found.arguments.receiver == "self"


def test_a_static_method_or_a_stranger_is_none(role):
    found, wrapper = role(lambda x: None)
    cls = type("Owner", (), {"method": staticmethod(wrapper)})
    found.decide(cls())
    found.decide(1)
    assert found.arguments.receiver is None


def test_a_stranger_s_attribute_may_fail(role):
    class Hostile:
        def __getattribute__(self, name):
            raise RuntimeError

    found, _ = role(lambda self: None)
    found.decide(type("Owner", (), {"hostile": Hostile()})())
    assert found.arguments.receiver is None


def test_a_descriptor_of_any_kind_may_hold_it(role):
    class Lazy:
        def __init__(self, function):
            self.function = function

        def __get__(self, instance, owner=None):
            return self.function(instance)

    found, wrapper = role(lambda self: None)
    found.decide(type("Owner", (), {"lazy": Lazy(wrapper)})())
    assert found.arguments.receiver == "self"


def test_classes_are_forgotten(role):
    found, _ = role(lambda self: None)
    found.decide(1)
    assert not found.is_bound((type("Passing", (), {})(),), ())
    gc.collect()
    assert found._classes == {}


def test_who_took_it_for_a_function_sees_later_that_it_is_a_method(role):
    found, wrapper = role(lambda self: None)
    found.decide(1)
    cls = type("Owner", (), {})
    assert not found.is_bound((Thing(),), ())
    cls.method = property(wrapper)
    assert found.is_bound((cls(),), ())
    assert found.arguments.receiver == "self"
    assert not found.is_bound((), (cls(),))


def test_a_function_outside_of_class_bodies_changes_no_role(role):
    found, wrapper = role(lambda self: None, in_class_body=False)
    cls = type("Owner", (), {"method": wrapper})
    assert found.is_bound((cls(),), ())
    assert found.arguments.receiver is None
    found.become_method()
    assert found.arguments.receiver is None


@pytest.mark.parametrize("value", [1, "a", None, (1,), 2.5])
def test_plain_values_receive_nothing(role, value):
    found, _ = role(lambda x: None)
    assert not found.is_bound((value,), ())


def test_a_role_is_taken_once(role):
    found, wrapper = role(lambda self: None)
    found.become_method()
    code, arguments = wrapper.__code__, found.arguments
    found.become_method()
    assert wrapper.__code__ is code
    assert found.arguments is arguments


def test_ignored_or_replaced_parameters_are_no_receivers(role):
    for options in ({"ignore": "self"}, {"key": lambda: 1}):
        found, wrapper = role(lambda self: None, **options)
        cls = type("Owner", (), {"method": wrapper})
        assert not found.is_bound((cls(),), ())


def test_what_stands_for_the_function_is_known():
    class Owner:
        @interned
        def method(self):
            return 1

    role = interner(Owner.method).role
    assert role.has_face(Owner.method)
    assert role.has_face(Owner.method.wrapper)
    assert not role.has_face(Owner.method.__wrapped__)
