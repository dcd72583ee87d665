"""Odd results in a report: names that clash in files, peaks below zero.

Separate from test_report.py, which renders a whole run once: each of these has a run of
one table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import report_sample
from snooze_lab.report import words
from snooze_lab.report.page import render

if TYPE_CHECKING:
    from pathlib import Path


def test_tables_whose_names_become_one_have_files_of_their_own(tmp_path: Path) -> None:
    """Letters and digits alone make a file's name, and samples have an ending."""
    found = report_sample.small()
    tables = found["studies"][0]["tables"]
    first = tables[0]
    names = ("a b", "a-b", "a b samples")
    tables[:] = [first | {"name": one, "title": one} for one in names]
    render(tmp_path, found, report_sample.plan(), report_sample.env())
    study = found["studies"][0]["name"]
    files = {one.name for one in (tmp_path / "tables").glob(f"{study}-a-b*")}
    wanted = ("", "-2", "-samples", "-samples-2", "-samples-3", "-samples-samples")
    assert files == {f"{study}-a-b{end}.csv" for end in wanted}


def test_a_peak_below_the_memory_before_it_is_shown_as_none(tmp_path: Path) -> None:
    """Pages that are given back meanwhile make it negative: a bar has no such width."""
    found = report_sample.small()
    table = found["studies"][0]["tables"][0]
    table |= {"unit": "B", "metric": "peak"}
    for line in table["rows"]:
        for cell in line["cells"].values():
            time = cell["quantities"]["time"]
            for metric, value in (("peak", -4096.0), ("tree", 100.0)):
                less = {"value": value, "low": value, "high": value, "unit": "B"}
                cell["quantities"][metric] = time | less
    render(tmp_path, found, report_sample.plan(), report_sample.env())
    zero = words.quantity(0, "B")
    assert f"result {zero}, needed on the way {zero}" in (
        tmp_path / "report.html"
    ).read_text("utf-8")
