"""L1 to L5: one object for each value, for as long as it is used, and no longer."""

import copy
import functools
import gc
import pickle
import weakref
from dataclasses import dataclass, replace

import attrs
import cachetools
import pytest
from cachetools import FIFOCache, LFUCache, LRUCache, RRCache, TLRUCache, TTLCache
from hypothesis import given
from hypothesis import strategies as st

from interned import interned, interner
from tests.laws.strategies import confusable_values, near_misses, reading, values


@interned
@dataclass(frozen=True)
class Box:
    value: object
    other: object = 0


@interned
@attrs.frozen
class Crate:
    value: object = attrs.field(converter=lambda value: value)
    _other: object = 0


@interned
class Bag:
    def __init__(self, value, other=0):
        self.value = value
        self.other = other


KINDS = pytest.mark.parametrize("cls", [Box, Crate, Bag])
anything = confusable_values | values


@KINDS
@given(pair=near_misses | st.tuples(anything, anything))
def test_two_constructions_give_one_object_if_nobody_can_tell_their_values_apart(cls, pair):
    one, other = pair
    first, second = cls(one), cls(other)
    assert (first is second) == (reading(one) == reading(other))
    assert reading(first.value) == reading(one)
    assert reading(second.value) == reading(other)


@KINDS
@given(value=anything, other=anything)
def test_spelling_does_not_matter(cls, value, other):
    made = cls(value, other)
    assert cls(value, other=other) is cls(other=other, value=value) is made
    assert cls(value) is cls(value, 0) is cls(value=value)


@KINDS
@given(value=anything, protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_copies_are_the_object_itself(cls, value, protocol):
    made = cls(value)
    assert copy.copy(made) is made
    assert copy.deepcopy([made])[0] is made
    if is_portable(value, protocol):
        assert pickle.loads(pickle.dumps(made, protocol)) is made


def is_portable(value, protocol):
    """Says whether a value is what it was when it comes out of a pickle."""
    try:
        return reading(pickle.loads(pickle.dumps(value, protocol))) == reading(value)
    except (TypeError, pickle.PicklingError):
        return False


@given(value=anything, other=anything)
def test_replacing_lands_on_the_canonical_object(value, other):
    assert replace(Box(value), other=other) is Box(value, other)
    assert attrs.evolve(Crate(value), other=other) is Crate(value, other)


@KINDS
@given(value=anything)
def test_an_object_nobody_uses_is_gone_at_once(cls, value):
    gc.disable()
    try:
        made = cls(value)
        cls(value=value)
        nested = cls((made, value))
        references = [weakref.ref(made), weakref.ref(nested)]
        del made
        assert references[0]() is not None
        del nested
        assert [reference() for reference in references] == [None, None]
        table = interner(cls).table
        assert not table.flat
        assert not table.exact
    finally:
        gc.enable()


# L5: the policies decide as they would elsewhere.


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


keys = st.integers(0, 6) | st.tuples(st.integers(0, 2))
calls = st.lists(keys, max_size=40)
moments = st.lists(st.tuples(keys, st.sampled_from((0, 0, 0, 1, 3))), max_size=40)


def counting():
    """Returns a function that counts its calls, and the list that it counts in."""
    seen = []

    def function(x):
        seen.append(x)
        return [x]

    return function, seen


def constructing(**options):
    """Returns a class that counts its constructions, and the list that it counts in."""
    seen = []

    @interned(weak=False, **options)
    @dataclass(frozen=True)
    class Counted:
        x: object

        def __post_init__(self):
            seen.append(self.x)

    return Counted, seen


@given(maxsize=st.integers(0, 5) | st.none(), calls=calls)
def test_the_order_of_uses_is_that_of_functools(maxsize, calls):
    function, expected = counting()
    ours, seen = counting()
    theirs, ours = functools.lru_cache(maxsize)(function), interned(maxsize=maxsize)(ours)
    for x in calls:
        theirs(x)
        ours(x)
        assert seen == expected
    assert tuple(ours.cache_info()) == tuple(theirs.cache_info())


@given(maxsize=st.integers(1, 5) | st.none(), calls=calls)
def test_classes_keep_the_order_of_uses_as_well(maxsize, calls):
    function, expected = counting()
    theirs = functools.lru_cache(maxsize)(function)
    ours, seen = constructing(maxsize=maxsize)
    for x in calls:
        theirs(x)
        ours(x)
        assert seen == expected


@given(maxsize=st.integers(1, 5), ttl=st.integers(1, 6), moments=moments)
def test_time_passes_as_in_cachetools(maxsize, ttl, moments):
    clock = Clock()
    function, expected = counting()
    theirs = cachetools.cached(TTLCache(maxsize, ttl, timer=clock))(function)
    function, by_call = counting()
    call = interned(maxsize=maxsize, ttl=ttl, timer=clock)(function)
    cls, by_class = constructing(maxsize=maxsize, ttl=ttl, timer=clock)
    for x, passing in moments:
        clock.now += passing
        theirs(x)
        call(x)
        cls(x)
        assert by_call == by_class == expected


def caches(clock):
    """Makes one cache of each policy, small and deterministic."""
    return {
        "LRU": LRUCache(3),
        "LFU": LFUCache(3),
        "FIFO": FIFOCache(3),
        "RR": RRCache(3, choice=lambda keys: list(keys)[1]),
        "TTL": TTLCache(3, 4, timer=clock),
        "TLRU": TLRUCache(3, lambda key, value, now: now + len(repr(value)) - 2, timer=clock),
        "sizes": LRUCache(5, getsizeof=lambda value: len(repr(value)) - 2),
    }


@pytest.mark.parametrize("policy", caches(Clock()))
@given(moments=moments)
def test_each_policy_of_cachetools_decides_as_it_would_there(policy, moments):
    clock = Clock()
    function, expected = counting()
    theirs = cachetools.cached(caches(clock)[policy])(function)
    function, seen = counting()
    ours = interned(cache=caches(clock)[policy])(function)
    for x, passing in moments:
        clock.now += passing
        assert theirs(x) == ours(x)
        assert seen == expected


@given(maxsize=st.integers(0, 4), calls=calls)
def test_a_weak_table_keeps_just_what_was_used_last(maxsize, calls):
    @interned(maxsize=maxsize)
    @dataclass(frozen=True)
    class Kept:
        x: object

    theirs = LRUCache(maxsize) if maxsize else {}
    references = {}
    for x in calls:
        instance = Kept(x)
        former = references.setdefault(x, weakref.ref(instance))
        if former() is not instance:
            assert former() is None
            references[x] = weakref.ref(instance)
        del instance
        if maxsize:
            theirs[x] = None
        assert {x for x, reference in references.items() if reference() is not None} == {*theirs}
