"""Guard the hit paths against regressions: `python -m benchmarks.guard`.

A hit may take so many times the instructions of something else that is counted in the same run.
Valgrind counts machine instructions; where there is no Valgrind, Python counts its bytecode.
"""

from __future__ import annotations

import argparse
import functools
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from timeit import Timer
from typing import TYPE_CHECKING

from benchmarks import callables, counting, hits, peers, serialization
from benchmarks.discipline import Case
from interned import interned

if TYPE_CHECKING:
    from rich.table import Table

PLAIN, ATTRIBUTE, LRU = "plain class", "attribute read", "lru_cache(typed=True)"
UNCACHED = "uncached call"
Way = tuple[str, str]


@dataclass(frozen=True)
class Bound:
    """How many times the instructions of something else a hit may take.

    Attributes:
        title: The case, as `cases` names it.
        base: What it is compared with.
        instructions: The bound for machine instructions.
        bytecodes: That for bytecode, `None` where the other way is written in C, which has none.
        reason: What the hit does for them.
    """

    title: str
    base: str
    instructions: float
    bytecodes: float | None
    reason: str


# About a tenth above the most that was counted on CPython 3.11 to 3.13, since other builds have
# other ratios; what costs a hit more than that is seen.
BOUNDS = (
    Bound("two fields", PLAIN, 0.72, 1.35, "looks up the values and their types in a dict"),
    Bound("two fields by keyword", PLAIN, 0.77, 1.35, "the same; binding is as dear on both sides"),
    Bound("two fields, maxsize=1024", PLAIN, 0.86, 1.85, "the same, and notes the use"),
    Bound("two fields, attrs", PLAIN, 0.76, 1.25, "the same; slots are cheaper to fill"),
    Bound("six fields", PLAIN, 0.43, 0.97, "looks up once, in place of six assignments"),
    Bound("function", LRU, 1.52, None, "looks up, counts, notes the use: in Python, not in C"),
    Bound("function", UNCACHED, 3.20, 3.25, "the same; the function only makes a tuple"),
    Bound("function by keyword", LRU, 0.95, None, "binds without the dict that C has to make"),
    Bound("function, ttl", UNCACHED, 3.90, 3.80, "as a function, and asks the clock"),
    Bound("method", LRU, 4.40, None, "binds, then finds the results of this one instance"),
    Bound("as_serialized_dict", ATTRIBUTE, 10.0, 4.70, "compares the identity of each field"),
)


@functools.cache
def cases() -> Mapping[str, Case]:
    """Make the guarded cases by title, of the very source that is timed elsewhere."""
    kept = interned(maxsize=peers.MAXSIZE)
    others = {LRU: peers.functools_lru, UNCACHED: peers.plain}
    found = (
        *hits.classes(),
        hits.memoized("function", "f(3, 4)", kept, others),
        hits.memoized("function by keyword", "f(a=3, b=4)", kept, others),
        hits.memoized("function, ttl", "f(3, 4)", interned(ttl=peers.SECONDS), others),
        callables.method(),
        *serialization.cases(),
    )
    return {case.title: case for case in found}


def loop(title: str, name: str) -> Timer:
    """Make what runs one way of a case many times."""
    case = cases()[title]
    subject = next(one for one in (case.ours, *case.peers) if one.name == name)
    return Timer(subject.code, globals=dict(subject.names()))


def by_bytecode(ways: Iterable[Way]) -> dict[Way, float]:
    """Count the bytecode instructions of each way."""
    return {way: counting.bytecodes(loop(*way)) for way in ways}


def by_machine(ways: Iterable[Way]) -> dict[Way, float]:
    """Count the machine instructions of each way."""
    ways = list(ways)
    program = ("-m", "benchmarks.guard", "--fork", json.dumps(ways))
    return dict(zip(ways, counting.instructions(program), strict=True))


@dataclass(frozen=True)
class Finding:
    """What came of one bound.

    Attributes:
        bound: The bound.
        unit: What was counted.
        ours: How many a hit takes.
        base: How many the other way takes.
    """

    bound: Bound
    unit: str
    ours: float
    base: float

    @property
    def limit(self) -> float:
        """The greatest ratio that is let through."""
        return float(getattr(self.bound, self.unit))

    @property
    def ratio(self) -> float:
        """Our instructions by those of the other way."""
        return self.ours / self.base

    @property
    def exceeded(self) -> bool:
        """Whether a hit takes more than it may, or what was counted cannot be."""
        return not 0 < self.ratio <= self.limit

    def __str__(self) -> str:
        return (
            f"{self.bound.title}: a hit takes {self.ours:,.0f} {self.unit}, "
            f"{self.ratio:.2f} times the {self.base:,.0f} of {self.bound.base!r}; "
            f"the bound is {self.limit:.2f}: {self.bound.reason}"
        )


def find(
    count: Callable[[Iterable[Way]], Mapping[Way, float]],
    unit: str,
    bounds: Sequence[Bound] = BOUNDS,
) -> list[Finding]:
    """Count what the bounds are about, each way once.

    Args:
        count: Counts the ways, each a title and a name.
        unit: What it counts, as the bounds call it.
        bounds: The bounds; those that have none for this unit are passed over.
    """
    held = [bound for bound in bounds if getattr(bound, unit) is not None]
    ways = [(bound.title, name) for bound in held for name in ("interned", bound.base)]
    found = count(dict.fromkeys(ways))
    return [
        Finding(bound, unit, found[bound.title, "interned"], found[bound.title, bound.base])
        for bound in held
    ]


def table(findings: Sequence[Finding]) -> Table:
    """Make the table: a line for each bound."""
    from rich.table import Table

    grid = Table(title=f"{findings[0].unit} of a hit", title_justify="left", title_style="bold")
    grid.add_column("case")
    grid.add_column("ours", justify="right")
    grid.add_column("compared with")
    for heading in ("takes", "ratio", "bound"):
        grid.add_column(heading, justify="right")
    grid.add_column("what the hit does")
    for one in findings:
        ratio = f"[red]{one.ratio:.2f}[/]" if one.exceeded else f"{one.ratio:.2f}"
        costs = (f"{one.ours:,.0f}", one.bound.base, f"{one.base:,.0f}")
        grid.add_row(one.bound.title, *costs, ratio, f"{one.limit:.2f}", one.bound.reason)
    return grid


def main(arguments: Sequence[str] | None = None) -> None:
    """Count and show; exit with a message for each bound that is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=__doc__)
    parser.add_argument("--bytecodes", action="store_true", help="count these, Valgrind or not")
    parser.add_argument("--fork", type=json.loads, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.fork:
        counting.run_in_forks(loop(*way) for way in chosen.fork)
        return
    if shutil.which("valgrind") and not chosen.bytecodes:
        findings = find(by_machine, "instructions")
    else:
        findings = find(by_bytecode, "bytecodes")
    _report(findings)


def _report(findings: Sequence[Finding]) -> None:
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 140).print(table(findings))
    if exceeded := [str(one) for one in findings if one.exceeded]:
        sys.exit("\n".join(exceeded))


if __name__ == "__main__":
    main()
