"""Run groups of benchmarks, print a table of each, and keep the figures as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import (
    callables,
    eviction,
    hits,
    imports,
    memory,
    misses,
    orbax,
    report,
    scale,
    serialization,
    threads,
)
from benchmarks.discipline import Comparison, Plan

GROUPS: dict[str, Callable[[Plan], Iterable[Comparison]]] = {
    "hits": hits.comparisons,
    "misses": misses.comparisons,
    "eviction": eviction.comparisons,
    "callables": callables.comparisons,
    "threads": threads.comparisons,
    "serialization": serialization.comparisons,
    "memory": memory.comparisons,
    "scale": scale.comparisons,
    "orbax": orbax.comparisons,
    "import": imports.comparisons,
}


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)}; or all")
    parser.add_argument("--rounds", type=int, default=Plan.rounds, help="paired ratios a case")
    parser.add_argument(
        "--slice", type=float, default=Plan.slice_seconds, help="seconds a round takes at least"
    )
    parser.add_argument(
        "--large", action="store_true", help="ten million values too, in minutes and gigabytes"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    return chosen


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the chosen groups, or all of them."""
    chosen = options(arguments)
    plan = Plan(rounds=chosen.rounds, slice_seconds=chosen.slice, large=chosen.large)
    console = Console(width=None if sys.stdout.isatty() else 120)
    results = {}
    for group in chosen.groups or GROUPS:
        with Console(stderr=True).status(group):
            results[group] = list(GROUPS[group](plan))
        console.print(report.table(group, results[group]))
    if chosen.json:
        text = json.dumps(report.document(results), indent=1, ensure_ascii=False)
        chosen.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
