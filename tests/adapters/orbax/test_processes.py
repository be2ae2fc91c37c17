"""Processes that share a mesh save one checkpoint, and all read the same in it."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("one_process.py")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(processes, folder):
    """Runs that many processes to their end, and returns what each of them read."""
    command = [sys.executable, PROGRAM, str(free_port()), str(processes)]
    with (folder / "complaints").open("w+", encoding="utf-8") as complaints:
        running = [
            subprocess.Popen([*command, str(rank), folder], stdout=complaints, stderr=complaints)
            for rank in range(processes)
        ]
        try:
            codes = [process.wait(timeout=100) for process in running]
        except subprocess.TimeoutExpired:  # the others wait for one that has failed
            codes = None
        for process in running:
            process.kill()
            process.wait()
        complaints.seek(0)
        assert codes == [0] * processes, complaints.read()
    return [(folder / f"{rank}.txt").read_text(encoding="utf-8") for rank in range(processes)]


@pytest.mark.parametrize("processes", [2, 4])
def test_all_processes_agree_with_one_another_and_with_stock(processes, tmp_path):
    texts = run(processes, tmp_path)
    assert len(set(texts)) == 1
    assert texts[0].count("NamedSharding") == 5
    ours, stock = ((tmp_path / name / "_sharding").read_bytes() for name in ("ours", "stock"))
    assert ours == stock
