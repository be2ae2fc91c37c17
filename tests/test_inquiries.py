"""Inquiries about constructions: nothing is constructed for them."""

import os
import subprocess
import sys
from dataclasses import dataclass, field

import attrs
import pytest

from interned import interned, interner


@pytest.fixture
def ran():
    return []


@pytest.fixture
def axis(ran):
    def make(**options):
        @interned(**options)
        @dataclass(frozen=True)
        class Axis:
            names: object
            size: object = 1

            def __post_init__(self):
                ran.append(self.names)

        return Axis

    return make


def test_asking_constructs_nothing(axis, ran):
    cls = axis()
    assert not interner(cls).cache_contains("x")
    interner(cls).explain("x")
    assert not interner(cls).cache_invalidate("x")
    assert ran == []
    kept = cls("x")
    assert interner(cls).cache_contains("x", size=1)
    assert interner(cls).explain(names="x").hit
    assert not interner(cls).cache_invalidate("x")
    assert cls("x") is kept
    with pytest.raises(TypeError):
        interner(cls).cache_contains()


def test_a_dead_instance_is_not_known(axis):
    cls = axis()
    cls("x")
    assert not interner(cls).cache_contains("x")
    assert interner(cls).explain("x") == "miss; nothing is known"


def test_what_is_retained_can_be_let_go(axis, ran):
    cls = axis(maxsize=2)
    cls("x")
    assert interner(cls).cache_contains("x")
    assert interner(cls).cache_invalidate("x")
    assert not interner(cls).cache_contains("x")
    kept = cls("y")
    assert interner(cls).cache_invalidate("y")
    assert cls("y") is kept


def test_what_is_held_strongly_is_forgotten(axis):
    cls = axis(weak=False, maxsize=2)
    first = cls("x")
    assert interner(cls).cache_invalidate("x")
    assert not interner(cls).cache_contains("x")
    assert cls("x") is not first


def test_an_expired_instance_is_not_known(axis):
    now = [0.0]
    cls = axis(weak=False, ttl=1, timer=lambda: now[0])
    cls("x")
    assert interner(cls).cache_contains("x")
    now[0] = 2.0
    assert not interner(cls).cache_contains("x")


def test_a_miss_is_explained_by_the_nearest_instance(axis):
    cls = axis()
    kept = cls(("x", "z")), cls("q", 5)
    assert interner(cls).explain(("x", "y")).differences == ("names[1]: 'y' against 'z'",)
    assert interner(cls).explain("q", 5.0).differences == ("size: 5.0 (float) against 5 (int)",)
    assert len(kept) == 2


def test_a_plain_class_is_explained_by_its_calls():
    @interned
    class Plain:
        def __init__(self, a, *rest, b=2):
            self.sum = a + b

    kept = Plain(1, 2, b=3)
    assert interner(Plain).explain(1, 2, b=4).differences == ("b: 4 against 3",)
    assert interner(Plain).cache_contains(1, 2, b=3)
    assert kept.sum == 4


def test_converters_and_ignored_arguments():
    @interned(ignore="log")
    @attrs.frozen
    class Spec:
        x: int = attrs.field(converter=int)
        log: object = None

    kept = Spec("3", log=1)
    assert interner(Spec).cache_contains("3", log=2)
    assert interner(Spec).explain("4").differences == ("x: '4' (str) against 3 (int)",)
    assert kept.x == 3


def test_where_a_factory_makes_a_value_only_the_constructor_can_tell():
    @interned
    @dataclass(frozen=True)
    class Made:
        x: object = field(default_factory=object)

    kept = Made()
    assert not interner(Made).cache_contains()
    assert "only the constructor can tell" in interner(Made).explain()
    assert interner(Made).cache_contains(kept.x)


VERIFY = """
from dataclasses import dataclass, field
from interned import MutatedError, interned, interner

@interned(info=True)
@dataclass(frozen=True)
class Row:
    x: object

row = Row(1)
assert Row(1) is Row(x=1) is row
object.__setattr__(row, "x", 2)
try:
    Row(1)
except MutatedError as error:
    assert "an instance of Row was changed in place" in str(error)
else:
    raise AssertionError("not noticed")

@interned
@dataclass(frozen=True)
class Made:
    x: int
    y: tuple = field(default_factory=tuple)

made = Made(1)
object.__setattr__(made, "x", 2)
try:
    Made(1)
except MutatedError:
    pass
else:
    raise AssertionError("not noticed where a factory ran")

@interned
class Plain:
    def __init__(self, x):
        self.x = x

plain = Plain(1)
plain.x = 2
assert Plain(1) is plain
assert interner(Plain).cache_stats().unchecked == 1
assert interner(Row).cache_stats().unchecked == 0
"""


def test_verifying_notices_what_was_changed():
    subprocess.run(
        [sys.executable, "-c", VERIFY],
        env={**os.environ, "INTERNED_MODE": "verify"},
        check=True,
        timeout=60,
    )
