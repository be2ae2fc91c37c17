"""Retention: a user's cache decides, and nothing is lost whatever its callbacks do."""

import gc

import pytest
from cachetools import FIFOCache, LFUCache, LRUCache, RRCache, TLRUCache, TTLCache

from interned.entries import StrongEntry
from interned.retention import Retention


class Clock:
    """A clock that a test sets, or lets fail."""

    def __init__(self):
        self.now = 0.0
        self.failing = False

    def __call__(self):
        if self.failing:
            raise ZeroDivisionError
        return self.now


def made(name):
    entry = StrongEntry(name)
    entry.start((name, str))
    return entry


def keep(retention, *names):
    entries = [made(name) for name in names]
    for entry in entries:
        retention.keep(entry, entry.value)
    return entries


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def gone():
    return []


def first(keys):
    return keys[0]


POLICIES = {
    "LRU": (lambda clock: LRUCache(2), "a"),
    "LFU": (lambda clock: LFUCache(2), "a"),
    "FIFO": (lambda clock: FIFOCache(2), "b"),
    "RR": (lambda clock: RRCache(2, choice=first), "b"),
    "TTL": (lambda clock: TTLCache(2, 10, timer=clock), "a"),
    "TLRU": (lambda clock: TLRUCache(2, lambda key, value, now: now + 10, timer=clock), "a"),
}
EVERY_POLICY = pytest.mark.parametrize(
    "policy", [make for make, _ in POLICIES.values()], ids=POLICIES
)


@pytest.mark.parametrize(("policy", "kept"), POLICIES.values(), ids=POLICIES)
def test_the_policy_sees_each_use_and_decides(policy, kept, clock, gone):
    retention = Retention(policy(clock), gone.append)
    a, b = keep(retention, "a", "b")
    retention.touch(a, a.value)
    keep(retention, "c")
    assert [entry.value for entry in (a, b) if retention.holds(entry)] == [kept]
    assert [entry.value for entry in gone] == [{"a": "b", "b": "a"}[kept]]
    assert retention.evicted == 1
    assert retention.size() == 2


@EVERY_POLICY
def test_a_value_let_go_by_a_weak_table_is_held_again_at_its_next_use(policy, clock):
    retention = Retention(policy(clock))
    (a,) = keep(retention, "a")
    retention.clear()
    assert not retention.holds(a)
    retention.touch(a, a.value)
    assert retention.holds(a)


@EVERY_POLICY
def test_a_value_let_go_by_a_strong_table_is_gone(policy, clock, gone):
    retention = Retention(policy(clock), gone.append)
    (a,) = keep(retention, "a")
    retention.clear()
    retention.touch(a, a.value)
    assert not retention.holds(a)
    assert set(gone) == {a}


@EVERY_POLICY
def test_clearing_lets_everything_go_and_counts_from_zero(policy, clock, gone):
    retention = Retention(policy(clock), gone.append)
    entries = keep(retention, "a", "b", "c")
    retention.clear()
    assert set(gone) == set(entries)
    assert retention.size() == retention.evicted == 0


@pytest.mark.parametrize("name", ["TTL", "TLRU"])
def test_what_has_expired_is_let_go(name, clock, gone):
    retention = Retention(POLICIES[name][0](clock), gone.append)
    entries = keep(retention, "a", "b")
    clock.now = 10.0
    assert not any(map(retention.holds, entries))
    assert gone == []
    retention.expire()
    assert gone == entries
    assert retention.evicted == 2


@EVERY_POLICY
def test_expiring_does_no_harm_without_a_time(policy, clock):
    retention = Retention(policy(clock))
    (a,) = keep(retention, "a")
    retention.expire()
    assert retention.holds(a)


@pytest.mark.parametrize("name", ["TTL", "TLRU"])
def test_clearing_reaches_what_has_expired(name, clock, gone):
    retention = Retention(POLICIES[name][0](clock), gone.append)
    entries = keep(retention, "a", "b")
    clock.now = 10.0
    retention.clear()
    assert set(gone) == set(entries)


