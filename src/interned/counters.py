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

    __slots__ = ("_base", "ticks")

    def __init__(self) -> None:
        self.ticks = count()
        self._base = 0

    def value(self) -> int:
        """Return how many ticks were taken since the start or the last reset."""
        return self._taken() - self._base

    def now(self) -> float:
        """Return a number between that of the last tick and that of the next one."""
        return self._taken() - 0.5

    def reset(self, value: int = 0) -> None:
        """Go on counting from a value."""
        self._base = self._taken() - value

    def _taken(self) -> int:
        # `count(7)`: its text is the one way to read a `count` without taking a tick.
        return int(repr(self.ticks)[len("count(") : -1])
