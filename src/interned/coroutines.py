"""Coroutines: flights whose calls wait in event loops.

Each call that runs the function does so in its own task, as if nothing were shared; if that is
cancelled, one of those who wait takes over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from interned.entries import GONE, Key
from interned.flights import Flight, Flights, raise_again

__all__ = ["share"]

_PATIENCE: Final = 0.05


async def share(
    flights: Flights, key: Key, run: Callable[[], Awaitable[Any]], shared: Callable[[], object]
) -> Any:
    """Return the result of one run, by this call or by another one at the same time.

    Args:
        flights: Those of the callable.
        key: The call's.
        run: Runs the function and enters its result.
        shared: Called if another call has run it.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        # Some other library drives the coroutine; how to wait in it is not known here.
        return await run()
    while True:
        with Flight(flights, key, loop) as ours:
            flight = flights.claim(ours)
            if flight is ours:
                ours.value = await run()
                return ours.value
        landing = loop.create_future()
        waker = partial(_wake, landing)
        calls = flight.board(waker)
        if calls is None:
            return await run()
        try:
            await _landed(flights, flight, landing)
        finally:
            error = flight.leave(waker, calls)
        if error is not None:
            raise_again(error)
        if flight.value is not GONE:
            shared()
            return flight.value


async def _landed(flights: Flights, flight: Flight, landing: asyncio.Future[None]) -> None:
    """Wait until a flight has landed, or is stranded because its event loop stands still."""
    while flight.loop is not landing.get_loop():
        if not flight.loop.is_running():
            flights.forget(flight)
            return
        done, _ = await asyncio.wait([landing], timeout=_PATIENCE)
        if done:
            return
    await landing


def _wake(landing: asyncio.Future[None]) -> None:
    # The loop may be closed by now, and nobody waits any more.
    with suppress(RuntimeError):
        landing.get_loop().call_soon_threadsafe(_set, landing)


def _set(landing: asyncio.Future[None]) -> None:
    if not landing.done():
        landing.set_result(None)
