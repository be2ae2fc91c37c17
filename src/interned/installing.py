"""Put an interner in charge of a class: which special methods are replaced, and how."""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Final

from interned.classes import ClassInterner
from interned.copies import install_copying
from interned.entries import entry_of
from interned.equality import compare_pairs_once
from interned.hits import Uses, compile_guard, compile_new, replace_beside_slot
from interned.mode import MODE
from interned.options import Options
from interned.originals import GENERATED, is_lent, own, user_new
from interned.refusals import refuse_unsupported
from interned.signatures import with_first
from interned.sources import MISSING, PREFIX, forgiving, namespace_of

__all__ = ["intern_class"]

_FOREIGN: Final = PREFIX + "foreign"


def intern_class(cls: Any, options: Options) -> None:
    """Let equal constructions of a class give one object.

    Raises:
        UnsupportedClassError: The class is of a kind that cannot be interned.
        MutableClassError: Its instances can be changed.
        NotWeakReferenceableError: Its instances were to be held weakly, and cannot be.
        TypeError: The class is interned already, or an option makes no sense for it.
    """
    refuse_unsupported(cls)
    if "__interner__" in cls.__dict__:
        raise TypeError(f"{cls.__qualname__} is interned already; write @interned once")
    _refuse_call_options(cls, options)
    interner = ClassInterner(cls, options)
    constructor = _Constructor(interner)
    constructor.install()
    install_copying(cls, interner, guarded=not constructor.required)
    _install_hash(cls, interner)
    if interner.by_fields and "__eq__" in vars(cls):
        compare_pairs_once(cls)
    if hasattr(cls, "__class_getitem__") and not interner.by_fields:
        _replace(cls, "__orig_class__", _NoOrigin(cls))
    _replace(cls, "__interner__", interner)


def _refuse_call_options(cls: type, options: Options) -> None:
    for name, value in (("weak_args", options.weak_args), ("single_flight", options.single_flight)):
        if value not in ((), None):
            raise TypeError(f"{name}= is for callables; leave it out on {cls.__qualname__}")


def _replace(cls: type, name: str, value: object) -> None:
    # A metaclass may forbid its classes to be changed, which is meant for others.
    type.__setattr__(cls, name, value)


