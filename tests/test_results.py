"""Results: entries by key, by their very arguments, and by what they are."""

import gc
import weakref

import pytest

from interned.entries import GONE, ExactKey
from interned.errors import NotWeakReferenceableError
from interned.owners import Owners
from interned.results import Details, OwnResult, Result, Results, WeakResult
from interned.sources import PREFIX


class Thing:
    pass


class Keeper:
    def __init__(self, *, weak=False):
        self.table = Results(weak=weak)
        self.table.owners = self.owners = Owners(self.forget)

    def forget(self, entry):
        self.table.forget(entry)


@pytest.fixture
def keeper():
    return Keeper()


KEYS = pytest.mark.parametrize("make", [tuple, ExactKey])


@KEYS
@pytest.mark.parametrize("weak", [False, True])
def test_the_first_entry_of_a_key_is_the_one(make, weak):
    table, thing = Results(weak=weak), Thing()
    first = table.entry(thing, make((1, int)), ())
    assert table.enter(first) is first
    assert table.enter(table.entry(Thing(), make((1, int)), ())) is first
    assert table.find(make((1, int))) is first
    assert first.living is thing
    assert list(table.entries()) == [first]
    table.forget(first)
    assert table.find(make((1, int))) is None
    assert first.living is GONE


@KEYS
def test_forgetting_an_entry_leaves_another_one_of_its_key(keeper, make):
    table = keeper.table
    former = table.entry(1, make((1, int)), ())
    table.enter(former)
    table.forget(former)
    entry = table.entry(2, make((1, int)), ())
    table.enter(entry)
    table.forget(former)
    assert table.find(make((1, int))) is entry


def test_results_that_are_owners_are_not_held(keeper):
    thing = Thing()
    entry = keeper.table.entry(thing, (id(thing),), (weakref.ref(thing),))
    assert type(entry) is OwnResult
    assert entry.value is entry.living is thing
    gone = weakref.ref(thing)
    del thing
    assert gone() is None


def test_weak_results_leave_when_they_die():
    gc.collect()
    table, thing = Results(weak=True), Thing()
    entry = table.entry(thing, (1, int), ())
    table.enter(entry)
    assert type(entry) is WeakResult
    assert entry() is thing
    del thing
    assert table.flat == {}
    assert entry.living is GONE


def test_what_cannot_be_held_weakly_is_named():
    with pytest.raises(NotWeakReferenceableError, match="the result is a list"):
        Results(weak=True).entry([], (1, int), ())


def test_entries_are_found_by_their_very_arguments(keeper):
    table, values = keeper.table, ((1, 2), Thing())
    entry = table.entry("result", ExactKey(values), ())
    entry.details = Details(values=values)
    table.enter(entry)
    table.see(entry, ())
    assert table.seen == {tuple(map(id, values)): entry}
    table.forget(entry)
    assert table.seen == {}


def test_arguments_that_may_change_are_not_enough(keeper):
    class Loose:
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    table, values = keeper.table, (Loose(),)
    entry = table.entry("result", ExactKey(values), ())
    entry.details = Details(values=values)
    table.see(entry, ())
    assert table.seen == {}


def test_what_was_forgotten_meanwhile_is_not_seen(keeper):
    table, values = keeper.table, ((1, 2),)
    entry = table.entry("result", ExactKey(values), ())
    entry.details = Details(values=values)
    table.forget(entry)
    table.see(entry, ())
    assert table.seen == {}


@KEYS
def test_clearing_forgets_everything(keeper, make):
    table, thing = keeper.table, Thing()
    entry = table.entry(1, make((id(thing),)), (weakref.ref(thing),))
    table.enter(entry)
    (owner,) = keeper.owners._known.values()
    table.clear()
    assert list(table.entries()) == []
    assert owner.entries == set()
    assert entry.forgotten


def test_a_wrapper_is_served_the_table_and_does_not_live_longer(keeper):
    namespace = {}
    exec("def wrapper(): return interned__table", namespace)
    wrapper = namespace.pop("wrapper")
    keeper.table.serve(wrapper)
    assert wrapper() is keeper.table.flat
    bring_back = keeper.table.set_aside()
    assert wrapper() is keeper.table.flat
    bring_back()
    assert namespace[PREFIX + "table"] is keeper.table.flat
    gone = weakref.ref(wrapper)
    del wrapper
    assert gone() is None
    keeper.table.set_aside()


def test_set_aside_and_brought_back(keeper):
    table = keeper.table
    entry = table.entry(1, (1, int), ())
    table.enter(entry)
    bring_back = table.set_aside()
    assert table.find((1, int)) is None
    other = table.entry(2, (1, int), ())
    table.enter(other)
    values = ((1, 2),)
    other.details = Details(values=values)
    table.see(other, ())
    bring_back()
    assert table.find((1, int)) is entry
    assert table.seen == {}


def test_who_enters_while_the_table_is_set_aside_enters_the_new_one(keeper):
    table, once = keeper.table, []

    class Member:
        def __hash__(self):
            if not once:
                once.append(table.set_aside())
            return 1

    entry = table.entry(1, (Member(),), ())
    assert table.enter(entry) is entry
    assert list(table.flat.values()) == [entry]


def test_a_table_is_freed_by_reference_count():
    for weak in (False, True):
        table, thing = Results(weak=weak), Thing()
        table.enter(table.entry(thing, (1, int), ()))
        gone = weakref.ref(table)
        del table
        assert gone() is None


def test_an_entry_is_small():
    entry = Result(1, (1, int), ())
    assert entry.__sizeof__() < 120
    assert not hasattr(entry, "__dict__")
