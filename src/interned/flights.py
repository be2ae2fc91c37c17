"""Flights: one run of a function that concurrent calls share.

A call waits for a flight only if that flight does not itself wait, through others perhaps, for a
call that this one is part of; else it runs the function itself. So no circle of waiting calls can
close. What a call is part of is kept in a context variable, which tasks inherit; threads do not, so
the stacks are looked at where a wait gets long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from types import FrameType
from typing import Any, Final, Self

from interned.blocking import stack_of, threads_awaiting_us
from interned.entries import GONE, Key
from interned.forks import renew_after_fork
from interned.table import Table

__all__ = ["Flight", "Flights", "raise_again"]

_PATIENCE: Final = 0.05
_MOST_PATIENCE: Final = 5.0


class Flight:
    """One run of a function, and an entry of `Flights`; as a context manager, around the run.

    Args:
        flights: Where it may be listed.
        loop: The event loop in which the function runs, if any.

    Attributes:
        loop: The same.
        thread: The thread in which the function runs.
        value: The result; `GONE` as long as there is none, and if the run was given up.
        landed: Whether the run is over.
        awaits: The flights for which calls within the run wait.
    """

    spellings: tuple[Key, ...] = ()

    def __init__(self, flights: Flights, key: Key, loop: Any = None) -> None:
        self.key = key
        self.loop = loop
        self.thread = threading.get_ident()
        self.value: Any = GONE
        self._flights = flights
        self.landed = False
        self._error: Exception | None = None
        self._waiting = 0
        self._wakers: list[Callable[[], object]] = []
        self.awaits: list[Flight] = []

    @property
    def living(self) -> Flight:
        """The flight itself, as entries give their value."""
        return self

    def close(self) -> None:
        """Be listed no longer, as entries are when they are forgotten."""

    def __enter__(self) -> Self:
        self._token: Token[tuple[Flight, ...]] = _inside.set((*_inside.get(), self))
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        # A coroutine that is thrown away is closed in whatever context that happens.
        with suppress(ValueError):
            _inside.reset(self._token)
        self._flights.forget(self)
        self.land(error if isinstance(error, Exception) else None)

    def was_left(self) -> bool:
        """Say whether the run is over, though an interruption has kept the flight on the list."""
        if self.landed:
            return True
        is_here = self.loop is None and self.thread == threading.get_ident()
        return is_here and self not in _inside.get()

    def board(self, waker: Callable[[], object]) -> tuple[Flight, ...] | None:
        """Have `waker` called on landing.

        Returns:
            The runs that now wait for this one, for `leave`; `None` if the caller must not wait,
            because that would be waiting for itself.
        """
        calls = tuple(call for call in _inside.get() if not call.landed)
        with _graph.changing() as interrupted:
            if interrupted or (calls and self._leads_to(calls)):
                return None
            for call in calls:
                call.awaits.append(self)
            self._waiting += 1
            landed = self.landed
            if not landed:
                self._wakers.append(waker)
        if landed:
            waker()
        return calls

    def leave(self, waker: Callable[[], object], calls: tuple[Flight, ...]) -> Exception | None:
        """Wait no longer; return what the function raised, if it did."""
        with _graph.changing():
            error = self._error
            self._waiting -= 1
            if not self._waiting:
                # Its traceback leads to frames that refer to this flight.
                self._error = None
            if waker in self._wakers:
                self._wakers.remove(waker)
            for call in calls:
                call.awaits.remove(self)
        return error

    def land(self, error: Exception | None = None) -> None:
        """Wake everybody."""
        with _graph.changing():
            self.landed = True
            if self._waiting:
                self._error = error
            wakers, self._wakers = self._wakers, []
        for waker in wakers:
            waker()

    def _leads_to(self, calls: tuple[Flight, ...]) -> bool:
        seen, ahead = set[Flight](), [self]
        while ahead:
            flight = ahead.pop()
            if flight in calls:
                return True
            if flight not in seen:
                seen.add(flight)
                ahead += flight.awaits
        return False


class Flights(Table):
    """The flights of one callable, by key."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Flight)
        # Flights do not die before they are forgotten, and a table must not refer to itself.
        self._on_death = _ignore

    def after_fork(self) -> None:
        """Give up every flight: in the child, nobody is left who could bring one to its end."""
        super().after_fork()
        for flight in self.entries():
            self.forget(flight)
            flight.land()

    def claim(self, flight: Flight) -> Flight:
        """List a flight under its key, unless there is one; return the one that is listed."""
        while True:
            listed: Flight = self._claim(flight.key, flight)
            if listed is flight or not listed.was_left():
                return listed
            self.forget(listed)

    def share(self, key: Key, run: Callable[[], Any], shared: Callable[[], object]) -> Any:
        """Return the result of one run, by this call or by another one at the same time.

        Args:
            key: The call's.
            run: Runs the function and enters its result.
            shared: Called if another call has run it.
        """
        while True:
            # Listed within its own context, so that whatever interrupts this takes it off the list.
            with Flight(self, key) as ours:
                flight = self.claim(ours)
                if flight is ours:
                    ours.value = run()
                    return ours.value
            latch = threading.Lock()
            latch.acquire()
            calls = flight.board(latch.release)
            if calls is None:
                return run()
            try:
                has_landed = _wait(latch, flight)
            finally:
                error = flight.leave(latch.release, calls)
            if not has_landed:
                return run()
            if error is not None:
                raise_again(error)
            if flight.value is not GONE:
                shared()
                return flight.value


def _wait(latch: threading.Lock, flight: Flight) -> bool:
    """Wait for a flight to land; return whether it did, and not whether it never will.

    It does not if its thread waits for this one, or has left the run in a way that nobody noticed.
    """
    patience = _PATIENCE
    while not latch.acquire(timeout=patience):
        if flight.thread in threads_awaiting_us(_awaits):
            return False
        if not any(_flies(frame, flight) for frame in stack_of(flight.thread)):
            return False
        patience = min(patience * 2, _MOST_PATIENCE)
    return True


def _awaits(frame: FrameType, threads: set[int]) -> bool:
    if frame.f_code is not _wait.__code__:
        return False
    flight = frame.f_locals.get("flight")
    return flight is not None and flight.thread in threads


def _flies(frame: FrameType, flight: Flight) -> bool:
    return frame.f_code is Flights.share.__code__ and frame.f_locals.get("ours") is flight


def _ignore(entry: Any) -> None:
    """Do nothing."""


def raise_again(error: Exception) -> None:
    """Raise what another call raised."""
    try:
        raise error
    finally:
        # Its traceback now refers to this frame.
        del error


class _Graph:
    """Guards which flight waits for which."""

    def __init__(self) -> None:
        # Reentrant: a finalizer or a signal handler can come between any two steps.
        self._lock = threading.RLock()
        self._changing: int | None = None
        renew_after_fork(self)

    def after_fork(self) -> None:
        """Replace the lock, which another thread may have held."""
        self._lock = threading.RLock()
        if self._changing != threading.get_ident():
            self._changing = None

    @contextmanager
    def changing(self) -> Iterator[bool]:
        """Hold the lock; yield whether this very thread holds it already, further down the stack.

        Whoever is told so must not wait for anybody, since all others may need the lock first.
        """
        with self._lock:
            before, self._changing = self._changing, threading.get_ident()
            try:
                yield before is not None
            finally:
                self._changing = before


_graph: Final = _Graph()
_inside: Final[ContextVar[tuple[Flight, ...]]] = ContextVar("interned_flights", default=())
