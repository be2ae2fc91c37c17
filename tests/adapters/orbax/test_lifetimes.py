"""Nothing of JAX's is kept alive: no mesh, no device, no client of a backend."""

import gc
import os
import subprocess
import sys
import weakref

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as metadata

from interned import interner
from interned.adapters import orbax
from interned.adapters.orbax.texts import grid, written


def forget_in_jax():
    """Lets JAX forget the meshes that nobody uses; before 0.10 it has a table of its own."""
    jax.clear_caches()
    getattr(jax._src.mesh, "_mesh_object_dict", {}).clear()
    gc.collect()


def use(mesh):
    """Writes, reads and makes shardings of a mesh, and returns what was handed out."""
    named = metadata.from_jax_sharding(NamedSharding(mesh, PartitionSpec(mesh.axis_names)))
    read = metadata.from_serialized_string(named.to_serialized_string())
    assert read.to_jax_sharding() == read.to_jax_sharding() == named.to_jax_sharding()
    return named, read, metadata.DeviceMetadataMesh.from_jax_mesh(mesh)


def test_no_mesh_is_kept():
    devices = np.array(jax.devices())
    meshes, handed_out = [], []
    with orbax.installed():
        for number in range(200):
            mesh = Mesh(devices[number % 7 :], (f"axis {number}",))
            meshes.append(weakref.ref(mesh))
            handed_out.append(use(mesh))
            del mesh
        forget_in_jax()
        assert [reference() for reference in meshes if reference() is not None] == []
    assert orbax.cache_info().currsize == len(handed_out)  # only what was read, by its text
    assert interner(grid).cache_info().currsize == interner(written).cache_info().currsize == 0
    assert handed_out[5][0].axis_names == ["axis 5"]


PROGRAM = """
import gc, weakref
import jax, jax.extend
import numpy as np
from orbax.checkpoint._src.metadata import sharding as metadata
from interned import interner
from interned.adapters import orbax

def use():
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    text = metadata.from_jax_sharding(sharding).to_serialized_string()
    assert metadata.from_serialized_string(text).to_jax_sharding() == sharding
    assert metadata.from_serialized_string(text).to_jax_sharding() == sharding
    return text, weakref.ref(jax.devices()[0].client)

orbax.install()
first, client = use()
assert client() is not None
jax.clear_caches()
jax.extend.backend.clear_backends()
getattr(jax._src.mesh, "_mesh_object_dict", {}).clear()
gc.collect()
assert client() is None
second, client = use()
assert second == first
assert client() is jax.devices()[0].client
"""


def test_no_client_is_kept_and_the_next_one_is_used():
    subprocess.run([sys.executable, "-c", PROGRAM], env=dict(os.environ), check=True)


def test_an_unused_mesh_is_made_again():
    mesh = Mesh(np.array(jax.devices()), ("once",))
    with orbax.installed():
        _, read, _ = use(mesh)
        del mesh
        forget_in_jax()
        assert read.to_jax_sharding().mesh.axis_names == ("once",)
