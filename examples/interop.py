"""Cached forms in the hands of other serializers: json, orjson, msgspec and cattrs."""

import json
from dataclasses import asdict, dataclass

import cattrs
import msgspec
import orjson

from interned import CachedSerialization


@dataclass(frozen=True)
class Mesh(CachedSerialization):
    """A value that is part of many documents."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]


mesh = Mesh(("x", "y"), (8, 4))
document = {"step": 3, "mesh": mesh}
expected = {"step": 3, "mesh": {"axes": ["x", "y"], "shape": [8, 4]}}


def plain(value: object) -> object:
    """Answer the `default=` of json: the encoder goes on with the cached dict."""
    if isinstance(value, CachedSerialization):
        return value.as_serialized_dict
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def fragment(value: object) -> orjson.Fragment:
    """Answer the `default=` of orjson: the bytes of the cached text are copied into the output."""
    if isinstance(value, CachedSerialization):
        return orjson.Fragment(value.to_json_bytes())
    raise TypeError


assert json.loads(json.dumps(document, default=plain)) == expected

# orjson has an opinion of its own on dataclasses, unless it is told to ask. It asks about attrs
# classes anyway.
written = orjson.dumps(document, default=fragment, option=orjson.OPT_PASSTHROUGH_DATACLASS)
assert orjson.loads(written) == expected
assert mesh.to_json_bytes() in written

# So has msgspec, on both; a `Raw` is copied into the output.
raw = msgspec.json.encode({"step": 3, "mesh": msgspec.Raw(mesh.to_json_bytes())})
assert msgspec.json.decode(raw) == expected
assert mesh.to_json_bytes() in raw

# cattrs takes a hook for the base class and uses it for every class below.
converter = cattrs.Converter()
converter.register_unstructure_hook(CachedSerialization, lambda value: value.as_serialized_dict)
assert converter.unstructure(document) == {"step": 3, "mesh": asdict(mesh)}
assert converter.unstructure(mesh) is mesh.as_serialized_dict
