"""What type checkers see of interned callables. This is checked, by mypy and by pyright, never run.

A line that must be refused says so to both; both complain where there is nothing to refuse.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import assert_type

from cachetools import LFUCache

from interned import interned, interner
from interned.callables import CallableInterner
from interned.classes import ClassInterner
from interned.explaining import Explanation
from interned.interning import CacheInfo, CacheParameters, CacheStats

# Functions.


@interned
def bare(x: int, y: str = "", *rest: float, z: bytes = b"") -> list[int]:
    return [x]


@interned(maxsize=10, ttl=5.0)
def called(x: int) -> list[int]:
    return [x]


@interned(
    weak=False,
    weak_args=("x",),
    cache=lambda: LFUCache[object, object](3),
    key=id,
    single_flight=True,
)
def with_all_options(x: object) -> None: ...


@interned
def without_parameters() -> int:
    return 1


@interned
def of_a_type(kind: type[int], y: int) -> str:
    return str(kind(y))


assert_type(bare(1), list[int])
assert_type(bare(1, "a", 2.0, z=b""), list[int])
assert_type(called(x=1), list[int])
assert_type(without_parameters(), int)
assert_type(of_a_type(int, y=2), str)
assert_type(of_a_type(kind=int, y=2), str)
bare("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
bare(1, z="a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
bare()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
called(1, 2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
without_parameters(1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

assert_type(bare.cache_info(), CacheInfo)
assert_type(bare.cache_parameters(), CacheParameters)
assert_type(bare.cache_stats(), CacheStats)
assert_type(bare.cache_contains(1, y="a"), bool)
assert_type(bare.cache_invalidate(1), bool)
assert_type(bare.explain(1, "a"), Explanation)
assert_type(bare.explain(1).differences, tuple[str, ...])
assert_type(bare.__wrapped__(1), list[int])
assert_type(bare.__name__, str)
bare.cache_clear()
bare.cache_expire()
bare.cache_contains("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
bare.cache_invalidate(y="a")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
assert bare.no_such_thing  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

partial = interned(functools.partial(bare, 1))
assert_type(partial(), list[int])

# Coroutine functions.


@interned
async def coroutine(x: int) -> bytes:
    return bytes(x)


async def main() -> None:
    assert_type(await coroutine(1), bytes)
    assert_type(await Place().coroutine(1), bytes)
    assert_type(await Place.class_coroutine(1), bytes)
    await coroutine("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


assert_type(coroutine.cache_info(), CacheInfo)

# Methods.


class Place:
    @interned
    def method(self, x: int, y: str = "") -> list[int]:
        return [x]

    @interned(maxsize=None)
    def called(self) -> int:
        return 1

    @interned
    async def coroutine(self, x: int) -> bytes:
        return bytes(x)

    @interned
    @classmethod
    def class_outside(cls, x: int) -> list[int]:
        return [x]

    @classmethod
    @interned
    def class_inside(cls, x: int) -> list[int]:
        return [x]

    @interned
    @classmethod
    async def class_coroutine(cls, x: int) -> bytes:
        return bytes(x)

    @interned
    @staticmethod
    def static_outside(x: int) -> list[int]:
        return [x]

    @staticmethod
    @interned
    def static_inside(x: int) -> list[int]:
        return [x]

    @property
    @interned
    def value(self) -> int:
        return 1


class Derived(Place): ...


place = Place()
assert_type(place.method(1), list[int])
assert_type(place.method(1, y="a"), list[int])
assert_type(Place.method(place, 1), list[int])
assert_type(Derived().method(1), list[int])
assert_type(place.called(), int)
assert_type(place.method.cache_info(), CacheInfo)
assert_type(place.method.cache_contains(1), bool)
assert_type(place.method.cache_invalidate(1, y="a"), bool)
assert_type(place.method.explain(1), Explanation)
assert_type(Place.method.cache_info(), CacheInfo)
assert_type(Place.method.cache_contains(place, 1), bool)
assert_type(Place.method.explain(place, x=1), Explanation)
place.method("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
place.method()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
place.method(place, 1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
place.method.cache_invalidate("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Place.method(place, "a")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]

for cls in (Place, Derived):
    assert_type(cls.class_outside(1), list[int])
    assert_type(cls.class_inside(x=1), list[int])
    assert_type(cls.class_outside.cache_info(), CacheInfo)
    assert_type(cls.class_inside.cache_contains(1), bool)
    assert_type(cls.class_outside.cache_invalidate(1), bool)
    assert_type(cls.static_outside(1), list[int])
    assert_type(cls.static_inside(x=1), list[int])
    assert_type(cls.static_outside.cache_info(), CacheInfo)
    assert_type(cls.static_inside.cache_invalidate(1), bool)
assert_type(place.class_outside(1), list[int])
assert_type(place.class_inside(x=1), list[int])
assert_type(place.value, int)
Place.class_outside("a")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
Place.class_inside()  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
Place.static_outside("a")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]

# Classes.


@interned
@dataclass(frozen=True)
class Axis:
    name: str
    size: int = 1


@interned(maxsize=10, info=True)
class Plain:
    def __init__(self, x: int) -> None:
        self.x = x


assert_type(Axis("x"), Axis)
assert_type(Axis("x", size=2).size, int)
assert_type(Plain(1).x, int)
Axis(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Plain("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

# Interners.

assert_type(interner(Axis), ClassInterner)
assert_type(interner(bare), CallableInterner)
assert_type(interner(place.method), CallableInterner)
assert_type(interner(Axis).cache_info(), CacheInfo)
assert_type(interner(Axis).cache_contains("x"), bool)
assert_type(interner(bare).explain(1), Explanation)
