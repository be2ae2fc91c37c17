"""The registry: every live interner, and no dead one."""

import gc

import pytest

from interned import registry


class Fake:
    cleared = 0

    def cache_clear(self):
        self.cleared += 1


def test_live_interners_are_listed_in_the_order_of_their_decoration():
    fakes = [Fake() for _ in range(5)]
    for fake in fakes:
        registry.register(fake)
    assert [i for i in registry.interners() if isinstance(i, Fake)] == fakes


def test_a_dead_interner_is_not_listed():
    fake = Fake()
    registry.register(fake)
    del fake
    gc.collect()
    assert not any(isinstance(i, Fake) for i in registry.interners())


def test_interners_may_come_and_go_while_they_are_listed():
    fakes = [Fake() for _ in range(3)]
    for fake in fakes:
        registry.register(fake)
    listed = []
    for interner in registry.interners():
        if isinstance(interner, Fake):
            listed.append(interner)
            fakes.append(Fake())
            registry.register(fakes[-1])
    assert listed == fakes[:3]


@pytest.fixture
def others(monkeypatch):
    monkeypatch.setattr(registry, "_others", [])


def test_clearing_reaches_every_interner_and_other_cache(others):
    fake, calls = Fake(), []
    registry.register(fake)
    registry.on_clear(lambda: calls.append("other"))
    registry.clear_caches()
    registry.clear_caches()
    assert fake.cleared == 2
    assert calls == ["other", "other"]


def test_clearing_may_add_another_cache_to_clear(others):
    calls = []

    def add():
        calls.append("added")
        registry.on_clear(lambda: calls.append("new"))

    registry.on_clear(add)
    registry.clear_caches()
    assert calls == ["added"]
