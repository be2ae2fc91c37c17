"""Remember whole texts: by mesh and spec where they are written, as such where they are read."""

from __future__ import annotations

from typing import Any, Final

import attrs
from cachetools import LRUCache

from interned.adapters.orbax.grids import DeviceGrid, UnknownContentError, grid_of
from interned.adapters.orbax.known import Known, known_of
from interned.adapters.orbax.meshes import UNASKED, forget_all, memories, memory_of
from interned.adapters.orbax.seams import orbax
from interned.counters import Counter
from interned.decorator import interned, interner
from interned.interners import CacheInfo
from interned.mode import MODE

__all__ = ["cache_clear", "cache_info", "grid", "parsed", "written"]

# Texts that were read are kept up to so many bytes, and up to so many.
PARSED_BYTES: Final = 64 * 2**20
PARSED_TEXTS: Final = 4096

_hits, _misses = Counter(), Counter()


def grid(mesh: Any) -> DeviceGrid | None:
    """Return the devices of a mesh as a value, `None` where they are left to Orbax."""
    memory = memory_of(mesh)
    if memory.grid is UNASKED or MODE == "off":
        memory.grid = _converted(mesh)
    value: DeviceGrid | None = memory.grid
    return value


def written(sharding: Any) -> Known | None:
    """Return what Orbax writes about a `NamedSharding`, `None` for one that is left to Orbax.

    Nothing but the mesh and the whole spec enters the text.
    """
    spec = tuple(sharding.spec)
    if not _is_plain(spec):
        return None
    texts = memory_of(sharding.mesh).texts
    known: Known | None = texts.get(spec, UNASKED)
    if known is UNASKED or MODE == "off":
        next(_misses.ticks)
        known = texts[spec] = _described(sharding)
        return known
    next(_hits.ticks)
    return known


def _converted(mesh: Any) -> DeviceGrid | None:
    try:
        return grid_of(orbax().from_mesh.call(orbax().grid, mesh))
    except UnknownContentError:
        return None


def _described(sharding: Any) -> Known | None:
    metadata = orbax().from_sharding.call(orbax().named, sharding)
    try:
        known = known_of(metadata)
        known.text = known.serialized()
    except (UnknownContentError, TypeError, ValueError):  # an axis name without JSON, for example
        return None
    return known


@attrs.frozen
class Parsed:
    """What is remembered of one text; `known` is `None` for a text that is left to Orbax."""

    known: Known | None
    size: int


# One bound on the sum of the sizes bounds the entries as well, as none is smaller than this.
@interned(cache=LRUCache(PARSED_BYTES, getsizeof=lambda parsed: parsed.size))
def parsed(text: str) -> Parsed:
    """Return what a text says. Orbax's errors are raised anew at each call."""
    size = max(len(text), PARSED_BYTES // PARSED_TEXTS)
    try:
        return Parsed(known_of(orbax().from_text.call(text)), size)
    except UnknownContentError:
        return Parsed(None, size)


def cache_info() -> CacheInfo:
    """Return how often a remembered text served, and how many texts are remembered."""
    read = interner(parsed).cache_info()
    return CacheInfo(
        hits=_hits.value() + (read.hits or 0),
        misses=_misses.value() + read.misses,
        maxsize=None,
        currsize=sum(len(memory.texts) for memory in memories()) + read.currsize,
    )


def cache_clear() -> None:
    """Forget all texts, and the counts too."""
    forget_all()
    interner(parsed).cache_clear()
    _hits.reset()
    _misses.reset()


def _is_plain(spec: tuple[Any, ...]) -> bool:
    """Tell whether a spec prints as every equal one does: all names are plain strings."""
    for element in spec:
        if element is not None and type(element) is not str:
            if type(element) is not tuple:
                return False
            for name in element:
                if type(name) is not str:
                    return False
    return True
