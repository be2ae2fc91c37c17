"""Explaining: why is a value not shared? The nearest known one, and where it differs."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Self

import attrs

from interned.errors import UnkeyableError
from interned.keys import exact_key

__all__ = ["Explanation", "explain"]

_ABSENT: Final = object()
_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


class Explanation(str):
    """What `explain` says, as text and as data.

    Attributes:
        hit: Whether the value would be found.
        differences: Where the nearest known one differs, one line for each place; empty if there is
            none, or if it would be found.
    """

    __slots__ = ("differences", "hit")

    hit: bool
    differences: tuple[str, ...]

    def __new__(cls, text: str, *, hit: bool = False, differences: tuple[str, ...] = ()) -> Self:
        """Write an explanation: what is to be said, and one line for each difference."""
        explanation = super().__new__(cls, "\n    ".join((text, *differences)))
        explanation.hit, explanation.differences = hit, differences
        return explanation


def explain(mine: Mapping[str, Any], known: Iterable[Mapping[str, Any]]) -> Explanation:
    """Explain a miss.

    Args:
        mine: What was asked for: values by what they are called.
        known: The same of everything that is known.

    >>> print(explain({"x": 1, "y": ("a", "b")}, [{"x": 1.0, "y": ()}, {"x": 1, "y": ("a", "c")}]))
    miss; what is known and nearest differs in
        y[1]: 'b' against 'c'
    """
    found = [tuple(_differences_between(mine, other)) for other in known]
    if not found:
        return Explanation("miss; nothing is known")
    nearest = min(found, key=len)
    return Explanation("miss; what is known and nearest differs in", differences=nearest)


def _differences_between(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*mine, *theirs)):
        yield from _differences(name, mine.get(name, _ABSENT), theirs.get(name, _ABSENT))


def _differences(place: str, mine: Any, theirs: Any) -> Iterator[str]:
    if _same(mine, theirs):
        return
    inner = tuple(
        line
        for name, one, other in _parts(mine, theirs)
        for line in _differences(place + name, one, other)
    )
    yield from inner or (f"{place}: {_show(mine, theirs)} against {_show(theirs, mine)}",)


def _parts(mine: Any, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    if type(mine) is not type(theirs):
        return
    if isinstance(mine, tuple) and len(mine) == len(theirs):
        for index, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            yield f"[{index}]", one, other
    for name in _field_names(type(mine)):
        yield f".{name}", getattr(mine, name, _ABSENT), getattr(theirs, name, _ABSENT)


def _field_names(cls: type) -> list[str]:
    if attrs.has(cls):
        return [field.name for field in attrs.fields(cls)]
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return []


def _same(mine: Any, theirs: Any) -> bool:
    if mine is theirs:
        return True
    if mine is _ABSENT or theirs is _ABSENT:
        return False
    try:
        return exact_key(mine) == exact_key(theirs)
    except UnkeyableError:
        return False


def _show(value: Any, other: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = _SHORT.repr(value)
    if type(value) is not type(other) and other is not _ABSENT:
        return f"{text} ({type(value).__qualname__})"
    if text == _SHORT.repr(other):
        return f"{text} (at {id(value):#x})"
    return text
