"""How the constructor of a class is called."""

import inspect

import pytest

from interned.signatures import (
    ANY_CALL,
    constructor_signature,
    is_demanding,
    with_first,
    without_first,
)


def init(self, x, y=2): ...
def new(cls, x, y=2): ...
def any_init(self, *args, **kwargs): ...
def any_new(cls, *args, **kwargs): ...
def other_new(cls, x, y=3): ...


@pytest.mark.parametrize(
    ("base", "body", "signature"),
    [
        (object, {}, "(*args, **kwargs)"),
        (object, {"__init__": init}, "(x, y=2)"),
        (object, {"__new__": new}, "(x, y=2)"),
        (object, {"__new__": new, "__init__": init}, "(x, y=2)"),
        (object, {"__new__": any_new, "__init__": init}, "(x, y=2)"),
        (object, {"__new__": new, "__init__": any_init}, "(x, y=2)"),
        (object, {"__new__": any_new, "__init__": any_init}, "(*args, **kwargs)"),
        (object, {"__new__": other_new, "__init__": init}, "(*args, **kwargs)"),
        (str, {}, "(*args, **kwargs)"),
        (str, {"__new__": new}, "(x, y=2)"),
        (type("Base", (), {"__init__": init}), {}, "(x, y=2)"),
    ],
)
def test_init_and_new_are_asked_for_what_they_agree_on(base, body, signature):
    assert str(constructor_signature(type("Row", (base,), body))) == signature


def test_a_function_that_does_not_tell_may_be_called_in_any_way():
    assert without_first(type.mro) == inspect.Signature()
    assert without_first(iter) is ANY_CALL
    assert str(without_first(lambda *args, x: None)) == "(*args, x)"


@pytest.mark.parametrize(
    ("function", "demanding"),
    [
        (lambda: 0, False),
        (lambda x: 0, True),
        (lambda x=1: 0, False),
        (lambda *x, **y: 0, False),
        (lambda *, x: 0, True),
    ],
)
def test_a_signature_is_demanding_if_something_has_no_default(function, demanding):
    assert is_demanding(inspect.signature(function)) is demanding


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (lambda: 0, "(cls)"),
        (lambda x: 0, "(cls, x)"),
        (lambda x, /, y: 0, "(cls, x, /, y)"),
        (lambda cls, cls_=1: 0, "(cls__, cls, cls_=1)"),
    ],
)
def test_one_more_parameter_in_front(function, signature):
    assert str(with_first(inspect.signature(function), "cls")) == signature
