import contextlib
import copy
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import typing
import weakref
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace

import attrs
import pytest
from cachetools import FIFOCache, LRUCache

from interned import (
    CachedSerialization,
    MutatedError,
    clear_caches,
    dumps,
    forms,
    fragments,
    readers,
    serialization,
)
from interned.serialization import clear_forms
from tests.interruptions import everywhere


@dataclass(frozen=True)
class Axis(CachedSerialization):
    name: str
    size: object


@dataclass(frozen=True)
class PlainAxis:
    name: str
    size: object


@dataclass(frozen=True, slots=True)
class Slotted(CachedSerialization):
    name: str
    size: object


@dataclass
class Loose(CachedSerialization):
    name: str
    size: object


@attrs.frozen
class Spec(CachedSerialization):
    name: str
    size: object


@attrs.define
class LooseSpec(CachedSerialization):
    name: str = attrs.field(validator=attrs.validators.instance_of(str))
    size: object


@attrs.frozen(slots=False)
class DictSpec(CachedSerialization):
    name: str
    size: object


CLASSES = (Axis, Slotted, Loose, Spec, LooseSpec, DictSpec)


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def cls(request):
    return request.param


def plain(instance):
    return asdict(instance) if is_dataclass(instance) else attrs.asdict(instance)


def assert_right(instance):
    """Checks everything that is handed out against the libraries."""
    for _ in range(2):
        assert instance.as_serialized_dict == plain(instance)
        assert instance.as_serialized_json == json.dumps(plain(instance))
        assert instance.to_dict() == plain(instance)
        assert dumps([instance]) == json.dumps([plain(instance)])


def warm(instance):
    """Has both forms made."""
    return instance.as_serialized_dict, instance.as_serialized_json


# S1


def test_both_forms_are_computed_once(cls):
    value = cls("x", (1, (2.5, None)))
    assert_right(value)
    assert value.as_serialized_dict is value.as_serialized_dict
    assert value.as_serialized_json is value.as_serialized_json


@pytest.mark.parametrize(
    "options",
    [
        {"indent": 2},
        {"separators": (",", ":")},
        {"sort_keys": True},
        {"ensure_ascii": False},
        {"skipkeys": True, "check_circular": False},
        {"default": str},
    ],
)
def test_the_text_takes_every_option(cls, options):
    value = cls("é\ud800", ("b", "a", None))
    for _ in range(2):
        assert value.to_json(**options) == json.dumps(plain(value), **options)
    assert value.to_json() is value.as_serialized_json


def test_bytes_are_the_text_in_utf8(cls):
    value = cls("é", 1)
    assert value.to_json_bytes() == json.dumps(plain(value)).encode()
    assert value.to_json_bytes(ensure_ascii=False) == '{"name": "é", "size": 1}'.encode()
    with pytest.raises(UnicodeEncodeError):
        cls("\ud800", 1).to_json_bytes(ensure_ascii=False)


def test_nan_is_refused_where_it_is_not_allowed(cls):
    value = cls("NaN", float("nan"))
    assert value.to_json() == '{"name": "NaN", "size": NaN}'
    for refused in (value.to_json, lambda **options: dumps([value], **options)):
        with pytest.raises(ValueError, match="Out of range float values"):
            refused(allow_nan=False)
    assert cls("NaN", 1).to_json(allow_nan=False) == '{"name": "NaN", "size": 1}'


@pytest.mark.parametrize("size", [1j, (1, {2}), {(1, 2): 3}, [object()]])
def test_what_json_refuses_is_refused_each_time(cls, size):
    value = cls("x", size)
    with pytest.raises(TypeError) as stock:
        json.dumps(plain(value))
    for read in (lambda: value.as_serialized_json, value.to_json, lambda: dumps([value])) * 2:
        with pytest.raises(TypeError) as ours:
            read()
        assert str(ours.value) == str(stock.value)


def test_what_is_neither_dataclass_nor_attrs_class_is_refused_as_asdict_refuses_it():
    class Neither(CachedSerialization):
        pass

    for read in (Neither().to_dict, Neither().to_json, lambda: Neither().as_serialized_dict):
        with pytest.raises(TypeError, match=r"asdict\(\) should be called on dataclass instances"):
            read()


def test_an_unset_field_is_refused_as_asdict_refuses_it():
    value = Slotted.__new__(Slotted)
    with pytest.raises(AttributeError, match="name"):
        warm(value)
    object.__setattr__(value, "name", "x")
    object.__setattr__(value, "size", 1)
    assert_right(value)


