"""Generated properties that read a form: one identity check per field, and no lookup.

They are written out per class because a loop over the fields costs several times the whole read.
"""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable
from typing import Any

from interned.forms import Form
from interned.mode import MODE

__all__ = ["FormProperty", "install"]

# `__weakref__` is the newest weak reference of an instance, and so, nearly always, its form; any
# other reference lacks the slots that are asked for.
_TEMPLATE = """\
def read(self):
    try:
        form = self.__weakref__
        if form is not None and {unchanged}:
            return form.{member}
    except AttributeError:
        pass
    return serve(self)
"""
# Without a GIL, another thread could free the reference before it is held.
_HAS_GIL = "free-threading build" not in sys.version


class FormProperty(property):
    """A property that reads a form, as written once or as generated for one class.

    Args:
        serve: Finds or makes what is read.
        member: The attribute of forms that holds it.
        read: What each access calls, `serve` where nothing was generated.
    """

    def __init__(
        self,
        serve: Callable[[Any], Any],
        member: str,
        read: Callable[[Any], Any] | None = None,
    ) -> None:
        read = serve if read is None else read
        read.__doc__ = serve.__doc__
        super().__init__(read)
        self.serve = serve
        self.member = member

    def __reduce__(self) -> tuple[Any, ...]:
        # A class that is pickled by value goes without what was generated in this process.
        return FormProperty, (self.serve, self.member)


def install(cls: type, names: tuple[str, ...], forms: type[Form]) -> None:
    """Give a class generated properties, in place of those it inherits and has not overridden.

    Args:
        cls: The class.
        names: Its fields.
        forms: The class of its instances' forms.
    """
    if not (MODE == "on" and _HAS_GIL and _is_readable(cls, names)):
        return
    slots: tuple[str, ...] = vars(forms)["__slots__"]
    unchanged = " and ".join(
        f"self.{name} is form.{slot}" for name, slot in zip(names, slots, strict=True)
    )
    for name in ("as_serialized_dict", "as_serialized_json"):
        found = next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
        if type(found) is FormProperty:
            source = _TEMPLATE.format(unchanged=unchanged, member=found.member)
            scope: dict[str, Any] = {"serve": found.serve}
            exec(compile(source, f"<{cls.__qualname__}.{name}>", "exec"), scope)  # noqa: S102
            own = FormProperty(found.serve, found.member, scope["read"])
            type.__setattr__(cls, name, own)


def _is_readable(cls: type, names: tuple[str, ...]) -> bool:
    """Say whether the fields can be spelled in code, and a form told from anything else."""
    spelled = all(name.isascii() and not keyword.iskeyword(name) for name in names)
    return bool(names) and spelled and not hasattr(cls, "__getattr__")
