"""Find what Orbax does about shardings, and the few places where something can stand in for it."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import version
from typing import Any

import attrs

from interned.errors import UnsupportedVersionError

__all__ = ["Orbax", "Seam", "orbax", "unsupported"]

MODULE = "orbax.checkpoint._src.metadata.sharding"


def unsupported(difference: str) -> UnsupportedVersionError:
    """Return the error that names the installed version and what is different about it."""
    return UnsupportedVersionError(
        f"orbax-checkpoint {version('orbax-checkpoint')} is not as this adapter knows it: "
        f"{difference}. Go on without the adapter, or with a version that it knows."
    )


@attrs.define(eq=False)
class Seam:
    """One attribute of a class or module of Orbax, and what stands in for it.

    Args:
        owner: The class or module.
        name: The name of the attribute in it.
    """

    owner: Any
    name: str
    _kept: Any = None

    def stock(self) -> Any:
        """Return Orbax's own object, as it lies in the owner's `__dict__`.

        Raises:
            UnsupportedVersionError: Orbax has no such attribute.
        """
        kept = self._kept
        if kept is not None:
            return kept
        try:
            return vars(self.owner)[self.name]
        except KeyError:
            raise unsupported(f"{self.owner.__name__} has no {self.name}") from None

    def call(self, *args: Any) -> Any:
        """Call Orbax's own function; a classmethod takes its class as the first argument."""
        function = self.stock()
        return getattr(function, "__func__", function)(*args)

    def replace(self, substitute: object) -> None:
        """Let `substitute` stand in, until `restore` is called."""
        self._kept = self.stock()
        setattr(self.owner, self.name, substitute)

    def restore(self) -> None:
        """Put the very object back that was found."""
        if self._kept is not None:
            setattr(self.owner, self.name, self._kept)
            self._kept = None


@attrs.frozen(eq=False)
class Orbax:
    """The classes that describe a sharding, and the seams between them and the adapter."""

    module: Any
    named: type[Any]
    grid: type[Any]
    device: type[Any]
    from_sharding: Seam
    from_mesh: Seam
    to_text: Seam
    from_text: Seam

    @property
    def seams(self) -> tuple[Seam, ...]:
        """All of the seams, in the order in which they are replaced."""
        return (self.from_sharding, self.from_mesh, self.to_text, self.from_text)


@cache
def orbax() -> Orbax:
    """Return the parts of the Orbax that is installed.

    Raises:
        ImportError: Orbax is not installed.
        UnsupportedVersionError: It has no such classes.
    """
    importlib.import_module("orbax.checkpoint")
    try:
        module = importlib.import_module(MODULE)
        named, grid, device = (
            module.NamedShardingMetadata,
            module.DeviceMetadataMesh,
            module.DeviceMetadata,
        )
    except (ImportError, AttributeError) as error:
        raise unsupported(str(error)) from error
    return Orbax(
        module=module,
        named=named,
        grid=grid,
        device=device,
        from_sharding=Seam(named, "from_jax_sharding"),
        from_mesh=Seam(grid, "from_jax_mesh"),
        to_text=Seam(named, "to_serialized_string"),
        from_text=Seam(module, "from_serialized_string"),
    )
