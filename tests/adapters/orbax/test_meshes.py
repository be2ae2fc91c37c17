import gc
import weakref

import pytest

from interned.adapters.orbax.meshes import MeshMemory, forget_all, memories, memory_of


class Mesh:
    """A mesh that equals every other, as some of JAX's that print differently do."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


@pytest.fixture(autouse=True)
def forget():
    forget_all()
    yield
    forget_all()


def test_equal_meshes_are_remembered_apart():
    one, other = Mesh(), Mesh()
    assert memory_of(one) is memory_of(one)
    assert memory_of(one) is not memory_of(other)
    assert set(map(id, memories())) == {id(memory_of(one)), id(memory_of(other))}


def test_a_memory_goes_with_its_mesh():
    mesh = Mesh()
    memory = weakref.ref(memory_of(mesh))
    assert memory() is not None
    del mesh
    gc.collect()
    assert memory() is None
    assert list(memories()) == []


def test_a_memory_goes_with_a_mesh_in_a_cycle():
    mesh = Mesh()
    mesh.itself = mesh
    memory_of(mesh)
    del mesh
    gc.collect()
    assert list(memories()) == []


def test_a_forgotten_mesh_starts_anew():
    mesh = Mesh()
    memory_of(mesh).texts["spec"] = 1
    forget_all()
    assert memory_of(mesh).texts == {}
    del mesh
    assert list(memories()) == []


def test_the_new_memory_survives_the_end_of_the_old_reference():
    mesh = Mesh()
    memory_of(mesh)
    forget_all()
    memory = memory_of(mesh)
    gc.collect()
    assert memory_of(mesh) is memory


def test_what_was_seen_goes_with_what_it_was_seen_for():
    memory, known = MeshMemory(), Mesh()
    memory.seen[known] = [1]
    del known
    assert len(memory.seen) == 0
