"""JSONTestSuite, a file a record: what `loads` accepts is read, the rest is collected.

Separate from tests/contract, where each file is a document. A scan has lines, so the
files of several lines are left out here.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import snooze
from helpers.arrow_rows import Json, rows


@pytest.fixture(scope="module")
def lines(conformance: dict[str, bytes]) -> dict[str, bytes]:
    """Each file of one line as the member of a record, by its name."""
    found = {
        name: b'{"name":"%s","a":%s}' % (name.encode(), text)
        for name, text in conformance.items()
        if b"\n" not in text
    }
    assert len(found) > 280
    return found


def accepted(line: bytes) -> bool:
    try:
        value = snooze.loads(line)
    except json.JSONDecodeError as error:
        # It is JSON: no float holds it, but JSON text does.
        return "infinity" in str(error)
    return isinstance(value, dict)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch_bytes", [1, 500, 16 << 20])
@pytest.mark.parametrize("drift", ["widen", "json", "rest"])
def test_what_loads_accepts_is_read(
    lines: dict[str, bytes], threads: int, batch_bytes: int, drift: Any
) -> None:
    text = b"\n".join(lines.values()) + b"\n"
    scan = snooze.scan(
        text, errors="collect", threads=threads, batch_bytes=batch_bytes, drift=drift
    )
    right = [name for name, line in lines.items() if accepted(line)]
    assert [row["name"] for row in rows(scan)] == right
    assert 90 < len(right) < len(lines) - 150
    wrong = [line for name, line in lines.items() if name not in right]
    assert [problem.text for problem in scan.problems] == wrong
    assert [problem.line for problem in scan.problems] == [
        at for at, line in enumerate(lines.values(), 1) if line in wrong
    ]


def test_the_values_are_those_of_json(lines: dict[str, bytes]) -> None:
    right = {name: line for name, line in lines.items() if accepted(line)}
    scan = snooze.scan(b"\n".join(right.values()))
    assert scan.columns["a"] == "arrow.json"
    for row, line in zip(rows(scan), right.values(), strict=True):
        value = json.loads(line).get("a")
        assert row["a"] == (None if value is None else Json(value))


def test_as_documents_they_are_objects_or_collected(
    conformance: dict[str, bytes],
) -> None:
    """Without a record around them: only objects are records."""
    texts = [
        text for text in conformance.values() if text.strip() and b"\n" not in text
    ]
    text = b"\n".join(texts)
    scan = snooze.scan(text, errors="collect", columns=["a"])
    # A file may begin with a byte order mark, which only the first line may have.
    expected = sum(accepted(one) and one.strip()[:1] == b"{" for one in texts)
    assert len(rows(scan)) == expected
    assert expected > 9
    blank = sum(not text.strip(b" \t\r") for text in texts)
    assert scan.problem_count == len(texts) - expected - blank
