"""The floor plan: imports point down, nobody imports the root, and each module has its test."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "interned"

# Floor, wing, rooms. A module may import from the floors below, and from its own wing where no
# cycle comes of it. Wings of one floor are strangers.
PLAN = """
5  adapters       adapters
5  testing        testing
4  decorator      decorator
3  callables      arguments blocking callables callhits callinquiries coroutines flights methods
3  callables      owners results roles targets wrappers wrapping
3  classes        calls classes classkeys copies equality handed holding inquiries installing
3  classes        originals refusals shapes signatures
2  interning      interning
2  serialization  reasons serialization
2  proofs         constancy explaining proofs
1  keys           fields foreign keyparts keyrules keys scalars
1  tables         counters entries recency registry retention table turns
1  forms          conversion form_cache forms fragments frozen immutability oracles plans readers
1  forms          reading
1  hits           hits sources
0  words          errors forks mode options
"""

PLACE_OF = {
    room: (int(floor), wing)
    for floor, wing, *rooms in map(str.split, PLAN.strip().splitlines())
    for room in rooms
}


def modules_in(package):
    """Maps dotted names (`interned.adapters.orbax`) to files."""
    dotted = {
        ".".join((package.name, *path.relative_to(package).with_suffix("").parts)): path
        for path in sorted(package.rglob("*.py"))
    }
    return {name.removesuffix(".__init__"): path for name, path in dotted.items()}


def imported_by(name, path):
    """Yields what a module imports, anywhere in it: lazily and under `TYPE_CHECKING` too."""
    above = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = above[: len(above) - level + 1] if level else []
                for alias in names:
                    yield ".".join(filter(None, [*base, module, alias.name]))


def nearest(dotted, modules):
    """Cuts attributes off a dotted name until a module of the package is left, or nothing."""
    while dotted and dotted not in modules:
        dotted = dotted.rpartition(".")[0]
    return dotted


def import_graph(package):
    modules = modules_in(package)
    targets = {
        name: {nearest(dotted, modules) for dotted in imported_by(name, path)}
        for name, path in modules.items()
    }
    return {name: found - {"", name} for name, found in targets.items()}


def room(name):
    return name.split(".")[1]


def fault(name, target, root):
    """Says what is wrong with one import arrow, None if nothing is."""
    if target == root:
        return f"{name} imports the root"
    (floor, wing), (floor_there, wing_there) = PLACE_OF[room(name)], PLACE_OF[room(target)]
    if floor_there > floor:
        return f"{name} imports upward: {target}"
    if floor_there == floor and wing_there != wing:
        return f"{name} should not know {target}"
    return None


def faults(package):
    graph = import_graph(package)
    inner = {name: targets for name, targets in graph.items() if name != package.name}
    if homeless := [name for name in inner if room(name) not in PLACE_OF]:
        return [f"{name} is not on the floor plan" for name in homeless]
    arrows = [(name, target) for name, targets in inner.items() for target in sorted(targets)]
    found = list(filter(None, (fault(*arrow, package.name) for arrow in arrows)))
    try:
        TopologicalSorter(inner).prepare()
    except CycleError as error:
        found.append(f"{sorted(set(error.args[1]))} import one another")
    return found


def untested(package, tests):
    """Lists the modules without a test file of the same name and depth."""
    modules = {path.relative_to(package) for path in package.rglob("*.py")}
    tested = {path.relative_to(tests) for path in tests.rglob("test_*.py")}
    return sorted(
        path.as_posix()
        for path in modules
        if path.stem != "__init__" and path.with_name(f"test_{path.name}") not in tested
    )


def test_imports_point_down():
    assert faults(PACKAGE) == []


def test_each_module_has_its_test():
    assert untested(PACKAGE, TESTS) == []


@pytest.fixture
def build(tmp_path):
    """Builds a package of the given modules and returns its folder."""

    def write(modules):
        package = tmp_path / "p"
        for name, text in modules.items():
            path = package / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return package

    return write


HOUSE = {
    "__init__": "from p.decorator import interned",
    "errors": "",
    "keys": "",
    "serialization": "",
    "shapes": "",
    "classes": "",
    "decorator": "",
    "adapters/__init__": "",
    "adapters/orbax": "",
}


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("keys", "from p.errors import InternedError"),
        ("keys", "from p import errors"),
        ("keys", "import json, functools"),
        ("classes", "from .shapes import shape_of"),
        ("adapters/orbax", "from ..serialization import dumps"),
        ("adapters/__init__", "from . import orbax"),
    ],
)
def test_a_good_arrow_is_let_through(build, module, line):
    assert faults(build(HOUSE | {module: line})) == []


@pytest.mark.parametrize(
    ("module", "line", "expected"),
    [
        ("keys", "from p.classes import x", "p.keys imports upward: p.classes"),
        ("keys", "from .classes import x", "p.keys imports upward: p.classes"),
        ("keys", "import p.classes as c", "p.keys imports upward: p.classes"),
        ("keys", "def f():\n    from p import classes", "p.keys imports upward: p.classes"),
        ("errors", "from .adapters.orbax import x", "p.errors imports upward: p.adapters.orbax"),
        ("keys", "from p import interned", "p.keys imports the root"),
        ("adapters/orbax", "from .. import interned", "p.adapters.orbax imports the root"),
        ("interning", "import p.serialization", "p.interning should not know p.serialization"),
        ("cellar", "", "p.cellar is not on the floor plan"),
        ("keys", "from . import fields", "['p.fields', 'p.keys'] import one another"),
    ],
)
def test_a_misplaced_arrow_is_found(build, module, line, expected):
    rooms = HOUSE | {"fields": "import p.keys"} | {module: line}
    assert faults(build(rooms)) == [expected]


def test_a_module_without_its_test_is_found(build, tmp_path):
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_keys.py").touch()
    package = build({"__init__": "", "keys": "", "table": "", "adapters/keys": ""})
    assert untested(package, tests) == ["adapters/keys.py", "table.py"]
