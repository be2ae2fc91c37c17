"""Stock Orbax is back when the last one who wanted the adapter has left."""

import threading

import pytest
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters import orbax
from interned.adapters.orbax import switch
from interned.errors import UnsupportedVersionError
from tests.adapters.orbax.conftest import STOCK, found
from tests.adapters.orbax.shardings import written


def is_in():
    """Tells whether the adapter is in at all seams; half in is a failure of its own."""
    replaced = {now is not then for now, then in zip(found(), STOCK, strict=True)}
    assert len(replaced) == 1
    return replaced.pop()


def test_an_import_changes_nothing():
    assert not is_in()


def test_install_and_uninstall_may_be_repeated():
    orbax.uninstall()
    assert not is_in()
    orbax.install()
    orbax.install()
    assert is_in()
    orbax.uninstall()
    assert not is_in()
    orbax.uninstall()
    assert not is_in()
    orbax.install()
    assert is_in()


def test_uninstall_leaves_the_classes_as_they_were():
    classes = metadata.NamedShardingMetadata, metadata.DeviceMetadataMesh, metadata
    before = [dict(vars(each)) for each in classes]
    orbax.install()
    orbax.uninstall()
    assert [dict(vars(each)) for each in classes] == before


def test_blocks_nest():
    with orbax.installed():
        with orbax.installed():
            assert is_in()
        assert is_in()
    assert not is_in()


def test_a_block_that_fails_leaves():
    with pytest.raises(KeyError), orbax.installed():
        raise KeyError
    assert not is_in()


def test_a_block_works_as_a_decorator():
    @orbax.installed()
    def inside():
        return is_in()

    assert [inside(), is_in(), inside()] == [True, False, True]


def test_install_outlives_a_block():
    with orbax.installed():
        orbax.install()
    assert is_in()
    with orbax.installed():
        pass
    assert is_in()


def test_a_block_outlives_uninstall():
    orbax.install()
    with orbax.installed():
        orbax.uninstall()
        assert is_in()
    assert not is_in()


def test_blocks_overlap_in_threads():
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with orbax.installed():
            entered.set()
            leave.wait(timeout=10)

    thread = threading.Thread(target=hold)
    with orbax.installed():
        thread.start()
        entered.wait(timeout=10)
    assert is_in()
    leave.set()
    thread.join()
    assert not is_in()


def test_many_threads_come_and_go(sharding):
    expected = written(sharding)
    start = threading.Barrier(8)
    texts = []

    def come_and_go():
        start.wait(timeout=10)
        for _ in range(50):
            with orbax.installed():
                texts.append(written(sharding))
            texts.append(written(sharding))

    threads = [threading.Thread(target=come_and_go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(texts) == {expected}
    assert len(texts) == 800
    assert not is_in()


@pytest.fixture
def another_orbax(sharding, monkeypatch):
    """Writes other texts than those remembered, and is not checked."""
    with orbax.installed():
        written(sharding)
    monkeypatch.setattr(switch, "check", lambda: None)
    device = metadata.DeviceMetadata(7)
    monkeypatch.setattr(metadata.DeviceMetadata, "from_jax_device", lambda _: device)


@pytest.mark.usefixtures("another_orbax")
def test_the_last_install_says_whether_to_verify(sharding):
    orbax.install(verify=True)
    with pytest.raises(UnsupportedVersionError):
        written(sharding)
    orbax.install()
    written(sharding)


@pytest.mark.usefixtures("another_orbax")
def test_a_block_that_verifies_does_so_for_all(sharding):
    orbax.install()
    with orbax.installed(verify=True), orbax.installed(), pytest.raises(UnsupportedVersionError):
        written(sharding)
    written(sharding)


@pytest.mark.usefixtures("another_orbax")
def test_the_mode_verify_verifies(sharding, monkeypatch):
    monkeypatch.setattr(switch, "MODE", "verify")
    with pytest.raises(UnsupportedVersionError), orbax.installed():
        written(sharding)


def test_what_is_remembered_outlives_uninstall(sharding):
    with orbax.installed():
        written(sharding)
        metadata.from_serialized_string(written(sharding))
    assert orbax.cache_info().currsize == 2
    with orbax.installed():
        written(sharding)
    assert orbax.cache_info().misses == 2


def test_an_object_handed_out_outlives_uninstall(sharding):
    with orbax.installed():
        named = metadata.from_jax_sharding(sharding)
        read = metadata.from_serialized_string(written(sharding))
        mesh = metadata.from_jax_sharding(sharding).device_mesh
    assert named.to_serialized_string() == read.to_serialized_string() == written(sharding)
    assert read.to_jax_sharding() == sharding
    named.device_mesh = mesh
    assert named.to_serialized_string() == written(sharding)
