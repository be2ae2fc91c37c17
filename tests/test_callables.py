"""Calls: what is shared, how long, and what is counted; first as `functools.lru_cache` does it."""

import decimal
import functools
import gc
import os
import random
import subprocess
import sys
import threading
import tracemalloc
import weakref
from dataclasses import dataclass
from datetime import timedelta

import cachetools
import pytest

from interned import (
    NotWeakReferenceableError,
    UnkeyableError,
    clear_caches,
    interned,
    interner,
    interners,
)


class Value:
    """Something that can be weakly referenced."""


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def ran():
    return []


@pytest.fixture
def square(ran):
    def make(**options):
        @interned(**options)
        def square(x):
            ran.append(x)
            return [x * x]

        return square

    return make


# What functools.lru_cache promises too.


def test_hits_and_misses_add_up_to_the_calls():
    domain, rng = range(5), random.Random(0)
    f = interned(maxsize=20)(lambda x, y: 3 * x + y)
    assert f.cache_info() == (0, 0, 20, 0)
    for _ in range(1000):
        x, y = rng.choice(domain), rng.choice(domain)
        assert f(x, y) == 3 * x + y
    hits, misses, maxsize, currsize = f.cache_info()
    assert hits + misses == 1000
    assert hits > misses
    assert (maxsize, currsize) == (20, 20)


def test_clearing_forgets_and_counts_from_zero(square, ran):
    f = square()
    first = f(3)
    f(3)
    f.cache_clear()
    assert f.cache_info() == (0, 0, 128, 0)
    assert f(3) is not first
    assert f.cache_info() == (0, 1, 128, 1)
    assert ran == [3, 3]


def test_the_function_itself_stays_within_reach(square):
    f = square()
    f(3)
    assert f.__wrapped__(3) == [9]
    assert f.cache_info() == (0, 1, 128, 1)


def test_maxsize_zero_keeps_nothing(square, ran):
    f = square(maxsize=0)
    for _ in range(5):
        assert f(3) == [9]
    assert ran == [3] * 5
    assert f.cache_info() == (0, 5, 0, 0)
    assert not f.cache_contains(3)


def test_maxsize_one(square, ran):
    f = square(maxsize=1)
    assert [f(3) for _ in range(5)] == [[9]] * 5
    assert f.cache_info() == (4, 1, 1, 1)
    assert ran == [3]


def test_the_least_recently_used_is_let_go(square, ran):
    f = square(maxsize=2)
    for x in (7, 9, 7, 9, 7, 9, 8, 8, 8, 9, 9, 9, 8, 8, 8, 7):
        assert f(x) == [x * x]
    assert ran == [7, 9, 8, 7]
    assert f.cache_info() == (12, 4, 2, 2)


def test_without_options_128_are_kept(square):
    f = square()
    for x in range(200):
        f(x)
    assert f.cache_info() == (0, 200, 128, 128)


def test_a_call_may_enter_its_own_result_while_it_runs():
    once = [True]

    @interned(maxsize=10)
    def f(x):
        return f(x) if x == 20 and once and once.pop() else f".{x}."

    for x in range(15):
        f(x)
    assert f(20) == ".20."
    assert f.cache_info().currsize == 10


def test_empty_keyword_arguments_are_none_at_all(square):
    f = square()
    f(0)
    f(0, *(), **dict([]))  # noqa: C406 - the point is that it is empty
    assert f.cache_info().hits == 1


def test_a_tuple_is_one_argument():
    @interned
    def f(*args):
        return args

    assert f(1, 2) == (1, 2)
    assert f((1, 2)) == ((1, 2),)
    assert f() == ()


@pytest.mark.parametrize("maxsize", [None, 10])
def test_unhashable_arguments_are_a_type_error(square, maxsize, ran):
    f = square(maxsize=maxsize)
    with pytest.raises(TypeError):
        f([])
    assert ran == []


