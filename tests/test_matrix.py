"""What each kind of class must keep of itself when it is interned, and what it must gain.

One table of targets (`targets.py`), one list of checks.
"""

import contextlib
import copy
import dataclasses
import gc
import inspect
import pickle
import sys
import typing
import weakref
from unittest import mock

import attrs
import pytest

from interned import interned, interner
from tests.targets import TARGETS, call

OPTIONS = {
    "bare": {},
    "retained": {"maxsize": 100},
    "timed": {"ttl": 1000},
    "for ever": {"weak": False},
    "strong": {"weak": False, "maxsize": 100},
    "counted": {"info": True},
}
AGAIN = [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
HERE = sys.modules[__name__]


@pytest.fixture(params=TARGETS)
def row(request):
    return TARGETS[request.param]


def rows_that(wanted):
    """Takes those rows to which a check applies."""
    return pytest.mark.parametrize(
        "row", [name for name, row in TARGETS.items() if wanted(row)], indirect=True
    )


@pytest.fixture
def named(monkeypatch):
    """Makes a class that pickle finds by name in this module."""

    def make(row, cls=None):
        cls = cls or row.make()
        name = "pickled_" + cls.__name__
        cls.__qualname__ = cls.__name__ = name
        cls.__module__ = __name__
        monkeypatch.setattr(HERE, name, cls, raising=False)
        return cls

    return make


@pytest.fixture
def twins(row, named):
    """Makes a decorated class and its undecorated twin of the same name."""
    undecorated = named(row)
    # The first construction lets implementers of protocols show their real `__init__`.
    row.same[0](undecorated)
    return named(row), undecorated


def outcome(function, *args):
    """Says what a function gives or raises, in terms that twins have in common."""
    try:
        return "gives", function(*args)
    except Exception as error:
        return "raises", type(error)


def values(row, cls):
    """Builds one instance of each value."""
    return [one(cls) for one in (row.same[0], *row.others)]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_each_spelling_of_a_value_gives_one_object(row, options):
    cls = interned(**options)(row.make())
    kept = row.same[0](cls)
    for _ in range(2):
        assert {id(spelled(cls)) for spelled in row.same} == {id(kept)}
    others = [one(cls) for one in row.others]
    assert all(type(one) is cls for one in (kept, *others))
    assert len({id(one) for one in (kept, *others)}) == 1 + len(others)
    assert [one(cls) for one in row.others] == others
    assert all(one(cls) is other for one, other in zip(row.others, others, strict=True))


def test_the_class_is_the_same_class_and_looks_the_same(row, twins):
    cls, twin = twins
    before, bases, doc = set(vars(cls)), cls.__mro__, cls.__doc__
    assert interned(cls) is cls
    row.same[0](cls)
    assert cls.__mro__ == bases
    assert cls.__doc__ == doc
    new = set(vars(cls)) - before - {"__interner__"}
    assert all(name.startswith("__") and name.endswith("__") for name in new)
    for read in (
        inspect.signature,
        lambda one: inspect.signature(one.__init__),
        lambda one: inspect.signature(one.__new__) if "__new__" in vars(twin) else None,
        lambda one: one.__match_args__,
        lambda one: one.__annotations__,
        lambda one: one.__init__.__doc__,
        lambda one: one.__init__.__qualname__.rpartition(".")[2],
        lambda one: typing.get_type_hints(one.__init__),
        lambda one: [(f.name, f.type) for f in dataclasses.fields(one)],
        lambda one: [(f.name, f.alias) for f in attrs.fields(one)],
        lambda one: hasattr(one, "__reduce__"),
        lambda one: one.__hash__ is None,
    ):
        expected = outcome(read, twin)
        # Some built-in constructors have no signature that `inspect` could tell.
        if expected != ("raises", ValueError):
            assert str(outcome(read, cls)) == str(expected)


def test_isinstance_and_issubclass(row):
    cls = row.make()
    bases = [base for base in cls.__mro__ if not getattr(base, "_is_protocol", False)]
    one = row.same[0](interned(cls))
    assert all(isinstance(one, base) and issubclass(cls, base) for base in bases)
    assert type(one) is cls is one.__class__


def test_instances_answer_as_undecorated(row, twins):
    cls, twin = twins
    ours, theirs = values(row, interned(cls)), values(row, twin)
    by_value = twin.__eq__ is not object.__eq__
    for one, other in zip(ours, theirs, strict=True):
        if "object at 0x" not in repr(other):
            assert repr(one) == repr(other)
        if by_value and twin.__hash__ is not None:
            assert hash(one) == hash(other) == hash(one)
        for read in (dataclasses.asdict, dataclasses.astuple, attrs.asdict, str):
            if read is not str or "object at 0x" not in str(other):
                assert outcome(read, one) == outcome(read, other)
    for i, one in enumerate(ours):
        for j, other in enumerate(ours):
            assert (one == other) is (theirs[i] == theirs[j])
            assert outcome(lambda a, b: a < b, one, other) == outcome(
                lambda a, b: a < b, theirs[i], theirs[j]
            )


CONSTRUCTING = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "__attrs_pre_init__")


