"""L4, L5, L9: from construction to death, whatever comes in between."""

import asyncio
import contextlib
import copy
import gc
import importlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import tracemalloc
import weakref
from dataclasses import dataclass

import attrs
import pytest
from cachetools import Cache, LFUCache, LRUCache, TTLCache

from interned import interned, interner
from interned.entries import GONE
from tests.interruptions import everywhere


@interned
@dataclass(frozen=True)
class Point:
    x: object
    y: object = 0


@interned
@dataclass(frozen=True, slots=True, weakref_slot=True)
class Slotted:
    x: object


@interned
@attrs.frozen
class Port:
    x: int = attrs.field(converter=int)


@interned
class Plain:
    def __init__(self, x):
        self.x = x


KINDS = pytest.mark.parametrize("cls", [Point, Slotted, Port, Plain])


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leftovers(cls):
    """Counts what is left in a class's table."""
    table = interner(cls).table
    return len(table.flat) + len(table.exact)


def check_table(cls):
    """Every entry is alive, and found under its key and each of its spellings."""
    table = interner(cls).table
    for entry in table.entries():
        assert entry.living is not GONE
        assert table.find(entry.key) is entry
        assert all(table.find(key) in (entry, None) for key in entry.spellings)
    listed = {id(key) for e in table.entries() for key in (e.key, *e.spellings)}
    assert {id(key) for key in table.flat if key} <= listed
    assert {id(key) for bucket in table.exact.values() for key in bucket[::2]} <= listed
    retention = interner(cls).retention
    if retention is not None:
        assert retention.size() <= interner(cls).cache_parameters()["maxsize"]


# Death by reference count.


@KINDS
def test_the_last_reference_takes_instance_and_entry_with_it(cls, no_collector):
    instance = cls("7")
    assert cls("7") is instance
    reference = weakref.ref(instance)
    del instance
    assert reference() is None
    assert leftovers(cls) == 0


def test_an_instance_of_exact_key_dies_as_well(no_collector):
    instance = Point((1, (2.0, b"")), frozenset({1}))
    reference = weakref.ref(instance)
    del instance
    assert reference() is None
    assert leftovers(Point) == 0


def test_children_die_with_their_parents(no_collector):
    tree = Point(Point(Point(1)), (Point(2), Point(3)))
    assert interner(Point).cache_info().currsize == 5
    del tree
    assert leftovers(Point) == 0


def test_a_long_chain_dies_whole(no_collector):
    chain = None
    for _ in range(20_000):
        chain = Point(chain)
    del chain
    assert leftovers(Point) == 0


def test_a_failed_construction_leaves_nothing(no_collector):
    for bad in ("x", None, []):
        with pytest.raises((TypeError, ValueError)):
            Port(bad)
    with pytest.raises(TypeError):
        Point([])
    assert leftovers(Port) == leftovers(Point) == 0


def test_spellings_are_bounded_and_die_with_their_instance(no_collector):
    port = Port(80)
    for number in range(2_000):
        assert Port(80 + number / 2_001) is port
    assert leftovers(Port) <= 10
    del port
    assert leftovers(Port) == 0


def test_spellings_keep_no_argument_alive(no_collector):
    class Number:
        def __int__(self):
            return 5

    number = Number()
    port = Port(number)
    assert Port(number) is port
    reference = weakref.ref(number)
    del number
    assert reference() is None
    assert Port(Number()) is port


def test_hits_and_misses_keep_nothing_alive(no_collector):
    argument = Plain(1)
    instances = [Point(argument), Plain(argument), Point((argument, argument))]
    reference = weakref.ref(argument)
    assert [Point(argument), Plain(argument), Point((argument, argument))] == instances
    del argument
    instances.clear()
    assert reference() is None
    assert leftovers(Point) == leftovers(Plain) == 0


# Cycles.


class ByIdentity:
    pass


class ByValue:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, ByValue)


NESTINGS = {
    "bare": lambda holder: holder,
    "in a tuple": lambda holder: (holder,),
    "deep in tuples": lambda holder: (0, ((holder, "x"), holder)),
    "in a frozenset": lambda holder: frozenset({holder}),
    "in another instance": Point,
}


