"""Instances on their way from `__new__` to `__init__`."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Final

__all__ = ["Handed"]

_PENDING: Final = 8


class Handed(threading.local):
    """What `__new__` has handed to this thread and `__init__` has not been asked for yet.

    Where an instance shows no sign of being finished, `__init__` asks here. Usually one instance is
    on its way, more if a finalizer or signal handler constructs in between, and for ever those that
    somebody got by calling `__new__` himself; so the oldest make room.

    Attributes:
        pending: The instances, newest last.
    """

    def __init__(self) -> None:
        self.pending: deque[Any] = deque(maxlen=_PENDING)

    def arrived(self, instance: object) -> bool:
        """Take an instance out; say whether it was here, and so was finished."""
        for place, known in enumerate(self.pending):
            if known is instance:
                del self.pending[place]
                return True
        return False