def constructor_codes(cls):
    """Finds the code of every function that takes part in constructing."""
    found = (
        vars(base)[name] for base in cls.__mro__ for name in CONSTRUCTING if name in vars(base)
    )
    functions = (getattr(function, "__func__", function) for function in found)
    return {function.__code__ for function in functions if inspect.isfunction(function)}


@rows_that(lambda row: "factory" not in row.make.__name__)
def test_a_hit_runs_no_constructor_code(row):
    cls = row.make()
    codes = constructor_codes(cls)
    spelled = row.same[0]
    kept = spelled(interned(cls))
    seen = []

    def watch(frame, event, arg):
        if event == "call":
            seen.append(frame.f_code)

    sys.setprofile(watch)
    try:
        again = spelled(cls)
    finally:
        sys.setprofile(None)
    assert again is kept
    assert not codes.intersection(seen)
    assert any(code.co_filename.startswith("<interned generated") for code in seen)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_copies_and_pickles_land_on_the_canonical_object(row, named, options):
    cls = interned(**options)(named(row))
    for kept in values(row, cls):
        assert copy.copy(kept) is kept
        assert copy.deepcopy(kept) is kept
        assert copy.deepcopy([kept, {"k": kept}])[1]["k"] is kept
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(kept, protocol)) is kept
            both = pickle.loads(pickle.dumps((kept, [kept]), protocol))
            assert both[0] is both[1][0] is kept


def test_a_pickle_makes_the_value_anew_where_it_is_not_alive(row, named, twins):
    cls, undecorated = twins
    theirs = repr(row.same[0](undecorated))
    data = pickle.dumps(row.same[0](interned(cls)))
    assert len(interner(cls).table) == 0
    again = pickle.loads(data)
    assert row.same[0](cls) is again
    if "object at 0x" not in theirs:
        assert repr(again) == theirs


@rows_that(lambda row: row.changes is not None)
def test_replacing_gives_the_canonical_object(row):
    cls = interned(row.make())
    one = row.same[0](cls)
    ways = [attrs.evolve if attrs.has(cls) else dataclasses.replace]
    if sys.version_info >= (3, 13) and hasattr(cls, "__replace__"):
        ways.append(copy.replace)
    for replace in ways:
        other = replace(one, **row.changes)
        assert other is not one
        assert replace(one, **row.changes) is other
        assert type(other) is cls
        assert interner(cls).is_canonical(other)
        assert replace(one) is one


def test_wrong_calls_are_refused_as_undecorated_and_leave_nothing(row, twins):
    cls, twin = twins
    interned(cls)
    for _ in range(2):
        for wrong in row.wrong:
            expected, got = outcome(wrong, twin), outcome(wrong, cls)
            assert got[0] == expected[0] == "raises"
            assert got[1] is expected[1]
    assert len(interner(cls).table) == 0


def test_instances_die_by_reference_count_and_their_entries_with_them(row):
    cls = interned(row.make())
    table = interner(cls).table
    gc.disable()
    try:
        kept = values(row, cls)
        for spelled in row.same:
            spelled(cls)
        with contextlib.suppress(TypeError):
            set(kept)
        references = [weakref.ref(one) for one in kept]
        del kept
        assert [reference() for reference in references] == [None] * len(references)
    finally:
        gc.enable()
    assert len(table) == 0
    assert not table.flat
    assert not table.exact


def test_an_instance_made_by_hand_is_nobody_elses(row, twins):
    cls, twin = twins
    interned(cls)

    def make(one):
        made = one.__new__(one) if one.__new__ is object.__new__ else object.__new__(one)
        one.__init__(made, *row.same[0].args, **row.same[0].kwargs)
        return made

    expected, got = outcome(make, twin), outcome(make, cls)
    assert got[0] == expected[0]
    if got[0] == "gives":
        made, kept = got[1], row.same[0](cls)
        assert made is not kept
        assert not interner(cls).is_canonical(made)
        assert (made == kept) is (expected[1] == row.same[0](twin))
        assert outcome(vars, made) == outcome(vars, expected[1])


@pytest.mark.parametrize("again", AGAIN)
def test_a_copy_of_an_instance_made_by_hand_lands_on_the_canonical_object(row, twins, again):
    cls, twin = twins
    kept = row.same[0](interned(cls))

    def copied(one):
        made = object.__new__(one)
        one.__init__(made, *row.same[0].args, **row.same[0].kwargs)
        return again(made)

    expected, got = outcome(copied, twin), outcome(copied, cls)
    if expected[0] == "gives":
        assert type(got[1]) is cls
        assert got[1] is kept or not interner(cls).by_fields
    assert kept is row.same[0](cls)


def test_autospec_accepts_what_the_class_accepts(row, twins):
    cls, twin = twins
    interned(cls)
    for spelled in (*row.same, *row.wrong):
        assert (
            outcome(spelled, mock.create_autospec(cls))[0]
            == (outcome(spelled, mock.create_autospec(twin))[0])
        )


