"""What is known of one sharding: enough to make its metadata, its text and itself anew."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import attrs
import jax

from interned.adapters.orbax.deferred import deferred_class, hand_out, settle, source_of
from interned.adapters.orbax.grids import DeviceGrid, UnknownContentError, grid_of
from interned.adapters.orbax.seams import orbax
from interned.decorator import interned, interner

__all__ = ["Known", "forget_meshes", "known_of"]


@attrs.frozen(eq=False)
class Known:
    """One sharding as Orbax describes it, keeping nothing of JAX's alive: no mesh, no device.

    Args:
        head: A `NamedShardingMetadata` without its device mesh. Nobody else ever sees it.
        grid: The device mesh, `None` where there is none.
        text: What Orbax writes for the whole, `None` where nobody has asked.
    """

    head: Any
    grid: DeviceGrid | None
    text: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of a `NamedShardingMetadata`, made anew at each call."""
        fields: dict[str, Any] = copy.deepcopy(vars(self.head))
        if self.grid is not None:
            fields["device_mesh"] = self.grid.handed_out()
        return fields

    def handed_out(self) -> Any:
        """Return a fresh `NamedShardingMetadata`."""
        return hand_out(_kind(), self)

    def serialized(self) -> str:
        """Return the text, with the device mesh spliced in as a fragment.

        Orbax serializes the head, and `device_mesh` is the last key of what it writes.

        Raises:
            TypeError: There is no JSON for one of the fields (`PartitionSpec.UNCONSTRAINED`).
        """
        head: str = orbax().to_text.call(self.head)
        if self.grid is None:
            return head
        return f'{head[:-1]}, "device_mesh": {self.grid.as_serialized_json}}}'

    def sharding(self) -> Any:
        """Return a `NamedSharding`, on the mesh of the last one if somebody still has it.

        That mesh is right only as long as JAX has the devices that it had then.

        Raises:
            ValueError: The devices of this sharding are not among `jax.devices()`.
        """
        devices = jax.devices()
        mesh = _meshes.get(self, _nothing)()
        if mesh is None or _devices_of(self, mesh) != devices:
            return self._new_sharding(devices)
        spec = jax.sharding.PartitionSpec(*self.head.partition_spec)
        return jax.sharding.NamedSharding(mesh, spec)

    def _new_sharding(self, devices: list[Any]) -> Any:
        metadata = self.handed_out()
        settle(metadata)
        sharding = metadata.to_jax_sharding()
        interner(_devices_of).cache_invalidate(self, sharding.mesh)
        _devices_of(self, sharding.mesh, devices)
        _meshes[self] = weakref.ref(sharding.mesh)
        return sharding


def known_of(metadata: Any) -> Known:
    """Return what there is to know of a `NamedShardingMetadata`.

    Its fields become those of the head, so nobody should go on to change it.

    Raises:
        UnknownContentError: It is of another class, or its device mesh is not as expected.
    """
    if type(metadata) is not orbax().named:
        raise UnknownContentError
    head = copy.copy(metadata)
    grid = None if head.device_mesh is None else grid_of(head.device_mesh)
    head.device_mesh = None
    return Known(head, grid)


# For each sharding that was made the mesh it is on, and the devices that JAX had then: the former
# is held weakly, and the latter go with it.
_meshes: WeakKeyDictionary[Known, Callable[[], Any]] = WeakKeyDictionary()


def _nothing() -> None:
    """Stand for a reference to a mesh that is gone."""


@interned(weak_args=("known", "mesh"), ignore="devices", maxsize=None)
def _devices_of(known: Known, mesh: Any, devices: Any = None) -> Any:  # noqa: ARG001
    return devices


def forget_meshes() -> None:
    """Forget which meshes were made for shardings that were read."""
    _meshes.clear()
    interner(_devices_of).cache_clear()


@cache
def _kind() -> type[Any]:
    return deferred_class(
        orbax().named, to_serialized_string=_to_serialized_string, to_jax_sharding=_to_jax_sharding
    )


def _to_serialized_string(self: Any) -> Any:
    known = source_of(self)
    if known is not None and known.text is not None:
        return known.text
    settle(self)
    return self.to_serialized_string()


def _to_jax_sharding(self: Any) -> Any:
    known = source_of(self)
    return self.to_jax_sharding() if known is None else known.sharding()