def test_a_cycle_is_refused_as_asdict_refuses_it(cls):
    value = cls("x", 1)
    object.__setattr__(value, "size", (value,))
    for read in (lambda: value.as_serialized_dict, lambda: value.as_serialized_json):
        with pytest.raises(RecursionError):
            read()


def test_fields_that_take_no_part_in_init_or_comparison_are_serialized():
    @dataclass(frozen=True)
    class Partial(CachedSerialization):
        x: int
        hidden: int = field(default=2, init=False, repr=False, compare=False)
        common: typing.ClassVar[int] = 3

    assert Partial(1).as_serialized_dict == {"x": 1, "hidden": 2}


# S2


def test_every_kind_of_assignment_is_seen(cls):
    value = cls("x", 1)
    assert_right(value)
    object.__setattr__(value, "size", True)
    assert value.as_serialized_json == '{"name": "x", "size": true}'
    assert_right(value)
    cls.size.__set__(value, 3) if hasattr(cls, "size") else vars(value).update(size=3)
    assert value.as_serialized_json == '{"name": "x", "size": 3}'
    assert_right(value)


@pytest.mark.parametrize("cls", [Loose, LooseSpec])
def test_a_class_that_is_not_frozen_gains_too(cls):
    value = cls("x", 1)
    first = value.as_serialized_json
    value.size = 2
    assert value.as_serialized_json == '{"name": "x", "size": 2}'
    value.size = 1
    assert value.as_serialized_json == first
    assert value.as_serialized_json is value.as_serialized_json


class Stubborn(str):
    """May change, in its attributes."""


@pytest.mark.parametrize("make", [list, dict, set, bytearray, Stubborn, lambda: Loose("y", 1)])
def test_what_may_change_is_computed_at_each_access_and_is_the_callers_own(make):
    inside = make()
    value = Axis("x", (1, inside))
    first, second = value.as_serialized_dict, value.as_serialized_dict
    assert type(first) is dict
    assert first["size"][1] is not second["size"][1]
    assert first["size"][1] is not inside


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_a_change_at_any_depth_is_seen(cls, depth):
    inside = [1]
    held = inside
    for _ in range(depth):
        held = (held, cls("y", held))
    value = cls("x", held)
    assert_right(value)
    inside.append(2)
    assert_right(value)


def test_a_part_that_is_not_frozen_is_looked_at_each_time():
    part = Loose("y", 1)
    value = Axis("x", part)
    assert_right(value)
    part.size = 2
    assert_right(value)


def test_a_frozen_class_whose_subclass_is_open_again_is_looked_at_each_time():
    class Open(PlainAxis):
        __setattr__ = object.__setattr__

    part = Open("y", 1)
    value = Axis("x", part)
    assert_right(value)
    part.size = 2
    assert_right(value)


def test_who_promises_is_taken_at_their_word():
    @dataclass(frozen=True)
    class Promising(CachedSerialization, assume_immutable=True):
        held: object

    value = Promising({"a": [1]})
    assert value.as_serialized_dict is value.as_serialized_dict
    assert value.as_serialized_json is value.as_serialized_json
    with pytest.raises(TypeError, match="to_dict"):
        value.as_serialized_dict["held"]["a"].append(2)


def test_a_promise_does_not_cover_what_readers_could_change():
    @dataclass(frozen=True)
    class Promising(CachedSerialization, assume_immutable=True):
        held: object

    value = Promising([{1}])
    value.as_serialized_dict["held"][0].add(2)
    assert value.as_serialized_dict == {"held": [{1}]}


def test_a_promise_is_not_inherited():
    @dataclass(frozen=True)
    class Promising(CachedSerialization, assume_immutable=True):
        held: object

    class Child(Promising):
        pass

    value = Child([1])
    warm(value)
    value.held.append(2)
    assert value.as_serialized_json == '{"held": [1, 2]}'


def test_a_value_that_is_toggled_by_another_thread_is_never_kept_wrong():
    value, stop = Loose("x", 0), threading.Event()

    def toggle():
        while not stop.is_set():
            value.size = 1
            value.size = 0

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    toggling = threading.Thread(target=toggle)
    toggling.start()
    try:
        seen = {value.as_serialized_json for _ in range(2_000)}
    finally:
        stop.set()
        toggling.join()
        sys.setswitchinterval(interval)
    assert seen <= {'{"name": "x", "size": 0}', '{"name": "x", "size": 1}'}
    assert_right(value)


# S3


