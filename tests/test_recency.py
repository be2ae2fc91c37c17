"""LRU: what was used last stays, for a time, as exactly as if each use had been reported."""

import math
import threading
import weakref
from itertools import count

import pytest
from cachetools import LRUCache

from interned.entries import StrongEntry
from interned.recency import Recency, TimedRecency


class Clock:
    """A clock that a test sets, or lets fail."""

    def __init__(self):
        self.now = 0.0
        self.failing = False

    def __call__(self):
        if self.failing:
            raise ZeroDivisionError
        return self.now


class Uses:
    """Uses entries as the hit path does."""

    def __init__(self, retention):
        self.retention = retention
        self.hits = count(1)

    def made(self, name):
        entry = StrongEntry(name)
        entry.start((name, str))
        return entry

    def keep(self, *names):
        entries = [self.made(name) for name in names]
        for entry in entries:
            self.retention.keep(entry, entry.value)
        return entries

    def use(self, *entries):
        for entry in entries:
            if entry.clean or not self.retention.holds(entry):
                self.retention.touch(entry, entry.value)
            entry.used = next(self.hits)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def gone():
    return []


def held(retention, entries):
    return "".join(entry.value for entry in entries if retention.holds(entry))


def test_what_was_used_least_recently_is_let_go(clock, gone):
    retention = Recency(3, gone.append)
    uses = Uses(retention)
    entries = uses.keep(*"abc")
    uses.use(entries[1], entries[0], entries[1], entries[0])
    entries += uses.keep("d")
    assert held(retention, entries) == "abd"
    entries += uses.keep("e")
    assert held(retention, entries) == "ade"
    assert [entry.value for entry in gone] == ["c", "b"]
    assert retention.evicted == 2
    assert retention.size() == 3


def test_uses_are_noted_once_until_the_next_change(clock):
    retention = Recency(2)
    uses = Uses(retention)
    (a,) = uses.keep("a")
    for _ in range(1000):
        retention.touch(a, a.value)
    assert len(retention._dirty) == 1
    uses.keep("b")
    assert not retention._dirty
    assert a.clean


def test_a_value_of_a_weak_table_is_held_again_at_its_next_use(clock):
    retention = Recency(1)
    uses = Uses(retention)
    a, b = uses.keep("a", "b")
    assert held(retention, [a, b]) == "b"
    uses.use(a)
    assert held(retention, [a, b]) == "a"


def test_a_value_that_a_strong_table_let_go_is_forgotten_at_its_next_use(clock, gone):
    retention = Recency(1, gone.append)
    uses = Uses(retention)
    a, _ = uses.keep("a", "b")
    gone.clear()
    uses.use(a)
    assert gone == [a]
    assert not retention.holds(a)


def test_nothing_is_kept_where_nothing_was_asked_for(clock, gone):
    retention = Recency(0, gone.append)
    (a,) = Uses(retention).keep("a")
    assert not retention.holds(a)
    assert gone == [a]


def test_time_runs_from_the_beginning_and_uses_do_not_renew_it(clock, gone):
    retention = TimedRecency(math.inf, 10, clock, gone.append)
    uses = Uses(retention)
    (a,) = uses.keep("a")
    for clock.now in (3, 6, 9, 9.999):
        uses.use(a)
        assert retention.holds(a)
    clock.now = 10
    assert not retention.holds(a)
    assert gone == []
    assert retention.size() == 0
    assert gone == [a]


def test_what_has_expired_goes_at_the_next_change_or_when_asked(clock, gone):
    retention = TimedRecency(5, 10, clock, gone.append)
    uses = Uses(retention)
    a, b = uses.keep("a", "b")
    clock.now = 10
    (c,) = uses.keep("c")
    assert gone == [a, b]
    clock.now = 20
    retention.expire()
    assert gone == [a, b, c]
    assert retention.evicted == 3


def test_expiring_does_no_harm_without_a_time(clock):
    retention = Recency(5)
    (a,) = Uses(retention).keep("a")
    retention.expire()
    assert retention.holds(a)


def test_a_value_held_again_has_its_time_again(clock):
    retention = TimedRecency(5, 10, clock)
    uses = Uses(retention)
    (a,) = uses.keep("a")
    clock.now = 12
    uses.use(a)
    clock.now = 21
    assert retention.holds(a)
    clock.now = 22
    assert not retention.holds(a)


def test_a_failing_clock_leaves_nothing(clock, gone):
    retention = TimedRecency(5, 10, clock, gone.append)
    uses = Uses(retention)
    (a,) = uses.keep("a")
    clock.failing = True
    new = uses.made("new")
    for call in (
        lambda: retention.keep(new, "new"),
        lambda: retention.holds(a),
        retention.size,
        retention.expire,
    ):
        with pytest.raises(ZeroDivisionError):
            call()
    clock.failing = False
    assert gone == [new]
    assert not retention.holds(new)
    assert retention.holds(a)
    assert retention.size() == 1


