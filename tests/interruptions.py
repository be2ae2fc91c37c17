"""Step in wherever the interpreter would: at each point where it could run a signal handler.

CPython lets signal handlers, finalizers of the collector and other threads in at the start of a
function, after a call, and at a backward jump. A trace function can stop at the same places, one
after the other, so what needs luck with real signals is tried here without exception.
"""

import dis
import functools
import sys
from contextlib import contextmanager
from pathlib import Path

import cachetools

import interned

FOLDERS = tuple(str(Path(module.__file__).parent) for module in (interned, cachetools))
GENERATED = "<interned generated"
CALLS = {"CALL", "CALL_FUNCTION_EX", "CALL_KW"}


@functools.cache
def _stops(code):
    """Returns the offsets of instructions before which the interpreter may stop."""
    stops, previous = set(), None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "JUMP_BACKWARD" or previous in CALLS:
            stops.add(instruction.offset)
        previous = instruction.opname
    return stops


class Interruption:
    """Calls a function at the n-th point that is reached within the library.

    Attributes:
        happened: Whether that point was reached.
    """

    def __init__(self, number, function):
        self.left = number
        self.function = function
        self.happened = False

    def __call__(self, frame, event, _arg):
        if not frame.f_code.co_filename.startswith((*FOLDERS, GENERATED)):
            return None
        frame.f_trace_opcodes = True
        at_stop = event == "opcode" and frame.f_lasti in _stops(frame.f_code)
        if (at_stop or event == "call") and not self.happened:
            self.left -= 1
            if self.left < 0:
                self.happened = True
                self.function()
        return self

    @contextmanager
    def at_work(self):
        former = sys.gettrace()
        # Some Pythons look at this only when a trace function is set.
        sys._getframe().f_trace_opcodes = True
        sys.settrace(self)
        try:
            yield
        finally:
            sys.settrace(former)


def everywhere(function, operation):
    """Runs an operation again and again, with a function called at a later point each time.

    Args:
        function: Called at the point, given what `operation` made.
        operation: A generator function: before its first `yield` it prepares and yields what
            `function` is given; then it is interrupted until its second `yield`; then it checks.

    Returns:
        How many points there were.
    """
    for number in range(10_000):
        running = operation()
        interruption = Interruption(number, functools.partial(function, next(running)))
        with interruption.at_work():
            next(running)
        for _ in running:
            pass
        if not interruption.happened:
            return number
    raise AssertionError("there is no end of points")
