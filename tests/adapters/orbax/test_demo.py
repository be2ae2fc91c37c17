"""The main job: `examples/orbax_checkpoint.py`, on few devices."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[3] / "examples" / "orbax_checkpoint.py"


def run(*arguments):
    command = [sys.executable, DEMO, "--devices", "8", "--arrays", "5", "--rounds", "1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_all_ways_write_the_same(processes):
    done = run("--json", "--processes", processes)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["way"] for row in rows] == ["stock Orbax", "proposal", "interned"]
    assert len({digest for row in rows for digest in row["sha256"]}) == 1
    assert all(row["restored_equal"] for row in rows)
    assert all(row["save"] > 0 and row["metadata"] > 0 for row in rows)


def test_the_table_names_the_ways():
    done = run()
    assert done.returncode == 0, done.stderr
    assert all(way in done.stdout for way in ("stock Orbax", "proposal", "interned"))
