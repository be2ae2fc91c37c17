"""Whole checkpoints, through every way that Orbax has to save, to look and to restore."""

import jax
import numpy as np
import orbax.checkpoint as ocp
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

from interned.adapters import orbax
from tests.adapters.orbax.shardings import seen


@pytest.fixture(scope="module")
def tree():
    devices = np.array(jax.devices())
    mesh, other = Mesh(devices.reshape(2, 4), ("x", "y")), Mesh(devices[3::-1], ("é",))
    shardings = [
        NamedSharding(mesh, PartitionSpec("x", "y")),
        NamedSharding(mesh, PartitionSpec(("x", "y"))),
        NamedSharding(other, PartitionSpec(None, "é")),
        NamedSharding(mesh, PartitionSpec()),
        SingleDeviceSharding(devices[1]),
    ]
    arrays = [
        jax.device_put(np.arange(64, dtype=np.float32).reshape(8, 8) + number, sharding)
        for number, sharding in enumerate(shardings * 2)
    ]
    return {"layers": {f"layer_{number}": array for number, array in enumerate(arrays)}}


class PyTree:
    """The checkpointer that waits for its save."""

    checkpointer = staticmethod(ocp.PyTreeCheckpointer)

    def save(self, path, tree):
        with self.checkpointer() as checkpointer:
            checkpointer.save(path, tree)

    def metadata(self, path):
        with self.checkpointer() as checkpointer:
            return tree_in(checkpointer.metadata(path))

    def restore(self, path):
        with self.checkpointer() as checkpointer:
            return checkpointer.restore(path)


class Standard(PyTree):
    """The checkpointer that most users start with; it saves in the background."""

    checkpointer = staticmethod(ocp.StandardCheckpointer)


class Async(PyTree):
    """The checkpointer of trees that saves in the background."""

    @staticmethod
    def checkpointer():
        return ocp.AsyncCheckpointer(ocp.PyTreeCheckpointHandler())


class Manager:
    """The manager of many checkpoints; the one here is its step 3."""

    step = 3

    def save(self, path, tree):
        with ocp.CheckpointManager(path) as manager:
            manager.save(self.step, args=ocp.args.StandardSave(tree))
            manager.wait_until_finished()

    def metadata(self, path):
        with ocp.CheckpointManager(path, item_handlers=ocp.StandardCheckpointHandler()) as manager:
            return tree_in(manager.item_metadata(self.step))

    def restore(self, path):
        with ocp.CheckpointManager(path) as manager:
            return manager.restore(self.step, args=ocp.args.StandardRestore())


class V1:
    """The functions of the newer interface."""

    def __init__(self):
        self.v1 = pytest.importorskip("orbax.checkpoint.experimental.v1")

    def save(self, path, tree):
        self.v1.save_pytree(path, tree)

    def metadata(self, path):
        return tree_in(self.v1.pytree_metadata(path))

    def restore(self, path):
        return self.v1.load_pytree(path)


class V1Async(V1):
    """The functions of the newer interface that save in the background."""

    def save(self, path, tree):
        self.v1.save_pytree_async(path, tree).result()


def tree_in(metadata):
    """Returns the tree of what describes the arrays: interfaces wrap it in different ways."""
    for name in ("item_metadata", "metadata", "tree"):
        metadata = getattr(metadata, name, metadata)
    return metadata


@pytest.fixture(params=[PyTree, Standard, Async, Manager, V1, V1Async])
def interface(request):
    return request.param()


def files(path):
    """Maps the sharding files below a folder to their bytes."""
    return {file.relative_to(path): file.read_bytes() for file in path.rglob("_sharding")}


def described(tree):
    """Lists all that a reader can see of the shardings in the metadata of a tree."""
    return [
        seen(getattr(leaf, "sharding_metadata", leaf.sharding))
        for leaf in jax.tree.leaves(tree, is_leaf=lambda node: hasattr(node, "sharding"))
    ]


def assert_same_arrays(tree, restored):
    ours, theirs = (jax.tree.leaves(each) for each in (tree, restored))
    assert [array.sharding for array in ours] == [array.sharding for array in theirs]
    assert all(map(np.array_equal, ours, theirs))


def test_a_checkpoint_is_that_of_stock(interface, tree, tmp_path):
    interface.save(tmp_path / "stock", tree)
    with orbax.installed():
        interface.save(tmp_path / "ours", tree)
        interface.save(tmp_path / "again", tree)
    expected = files(tmp_path / "stock")
    assert len(expected) == 1
    assert files(tmp_path / "ours") == files(tmp_path / "again") == expected


def test_its_metadata_and_arrays_are_those_of_stock(interface, tree, tmp_path):
    interface.save(tmp_path / "stock", tree)
    expected = described(interface.metadata(tmp_path / "stock"))
    assert len(expected) == len(jax.tree.leaves(tree))
    with orbax.installed():
        for _ in range(2):
            assert described(interface.metadata(tmp_path / "stock")) == expected
            assert_same_arrays(tree, interface.restore(tmp_path / "stock"))


def test_a_checkpoint_of_ours_is_restored_by_stock(interface, tree, tmp_path):
    with orbax.installed():
        interface.save(tmp_path / "ours", tree)
    assert_same_arrays(tree, interface.restore(tmp_path / "ours"))


def test_metadata_that_is_edited_harms_nobody(tree, tmp_path):
    interface = PyTree()
    interface.save(tmp_path / "stock", tree)
    with orbax.installed():
        expected = described(interface.metadata(tmp_path / "stock"))
        for leaf in interface.metadata(tmp_path / "stock")["layers"].values():
            vars(leaf.sharding).clear()
        first = interface.metadata(tmp_path / "stock")["layers"]["layer_0"]
        first.sharding.device_mesh.mesh[0][0].id = 99
        first.sharding.axis_names.reverse()
        assert described(interface.metadata(tmp_path / "stock")) == expected
        interface.save(tmp_path / "ours", tree)
    assert files(tmp_path / "ours") == files(tmp_path / "stock")


def test_saves_in_the_background_may_overlap(tree, tmp_path):
    Async().save(tmp_path / "stock" / "one", tree)
    with orbax.installed():
        checkpointers = [Async.checkpointer() for _ in range(3)]
        for number, checkpointer in enumerate(checkpointers):
            checkpointer.save(tmp_path / str(number) / "ours", tree)
        for checkpointer in checkpointers:
            checkpointer.close()
    written = files(tmp_path)
    assert len(written) == 4
    assert len(set(written.values())) == 1


def test_a_save_may_outlast_the_adapter(tree, tmp_path):
    Async().save(tmp_path / "stock", tree)
    with Async.checkpointer() as checkpointer, orbax.installed():
        checkpointer.save(tmp_path / "ours", tree)
    assert len(set(files(tmp_path).values())) == 1


def test_verify_finds_nothing(interface, tree, tmp_path):
    with orbax.installed(verify=True):
        interface.save(tmp_path / "ours", tree)
        interface.save(tmp_path / "again", tree)
        described(interface.metadata(tmp_path / "again"))
        assert_same_arrays(tree, interface.restore(tmp_path / "again"))
