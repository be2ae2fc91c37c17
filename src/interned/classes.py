"""Classes: what happens when one is constructed, once the hit path has not found the instance."""

from __future__ import annotations

import functools
import math
from typing import Any

from interned.calls import Calls
from interned.classkeys import ClassKeys
from interned.entries import GONE, Entry, Key, StrongEntry, entry_of
from interned.errors import UnkeyableError
from interned.handed import Handed
from interned.hits import call_from_slot
from interned.holding import held_by, hold_all, is_light, unhold_all
from interned.inquiries import Inquiries
from interned.interning import Interner
from interned.mode import MODE
from interned.options import Options
from interned.originals import Originals
from interned.refusals import require_weak_references, wrong_order
from interned.shapes import record_marks, shape_of
from interned.sources import MISSING

__all__ = ["ClassInterner"]


class ClassInterner(Inquiries, Interner):
    """The interner of one class: it builds candidates, keys them and keeps one of each value.

    Attributes:
        shape: What the class looks like.
        originals: Its own special methods.
        initialise: Its own `__init__`.
        keys: How calls and values are keyed.
        handed: The instances that `__new__` has returned to this thread and `__init__` has not seen
            yet, for classes whose instances show no sign of being finished; else `None`.
    """

    target: type

    def __init__(self, cls: type, options: Options) -> None:
        self.shape = shape_of(cls)
        self.originals = Originals(cls)
        self.initialise = self.originals.function("__init__")
        self.keys = ClassKeys(cls, self.shape, options)
        retained = options.cache is not None or options.bound(None) is not None
        if options.weak is not False:
            require_weak_references(cls)
        # With weak=False and nothing said of retention, instances stay for ever; where they can be
        # weakly referenced, an unbounded retention beside a weak table does that.
        weak = options.weak is not False or (not retained and bool(cls.__weakrefoffset__))
        self.handed = None if weak or self.shape.telltale is not None else Handed()
        self._calls = Calls()
        self._in_order = False
        super().__init__(
            cls,
            options,
            weak=weak,
            bound=options.bound(math.inf if options.weak is False and weak else None),
            entry_type=Entry if weak else StrongEntry,
        )

    @property
    def by_fields(self) -> bool:
        """Whether the fields of an instance identify it, not the arguments that made it."""
        return not self.keys.by_call

    def token(self, instance: object) -> Entry | None:
        """Return what identifies a canonical instance, `None` for any other object."""
        return entry_of(instance) if self.weak else None

    def is_canonical(self, instance: Any) -> bool:
        """Say whether an object is the shared instance of its value."""
        if self.weak:
            return entry_of(instance) is not None
        key = self._known_key(instance)
        entry = None if key is None else self.table.find(key)
        return entry is not None and entry.living is instance

    def build(self, values: tuple[Any, ...]) -> Any:
        """Return the canonical instance for arguments that the hit path does not know.

        Args:
            values: One for each parameter of the constructor, defaults filled in.
        """
        if not self._in_order:
            self._check_order()
        if self.shape.blanks:
            for value in values:
                if value is MISSING:
                    # `__init__` will say so; or `Cls.__new__(Cls)` makes an object by hand.
                    call_from_slot(self.target, "__init__")
                    return object.__new__(self.target)
        instance = self._find_or_make(values)
        if self.handed is not None and type(instance) is self.target:
            self.handed.pending.append(instance)
        return instance

    def blank(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make an object whose state will be restored.

        Args:
            args: What the class wants its `__new__` to be given, usually nothing.
            kwargs: The same, by name.
        """
        if self.shape.demanding and not (args or kwargs):
            # What it would make of its arguments is part of the state.
            return object.__new__(self.target)
        return self.originals.new(self.target, args, kwargs)

    def adopt(self, candidate: Any) -> Any:
        """Return the canonical instance for an object that was restored field by field."""
        telltale = self.shape.telltale
        if telltale is not None and not hasattr(candidate, telltale):
            return candidate
        if self.keys.by_call:
            return candidate
        try:
            key = self.keys.of_value(candidate)
        except UnkeyableError:
            # Made by hand: the constructor would have refused it.
            return candidate
        return self._publish(candidate, key)[1]

    def call_of(self, instance: Any) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Return the arguments that made an instance, `None` where fields tell or nothing does."""
        if not self.keys.by_call:
            return None
        values = self._values_of(instance)
        if values is None:
            return None
        call: tuple[tuple[Any, ...], dict[str, Any]] = self.keys.apply(_as_call, values)
        return call

    def foreign(self, cls: type, /, *args: Any, **kwargs: Any) -> Any:
        """Make an instance that is not interned, of an undecorated subclass for example.

        Raises:
            DecoratorOrderError: `cls` is a rebuilt copy of the target, not a subclass of it.
        """
        if self.target not in cls.__mro__:
            raise wrong_order(cls)
        given = tuple(value for value in args if value is not MISSING)
        return self.originals.new(cls, given, kwargs)

    def _check_order(self) -> None:
        if record_marks(self.target) != self.shape.marks:
            raise wrong_order(self.target)
        self._in_order = True

    def _find_or_make(self, values: tuple[Any, ...]) -> Any:
        key = self.keys.of_arguments(values)
        if key is not None:
            entry = self.table.find(key)
            if entry is not None and (found := self._use(entry)) is not GONE:
                return found
        next(self.misses.ticks)
        candidate: Any
        if self.shape.blanks:
            candidate = object.__new__(self.target)
        else:
            candidate = self.keys.apply(self._make, values)
            if type(candidate) is not self.target or self.token(candidate) is not None:
                # The class's own `__new__` chose another object, or one that is shared already.
                return candidate
        if self.shape.initialises:
            self.keys.apply(functools.partial(self.initialise, candidate), values)
        return self._settle(candidate, values, key)

    def _make(self, *args: Any, **kwargs: Any) -> Any:
        if self.shape.takes_nothing and (args or kwargs):
            raise TypeError(f"{self.target.__qualname__}() takes no arguments")
        return self.originals.new(self.target, args, kwargs)

    def _use(self, entry: Any) -> Any:
        """Note a use of an entry and return its instance; `GONE` if it is not valid any more."""
        found = entry.living
        if found is GONE:
            return GONE
        if self.retention is not None:
            if not self.weak and not self.retention.holds(entry):
                self.retention.abandon(entry)
                return GONE
            self.retention.touch(entry, found)
            entry.used = next(self.hits.ticks)
        elif self.options.info:
            next(self.hits.ticks)
        if MODE == "verify":
            self.verify(entry, found)
        return found

    def _settle(self, candidate: Any, values: tuple[Any, ...], key: Key | None) -> Any:
        if self.keys.by_call:
            return self._settle_call(candidate, values, key)
        if key is not None and self.shape.transparent:
            return self._publish(candidate, key)[1]
        own_key = self.keys.of_value(candidate)
        entry, instance = self._publish(candidate, own_key)
        if key is not None and is_light(getattr(key, "parts", key)):
            self.table.remember(entry, key)
        return instance

    def _settle_call(self, candidate: Any, values: tuple[Any, ...], key: Key | None) -> Any:
        if key is None:
            values = self.keys.filled(candidate, values)
            key = self.keys.of_call(values)
        if self.weak and self.keys.call_in(key) is not None:
            return self._publish(candidate, key)[1]
        # The key holds nothing: what it refers to and the instance does not hold is held here.
        return self._publish(candidate, key, hold_all(values, held_by(candidate)))[1]

    def _publish(
        self, candidate: Any, key: Key, arguments: tuple[Any, ...] | None = None
    ) -> tuple[Any, Any]:
        if arguments is not None and not self.weak:
            self._calls.note(candidate, arguments)
        entry, instance = self.table.publish(candidate, key, arguments)
        if instance is candidate:
            next(self.published.ticks)
            if self.retention is not None:
                self.retention.keep(entry, instance)
            return entry, instance
        self._calls.drop(candidate)
        if self.retention is not None:
            self.retention.touch(entry, instance)
            entry.used = self.hits.mark()
        if MODE == "verify":
            self.verify(entry, instance)
        return entry, instance

    def _let_go(self, entry: Any) -> None:
        super()._let_go(entry)
        self._calls.drop(entry.value)

    def _values_of(self, instance: Any) -> tuple[Any, ...] | None:
        if not self.weak:
            arguments = self._calls.of(instance)
        else:
            entry = entry_of(instance)
            if entry is None:
                return None
            found = self.keys.call_in(entry.key)
            arguments = entry.arguments if found is None else found
        return None if arguments is None else unhold_all(arguments)

    def _known_key(self, instance: Any) -> Key | None:
        if not self.keys.by_call:
            try:
                return self.keys.of_value(instance)
            except Exception:  # noqa: BLE001 - reading an unfinished object may fail in any way
                return None
        values = self._values_of(instance)
        return None if values is None else self.keys.of_call(values)


def _as_call(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs
