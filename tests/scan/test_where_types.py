"""Conditions on columns of dates, times, UUIDs and decimals: their constants are text.

Separate from `test_where`, which has the language: here a constant has to be what the
column itself would read.
"""

from __future__ import annotations

import dataclasses
import datetime  # noqa: TC003 - `Typed` needs it
import json
import uuid  # noqa: TC003 - as above
from decimal import Decimal  # noqa: TC003 - as above

import pytest

import snooze
from helpers.arrow_rows import rows as rows_of


def passing(where: str, lines: bytes) -> list[int]:
    """Return the ids of the records that pass."""
    return [row["id"] for row in rows_of(snooze.scan(lines, Typed, where=where))]


@dataclasses.dataclass
class Typed:
    """A column of each type that conditions treat on its own."""

    id: int
    at: datetime.datetime
    day: datetime.date
    key: uuid.UUID
    price: Decimal
    raw: snooze.Raw
    data: bytes


TYPED = b"""\
{"id":1,"at":"2026-11-24T00:00:00Z","day":"2026-11-24","key":"00000000-0000-0000-0000-000000000001","price":1.25,"raw":1,"data":""}
{"id":2,"at":"2026-11-24T01:00:00.5+01:00","day":"2026-11-25","key":"00000000-0000-0000-0000-000000000002","price":"10","raw":1,"data":""}
"""


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ('at == "2026-11-24T00:00:00Z"', [1]),
        ('at > "2026-11-24T01:00:00.25+01:00"', [2]),
        ('at >= "2026-11-23T23:00:00-01:00"', [1, 2]),
        ('day > "2026-11-24"', [2]),
        ('key == "00000000000000000000000000000002"', [2]),
        ("price == 1.25", [1]),
        ("price > 5", [2]),
        ('price == "1.250"', [1]),
        ("price < 1e60", [1, 2]),
        ("price > -1e60", [1, 2]),
        ("data is None", []),
        ("raw is not None", [1, 2]),
    ],
)
def test_types(where: str, expected: list[int]) -> None:
    assert passing(where, TYPED) == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("at > '2026-11-24T00:00:00'", "expected an offset"),
        ("at > 'today'", "expected a date and a time (RFC 3339), found 'today'"),
        ("at > '2026-11-24T00:00:00.1234567Z'", "not as many digits of a second"),
        ("day > '2026'", "date32"),
        ("key == 'x'", "arrow.uuid: expected a UUID, found 'x', in"),
        ("price > 0.0000000001", "expected at most 9 digits after the point"),
        ("price > 'NaN'", "38, 9): expected a number, found 'NaN', in price"),
        ("raw == 1", "a column of the type arrow.json does not compare with 1"),
        ("data == 'x'", "a column of the type binary does not compare with 'x'"),
    ],
)
def test_conditions_of_other_types(where: str, message: str) -> None:
    with pytest.raises(ValueError, match="where: ") as found:
        snooze.scan(TYPED, Typed, where=where)
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(("price", text) for text in ("abc", "1_1.0", " 1.10 ", "\uff11", "+1", "")),
        *(("price", text) for text in ("01", ".5", "1.", "1e", "0x1", "-", "inf")),
        ("key", "{00000000-0000-0000-0000-000000000001}"),
        ("key", "urn:uuid:00000000-0000-0000-0000-000000000001"),
        ("key", "0000000000000000-0000-0000000000000001"),
        ("key", "0000_0000000000000000000000000001"),
        ("key", "\uff10" * 32),
        ("at", "\uff12026-11-24T00:00:00Z"),
        ("at", "2026-11-24T00:00:00+00:19:60"),
        ("at", "2026-11-24T00:00:00+24:00:00"),
        ("at", "2026-11-24T00:00:00+001932"),
        ("at", "2026-11-24T00:00:00.1\uff10Z"),
    ],
)
def test_no_column_has_such_a_text(column: str, text: str) -> None:
    """So it is no constant either."""
    record = {**json.loads(TYPED.splitlines()[0]), column: text}
    with pytest.raises(snooze.ScanError):
        list(snooze.scan(json.dumps(record).encode(), Typed))
    with pytest.raises(ValueError, match=r": expected .*, found ") as found:
        snooze.scan(TYPED, Typed, where=f"{column} == {text!r}")
    assert repr(text) in str(found.value)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(("price", text) for text in ("-1.50", "15e-1", "1.5E+1", "0", "-0.0e7")),
        ("price", "0e99999999999999999999"),
        ("price", "0.0e-99999999999999999999"),
        ("key", "ABCDEF00-0000-0000-0000-00000000000f"),
        ("key", "ABCDEF0000000000000000000000000f"),
        ("at", "2026-11-24T00:00:00+00:19:32"),
        ("at", "1883-11-18t12:03:58.25-04:56:02"),
        ("at", "2026-11-24T00:00:00.1234560000000Z"),
    ],
)
def test_each_text_of_a_column_is_a_constant(column: str, text: str) -> None:
    record = {**json.loads(TYPED.splitlines()[0]), column: text}
    lines = json.dumps(record).encode()
    assert passing(f"{column} == {text!r}", lines) == [1]
    assert passing(f"{column} != {text!r}", lines) == []


def test_numbers_beyond_all_decimals() -> None:
    """They have an order, though no column has them."""
    huge = "99999999999999999999"
    for where, expected in (
        (f'price < "1e{huge}"', [1, 2]),
        (f'price > "-1e{huge}"', [1, 2]),
        (f"price < 0x{'f' * 5000}", [1, 2]),
    ):
        assert passing(where, TYPED) == expected
    with pytest.raises(ValueError, match="expected at most 9 digits after the point"):
        snooze.scan(TYPED, Typed, where=f'price > "1e-{huge}"')
