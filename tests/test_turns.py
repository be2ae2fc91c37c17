"""Turns: requests are served one at a time, and nobody waits for a turn."""

import threading

import pytest

from interned.turns import Turns


class Log(list):
    """What turns have done, in order."""

    def note(self, word):
        return lambda *details: self.append((word, *details) if details else word)


@pytest.fixture
def log():
    return Log()


class Logged(Turns):
    """Writes down what happens besides the requests."""

    def __init__(self, log):
        self.log = log
        super().__init__()

    def _afterwards(self):
        self.log.append("after")

    def _repair(self, error):
        self.log.append(("repair", error))


@pytest.fixture
def turns(log):
    return Logged(log)


def in_thread(function):
    """Runs a function in another thread to its end."""
    thread = threading.Thread(target=function)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_a_request_is_served_at_once(turns, log):
    turns.ask(log.note("one"))
    turns.ask_and_wait(log.note("two"))
    assert log == ["one", "after", "two", "after"]


def test_a_request_made_in_another_is_served_after_it(turns, log):
    def outer():
        turns.ask(log.note("inner"))
        turns.ask_and_wait(log.note("waited for"))
        log.append("outer")

    turns.ask(outer)
    assert log == ["outer", "inner", "waited for", "after"]


def test_another_thread_leaves_its_request_to_the_one_at_work(turns, log):
    def outer():
        in_thread(lambda: turns.ask(log.note("inner")))
        log.append("outer")

    turns.ask(outer)
    assert log == ["outer", "inner", "after"]


def test_who_wants_to_wait_waits_for_another_thread(turns, log):
    entered, leave = threading.Event(), threading.Event()

    def long():
        entered.set()
        leave.wait(10)
        log.append("long")

    worker = threading.Thread(target=turns.ask, args=[long])
    worker.start()
    assert entered.wait(10)
    waiter = threading.Thread(target=turns.ask_and_wait, args=[log.note("short")])
    waiter.start()
    assert not log
    leave.set()
    worker.join(10)
    waiter.join(10)
    assert [word for word in log if word != "after"] == ["long", "short"]


def test_what_a_request_raises_reaches_its_call_and_is_repaired_before_the_next(turns, log):
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        turns.ask(fail)
    assert log == ["after"]
    turns.ask(log.note("next"))
    turns.ask(log.note("last"))
    assert log == ["after", ("repair", ZeroDivisionError), "next", "after", "last", "after"]


def test_after_an_exception_the_rest_is_served_at_the_next_request(turns, log):
    def outer():
        turns.ask(log.note("inner"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        turns.ask(outer)
    turns.ask(log.note("next"))
    assert log == ["after", ("repair", ZeroDivisionError), "inner", "next", "after"]


def test_who_waits_for_a_request_that_failed_goes_on(turns):
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        turns.ask_and_wait(fail)
    turns.ask_and_wait(lambda: None)


def test_a_request_made_afterwards_is_served(log):
    class Asking(Logged):
        def _afterwards(self):
            if len(log) < 3:
                self.ask(log.note(len(log)))

    Asking(log).ask(log.note("first"))
    assert log == ["first", 1, 2]


def test_nobody_else_is_at_work_while_the_process_forks(turns, log):
    turns.before_fork()
    in_thread(lambda: turns.ask(log.note("other")))
    assert log == []
    turns.resume()
    assert log == ["other", "after"]


def test_the_child_goes_on_where_the_process_forked_at_rest(turns, log):
    turns.before_fork()
    turns.resume_in_child()
    turns.ask(log.note("child"))
    assert log == ["child", "after"]


def test_the_child_goes_on_where_a_request_forked(turns, log):
    def fork():
        turns.before_fork()
        turns.resume_in_child()
        turns.ask(log.note("inner"))
        log.append("outer")

    turns.ask(fork)
    assert log == ["outer", "inner", "after"]


def test_the_child_repairs_what_a_lost_thread_was_at(turns, log, monkeypatch):
    monkeypatch.setattr("interned.turns._PATIENCE", 2)
    no_thread = -1

    def fork():
        # As another thread at work would leave it.
        turns._turn = (no_thread,)

    turns.ask(fork)
    turns._broken = BaseException
    turns.before_fork()
    turns.ask(log.note("left to the lost thread"))
    assert log == []
    turns.resume_in_child()
    assert log == [("repair", BaseException), "left to the lost thread", "after"]
