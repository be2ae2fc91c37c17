"""Plans: what a read has to know of a class, found once per class."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from weakref import ref

import attrs
from cachetools import Cache, LRUCache, TTLCache

from interned.form_cache import FormCache
from interned.forms import Form, form_class
from interned.options import UNSET, Options
from interned.oracles import Oracle, oracle_of

__all__ = ["KEYWORDS", "Keywords", "Plan", "plan_of"]

# Where a class remembers its keywords. `slots=True` and attrs build a class a second time, without
# the keywords but with the attributes of the first.
KEYWORDS = "__serialization__"
_SERVED = "_interned_form_cache"


@attrs.frozen(kw_only=True)
class Keywords:
    """The keywords of a class that derives from `CachedSerialization`.

    Attributes:
        maxsize: How many forms are kept; `None` for any number.
        ttl: Seconds after which a form is made anew.
        timer: The clock of `ttl`.
        cache: A cachetools cache, or a factory of one, instead of these three.
        assume_immutable: The author's promise that what the fields hold is not changed in place.
    """

    maxsize: float | None = None
    ttl: float | timedelta | None = None
    timer: Callable[[], float] | None = None
    cache: Cache[Any, Any] | Callable[[], Cache[Any, Any]] | None = None
    assume_immutable: bool = False

    def __attrs_post_init__(self) -> None:
        # The same options, refused in the same words as those of `@interned`.
        bound = UNSET if self.maxsize is None else self.maxsize
        Options(maxsize=bound, ttl=self.ttl, timer=self.timer)
        if self.cache is None:
            return
        if self.maxsize is not None or self.ttl is not None:
            raise TypeError("cache= stands in place of maxsize= and ttl=; leave these out")
        if isinstance(self.cache, Cache):
            _serve_with(self.cache)
        elif not callable(self.cache):
            raise TypeError(f"cache={self.cache!r} is neither a cachetools cache nor its factory")

    def make_cache(self) -> FormCache | None:
        """Make what bounds the forms, `None` where nothing does."""
        if isinstance(self.cache, Cache):
            found: FormCache = vars(self.cache)[_SERVED]
            return found
        if self.cache is not None:
            return FormCache(self.cache)
        if self.ttl is not None:
            ttl = self.ttl.total_seconds() if isinstance(self.ttl, timedelta) else self.ttl
            return _timed(self.maxsize, ttl, self.timer or time.monotonic)
        return None if self.maxsize is None else FormCache(partial(LRUCache, self.maxsize))


def _timed(maxsize: float | None, ttl: float, clock: Callable[[], float]) -> FormCache:
    made: FormCache
    bound = math.inf if maxsize is None else maxsize

    def make() -> Cache[Any, Any]:
        # The clock is the user's code, so it is read before the work begins.
        return TTLCache(bound, ttl, timer=lambda: made.now)

    made = FormCache(make, clock)
    return made


def _serve_with(cache: Cache[Any, Any]) -> None:
    """Keep the forms of one class in a cache that was given.

    Raises:
        TypeError: If it serves another class already.
    """
    if _SERVED in vars(cache):
        raise TypeError("this cache serves another class; give each class its own")
    vars(cache)[_SERVED] = FormCache(lambda: cache)


class Plan(ref[type]):
    """A weak reference to a class of instances that have forms.

    Attributes:
        oracle: Whose `asdict` is right.
        names: The fields.
        trusting: Whether the author promised that what the fields hold is not changed in place.
        cache: What bounds the forms, `None` if nothing does.
        forms: The class of the forms.
        installed: Whether generated properties were installed.
        doubtful: Whether an instance could not be cached.
    """

    __slots__ = ("cache", "doubtful", "forms", "installed", "key", "names", "oracle", "trusting")

    key: int
    oracle: Oracle
    names: tuple[str, ...]
    trusting: bool
    cache: FormCache | None
    forms: type[Form]
    installed: bool
    doubtful: bool

    def values(self, instance: object) -> list[Any]:
        """Return the fields of an instance, as they are now."""
        return [getattr(instance, name) for name in self.names]

    def is_open(self, instance: object) -> bool:
        """Say whether a field plainly holds what may change."""
        return not self.trusting and not _OPEN.isdisjoint(map(type, self.values(instance)))


_OPEN = frozenset({list, dict, set, bytearray})
# By identity, as a metaclass may define `==` and `hash`.
_plans: dict[int, Plan] = {}


def plan_of(cls: type) -> Plan:
    """Return the plan of a class.

    Raises:
        TypeError: If the class has no fields, being neither a dataclass nor an attrs class.
    """
    plan = _plans.get(id(cls))
    if plan is None or plan() is not cls:
        made = _make_plan(cls)
        if plan is not None:
            _forget(plan)
        plan = _plans.setdefault(id(cls), made)
    return plan


def _make_plan(cls: type) -> Plan:
    plan = Plan(cls, _forget)
    keywords: Keywords = vars(cls).get(KEYWORDS) or Keywords()
    plan.key = id(cls)
    plan.oracle = oracle_of(cls)
    plan.names = plan.oracle.names(cls)
    plan.trusting = keywords.assume_immutable
    plan.cache = keywords.make_cache()
    plan.forms = form_class(len(plan.names))
    plan.installed = plan.doubtful = False
    return plan


def _forget(plan: Plan) -> None:
    if _plans.get(plan.key) is plan:
        del _plans[plan.key]
