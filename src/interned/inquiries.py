"""Inquiries: what can be asked about one construction of an interned class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interned.classkeys import ClassKeys
from interned.counters import Counter
from interned.entries import GONE
from interned.explaining import Explanation, explain
from interned.proofs import mutated
from interned.shapes import Shape
from interned.table import Table

__all__ = ["Inquiries"]


class Inquiries:
    """The part of a class's interner that answers questions, and constructs nothing for it."""

    target: type
    keys: ClassKeys
    shape: Shape
    table: Table
    weak: bool
    retention: Any
    unchecked: Counter
    _values_of: Callable[[Any], tuple[Any, ...] | None]
    _let_go: Callable[[Any], None]

    def cache_contains(self, /, *args: Any, **kwargs: Any) -> bool:
        """Say whether a construction would be answered without running the constructor."""
        return self._entry_for(self._bind(args, kwargs)) is not None

    def cache_invalidate(self, /, *args: Any, **kwargs: Any) -> bool:
        """Let the instance of a construction go; return whether it was kept.

        One that is held weakly and in use stays the canonical instance of its value.
        """
        entry = self._entry_for(self._bind(args, kwargs))
        if entry is None:
            return False
        if self.retention is not None:
            return bool(self.retention.discard(entry))
        if self.weak:
            return False
        self._let_go(entry)
        return True

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Say whether a construction would be answered by a known instance, and if not, why.

        The answer is a string; its `hit` and `differences` are for programs.
        """
        values = self._bind(args, kwargs)
        if self._entry_for(values) is not None:
            return Explanation("hit", hit=True)
        if self.keys.of_arguments(values) is None:
            return Explanation("miss; only the constructor can tell what these arguments make")
        mine = dict(zip(self.shape.parameters, values, strict=True))
        names = self.keys.parameters
        return explain({name: mine[name] for name in names}, self._known(names))

    def verify(self, entry: Any, instance: Any) -> None:
        """Check that an instance is still the value that it was made for.

        Raises:
            MutatedError: It was changed in place.
        """
        if self.keys.by_call:
            next(self.unchecked.ticks)
        elif self.keys.of_value(instance) != entry.key:
            raise mutated(
                f"an instance of {self.target.__qualname__}", "make a new instance instead"
            )

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        bound = self.shape.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _entry_for(self, values: tuple[Any, ...]) -> Any:
        key = self.keys.of_arguments(values)
        entry = None if key is None else self.table.find(key)
        if entry is None or entry.living is GONE:
            return None
        expired = not self.weak and self.retention is not None and not self.retention.holds(entry)
        return None if expired else entry

    def _known(self, names: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
        for entry in self.table.entries():
            instance = entry.living
            if instance is GONE:
                continue
            values = self._values_of(instance) if self.keys.by_call else None
            if values is not None:
                known = dict(zip(self.shape.parameters, values, strict=True))
            else:
                fields = self.shape.field_of
                known = {n: getattr(instance, f) for n, f in fields.items() if hasattr(instance, f)}
            yield {name: known[name] for name in names if name in known}
