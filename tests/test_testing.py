"""What users run on their classes passes where the laws hold, and says which one does not."""

import threading
from dataclasses import dataclass, field
from uuid import uuid4

import attrs
import hypothesis
import pytest
from cachetools import LFUCache
from hypothesis import strategies as st

from interned import CachedSerialization, interned, interner
from interned.testing import check_interning, check_serialization, isolated, why_uncached

pytest_plugins = ["pytester"]

FEW = hypothesis.settings(max_examples=20, deadline=None)
numbers = st.integers(0, 3) | st.booleans() | st.sampled_from((0.0, 1.0, (1,), (True,)))


@interned
@dataclass(frozen=True)
class Point:
    x: object
    y: object = 0


@interned
@attrs.frozen
class Port:
    number: int = attrs.field(converter=int)


@interned
class Link:
    def __init__(self, host, port=22):
        self.host = host
        self.port = port
        self.log = []


@interned
@dataclass(frozen=True)
class Ticket:
    name: str
    number: object = field(default_factory=uuid4)


@interned(maxsize=2, info=True)
@dataclass(frozen=True, slots=True, weakref_slot=True)
class Recent:
    x: object


@interned(weak=False, maxsize=2)
@dataclass(frozen=True)
class Strong:
    x: object


@interned(cache=lambda: LFUCache(2))
@dataclass(frozen=True)
class ByPolicy:
    x: object


GOOD = {
    Point: {"x": numbers, "y": numbers},
    Port: {"number": st.integers(0, 3) | st.sampled_from(("1", 1.5))},
    Link: {"host": st.sampled_from("ab"), "port": numbers},
    Ticket: {"name": st.sampled_from("ab")},
    Recent: {"x": numbers},
    Strong: {"x": numbers},
    ByPolicy: {"x": numbers},
}
EACH = pytest.mark.parametrize(("cls", "arguments"), GOOD.items(), ids=lambda v: str(v)[:20])


@EACH
def test_a_good_class_passes_by_its_instances(cls, arguments):
    check_interning(cls, st.builds(cls, **arguments), settings=FEW)


@EACH
def test_a_good_class_passes_by_its_arguments(cls, arguments):
    check_interning(cls, st.fixed_dictionaries(arguments), settings=FEW)


def test_without_settings_those_of_hypothesis_are_taken():
    check_interning(Point, st.builds(Point, numbers))


def test_constants_pass():
    constants = [Point("red"), Point("green", (Point("red"),))]
    check_interning(Point, st.sampled_from(constants), settings=FEW)


def broken(**replaced):
    """Returns an interned class some of whose methods were replaced by bad ones."""

    @interned
    @dataclass(frozen=True)
    class Broken:
        x: object

    for name, method in replaced.items():
        setattr(Broken, name, method)
    return Broken


def blank(cls, x):
    """Makes an instance past the library."""
    made = object.__new__(cls)
    object.__setattr__(made, "x", x)
    return made


@interned
@dataclass(frozen=True)
class BadPickle:
    x: object


BadPickle.__reduce_ex__ = lambda self, protocol: (blank, (BadPickle, self.x))


def in_main_thread():
    return threading.current_thread() is threading.main_thread()


def one_per_thread(cls):
    original = cls.__new__

    def new(cls, x):
        return original(cls, x) if in_main_thread() else blank(cls, x)

    cls.__new__ = new
    return cls


def growing(cls):
    original = cls.__new__

    def new(cls, x):
        made = original(cls, x)
        if hasattr(made, "x"):
            object.__setattr__(made, "x", (made.x,))
        return made

    cls.__new__ = new
    return cls


def hoarding():
    hoard = []

    @interned
    @dataclass(frozen=True)
    class Hoarded:
        x: object

        def __post_init__(self):
            hoard.append(self)

    return Hoarded


