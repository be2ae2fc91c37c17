"""Interning and memoization: exact, stable, without leaks, and fast."""

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
from interned.serialization import CachedSerialization, dumps

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
