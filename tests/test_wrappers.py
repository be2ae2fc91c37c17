"""The types of wrappers say what the objects themselves can do."""

import inspect

import pytest

from interned import interned
from interned.wrappers import BoundWrapper, UnboundWrapper, Wrapper


class Place:
    @interned
    def method(self, x):
        return [x]

    @interned
    @classmethod
    def build(cls, x):
        return [x]


@interned
def function(x):
    return [x]


def told_by(protocol):
    """Returns the names that a protocol promises."""
    names = {name for base in protocol.__mro__ for name in vars(base) if name.startswith("cache_")}
    return names | {"__call__", "__wrapped__", "explain", "__name__", "__qualname__"}


@pytest.mark.parametrize(
    ("wrapper", "protocol"),
    [
        (function, Wrapper),
        (Place().method, BoundWrapper),
        (Place.build, BoundWrapper),
        (Place.method, UnboundWrapper),
    ],
)
def test_each_promise_is_kept(wrapper, protocol):
    assert {name for name in told_by(protocol) if not hasattr(wrapper, name)} == set()


@pytest.mark.parametrize("wrapper", [function, Place().method, Place.build])
def test_nothing_is_left_unsaid(wrapper):
    offered = {name for name in dir(wrapper.cache_info.__self__) if name.startswith("cache_")}
    assert offered <= told_by(Wrapper) | {"cache_size"}


def test_docstrings_are_the_same():
    for name in ("cache_contains", "cache_invalidate", "explain", "cache_info"):
        own = inspect.getdoc(getattr(function, name)).splitlines()[0]
        assert own == inspect.getdoc(getattr(BoundWrapper, name)).splitlines()[0]
