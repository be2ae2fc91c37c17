"""Flights: concurrent calls run the function once, and no waiting can close a circle."""

import concurrent.futures
import contextlib
import contextvars
import gc
import os
import signal
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from interned import interned, interner
from interned.entries import GONE
from interned.flights import Flight, Flights


@pytest.fixture
def start():
    """Starts functions in threads, and waits for all of them at the end."""
    threads = []

    def run(function, *args):
        thread = threading.Thread(target=function, args=args, daemon=True)
        thread.start()
        threads.append(thread)
        return thread

    yield run
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)


@pytest.fixture
def until():
    """Waits for a condition that another thread brings about."""
    pause = threading.Event()

    def wait(condition):
        for _ in range(20_000):
            if condition():
                return
            pause.wait(0.001)
        raise AssertionError("it did not happen")

    return wait


def boarded(f):
    """Returns how many calls of a function wait."""
    return sum(flight._waiting for flight in interner(f).flights.entries())


def gated(**options):
    """Makes a function that waits at a gate, with its calls and the gate."""
    calls, inside, gate = [], threading.Event(), threading.Event()

    @interned(single_flight=True, **options)
    def f(x):
        calls.append(x)
        inside.set()
        assert gate.wait(20)
        return [x]

    return f, calls, inside, gate


@pytest.mark.parametrize("options", [{}, {"maxsize": 0}, {"maxsize": None}, {"ttl": 60}], ids=str)
def test_concurrent_calls_run_once(start, until, options):
    f, calls, _, gate = gated(**options)
    results = []
    for _ in range(4):
        start(lambda: results.append(f(1)))
    until(lambda: boarded(f) == 3)
    gate.set()
    until(lambda: len(results) == 4)
    assert calls == [1]
    assert len({id(result) for result in results}) == 1
    assert f.cache_info()[:2] == (3, 1)


def test_without_single_flight_each_call_runs(start):
    together = threading.Barrier(3)
    calls = []

    @interned
    def f(x):
        calls.append(x)
        together.wait(20)
        return [x]

    start(f, 1)
    start(f, 1)
    together.wait(20)
    assert calls == [1, 1]


def test_different_keys_do_not_wait_for_each_other(start):
    together = threading.Barrier(2)
    f = interned(single_flight=True)(lambda x: together.wait(20) and None)
    start(f, 1)
    f(2)


@pytest.mark.parametrize("key", [1, (1, ("exact", 2.0))])
def test_exact_keys_fly_too(start, until, key):
    f, calls, inside, gate = gated()
    results = []
    start(lambda: results.append(f(key)))
    assert inside.wait(20)
    start(lambda: results.append(f(key if key == 1 else (1, ("exact", 2.0)))))
    until(lambda: boarded(f) == 1)
    gate.set()
    until(lambda: len(results) == 2)
    assert results[0] is results[1]
    assert len(calls) == 1


