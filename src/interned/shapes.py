"""What a class looks like: its fields, and how its constructor is called."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from interned.errors import MutableClassError
from interned.fields import field_owner, is_frozen
from interned.originals import own, user_new
from interned.signatures import VARIADIC, constructor_signature, is_demanding, without_first

__all__ = ["Shape", "record_marks", "shape_of"]


@attrs.frozen(kw_only=True)
class Shape:
    """One class as its interner sees it.

    Attributes:
        fields: Names of the fields whose finished values identify an instance, in the order of the
            constructor's parameters where those match; `None` for a plain class, which is
            identified by its constructor's arguments.
        signature: How the constructor is called, without `self`.
        field_of: The field that each parameter is for, where there is one.
        factories: Places of parameters that have a default factory, each with the value that stands
            for "omitted: call it".
        repeatable: Whether equal arguments give equal values, as far as can be seen: no factory
            runs besides those.
        transparent: Whether a finished instance has just the arguments as its fields, so that a key
            of arguments is a key of the value.
        telltale: A field whose presence says that an instance is finished, if one does.
        marks: What the library that made the class has recorded on it.
        initialises: Whether the class or a base of it has an `__init__`.
        blanks: Whether `object.__new__` makes its instances, which only `__init__` then finishes.
        takes_nothing: Whether there is neither an `__init__` nor a `__new__` to take arguments.
        demanding: Whether a `__new__` of the class's own cannot do without arguments.
    """

    fields: tuple[str, ...] | None = None
    signature: inspect.Signature
    field_of: Mapping[str, str] = attrs.Factory(dict)
    factories: tuple[tuple[int, object], ...] = ()
    repeatable: bool = True
    transparent: bool = True
    telltale: str | None = None
    marks: tuple[object, ...]
    initialises: bool
    blanks: bool
    takes_nothing: bool
    demanding: bool

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the constructor's parameters."""
        return tuple(self.signature.parameters)

    @property
    def variadic(self) -> bool:
        """Whether the constructor takes `*args` or `**kwargs`."""
        return any(p.kind in VARIADIC for p in self.signature.parameters.values())


@attrs.frozen
class _Field:
    """What the two libraries call a field or an attribute.

    Attributes:
        name: Its name.
        parameter: The parameter for it, `None` where the constructor has none.
        factory: Whether a function makes its default.
        repeatable: Whether that function looks only at the instance, or there is none.
        changed: Whether a converter or validator sees its value first.
    """

    name: str
    parameter: str | None
    factory: bool
    repeatable: bool
    changed: bool = False


def record_marks(cls: type) -> tuple[object, ...]:
    """Return what dataclasses and attrs have recorded on a class so far."""
    return (cls.__dict__.get("__dataclass_fields__"), cls.__dict__.get("__attrs_attrs__"))


def shape_of(cls: type) -> Shape:
    """Look at a class.

    Raises:
        MutableClassError: The fields of its instances can be assigned.
    """
    owner = field_owner(cls)
    initialises = own(cls, "__init__") is not None
    maker = user_new(cls.__mro__)
    common: dict[str, Any] = {
        "signature": constructor_signature(cls),
        "marks": record_marks(cls),
        "initialises": initialises,
        "blanks": initialises and maker is None,
        "takes_nothing": maker is None and not initialises,
        "demanding": maker is not None and is_demanding(without_first(maker)),
    }
    if owner is None:
        return Shape(**common)
    by_attrs = "__attrs_attrs__" in vars(owner)
    if not is_frozen(owner):
        raise _assignable(cls, "an attrs class" if by_attrs else "a dataclass", by_attrs=by_attrs)
    if _constructs_otherwise(cls, owner):
        return Shape(**common)
    fields = _attrs_fields(owner) if by_attrs else _dataclass_fields(owner)
    return _field_shape(cls, fields, common, generated=_is_generated(cls, by_attrs=by_attrs))


