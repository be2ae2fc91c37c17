"""Explaining: the nearest known value, and where it differs."""

from dataclasses import dataclass

import attrs
import pytest

from interned.explaining import explain


@dataclass(frozen=True)
class Point:
    x: object
    y: object = 0


@attrs.frozen
class Pair:
    x: object
    y: object = 0


class Same:
    def __repr__(self):
        return "<same>"


@pytest.mark.parametrize(
    ("mine", "theirs", "difference"),
    [
        (1, 2, "v: 1 against 2"),
        (1, True, "v: 1 (int) against True (bool)"),
        (0.0, -0.0, "v: 0.0 against -0.0"),
        ("a", None, "v: 'a' (str) against None (NoneType)"),
        ((1, 2), (1, 3), "v[1]: 2 against 3"),
        ((1, (2, 3)), (1, (2, 4)), "v[1][1]: 3 against 4"),
        ((1, 2), (1, 2, 3), "v: (1, 2) against (1, 2, 3)"),
        ((1,), [1], "v: (1,) (tuple) against [1] (list)"),
        (Point(1, (2,)), Point(1, (3,)), "v.y[0]: 2 against 3"),
        (Pair(Point(1)), Pair(Point(1.0)), "v.x.x: 1 (int) against 1.0 (float)"),
        ([1], [2], "v: [1] against [2]"),
    ],
    ids=str,
)
def test_the_place_of_a_difference(mine, theirs, difference):
    assert explain({"v": mine}, [{"v": theirs}]).differences == (difference,)


def test_each_difference_has_its_line():
    found = explain({"a": 1, "b": (2, 3)}, [{"a": 2, "b": (3, 4)}])
    assert found.differences == ("a: 1 against 2", "b[0]: 2 against 3", "b[1]: 3 against 4")
    assert found.count("\n") == 3


def test_the_nearest_is_compared_with():
    known = [{"a": 5, "b": 6}, {"a": 1, "b": 6}, {"a": 5, "b": 7}]
    assert explain({"a": 1, "b": 2}, known).differences == ("b: 2 against 6",)


def test_objects_that_look_alike_are_told_by_address():
    one, other = Same(), Same()
    (difference,) = explain({"v": one}, [{"v": other}]).differences
    assert difference == f"v: <same> (at {id(one):#x}) against <same> (at {id(other):#x})"


def test_long_values_are_cut():
    (difference,) = explain({"v": "a" * 500}, [{"v": "b" * 500}]).differences
    assert len(difference) < 200


def test_what_one_side_does_not_have():
    assert explain({"a": 1}, [{"b": 1}]).differences == (
        "a: 1 against nothing",
        "b: nothing against 1",
    )


def test_nothing_known():
    found = explain({"a": 1}, [])
    assert (found.hit, found.differences) == (False, ())
    assert found == "miss; nothing is known"