class Recorder:
    """A base with a `__new__` and an `__init__` of its own, to inherit from as well."""

    def __new__(cls, *args, **kwargs):
        made = object.__new__(cls)
        object.__setattr__(made, "given", (args, kwargs))
        return made

    def __init__(self):
        object.__setattr__(self, "recorded", True)


def with_other_arguments(cls, one):
    class Sub(cls):
        def __init__(self, first, *rest, key=None, **more):
            super().__init__(*one.args, **one.kwargs)
            object.__setattr__(self, "extra", (first, rest, key, more))

    return [
        (*(sub := make(Sub)).extra, repr(sub).partition(" at ")[0])
        for make in (
            call("a"),
            call("a", "b", "c", key=1),
            call(first=3, x=4, other=5),
            call(*"abcdefgh"),
        )
    ]


def with_the_same_arguments(cls, one):
    class Sub(cls):
        pass

    sub, again = one(Sub), one(Sub)
    assert sub is not again
    return repr(sub).partition(" at ")[0], type(sub) is Sub, outcome(vars, sub)


def without_calling_super(cls, one):
    class Sub(cls):
        def __init__(self):
            pass

    return type(Sub()) is Sub


def with_own_new(cls, one):
    class Sub(cls):
        def __new__(cls, *args, **kwargs):
            made = super().__new__(cls, *args, **kwargs)
            object.__setattr__(made, "extra", 1)
            return made

    return one(Sub).extra


def with_own_new_that_passes_nothing(cls, one):
    class Sub(cls):
        def __new__(cls, *args, **kwargs):
            return super().__new__(cls)

    return repr(one(Sub)).partition(" at ")[0]


def with_a_second_base_after(cls, one):
    class Sub(cls, Recorder):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            Recorder.__init__(self)

    sub = one(Sub)
    return sub.given, sub.recorded


def with_a_second_base_before(cls, one):
    class Sub(Recorder, cls):
        def __init__(self, *args, **kwargs):
            super().__init__()
            cls.__init__(self, *args, **kwargs)

    sub = one(Sub)
    return sub.given, sub.recorded


def with_initialisers_in_cooperation(cls, one):
    class Before:
        def __init__(self, *args, before, **kwargs):
            super().__init__(*args, **kwargs)
            object.__setattr__(self, "before", before)

    class Sub(Before, cls):
        pass

    return Sub(*one.args, before=3, **one.kwargs).before


def with_class_keywords(cls, one):
    class Other:
        def __init_subclass__(cls, mark=None, **kwargs):
            super().__init_subclass__(**kwargs)
            cls.mark = mark

    class Sub(cls, Other, mark=3):
        pass

    return Sub.mark, repr(one(Sub)).partition(" at ")[0]


def with_generic_alias(cls, one):
    class Sub(cls):
        pass

    made = Sub[int](*one.args, **one.kwargs)
    return made.__orig_class__ == Sub[int]


SUBCLASSES = [
    with_other_arguments,
    with_the_same_arguments,
    without_calling_super,
    with_own_new,
    with_own_new_that_passes_nothing,
    with_a_second_base_after,
    with_a_second_base_before,
    with_initialisers_in_cooperation,
    with_class_keywords,
    with_generic_alias,
]


def test_an_undecorated_subclass_works_as_if_nothing_were_decorated(row):
    twin = row.make()
    cls = interned(row.make())
    kept = row.same[0](cls)
    for scenario in SUBCLASSES:
        expected, got = outcome(scenario, twin, row.same[0]), outcome(scenario, cls, row.same[0])
        # Where `object.__new__` would refuse arguments, a `__new__` of ours may ignore them.
        assert got == expected or expected[0] == "raises", scenario.__name__
        assert all(spelled(cls) is kept for spelled in row.same), scenario.__name__
    assert len(interner(cls).table) == 1


@pytest.mark.parametrize("again", AGAIN)
def test_a_subclass_pickles_and_copies_as_undecorated(row, named, again):
    def copied(cls):
        sub = named(row, type(cls)("Sub", (cls,), {}))
        one = row.same[0](sub)
        made = again(one)
        assert type(made) is sub
        assert made is not one
        return repr(made).partition(" at ")[0], list(getattr(made, "__dict__", ()))

    expected = outcome(copied, row.make())
    assert outcome(copied, interned(row.make())) == expected


def test_a_decorated_subclass_has_its_own_table(row):
    cls = interned(row.make())
    kept = row.same[0](cls)

    @interned
    class Sub(cls):
        pass

    one = row.same[0](Sub)
    assert type(one) is Sub
    assert row.same[-1](Sub) is one
    assert row.same[-1](cls) is kept
    assert interner(Sub) is not interner(cls)
    assert len(interner(Sub).table) == len(interner(cls).table) == 1


def test_the_classes_are_collectable():
    gone = []
    for name, row in TARGETS.items():
        cls = interned(row.make())
        values(row, cls)
        gone.append((name, weakref.ref(cls)))
    del cls
    gc.collect()
    assert [name for name, reference in gone if reference() is not None] == []
