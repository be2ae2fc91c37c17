"""`import interned` is light: it brings in no library that a user did not ask for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import interned

HEAVY = ("hypothesis", "jax", "numpy", "orbax", "redis", "rich")
# Of the standard library, each a good part of what the import takes or more.
STANDARD = (
    *("asyncio", "concurrent", "ctypes", "decimal", "email", "fractions", "ipaddress", "json"),
    *("logging", "multiprocessing", "pathlib", "pickle", "socket", "ssl", "statistics"),
    *("sysconfig", "tempfile", "textwrap", "unittest", "urllib", "uuid", "zoneinfo"),
)
CLASS = "@interned\nclass C:\n    def __init__(self, x): self.x = x\nC(1), C(1)"
FUNCTION = "@interned\ndef f(x): return x\nf(1), f(1)"
FORM = (
    "from dataclasses import dataclass\nfrom interned import CachedSerialization\n"
    "@dataclass(frozen=True)\nclass M(CachedSerialization):\n    x: int\nM(1).as_serialized_json"
)


def listed(program, path, **environment):
    """Runs a program in a new process and returns the words that it prints."""
    path = os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()


@pytest.fixture
def brought_in(tmp_path):
    """Runs a statement in a new process and lists the heavy libraries that it imports.

    Each library can be imported there, installed or not: empty modules stand in for them, so that
    an import guarded by `try` is seen as well.
    """
    for name in HEAVY:
        (tmp_path / f"{name}.py").touch()

    def probe(statement):
        program = f"import sys\n{statement}\nprint(*sorted(sys.modules.keys() & set({HEAVY})))"
        return listed(program, [str(tmp_path)])

    return probe


@pytest.fixture
def added():
    """Runs statements in a new process and lists what they import beyond attrs and cachetools."""

    def probe(statements):
        before = "import attrs, cachetools, sys\nbefore = {*sys.modules}"
        return {*listed(f"{before}\n{statements}\nprint(*{{*sys.modules}} - before)", [])}

    return probe


def test_import_is_light(brought_in):
    assert brought_in("import interned") == []


@pytest.mark.parametrize("name", HEAVY)
def test_the_probe_can_fail(brought_in, name):
    assert brought_in(f"import json, {name}") == [name]


def test_import_brings_in_little_of_the_standard_library(added):
    assert not added("import interned") & {*STANDARD}


@pytest.mark.parametrize("name", ["fractions", "zoneinfo"])
def test_that_probe_can_fail_too(added, name):
    assert name in added(f"import interned, {name}")


@pytest.mark.parametrize(
    ("use", "needed", "others"),
    [
        (CLASS, "interned.classes", {"interned.callables", "interned.serialization"}),
        (FUNCTION, "interned.callables", {"interned.classes", "interned.serialization"}),
        (FORM, "interned.serialization", {"interned.callables", "interned.classes"}),
    ],
    ids=["class", "function", "form"],
)
def test_the_first_use_brings_in_what_it_needs(added, use, needed, others):
    imported = added(f"from interned import interned\n{use}")
    assert needed in imported
    assert not imported & others
    assert imported & {*STANDARD} <= {"json", "textwrap"}


def test_nothing_is_imported_for_the_values_that_are_known_by_name(added):
    imported = added(f"from interned import interned\n{CLASS}\n{FUNCTION}\n{FORM}")
    assert not imported & {"decimal", "fractions", "ipaddress", "pathlib", "uuid", "zoneinfo"}


def test_what_is_imported_late_is_there_as_if_it_were_not():
    words = listed(
        "import interned as package\n"
        "from interned import *\n"
        "print(CachedSerialization.__name__, dumps is package.dumps, hasattr(package, 'dump'))",
        [],
    )
    assert words == ["CachedSerialization", "True", "False"]


def test_what_is_imported_late_is_listed_from_the_start():
    assert "dumps" in listed("import interned\nprint(*dir(interned))", [])


def test_no_module_is_named_as_something_public():
    # Importing it late would put the module in the place of what is public.
    modules = {path.stem for path in Path(interned.__file__).parent.iterdir()}
    assert not modules & {*interned.__all__}


def test_an_unknown_name_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'interned' has no attribute 'nothing'"):
        _ = interned.nothing


def test_the_mode_is_that_of_the_import():
    program = (
        "import os, interned\nos.environ['INTERNED_MODE'] = 'off'\n"
        "from interned.mode import MODE\nprint(MODE)"
    )
    assert listed(program, [], INTERNED_MODE="verify") == ["verify"]