@pytest.mark.parametrize("maxsize", [None, 128])
@pytest.mark.parametrize("by_keyword", [False, True])
def test_recursion_is_counted(maxsize, by_keyword):
    @interned(maxsize=maxsize)
    def fib(n):
        if n < 2:
            return n
        return fib(n=n - 1) + fib(n=n - 2) if by_keyword else fib(n - 1) + fib(n - 2)

    assert [fib(n) for n in range(16)][-1] == 610
    assert fib.cache_info() == (28, 16, maxsize, 16)


@pytest.mark.parametrize("maxsize", [None, 128])
def test_exceptions_pass_through_and_are_not_kept(maxsize):
    @interned(maxsize=maxsize)
    def f(i):
        return "abc"[i]

    assert f(0) == "a"
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            f(15)
        assert caught.value.__context__ is None
    assert f.cache_info()[:2] == (0, 3)


@pytest.mark.parametrize("maxsize", [None, 128])
def test_equal_arguments_of_different_types_are_told_apart(maxsize):
    f = interned(maxsize=maxsize)(lambda x: x * x)
    for _ in range(2):
        assert [type(f(x)) for x in (3, 3.0)] == [int, float]
        assert [type(f(x=x)) for x in (3, 3.0)] == [int, float]
    assert f.cache_info()[:2] == (6, 2)


def test_equal_arguments_are_told_apart_however_deep():
    f = interned(repr)
    for value in ((1,), (True,), (1.0,), ((0,),), ((-0.0,),), decimal.Decimal("1.0")):
        assert f(value) == repr(value)
    assert f(decimal.Decimal("1.00")) == "Decimal('1.00')"


def test_parameters_say_how_it_was_decorated(square):
    assert square().cache_parameters() == {
        "maxsize": 128,
        "typed": True,
        "weak": False,
        "ttl": None,
        "policy": "LRUCache",
    }
    found = square(maxsize=None, ttl=timedelta(minutes=1)).cache_parameters()
    assert (found["maxsize"], found["ttl"], found["policy"]) == (None, 60.0, "TTLCache")
    assert square(maxsize=None).cache_parameters()["policy"] is None
    assert square(weak=True).cache_parameters()["weak"] is True


def test_the_order_of_use_is_that_of_lru_cache():
    rng = random.Random(1)
    for maxsize in (1, 2, 3, 7):
        ran, expected = [], []
        ours = interned(maxsize=maxsize)(ran.append)
        theirs = functools.lru_cache(maxsize)(expected.append)
        for _ in range(500):
            x = rng.randrange(10)
            ours(x)
            theirs(x)
        assert ran == expected
        assert ours.cache_info() == theirs.cache_info()


def test_equality_may_call_the_function_again():
    f = interned(maxsize=10)(lambda x: x)

    class Touchy:
        def __init__(self, x):
            self.x = x

        def __hash__(self):
            return self.x

        def __eq__(self, other):
            if self.x == 2:
                f(Touchy(1))
            return self.x == other.x

    f(Touchy(1))
    f(Touchy(2))
    assert f(Touchy(2)) == Touchy(2)


def test_recursion_goes_as_deep_as_with_lru_cache():
    if sys.version_info >= (3, 12):
        pytest.skip("C functions do not count as recursion any more")

    def depth(decorate):
        f = decorate(lambda n: n and 1 + f(n - 1))
        for n in range(100, sys.getrecursionlimit(), 10):
            f.cache_clear()
            try:
                f(n)
            except RecursionError:
                return n
        return None

    assert depth(interned(maxsize=None)) >= depth(functools.lru_cache(maxsize=None))


# Arguments are bound first.


def test_each_spelling_of_a_call_is_one_entry():
    f = interned(lambda a, b=2: [a, b])
    assert f(1, 2) is f(1) is f(1, b=2) is f(b=2, a=1)
    assert f.cache_info()[:2] == (3, 1)


