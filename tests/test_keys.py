"""The public side of exact keys, their two strengths, and values of odd shapes."""

import dataclasses
import enum
import functools
import gc
import math
import subprocess
import sys
import threading
import weakref
from decimal import Decimal

import pytest

from interned import keys
from interned.errors import UnkeyableError
from interned.keys import exact_key, is_plain, register_key, unkeyable, weak_key

BOTH = pytest.mark.parametrize("key", [exact_key, weak_key])


@dataclasses.dataclass(frozen=True)
class Pair:
    left: object
    right: object = None


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Name(enum.StrEnum):
    A = "a"


class Odd(enum.Enum):
    ONE = 1

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class Box:
    """Compares by content, and can be referenced weakly."""

    def __init__(self, content):
        self.content = content

    def __eq__(self, other):
        return isinstance(other, Box) and self.content == other.content

    def __hash__(self):
        return hash(self.content)


class Token:
    pass


class Interner:
    """Knows the canonical instances of one class."""

    def __init__(self):
        self.tokens = {}

    def token(self, value):
        return self.tokens.get(id(value))

    def admit(self, value):
        self.tokens[id(value)] = Token()


@pytest.fixture
def canonical_class():
    @dataclasses.dataclass(frozen=True)
    class Canonical:
        x: object

        def __hash__(self):
            raise AssertionError("the hash of a canonical instance is not needed")

    Canonical.__interner__ = Interner()
    return Canonical


@BOTH
def test_the_shape_of_a_key(key):
    assert key(1) == 1
    assert key("a") == "a"
    assert key(None) is None
    assert key(True) == (bool, True)
    assert key(1.5) == (float, 1.5)
    assert key((1, "a", None)) == (tuple, 1, "a", None)
    assert key((1, (2.5,))) == (tuple, 1, (tuple, (float, 2.5)))
    assert key(frozenset({1, 2})) == (frozenset, frozenset({1, 2}))
    assert key(b"a") == (bytes, b"a")


@BOTH
def test_canonical_instances_are_known_by_identity(key, canonical_class):
    interner = canonical_class.__interner__
    one, other, loose = canonical_class(1), canonical_class(1), canonical_class(1)
    interner.admit(one)
    interner.admit(other)
    assert key(one) == key(one)
    assert hash(key((one, 0))) == hash(key((one, 0)))
    assert key(one) != key(other)
    assert key(one) != key(loose)
    assert key(loose) == key(canonical_class(1))


@BOTH
def test_an_undecorated_subclass_is_keyed_by_its_value(key, canonical_class):
    kind = dataclasses.dataclass(frozen=True)(type("Sub", (canonical_class,), {}))
    one, other = kind(1), kind(1)
    canonical_class.__interner__.admit(one)
    assert key(one) == key(other)


def test_an_exact_key_keeps_what_it_needs_alive(canonical_class):
    for make in (object.__new__, lambda _: canonical_class(1), lambda _: Box(1)):
        value = make(Token)
        if isinstance(value, canonical_class):
            canonical_class.__interner__.admit(value)
        seen, key = weakref.ref(value), exact_key((value,))
        del value
        gc.collect()
        assert seen() is not None
        assert key == exact_key((seen(),))


def test_a_weak_key_keeps_none_of_it_alive(canonical_class):
    kind = type("Kind", (), {})
    values = [canonical_class(1), Box(1), kind(), lambda: None, kind, Box(2).__eq__]
    canonical_class.__interner__.admit(values[0])
    seen = [weakref.ref(value) for value in values[:5]] + [weakref.ref(values[5].__self__)]
    keys = [weak_key((value, kind)) for value in values]
    hashes = list(map(hash, keys))
    del values, kind
    gc.collect()
    assert [ref() for ref in seen] == [None] * 6
    assert list(map(hash, keys)) == hashes
    assert all(key == key for key in keys)  # noqa: PLR0124


def test_a_weak_key_does_not_keep_a_cycle_alive():
    table = {}
    for make in (Box, Pair, lambda content: type("Kind", (), {"content": content})):
        holder = make(Token())
        table[weak_key(holder)] = None
        content = holder.left if isinstance(holder, Pair) else holder.content
        content.back, seen = holder, weakref.ref(content)
        del holder, content
        gc.collect()
        assert seen() is None


