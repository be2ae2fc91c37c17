"""The table: one entry for each value, whatever comes between two of its steps."""

import gc

import pytest

from interned.entries import GONE, Entry, ExactKey, RetainedEntry, StrongEntry, entry_of
from interned.table import Table


class Value:
    """Something that can be weakly referenced."""


class Part:
    """A part of a key that lets a test step in while it is hashed or compared."""

    def __init__(self, name, code=None, on_hash=None, on_eq=None):
        self.name = name
        self.code = hash(name) if code is None else code
        self.on_hash = on_hash
        self.on_eq = on_eq

    def __hash__(self):
        if self.on_hash is not None:
            self.on_hash()
        return self.code

    def __eq__(self, other):
        for part in (self, other):
            if part.on_eq is not None:
                part.on_eq()
        return self.name == other.name


def once(function):
    """Returns a function that calls another one at the first call only."""
    pending = [function]

    def call():
        if pending:
            pending.pop()()

    return call


def flat(*values):
    return (*values, *map(type, values))


def exact(*values):
    return ExactKey(values)


KINDS = pytest.mark.parametrize("key", [flat, exact])


@pytest.fixture(autouse=True)
def no_collector():
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def table():
    return Table()


def publish(table, value, key):
    """Publishes a value that is new and returns its entry."""
    entry, winner = table.publish(value, key)
    assert winner is value
    return entry


def is_empty(table):
    return not table.flat and not table.exact


@KINDS
def test_what_is_published_is_found(table, key):
    value = Value()
    entry, winner = table.publish(value, key(1, "a"))
    assert winner is value
    assert table.find(key(1, "a")) is entry
    assert table.find(key(1, "b")) is None
    assert entry_of(value) is entry
    assert len(table) == 1


@KINDS
def test_of_equal_candidates_the_first_wins(table, key):
    first, second = Value(), Value()
    entry = publish(table, first, key(1))
    assert table.publish(second, key(1)) == (entry, first)
    assert entry_of(second) is None


@KINDS
def test_an_entry_goes_with_its_instance_at_once(table, key):
    value = Value()
    entry = publish(table, value, key(1))
    table.remember(entry, key("one"))
    assert table.find(key("one")) is entry
    del value
    assert is_empty(table)


@KINDS
def test_a_strong_entry_stays_until_it_is_forgotten(key):
    table = Table(StrongEntry)
    entry = publish(table, "result", key(1))
    table.remember(entry, key("one"))
    assert len(table) == 1
    table.forget(entry)
    assert is_empty(table)
    assert entry.living is GONE


@KINDS
@pytest.mark.parametrize("entry_type", [Entry, RetainedEntry])
def test_a_dead_entry_gives_way(entry_type, key):
    table = Table(entry_type)
    dead = entry_type(Value())
    dead.start(key(1))
    assert table._claim(dead.key, dead) is dead
    value = Value()
    entry, winner = table.publish(value, key(1))
    assert winner is value
    assert table.find(key(1)) is entry


@pytest.mark.parametrize("key", [flat, exact, lambda *_: ()])
def test_forgetting_late_takes_no_later_entry_out(table, key):
    dead = Entry(Value())
    dead.start(key(1))
    value = Value()
    entry = publish(table, value, key(1))
    table.forget(dead)
    assert table.find(key(1)) is entry


def test_a_class_without_parameters_has_one_key(table):
    value = Value()
    entry = publish(table, value, ())
    assert table.find(()) is entry
    del value
    assert is_empty(table)


@KINDS
def test_spellings_are_bounded(table, key):
    value = Value()
    entry = publish(table, value, key(0))
    for number in range(1000):
        table.remember(entry, key(str(number)))
    assert len(table.flat) + len(table.exact) == 9
    assert len(entry.spellings) == 8
    assert table.find(key("999")) is entry
    assert table.find(key("991")) is None
    assert table.find(key(0)) is entry
    assert len(table) == 1
    del value
    assert is_empty(table)


@KINDS
def test_the_spelling_of_a_forgotten_entry_leaves_nothing(table, key):
    value = Value()
    entry = publish(table, value, key(0))
    del value
    table.remember(entry, key("zero"))
    assert is_empty(table)


@KINDS
def test_a_spelling_that_leads_elsewhere_stays_there(table, key):
    one, other = Value(), Value()
    first = publish(table, one, key(1))
    second = publish(table, other, key(2))
    table.remember(first, key("x"))
    table.remember(second, key("x"))
    assert table.find(key("x")) is first
    del other
    assert table.find(key("x")) is first


def test_a_spelling_pushed_out_before_it_was_entered_leaves_nothing(table):
    value = Value()
    entry = publish(table, value, flat(0))

    def push_out():
        for number in range(8):
            table.remember(entry, flat(number))

    table.remember(entry, (Part("late", on_hash=once(push_out)), Part))
    assert len(entry.spellings) == 8
    assert not any("late" in (getattr(part, "name", None) for part in key) for key in table.flat)
    del value
    assert is_empty(table)


def test_an_entry_forgotten_while_a_spelling_is_entered_leaves_nothing():
    table = Table(StrongEntry)
    entry = publish(table, "result", flat(0))
    table.remember(entry, (Part("x", on_hash=once(lambda: table.forget(entry))), Part))
    assert is_empty(table)


