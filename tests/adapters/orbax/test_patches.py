"""Whatever the sharding, Orbax gives the string, object or error that it gives by itself."""

import dataclasses
import json
from functools import partial
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters import orbax
from interned.errors import UnsupportedVersionError
from tests.adapters.orbax.shardings import meshes, outcome, seen, shardings, written


class Shout(str):
    """Equal to another string, whatever the case."""

    __slots__ = ()

    def __eq__(self, other):
        return self.lower() == other.lower()

    def __hash__(self):
        return hash(self.lower())


def both(function, arguments):
    """Returns what stock Orbax makes of each argument, and twice what it makes with the adapter."""
    stock = [outcome(function, argument) for argument in arguments]
    with orbax.installed():
        first = [outcome(function, argument) for argument in arguments]
        second = [outcome(function, argument) for argument in arguments]
    return stock, first, second


def assert_same(function, arguments):
    stock, first, second = both(function, arguments)
    assert stock == first == second


@given(st.lists(shardings(), min_size=1, max_size=4))
def test_the_text_is_that_of_stock(several):
    assert_same(written, several)


@given(st.lists(shardings(), min_size=1, max_size=4))
def test_the_object_is_that_of_stock(several):
    assert_same(lambda sharding: seen(metadata.from_jax_sharding(sharding)), several)


@given(st.lists(meshes(), min_size=1, max_size=4))
def test_the_mesh_object_is_that_of_stock(several):
    assert_same(lambda mesh: seen(metadata.DeviceMetadataMesh.from_jax_mesh(mesh)), several)


@given(st.lists(shardings(), min_size=1, max_size=4))
def test_what_is_read_is_that_of_stock(several):
    texts = [text for text in map(partial(outcome, written), several) if isinstance(text, str)]
    assert_same(lambda text: seen(metadata.from_serialized_string(text)), texts)
    assert_same(lambda text: metadata.from_serialized_string(text).to_jax_sharding(), texts)
    assert_same(lambda text: metadata.get_sharding_or_none(np.array(text, dtype=object)), texts)


@given(st.lists(shardings(), min_size=1, max_size=4))
def test_a_read_text_is_written_again(several):
    texts = [text for text in map(partial(outcome, written), several) if isinstance(text, str)]
    assert_same(lambda text: metadata.from_serialized_string(text).to_serialized_string(), texts)


DEVICES = st.recursive(
    st.none() | st.builds(dict, id=st.integers(-1, 9) | st.none() | st.text() | st.booleans()),
    lambda inner: st.lists(inner, max_size=3),
)
DOCUMENTS = st.fixed_dictionaries(
    {"sharding_type": st.sampled_from(["NamedSharding", "PositionalSharding", "Other"])},
    optional={
        "shape": st.lists(st.integers(0, 3), max_size=3),
        "axis_names": st.lists(st.sampled_from(["x", "y", 0, None]), max_size=3),
        "axis_types": st.none() | st.lists(st.sampled_from(["AxisType.Auto", "?"]), max_size=3),
        "partition_spec": st.lists(st.sampled_from(["x", None, ["x", "y"], []]), max_size=3),
        "device_mesh": st.none() | st.builds(dict, mesh=DEVICES),
        "device_str": st.text(max_size=3),
        "else": st.integers(),
    },
)


@given(st.lists(DOCUMENTS, max_size=4))
@example([{"sharding_type": "SingleDeviceSharding", "device_str": "TFRT_CPU_0"}])
def test_any_document_is_read_as_by_stock(documents):
    texts = [json.dumps(document, indent=indent) for indent in (None, 1) for document in documents]
    assert_same(lambda text: seen(metadata.from_serialized_string(text)), texts)
    assert_same(lambda text: metadata.from_serialized_string(text).to_jax_sharding(), texts)


@given(st.binary(max_size=20) | st.text(max_size=20) | st.none() | st.integers())
def test_what_is_no_document_fails_as_in_stock(text):
    assert_same(metadata_of, [text])


def metadata_of(text):
    return seen(metadata.from_serialized_string(text))


def test_bytes_are_read_too(sharding):
    text = written(sharding)
    assert_same(metadata_of, [text.encode(), text, bytearray(text, "ascii")])


