"""Blocking: which threads wait for this one? As far as their stacks show it.

A thread that joins another one, or asks for the result of a future, has that in the local variables
of a frame of the standard library. Nothing else in Python tells that it waits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

__all__ = ["stack_of", "threads_awaiting_us"]

_WAITING: Final = frozenset({"threading", "concurrent.futures._base"})
_WORKING: Final = "concurrent.futures.thread"
_CONTAINERS: Final = (list, tuple, set, frozenset)


def threads_awaiting_us(awaits: Callable[[FrameType, set[int]], bool]) -> set[int]:
    """Return the threads that cannot go on before this one does, and this one.

    Args:
        awaits: Says of a frame whether it waits for one of some threads, in a way of its own.
    """
    stacks = sys._current_frames()  # noqa: SLF001 - public, though it does not look it
    threads = {thread.ident: thread for thread in threading.enumerate()}
    ours, new, jobs = set[int](), {threading.get_ident()}, list[Any]()
    while new:
        ours |= new
        jobs += [thread for one in new if (thread := threads.get(one))]
        jobs += [future for one in new for future in _futures(stacks.get(one))]
        others = [(one, top) for one, top in stacks.items() if one not in ours]
        new = {
            one
            for one, top in others
            if any(_mentions(frame, jobs) or awaits(frame, ours) for frame in _stack(top))
        }
    return ours


def stack_of(thread: int) -> Iterator[FrameType]:
    """Yield the frames of a thread, the innermost first; none if it is over."""
    return _stack(sys._current_frames().get(thread))  # noqa: SLF001 - see above


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _futures(top: FrameType | None) -> Iterator[Any]:
    """Yield the futures whose work a thread does."""
    for frame in _stack(top):
        if frame.f_globals.get("__name__") == _WORKING and frame.f_code.co_name == "run":
            yield getattr(frame.f_locals.get("self"), "future", None)


def _mentions(frame: FrameType, jobs: list[Any]) -> bool:
    # Who starts a thread waits only until it has begun.
    if frame.f_globals.get("__name__") not in _WAITING or frame.f_code.co_name == "start":
        return False
    values = list(frame.f_locals.values())
    values += [item for value in values if isinstance(value, _CONTAINERS) for item in value]
    return any(value is job for value in values for job in jobs)
