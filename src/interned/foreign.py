"""Rules for values of NumPy and JAX, which are found by name and never imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from interned.errors import UnkeyableError
from interned.keyparts import ABSENT, Keyer, Rules, keyed

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["FOREIGN", "THOROUGH"]


def _attributes(names: tuple[str, ...], value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    values = (getattr(value, name, ABSENT) for name in names)
    return keyed(keyer, values, lambda index: f".{names[index]}")


def _numpy_scalar(_base: Any, value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    # The bytes of a long double end in padding that means nothing.
    data = repr(value) if value.dtype.char in "gG" else value.tobytes()
    return (value.dtype.str, data)


def _numpy_void(_base: Any, _value: Any, _keyer: Keyer) -> tuple[Hashable, ...]:
    raise UnkeyableError(
        "a numpy.void is mutable (hashable or not), so no exact key can stand for it; "
        "pass a tuple of its fields"
    )


def _numpy_dtype(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    # `==` ignores the metadata, and takes types of one size for the same.
    fields = tuple((name, *value.fields[name]) for name in value.names or ())
    metadata = tuple((value.metadata or {}).items())
    parts = keyer.made((value.subdtype, fields, metadata))
    return (value.str, value.isalignedstruct, parts)


# What JAX interns, as its versions do or not, is known by identity. The rest has an inexact `==`,
# which is asked too, because a later version may know of more than these names.


def _identity(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return (keyer.identity(value),)


def _abstract_mesh(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    if base.__eq__ is object.__eq__:
        return (keyer.identity(value),)
    names = ("shape_tuple", "_axis_types", "_axis_types_tuple")
    return (*_attributes(names, value, keyer), keyer.equal(value))


def _partition_spec(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    if base.__eq__ is object.__eq__:
        return (keyer.identity(value),)
    parts = tuple(value) if isinstance(value, tuple) else value._partitions  # noqa: SLF001
    return (keyer.made(parts), *_attributes(("unreduced", "reduced"), value, keyer))


def _named_sharding(_base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    names = ("mesh", "spec", "memory_kind")
    return (*_attributes(names, value, keyer), keyer.equal(value))


def _shape_dtype_struct(base: Any, value: Any, keyer: Keyer) -> tuple[Hashable, ...]:
    return _attributes(tuple(base.__slots__), value, keyer)


FOREIGN: Final[Rules] = {
    "jax.P": _partition_spec,
    "jax.ShapeDtypeStruct": _shape_dtype_struct,
    "jax._src.api.ShapeDtypeStruct": _shape_dtype_struct,
    "jax._src.core.ShapeDtypeStruct": _shape_dtype_struct,
    "jax._src.mesh.AbstractMesh": _abstract_mesh,
    "jax._src.mesh.Mesh": _identity,
    "jax._src.partition_spec.PartitionSpec": _partition_spec,
    "jax.sharding.AbstractMesh": _abstract_mesh,
    "jax.sharding.Mesh": _identity,
    "jax.sharding.NamedSharding": _named_sharding,
    "jax.sharding.PartitionSpec": _partition_spec,
    "jaxlib.xla_extension.NamedSharding": _named_sharding,
    "numpy.bytes_": _numpy_scalar,
    "numpy.dtype": _numpy_dtype,
    "numpy.generic": _numpy_scalar,
    "numpy.str_": _numpy_scalar,
    "numpy.void": _numpy_void,
}
"""Rules by module and qualified name."""

THOROUGH: Final = frozenset({"numpy.bytes_", "numpy.generic", "numpy.str_"})
"""Those that read all that an instance of an extension class below holds."""
