"""Show comparisons as tables, and keep them as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.discipline import BYTES, NANOSECONDS, Comparison, Ratio

LIBRARIES = (
    *("attrs", "cachebox", "cachetools", "cattrs", "hashcons", "interned", "jax", "moka-py"),
    *("msgspec", "orbax-checkpoint", "orjson", "theine", "wrapt"),
)
SCALES = {
    NANOSECONDS: ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")),
    BYTES: ((1e6, "MB"), (1e3, "kB"), (1, "B")),
}


def table(group: str, comparisons: Iterable[Comparison]) -> Table:
    """Make the table of one group: a line for each ratio, below 1 where ours costs less."""
    grid = Table(title=group, title_justify="left", title_style="bold")
    grid.add_column("case")
    grid.add_column("ours", justify="right", no_wrap=True)
    grid.add_column("peer")
    grid.add_column("costs", justify="right", no_wrap=True)
    grid.add_column("ours / peer", justify="right", no_wrap=True)
    grid.add_column("quartiles", justify="right", no_wrap=True)
    for comparison in comparisons:
        for row in _rows(comparison):
            grid.add_row(*row)
        grid.add_section()
    return grid


def _rows(comparison: Comparison) -> list[tuple[str, ...]]:
    unit = comparison.unit
    measured = [
        (one.peer, cost(one.peer_cost, unit), number(one.median), _spread(one))
        for one in comparison.ratios
    ]
    absent = [(name, "not installed", "", "") for name in comparison.left_out]
    lines = measured + absent or [("nothing", "", "", "")]
    heads = [(comparison.title, cost(comparison.cost, unit)), *[("", "")] * (len(lines) - 1)]
    return [head + line for head, line in zip(heads, lines, strict=True)]


def _spread(one: Ratio) -> str:
    return f"{number(one.low)} to {number(one.high)}"


def curve(comparisons: Iterable[Comparison], peers: Sequence[str]) -> str:
    """Write a curve in Markdown: for each place the costs, and how many times less ours is."""
    rows: list[list[str]] = []
    for comparison in comparisons:
        found = {one.peer: one for one in comparison.ratios}
        costs = [cost(found[peer].peer_cost, comparison.unit) for peer in peers]
        times = [times_less(found[peer]) for peer in peers]
        ours = cost(comparison.cost, comparison.unit)
        rows.append([f"{comparison.at:,}", *costs, ours, *times])
    head = ["devices", *peers, "interned", *(f"{peer} / interned" for peer in peers)]
    lines = [head, ["---:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def times_less(one: Ratio) -> str:
    """Write how many times less ours costs, with two digits that mean something."""
    return f"{float(f'{1 / one.median:.2g}'):,g}"


def number(value: float) -> str:
    """Write a ratio with three digits that mean something: `0.684`, `12.3`, `0.00105`."""
    return f"{value:#.3g}"


def cost(value: float, unit: str) -> str:
    """Write a cost in the largest unit that leaves a number of at least one: `1.74 µs`."""
    for scale, name in SCALES[unit]:
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value:.2g} {unit}"


def document(results: Mapping[str, Sequence[Comparison]]) -> dict[str, Any]:
    """Make the JSON document: what was measured, and on what."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "machine": platform.machine(),
        "libraries": {name: found for name in LIBRARIES if (found := _version(name))},
        "groups": {
            group: [asdict(comparison) for comparison in comparisons]
            for group, comparisons in results.items()
        },
    }


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def load(path: Path) -> dict[str, list[Comparison]]:
    """Read a document again, its groups as comparisons."""
    groups = json.loads(path.read_text(encoding="utf-8"))["groups"]
    return {group: [comparison_from(each) for each in found] for group, found in groups.items()}


def comparison_from(each: Mapping[str, Any]) -> Comparison:
    """Turn one comparison of a document back into the value it was."""
    ratios = tuple(Ratio(**one) for one in each["ratios"])
    return Comparison(**{**each, "ratios": ratios, "left_out": tuple(each["left_out"])})