def _assignable(cls: type, kind: str, *, by_attrs: bool) -> MutableClassError:
    remedy = "@attrs.frozen" if by_attrs else "@dataclass(frozen=True)"
    return MutableClassError(
        f"{cls.__qualname__} is {kind} whose fields can be assigned, so one shared instance could "
        f"be changed for everybody; write {remedy}"
    )


def _constructs_otherwise(cls: type, owner: type) -> bool:
    """Say whether a subclass that neither library has seen brings a constructor of its own."""
    added = cls.__mro__[: cls.__mro__.index(owner)]
    return user_new(added) is not None or any("__init__" in base.__dict__ for base in added)


def _dataclass_fields(owner: Any) -> list[_Field]:
    fields = []
    for field in dataclasses.fields(owner):
        factory = field.default_factory is not dataclasses.MISSING
        parameter = field.name if field.init else None
        fields.append(_Field(field.name, parameter, factory, not factory))
    return fields


def _attrs_fields(owner: Any) -> list[_Field]:
    fields = []
    for attribute in attrs.fields(owner):
        default: Any = attribute.default
        factory = isinstance(default, attrs.Factory)  # type: ignore[arg-type]
        fields.append(
            _Field(
                attribute.name,
                attribute.alias if attribute.init else None,
                factory,
                not factory or default.takes_self,
                changed=attribute.converter is not None or attribute.validator is not None,
            )
        )
    return fields


def _field_shape(
    cls: type, fields: list[_Field], common: dict[str, Any], *, generated: bool
) -> Shape:
    parameters = common["signature"].parameters
    field_of = {f.parameter: f.name for f in fields if f.parameter and f.parameter in parameters}
    # Only a generated constructor has the stand-ins for "omitted: call it" as defaults.
    made = {f.parameter for f in fields if generated and f.factory and f.parameter in parameters}
    names = tuple(f.name for f in fields)
    places = list(enumerate(parameters))
    transparent = (
        generated
        and len(field_of) == len(names) == len(parameters)
        and not any(f.changed for f in fields)
        and not any(own(cls, hook) for hook in _HOOKS)
        and _reads_back(cls, names)
    )
    return Shape(
        **common,
        fields=tuple(field_of[p] for p in parameters) if transparent else names,
        field_of=field_of,
        factories=tuple((place, parameters[n].default) for place, n in places if n in made),
        repeatable=all(f.repeatable for f in fields if f.parameter not in made),
        transparent=transparent,
        telltale=_telltale(cls, field_of.values()) if generated else None,
    )


_HOOKS: Final = ("__post_init__", "__attrs_pre_init__", "__attrs_post_init__")


def _is_generated(cls: type, *, by_attrs: bool) -> bool:
    """Say whether the library wrote the `__init__`, and the class has no `__new__` of its own."""
    function = cls.__dict__.get("__init__")
    if not isinstance(function, types.FunctionType) or user_new(cls.__mro__) is not None:
        return False
    code = function.__code__
    if by_attrs:
        return code.co_filename.startswith("<attrs generated")
    return code.co_qualname == "__create_fn__.<locals>.__init__"


def _reads_back(cls: type, names: Iterable[str]) -> bool:
    """Say whether attributes give what was stored, no method or descriptor coming in between."""
    if own(cls, "__getattribute__") is not None:
        return False
    return all(
        isinstance(found, types.MemberDescriptorType) or not hasattr(type(found), "__set__")
        for found in (own(cls, name) for name in names)
    )


def _telltale(cls: type, names: Iterable[str]) -> str | None:
    if own(cls, "__getattr__") is not None or own(cls, "__getattribute__") is not None:
        return None
    return next((name for name in names if _is_absent_at_first(cls, name)), None)


def _is_absent_at_first(cls: type, name: str) -> bool:
    found = next((b.__dict__[name] for b in cls.__mro__ if name in b.__dict__), _NOTHING)
    return found is _NOTHING or isinstance(found, types.MemberDescriptorType)


_NOTHING: Final = object()
