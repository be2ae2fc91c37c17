"""Children: what has to be measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def answer(module: str, *arguments: object) -> Any:
    """Run a module of ours in a new process and return what it prints as JSON.

    Args:
        module: Its name.
        arguments: The arguments of its command line.

    Returns:
        The answer, `None` where a library that the child needs is not installed.

    Raises:
        CalledProcessError: The child failed for another reason.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode and "ModuleNotFoundError" in run.stderr:
        return None
    run.check_returncode()
    return json.loads(run.stdout)
