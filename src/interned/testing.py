"""Check the laws on your own classes, and give each test clean tables.

Needs the extra `testing`. As a plugin of pytest (`-p interned.testing`, or `pytest_plugins` in your
topmost `conftest.py`) it offers the fixture `isolated_interners`.
"""

from __future__ import annotations

import copy
import gc
import importlib
import json
import pickle
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import hypothesis
from hypothesis.strategies import SearchStrategy, tuples

from interned.decorator import interner
from interned.frozen import alike
from interned.keys import exact_key
from interned.oracles import oracle_of
from interned.reasons import why_uncached
from interned.registry import interners
from interned.serialization import CachedSerialization, dumps

__all__ = ["check_interning", "check_serialization", "isolated", "why_uncached"]

_THREADS: Final = 4
_LAYOUTS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"indent": 2},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"sort_keys": True},
    {"skipkeys": True, "allow_nan": False},
)


@contextmanager
def isolated() -> Iterator[None]:
    """Begin with clean tables, retentions and counters, and bring back the former ones at the end.

    Nothing that was constructed or called before is known inside, also if it lives: construct what
    a test compares inside. What was made inside is not known afterwards. It holds for the whole
    process, all threads included, and may be nested.

    >>> from interned import interned, interner
    >>> @interned
    ... class Name:
    ...     def __init__(self, text):
    ...         self.text = text
    >>> outside = Name("x")
    >>> with isolated():
    ...     print(interner(Name).cache_info().currsize, Name("x") is outside)
    0 False
    >>> Name("x") is outside
    True
    """
    with ExitStack() as stack:
        for each in interners():
            stack.callback(each.set_aside())
        yield


def pytest_configure(config: Any) -> None:
    """Offer the fixture `isolated_interners`; pytest finds this function in its plugins."""
    # By name: whoever does without pytest never comes here.
    fixture = importlib.import_module("pytest").fixture

    class Fixtures:
        @fixture  # type: ignore[untyped-decorator]
        def isolated_interners(self) -> Iterator[None]:
            """Give a test tables, retentions and counters of its own."""
            with isolated():
                yield

    config.pluginmanager.register(Fixtures(), "interned fixtures")


def check_interning(
    cls: type, strategy: SearchStrategy[Any], *, settings: hypothesis.settings | None = None
) -> None:
    """Check the laws of identity on a class.

    Args:
        cls: A class decorated with `@interned`.
        strategy: Makes instances: `builds(cls, …)` for example. Or it makes dicts, the
            constructor's keyword arguments: `builds(dict, …)`. Then it is also checked that they
            give the same object again and leave it unchanged, that other threads get it too, and
            that it dies when nobody uses it.
        settings: Those of Hypothesis, if not its current ones.

    Raises:
        AssertionError: A law is broken; the message says which one.
        TypeError: `cls` is not decorated, or the strategy makes something else.
    """
    laws = _Identity(cls)

    def check_laws(pair: tuple[Any, Any]) -> None:
        one, other = (_instance(cls, drawn) for drawn in pair)
        laws.check_one(one)
        laws.check_both(one, other)
        for arguments in pair:
            if isinstance(arguments, Mapping):
                laws.check_call(arguments)

    _for_all(tuples(strategy, strategy), check_laws, settings)


def check_serialization(
    cls: type, strategy: SearchStrategy[Any], *, settings: hypothesis.settings | None = None
) -> None:
    """Check the laws of cached serialization on a class.

    Args:
        cls: A dataclass or attrs class that derives from `CachedSerialization`.
        strategy: Makes instances, or dicts of the constructor's keyword arguments.
        settings: Those of Hypothesis, if not its current ones.

    Raises:
        AssertionError: A law is broken; the message says which one.
        TypeError: `cls` has no cached form, or the strategy makes something else.
    """
    if not issubclass(cls, CachedSerialization):
        raise TypeError(
            f"{cls.__qualname__} has no cached form; derive it from CachedSerialization"
        )

    def check_laws(drawn: Any) -> None:
        instance = _instance(cls, drawn)
        before = _looks(instance)
        _check_mapping(instance)
        for layout in _LAYOUTS:
            _check_text(instance, layout)
        _hold(_looks(instance) == before, instance, "its cached form shows (S4)")

    _for_all(strategy, check_laws, settings)


def _for_all(
    strategy: SearchStrategy[Any],
    check_laws: Callable[[Any], None],
    settings: hypothesis.settings | None,
) -> None:
    test = hypothesis.given(strategy)(check_laws)
    (test if settings is None else settings(test))()


def _hold(holds: bool, instance: object, broken: str) -> None:  # noqa: FBT001 - as `assert`
    if not holds:
        raise AssertionError(f"{instance!r}: {broken}")


def _instance(cls: type, drawn: Any) -> Any:
    instance = cls(**drawn) if isinstance(drawn, Mapping) else drawn
    if type(instance) is not cls:
        raise TypeError(
            f"the strategy made {instance!r}; it must make instances of {cls.__qualname__}, or "
            "dicts of keyword arguments"
        )
    return instance