def test_each_kind_of_parameter_keeps_its_meaning():
    @interned
    def f(a, /, b=2, *rest, c=3, **extra):
        return [a, b, rest, c, extra]

    assert f(1) is f(1, 2) is f(1, c=3) is f(1, b=2)
    assert f(1, x=1, y=2) is f(1, y=2, x=1) is not f(1, x=1, y=3)
    assert f(1, 2, 3) is f(1, 2, 3) is not f(1, 2, 3, 4)
    assert f(1, 2, 3) == [1, 2, (3,), 3, {}]
    assert f(1, a=5) == [1, 2, (), 3, {"a": 5}]
    assert f(1, b="b") is not f(1, x="b")
    for bad in (f, lambda: f(a=1), lambda: f(1, 2, b=3)):
        with pytest.raises(TypeError, match=r"f\(\)"):
            bad()


def test_keyword_arguments_differ_from_positional_ones():
    f = interned(lambda *args, **kwargs: [args, kwargs])
    calls = [f("a", 1), f(("a", 1)), f(a=1), f("a", a=1), f("**", "a"), f(**{"**": "a"})]
    assert len({id(result) for result in calls}) == len(calls)


def test_an_unkeyable_argument_is_named(ran):
    @interned
    def f(x, *rest, **extra):
        ran.append(x)

    with pytest.raises(UnkeyableError, match=r"f\.x: a list"):
        f([1])
    with pytest.raises(UnkeyableError, match=r"f\.x\[1\]: a set"):
        f((1, {2}))
    with pytest.raises(UnkeyableError, match=r"f\.rest\[1\]: a dict"):
        f(1, 2, {})
    with pytest.raises(UnkeyableError, match=r"f\.k: a list"):
        f(1, k=[])
    assert ran == []


# Arguments that are not plain.


@dataclass(frozen=True)
class Point:
    x: object
    y: object


