"""Blocking: which threads wait for this one."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from interned.blocking import threads_awaiting_us


def never(_frame, _threads):
    return False


def join(function):
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(20)


def get_result(function):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(function).result(20)


def indirectly(function):
    join(lambda: get_result(function))


@pytest.mark.parametrize("wait", [join, get_result, indirectly])
def test_who_waits_for_a_thread_is_found(wait):
    waiting, found, pause = threading.get_ident(), [], threading.Event()

    def look():
        # The other thread may have to get there first.
        for _ in range(10_000):
            if waiting in threads_awaiting_us(never):
                found.append(True)
                return
            pause.wait(0.001)

    wait(look)
    assert found == [True]


def test_who_waits_for_something_else_is_not():
    woken, found = threading.Event(), []

    def look():
        found.append(threads_awaiting_us(never))
        woken.set()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    assert woken.wait(20)
    assert found == [{thread.ident}]
    thread.join(20)


def test_other_ways_of_waiting_can_be_told():
    ready, leave, found = threading.Event(), threading.Event(), []

    def waits_in_its_own_way():
        ready.set()
        leave.wait(20)

    def awaits(frame, threads):
        return frame.f_code is waits_in_its_own_way.__code__ and me in threads

    me = threading.get_ident()
    thread = threading.Thread(target=waits_in_its_own_way, daemon=True)
    thread.start()
    assert ready.wait(20)
    found = threads_awaiting_us(awaits)
    leave.set()
    thread.join(20)
    assert found == {me, thread.ident}
