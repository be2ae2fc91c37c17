import subprocess
import sys

import pytest

from interned.mode import mode_in


@pytest.mark.parametrize("mode", ["on", "off", "verify"])
def test_each_mode_is_known(mode):
    assert mode_in(mode) == mode


@pytest.mark.parametrize("nothing", [None, ""])
def test_nothing_said_means_on(nothing):
    assert mode_in(nothing) == "on"


def test_an_unknown_mode_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="'ON' is unknown; set it to on, off or verify"):
        mode_in("ON")


@pytest.mark.parametrize(("said", "mode"), [({}, "on"), ({"INTERNED_MODE": "verify"}, "verify")])
def test_it_is_read_from_the_environment(said, mode, monkeypatch):
    monkeypatch.delenv("INTERNED_MODE", raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    code = "from interned.mode import MODE; print(MODE)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == mode
