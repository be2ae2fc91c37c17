"""Targets: what can be interned, and with which options."""

import functools
import inspect

import pytest

from interned.errors import UnsupportedClassError
from interned.options import Options
from interned.targets import check_options, is_in_class_body, target_of


class Callable:
    def __call__(self, x, y=1):
        return [x, y]

    def method(self):
        return self

    @functools.lru_cache  # noqa: B019 - it is a wrapper of another kind
    def wrapped(self):
        return self


def function(x, *rest):
    return x


async def coroutine():
    return 1


def generator():
    yield 1


@pytest.mark.parametrize(
    ("function", "name", "signature"),
    [
        (function, "function", "(x, *rest)"),
        (functools.partial(function, 1), "function", "(*rest)"),
        (functools.partial(Callable(), y=2), "Callable", "(x, *, y=2)"),
        (Callable(), "Callable", "(x, y=1)"),
        (Callable().method, "Callable.method", "()"),
        (len, "len", "(obj, /)"),
        (max, "max", "(*args, **kwargs)"),
    ],
)
def test_each_callable_has_its_name_and_signature(function, name, signature):
    target = target_of(function)
    assert target.function is function
    assert target.name == name
    assert str(target.signature) == signature
    assert not target.coroutine


def test_coroutine_functions_are_told():
    assert target_of(coroutine).coroutine
    assert target_of(functools.partial(coroutine)).coroutine


@pytest.mark.parametrize("refused", [generator, functools.partial(functools.partial(generator))])
def test_generator_functions_are_refused(refused):
    with pytest.raises(UnsupportedClassError, match="generator is a generator function"):
        target_of(refused)


def test_functions_of_class_bodies_are_told():
    def local():
        return 1

    class Local:
        def method(self):
            return 1

        made = staticmethod(lambda: 1)

    inside = [Callable.method, Callable.wrapped, Local.method, Local.made]
    outside = [function, local, Callable().method, Callable(), len, str.upper, lambda: 1]
    outside += [functools.partial(Callable.method), functools.partial(function)]
    assert all(map(is_in_class_body, inside))
    assert not any(map(is_in_class_body, outside))
    assert not target_of(Callable.method).placed(in_class_body=False).in_class_body


def test_options_are_checked_against_the_parameters():
    target = target_of(function)
    check_options(target, Options(ignore="rest", weak_args="x", weak=False, single_flight=True))
    with pytest.raises(TypeError, match="'y' is no parameter of function; it has x, rest"):
        check_options(target, Options(ignore="y"))
    with pytest.raises(TypeError, match="it has none"):
        check_options(target_of(coroutine), Options(weak_args="y"))


def test_a_signature_of_its_own_is_believed():
    own = inspect.Signature([inspect.Parameter("q", inspect.Parameter.KEYWORD_ONLY)])

    def any_call(**kwargs):
        return kwargs

    any_call.__signature__ = own
    assert target_of(any_call).signature == own
