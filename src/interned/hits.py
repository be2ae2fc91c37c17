"""The hit path: small functions generated with the target's own signature.

Letting the interpreter bind the arguments is what makes a hit cheap: no `*args` tuple, no keyword
dict, no loop. The flat key `(x, y, type(x), type(y))` is exact because only entries whose arguments
are all plain are ever stored under one; anything else misses and takes the exact way. `type(x)` is
asked rather than `x.__class__`, which proxies answer with the class that they stand for.

This is the one module that trades clarity for speed.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from typing import Any, Final

from interned.sources import define, flat_source, pass_on, receive, values_source

__all__ = [
    "Uses",
    "call_from_slot",
    "compile_apply",
    "compile_guard",
    "compile_new",
    "replace_beside_slot",
]

_NEW: Final = """
def __new__(@cls, {receive}):
    if @cls is @Cls:
        {hit}
        {alone}return @build({values})
    return @foreign(@cls, {pass_on})
"""

_LOOK_UP: Final = """\
try:
            {hit}
        except (@KeyError, @TypeError, @RecursionError):
            pass"""

_HIT: Final = """\
if (@self := @table[{flat}]()) is not None:
                {note}return @self"""

_NOTED_HIT: Final = """\
@entry = @table[{flat}]
            if (@self := @entry()) is not None{valid}:
                {note}return @self"""

_GUARD: Final = """
def __init__(@self, {receive}):
    {finished}
    return @original(@self, {pass_on})
"""

_BY_ATTRIBUTE: Final = """\
try:
        @self.{attribute}
    except @AttributeError:
        pass
    else:
        {unless}return"""


class Uses:
    """How a hit is noted: source lines for the generated code.

    Args:
        counted: Whether hits are counted.
        recency: Whether each entry notes when it was used last.
        timed: Whether entries expire on a clock of ours.
        every_use: Whether the retention has to see each single use.
        strong: Whether what the retention let go must not be found any more.
        announced: Whether the guard of `__init__` has to be told of each instance.
    """

    def __init__(
        self,
        *,
        counted: bool,
        recency: bool,
        timed: bool,
        every_use: bool,
        strong: bool,
        announced: bool = False,
    ) -> None:
        self.plain = not (recency or timed or every_use)
        self.valid = ""
        lines: list[str] = []
        if strong and every_use:
            self.valid = " and @holds(@entry)"
        elif strong and timed:
            self.valid = " and @entry.expires > @clock()"
        if every_use:
            lines.append("@touch(@entry, @self)")
        elif recency:
            late = " or @entry.expires <= @clock()" if timed and not strong else ""
            lines += [f"if @entry.clean{late}: @touch(@entry, @self)", "@entry.used = @next(@hits)"]
        if counted and (every_use or not recency):
            lines.append("@next(@hits)")
        if announced:
            lines.append("@handed.pending.append(@self)")
        self.lines = lines

    def source(self, flat: str) -> str:
        """Write the look-up of a flat key and what follows a hit."""
        indent = "\n" + 16 * " "
        note = "".join(line + indent for line in self.lines)
        template = _HIT if self.plain else _NOTED_HIT
        return _LOOK_UP.format(hit=template.format(flat=flat, note=note, valid=self.valid))


_APPLY: Final = """
def apply(@function, @values):
    {values}= @values
    return @function({pass_on})
"""


def compile_apply(signature: inspect.Signature, origin: str) -> Callable[..., Any]:
    """Generate `apply(function, values)`: call a function with one value for each parameter."""
    return define(
        _APPLY,
        {},
        origin,
        values=values_source(signature),
        pass_on=pass_on(signature),
    )


def compile_new(
    signature: inspect.Signature,
    keyed: tuple[str, ...] | None,
    uses: Uses,
    namespace: dict[str, Any],
    origin: str,
    accepted: inspect.Signature | None = None,
) -> Callable[..., Any]:
    """Generate a `__new__` that returns the living instance.

    Args:
        signature: The constructor's, without `self`.
        keyed: The parameters that take part in the key; `None` where no flat key can serve.
        uses: How a hit is noted.
        namespace: Holds `Cls`, `table`, `build`, `foreign` and what `uses` needs, prefixed.
        origin: The class, for tracebacks.
        accepted: What the function accepts in place of `signature`, see `forgiving`.
    """
    accepted = accepted or signature
    more = accepted.parameters.keys() - signature.parameters.keys()
    return define(
        _NEW,
        namespace,
        origin,
        receive=receive(accepted, namespace),
        hit="" if keyed is None else uses.source(flat_source(keyed)),
        alone=f"if not ({' or '.join(sorted(more))}): " if more else "",
        values=values_source(signature),
        pass_on="" if more else pass_on(signature),
    )


def compile_guard(
    signature: inspect.Signature,
    attribute: str | None,
    namespace: dict[str, Any],
    origin: str,
    *,
    subclassed: bool,
) -> Callable[..., Any]:
    """Generate an `__init__` that leaves finished instances alone.

    Args:
        signature: The constructor's, without `self`.
        attribute: A field whose presence says that an instance is finished; where there is none,
            `namespace` holds a function `finished` that tells.
        namespace: Holds `Cls` and `original`, prefixed.
        origin: The class, for tracebacks.
        subclassed: Whether instances of other classes may come, to be initialised in any case.
    """
    exactly = "@type(@self) is @Cls"
    if attribute is None:
        finished = f"if {f'{exactly} and ' if subclassed else ''}@finished(@self): return"
    else:
        unless = f"if {exactly}: " if subclassed else ""
        finished = _BY_ATTRIBUTE.format(attribute=attribute, unless=unless)
    return define(
        _GUARD,
        namespace,
        origin,
        receive=receive(signature, namespace),
        finished=finished,
        pass_on=pass_on(signature),
    )


def replace_beside_slot(cls: type, name: str, function: Any) -> None:
    """Replace a special method for whoever looks it up, and let the interpreter call `object`'s.

    Calling a class runs what its slot `tp_init` says, and that is set when `__init__` is assigned.
    Once `__new__` has returned a finished instance, `object`'s is enough. Subclasses look it up
    when they are made, so they call the function. Assigning it anew undoes this.

    Args:
        cls: The class.
        name: The special method's name.
        function: What `cls.__dict__` holds afterwards, for `super()`, `inspect` and direct calls.
    """
    [namespace] = [it for it in gc.get_referents(cls.__dict__) if type(it) is dict] or [{}]
    type.__setattr__(cls, name, getattr(object, name))
    namespace[name] = function
    # Setting an attribute makes the interpreter forget what it has looked up.
    type.__setattr__(cls, "__doc__", cls.__dict__.get("__doc__"))
    if cls.__dict__[name] is not function:
        # Not a CPython that we know.
        type.__setattr__(cls, name, function)


def call_from_slot(cls: type, name: str) -> None:
    """Assign what a class's namespace holds under a name once more, so that its slot calls it."""
    if name in cls.__dict__:
        type.__setattr__(cls, name, cls.__dict__[name])
