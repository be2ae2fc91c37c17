"""Calls against plain models: what is shared, in which order results go, what is counted."""

import functools
import inspect

import cachetools
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from interned import exact_key, interned

plain = st.one_of(
    st.integers(-2, 2),
    st.booleans(),
    st.sampled_from([0.0, -0.0, 1.0, float("nan"), 0.5]),
    st.sampled_from(["", "a", "1"]),
    st.none(),
    st.binary(max_size=1),
)
values = st.recursive(
    plain, lambda inner: st.tuples(inner, inner) | st.frozensets(plain, max_size=2)
)


def bare(a, /, b=0, *rest, c=0, **extra):
    return [a, b, rest, c, extra]


@st.composite
def spellings(draw):
    """Draws a call of `bare` and another way to write it."""
    a, b, c = draw(values), draw(values), draw(values)
    rest = draw(st.lists(values, max_size=2))
    extra = draw(st.dictionaries(st.sampled_from("xyz"), values, max_size=2))
    full = (a, b, *rest), {"c": c, **extra}
    by_keyword = {**dict(reversed(extra.items())), "c": c}
    if rest or draw(st.booleans()):
        return full, ((a, b, *rest), by_keyword)
    return full, ((a,), {"b": b, **by_keyword})


@given(spellings())
def test_each_spelling_of_a_call_is_one_entry(spelling):
    f = interned(bare)
    (args, kwargs), (other_args, other_kwargs) = spelling
    assert f(*args, **kwargs) is f(*other_args, **other_kwargs)
    assert f.cache_contains(*args, **kwargs)
    assert f.explain(*other_args, **other_kwargs).hit


@given(st.lists(st.tuples(values, values), max_size=8), st.sampled_from([None, 100]))
def test_calls_share_exactly_where_their_keys_are_equal(calls, maxsize):
    f = interned(maxsize=maxsize)(lambda a, b: [a, b])
    results = [(exact_key((a, b)), f(a, b)) for a, b in calls]
    for key, result in results:
        for other_key, other in results:
            assert (result is other) == (key == other_key)


@given(spellings())
def test_a_call_that_does_not_fit_is_refused_as_by_the_function(spelling):
    (args, kwargs), _ = spelling
    for wrong in (lambda f: f(), lambda f: f(*args[:1], *args[1:], b=1, **kwargs)):
        errors = []
        for f in (bare, interned(bare)):
            try:
                wrong(f)
            except TypeError as error:
                errors.append(str(error).replace("bare", "f"))
        assert len(set(errors)) == len(errors) - (len(errors) == 2)


kinds = inspect.Parameter


@st.composite
def signatures(draw):
    """Draws the parameters of a function, in an order that Python allows."""
    chosen = draw(
        st.lists(
            st.tuples(st.sampled_from(list(inspect._ParameterKind)), st.booleans()), max_size=5
        )
    )
    parameters, optional, met = [], False, set()
    for number, (kind, has_default) in enumerate(sorted(chosen)):
        if kind in {kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD}:
            if kind in met:
                continue
            default = kinds.empty
        else:
            optional = (optional or has_default) and kind is not kinds.KEYWORD_ONLY
            with_default = has_default or optional
            default = number if with_default else kinds.empty
        met.add(kind)
        parameters.append(kinds(f"p{number}", kind, default=default))
    return inspect.Signature(parameters)


@given(signatures(), st.lists(st.integers(0, 3), max_size=4), st.data())
def test_arguments_are_bound_as_by_the_signature(signature, args, data):
    scope = {}
    exec(f"def record{signature}: return dict(locals())", scope)
    record = scope["record"]
    names = [p.name for p in signature.parameters.values()] + ["more"]
    kwargs = data.draw(st.dictionaries(st.sampled_from(names), st.integers(0, 3), max_size=3))
    f = interned(record)
    try:
        expected = record(*args, **kwargs)
    except TypeError:
        expected = None
    try:
        result = f(*args, **kwargs)
    except TypeError:
        result = None
    assert result == expected
    if expected is not None:
        assert f(*args, **kwargs) is result


class OrderOfUse(RuleBasedStateMachine):
    """An interned function beside `functools.lru_cache`, on which any calls are made."""

    @initialize(maxsize=st.sampled_from([0, 1, 2, 3, 5, None]))
    def decorate(self, maxsize):
        self.ours, self.theirs = [], []
        self.f = interned(maxsize=maxsize)(self.ours.append)
        self.g = functools.lru_cache(maxsize, typed=True)(self.theirs.append)

    # Told apart by both in the same way.
    @rule(x=st.one_of(st.integers(0, 6), st.sampled_from(["a", (1, 2), (1, "b"), None, True])))
    def call(self, x):
        self.f(x)
        self.g(x)

    @rule()
    def clear(self):
        self.f.cache_clear()
        self.g.cache_clear()

    @invariant()
    def both_ran_the_same(self):
        if hasattr(self, "f"):
            assert self.ours == self.theirs
            assert self.f.cache_info() == self.g.cache_info()


class TimedUse(RuleBasedStateMachine):
    """An interned function with a `ttl` beside a cachetools cache that is asked by hand."""

    @initialize(maxsize=st.sampled_from([1, 2, 4]))
    def decorate(self, maxsize):
        self.now, self.runs = 0, []
        self.model = cachetools.TTLCache(maxsize, 10, timer=lambda: self.now)
        self.f = interned(maxsize=maxsize, ttl=10, timer=lambda: self.now)(self.runs.append)

    @rule(x=st.integers(0, 5))
    def call(self, x):
        before = len(self.runs)
        self.f(x)
        known = x in self.model
        assert (len(self.runs) == before) == known
        if known:
            assert self.model[x]
        else:
            self.model[x] = True

    @rule(step=st.integers(1, 7))
    def wait(self, step):
        self.now += step

    @rule(x=st.integers(0, 5))
    def invalidate(self, x):
        assert self.f.cache_invalidate(x) == (x in self.model)
        self.model.pop(x, None)

    @precondition(lambda self: hasattr(self, "f"))
    @invariant()
    def both_keep_the_same(self):
        assert self.f.cache_info().currsize == len(self.model)
        for x in range(6):
            assert self.f.cache_contains(x) == (x in self.model)


TestOrderOfUse = OrderOfUse.TestCase
TestTimedUse = TimedUse.TestCase
