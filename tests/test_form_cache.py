import threading
import weakref
from datetime import timedelta
from types import SimpleNamespace
from typing import ClassVar

import pytest
from cachetools import LRUCache

from interned import form_cache
from interned.form_cache import FormCache, _Turn, clear_form_caches
from interned.forms import Form, form_class, new_form
from interned.plans import Keywords

FORMS = form_class(1)


class Value:
    pass


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class Token:
    """What only one form holds, so that it shows how long the form lives."""


def kept(cache, value, text="[]"):
    """Gives a value a form and returns the token of the form, weakly."""
    form = new_form(FORMS, value, [Token()], cache.forget)
    form.text = text
    form.mapping = Token()
    cache.keep(form, value)
    return weakref.ref(form.mapping)


def form_of(value):
    return next(ref for ref in weakref.getweakrefs(value) if isinstance(ref, Form))


def alive(*tokens):
    return [token() is not None for token in tokens]


def test_those_used_last_are_kept():
    cache, values = FormCache(lambda: LRUCache(2)), [Value(), Value(), Value()]
    first, second = kept(cache, values[0]), kept(cache, values[1])
    assert cache.use(form_of(values[0]))
    third = kept(cache, values[2])
    assert alive(first, second, third) == [True, False, True]


def test_a_form_dies_with_its_instance():
    cache, value = LRUCache(2), Value()
    form = kept(FormCache(lambda: cache), value)
    del value
    assert alive(form) == [False]
    assert len(cache) == 0


def test_an_expired_form_dies_with_its_instance():
    clock, value = Clock(), Value()
    cache = Keywords(ttl=1, timer=clock).make_cache()
    form = kept(cache, value)
    clock.now = 2
    assert not cache.use(form_of(value))
    assert alive(form) == [True]
    del value
    assert alive(form) == [False]


@pytest.mark.parametrize("ttl", [1, timedelta(seconds=1)])
def test_forms_expire(ttl):
    clock, value = Clock(), Value()
    cache = Keywords(ttl=ttl, timer=clock).make_cache()
    kept(cache, value)
    assert cache.use(form_of(value))
    clock.now = 1
    assert not cache.use(form_of(value))


def test_a_form_replaces_the_former_of_its_instance():
    cache, value = LRUCache(5), Value()
    forms = FormCache(lambda: cache)
    former, form = kept(forms, value), kept(forms, value)
    assert alive(former, form) == [False, True]
    assert len(cache) == 1


def test_a_form_larger_than_the_cache_is_not_kept():
    forms, value = FormCache(lambda: LRUCache(10, getsizeof=len)), Value()
    assert alive(kept(forms, value, "[" * 11), kept(forms, value, "[" * 10)) == [False, True]


def test_sizes_are_lengths_of_texts():
    forms, values = FormCache(lambda: LRUCache(10, getsizeof=len)), [Value(), Value()]
    first, second = kept(forms, values[0], "x" * 6), kept(forms, values[1], "x" * 6)
    assert alive(first, second) == [False, True]


def test_clearing_lets_every_form_go():
    values = [Value(), Value()]
    forms = [kept(FormCache(lambda: LRUCache(2)), value) for value in values]
    clear_form_caches()
    assert alive(*forms) == [False, False]


def test_callbacks_that_come_back_find_no_form_and_do_not_hang():
    value, seen = Value(), []

    def getsizeof(form):
        seen.append(forms.use(form))
        kept(forms, value)
        return 1

    forms = FormCache(lambda: LRUCache(2, getsizeof=getsizeof))
    kept(forms, value)
    assert seen == [False]
    assert forms.use(form_of(value))


def is_free(forms):
    """Says whether another thread could work with a cache."""
    found = []
    thread = threading.Thread(target=lambda: found.append(forms._work(lambda: True, wait=False)))
    thread.start()
    thread.join()
    return found[0]


def test_the_clock_is_read_without_the_lock():
    free = []

    def clock():
        free.append(is_free(cache))
        return 0.0

    cache = Keywords(ttl=1, timer=clock).make_cache()
    value = Value()
    kept(cache, value)
    assert free == [True]


