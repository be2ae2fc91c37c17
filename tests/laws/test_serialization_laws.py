"""Whatever people serialize, `asdict` and `json.dumps` are right by definition."""

import collections
import contextlib
import copy
import dataclasses
import json
import pickle

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from interned import CachedSerialization, dumps
from interned.frozen import FrozenDict, FrozenList
from interned.serialization import clear_forms

from .serialization_strategies import (
    ATTRS_CLASSES,
    LOOKALIKES,
    Bounded,
    Frozen,
    Loose,
    LooseSpec,
    Pair,
    Plain,
    PlainLoose,
    PlainSpec,
    RoomyStr,
    Slotted,
    Sorter,
    Spec,
    instances,
    json_values,
    options,
    stable_values,
    values,
)

LAW = settings(max_examples=max(500, settings().max_examples))
READ_ONLY = {FrozenDict: dict, FrozenList: list}


def asdict(instance):
    oracle = attrs.asdict if isinstance(instance, ATTRS_CLASSES) else dataclasses.asdict
    return oracle(instance)


def outcome(function):
    """What a call returns, or the type of what it raises."""
    try:
        return "returned", function()
    except Exception as error:
        return "raised", type(error)


def portrait(value, read_only=READ_ONLY):
    """Tells apart whatever a reader could: every type, order, sign of zero and NaN."""
    kind = read_only.get(type(value), type(value))
    if isinstance(value, dict):
        extra = getattr(value, "default_factory", None)
        items = [(portrait(k, read_only), portrait(v, read_only)) for k, v in value.items()]
        return kind, extra, items
    if isinstance(value, (list, tuple)):
        return kind, [portrait(item, read_only) for item in value]
    if isinstance(value, (set, frozenset)):
        return kind, sorted(map(repr, value))
    return kind, repr(value), repr(getattr(value, "__dict__", None))


def containers(value):
    """Yields every dict and list in a plain copy, each as often as it is met."""
    if isinstance(value, (dict, list)):
        yield value
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from containers(item)


def same(got, expected, read_only=READ_ONLY):
    assert got[0] == expected[0], (got, expected)
    if got[0] == "raised":
        assert got[1] is expected[1]
    else:
        assert portrait(got[1], read_only) == portrait(expected[1], {})


@LAW
@given(instances(values))
def test_the_dict_is_that_of_asdict(instance):
    for _ in range(2):
        expected = outcome(lambda: asdict(instance))
        same(outcome(lambda: instance.as_serialized_dict), expected)
        same(outcome(instance.to_dict), expected, read_only={})


def damage(value):
    """Does to what was handed out what a careless reader could do to it."""
    if isinstance(value, (dict, list, tuple, collections.deque)):
        for part in list(value.values() if isinstance(value, dict) else value):
            damage(part)
    for name, args in {"clear": (), "append": (1,), "__setattr__": ("inside", 1)}.items():
        with contextlib.suppress(AttributeError, TypeError):
            getattr(value, name)(*args)


@LAW
@given(instances(st.one_of(values, json_values)))
def test_what_readers_do_to_a_form_does_not_show(instance):
    text = outcome(lambda: instance.as_serialized_json)
    for read in (lambda: instance.as_serialized_dict, instance.to_dict):
        damage(outcome(read)[1])
        same(outcome(lambda: instance.as_serialized_dict), outcome(lambda: asdict(instance)))
        same(outcome(lambda: instance.as_serialized_json), text)


@LAW
@given(instances(st.one_of(values, json_values)))
def test_the_text_is_that_of_json(instance):
    for _ in range(2):
        expected = outcome(lambda: json.dumps(asdict(instance)))
        same(outcome(lambda: instance.as_serialized_json), expected)
        same(outcome(instance.to_json), expected)
        same(outcome(lambda: instance.to_json_bytes().decode()), expected)


@LAW
@given(instances(st.one_of(json_values, stable_values)), options, st.booleans())
def test_the_text_has_every_option_of_json(instance, chosen, warm):
    if warm:
        outcome(lambda: instance.as_serialized_json)
    expected = outcome(lambda: json.dumps(asdict(instance), **chosen))
    same(outcome(lambda: instance.to_json(**chosen)), expected)


class Shouting(json.JSONEncoder):
    def default(self, value):
        return f"<{type(value).__name__}>!"


class Tagging(json.JSONEncoder):
    """Lays out lists in a way of its own, so it sees what it is given."""

    def iterencode(self, value, _one_shot=False):
        if type(value) is dict:
            value = {"dict": list(value.values())}
        yield from super().iterencode(value, _one_shot=_one_shot)


