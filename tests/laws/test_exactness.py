"""L2: exact keys are equal exactly where a reader cannot tell the values apart."""

import copy
import gc
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from interned import keyparts
from interned.keys import exact_key, is_plain, weak_key
from tests.laws.strategies import CONFUSABLE, confusable_values, near_misses, reading, values

STAND_INS = {value for value in vars(keyparts).values() if isinstance(value, type)}
BOTH = pytest.mark.parametrize("key", [exact_key, weak_key])


def rebuilt(value):
    """Returns a value that looks the same, of other objects where there can be others."""
    return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def held_by(key):
    """Yields all objects that a key keeps alive, without looking into classes that never die."""
    seen, pending = set(), [key]
    while pending:
        item = pending.pop()
        if id(item) not in seen:
            seen.add(id(item))
            yield item
            if not isinstance(item, type):
                pending += gc.get_referents(item)


def is_immortal(item):
    return isinstance(item, type) and (not item.__flags__ & 1 << 9 or item in STAND_INS)


@BOTH
@given(value=values)
def test_values_that_look_the_same_have_one_key(key, value):
    one, other = key(value), key(rebuilt(value))
    assert one == other
    assert hash(one) == hash(other)


@BOTH
@given(pair=near_misses)
def test_values_that_look_different_have_two_keys(key, pair):
    one, other = pair
    assert key(one) != key(other)


@BOTH
@given(one=confusable_values, other=confusable_values)
@example((frozenset({1}), 0), (frozenset({True}), 0))
def test_a_key_says_what_a_reader_sees(key, one, other):
    assert (key(one) == key(other)) == (reading(one) == reading(other))


@BOTH
@given(pair=st.lists(values, min_size=2, max_size=2))
def test_a_key_says_what_a_reader_sees_of_any_two_values(key, pair):
    one, other = pair
    assert (key(one) == key(other)) == (reading(one) == reading(other))


@BOTH
@given(value=values)
def test_looking_at_a_value_does_not_change_its_key(key, value):
    before = key(value)
    hash(value), repr(value), copy.copy(value), value == value  # noqa: PLR0124
    assert key(value) == before


@given(value=values)
def test_a_weak_key_keeps_no_mortal_object_alive(value):
    for item in held_by(weak_key(value)):
        own = type(item) in {tuple, frozenset} or type(item).__module__ == keyparts.__name__
        assert own or not type(item).__weakrefoffset__ or is_immortal(item)


@given(one=values, other=values)
def test_a_plain_value_is_told_apart_by_itself_and_its_class(one, other):
    if is_plain(one) and is_plain(other):
        flat = (one, type(one)) == (other, type(other))
        assert flat == (exact_key(one) == exact_key(other))


def test_the_confusable_values_look_different():
    assert len(set(map(reading, CONFUSABLE))) == len(CONFUSABLE)
    assert len(set(map(exact_key, CONFUSABLE))) == len(CONFUSABLE)
