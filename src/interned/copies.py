"""Copies and pickles of a canonical instance land on the canonical instance of its value."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any, Final, Protocol

from interned.originals import Originals, own

__all__ = ["Canon", "Exact", "adopt", "blank", "call_again", "install_copying"]

# What `copy.copy` asks of `__reduce_ex__`.
_COPY_PROTOCOL: Final = 4
_NEW: Final[Any] = vars(copyreg)["__newobj__"]
_NEW_BY_KEYWORDS: Final[Any] = vars(copyreg)["__newobj_ex__"]


class Canon(Protocol):
    """What copying has to ask of a class's interner."""

    originals: Originals

    @property
    def by_fields(self) -> bool:
        """Whether the fields of an instance identify it, not the arguments that made it."""

    def is_canonical(self, instance: Any, /) -> bool:
        """Say whether an object is the shared instance of its value."""

    def adopt(self, candidate: Any, /) -> Any:
        """Return the canonical instance of a finished object's value."""

    def call_of(self, instance: Any, /) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """Return the arguments that made an instance, if they and not its fields identify it."""


class Exact:
    """A special method that only instances of one exact class have.

    For anything else, an undecorated subclass say, looking it up gives what would be found without
    the decorator, an `AttributeError` included.
    """

    def __init__(self, canon: Canon, name: str, function: Callable[..., Any]) -> None:
        self._canon = canon
        self._name = name
        self._function = function

    def __get__(self, instance: Any, owner: type) -> Any:
        originals = self._canon.originals
        if owner is not originals.cls or not self._concerns(instance):
            return originals.bind(self._name, instance, owner)
        return self._function if instance is None else self._function.__get__(instance, owner)

    def _concerns(self, instance: Any) -> bool:  # noqa: ARG002 - for those that look closer
        return True


class _OnlyCanonical(Exact):
    """A special method that only canonical instances have."""

    def _concerns(self, instance: Any) -> bool:
        return instance is None or self._canon.is_canonical(instance)


def install_copying(cls: Any, canon: Canon, *, guarded: bool) -> None:
    """Give a class the special methods that `copy` and `pickle` ask for.

    Those that the class defines itself are asked first, and what they give lands on the canonical
    instance as well; what it only inherits is not, since an instance may be shared as it is.

    Args:
        cls: The class.
        canon: Its interner.
        guarded: Keep `__setstate__` from writing on canonical instances.
    """
    # Others are left to `copy`, which remembers in its memo what it has copied.
    deep = _OnlyCanonical if canon.originals.defined("__deepcopy__") is None else Exact
    methods: list[tuple[str, type[Exact], Callable[..., Any]]] = [
        ("__copy__", Exact, _copy_method(canon)),
        ("__deepcopy__", deep, _deep_method(canon)),
        ("__reduce_ex__", Exact, _reduce_method(canon)),
    ]
    if guarded:
        methods.append(("__setstate__", _OnlyCanonical, _refuse_state))
    for name, kind, function in methods:
        function.__name__ = name
        function.__qualname__ = f"{cls.__qualname__}.{name}"
        type.__setattr__(cls, name, kind(canon, name, function))


def _copy_method(canon: Canon) -> Callable[..., Any]:
    originals = canon.originals
    defined = originals.defined("__copy__") is not None
    inherited = own(originals.cls, "__copy__") is not None

    def __copy__(self: Any) -> Any:  # noqa: N807 - it becomes one
        if not defined and canon.is_canonical(self):
            return self
        if inherited:
            return _landed(canon, originals.bind("__copy__", self, originals.cls)())
        reduced = _reduced(canon, self, _COPY_PROTOCOL)
        if isinstance(reduced, str):
            return self
        function, arguments, *filling = reduced
        made = function(*arguments)
        _fill(made, *filling)
        return made

    return __copy__


def _deep_method(canon: Canon) -> Callable[..., Any]:
    originals = canon.originals
    defined = originals.defined("__deepcopy__") is not None

    def __deepcopy__(self: Any, memo: Any) -> Any:  # noqa: N807 - it becomes one
        if not defined:
            return self
        return _landed(canon, originals.bind("__deepcopy__", self, originals.cls)(memo))

    return __deepcopy__


def _reduce_method(canon: Canon) -> Callable[..., Any]:
    def __reduce_ex__(self: Any, protocol: Any) -> Any:  # noqa: N807 - it becomes one
        return _reduced(canon, self, protocol)

    return __reduce_ex__


def _refuse_state(self: Any, state: object) -> None:
    del state
    raise TypeError(
        f"state cannot be written on an instance of {type(self).__qualname__}, which is shared; "
        "pickles made before the class was interned have to be made anew"
    )


def _reduced(canon: Canon, instance: Any, protocol: int) -> Any:
    """Return what pickle is told, so that what it makes of it lands on the canonical instance."""
    originals = canon.originals
    reduces_itself = any(map(originals.defined, ("__reduce__", "__reduce_ex__")))
    call = None if reduces_itself else canon.call_of(instance)
    if call is not None:
        return call_again, (originals.cls, *call)
    # Protocols 0 and 1 would not know how to make an object with slots.
    reduced = originals.bind("__reduce_ex__", instance, originals.cls)(max(2, protocol))
    if isinstance(reduced, str):
        return reduced
    function, arguments, *filling = reduced
    if function is _NEW:
        cls, *args = arguments
        function, arguments = blank, (cls, tuple(args), {})
    elif function is _NEW_BY_KEYWORDS:
        function = blank
    if function is blank and not canon.by_fields:
        # Nothing identifies it, so `pickle` and `copy` shall fill it and know it by their memo.
        return function, arguments, *filling
    state, items, pairs, setter = (*filling, None, None, None, None)[:4]
    told = [state, items and tuple(items), pairs and tuple(pairs), setter]
    while told and told[-1] is None:
        told.pop()
    return adopt, (function, arguments, *told)


def call_again(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Construct an instance from the arguments that made it."""
    return cls(*args, **kwargs)


def blank(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an instance that is neither initialised nor interned yet."""
    interner = vars(cls).get("__interner__")
    if interner is None:
        return cls.__new__(cls, *args, **kwargs)
    return interner.blank(args, kwargs)


def adopt(function: Callable[..., Any], arguments: tuple[Any, ...], *filling: Any) -> Any:
    """Follow what a `__reduce__` says and return the canonical instance of what comes of it."""
    made = function(*arguments)
    interner = vars(type(made)).get("__interner__")
    if interner is not None and interner.is_canonical(made):
        # It is in use, so its state must not be written again.
        return made
    _fill(made, *filling)
    return made if interner is None else interner.adopt(made)


def _landed(canon: Canon, made: Any) -> Any:
    """Return the canonical instance for what the class's own method has made."""
    if type(made) is not canon.originals.cls or canon.is_canonical(made):
        return made
    return canon.adopt(made)


def _fill(
    made: Any,
    state: Any = None,
    items: Any = None,
    pairs: Any = None,
    setter: Callable[[Any, Any], object] | None = None,
) -> None:
    """Do with an object what `pickle` does with the later parts of what `__reduce_ex__` returns."""
    for item in items or ():
        made.append(item)
    for key, value in pairs or ():
        made[key] = value
    if state is not None:
        (setter or _set_state)(made, state)


def _set_state(instance: Any, state: Any) -> None:
    setter = getattr(instance, "__setstate__", None)
    if setter is not None:
        setter(state)
        return
    # With slots, the state is a pair of dictionaries.
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    if attributes:
        instance.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        object.__setattr__(instance, name, value)
