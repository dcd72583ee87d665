"""Values of a column's kind that the column cannot hold: the message says so."""

from __future__ import annotations

import datetime as dt  # noqa: TC003 - `Row` needs it
from dataclasses import dataclass

import pytest

import snooze


@dataclass
class Row:
    """Columns with limits."""

    at: dt.datetime | None = None
    number: float | None = None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            b'{"at":"2024-01-01T12:00:00.1234567Z"}',
            "date-time string with an offset that timestamp[us] holds",
        ),
        (b'{"number":9007199254740993}', "number that float64 holds"),
    ],
)
def test_what_was_expected(line: bytes, expected: str) -> None:
    scan = snooze.scan(line, Row, errors="skip")
    assert sum(len(batch) for batch in scan) == 0
    assert [problem.expected for problem in scan.problems] == [expected]
    with pytest.raises(snooze.ScanError) as caught:
        list(snooze.scan(line, Row))
    assert f"expected {expected}, found " in str(caught.value)
