"""Dask: partitions, and the columns that it pushes down.

The oracle is the list of records that the files were written from.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
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


@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz"])
def test_a_changed_file_is_read_again(tmp_path: Any, name: str) -> None:
    """A cluster keeps results by the names of partitions."""
    path = tmp_path / name

    def frame(value: int, time: int) -> Any:
        text = b'{"a": %d}\n' % value
        path.write_bytes(gzip.compress(text, mtime=0) if name[-1] == "z" else text)
        os.utime(path, ns=(time, time))
        return ADAPTER.dataframe(snooze.scan(path))

    first, again, changed = frame(1, 10**18), frame(1, 10**18), frame(2, 2 * 10**18)
    assert first.expr._name == again.expr._name != changed.expr._name
    assert list(changed.compute()["a"]) == [2]


class Timeless:
    """A file system that says nothing of its file but the contents."""

    text = b""

    def open(self, _path: str, _mode: str) -> io.BytesIO:
        return io.BytesIO(self.text)


def test_files_without_a_time_are_read_again(monkeypatch: Any) -> None:
    def frame(text: bytes) -> Any:
        monkeypatch.setattr(Timeless, "text", text)
        return ADAPTER.dataframe(snooze.scan("a.ndjson", filesystem=Timeless()))

    first, second = frame(b'{"a":1}'), frame(b'{"a":2}')
    assert first.expr._name != second.expr._name
    assert list(second.compute(scheduler="threads")["a"]) == [2]


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
