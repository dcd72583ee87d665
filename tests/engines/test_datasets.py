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
