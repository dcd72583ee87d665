"""Rows of docs/porting.md for users of simplejson: both sides give the same.

Separate from test_porting_rows, whose rows are about pydantic.
"""

from __future__ import annotations

from collections import namedtuple
from decimal import Decimal
from typing import Any

import pytest

import snooze

simplejson = pytest.importorskip("simplejson")

COMPACT = (",", ":")
Point = namedtuple("Point", "x y")  # noqa: PYI024 - simplejson knows both kinds


class Money:
    """A class that simplejson writes by its method."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    def for_json(self) -> dict[str, int]:
        """Return what stands for the object."""
        return {"cents": self.cents}


def as_text(number: int) -> int | str:
    """Return an integer as simplejson's `bigint_as_string` writes it."""
    return str(number) if abs(number) >= 2**53 else number


@pytest.mark.parametrize(
    ("theirs", "ours", "values"),
    [
        (
            {},
            {"decimal": "number"},
            [Decimal("1.10"), [Decimal(3)], {"a": Decimal("-0.5")}],
        ),
        ({}, {"namedtuple": "object"}, [Point(1, 2), [Point("a", None)]]),
        (
            {"for_json": True},
            {"json_method": "for_json"},
            [Money(5), {"a": [Money(1)]}],
        ),
        (
            {"iterable_as_array": True},
            {"iterables": True},
            [range(3), {"a": "bc"}, [range(0)]],
        ),
        (
            {"bigint_as_string": True},
            {"hooks": {int: as_text}},
            [2**53 - 1, 2**53, -(2**53), -(2**53) + 1, [2**60, 1, True]],
        ),
        ({"ignore_nan": True}, {}, [float("nan"), [float("inf"), 1.5]]),
    ],
)
def test_writes_the_same(
    theirs: dict[str, Any], ours: dict[str, Any], values: list[Any]
) -> None:
    encoder = snooze.Encoder(**ours)
    for value in values:
        expected = simplejson.dumps(value, separators=COMPACT, **theirs)
        assert encoder.encode_str(value) == expected


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_both_refuse_what_is_not_a_number(number: float) -> None:
    with pytest.raises(ValueError, match="Out of range"):
        simplejson.dumps(number)
    with pytest.raises(TypeError, match="finite"):
        snooze.Encoder(nan="error").encode_str(number)


@pytest.mark.parametrize(
    "text", ["1.10", "[1e400, 3]", '{"a": -0.0}', "12345678901234567890.5"]
)
def test_reads_the_same(text: str) -> None:
    expected = simplejson.loads(text, use_decimal=True)
    found = snooze.Decoder(numbers="decimal").decode(text)
    assert repr(found) == repr(expected)


def test_a_plain_call_gives_the_same_text() -> None:
    """With the separators and escapes of simplejson's own defaults, too."""
    value = {"name": "é😀", "list": [1, 2.5, None, True], "empty": {}}
    compact = simplejson.dumps(value, separators=COMPACT, ensure_ascii=False)
    assert snooze.Encoder().encode_str(value) == compact
    encoder = snooze.Encoder(separators=(", ", ": "), ensure_ascii=True)
    assert encoder.encode_str(value) == simplejson.dumps(value)
