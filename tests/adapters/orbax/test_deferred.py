"""Objects handed out: whatever is done to one, it behaves as a stock object does."""

import copy
import dataclasses
import gc
import pickle
import threading
import weakref

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters import orbax
from interned.adapters.orbax.deferred import deferred_class, hand_out, settle, source_of
from tests.adapters.orbax.shardings import outcome, seen


class Box:
    """A class like those of Orbax: mutable, compared by its fields, not hashable."""

    def __init__(self, content):
        self.content = content

    def __eq__(self, other):
        return self.content == other.content

    def __repr__(self):
        return f"{self.__class__.__qualname__}({self.content!r})"

    def text(self):
        return f"text of {self.content}"


class Source:
    def __init__(self):
        self.asked = 0

    def fields(self):
        self.asked += 1
        return {"content": ["fresh"]}


Deferred = deferred_class(Box, text=lambda self: (self, "shortcut"))


@pytest.fixture
def box():
    return hand_out(Deferred, Source())


def test_a_shortcut_answers_without_fields(box):
    source = source_of(box)
    assert box.text() == (box, "shortcut")
    assert source_of(box) is source
    assert source.asked == 0


def test_it_is_of_the_stock_class_before_and_after(box):
    assert box.__class__ is Box
    assert isinstance(box, Box)
    assert source_of(box) is not None
    assert box.content == ["fresh"]
    assert type(box) is Box
    assert vars(box) == {"content": ["fresh"]}
    assert box.text() == "text of ['fresh']"


def test_a_method_taken_before_a_change_sees_the_change(box):
    text = box.text
    box.content = 5
    assert text() == (box, "shortcut")
    assert type(box) is Box


def test_fields_are_filled_in_once(box):
    source = source_of(box)
    settle(box)
    box.content = "mine"
    settle(box)
    assert (box.content, source.asked) == ("mine", 1)
    assert source_of(box) is None


def test_each_object_has_fields_of_its_own():
    source = Source()
    one, other = hand_out(Deferred, source), hand_out(Deferred, source)
    one.content.append("edited")
    assert other.content == ["fresh"]


def test_a_field_that_is_deleted_stays_away(box):
    del box.content
    assert vars(box) == {}
    with pytest.raises(AttributeError, match="'Box' object has no attribute 'content'"):
        box.content  # noqa: B018


def test_a_stranger_is_left_alone():
    box = Box(1)
    settle(box)
    assert source_of(box) is None
    assert vars(box) == {"content": 1}


def test_it_can_be_referred_to_weakly_and_leaves_nothing_behind():
    box = hand_out(Deferred, Source())
    reference = weakref.ref(box)
    source = weakref.ref(source_of(box))
    del box
    gc.collect()
    assert reference() is None
    assert source() is None


LOOKS = [
    repr,
    str,
    vars,
    dir,
    copy.copy,
    copy.deepcopy,
    lambda box: pickle.loads(pickle.dumps(box)),
    lambda box: box == Box(["fresh"]),
    lambda box: Box(["fresh"]) == box,
    lambda box: box != Box(["fresh"]),
    lambda box: box.content,
    lambda box: getattr(box, "nothing", "default"),
    lambda box: hasattr(box, "content"),
    lambda box: box.__reduce_ex__(2),
    lambda box: object.__reduce_ex__(box, 2),
    lambda box: box.__dict__,
    lambda box: setattr(box, "content", 1),
    lambda box: delattr(box, "content"),
    lambda box: setattr(box, "other", 1),
]


@pytest.mark.parametrize("look", LOOKS)
def test_the_first_look_makes_it_stock(box, look):
    assert repr(look(box)) == repr(look(Box(["fresh"])))
    assert type(box) is Box


@pytest.mark.parametrize("look", [hash, lambda box: {box}])
def test_it_is_as_unhashable_as_stock(box, look):
    assert outcome(look, box) == outcome(look, Box(1))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles_as_the_stock_object_does(box, protocol):
    assert pickle.dumps(box, protocol) == pickle.dumps(Box(["fresh"]), protocol)


class Meeting:
    """A source that two threads ask at the same time; the second goes on when the first is done."""

    def __init__(self):
        self.both_are_here = threading.Barrier(2)
        self.first_is_done = threading.Event()

    def fields(self):
        self.both_are_here.wait(timeout=10)
        if threading.current_thread().name == "second":
            self.first_is_done.wait(timeout=10)
        return {"content": [threading.current_thread().name]}


def test_what_is_written_is_not_overwritten_by_a_slower_thread():
    meeting = Meeting()
    box = hand_out(Deferred, meeting)
    second = threading.Thread(target=settle, args=(box,), name="second")
    second.start()
    box.content.append("edited")
    content = box.content
    meeting.first_is_done.set()
    second.join()
    assert box.content is content
    assert content[1:] == ["edited"]
    assert type(box) is Box


# Operations on the metadata of a sharding, and what each of them shows.
OPERATIONS = {
    "serialize": lambda named: named.to_serialized_string(),
    "sharding": lambda named: named.to_jax_sharding(),
    "repr": repr,
    "equal": lambda named: named == copy.deepcopy(named),
    "fields": dataclasses.asdict,
    "replace": lambda named: dataclasses.replace(named, axis_names=["z"]),
    "pickle": lambda named: pickle.loads(pickle.dumps(named)),
    "shape": lambda named: named.shape,
    "edit shape": lambda named: named.shape.__setitem__(0, 8),
    "edit names": lambda named: named.axis_names.reverse(),
    "set names": lambda named: setattr(named, "axis_names", ["p", "q"]),
    "set spec": lambda named: setattr(named, "partition_spec", (None, ("p", "q"))),
    "set mesh": lambda named: setattr(named, "device_mesh", None),
    "delete mesh": lambda named: delattr(named, "device_mesh"),
    "edit mesh": lambda named: named.device_mesh.mesh.reverse(),
    "edit device": lambda named: setattr(named.device_mesh.mesh[0][0], "id", 999),
    "mesh": lambda named: named.device_mesh,
    "devices": lambda named: named.device_mesh.to_jax_device_mesh(),
    "new mesh": lambda named: setattr(named, "device_mesh", copy.copy(named.device_mesh)),
    "hash": hash,
}


def shown(operation, named):
    result = outcome(OPERATIONS[operation], named)
    return seen(result) if not isinstance(result, jax.sharding.Sharding) else result


def read(sharding):
    text = metadata.from_jax_sharding(sharding).to_serialized_string()
    return metadata.from_serialized_string(text)


@pytest.mark.parametrize("get", [metadata.from_jax_sharding, read])
@given(st.lists(st.sampled_from(sorted(OPERATIONS)), max_size=6))
def test_any_history_is_that_of_a_stock_object(get, operations):
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    sharding = NamedSharding(mesh, PartitionSpec("y", ("x",)))
    stock, bystander = get(sharding), seen(get(sharding))
    with orbax.installed():
        ours, other = get(sharding), get(sharding)
        assert [shown(each, ours) for each in operations] == [
            shown(each, stock) for each in operations
        ]
        assert seen(other) == seen(get(sharding)) == bystander
    assert seen(ours) == seen(stock)
