"""Values of NumPy and JAX, which the keys know without importing either."""

import struct
import subprocess
import sys

import pytest

from interned.errors import UnkeyableError
from interned.keys import exact_key, weak_key

np = pytest.importorskip("numpy")

BOTH = pytest.mark.parametrize("key", [exact_key, weak_key])


def nan(bits):
    return np.frombuffer(struct.pack("<Q", bits), np.float64)[0]


def structured(offset=8, **options):
    fields = {"names": ["x", "y"], "formats": ["f4", "i4"], "offsets": [0, offset]}
    return np.dtype({**fields, "itemsize": 16}, **options)


DIFFERENT = [
    (np.float64(0.0), np.float64(-0.0)),
    (np.float64(1.0), 1.0),
    (np.float64(1), np.float32(1)),
    (np.float64(1), np.int64(1)),
    (np.int64(1), np.int32(1)),
    (np.int64(1), np.longlong(1)),
    (np.bool_(True), np.int8(1)),
    (np.bool_(True), True),
    (nan(0x7FF8 << 48), nan((0x7FF8 << 48) + 1)),
    (np.complex128(complex(1.0, 0.0)), np.complex128(complex(1.0, -0.0))),
    (np.longdouble("0.1"), np.longdouble("0.1") * (1 + np.finfo(np.longdouble).eps)),
    (np.longdouble(0.0), np.longdouble(-0.0)),
    (np.clongdouble(complex(0.0, 0.0)), np.clongdouble(complex(-0.0, 0.0))),
    (np.datetime64(1, "s"), np.datetime64(1000, "ms")),
    (np.timedelta64(1, "s"), np.timedelta64(1000, "ms")),
    (np.str_("a"), "a"),
    (np.str_("a"), np.str_("b")),
    (np.bytes_(b"a"), b"a"),
    (np.dtype("f4"), "f4"),
    (np.dtype("f4"), np.float32),
    (np.dtype("<f4"), np.dtype(">f4")),
    (np.dtype("f4"), np.dtype("f4", metadata={"unit": "m"})),
    (np.dtype("f4", metadata={"unit": 1}), np.dtype("f4", metadata={"unit": True})),
    (np.dtype(np.int64), np.dtype(np.longlong)),
    (np.dtype("M8[s]"), np.dtype("M8[ms]")),
    (np.dtype(("f4", (2,))), np.dtype(("f4", (2, 1)))),
    (structured(), structured(4)),
    (structured(align=True), structured()),
    (np.dtype([("x", "f4")]), np.dtype([("y", "f4")])),
    (np.dtype([(("title", "x"), "f4")]), np.dtype([("x", "f4")])),
    (np.dtype([("x", [("y", "f4")])]), np.dtype([("x", [("z", "f4")])])),
]


@BOTH
@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=repr)
def test_values_that_can_be_told_apart(key, one, other):
    assert key(one) == key(one)
    assert key(one) != key(other)


SAME = [
    lambda: np.float64(0.1),
    lambda: nan((0x7FF8 << 48) + 1),
    lambda: np.longdouble("0.1"),
    lambda: np.clongdouble(1 + 2j),
    lambda: np.datetime64("2024-01-01"),
    lambda: np.timedelta64("NaT", "s"),
    lambda: np.str_("ab\0"),
    lambda: np.bytes_(b"ab"),
    lambda: np.dtype([("x", "f4", (2, 3)), ("y", [("z", "i8")])]),
    lambda: np.dtype("f4", metadata={"unit": ("m", 1)}),
    lambda: np.dtype("f4").newbyteorder(),
    structured,
]


@BOTH
@pytest.mark.parametrize("make", SAME)
def test_values_that_cannot_be_told_apart(key, make):
    one, other = make(), make()
    assert key(one) == key(other)
    assert hash(key(one)) == hash(key(other))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy before 2.0")
def test_dtypes_of_a_class_with_a_comparison_of_its_own():
    kind = np.dtypes.StringDType
    assert exact_key(kind()) == exact_key(kind())
    assert exact_key(kind()) != exact_key(kind(na_object=None))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="long doubles have no padding")
def test_the_padding_of_a_long_double_means_nothing():
    data = np.longdouble("0.1").tobytes()[:10]
    one, other = (np.frombuffer(data + bytes([n] * 6), np.longdouble)[0] for n in (1, 2))
    assert one.tobytes() != other.tobytes()
    assert exact_key(one) == exact_key(other)


@BOTH
@pytest.mark.parametrize(
    ("value", "state", "remedy"),
    [
        (np.zeros(2), "a ndarray is mutable (unhashable)", "pass a tuple of its elements"),
        (np.zeros(1, "f4,f4")[0], "a numpy.void is mutable", "pass a tuple of its fields"),
    ],
)
def test_what_is_refused(key, value, state, remedy):
    with pytest.raises(UnkeyableError) as caught:
        key((value,))
    assert str(caught.value).startswith(f"[0]: {state}")
    assert remedy in str(caught.value)