class _Constructor:
    """The `__new__` and `__init__` of an interned class.

    There are three versions of `__new__`. The first has the constructor's own parameters, so that
    the interpreter binds the arguments. With the first subclass comes one that also accepts all
    other arguments, which are the business of the subclass's `__init__`. Where there is a `__new__`
    that has to see the arguments as they were given, it is one that takes them as they are.

    Attributes:
        required: Names of the parameters without a default.
    """

    def __init__(self, interner: ClassInterner) -> None:
        self._cls = interner.target
        self._interner = interner
        self._signature = interner.shape.signature
        self._told = _told_signature(interner)
        self._initialiser: Any = None
        self._namespace = _namespace(interner)
        self._namespace[_FOREIGN] = self._foreign
        accepted = forgiving(self._signature, open_ended=False).parameters.values()
        self.required = tuple(p.name for p in accepted if p.default is MISSING)
        self._exact = self._generate(open_ended=False)

    def install(self) -> None:
        """Replace the special methods that construct."""
        self._initialiser = own(self._cls, "__init__")
        self._guard(subclassed=False)
        self._put(self._exact)
        for subclass in _descendants(self._cls):
            self._open_for(subclass)
        _replace(self._cls, "__init_subclass__", classmethod(self._init_subclass()))

    def _guard(self, *, subclassed: bool) -> None:
        shape = self._interner.shape
        if not shape.initialises:
            return
        name = self._cls.__qualname__
        guard = compile_guard(
            self._signature, shape.telltale, self._namespace, name, subclassed=subclassed
        )
        functools.update_wrapper(guard, self._initialiser)
        if subclassed or self._interner.handed is not None:
            _replace(self._cls, "__init__", guard)
        else:
            replace_beside_slot(self._cls, "__init__", guard)

    def _foreign(self, owner: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Meet a subclass that an `__init_subclass__` without `super()` has hidden from us."""
        if self._cls in owner.__mro__:
            self._open_for(owner)
        return self._interner.foreign(owner, *args, **kwargs)

    def _init_subclass(self) -> Callable[..., None]:
        def __init_subclass__(owner: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
            self._open_for(owner)
            self._interner.originals.bind("__init_subclass__", None, owner)(**kwargs)

        _describe(__init_subclass__, self._cls, "__init_subclass__")
        return __init_subclass__

    def _open_for(self, owner: type) -> None:
        """Give way at an undecorated subclass, whose constructor may take other arguments."""
        if self._namespace[_FOREIGN] != self._interner.foreign:
            self._namespace[_FOREIGN] = self._interner.foreign
            self._guard(subclassed=True)
        mro = owner.__mro__
        later = mro[mro.index(self._cls) + 1 :]
        if user_new(later) is not None or not self._interner.shape.blanks:
            self._put(self._as_given())
        elif vars(self._cls)["__new__"].__func__ is self._exact:
            self._put(self._generate(open_ended=True))

    def _generate(self, *, open_ended: bool) -> Any:
        interner, signature = self._interner, self._signature
        accepted = signature
        if interner.shape.blanks:
            accepted = forgiving(signature, open_ended=open_ended)
        # Where hits are to be verified, each has to be seen.
        flat = MODE != "verify" and interner.options.key is None and not interner.shape.variadic
        return compile_new(
            signature,
            interner.keys.parameters if flat else None,
            _uses(interner),
            self._namespace,
            self._cls.__qualname__,
            accepted,
        )

    def _as_given(self) -> Any:
        cls, exact, foreign = self._cls, self._exact, self._interner.foreign

        def __new__(owner: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 - it becomes one
            if owner is cls:
                return exact(owner, *args, **kwargs)
            return foreign(owner, *args, **kwargs)

        return __new__

    def _put(self, function: Any) -> None:
        """Make a function the `__new__`; to a reader it looks like the class's own constructor."""
        defined: Any = self._interner.originals.defined("__new__")
        original = getattr(defined, "__func__", defined)
        if original is not None:
            functools.update_wrapper(function, original)
        else:
            # Its messages are about the constructor that the caller knows.
            _describe(function, self._cls, "__init__" if self.required else "__new__")
            function.__signature__ = with_first(self._told, "cls")
        setattr(function, GENERATED, original)
        _replace(self._cls, "__new__", staticmethod(function))


def _descendants(cls: type) -> Iterator[type]:
    subclasses: list[type] = type.__subclasses__(cls)
    for subclass in subclasses:
        yield subclass
        yield from _descendants(subclass)


def _namespace(interner: ClassInterner) -> dict[str, Any]:
    namespace = namespace_of(
        Cls=interner.target,
        table=interner.table.flat,
        build=interner.build,
        original=interner.initialise,
        finished=getattr(interner.handed, "arrived", weakref.getweakrefcount),
        handed=interner.handed,
        hits=interner.hits.ticks,
        clock=interner.options.clock,
        touch=getattr(interner.retention, "touch", None),
        holds=getattr(interner.retention, "holds", None),
    )
    interner.table.namespaces.append((namespace, PREFIX + "table"))
    return namespace


def _uses(interner: ClassInterner) -> Uses:
    retention = interner.retention
    every_use = retention is not None and retention.every_use
    return Uses(
        counted=interner.options.info,
        recency=retention is not None and not every_use,
        timed=retention is not None and retention.clock is not None,
        every_use=every_use,
        strong=not interner.weak,
        announced=interner.handed is not None,
    )


def _install_hash(cls: Any, interner: ClassInterner) -> None:
    """Remember hashes, so that hashing a graph of shared parts looks at each part once."""
    if cls.__hash__ is None or cls.__hash__ is object.__hash__ or not interner.weak:
        return
    original = interner.originals.function("__hash__")

    def __hash__(self: Any) -> int:  # noqa: N807 - it becomes one
        entry = entry_of(self) if type(self) is cls else None
        if entry is None:
            return int(original(self))
        try:
            return entry.hashed
        except AttributeError:
            entry.hashed = code = original(self)
            return int(code)

    _replace(cls, "__hash__", functools.update_wrapper(__hash__, cls.__hash__))


def _describe(function: Any, cls: type, name: str) -> None:
    function.__qualname__ = f"{cls.__qualname__}.{name}"
    function.__module__ = cls.__module__


def _told_signature(interner: ClassInterner) -> inspect.Signature:
    """Return what `inspect` tells of the class, or would after its first construction."""
    cls, shape = interner.target, interner.shape
    if shape.takes_nothing:
        return inspect.Signature()
    if not is_lent(cls.__init__):  # type: ignore[misc]
        with contextlib.suppress(TypeError, ValueError):
            return inspect.signature(cls)
    return shape.signature


class _NoOrigin:
    """Keeps `Box[int](1)` from writing `__orig_class__` on an object that others share."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None or owner is self._cls or "__orig_class__" not in instance.__dict__:
            raise AttributeError("__orig_class__")
        return instance.__dict__["__orig_class__"]

    def __set__(self, instance: Any, value: Any) -> None:
        if type(instance) is self._cls:
            raise AttributeError("__orig_class__ is not kept on instances that others share")
        instance.__dict__["__orig_class__"] = value