def test_what_nothing_else_holds_is_held_by_a_weak_key():
    for held, alive in ((None, False), (lambda _: True, False), (lambda _: False, True)):
        value = Box(1)
        seen, key = weakref.ref(value), weak_key((value,), held)
        del value
        assert (seen() is not None) is alive
        assert (key == weak_key((Box(1),))) is alive


def test_held_is_asked_about_the_value_itself():
    asked = []
    value = Box(1)
    weak_key((1, Pair(value), Token(), Color.RED), asked.append)
    assert len(asked) == 1
    assert asked[0] is value


def test_what_cannot_be_referenced_weakly_is_held():
    class Slim:
        __slots__ = ("x",)

        def __eq__(self, other):
            return self.x == other.x

        def __hash__(self):
            return hash(self.x)

    one, other, bare = Slim(), Slim(), object()
    one.x = other.x = 1
    assert weak_key(one) == weak_key(other)
    assert weak_key(bare) == weak_key(bare)
    assert weak_key(bare) != weak_key(object())


@BOTH
def test_what_a_registered_function_makes_is_held(key):
    class Wrapper:
        def __init__(self, content):
            self.content = content

    register_key(Wrapper, lambda wrapper: (Box(wrapper.content), 1))
    made = key(Wrapper(1))
    gc.collect()
    assert made == key(Wrapper(1))
    assert made != key(Wrapper(2))


def test_a_registered_function_keeps_what_is_held_elsewhere_weak():
    class Wrapper:
        def __init__(self, content):
            self.content = content

    register_key(Wrapper, lambda wrapper: 0)
    value = Box(1)
    seen, key = weakref.ref(value), weak_key((Wrapper(1), value))
    del value
    assert seen() is None
    assert key == key  # noqa: PLR0124


def doubled(value, times=60):
    for _ in range(times):
        value = (value, value)
    return value


SHARED = [
    doubled,
    lambda leaf: doubled(leaf)[0],
    lambda leaf: functools.reduce(lambda value, _: Pair(value, value), range(60), leaf),
    lambda leaf: functools.reduce(lambda v, _: frozenset({(v, 1), (v, 2)}), range(60), leaf),
    lambda leaf: functools.reduce(lambda v, _: (frozenset({v}), v, 1.0), range(60), leaf),
    lambda leaf: functools.reduce(
        lambda v, i: (v, Pair(v, (v,)), i) if i % 2 else (0, v, v), range(60), leaf
    ),
]


@BOTH
@pytest.mark.parametrize("build", SHARED)
def test_shared_parts_are_visited_once(key, build):
    one, other, third = key(build((1,))), key(build((1,))), key(build((2,)))
    assert hash(one) == hash(other)
    assert one == other
    assert other == one
    assert one != third
    assert {one: "found"}[other] == "found"
    assert third not in {one, other}


@BOTH
def test_registered_classes_may_share_parts(key):
    class Node:
        def __init__(self, child):
            self.child = child

    register_key(Node, lambda node: (node.child, node.child))
    one, other = (functools.reduce(lambda v, _: Node(v), range(40), 1) for _ in range(2))
    assert key(one) == key(other)


@BOTH
def test_sharing_is_not_part_of_a_value(key):
    part, twin = (1, (2,)), (1, (int("2"),))
    assert key((part, part)) == key((part, twin))
    assert key((part, twin)) == key((part, part))
    assert hash(key((part, part))) == hash(key((part, twin)))
    assert key((part, part)) != key((part, (1, (3,))))
    assert key(doubled((1,), 8)) == key(eval(repr(doubled((1,), 8))))


@BOTH
def test_values_made_on_the_way_do_not_lend_their_address(key):
    class Wrapper:
        def __init__(self, content):
            self.content = content

    register_key(Wrapper, lambda wrapper: (wrapper.content,))
    numbers = range(1000)
    keys = key(tuple(map(Wrapper, numbers)))
    assert keys == key(tuple(map(Wrapper, numbers)))
    assert len(set(keys[1:])) == 1000


@BOTH
@pytest.mark.parametrize("wrap", [lambda v: (v,), Pair, lambda v: frozenset({v})])
def test_a_value_nested_too_deeply_is_refused_and_one_less_deep_is_not(key, wrap):
    def nested(depth):
        return functools.reduce(lambda value, _: wrap(value), range(depth), 1)

    assert hash(key(nested(100))) == hash(key(nested(100)))
    assert key(nested(100)) == key(nested(100))
    if wrap(0) != frozenset({0}):
        limit = sys.getrecursionlimit()
        with pytest.raises(RecursionError):
            key(nested(20 * limit))


