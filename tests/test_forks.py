"""Forks: who has to be asked is asked, before, after, and in the child."""

import gc
import os
import signal
from weakref import WeakValueDictionary

import pytest

from interned import forks
from interned.forks import pause_at_fork, renew_after_fork

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")


class Owner:
    def __init__(self):
        self.calls = []

    def after_fork(self):
        self.calls.append("renew")

    def before_fork(self):
        self.calls.append("pause")

    def resume(self):
        self.calls.append("resume")

    def resume_in_child(self):
        self.calls.append("resume in child")


def in_child(answer):
    """Forks and returns what a function answers in the child."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.alarm(20)
            os.write(writing, answer().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def test_an_owner_is_renewed_in_the_child_alone():
    owner = Owner()
    renew_after_fork(owner)
    assert in_child(lambda: " ".join(owner.calls)) == "renew"
    assert owner.calls == []


def test_an_owner_pauses_while_the_process_forks():
    owner = Owner()
    pause_at_fork(owner)
    assert in_child(lambda: ", ".join(owner.calls)) == "pause, resume in child"
    assert owner.calls == ["pause", "resume"]


def test_locks_are_renewed_before_anything_goes_on():
    owner = Owner()
    pause_at_fork(owner)
    renew_after_fork(owner)
    assert in_child(lambda: ", ".join(owner.calls)) == "pause, renew, resume in child"


def test_a_dead_owner_is_not_asked():
    calls = []
    owner = Owner()
    owner.calls = calls
    pause_at_fork(owner)
    renew_after_fork(owner)
    del owner
    gc.collect()
    assert in_child(lambda: str(calls)) == "[]"


def test_what_happens_in_the_child(monkeypatch):
    # As above, but where its coverage can be seen.
    for name in ("_forkable", "_pausable"):
        monkeypatch.setattr(forks, name, WeakValueDictionary())
    owner = Owner()
    pause_at_fork(owner)
    renew_after_fork(owner)
    forks._after_in_child()
    assert owner.calls == ["renew", "resume in child"]
