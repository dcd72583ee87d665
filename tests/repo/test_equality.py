"""The exact-equality helper itself: what it accepts and every difference that it finds.

Separate because a comparison that forgives would make hundreds of tests worthless.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from helpers.equality import assert_same, same

UTC = datetime.UTC
BERLIN = datetime.timezone(datetime.timedelta(hours=1))
NOON = datetime.datetime(2024, 1, 2, 12, tzinfo=UTC)
NAN = float("nan")


class Number(int):
    """A subclass of int."""


class Pair(NamedTuple):
    """A subclass of tuple."""

    a: Any
    b: Any


class Size(enum.IntEnum):
    """An enum whose members equal ints."""

    SMALL = 1


@dataclasses.dataclass(eq=False)
class Point:
    """Compared by identity, except by the helper."""

    x: Any


SAME: list[tuple[Any, Any]] = [
    (None, None),
    (NAN, float("nan")),
    (-0.0, -0.0),
    (2**80, 2**80),
    ([1, (2.5, "x"), {"a": [None]}], [1, (2.5, "x"), {"a": [None]}]),
    ({1, 2.5, "x"}, {"x", 2.5, 1}),
    (frozenset({(1, 2)}), frozenset({(1, 2)})),
    (collections.deque([1, 2]), collections.deque([1, 2])),
    (Decimal("1.50"), Decimal("1.50")),
    (Decimal("sNaN"), Decimal("sNaN")),
    (NOON, datetime.datetime(2024, 1, 2, 12, tzinfo=UTC)),
    (Pair(1, [2]), Pair(1, [2])),
    (Point([1]), Point([1])),
    ({}, {}),
]
DIFFERENT: list[tuple[Any, Any]] = [
    (1, True),
    (1, 1.0),
    (1, Number(1)),
    (1, Size.SMALL),
    (0.0, -0.0),
    (NAN, -NAN),
    (NAN, 1.0),
    ("1", b"1"),
    ([1], (1,)),
    ([1, 2], [1]),
    ([[0.0]], [[-0.0]]),
    ((1, 2), Pair(1, 2)),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, {"a": True}),
    ({1: "x"}, {True: "x"}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, collections.OrderedDict(a=1)),
    ({1, 2}, {1.0, 2}),
    ({1, 2}, {1, 3}),
    ({0.0}, {-0.0}),
    ({1}, frozenset({1})),
    (Decimal("1.5"), Decimal("1.50")),
    (Decimal(0), Decimal("-0")),
    (NOON, NOON.astimezone(BERLIN)),
    (NOON.timetz(), NOON.timetz().replace(tzinfo=BERLIN)),
    (Pair(1, 2), Pair(1, 2.0)),
    (Point(1), Point(1.0)),
    (Point(1), Pair(1, 1)),
]


@pytest.mark.parametrize(("left", "right"), SAME, ids=repr)
def test_equal_values(left: Any, right: Any) -> None:
    """Equal values of equal types, in both directions."""
    assert same(left, right)
    assert same(right, left)
    assert_same([{"x": left}], [{"x": right}])


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=repr)
def test_differences(left: Any, right: Any) -> None:
    """Any difference of value, type, sign or order is found at any depth."""
    for one, other in ((left, right), (right, left)):
        assert not same(one, other)
        assert not same([{"x": (one,)}], [{"x": (other,)}])
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            assert_same(one, other)


def test_order_of_members_can_be_ignored() -> None:
    """Keys and values still need the same types."""
    one = {"a": 1, "b": {"c": 2, "d": 3}}
    other = {"b": {"d": 3, "c": 2}, "a": 1}
    assert not same(one, other)
    assert same(one, other, ordered=False)
    assert not same({1: 2, 3: 4}, {3: 4, True: 2}, ordered=False)
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": True}, ordered=False)
    assert not same({"a": 1, "b": 2}, {"b": 2, "c": 1}, ordered=False)


def test_deep_values() -> None:
    """Nesting needs no recursion."""
    one: Any = 0.0
    other: Any = -0.0
    for _ in range(20_000):
        one, other = [one], [other]
    assert same(one, one)
    assert not same(one, other)
