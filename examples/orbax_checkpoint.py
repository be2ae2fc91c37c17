"""Save one checkpoint in three ways: with stock Orbax, as publicly proposed, and with `interned`.

    python examples/orbax_checkpoint.py --devices 2048

The devices are virtual ones, on the CPU. The three ways take turns; all of them have to write the
same bytes, and what is restored has to equal what was saved.
"""

# ruff: noqa: E402 - JAX is imported when the environment is set for it

import argparse
import dataclasses
import functools
import hashlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from operator import truediv
from pathlib import Path
from typing import Any
from unittest.mock import patch

parser = argparse.ArgumentParser(description="Save one checkpoint in three ways, and compare.")
parser.add_argument("--devices", type=int, default=512, help="virtual devices, an even number")
parser.add_argument("--arrays", type=int, default=200, help="arrays in the checkpoint")
parser.add_argument("--processes", type=int, default=1, help="processes that share the devices")
parser.add_argument("--rounds", type=int, default=7, help="saves in each of the ways")
parser.add_argument("--folder", help="where to save, such as /dev/shm")
parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
parser.add_argument("--rank", type=int, default=0, help=argparse.SUPPRESS)
parser.add_argument("--port", help=argparse.SUPPRESS)
options = parser.parse_args()


def run_processes() -> int:
    """Run this program once for each process, and return the worst exit status."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        again = [sys.executable, *sys.argv, "--folder", folder, "--port", port, "--rank"]
        running = [subprocess.Popen([*again, str(n)]) for n in range(options.processes)]  # noqa: S603
        return max(abs(process.wait()) for process in running)


if options.processes > 1 and options.port is None:
    sys.exit(run_processes())

# JAX and XLA look at these when they are imported.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    f"--xla_force_host_platform_device_count={options.devices // options.processes}"
)

import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as stock
from rich.console import Console
from rich.progress import track
from rich.table import Table

from interned.adapters import orbax

Arrays = dict[str, jax.Array]
Samples = dict[str, list[dict[str, Any]]]

from_jax_mesh = stock.DeviceMetadataMesh.from_jax_mesh


@functools.lru_cache
def shared_mesh(mesh: Mesh) -> stock.DeviceMetadataMesh:
    """Return one metadata object for each mesh, as the proposal does."""
    return from_jax_mesh(mesh)


def text_from_cached_dict(metadata: stock.NamedShardingMetadata) -> str:
    """Write what Orbax writes, from a dict that is made once for each shared object."""
    mesh = metadata.device_mesh
    if not hasattr(mesh, "as_serialized_dict"):
        mesh.as_serialized_dict = dataclasses.asdict(mesh)
    data = {
        "sharding_type": "NamedSharding",
        "shape": metadata.shape.tolist(),
        "axis_names": metadata.axis_names,
    }
    if hasattr(metadata, "axis_types"):
        data["axis_types"] = [str(axis_type) for axis_type in metadata.axis_types]
    data["partition_spec"] = metadata.partition_spec
    data["device_mesh"] = mesh.as_serialized_dict
    return json.dumps(data)


@contextmanager
def proposal() -> Iterator[None]:
    """Change Orbax as proposed in https://github.com/google/orbax/issues/3494."""
    with (
        patch.object(stock.DeviceMetadataMesh, "from_jax_mesh", shared_mesh),
        patch.object(stock.NamedShardingMetadata, "to_serialized_string", text_from_cached_dict),
    ):
        yield


WAYS = {"stock Orbax": nullcontext, "proposal": proposal, "interned": orbax.installed}