def _pickles(instance: object) -> Iterator[bytes]:
    """Yield pickles of an instance, none where it or its class cannot be pickled at all."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        try:
            yield pickle.dumps(instance, protocol)
        except Exception:  # noqa: BLE001, S112 - whatever a value raises, it is no fault of its holder
            continue


class _Identity:
    """The laws of identity, for one class."""

    def __init__(self, cls: type) -> None:
        self.cls: Callable[..., Any] = cls
        self.interner = interner(cls)
        oracle = oracle_of(cls)
        self.fields = oracle.names(cls) if oracle.covers(cls) else None

    def check_one(self, one: Any) -> None:
        """Check L1 and L3; with `weak=False`, what was let go is out of the game."""
        if not self.interner.is_canonical(one):
            _hold(not self.interner.weak, one, "it is not the shared object of its value (L1)")
            return
        for copied in (copy.copy(one), copy.deepcopy(one)):
            _hold(copied is one, one, "its copy is another object (L3)")
        for data in _pickles(one):
            _hold(pickle.loads(data) is one, one, "its pickle gives another object (L3)")  # noqa: S301

    def check_both(self, one: Any, other: Any) -> None:
        """Check L1: who is another object can be told apart."""
        if one is other or self.fields is None or not self.interner.weak:
            return
        _hold(self._key(one) != self._key(other), one, f"it looks just like {other!r} (L1)")

    def check_call(self, arguments: Mapping[str, Any]) -> None:
        """Check L1, L4, L6 and L9 on a table that knows nothing else."""
        if not self.interner.weak:
            return
        bring_back = self.interner.set_aside()
        try:
            reference = weakref.ref(self._constructed_again(arguments))
            self.interner.cache_clear()
            if reference() is not None:
                # Its own cycles are its own affair.
                gc.collect()
            _hold(reference() is None, arguments, "something keeps what it makes alive (L4)")
        finally:
            bring_back()

    def _constructed_again(self, arguments: Mapping[str, Any]) -> Any:
        one = self.cls(**arguments)
        state = self._state(one)
        again = self.cls(**arguments)
        _hold(self._state(one) == state, one, "constructing it again has changed it (L6)")
        if again is not one:
            self.check_both(one, again)
            _hold(self.fields is not None, arguments, "it makes two objects (L1)")
            return one
        with ThreadPoolExecutor(_THREADS) as pool:
            made = list(pool.map(lambda _: self.cls(**arguments), range(_THREADS)))
        _hold(all(each is one for each in made), one, "another thread made another object (L9)")
        return one

    def _key(self, instance: Any) -> object:
        names = self.fields or ()
        return exact_key(tuple(getattr(instance, name, None) for name in names))

    def _state(self, instance: Any) -> list[tuple[str, int]]:
        names = self.fields or tuple(getattr(instance, "__dict__", ()))
        return [(name, id(getattr(instance, name, None))) for name in names]


def _outcome(function: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "returned", function()
    except Exception as error:  # noqa: BLE001 - what is refused is part of the law
        return "raised", type(error)


def _asdict(instance: Any) -> dict[str, Any]:
    if not isinstance(instance, CachedSerialization):
        raise TypeError(f"a {type(instance).__name__} in a document, which JSON does not know")
    return oracle_of(type(instance)).asdict(instance)


def _looks(instance: Any) -> list[object]:
    """Return what shows of an instance, but for its fields."""
    return [repr(instance), *_pickles(instance), sorted(getattr(instance, "__dict__", ()))]


def _check_mapping(instance: Any) -> None:
    """Check S1 and S3 of the dict."""
    expected = _outcome(lambda: _asdict(instance))
    for read in (lambda: instance.as_serialized_dict, instance.to_dict):
        made = _outcome(read)
        _hold(_same(made, expected, instance), instance, f"{made} is not {expected} (S1)")
    if expected[0] == "raised" or why_uncached(instance) is not None:
        return
    form = instance.as_serialized_dict
    _hold(_outcome(form.clear) == ("raised", TypeError), instance, "its form can be changed (S3)")
    mine = instance.to_dict()
    mine.clear()
    _hold(alike(instance.to_dict(), expected[1]), instance, "its copies are one (S3)")


def _same(made: tuple[str, Any], expected: tuple[str, Any], instance: Any) -> bool:
    if "raised" in (made[0], expected[0]) or why_uncached(instance) is not None:
        # What is not cached comes from `asdict` itself, with copies that need not equal others.
        return made[0] == expected[0] and (made[0] == "returned" or made == expected)
    return alike(made[1], expected[1])


def _check_text(instance: Any, layout: dict[str, Any]) -> None:
    """Check S1 of the JSON text in one layout."""
    expected = _outcome(lambda: json.dumps(_asdict(instance), **layout))
    readings: list[Callable[[], str]] = [
        lambda: instance.to_json(**layout),
        lambda: instance.to_json_bytes(**layout).decode(),
    ]
    if not layout:
        readings.append(lambda: instance.as_serialized_json)
    for made in map(_outcome, readings):
        _hold(made == expected, instance, f"with {layout}, {made} is not {expected} (S1)")
    expected = _outcome(lambda: json.dumps([instance], default=_asdict, **layout))
    made = _outcome(lambda: dumps([instance], **layout))
    _hold(made == expected, instance, f"with {layout}, dumps gives {made}, not {expected} (S1)")
