"""Which interners exist in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final, Protocol
from weakref import WeakValueDictionary

__all__ = ["Clearable", "clear_caches", "interners", "on_clear", "register"]


class Clearable(Protocol):
    """What `clear_caches` clears."""

    def cache_clear(self) -> None:
        """Let every retained value go and count from zero."""


# Values of such a dictionary are listed in one step, whatever other threads add meanwhile.
_interners: Final[WeakValueDictionary[int, Any]] = WeakValueDictionary()
_numbers: Final = count()
_others: Final[list[Callable[[], object]]] = []


def register(interner: Clearable) -> None:
    """Enter an interner; it leaves by itself when its target is collected."""
    _interners[next(_numbers)] = interner


def on_clear(function: Callable[[], object]) -> None:
    """Call a function at each `clear_caches`, for caches that are no interners."""
    _others.append(function)


def interners() -> Iterator[Any]:
    """Iterate over every live interner of the process, in the order of decoration."""
    for reference in _interners.valuerefs():
        interner = reference()
        if interner is not None:
            yield interner


def clear_caches() -> None:
    """Clear every retention, cached form and counter of the process.

    No living canonical instance is forgotten: identity never depends on what is cleared.
    """
    for interner in interners():
        interner.cache_clear()
    for function in tuple(_others):
        function()