@EVERY_POLICY
def test_one_entry_can_be_discarded(policy, clock, gone):
    retention = Retention(policy(clock), gone.append)
    a, b = keep(retention, "a", "b")
    assert retention.discard(a)
    assert not retention.discard(a)
    assert retention.holds(b)
    assert retention.size() == 1
    assert set(gone) == {a}


def test_an_expired_entry_can_be_discarded(clock, gone):
    retention = Retention(TTLCache(2, 10, timer=clock), gone.append)
    (a,) = keep(retention, "a")
    clock.now = 10.0
    assert not retention.discard(a)
    clock.now = 0.0
    assert retention.size() == 0


def test_what_would_expire_at_once_is_not_kept(clock, gone):
    retention = Retention(TLRUCache(2, lambda key, value, now: now, timer=clock), gone.append)
    (a,) = keep(retention, "a")
    assert not retention.holds(a)
    assert gone == [a]


def test_values_have_their_sizes(gone):
    retention = Retention(LRUCache(10, getsizeof=len), gone.append)
    a, b, large = keep(retention, "aaaaa", "bbbbb", "c" * 11)
    assert gone == [large]
    assert retention.holds(a)
    assert retention.holds(b)
    keep(retention, "d")
    assert gone == [large, a]


def test_none_is_a_value_as_any_other(clock):
    retention = Retention(TTLCache(2, 10, timer=clock))
    entry = made("none")
    retention.keep(entry, None)
    clock.now = 6.0
    retention.touch(entry, None)
    clock.now = 12.0
    assert not retention.holds(entry)


class Faulty:
    """A callback that fails at one of its calls."""

    def __init__(self, answer, error):
        self.answer = answer
        self.error = error
        self.armed = False

    def __call__(self, *args):
        if self.armed:
            raise self.error
        return self.answer(*args)


FAULTY = {
    "getsizeof": (lambda value: 1, lambda call: LFUCache(2, getsizeof=call)),
    "ttu": (lambda key, value, now: now + 10, lambda call: TLRUCache(2, call, timer=lambda: 0.0)),
    "timer": (lambda: 0.0, lambda call: TTLCache(2, 10, timer=call)),
    "choice": (first, lambda call: RRCache(2, choice=call)),
}


@pytest.mark.parametrize(("answer", "policy"), FAULTY.values(), ids=FAULTY)
@pytest.mark.parametrize("error", [ZeroDivisionError, ValueError, KeyError, KeyboardInterrupt])
def test_what_a_callback_raises_reaches_the_caller_and_leaves_all_in_order(
    answer, policy, error, gone
):
    callback = Faulty(answer, error("mine"))
    retention = Retention(policy(callback), gone.append)
    a, b = keep(retention, "a", "b")
    callback.armed = True
    new = made("new")
    with pytest.raises(error) as caught:
        retention.keep(new, new.value)
    assert caught.value is callback.error
    callback.armed = False
    assert gone == [new]
    assert not retention.holds(new)
    assert retention.holds(a)
    assert retention.holds(b)
    keep(retention, "c", "d")
    assert retention.size() == 2
    assert len(gone) == 3


def test_a_negative_size_is_the_callbacks_fault(gone):
    retention = Retention(LRUCache(2, getsizeof=lambda value: -1), gone.append)
    try:
        keep(retention, "a")
    except ValueError:
        # The newer cachetools refuse it.
        assert len(gone) == 1


def test_a_use_may_fail_and_the_value_stays(clock):
    retention = Retention(TTLCache(2, 10, timer=clock))
    (a,) = keep(retention, "a")
    clock.failing = True
    with pytest.raises(ZeroDivisionError):
        retention.touch(a, a.value)
    clock.failing = False
    assert retention.holds(a)


