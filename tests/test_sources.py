"""Source written from signatures: how the functions bind and pass on."""

import inspect

import pytest

from interned.hits import compile_apply
from interned.sources import (
    PREFIX,
    define,
    flat_source,
    forgiving,
    namespace_of,
    pass_on,
    receive,
    values_source,
)

FUNCTIONS = [
    lambda: 0,
    lambda x: 0,
    lambda x, y=2: 0,
    lambda x, /, y=2: 0,
    lambda x, /: 0,
    lambda x=1, /, *, y: 0,
    lambda *, y, z=3: 0,
    lambda x, *rest, y=1, **more: 0,
    lambda x, /, *rest: 0,
    lambda **more: 0,
]
SIGNATURES = [
    *map(inspect.signature, FUNCTIONS),
    inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for name in ("self", "cls", "type", "KeyError", "table", "next")
        ]
    ),
]
CALLS = [
    (args, kwargs)
    for args in ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4))
    for kwargs in ({}, {"x": 5}, {"y": 5}, {"y": 5, "z": 6}, {"k": 7})
]


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_generated_functions_bind_as_the_signature_says(signature):
    namespace = {}
    function = define(
        "def function({receive}):\n    return {values}",
        namespace,
        "test",
        receive=receive(signature, namespace),
        values=values_source(signature),
    )
    for args, kwargs in CALLS:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            with pytest.raises(TypeError):
                function(*args, **kwargs)
        else:
            bound.apply_defaults()
            assert function(*args, **kwargs) == tuple(bound.arguments.values())


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_values_are_passed_on_as_they_were_bound(signature):
    apply = compile_apply(signature, "test")
    for args, kwargs in CALLS:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            continue
        bound.apply_defaults()
        again = apply(signature.bind, tuple(bound.arguments.values()))
        again.apply_defaults()
        assert again.arguments == bound.arguments


@pytest.mark.parametrize(
    ("function", "source"),
    [
        (lambda: 0, ""),
        (lambda x, /, y, *rest, z=1, **more: 0, "x, y, *rest, z=z, **more"),
    ],
)
def test_passing_on_keeps_each_kind(function, source):
    assert pass_on(inspect.signature(function)) == source


def test_a_flat_key_has_the_values_and_then_their_classes():
    assert flat_source(("x", "y")) == "x, y, @type(x), @type(y)"
    assert flat_source(()) == "()"


def test_names_of_ours_are_apart_from_all_parameters():
    names = namespace_of(table={})
    assert all(name.startswith(PREFIX) for name in names)
    assert names[PREFIX + "type"] is type


def test_a_generated_function_says_where_it_comes_from():
    function = define("def function():\n    raise KeyError", {}, "Some.Class")
    with pytest.raises(KeyError) as caught:
        function()
    assert caught.traceback[-1].frame.code.raw.co_filename == "<interned generated Some.Class>"


# `__new__`


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_any_signature_can_be_opened(signature):
    opened = forgiving(signature, open_ended=True)
    namespace = {}
    source = "def function({receive}): pass"
    function = define(source, namespace, "test", receive=receive(opened, namespace))
    for args, kwargs in CALLS:
        if not (signature.parameters.keys() & kwargs.keys() and args):
            function(*args, **kwargs)
    assert all(
        opened.parameters[name].default is parameter.default or parameter.default is parameter.empty
        for name, parameter in signature.parameters.items()
    )
