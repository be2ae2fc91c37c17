"""Orbax: the sharding metadata of one array, for meshes of several sizes.

The number of virtual devices is fixed when JAX starts, so each size runs in a process of its own,
where stock Orbax, the publicly proposed change and our adapter are interleaved as ever. Whole
checkpoints are measured by `examples/orbax_checkpoint.py`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from operator import attrgetter
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from benchmarks.report import comparison_from

SIZES = (8, 64, 512, 2048, 8192)
# A round of stock Orbax takes a time in proportion to the devices: half a second for the most.
DEVICE_ROUNDS = 200_000
SAVE, RESTORE = "save one array", "restore one array"
CODES = {
    SAVE: "for s in shardings: Metadata.from_jax_sharding(s).to_serialized_string()",
    # A text that was read from a file is a new string, whose hash nobody knows yet.
    RESTORE: "for t in texts: module.from_serialized_string(t.decode()).to_jax_sharding()",
}


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure each size, in a process of its own."""
    if find_spec("orbax") is None:
        yield Comparison(SAVE, "interned", math.nan, (), ("Orbax",))
        return
    for devices in SIZES:
        yield from _in_a_process(devices, plan)


def _in_a_process(devices: int, plan: Plan) -> list[Comparison]:
    flags = f"--xla_force_host_platform_device_count={devices}"
    rounds = min(plan.rounds, DEVICE_ROUNDS // devices)
    run = subprocess.run(  # noqa: S603 - our own module, with numbers as its arguments
        [sys.executable, "-m", __name__, str(devices), str(rounds), str(plan.slice_seconds)],
        env=os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [comparison_from(each) for each in json.loads(run.stdout)]


def cases(devices: int) -> Iterator[Case]:
    """Yield the cases of one size: what Orbax does for each array that it saves or restores."""
    from interned.adapters import orbax

    proposed = proposal()
    large, small = names(devices), names(min(SIZES))
    for what, code in CODES.items():

        def subject(
            name: str, code: str = code, found: Mapping[str, Any] = large, **options: Any
        ) -> Subject:
            return Subject(name, code, lambda: found, per=len(found["shardings"]), **options)

        ours = subject("interned", around=orbax.installed)
        peers = [subject("stock"), subject("proposal", around=proposed)]
        if devices > min(SIZES):
            on_few = f"interned, mesh of {min(SIZES)}"
            peers.append(subject(on_few, found=small, around=orbax.installed))
        yield Case(f"{what}, {devices:,} devices", ours, peers, at=devices)


def names(devices: int) -> Mapping[str, Any]:
    """Make the namespace of every way: four arrays over one mesh of so many devices."""
    from orbax.checkpoint import metadata
    from orbax.checkpoint._src.metadata import sharding as module

    shardings = some_shardings(devices)
    texts = [module.from_jax_sharding(one).to_serialized_string().encode() for one in shardings]
    kind = metadata.NamedShardingMetadata
    return {"shardings": shardings, "texts": texts, "Metadata": kind, "module": module}


def some_shardings(devices: int) -> list[Any]:
    """Make shardings over one mesh of so many devices, with two axes."""
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from numpy import array

    grid = array(jax.devices()[:devices]).reshape(-1, 4)
    mesh = Mesh(grid, ("data", "model"))
    specs = [(), ("data",), (None, "model"), (("data", "model"),)]
    return [NamedSharding(mesh, PartitionSpec(*spec)) for spec in specs]


def proposal() -> Callable[[], AbstractContextManager[object]]:
    """Make what was proposed to Orbax: an LRU of the meshes' metadata, each with its dict cached.

    Made once and entered for each round, so that its caches stay warm like ours.
    """
    from orbax.checkpoint._src.metadata import sharding

    mesh_class = sharding.DeviceMetadataMesh
    convert = functools.lru_cache(maxsize=128)(vars(mesh_class)["from_jax_mesh"].__func__)
    as_dict = functools.cached_property(dataclasses.asdict)
    as_dict.__set_name__(mesh_class, "as_serialized_dict")

    @contextmanager
    def patched() -> Iterator[None]:
        with (
            patch.object(mesh_class, "from_jax_mesh", classmethod(convert)),
            patch.object(mesh_class, "as_serialized_dict", as_dict, create=True),
            patch.object(sharding, "dataclasses", READS_THE_CACHED_DICT),
        ):
            yield

    return patched


# Stands in for the module `dataclasses` where Orbax asks it for the dict of a mesh.
READS_THE_CACHED_DICT = SimpleNamespace(asdict=attrgetter("as_serialized_dict"))


def main() -> None:
    """Measure the size given on the command line and print the comparisons as JSON."""
    devices, rounds, seconds = sys.argv[1:]
    plan = Plan(rounds=int(rounds), slice_seconds=float(seconds))
    found = [compare(case, plan) for case in cases(int(devices))]
    print(json.dumps([dataclasses.asdict(one) for one in found]))


if __name__ == "__main__":
    main()