def build() -> Arrays:
    """Return small arrays, sharded in different ways over one mesh of all devices."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, -1), ("data", "model"))
    specs = [("data",), (), (None, "data"), ("data", None)]

    def array(n: int) -> jax.Array:
        values = np.arange(n, n + 16, dtype=np.float32).reshape(4, 4)
        sharding = NamedSharding(mesh, PartitionSpec(*specs[n % len(specs)]))
        return jax.make_array_from_callback(values.shape, sharding, values.__getitem__)

    return {f"layer_{n}": array(n) for n in range(options.arrays)}


def seconds(function: Callable[..., object], *arguments: object) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def serialize(arrays: Arrays) -> None:
    """Do for the metadata of all arrays what a save does."""
    for array in arrays.values():
        stock.from_jax_sharding(array.sharding).to_serialized_string()


def fastest(function: Callable[..., object], *arguments: object) -> float:
    """Return the least time of the calls that fit into a twentieth of a second, or of one."""
    times = [seconds(function, *arguments)]
    while sum(times) < 0.05:
        times.append(seconds(function, *arguments))
    return min(times)


def measure(arrays: Arrays, folder: Path) -> Samples:
    """Save in each way in turn, round after round, and return what each save showed, by way."""
    checkpointer = ocp.PyTreeCheckpointer()
    seen = {way: [] for way in WAYS}
    rounds = range(options.rounds + 1)
    quiet = options.json or options.rank > 0
    for number in track(rounds, "Saving ...", console=Console(stderr=True), disable=quiet):
        for way, change in WAYS.items():
            path = folder / f"{number} {way}"
            with change():
                sample = {
                    "save": seconds(checkpointer.save, path, arrays),
                    "serialize": fastest(serialize, arrays),
                    "metadata": seconds(checkpointer.metadata, path),
                }
                if number == 0:
                    sample["restored_equal"] = same(arrays, checkpointer.restore(path))
            sample["sha256"] = hashlib.sha256((path / "_sharding").read_bytes()).hexdigest()
            seen[way].append(sample)
    return seen


def parts(array: jax.Array) -> dict[str, bytes]:
    """Return the distinct parts of an array that this process holds."""
    return {
        str(shard.index): np.asarray(shard.data).tobytes() for shard in array.addressable_shards
    }


def same(arrays: Arrays, restored: Arrays) -> bool:
    """Tell whether arrays and shardings came back as they were."""
    return arrays.keys() == restored.keys() and all(
        array.sharding == restored[name].sharding and parts(array) == parts(restored[name])
        for name, array in arrays.items()
    )


def summary(arrays: Arrays, seen: Samples) -> list[dict[str, Any]]:
    """Return one row of figures for each way: medians over the rounds, where stock is paired."""

    def column(way: str, what: str) -> list[float]:
        return [sample[what] for sample in seen[way][1:]]  # the first round warms up

    def row(way: str) -> dict[str, Any]:
        figures = {"way": way}
        for what in ("save", "metadata", "serialize"):
            mine, others = column(way, what), column("stock Orbax", what)
            figures[what] = statistics.median(mine)
            figures[f"{what}_ratio"] = statistics.median(map(truediv, others, mine))
        figures["microseconds_per_array"] = figures.pop("serialize") * 1e6 / len(arrays)
        figures["sha256"] = sorted({sample["sha256"] for sample in seen[way]})
        figures["restored_equal"] = seen[way][0]["restored_equal"]
        return figures

    return [row(way) for way in WAYS]


def show(rows: list[dict[str, Any]]) -> None:
    """Print the rows, as a table or as JSON."""
    if options.json:
        print(json.dumps(rows, indent=2), file=report)
        return
    title = f"{options.arrays} arrays over {options.devices} devices, PyTreeCheckpointer"
    table = Table("", "save", "metadata()", "text per array", "SHA-256", "restored", title=title)
    for row in rows:
        table.add_row(
            row["way"],
            f"{row['save']:.3f} s\n{row['save_ratio']:.1f} x",
            f"{row['metadata']:.3f} s\n{row['metadata_ratio']:.1f} x",
            f"{row['microseconds_per_array']:,.1f} µs\n{row['serialize_ratio']:,.0f} x",
            "\n".join(digest[:10] for digest in row["sha256"]),
            "equal" if row["restored_equal"] else "DIFFERENT",
        )
    Console(file=report).print(table)


report = sys.stdout
if options.port is not None:
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Gloo says on the standard output who is connected
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{options.port}", options.processes, options.rank)

warnings.filterwarnings("ignore", ".*sharding info")  # it is to come from the file
arrays = build()
with tempfile.TemporaryDirectory(dir=options.folder) as own:
    rows = summary(arrays, measure(arrays, Path(options.folder if options.port else own)))
if options.rank == 0:
    show(rows)

if len({digest for row in rows for digest in row["sha256"]}) > 1:
    sys.exit("The ways wrote different bytes.")
if not all(row["restored_equal"] for row in rows):
    sys.exit("What was restored is not what was saved.")
