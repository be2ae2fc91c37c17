"""Counters: no tick is lost, and reading takes none."""

import sys
from threading import Thread

from interned.counters import Counter


def test_ticks_are_counted():
    counter = Counter()
    for _ in range(3):
        next(counter.ticks)
    assert counter.value() == counter.value() == 3


def test_a_reset_counts_from_zero_or_a_value_and_keeps_the_ticks_growing():
    counter = Counter()
    before = next(counter.ticks)
    counter.reset()
    assert counter.value() == 0
    assert next(counter.ticks) > before
    assert counter.value() == 1
    counter.reset(40)
    assert counter.value() == 40


def test_a_mark_grows_with_the_ticks_and_does_not_count():
    counter = Counter()
    taken = [next(counter.ticks), counter.mark(), counter.mark(), next(counter.ticks)]
    assert taken == sorted(set(taken))
    assert counter.value() == 2
    counter.reset()
    counter.mark()
    assert counter.value() == 0


def test_threads_lose_no_tick():
    counter = Counter()

    def tick():
        for _ in range(2_000):
            next(counter.ticks)
            assert counter.value() >= 0

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=tick) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert counter.value() == 16_000
