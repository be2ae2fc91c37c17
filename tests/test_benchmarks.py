"""The harness of the benchmarks, on a clock that the measured code itself moves."""

import json
from contextlib import contextmanager
from itertools import chain, repeat
from threading import BrokenBarrierError

import pytest
from rich.console import Console

from benchmarks import (
    eviction,
    hits,
    imports,
    memory,
    misses,
    report,
    scale,
    serialization,
    threads,
)
from benchmarks.discipline import BYTES, Case, Comparison, Plan, Ratio, Subject, compare, ratio


class Clock:
    """Stands still, except while `work` is called."""

    def __init__(self):
        self.now = 0.0
        self.worked = []

    def __call__(self):
        return self.now

    def work(self, name, nanoseconds):
        self.worked.append(name)
        self.now += nanoseconds / 1e9


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def subject(clock):
    def make(name, nanoseconds, **options):
        code = f"work({name!r}, {nanoseconds})"
        return Subject(name, code, lambda: {"work": clock.work}, **options)

    return make


def missing():
    raise ModuleNotFoundError


def test_costs_and_ratios_are_those_of_the_work(clock, subject):
    case = Case("title", subject("ours", 50), [subject("a", 100), subject("b", 25)], at=8)
    found = compare(case, Plan(rounds=5, slice_seconds=1e-6, clock=clock))
    assert (found.title, found.ours, found.at, found.left_out) == ("title", "ours", 8, ())
    assert found.cost == pytest.approx(50)
    assert [one.peer for one in found.ratios] == ["a", "b"]
    assert [one.peer_cost for one in found.ratios] == pytest.approx([100, 25])
    assert [one.median for one in found.ratios] == pytest.approx([0.5, 2])


def test_each_run_may_do_several_operations(clock, subject):
    case = Case("title", subject("ours", 50, per=10), [subject("peer", 100)])
    assert compare(case, Plan(1, 1e-6, clock)).ratios[0].median == pytest.approx(0.05)


def test_every_second_round_runs_in_the_opposite_order(clock, subject):
    case = Case("title", subject("ours", 1000), [subject("a", 1000), subject("b", 1000)])
    compare(case, Plan(rounds=4, slice_seconds=1e-9, clock=clock))
    warm_up = ["ours", "ours", "a", "a", "b", "b"]
    forth, back = ["ours", "a", "b"], ["b", "a", "ours"]
    assert clock.worked == [*warm_up, *back, *forth, *back, *forth]


def test_a_slice_is_never_shorter_than_asked(clock, subject):
    case = Case("title", subject("ours", 10), [subject("peer", 300)])
    compare(case, Plan(rounds=1, slice_seconds=1e-6, clock=clock))
    assert clock.worked[-128 - 4 :] == ["peer"] * 4 + ["ours"] * 128


def test_a_slow_start_does_not_shorten_the_slices(clock):
    costs = chain([5_000], repeat(10))
    names = {"work": lambda: clock.work("ours", next(costs))}
    case = Case("title", Subject("ours", "work()", lambda: names), [])
    compare(case, Plan(rounds=3, slice_seconds=1e-6, clock=clock))
    assert len(clock.worked) == 2 * (1 + 2 + 4 + 8 + 16 + 32 + 64 + 128) + 3 * 128


def test_entering_the_context_is_not_timed(clock, subject):
    entered = []

    @contextmanager
    def around():
        clock.work("around", 1_000)
        entered.append(True)
        yield
        clock.work("around", 1_000)

    case = Case("title", subject("ours", 10, around=around), [subject("peer", 10)])
    assert compare(case, Plan(3, 1e-8, clock)).ratios[0].median == pytest.approx(1)
    assert entered


def test_a_peer_that_is_not_installed_is_left_out_by_name(clock, subject):
    case = Case("title", subject("ours", 1), [Subject("gone", "", missing), subject("here", 1)])
    found = compare(case, Plan(1, 1e-9, clock))
    assert found.left_out == ("gone",)
    assert [one.peer for one in found.ratios] == ["here"]


def test_our_own_way_is_never_left_out(clock):
    with pytest.raises(ModuleNotFoundError):
        compare(Case("title", Subject("ours", "", missing), []), Plan(1, 1e-9, clock))


def test_ratios_are_paired_before_the_median_is_taken():
    # The machine was ten times slower in two rounds; each pair says 2 to 1 all the same.
    found = ratio("peer", [2, 2, 20, 20, 2], [1, 1, 10, 10, 1])
    assert (found.low, found.median, found.high) == (2, 2, 2)
    assert found.peer_cost == 1


def test_quartiles_show_the_spread():
    found = ratio("peer", [1, 2, 3, 4, 5, 6, 7], [1] * 7)
    assert (found.low, found.median, found.high) == (2, 4, 6)


@pytest.mark.parametrize(("own", "spread"), [([3], (3, 3, 3)), ([2, 4], (2, 3, 4))])
def test_the_spread_of_few_is_all_of_them(own, spread):
    found = ratio("peer", own, [1] * len(own))
    assert (found.low, found.median, found.high) == spread


