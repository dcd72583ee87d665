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
        (
            {"int_as_string_bitcount": 31},
            {"hooks": {int: lambda one: str(one) if abs(one) >= 2**31 else one}},
            [2**31 - 1, 2**31, [-(2**31), -(2**31) + 1]],
        ),
        ({"ignore_nan": True}, {}, [float("nan"), [float("inf"), 1.5]]),
        ({"allow_nan": True}, {"nan": "literal"}, [float("nan"), [float("-inf"), 1.5]]),
        ({}, {"hooks": {bytes: bytes.decode}}, [b"a", {"b": "é".encode()}, {b"k": 1}]),
        ({"default": repr}, {"enc_hook": repr}, [[1j, slice(1)], object]),
    ],
)
def test_writes_the_same(
    theirs: dict[str, Any], ours: dict[str, Any], values: list[Any]
) -> None:
    encoder = snooze.Encoder(**ours)
    style = {"separators": COMPACT, "ensure_ascii": False}
    for value in values:
        expected = simplejson.dumps(value, **style, **theirs)
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


def test_text_that_is_written_already() -> None:
    theirs = simplejson.dumps([simplejson.RawJSON('{"a": 1}')])
    assert snooze.encode([snooze.Raw('{"a": 1}')]).decode() == theirs


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("\ufeff[1]", {"encoding": "utf-8-sig"}),
        (b"\xef\xbb\xbf[1]", {"encoding": "utf-8-sig"}),
        ('"\\ud800"', {"surrogates": "keep"}),
    ],
)
def test_reads_the_same_with_an_option(text: Any, options: dict[str, Any]) -> None:
    assert snooze.Decoder(**options).decode(text) == simplejson.loads(text)
    with pytest.raises(snooze.JSONDecodeError):
        snooze.Decoder().decode(text)


def test_a_plain_call_gives_the_same_text() -> None:
    """With the separators and escapes of simplejson's own defaults, too."""
    value = {"name": "é😀", "list": [1, 2.5, None, True], "empty": {}}
    compact = simplejson.dumps(value, separators=COMPACT, ensure_ascii=False)
    assert snooze.Encoder().encode_str(value) == compact
    encoder = snooze.Encoder(separators=(", ", ": "), ensure_ascii=True)
    assert encoder.encode_str(value) == simplejson.dumps(value)
