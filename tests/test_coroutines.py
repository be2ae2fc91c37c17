"""Coroutine functions: what is awaited is shared, by tasks, event loops and threads."""

import asyncio
import functools
import gc
import inspect
import pickle
import threading
import weakref

import pytest

from interned import UnsupportedClassError, clear_caches, interned, interner


@interned
async def by_name(x, y=2):
    """A coroutine function."""
    return [x, y]


def gated(**options):
    """Makes a coroutine function that waits at a gate, with its calls and the gate."""
    calls, gate = [], asyncio.Event()

    @interned(**options)
    async def f(x):
        calls.append(x)
        await gate.wait()
        return [x]

    return f, calls, gate


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 20))


async def turns(count=5):
    """Lets all others go on for a while."""
    for _ in range(count):
        await asyncio.sleep(0)


def test_the_awaited_result_is_shared():
    async def main():
        by_name.cache_clear()
        result = await by_name(1)
        assert await by_name(1, 2) is await by_name(y=2, x=1) is result
        assert by_name.cache_info() == (2, 1, 128, 1)

    run(main())


def test_results_outlive_their_event_loop():
    clear_caches()
    assert run(by_name(1)) is run(by_name(1))


def test_it_stays_a_coroutine_function():
    assert inspect.iscoroutinefunction(by_name)
    assert str(inspect.signature(by_name)) == "(x, y=2)"
    assert by_name.__doc__ == "A coroutine function."
    assert pickle.loads(pickle.dumps(by_name)) is by_name
    coroutine = by_name(5)
    assert inspect.iscoroutine(coroutine)
    coroutine.close()
    with pytest.raises(TypeError, match=r"by_name\(\) missing"):
        by_name()


def test_whatever_gives_coroutines_is_one():
    class Callable:
        async def __call__(self, x):
            return [x]

    async def function(x, y):
        return [x, y]

    for f in (interned(Callable()), interned(functools.partial(function, 1))):
        assert inspect.iscoroutinefunction(f)
        assert run(f(2)) is run(f(2))


def test_generators_are_refused():
    async def asynchronous():
        yield 1

    def plain():
        yield 1

    class Callable:
        def __call__(self):
            yield 1

    for f in (asynchronous, plain, Callable(), functools.partial(plain)):
        with pytest.raises(UnsupportedClassError, match="return a tuple instead"):
            interned(f)


async def some_coroutine():
    return 1


async def some_generator():
    yield 1


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("coroutine", some_coroutine),
        ("async generator", some_generator),
        ("generator", lambda: (x for x in ())),
    ],
)
def test_results_that_are_used_up_are_refused(kind, make):
    with pytest.raises(UnsupportedClassError, match=f"returned a {kind}, which its first"):
        interned(lambda *_: make())()


@pytest.mark.parametrize("options", [{}, {"maxsize": 0}, {"maxsize": None}, {"ttl": 60}], ids=str)
def test_concurrent_calls_run_once(options):
    async def main():
        f, calls, gate = gated(**options)
        tasks = [asyncio.create_task(f(1)) for _ in range(4)]
        await turns()
        gate.set()
        results = await asyncio.gather(*tasks)
        assert len({id(result) for result in results}) == 1
        assert calls == [1]
        assert f.cache_info()[:2] == (3, 1)

    run(main())


def test_sharing_runs_can_be_left_out():
    async def main():
        f, calls, gate = gated(single_flight=False)
        tasks = [asyncio.create_task(f(1)) for _ in range(3)]
        await turns()
        gate.set()
        results = await asyncio.gather(*tasks)
        assert calls == [1, 1, 1]
        assert len({id(result) for result in results}) == 1

    run(main())


def test_who_is_cancelled_cancels_nobody_else():
    async def main():
        f, calls, gate = gated()
        tasks = [asyncio.create_task(f(1)) for _ in range(3)]
        await turns()
        tasks[0].cancel()
        await turns()
        gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert results[1] is results[2] == [1]
        assert calls == [1, 1]

    run(main())


def test_who_waits_can_be_cancelled():
    async def main():
        f, calls, gate = gated()
        tasks = [asyncio.create_task(f(1)) for _ in range(3)]
        await turns()
        tasks[1].cancel()
        await turns()
        gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[1], asyncio.CancelledError)
        assert results[0] is results[2] == [1]
        assert calls == [1]

    run(main())


def test_a_failure_reaches_all_who_wait_and_is_not_remembered():
    async def main():
        calls = []

        @interned
        async def f(x):
            calls.append(x)
            await turns()
            raise KeyError(x)

        results = await asyncio.gather(*(f(1) for _ in range(3)), return_exceptions=True)
        assert [type(result) for result in results] == [KeyError] * 3
        assert calls == [1]
        with pytest.raises(KeyError):
            await f(1)
        assert calls == [1, 1]

    run(main())


