"""Inquiries about calls: nothing runs, nothing is counted, nothing is used for them."""

import pytest

from interned import interned, interner


@pytest.fixture
def ran():
    return []


@pytest.fixture
def f(ran):
    @interned(maxsize=2)
    def f(x, *rest, axis_names=(), **extra):
        ran.append(x)
        return [x]

    return f


def test_asking_leaves_no_trace(f, ran):
    f(1)
    f(2)
    f.cache_contains(1)
    f.explain(1)
    f.cache_contains(7)
    assert f.cache_info() == (0, 2, 2, 2)
    f(3)
    assert ran == [1, 2, 3]
    assert not f.cache_contains(1)


def test_a_hit_is_explained(f):
    f(1)
    explanation = f.explain(x=1)
    assert explanation == "hit"
    assert explanation.hit
    assert explanation.differences == ()


def test_a_miss_is_explained_by_the_nearest_call(f):
    f(1, axis_names=("x", "z"))
    f(2, 3, axis_names=("a", "b"))
    found = f.explain(1, axis_names=("x", "y"))
    assert not found.hit
    assert found.differences == ("axis_names[1]: 'y' against 'z'",)
    assert str(found).endswith("differs in\n    axis_names[1]: 'y' against 'z'")


def test_types_are_told():
    f = interned(lambda x: x)
    f(1.0)
    assert f.explain(1).differences == ("x: 1 (int) against 1.0 (float)",)


def test_any_number_of_arguments_is_explained(f):
    f(1, 2, k=3)
    assert f.explain(1, 2, k=4).differences == ("k: 4 against 3",)
    assert f.explain(1, 5, k=3).differences == ("rest[0]: 5 against 2",)
    assert f.explain(1, 2).differences == ("k: nothing against 3",)


def test_where_nothing_is_known_there_is_nothing_to_compare_with(f):
    assert f.explain(1) == "miss; nothing is known"


def test_an_expired_result_is_explained():
    now = [0.0]
    f = interned(ttl=1, timer=lambda: now[0])(lambda x: x)
    f(1)
    now[0] = 2.0
    assert f.explain(1) == "miss; the result is known, but no longer valid"
    assert not f.cache_contains(1)
    assert not f.cache_invalidate(1)
    assert f.explain(1) == "miss; nothing is known"


def test_another_instance_is_explained():
    class Thing:
        @interned
        def method(self, x):
            return [x]

    one, other = Thing(), Thing()
    one.method(1)
    (difference,) = other.method.explain(1).differences
    assert difference.startswith("self: <")
    assert one.method.explain(2).differences == ("x: 2 against 1",)


def test_a_result_of_key_is_explained():
    f = interned(key=len)(lambda x: x)
    f("abc")
    assert f.explain("a").differences == ("key=: 1 against 3",)


def test_a_call_that_cannot_be_shown_is_left_out():
    class Thing:
        @interned
        def method(self, other):
            return 1

    thing = Thing()
    thing.method(thing)
    assert thing.method.explain(thing).hit
    assert thing.method.explain(1) == "miss; nothing is known"


def test_the_interner_answers_as_the_wrapper_does(f):
    f(1)
    found = interner(f)
    assert found.cache_contains(1)
    assert found.explain(1).hit
    assert found.cache_invalidate(1)
    assert not f.cache_contains(1)