def test_the_dict_is_read_only_and_names_the_remedy(cls):
    value = cls("x", 1)
    with pytest.raises(TypeError, match=r"edit a copy: `to_dict\(\)`"):
        value.as_serialized_dict["size"] = 2
    assert_right(value)


@pytest.mark.parametrize("read_before", [False, True])
def test_to_dict_is_the_callers_own(cls, read_before):
    part = cls("y", 1)
    value = cls("x", (part, part))
    if read_before:
        warm(value)
    mine = value.to_dict()
    assert mine["size"][0] is not mine["size"][1]
    mine["size"][0]["name"] = "changed"
    mine["more"] = 1
    assert_right(value)
    assert_right(part)


# S4


def test_the_instance_is_as_it_would_be_without():
    value, bare = Axis("x", 1), PlainAxis("x", 1)
    before = pickle.dumps(value)
    assert_right(value)
    assert vars(value) == vars(bare)
    assert pickle.dumps(value) == before
    assert (value, hash(value)) == (Axis("x", 1), hash(bare))
    assert repr(value) == "Axis(name='x', size=1)"
    assert [f.name for f in fields(value)] == ["name", "size"]
    assert replace(value, size=2) == Axis("x", 2)
    assert not hasattr(Slotted("x", 1), "__dict__")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_and_copies_are_right(cls, protocol):
    if cls is LooseSpec and protocol < 2:
        pytest.skip("attrs does not support it")
    value = cls("x", 1)
    warm(value)
    for again in (pickle.loads(pickle.dumps(value, protocol)), copy.deepcopy(value)):
        assert again == value
        assert_right(again)


def test_a_pickle_is_as_large_as_without():
    def size(cls, protocol):
        named = pickle.dumps(cls("x", 1), protocol)
        return len(named) - len(cls.__qualname__)

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert size(Axis, protocol) == size(PlainAxis, protocol)


class WithSlot:
    __slots__ = ("slot",)


class WithWeakref:
    __slots__ = ("__weakref__",)


class WithDict:
    pass


@pytest.mark.parametrize("other", [WithSlot, WithWeakref, WithDict, Exception, dict, list, str])
@pytest.mark.parametrize("first", [True, False])
def test_there_is_no_layout_conflict(other, first):
    bases = (CachedSerialization, other) if first else (other, CachedSerialization)

    @dataclass(eq=False)
    class Mixed(*bases):
        x: int = 1

    value = Mixed()
    assert value.as_serialized_dict == {"x": 1}
    assert value.as_serialized_dict is value.as_serialized_dict


def test_an_instance_that_cannot_be_weakly_referenced_is_still_right():
    @dataclass(frozen=True)
    class Number(CachedSerialization, int):
        x: int = 1

    assert Number(5).as_serialized_dict == {"x": 5}
    assert Number(5).as_serialized_json == '{"x": 5}'
    assert dumps([Number(5)]) == "[5]"


def test_a_slot_for_weak_references_is_accepted_where_it_is_there_already():
    @dataclass(frozen=True, slots=True, weakref_slot=True)
    class Weak(CachedSerialization):
        x: int

    assert Weak(1).as_serialized_dict is not Weak(1).as_serialized_dict
    assert weakref.ref(Weak(1))


def test_a_property_can_be_overridden_and_reached():
    @dataclass(frozen=True)
    class Versioned(Axis):
        @property
        def as_serialized_dict(self):
            return {"version": 1} | super().as_serialized_dict

    value = Versioned("x", 1)
    for _ in range(2):
        assert value.as_serialized_dict == {"version": 1, "name": "x", "size": 1}
        assert value.as_serialized_json == '{"name": "x", "size": 1}'
        assert Axis("y", value).as_serialized_dict["size"] == {"name": "x", "size": 1}


def test_subclasses_have_fields_of_their_own():
    @dataclass(frozen=True)
    class Named(Axis):
        unit: str = "m"

    assert_right(Axis("x", 1))
    assert Named("x", 1).as_serialized_dict == {"name": "x", "size": 1, "unit": "m"}
    assert_right(Axis("x", 1))


def test_an_instance_whose_class_is_swapped_is_right():
    @dataclass
    class Reversed(CachedSerialization):
        size: object
        name: str

    warm(Reversed(1, "x"))
    value = Loose("x", 1)
    warm(value)
    value.__class__ = Reversed
    assert list(value.as_serialized_dict) == ["size", "name"]
    assert list(value.as_serialized_dict) == ["size", "name"]


