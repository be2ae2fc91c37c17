"""Cached serialization: `asdict` and its JSON text, computed once, never stale, never damaged."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from cachetools import Cache

from interned import forms
from interned.errors import MutatedError
from interned.form_cache import clear_form_caches
from interned.fragments import Fragment, MarkFound, admits, splice, takes_fragments
from interned.frozen import alike, thaw
from interned.mode import MODE
from interned.oracles import oracle_of
from interned.plans import KEYWORDS, Keywords
from interned.readers import FormProperty
from interned.reading import Mappings, Patchwork, Texts
from interned.registry import on_clear

__all__ = ["CachedSerialization", "clear_forms", "dumps"]


def clear_forms() -> None:
    """Drop every cached form of the process; each is made anew when it is next asked for."""
    forms.clear_forms()
    clear_form_caches()


on_clear(clear_forms)


def _asdict(instance: Any) -> dict[str, Any]:
    return oracle_of(type(instance)).asdict(instance)


def _mapping(instance: Any) -> dict[str, Any] | None:
    """Return the cached dict, `None` where `asdict` has to be asked."""
    if MODE == "off":
        return None
    reading = Mappings(CachedSerialization)
    try:
        mapping: dict[str, Any] | None = reading.attempt(instance)
    except Exception:  # noqa: BLE001 - whatever it is, `asdict` says it in its own words
        return None
    reading.close()
    if MODE == "verify" and mapping is not None and not alike(mapping, _asdict(instance)):
        raise _mutated(instance)
    return mapping


def _text(instance: Any) -> str | None:
    """Return the cached text, `None` where `json.dumps` has to be asked."""
    if MODE == "off":
        return None
    reading = Texts(CachedSerialization)
    try:
        text: str | None = reading.attempt(instance)
    except Exception:  # noqa: BLE001 - whatever it is, `json.dumps` says it in its own words
        return None
    reading.close()
    if MODE == "verify" and text is not None and text != json.dumps(_asdict(instance)):
        raise _mutated(instance)
    return text


def _mutated(instance: object) -> MutatedError:
    return MutatedError(
        f"what {type(instance).__qualname__} hands out is no longer what asdict gives: the cached "
        "form, or a value in a field, was changed in place. Edit a copy, `to_dict()`; where the "
        "class says assume_immutable=True, take that promise back"
    )


def _tree(patchwork: Patchwork, instance: Any) -> Any:
    """Return a dict with fragments in it, `None` where `asdict` has to be asked."""
    if MODE != "on":
        return None
    try:
        tree = patchwork.tree(instance)
    except Exception:  # noqa: BLE001 - whatever it is, `asdict` says it in its own words
        return None
    patchwork.texts.close()
    return tree


def _serve_dict(instance: Any) -> dict[str, Any]:
    """What `asdict` returns, computed once: read-only where it is cached, see `to_dict`."""
    mapping = _mapping(instance)
    return _asdict(instance) if mapping is None else mapping


def _serve_json(instance: Any) -> str:
    """What `json.dumps` makes of `asdict`, computed once."""
    text = _text(instance)
    if text is not None:
        return text
    patchwork = Patchwork(CachedSerialization)
    tree = _tree(patchwork, instance)
    if tree is not None:
        with contextlib.suppress(Exception):
            return patchwork.encode(tree)
    return json.dumps(_asdict(instance))


class _FalseSlots(tuple[str, ...]):
    """Slots that are false: `copyreg` refuses protocols 0 and 1 to what has a true `__slots__`."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