class Loose:
    """Equal by a value that can be changed."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: (1, ("two", 3.0)),
        lambda: Point(1, (2, 3)),
        lambda: frozenset({1, 2}),
        lambda: decimal.Decimal("1.50"),
        lambda: Loose(3),
        lambda: float("nan"),
        lambda: 0.0,
    ],
)
@pytest.mark.parametrize("maxsize", [None, 4])
def test_equal_arguments_share_whether_they_are_one_object_or_not(make, maxsize, square):
    f = interned(maxsize=maxsize)(lambda x: [x])
    one, other = make(), make()
    first = f(one)
    for argument in (one, other, one, other):
        assert f(argument) is first
    assert f.cache_info()[:2] == (4, 1)


def test_an_argument_that_was_changed_is_another_one():
    f = interned(lambda x: [x.value])
    argument = Loose(1)
    assert f(argument) == [1]
    argument.value = 2
    assert f(argument) == [2]


def test_a_forgotten_result_is_not_found_by_its_very_arguments_either(square):
    f = interned(lambda x: [x])
    argument = (1, 2)
    first = f(argument)
    assert f.cache_invalidate(argument)
    assert f(argument) is not first
    f.cache_clear()
    assert not f.cache_contains(argument)
    assert f(argument) == [argument]


def test_eviction_forgets_arguments_too():
    f = interned(maxsize=1)(lambda x: None)
    argument = (Value(),)
    gone = weakref.ref(argument[0])
    f(argument)
    del argument
    f(0)
    assert gone() is None


# Options.


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"ignore": "z"}, TypeError, "ignore='z' is no parameter of"),
        ({"weak_args": "z"}, TypeError, "weak_args='z' is no parameter of"),
        ({"weak_args": "rest"}, TypeError, "stands for any number of arguments"),
        ({"weak_args": "x", "ignore": "x"}, TypeError, "cannot be in ignore= and in weak_args="),
        ({"weak": "yes"}, TypeError, "weak='yes' is neither True nor False"),
        ({"single_flight": 1}, TypeError, "single_flight=1 is neither True nor False"),
        ({"key": len, "ignore": "x"}, TypeError, "key="),
        ({"maxsize": -1}, ValueError, "negative"),
        ({"maxsize": "5"}, TypeError, "no number"),
        ({"ttl": 0}, ValueError, "not positive"),
        ({"timer": len}, TypeError, "ttl="),
        ({"cache": cachetools.LRUCache(1), "maxsize": 1}, TypeError, "leave maxsize="),
        ({"cache": {}}, TypeError, "cachetools"),
        ({"maxsise": 1}, TypeError, "no option maxsise"),
    ],
)
def test_nonsense_is_refused_in_words(options, error, words):
    with pytest.raises(error, match=words):
        interned(**options)(lambda x, *rest: None)


def test_one_cache_serves_one_function():
    cache = cachetools.LRUCache(4)
    interned(cache=cache)(lambda x: 1)
    with pytest.raises(ValueError, match="serves another target already"):
        interned(cache=cache)(lambda x: 2)


@pytest.mark.parametrize("maxsize", [None, 128, 2])
def test_ttl_computes_anew(square, ran, maxsize):
    clock = Clock()
    f = square(maxsize=maxsize, ttl=10, timer=clock)
    first = f(1)
    clock.now = 9.9
    assert f(1) is first
    clock.now = 10
    assert not f.cache_contains(1)
    assert f(1) is not first
    clock.now = 19.9
    assert f(1) == [1]
    assert ran == [1, 1]
    assert f.cache_info()[:2] == (2, 2)


def test_a_result_that_is_none_is_a_result(ran):
    for options in ({}, {"maxsize": None}, {"ttl": 60}, {"cache": cachetools.LFUCache(2)}):
        f = interned(**options)(ran.append)
        assert f(1) is f(1) is None
    assert ran == [1] * 4


def test_expiry_lets_go_when_asked_or_at_the_next_miss(square):
    clock = Clock()
    f = square(ttl=10, timer=clock)
    f(1)
    clock.now = 10
    assert f.cache_info().currsize == 0
    assert f.cache_stats().evicted == 1
    f(2)
    clock.now = 30
    f.cache_expire()
    assert f.cache_stats().evicted == 2


def test_ttl_lets_go_the_least_recently_used_as_well(square, ran):
    f = square(ttl=10, maxsize=2, timer=Clock())
    for x in (1, 2, 1, 3, 1, 2):
        f(x)
    assert ran == [1, 2, 3, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: cachetools.LRUCache(3),
        lambda: cachetools.LFUCache(3),
        lambda: cachetools.FIFOCache(3),
        lambda: cachetools.RRCache(3),
        lambda: cachetools.TTLCache(3, 60),
        lambda: cachetools.TLRUCache(3, lambda key, value, now: now + 60),
    ],
)
def test_any_cache_of_cachetools_serves(make, square, ran):
    cache = make()
    f = square(cache=cache)
    for x in (1, 2, 3):
        assert f(x) is f(x)
    assert sorted(cache.values()) == [[1], [4], [9]]
    assert f.cache_info() == (3, 3, 3, 3)
    f(4)
    assert len(cache) == 3
    assert f.cache_stats().evicted == 1
    assert f.cache_parameters()["policy"] == type(cache).__name__
    f.cache_clear()
    assert len(cache) == 0
    assert ran == [1, 2, 3, 4]


def test_each_use_counts_for_a_policy_that_wants_it(square, ran):
    f = square(cache=cachetools.LFUCache(2))
    for x in (1, 1, 1, 2, 3, 1, 3):
        f(x)
    assert ran == [1, 2, 3]


def test_what_a_user_takes_out_of_the_cache_is_computed_anew(square):
    cache = cachetools.LRUCache(3)
    f = square(cache=lambda: cache)
    first = f(1)
    cache.clear()
    assert not f.cache_contains(1)
    assert f(1) is not first
    assert f(1) is f(1)


def test_a_cache_of_sizes_sees_results(square):
    f = square(cache=cachetools.LRUCache(10, getsizeof=lambda result: result[0]))
    assert f(2) is f(2)
    assert f(5) is not f(5)
    # As `cachetools.cached` tells it, in the units of `maxsize`.
    assert f.cache_info() == (1, 3, 10, 4)
    assert f.cache_stats().retained == 1


def test_key_replaces_the_exact_key(ran):
    @interned(key=lambda text, strict: (text.lower(), strict))
    def f(text, strict=True):
        ran.append(text)
        return [text]

    assert f("A") is f("a") is f(text="A", strict=True)
    assert f("A", strict=False) is not f("A")
    assert ran == ["A", "A"]


def test_what_key_returns_is_keyed_exactly():
    f = interned(key=lambda x: x and [x])(lambda x: [x])
    assert f(0) is not f(False)
    with pytest.raises(UnkeyableError, match=r"key=: a list"):
        f(1)


def test_ignored_parameters_take_no_part(ran):
    @interned(ignore=("log", "more"))
    def f(x, log=None, **more):
        ran.append(x)
        return [x]

    assert f(1, log=[]) is f(1, log={}) is f(1, z=[1])
    assert ran == [1]


def test_weak_results_are_shared_while_somebody_holds_them():
    @interned(weak=True)
    def f(x):
        return Value()

    held = f(1)
    assert f(1) is held
    assert f.cache_info() == (1, 1, 0, 1)
    gone = weakref.ref(held)
    del held
    assert gone() is None
    assert f.cache_info().currsize == 0
    assert not f.cache_contains(1)


def test_weak_results_can_be_kept_as_well():
    f = interned(weak=True, maxsize=1)(lambda x: Value())
    first = weakref.ref(f(1))
    assert f(1) is first()
    second = f(2)
    assert first() is None
    assert f(2) is second
    f.cache_clear()
    assert f(2) is second


def test_weak_results_expire():
    clock = Clock()
    f = interned(weak=True, ttl=10, timer=clock)(lambda x: Value())
    first = f(1)
    clock.now = 10
    assert f(1) is not first


@pytest.mark.parametrize("result", [None, 1, "a", (1,)])
def test_a_result_that_cannot_be_held_weakly_is_refused(result):
    f = interned(weak=True)(lambda: result)
    with pytest.raises(NotWeakReferenceableError, match="weak=True"):
        f()


def test_a_weak_result_is_no_canonical_instance_of_its_class():
    @interned
    class Plain:
        def __init__(self, x):
            self.x = x

    foreign = object.__new__(Plain)
    f = interned(weak=True)(lambda: foreign)
    assert f() is foreign
    assert interner(Plain).token(foreign) is None


def test_weak_arguments_are_known_by_identity(ran):
    class Mesh:
        __hash__ = None

        def __eq__(self, other):
            return True

    @interned(weak_args=("mesh",), maxsize=None)
    def f(mesh, x=1):
        ran.append(x)
        return [x]

    one, other = Mesh(), Mesh()
    assert f(one) is f(mesh=one, x=1) is not f(other)
    assert ran == [1, 1]
    assert f.cache_info().currsize == 2
    gone = weakref.ref(one)
    del one
    assert gone() is None
    assert f.cache_info().currsize == 1


def test_a_result_goes_with_the_first_of_its_weak_arguments():
    f = interned(weak_args=("a", "b"))(lambda a, b, c: Value())
    a, b = Value(), Value()
    result = weakref.ref(f(a, b, (1, 2)))
    assert f(a, b, (1, 2)) is result()
    del b
    assert result() is None
    assert f.cache_info().currsize == 0


def test_a_new_object_at_an_old_address_is_another_one():
    f = interned(weak_args="a")(lambda a: [a.number])

    class Numbered(Value):
        def __init__(self, number):
            self.number = number

    for number in range(50):
        assert f(Numbered(number)) == [number]
    assert f.cache_info() == (0, 50, 128, 0)


def test_what_cannot_be_held_weakly_is_refused_before_the_function_runs(ran):
    @interned(weak_args="a")
    def f(a):
        ran.append(a)

    with pytest.raises(NotWeakReferenceableError, match=r"\.a: instances of int"):
        f(3)
    assert ran == []


def test_a_result_that_is_its_weak_argument_does_not_keep_it_alive():
    f = interned(weak_args="a")(lambda a, b=None: a)
    argument = Value()
    assert f(argument) is argument is f(argument)
    assert f(argument, argument) is argument is f(argument, argument)
    gone = weakref.ref(argument)
    del argument
    assert gone() is None


# One call can be asked for, and forgotten.


def test_one_result_can_be_asked_for_and_forgotten(square, ran):
    f = square()
    assert not f.cache_contains(2)
    assert not f.cache_invalidate(2)
    f(2)
    f(3)
    assert f.cache_contains(x=2)
    assert f.cache_invalidate(2)
    assert not f.cache_contains(2)
    assert f.cache_contains(3)
    assert f.cache_info() == (0, 2, 128, 1)
    f(2)
    assert ran == [2, 3, 2]
    with pytest.raises(TypeError):
        f.cache_contains()


def test_statistics_tell_all_numbers(square):
    f = square(maxsize=1)
    f(1)
    f(1)
    f(2)
    stats = f.cache_stats()
    assert (stats.hits, stats.misses, stats.published, stats.duplicates) == (1, 2, 2, 0)
    assert (stats.evicted, stats.retained, stats.living) == (1, 1, 1)


def test_the_registry_knows_callables(square):
    f = square()
    f(1)
    assert interner(f) in list(interners())
    clear_caches()
    assert f.cache_info() == (0, 0, 128, 0)


def test_a_wrapper_is_freed_by_reference_count_with_all_it_holds():
    gc.collect()
    gc.disable()
    try:
        for options in ({}, {"maxsize": None}, {"ttl": 9}, {"weak": True}, {"weak_args": "x"}):
            result, argument = Value(), Value()
            f = interned(**options)(lambda x, result=result: result)
            f(argument)
            gone = weakref.ref(result), weakref.ref(f)
            del f, result
            assert [reference() for reference in gone] == [None, None], options
    finally:
        gc.enable()


# Threads and processes.


def in_threads(function, count=8):
    gate, results, errors = threading.Barrier(count), [], []

    def run(number):
        try:
            gate.wait(20)
            results.append(function(number))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[n], daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert errors == []
    return results


@pytest.fixture
def frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_that_race_get_one_result():
    inside = threading.Barrier(8)

    @interned
    def f(x):
        inside.wait(20)
        return [x]

    results = in_threads(lambda _: f(1))
    assert len({id(result) for result in results}) == 1
    assert f.cache_info() == (0, 8, 128, 1)
    assert f.cache_stats().duplicates == 7


def test_hits_of_threads_are_all_counted(frequent_switches):
    f = interned(lambda x: x)
    f(1)
    in_threads(lambda _: [f(1) for _ in range(2000)], count=4)
    assert f.cache_info().hits == 8000


@pytest.mark.parametrize(
    "options",
    [
        {"maxsize": 4},
        {"maxsize": None},
        {"maxsize": 4, "ttl": 0.0005},
        {"cache": lambda: cachetools.LFUCache(4)},
        {"cache": lambda: cachetools.TTLCache(4, 0.0005)},
        {"maxsize": 4, "single_flight": True},
    ],
    ids=str,
)
def test_nothing_breaks_under_any_mix(frequent_switches, options):
    f = interned(**options)(lambda x: [x])

    def hammer(number):
        rng = random.Random(number)
        for _ in range(400):
            x = rng.choice([rng.randrange(9), (rng.randrange(9), "t")])
            assert f(x) == [x]
            if rng.random() < 0.05:
                rng.choice([f.cache_clear, f.cache_info, f.cache_expire, clear_caches])()
            elif rng.random() < 0.05:
                f.cache_invalidate(x)

    in_threads(hammer, count=4)
    f.cache_clear()
    assert f.cache_info().currsize == 0
    f(1)
    assert f(1) is f(1)
    assert f.cache_stats().retained in (0, 1)


def test_finalizers_may_call_the_function_that_lets_go():
    seen = []

    class Noisy:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            gc.collect()
            seen.append(f(("from __del__", self.number)) is not None)

    f = interned(maxsize=2)(lambda x: Noisy(x) if isinstance(x, int) else [x])
    for number in range(50):
        f(number)
    f.cache_clear()
    assert len(seen) == 50
    assert all(seen)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_forked_during_a_call_goes_on():
    inside, leave = threading.Event(), threading.Event()

    @interned(maxsize=2)
    def f(x):
        inside.set()
        leave.wait(20)
        return [x]

    thread = threading.Thread(target=f, args=[1], daemon=True)
    thread.start()
    assert inside.wait(20)
    child = os.fork()
    if child == 0:
        leave.set()
        os._exit(0 if f(1) is f(1) and f.cache_info().currsize == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    leave.set()
    thread.join(20)


# Modes of the process.


MODES = {
    "off": """
