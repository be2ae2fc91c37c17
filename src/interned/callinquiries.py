"""Inquiries about calls: what can be asked about one call of an interned callable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from interned.arguments import Arguments
from interned.entries import GONE, ExactKey, Key
from interned.explaining import Explanation, explain
from interned.interning import Interner
from interned.results import Results
from interned.roles import Role

__all__ = ["Asked", "CallInquiries"]

Asked: TypeAlias = tuple[Key, tuple[Any, ...], tuple[Any, ...], Mapping[str, Any] | None]
"""A call and its key: the key, the values, the owners, and what `**kwargs` took."""


class CallInquiries(Interner):
    """The part of a callable's interner that answers questions, and runs nothing for it.

    Attributes:
        role: The wrapper, and how it keys calls.
    """

    role: Role
    retention: Any
    table: Results

    @property
    def arguments(self) -> Arguments:
        """How calls are keyed."""
        return self.role.arguments

    def cache_contains(self, /, *args: Any, **kwargs: Any) -> bool:
        """Say whether a call would be answered without running the function."""
        asked = self._asked(args, kwargs)
        entry = self.table.find(asked[0])
        return entry is not None and self.value_of(entry, asked[2]) is not GONE

    def cache_invalidate(self, /, *args: Any, **kwargs: Any) -> bool:
        """Forget the result of a call; return whether there was one."""
        asked = self._asked(args, kwargs)
        entry = self.table.find(asked[0])
        if entry is None:
            return False
        was_valid = self.value_of(entry, asked[2]) is not GONE
        self.lose(entry)
        return was_valid

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Say whether a call would be answered without running the function, and if not, why.

        The answer is a string; its `hit` and `differences` are for programs.
        """
        asked = self._asked(args, kwargs)
        entry = self.table.find(asked[0])
        if entry is None:
            known = (call for call in map(self._known_call, self.table.entries()) if call)
            return explain(self._named(*asked[1:]), known)
        if self.value_of(entry, asked[2]) is GONE:
            return Explanation("miss; the result is known, but no longer valid")
        return Explanation("hit", hit=True)

    def ask(
        self,
        values: tuple[Any, ...],
        owners: tuple[Any, ...],
        extra: Mapping[str, Any] | None = None,
    ) -> Asked:
        """Key a call.

        Args:
            values: What is keyed by value.
            owners: What is keyed by identity.
            extra: What `**kwargs` took.

        Raises:
            UnkeyableError: A value is mutable or unhashable.
        """
        if self.role.is_bound(values, owners):
            values, owners = values[1:], values[:1]
        return self.role.arguments.key(values, owners, extra), values, owners, extra

    def value_of(self, entry: Any, owners: tuple[Any, ...]) -> Any:
        """Return the value of an entry, `GONE` if it is not valid any more."""
        if owners and any(map(_is_another, entry.owners, owners)):
            return GONE
        retention = self.retention
        if retention is not None:
            if not self.weak and not retention.holds(entry):
                return GONE
            if retention.clock is not None and entry.expires <= retention.clock():
                return GONE
        return entry.living

    def lose(self, entry: Any) -> None:
        """Forget a result, without waiting for anybody."""
        self.table.forget(entry)
        if self.retention is not None:
            self.retention.drop(entry)

    def _asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        return self.ask(*self.role.arguments.bind(*args, **kwargs))

    def _named(
        self,
        values: tuple[Any, ...],
        owners: tuple[Any, ...],
        extra: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        arguments = self.role.arguments
        named = dict(zip(arguments.owners, owners, strict=False))
        named |= {arguments.label(place): value for place, value in enumerate(values)}
        return named | dict(extra or {})

    def _known_call(self, entry: Any) -> dict[str, Any] | None:
        """Return what an entry was asked with, `None` if it does not tell or is not valid."""
        owners = tuple(owner() for owner in entry.owners)
        if self.value_of(entry, owners) is GONE:
            return None
        details = entry.details
        if details is not None and details.values is not None:
            return self._named(details.values, owners, details.extra)
        if isinstance(entry.key, ExactKey):
            return None
        values = entry.key[len(owners) :]
        return self._named(values[: len(values) // 2], owners, None)


def _is_another(known: Callable[[], Any], owner: Any) -> bool:
    return known() is not owner
