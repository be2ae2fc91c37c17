import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from orbax.checkpoint._src.metadata import sharding as metadata

from interned import interner
from interned.adapters.orbax import texts
from interned.adapters.orbax.texts import cache_clear, cache_info, grid, parsed, remembered
from tests.adapters.orbax.shardings import written as stock_text


def test_one_text_serves_a_mesh_and_a_spec(mesh):
    one, same, other = (
        remembered(NamedSharding(mesh, PartitionSpec(*spec))) for spec in [("x",), ("x",), ("y",)]
    )
    assert one is same
    assert one is not other
    assert one.text == stock_text(NamedSharding(mesh, PartitionSpec("x")))
    assert cache_info()[:2] == (1, 2)
    assert cache_info().currsize == 2


def test_a_name_without_json_is_left_to_orbax(mesh):
    duck = SimpleNamespace(mesh=mesh, spec=(PartitionSpec.UNCONSTRAINED,))
    assert remembered(duck) is None


def test_a_spec_that_could_change_is_left_to_orbax(mesh):
    assert remembered(SimpleNamespace(mesh=mesh, spec=(["x"],))) is None


def test_names_of_other_types_have_texts_of_their_own():
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), (0, 1, "x"))
    specs = [(0,), (False,), (1,), (True,), (1.0,), ("x",), (np.str_("x"),), (("x", 1),)]
    ducks = [SimpleNamespace(mesh=mesh, spec=spec) for spec in specs]
    texts = [remembered(duck).text for duck in ducks]
    assert texts == [stock_text_of(duck) for duck in ducks]
    assert cache_info().currsize == len(specs)


def stock_text_of(duck):
    return metadata.NamedShardingMetadata.from_jax_sharding(duck).to_serialized_string()


def test_a_failure_is_not_remembered(mesh, sharding, monkeypatch):
    def fail(_):
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(metadata.DeviceMetadata, "from_jax_device", fail)
        for function, argument in [(grid, mesh), (remembered, sharding)]:
            with pytest.raises(RuntimeError):
                function(argument)
    assert grid(mesh) is not None
    assert remembered(sharding) is not None


def test_a_text_that_orbax_refuses_is_not_remembered():
    for _ in range(2):
        with pytest.raises(NotImplementedError):
            parsed('{"sharding_type": "other"}')
    assert cache_info() == (0, 2, None, 0)


def test_texts_that_are_read_are_bounded_in_number(sharding, monkeypatch):
    text = stock_text(sharding)
    cache = interner(parsed).cache
    assert cache.maxsize // texts.PARSED_BYTES == 1
    for blanks in range(texts.PARSED_TEXTS + 10):
        parsed(text + " " * blanks)
    assert len(cache) == texts.PARSED_TEXTS
    assert cache.currsize <= cache.maxsize


def test_texts_that_are_read_are_bounded_in_bytes(sharding):
    text = stock_text(sharding)
    half = texts.PARSED_BYTES // 2
    for blanks in range(3):
        parsed(text + " " * (half - len(text) - blanks))
    assert len(interner(parsed).cache) == 2


def test_a_text_of_another_kind_is_left_to_orbax():
    single = stock_text(jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    assert parsed(single).known is None


def test_clearing_forgets_and_counts_anew(mesh, sharding):
    grid(mesh)
    parsed(remembered(sharding).text)
    first = remembered(sharding)
    cache_clear()
    assert cache_info() == (0, 0, None, 0)
    assert remembered(sharding) is not first
    assert cache_info() == (0, 1, None, 1)


def test_threads_that_save_at_once_agree(mesh):
    shardings = [NamedSharding(mesh, PartitionSpec(*spec)) for spec in [(), ("x",), ("y",)]]
    expected = [stock_text(sharding) for sharding in shardings]
    results = []
    start = threading.Barrier(8)

    def save():
        start.wait(timeout=10)
        results.append([remembered(sharding).text for sharding in shardings])

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_the_mode_off_remembers_nothing():
    program = """
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from interned.adapters import orbax
sharding = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), PartitionSpec("x"))
one, other = orbax.serialized_sharding(sharding), orbax.serialized_sharding(sharding)
assert one == other and one is not other
assert orbax.cache_info().hits == 0
"""
    environment = os.environ | {"INTERNED_MODE": "off"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
