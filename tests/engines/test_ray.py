"""Ray Data: tasks, and what is pushed into them.

The oracle is the list of records that the files were written from.
"""

from __future__ import annotations

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
ADAPTER = adapter("ray")
ray = pytest.importorskip("ray")
col = pytest.importorskip("ray.data.expressions").col
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Any:
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    yield
    ray.shutdown()


@pytest.fixture
def data(pattern: str) -> Any:
    return ADAPTER.dataset(snooze.scan(pattern), part_bytes=PART)


def test_rows(data: Any) -> None:
    found = sorted(data.take_all(), key=lambda row: row["id"])
    assert [plain(row) for row in found] == RECORDS


def test_pushdown(data: Any) -> None:
    failed = data.filter(expr=col("status") >= 404)
    assert failed.count() == len(FAILED)
    rows = failed.select_columns(["exact", "id"]).take_all()
    assert sorted((row["id"], row["exact"]) for row in rows) == FAILED
    assert failed.limit(7).count() == 7


def test_rows_without_columns(data: Any) -> None:
    assert data.count() == ROWS
    assert data.select_columns([]).count() == ROWS
    assert data.limit(5).count() == 5
    assert data.select_columns(["id"]).sum("id") == sum(range(ROWS))


def test_tasks_read_what_is_wanted(pattern: str, tmp_path: Any) -> None:
    source = ADAPTER.LinesDatasource(snooze.scan(pattern), part_bytes=PART)
    narrow = source.apply_projection({"id": "id"}).apply_predicate(col("flag"))
    tasks = narrow.get_read_tasks(2)
    assert len(tasks) > 10
    rows = [row for task in tasks for block in task() for row in block.to_pylist()]
    assert rows == [{"id": one["id"]} for one in RECORDS if one["flag"]]
    # A wrong record is only found where it is read.
    path = tmp_path / "wrong.ndjson"
    path.write_bytes(b'{"a": 1, "b": "x", "c": "wrong"}')
    schema = snooze.scan(b'{"a": 1, "b": "x", "c": 1}')
    wrong = ADAPTER.LinesDatasource(snooze.scan(str(path), schema))
    for predicate in (
        col("a") == 2,
        (col("b") == "y") & (col("a") + 1 == 2),
        ~(col("a") == 1),
        col("a").is_null(),
        (col("a") == 2) | col("b").is_in(["y", "z"]),
    ):
        [task] = wrong.apply_predicate(predicate).get_read_tasks(1)
        assert list(task()) == []
    [task] = wrong.apply_predicate(col("a") + 1 == 3).get_read_tasks(1)
    with pytest.raises(snooze.ScanError, match="at /c"):
        list(task())
    limited = source.get_read_tasks(2, per_task_row_limit=3)
    assert [sum(block.num_rows for block in task()) for task in limited[:2]] == [3, 3]


def test_a_wrong_record_is_named(tmp_path: Any) -> None:
    scan, place = broken(tmp_path)
    with pytest.raises(Exception, match=place):
        ADAPTER.dataset(scan, part_bytes=100_000).materialize()
