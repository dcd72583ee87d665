"""Dask: partitions, and the columns that it pushes down.

The oracle is the list of records that the files were written from.
"""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import pytest

import snooze
from helpers.engine_files import (
    FAILED,
    PART,
    RECORDS,
    ROWS,
    adapter,
    broken,
    pattern,
    plain,
)

__all__ = ("pattern",)  # a fixture
ADAPTER = adapter("dask")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("default")


def test_rows(pattern: str) -> None:
    frame = ADAPTER.dataframe(snooze.scan(pattern), part_bytes=PART)
    assert frame.npartitions > 10
    found = frame.compute(scheduler="threads")
    assert list(found["id"]) == list(range(ROWS))
    table = pa.Table.from_pandas(found, preserve_index=False)
    assert [plain(row) for row in table.to_pylist()] == RECORDS


def test_columns_are_pushed_down(pattern: str) -> None:
    frame = ADAPTER.dataframe(snooze.scan(pattern), part_bytes=PART)
    failed = frame[frame["status"] >= 404][["id", "exact"]]
    found = re.search(
        r"iterables=.* columns=\[([^]]*)\]", _described(failed.optimize())
    )
    assert set(found[1].split(", ")) == {"'exact'", "'id'", "'status'"}
    rows = failed.compute(scheduler="processes").itertuples(index=False)
    assert [(row.id, _value(row.exact)) for row in rows] == FAILED


def test_no_files_no_rows(tmp_path: Any) -> None:
    (tmp_path / "empty.ndjson").touch()
    scan = snooze.scan(str(tmp_path / "*"), snooze.scan(b'{"a": 1}'))
    assert ADAPTER.dataframe(scan).compute().shape == (0, 1)


def test_a_wrong_record_is_named(tmp_path: Any) -> None:
    scan, place = broken(tmp_path)
    with pytest.raises(snooze.ScanError, match=place):
        ADAPTER.dataframe(scan, part_bytes=100_000).compute(scheduler="threads")


def _described(frame: Any) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        frame.pprint()
    return text.getvalue()


def _value(value: Any) -> int | None:
    return None if value is pd.NA else int(value)


def test_rows_without_columns(pattern: str) -> None:
    frame = ADAPTER.dataframe(snooze.scan(pattern, columns=[]), part_bytes=PART)
    assert frame.compute(scheduler="threads").shape == (ROWS, 0)