def test_a_run_may_await_tasks_that_make_the_same_call():
    async def main():
        calls = []

        @interned
        async def f(x):
            calls.append(x)
            if len(calls) == 1:
                await f(x)
                await asyncio.gather(f(x), f(x))
                await asyncio.create_task(f(x))
                return await asyncio.to_thread(asyncio.run, f(x))
            await turns()
            return [x]

        f.cache_clear()
        assert await f(1) == [1]

    run(main())


def test_two_keys_that_wait_for_each_other():
    async def main():
        calls, both = [], asyncio.Event()

        @interned
        async def f(x):
            calls.append(x)
            if len(calls) == 2:
                both.set()
            await both.wait()
            return [x, await f(1 - x)] if len(calls) == 2 else [x]

        await asyncio.gather(f(0), f(1))
        assert len(calls) == 3

    run(main())


def test_a_task_left_behind_does_not_count_as_part_of_the_run():
    async def main():
        left = []
        f, calls, gate = gated()

        @interned
        async def g(x):
            left.append(asyncio.create_task(f(x)))
            return [x]

        await g(1)
        await turns()
        other = asyncio.create_task(f(1))
        await turns()
        gate.set()
        assert await other is await left[0]
        assert calls == [1]

    run(main())


def test_two_event_loops_share_a_run():
    inside, gate, calls = threading.Event(), threading.Event(), []

    @interned
    async def f(x):
        calls.append(x)
        inside.set()
        await asyncio.to_thread(gate.wait, 20)
        return [x]

    results = []
    threads = [
        threading.Thread(target=lambda: results.append(run(f(1))), daemon=True) for _ in range(3)
    ]
    threads[0].start()
    assert inside.wait(20)
    for thread in threads[1:]:
        thread.start()
    while sum(flight._waiting for flight in interner(f).flights.entries()) < 2:
        threading.Event().wait(0.001)
    gate.set()
    for thread in threads:
        thread.join(20)
    assert calls == [1]
    assert len(results) == 3
    assert len({id(result) for result in results}) == 1


def test_an_event_loop_that_stands_still_holds_up_nobody():
    calls = []

    @interned
    async def f(x):
        calls.append(x)
        await turns()
        return [x]

    stopped = asyncio.new_event_loop()
    task = stopped.create_task(f(1))
    stopped.run_until_complete(asyncio.sleep(0))
    assert calls == [1]
    assert run(f(1)) == [1]
    assert calls == [1, 1]
    assert stopped.run_until_complete(task) is run(f(1))
    stopped.close()


def test_an_event_loop_that_stops_while_others_wait_strands_nobody(monkeypatch):
    monkeypatch.setattr("interned.coroutines._PATIENCE", 0.001)
    calls, inside = [], threading.Event()

    @interned
    async def f(x):
        calls.append(x)
        if len(calls) == 1:
            inside.set()
            await asyncio.Event().wait()
        return [x]

    first = asyncio.new_event_loop()
    task = first.create_task(f(1))
    thread = threading.Thread(target=first.run_forever, daemon=True)
    thread.start()
    assert inside.wait(20)

    async def main():
        waiting = asyncio.create_task(f(1))
        await turns()
        first.call_soon_threadsafe(first.stop)
        return await waiting

    assert run(main()) == [1]
    thread.join(20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        first.run_until_complete(task)
    first.close()


def test_without_an_event_loop_nothing_is_waited_for():
    @interned
    async def f(x):
        return [x]

    def drive(coroutine):
        with pytest.raises(StopIteration) as caught:
            coroutine.send(None)
        return caught.value.value

    assert drive(f(1)) is drive(f(1))


def test_a_coroutine_that_is_thrown_away_leaves_nothing_behind():
    async def main():
        f, calls, gate = gated()
        coroutine = f(1)
        coroutine.send(None)
        coroutine.close()
        gate.set()
        assert await f(1) == [1]
        assert calls == [1, 1]

    run(main())


def test_methods_can_be_coroutine_functions():
    class Client:
        def __init__(self):
            self.calls = []

        @interned
        async def fetch(self, x):
            self.calls.append(x)
            await turns()
            return [x]

        @interned
        @classmethod
        async def shared(cls):
            return [cls]

    async def main():
        one, other = Client(), Client()
        results = await asyncio.gather(one.fetch(1), one.fetch(1), other.fetch(1))
        assert results[0] is results[1] is not results[2]
        assert one.calls == other.calls == [1]
        assert await Client.shared() is await Client.shared()
        return weakref.ref(one)

    gone = run(main())
    gc.collect()
    assert gone() is None
