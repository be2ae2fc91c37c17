"""Interners: the numbers that they give, and what belongs to one target."""

import gc
import math
import weakref
from dataclasses import dataclass

import pytest
from cachetools import Cache, LFUCache, LRUCache, TLRUCache, TTLCache

from interned import interned, interner
from interned.interning import CacheInfo, CacheStats


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def made(**options):
    @interned(**options)
    @dataclass(frozen=True)
    class Target:
        x: object

        def __post_init__(self):
            if self.x == "bad":
                raise ValueError

    return Target


def stats(cls):
    return interner(cls).cache_stats()


def test_hits_are_counted_where_that_was_asked_for():
    cls = made(info=True)
    kept = [cls(1), cls(1), cls((2,)), cls((2,)), cls(x=1)]
    assert interner(cls).cache_info() == CacheInfo(hits=3, misses=2, maxsize=0, currsize=2)
    del kept
    assert interner(cls).cache_info() == CacheInfo(hits=3, misses=2, maxsize=0, currsize=0)


@pytest.mark.parametrize("options", [{}, {"maxsize": 5}, {"cache": lambda: LFUCache(5)}])
def test_hits_are_not_told_where_nobody_asked(options):
    cls = made(**options)
    kept = [cls(1), cls(1)]
    assert interner(cls).cache_info().hits is None
    assert stats(cls).hits is None
    assert kept


@pytest.mark.parametrize("options", [{"maxsize": 5}, {"cache": lambda: LFUCache(5)}, {"ttl": 5}])
def test_hits_are_counted_beside_a_retention(options):
    cls = made(info=True, **options)
    for _ in range(4):
        cls(1)
        cls((1, 2))
    assert interner(cls).cache_info()[:2] == (6, 2)


def test_more_numbers():
    cls = made(maxsize=2)
    with pytest.raises(ValueError):
        cls("bad")
    kept = cls("held")
    for number in range(3):
        cls(number)
    assert stats(cls) == CacheStats(
        hits=None,
        misses=5,
        published=4,
        duplicates=1,
        evicted=2,
        retained=2,
        living=3,
        unchecked=0,
    )
    assert kept is cls("held")


def test_clearing_counts_from_zero_and_forgets_no_living_instance():
    cls = made(maxsize=2, info=True)
    kept = cls(1)
    reference = weakref.ref(cls(2))
    cls(3)
    assert reference() is not None
    interner(cls).cache_clear()
    assert reference() is None
    assert cls(1) is kept
    assert stats(cls) == CacheStats(1, 0, 0, 0, 0, 1, 1, 0)


def test_clearing_lets_go_what_is_held_for_ever():
    cls = made(weak=False)
    kept, reference = cls(1), weakref.ref(cls(2))
    assert reference() is not None
    interner(cls).cache_clear()
    assert reference() is None
    assert cls(1) is kept


def test_clearing_forgets_what_only_a_strong_table_holds():
    cls = made(weak=False, maxsize=5)
    kept = cls(1)
    interner(cls).cache_clear()
    assert cls(1) is not kept
    assert cls(1) == kept


def test_what_has_expired_goes_when_asked():
    clock = Clock()
    cls = made(ttl=10, timer=clock)
    reference = weakref.ref(cls(1))
    clock.now = 9
    interner(cls).cache_expire()
    assert reference() is not None
    clock.now = 10
    interner(cls).cache_expire()
    assert reference() is None
    interner(made()).cache_expire()


def cache_of(kind, *args, **kwargs):
    return lambda: kind(*args, **kwargs)


@pytest.mark.parametrize(
    ("options", "maxsize", "ttl", "policy"),
    [
        ({}, 0, None, None),
        ({"maxsize": 7}, 7, None, "LRUCache"),
        ({"maxsize": None}, None, None, "LRUCache"),
        ({"maxsize": 0}, 0, None, "LRUCache"),
        ({"ttl": 5}, None, 5, "TTLCache"),
        ({"maxsize": 7, "ttl": 5}, 7, 5, "TTLCache"),
        ({"weak": False}, None, None, "LRUCache"),
        ({"cache": cache_of(LFUCache, 7)}, 7, None, "LFUCache"),
        ({"cache": cache_of(TTLCache, math.inf, 3)}, None, None, "TTLCache"),
    ],
    ids=str,
)
def test_how_a_target_was_decorated(options, maxsize, ttl, policy):
    assert interner(made(**options)).cache_parameters() == {
        "maxsize": maxsize,
        "typed": True,
        "weak": options.get("weak", True),
        "ttl": ttl,
        "policy": policy,
    }


def test_an_interner_names_its_target():
    assert repr(interner(made())) == "<interner of made.<locals>.Target>"


# L5: retention is not identity.


RETAINED = [
    {"maxsize": 2},
    {"maxsize": 0},
    {"maxsize": 2, "ttl": 10},
    {"cache": cache_of(LRUCache, 2)},
    {"cache": cache_of(LFUCache, 2)},
    {"cache": cache_of(LRUCache, 2, getsizeof=lambda value: 3)},
]


