"""Options: what they mean, and what makes no sense."""

import math
import time
from datetime import timedelta

import pytest
from cachetools import LFUCache

from interned.options import UNSET, Options


def test_names_come_alone_or_in_any_sequence():
    assert Options(ignore="x").ignore == ("x",)
    assert Options(ignore=["x", "y"]).ignore == ("x", "y")
    assert Options(weak_args=("x",)).weak_args == ("x",)


@pytest.mark.parametrize(
    ("options", "default", "bound"),
    [
        ({}, None, None),
        ({}, 128, 128),
        ({"maxsize": 5}, 128, 5),
        ({"maxsize": 0}, 128, 0),
        ({"maxsize": None}, 128, math.inf),
        ({"maxsize": math.inf}, None, math.inf),
        ({"ttl": 5}, None, math.inf),
        ({"ttl": 5, "maxsize": 3}, None, 3),
    ],
)
def test_the_bound_is_what_was_said_or_the_default(options, default, bound):
    assert Options(**options).bound(default) == bound


def test_what_was_left_out_shows_as_such():
    assert repr(UNSET) == "<left out>"
    assert Options().maxsize is UNSET


def test_the_clock_is_the_timer_or_the_monotonic_one():
    def timer():
        return 0.0

    assert Options().clock is time.monotonic
    assert Options(ttl=1, timer=timer).clock is timer


@pytest.mark.parametrize(
    ("ttl", "seconds"), [(5, 5), (0.5, 0.5), (timedelta(minutes=2), 120.0), (None, None)]
)
def test_a_duration_is_in_seconds(ttl, seconds):
    assert Options(ttl=ttl).ttl == seconds


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"maxsize": "5"}, TypeError, "maxsize='5' is no number"),
        ({"maxsize": True}, TypeError, "maxsize=True is no number"),
        ({"maxsize": lambda: 0}, TypeError, "options are keywords"),
        ({"maxsize": -1}, ValueError, "pass 0 to keep nothing, None for no bound"),
        ({"maxsize": math.nan}, ValueError, "maxsize=nan"),
        ({"ttl": "5"}, TypeError, "pass seconds or a timedelta"),
        ({"ttl": True}, TypeError, "ttl=True is no duration"),
        ({"ttl": 0}, ValueError, "ttl=0 is not positive"),
        ({"ttl": -1.5}, ValueError, "not positive"),
        ({"ttl": math.nan}, ValueError, "not positive"),
        ({"ttl": timedelta(0)}, ValueError, "not positive"),
        ({"timer": time.time}, TypeError, "pass ttl= as well"),
        ({"ttl": 5, "timer": 5}, TypeError, "timer=5 cannot be called"),
        ({"key": "name"}, TypeError, "key='name' cannot be called"),
        ({"key": len, "ignore": "x"}, TypeError, "leave ignore= out"),
        ({"cache": {}}, TypeError, "neither a cachetools cache nor a factory"),
        ({"cache": LFUCache(5), "maxsize": 5}, TypeError, "brings its own policy"),
        ({"cache": LFUCache(5), "maxsize": None}, TypeError, "brings its own policy"),
        ({"cache": LFUCache(5), "ttl": 5}, TypeError, "brings its own policy"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(options, error, message):
    with pytest.raises(error, match=message):
        Options(**options)


def test_a_cache_comes_as_it_is_or_as_a_factory():
    cache = LFUCache(5)
    assert Options(cache=cache).cache is cache
    assert Options(cache=LFUCache).cache is LFUCache
