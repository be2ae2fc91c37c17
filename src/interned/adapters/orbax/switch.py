"""Switch the adapter on and off: for the process, and for as long as blocks of code run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from interned.adapters.orbax.patches import put_in, take_out
from interned.adapters.orbax.selfcheck import check
from interned.mode import MODE

__all__ = ["install", "installed", "uninstall"]

_lock = RLock()
# Each holder wants the adapter in, and says whether it wants `verify`: the process as a whole at
# most once, and each `installed()` block for itself.
_process: list[bool] = []
_blocks: list[bool] = []
# What the seams of Orbax are made for now: `None` where it is out, else `verify`.
_applied: list[bool | None] = [None]


def install(*, verify: bool = False) -> None:
    """Let Orbax serialize each distinct sharding once, until `uninstall` is called.

    Installing again only changes `verify`. No device is touched, so this may come before
    `jax.distributed.initialize`.

    Args:
        verify: Compare each text with the one that Orbax computes, at Orbax's cost, and refuse
            to go on where they differ.

    Raises:
        UnsupportedVersionError: Orbax is not as known; nothing was changed.
    """
    with _lock:
        check()
        _process[:] = [verify]
        _apply()


def uninstall() -> None:
    """Put the functions of Orbax back, as soon as no `installed()` block needs the adapter.

    Nothing happens where it is not installed. What is remembered stays: see `cache_clear`.
    """
    with _lock:
        _process.clear()
        _apply()


@contextmanager
def installed(*, verify: bool = False) -> Iterator[None]:
    """Have the adapter installed while a block runs.

    Blocks nest, and overlap in threads. The functions of Orbax are back when the last block ends,
    unless `install` was called as well.

    Args:
        verify: As for `install`; it holds for everybody while the block runs.

    Raises:
        UnsupportedVersionError: Orbax is not as known; nothing was changed.
    """
    with _lock:
        check()
        _blocks.append(verify)
        _apply()
    try:
        yield
    finally:
        with _lock:
            _blocks.remove(verify)
            _apply()


def _apply() -> None:
    holders = _process + _blocks
    wanted = any(holders) if holders else None
    if wanted != _applied[-1]:
        take_out()
        if wanted is not None:
            put_in(verify=wanted or MODE == "verify")
        _applied[:] = [wanted]
