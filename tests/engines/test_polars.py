"""Polars: what it pushes down changes no result.

The oracle is the list of records that the files were written from.
"""

from __future__ import annotations

from typing import Any

import pytest

import snooze
from helpers.engine_files import PART, ROWS, adapter, pattern

__all__ = ("pattern",)  # a fixture
ADAPTER = adapter("polars")
pl = pytest.importorskip("polars")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def frames(pattern: str) -> tuple[Any, Any]:
    """The lazy frame, and the whole one."""
    scan = snooze.scan(pattern, batch_bytes=PART)
    return ADAPTER.lazy_frame(scan), pl.DataFrame(scan)


def test_rows(frames: tuple[Any, Any]) -> None:
    lazy, whole = frames
    assert lazy.collect().equals(whole)
    assert whole.height == ROWS
    assert lazy.collect_schema() == whole.schema


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 1500, ROWS, 10 * ROWS])
def test_limits_and_filters(
    frames: tuple[Any, Any], rows: int, streaming: bool
) -> None:
    late = pl.col("id") > ROWS - 10
    how = "streaming" if streaming else "in-memory"
    for query in (
        lambda frame: frame.head(rows),
        lambda frame: frame.head(rows).filter(late),
        lambda frame: frame.filter(late).head(rows),
        lambda frame: frame.filter(late).select("name").slice(3, rows),
        lambda frame: frame.slice(5, rows).select("exact", "id"),
        lambda frame: frame.tail(rows),
        lambda frame: frame.filter(late & pl.col("exact").is_null()),
        lambda frame: frame.filter(late).select(pl.len()),
    ):
        assert query(frames[0]).collect(engine=how).equals(query(frames[1]))


def test_only_some_columns_are_read(tmp_path: Any) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(b'{"a": 1, "b": 2}\n{"a": 3, "b": "x"}\n')
    schema = snooze.scan(b'{"a": 1, "b": 2}')
    frame = ADAPTER.lazy_frame(snooze.scan(str(path), schema))
    assert frame.select("a").collect().rows() == [(1,), (3,)]
    with pytest.raises(Exception, match="expected int64, found string .* at /b"):
        frame.collect()


def test_the_rest_survives() -> None:
    schema = snooze.scan(b'{"a": 1, "b": 2}')
    scan = snooze.scan(b'{"a": 1, "b": 2, "c": 3}', schema, drift="rest")
    found = ADAPTER.lazy_frame(scan).select("_rest").collect()
    assert found.equals(pl.DataFrame(scan).select("_rest"))
