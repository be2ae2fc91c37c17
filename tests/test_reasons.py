import threading
import typing
from dataclasses import dataclass

import attrs
import pytest

from interned import CachedSerialization, reasons
from interned.reasons import why_uncached


class Pair(typing.NamedTuple):
    left: object
    right: object


@dataclass(frozen=True)
class Mesh(CachedSerialization):
    axes: object
    rest: object = None


@dataclass
class Device:
    x: object


@dataclass(frozen=True)
class Trusted(CachedSerialization, assume_immutable=True):
    held: object


@attrs.frozen
class Spec(CachedSerialization):
    _x: object


@dataclass(frozen=True)
class Number(CachedSerialization, int):
    x: int = 0


class Bare(CachedSerialization):
    pass


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Mesh((1, "a")), None),
        (Mesh([]), "`Mesh.axes` is a list"),
        (Mesh(([], 1)), "`Mesh.axes[0]` is a list"),
        (Mesh((1, (2, Pair(3, {})))), "`Mesh.axes[1][1].right` is a dict"),
        (Mesh(1, Mesh((1, Mesh({1})))), "`Mesh.rest.axes[1].axes` is a set"),
        (Mesh(Device(1)), "`Mesh.axes` is a Device, which is not frozen"),
        (Mesh(len), "`Mesh.axes` is a builtin_function_or_method"),
        (Trusted([1, {"k": {2}}]), "`Trusted.held[1]['k']` is a set"),
        (Trusted({(1, Device): 2}), "`Trusted.held[(1, Device)][1]` is a type"),
        (Spec([]), "`Spec._x` is a list"),
        (Number(3), "`Number` cannot be weakly referenced"),
    ],
)
def test_the_path_leads_to_what_may_change(value, reason):
    assert why_uncached(value) == (reason and reason.replace("Device)", f"{Device!r})"))


def test_what_asdict_refuses_is_said():
    assert why_uncached(Bare()).startswith("asdict refuses it: TypeError: must be called with")


def test_a_cycle_is_said():
    loop = Mesh(1)
    object.__setattr__(loop, "axes", loop)
    assert why_uncached(loop) == "asdict refuses it: RecursionError"


def test_the_mode_is_said(monkeypatch):
    monkeypatch.setattr(reasons, "MODE", "off")
    assert why_uncached(Mesh(1)) == "INTERNED_MODE=off computes every form anew"


def test_what_has_no_form_is_refused():
    with pytest.raises(TypeError, match="lock has no cached form; derive it from"):
        why_uncached(threading.Lock())
