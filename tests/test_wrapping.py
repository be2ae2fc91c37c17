"""Wrapping: what takes the place of a callable is like it, and answers more."""

import copy
import functools
import inspect
import pickle
import pydoc
import typing

import pytest

from interned import interned, interner
from interned.methods import InternedClassMethod, InternedProperty, Method
from interned.options import Options
from interned.wrapping import intern_callable, interner_of

QUESTIONS = [
    *("cache_clear", "cache_contains", "cache_expire", "cache_info", "cache_invalidate"),
    *("cache_parameters", "cache_stats", "explain"),
]


@interned
def documented(x: int, y: "str" = "a", *, z: float = 0.5) -> list:
    """Return a list."""
    return [x, y, z]


documented.extra = 1


class Callable:
    def __init__(self):
        self.attribute = 3

    def __call__(self, x):
        return [x]


def test_a_function_is_like_the_user_s():
    original = documented.__wrapped__
    for name in functools.WRAPPER_ASSIGNMENTS:
        assert getattr(documented, name) == getattr(original, name)
    assert inspect.isfunction(documented)
    assert inspect.signature(documented) == inspect.signature(original)
    hints = {"x": int, "y": str, "z": float, "return": list}
    assert typing.get_type_hints(documented) == hints
    assert inspect.getsource(documented) == inspect.getsource(original)
    text = pydoc.render_doc(documented, renderer=pydoc.plaintext)
    told = "documented(x: int, y: 'str' = 'a', *, z: float = 0.5) -> list\n    Return a list."
    assert told in text


def test_a_function_answers():
    assert [name for name in QUESTIONS if callable(getattr(documented, name))] == QUESTIONS


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_function_pickles_and_copies_by_reference(protocol):
    assert pickle.loads(pickle.dumps(documented, protocol)) is documented
    assert copy.copy(documented) is copy.deepcopy(documented) is documented


@pytest.mark.parametrize(
    "function",
    [lambda x: [x], Callable(), functools.partial(lambda x: [x]), Callable().__call__],
    ids=["lambda", "object", "partial", "method"],
)
def test_any_callable_can_be_wrapped(function):
    wrapper = intern_callable(function, Options())
    assert wrapper(1) is wrapper(x=1) == [1]
    assert wrapper.__wrapped__ is function
    assert copy.deepcopy(wrapper) is wrapper
    assert getattr(wrapper, "attribute", 3) == 3


def test_builtins_can_be_wrapped():
    for function, argument in ((len, "abc"), (max, (1, 3)), (str.upper, "a")):
        wrapper = interned(function)
        assert wrapper(argument) == wrapper(argument) == function(argument)
        assert wrapper.cache_info()[:2] == (1, 1)


def test_a_wrapped_function_is_bound_as_it_shows_itself():
    @functools.wraps(documented.__wrapped__)
    def outer(*args, **kwargs):
        return documented.__wrapped__(*args, **kwargs)

    f = interned(outer)
    assert f(1) is f(x=1, y="a") is f(1, z=0.5)


def test_an_interned_function_can_be_interned_again():
    f = interned(maxsize=1)(documented)
    assert f(1) is f(1) is documented(1)
    assert interner(f) is not interner(documented)


def test_what_stands_for_a_method_depends_on_the_place():
    class Place:
        @interned
        def method(self): ...

        @interned
        @classmethod
        def build(cls): ...

        @interned
        @staticmethod
        def static(): ...

        @interned
        @property
        def value(self): ...

    kinds = {name: type(vars(Place)[name]) for name in ("method", "build", "static", "value")}
    assert kinds == {
        "method": Method,
        "build": InternedClassMethod,
        "static": staticmethod,
        "value": InternedProperty,
    }


def test_a_property_keeps_its_other_parts():
    class Own(property):
        pass

    class Place:
        def __init__(self):
            self.x = 1

        def get(self):
            """The value."""
            return [self.x]

        def put(self, x):
            self.x = x

        plain = interned(property(get, put))
        own = interned(Own(get, put, doc="Told."))

    place = Place()
    assert place.plain is place.plain == [1]
    place.plain = 3
    assert place.x == 3
    assert Place.plain.__doc__ == "The value."
    assert type(vars(Place)["own"]) is Own
    assert place.own is place.own


def test_a_property_without_a_getter_is_refused():
    with pytest.raises(TypeError, match="without a getter"):
        interned(property())


def test_the_interner_is_that_of_its_own_wrapper_alone():
    @functools.wraps(documented)
    def outer(x):
        return documented(x)

    assert outer.__interner__ is interner(documented) is interner_of(documented)
    for stranger in (outer, documented.__wrapped__, functools.partial(documented), 3, None):
        assert interner_of(stranger) is None
