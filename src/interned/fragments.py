"""Fragments: JSON text that is ready, spliced into a larger document as it is encoded."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Fragment", "MarkFound", "admits", "splice", "takes_fragments"]

# Stands for a fragment until the document is encoded. If a document should contain it itself, there
# are more marks than fragments.
_MARK = f"interned fragment {os.urandom(16).hex()}"
_QUOTED_MARK = f'"{_MARK}"'

# How `json.dumps` calls an encoder class.
_DEFAULTS: dict[str, Any] = {
    "skipkeys": False,
    "ensure_ascii": True,
    "check_circular": True,
    "allow_nan": True,
    "indent": None,
    "separators": None,
    "default": None,
    "sort_keys": False,
}
_NEUTRAL = {"allow_nan", "check_circular", "default", "ensure_ascii", "skipkeys"}
_FORMATTING: dict[str, tuple[Any, ...]] = {
    "cls": (None, json.JSONEncoder),
    "indent": (None,),
    "separators": (None, (", ", ": ")),
    "sort_keys": (False,),
}


class Fragment:
    """A dict whose JSON text, in the default format of `json.dumps`, is known.

    Like the dict it is no key, so that what is refused as a key is refused all the same.
    """

    __slots__ = ("text",)

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        self.text = text


class MarkFound(Exception):  # noqa: N818 - not an error: it is encoded without fragments
    """Says that a document holds the text that stands for a fragment."""


def takes_fragments(options: Mapping[str, Any]) -> bool:
    """Say whether these options of `json.dumps` lay a document out as fragments are laid out."""
    return all(
        name in _NEUTRAL or option in _FORMATTING.get(name, ()) for name, option in options.items()
    )


def admits(options: Mapping[str, Any], text: str) -> bool:
    """Say whether `json.dumps` would write this very text for a value, with these options."""
    if not options.get("allow_nan", True) and ("NaN" in text or "Infinity" in text):
        return False
    return bool(options.get("ensure_ascii", True)) or "\\u" not in text


def splice(document: Any, options: Mapping[str, Any], replace: Callable[[Any], Any]) -> str:
    """Encode a document as `json.dumps` does, and put the text of each fragment in its place.

    Args:
        document: What to encode; there may be fragments in it.
        options: The options of `json.dumps`.
        replace: Called with each value that the encoder does not know. It returns what to encode
            instead, which may be a fragment, or `NotImplemented` to leave the value to the
            caller's `default` or `cls`.

    Raises:
        MarkFound: If it cannot be told where the fragments belong.
    """
    settings = {**_DEFAULTS, **options}
    encoder: Any = (settings.pop("cls", None) or json.JSONEncoder)(**settings)
    own_default = encoder.default
    texts: list[str] = []

    def default(value: Any) -> Any:
        known = value if type(value) is Fragment else replace(value)
        if known is NotImplemented:
            return own_default(value)
        if type(known) is not Fragment:
            return known
        texts.append(known.text)
        return _MARK

    encoder.default = default
    try:
        encoded: str = encoder.encode(document)
    finally:
        del encoder.default
    return _joined(encoded, texts) if texts else encoded


def _joined(encoded: str, texts: list[str]) -> str:
    between = encoded.split(_QUOTED_MARK)
    last = between.pop()
    if len(between) != len(texts):
        raise MarkFound
    return "".join([part for pair in zip(between, texts, strict=True) for part in pair] + [last])
