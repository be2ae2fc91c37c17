"""`@interned`: one decorator for any class or callable."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, get_origin, overload

from interned.options import UNSET, Options

if TYPE_CHECKING:
    from datetime import timedelta

    from cachetools import Cache

    from interned.callables import CallableInterner
    from interned.classes import ClassInterner
    from interned.wrappers import Wrapper

__all__ = ["interned", "interner"]

P = ParamSpec("P")
R = TypeVar("R")
Class = TypeVar("Class", bound=type)


class _Decorator(Protocol):
    """What `interned(…)` with options gives."""

    @overload
    def __call__(self, target: Class, /) -> Class: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, target: property, /) -> property: ...
    @overload
    def __call__(self, target: Callable[P, R], /) -> Wrapper[P, R]: ...


@overload
def interned(target: Class, /) -> Class: ...  # type: ignore[overload-overlap]
@overload
def interned(target: property, /) -> property: ...
@overload
def interned(target: Callable[P, R], /) -> Wrapper[P, R]: ...
@overload
def interned(
    *,
    weak: bool | None = None,
    weak_args: tuple[str, ...] | str = (),
    maxsize: float | None = ...,
    ttl: float | timedelta | None = None,
    timer: Callable[[], float] | None = None,
    cache: Cache[Any, Any] | Callable[[], Cache[Any, Any]] | None = None,
    key: Callable[..., Hashable] | None = None,
    ignore: tuple[str, ...] | str = (),
    info: bool = False,
    single_flight: bool | None = None,
) -> _Decorator: ...
def interned(target: Any = None, /, **options: Any) -> Any:
    """Let equal constructions of a class give one object, or equal calls share one result.

    Write it above `@dataclass(frozen=True)`, `@attrs.frozen`, a plain class or a function, bare or
    with options. A class stays the very same class object.

    >>> from dataclasses import dataclass
    >>> @interned
    ... @dataclass(frozen=True)
    ... class Axis:
    ...     name: str
    ...     size: int
    >>> Axis("x", 8) is Axis(size=8, name="x")
    True
    >>> Axis("x", 1) is Axis("x", True)  # equal, but a reader can tell them apart
    False

    Args:
        target: The class or callable, in the bare form.
        **options: `weak` (hold values weakly; classes: true, callables: false), `maxsize` (how many
            recently used values to keep alive; `None` for no bound; callables: 128), `ttl` (seconds
            or a `timedelta` to keep a value), `timer` (the clock of `ttl`), `cache` (any cachetools
            cache or a factory of one, in their place), `key` (called with the bound arguments; its
            result replaces the exact key), `ignore` (names of parameters left out of the key),
            `info` (count the hits of a class; those of callables are always counted); for callables
            also `weak_args` (names of parameters keyed by identity and held weakly: a result goes
            with the first of them) and `single_flight` (concurrent calls with one key run the
            function once; coroutine functions: true).

    Raises:
        UnsupportedClassError: A kind of target with an identity rule of its own.
        MutableClassError: A class whose instances can be changed.
        NotWeakReferenceableError: Instances were to be held weakly and cannot be.
        TypeError: An option is unknown or makes no sense.
        ValueError: An option has an impossible value.
    """
    chosen = _options(options)
    if target is None:
        return lambda decorated: _decorate(decorated, chosen)
    return _decorate(target, chosen)


def _options(given: dict[str, Any]) -> Options:
    unknown = set(given) - {field.name for field in Options.__attrs_attrs__}
    if unknown:
        raise TypeError(f"@interned has no option {', '.join(sorted(unknown))}")
    given.setdefault("maxsize", UNSET)
    return Options(**given)


# Half of the import time is that of the two wings: each is imported when it is used first.


def _decorate(target: Any, options: Options) -> Any:
    if isinstance(target, type):
        from interned.installing import intern_class  # noqa: PLC0415

        intern_class(target, options)
        return target
    if get_origin(target) is not None:
        raise TypeError(f"{target!r} is an alias; decorate the class itself")
    if callable(target) or isinstance(target, classmethod | property):
        from interned.wrapping import intern_callable  # noqa: PLC0415

        return intern_callable(target, options)
    raise TypeError(
        f"@interned takes a class or a callable, not {target!r}; options are keywords: "
        "write @interned(maxsize=100)"
    )


@overload
def interner(target: type) -> ClassInterner: ...  # type: ignore[overload-overlap]
@overload
def interner(target: Callable[..., Any]) -> CallableInterner: ...
def interner(target: Any) -> Any:
    """Return the interner of a decorated class or callable.

    Raises:
        TypeError: The target is not decorated, or is an undecorated subclass.
    """
    if isinstance(target, type):
        found = vars(target).get("__interner__")
    else:
        from interned.wrapping import interner_of  # noqa: PLC0415

        found = interner_of(target)
    if found is None:
        name = getattr(target, "__qualname__", repr(target))
        raise TypeError(f"{name} is not decorated with @interned")
    return found
