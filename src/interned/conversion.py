"""Do what `asdict` does, where the outcome is known beforehand.

Everything else is left to `asdict` itself: `Uncacheable` is raised where a part may change, and
where nobody can say what `asdict` will make of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import partial
from operator import is_
from typing import Any, NoReturn

from interned.frozen import frozen_dict, frozen_list
from interned.immutability import ATOMS, Uncacheable, an, is_leaf, is_solid_tuple
from interned.oracles import ATTRS, Oracle

__all__ = ["Conversion", "Rule", "conversion"]

Rule = Callable[[Any], Any]
OwnRule = Callable[[Oracle, type], Rule | None]


class Conversion:
    """Converts the values below a record as one `asdict` does; what differs is in its subclasses.

    Args:
        oracle: Whose `asdict` is foreseen.
        own_rule: Gives the rule of a record class that has forms of its own, else `None`.
        trusting: Take what may change as it is now, instead of raising `Uncacheable`.
        lasting: The outcome will be handed out again and again, so its containers are read-only.
    """

    def __init__(self, oracle: Oracle, own_rule: OwnRule, *, trusting: bool, lasting: bool) -> None:
        self.oracle = oracle
        self.trusting = trusting
        self.lasting = lasting
        self.make_dict: Rule = frozen_dict if lasting else _same
        self.make_list: Rule = frozen_list if lasting else _same
        self._own_rule = own_rule
        self._rules: dict[type, Rule] = {}

    def convert(self, value: Any) -> Any:
        """Return what `asdict` makes of a value below a record.

        Raises:
            Uncacheable: If the value may change, or the outcome is not known beforehand.
        """
        cls = type(value)
        if cls in ATOMS:
            return value
        rule = self._rules.get(cls)
        if rule is None:
            rule = self._rules[cls] = self._find_rule(cls)
        try:
            return rule(value)
        except Uncacheable as no:
            no.chain.append(value)
            raise

    def items(self, values: Iterable[Any]) -> list[Any]:
        """Convert each of the values."""
        convert = self.convert
        return [convert(value) for value in values]

    def fields(self, names: tuple[str, ...], values: Iterable[Any]) -> Any:
        """Convert a record, given its fields."""
        return self.make_dict(dict(zip(names, self.items(values), strict=True)))

    def _find_rule(self, cls: type) -> Rule:
        if not self.oracle.covers(cls):
            return self._container_rule(cls) or self._leaf
        flaw = None if self.trusting else self.oracle.flaw(cls)
        if flaw is not None:
            return partial(_refuse, flaw)
        return self._own_rule(self.oracle, cls) or partial(self._record, self.oracle.names(cls))

    def _record(self, names: tuple[str, ...], record: object) -> Any:
        return self.fields(names, [getattr(record, name) for name in names])

    def _list(self, values: Iterable[Any]) -> Any:
        return self.make_list(self.items(values))

    def _leaf(self, value: Any) -> Any:
        if is_leaf(value):
            copied = self._copy(value)
            if is_leaf(copied):
                return copied
        if self.trusting and not self.lasting:
            return self.oracle.bare(value)
        raise Uncacheable(f"is {an(type(value))}")

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if ATOMS.issuperset(map(type, value)):
            return value
        items = self.items(value)
        return value if all(map(is_, items, value)) else tuple(items)

    def _dict(self, value: dict[Any, Any]) -> Any:
        convert = self.convert
        return self.make_dict({convert(key): convert(item) for key, item in value.items()})

    def _container_rule(self, cls: type) -> Rule | None:
        raise NotImplementedError

    def _copy(self, value: Any) -> Any:
        raise NotImplementedError


class _DataclassConversion(Conversion):
    """Keeps the types of containers and copies leaves."""

    def _container_rule(self, cls: type) -> Rule | None:
        if is_solid_tuple(cls):
            return self._tuple if cls is tuple else self._rebuilt_tuple
        if self.trusting and cls is list:
            return self._list
        if self.trusting and cls is dict:
            return self._dict
        return None

    def _rebuilt_tuple(self, value: Any) -> Any:
        cls, items = type(value), self.items(value)
        return cls(*items) if hasattr(value, "_fields") else cls(items)

    def _copy(self, value: Any) -> Any:
        return copy.deepcopy(value)


class _AttrsConversion(Conversion):
    """Makes plain dicts of dicts and shares leaves.

    Subclasses of tuple are left to `attrs.asdict`, which treats a named tuple in a field and one
    that is deeper in different ways.
    """

    def _container_rule(self, cls: type) -> Rule | None:
        if cls is tuple:
            return self._tuple
        if cls is frozenset:
            return self._frozenset
        if issubclass(cls, tuple):
            return partial(_refuse, f"is {an(cls)}")
        if self.trusting and cls is list:
            return self._list
        if self.trusting and issubclass(cls, dict):
            return self._dict
        return None

    def _frozenset(self, value: frozenset[Any]) -> frozenset[Any]:
        return frozenset(self.items(value))

    def _copy(self, value: Any) -> Any:
        return value


def conversion(oracle: Oracle, own_rule: OwnRule, *, trusting: bool, lasting: bool) -> Conversion:
    """Make the conversion that foresees an oracle; the arguments are those of `Conversion`."""
    kind = _AttrsConversion if oracle is ATTRS else _DataclassConversion
    return kind(oracle, own_rule, trusting=trusting, lasting=lasting)


def _same(value: Any) -> Any:
    return value


def _refuse(reason: str, _value: object) -> NoReturn:
    raise Uncacheable(reason)
