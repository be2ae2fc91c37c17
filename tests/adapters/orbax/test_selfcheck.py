"""An Orbax that has changed in a way that matters is refused, and stays untouched."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest
from orbax.checkpoint._src.metadata import sharding as metadata

from interned.adapters import orbax
from interned.adapters.orbax import seams, selfcheck
from interned.errors import UnsupportedVersionError
from tests.adapters.orbax.conftest import STOCK, found

Named, Grid, Device = (
    metadata.NamedShardingMetadata,
    metadata.DeviceMetadataMesh,
    metadata.DeviceMetadata,
)


@pytest.fixture(autouse=True)
def unchecked():
    selfcheck._passed.clear()
    yield
    selfcheck._passed.clear()


def test_this_orbax_passes_once(monkeypatch):
    selfcheck.check()
    monkeypatch.setattr(selfcheck, "_answers", lambda: pytest.fail("asked again"))
    selfcheck.check()
    orbax.install()
    selfcheck.check()


def refused(difference):
    before = found()
    with pytest.raises(UnsupportedVersionError, match=difference) as caught:
        orbax.install()
    assert seams.version("orbax-checkpoint") in str(caught.value)
    with pytest.raises(UnsupportedVersionError), orbax.installed():
        pytest.fail("was installed")
    with pytest.raises(UnsupportedVersionError):
        orbax.serialized_sharding(None)
    assert all(now is then for now, then in zip(found(), before, strict=True))


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Named, "from_jax_sharding"),
        (Named, "to_serialized_string"),
        (Grid, "from_jax_mesh"),
        (metadata, "from_serialized_string"),
    ],
)
def test_a_missing_seam_is_found(owner, name, monkeypatch):
    with monkeypatch.context() as patch:
        patch.delattr(owner, name)
        with pytest.raises(UnsupportedVersionError, match=name):
            orbax.install()
        assert name not in vars(owner)
    assert found() == STOCK


def text_with(**more):
    stock = STOCK[2]
    return lambda self: json.dumps(json.loads(stock(self)) | more)


@pytest.mark.parametrize(
    "function",
    [text_with(memory_kind=None), text_with(shape="2x1"), lambda self: "{}", lambda self: None],
)
def test_another_text_is_found(function, monkeypatch):
    monkeypatch.setattr(Named, "to_serialized_string", function)
    refused("text of a sharding")


def test_another_order_is_found(monkeypatch):
    stock = STOCK[2]
    monkeypatch.setattr(
        Named,
        "to_serialized_string",
        lambda self: json.dumps(dict(reversed(json.loads(stock(self)).items()))),
    )
    refused("text of a sharding")


def test_another_reading_is_found(monkeypatch):
    def read(text):
        return STOCK[3](text.replace("7", "8"))

    monkeypatch.setattr(metadata, "from_serialized_string", read)
    refused("text that was read")


def test_other_arguments_are_found(monkeypatch):
    monkeypatch.setattr(metadata, "from_serialized_string", lambda text, mode: None)
    refused("TypeError")


def test_a_new_field_is_found(monkeypatch):
    changed = dataclasses.make_dataclass(
        "NamedShardingMetadata", [("memory_kind", str, None)], bases=(Named,)
    )
    monkeypatch.setattr(Named, "__dataclass_fields__", changed.__dataclass_fields__)
    refused("memory_kind")


def test_a_new_field_of_a_device_is_found(monkeypatch):
    changed = dataclasses.make_dataclass("DeviceMetadata", [("kind", str, None)], bases=(Device,))
    monkeypatch.setattr(Device, "__dataclass_fields__", changed.__dataclass_fields__)
    refused("kind")


def test_another_way_to_compare_is_found(monkeypatch):
    monkeypatch.setattr(Grid, "__eq__", lambda self, other: False)
    refused("the object")


def test_a_change_after_the_check_is_found(monkeypatch):
    orbax.install()
    orbax.uninstall()
    monkeypatch.setattr(Named, "to_serialized_string", lambda self: "{}")
    refused("text of a sharding")


def test_no_device_is_asked():
    program = "from interned.adapters import orbax\norbax.install()\nprint('installed')"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"JAX_PLATFORMS": "no_such_platform"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "installed\n"