@pytest.mark.parametrize("options", RETAINED, ids=str)
@pytest.mark.parametrize("argument", [lambda n: n, lambda n: (n, "x")], ids=["flat", "exact"])
def test_neither_eviction_nor_clearing_makes_a_second_object(options, argument):
    clock = Clock()
    cls = made(**options, **({"timer": clock} if "ttl" in options else {}))
    kept = cls(argument(0))
    for number in range(1, 6):
        cls(argument(number))
    clock.now = 100
    assert cls(argument(0)) is kept
    interner(cls).cache_expire()
    interner(cls).cache_clear()
    assert cls(argument(0)) is kept


@pytest.mark.parametrize("weak", [True, False])
@pytest.mark.parametrize("argument", [1, (1, "x")], ids=["flat", "exact"])
def test_hits_do_not_renew_the_time(weak, argument):
    clock = Clock()
    cls = made(weak=weak, ttl=10, timer=clock)
    reference = weakref.ref(cls(argument))
    for clock.now in (3, 6, 9):
        assert cls(argument) is reference()
    clock.now = 10
    interner(cls).cache_expire()
    assert reference() is None


def test_a_strong_table_makes_an_expired_instance_anew():
    clock = Clock()
    cls = made(weak=False, ttl=10, timer=clock)
    for argument in (1, (1, "x")):
        old = cls(argument)
        clock.now += 10
        new = cls(argument)
        assert new is not old
        assert new == old
        assert cls(argument) is new


def test_a_weak_table_keeps_an_expired_instance_in_use_and_its_time_begins_again():
    clock = Clock()
    cls = made(ttl=10, timer=clock)
    kept = cls(1)
    clock.now = 10
    assert cls(1) is kept
    reference = weakref.ref(kept)
    del kept
    clock.now = 19
    interner(cls).cache_expire()
    assert reference() is not None
    clock.now = 20
    interner(cls).cache_expire()
    assert reference() is None


def test_a_strong_table_forgets_what_its_cache_refuses():
    cls = made(weak=False, cache=cache_of(LRUCache, 2, getsizeof=lambda value: 3))
    first = cls(1)
    assert cls(1) is not first
    assert not interner(cls).table.flat


@pytest.mark.parametrize("weak", [True, False])
@pytest.mark.parametrize("argument", [1, (1, "x")], ids=["flat", "exact"])
def test_what_a_callback_raises_reaches_the_caller_and_leaves_nothing(weak, argument):
    class Faulty:
        failing = False

        def __call__(self, *args):
            if self.failing:
                raise ZeroDivisionError
            return 1

    ttu, size, timer = Faulty(), Faulty(), Faulty()
    targets = {
        size: made(weak=weak, cache=cache_of(LRUCache, 9, getsizeof=size)),
        ttu: made(weak=weak, cache=cache_of(TLRUCache, 9, lambda *_: 5 + ttu(), timer=Clock())),
        timer: made(weak=weak, ttl=9, timer=timer),
    }
    for callback, cls in targets.items():
        kept = cls("kept")
        callback.failing = True
        with pytest.raises(ZeroDivisionError):
            cls(argument)
        callback.failing = False
        gc.collect()
        assert interner(cls).cache_info().currsize == 1
        assert cls(argument) is cls(argument)
        assert cls("kept") is kept


# A user's cache belongs to one target.


def test_a_cache_serves_one_target():
    cache = LRUCache(5)
    made(cache=cache)
    with pytest.raises(ValueError, match="factory"):
        made(cache=cache)
    with pytest.raises(ValueError, match="factory"):
        made(cache=lambda: cache)


def test_a_cache_in_use_is_refused():
    cache = LRUCache(5)
    cache["mine"] = 1
    with pytest.raises(ValueError, match="empty"):
        made(cache=cache)


def test_a_factory_must_make_a_cache():
    with pytest.raises(TypeError, match="cachetools"):
        made(cache=dict)


def test_each_target_gets_a_cache_of_its_own_from_a_factory():
    caches = []

    def factory():
        caches.append(Cache(5))
        return caches[-1]

    one, other = made(cache=factory), made(cache=factory)
    one(1)
    assert [interner(one).cache, interner(other).cache] == caches
    assert (len(caches[0]), len(caches[1])) == (1, 0)


# Setting aside, for tests.


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"maxsize": 3},
        {"weak": False},
        {"weak": False, "maxsize": 3},
        {"cache": cache_of(LFUCache, 3)},
        {"weak": False, "cache": cache_of(LFUCache, 3)},
    ],
    ids=str,
)
def test_an_interner_set_aside_comes_back(options):
    cls = made(info=True, **options)
    kept = [cls(1), cls((2, 2)), cls(1)]
    before = stats(cls)
    bring_back = interner(cls).set_aside()
    assert stats(cls) == CacheStats(0, 0, 0, 0, 0, 0, 0, 0)
    inner = cls(1)
    assert inner is not kept[0]
    assert cls(1) is inner
    bring_back()
    assert stats(cls) == before
    assert cls(1) is kept[0]
    assert cls((2, 2)) is kept[1]
