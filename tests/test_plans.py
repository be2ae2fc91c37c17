import gc
import time
import weakref
from dataclasses import dataclass

import attrs
import pytest
from cachetools import Cache, FIFOCache, LRUCache, TTLCache

from interned.oracles import ATTRS, DATACLASS
from interned.plans import KEYWORDS, Keywords, plan_of


@dataclass
class Record:
    x: object
    y: object = 2


@attrs.define
class Spec:
    _x: object


def test_a_plan_knows_the_oracle_and_the_fields():
    assert (plan_of(Record).oracle, plan_of(Record).names) == (DATACLASS, ("x", "y"))
    assert (plan_of(Spec).oracle, plan_of(Spec).names) == (ATTRS, ("_x",))
    assert plan_of(Record).values(Record(1)) == [1, 2]


def test_it_is_made_once():
    assert plan_of(Record) is plan_of(Record)
    assert plan_of(Record).forms is not plan_of(Spec).forms


def test_keywords_are_those_of_the_class_itself():
    class Promising(Record):
        pass

    class Child(Promising):
        pass

    setattr(Promising, KEYWORDS, Keywords(assume_immutable=True, maxsize=3))
    assert plan_of(Promising).trusting
    assert plan_of(Promising).cache is not None
    assert not plan_of(Child).trusting
    assert plan_of(Child).cache is None


@pytest.mark.parametrize(
    ("value", "expected"), [([], True), ({}, True), (set(), True), (([],), False), (1, False)]
)
def test_what_plainly_may_change_is_told_by_its_class(value, expected):
    assert plan_of(Record).is_open(Record(1, value)) is expected


def test_a_class_without_fields_is_refused_as_dataclasses_refuse_it():
    with pytest.raises(TypeError, match="must be called with a dataclass type or instance"):
        plan_of(int)


def test_a_metaclass_has_no_say_in_it():
    class Meta(type):
        pass

    @dataclass
    class Awkward(metaclass=Meta):
        x: int

    def refuse(*args):
        raise AssertionError

    Meta.__eq__ = Meta.__hash__ = refuse
    assert plan_of(Awkward) is plan_of(Awkward)


def test_a_plan_goes_with_its_class():
    @dataclass
    class Local:
        x: int

    dead = weakref.ref(Local)
    plan = plan_of(Local)
    del Local
    gc.collect()
    assert dead() is None
    assert plan() is None


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({}, None),
        ({"maxsize": 3}, LRUCache),
        ({"ttl": 3}, TTLCache),
        ({"maxsize": 3, "ttl": 3}, TTLCache),
        ({"cache": FIFOCache(3)}, FIFOCache),
        ({"cache": lambda: FIFOCache(3)}, FIFOCache),
    ],
)
def test_keywords_choose_the_cache(keywords, expected):
    forms = Keywords(**keywords).make_cache()
    assert (forms and type(forms._cache)) is expected


SERVING = Cache(1)
Keywords(cache=SERVING)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"timer": time.monotonic}, "pass ttl= as well"),
        ({"cache": Cache(1), "maxsize": 1}, "leave these out"),
        ({"cache": Cache(1), "ttl": 1}, "leave these out"),
        ({"cache": 5}, "neither a cachetools cache nor its factory"),
        ({"cache": SERVING}, "give each class its own"),
    ],
)
def test_contradictions_are_refused(keywords, message):
    with pytest.raises(TypeError, match=message):
        Keywords(**keywords)


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"maxsize": "x"}, TypeError, "maxsize='x' is no number"),
        ({"maxsize": -1}, ValueError, "maxsize=-1 is negative"),
        ({"ttl": -1}, ValueError, "ttl=-1 is not positive"),
        ({"ttl": "x"}, TypeError, "ttl='x' is no duration"),
    ],
)
def test_keywords_without_sense_are_refused_at_once(keywords, error, words):
    with pytest.raises(error, match=words):
        Keywords(**keywords)