def stock_dumps(document, *, cls=json.JSONEncoder, default=None, **chosen):
    class WithAsdict(cls):
        def default(self, value):
            if isinstance(value, CachedSerialization):
                return asdict(value)
            return super().default(value) if default is None else default(value)

    return json.dumps(document, cls=WithAsdict, **chosen)


@LAW
@given(
    st.recursive(
        st.one_of(values, instances(json_values), instances(stable_values)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.dictionaries(st.one_of(st.integers(), st.none(), st.text()), inner, max_size=3),
        ),
        max_leaves=6,
    ),
    options,
    st.sampled_from([None, json.JSONEncoder, Shouting, Tagging]),
    st.booleans(),
)
def test_a_document_is_that_of_json(document, chosen, cls, asking):
    chosen = chosen if cls is None else {**chosen, "cls": cls}
    theirs, ours = Sorter(), Sorter()
    for _ in range(2):
        expected = outcome(
            lambda: stock_dumps(document, **chosen, **({"default": theirs} if asking else {}))
        )
        got = outcome(lambda: dumps(document, **chosen, **({"default": ours} if asking else {})))
        same(got, expected)
        assert ours.asked == theirs.asked


@LAW
@given(instances(stable_values))
def test_what_is_handed_out_is_read_only_and_copies_are_plain(instance):
    form = outcome(lambda: instance.as_serialized_dict)
    if form[0] == "raised":
        return
    before = portrait(form[1])
    for plain in (
        instance.to_dict(),
        copy.deepcopy(form[1]),
        pickle.loads(pickle.dumps(form[1])),
    ):
        assert portrait(plain, {}) == portrait(asdict(instance), {})
        found = list(containers(plain))
        assert len({id(container) for container in found}) == len(found)
        for container in found:
            container.clear()
    assert portrait(instance.as_serialized_dict) == before


@LAW
@given(instances(stable_values))
def test_a_form_is_shared_where_nothing_can_change(instance):
    if type(instance).__name__ not in ("Frozen", "Slotted", "Loose"):
        return
    assert instance.as_serialized_dict is instance.as_serialized_dict
    assert instance.as_serialized_json is instance.as_serialized_json


# What can be assigned to, and in which field.
FIELDS = {
    Bounded: "held",
    Frozen: "first",
    Loose: "held",
    LooseSpec: "held",
    PlainLoose: "held",
    Slotted: "only",
    Spec: "_first",
}
CHANGING = (Loose, LooseSpec, PlainLoose)
small = st.sampled_from([*LOOKALIKES, "1", None, (1,), (True,), Frozen(1), RoomyStr("1")])


class Changing(RuleBasedStateMachine):
    """Puts things into one another, and changes whatever can be changed between reads."""

    held = Bundle("held")

    def __init__(self):
        super().__init__()
        self.wholes = []
        self.parts = set()

    @initialize(target=held)
    def begin(self):
        return Loose(1)

    @rule(target=held, kind=st.sampled_from([list, dict, *CHANGING]), value=small)
    def make_what_changes(self, kind, value):
        if kind in CHANGING:
            return kind(value)
        return [value] if kind is list else {"k": value}

    @rule(
        target=held,
        wrap=st.sampled_from(
            [
                *FIELDS,
                Plain,
                PlainSpec,
                lambda part: (1, part),
                lambda part: [part],
                lambda part: Pair(1, part),
            ]
        ),
        part=held,
    )
    def put_in(self, wrap, part):
        self.parts.add(id(part))
        whole = wrap(part)
        if isinstance(whole, CachedSerialization):
            self.wholes = [*self.wholes[-5:], whole]
        return whole

    @rule(holder=held, value=small)
    def change(self, holder, value):
        # Only as a part is a frozen instance taken to be frozen.
        if type(holder) in CHANGING or (type(holder) in FIELDS and id(holder) not in self.parts):
            object.__setattr__(holder, FIELDS[type(holder)], value)
        elif isinstance(holder, list):
            holder[:] = [value]
        elif isinstance(holder, dict):
            holder["k"] = value
        elif isinstance(holder, RoomyStr):
            holder.note = value

    @rule()
    def clear(self):
        clear_forms()

    @rule(chosen=options)
    def write(self, chosen):
        expected = outcome(lambda: stock_dumps(self.wholes, **chosen))
        same(outcome(lambda: dumps(self.wholes, **chosen)), expected)

    @invariant()
    def whatever_is_read_is_right(self):
        for whole in self.wholes:
            check(whole)


def check(instance):
    same(outcome(lambda: instance.as_serialized_dict), outcome(lambda: asdict(instance)))
    text = outcome(lambda: json.dumps(asdict(instance)))
    same(outcome(lambda: instance.as_serialized_json), text)


TestChanging = Changing.TestCase
TestChanging.settings = settings(LAW, stateful_step_count=20)
