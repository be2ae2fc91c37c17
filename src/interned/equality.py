"""Compare graphs of shared parts in linear time.

`==` of a dataclass or attrs class compares field by field, so two trees whose levels share their
children are compared once for each path, and paths double at each level. Remembering, for the time
of the outermost comparison, which pairs were compared makes it once for each pair.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

__all__ = ["compare_pairs_once"]


class _Comparison(threading.local):
    """The pairs that the outermost `==` of this thread has compared so far, by identity."""

    pairs: dict[tuple[int, int], tuple[Any, Any, Any]] | None = None


_comparison = _Comparison()


def compare_pairs_once(cls: Any) -> None:
    """Let the `__eq__` of a class with nested values look at each pair of them once."""
    original = cls.__eq__
    if original is object.__eq__:
        return

    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807 - it becomes one
        pairs = _comparison.pairs
        if pairs is None:
            _comparison.pairs = {}
            try:
                return original(self, other)
            finally:
                _comparison.pairs = None
        pair = id(self), id(other)
        if pair not in pairs:
            # Held until the end, so that no other object can get the same id meanwhile.
            pairs[pair] = original(self, other), self, other
        return pairs[pair][0]

    cls.__eq__ = functools.update_wrapper(__eq__, original)
