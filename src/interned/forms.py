"""Cached forms: they live beside their instances, and die with them.

A form is a weak reference to its instance, and the instance's own list of weak references leads
back to the form. So nothing is looked up by the instance's `==` or `hash`, and no lock is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ProxyTypes, getweakrefcount, getweakrefs, ref

__all__ = ["Form", "clear_forms", "current_form", "form_class", "keep", "new_form", "renew"]


class Form(ref[Any]):
    """The dict and the text made from the very objects that an instance's fields were.

    Instances of each class have a subclass of their own, with a slot for each field.

    Attributes:
        mapping: The read-only dict, once it was asked for.
        text: The JSON text, once it was asked for.
    """

    __slots__ = ("mapping", "text")

    mapping: dict[str, Any]
    text: str

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def fill(self, values: Sequence[object]) -> None:
        """Note the fields that the form is made from."""
        raise NotImplementedError

    def made_from(self, values: Sequence[object]) -> bool:
        """Say whether the form was made from these very objects."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """Return the length of the text, or of what stands for it while nobody asked for it.

        This is what a bounded cache with `getsizeof=len` counts.
        """
        text: str | None = getattr(self, "text", None)
        return len(repr(self.mapping)) if text is None else len(text)


_METHODS = """\
def fill(self, values):
    {slots}, = values

def made_from(self, values):
    {values}, = values
    return {same}
"""
_serial = itertools.count()
_kept: dict[Form, None] = {}
# Not a function in Python, in which a signal handler could step in and leave the form behind.
_forget: Callable[[Form], object] = _kept.pop


def form_class(size: int) -> type[Form]:
    """Make the class of the forms of instances that have so many fields.

    No two classes have a slot of the same name: a form of another class, or any other weak
    reference, is never taken for one of these.
    """
    serial = next(_serial)
    slots = tuple(f"_{serial}_{index}" for index in range(size))
    scope: dict[str, Any] = {"__slots__": slots}
    if size:
        source = _METHODS.format(
            slots=", ".join(f"self.{slot}" for slot in slots),
            values=", ".join(f"v{index}" for index in range(size)),
            same=" and ".join(f"self.{slot} is v{index}" for index, slot in enumerate(slots)),
        )
        exec(source, {}, scope)  # noqa: S102 - a loop would cost more than the rest of a read
    else:
        scope |= {"fill": _nothing, "made_from": _always}
    return type("Form", (Form,), scope)


def _nothing(_form: Form, _values: Sequence[object]) -> None:
    pass


def _always(_form: Form, _values: Sequence[object]) -> bool:
    return True


def new_form(
    cls: type[Form],
    instance: object,
    values: Sequence[object],
    on_death: Callable[[Any], object] = _forget,
) -> Form:
    """Make an empty form of an instance that has these fields; nothing keeps it yet.

    Args:
        cls: The class of its forms.
        instance: Whose form it is.
        values: Its fields.
        on_death: Called with the form when the instance dies.

    Raises:
        TypeError: If the instance cannot be weakly referenced.
    """
    form = cls(instance, on_death)
    form.fill(values)
    return form


def current_form(cls: type[Form], instance: object, values: Sequence[object]) -> Form | None:
    """Return the form that an instance has, if it was made from these very objects."""
    for form in getweakrefs(instance):
        if type(form) is cls and form.made_from(values):
            return form
    return None


def former_forms(form: Form, instance: object) -> list[Form]:
    """List the other forms of an instance, made when its fields were not what they are now."""
    if getweakrefcount(instance) == 1:
        return []
    return [
        other for other in getweakrefs(instance) if isinstance(other, Form) and other is not form
    ]


def keep(form: Form, instance: object) -> None:
    """Keep a form until its instance dies, in place of any former one."""
    _kept[form] = None
    for former in former_forms(form, instance):
        _kept.pop(former, None)


def renew(form: Form, instance: object, values: Sequence[object]) -> None:
    """Bring a kept form before newer weak references, so that generated properties find it."""
    first = getweakrefs(instance)[0]
    if first is form or _is_always_first(first):
        return
    copied = new_form(type(form), instance, values)
    for member in ("mapping", "text"):
        if hasattr(form, member):
            setattr(copied, member, getattr(form, member))
    keep(copied, instance)


def _is_always_first(reference: Any) -> bool:
    """Recognize the plain reference without a callback, and proxies."""
    kind = type(reference)
    return kind in ProxyTypes or (kind is ref and reference.__callback__ is None)


def clear_forms() -> None:
    """Drop every form that only its instance keeps; it is made anew when it is asked for."""
    _kept.clear()
