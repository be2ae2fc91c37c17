"""What stands in at the seams while the adapter is installed.

Each function takes its parameters under Orbax's names, since they may be passed by keyword.
"""

from __future__ import annotations

from typing import Any

from jax.sharding import Mesh

from interned.adapters.orbax.deferred import source_of
from interned.adapters.orbax.known import known_of
from interned.adapters.orbax.seams import orbax, unsupported
from interned.adapters.orbax.texts import grid, parsed, remembered

__all__ = ["put_in", "take_out"]


def from_jax_sharding(cls: type[Any], jax_sharding: Any) -> Any:
    """Stand in for `NamedShardingMetadata.from_jax_sharding`."""
    if type(jax_sharding.mesh) is Mesh and cls is orbax().named:
        known = remembered(jax_sharding)
        if known is not None:
            return known.handed_out()
    return orbax().from_sharding.call(cls, jax_sharding)


def from_jax_mesh(cls: type[Any], mesh: Any) -> Any:
    """Stand in for `DeviceMetadataMesh.from_jax_mesh`."""
    if type(mesh) is Mesh and cls is orbax().grid:
        value = grid(mesh)
        if value is not None:
            return value.handed_out()
    return orbax().from_mesh.call(cls, mesh)


def to_serialized_string(self: Any) -> Any:
    """Stand in for `NamedShardingMetadata.to_serialized_string`."""
    if type(self) is orbax().named and source_of(getattr(self, "device_mesh", None)) is not None:
        return known_of(self).serialized()
    return orbax().to_text.call(self)


def from_serialized_string(serialized_str: Any) -> Any:
    """Stand in for the function of that name, which `get_sharding_or_none` calls too."""
    known = parsed(serialized_str).known if type(serialized_str) is str else None
    return orbax().from_text.call(serialized_str) if known is None else known.handed_out()


def verified_from_jax_sharding(cls: type[Any], jax_sharding: Any) -> Any:
    """Compare a remembered text with what Orbax writes when it remembers nothing."""
    metadata = from_jax_sharding(cls, jax_sharding)
    known = source_of(metadata)
    if known is not None:
        stock = orbax().from_sharding.call(cls, jax_sharding)
        stock.device_mesh = orbax().from_mesh.call(orbax().grid, jax_sharding.mesh)
        _compare(known.text, stock)
    return metadata


def verified_to_serialized_string(self: Any) -> Any:
    """Compare a text that is put together from parts with Orbax's."""
    text = to_serialized_string(self)
    _compare(text, self)
    return text


def verified_from_serialized_string(serialized_str: Any) -> Any:
    """Compare what a remembered text says with what Orbax reads in it."""
    metadata = from_serialized_string(serialized_str)
    known = source_of(metadata)
    if known is not None:
        _compare(known.serialized(), orbax().from_text.call(serialized_str))
    return metadata


def put_in(*, verify: bool) -> None:
    """Replace Orbax's functions at all seams.

    Args:
        verify: Whether each text is compared with Orbax's own.
    """
    seams = orbax()
    seams.from_mesh.replace(classmethod(from_jax_mesh))
    if verify:
        seams.from_sharding.replace(classmethod(verified_from_jax_sharding))
        seams.to_text.replace(verified_to_serialized_string)
        seams.from_text.replace(verified_from_serialized_string)
    else:
        seams.from_sharding.replace(classmethod(from_jax_sharding))
        seams.to_text.replace(to_serialized_string)
        seams.from_text.replace(from_serialized_string)


def take_out() -> None:
    """Put Orbax's functions back."""
    for seam in orbax().seams:
        seam.restore()


def _compare(text: str, stock: Any) -> None:
    expected = orbax().to_text.call(stock)
    if text != expected:
        raise unsupported(f"it writes {expected}, and the adapter would have written {text}")
