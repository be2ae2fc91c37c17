"""Count instructions instead of measuring time: the same numbers on a busy machine.

Each thing is counted for a number of runs and for twice as many; the difference is what the runs
take, without start and warm-up.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from timeit import Timer
from types import FrameType
from typing import Any


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


def instructions(program: Sequence[str], runs: int = 5_000) -> float:
    """Count the machine instructions of one run, under Valgrind.

    Args:
        program: What to start Python with; the number of runs is added as the last argument.
        runs: How many runs make a difference that start-up does not blur.
    """
    return (_collected(program, 2 * runs) - _collected(program, runs)) / runs


def _collected(program: Sequence[str], runs: int) -> int:
    valgrind = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}")
    run = subprocess.run(  # noqa: S603 - our own module, with names of ours as its arguments
        [*valgrind, sys.executable, *program, str(runs)],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return collected(run.stderr)


def collected(said: str) -> int:
    """Read the number of instructions in what callgrind says at its end.

    Raises:
        ValueError: There is none.
    """
    found = re.search(r"Collected : (\d+)", said)
    if found is None:
        raise ValueError(f"callgrind did not say what it collected:\n{said}")
    return int(found[1])
