import jax
import pytest
from hypothesis import given
from jax.sharding import NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters import orbax
from tests.adapters.orbax.conftest import STOCK, found
from tests.adapters.orbax.shardings import outcome, shardings, written


@given(shardings())
def test_the_text_is_that_of_stock(sharding):
    expected = outcome(written, sharding)
    assert outcome(orbax.serialized_sharding, sharding) == expected
    with orbax.installed():
        assert outcome(orbax.serialized_sharding, sharding) == expected
    assert found() == STOCK


def test_each_sharding_is_serialized_once(mesh, monkeypatch):
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    text = orbax.serialized_sharding(sharding)
    monkeypatch.setattr(metadata.DeviceMetadata, "from_jax_device", None)
    again = NamedSharding(mesh, PartitionSpec("x"))
    assert orbax.serialized_sharding(again) is text


@pytest.mark.parametrize("stranger", [None, "x", PartitionSpec(), object()])
def test_what_orbax_has_no_metadata_for_is_refused(stranger):
    with pytest.raises(TypeError, match=type(stranger).__name__):
        orbax.serialized_sharding(stranger)


def test_a_spec_without_json_is_refused_as_in_stock(mesh):
    sharding = NamedSharding(mesh, PartitionSpec(PartitionSpec.UNCONSTRAINED))
    assert outcome(orbax.serialized_sharding, sharding) == outcome(written, sharding)
    with pytest.raises(TypeError):
        orbax.serialized_sharding(sharding)


def test_a_single_device_has_a_text():
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[3])
    assert orbax.serialized_sharding(sharding) == written(sharding)