def test_callbacks_may_come_back(gone):
    nested = {"a": "b", "b": "c"}
    entries = []

    def measure(value):
        if value in nested:
            entries.extend(keep(retention, nested[value]))
            retention.clear()
            retention.size()
        return 1

    retention = Retention(LRUCache(2, getsizeof=measure), gone.append)
    entries[:0] = keep(retention, "a")
    assert {entry.value for entry in entries} == {"a", "b", "c"}
    assert all(entry.kept is not None for entry in entries)
    assert len(gone) == len(set(gone))


def test_what_is_let_go_is_released_when_nobody_is_at_work():
    class Noisy:
        def __del__(self):
            keep(retention, "from __del__")
            sizes.append(retention.size())

    sizes = []
    retention = Retention(LRUCache(2))
    entry = StrongEntry(None)
    entry.start(())
    retention.keep(entry, Noisy())
    keep(retention, "b", "c")
    assert sizes == [2]
    assert retention.size() == 2


@EVERY_POLICY
def test_a_retention_set_aside_comes_back(policy, clock, gone):
    retention = Retention(policy(clock), gone.append)
    a, b, c = keep(retention, "a", "b", "c")
    bring_back = retention.set_aside()
    assert retention.size() == retention.evicted == 0
    (inner,) = keep(retention, "inner")
    bring_back()
    held = [entry for entry in (a, b, c) if retention.holds(entry)]
    assert len(held) == retention.size() == 2
    assert not retention.holds(inner)
    assert inner in gone
    assert retention.evicted == 1


def test_a_retention_and_its_cache_go_together():
    retention = Retention(LRUCache(2))
    gc.collect()
    before = sum(isinstance(thing, Retention) for thing in gc.get_objects())
    del retention
    gc.collect()
    assert sum(isinstance(thing, Retention) for thing in gc.get_objects()) == before - 1


def test_what_another_request_raises_is_raised_and_leaves_nothing(gone):
    def fail():
        raise ZeroDivisionError

    retention = Retention(LRUCache(2), gone.append)
    # Left behind by another thread.
    retention._queue.append((fail, ()))
    a = made("a")
    with pytest.raises(ZeroDivisionError):
        retention.keep(a, a.value)
    assert gone == [a]
    (b,) = keep(retention, "b")
    assert retention.holds(b)


def test_what_could_not_be_released_is_released_later():
    def let_go(entry):
        gone.append(entry)
        if len(gone) == 1:
            raise KeyboardInterrupt

    gone = []
    retention = Retention(LRUCache(1), let_go)
    (a,) = keep(retention, "a")
    with pytest.raises(KeyboardInterrupt):
        keep(retention, "b")
    keep(retention, "c")
    assert gone.count(a) == 2


def test_one_entry_can_be_dropped_at_any_time(gone):
    def drop(value):
        if value == "b":
            retention.drop(a)
            assert retention.holds(a)
        return 1

    retention = Retention(LRUCache(5, getsizeof=drop), gone.append)
    (a,) = keep(retention, "a")
    keep(retention, "b")
    assert not retention.holds(a)
    assert gone == [a]
    assert retention.policy == "LRUCache"


def test_a_cache_is_put_in_order_after_an_interruption(gone):
    def interrupt(*_):
        raise KeyboardInterrupt

    retention = Retention(LRUCache(2), gone.append)
    entries = keep(retention, "a", "b")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LRUCache, "__delitem__", interrupt)
        with pytest.raises(KeyboardInterrupt):
            keep(retention, "c")
    (d,) = keep(retention, "d")
    assert retention.holds(d)
    assert retention.size() == 1
    assert set(entries) <= set(gone)


def test_what_expires_while_it_is_held_again_is_not_let_go(clock, gone):
    retention = Retention(TTLCache(2, 10, timer=clock), gone.append)
    (a,) = keep(retention, "a")
    clock.now = 10
    retention.keep(a, a.value)
    assert retention.holds(a)
    assert gone == []
