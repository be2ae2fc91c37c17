"""The mode of the process: `INTERNED_MODE` in the environment, read once at import."""

from __future__ import annotations

import os
from typing import Literal, get_args

__all__ = ["MODE", "Mode", "mode_in"]

Mode = Literal["on", "off", "verify"]


def mode_in(text: str | None) -> Mode:
    """Read a mode, `on` where nothing is said.

    Args:
        text: The value of `INTERNED_MODE`, or `None` where it is not set.

    Raises:
        ValueError: If it is none of the modes.
    """
    for mode in get_args(Mode):
        if text == mode:
            return mode  # type: ignore[no-any-return]
    if not text:
        return "on"
    raise ValueError(f"INTERNED_MODE={text!r} is unknown; set it to on, off or verify, or unset it")


MODE: Mode = mode_in(os.environ.get("INTERNED_MODE"))
