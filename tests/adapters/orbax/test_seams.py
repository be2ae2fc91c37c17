from types import SimpleNamespace

import pytest
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters.orbax import seams
from interned.adapters.orbax.seams import Seam, orbax, unsupported
from interned.errors import UnsupportedVersionError


class Owner:
    @classmethod
    def make(cls, argument):
        return cls, argument

    def read(self):
        return self


@pytest.fixture
def seam():
    seam = Seam(Owner, "make")
    yield seam
    seam.restore()


def test_the_very_object_is_put_back(seam):
    before = dict(vars(Owner))
    seam.replace(classmethod(lambda cls, argument: (argument, cls)))
    assert Owner.make(1) == (1, Owner)
    seam.restore()
    assert dict(vars(Owner)) == before
    assert list(vars(Owner)) == list(before)


def test_restoring_twice_does_nothing(seam):
    seam.replace(len)
    seam.restore()
    Owner.other = 1
    seam.restore()
    assert Owner.make(1) == (Owner, 1)


def test_replacing_twice_keeps_the_first_object(seam):
    seam.replace(len)
    seam.replace(repr)
    seam.restore()
    assert Owner.make(1) == (Owner, 1)


def test_the_stock_function_can_be_called_while_it_is_replaced(seam):
    assert seam.call(Owner, 1) == (Owner, 1)
    seam.replace(len)
    assert seam.call(Owner, 1) == (Owner, 1)
    assert Seam(Owner, "read").call(5) == 5


def test_an_inherited_attribute_is_no_seam():
    class Sub(Owner):
        pass

    with pytest.raises(UnsupportedVersionError, match=r"Sub.*no make"):
        Seam(Sub, "make").stock()


def test_the_error_names_the_version_and_the_difference():
    message = str(unsupported("it has no wings"))
    assert seams.version("orbax-checkpoint") in message
    assert "it has no wings" in message


def test_all_seams_are_found():
    assert [seam.stock() for seam in orbax().seams] == [
        vars(seam.owner)[seam.name] for seam in orbax().seams
    ]
    assert orbax().named is metadata.NamedShardingMetadata


@pytest.fixture
def import_module(monkeypatch):
    orbax.cache_clear()
    fake = SimpleNamespace()
    monkeypatch.setattr(seams, "importlib", fake)
    yield lambda function: setattr(fake, "import_module", function)
    orbax.cache_clear()


def test_without_orbax_the_import_fails(import_module):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    import_module(missing)
    with pytest.raises(ModuleNotFoundError):
        orbax()


def test_an_orbax_without_the_module_is_refused(import_module):
    def missing(name):
        if name == seams.MODULE:
            raise ModuleNotFoundError(f"No module named {name!r}")

    import_module(missing)
    with pytest.raises(UnsupportedVersionError, match="No module named"):
        orbax()


def test_an_orbax_without_a_class_is_refused(import_module):
    import_module(lambda _: SimpleNamespace(NamedShardingMetadata=1))
    with pytest.raises(UnsupportedVersionError, match="DeviceMetadataMesh"):
        orbax()
