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
    found = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    found.dataSource.register(ADAPTER.LinesDataSource)
    yield found
    found.stop()


@pytest.fixture
def pushing(session: Any) -> Any:
    """Allow the session to push filters, which is not its default."""
    session.conf.set(ADAPTER.SETTING, "true")
    yield session
    session.conf.unset(ADAPTER.SETTING)


def read(session: Any) -> Any:
    return session.read.format("snooze").option("partBytes", PART)


def test_rows(session: Any, pattern: str) -> None:
    rows = read(session).load(pattern).collect()
    found = sorted((row.asDict(recursive=True) for row in rows), key=_by_id)
    assert [plain({**row, "big": int(row["big"])}) for row in found] == RECORDS


def failed(session: Any, pattern: str) -> list[tuple[int, int | None]]:
    reader = read(session).option("columns", "id, exact,status")
    rows = reader.load(pattern).filter("status >= 404").collect()
    return sorted((row["id"], row["exact"]) for row in rows)


def test_filters(session: Any, pattern: str) -> None:
    assert session.conf.get(ADAPTER.SETTING) == "false"
    assert failed(session, pattern) == FAILED


def test_filters_of_a_session_that_allows_it(pushing: Any, pattern: str) -> None:
    assert failed(pushing, pattern) == FAILED


def test_a_schema(session: Any, pattern: str) -> None:
    frame = read(session).schema("id long, status int").load(pattern)
    assert frame.count() == ROWS
    found = frame.groupBy("status").count().collect()
    counts = {row["status"]: row["count"] for row in found}
    assert counts == {200: 1000, 404: 1000, 500: 1000}


def wrong_record(folder: Any) -> str:
    """Write a record that is found wrong only where it is read; return the path."""
    path = folder / "a.ndjson"
    lines = b'{"a": 1, "t": "x", "f": 1.5, "c": "wrong"}\n{"a": 2, "t": "y", "c": 1}\n'
    path.write_bytes(lines)
    return str(path)


def test_filters_become_conditions(pushing: Any, tmp_path: Any) -> None:
    path = wrong_record(tmp_path)
    frame = read(pushing).schema("a long, t string, f double, c long").load(path)
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
    found = read(pushing).option("where", "a == 2").option("columns", "t")
    assert [row["t"] for row in found.load(path).collect()] == ["y"]


def test_a_default_session_filters_itself(session: Any, tmp_path: Any) -> None:
    reader = read(session).schema("a long, t string, f double, c long")
    # Spark filters what was read, so the wrong record is read.
    with pytest.raises(Exception, match="at /c"):
        reader.load(wrong_record(tmp_path)).filter("a = 2").collect()


def test_the_option_push_filters(pushing: Any, tmp_path: Any) -> None:
    path = wrong_record(tmp_path)
    reader = read(pushing).schema("a long, t string, f double, c long")
    assert reader.option("pushFilters", "true").load(path).filter("a = 2").count() == 1
    with pytest.raises(Exception, match="at /c"):
        reader.option("pushFilters", "false").load(path).filter("a = 2").collect()
    pushing.conf.set(ADAPTER.SETTING, "false")
    # Spark's own message names the setting.
    with pytest.raises(Exception, match="filterPushdown.enabled"):
        reader.option("pushFilters", "true").load(path).collect()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("colums", "id", "expected one of the options path, columns"),
        ("errors", "drop", "errors: expected 'raise'"),
        ("columns", "nope", "columns: no record has 'nope'"),
        (
            "pushFilters",
            "yes",
            "pushFilters: expected auto, true or false; found 'yes'",
        ),
    ],
)
def test_wrong_options(
    session: Any, pattern: str, name: str, value: str, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        read(session).option(name, value).load(pattern).count()


def _by_id(row: dict[str, Any]) -> int:
    return row["id"]