def test_it_works_with_abstract_and_generic_bases():
    T = typing.TypeVar("T")

    class Shape(CachedSerialization, ABC):
        @abstractmethod
        def area(self): ...

    @dataclass(frozen=True)
    class Square(Shape, typing.Generic[T]):
        side: T

        def area(self):
            return self.side**2

    assert Square[int](2).as_serialized_json == '{"side": 2}'


def test_other_bases_get_their_keywords():
    class Tagged:
        def __init_subclass__(cls, tag, **kwargs):
            super().__init_subclass__(**kwargs)
            cls.tag = tag

    class Both(CachedSerialization, Tagged, tag="t", assume_immutable=True):
        pass

    assert Both.tag == "t"
    with pytest.raises(TypeError):

        class Unknown(CachedSerialization, flavour="f"):
            pass


def test_forms_die_with_their_instance_by_reference_count(cls):
    gc.collect()
    gc.disable()
    try:
        before = len(forms._kept)
        value = cls("x", (1, 2))
        assert_right(value)
        assert len(forms._kept) == before + 1
        del value
        assert len(forms._kept) == before
    finally:
        gc.enable()


def test_forms_of_a_local_class_go_with_the_class():
    @dataclass(frozen=True)
    class Local(CachedSerialization):
        x: int

    warm(Local(1))
    dead = weakref.ref(Local)
    del Local
    gc.collect()
    assert dead() is None


def test_reading_while_an_instance_dies_is_right():
    seen = []

    @dataclass
    class Dying(CachedSerialization):
        x: int

        def __del__(self):
            seen.append(self.as_serialized_json)

    Dying(1)
    cycle = Dying(2)
    cycle.me = cycle
    del cycle
    gc.collect()
    assert seen == ['{"x": 1}', '{"x": 2}']


def test_a_weak_reference_of_somebody_else_is_no_obstacle():
    value = Axis("x", 1)
    text = value.as_serialized_json
    held = [weakref.ref(value), weakref.ref(value, print), weakref.proxy(value)]
    assert value.as_serialized_json is text
    assert value.as_serialized_json is text
    assert held


@pytest.mark.parametrize("clear", [clear_forms, clear_caches])
def test_clearing_makes_forms_anew(cls, clear):
    value = cls("x", 1)
    text = value.as_serialized_json
    clear()
    assert value.as_serialized_json == text
    assert value.as_serialized_json is not text
    assert_right(value)


# S5: see test_reading.py


# S6


@pytest.mark.parametrize(
    "decorate",
    [dataclass(frozen=True), dataclass(slots=True), attrs.define, attrs.define(slots=False)],
)
@pytest.mark.parametrize("keywords", [{"maxsize": 2}, {"cache": lambda: FIFOCache(2)}])
def test_keywords_survive_the_second_building_of_a_class(decorate, keywords):
    @decorate
    class Value(CachedSerialization, assume_immutable=True, **keywords):
        x: object

    values = [Value([i]) for i in range(3)]
    first = [value.as_serialized_json for value in values]
    assert [value.as_serialized_json for value in values] == first
    assert values[2].as_serialized_json is values[2].as_serialized_json
    assert values[2].as_serialized_dict is values[2].as_serialized_dict


def test_only_so_many_forms_are_kept():
    @dataclass(frozen=True)
    class Value(CachedSerialization, maxsize=2):
        x: object

    values = [Value(i) for i in range(3)]
    texts = [value.as_serialized_json for value in values]
    assert values[2].as_serialized_json is texts[2]
    assert values[1].as_serialized_json is texts[1]
    assert values[0].as_serialized_json == texts[0]
    assert values[0].as_serialized_json is not texts[0]
    assert values[2].as_serialized_json is not texts[2]


def test_forms_are_made_anew_when_their_time_has_passed():
    now = [0]

    @dataclass(frozen=True)
    class Value(CachedSerialization, ttl=10, timer=lambda: now[0]):
        x: object

    value = Value(1)
    text = value.as_serialized_json
    now[0] = 9
    assert value.as_serialized_json is text
    now[0] = 10
    assert value.as_serialized_json == text
    assert value.as_serialized_json is not text


def test_a_cache_can_count_the_length_of_texts():
    cache = LRUCache(100, getsizeof=len)

    @dataclass(frozen=True)
    class Value(CachedSerialization, cache=cache):
        x: object

    values = [Value("a" * 40), Value("b" * 40)]
    assert len(values[0].as_serialized_json) == cache.currsize
    warm(values[1])
    assert cache.currsize == 98
    large = Value("c" * 100)
    assert large.as_serialized_json == '{"x": "' + "c" * 100 + '"}'
    del values[:]
    assert cache.currsize == 0