@pytest.mark.parametrize("cls", [Point, Slotted, Plain])
@pytest.mark.parametrize("holder_type", [ByIdentity, ByValue])
@pytest.mark.parametrize("nest", NESTINGS.values(), ids=NESTINGS)
def test_a_cycle_through_an_argument_is_collected(cls, holder_type, nest):
    holder = holder_type()
    holder.instance = cls(nest(holder))
    references = [weakref.ref(holder), weakref.ref(holder.instance)]
    assert cls(nest(holder)) is holder.instance
    del holder
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert leftovers(cls) == 0


def test_a_cycle_through_the_class_is_collected():
    def made():
        @interned(maxsize=4, ttl=10)
        @dataclass(frozen=True)
        class Local:
            x: object

        Local.default = Local(1)
        Local.other = Local(Local)
        return Local

    reference = weakref.ref(made())
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"info": True},
        {"ttl": 5},
        {"maxsize": 3},
        {"weak": False},
        {"weak": False, "maxsize": 3},
        {"cache": lambda: LFUCache(3)},
        {"weak": False, "cache": lambda: TTLCache(3, 5)},
    ],
    ids=str,
)
def test_a_class_and_its_interner_are_collected(options):
    def made():
        @interned(**options)
        @dataclass(frozen=True)
        class Local:
            x: object

        for x in (1, (2,), "x"):
            assert Local(x) is Local(x)
        return weakref.ref(Local), weakref.ref(interner(Local))

    references = made()
    gc.collect()
    assert [reference() for reference in references] == [None, None]


# Finalizers.


def test_an_instance_resurrected_by_its_finalizer_stays_canonical(no_collector):
    saved = []

    @interned
    @dataclass(frozen=True)
    class Undead:
        x: int

        def __del__(self):
            saved.append(self)

    Undead(1)
    assert len(saved) == 1
    assert Undead(1) is saved[0]
    assert copy.copy(saved[0]) is saved[0]
    saved.clear()
    assert leftovers(Undead) == 0
    assert saved == []


def test_an_instance_resurrected_from_a_cycle_leaves_the_table_in_order():
    saved = []

    @interned
    @dataclass(frozen=True)
    class Undead:
        holder: object

        def __del__(self):
            saved.append(self)

    holder = ByIdentity()
    holder.instance = Undead(holder)
    del holder
    gc.collect()
    (risen,) = saved
    # The collector has cleared its weak references, so the table knows it no more.
    again = Undead(risen.holder)
    assert Undead(risen.holder) is again
    check_table(Undead)


def test_a_finalizer_may_construct_its_own_value(no_collector):
    made = []

    @interned
    @dataclass(frozen=True)
    class Phoenix:
        x: int

        def __del__(self):
            made.append(Phoenix(self.x))
            made.append(Phoenix(self.x + 10))

    Phoenix(1)
    assert [p.x for p in made] == [1, 11]
    assert Phoenix(1) is made[0]
    made.clear()
    check_table(Phoenix)


def test_a_death_callback_may_construct_the_same_value(no_collector):
    made = []
    point = Point("reborn")
    weakref.finalize(point, lambda: made.append(Point("reborn")))
    del point
    assert Point("reborn") is made[0]
    check_table(Point)


def test_the_collector_may_run_anywhere():
    class Litter:
        """Garbage that constructs when it is collected."""

        def __init__(self):
            self.me = self

        def __del__(self):
            number = next(numbers) % 5
            assert Bounded(number).x == number
            assert Bounded((number,)).x == (number,)

    @interned(maxsize=2)
    @dataclass(frozen=True)
    class Bounded:
        x: object

    numbers = iter(range(1_000_000))
    held = [Bounded(1), Bounded((1,))]
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for number in range(300):
            Litter()
            Bounded(number % 7)
            Bounded((number % 7,))
            assert [Bounded(1), Bounded((1,))] == held
            assert Bounded(1) is held[0]
            assert Bounded((1,)) is held[1]
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    check_table(Bounded)


# Interruptions: at each point where a signal handler or the collector could come in.


def made(**options):
    @interned(**options)
    @dataclass(frozen=True)
    class Target:
        x: object

    return Target


ARGUMENTS = pytest.mark.parametrize("argument", [1, (1, 2)], ids=["flat", "exact"])
RETAINED = {
    "none": {},
    "maxsize": {"maxsize": 1},
    "ttl": {"maxsize": 1, "ttl": 1, "timer": lambda: 0.0},
    "strong": {"weak": False, "maxsize": 1},
    "cache": {"cache": lambda: LRUCache(1)},
    "strong cache": {"weak": False, "cache": lambda: LFUCache(1)},
}
EACH = pytest.mark.parametrize("options", RETAINED.values(), ids=RETAINED)


