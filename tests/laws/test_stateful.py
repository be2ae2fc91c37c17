"""Everything in any order: the library against a naive model of its laws."""

import copy
import gc
import os
import pickle
import signal
import warnings
import weakref
from collections import OrderedDict
from dataclasses import dataclass, replace

import attrs
from cachetools import LFUCache
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from interned import interned, interner
from interned.entries import GONE
from tests.laws.strategies import reading


class Clock:
    now = 0

    def __call__(self):
        return self.now


CLOCK = Clock()


@interned
@dataclass(frozen=True)
class Plain:
    x: object
    y: object = 0


@interned
@attrs.frozen
class Converted:
    x: object = attrs.field(converter=lambda value: value)
    y: object = 0


@interned(info=True)
class ByCall:
    def __init__(self, x, y=0):
        self.x = x
        self.y = y


@interned(maxsize=2)
@dataclass(frozen=True)
class Bounded:
    x: object
    y: object = 0


@interned(maxsize=3, ttl=4, timer=CLOCK)
@dataclass(frozen=True, slots=True, weakref_slot=True)
class Timed:
    x: object
    y: object = 0


@interned(weak=False)
@attrs.frozen
class ForEver:
    x: object
    y: object = 0


@interned(cache=lambda: LFUCache(2))
@dataclass(frozen=True)
class ByPolicy:
    x: object
    y: object = 0


@interned(weak=False, maxsize=2)
@dataclass(frozen=True)
class Strong:
    x: object
    y: object = 0


@interned(weak=False, maxsize=3, ttl=4, timer=CLOCK)
@attrs.frozen
class StrongTimed:
    x: object
    y: object = 0


WEAK = (Plain, Converted, ByCall, Bounded, Timed, ForEver, ByPolicy)
TARGETS = (*WEAK, Strong, StrongTimed)

values = st.sampled_from(
    (0, False, 0.0, -0.0, 1, True, 1.0, "a", b"a", None, (), (1,), (True,), (1.0, "a"))
) | st.frozensets(st.sampled_from((1, True, 1.0, "a")), max_size=1)


def text_of(value):
    """Writes down what a value is, its parts included."""
    if isinstance(value, TARGETS):
        return f"{type(value).__name__}({text_of(value.x)}, {text_of(value.y)})"
    if type(value) is tuple:
        return f"({', '.join(map(text_of, value))})"
    return reading(value)


def parts(value):
    """Yields an instance and the instances inside it."""
    inner = value if type(value) is tuple else ()
    if isinstance(value, TARGETS):
        yield value
        inner = (value.x, value.y)
    for part in inner:
        yield from parts(part)


class Retained(OrderedDict):
    """The naive retention: texts in the order of their last use, each with the time of its end."""

    def __init__(self, cls):
        super().__init__()
        parameters = interner(cls).cache_parameters()
        self.bound = parameters["maxsize"]
        self.ttl = parameters["ttl"]

    def holds(self, text):
        return text in self and self[text] > CLOCK.now

    def expire(self):
        for text in [text for text in self if not self.holds(text)]:
            del self[text]

    def use(self, text):
        if not self.holds(text):
            self.expire()
            self[text] = CLOCK.now + self.ttl if self.ttl else float("inf")
        self.move_to_end(text)
        while self.bound is not None and len(self) > self.bound:
            self.popitem(last=False)


