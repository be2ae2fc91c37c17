import dataclasses
import json
import typing
import weakref
from dataclasses import asdict, dataclass

import attrs
import pytest

from interned import CachedSerialization
from interned.forms import Form
from interned.frozen import FrozenDict
from interned.immutability import Uncacheable
from interned.reading import Mappings, Patchwork, Texts


@dataclass(frozen=True)
class Node(CachedSerialization):
    left: object
    right: object = None


@dataclass(frozen=True)
class Held(CachedSerialization, maxsize=1):
    left: object
    right: object = None


@dataclass
class Loose(CachedSerialization):
    held: object
    more: object = None


@dataclass(frozen=True)
class Promising(CachedSerialization, assume_immutable=True):
    held: object


@attrs.frozen
class Spec(CachedSerialization):
    held: object


class Pair(typing.NamedTuple):
    left: object
    right: object


def mapping(instance):
    return Mappings(CachedSerialization).read(instance)


def text(instance):
    return Texts(CachedSerialization).read(instance)


def patched(instance):
    patchwork = Patchwork(CachedSerialization)
    return patchwork.encode(patchwork.tree(instance))


def graph(cls, depth):
    """A graph of `depth + 1` parts with `2 ** depth` paths."""
    part = cls("leaf")
    for _ in range(depth):
        part = cls(part, part)
    return part


@pytest.mark.parametrize("cls", [Node, Held])
def test_a_shared_graph_costs_one_pass_over_its_parts(cls):
    # A walk along each path would not end before the sun does.
    top = graph(cls, 200)
    found = mapping(top)
    for _ in range(200):
        assert found["left"] is found["right"]
        found = found["left"]
    assert found == {"left": "leaf", "right": None}


@pytest.mark.parametrize("cls", [Node, Held])
def test_the_text_of_a_shared_graph_is_joined(cls):
    top = graph(cls, 8)
    assert text(top) == json.dumps(asdict(top))


def test_parts_share_their_forms_with_whatever_holds_them():
    part = Node(1, (2,))
    first, second = mapping(Node(part)), mapping(Node((0, Pair(part, 1))))
    assert first["left"] is mapping(part)
    assert second["left"][1].left is mapping(part)


def test_the_promise_of_a_part_is_its_own():
    assert mapping(Node(Promising([1]))) == {"left": {"held": [1]}, "right": None}
    with pytest.raises(Uncacheable):
        mapping(Promising(Node([1])))


def test_a_part_of_the_other_library_is_a_leaf_to_this_one():
    for instance in (Node(Spec(1)), Spec(Node(1))):
        with pytest.raises(Uncacheable):
            mapping(instance)


def test_a_part_of_both_libraries_is_what_it_is_to_the_whole():
    both = attrs.make_class("Both", {"more": attrs.field()}, bases=(Node,), frozen=True)
    part = both(more=3)
    object.__setattr__(part, "left", 1)
    assert mapping(part) == {"more": 3}
    assert (
        mapping(Promising(part)) == asdict(Promising(part)) == {"held": {"left": 1, "right": None}}
    )


def test_a_form_stays_within_reach_when_others_refer_to_the_instance():
    node = Node(1)
    first = mapping(node)
    others = [weakref.ref(node, print), weakref.ref(node, repr)]
    assert type(weakref.getweakrefs(node)[0]) is weakref.ref
    assert mapping(node) is first
    assert isinstance(weakref.getweakrefs(node)[0], Form)
    assert others


def test_a_part_that_may_change_keeps_the_whole_from_being_cached():
    for part in (Loose(1), Node([1]), [1]):
        with pytest.raises(Uncacheable):
            mapping(Node((1, part)))
        with pytest.raises(Uncacheable):
            text(Node((1, part)))


def test_the_whole_may_change_where_its_parts_cannot():
    loose = Loose(Node(1))
    first = mapping(loose)
    assert mapping(loose) is first
    loose.held = Node(2)
    assert mapping(loose) == {"held": {"left": 2, "right": None}, "more": None}


def test_dict_and_text_are_members_of_one_form():
    node = Node(1)
    mapping(node)
    text(node)
    assert len(weakref.getweakrefs(node)) == 1


@pytest.mark.parametrize("width", [1, 2])
def test_what_is_nested_too_deep_is_left_to_asdict(width):
    node = Node("leaf")
    for _ in range(2_000):
        node = Node(*[node] * width)
    with pytest.raises(RecursionError):
        mapping(node)


def test_a_cycle_is_left_to_asdict():
    node = Node(1)
    object.__setattr__(node, "left", (node,))
    with pytest.raises(RecursionError):
        mapping(node)


@pytest.mark.parametrize("depth", [20, 100])
def test_parts_that_cannot_be_cached_are_tried_once(depth, monkeypatch):
    tried, make = [], Texts._make
    monkeypatch.setattr(Texts, "_make", lambda *args: tried.append(1) or make(*args))
    whole = Node([])
    for _ in range(depth):
        whole = Node(whole)
    assert patched(whole) == json.dumps(asdict(whole))
    # Twice, where a part that is deep was read first.
    assert len(tried) <= 2 * depth


@pytest.mark.parametrize(
    "instance",
    [
        Loose([Node(1), {"k": (Node(2), Node([3]))}], Loose(Pair(1, Node(4)))),
        Loose({1: Node(1), "1": Node(2)}),
        Spec([Spec(1), {"k": (Spec(2), Spec([3]))}]),
    ],
)
def test_a_patchwork_is_encoded_as_json_does(instance):
    expected = json.dumps((attrs if type(instance) is Spec else dataclasses).asdict(instance))
    for _ in range(2):
        assert patched(instance) == expected


def test_what_plainly_may_change_is_told_without_looking_deep(monkeypatch):
    @dataclass
    class Doubted(CachedSerialization):
        held: object

    def attempt(held):
        return Mappings(CachedSerialization).attempt(Doubted(held))

    tried, make = [], Mappings._make
    monkeypatch.setattr(Mappings, "_make", lambda *args: tried.append(1) or make(*args))
    assert [attempt([]), attempt({}), attempt(1), attempt(([],))] == [None, None, {"held": 1}, None]
    assert len(tried) == 3


def test_a_mapping_is_read_only_all_the_way_down():
    found = mapping(Promising({"a": [Node(1)]}))
    assert type(found) is type(found["held"]) is type(found["held"]["a"][0]) is FrozenDict
