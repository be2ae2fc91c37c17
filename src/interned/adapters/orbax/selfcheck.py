"""Find out whether this Orbax is as known, by a sharding made by hand: no device is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from operator import is_
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from interned.adapters.orbax.deferred import settle
from interned.adapters.orbax.known import known_of
from interned.adapters.orbax.seams import orbax, unsupported

__all__ = ["check"]

# The functions of Orbax that have passed.
_passed: list[Any] = []


def check() -> None:
    """Compare Orbax with what is known of it, unless these very functions have passed before.

    Raises:
        UnsupportedVersionError: A function is missing, or an answer is not the known one.
    """
    functions = [seam.stock() for seam in orbax().seams]
    if _passed and all(map(is_, _passed, functions)):
        return
    try:
        for what, answer, expected in _answers():
            if answer != expected:
                raise unsupported(f"{what}: {answer!r} where {expected!r} was expected")
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise unsupported(f"a sharding made by hand led to {error!r}") from error
    _passed[:] = functions


def _answers() -> Iterator[tuple[str, object, object]]:
    """Yield what is compared, the answer of this Orbax, and the known one."""
    stock = orbax()
    typed = "axis_types" in _fields(stock.named)
    yield "fields of a sharding", _fields(stock.named), _known_fields(typed=typed)
    yield "fields of a mesh", _fields(stock.grid), ["mesh"]
    yield "fields of a device", _fields(stock.device), ["id"]

    text = _known_text(typed=typed)
    metadata = stock.from_sharding.call(stock.named, _sharding(typed=typed))
    yield "text of a sharding", stock.to_text.call(metadata), text
    yield "text that was read", stock.to_text.call(stock.from_text.call(text)), text

    known = known_of(metadata)
    yield "text of the parts", known.serialized(), text
    handed_out = known.handed_out()
    settle(handed_out)
    yield "class of an object handed out", type(handed_out), stock.named
    yield "its attributes", list(vars(handed_out)), list(vars(metadata))
    yield "the object", handed_out, metadata


def _fields(kind: type[Any]) -> list[str]:
    return [field.name for field in fields(kind)]


def _known_fields(*, typed: bool) -> list[str]:
    axis_types = ["axis_types"] if typed else []
    return ["shape", "axis_names", "partition_spec", *axis_types, "device_mesh"]


def _known_text(*, typed: bool) -> str:
    axis_types = f'"axis_types": {json.dumps([str(a) for a in _axis_types()])}, ' if typed else ""
    return (
        '{"sharding_type": "NamedSharding", "shape": [2, 1], "axis_names": ["x", "\\u00e9"], '
        f'{axis_types}"partition_spec": [["x", "\\u00e9"], null, "x"], '
        '"device_mesh": {"mesh": [[{"id": 7}], [{"id": 3}]]}}'
    )


def _axis_types() -> tuple[Any, ...]:
    return (jax.sharding.AxisType.Auto, jax.sharding.AxisType.Manual)


def _sharding(*, typed: bool) -> Any:
    """Return what stands for a sharding over two devices."""
    devices = np.array([[SimpleNamespace(id=7)], [SimpleNamespace(id=3)]])
    mesh = SimpleNamespace(shape={"x": 2, "é": 1}, axis_names=("x", "é"), devices=devices)
    if typed:
        mesh.axis_types = _axis_types()
    return SimpleNamespace(mesh=mesh, spec=(("x", "é"), None, "x"))
