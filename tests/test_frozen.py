import copy
import json
import operator
import pickle
import typing

import pytest

from interned.frozen import FrozenDict, FrozenList, alike, frozen_dict, frozen_list, thaw

# Every name of `dict` and `list` is in one of these, so a method that a new Python adds is noticed.
INERT = {name for name in dir(object) if name not in ("__init__", "__setattr__")}
READING = INERT | {
    *("__contains__", "__getitem__", "__iter__", "__len__", "__reversed__", "__class_getitem__"),
    *("copy", "__or__", "__ror__", "fromkeys", "get", "items", "keys", "values"),
    *("__add__", "__mul__", "__rmul__", "count", "index"),
}
CHANGES = {
    FrozenDict: {
        "__delitem__": ("a",),
        "__init__": ({"a": 0},),
        "__ior__": ({"b": 1},),
        "__setitem__": ("a", 0),
        "clear": (),
        "pop": ("a",),
        "popitem": (),
        "setdefault": ("a", 0),
        "update": ({"a": 0},),
    },
    FrozenList: {
        "__delitem__": (0,),
        "__iadd__": ([0],),
        "__imul__": (2,),
        "__init__": ([0],),
        "__setitem__": (0, 0),
        "append": (0,),
        "clear": (),
        "extend": ([0],),
        "insert": (0, 0),
        "pop": (),
        "remove": (1,),
        "reverse": (),
        "sort": (),
    },
}
PLAIN = {FrozenDict: {"a": 1}, FrozenList: [1]}
MADE = {FrozenDict: frozen_dict, FrozenList: frozen_list}


@pytest.fixture(params=[FrozenDict, FrozenList])
def kind(request):
    return request.param


@pytest.fixture
def plain(kind):
    return PLAIN[kind]


@pytest.fixture
def frozen(kind, plain):
    return MADE[kind](plain)


def test_every_method_is_known(kind, plain):
    assert set(dir(plain)) - READING == {*CHANGES[kind], "__setattr__"}


@pytest.mark.parametrize(
    ("kind", "name", "args"),
    [(kind, *change) for kind, changes in CHANGES.items() for change in changes.items()],
    indirect=["kind"],
)
def test_change_is_refused_and_the_remedy_named(frozen, plain, name, args):
    with pytest.raises(TypeError, match=r"read-only; edit a copy: `to_dict\(\)`"):
        getattr(frozen, name)(*args)
    assert frozen == plain


def test_operators_that_change_are_refused():
    mapping, sequence = frozen_dict({"a": 1}), frozen_list([1])
    with pytest.raises(TypeError, match="to_dict"):
        mapping |= {"b": 2}
    with pytest.raises(TypeError, match="to_dict"):
        del mapping["a"]
    with pytest.raises(TypeError, match="to_dict"):
        sequence += [2]
    with pytest.raises(TypeError, match="to_dict"):
        sequence *= 2
    with pytest.raises(TypeError, match="to_dict"):
        sequence[:] = []
    assert (mapping, sequence) == ({"a": 1}, [1])


def test_the_class_cannot_be_swapped_for_one_that_changes(frozen, kind):
    class Open(kind.__mro__[2]):
        __slots__ = ()

    for name, value in {"__class__": Open, "extra": 1}.items():
        with pytest.raises(TypeError, match="read-only"):
            setattr(frozen, name, value)


def test_it_is_what_it_stands_for(frozen, plain):
    assert isinstance(frozen, type(plain))
    assert frozen == plain
    assert plain == frozen
    assert repr(frozen) == repr(plain)
    assert json.dumps(frozen) == json.dumps(plain)
    with pytest.raises(TypeError, match="unhashable"):
        hash(frozen)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_plain(frozen, plain, protocol):
    again = pickle.loads(pickle.dumps(frozen, protocol))
    assert again == plain
    assert type(again) is type(plain)


@pytest.mark.parametrize(
    "remake",
    [
        copy.copy,
        copy.deepcopy,
        lambda form: form.copy(),
        lambda form: type(form)(form),
        lambda form: form | {} if isinstance(form, dict) else operator.add(form, []),
        lambda form: {} | form if isinstance(form, dict) else operator.add([], form),
        lambda form: type(form).fromkeys(form, 1) if isinstance(form, dict) else form[:],
        lambda form: type(form)(**form) if isinstance(form, dict) else form * 1,
    ],
)
def test_what_is_made_of_it_is_plain(frozen, plain, remake):
    made = remake(frozen)
    assert made == plain
    assert type(made) is type(plain)


class Pair(typing.NamedTuple):
    left: object
    right: object


def nested():
    shared = frozen_dict({"list": frozen_list([1, (2,)])})
    return frozen_dict({"a": shared, "b": (shared, 3), "c": Pair(shared, ())})


@pytest.mark.parametrize("remake", [thaw, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_a_deep_copy_is_plain_all_the_way_down_and_has_no_aliases(remake):
    made = remake(nested())
    assert made == nested()
    parts = [made["a"], made["b"][0], made["c"].left]
    assert type(made["c"]) is Pair
    assert [type(part) for part in parts] == [dict] * 3
    assert [type(part["list"]) for part in parts] == [list] * 3
    for part in parts:
        part["list"].append(4)
        part["more"] = 5
    assert [len(part["list"]) for part in parts] == [3, 3, 3]
    assert nested()["a"]["list"] == [1, (2,)]


def test_a_shallow_copy_shares_what_is_read_only():
    form = nested()
    assert copy.copy(form)["a"] is form["a"]


def test_what_does_not_change_is_not_copied():
    pair = Pair(1, (2, 3))
    assert thaw(pair) is pair


def test_two_deep_copies_in_one_go_are_one():
    form = nested()
    first, second = copy.deepcopy([form, form])
    assert first is second


NAN = float("nan")


@pytest.mark.parametrize(
    ("form", "plain", "expected"),
    [
        (frozen_dict({"a": 1}), {"a": 1}, True),
        (frozen_dict({"a": 1}), {"a": True}, False),
        (frozen_dict({1: 1}), {True: 1}, False),
        (frozen_dict({"a": 1, "b": 2}), {"b": 2, "a": 1}, False),
        (frozen_dict({"a": 1}), {"a": 1, "b": 2}, False),
        (frozen_list([1]), [1], True),
        (frozen_list([1]), [1.0], False),
        (frozen_list([1]), (1,), False),
        (frozen_list([0.0]), [-0.0], False),
        (frozen_list([NAN]), [float("nan")], True),
        ((frozen_list([]),), ([],), True),
        ((1, 2), (1, 2, 3), False),
        (Pair(1, 2), Pair(1, 2), True),
        (Pair(1, 2), (1, 2), False),
        (frozenset([1, "a"]), frozenset(["a", 1]), True),
        (frozenset([1]), frozenset([2]), False),
    ],
)
def test_alike_tells_apart_what_a_reader_could(form, plain, expected):
    assert alike(form, plain) is expected
