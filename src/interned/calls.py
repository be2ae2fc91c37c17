"""Remember the calls that made instances which nothing else can lead back to their calls."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

__all__ = ["Calls"]


class Calls:
    """The arguments of instances that a table holds strongly, found by the instance.

    An instance that can be weakly referenced is known until it dies, any other until the table lets
    it go.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[Any, ...], object]] = {}

    def note(self, instance: object, arguments: tuple[Any, ...]) -> None:
        """Remember the arguments that an instance was made with."""
        # Whatever cannot be referenced weakly is held, so that its place is nobody else's.
        mark = instance
        if type(instance).__weakrefoffset__:
            mark = weakref.ref(instance, partial(self._forget, id(instance)))
        self._known[id(instance)] = (arguments, mark)

    def of(self, instance: object) -> tuple[Any, ...] | None:
        """Return the arguments that made an instance, `None` where that is not known."""
        known = self._known.get(id(instance))
        return None if known is None else known[0]

    def drop(self, instance: object) -> None:
        """Forget an instance whose death nobody would report."""
        if not type(instance).__weakrefoffset__:
            self._known.pop(id(instance), None)

    def _forget(self, place: int, mark: object) -> None:
        known = self._known.get(place)
        if known is not None and known[1] is mark:
            self._known.pop(place, None)
