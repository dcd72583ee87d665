"""Wrong records that are kept: `errors="collect"`.

Separate because the promise is its own: each record is a row or is kept with its text,
and memory is bounded.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.arrow_rows import StreamError
from helpers.arrow_rows import rows as rows_of

SCHEMA = snooze.scan(b'{"a": 1}')


def test_text_and_place(tmp_path: Any) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(b'{"a": 1}\n{"a": "x"}\n\n{"a": 2}\n[3]\n{"a": \xff}')
    scan = snooze.scan(str(path), SCHEMA, errors="collect", threads=1)
    assert rows_of(scan) == [{"a": 1}, {"a": 2}]
    assert scan.problem_count == 3
    first, second, third = scan.problems
    assert first == (str(path), 2, 15, "/a", "int64", 'string "x"', b'{"a": "x"}')
    assert (second.line, second.offset, second.text) == (5, 30, b"[3]")
    assert (third.line, third.offset, third.text) == (6, 40, b'{"a": \xff}')
    assert pickle.loads(pickle.dumps(scan.problems)) == scan.problems


def test_other_policies_keep_no_text() -> None:
    scan = snooze.scan(b'{"a": "x"}', SCHEMA, errors="skip")
    assert rows_of(scan) == []
    assert scan.problems[0].text is None


def test_more_than_a_thousand() -> None:
    lines = b'{"a": 1}\nwrong\n' * 3000
    for threads in (1, 3):
        options: Any = {"threads": threads, "batch_bytes": 5000}
        scan = snooze.scan(lines, SCHEMA, errors="collect", **options)
        assert len(rows_of(scan)) == 3000
        assert [one.line for one in scan.problems] == list(range(2, 6001, 2))
        assert {one.text for one in scan.problems} == {b"wrong"}


@pytest.mark.parametrize("batch_bytes", [1 << 20, 1 << 30])
def test_memory_is_bounded(batch_bytes: int) -> None:
    # One piece that needs too much, and many that do so together.
    lines = (b'{"a": "' + b"x" * (1 << 20) + b'"}\n') * 65
    options: Any = {"batch_bytes": batch_bytes, "threads": 1}
    scan = snooze.scan(lines, SCHEMA, errors="collect", **options)
    with pytest.raises(snooze.ScanError, match="need more than 64 MiB") as found:
        list(scan)
    assert found.value.problem is None
    with pytest.raises(StreamError, match="need more than 64 MiB"):
        rows_of(snooze.scan(lines, SCHEMA, errors="collect", **options))
    scan = snooze.scan(lines[: -(2 << 20)], SCHEMA, errors="collect", **options)
    assert rows_of(scan) == []
    # 63 lines, and the start of one.
    assert scan.problem_count == 64


def test_conditions() -> None:
    lines = b'{"a": "x", "b": 1}\n{"a": 2, "b": "y"}\n{"a": 3, "b": "z"}\n{"a'
    schema = snooze.scan(b'{"a": 1, "b": 1}')
    scan = snooze.scan(lines, schema, errors="collect", where="a == 3")
    assert rows_of(scan) == []
    assert [one.line for one in scan.problems] == [1, 3, 4]
    assert [one.text for one in scan.problems][2] == b'{"a'


values = st.sampled_from(["1", "-7", "null", '"x"', "[1]", "1.5", "nul", "{}"])


@given(st.lists(values, max_size=12), st.integers(1, 50), st.sampled_from([1, 3]))
def test_each_record_is_a_row_or_is_kept(
    written: list[str], batch_bytes: int, threads: int
) -> None:
    lines = [f'{{"a": {value}}}' for value in written]
    text = "\n".join(lines).encode()
    options: Any = {"batch_bytes": batch_bytes, "threads": threads}
    scan = snooze.scan(text, SCHEMA, errors="collect", **options)
    good = [line for line, value in zip(lines, written, strict=True) if fits(value)]
    assert rows_of(scan) == [json.loads(line) for line in good]
    kept = [one.text.decode() for one in scan.problems if one.text is not None]
    assert kept == [line for line in lines if line not in good]
    for one in scan.problems:
        assert one.text is not None
        start = text.rfind(b"\n", 0, one.offset) + 1
        assert text[start:].startswith(one.text)


def fits(value: str) -> bool:
    return value in {"1", "-7", "null"}