def test_what_a_callback_of_the_cache_raises_is_not_hidden():
    def getsizeof(form):
        raise RuntimeError("mine")

    @dataclass(frozen=True)
    class Value(CachedSerialization, cache=LRUCache(9, getsizeof=getsizeof)):
        x: object

    for read in (lambda: Value(1).as_serialized_dict, lambda: dumps(Value(1))):
        with pytest.raises(RuntimeError, match="mine"):
            read()


def test_equal_values_have_forms_of_their_own():
    @dataclass(frozen=True)
    class Value(CachedSerialization, maxsize=10):
        x: object

    values = [Value(1), Value(True), Value(1.0)]
    for _ in range(2):
        assert [v.as_serialized_json for v in values] == ['{"x": 1}', '{"x": true}', '{"x": 1.0}']


def test_contradicting_keywords_are_refused_at_once():
    with pytest.raises(TypeError, match="leave these out"):

        class Value(CachedSerialization, cache=LRUCache(1), maxsize=1):
            pass


# dumps


def test_cached_forms_are_spliced_in_at_any_depth():
    part = Axis("x", (1, 2))
    text = part.as_serialized_json
    document = {"a": part, 1: [part, (part, {"b": part})], None: Loose("y", [part])}
    expected = json.dumps(
        {"a": asdict(part), 1: [asdict(part)] * 2, None: {"name": "y", "size": [asdict(part)]}}
    )
    expected = expected.replace(f"{text}]", f'[{text}, {{"b": {text}}}]]', 1)
    assert dumps(document) == expected
    assert dumps(part) == text
    assert dumps(3) == "3"


def test_the_callers_default_is_asked_about_everything_else():
    asked = []

    def default(value):
        asked.append(value)
        return Axis("inner", 1) if value == 1j else sorted(value)

    assert dumps([Axis("x", {2, 1}), 1j], default=default) == (
        '[{"name": "x", "size": [1, 2]}, {"name": "inner", "size": 1}]'
    )
    assert asked == [{1, 2}, 1j]


def test_an_encoder_of_the_callers_sees_plain_dicts():
    class Encoder(json.JSONEncoder):
        def default(self, value):
            return f"<{type(value).__name__}>"

        def iterencode(self, value, _one_shot=False):
            return super().iterencode(value, _one_shot=_one_shot)

    assert dumps([Axis("x", 1j)], cls=Encoder) == '[{"name": "x", "size": "<complex>"}]'
    assert dumps([Axis("x", 1j)], cls=Encoder, default=str) == '[{"name": "x", "size": "1j"}]'


def test_an_encoder_of_the_callers_is_given_plain_dicts():
    class Picky(json.JSONEncoder):
        def encode(self, value):
            return type(value).__name__

    value = Axis("x", 1)
    warm(value)
    assert value.to_json(cls=Picky) == "dict"


@pytest.mark.parametrize("options", [{"allow_nan": False}, {"ensure_ascii": False}])
def test_options_reach_the_parts_of_what_is_not_cached(options):
    value = Loose("x", [Axis("é", 1)])
    assert dumps(value, **options) == json.dumps(asdict(value), **options)
    value.size.append(Axis("y", float("nan")))
    if options == {"allow_nan": False}:
        with pytest.raises(ValueError, match="Out of range"):
            dumps(value, **options)
    else:
        assert dumps(value, **options) == json.dumps(asdict(value), **options)


