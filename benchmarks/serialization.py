"""Serialization: the cached forms against what they equal."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import values
from benchmarks.discipline import Case, Comparison, Plan, Subject, compare
from interned import dumps


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
        [attribute, Subject("dataclasses.asdict", "asdict(x)", names)],
    )
    yield Case(
        "as_serialized_json",
        Subject("interned", "x.as_serialized_json", names),
        [attribute, Subject("json.dumps(asdict)", "json.dumps(asdict(x))", names)],
    )
    yield Case(
        "to_dict()",
        Subject("interned", "x.to_dict()", names),
        [Subject("dataclasses.asdict", "asdict(x)", names)],
    )
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
        [Subject("json.dumps(asdict)", "json.dumps(asdict(mesh()))", names)],
    )


def names() -> Mapping[str, Any]:
    """Make the namespace of every case."""
    x, large = values.mesh(), values.mesh(2_048)
    tools = {"asdict": dataclasses.asdict, "dumps": dumps, "json": json, "mesh": values.mesh}
    return {"x": x, "large": large, **tools}
