"""Comparing graphs of shared parts."""

import threading
from dataclasses import dataclass
from typing import Any

import attrs
import pytest

from interned import interned


@interned
@dataclass(frozen=True)
class DataTree:
    left: Any
    right: Any


@interned
@attrs.frozen
class AttrsTree:
    left: Any
    right: Any


def grow(cls: Any, leaf: object, levels: int) -> Any:
    tree = cls(leaf, leaf)
    for _ in range(levels):
        tree = cls(tree, tree)
    return tree


@pytest.mark.parametrize("cls", [DataTree, AttrsTree])
def test_equal_trees_of_shared_parts_are_compared_in_linear_time(cls: Any) -> None:
    ones, trues = grow(cls, 1, 60), grow(cls, True, 60)
    assert ones is not trues
    assert ones == trues
    assert hash(ones) == hash(trues)
    assert ones == grow(cls, 1, 60)
    assert ones != grow(cls, 2, 60)


@pytest.mark.parametrize("cls", [DataTree, AttrsTree])
def test_equality_gives_the_answers_of_the_undecorated_class(cls: Any) -> None:
    nan = float("nan")
    assert cls((nan,), 1) == cls((nan,), 1)
    assert cls((1,), 2) != cls((1,), 3)
    assert cls((1,), 2) != (1, 2)
    assert cls.__eq__(cls((1,), 2), object()) is NotImplemented


def test_an_error_in_a_comparison_leaves_nothing_behind() -> None:
    class Rude:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        def __hash__(self) -> int:
            return id(self)

    one, other = DataTree(Rude(), 1), DataTree(Rude(), 1)
    with pytest.raises(RuntimeError, match="no"):
        one == other  # noqa: B015 - the comparison is the test
    assert DataTree((1,), 1) == DataTree((True,), 1)


def test_threads_compare_independently() -> None:
    ones, trues, twos = (grow(DataTree, leaf, 30) for leaf in (1, True, 2))
    answers: list[tuple[bool, bool]] = []
    threads = [
        threading.Thread(target=lambda: answers.append((ones == trues, ones == twos)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(True, False)] * 4
