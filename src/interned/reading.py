"""Reading: how the dict or the text of an instance is found or made, and those of its parts."""

from __future__ import annotations

import json
from typing import Any

from interned.conversion import Conversion, Rule, conversion
from interned.form_cache import FormCache
from interned.forms import Form, current_form, keep, new_form, renew
from interned.fragments import Fragment, splice
from interned.frozen import frozen_dict
from interned.immutability import ATOMS, Uncacheable
from interned.oracles import Oracle, oracle_of
from interned.plans import Plan, plan_of
from interned.readers import install

__all__ = ["Mappings", "Patchwork", "Texts"]

# How many levels of parts are read by recursion, and how many times that.
_LEVELS = 25
_DIVES = 12


class _Deep(Exception):  # noqa: N818 - not an error: the part is read first
    """Says that a part is nested too deep to be read by recursion."""

    def __init__(self, part: object) -> None:
        self.part = part


class _Reading:
    """What one access reads, in which each shared part is read once.

    Args:
        base: The class of everything that has forms.
    """

    lasting = False

    def __init__(self, base: type) -> None:
        self._base = base
        self._conversions: dict[tuple[Oracle, bool], Conversion] = {}

    def _fields(self, plan: Plan, values: list[Any], *, trusting: bool) -> Any:
        if ATOMS.issuperset(map(type, values)):
            plain = dict(zip(plan.names, values))  # noqa: B905 - the check costs as much again
            return frozen_dict(plain) if self.lasting else plain
        key = (plan.oracle, trusting)
        found = self._conversions.get(key)
        if found is None:
            found = self._conversions[key] = conversion(
                plan.oracle, self._own_rule, trusting=trusting, lasting=self.lasting
            )
        return found.fields(plan.names, values)

    def _own_rule(self, oracle: Oracle, cls: type) -> Rule | None:
        has_forms = issubclass(cls, self._base) and oracle_of(cls) is oracle
        return self._part if has_forms else None

    def _part(self, instance: Any) -> Any:
        """Return what stands for an instance that has a form, inside another."""
        raise NotImplementedError


class _Forms(_Reading):
    """Reads one of the two members of forms."""

    member: str
    _depth = 0

    def __init__(self, base: type) -> None:
        super().__init__(base)
        # What was found to have no form is not looked at again, however many paths lead to it.
        self._uncacheable: dict[int, object] = {}
        # A bounded cache may drop a form before a shared graph comes back to it, so it gets them
        # when all is done.
        self._bounded: dict[Form, tuple[FormCache, object]] = {}

    def attempt(self, instance: Any) -> Any:
        """Return what `read` returns, `None` where there is no form.

        For a class that has such instances, this is told without looking deep, where it can be.
        """
        plan = plan_of(type(instance))
        if plan.doubtful and plan.is_open(instance):
            return None
        try:
            return self.read(instance)
        except Uncacheable:
            plan.doubtful = True
            return None

    def read(self, instance: Any) -> Any:
        """Return the dict or the text from the instance's form, which it has from now on.

        Parts that are nested deep are read first. Where that does not end soon, it is a cycle, or
        what `asdict` would refuse for its depth.

        Raises:
            Uncacheable: If it could change while the fields stay the very objects they are.
            RecursionError: If parts are nested too deep.
        """
        waiting = [instance]
        while True:
            self._depth = 0
            try:
                made = self._read(waiting[-1])
            except _Deep as deep:
                if len(waiting) == _DIVES:
                    raise RecursionError from None
                waiting.append(deep.part)
            except Uncacheable:
                self._uncacheable |= {id(whole): whole for whole in waiting}
                raise
            else:
                waiting.pop()
                if not waiting:
                    return made

    def _read(self, instance: Any) -> Any:
        plan = plan_of(type(instance))
        values = plan.values(instance)
        form = self._find(plan, instance, values)
        made = getattr(form, self.member, None)
        if made is None:
            made = self._make_at_depth(plan, instance, values)
            form = form or self._new_form(plan, instance, values)
            setattr(form, self.member, made)
            self._keep(plan, form, instance)
        elif form is not None and plan.cache is None:
            renew(form, instance, values)
        return made

    def close(self) -> None:
        """Hand the forms that were made to those bounded caches that keep them."""
        for form, (cache, instance) in self._bounded.items():
            cache.keep(form, instance)

    def _make_at_depth(self, plan: Plan, instance: object, values: list[Any]) -> Any:
        if id(instance) in self._uncacheable:
            raise Uncacheable("holds what was found before")
        if self._depth == _LEVELS:
            raise _Deep(instance)
        self._depth += 1
        try:
            made = self._make(plan, values)
        except Uncacheable:
            self._uncacheable[id(instance)] = instance
            raise
        self._depth -= 1
        return made

    def _make(self, plan: Plan, values: list[Any]) -> Any:
        """Make the member from the fields."""
        raise NotImplementedError

    def _find(self, plan: Plan, instance: object, values: list[Any]) -> Form | None:
        form = current_form(plan.forms, instance, values)
        if form is None or plan.cache is None or form in self._bounded or plan.cache.use(form):
            return form
        return None

    def _new_form(self, plan: Plan, instance: object, values: list[Any]) -> Form:
        try:
            if plan.cache is None:
                return new_form(plan.forms, instance, values)
            return new_form(plan.forms, instance, values, plan.cache.forget)
        except TypeError:
            raise Uncacheable("cannot be weakly referenced") from None

    def _keep(self, plan: Plan, form: Form, instance: object) -> None:
        if plan.cache is not None:
            self._bounded[form] = (plan.cache, instance)
            return
        keep(form, instance)
        if not plan.installed:
            plan.installed = True
            install(type(instance), plan.names, plan.forms)


class Mappings(_Forms):
    """Reads dicts."""

    member = "mapping"
    lasting = True

    def _make(self, plan: Plan, values: list[Any]) -> Any:
        return self._fields(plan, values, trusting=plan.trusting)

    def _part(self, instance: Any) -> Any:
        return self._read(instance)


class Texts(_Forms):
    """Reads texts."""

    member = "text"
    _parts = 0

    def _make(self, plan: Plan, values: list[Any]) -> Any:
        before = self._parts
        tree = self._fields(plan, values, trusting=plan.trusting)
        return json.dumps(tree) if self._parts == before else _encode(tree)

    def _part(self, instance: Any) -> Any:
        text = self._read(instance)
        self._parts += 1
        return Fragment(text)


class Patchwork(_Reading):
    """Makes, of an instance that cannot be cached itself, a plain dict with fragments for parts.

    Attributes:
        texts: Reads the texts of the parts.
        has_fragments: Whether there are any.
    """

    has_fragments = False

    def __init__(self, base: type) -> None:
        super().__init__(base)
        self.texts = Texts(base)

    def tree(self, instance: Any) -> Any:
        """Return the dict; it is only good to be encoded."""
        plan = plan_of(type(instance))
        return self._fields(plan, plan.values(instance), trusting=True)

    def _part(self, instance: Any) -> Any:
        text = self.texts.attempt(instance)
        if text is None:
            return self.tree(instance)
        self.has_fragments = True
        return Fragment(text)

    def encode(self, tree: Any) -> str:
        """Encode what `tree` returned, in the format of the fragments."""
        return _encode(tree) if self.has_fragments else json.dumps(tree)


def _encode(tree: Any) -> str:
    return splice(tree, {}, _leave)


def _leave(_value: object) -> Any:
    return NotImplemented