def test_what_is_evicted_is_released_without_the_lock():
    free = []

    class Noticing:
        def __del__(self):
            free.append(is_free(forms))

    forms, values = FormCache(lambda: LRUCache(1)), [Value(), Value()]
    form = new_form(FORMS, values[0], [Noticing()], forms.forget)
    forms.keep(form, values[0])
    del form
    kept(forms, values[1])
    assert free == [True]


def test_an_instance_that_dies_while_the_cache_is_at_work_is_forgotten_right_after():
    dying = []

    class Dropping(LRUCache):
        def __setitem__(self, form, value):
            dying.clear()
            super().__setitem__(form, value)

    cache = Dropping(5)
    forms = FormCache(lambda: cache)
    dying.append(Value())
    form = kept(forms, dying[0])
    dying.append(Value())
    survivor = Value()
    kept(forms, survivor)
    assert alive(form) == [False]
    assert list(cache) == [form_of(survivor)]


def lose_the_thread_at_work(forms):
    thread = threading.Thread(target=lambda: forms._take(_Turn()))
    thread.start()
    thread.join()


def test_a_forked_child_goes_on_without_the_thread_at_work():
    forms, values = FormCache(lambda: LRUCache(2)), [Value(), Value()]
    form = kept(forms, values[0])
    lose_the_thread_at_work(forms)
    forms.after_fork()
    assert alive(kept(forms, values[1])) == [True]
    # Nobody knows what it left half done.
    assert alive(form) == [False]


def test_a_fork_in_the_middle_of_ones_own_work_changes_nothing():
    def getsizeof(form):
        forms.after_fork()
        return 1

    forms, value = FormCache(lambda: LRUCache(2, getsizeof=getsizeof)), Value()
    assert alive(kept(forms, value)) == [True]


def test_whoever_waits_gets_a_turn(monkeypatch):
    forms, value = FormCache(lambda: LRUCache(2)), Value()
    turn, waited = _Turn(), []
    turn.thread = -1
    forms._take(turn)

    def sleep(seconds):
        waited.append(seconds)
        forms._turn = None

    monkeypatch.setattr(form_cache, "time", SimpleNamespace(sleep=sleep))
    assert alive(kept(forms, value)) == [True]
    assert waited == [form_cache._PAUSE]


class Breaking(LRUCache):
    """Is broken off in the middle of keeping a second form."""

    def __setitem__(self, form, value):
        super().__setitem__(form, value)
        if len(self) == 2:
            raise KeyboardInterrupt

    def clear(self):
        super().clear()
        raise RuntimeError


@pytest.mark.parametrize("given", [None, Breaking(5)])
def test_what_was_broken_off_is_let_go(given):
    values = [Value(), Value(), Value()]
    forms = Keywords(cache=given or (lambda: Breaking(5))).make_cache()
    form = kept(forms, values[0])
    with pytest.raises(KeyboardInterrupt):
        kept(forms, values[1])
    assert alive(form) == [True]
    last = kept(forms, values[2])
    assert alive(form, last) == [False, True]


def test_a_given_cache_that_was_broken_off_raises_nothing_any_more():
    class Broken(LRUCache):
        faults: ClassVar = [KeyboardInterrupt, KeyError]

        def __setitem__(self, form, value):
            raise self.faults.pop(0)

    forms, value = Keywords(cache=Broken(2)).make_cache(), Value()
    with pytest.raises(KeyboardInterrupt):
        kept(forms, value)
    assert alive(kept(forms, value)) == [False]
    assert Broken.faults == []


def test_an_idle_cache_survives_a_fork_whole():
    forms, value = FormCache(lambda: LRUCache(2)), Value()
    kept(forms, value)
    forms.after_fork()
    assert forms.use(form_of(value))


def test_threads_share_a_cache():
    cache = LRUCache(4)
    forms, failures = FormCache(lambda: cache), []
    start = threading.Barrier(4)

    def work():
        start.wait()
        try:
            for _ in range(300):
                value = Value()
                forms.use(new_form(FORMS, value, [1], forms.forget))
                kept(forms, value)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(cache) == 0
