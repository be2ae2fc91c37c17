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
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from operator import attrgetter, truediv
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

MEMORY_DISK = "/dev/shm"  # noqa: S108 - a folder of our own is made in it


def positive(text: str) -> int:
    """Read a number of at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def folder(text: str) -> str:
    """Read the name of a folder that exists."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return text


def memory_disk() -> str | None:
    """Return a folder that is kept in memory, `None` where there is none with enough room."""
    usable = os.access(MEMORY_DISK, os.W_OK) and shutil.disk_usage(MEMORY_DISK).free > 2**30
    return MEMORY_DISK if usable else None


parser = argparse.ArgumentParser(description="Save one checkpoint in three ways, and compare.")
parser.add_argument("--devices", type=positive, default=512, help="virtual devices, even (512)")
parser.add_argument("--arrays", type=positive, default=200, help="arrays in the checkpoint (200)")
parser.add_argument("--processes", type=positive, default=1, help="that share the devices (1)")
parser.add_argument("--rounds", type=positive, default=7, help="saves in each of the ways (7)")
parser.add_argument("--restores", type=positive, default=1, help="last rounds that restore too (1)")
parser.add_argument("--folder", type=folder, default=memory_disk(), help="where to save (memory)")
parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
parser.add_argument("--rank", type=int, default=0, help=argparse.SUPPRESS)
parser.add_argument("--port", help=argparse.SUPPRESS)
options = parser.parse_args()
if options.devices % 2:
    parser.error(f"--devices: the mesh has two rows, and {options.devices} is odd")
if options.devices % options.processes:
    parser.error(
        f"--processes: {options.devices} devices cannot be shared out to {options.processes}"
    )


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

shared_mesh = functools.lru_cache(stock.DeviceMetadataMesh.from_jax_mesh)
cached_dict = functools.cached_property(dataclasses.asdict)
cached_dict.__set_name__(stock.DeviceMetadataMesh, "as_serialized_dict")


@contextmanager
def proposal() -> Iterator[None]:
    """Change Orbax as proposed in https://github.com/google/orbax/issues/3494.

    Meshes share one metadata object each, which keeps its dict; `to_serialized_string` reads that.
    """
    reads_the_dict = SimpleNamespace(asdict=attrgetter("as_serialized_dict"))
    with (
        patch.object(stock.DeviceMetadataMesh, "from_jax_mesh", shared_mesh),
        patch.object(stock.DeviceMetadataMesh, "as_serialized_dict", cached_dict, create=True),
        patch.object(stock, "dataclasses", reads_the_dict),
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


def timed(function: Callable[..., Any], *arguments: object) -> tuple[float, Any]:
    """Return how many seconds a call takes, and its result."""
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def serialize(arrays: Arrays) -> None:
    """Do for the metadata of all arrays what a save does."""
    for array in arrays.values():
        stock.from_jax_sharding(array.sharding).to_serialized_string()


def fastest(function: Callable[..., object], *arguments: object) -> float:
    """Return the least time of the calls that fit into a twentieth of a second, or of one."""
    times = [timed(function, *arguments)[0]]
    while sum(times) < 0.05:
        times.append(timed(function, *arguments)[0])
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
                    "save": timed(checkpointer.save, path, arrays)[0],
                    "serialize": fastest(serialize, arrays),
                    "metadata": timed(checkpointer.metadata, path)[0],
                }
                if number > options.rounds - options.restores:
                    sample["restore"], restored = timed(checkpointer.restore, path)
                    sample["restored_equal"] = same(arrays, restored)
            sample["sha256"] = hashlib.sha256((path / "_sharding").read_bytes()).hexdigest()
            seen[way].append(sample)
            if options.rank == 0:  # all have read the last one, since all took part in this save
                shutil.rmtree(folder / f"{number - 1} {way}", ignore_errors=True)
    return seen


def parts(array: jax.Array) -> dict[str, bytes]:
    """Return the distinct parts of an array that this process holds."""
    distinct = {str(shard.index): shard for shard in array.addressable_shards}
    return {index: np.asarray(shard.data).tobytes() for index, shard in distinct.items()}


def same(arrays: Arrays, restored: Arrays) -> bool:
    """Tell whether arrays and shardings came back as they were."""
    return arrays.keys() == restored.keys() and all(
        array.sharding == restored[name].sharding and parts(array) == parts(restored[name])
        for name, array in arrays.items()
    )


def summary(arrays: Arrays, seen: Samples) -> list[dict[str, Any]]:
    """Return one row of figures for each way: medians over the rounds, where stock is paired."""

    def column(way: str, what: str) -> list[float]:
        warm = seen[way][1:]
        return [sample[what] for sample in warm if what in sample]

    def row(way: str) -> dict[str, Any]:
        figures = {"way": way}
        for what in ("save", "metadata", "restore", "serialize"):
            mine, others = column(way, what), column("stock Orbax", what)
            figures[what] = statistics.median(mine)
            figures[f"{what}_ratio"] = statistics.median(map(truediv, others, mine))
        figures["microseconds_per_array"] = figures.pop("serialize") * 1e6 / len(arrays)
        figures["sha256"] = sorted({sample["sha256"] for sample in seen[way]})
        figures["restored_equal"] = all(column(way, "restored_equal"))
        return figures

    return [row(way) for way in WAYS]


def show(rows: list[dict[str, Any]]) -> None:
    """Print the rows, as a table or as JSON."""
    if options.json:
        print(json.dumps(rows, indent=2), file=report)
        return
    title = f"{options.arrays} arrays over {options.devices} devices, PyTreeCheckpointer"
    table = Table("", "save", "metadata()", "restore", "text per array", "SHA-256", title=title)
    for row in rows:
        verdict = "equal" if row["restored_equal"] else "DIFFERENT"
        table.add_row(
            row["way"],
            f"{row['save']:.3f} s\n{row['save_ratio']:.1f} x",
            f"{row['metadata']:.3f} s\n{row['metadata_ratio']:.1f} x",
            f"{row['restore']:.3f} s\n{row['restore_ratio']:.2f} x\n{verdict}",
            f"{row['microseconds_per_array']:,.1f} µs\n{row['serialize_ratio']:,.0f} x",
            "\n".join(digest[:10] for digest in row["sha256"]),
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