class Laws(RuleBasedStateMachine):
    """What was constructed is used, dropped, evicted, expired, cleared, copied and forked.

    Attributes:
        held: Instances that this program uses.
        known: A weak reference to the last instance of each text.
        retained: What the retention ought to hold.
    """

    steps = 0

    @initialize(cls=st.sampled_from(TARGETS))
    def begin(self, cls):
        CLOCK.now = 0
        self.cls = cls
        # Whatever a failed run has left behind, this one begins with nothing.
        interner(cls).set_aside()
        self.weak = cls in WEAK
        self.held = []
        self.known = {}
        self.retained = Retained(cls)
        self.forks = 0

    def living(self, text):
        reference = self.known.get(text)
        return None if reference is None else reference()

    def check_made(self, instance, x, y):
        """The laws of one construction."""
        text = text_of(instance)
        assert text == f"{self.cls.__name__}({text_of(x)}, {text_of(y)})"
        known = self.living(text)
        if known is not None:
            # L1, L5: the one that lives; with `weak=False`, while the retention holds it.
            assert (instance is known) == (self.weak or self.retained.holds(text))
        self.known[text] = weakref.ref(instance)
        self.retained.use(text)
        self.held.append(instance)

    def pick(self, data):
        return self.held[data.draw(st.integers(0, len(self.held) - 1))]

    @rule(x=values, y=values, keywords=st.booleans())
    def construct(self, x, y, keywords):
        self.check_made(self.cls(y=y, x=x) if keywords else self.cls(x, y), x, y)

    @rule(x=values)
    def construct_with_default(self, x):
        self.check_made(self.cls(x), x, 0)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), wrapped=st.booleans())
    def construct_around_another(self, data, wrapped):
        inner = self.pick(data)
        x = (inner, 1) if wrapped else inner
        if len(text_of(x)) < 500:
            self.check_made(self.cls(x), x, 0)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def replace_a_field(self, data):
        instance = self.pick(data)
        change = attrs.evolve if attrs.has(self.cls) else replace
        if self.cls is not ByCall:
            self.check_made(change(instance, y=1.0), instance.x, 1.0)

    @precondition(lambda self: self.held and self.weak)
    @rule(data=st.data(), deep=st.booleans())
    def copy_one(self, data, deep):
        instance = self.pick(data)
        assert (copy.deepcopy(instance) if deep else copy.copy(instance)) is instance

    @precondition(lambda self: self.held and self.weak)
    @rule(data=st.data(), protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
    def pickle_one(self, data, protocol):
        instance = self.pick(data)
        packed = pickle.dumps(instance, protocol)
        assert pickle.loads(packed) is instance
        for part in reversed(list(parts(instance))):
            # What is read from a pickle is used, the parts first.
            self.retained.use(text_of(part))

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def drop_one(self, data):
        del self.held[data.draw(st.integers(0, len(self.held) - 1))]

    @rule()
    def drop_all(self):
        self.held.clear()

    @rule(seconds=st.integers(1, 3))
    def wait(self, seconds):
        CLOCK.now += seconds

    @rule()
    def expire(self):
        interner(self.cls).cache_expire()
        self.retained.expire()

    @rule()
    def clear(self):
        interner(self.cls).cache_clear()
        self.retained.clear()

    @rule()
    def collect(self):
        gc.collect(0)

    @precondition(lambda self: hasattr(os, "fork") and self.forks < 1)
    @rule()
    def fork(self):
        self.forks += 1
        with warnings.catch_warnings():
            # Other tests may have left threads.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if not child:
            code = 1
            try:
                signal.alarm(20)
                for instance in self.held:
                    again = self.cls(instance.x, instance.y)
                    assert again is instance if self.weak else text_of(again) == text_of(instance)
                self.cls("new in the child")
                interner(self.cls).cache_clear()
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0

    @invariant()
    def what_is_used_or_retained_lives_and_nothing_else_does(self):
        Laws.steps += 1
        if self.cls is ByPolicy:
            return
        users = list(self.held)
        for text in self.retained:
            users.append(self.living(text))
            assert users[-1] is not None or not self.retained.holds(text)
        used = {id(part) for user in users for part in parts(user)}
        for text, reference in self.known.items():
            # L4: gone at once, by reference count; what has expired, at the next change.
            instance = reference()
            assert instance is None or id(instance) in used or text in self.retained

    @invariant()
    def the_table_is_in_order(self):
        table = interner(self.cls).table
        for entry in table.entries():
            assert entry.living is not GONE
            assert table.find(entry.key) is entry
            assert len(entry.spellings) <= 8

    @invariant()
    def equality_is_unchanged(self):
        for instance in self.held[-2:]:
            if self.cls is not ByCall:
                same = [other for other in self.held if other == instance]
                assert instance in same
                assert {hash(other) for other in same} == {hash(instance)}

    def teardown(self):
        if hasattr(self, "cls"):
            self.held.clear()
            interner(self.cls).cache_clear()
            assert interner(self.cls).cache_info().currsize == 0
            assert not interner(self.cls).table.flat
            assert not interner(self.cls).table.exact


def test_the_laws_hold_in_any_order():
    Laws.steps = 0
    run_state_machine_as_test(Laws, settings=settings(stateful_step_count=60))
    assert Laws.steps >= 2_000
