"""Ask for the text of a sharding, whether or not the adapter is installed."""

from __future__ import annotations

from typing import Any

from jax.sharding import NamedSharding

from interned.adapters.orbax.patches import from_jax_sharding
from interned.adapters.orbax.seams import orbax
from interned.adapters.orbax.selfcheck import check

__all__ = ["serialized_sharding"]


def serialized_sharding(sharding: Any) -> str:
    """Return what Orbax writes into the `_sharding` file for an array of this sharding.

    Args:
        sharding: A `jax.sharding.NamedSharding` or `SingleDeviceSharding`.

    Raises:
        TypeError: Orbax has no metadata for such a sharding, or no JSON for its spec.
        UnsupportedVersionError: Orbax is not as known.
    """
    check()
    if isinstance(sharding, NamedSharding):
        metadata = from_jax_sharding(orbax().named, sharding)
    else:
        metadata = orbax().module.from_jax_sharding(sharding)
    if metadata is None:
        raise TypeError(
            f"Orbax has no metadata for a {type(sharding).__name__}; "
            "pass a NamedSharding or a SingleDeviceSharding"
        )
    text: str = metadata.to_serialized_string()
    return text
