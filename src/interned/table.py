"""The canonical table: where the one shared object of each value is found.

Two dictionaries hold it. `flat` serves the hit path; its keys are tuples of plain values, which C
code compares. `exact` serves every other key, by hash; keys of one hash share a bucket and are
compared in the open, because comparing may run the `__eq__` of a user's class.

Another thread, a signal handler, a finalizer or the collector can come between any two steps. So
each change of a dictionary is one step: either one call into C (`dict.setdefault`, `dict.pop`), or
a test and a store under the lock without a call in between. CPython switches threads and runs
handlers only after a call or at a backward jump, and the collector besides where an object is made
that it tracks; so no other code runs while the lock is held, and nobody waits for it who could keep
its holder waiting. Builds without the global lock rely on this lock and on that of each dictionary.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final

from interned.entries import GONE, Entry, ExactKey, Key, RetainedEntry, StrongEntry, entry_of
from interned.forks import renew_after_fork

__all__ = [
    "GONE",
    "Entry",
    "ExactKey",
    "Key",
    "RetainedEntry",
    "StrongEntry",
    "Table",
    "entry_of",
    "is_roomy",
]

# The first name that an interpreter on its way down sets to `None`.
_GOING: Final = True
_SPELLINGS: Final = 8
_ROOM: Final = 1 << 14
_ROOM_FOR_ONE: Final = 512


class Table:
    """Key to entry, for one interned target.

    Args:
        entry_type: What stands for a value here: `Entry`, `RetainedEntry` or `StrongEntry`.

    Attributes:
        flat: Entries by key, where a key is a tuple of plain values.
        exact: Buckets by hash, `(key, entry, key, entry, …)`.
        namespaces: Namespaces that refer to `flat`, each with the name it has there.
    """

    __slots__ = ("__weakref__", "_lock", "_on_death", "entry_type", "exact", "flat", "namespaces")

    def __init__(self, entry_type: type[Any] = Entry) -> None:
        self.entry_type = entry_type
        self.flat: dict[tuple[Any, ...], Any] = {}
        self.exact: dict[int, tuple[Any, ...]] = {}
        self.namespaces: list[tuple[dict[str, Any], str]] = []
        # Reentrant for the sake of debuggers, which can stop where nothing else can.
        self._lock = threading.RLock()
        # Bound once: each entry refers to it.
        self._on_death = self.forget
        renew_after_fork(self)

    def after_fork(self) -> None:
        """Replace the lock, and finish what a lost thread may have begun."""
        self._lock = threading.RLock()
        self._reflect()

    def __len__(self) -> int:
        return sum(entry.living is not GONE for entry in self.entries())

    def entries(self) -> Iterator[Any]:
        """Yield each entry once, those of collected instances included."""
        seen = list(self.flat.values())
        for bucket in list(self.exact.values()):
            seen += bucket[1::2]
        yield from {id(entry): entry for entry in seen}.values()

    def find(self, key: Key) -> Any:
        """Return the entry under a key, or `None`; user code may run when exact keys compare."""
        if isinstance(key, ExactKey):
            return _find(key, self.exact.get(key.hash, ()))
        return self.flat.get(key)

    def publish(
        self, value: Any, key: Key, arguments: tuple[Any, ...] | None = None
    ) -> tuple[Any, Any]:
        """Make a value the canonical one of its key, unless another lives already.

        Args:
            value: The candidate.
            key: Its exact key, computed for this candidate: no other entry has the same key object.
            arguments: What the constructor was called with, where the key does not tell.

        Returns:
            The winning entry and the value it stands for: the candidate, or the one that lives.
        """
        # The entry marks the candidate as canonical before anyone can find it.
        entry = self.entry_type(value, self._on_death)
        entry.start(key)
        if arguments is not None:
            entry.arguments = arguments
        while True:
            holder = self._claim(key, entry)
            if holder is entry:
                return entry, value
            found = holder.living
            if found is not GONE:
                return holder, found
            self.forget(holder)

    def remember(self, entry: Any, key: Key) -> None:
        """Let a spelling lead to an entry, in place of its oldest one if there are many."""
        # Listed first: whoever forgets the entry from here on finds the spelling in its list.
        for oldest in self._enlist(entry, key):
            self._drop(oldest, entry)
        self._claim(key, entry)
        if entry.living is GONE:
            self.forget(entry)
        elif all(known is not key for known in entry.spellings):
            self._drop(key, entry)

    def forget(self, entry: Any) -> None:
        """Take an entry and its spellings out; the callback of a collected instance."""
        if not _GOING:
            return
        entry.close()
        for key in (entry.key, *entry.spellings):
            self._drop(key, entry)
        if is_roomy(self.flat) or is_roomy(self.exact):
            self._exchange({}, {}, copy=True)

    def set_aside(self) -> Callable[[], None]:
        """Begin with nothing; calling what is returned brings back all that still lives."""
        flat, exact = self._exchange({}, {}, copy=False)

        def bring_back() -> None:
            self._exchange(flat, exact, copy=False)
            for entry in self.entries():
                if entry.living is GONE:
                    self.forget(entry)

        return bring_back

    def _claim(self, key: Key, entry: Any) -> Any:
        """Enter an entry under a key; return the entry that is there, this or an earlier one."""
        if isinstance(key, ExactKey):
            return self._claim_exact(key, entry)
        while True:
            flat = self.flat
            # Hashing a member of an enum runs Python code, but before the dictionary is looked at.
            holder = flat.setdefault(key, entry)
            with self._lock:
                if flat is self.flat:
                    return holder

    def _claim_exact(self, key: ExactKey, entry: Any) -> Any:
        while True:
            bucket = self.exact.get(key.hash, ())
            holder = _find(key, bucket)
            if holder is not None:
                return holder
            if self._replace(key.hash, bucket, (*bucket, key, entry)):
                return entry

    def _replace(self, code: int, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Put one bucket in place of another, unless somebody has changed it meanwhile."""
        with self._lock:
            exact = self.exact
            if code in exact:
                if exact[code] is not old:
                    return False
                if new:
                    exact[code] = new
                else:
                    del exact[code]
            elif old:
                return False
            else:
                exact[code] = new
        return True

    def _enlist(self, entry: Any, key: Key) -> tuple[Key, ...]:
        """List a spelling with its entry; return those that have to make room."""
        while True:
            old: tuple[Key, ...] = entry.spellings
            oldest, new = old[: 1 - _SPELLINGS], (*old[1 - _SPELLINGS :], key)
            with self._lock:
                if entry.spellings is old:
                    entry.spellings = new
                    return oldest

    def _drop(self, key: Key, entry: Any) -> None:
        """Take out a key, if this very object is there and not an equal key of another entry."""
        if isinstance(key, ExactKey):
            self._drop_exact(key)
            return
        while True:
            flat = self.flat
            if key:
                flat.pop(_Only(key), None)  # type: ignore[call-overload]
            with self._lock:
                # All empty tuples are one object, but hashing that runs no Python code.
                if not key and key in flat and flat[key] is entry:
                    del flat[key]
                if flat is self.flat:
                    return

    def _drop_exact(self, key: ExactKey) -> None:
        while True:
            bucket = self.exact.get(key.hash, ())
            kept = [i for i in range(0, len(bucket), 2) if bucket[i] is not key]
            if len(kept) * 2 == len(bucket):
                return
            rest = tuple(part for i in kept for part in bucket[i : i + 2])
            if self._replace(key.hash, bucket, rest):
                return

    def _exchange(self, flat: dict[Any, Any], exact: dict[Any, Any], *, copy: bool) -> Any:
        """Put other dictionaries in place, copies of those in use if asked; return the former ones.

        A dictionary keeps its size when entries leave, and a copy does not.
        """
        with self._lock:
            if copy:
                # `|=` is an operator and not a call, and takes hashes over: it runs no other code.
                flat |= self.flat
                exact |= self.exact
            former = self.flat, self.exact
            self.flat = flat
            self.exact = exact
        self._reflect()
        return former

    def _reflect(self) -> None:
        for namespace, name in self.namespaces:
            with self._lock:
                namespace[name] = self.flat


class _Only:
    """A key that finds in a dictionary one object alone, and none that is equal to it."""

    __slots__ = ("_hash", "_key")

    def __init__(self, key: Hashable) -> None:
        self._key = key
        self._hash = hash(key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return other is self._key


def _find(key: ExactKey, bucket: tuple[Any, ...]) -> Any:
    for place in range(0, len(bucket), 2):
        known = bucket[place]
        if known is key or known == key:
            return bucket[place + 1]
    return None


def is_roomy(table: dict[Any, Any] | set[Any]) -> bool:
    """Say whether a table has become too large for what is left; by itself it does not shrink."""
    return table.__sizeof__() > _ROOM + len(table) * _ROOM_FOR_ONE
