import gc
import weakref

import attrs
import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters.orbax.deferred import source_of
from interned.adapters.orbax.grids import UnknownContentError
from interned.adapters.orbax.known import known_of
from interned.adapters.orbax.seams import orbax
from tests.adapters.orbax.shardings import outcome, seen


@pytest.fixture
def named(sharding):
    return metadata.from_jax_sharding(sharding)


def test_what_is_handed_out_is_fresh_and_equal(named):
    before = seen(named)
    known = known_of(named)
    assert seen(named) == before
    one = known.handed_out()
    one.axis_names.clear()
    one.device_mesh.mesh.clear()
    one.shape[0] = 99
    assert seen(known.handed_out()) == before


def test_the_text_is_put_together_from_the_parts(named):
    assert known_of(named).serialized() == named.to_serialized_string()
    named.device_mesh = None
    assert known_of(named).serialized() == named.to_serialized_string()


def test_the_text_of_a_handed_out_object_is_remembered(named):
    known = attrs.evolve(known_of(named), text="remembered")
    handed_out = known.handed_out()
    assert handed_out.to_serialized_string() == "remembered"
    assert source_of(handed_out) is known


def test_without_a_text_it_is_computed(named):
    assert known_of(named).handed_out().to_serialized_string() == named.to_serialized_string()


def test_another_class_is_refused(named):
    class Other(metadata.NamedShardingMetadata):
        pass

    single = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    for stranger in (Other(**vars(named)), metadata.from_jax_sharding(single), None):
        with pytest.raises(UnknownContentError):
            known_of(stranger)


@pytest.fixture
def conversions(monkeypatch):
    """Counts how often stock Orbax makes devices from metadata."""
    calls = []
    convert = orbax().grid.to_jax_device_mesh

    def count(self):
        calls.append(self)
        return convert(self)

    monkeypatch.setattr(orbax().grid, "to_jax_device_mesh", count)
    return calls


def test_a_sharding_in_use_is_made_again_on_its_mesh(named, sharding, conversions):
    known = known_of(named)
    first = known.sharding()
    assert first == sharding
    assert known.sharding() == first
    assert known.sharding().mesh is first.mesh
    assert len(conversions) == 1


def test_other_devices_make_it_anew(named, sharding, conversions, monkeypatch):
    known = known_of(named)
    first = known.sharding()
    devices = jax.devices()
    monkeypatch.setattr(jax, "devices", lambda: devices[::-1])
    assert known.sharding() == first
    assert len(conversions) == 2
    monkeypatch.setattr(jax, "devices", lambda: devices[1:])
    for each in (known.handed_out(), named):
        with pytest.raises(ValueError, match="available devices are different"):
            each.to_jax_sharding()
    monkeypatch.undo()
    assert known.sharding() == sharding


def test_a_failure_is_not_remembered(named, sharding):
    named.device_mesh.mesh[0][0].id = 99
    known = known_of(named)
    assert outcome(known.sharding) == outcome(named.to_jax_sharding)
    devices = jax.devices()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax, "devices", lambda: [Named99(devices[0]), *devices[1:]])
        patch.setattr(metadata.jax.sharding, "Mesh", lambda *_, **__: sharding.mesh)
        assert known.sharding() == sharding
    with pytest.raises(ValueError, match="available devices are different"):
        known.sharding()


class Named99:
    """A device under another number."""

    id = 99

    def __init__(self, device):
        self.device = device


def test_nothing_of_jax_is_kept():
    mesh = Mesh(np.array(jax.devices()), ("kept?",))
    known = known_of(metadata.from_jax_sharding(NamedSharding(mesh, PartitionSpec())))
    sharding = known.sharding()
    assert sharding.mesh is mesh or sharding.mesh == mesh
    handed_out = known.handed_out()
    meshes = weakref.ref(mesh), weakref.ref(sharding.mesh)
    del mesh, sharding
    forget_in_jax()
    assert [reference() for reference in meshes] == [None, None]
    assert handed_out.axis_names == ["kept?"]


def forget_in_jax():
    """Lets JAX forget what it remembers of meshes that nobody uses."""
    jax.clear_caches()
    getattr(jax._src.mesh, "_mesh_object_dict", {}).clear()
    gc.collect()
