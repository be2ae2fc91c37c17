"""The devices of a mesh as a value: what Orbax writes about them, frozen and serialized once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from interned.adapters.orbax.deferred import deferred_class, hand_out, source_of
from interned.adapters.orbax.seams import orbax
from interned.decorator import interned
from interned.serialization import CachedSerialization

__all__ = ["DeviceGrid", "DeviceId", "UnknownContentError", "grid_of"]


class UnknownContentError(Exception):
    """There is something in a stock object that this adapter does not know."""


@dataclass(frozen=True, slots=True)
class DeviceId:
    """What Orbax writes about one device."""

    id: int


@interned
@dataclass(frozen=True)
class DeviceGrid(CachedSerialization):
    """The devices of a mesh in their places: a `DeviceId`, or nested tuples of them.

    Its JSON is, byte for byte, what Orbax writes under `device_mesh`. Meshes with the same devices
    in the same places share one, whatever the names of their axes.
    """

    mesh: Any

    def fields(self) -> dict[str, Any]:
        """Return the fields of a `DeviceMetadataMesh`, made anew at each call."""
        return {"mesh": _thawed(self.mesh, orbax().device)}

    def handed_out(self) -> Any:
        """Return a fresh `DeviceMetadataMesh`."""
        return hand_out(_kind(), self)


def grid_of(metadata: Any) -> DeviceGrid:
    """Return the value of a `DeviceMetadataMesh`.

    Raises:
        UnknownContentError: It holds anything but plain devices in nested lists.
    """
    source = source_of(metadata)
    if isinstance(source, DeviceGrid):
        return source
    if type(metadata) is not orbax().grid or vars(metadata).keys() != {"mesh"}:
        raise UnknownContentError
    return DeviceGrid(_frozen(metadata.mesh, orbax().device))


@cache
def _kind() -> type[Any]:
    return deferred_class(orbax().grid)


def _frozen(node: Any, device: type[Any]) -> Any:
    if type(node) is list:
        return tuple([_frozen(child, device) for child in node])
    if node is None:  # this is what Orbax makes of the empty mesh
        return None
    if type(node) is device and vars(node).keys() == {"id"} and type(node.id) is int:
        return DeviceId(node.id)
    raise UnknownContentError


def _thawed(node: Any, device: type[Any]) -> Any:
    if type(node) is tuple:
        return [_thawed(child, device) for child in node]
    return node and device(id=node.id)