def test_equal_specs_that_differ_are_told_apart(mesh):
    """Asked for an equal spec, JAX hands out the one that lives, so tuples stand for specs here."""
    names = ["x", Shout("X"), np.str_("x")]
    specs = [spec for x in names for spec in [(x,), ((x,),), (x, None), (None, x), (("y", x),)]]
    several = [SimpleNamespace(mesh=mesh, spec=spec) for spec in specs]
    named = metadata.NamedShardingMetadata
    assert_same(lambda duck: named.from_jax_sharding(duck).to_serialized_string(), several)
    assert_same(lambda duck: seen(named.from_jax_sharding(duck)), several)


def test_meshes_of_equal_names_are_told_apart():
    devices = np.array(jax.devices()).reshape(2, 4)
    for names in ((0, 1), (False, True), (0.0, 1.0)):
        assert_same(written, [NamedSharding(Mesh(devices, names), PartitionSpec())])


def test_an_axis_name_without_json_fails_where_stock_fails():
    mesh = Mesh(np.array(jax.devices()), (frozenset("x"),))
    with orbax.installed():
        described = metadata.from_jax_sharding(NamedSharding(mesh, PartitionSpec()))
        failure = outcome(described.to_serialized_string)
    assert failure == outcome(described.to_serialized_string)
    assert failure[0] is TypeError


def test_arguments_may_be_named(mesh, sharding):
    text = written(sharding)
    with orbax.installed():
        named = metadata.NamedShardingMetadata.from_jax_sharding(jax_sharding=sharding)
        assert named == metadata.from_serialized_string(serialized_str=text)
        assert named.device_mesh == metadata.DeviceMetadataMesh.from_jax_mesh(mesh=mesh)


def test_subclasses_get_what_stock_gives_them(mesh, sharding):
    class Named(metadata.NamedShardingMetadata):
        pass

    class Grid(metadata.DeviceMetadataMesh):
        pass

    assert_same(lambda kind: seen(kind.from_jax_sharding(sharding)), [Named])
    assert_same(lambda kind: kind.from_jax_sharding(sharding).to_serialized_string(), [Named])
    assert_same(lambda kind: seen(kind.from_jax_mesh(mesh)), [Grid])


def test_the_mesh_is_converted_once(mesh, monkeypatch):
    calls = []
    convert, asdict = metadata.DeviceMetadata.from_jax_device, dataclasses.asdict

    def count(number, function):
        return lambda *args: calls.append(number) or function(*args)

    monkeypatch.setattr(metadata.DeviceMetadata, "from_jax_device", count(1, convert))
    monkeypatch.setattr(dataclasses, "asdict", count(2, asdict))
    with orbax.installed():
        for spec in ((), ("x",), ("y",), ("x", "y"), (("x", "y"),)) * 20:
            written(NamedSharding(mesh, PartitionSpec(*spec)))
    assert calls.count(1) == mesh.size
    assert calls.count(2) <= 1


def test_a_text_is_parsed_once(sharding, monkeypatch):
    text = written(sharding)
    calls = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda *args: calls.append(args) or loads(*args))
    with orbax.installed():
        for _ in range(20):
            metadata.from_serialized_string(text)
    assert len(calls) == 1


def test_verify_finds_another_text(sharding, monkeypatch):
    with orbax.installed(verify=True):
        assert written(sharding) == written(sharding)
        other = metadata.DeviceMetadata(7)
        monkeypatch.setattr(metadata.DeviceMetadata, "from_jax_device", lambda _: other)
        with pytest.raises(UnsupportedVersionError, match='"id": 7'):
            written(sharding)


def test_verify_finds_another_reading(sharding, monkeypatch):
    loads = json.loads
    with orbax.installed(verify=True):
        text = written(sharding)
        metadata.from_serialized_string(text)
        monkeypatch.setattr(json, "loads", lambda _: loads(text.replace('"x"', '"z"')))
        with pytest.raises(UnsupportedVersionError, match='"z"'):
            metadata.from_serialized_string(text)


def test_verify_finds_other_parts(sharding, monkeypatch):
    with orbax.installed(verify=True):
        described = metadata.from_jax_sharding(sharding)
        described.axis_names.reverse()
        monkeypatch.setattr(metadata, "_DEVICE_MESH", "devices")
        with pytest.raises(UnsupportedVersionError, match='"devices"'):
            described.to_serialized_string()
