"""Deliberate differences between typed decoding and msgspec, each with its reason.

Everything else is compared in test_generated_types.py. COMPARE.md has the same list.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

import snooze
from helpers.equality import same

try:
    import msgspec
except ImportError:
    msgspec = None

REFUSED = object()
UTC = datetime.UTC
Moment = datetime.datetime
Span = datetime.timedelta

#: reason -> type, document, snooze's value, msgspec's value
STRICT: dict[str, list[tuple[Any, str, Any, Any]]] = {
    "fractions beyond microseconds are cut, as Python's own fromisoformat does; rounding would "
    "change the second, or the day": [
        (
            Moment,
            '"2024-01-02T03:04:05.1234567Z"',
            Moment(2024, 1, 2, 3, 4, 5, 123456, UTC),
            Moment(2024, 1, 2, 3, 4, 5, 123457, UTC),
        ),
        (
            Moment,
            '"2024-01-02T03:04:05.9999999Z"',
            Moment(2024, 1, 2, 3, 4, 5, 999999, UTC),
            Moment(2024, 1, 2, 3, 4, 6, 0, UTC),
        ),
        (
            datetime.time,
            '"03:04:05.1234567"',
            datetime.time(3, 4, 5, 123456),
            datetime.time(3, 4, 5, 123457),
        ),
    ],
    "RFC 3339 writes the colon of an offset": [
        (
            Moment,
            '"2024-01-02T03:04:05+0000"',
            REFUSED,
            Moment(2024, 1, 2, 3, 4, 5, 0, UTC),
        ),
    ],
    "durations as ISO 8601 and RFC 3339 have them: weeks, a comma, a fraction of seconds only, "
    "capital letters": [
        (Span, '"P1W"', Span(7), REFUSED),
        (Span, '"PT0,5S"', Span(milliseconds=500), REFUSED),
        (Span, '"P1.5D"', REFUSED, Span(1.5)),
        (Span, '"PT1.5M"', REFUSED, Span(seconds=90)),
        (Span, '"p1d"', REFUSED, Span(1)),
    ],
    "base64 is canonical, so that different texts are different bytes": [
        (bytes, '"AB=="', REFUSED, b"\0"),
    ],
    "a Decimal has the syntax of a JSON number; Python's other forms, NaN included, do not": [
        (Decimal, '"1_0"', REFUSED, Decimal(10)),
        (Decimal, '" 1"', REFUSED, Decimal(1)),
        (Decimal, '"+1"', REFUSED, Decimal(1)),
        (Decimal, '".5"', REFUSED, Decimal("0.5")),
        (Decimal, '"Infinity"', REFUSED, Decimal("Infinity")),
    ],
    "keys are decoded as the text of any JSON scalar": [
        (dict[bool, int], '{"true":1}', {True: 1}, REFUSED),
        (dict[None, int], '{"null":1}', {None: 1}, REFUSED),
    ],
}
LAX: dict[str, list[tuple[Any, str, Any, Any]]] = {
    "a string is accepted for a number only in JSON's syntax and of the same kind": [
        (int, '"1.0"', REFUSED, 1),
        (dict[int, int], '{"1.0":1}', REFUSED, {1: 1}),
        (float, '"inf"', REFUSED, float("inf")),
        (Moment, '"0"', REFUSED, Moment(1970, 1, 1, 0, 0, 0, 0, UTC)),
    ],
    "words are written as in JSON": [
        (bool, '"True"', REFUSED, True),
        (bool, '"TRUE"', REFUSED, True),
        (None, '"NULL"', REFUSED, None),
    ],
    "a string that is a number is not a duration": [
        (Span, '"5"', REFUSED, Span(seconds=5)),
    ],
    "a value accepted for a type is accepted in a Literal and as a key": [
        (bool, "1.0", True, REFUSED),
        (Literal[True], '"true"', True, REFUSED),
        (dict[bool, int], '{"1":1}', {True: 1}, REFUSED),
    ],
    "a value that fits a type without conversion goes to that type": [
        (int | Decimal, '"1"', Decimal(1), 1),
    ],
}


def outcome(decode: Any, document: str) -> Any:
    """Return the value, or REFUSED."""
    try:
        return decode(document)
    except ValueError:
        return REFUSED
    except Exception as error:
        assert type(error).__name__ == "ValidationError"
        return REFUSED


@pytest.mark.skipif(msgspec is None, reason="msgspec is not installed: NOT compared")
@pytest.mark.parametrize("strict", [True, False])
def test_differences(strict: bool) -> None:
    """Each difference exists, on both sides."""
    for reason, cases in (STRICT if strict else LAX).items():
        for tp, document, ours, theirs in cases:
            here = outcome(snooze.Decoder(tp, strict=strict).decode, document)
            there = outcome(msgspec.json.Decoder(tp, strict=strict).decode, document)
            assert here is ours or same(here, ours), (reason, tp, document, here)
            assert there is theirs or there == theirs, (reason, tp, document, there)


def test_snooze_alone() -> None:
    """snooze's side of each difference, also where msgspec is not installed."""
    for strict, table in ((True, STRICT), (False, LAX)):
        for cases in table.values():
            for tp, document, ours, _ in cases:
                here = outcome(snooze.Decoder(tp, strict=strict).decode, document)
                assert here is ours or same(here, ours), (tp, document, here)
