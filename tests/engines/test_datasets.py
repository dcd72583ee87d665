"""Hugging Face datasets: the cache and the stream.

The oracle is the list of records that the files were written from.
"""

from __future__ import annotations

from typing import Any

import pytest

import snooze
from helpers.engine_files import PART, RECORDS, adapter, pattern, plain

__all__ = ("pattern",)  # a fixture
ADAPTER = adapter("datasets")
pytestmark = pytest.mark.filterwarnings("default")


def test_rows(pattern: str, tmp_path: Any) -> None:
    scan = snooze.scan(pattern)
    found = ADAPTER.dataset(scan, part_bytes=PART, cache_dir=tmp_path)
    assert [plain(row) for row in found] == RECORDS
    stream = ADAPTER.iterable_dataset(scan, part_bytes=PART)
    assert stream.num_shards > 10
    assert [plain(row) for row in stream] == RECORDS


def test_changed_files_are_read_again(tmp_path: Any) -> None:
    path = tmp_path / "a.ndjson"
    for rows in (1, 2):
        path.write_bytes(b'{"a": 1}\n' * rows)
        found = ADAPTER.dataset(snooze.scan(str(path)), cache_dir=tmp_path / "cache")
        assert found.num_rows == rows


def test_no_rows(tmp_path: Any) -> None:
    """A scan without a record, and one of which no record passes."""
    path = tmp_path / "a.ndjson"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    none = ADAPTER.dataset(snooze.scan(path, where="a > 5"), cache_dir=tmp_path)
    assert (none.num_rows, none.column_names, none.split) == (0, ["a"], "train")
    for text in (b"\n", b""):
        path.write_bytes(text)
        assert ADAPTER.dataset(snooze.scan(path), cache_dir=tmp_path).num_rows == 0
        assert list(ADAPTER.iterable_dataset(snooze.scan(path))) == []


def test_rows_without_columns_are_not_lost(tmp_path: Any) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    scan = snooze.scan(path, columns=[])
    with pytest.raises(ValueError, match="found 2 rows without any"):
        list(ADAPTER.iterable_dataset(scan))
    with pytest.raises(ValueError, match="found 2 rows without any"):
        ADAPTER.dataset(scan, cache_dir=tmp_path)
