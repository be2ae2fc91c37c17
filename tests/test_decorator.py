"""What `@interned` accepts, in which forms, and who handles it."""

import functools
import typing
from dataclasses import dataclass

import pytest

from interned import interned, interner
from interned.callables import CallableInterner
from interned.classes import ClassInterner


@dataclass(frozen=True)
class Row:
    x: int


def make():
    return dataclass(frozen=True)(type("Row", (), {"__annotations__": {"x": int}}))


def test_a_class_comes_back_as_it_is_from_each_form():
    for decorate in (interned, interned(), interned(maxsize=3), functools.partial(interned)):
        cls = make()
        assert decorate(cls) is cls
        assert cls(1) is cls(x=1)
        assert isinstance(interner(cls), ClassInterner)


def test_a_function_is_wrapped_in_each_form():
    for decorate in (interned, interned(), interned(maxsize=3)):
        wrapper = decorate(lambda x: [x])
        assert wrapper(1) is wrapper(x=1)
        assert isinstance(interner(wrapper), CallableInterner)


def test_one_call_with_options_may_decorate_several_targets():
    decorate = interned(maxsize=3)
    one, other = decorate(make()), decorate(make())
    assert interner(one) is not interner(other)
    assert interner(one).cache_info().maxsize == 3


@pytest.mark.parametrize("target", [100, "name", [1]])
def test_what_is_neither_class_nor_callable_is_refused(target):
    with pytest.raises(TypeError, match=r"write @interned\(maxsize=100\)"):
        interned(target)


@pytest.mark.parametrize("alias", [list[int], typing.List[int], typing.Optional[int]])  # noqa: UP006, UP045
def test_an_alias_is_refused(alias):
    with pytest.raises(TypeError, match="is an alias; decorate the class itself"):
        interned(alias)


def test_unknown_options_are_named():
    with pytest.raises(TypeError, match="no option maxsiz, typed"):
        interned(typed=True, maxsiz=3)


def test_options_are_keywords():
    with pytest.raises(TypeError):
        interned(make(), 3)


def test_the_interner_is_that_of_the_target_alone():
    cls = interned(make())
    sub = type("Sub", (cls,), {})
    wrapper = interned(len)
    assert interner(cls).target is cls
    for undecorated in (sub, Row, len, 3, cls(1), functools.partial(wrapper)):
        with pytest.raises(TypeError, match="is not decorated with @interned"):
            interner(undecorated)
    assert interner(interned(sub)) is not interner(cls)
