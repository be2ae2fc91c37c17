"""The generated functions: how they bind, find, note and pass on."""

import inspect
import weakref
from itertools import count, product

import pytest

from interned.hits import Uses, compile_guard, compile_new
from interned.sources import (
    MISSING,
    forgiving,
    namespace_of,
)


def plain_uses(**options):
    flags = dict.fromkeys(("counted", "recency", "timed", "every_use", "strong"), False)
    return Uses(**flags | options)


class Built:
    """What a table finds, or the functions behind it make."""

    def __init__(self, *what):
        self.what = what


@pytest.fixture
def new():
    """Generates a `__new__` whose table has the pair (1, 2)."""

    def make(signature, uses=None, accepted=None, keyed=("x", "y"), **names):
        living = Built("living")
        names = {"entry": weakref.ref(living)} | names
        function = compile_new(
            signature,
            keyed,
            uses or plain_uses(),
            namespace := namespace_of(
                Cls=Built,
                table={(1, 2, int, int): names["entry"]},
                build=lambda values: Built("build", values),
                foreign=lambda cls, *args, **kwargs: Built("foreign", cls, args, kwargs),
                **names,
            ),
            "test",
            accepted,
        )
        namespace["keep alive"] = living
        return function, living

    return make


PAIR = inspect.signature(lambda x, y=2: 0)


def test_a_hit_is_found_by_values_and_their_classes(new):
    function, living = new(PAIR)
    assert function(Built, 1) is function(Built, 1, 2) is function(Built, y=2, x=1) is living
    for values in ((True, 2), (1.0, 2), (2, 1), ([], 2)):
        assert function(Built, *values).what == ("build", values)


def test_a_recursion_that_hashing_runs_into_is_a_miss(new):
    class Deep:
        def __hash__(self):
            raise RecursionError

    function, _ = new(PAIR)
    assert function(Built, Deep()).what[0] == "build"


def test_what_hashing_raises_besides_reaches_the_caller(new):
    class Odd:
        def __hash__(self):
            raise ValueError

    with pytest.raises(ValueError):
        new(PAIR)[0](Built, Odd())


def test_the_death_of_an_instance_is_a_miss(new):
    function, _ = new(PAIR, entry=lambda: None)
    assert function(Built, 1).what == ("build", (1, 2))


def test_another_class_is_not_looked_up(new):
    function, _ = new(PAIR)
    assert function(object, 1).what == ("foreign", object, (1, 2), {})


def test_without_a_flat_key_everything_is_built(new):
    function, _ = new(PAIR, keyed=None)
    assert function(Built, 1).what == ("build", (1, 2))


def test_a_forgiving_constructor_accepts_what_is_incomplete(new):
    function, living = new(PAIR, accepted=forgiving(PAIR, open_ended=False))
    assert function(Built, 1) is living
    assert function(Built).what == ("build", (MISSING, 2))
    with pytest.raises(TypeError):
        function(Built, 1, 2, 3)


def test_an_open_ended_constructor_accepts_anything(new):
    function, living = new(PAIR, accepted=forgiving(PAIR, open_ended=True))
    assert function(Built, 1) is living
    assert function(Built, 3).what == ("build", (3, 2))
    assert function(Built, 3, 4, 5).what == ("foreign", Built, (), {})
    assert function(Built, 3, z=5).what == ("foreign", Built, (), {})
    assert function(object, 1, 2, 3, z=4).what == ("foreign", object, (), {})


# How a hit is noted.


class Noted:
    """An entry with the attributes that hits look at."""

    def __init__(self, value, *, clean=True, expires=10.0):
        self.value, self.clean, self.expires, self.used = value, clean, expires, 0

    def __call__(self):
        return self.value


FLAGS = ("counted", "recency", "timed", "every_use", "strong", "announced")


WANTED = [dict(zip(FLAGS, flags, strict=True)) for flags in product([False, True], repeat=6)]


@pytest.mark.parametrize(
    "wanted",
    [one for one in WANTED if not (one["recency"] and one["every_use"])],
    ids=lambda wanted: "-".join(name for name in wanted if wanted[name]),
)
def test_each_use_is_noted_by_who_wants_to_know(new, wanted):
    value, touched, ticks = Built("value"), [], count(1)
    entry = Noted(value)
    pending = []
    function, _ = new(
        PAIR,
        Uses(**wanted),
        entry=entry,
        hits=ticks,
        clock=lambda: 5.0,
        touch=lambda entry, value: touched.append(value),
        holds=lambda entry: True,
        handed=type("Handed", (), {"pending": pending}),
    )
    assert function(Built, 1) is value
    assert touched == ([value] if wanted["every_use"] or wanted["recency"] else [])
    assert next(ticks) == 1 + (wanted["counted"] or wanted["recency"])
    assert entry.used == (1 if wanted["recency"] else 0)
    assert pending == ([value] if wanted["announced"] else [])


def test_an_entry_that_the_retention_knows_of_is_not_touched_again(new):
    entry = Noted(Built("value"), clean=False)
    uses = plain_uses(recency=True)
    function, _ = new(PAIR, uses, entry=entry, hits=count(1), touch=None)
    assert [function(Built, 1) for _ in range(3)] == [entry.value] * 3
    assert entry.used == 3


@pytest.mark.parametrize("strong", [False, True])
def test_an_expired_entry_is_held_anew_or_not_found(new, strong):
    touched = []
    entry = Noted(Built("value"), clean=False, expires=4.0)
    function, _ = new(
        PAIR,
        plain_uses(recency=True, timed=True, strong=strong),
        entry=entry,
        hits=count(1),
        clock=lambda: 5.0,
        touch=lambda entry, value: touched.append(value),
    )
    assert (function(Built, 1) is entry.value) is not strong
    assert touched == ([] if strong else [entry.value])


def test_what_a_cache_does_not_hold_is_not_found(new):
    entry = Noted(Built("value"))
    function, _ = new(
        PAIR, plain_uses(every_use=True, strong=True), entry=entry, holds=lambda _: False
    )
    assert function(Built, 1).what[0] == "build"


# `__init__`


@pytest.mark.parametrize("subclassed", [False, True])
@pytest.mark.parametrize("attribute", ["x", None])
def test_the_guard_leaves_finished_instances_alone(attribute, subclassed):
    initialised = []
    namespace = namespace_of(
        Cls=Built,
        original=lambda self, x, y: initialised.append((x, y)),
        finished=lambda one: hasattr(one, "x"),
    )
    guard = compile_guard(PAIR, attribute, namespace, "test", subclassed=subclassed)
    blank, finished, sub = Built(), Built(), type("Sub", (Built,), {"x": 1})()
    finished.x = 1
    guard(blank, 1)
    guard(finished, 1)
    guard(sub, 1, 3)
    assert initialised == ([(1, 2), (1, 3)] if subclassed else [(1, 2)])
    with pytest.raises(TypeError):
        guard(finished, 1, 2, 3)