def test_keys_of_one_hash_are_kept_apart(table):
    values = [Value() for _ in range(50)]
    entries = [publish(table, v, exact(Part(i, code=1))) for i, v in enumerate(values)]
    assert len(table.exact) == 1
    assert all(table.find(exact(Part(i, code=1))) is e for i, e in enumerate(entries))
    del values[10:40]
    found = [table.find(exact(Part(i, code=1))) for i in range(50)]
    assert found == entries[:10] + [None] * 30 + entries[40:]
    values.clear()
    assert is_empty(table)


def test_spellings_of_one_hash_do_not_take_the_instance_out(table):
    value = Value()
    entry = publish(table, value, exact(Part("value", code=1)))
    for number in range(20):
        table.remember(entry, exact(Part(number, code=1)))
    assert table.find(exact(Part("value", code=1))) is entry
    del value
    assert is_empty(table)


def test_comparing_may_publish_the_same_value(table):
    # The collision makes the outer publication compare, and the inner one wins meanwhile.
    other, inner, outer = Value(), Value(), Value()
    table.publish(other, exact(Part("other", code=1)))

    def publish_inner():
        publish(table, inner, exact(Part("same", code=1)))

    winner = table.publish(outer, exact(Part("same", code=1, on_eq=once(publish_inner))))[1]
    assert winner is inner
    assert len(table) == 2


def test_comparing_may_drop_what_is_compared(table):
    values = {name: Value() for name in "abc"}
    for name, value in values.items():
        table.publish(value, exact(Part(name, code=1)))
    del value
    newcomer = Value()
    key = exact(Part("new", code=1, on_eq=once(values.clear)))
    entry, winner = table.publish(newcomer, key)
    assert winner is newcomer
    assert list(table.entries()) == [entry]


def test_an_exception_of_a_comparison_leaves_nothing(table):
    def fail():
        raise ZeroDivisionError

    kept = Value()
    table.publish(kept, exact(Part("kept", code=1)))
    with pytest.raises(ZeroDivisionError):
        table.publish(Value(), exact(Part("new", code=1, on_eq=fail)))
    assert len(table) == 1
    assert len(table.exact) == 1
    assert table.find(exact(Part("kept", code=1))) is not None


def test_a_value_published_again_while_its_old_key_is_taken_out_stays(table):
    # Members of enums hash in Python code, in which anything may happen.
    again = Value()

    def publish_again():
        table.publish(again, (Part("member"), Part))

    part = Part("member")
    value = Value()
    entry = publish(table, value, (part, Part))
    part.on_hash = once(publish_again)
    del value
    found = table.find((Part("member"), Part))
    assert found is not entry
    assert found.living is again


def test_a_value_published_while_the_dictionaries_are_exchanged_is_found(table):
    value = Value()
    shrink = once(lambda: table._exchange({}, {}, copy=True))
    entry = publish(table, value, (Part("x", on_hash=shrink), Part))
    assert table.find((Part("x"), Part)) is entry


def test_a_key_taken_out_while_the_dictionaries_are_exchanged_is_gone(table):
    part = Part("x")
    value = Value()
    publish(table, value, (part, Part))
    part.on_hash = once(lambda: table._exchange({}, {}, copy=True))
    del value
    assert is_empty(table)


@KINDS
def test_memory_is_given_back_after_mass_death(table, key):
    namespace = {}
    table.namespaces.append((namespace, "flat"))
    values = [Value() for _ in range(20_000)]
    for number, value in enumerate(values):
        table.publish(value, key(number))
    del value
    size = table.flat.__sizeof__() + table.exact.__sizeof__()
    del values[3:]
    assert table.flat.__sizeof__() + table.exact.__sizeof__() < size / 20
    assert [table.find(key(n)).living for n in range(3)] == values
    assert namespace["flat"] is table.flat


def test_a_table_of_steady_size_is_not_copied(table):
    values = [Value() for _ in range(1000)]
    for number, value in enumerate(values):
        table.publish(value, flat(number))
    before = table.flat
    for number in range(1000):
        values[number] = value = Value()
        table.publish(value, flat(number))
    assert table.flat is before


@KINDS
def test_a_table_set_aside_comes_back_with_what_still_lives(table, key):
    namespace = {}
    table.namespaces.append((namespace, "flat"))
    kept, lost = Value(), Value()
    entry = publish(table, kept, key("kept"))
    table.publish(lost, key("lost"))
    bring_back = table.set_aside()
    assert is_empty(table)
    assert namespace["flat"] is table.flat
    other = Value()
    assert table.publish(other, key("kept"))[1] is other
    del lost
    bring_back()
    assert list(table.entries()) == [entry]
    assert table.find(key("kept")) is entry
    assert namespace["flat"] is table.flat
    del other
    assert table.find(key("kept")) is entry


def test_a_forked_child_reflects_what_a_lost_thread_exchanged(table):
    namespace = {}
    table.namespaces.append((namespace, "flat"))
    table.after_fork()
    assert namespace["flat"] is table.flat


def test_nothing_is_done_when_the_interpreter_goes_down(table, monkeypatch):
    value = Value()
    publish(table, value, flat(1))
    monkeypatch.setattr("interned.table._GOING", None)
    del value
    assert len(table.flat) == 1


def test_tables_do_not_keep_one_another_alive():
    gc.collect()
    before = sum(isinstance(thing, Table) for thing in gc.get_objects())
    for _ in range(10):
        Table()
    gc.collect()
    assert sum(isinstance(thing, Table) for thing in gc.get_objects()) == before
