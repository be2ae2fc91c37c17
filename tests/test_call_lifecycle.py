"""Calls that something comes between, at each point where the interpreter lets it in."""

import contextlib
import contextvars
import gc

import cachetools
import pytest

from interned import interned, interner
from interned.entries import GONE
from tests.interruptions import everywhere


class Interrupt(BaseException):
    """What a signal handler may raise."""


class Value:
    """Something that can be weakly referenced."""

    def __init__(self, x):
        self.x = x


OPTIONS = [
    {"maxsize": 2},
    {"maxsize": None},
    {"maxsize": 2, "ttl": 60},
    {"cache": lambda: cachetools.LFUCache(2)},
    {"weak": True},
    {"weak": True, "maxsize": 2},
    {"maxsize": 2, "single_flight": True},
]
EACH = pytest.mark.parametrize("options", OPTIONS, ids=str)
ARGUMENTS = pytest.mark.parametrize("argument", [1, (1, "exact")], ids=str)


@pytest.fixture(autouse=True)
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def made(**options):
    @interned(**options)
    def f(x):
        return Value(x)

    return f


def check(f):
    """Checks that table, retention and flights agree."""
    found = interner(f)
    entries = list(found.table.entries())
    assert all(entry.living is not GONE for entry in entries)
    assert all(found.table.find(entry.key) is entry for entry in entries)
    assert set(found.table.seen.values()) <= set(entries)
    if found.retention is not None and not found.weak:
        assert all(found.retention.knows(entry) for entry in entries)
        assert f.cache_info().currsize == len(entries) <= 2


@ARGUMENTS
@EACH
def test_a_miss_may_be_interrupted_by_the_same_call(argument, options):
    got = []

    def call():
        f = made(**options)
        held = f(2), f(3)
        yield f
        result = f(argument)
        yield
        if got:
            assert got[0] is result
        assert f(argument).x == argument
        check(f)
        got.clear()
        assert len(held) == 2

    assert everywhere(lambda f: got.append(f(argument)), call) > 20


@ARGUMENTS
@EACH
def test_a_hit_may_be_interrupted_by_other_calls(argument, options):
    def call():
        f = made(**options)
        result = f(argument)
        yield f
        again = f(argument)
        yield
        assert again.x == argument
        assert again is result or not options.get("weak")
        check(f)

    everywhere(lambda f: [f(x) for x in (5, 6, (7,), argument)], call)


@ARGUMENTS
@EACH
def test_a_call_may_be_interrupted_by_clearing(argument, options):
    def call():
        f = made(**options)
        f(2)
        yield f
        f(argument)
        yield
        assert f(argument) is not None
        check(f)

    def clear(f):
        f.cache_clear()
        f.cache_invalidate(argument)
        f(3)

    assert everywhere(clear, call) > 20


# An exception out of the callback of a weak reference is only reported.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@ARGUMENTS
@EACH
def test_a_call_may_be_broken_off(argument, options):
    if "cache" in options and "clear" not in vars(cachetools.Cache):
        pytest.skip("this cachetools has no way to put a cache in order")

    def raise_interrupt(_f):
        raise Interrupt

    def call():
        f = made(**options)
        held = f(2)
        yield f
        with contextlib.suppress(Interrupt):
            contextvars.copy_context().run(f, argument)
        yield
        for x in (argument, 3, 4, 5, argument):
            kept = f(x)
            assert kept.x == x
            # A user's cache is cleared at the next call, where its work was broken off.
            assert f(x) is kept or "cache" in options
        f.cache_clear()
        assert f.cache_info()[:2] == (0, 0)
        del kept
        check(f)
        assert held.x == 2

    assert everywhere(raise_interrupt, call) > 20


@EACH
def test_an_owner_may_die_at_any_point(options):
    def call():
        @interned(weak_args="owner", **options)
        def f(owner, x):
            return Value(x)

        owners = [Value(1), Value(2)]
        kept = f(owners[0], 1)
        yield owners
        result = f(owners[1] if len(owners) > 1 else owners[0], 2)
        yield
        del owners[:]
        assert list(interner(f).table.entries()) == []
        assert interner(f).owners._known == {}
        assert result.x == 2
        del kept

    assert everywhere(lambda owners: owners.pop(0), call) > 20
