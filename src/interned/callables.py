"""Callables: what happens when one is called, once the hit path has not found the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from interned.callhits import HitCounter, Path
from interned.callinquiries import Asked, CallInquiries
from interned.entries import GONE, ExactKey
from interned.flights import Flights
from interned.hits import compile_apply
from interned.interning import CacheInfo, CacheParameters
from interned.mode import MODE
from interned.options import Options
from interned.owners import Owners
from interned.proofs import Proof, mutated
from interned.results import Details, OwnResult, Result, Results
from interned.retention import Retention
from interned.roles import Role
from interned.targets import USED_UP, Target, check_options, used_up

__all__ = ["CallableInterner"]

_DEFAULT_MAXSIZE: Final = 128


class CallableInterner(CallInquiries):
    """The interner of one callable: it shares the result of the first call with later ones.

    Attributes:
        name: The callable's, for errors.
        keeps: Whether results are kept at all.
        owners: The arguments with which results go.
        flights: The runs that concurrent calls share; `None` where each call runs on its own.
        role: The wrapper, and how it keys calls.
    """

    def __init__(self, target: Target, options: Options) -> None:
        check_options(target, options)
        self.name = target.name
        bound = options.bound(_default_bound(options))
        self.keeps = MODE != "off" and (bound != 0 or bool(options.weak))
        results = Results(weak=bool(options.weak))
        self._let_go_of = None if options.weak else results.forget
        super().__init__(
            target.function, options, weak=results.weak, bound=bound, entry_type=Result
        )
        self.table = results
        self.hits: HitCounter = HitCounter()
        self.owners = results.owners = Owners(self.lose)
        shares = target.coroutine if options.single_flight is None else options.single_flight
        self.flights = Flights() if shares and MODE != "off" else None
        self.role = Role(target, options, self._path(target), self.hits)
        self._signature = target.signature

    def __repr__(self) -> str:
        return f"<interner of {self.name}>"

    @property
    def counted(self) -> bool:
        """Calls always count their hits."""
        return True

    def cache_info(self) -> CacheInfo:
        """Return hits, misses, maxsize and currsize, as `functools.lru_cache` does."""
        return super().cache_info()._replace(currsize=self._size())

    def cache_parameters(self) -> CacheParameters:
        """Return how the callable was decorated."""
        bound = self.bound if self.cache is None else self.cache.maxsize
        return CacheParameters(
            maxsize=None if bound == math.inf else 0 if bound is None else bound,
            typed=True,
            weak=self.weak,
            ttl=self.options.ttl,
            policy=None if self.retention is None else self.retention.policy,
        )

    def cache_clear(self) -> None:
        """Forget every result and count from zero; with `weak=True` those in use stay shared."""
        super().cache_clear()
        if not self.weak:
            self.table.clear()

    def begin(
        self,
        values: tuple[Any, ...],
        owners: tuple[Any, ...],
        extra: Mapping[str, Any] | None = None,
    ) -> tuple[Asked, Any]:
        """Look for a result where the hit path does not; return the call, and the result or `GONE`.

        Args:
            values: What is keyed by value.
            owners: What is keyed by identity.
            extra: What `**kwargs` took.

        Raises:
            UnkeyableError: A value is mutable or unhashable.
            NotWeakReferenceableError: An owner cannot be weakly referenced.
        """
        asked = self.ask(values, owners, extra)
        found = self._find(asked)
        if found is GONE:
            if asked[2]:
                # Refused before the function runs.
                self._owners_of(asked)
            if self.flights is None:
                next(self.misses.ticks)
        return asked, found

    def settle(self, asked: Asked, result: Any) -> Any:
        """Enter what the function returned; return what all callers share.

        Raises:
            NotWeakReferenceableError: The result was to be held weakly, and cannot be.
            UnsupportedClassError: The result serves its first reader only.
        """
        if not self.keeps:
            return result
        if type(result) in USED_UP:
            raise used_up(self.name, result)
        entry, owners = self._entry(asked, result), asked[2]
        try:
            while (holder := self.table.enter(entry)) is not entry:
                earlier = self.value_of(holder, owners)
                if earlier is not GONE:
                    return earlier
                self.table.forget(holder)
            next(self.published.ticks)
            if entry.details is not None:
                self.table.see(entry, owners)
            if self.retention is not None:
                self.retention.keep(entry, None if type(entry) is OwnResult else result)
            if entry.forgotten:
                # Somebody has cleared everything in the middle of this.
                self.lose(entry)
        except BaseException:
            if entry.kept is None:
                # Interrupted: nobody would ever let it go.
                self.table.forget(entry)
            raise
        return result

    def fly(self, asked: Asked, arguments: tuple[Any, ...]) -> Any:
        """Run the function, or wait for the result of who is running it.

        Args:
            asked: The call.
            arguments: One value for each parameter.
        """

        def run() -> Any:
            found = self._find(asked)
            if found is not GONE:
                return found
            next(self.misses.ticks)
            return self.settle(asked, self._apply(self.target, arguments))

        flights: Any = self.flights
        return flights.share(asked[0], run, self.hits.tick)

    async def fly_in_loop(self, asked: Asked, arguments: tuple[Any, ...]) -> Any:
        """Do what `fly` does, for a coroutine function."""
        # asyncio takes long to import, and who awaits something mostly has it.
        from interned.coroutines import share  # noqa: PLC0415

        async def run() -> Any:
            found = self._find(asked)
            if found is not GONE:
                return found
            next(self.misses.ticks)
            return self.settle(asked, await self._apply(self.target, arguments))

        flights: Any = self.flights
        return await share(flights, asked[0], run, self.hits.tick)

    @cached_property
    def _apply(self) -> Callable[..., Any]:
        return compile_apply(self._signature, self.name)

    def _find(self, asked: Asked) -> Any:
        key, table = asked[0], self.table
        entry = table.flat.get(key) if type(key) is tuple else table.find(key)
        if entry is None:
            return GONE
        value = self.value_of(entry, asked[2])
        if value is GONE:
            self.table.forget(entry)
            return GONE
        if self.retention is not None and (entry.clean or self.retention.every_use):
            self.retention.touch(entry, value)
        entry.used = self.hits.tick()
        if MODE == "verify":
            self._verify(entry.details.proof, value)
        return value

    def _entry(self, asked: Asked, result: Any) -> Any:
        key, values, owners, extra = asked
        entry = self.table.entry(result, key, self._owners_of(asked) if owners else ())
        if type(key) is ExactKey or MODE == "verify":
            entry.details = Details(proof=Proof(result) if MODE == "verify" else None)
            if not any(value is owner for value in values for owner in owners):
                entry.details.values, entry.details.extra = values, extra
        return entry

    def _verify(self, proof: Proof, value: Any) -> None:
        if proof.is_void:
            next(self.unchecked.ticks)
        elif not proof.fits(value):
            raise mutated(f"a result of {self.name}", "return an immutable value, or change a copy")

    def _owners_of(self, asked: Asked) -> tuple[Any, ...]:
        return self.owners.references(asked[2], self.arguments.owners, self.name)

    def _size(self) -> Any:
        if self.retention is None or self.weak:
            return len(self.table)
        return self.retention.size() if self.cache is None else self.retention.currsize()

    def _path(self, target: Target) -> Path:
        retention = self.retention
        return Path(
            coroutine=target.coroutine,
            shortcut=self.keeps and MODE == "on",
            asks=self.keeps or self.flights is not None,
            flights=self.flights is not None,
            weak=self.weak,
            recency=retention is not None and not retention.every_use,
            timed=retention is not None and retention.clock is not None,
            every_use=retention is not None and retention.every_use,
        )

    def _choose_retention(self) -> Any:
        let_go = self._let_go_of
        if self.cache is not None:
            return Retention(self.cache, let_go)
        bound, ttl = self.bound, self.options.ttl
        if bound == 0 or (ttl is None and (bound is None or (bound == math.inf and not self.weak))):
            # Nothing is kept, or all is: the table does that by itself.
            return None
        return self._by_recency(math.inf if bound is None else bound, let_go)


def _default_bound(options: Options) -> float | None:
    return None if options.weak or options.cache is not None else _DEFAULT_MAXSIZE