class CachedSerialization:
    """Give a dataclass or attrs class its `asdict` and the JSON text of it, each computed once.

    A form is kept beside its instance while every field is the very object it was made from, if
    all of them are immutable all the way down. Otherwise it is computed at each access.

    Args:
        maxsize: Keep the forms of at most so many instances, those used last.
        ttl: Keep each form for so many seconds, or for a `timedelta`.
        timer: The clock of `ttl`, `time.monotonic` if left out.
        cache: Keep forms in this cachetools cache, or in one that this factory makes. With
            `getsizeof=len` it counts the characters of their texts.
        assume_immutable: Promise that what the fields hold is not changed in place. Each class
            promises for itself, so neither subclasses nor the classes of parts are included.

    Raises:
        TypeError: If keywords contradict one another.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Axis(CachedSerialization):
        ...     name: str
        ...     size: int
        >>> Axis("x", 8).as_serialized_json
        '{"name": "x", "size": 8}'
    """

    __slots__ = _FalseSlots(("__weakref__",))

    if TYPE_CHECKING:

        @property
        def as_serialized_dict(self) -> dict[str, Any]:
            """What `asdict` returns, computed once: read-only where it is cached."""

        @property
        def as_serialized_json(self) -> str:
            """What `json.dumps` makes of `asdict`, computed once."""

    else:
        as_serialized_dict = FormProperty(_serve_dict, "mapping")
        as_serialized_json = FormProperty(_serve_json, "text")

    def __init_subclass__(
        cls,
        *,
        maxsize: float | None = None,
        ttl: float | timedelta | None = None,
        timer: Callable[[], float] | None = None,
        cache: Cache[Any, Any] | Callable[[], Cache[Any, Any]] | None = None,
        assume_immutable: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        keywords = Keywords(
            maxsize=maxsize, ttl=ttl, timer=timer, cache=cache, assume_immutable=assume_immutable
        )
        if keywords != Keywords():
            type.__setattr__(cls, KEYWORDS, keywords)

    def to_dict(self) -> dict[str, Any]:
        """Return what `asdict` returns: plain, and the caller's own to edit."""
        mapping = _mapping(self)
        if mapping is None:
            return _asdict(self)
        plain: dict[str, Any] = thaw(mapping)
        return plain

    def to_json(self, **options: Any) -> str:
        """Return what `json.dumps` makes of `asdict`, with any of its options.

        In the default layout this is the cached text; in any other the cached dict is encoded.
        """
        if takes_fragments(options):
            text = _text(self)
            if text is not None and admits(options, text):
                return text
        return json.dumps(_encodable(self, options), **options)

    def to_json_bytes(self, **options: Any) -> bytes:
        """Return `to_json` in UTF-8, as a new object of no more than its own size."""
        return self.to_json(**options).encode()


def _encodable(instance: Any, options: Mapping[str, Any]) -> Any:
    """Return `asdict`, from the cache where an encoder cannot tell."""
    is_stock = options.get("cls") in (None, json.JSONEncoder)
    mapping = _mapping(instance) if is_stock else None
    return _asdict(instance) if mapping is None else mapping


def dumps(obj: Any, **options: Any) -> str:
    """Encode a document as `json.dumps` does, with every cached form in it spliced in.

    Args:
        obj: The document; a `CachedSerialization` value in it stands for its `asdict`.
        options: Those of `json.dumps`. A `default`, or the one of a `cls`, is asked about every
            other value that JSON does not know.

    Example:
        >>> dumps({"step": 3}, indent=None)
        '{"step": 3}'
    """
    spliced = takes_fragments(options)

    def replace(value: Any) -> Any:
        if not isinstance(value, CachedSerialization):
            return NotImplemented
        return (spliced and _fragment(value, options)) or _encodable(value, options)

    try:
        return splice(obj, options, replace)
    except MarkFound:
        spliced = False
        return splice(obj, options, replace)


def _fragment(instance: Any, options: Mapping[str, Any]) -> Any:
    """Return a fragment, or a dict with fragments in it, `None` where neither is right."""
    text = _text(instance)
    if text is not None:
        return Fragment(text) if admits(options, text) else None
    any_text_is_right = admits(options, "NaN \\u")
    return _tree(Patchwork(CachedSerialization), instance) if any_text_is_right else None