BAD = {
    "L1": broken(__new__=blank),
    "copy.*L3": broken(__copy__=lambda self: blank(type(self), self.x)),
    "pickle.*L3": BadPickle,
    "L4": hoarding(),
    "L6": growing(broken()),
    "L9": one_per_thread(broken()),
}


@pytest.mark.parametrize(("law", "cls"), BAD.items(), ids=BAD)
def test_a_broken_law_is_named(law, cls):
    with pytest.raises(AssertionError, match=law):
        check_interning(cls, st.fixed_dictionaries({"x": st.just(5)}), settings=FEW)


def test_two_objects_of_one_value_are_found():
    cls = broken()
    strangers = [blank(cls, 5), blank(cls, 5)]
    with pytest.raises(AssertionError, match="L1"):
        check_interning(cls, st.sampled_from(strangers), settings=FEW)


def test_a_plain_class_that_makes_two_objects_is_found():
    @interned
    class Bare:
        def __init__(self, x):
            self.x = x

    original = Bare.__new__
    spare = []

    def new(cls, x):
        # Every second construction gets out of sight of the first.
        if spare:
            interner(Bare).set_aside()
        spare.append(1)
        return original(cls, x)

    Bare.__new__ = new
    with pytest.raises(AssertionError, match="L1"):
        check_interning(Bare, st.fixed_dictionaries({"x": st.just(5)}), settings=FEW)


@pytest.mark.parametrize("made", [5, {"y": 1}, Port(1)], ids=str)
def test_a_strategy_of_something_else_is_refused(made):
    with pytest.raises(TypeError):
        check_interning(Link, st.just(made), settings=FEW)


def test_a_class_that_is_not_decorated_is_refused():
    class Undecorated:
        pass

    with pytest.raises(TypeError, match="not decorated"):
        check_interning(Undecorated, st.builds(Undecorated), settings=FEW)


# Serialization.


@dataclass(frozen=True)
class Mesh(CachedSerialization):
    name: str
    axes: object = ()


@interned
@attrs.frozen
class Spec(CachedSerialization):
    mesh: Mesh
    options: object = None


@dataclass
class Loose(CachedSerialization):
    value: object


@dataclass(frozen=True)
class Bounded(CachedSerialization, maxsize=1):
    value: object


leaves = numbers | st.sampled_from((None, "é", float("nan"), 1e300, b"raw", 1 + 2j))
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.sampled_from(("a", 1, None, (1,))), inner, max_size=2)
    ),
    max_leaves=4,
)
meshes = st.builds(Mesh, st.text(max_size=2), trees)


@pytest.mark.parametrize(
    ("cls", "strategy"),
    [
        (Mesh, meshes),
        (Mesh, st.fixed_dictionaries({"name": st.text(max_size=2), "axes": leaves})),
        (Spec, st.builds(Spec, st.builds(Mesh, st.sampled_from("ab")), leaves)),
        (Loose, st.builds(Loose, trees)),
        (Bounded, st.builds(Bounded, leaves)),
    ],
)
def test_a_good_class_passes_for_its_forms(cls, strategy):
    check_serialization(cls, strategy)


def unlike(**replaced):
    @dataclass(frozen=True)
    class Unlike(CachedSerialization):
        x: object

    for name, member in replaced.items():
        setattr(Unlike, name, member)
    return Unlike


def marking(self):
    object.__setattr__(self, "mark", 1)
    return '{"x": 5}'


BAD_FORMS = {
    "dict wrong": ("S1", unlike(as_serialized_dict=property(lambda self: {"x": 5.0}))),
    "copy wrong": ("S1", unlike(to_dict=lambda self: {"x": True})),
    "text wrong": ("S1", unlike(to_json=lambda self, **options: '{"x":5}')),
    "property wrong": ("S1", unlike(as_serialized_json=property(lambda self: "{}"))),
    "bytes wrong": ("S1", unlike(to_json_bytes=lambda self, **options: b"")),
    "may change": ("S3", unlike(as_serialized_dict=property(lambda self: {"x": 5}))),
    "aliases": ("S3", unlike(to_dict=lambda self: vars(self).setdefault("one", {"x": 5}))),
    "shows": ("S4", unlike(as_serialized_json=property(marking))),
}


