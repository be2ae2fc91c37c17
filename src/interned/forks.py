"""What has to happen when the process forks: the child has one thread, the one that forked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import count
from typing import Any, Final, Protocol
from weakref import WeakValueDictionary

__all__ = ["Forkable", "Pausable", "pause_at_fork", "renew_after_fork"]


class Forkable(Protocol):
    """What has a lock to be made anew in a forked child."""

    def after_fork(self) -> None:
        """Replace the lock, and put in order what its holder may have left half done."""


class Pausable(Protocol):
    """What has to be at rest while the process forks."""

    def before_fork(self) -> None:
        """Let no other thread be at work until the fork is over."""

    def resume(self) -> None:
        """Go on in the process that forked."""

    def resume_in_child(self) -> None:
        """Go on in the child, where no other thread is left."""


# Values of such a dictionary are listed in one step, whatever other threads add meanwhile.
_forkable: Final[WeakValueDictionary[int, Any]] = WeakValueDictionary()
_pausable: Final[WeakValueDictionary[int, Any]] = WeakValueDictionary()
_numbers: Final = count()


def renew_after_fork(owner: Forkable) -> None:
    """Call `owner.after_fork()` in each child forked while `owner` lives."""
    _forkable[next(_numbers)] = owner


def pause_at_fork(owner: Pausable) -> None:
    """Call the methods of `owner` before and after each fork while it lives."""
    _pausable[next(_numbers)] = owner


def _living(owners: WeakValueDictionary[int, Any]) -> Iterable[Any]:
    found = (reference() for reference in owners.valuerefs())
    return (owner for owner in found if owner is not None)


def _before() -> None:
    for owner in _living(_pausable):
        owner.before_fork()


def _after_in_parent() -> None:
    for owner in _living(_pausable):
        owner.resume()


def _after_in_child() -> None:
    for owner in _living(_forkable):
        owner.after_fork()
    for owner in _living(_pausable):
        owner.resume_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