MEASURED = Comparison(
    "case", "interned", 120.0, (Ratio("peer", 240.0, 0.5, 0.49, 0.52),), ("gone",)
)


def shown(comparison):
    console = Console(width=120)
    with console.capture() as capture:
        console.print(report.table("group", [comparison]))
    return capture.get()


def test_the_table_shows_costs_ratio_spread_and_who_was_left_out():
    text = shown(MEASURED)
    for part in ("group", "case", "120 ns", "peer", "240 ns", "0.500", "0.490 to 0.520"):
        assert part in text
    assert "gone" in text
    assert "not installed" in text


def test_a_curve_has_a_line_for_each_place():
    ratios = Ratio("stock", 9_650_000.0, 1 / 4_123, 0, 0), Ratio("other", 1.0, 0.5, 0, 0)
    few = Comparison("case, 8", "interned", 2_200.0, (Ratio("stock", 37_000.0, 0.06, 0, 0),), at=8)
    many = Comparison("case, 2,048", "interned", 2_340.0, ratios, at=2048)
    assert report.curve([few, many], ["stock"]).splitlines() == [
        "| devices | stock | interned | stock / interned |",
        "| ---: | ---: | ---: | ---: |",
        "| 8 | 37 µs | 2.2 µs | 17 |",
        "| 2,048 | 9.65 ms | 2.34 µs | 4,100 |",
    ]


def test_a_case_without_any_peer_has_its_line():
    assert "lonely" in shown(Comparison("lonely", "interned", 1.0, ()))


def test_json_brings_the_comparisons_back(tmp_path):
    file = tmp_path / "figures.json"
    file.write_text(json.dumps(report.document({"hits": [MEASURED]})))
    assert report.load(file) == {"hits": [MEASURED]}
    assert "python" in json.loads(file.read_text())


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3.14159, "ns", "3.14 ns"),
        (0.25, "ns", "0.25 ns"),
        (1_740, "ns", "1.74 µs"),
        (9_200_000, "ns", "9.2 ms"),
        (112.5, BYTES, "112 B"),
        (2_048, BYTES, "2.05 kB"),
    ],
)
def test_a_cost_is_written_in_a_fitting_unit(value, unit, text):
    assert report.cost(value, unit) == text


GROUPS = [hits, misses, eviction, threads, serialization, memory, scale, imports]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_a_group_measures_something(group, monkeypatch):
    monkeypatch.setattr(memory, "COUNT", 100)
    monkeypatch.delitem(memory.RESIDENT, "JAX's weak_value_interner")
    monkeypatch.setattr(scale, "SIZES", (10_000,))
    monkeypatch.setattr(scale, "WAYS", {name: scale.WAYS[name] for name in scale.TRACED})
    monkeypatch.setattr(scale, "EMPTIED", 1_000)
    monkeypatch.setattr(scale, "OPERATIONS", 1_000)
    monkeypatch.setattr(threads, "CALLS", 64)
    monkeypatch.setattr(threads, "COUNTS", (1, 2))
    monkeypatch.setattr(imports, "OTHERS", ("no_such_library",))
    found = list(group.comparisons(Plan(rounds=2, slice_seconds=1e-6)))
    assert found
    assert all(comparison.cost > 0 for comparison in found)
    assert all(comparison.ratios for comparison in found)


def test_a_crowd_does_its_work_as_often_as_it_is_let_go():
    crowd, done = threads.Crowd(3), []
    crowd.work = [lambda number=number: done.append(number) for number in range(3)]
    with crowd.gathered():
        assert done == []
        crowd.go()
        crowd.go()
        assert sorted(done) == [0, 0, 1, 1, 2, 2]
    with crowd.gathered():
        crowd.go()
    assert len(done) == 9


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_crowd_says_that_its_work_failed():
    crowd = threads.Crowd(2)
    crowd.work = [lambda: None, lambda: 1 / 0]
    with crowd.gathered(), pytest.raises(BrokenBarrierError):
        crowd.go()


def test_new_arguments_are_new_for_each_thread_and_each_run():
    seen = []

    def see(number, _four):
        seen.append(number)

    work = threads.find_or_fill
    case = threads.shared_out("title", lambda: see, lambda function: function, work, 2)
    names = case.ours.names()
    with case.ours.around():
        names["go"]()
        names["go"]()
    new = [number for number in seen if number != 3]
    assert len(new) == len({*new}) == 2 * threads.CALLS // 8


def test_programs_run_in_alternating_order_after_a_first_run(monkeypatch):
    ran = []
    monkeypatch.setattr(imports, "_run", lambda program, _: ran.append(program) or len(ran))
    found = imports.nanoseconds({"a": "A", "b": "B"}, rounds=2)
    assert ran == ["B", "A", "A", "B", "B", "A"]
    assert found == {"a": [3, 6], "b": [4, 5]}
