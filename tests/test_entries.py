"""Entries: what stands in a table for one instance or one result."""

import gc
import weakref

import pytest

from interned.entries import GONE, Entry, ExactKey, RetainedEntry, StrongEntry, entry_of


class Value:
    pass


@pytest.mark.parametrize("entry_type", [Entry, RetainedEntry])
def test_a_weak_entry_answers_with_its_instance_until_that_dies(entry_type):
    gc.disable()
    try:
        value, told = Value(), []
        entry = entry_type(value, told.append)
        entry.start((1, int))
        assert entry() is entry.living is value
        assert (entry.key, entry.spellings) == ((1, int), ())
        del value
        assert entry.living is GONE
        assert told == [entry]
    finally:
        gc.enable()


def test_a_strong_entry_holds_its_value_until_it_is_forgotten():
    entry = StrongEntry(None)
    entry.start((1, int))
    assert entry() is None
    assert entry.living is None
    entry.close()
    assert entry.living is GONE


@pytest.mark.parametrize("entry_type", [RetainedEntry, StrongEntry])
def test_an_entry_that_no_retention_has_heard_of_counts_as_valid(entry_type):
    value = Value()
    entry = entry_type(value, None)
    entry.start(())
    assert entry.kept is None
    assert entry.clean
    assert entry.expires > 1e300


def test_entries_are_told_apart_by_identity():
    value = Value()
    one, other = Entry(value, print), Entry(value, print)
    assert one != other
    assert len({one, other}) == 2


def test_the_entry_of_an_instance_is_found_among_its_other_references():
    value = Value()
    others = [weakref.ref(value), weakref.ref(value, print), weakref.WeakSet([value])]
    assert entry_of(value) is None
    entry = Entry(value, print)
    assert entry_of(value) is entry
    assert others


def test_exact_keys_are_equal_if_their_parts_are():
    assert ExactKey((1, "a")) == ExactKey((1, "a"))
    assert ExactKey((1, "a")) != ExactKey((1, "b"))
    assert ExactKey((1,)) != (1,)
    assert hash(ExactKey((1, "a"))) == hash((1, "a"))


def test_the_hash_of_an_exact_key_is_taken_once():
    class Part:
        taken = 0

        def __hash__(self):
            Part.taken += 1
            return 7

    key = ExactKey((Part(),))
    assert hash(key) == hash(key) == key.hash
    assert Part.taken == 1