def test_a_mutable_value_in_the_metadata_of_a_dtype():
    with pytest.raises(UnkeyableError, match=r"^\[2\]\[0\]\[1\]: a list is mutable"):
        exact_key(np.dtype("f4", metadata={"unit": []}))


def imitation(module, name, attributes, bases=(), **members):
    """Returns a class like the one that a version of JAX has, with an `==` that sees nothing."""

    def init(self, *values):
        for attribute, content in zip(attributes, values, strict=True):
            setattr(self, attribute, content)

    members = {"__init__": init, "__eq__": lambda *_: True, "__hash__": lambda _: 0} | members
    return type(name, bases, {"__module__": module, "__qualname__": name, **members})


Mesh = imitation("jax._src.mesh", "Mesh", ("axis_names",))
Abstract = imitation("jax._src.mesh", "AbstractMesh", ("shape_tuple", "_axis_types"))
Spec = imitation("jax.sharding", "PartitionSpec", ("_partitions", "unreduced", "reduced"))
OldSpec = imitation(
    "jax._src.partition_spec", "PartitionSpec", (), (tuple,), __init__=object.__init__
)
Sharding = imitation("jax.sharding", "NamedSharding", ("mesh", "spec", "memory_kind"))
Struct = imitation("jax", "ShapeDtypeStruct", ("shape",), __slots__=("shape", "dtype"))
MESH = Mesh(("x",))


@BOTH
@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (MESH, MESH, Mesh(("x",))),
        (Abstract((("x", 1),), ()), Abstract((("x", 1),), ()), Abstract((("x", True),), ())),
        (Spec((1,), frozenset(), ()), Spec((1,), frozenset(), ()), Spec((True,), frozenset(), ())),
        (Spec((), frozenset(), (1,)), Spec((), frozenset(), (1,)), Spec((), frozenset(), (1.0,))),
        (OldSpec(("x", 1)), OldSpec(("x", 1)), OldSpec(("x", True))),
        (Sharding(MESH, 1, "m"), Sharding(MESH, 1, "m"), Sharding(MESH, 1.0, "m")),
        (Struct((1,)), Struct((1,)), Struct((True,))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_versions_of_jax(key, one, same, other):
    assert one == other
    assert key(one) == key(same)
    assert key(one) != key(other)


@pytest.mark.parametrize("name", ["jax.P", "jax._src.mesh.AbstractMesh"])
def test_what_jax_interns_is_known_by_identity(name):
    module, _, name = name.rpartition(".")
    kind = imitation(module, name, (), __eq__=object.__eq__, __hash__=object.__hash__)
    one, other = kind(), kind()
    assert exact_key(one) == exact_key(one)
    assert exact_key(one) != exact_key(other)


JAX = """if True:
    import os
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    import jax, numpy as np
    import jax.numpy as jnp
    from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P
    from interned.errors import UnkeyableError
    from interned.keys import exact_key, weak_key

    devices = np.array(jax.devices())

    def values():
        mesh = Mesh(devices.reshape(2, 2), ("x", "y"))
        yield mesh
        yield Mesh(devices.reshape(2, 2).T, ("x", "y"))
        yield Mesh(devices.reshape(2, 2), ("y", "x"))
        yield Mesh(devices.reshape(4, 1), ("x", "y"))
        yield mesh.abstract_mesh
        for spec in P(), P(None), P("x"), P("y"), P("x", "y"), P(("x", "y")):
            yield spec
            yield NamedSharding(mesh, spec)
        yield jax.sharding.SingleDeviceSharding(devices[0])
        yield jax.sharding.SingleDeviceSharding(devices[1])
        for shape in (1,), (True,), (1, 1):
            yield jax.ShapeDtypeStruct(shape, "float32")
        yield jax.ShapeDtypeStruct((4,), "float32")
        yield jax.ShapeDtypeStruct((4,), "float32", sharding=NamedSharding(mesh, P("x")))
        yield from (jnp.float32, jnp.bfloat16, np.float32, np.dtype("float32"))
        yield from (jnp.dtype("bfloat16"), np.dtype("V2"), jax.lax.Precision.HIGH, devices[0])

    for key in exact_key, weak_key:
        held = list(values()), list(values())
        one, other = (list(map(key, made)) for made in held)
        for i, a in enumerate(one):
            for j, b in enumerate(other):
                assert (a == b) is (i == j), (i, j)

    try:
        exact_key(jnp.zeros(2))
    except UnkeyableError as error:
        assert "an ArrayImpl is unhashable" in str(error)
        assert "pass a tuple of its elements, or its bytes" in str(error)
    else:
        raise AssertionError
"""


def test_what_people_configure_jax_with():
    """In a process of its own, which has several devices."""
    pytest.importorskip("jax")
    subprocess.run([sys.executable, "-c", JAX], check=True)