def test_clearing_gives_memory_back(clock, gone):
    retention = TimedRecency(math.inf, 10, clock, gone.append)
    uses = Uses(retention)
    entries = uses.keep(*map(str, range(1000)))
    former = weakref.ref(retention.cache)
    retention.clear()
    assert gone == entries
    assert former() is None
    assert retention.size() == retention.evicted == 0
    (a,) = uses.keep("a")
    assert retention.holds(a)


@pytest.mark.parametrize(
    "make",
    [
        lambda _, let_go: Recency(5, let_go),
        lambda clock, let_go: TimedRecency(5, 10, clock, let_go),
    ],
    ids=["LRU", "TTL"],
)
def test_one_entry_can_be_discarded(make, clock, gone):
    retention = make(clock, gone.append)
    uses = Uses(retention)
    a, b = uses.keep("a", "b")
    assert retention.knows(a)
    assert retention.discard(a)
    assert not retention.discard(a)
    assert not retention.knows(a)
    assert retention.holds(b)
    assert retention.size() == 1
    assert set(gone) == {a}


def test_what_another_thread_asks_for_meanwhile_is_done_afterwards(clock, gone):
    class Racing(Recency):
        """Lets another thread drop a value just before it comes in."""

        def _put(self, entry, value):
            thread = threading.Thread(target=self.drop, args=[entry])
            thread.start()
            thread.join(10)
            super()._put(entry, value)

    retention = Racing(5, gone.append)
    (a,) = Uses(retention).keep("a")
    assert gone == [a]
    assert not retention.holds(a)
    assert not retention.knows(a)


def test_a_policy_that_was_interrupted_begins_anew(clock, gone, monkeypatch):
    def interrupted(cache):
        popitem(cache)
        raise KeyboardInterrupt

    retention = Recency(2, gone.append)
    uses = Uses(retention)
    entries = uses.keep(*"ab")
    popitem = LRUCache.popitem
    with monkeypatch.context() as patch:
        patch.setattr(LRUCache, "popitem", interrupted)
        with pytest.raises(KeyboardInterrupt):
            uses.keep("c")
    assert [entry.value for entry in gone] == ["c"]
    # Nobody has noted that "a" went; a use shows it.
    uses.use(entries[0])
    entries += uses.keep("d")
    assert held(retention, entries) == "d"
    assert retention.size() == 1
    assert {entry.value for entry in gone} == set("abc")


def test_the_uses_of_a_value_held_again_are_noted_again(clock):
    retention = TimedRecency(2, 10, clock)
    uses = Uses(retention)
    (a,) = uses.keep("a")
    uses.use(a)
    clock.now = 10
    retention.expire()
    assert not retention._dirty
    uses.use(a)
    uses.keep("b")
    uses.use(a)
    uses.keep("c")
    assert retention.holds(a)


def test_the_class_of_cachetools_that_does_the_same_is_named(clock):
    assert Recency(1).policy == "LRUCache"
    assert TimedRecency(1, 10, clock).policy == "TTLCache"


def test_a_retention_set_aside_comes_back_as_it_was(clock, gone):
    retention = TimedRecency(3, 10, clock, gone.append)
    uses = Uses(retention)
    entries = uses.keep(*"xabc")
    uses.use(entries[1])
    bring_back = retention.set_aside()
    assert retention.size() == retention.evicted == 0
    clock.now = 5
    (inner,) = uses.keep("i")
    bring_back()
    assert not retention.holds(inner)
    assert inner in gone
    assert retention.evicted == 1
    entries += uses.keep("d")
    assert held(retention, entries) == "acd"
    clock.now = 10
    assert held(retention, entries) == "d"


def test_a_use_that_another_thread_notes_meanwhile_is_not_lost(clock):
    retention = Recency(3)
    uses = Uses(retention)
    a, b = uses.keep("a", "b")

    class Observed(StrongEntry):
        """Lets another thread use `a` while the order of uses is put right."""

        @property
        def used(self):
            thread = threading.Thread(target=uses.use, args=[a])
            thread.start()
            thread.join(10)
            return 0

        @used.setter
        def used(self, value):
            pass

    observed = Observed("o")
    observed.start(("o", str))
    retention.keep(observed, "o")
    uses.use(a, observed, b)
    uses.keep("c")
    assert held(retention, [a, b, observed]) == "ab"
    uses.keep("d")
    assert held(retention, [a, b, observed]) == "a"


def test_what_is_held_again_stays_in_use_where_the_clock_fails(clock):
    retention = TimedRecency(5, 10, clock)
    uses = Uses(retention)
    (a,) = uses.keep("a")
    clock.failing = True
    with pytest.raises(ZeroDivisionError):
        retention.keep(a, "a")
    clock.failing = False
    assert retention.holds(a)
