"""Spark 4: partitions, types and options of the data source.

The oracle is the list of records that the files were written from.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import pytest

from helpers.engine_files import FAILED, PART, RECORDS, ROWS, adapter, pattern, plain

__all__ = ("pattern",)  # a fixture
ADAPTER = adapter("spark")
sql = pytest.importorskip("pyspark.sql")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def session() -> Any:
    if shutil.which("java") is None:
        pytest.skip("Java is not installed: NOT tested")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.python.filterPushdown.enabled", "true")
    found = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    found.dataSource.register(ADAPTER.LinesDataSource)
    yield found
    found.stop()


def read(session: Any) -> Any:
    return session.read.format("snooze").option("partBytes", PART)


def test_rows(session: Any, pattern: str) -> None:
    rows = read(session).load(pattern).collect()
    found = sorted((row.asDict(recursive=True) for row in rows), key=_by_id)
    assert [plain({**row, "big": int(row["big"])}) for row in found] == RECORDS


def test_filters(session: Any, pattern: str) -> None:
    reader = read(session).option("columns", "id, exact,status")
    rows = reader.load(pattern).filter("status >= 404").collect()
    assert sorted((row["id"], row["exact"]) for row in rows) == FAILED


def test_a_schema(session: Any, pattern: str) -> None:
    frame = read(session).schema("id long, status int").load(pattern)
    assert frame.count() == ROWS
    found = frame.groupBy("status").count().collect()
    counts = {row["status"]: row["count"] for row in found}
    assert counts == {200: 1000, 404: 1000, 500: 1000}


def test_filters_become_conditions(session: Any, tmp_path: Any) -> None:
    # A wrong record is only found where it is read.
    path = tmp_path / "a.ndjson"
    lines = b'{"a": 1, "t": "x", "f": 1.5, "c": "wrong"}\n{"a": 2, "t": "y", "c": 1}\n'
    path.write_bytes(lines)
    frame = read(session).schema("a long, t string, f double, c long").load(str(path))
    for condition, rows in (
        ("a = 2", 1),
        ("a > 1 AND t = 'y'", 1),
        ("t LIKE 'y%'", 1),
        ("a IN (2, 3)", 1),
        ("f IS NULL", 1),
        ("f > 2.5", 0),
        ("NOT a = 1", 1),
        ("a = 2 AND a % 2 = 1", 0),
    ):
        assert frame.filter(condition).count() == rows, condition
    with pytest.raises(Exception, match="at /c"):
        frame.filter("a % 2 = 0").collect()
    found = read(session).option("where", "a == 2").option("columns", "t")
    assert [row["t"] for row in found.load(str(path)).collect()] == ["y"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("colums", "id", "expected one of the options path, columns"),
        ("errors", "drop", "errors: expected one of"),
        ("columns", "nope", "columns: no record has 'nope'"),
    ],
)
def test_wrong_options(
    session: Any, pattern: str, name: str, value: str, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        read(session).option(name, value).load(pattern).count()


def _by_id(row: dict[str, Any]) -> int:
    return row["id"]