def test_an_unknown_option_is_refused_as_json_refuses_it():
    for write in (lambda: dumps([], flavour=1), lambda: Axis("x", 1).to_json(flavour=1)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'flavour'"):
            write()


def test_a_document_that_holds_the_mark_is_right():
    mark = fragments._MARK
    value = Axis(mark, Axis("y", mark))
    assert_right(value)
    assert dumps([mark, value]) == json.dumps([mark, asdict(value)])


def test_a_circular_document_is_refused():
    document = [Axis("x", 1)]
    document.append(document)
    with pytest.raises(ValueError, match="Circular reference"):
        dumps(document)


# Modes


@pytest.fixture
def verifying(monkeypatch):
    monkeypatch.setattr(serialization, "MODE", "verify")
    monkeypatch.setattr(readers, "MODE", "verify")

    @dataclass(frozen=True)
    class Checked(CachedSerialization, assume_immutable=True):
        held: object

    return Checked


def test_off_computes_everything_anew(cls, monkeypatch):
    monkeypatch.setattr(serialization, "MODE", "off")
    made = type("Fresh", (cls,), {})
    value = made("x", (1,))
    first = value.as_serialized_dict
    assert type(first) is dict
    assert first == {"name": "x", "size": (1,)}
    assert value.as_serialized_dict is not first
    assert value.as_serialized_json == value.to_json() == '{"name": "x", "size": [1]}'
    assert dumps([value]) == '[{"name": "x", "size": [1]}]'
    assert weakref.getweakrefs(value) == []


def test_verify_lets_right_forms_through(verifying):
    value = verifying({"a": [1, float("nan")], "b": (True, 1.0, None)})
    for _ in range(2):
        assert value.as_serialized_dict["held"]["b"] == (True, 1.0, None)
        assert value.as_serialized_json == value.to_json()
        assert value.to_dict()["held"]["a"][0] == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda value: value.as_serialized_dict,
        lambda value: value.as_serialized_json,
        lambda value: value.to_dict(),
        lambda value: value.to_json(),
        lambda value: dumps([value]),
    ],
)
def test_verify_finds_a_broken_promise(verifying, read):
    value = verifying([1])
    read(value)
    value.held[0] = True
    with pytest.raises(MutatedError, match="Checked hands out is no longer what asdict gives"):
        read(value)


def test_verify_finds_a_damaged_form(verifying):
    value = verifying([1])
    dict.__setitem__(value.as_serialized_dict, "more", 1)
    with pytest.raises(MutatedError):
        assert value.as_serialized_dict


def test_verify_leaves_what_is_not_cached_alone(verifying):
    value = verifying([{1}])
    assert value.as_serialized_dict == {"held": [{1}]}
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        assert value.as_serialized_json


@pytest.mark.parametrize("mode", ["on", "off", "verify"])
def test_each_mode_gives_the_same(mode):
    code = (
        "import json; from dataclasses import dataclass, asdict\n"
        "from interned.serialization import CachedSerialization as C, dumps\n"
        "M = dataclass(frozen=True)(type('M', (C,), {'__annotations__': {'a': object}}))\n"
        "for a in (1, (M(2), M([3])), [M(M(4))]):\n"
        "    m = M(a)\n"
        "    for _ in range(2):\n"
        "        assert m.as_serialized_dict == asdict(m)\n"
        "        assert m.as_serialized_json == dumps(m) == json.dumps(asdict(m))\n"
    )
    env = {**os.environ, "INTERNED_MODE": mode}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)


# Threads, signals, forks


def test_threads_that_race_get_the_same(cls):
    values, start, seen = [cls("x", i) for i in range(50)], threading.Barrier(4), []

    def read():
        start.wait()
        seen.append([(v.as_serialized_json, v.as_serialized_dict) for v in values])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[(json.dumps(plain(v)), plain(v)) for v in values]] * 4


def test_a_signal_handler_may_read_in_the_middle_of_a_read():
    value, seen = Axis("x", 1), []

    class Interrupting(Loose):
        @property
        def size(self):
            signal.raise_signal(signal.SIGTERM)
            return 2

        @size.setter
        def size(self, value):
            pass

    before = signal.signal(signal.SIGTERM, lambda *_: seen.append(value.as_serialized_json))
    try:
        assert Interrupting("y", 1).as_serialized_json == '{"name": "y", "size": 2}'
    finally:
        signal.signal(signal.SIGTERM, before)
    assert set(seen) == {'{"name": "x", "size": 1}'}


def interrupt(_):
    raise KeyboardInterrupt


# An interruption within a callback of a weak reference goes no further, in whatever program.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("keywords", [{}, {"maxsize": 2}])
@pytest.mark.parametrize("function", [interrupt, lambda value: value.as_serialized_json])
def test_a_read_may_be_interrupted_anywhere(keywords, function):
    @dataclass
    class Value(CachedSerialization, **keywords):
        x: object

    warm(Value(1))

    def operation():
        value = Value((1,))
        yield value
        with contextlib.suppress(KeyboardInterrupt):
            warm(value)
        yield
        assert_right(value)
        assert value.as_serialized_json is value.as_serialized_json
        assert all(form() is not None for form in forms._kept)

    assert everywhere(function, operation) > 50


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_forked_child_reads_and_makes_forms():
    value = Axis("x", 1)
    warm(value)
    child = os.fork()
    if child == 0:
        right = value.as_serialized_json == Axis("x", 1).as_serialized_json
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