class Interrupt(BaseException):
    """Raised out of the blue, as `KeyboardInterrupt` is."""


@ARGUMENTS
@EACH
def test_a_construction_may_be_interrupted_by_the_same_one(argument, options):
    got = []

    def construct():
        cls = made(**options)
        got.clear()
        yield cls
        got.append(cls(argument))
        yield
        if len(got) == 2:
            assert got[0] is got[1]
        assert cls(argument) is got[-1]
        check_table(cls)
        got.clear()
        assert cls(2).x == 2
        check_table(cls)

    assert everywhere(lambda cls: got.append(cls(argument)), construct) > 30


@ARGUMENTS
@EACH
def test_a_construction_may_be_interrupted_by_clearing(argument, options):
    def construct():
        cls = made(**options)
        held = cls(2)
        yield cls
        instance = cls(argument)
        yield
        check_table(cls)
        if options.get("weak", True):
            assert cls(argument) is instance
            assert cls(2) is held

    def clear(cls):
        interner(cls).cache_clear()
        cls(3)
        cls((3, 4))

    assert everywhere(clear, construct) > 30


@ARGUMENTS
@EACH
def test_a_construction_may_be_broken_off(argument, options, monkeypatch):
    if "cache" in options and "clear" not in vars(Cache):
        pytest.skip("this cachetools has no way to put a cache in order")

    def raise_interrupt(_cls):
        raise Interrupt

    def construct():
        cls = made(**options)
        held = cls(2)
        yield cls
        with contextlib.suppress(Interrupt):
            cls(argument)
        yield
        if options.get("weak", True):
            assert cls(2) is held
        for x in (argument, 3, 4, 5, argument):
            assert cls(x).x == x
            assert cls(x) is cls(x) or options
        interner(cls).cache_clear()
        check_table(cls)
        del held
        assert leftovers(cls) == 0

    with monkeypatch.context() as patch:
        # Python has no one to give what a callback at an instance's death raises.
        patch.setattr(sys, "unraisablehook", lambda _: None)
        assert everywhere(raise_interrupt, construct) > 30


@ARGUMENTS
def test_a_death_may_be_interrupted_by_a_rebirth(argument):
    reborn = []

    def drop():
        cls = made()
        reborn.clear()
        held = [cls(argument)]
        yield cls
        held.clear()
        yield
        if reborn:
            assert cls(argument) is reborn[0]
        check_table(cls)

    assert everywhere(lambda cls: reborn.append(cls(argument)), drop) > 5


def test_a_new_spelling_may_be_interrupted_by_the_death_of_others():
    def spell():
        @interned
        @attrs.frozen
        class Number:
            x: int = attrs.field(converter=int)

        others = [Number(str(n)) for n in range(9)]
        number = Number(80)
        for n in range(7):
            assert Number(80 + n / 10) is number
        yield others
        assert Number("80") is number
        yield
        assert Number("80") is number
        assert Number(80) is number
        check_table(Number)
        del number
        others.clear()
        assert leftovers(Number) == 0

    assert everywhere(lambda others: others.clear(), spell) > 30


