"""Read-only dict and list: what a cached form hands out, so that no reader can damage it.

They are `dict` and `list` in everything but change, and their copies are plain. Python lets no
subclass stop `dict.__setitem__(form, key, value)` or C code that treats it as its base
(`heapq.heappush`); `INTERNED_MODE=verify` finds what was done in such a way.
"""

from __future__ import annotations

from typing import Any, NoReturn, SupportsIndex

__all__ = ["FrozenDict", "FrozenList", "alike", "frozen_dict", "frozen_list", "thaw"]


def _refuse(self: object, *_args: object, **_kwargs: object) -> NoReturn:
    kind = "dict" if isinstance(self, dict) else "list"
    raise TypeError(f"this {kind} is part of a cached form and read-only; edit a copy: `to_dict()`")


class _Frozen:
    """What both have in common: change is refused, and whatever is made of them is plain."""

    __slots__ = ()

    __init__ = __setitem__ = __delitem__ = __setattr__ = _refuse
    clear = pop = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return thaw(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        plain = thaw(self)
        return type(plain), (plain,)


class FrozenDict(_Frozen, dict[Any, Any]):
    """A read-only `dict`, made by `frozen_dict`."""

    __slots__ = ()

    popitem = setdefault = update = __ior__ = _refuse

    def __new__(cls, *args: Any, **kwargs: Any) -> dict[Any, Any]:  # type: ignore[misc]
        """Make a plain dict: what is rebuilt as `type(value)(...)` is the caller's own."""
        return dict(*args, **kwargs)

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)


class FrozenList(_Frozen, list[Any]):
    """A read-only `list`, made by `frozen_list`."""

    __slots__ = ()

    append = extend = insert = remove = reverse = sort = _refuse
    __iadd__ = __imul__ = _refuse

    def __new__(cls, *args: Any) -> list[Any]:  # type: ignore[misc]
        """Make a plain list: what is rebuilt as `type(value)(...)` is the caller's own."""
        return list(*args)

    def __copy__(self) -> list[Any]:
        return list(self)


def frozen_dict(plain: dict[Any, Any]) -> FrozenDict:
    """Return a read-only dict of the same items in the same order."""
    frozen: FrozenDict = dict.__new__(FrozenDict)
    dict.update(frozen, plain)
    return frozen


def frozen_list(plain: list[Any]) -> FrozenList:
    """Return a read-only list of the same items."""
    frozen: FrozenList = list.__new__(FrozenList)
    list.extend(frozen, plain)
    return frozen


def thaw(value: Any) -> Any:
    """Return a plain copy of a form, in which no two places share a container.

    Args:
        value: A form or a part of it: read-only containers, tuples, and immutable leaves.
    """
    cls = type(value)
    if cls is FrozenDict:
        return {thaw(key): thaw(item) for key, item in value.items()}
    if cls is FrozenList:
        return [thaw(item) for item in value]
    if isinstance(value, tuple):
        items = [thaw(item) for item in value]
        if any(map(_differ, items, value)):
            return tuple.__new__(cls, items)
    return value


def alike(form: Any, plain: Any) -> bool:
    """Say whether a form is, but for being read-only, what `asdict` returned.

    Unlike `==`, this tells `1` from `True` and `1.0`, and takes NaN for equal to itself.
    """
    cls = type(plain)
    if type(form) not in (cls, _FROZEN_TYPES.get(cls)):
        return False
    if isinstance(plain, dict):
        return alike([*form.items()], [*plain.items()])
    if isinstance(plain, (list, tuple)):
        return len(form) == len(plain) and all(map(alike, form, plain))
    if isinstance(plain, frozenset):
        return bool(form == plain)
    return form is plain or repr(form) == repr(plain)


_FROZEN_TYPES: dict[type, type] = {dict: FrozenDict, list: FrozenList}


def _differ(new: object, old: object) -> bool:
    return new is not old