def test_depth_that_the_user_asked_for_does_not_end_the_process():
    script = """if True:
        import sys
        from interned.keys import exact_key, weak_key
        sys.setrecursionlimit(200_000)
        value = 1
        for _ in range(20_000):
            value = (value, 1.0)
        assert hash(exact_key(value)) == hash(weak_key(value))
    """
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)


@BOTH
def test_a_value_that_contains_itself_is_refused(key):
    value = Pair(1)
    object.__setattr__(value, "right", value)
    with pytest.raises(RecursionError):
        key(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        *((value, True) for value in (0, 1, 10**30, "", "a", b"", b"a", True, False, None)),
        *((value, True) for value in (1.5, -1.5, float("inf"))),
        *((value, True) for value in (Color.RED, Level.LOW, Name.A, Access.READ, Access(3))),
        *((value, False) for value in (0.0, -0.0, float("nan"), 1j, Decimal(1), ..., Odd.ONE)),
        *((value, False) for value in ((), (1,), frozenset(), [], {}, int, len, Box(1))),
        *((value, False) for value in (type("N", (int,), {})(1), type("S", (str,), {})("a"))),
    ],
    ids=repr,
)
def test_which_values_are_plain(value, plain):
    assert is_plain(value) is plain


def test_a_made_up_member_is_not_plain():
    member = object.__new__(Color)
    member._name_, member._value_ = "RED", 1
    assert not is_plain(member)


def test_an_enum_of_a_class_that_compares_oddly_is_not_plain():
    class Meta(enum.EnumMeta):
        def __eq__(cls, other):
            return True

        def __hash__(cls):
            return 0

    class Member(enum.Enum, metaclass=Meta):
        A = 1

    assert not is_plain(Member.A)
    assert exact_key(Member.A) == exact_key(Member.A)


@BOTH
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], "Row.cells: a list is mutable (unhashable), so no exact key can stand for it; "),
        ((1, [2]), "Row.cells[1]: a list is mutable (unhashable), so no exact key "),
        ((1, Pair(0, [2])), "Row.cells[1].right: a list is mutable (unhashable), "),
        (Pair((1, {2})), "Row.cells.left[1]: a set is mutable (unhashable), "),
    ],
)
def test_an_error_names_class_field_and_place(key, value, message):
    with pytest.raises(UnkeyableError) as caught:
        key(value)
    error = unkeyable("Row", "cells", caught.value)
    assert isinstance(error, UnkeyableError)
    assert str(error).startswith(message)


@BOTH
def test_no_lock_is_held_while_user_code_runs(key):
    """A hash that waits for another thread that makes keys too would hang with one."""
    results = []

    class Patient:
        def __eq__(self, other):
            return isinstance(other, Patient)

        def __hash__(self):
            thread = threading.Thread(target=lambda: results.append(key((Box(1), Pair(2)))))
            thread.start()
            thread.join(30)
            return 0

    key(Patient())
    assert len(results) == 1


def test_threads_that_meet_a_class_first_get_one_key():
    kinds = [type(f"Kind{number}", (int,), {}) for number in range(50)]
    start, keys = threading.Barrier(4), []

    def work():
        start.wait()
        keys.append([exact_key(kind(1)) for kind in kinds])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keys == [keys[0]] * 4


@pytest.mark.parametrize(
    "value",
    [
        (),
        ((),),
        (1, "a", None, True, b"a", 1.5),
        ((1, 2, (3, "four")), ("five", 6.5)),
        (((((1,),),),),),
        ((((((1,),),),),),),
        ((1,) * 8, (1,) * 9),
        (0.0, (-0.0, (math.nan,))),
        (1j, ((2, frozenset({3})),)),
        ((1, 2), (1, 2)),
    ],
    ids=repr,
)
def test_a_tuple_has_the_same_key_by_the_short_way_and_the_long(value):
    by_the_long_way = keys._Keyer().key(value)
    assert exact_key(value) == by_the_long_way
    assert hash(exact_key(value)) == hash(by_the_long_way)


def test_the_short_way_ends_where_tuples_are_shared_without_end():
    value = (1, 2)
    for _ in range(60):
        value = (value, value)
    assert exact_key(value) == exact_key(value)
