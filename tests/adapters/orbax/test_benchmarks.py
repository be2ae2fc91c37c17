"""The benchmark group `orbax`, on the devices of this process."""

import pytest

from benchmarks import orbax
from benchmarks.discipline import Plan, compare


@pytest.fixture(params=[orbax.SAVE, orbax.RESTORE])
def case(request):
    found = {case.title.partition(",")[0]: case for case in orbax.cases(8)}
    return found[request.param]


def test_a_case_measures_all_ways(case):
    found = compare(case, Plan(rounds=2, slice_seconds=1e-6))
    assert (found.ours, found.at) == ("interned", 8)
    assert [one.peer for one in found.ratios] == ["stock", "proposal"]
    assert found.cost > 0
    assert all(one.peer_cost > 0 for one in found.ratios)


def test_all_ways_do_the_same(case):
    def done(subject):
        names = subject.names()
        with subject.around():
            written = [
                names["Metadata"].from_jax_sharding(sharding).to_serialized_string().encode()
                for sharding in names["shardings"]
            ]
            read = [
                names["module"].from_serialized_string(text.decode()).to_jax_sharding()
                for text in names["texts"]
            ]
        return written, read

    expected = case.ours.names()["texts"], case.ours.names()["shardings"]
    assert [done(subject) for subject in (case.ours, *case.peers)] == [expected] * 3


def test_a_small_mesh_is_the_yardstick_on_many_devices(monkeypatch):
    monkeypatch.setattr(orbax, "SIZES", (4, 8))
    for case in orbax.cases(8):
        yardstick = case.peers[-1]
        assert yardstick.name == "interned, mesh of 4"
        assert {one.mesh.devices.size for one in yardstick.names()["shardings"]} == {4}
        assert {one.mesh.devices.size for one in case.ours.names()["shardings"]} == {8}