from interned import interned
@interned
def f(x): return [x]
assert f(1) is not f(1)
assert f.cache_info() == (0, 2, 128, 0) and not f.cache_contains(1)
class C:
    @interned
    def m(self): return [self]
    @interned
    @property
    def p(self): return []
c = C()
assert c.m() is not c.m() and c.p is not c.p
""",
    "verify": """
import threading
from interned import MutatedError, interned
@interned
def f(x): return [x]
shared = f(1)
assert f(1) is shared
shared.append(2)
try: f(1)
except MutatedError as error: assert "a result of f " in str(error)
else: raise AssertionError("not noticed")
@interned
def g(): return threading.Lock()
assert g() is g() is g()
assert g.cache_stats().unchecked == 2 and f.cache_stats().unchecked == 0
class C:
    @interned
    def m(self): return [1]
c = C()
c.m().append(2)
try: c.m()
except MutatedError as error: assert "C.m" in str(error)
else: raise AssertionError("not noticed")
""",
}


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode):
    subprocess.run(
        [sys.executable, "-c", MODES[mode]],
        env={**os.environ, "INTERNED_MODE": mode},
        check=True,
        timeout=60,
    )


# Memory.


class Receiver:
    @interned
    def method(self, x):
        return x


def results_held_weakly():
    return interned(weak=True)(lambda x: Value())


def results_of_exact_keys():
    f = interned(weak=True)(lambda x: Value())
    return lambda number: f((number, number))


def owners_of_results():
    f = interned(weak_args="owner", maxsize=None)(lambda owner, x: x)

    def owned(number):
        owner = Value()
        f(owner, number)
        return owner

    return owned


def results_of_one_owner():
    owner = Value()
    f = interned(weak=True, weak_args="owner")(lambda owner, x: Value())
    return lambda number: f(owner, number)


def receivers_of_a_method():
    def received(number):
        receiver = Receiver()
        receiver.method(number)
        return receiver

    return received


@pytest.mark.parametrize(
    "make",
    [
        results_held_weakly,
        results_of_exact_keys,
        owners_of_results,
        results_of_one_owner,
        receivers_of_a_method,
    ],
)
def test_memory_is_given_back_after_mass_death(make):
    call = make()
    # What CPython sets aside of them is not ours.
    assert [call(-1 - number) for number in range(3_000)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        living = [call(number) for number in range(20_000)]
        grown = tracemalloc.get_traced_memory()[0] - before
        del living[::2]
        half = tracemalloc.get_traced_memory()[0] - before
        living.clear()
        for number in range(1_000):
            call(number % 3)
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert half < grown * 0.7
    assert left < grown / 30
