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


def predicates() -> list[Any]:
    """Return predicates, those that become conditions first."""
    col = pl.col
    return [
        col("id") == 7,
        (col("id") > 10) & (col("status") != 404),
        (pl.lit(10) >= col("id")) | col("exact").is_null(),
        col("name").str.starts_with("näme-3") & ~col("flag"),
        col("name") == "",
        col("name").is_in(["näme-1", None]),
        col("id").is_in([1, 2, 5000]),
        col("flag") & (col("status") == 500),
        col("exact").is_not_null() & (col("exact") > 2**60 + 10),
        col("big") > 5,
        # What follows is left to Polars, at least in part.
        ~col("id").is_in([1, 2]),
        col("id").is_between(5, 9),
        (col("id") % 7 == 3) & (col("status") == 404),
        col("id") > 1499.5,
        col("exact") == 2.0**60,
        col("big") == 2**63 + 5,
        col("at").struct.field("x") > 700,
        col("name").str.contains("5") | (col("id") < 3),
        col("id") == col("status"),
        pl.lit(False),
        col("exact").eq_missing(None),
        col("name") > "näme-4",
    ]


@pytest.mark.parametrize("number", range(22))
@pytest.mark.parametrize("streaming", [False, True])
def test_predicates(frames: tuple[Any, Any], number: int, streaming: bool) -> None:
    predicate = predicates()[number]
    lazy, whole = frames
    how = "streaming" if streaming else "in-memory"
    assert lazy.filter(predicate).collect(engine=how).equals(whole.filter(predicate))
    few = lazy.filter(predicate).select("id").head(3).collect(engine=how)
    assert few.equals(whole.filter(predicate).select("id").head(3))


def test_comparisons_become_conditions() -> None:
    # A wrong record is only found where it is read.
    schema = snooze.scan(b'{"a": 1, "t": "x", "f": 1.5, "b": true, "c": 1}')
    line = b'{"a": 1, "t": "x", "f": 1.5, "b": true, "c": "wrong"}'
    frame = ADAPTER.lazy_frame(snooze.scan(line, schema))
    col = pl.col
    for predicate in (
        col("a") == 2,
        col("t") == "y",
        col("f") < 1,
        ~col("b"),
        col("a").is_null(),
        col("t").str.starts_with("y"),
        col("a").is_in([5, 6]),
        (col("a") == 2) & (col("a") % 2 == 1),
        (col("a") == 2) | (col("a") == 3),
    ):
        assert frame.filter(predicate).collect().height == 0
    with pytest.raises(Exception, match="found string .* at /c"):
        frame.filter(col("a") % 2 == 0).collect()


@pytest.mark.parametrize("number", [1, 7])
@pytest.mark.parametrize("rows", [b"", b'{"s": "a", "i": 1}\n{"s": "b", "i": 2}'])
def test_errors_of_a_query(number: int, rows: bytes) -> None:
    """A query that is an error is one, even where a condition leaves no rows."""
    scan = snooze.scan(rows, snooze.scan(b'{"s": "a", "i": 1}'))
    wrong = (pl.col("s") > 0) & (pl.col("i") == number)
    for frame in (pl.DataFrame(scan).lazy(), ADAPTER.lazy_frame(scan)):
        with pytest.raises(pl.exceptions.ComputeError, match="compare"):
            frame.filter(wrong).collect()


@pytest.mark.parametrize("streaming", [False, True])
def test_queries_without_rows(frames: tuple[Any, Any], streaming: bool) -> None:
    how = "streaming" if streaming else "in-memory"
    for query in (
        lambda frame: frame.filter(pl.col("id") == -1),
        lambda frame: frame.filter(pl.col("id") == -1).select("name"),
        lambda frame: frame.filter(pl.col("id") == -1).select(pl.len()),
        lambda frame: frame.filter(pl.col("id") == -1).group_by("name").len(),
    ):
        assert query(frames[0]).collect(engine=how).equals(query(frames[1]))


def test_a_limited_scan() -> None:
    scan = snooze.scan(b'{"a": 0}\n{"a": 1}\n{"a": 1}', limit=2)
    frame = ADAPTER.lazy_frame(scan)
    assert frame.filter(pl.col("a") == 1).collect().height == 1
    assert frame.head(3).collect().height == 2


def test_the_rest_survives() -> None:
    schema = snooze.scan(b'{"a": 1, "b": 2}')
    scan = snooze.scan(b'{"a": 1, "b": 2, "c": 3}', schema, drift="rest")
    found = ADAPTER.lazy_frame(scan).select("_rest").collect()
    assert found.equals(pl.DataFrame(scan).select("_rest"))


@pytest.mark.parametrize("errors", ["skip", "null", "collect"])
def test_wrong_records_are_found_in_the_scan(errors: str) -> None:
    """Whatever columns and rows a query reads; those that it does not read are right."""
    text = b'{"a": 1, "b": 1}\n{"a": "x", "b": 1}\n{"a": 2, "b": "x"}\n{"a": 3}'
    schema = snooze.scan(b'{"a": 1, "b": 2}')
    scan = snooze.scan(text, schema, errors=errors)
    frame = ADAPTER.lazy_frame(scan)
    for query, lines in (
        (frame, [2, 3]),
        (frame.select("a"), [2]),
        (frame.select("b"), [3]),
        (frame.head(2).select("a"), [2]),
        (frame.filter(pl.col("b") == 1).select("a"), [2, 3]),
        (frame.filter(pl.col("a") == 1), [2]),
        (frame, [2, 3]),
    ):
        query.collect()
        assert [problem.line for problem in scan.problems] == lines, query
        assert scan.problem_count == len(lines)
