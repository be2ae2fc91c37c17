"""Count instructions instead of measuring time: the same numbers on a busy machine.

Each thing is counted for a number of runs and for twice as many; the difference is what the runs
take, without start and warm-up.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from statistics import median
from timeit import Timer
from types import FrameType
from typing import Any

RUNS = 5_000


def bytecodes(loop: Timer, runs: int = 100) -> float:
    """Count the bytecode instructions of one run; what is written in C has none."""
    # The first traced run also counts what the interpreter does to get ready for it, and in any run
    # something else may come between, such as the callback of a weak reference.
    _traced(loop, runs)
    return median((_traced(loop, 2 * runs) - _traced(loop, runs)) / runs for _ in range(3))


def _traced(loop: Timer, runs: int) -> int:
    count = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        loop.timeit(runs)
    finally:
        sys.settrace(before)
    return count


def run_in_forks(loops: Iterable[Timer], runs: int = RUNS) -> None:
    """Be the program that `instructions` counts in: print the ids of two processes for each loop.

    A fork has all that came before it in its count, so one start serves them all.
    """
    for loop in loops:
        loop.timeit(runs // 10)
        print(*[_forked(loop, number) for number in (runs, 2 * runs)], flush=True)


def _forked(loop: Timer, runs: int) -> int:
    process = os.fork()
    if process == 0:
        try:
            loop.timeit(runs)
        finally:
            os._exit(0)
    os.waitpid(process, 0)
    return process


def instructions(program: Sequence[str], runs: int = RUNS) -> list[float]:
    """Count the machine instructions of one run of each loop, under Valgrind.

    Args:
        program: What to start Python with, to call `run_in_forks`.
        runs: How many runs make a difference that nothing else blurs.
    """
    valgrind = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}")
    run = subprocess.run(  # noqa: S603 - our own module, with names of ours as its arguments
        [*valgrind, sys.executable, *program],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    counts = collected(run.stderr)
    pairs = (map(int, line.split()) for line in run.stdout.splitlines())
    return [(counts[twice] - counts[once]) / runs for once, twice in pairs]


def collected(said: str) -> dict[int, int]:
    """Read the number of instructions of each process in what callgrind says at their ends."""
    found = re.findall(r"^==(\d+)== Collected : (\d+)", said, re.MULTILINE)
    return {int(process): int(count) for process, count in found}
