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


@pytest.mark.parametrize(
    ("devices", "arrays", "processes"),
    [("8", "5", "1"), ("8", "5", "2"), ("2", "1", "1"), ("2", "1", "2"), ("6", "3", "3")],
)
def test_all_ways_write_the_same(devices, arrays, processes):
    done = run("--json", "--devices", devices, "--arrays", arrays, "--processes", processes)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["way"] for row in rows] == ["stock Orbax", "proposal", "interned"]
    assert len({digest for row in rows for digest in row["sha256"]}) == 1
    assert all(row["restored_equal"] for row in rows)
    assert all(row["save"] > 0 and row["metadata"] > 0 and row["restore"] > 0 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--devices", "7"], "--devices: the mesh has two rows, and 7 is odd"),
        (["--devices", "0"], "--devices: must be at least 1"),
        (["--devices", "many"], "--devices: invalid"),
        (["--arrays", "0"], "--arrays: must be at least 1"),
        (["--arrays", "-3"], "--arrays: must be at least 1"),
        (["--processes", "0"], "--processes: must be at least 1"),
        (["--processes", "3"], "--processes: 8 devices cannot be shared out to 3"),
        (["--processes", "16"], "--processes: 8 devices cannot be shared out to 16"),
        (["--folder", "no such folder"], "--folder: there is no folder 'no such folder'"),
    ],
    ids=str,
)
def test_nonsense_is_refused_before_anything_starts(arguments, complaint):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert complaint in done.stderr.splitlines()[-1]


def test_the_checkpoints_are_gone_afterwards(tmp_path):
    done = run("--folder", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_table_names_the_ways():
    done = run()
    assert done.returncode == 0, done.stderr
    assert all(way in done.stdout for way in ("stock Orbax", "proposal", "interned"))
