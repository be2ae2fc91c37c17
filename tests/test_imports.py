"""`import interned` is light: it brings in no library that a user did not ask for."""

import os
import subprocess
import sys

import pytest

HEAVY = ("hypothesis", "jax", "numpy", "orbax", "redis", "rich")


@pytest.fixture
def brought_in(tmp_path):
    """Runs a statement in a new process and lists the heavy libraries that it imports.

    Each library can be imported there, installed or not: empty modules stand in for them, so that
    an import guarded by `try` is seen as well.
    """
    for name in HEAVY:
        (tmp_path / f"{name}.py").touch()
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    def probe(statement):
        program = f"import sys\n{statement}\nprint(*sorted(sys.modules.keys() & set({HEAVY})))"
        run = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout.split()

    return probe


def test_import_is_light(brought_in):
    assert brought_in("import interned") == []


@pytest.mark.parametrize("name", HEAVY)
def test_the_probe_can_fail(brought_in, name):
    assert brought_in(f"import json, {name}") == [name]
