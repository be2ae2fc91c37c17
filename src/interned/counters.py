"""Count without a lock: no tick is lost, whatever number of threads counts."""

from __future__ import annotations

from itertools import count

__all__ = ["Counter"]


class Counter:
    """A number that only grows until it is reset.

    Attributes:
        ticks: What counts: `next(counter.ticks)` is one call into C, so it needs no lock. It gives
            numbers that grow for ever, over resets too.
    """

    __slots__ = ("_base", "_marks", "ticks")

    def __init__(self) -> None:
        self.ticks = count()
        self._marks = count()
        self._base = 0

    def value(self) -> int:
        """Return how many ticks were taken since the start or the last reset."""
        return self._taken() - self._base

    def mark(self) -> int:
        """Take a tick that does not count; return its number."""
        tick = next(self.ticks)
        next(self._marks)
        return tick

    def reset(self, value: int = 0) -> None:
        """Go on counting from a value."""
        self._base = self._taken() - value

    def _taken(self) -> int:
        # In this order, a mark taken meanwhile makes it too many, never too few.
        marks = _read(self._marks)
        return _read(self.ticks) - marks


def _read(ticks: count[int]) -> int:
    # `count(7)`: its text is the one way to read a `count` without taking a tick.
    return int(repr(ticks)[len("count(") : -1])
