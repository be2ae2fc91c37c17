"""What is remembered for a living mesh: it goes with the mesh, and keeps no part of it alive."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, Final

import attrs

__all__ = ["UNASKED", "MeshMemory", "forget_all", "memories", "memory_of"]

UNASKED: Final = object()


@attrs.define(eq=False)
class MeshMemory:
    """What is remembered for one mesh.

    Args:
        grid: Its devices as a value, `None` where they are left to Orbax, `UNASKED` at first.
        texts: By partition spec, what Orbax writes about a sharding; `None` if left to Orbax.
        seen: For each sharding that was read and made on this mesh, the devices JAX had then.
    """

    grid: Any = UNASKED
    texts: dict[tuple[Any, ...], Any] = attrs.Factory(dict)
    seen: weakref.WeakKeyDictionary[Any, list[Any]] = attrs.Factory(weakref.WeakKeyDictionary)


# By `id`, since JAX calls meshes equal that print differently: those with the axis names (0, 1) and
# (False, True). An entry goes before the `id` can become that of another mesh.
_memories: dict[int, tuple[weakref.ref[Any], MeshMemory]] = {}


def memory_of(mesh: Any) -> MeshMemory:
    """Return what is remembered for this very mesh."""
    key = id(mesh)
    found = _memories.get(key)
    if found is None:
        reference = weakref.ref(mesh, lambda _: _memories.pop(key, None))
        found = _memories.setdefault(key, (reference, MeshMemory()))
    return found[1]


def memories() -> Iterator[MeshMemory]:
    """Yield what is remembered for each living mesh."""
    for _, memory in list(_memories.values()):
        yield memory


def forget_all() -> None:
    """Forget what is remembered for every mesh."""
    _memories.clear()