@ARGUMENTS
def test_giving_memory_back_may_be_interrupted_by_a_construction(argument):
    new = []

    def shrink():
        cls = made()
        new.clear()
        kept = cls(0)
        yield cls
        interner(cls).table._exchange({}, {}, copy=True)
        yield
        assert cls(0) is kept
        assert all(cls(argument) is instance for instance in new)
        check_table(cls)

    assert everywhere(lambda cls: new.append(cls(argument)), shrink) > 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_signal_handlers_may_construct():
    @interned(maxsize=2)
    @dataclass(frozen=True)
    class Bounded:
        x: object

    handled = 0

    def handle(_number, _frame):
        nonlocal handled
        handled += 1
        for x in (handled % 5, (handled % 5,)):
            assert Bounded(x) is Bounded(x)
        if handled < 300:
            # Only now, so that handlers do not pile up where one takes longer than that.
            signal.setitimer(signal.ITIMER_REAL, 0.0002)

    held = [Bounded(1), Bounded((1,))]
    former = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.0002)
    try:
        while handled < 300:
            for x in (*range(6), *((number,) for number in range(6))):
                assert Bounded(x).x == x
            assert Bounded(1) is held[0]
            assert Bounded((1,)) is held[1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    check_table(Bounded)


# Processes.

SHUTDOWN = """
import atexit, gc, json, sys, threading, types, weakref
from dataclasses import dataclass
from cachetools import TTLCache
from interned import interned, CachedSerialization

@interned
@dataclass(frozen=True)
class P(CachedSerialization):
    x: object
    def __del__(self):
        if isinstance(self.x, str):
            P((self.x, 1)); P(2); Q(self.x)

@interned(maxsize=3, ttl=100)
@dataclass(frozen=True)
class Q:
    x: object

@interned(weak=False, cache=lambda: TTLCache(3, 100))
@dataclass(frozen=True)
class R:
    x: object

@interned
def f(x):
    return [x]

class Holder:
    pass

h = Holder()
h.p, h.q = P(h), Q((h,))
everything = [P("a"), P(1), P((1, "b")), Q("c"), Q(1), R("d"), f("e"), f((1,))]
P.keep = P("kept by its class")
P("x").as_serialized_json
sys.keep = [P("kept by sys"), everything]
# Modules are emptied in turn, and these may be the last.
json.keep = [Q("kept by a module"), Q((1, "kept by a module")), f("kept by a module")]
json.modules = dict(sys.modules)
late = sys.modules["late"] = types.ModuleType("late")
late.keep = [Q(7), Q((7, 7)), R(7)]
atexit.register(lambda: (P("at exit"), Q("at exit"), f("at exit")))
weakref.finalize(h, lambda: P("finalized"))
threading.Thread(target=lambda: [P(i) for i in range(100)]).start()
print("done")
"""


def run_program(text, *, timeout=60):
    return subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", text],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_the_interpreter_shuts_down_in_silence():
    run = run_program(SHUTDOWN)
    assert (run.returncode, run.stdout, run.stderr) == (0, "done\n", "")


FORKS = """
import os, random, signal, sys, threading, warnings
from dataclasses import dataclass
from cachetools import LFUCache
from interned import clear_caches, interned, interner

warnings.simplefilter("ignore")
sys.setswitchinterval(1e-5)

def made(**options):
    @interned(**options)
    @dataclass(frozen=True)
    class Target:
        x: object
        def __post_init__(self):
            for _ in range(random.randrange(20)):
                pass
    return Target

weak = [made(), made(maxsize=4), made(maxsize=9, ttl=0.001), made(cache=lambda: LFUCache(4))]
strong = [made(weak=False, maxsize=4), made(weak=False, cache=lambda: LFUCache(4))]
values = [*range(8), *((n, "x") for n in range(8))]
held = {(cls, x): cls(x) for cls in weak for x in values[::3]}
stop = threading.Event()

def churn(seed):
    rng = random.Random(seed)
    while not stop.is_set():
        cls = rng.choice(weak + strong)
        x = rng.choice(values)
        assert cls(x).x == x
        if rng.random() < 0.01:
            clear_caches()

def check():
    for (cls, x), instance in held.items():
        assert cls(x) is instance
    for cls in weak + strong:
        for x in values:
            assert cls(x).x == x
        kept = [cls(x) for x in values]
        if cls in weak:
            assert all(cls(x) is k for x, k in zip(values, kept))
        retention = interner(cls).retention
        if retention is not None:
            assert retention.size() <= interner(cls).cache_parameters()["maxsize"]
        interner(cls).cache_clear()
    thread = threading.Thread(target=lambda: [cls(("new", cls)) for cls in weak + strong])
    thread.start()
    thread.join()

threads = [threading.Thread(target=churn, args=[seed], daemon=True) for seed in range(4)]
for thread in threads:
    thread.start()
codes = []
for _ in range(20):
    child = os.fork()
    if not child:
        signal.alarm(20)
        code = 1
        try:
            check()
            code = 0
        finally:
            os._exit(code)
    codes.append(os.waitpid(child, 0)[1])
stop.set()
for thread in threads:
    thread.join()
check()
print(codes)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_children_forked_under_churn_go_on():
    run = run_program(FORKS)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{[0] * 20}\n", "")


def test_a_reloaded_module_has_a_class_of_its_own(tmp_path, monkeypatch):
    text = """
from dataclasses import dataclass
from interned import interned

@interned
@dataclass(frozen=True)
class Reloaded:
    x: object

default = Reloaded(1)
"""
    (tmp_path / "interned_reloaded.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("interned_reloaded")
    old, default = module.Reloaded, module.default
    importlib.reload(module)
    new = module.Reloaded
    assert new is not old
    assert new(1) is module.default is not default
    assert old(1) is default is copy.deepcopy(default)
    assert pickle.loads(pickle.dumps(module.default)) is module.default
    reference = weakref.ref(old)
    del old, default
    gc.collect()
    assert reference() is None
    del sys.modules["interned_reloaded"]


def test_two_event_loops_share_instances():
    async def construct():
        await asyncio.sleep(0)
        return Point("shared")

    first = asyncio.run(construct())
    assert asyncio.run(construct()) is first


@pytest.mark.skipif(not hasattr(copy, "replace"), reason="new in Python 3.13")
def test_replacing_lands_on_the_canonical_instance():
    point = Point(1, 2)
    assert copy.replace(point, y=3) is Point(1, 3)
    assert copy.replace(point) is point


# Memory.


@pytest.mark.parametrize("argument", [lambda n: n, lambda n: (n, n)], ids=["flat", "exact"])
@pytest.mark.parametrize("options", [{}, {"maxsize": None}], ids=["weak", "retained"])
def test_memory_is_given_back_after_mass_death(argument, options):
    cls = made(**options)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        many = [cls(argument(number)) for number in range(10_000)]
        grown = tracemalloc.get_traced_memory()[0] - before
        many.clear()
        interner(cls).cache_clear()
        for number in range(1_000):
            cls(argument(number % 3))
        interner(cls).cache_clear()
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # Some of it is in CPython's free lists.
    assert left < grown / 10


@pytest.mark.parametrize("argument", [lambda n: n, lambda n: (n, n)], ids=["flat", "exact"])
def test_memory_is_given_back_after_half_of_them_died(argument):
    cls = made()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        many = [cls(argument(number)) for number in range(10_000)]
        grown = tracemalloc.get_traced_memory()[0] - before
        del many[::2]
        for number in range(1_000):
            cls(argument(-1 - number % 3))
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # A dictionary has as much room as it had, or a third of that.
    assert left < grown * 0.7


def test_memory_of_spellings_is_given_back():
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        many = [Port(number) for number in range(10_000)]
        for number in range(10_000):
            assert Port(str(number)) is many[number]
        grown = tracemalloc.get_traced_memory()[0] - before
        many.clear()
        for number in range(1_000):
            Port(str(number % 3))
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert left < grown / 10


def test_two_hundred_thousand_spellings_of_a_living_number_take_no_memory():
    port = Port(443)
    tracemalloc.start()
    try:
        for number in range(200):
            Port(443 + number / 200_000)
        before = tracemalloc.get_traced_memory()[0]
        for number in range(200, 200_000, 20):
            Port(443 + number / 200_000)
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert Port(443) is port
    assert left < 10_000


# Waiting for another thread.


@pytest.mark.parametrize("where", ["__init__", "__eq__", "__hash__", "__del__"])
def test_user_code_may_wait_for_a_thread_that_constructs(where):
    waiting = []

    def wait(place):
        if place != where or waiting:
            return
        waiting.append(where)
        thread = threading.Thread(target=lambda: (Waiter(1), Waiter((2,)), Waiter("same")))
        thread.start()
        thread.join(20)
        waiting.append(thread.is_alive())

    class Argument:
        def __hash__(self):
            wait("__hash__")
            return 1

        def __eq__(self, other):
            wait("__eq__")
            return self is other

    @interned(maxsize=1)
    @dataclass(frozen=True)
    class Waiter:
        x: object

        def __post_init__(self):
            wait("__init__")

        def __del__(self):
            wait("__del__")

    held = [Waiter(Argument()), Waiter(Argument()), Waiter("same")]
    del held
    Waiter(3)
    assert waiting == [where, False]


class Unreferable:
    __slots__ = ("p",)


def test_a_cycle_through_what_cannot_be_referenced_weakly_is_collected():
    @interned
    @dataclass(frozen=True)
    class Part:
        whole: object

    whole = Unreferable()
    whole.p = Part(whole)
    assert Part(whole) is whole.p
    died = weakref.ref(whole.p)
    del whole
    gc.collect()
    assert died() is None
