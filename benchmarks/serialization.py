"""Serialization: the cached forms against what they equal, and against what is only like it.

Ours are what `asdict` makes of a value, and to the byte what `json.dumps` makes of that. msgspec
and orjson write compact text in UTF-8, and cattrs makes lists of tuples: other things, named so.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import attrs

from benchmarks import values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from interned import dumps

ELSE = "(not the same bytes)"


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure a document of 3 axes and 64 numbers, or 2,048, in cached forms and in new ones."""
    for case in cases():
        yield compare(case, plan)


def cases() -> Iterator[Case]:
    """Yield the cases."""
    attribute = Subject("attribute read", "x.axes", names)
    yield Case(
        "as_serialized_dict",
        Subject("interned", "x.as_serialized_dict", names),
        [attribute, *dicts("x")],
    )
    yield Case(
        "as_serialized_dict, attrs",
        Subject("interned", "y.as_serialized_dict", names),
        [
            Subject("attribute read", "y.axes", names),
            Subject("attrs.asdict", "attrs_asdict(y)", names),
        ],
    )
    yield Case(
        "as_serialized_json",
        Subject("interned", "x.as_serialized_json", names),
        [attribute, *texts("x")],
    )
    yield Case("to_dict()", Subject("interned", "x.to_dict()", names), dicts("x"))
    yield Case(
        "dumps of a document around it",
        Subject("interned", "dumps({'mesh': x, 'step': 3})", names),
        [Subject("json.dumps", "json.dumps({'mesh': asdict(x), 'step': 3})", names)],
    )
    yield Case(
        "dumps around 2,048 numbers",
        Subject("interned", "dumps({'mesh': large, 'step': 3})", names),
        [Subject("json.dumps", "json.dumps({'mesh': asdict(large), 'step': 3})", names)],
    )
    yield Case(
        "a new value, once",
        Subject("interned", "mesh().as_serialized_json", names),
        texts("mesh()"),
    )


def dicts(value: str) -> list[Subject]:
    """Make the other ways to a dict: the one that ours equals first."""
    return [
        Subject("dataclasses.asdict", f"asdict({value})", names),
        Subject("cattrs.unstructure (lists)", f"unstructure({value})", with_cattrs),
        Subject("msgspec.to_builtins", f"to_builtins({value})", with_msgspec),
    ]


def texts(value: str) -> list[Subject]:
    """Make the other ways to a text: the one that ours equals first."""
    return [
        Subject("json.dumps(asdict)", f"json.dumps(asdict({value}))", names),
        Subject("json.dumps(cattrs)", f"json.dumps(unstructure({value}))", with_cattrs),
        Subject(f"msgspec {ELSE}", f"encode({value})", with_msgspec),
        Subject(f"orjson {ELSE}", f"encode({value})", with_orjson),
    ]


def names() -> dict[str, Any]:
    """Make the namespace of every case."""
    made = {"x": values.mesh(), "y": values.attrs_mesh(), "large": values.mesh(2_048)}
    asdicts = {"asdict": dataclasses.asdict, "attrs_asdict": attrs.asdict}
    return {**made, **asdicts, "mesh": values.mesh, "dumps": dumps, "json": json}


def with_cattrs() -> dict[str, Any]:
    """Make the namespace with cattrs, which writes a function for each class when it meets it."""
    import cattrs

    return names() | {"unstructure": cattrs.Converter().unstructure}


def with_msgspec() -> dict[str, Any]:
    """Make the namespace with msgspec, written in C."""
    import msgspec

    return names() | {"to_builtins": msgspec.to_builtins, "encode": msgspec.json.Encoder().encode}


def with_orjson() -> dict[str, Any]:
    """Make the namespace with orjson, written in Rust."""
    import orjson

    return names() | {"encode": orjson.dumps}
