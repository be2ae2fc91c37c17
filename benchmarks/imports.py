"""Import: how long `import interned` and its first use take, each time in a new process.

What it needs in any case, attrs and cachetools, is imported before the clock starts. Where the time
goes is shown by `python -X importtime -c "import attrs, cachetools; import interned"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.discipline import Comparison, Plan, ratio

ROUNDS = 15
NEEDED = "import attrs, cachetools"
TARGETS = f"""\
{NEEDED}
from dataclasses import dataclass
@dataclass(frozen=True)
class Point:
    x: int
    y: int
def pair(a, b): return (a, b)
"""
FORM = """\
from interned import CachedSerialization
@dataclass(frozen=True)
class Axis(CachedSerialization):
    name: str
Axis("data").as_serialized_json
"""
PROGRAM = """\
from time import perf_counter_ns
{before}
start = perf_counter_ns()
{timed}
print(perf_counter_ns() - start)
"""
ALONE = "import interned"
OURS: Mapping[str, str] = {
    ALONE: PROGRAM.format(before=NEEDED, timed="import interned"),
    "import and first class": PROGRAM.format(
        before=TARGETS, timed="from interned import interned; interned(Point)(1, 2)"
    ),
    "import and first function": PROGRAM.format(
        before=TARGETS, timed="from interned import interned; interned(pair)(1, 2)"
    ),
    "import and first form": PROGRAM.format(before=TARGETS, timed=FORM),
}
NEEDS = "attrs and cachetools"
OTHERS = ("cachebox", "cattrs", "hashcons")


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """Measure in rounds, each of which starts one process for each program."""
    present = [name for name in OTHERS if find_spec(name)]
    peers = {NEEDS: PROGRAM.format(before="", timed=NEEDED)} | {
        name: PROGRAM.format(before=NEEDED, timed=f"import {name}") for name in present
    }
    costs = nanoseconds({**OURS, **peers}, min(plan.rounds, ROUNDS))
    for title in OURS:
        others = peers if title == ALONE else (NEEDS, ALONE)
        ratios = tuple(ratio(other, costs[title], costs[other]) for other in others)
        left_out = tuple(name for name in OTHERS if title == ALONE and name not in present)
        yield Comparison(title, "interned", median(costs[title]), ratios, left_out)


def nanoseconds(programs: Mapping[str, str], rounds: int) -> dict[str, list[float]]:
    """Run every program once a round, in alternating order; return what each printed.

    Each finds its bytecode, as where the libraries are installed: a first run, which does not
    count, writes it.
    """
    found: dict[str, list[float]] = {name: [] for name in programs}
    with TemporaryDirectory() as folder:
        ignored = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        for number in range(rounds + 1):
            order = programs if number % 2 else reversed(programs)
            for name in order:
                printed = _run(programs[name], os.environ | ignored)
                if number:
                    found[name].append(printed)
    return found


def _run(program: str, environment: Mapping[str, str]) -> float:
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603
    return float(run.stdout)