def test_a_failure_reaches_all_who_wait_and_is_not_remembered(start, until):
    f, calls, _, gate = gated()
    failing = interned(single_flight=True)(lambda x: f.__wrapped__(x) and 1 // 0)
    errors = []

    def call():
        try:
            failing(1)
        except ZeroDivisionError as error:
            errors.append(error)

    for _ in range(3):
        start(call)
    until(lambda: boarded(failing) == 2)
    gate.set()
    until(lambda: len(errors) == 3)
    assert calls == [1]
    call()
    assert calls == [1, 1]
    assert failing.cache_info() == (0, 2, 128, 0)


def test_a_failure_leaves_no_garbage(start):
    class Argument:
        pass

    @interned(single_flight=True)
    def f(x):
        raise ValueError

    gc.collect()
    gc.disable()
    try:
        argument = Argument()
        gone = weakref.ref(argument)
        with pytest.raises(ValueError):
            f(argument)
        sys.last_value = None
        del argument
        assert gone() is None
    finally:
        gc.enable()


def test_who_is_interrupted_gives_the_run_up_to_another(start, until):
    calls, inside, gate = [], threading.Event(), threading.Event()

    @interned(single_flight=True)
    def f(x):
        calls.append(x)
        inside.set()
        assert gate.wait(20)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return [x]

    raised, results = [], []

    def interrupted():
        try:
            f(1)
        except KeyboardInterrupt:
            raised.append(True)

    start(interrupted)
    assert inside.wait(20)
    start(lambda: results.append(f(1)))
    until(lambda: boarded(f) == 1)
    gate.set()
    until(lambda: results == [[1]])
    assert raised == [True]
    assert calls == [1, 1]


# No circle.


def test_a_call_of_the_same_thread_runs_through():
    calls = []

    @interned(single_flight=True)
    def f(x):
        calls.append(x)
        return f(x) if len(calls) < 3 else [x]

    assert f(1) is f(1)
    assert calls == [1, 1, 1]


def test_two_keys_that_wait_for_each_other(start, until):
    together = threading.Barrier(2)
    calls = []

    @interned(single_flight=True)
    def f(x):
        calls.append(x)
        if len(calls) > 2:
            return [x]
        together.wait(20)
        return [x, f(1 - x)]

    results = []
    for x in (0, 1):
        start(lambda x=x: results.append(f(x)))
    until(lambda: len(results) == 2)
    assert len(calls) == 3


def test_a_circle_of_two_functions_and_three_threads(start, until):
    together = threading.Barrier(3)
    calls = []

    def step(name, x, follow):
        calls.append((name, x))
        if len(calls) <= 3:
            together.wait(20)
        return [x, follow()] if calls.count((name, x)) == 1 else [x]

    f = interned(single_flight=True)(lambda x: step("f", x, lambda: g(x)))
    g = interned(single_flight=True)(lambda x: step("g", x, lambda: f(x + 1 if x < 1 else 0)))
    # f(0) -> g(0) -> f(1) -> g(1) -> f(0)
    results = []
    for call in (lambda: f(0), lambda: g(0), lambda: f(1)):
        start(lambda call=call: results.append(call()))
    until(lambda: len(results) == 3)


def by_result(pool, f):
    return pool.submit(f, 1).result()


def by_map(pool, f):
    return list(pool.map(f, [1, 1]))


def by_wait(pool, f):
    return concurrent.futures.wait([pool.submit(f, 1)]).done.pop().result()


def by_thread(_, f):
    thread = threading.Thread(target=f, args=[1], daemon=True)
    thread.start()
    thread.join()


def by_both(pool, f):
    return pool.submit(by_thread, pool, f).result()


def by_context(pool, f):
    return pool.submit(contextvars.copy_context().run, f, 1).result()


@pytest.mark.parametrize("ask", [by_result, by_map, by_wait, by_thread, by_both, by_context])
def test_a_run_may_wait_for_a_thread_that_makes_the_same_call(start, until, ask):
    calls, results = [], []

    @interned(single_flight=True)
    def f(x):
        calls.append(x)
        if len(calls) == 1:
            with ThreadPoolExecutor(2) as pool:
                ask(pool, f)
        return [x]

    start(lambda: results.append(f(1)))
    until(lambda: results == [[1]])
    assert f(1) is results[0]


def test_a_long_run_is_waited_for(start, until, monkeypatch):
    looked = []
    monkeypatch.setattr("interned.flights._PATIENCE", 0.001)
    monkeypatch.setattr(
        "interned.flights.threads_awaiting_us", lambda awaits: looked.append(awaits) or set()
    )
    f, calls, inside, gate = gated()
    start(f, 1)
    assert inside.wait(20)
    start(f, 1)
    until(lambda: len(looked) > 2)
    gate.set()
    until(lambda: f.cache_info().hits == 1)
    assert calls == [1]


# Processes and signals.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_is_not_blocked(start):
    f, _, inside, gate = gated()
    start(f, 1)
    assert inside.wait(20)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        gate.set()
        os._exit(0 if f(1) == [1] and f(1) is f(1) else 1)
    assert os.waitpid(child, 0)[1] == 0
    gate.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_forked_within_a_run_brings_it_to_its_end():
    @interned(single_flight=True)
    def f(x):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
        return [x, child]

    _, child = f(1)
    if child == 0:
        os._exit(0 if f(1) is f(1) and f(1)[1] == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such signals here")
def test_a_signal_handler_may_call_the_function_that_is_waited_for(start):
    f, _, inside, gate = gated()
    results = []

    def handler(_number, _frame):
        gate.set()
        results.append(f(1))

    start(f, 1)
    assert inside.wait(20)
    former = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        results.append(f(1))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert results == [[1], [1]]


def test_a_run_that_was_left_unnoticed_holds_up_nobody(start, until):
    f = interned(single_flight=True)(lambda x: [x])
    flights = interner(f).flights

    def leave():
        # As if a signal handler had raised an exception while the flight was ending.
        assert flights.claim(flight).thread == threading.get_ident()

    flight = Flight(flights, (1, int))
    start(lambda: flight.__init__(flights, (1, int)) or leave()).join(20)
    assert list(flights.entries()) == [flight]
    assert f(1) == [1]
    assert f(1) is f(1)


def test_a_run_that_this_thread_has_left_is_begun_anew():
    f = interned(single_flight=True)(lambda x: [x])
    flights = interner(f).flights
    assert flights.claim(Flight(flights, (1, int))).was_left()
    assert f(1) == [1]
    assert list(flights.entries()) == []


# Flights by themselves.


def test_a_flight_that_has_landed_wakes_at_once():
    flights, woken = Flights(), []
    with Flight(flights, (1, int)) as flight:
        assert flights.claim(flight) is flight
        flight.value = "result"
    assert flights.find((1, int)) is None
    calls = flight.board(lambda: woken.append(True))
    assert calls == ()
    assert woken == [True]
    assert flight.leave(print, calls) is None
    assert flight.value == "result"


def test_a_flight_that_was_given_up_has_no_result():
    flights = Flights()
    flight = Flight(flights, (1, int))
    with contextlib.suppress(SystemExit), flight:
        flights.claim(flight)
        raise SystemExit
    assert flight.value is GONE
    assert flight.landed


def test_nobody_waits_in_the_middle_of_a_change(monkeypatch):
    flights = Flights()
    flight = Flight(flights, (1, int))
    answers = []

    class Meddling(list):
        def append(self, item):
            # As a finalizer would, which runs while the graph is changed.
            answers.append(other.board(print))
            super().append(item)

    other = Flight(flights, (2, int))
    flight._wakers = Meddling()
    assert flight.board(print) == ()
    assert answers == [None]
    assert flight.leave(print, ()) is None
