"""The tables of speed of docs/scale.md come from the newest record."""

from __future__ import annotations

import pytest

from helpers.scripts import script

scale_tables = script("scale_tables")


def test_the_page_is_that_of_the_newest_record() -> None:
    page = scale_tables.PAGE.read_text("utf-8")
    assert scale_tables.placed(page, scale_tables.newest()) == page


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="both markers"):
        scale_tables.placed("no table", scale_tables.newest())


def test_rows_are_sorted_and_have_each_library_that_ran() -> None:
    record = scale_tables.newest()
    names = {"duckdb": "DuckDB{}", "snooze": "scan", "nothing": "not there"}
    rows = scale_tables.rates(record, names, ["given log"], shows_version=True)
    assert [row[0].split()[0] for row in rows] == ["scan", "DuckDB"]
    assert scale_tables.table(("", "x"), [("a", "1"), ("b", "")]).splitlines() == [
        "| | x |",
        "|---|--:|",
        "| a | 1 |",
        "| b | |",
    ]
