"""Reasons, in words: why an instance's form is not cached."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from interned.immutability import Uncacheable
from interned.mode import MODE
from interned.oracles import Oracle, oracle_of
from interned.reading import Mappings
from interned.serialization import CachedSerialization

__all__ = ["why_uncached"]


def why_uncached(value: CachedSerialization) -> str | None:
    """Say what keeps the form of an instance from being cached.

    Args:
        value: The instance.

    Returns:
        The reason, with the path to what may change, or `None` if the form is cached.

    Raises:
        TypeError: If the value does not derive from `CachedSerialization`.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Mesh(CachedSerialization):
        ...     axes: tuple
        >>> why_uncached(Mesh(axes=([],)))
        '`Mesh.axes[0]` is a list'
    """
    if not isinstance(value, CachedSerialization):
        raise TypeError(
            f"{type(value).__qualname__} has no cached form; derive it from CachedSerialization"
        )
    if MODE == "off":
        return "INTERNED_MODE=off computes every form anew"
    try:
        Mappings(CachedSerialization).read(value)
    except Uncacheable as no:
        path = _path(oracle_of(type(value)), [*no.chain, value])
        return f"`{type(value).__name__}{path}` {no.reason}"
    except Exception as error:  # noqa: BLE001 - `asdict` runs the user's code
        return f"asdict refuses it: {type(error).__name__}: {error}".rstrip(": ")
    return None


def _path(oracle: Oracle, chain: list[Any]) -> str:
    """Spell the way from the last object of a chain to the first."""
    steps = [_step(oracle, holder, part) for part, holder in pairwise(chain)]
    return "".join(reversed(steps))


def _step(oracle: Oracle, holder: Any, part: object) -> str:
    if oracle.covers(type(holder)):
        return _named(holder, part, oracle.names(type(holder)))
    if isinstance(holder, dict):
        found = next((key for key, item in holder.items() if item is part), part)
        return f"[{found!r}]"
    if hasattr(holder, "_fields"):
        return _named(holder, part, holder._fields)
    index = next(index for index, item in enumerate(holder) if item is part)
    return f"[{index}]"


def _named(holder: object, part: object, names: tuple[str, ...]) -> str:
    return next((f".{name}" for name in names if getattr(holder, name, None) is part), ".?")
