"""The hit path of callables: the generated wrappers."""

import inspect
import itertools
import traceback

import pytest

from interned import callhits, interned, interner
from interned.arguments import Arguments
from interned.callhits import HitCounter, Path, compile_undecided, compile_wrapper
from interned.entries import GONE
from interned.options import Options
from interned.sources import PREFIX, namespace_of

QUIET = {
    "coroutine": False,
    "shortcut": True,
    "asks": True,
    "flights": False,
    "weak": False,
    "recency": False,
    "timed": False,
    "every_use": False,
}


class Entry:
    def __init__(self, value):
        self.value = value
        self.clean = False
        self.used = 0
        self.expires = 10
        self.owners = ()


@pytest.fixture
def wrap():
    """Makes a wrapper around a table that a test fills, with what it asked for."""

    def make(function, options=None, **path):
        asked = []
        counter = HitCounter()
        namespace = namespace_of(
            function=function,
            table={},
            seen={},
            begin=lambda *call: asked.append(call) or (call, GONE),
            settle=lambda call, result: ("settled", result),
            fly=lambda call, arguments: ("flown", arguments),
            misses=itertools.count(),
            ticks=counter.ticks,
            touch=lambda entry, value: asked.append(("touched", value)),
            holds=lambda entry: entry.expires > 0,
            clock=lambda: 5,
            GONE=GONE,
            id=id,
            map=map,
        )
        arguments = Arguments("f", inspect.signature(function), Options(**(options or {})))
        wrapper = compile_wrapper(arguments, Path(**{**QUIET, **path}), counter, namespace)
        return wrapper, namespace[PREFIX + "table"], asked, counter

    return make


def test_a_hit_is_served_and_counted_without_asking(wrap):
    wrapper, table, asked, counter = wrap(lambda a, b=2: None)
    table[1, 2, int, int] = Entry("found")
    assert wrapper(1) == wrapper(b=2, a=1) == "found"
    assert asked == []
    assert counter.value() == 2
    counter.reset()
    assert counter.value() == 0
    assert counter.tick() > 2


def test_a_miss_asks_runs_and_settles(wrap):
    wrapper, _, asked, counter = wrap(lambda a, *rest, c=3, **more: [a, rest, c, more])
    assert wrapper(1, 2, d=4) == ("settled", [1, (2,), 3, {"d": 4}])
    assert asked == [((1, 3, 2), (), {"d": 4})]
    assert counter.value() == 0


def test_arguments_that_cannot_be_hashed_are_asked_for(wrap):
    wrapper, _, asked, _ = wrap(lambda a: a)
    assert wrapper([1]) == ("settled", [1])
    assert asked == [(([1],), (), None)]


def test_recency_is_noted(wrap):
    wrapper, table, asked, _ = wrap(lambda a: None, recency=True)
    first, second = table[1, int], table[2, int] = Entry(1), Entry(2)
    first.clean = True
    for number in (2, 1, 2):
        wrapper(number)
    assert first.used < second.used
    assert asked == [("touched", 1)]


@pytest.mark.parametrize("path", [{"timed": True}, {"every_use": True}], ids=str)
def test_what_is_no_longer_valid_is_asked_for(wrap, path):
    wrapper, table, _, _ = wrap(lambda a: a, **path)
    entry = table[1, int] = Entry("found")
    assert wrapper(1) == "found"
    entry.expires = 0
    assert wrapper(1) == ("settled", 1)


def test_weak_results_are_looked_at(wrap):
    wrapper, table, _, _ = wrap(lambda a: a, weak=True)
    found = ["found"]
    table[1, int] = lambda: found[0]
    assert wrapper(1) == "found"
    found[0] = None
    assert wrapper(1) == ("settled", 1)


def test_who_does_not_keep_anything_does_not_ask(wrap):
    wrapper, _, asked, _ = wrap(lambda a: [a], asks=False, shortcut=False)
    assert wrapper([]) == [[]]
    assert asked == []


def test_flights_are_given_all_arguments(wrap):
    wrapper, *_ = wrap(lambda a, *rest, c=3: None, {"ignore": "c"}, flights=True)
    assert wrapper(1, 2) == ("flown", (1, (2,), 3))


def test_an_undecided_wrapper_has_its_code_chosen():
    counter, chosen = HitCounter(), []

    def decide(first):
        chosen.append(first)
        return lambda *args, **kwargs: (args, kwargs)

    signature = inspect.signature(lambda a, *, b=2: None)
    wrapper = compile_undecided(
        Arguments("f", signature, Options()), Path(**QUIET), counter, namespace_of(decide=decide)
    )
    assert wrapper(1) == ((1,), {"b": 2})
    assert chosen == [1]


def test_parameters_may_have_any_name():
    f = interned(lambda table, entry, hits, key, interned__x, type, KeyError: [table, type])  # noqa: A006
    assert f(1, 2, 3, 4, 5, 6, 7) is f(1, 2, 3, 4, 5, 6, KeyError=7) == [1, 6]


def test_defaults_are_those_of_the_function():
    default = object()
    f = interned(lambda a, b=default, *, c=default: (b, c))
    assert f(1)[0] is f(1)[1] is default
    assert f.__defaults__ == (default,)
    assert f.__kwdefaults__ == {"c": default}


def test_tracebacks_name_the_function():
    @interned
    def fails(x):
        raise ValueError

    with pytest.raises(ValueError) as caught:
        fails(1)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[1:] == ["fails", "fails"]


def test_the_user_s_own_errors_while_hashing_pass_through():
    class Unhelpful:
        def __hash__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interned(lambda x: x)(Unhelpful())


def test_without_the_global_lock_a_counter_in_c_counts(monkeypatch):
    monkeypatch.setattr(callhits, "_HAS_GIL", False)
    monkeypatch.setattr(callhits, "_TICK", "@hits = @next(@ticks)")
    f = interned(maxsize=2)(lambda x: x)
    for x in (1, 1, (1, 2), (1, 2), 1):
        f(x)
    assert f.cache_info() == (3, 2, 2, 2)
    assert interner(f).hits.cell.cell_contents > 0
