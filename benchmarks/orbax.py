"""Orbax: the sharding metadata of one array, for meshes of several sizes.

The number of virtual devices is fixed when JAX starts, so each size runs in a process of its own,
where stock Orbax, the publicly proposed change and our adapter are interleaved as ever.
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

SIZES = (8, 64, 512, 2048)
CODE = "for s in shardings: Metadata.from_jax_sharding(s).to_serialized_string()"


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure each size, in a process of its own."""
    if find_spec("orbax") is None:
        yield Comparison("metadata of one array", "interned", math.nan, (), ("Orbax",))
        return
    for devices in SIZES:
        yield _in_a_process(devices, plan)


def _in_a_process(devices: int, plan: Plan) -> Comparison:
    flags = f"--xla_force_host_platform_device_count={devices}"
    run = subprocess.run(  # noqa: S603 - our own module, with numbers as its arguments
        [sys.executable, "-m", __name__, str(devices), str(plan.rounds), str(plan.slice_seconds)],
        env=os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return comparison_from(json.loads(run.stdout))


def case(devices: int) -> Case:
    """Make the case of one size: what Orbax does for each array that it saves."""
    from interned.adapters import orbax

    shardings = some_shardings()
    namespace = names(shardings)

    def subject(name: str, **options: Any) -> Subject:
        return Subject(name, CODE, lambda: namespace, per=len(shardings), **options)

    title = f"metadata of one array, {devices} devices"
    ours = subject("interned", around=orbax.installed)
    return Case(title, ours, [subject("stock"), subject("proposal", around=proposal())], at=devices)


def some_shardings() -> list[Any]:
    """Make the shardings of four arrays over one mesh of all devices, with two axes."""
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from numpy import array

    grid = array(jax.devices()).reshape(-1, 4)
    mesh = Mesh(grid, ("data", "model"))
    specs = [(), ("data",), (None, "model"), (("data", "model"),)]
    return [NamedSharding(mesh, PartitionSpec(*spec)) for spec in specs]


def names(shardings: list[Any]) -> Mapping[str, Any]:
    """Make the namespace of every way."""
    from orbax.checkpoint import metadata

    return {"shardings": shardings, "Metadata": metadata.NamedShardingMetadata}


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
    """Measure the size given on the command line and print the comparison as JSON."""
    devices, rounds, seconds = sys.argv[1:]
    plan = Plan(rounds=int(rounds), slice_seconds=float(seconds))
    print(json.dumps(dataclasses.asdict(compare(case(int(devices)), plan))))


if __name__ == "__main__":
    main()
