"""Wrapping: the function, method or descriptor that takes the place of an interned callable."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Final

from interned.callables import CallableInterner
from interned.entries import GONE
from interned.methods import InternedClassMethod, InternedProperty, Method
from interned.options import Options
from interned.sources import namespace_of
from interned.targets import Target, target_of

__all__ = ["intern_callable", "interner_of"]

_METHODS: Final = (
    *("cache_clear", "cache_contains", "cache_expire", "cache_info", "cache_invalidate"),
    *("cache_parameters", "cache_stats", "explain"),
)


def intern_callable(function: Any, options: Options) -> Any:
    """Let calls with the same arguments share one result.

    Args:
        function: A callable, or a class method, static method or property.
        options: What was asked for.

    Raises:
        UnsupportedClassError: It is a generator function.
        TypeError: An option makes no sense for it.
    """
    if isinstance(function, staticmethod):
        return staticmethod(_wrap(target_of(function.__func__), options, in_class_body=False))
    if isinstance(function, classmethod):
        return InternedClassMethod(_method(function.__func__, options))
    if isinstance(function, property):
        if function.fget is None:
            raise TypeError("a property without a getter has nothing to share")
        parts = _method(function.fget, options), function.fset, function.fdel
        if type(function) is not property:
            return type(function)(*parts, function.__doc__)
        made = InternedProperty(*parts)
        made.__doc__ = function.__doc__
        return made
    target = target_of(function)
    wrapper = _wrap(target, options, in_class_body=target.in_class_body)
    return _as_method(wrapper) if target.in_class_body else wrapper


def _method(function: Any, options: Options) -> Any:
    method = _as_method(_wrap(target_of(function), options, in_class_body=True))
    method.wrapper.__interner__.role.become_method()
    return method


def _as_method(wrapper: Any) -> Method:
    method = Method(wrapper)
    wrapper.__interner__.role.faces.append(weakref.ref(method))
    return method


def _wrap(target: Target, options: Options, *, in_class_body: bool) -> Any:
    interner = CallableInterner(target.placed(in_class_body=in_class_body), options)
    retention = interner.retention
    namespace = namespace_of(
        function=target.function,
        begin=interner.begin,
        settle=interner.settle,
        fly=interner.fly_in_loop if target.coroutine else interner.fly,
        decide=interner.role.decide,
        made_by=options.key,
        GONE=GONE,
        misses=interner.misses.ticks,
        ticks=interner.hits.ticks,
        clock=options.clock,
        seen=interner.table.seen,
        touch=getattr(retention, "touch", None),
        holds=getattr(retention, "holds", None),
        id=id,
        map=map,
    )
    wrapper: Any = interner.role.wrap(namespace)
    interner.table.serve(wrapper)
    functools.update_wrapper(wrapper, target.function)
    for name in _METHODS:
        setattr(wrapper, name, getattr(interner, name))
    wrapper.__interner__ = interner
    return wrapper


def interner_of(target: Any) -> CallableInterner | None:
    """Return the interner of what stands for an interned callable, `None` for anything else."""
    for face in (target, getattr(target, "__func__", None), getattr(target, "fget", None)):
        interner = getattr(face, "__interner__", None)
        # What `functools.wraps` made has the attribute as well.
        if isinstance(interner, CallableInterner) and interner.role.has_face(face):
            return interner
    return None
