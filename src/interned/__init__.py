"""Interning and memoization: exact, stable, without leaks, and fast."""

from typing import TYPE_CHECKING

from interned import mode as _mode  # noqa: F401 - INTERNED_MODE is read now, whatever is used later
from interned.decorator import interned, interner
from interned.errors import (
    DecoratorOrderError,
    InternedError,
    MutableClassError,
    MutatedError,
    NotWeakReferenceableError,
    UnkeyableError,
    UnsupportedClassError,
    UnsupportedVersionError,
)
from interned.keys import exact_key, register_key
from interned.registry import clear_caches, interners

if TYPE_CHECKING:
    from interned.serialization import CachedSerialization, dumps
else:

    def __getattr__(name: str) -> object:
        """Import what is half of the import time when it is used first."""
        if name not in {"CachedSerialization", "dumps"}:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from interned import serialization  # noqa: PLC0415

        globals()[name] = found = getattr(serialization, name)
        return found

    def __dir__() -> list[str]:
        """List what is there from the user's point of view, imported already or not."""
        return __all__


__all__ = [
    "CachedSerialization",
    "DecoratorOrderError",
    "InternedError",
    "MutableClassError",
    "MutatedError",
    "NotWeakReferenceableError",
    "UnkeyableError",
    "UnsupportedClassError",
    "UnsupportedVersionError",
    "clear_caches",
    "dumps",
    "exact_key",
    "interned",
    "interner",
    "interners",
    "register_key",
]
