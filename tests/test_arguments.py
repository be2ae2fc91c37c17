"""Arguments: which of them key a call, and how."""

import inspect

import pytest

from interned.arguments import Arguments, first_positional
from interned.entries import ExactKey
from interned.errors import UnkeyableError
from interned.options import Options


class Thing:
    pass


def arguments(function, receiver=None, **options):
    return Arguments("f", inspect.signature(function), Options(**options), receiver)


def test_values_come_in_the_order_of_parameters():
    bind = arguments(lambda a, /, b=2, *rest, c=3, **extra: None).bind
    assert bind(1) == ((1, 2, 3), (), {})
    assert bind(1, 5, 6, 7, c=8, d=9) == ((1, 5, 8, 6, 7), (), {"d": 9})
    with pytest.raises(TypeError, match=r"f\(\) missing"):
        bind()


def test_a_receiver_and_weak_arguments_are_known_by_identity():
    bind = arguments(lambda self, a, b: None, "self", weak_args="b").bind
    assert bind(1, 2, 3) == ((2,), (1, 3), None)


def test_ignored_parameters_are_left_out():
    found = arguments(lambda a, b, *rest, **extra: None, ignore=("b", "rest", "extra"))
    assert found.bind(1, 2, 3, c=4) == ((1,), (), None)
    assert arguments(lambda self, a: None, "self", ignore="self").bind(1, 2) == ((2,), (), None)


def test_key_takes_the_place_of_all_but_the_receiver():
    found = arguments(
        lambda self, a, *rest, b=3: None, "self", key=lambda a, *rest, b: (a, rest, b)
    )
    assert found.bind(0, 1, 2, b=4) == (((1, (2,), 4),), (0,), None)


def test_plain_values_make_a_flat_key():
    owner = Thing()
    key = arguments(lambda a, b: None).key
    assert key((1, "x"), ()) == (1, "x", int, str)
    assert key((1,), (owner,)) == (id(owner), 1, int)
    assert key((), ()) == ()


@pytest.mark.parametrize("values", [((1,), 2), (0.0, 2), (Thing(), 2), (1, float("nan"))])
def test_other_values_make_an_exact_key(values):
    key = arguments(lambda a, b: None).key
    assert isinstance(key(values, ()), ExactKey)
    assert key(values, ()) == key(values, ())


def test_keyword_arguments_make_an_exact_key_in_any_order():
    key = arguments(lambda **extra: None).key
    assert key((), (), {"a": 1, "b": 2}) == key((), (), {"b": 2, "a": 1})
    assert key((), (), {"a": 1}) != key((), (), {"a": True})
    assert key((), (), {}) == ()


def test_an_owner_among_the_values_is_not_held():
    owner = Thing()
    key = arguments(lambda self, a: None, "self").key
    assert key((owner,), (owner,)).parts == (id(owner), ("owner", 0))


def test_values_are_called_by_their_parameters():
    found = arguments(lambda self, a, *rest: None, "self")
    assert [found.label(place) for place in range(3)] == ["a", "rest[0]", "rest[1]"]
    assert arguments(lambda a: None, key=lambda a: a).label(0) == "key="
    with pytest.raises(UnkeyableError, match=r"f\.rest\[0\]: a list"):
        found.key((1, []), (Thing(),))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda a, b: None, "a"),
        (lambda a, /: None, "a"),
        (lambda: None, None),
        (lambda *a: None, None),
        (lambda *, a: None, None),
    ],
)
def test_the_first_positional_parameter(function, name):
    assert first_positional(inspect.signature(function)) == name
