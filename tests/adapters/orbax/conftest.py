"""Eight virtual devices, and stock Orbax before and after each test."""

import os
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import numpy as np
import pytest
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters import orbax

HERE = Path(__file__).parent
# What other people's code warns of: that shardings are read from the file, which is what is tested
# here; and, in older versions of Orbax, what it leaves open.
WARNINGS = ["ignore:.*sharding info", "ignore::DeprecationWarning", "ignore::ResourceWarning"]


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            for warning in WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(warning))


PLACES = [
    (metadata.NamedShardingMetadata, "from_jax_sharding"),
    (metadata.DeviceMetadataMesh, "from_jax_mesh"),
    (metadata.NamedShardingMetadata, "to_serialized_string"),
    (metadata, "from_serialized_string"),
]
STOCK = [vars(owner)[name] for owner, name in PLACES]


def found():
    return [vars(owner)[name] for owner, name in PLACES]


@pytest.fixture(autouse=True)
def stock():
    """Orbax's own functions, which are in their places around each test."""
    yield STOCK
    orbax.uninstall()
    orbax.cache_clear()
    assert all(now is then for now, then in zip(found(), STOCK, strict=True))


@pytest.fixture
def mesh():
    devices = np.array(jax.devices()).reshape(2, 4)
    return jax.sharding.Mesh(devices, ("x", "y"))


@pytest.fixture
def sharding(mesh):
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x", None))
