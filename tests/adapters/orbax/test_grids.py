"""The devices of a mesh as a value: built from the parts of the library, and as Orbax has them."""

import dataclasses
import json

import jax
import numpy as np
import pytest
from hypothesis import given
from jax.sharding import Mesh
from orbax.checkpoint._src.metadata import sharding as metadata

from interned import CachedSerialization, interner
from interned.adapters.orbax.grids import DeviceGrid, DeviceId, UnknownContentError, grid_of
from tests.adapters.orbax.shardings import meshes, seen


def as_lists(value):
    """Turns the tuples of a dict into lists, as JSON has them."""
    return json.loads(json.dumps(value))


@given(meshes())
def test_the_cached_forms_are_what_asdict_gives(mesh):
    stock = metadata.DeviceMetadataMesh.from_jax_mesh(mesh)
    grid = grid_of(stock)
    assert grid.as_serialized_dict == dataclasses.asdict(grid)
    assert as_lists(grid.as_serialized_dict) == dataclasses.asdict(stock)
    assert grid.as_serialized_json == json.dumps(dataclasses.asdict(stock))
    assert grid.as_serialized_json is grid.as_serialized_json


@given(meshes())
def test_what_is_handed_out_is_what_stock_makes(mesh):
    stock = metadata.DeviceMetadataMesh.from_jax_mesh(mesh)
    assert seen(grid_of(stock).handed_out()) == seen(stock)


def test_the_empty_mesh_has_a_value():
    stock = metadata.DeviceMetadataMesh.from_jax_mesh(Mesh(np.empty((), dtype=object), ()))
    assert grid_of(stock).as_serialized_json == json.dumps(dataclasses.asdict(stock))
    assert seen(grid_of(stock).handed_out()) == seen(stock)


def test_a_grid_is_a_canonical_value():
    grid = DeviceGrid(((DeviceId(0), DeviceId(1)),))
    assert isinstance(grid, CachedSerialization)
    assert interner(DeviceGrid).cache_info().currsize >= 1
    assert DeviceGrid(((DeviceId(0), DeviceId(1)),)) is grid
    assert DeviceGrid(((DeviceId(0),), (DeviceId(1),))) is not grid


def test_meshes_of_other_names_share_a_grid():
    devices = np.array(jax.devices()).reshape(2, 4)
    one, other = (
        grid_of(metadata.DeviceMetadataMesh.from_jax_mesh(Mesh(devices, names)))
        for names in (("a", "b"), ("c", "d"))
    )
    assert one is other


def test_the_value_of_an_untouched_object_is_the_one_it_was_handed_out_from():
    grid = DeviceGrid((DeviceId(0),))
    handed_out = grid.handed_out()
    assert grid_of(handed_out) is grid
    handed_out.mesh[0].id = 5
    assert grid_of(handed_out) is DeviceGrid((DeviceId(5),))
    assert grid.handed_out().mesh[0].id == 0


class Device(metadata.DeviceMetadata):
    pass


def with_more(device):
    device.kind = "more"
    return device


@pytest.mark.parametrize(
    "mesh",
    [
        [metadata.DeviceMetadata("0")],
        [metadata.DeviceMetadata(True)],
        [metadata.DeviceMetadata(np.int64(0))],
        [Device(0)],
        [with_more(metadata.DeviceMetadata(0))],
        [{"id": 0}],
        (metadata.DeviceMetadata(0),),
        {"a": []},
    ],
    ids=repr,
)
def test_anything_unexpected_is_refused(mesh):
    with pytest.raises(UnknownContentError):
        grid_of(metadata.DeviceMetadataMesh(mesh))


def test_another_class_is_refused():
    class Other(metadata.DeviceMetadataMesh):
        pass

    for stranger in (Other([]), object(), with_more(metadata.DeviceMetadataMesh([]))):
        with pytest.raises(UnknownContentError):
            grid_of(stranger)
