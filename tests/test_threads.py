"""L9: any number of threads, any mix of hits, misses, deaths, evictions and clearing."""

import gc
import random
import sys
import threading
from dataclasses import dataclass

import attrs
import pytest
from cachetools import FIFOCache, LFUCache, LRUCache, RRCache, TLRUCache, TTLCache

from interned import clear_caches, interned, interner
from interned.entries import GONE

THREADS = 16


@pytest.fixture(autouse=True)
def frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(function, count=THREADS):
    """Runs a function in threads that start together; raises what one of them raised."""
    gate = threading.Barrier(count)
    results, errors = [], []

    def run(number):
        try:
            gate.wait(20)
            results.append(function(number))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[n], daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]
    return results


class Ticking:
    """A clock that goes on a little at each look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.01
        return self.now


OPTIONS = {
    "weak": {},
    "counted": {"info": True},
    "maxsize": {"maxsize": 4},
    "ttl": {"maxsize": 4, "ttl": 1, "timer": Ticking()},
    "for ever": {"weak": False},
    "strong": {"weak": False, "maxsize": 4},
    "strong ttl": {"weak": False, "maxsize": 4, "ttl": 1, "timer": Ticking()},
    "LRU": {"cache": lambda: LRUCache(4)},
    "LFU": {"cache": lambda: LFUCache(4)},
    "RR": {"cache": lambda: RRCache(4)},
    "FIFO": {"weak": False, "cache": lambda: FIFOCache(4)},
    "TTL": {"weak": False, "cache": lambda: TTLCache(4, 1, timer=Ticking())},
    "TLRU": {"cache": lambda: TLRUCache(4, lambda key, value, now: now + 1, timer=Ticking())},
}


class Clumsy:
    """An argument of which all hash alike."""

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, Clumsy) and self.number == other.number


NUMBERS = range(7)
VALUES = [*NUMBERS, *((n, "x") for n in NUMBERS), *(Clumsy(n) for n in NUMBERS)]


def check_table(cls):
    """Every entry is alive and found under its key, and nothing else is in the table."""
    table = interner(cls).table
    entries = list(table.entries())
    assert all(entry.living is not GONE for entry in entries)
    assert all(table.find(entry.key) is entry for entry in entries)
    listed = {id(key) for entry in entries for key in (entry.key, *entry.spellings)}
    assert {id(key) for key in table.flat if key} <= listed
    assert {id(key) for bucket in table.exact.values() for key in bucket[::2]} <= listed


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_threads_agree_on_each_value_whatever_they_do(options):
    @interned(**options)
    @dataclass(frozen=True)
    class Target:
        x: object

    weak = options.get("weak", True)
    held = {x: Target(x) for x in VALUES[::3]} if weak else {}

    def work(seed):
        choose = random.Random(seed)
        mine = {}
        for step in range(600):
            x = choose.choice(VALUES)
            instance = Target(x)
            assert instance.x == x
            if weak:
                assert mine.setdefault(x, instance) is instance
                assert held.get(x, instance) is instance
            if step % 7 == 0:
                mine.clear()
            if step % 50 == 0:
                interner(Target).cache_clear()
                interner(Target).cache_stats()

    in_threads(work)
    retention = interner(Target).retention
    if retention is not None:
        assert retention.size() <= (interner(Target).cache_parameters()["maxsize"] or len(VALUES))
    held.clear()
    gc.collect()
    interner(Target).cache_clear()
    if weak or retention is not None:
        assert interner(Target).cache_info().currsize == 0 or options == {"weak": False}
    check_table(Target)


def test_spellings_are_remembered_and_dropped_by_many_threads():
    @interned
    @attrs.frozen
    class Port:
        number: int = attrs.field(converter=int)

    def work(seed):
        choose = random.Random(seed)
        for _ in range(200):
            number = choose.randrange(3)
            port = Port(str(number))
            assert port is Port(number + choose.randrange(20) / 20)
            assert port.number == number

    in_threads(work)
    assert interner(Port).cache_info().currsize == 0
    assert not interner(Port).table.flat
    assert not interner(Port).table.exact


@pytest.mark.parametrize("argument", [7, (7, "x")], ids=["flat", "exact"])
@pytest.mark.parametrize("options", [{}, {"weak": False, "maxsize": 9}], ids=["weak", "strong"])
def test_of_many_first_constructions_one_is_handed_out(argument, options):
    started = threading.Barrier(THREADS)

    @interned(**options)
    @dataclass(frozen=True)
    class Slow:
        x: object

        def __post_init__(self):
            # All are at work before any is done.
            started.wait(20)
            object.__setattr__(self, "inits", getattr(self, "inits", 0) + 1)

    for _ in range(5):
        instances = in_threads(lambda _: Slow(argument))
        assert len(set(map(id, instances))) == 1
        assert instances[0].inits == 1
        stats = interner(Slow).cache_stats()
        assert (stats.misses, stats.published, stats.living) == (THREADS, 1, 1)
        del instances
        interner(Slow).cache_clear()


def test_different_values_are_built_in_parallel():
    together = threading.Barrier(4)

    @interned
    @dataclass(frozen=True)
    class Slow:
        x: object

        def __post_init__(self):
            together.wait(20)

    assert len(set(in_threads(Slow, 4))) == 4


def test_members_of_enums_are_safe_keys():
    # Python code computes their hash, so threads switch in the middle of a look-up.
    import enum

    class Color(enum.Enum):
        RED = 1
        GREEN = 2

    @interned
    @dataclass(frozen=True)
    class Paint:
        color: Color

    def work(seed):
        choose = random.Random(seed)
        for _ in range(300):
            color = choose.choice(list(Color))
            paint = Paint(color)
            assert Paint(color) is paint
            assert paint.color is color

    in_threads(work)
    assert not interner(Paint).table.flat


def test_memory_is_given_back_while_threads_construct():
    @interned
    @dataclass(frozen=True)
    class Target:
        x: object

    kept = [Target(number) for number in range(5)]

    def work(seed):
        for _ in range(2):
            many = [Target((seed, number)) for number in range(200)]
            many += [Target(str((seed, number))) for number in range(200)]
            assert all(Target(number) is kept[number] for number in range(5))
            assert Target((seed, 7)) is many[7]
            del many

    in_threads(work)
    assert len(interner(Target).table.flat) == 5
    assert not interner(Target).table.exact
    assert interner(Target).table.flat.__sizeof__() < 20_000


def test_interners_are_made_and_cleared_in_parallel():
    def work(seed):
        for number in range(5):

            @interned(maxsize=3)
            @dataclass(frozen=True)
            class Local:
                x: int

            instance = Local(number)
            clear_caches()
            assert Local(number) is instance

    in_threads(work, 8)
    gc.collect()


@pytest.mark.parametrize("name", ["weak", "maxsize", "ttl", "strong", "LFU"])
def test_no_lock_is_taken_on_a_hit(name):
    @interned(**OPTIONS[name])
    @dataclass(frozen=True)
    class Target:
        x: object

    instances = [Target(1), Target((1, 2))]
    entered, leave = threading.Event(), threading.Event()

    def occupy():
        entered.set()
        leave.wait(20)

    # Only a user's cache is worked on by one thread at a time.
    turns = getattr(interner(Target).retention, "_turns", None)
    busy = threading.Thread(target=lambda: turns.ask(occupy) if turns else occupy())
    with interner(Target).table._lock:
        busy.start()
        assert entered.wait(20)
        found = in_threads(lambda _: [Target(1), Target((1, 2))], 2)
    leave.set()
    busy.join(20)
    assert found == [instances, instances]
