"""Remember whole texts: by mesh and spec where they are written, as such where they are read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import attrs
from cachetools import LRUCache

from interned.adapters.orbax.grids import DeviceGrid, UnknownContentError, grid_of
from interned.adapters.orbax.known import Known, forget_meshes, known_of
from interned.adapters.orbax.seams import orbax
from interned.decorator import interned, interner
from interned.errors import UnkeyableError
from interned.interning import CacheInfo

__all__ = ["cache_clear", "cache_info", "grid", "parsed", "remembered", "written"]

# Texts that were read are kept up to so many bytes, and up to so many.
PARSED_BYTES: Final = 64 * 2**20
PARSED_TEXTS: Final = 4096


@interned(weak_args="mesh", maxsize=None)
def grid(mesh: Any) -> DeviceGrid | None:
    """Return the devices of a mesh as a value, `None` where they are left to Orbax."""
    try:
        return grid_of(orbax().from_mesh.call(orbax().grid, mesh))
    except UnknownContentError:
        return None


def remembered(sharding: Any) -> Known | None:
    """Return what Orbax writes about a `NamedSharding`, `None` for one that is left to Orbax."""
    spec = tuple(sharding.spec)
    try:
        return written(sharding.mesh, _label(spec) if _is_plain(spec) else spec, sharding)
    except UnkeyableError:
        return None


@interned(weak_args="mesh", ignore="sharding", maxsize=None)
def written(mesh: Any, spec: str | tuple[Any, ...], sharding: Any) -> Known | None:  # noqa: ARG001
    """Return what Orbax writes about a sharding, `None` for one that is left to Orbax.

    Args:
        mesh: The mesh of the sharding; what is remembered goes with it. JAX calls meshes equal
            that print differently, so it counts which one it is, and not what it equals.
        spec: The elements of its spec, or a label for them. Nothing else of a sharding enters the
            text.
        sharding: The sharding itself.

    Raises:
        UnkeyableError: The spec has an element that could change.
    """
    metadata = orbax().from_sharding.call(orbax().named, sharding)
    try:
        known = known_of(metadata)
        return attrs.evolve(known, text=known.serialized())
    except (UnknownContentError, TypeError, ValueError):  # a name without JSON, for example
        return None


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


@lru_cache(maxsize=4096)
def _label(spec: tuple[Any, ...]) -> str:
    """Return a string that stands for a plain spec: for a string `written` needs no exact key."""
    return repr(spec)


def _is_plain(spec: tuple[Any, ...]) -> bool:
    """Tell whether nothing else equals a spec: all names in it are strings of the plain class."""
    for element in spec:
        if element is not None and type(element) is not str:
            if type(element) is not tuple:
                return False
            for name in element:
                if type(name) is not str:
                    return False
    return True


def cache_info() -> CacheInfo:
    """Return how often a remembered text served, and how many texts are remembered."""
    writing, reading = interner(written).cache_info(), interner(parsed).cache_stats()
    return CacheInfo(
        hits=(writing.hits or 0) + (reading.hits or 0),
        misses=writing.misses + reading.misses,
        maxsize=None,
        currsize=writing.currsize + reading.retained,
    )


def cache_clear() -> None:
    """Forget everything about meshes and texts, and the counts too."""
    for remembering in (grid, written, parsed):
        interner(remembering).cache_clear()
    forget_meshes()
    _label.cache_clear()
