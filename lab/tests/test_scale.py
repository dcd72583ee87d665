"""The study `scale`, without the engines: its files, contests, goals and judgements."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

from snooze_lab.planning import plan, prepare
from snooze_lab.scale import drift, goals, lines, study


@pytest.mark.parametrize("kind", ["log", "gh"])
def test_the_files_have_what_is_said_of_them(kind, tmp_path):
    path = lines.make(tmp_path, kind, 1)
    text = path.read_bytes()
    assert 1_000_000 <= len(text) < 1_010_000
    records = [json.loads(line) for line in text.splitlines()]
    column, values = lines.WHERE[kind]
    chosen = [one for one in records if one[column] in values]
    assert 0 < len(chosen) < len(records) / 20
    name = lines.SUMMED[kind]
    assert json.loads(path.with_suffix(".json").read_text()) == {
        "rows": len(records),
        "sum": sum(int(one[name]) for one in records),
        "where rows": len(chosen),
        "where sum": sum(int(one[name]) for one in chosen),
    }
    assert gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes()) == text
    assert set(lines.THREE[kind]) <= records[0].keys()


def test_it_runs_only_when_it_is_named():
    assert "scale" not in [one.name for one, _ in plan.chosen([], "smoke")]
    chosen = plan.chosen(["scale"], "smoke")
    assert prepare.ready(chosen, None, pytest.fail) == chosen
    [(found, tables)] = chosen
    assert found.alone
    names = {name for table in tables for name in table.contests[0].contenders}
    assert {"snooze", "polars", "ray snooze", "ray"} <= names


def test_absent_libraries_are_named():
    [(_, tables)] = plan.chosen(["scale"], "smoke", ["scale/all/log"])
    [contest] = tables[0].contests
    found = study.verdicts([contest], study.Readers(sys.executable))[contest.id]
    assert found["snooze"]["status"] == "ok"
    assert found["chdb"]["status"] == "absent"
    assert "not installed" in found["chdb"]["reason"]


def test_a_worker_that_cannot_start_is_a_failed_sample(tmp_path, monkeypatch):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    request = {"task": "time", "operation": "all", "contender": "snooze"}
    readers = study.Readers(str(tmp_path / "nothing"))
    found = readers(request | {"workload": "log?megabytes=1"})
    assert found["status"] == "failed"
    assert "nothing" in found["error"]


def test_goals_take_the_best_rival():
    def cell(seconds, **more):
        return {"cpu_s": seconds, "wall_s": seconds, "text_mb": 100.0} | more

    found = {
        "given log": {
            "snooze": cell(1.0, peak_mb=150.0, result_mb=80.0),
            "polars": cell(5.0),
            "duckdb": cell(4.0),
            "chdb": {"not_run": "is not installed"},
        },
        "given log 2": {"snooze": cell(0.5)},
        "write gh": {"snooze": cell(1.0), "polars": cell(3.5)},
    }
    judged = {one["goal"]: one for one in goals.goals(found)}
    missed = judged["all columns, all given, to the best, log"]
    assert (missed["found"], missed["of"], missed["met"]) == (4.0, "duckdb", False)
    assert judged["write_lines, to the best, gh"]["met"]
    assert judged["two threads, to one, log"]["found"] == 2.0
    assert not judged["memory beside the result, log"]["met"]
    assert len(judged) == 4


@pytest.mark.parametrize(
    ("found", "wanted", "same"),
    [
        ({"a": 1, "late": None}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "late": 7}, False),
        (1500, 1500.5, False),
        (2.0**53, 2**53 + 1, False),
        ('{"b": 1}', {"b": 1}, True),
        ("1", "x", False),
        ([("b", 1)], {"b": 1}, True),
        ([1, "x"], [1, "x"], True),
        ([1], [1, 2], False),
        (True, 1, False),
        ("\0", "\ud800", False),
    ],
)
def test_values_are_equal_exactly(found, wanted, same):
    assert drift._same(found, wanted) is same
