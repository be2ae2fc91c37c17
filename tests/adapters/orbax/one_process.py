"""One of several processes that save and restore a checkpoint together.

Usage: one_process.py PORT PROCESSES RANK FOLDER. Leaves what it read in FOLDER/RANK.txt.
"""

# ruff: noqa: E402 - JAX is imported when the environment is set for it

import os
import sys
from pathlib import Path

port, processes, rank = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
folder = Path(sys.argv[4])

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={8 // processes}"

import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from interned.adapters import orbax

orbax.install()
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{port}", processes, rank)
assert (len(jax.devices()), len(jax.local_devices())) == (8, 8 // processes)

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
values = np.arange(64, dtype=np.float32).reshape(8, 8)
tree = {
    f"layer_{number}": jax.make_array_from_callback(
        values.shape, NamedSharding(mesh, PartitionSpec(*spec)), values.__getitem__
    )
    for number, spec in enumerate([(), ("x",), ("x", "y"), (None, "y"), (("y", "x"),)])
}
checkpointer = ocp.PyTreeCheckpointer()
checkpointer.save(folder / "ours", tree)
orbax.uninstall()
checkpointer.save(folder / "stock", tree)

orbax.install()
restored = checkpointer.restore(folder / "stock")
for name, array in tree.items():
    assert restored[name].sharding == array.sharding, name
    shards = array.addressable_shards, restored[name].addressable_shards
    assert all(np.array_equal(one.data, other.data) for one, other in zip(*shards, strict=True))

described = checkpointer.metadata(folder / "ours")
described = getattr(described, "item_metadata", described)
described = getattr(described, "tree", described)
texts = {name: described[name].sharding.to_serialized_string() for name in sorted(tree)}
for name, array in tree.items():
    assert texts[name] == orbax.serialized_sharding(array.sharding), name
(folder / f"{rank}.txt").write_text("\n".join(texts.values()), encoding="utf-8")
