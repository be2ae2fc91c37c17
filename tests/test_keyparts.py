"""What stands in a key for an object, dead or alive, and how often it asks the object."""

import gc
import weakref

import pytest

from interned.errors import UnkeyableError
from interned.keyparts import (
    Equal,
    EqualRef,
    Identity,
    IdentityRef,
    Shared,
    keyed,
    located,
)


class Value:
    """Counts how often it is hashed and compared."""

    def __init__(self, content):
        self.content = content
        self.hashed = self.compared = 0

    def __eq__(self, other):
        self.compared += 1
        return isinstance(other, Value) and self.content == other.content

    def __hash__(self):
        self.hashed += 1
        return hash(self.content)


@pytest.mark.parametrize("stand_in", [Identity, IdentityRef])
def test_identity_asks_the_object_nothing(stand_in):
    one, other = Value(1), Value(1)
    assert stand_in(one) == stand_in(one)
    assert hash(stand_in(one)) == hash(stand_in(one))
    assert stand_in(one) != stand_in(other)
    assert stand_in(one) != one
    assert (one.hashed, one.compared) == (0, 0)


@pytest.mark.parametrize("stand_in", [Equal, EqualRef])
def test_equality_is_the_object_s_own(stand_in):
    one, other = Value(1), Value(1)
    assert stand_in(one) == stand_in(other)
    assert stand_in(one) != stand_in(Value(2))
    assert stand_in(one) != one


@pytest.mark.parametrize("stand_in", [Equal, EqualRef])
def test_an_object_is_hashed_once_and_not_compared_with_itself(stand_in):
    value = Value(1)
    part = stand_in(value)
    assert hash(part) == hash(part) == hash(1)
    assert part == part  # noqa: PLR0124
    assert part == stand_in(value)
    assert (value.hashed, value.compared) == (2, 0)


def test_strong_and_weak_equality_agree():
    one, other = Value(1), Value(1)
    assert Equal(one) == EqualRef(other)
    assert EqualRef(one) == Equal(other)
    assert len({Equal(one), EqualRef(other)}) == 1


def test_unequal_hashes_spare_the_comparison():
    one, other = Value(1), Value(2)
    assert Equal(one) != Equal(other)
    assert one.compared == 0


def test_the_verdict_of_an_odd_comparison_is_its_truth():
    class Odd:
        def __eq__(self, other):
            return "yes"

        def __hash__(self):
            return 0

    assert (Equal(Odd()) == Equal(Odd())) is True


@pytest.mark.parametrize("stand_in", [IdentityRef, EqualRef])
def test_a_dead_object_s_stand_in_equals_itself_alone(stand_in):
    value, other = Value(1), Value(1)
    part, twin = stand_in(value), stand_in(value)
    held = {part: "found"}
    before = hash(part)
    del value
    assert part() is None
    assert part != twin
    assert part != stand_in(other)
    assert stand_in(other) != part
    assert hash(part) == before
    assert held[part] == "found"


@pytest.mark.parametrize(
    ("stand_in", "alive"), [(Identity, True), (Equal, True), (IdentityRef, False)]
)
def test_what_is_kept_alive(stand_in, alive):
    value = Value(1)
    part, seen = stand_in(value), weakref.ref(value)
    del value
    gc.collect()
    assert (seen() is not None) is alive
    assert part == part  # noqa: PLR0124


def test_a_shared_key_equals_the_key_inside():
    key = (tuple, 1, (float, 1.0))
    assert Shared(key) == key
    assert key == Shared(key)
    assert hash(Shared(key)) == hash(key)
    assert Shared(key) == Shared((tuple, 1, (float, 1.0)))
    assert Shared(key) != Shared((tuple, 1, (float, 2.0)))
    assert Shared(key) != (tuple, 1)


def test_shared_keys_remember_what_they_were_found_equal_to():
    class Asked:
        times = 0

        def __eq__(self, other):
            Asked.times += 1
            return True

        def __hash__(self):
            return 0

    one, two = Shared((Asked(),)), Shared((Asked(),))
    assert one == two
    assert one == two
    assert two == one
    assert Asked.times == 1


def test_shared_keys_do_not_remember_what_they_differ_from():
    one, two = Shared((1,)), Shared((2,))
    assert one != two
    assert one != two


class Keyer:
    """Keys everything by itself, and refuses lists."""

    def key(self, value):
        if isinstance(value, list):
            raise UnkeyableError("a list is mutable")
        return value


def test_the_parts_come_in_order():
    assert keyed(Keyer(), (1, "a", 2.0, None), str) == (1, "a", 2.0, None)


def test_an_error_names_the_place():
    with pytest.raises(UnkeyableError, match=r"^\.b: a list is mutable$"):
        keyed(Keyer(), (1, [], []), [".a", ".b", ".c"].__getitem__)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a list is mutable", "C.x: a list is mutable"),
        ("[1]: a list is mutable", "C.x[1]: a list is mutable"),
        (".y: a list is mutable", "C.x.y: a list is mutable"),
        ("{}: a list is mutable", "C.x{}: a list is mutable"),
    ],
)
def test_places_are_joined(text, expected):
    assert located(UnkeyableError(text), "C.x") == expected


@pytest.mark.parametrize("part", [Identity(1), Equal(1), Shared((1,))], ids=type)
def test_a_key_can_be_printed(part):
    assert repr(part).startswith("<")
