"""`Scan.select` and the parts that adapters read.

Separate from the tests of engines, of which these need none but pyarrow.
"""

from __future__ import annotations

import pytest

import snooze
from helpers.engine_files import PART, RECORDS, ROWS, pattern

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: NOT tested")
__all__ = ("pattern",)  # a fixture


def test_parts_are_small(pattern: str) -> None:
    parts = snooze.scan(pattern).splits(PART)
    assert len(parts) > 10


def test_select(pattern: str) -> None:
    scan = snooze.scan(pattern)
    chosen = scan.select(["status", "id"])
    assert pa.table(chosen).equals(pa.table(scan).select(["status", "id"]))
    assert pa.table(chosen.select(["id"])).column_names == ["id"]
    assert sum(map(len, scan.select([]))) == ROWS
    assert list(scan.columns) == list(RECORDS[0])
