"""The guard of the hit paths: counting, and holding bounds against what was counted."""

import os
from subprocess import CompletedProcess
from timeit import Timer

import pytest
from rich.console import Console

from benchmarks import counting, guard
from benchmarks.counting import bytecodes, collected
from benchmarks.guard import Bound, Finding, find

TIGHT = Bound("case", "peer", instructions=0.5, bytecodes=None, reason="it looks up one key")
LOOSE = Bound("case", "other", instructions=2.0, bytecodes=1.5, reason="it binds two arguments")
COUNTS = {("case", "interned"): 120.0, ("case", "peer"): 200.0, ("case", "other"): 100.0}


def test_each_way_is_counted_once():
    asked = []

    def count(ways):
        asked.extend(ways)
        return COUNTS

    find(count, "instructions", [TIGHT, LOOSE])
    assert asked == [("case", "interned"), ("case", "peer"), ("case", "other")]


def test_a_ratio_above_its_bound_is_found():
    findings = find(lambda _: COUNTS, "instructions", [TIGHT, LOOSE])
    assert [one.ratio for one in findings] == [0.6, 1.2]
    assert [one.exceeded for one in findings] == [True, False]


def test_a_bound_that_a_unit_does_not_have_is_passed_over():
    (finding,) = find(lambda _: COUNTS, "bytecodes", [TIGHT, LOOSE])
    assert (finding.bound, finding.limit) == (LOOSE, 1.5)


def test_the_message_says_all_there_is_to_know():
    assert str(Finding(TIGHT, "instructions", 1200.4, 2000)) == (
        "case: a hit takes 1,200 instructions, 0.60 times the 2,000 of 'peer'; "
        "the bound is 0.50: it looks up one key"
    )


def test_the_table_has_a_line_for_each_bound():
    console = Console(width=140)
    with console.capture() as capture:
        console.print(guard.table(find(lambda _: COUNTS, "instructions", [TIGHT, LOOSE])))
    text = capture.get()
    for part in ("peer", "200", "0.60", "0.50", "other", "1.20", "it binds two arguments"):
        assert part in text


def counted(monkeypatch, ours):
    counts = {(b.title, name): 100.0 for b in guard.BOUNDS for name in ("interned", b.base)}
    counts |= {way: ours for way in counts if way[1] == "interned"}
    monkeypatch.setattr(guard, "by_bytecode", lambda _: counts)


def test_it_fails_where_a_bound_is_exceeded(monkeypatch, capsys):
    counted(monkeypatch, ours=10_000.0)
    with pytest.raises(SystemExit, match="two fields: a hit takes 10,000 bytecodes"):
        guard.main(["--bytecodes"])
    assert "two fields" in capsys.readouterr().out


def test_it_passes_where_none_is(monkeypatch, capsys):
    counted(monkeypatch, ours=1.0)
    guard.main(["--bytecodes"])
    assert "two fields" in capsys.readouterr().out


def test_bytecode_is_counted_to_the_instruction():
    one, two = bytecodes(Timer("x", globals={"x": 1})), bytecodes(Timer("x; x", globals={"x": 1}))
    three = bytecodes(Timer("x; x; x", globals={"x": 1}))
    assert 0 < two - one == three - two


def test_bytecode_is_counted_in_what_is_called():
    def call():
        return [number for number in (1, 2, 3)]  # noqa: C416 - it takes many instructions

    assert bytecodes(Timer("f()", globals={"f": call})) > 10 + bytecodes(
        Timer("f", globals={"f": 1})
    )


def test_what_callgrind_says_is_read():
    said = "==7== Events    : Ir\n==7== Collected : 1200\n==7== \n==8== Collected : 34\n"
    assert collected(said) == {7: 1200, 8: 34}


def test_of_each_loop_the_difference_is_taken(monkeypatch):
    counts = {7: 1100, 8: 1150, 9: 2, 10: 4}
    said = "".join(f"=={process}== Collected : {count}\n" for process, count in counts.items())
    run = CompletedProcess([], 0, stdout="7 8\n9 10\n", stderr=said)
    monkeypatch.setattr(counting.subprocess, "run", lambda *_, **__: run)
    assert counting.instructions(["program"], runs=10) == [5, 0.2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_each_loop_runs_in_two_processes_of_its_own(capsys):
    seen = []
    counting.run_in_forks([Timer("seen.append(1)", globals={"seen": seen})], runs=10)
    assert seen == [1]
    assert len({os.getpid(), *map(int, capsys.readouterr().out.split())}) == 3


def test_every_bound_names_a_case_and_a_way_of_it():
    for bound in guard.BOUNDS:
        guard.loop(bound.title, "interned").timeit(1)
        assert bound.base in {peer.name for peer in guard.cases()[bound.title].peers}


def test_the_hit_paths_are_within_their_bounds_of_bytecode():
    assert [str(one) for one in find(guard.by_bytecode, "bytecodes") if one.exceeded] == []
