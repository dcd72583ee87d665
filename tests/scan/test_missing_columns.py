"""Columns that no record has: because records are wrong, are missing, or are all null."""

from __future__ import annotations

import typing
from typing import Any

import pytest

import snooze

WRONG = [b"a,b\n1,2\n", b'{"a":1,\n', b'{"a":1,"b":"\\ud800"}\n', b"[1]\n", b"null\n"]


@pytest.mark.parametrize("drift", [None, "error", "json"])
@pytest.mark.parametrize("lines", WRONG)
def test_a_wrong_record_is_reported_before_a_missing_column(
    lines: bytes, drift: Any
) -> None:
    """The column may be missing because of it."""
    with pytest.raises(snooze.ScanError) as expected:
        list(snooze.scan(lines, drift=drift))
    for options in ({"columns": ["a"]}, {"where": "a > 1"}, {"columns": ["c"]}):
        with pytest.raises(snooze.ScanError) as caught:
            list(snooze.scan(lines, drift=drift, **options))
        # A pass that infers columns does not always find the place inside the record.
        assert str(caught.value).startswith(str(expected.value))
        for errors in ("skip", "collect"):
            scan = snooze.scan(lines, drift=drift, errors=errors, **options)
            assert sum(len(batch) for batch in scan) == 0
            assert scan.problem_count == lines.count(b"\n")
    with pytest.raises(ValueError, match="columns: no record has 'c'") as missing:
        list(snooze.scan(b'{"a":1}\n', drift=drift, columns=["c"]))
    assert not isinstance(missing.value, snooze.ScanError)


@pytest.mark.parametrize(
    "lines", [b"", b"\n", b" \r\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"]
)
def test_sources_without_a_record(lines: bytes) -> None:
    """Empty lines are no records."""
    for options in ({}, {"where": "x > 1"}):
        scan = snooze.scan(lines, columns=["x"], **options)
        assert scan.columns == {"x": "null"}
        assert list(scan) == []


def test_a_column_that_is_always_null() -> None:
    """A condition on it is valid, and holds for no record."""
    lines = b'{"id":1,"x":null}\n{"id":2}\n'
    for text in (
        'x.startswith("a")',
        'x.y == "a"',
        "x.y.z > 1",
        'x["y"].startswith("b")',
    ):
        assert rows_of(snooze.scan(lines, where=text)) == 0
        assert rows_of(snooze.scan(lines, where=f"not ({text})")) == 0
    assert rows_of(snooze.scan(lines, where="x.y is None")) == 2
    with pytest.raises(ValueError, match="no column 'y'"):
        snooze.scan(b'{"x":{"z":1}}', where="x.y > 1").columns  # noqa: B018 - it infers


def rows_of(scan: snooze.Scan) -> int:
    """Return how many rows a scan has."""
    return sum(len(batch) for batch in scan)


def test_types_of_nested_maps_as_text() -> None:
    """The text takes time for each level, not twice that of the level below."""
    tp: Any = int
    text = "int64"
    for _ in range(28):
        tp, text = dict[str, tp], f"map<utf8, {text}>"
    schema = typing.TypedDict("schema", {"a": tp})  # type: ignore[misc]  # noqa: UP013
    assert snooze.scan(b"{}", schema).columns == {"a": text}
