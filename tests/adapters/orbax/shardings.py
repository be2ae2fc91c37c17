"""Shardings of all kinds, and everything that a reader can see of a metadata object."""

import dataclasses
import math

import jax
import numpy as np
from hypothesis import reject
from hypothesis import strategies as st
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding
from orbax.checkpoint._src.metadata import sharding as metadata

AxisType = getattr(jax.sharding, "AxisType", None)
NAMES = ["x", "y", "model", "twin", "é", "轴", '"', "\\", "\ud800", "", "a b", 0, 1, 2, -7]
# For `==` they are names from above, and on paper they are not. JAX hands out its living spec where
# it is asked for an equal one, so other tests do not use their twins.
LOOKALIKES = [True, False, np.str_("twin"), 1.0, ("x", "y")]


@st.composite
def shapes(draw):
    """Draws the shape of a mesh of at most eight devices and rank 0 to 5."""
    shape = []
    for _ in range(draw(st.integers(0, 5))):
        shape.append(draw(st.integers(1, 8 // math.prod(shape))))
    return tuple(shape)


@st.composite
def meshes(draw):
    shape = draw(shapes())
    devices = draw(st.permutations(jax.devices()))[: math.prod(shape)]
    grid = np.empty(len(devices), dtype=object)
    grid[:] = devices
    one_each = {"min_size": len(shape), "max_size": len(shape)}
    names = draw(st.lists(st.sampled_from(NAMES + LOOKALIKES), unique=True, **one_each))
    types = {}
    if AxisType is not None:
        types["axis_types"] = tuple(draw(st.lists(st.sampled_from(list(AxisType)), **one_each)))
    return Mesh(grid.reshape(shape), tuple(names), **types)


@st.composite
def specs(draw, names):
    """Draws a spec that uses each axis at most once."""
    left = list(draw(st.permutations(names)))
    elements = []
    for kind in draw(st.lists(st.sampled_from(["none", "name", "names", "free"]), max_size=4)):
        count = min(len(left), draw(st.integers(0, 3))) if kind == "names" else 1
        if kind == "none" or (kind == "name" and not left):
            elements.append(None)
        elif kind == "free":
            elements.append(draw(st.sampled_from([None, PartitionSpec.UNCONSTRAINED])))
        else:
            taken = [left.pop() for _ in range(count)]
            elements.append(taken[0] if kind == "name" else tuple(taken))
    return PartitionSpec(*elements)


@st.composite
def shardings(draw):
    """Draws a sharding, of a kind that Orbax has metadata for or not."""
    kind = draw(st.sampled_from(["named"] * 6 + ["single", "abstract", "empty"]))
    if kind == "single":
        return SingleDeviceSharding(draw(st.sampled_from(jax.devices())))
    if kind == "empty":
        return NamedSharding(Mesh(np.empty((), dtype=object), ()), PartitionSpec())
    mesh = draw(meshes())
    memory = {}
    if kind == "named" and draw(st.booleans()):
        memory["memory_kind"] = draw(st.sampled_from([None, "unpinned_host"]))
    try:
        where = mesh if kind == "named" else mesh.abstract_mesh
        return NamedSharding(where, draw(specs(mesh.axis_names)), **memory)
    except Exception:
        reject()


def seen(value):
    """Returns all that a reader can see of a value: types, order, what is nested in it."""
    if dataclasses.is_dataclass(value):
        fields = [(name, seen(field)) for name, field in vars(value).items()]
        return type(value), fields, repr(value)
    if isinstance(value, np.ndarray):
        return type(value), value.dtype.str, value.shape, value.tolist()
    if isinstance(value, list | tuple):
        return type(value), [seen(element) for element in value]
    return type(value), repr(value)


def outcome(function, *arguments):
    """Returns what a call returns, or how it fails."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error)


def written(sharding):
    """Returns the text that a save would write."""
    described = metadata.from_jax_sharding(sharding)
    return described if described is None else described.to_serialized_string()
