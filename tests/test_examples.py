"""The examples that need no extra run, and so does every Python snippet of README and docs."""

import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = {"value_class.py"}
NEED_AN_EXTRA = {"interop.py", "orbax_checkpoint.py"}
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def snippets(text):
    """Blanks all lines of a page but those of its Python blocks, so that errors point to them.

    A second word after the fence names a library without which the block cannot run.
    """
    lines = text.splitlines()
    inside = False
    for number, line in enumerate(lines):
        fence = re.fullmatch(r"```(\w*) ?(\w*)", line)
        lines[number] = line if inside and not fence else ""
        if fence:
            inside = fence[1] == "python" and (not fence[2] or find_spec(fence[2]) is not None)
    return "\n".join(lines)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_runs(name):
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")


def test_no_example_is_forgotten():
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == EXAMPLES | NEED_AN_EXTRA


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_the_snippets_of_a_page_run(page, monkeypatch):
    program = compile(snippets(page.read_text(encoding="utf-8")), page, "exec")
    module = ModuleType(f"page_{page.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(program, vars(module))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_the_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_snippets_keep_their_place():
    page = "# T\n```python\nx = 1\n```\n```console\n$ x\n```\n```python re\ny = x\n```"
    assert snippets(page) == "\n\nx = 1\n\n\n\n\n\ny = x\n"


def test_a_snippet_waits_for_its_library():
    assert snippets("```python no_such_library\nx = 1\n```\n").strip() == ""
