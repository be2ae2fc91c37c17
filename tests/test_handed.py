"""Instances on their way from `__new__` to `__init__`."""

import threading

from interned.handed import Handed


def test_an_instance_arrives_once():
    handed = Handed()
    one = object()
    handed.pending.append(one)
    assert handed.arrived(one)
    assert not handed.arrived(one)


def test_instances_are_told_apart_by_identity_and_come_in_any_order():
    handed = Handed()
    one, other = [1], [1]
    handed.pending.extend([one, other])
    assert not handed.arrived([1])
    assert handed.arrived(one)
    assert handed.arrived(other)
    assert not handed.pending


def test_those_that_never_arrive_make_room():
    handed = Handed()
    stray = [object() for _ in range(100)]
    handed.pending.extend(stray)
    assert len(handed.pending) == 8
    assert handed.arrived(stray[-1])
    assert not handed.arrived(stray[0])


def test_each_thread_has_its_own():
    handed = Handed()
    one = object()
    handed.pending.append(one)
    answers = []
    thread = threading.Thread(target=lambda: answers.append(handed.arrived(one)))
    thread.start()
    thread.join()
    assert answers == [False]
    assert handed.arrived(one)