@pytest.mark.parametrize(("law", "cls"), BAD_FORMS.values(), ids=BAD_FORMS)
def test_a_broken_law_of_forms_is_named(law, cls):
    with pytest.raises(AssertionError, match=law):
        check_serialization(cls, st.builds(cls, st.just(5)), settings=FEW)


def test_a_class_without_a_form_is_refused():
    with pytest.raises(TypeError, match="CachedSerialization"):
        check_serialization(Point, st.builds(Point, numbers), settings=FEW)


def test_a_strategy_of_other_instances_is_refused():
    with pytest.raises(TypeError, match="Mesh"):
        check_serialization(Mesh, st.builds(Loose, numbers), settings=FEW)


def test_the_reason_why_a_form_is_not_cached_can_be_asked_for_here():
    assert why_uncached(Mesh("m", axes=([],))) == "`Mesh.axes[0]` is a list"
    assert why_uncached(Mesh("m")) is None


# Isolation.


@interned
def computed(x):
    return [x]


def test_nothing_from_outside_is_known_inside_nor_the_other_way_round():
    outside, result = Point("isolated"), computed("isolated")
    recent = Recent("isolated")
    with isolated():
        assert interner(Point).cache_info().currsize == 0
        assert interner(Recent).cache_stats().retained == 0
        inside = Point("isolated")
        assert inside is not outside
        assert Point("isolated") is inside
        assert Recent("isolated") is not recent
        assert computed("isolated") is not result
        assert computed.cache_info()[:2] == (0, 1)
    assert Point("isolated") is outside is not inside
    assert Recent("isolated") is recent
    assert computed("isolated") is result


def test_isolation_nests_and_ends_with_an_exception():
    outside = Point("nested")

    def nest():
        with isolated():
            inside = Point("nested")
            with isolated():
                assert Point("nested") is not inside
            assert Point("nested") is inside
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nest()
    assert Point("nested") is outside


def test_isolation_holds_for_all_threads():
    outside, made = Point("threads"), []
    with isolated():
        thread = threading.Thread(target=lambda: made.append(Point("threads")))
        thread.start()
        thread.join(10)
        assert made == [Point("threads")]
        assert made[0] is Point("threads") is not outside


def test_what_dies_inside_is_gone_outside():
    before = interner(Point).cache_info().currsize
    outside = Point("dies")
    entries = len(interner(Point).table.flat)
    with isolated():
        del outside
    assert interner(Point).cache_info().currsize == before
    assert len(interner(Point).table.flat) == entries - 1


def test_a_class_decorated_inside_stays_interned():
    with isolated():

        @interned
        @dataclass(frozen=True)
        class Local:
            x: int

        made = Local(1)
    assert Local(1) is made


PLUGIN_TESTS = """
from dataclasses import dataclass
from interned import interned, interner

@interned(maxsize=None)
@dataclass(frozen=True)
class Kept:
    x: int

def test_one(isolated_interners):
    Kept(1)
    assert interner(Kept).cache_info().currsize == 1

def test_other(isolated_interners):
    assert interner(Kept).cache_info().currsize == 0
"""


@pytest.mark.parametrize(
    ("arguments", "conftest"),
    [(["-p", "interned.testing"], ""), ([], "pytest_plugins = ['interned.testing']\n")],
    ids=["option", "conftest"],
)
def test_as_a_plugin_it_offers_a_fixture(arguments, conftest, pytester):
    pytester.makepyfile(PLUGIN_TESTS)
    pytester.makeconftest(conftest)
    pytester.runpytest_inprocess(*arguments).assert_outcomes(passed=2)
