"""The value classes that are measured, each made anew so that nothing is shared between cases."""

from __future__ import annotations

from dataclasses import dataclass

import attrs

from interned import CachedSerialization


def two_fields() -> type:
    """Make a frozen dataclass of two fields."""

    @dataclass(frozen=True)
    class Point:
        x: object
        y: object

    return Point


def two_attrs_fields() -> type:
    """Make a frozen attrs class of two fields, with slots."""

    @attrs.frozen
    class Point:
        x: object
        y: object

    return Point


def six_fields() -> type:
    """Make a frozen dataclass of six fields."""

    @dataclass(frozen=True)
    class Box:
        a: object
        b: object
        c: object
        d: object
        e: object
        f: object

    return Box


@dataclass(frozen=True)
class Axis(CachedSerialization):
    """A named axis of a mesh."""

    name: str
    size: int


@dataclass(frozen=True)
class Mesh(CachedSerialization):
    """A small document: axes, and numbers in nested tuples."""

    axes: tuple[Axis, ...]
    devices: tuple[tuple[int, ...], ...]


def mesh(numbers: int = 64) -> Mesh:
    """Make a document of 3 axes and a multiple of 8 numbers."""
    axes = tuple(Axis(name, 4) for name in ("data", "model", "expert"))
    return Mesh(axes, tuple(tuple(range(row, row + 8)) for row in range(0, numbers, 8)))


@attrs.frozen
class AttrsAxis(CachedSerialization):
    """A named axis, by attrs."""

    name: str
    size: int


@attrs.frozen
class AttrsMesh(CachedSerialization):
    """The same document, by attrs."""

    axes: tuple[AttrsAxis, ...]
    devices: tuple[tuple[int, ...], ...]


def attrs_mesh(numbers: int = 64) -> AttrsMesh:
    """Make the same document of classes by attrs."""
    same = mesh(numbers)
    return AttrsMesh(tuple(AttrsAxis(axis.name, axis.size) for axis in same.axes), same.devices)
