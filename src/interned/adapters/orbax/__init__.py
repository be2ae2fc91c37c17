"""Orbax: each distinct sharding is serialized once, and read once.

Saving a checkpoint with Orbax writes the whole device mesh once for each array, although almost
always all arrays share one mesh; reading the metadata parses it as often. With this adapter
installed, the cost for an array no longer depends on the size of the mesh. Every byte of the
checkpoint stays the same.

>>> from interned.adapters import orbax
>>> orbax.install()
"""

from interned.adapters.orbax.direct import serialized_sharding
from interned.adapters.orbax.switch import install, installed, uninstall
from interned.adapters.orbax.texts import cache_clear, cache_info

__all__ = [
    "cache_clear",
    "cache_info",
    "install",
    "installed",
    "serialized_sharding",
    "uninstall",
]
