"""The hit path of callables: wrappers generated with the function's own signature.

As in `interned.hits`, the interpreter binds the arguments. The number of hits is a float in a
closure's cell: adding to it is a few instructions without a call in between, where no thread and no
signal handler can come between. Builds without the global lock count in a C counter instead.
"""

from __future__ import annotations

import sys
from textwrap import indent
from types import CellType, CodeType, FunctionType
from typing import Any, Final

import attrs

from interned.arguments import Arguments
from interned.counters import Counter
from interned.sources import define, pass_on, receive, values_source

__all__ = ["HitCounter", "Path", "compile_undecided", "compile_wrapper"]

_HAS_GIL: Final = getattr(sys, "_is_gil_enabled", lambda: True)()
_TICK: Final = "@hits = @hits + 1.0" if _HAS_GIL else "@hits = @next(@ticks)"

_LOOK_UP: Final = """\
try:
    @entry = @table[{flat}]
except (@KeyError, @TypeError, @RecursionError):
    pass
else:
{hit}
"""

_LOOK_AGAIN: Final = """\
@entry = @seen.get({spot}) if @seen else None
if {tests}:
{hit}
"""

# One variable serves all: each more costs every call, since it is cleared at the end.
_MISS: Final = """\
@entry = @begin({values}, {owners}, {extra})
if @entry[1] is not @GONE:
    return @entry[1]
"""


class HitCounter(Counter):
    """Counts hits in a cell that the generated wrapper shares.

    Attributes:
        cell: The number of hits ever, over resets too.
    """

    __slots__ = ("cell",)

    def __init__(self) -> None:
        super().__init__()
        self.cell = CellType(0.0)

    def tick(self) -> float:
        """Count a hit that the wrapper did not see; return its number."""
        if not _HAS_GIL:
            return next(self.ticks)
        cell = self.cell
        cell.cell_contents += 1.0
        return float(cell.cell_contents)

    def _taken(self) -> int:
        return int(self.cell.cell_contents) if _HAS_GIL else super()._taken()


@attrs.frozen(kw_only=True)
class Path:
    """What a wrapper has to do.

    Attributes:
        coroutine: It is a coroutine function.
        shortcut: It looks for results itself before it asks.
        asks: It asks for results at all; otherwise it only counts.
        flights: It leaves running the function to a single flight.
        weak: Results are held weakly.
        recency: Each entry notes when it was used last.
        timed: Entries expire on a clock of ours.
        every_use: The retention has to see each single use.
    """

    coroutine: bool
    shortcut: bool
    asks: bool
    flights: bool
    weak: bool
    recency: bool
    timed: bool
    every_use: bool


def compile_wrapper(
    arguments: Arguments, path: Path, counter: HitCounter, namespace: dict[str, Any]
) -> FunctionType:
    """Generate the wrapper of a function.

    Args:
        arguments: How its calls are keyed.
        path: What it has to do.
        counter: Counts its hits.
        namespace: Holds `function`, `begin`, `settle` and what `path` needs, prefixed.
    """
    body = _ask(arguments, path) if path.asks else "@next(@misses)\n"
    return _generate(arguments, path, counter, namespace, body + _finish(arguments, path))


def compile_undecided(
    arguments: Arguments, path: Path, counter: HitCounter, namespace: dict[str, Any]
) -> FunctionType:
    """Generate a wrapper that has `decide` choose its code before it goes on."""
    first = next(iter(arguments.signature.parameters))
    wait = "await " if path.coroutine else ""
    body = f"return {wait}@decide({first})({pass_on(arguments.signature)})"
    return _generate(arguments, path, counter, namespace, body)


def _generate(
    arguments: Arguments, path: Path, counter: HitCounter, namespace: dict[str, Any], body: str
) -> FunctionType:
    kind = "async def" if path.coroutine else "def"
    call = f"{kind} call({receive(arguments.signature, namespace)}):\n    nonlocal @hits\n"
    source = indent(call + indent(body, "    "), "    ") + "\n    return call"
    make = define("def make(@hits):\n{source}\n", namespace, arguments.name, source=source)
    made: FunctionType = make(0.0)
    code = _renamed(made.__code__, arguments.name)
    wrapper = FunctionType(code, namespace, None, made.__defaults__, (counter.cell,))
    wrapper.__kwdefaults__ = made.__kwdefaults__
    return wrapper


def _ask(arguments: Arguments, path: Path) -> str:
    miss = _MISS.format(
        values=arguments.values, owners=arguments.owned_by, extra=arguments.extra or "None"
    )
    look_up = _look_up(arguments, path) if path.shortcut else ""
    if look_up and arguments.extra:
        look_up = f"if not {arguments.extra}:\n{indent(look_up, '    ')}"
    return f"{arguments.prepare}\n{look_up}{miss}"


def _look_up(arguments: Arguments, path: Path) -> str:
    tests, hit = _tests(arguments, path), _hit(path)
    found = f"if {' and '.join(tests)}:\n{indent(hit, '    ')}" if tests else hit
    source = _LOOK_UP.format(flat=arguments.flat, hit=indent(found, "    "))
    if arguments.made_by is None:
        tests = ["@entry is not None", *tests]
        source += _LOOK_AGAIN.format(
            spot=arguments.spot, tests=" and ".join(tests), hit=indent(hit, "    ")
        )
    return source


def _tests(arguments: Arguments, path: Path) -> list[str]:
    """Write what has to hold of an entry that was found."""
    tests = [f"@entry.owners[{at}]() is {name}" for at, name in enumerate(arguments.owners)]
    if path.weak:
        tests.append("(@value := @entry()) is not None")
    if path.timed:
        tests.append("@entry.expires > @clock()")
    if path.every_use:
        tests.append("@holds(@entry)")
    return tests


def _hit(path: Path) -> str:
    value = "@value" if path.weak else "@entry.value"
    return f"{_note(path, value)}\nreturn {value}"


def _note(path: Path, value: str) -> str:
    if path.every_use:
        return f"@touch(@entry, {value})\n{_TICK}"
    if path.recency:
        return f"if @entry.clean: @touch(@entry, {value})\n@entry.used = {_TICK}"
    return _TICK


def _finish(arguments: Arguments, path: Path) -> str:
    wait = "await " if path.coroutine else ""
    if path.flights:
        return f"return {wait}@fly(@entry[0], {values_source(arguments.signature)})"
    result = f"{wait}@function({pass_on(arguments.signature)})"
    return f"return @settle(@entry[0], {result})" if path.asks else f"return {result}"


def _renamed(code: CodeType, name: str) -> CodeType:
    """Name the code as the function, for tracebacks and profilers."""
    return code.replace(co_name=name.rpartition(".")[2], co_qualname=name)
