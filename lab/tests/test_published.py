"""The published results of the seeds: complete, corrected, and linked to our tables."""

from __future__ import annotations

import math

import pytest

from snooze_lab import published
from snooze_lab.model import AGAIN
from snooze_lab.native import build
from snooze_lab.native.study import TABLE
from snooze_lab.planning import plan

SEED = """
name = "s999"
title = "A seed"
source = "nobody"
year = 2001
machine = "none"
versions = ["1"]

[[table]]
name = "one"
title = "One"
status = "published"
columns = ["library", "time"]
units = ["", "ms"]
rows = [["json", 1.5], ["other", ""], ["none", 0]]

[[correction]]
table = "one"
row = "json"
column = "time"
published = 1.5
corrected = 2
why = "misadded"

[[finding]]
claim = "a"
seed_says = "b"
why_different = "c"
answered_by = [
    { table = "t", workload = "w", operation = "loads", contender = "x", baseline = "y" },
]
"""
ALL = ("s000", "s001", "s002", "s003", "s004")


def test_a_seed_is_read():
    found = published.parse(SEED, "here")
    [table] = found.tables
    assert table.rows == (("json", 1.5), ("other", ""), ("none", 0.0))
    assert found.corrections[0].corrected == 2
    assert found.findings[0].answered_by[0].quantity == "time"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("year = 2001", "", 'expected member "year", found none'),
        ("year = 2001", "year = true", "expected int, found bool"),
        ("year = 2001", 'year = 2001\nmonth = "May"', 'expected no member "month"'),
        ('["json", 1.5]', '["json", true]', "found bool at .*table.0..rows.0..1"),
        (
            'status = "published"',
            'status = "measured"',
            "expected 'published' or 'cited', found 'measured'",
        ),
        (
            'baseline = "y"',
            'baseline = "y", quantity = "luck"',
            "found 'luck' at .*answered_by",
        ),
        (', baseline = "y"', "", 'expected member "baseline", found none'),
        ('claim = "a"', "claim = 1", "expected str, found int at .*claim"),
        ("[[table]]", "[[table]", "here: "),
    ],
)
def test_what_is_not_as_it_must_be_is_refused(old, new, reason):
    assert SEED.count(old) == 1
    with pytest.raises(published.PublishedError, match=reason):
        published.parse(SEED.replace(old, new), "here")


@pytest.mark.parametrize("name", ALL)
def test_tables_are_whole_and_corrections_are_of_their_numbers(name):
    seed = published.load(name)
    assert len({one.name for one in seed.tables}) == len(seed.tables)
    for table in seed.tables:
        assert len(set(table.columns)) == len(table.columns) == len(table.units)
        assert table.units[0] == "", "the first column names the row"
        names = [row[0] for row in table.rows]
        assert len(set(names)) == len(names)
        assert table.measured.keys() <= set(table.columns)
        for one in table.measured.values():
            assert bool(one.tables) != (one.quantity == "files")
        for row in table.rows:
            for cell, unit in zip(row, table.units, strict=True):
                is_number = not isinstance(cell, str)
                assert cell == "" or is_number == bool(unit), (table.name, row)
                assert not is_number or math.isfinite(cell)
    there = {row[0] for table in seed.tables for row in table.rows}
    assert seed.names.keys() <= there
    for one in seed.corrections:
        assert column(name, one.table, one.column)[one.row] == one.published


def test_all_seeds_are_there():
    assert tuple(published.names()) == ALL
    assert published.load("s000_energy").name == "s000"
    with pytest.raises(published.PublishedError, match="s000, s001"):
        published.load("s005")


@pytest.mark.parametrize("name", ALL)
def test_columns_and_answers_are_in_the_studies(name):
    study = plan.find(name)
    tables = {one["name"]: one for one in study.tables}
    seed = published.load(name)
    for table in seed.tables:
        for one in table.measured.values():
            assert set(one.tables) <= {*tables, TABLE}
    for finding in seed.findings:
        for answer in finding.answered_by:
            if answer.table == TABLE:
                names = {
                    *build.RUST,
                    *(n for one in build.LIBRARIES for n in one.contenders),
                }
                assert {answer.contender, answer.baseline} <= names
                continue
            table = tables[answer.table]
            assert answer.operation == table["operation"]
            places = [table, *(table[one] for one in plan.PROFILES if one in table)]
            assert any(answer.workload in one.get("workloads", ()) for one in places)
            assert {answer.contender, answer.baseline} <= {*table["contenders"], AGAIN}


@pytest.mark.parametrize("name", ALL)
def test_the_standard_profile_can_answer(name):
    """What a run of the usual size measures answers at least one finding of each seed."""
    measured = {
        (table.name, contest.workload)
        for table in plan.find(name).of("standard")
        for contest in table.contests
    }
    answers = [
        (answer.table, answer.workload)
        for finding in published.load(name).findings
        for answer in finding.answered_by
    ]
    assert measured & set(answers)


def column(name: str, table: str, column: str) -> dict[str, float]:
    [found] = [one for one in published.load(name).tables if one.name == table]
    place = found.columns.index(column)
    return {row[0]: row[place] for row in found.rows}


def test_the_totals_of_s003_are_sums_or_corrected():
    decoding, encoding, total = (
        column("s003", "seconds", one) for one in ("decoding", "encoding", "total")
    )
    corrected = {one.row: one.corrected for one in published.load("s003").corrections}
    for library, value in total.items():
        wanted = corrected.get(library) or value
        if library == "msgpack":
            wanted = value
        assert decoding[library] + encoding[library] == pytest.approx(
            wanted, abs=0.0051
        )
    assert corrected["ujson"] == 4.38
    assert total["ujson"] == 4.20


def test_the_sizes_of_s003_agree_in_both_units():
    small, large = column("s003", "sizes", "size"), column("s003", "sizes", "size in M")
    for name in small:
        assert abs(small[name] / 1_024 - large[name]) < 1


@pytest.mark.parametrize(
    ("table", "kilobytes"),
    [
        ("twitter-ice-lake", 81),
        ("twitter-apple", 81),
        ("citm-ice-lake", 476),
        ("citm-apple", 477),
    ],
)
def test_throughput_and_time_of_s004_are_of_one_payload(table, kilobytes):
    rate, time = column("s004", table, "throughput"), column("s004", table, "time")
    for library in rate:
        assert rate[library] * time[library] == pytest.approx(kilobytes, rel=0.015)


@pytest.mark.parametrize("table", ["numpy-float64", "numpy-int32", "numpy-bool"])
def test_the_ratios_of_s001s_arrays_are_those_of_their_times(table):
    latency, ratio = (
        column("s001", table, "latency"),
        column("s001", table, "vs. orjson"),
    )
    for library, value in latency.items():
        if value != "":
            assert value / latency["orjson"] == pytest.approx(ratio[library], abs=0.1)
    assert latency["ujson"] == ""


@pytest.mark.parametrize("operation", ["loads", "dumps"])
@pytest.mark.parametrize("document", ["twitter", "github", "citm_catalog", "canada"])
def test_the_latencies_and_rates_of_s001_agree(document, operation):
    table = f"latency-{document}-{operation}"
    latency, rate = (
        column("s001", table, one) for one in ("median latency", "operations")
    )
    for library in latency:
        # Rounded to one digit, and a median against a mean.
        assert latency[library] * rate[library] / 1_000 == pytest.approx(1, rel=0.25)


def test_the_energies_of_s000_are_powers_times_durations():
    duration, power, energy = (
        column("s000", "groups", one) for one in ("duration", "power", "cpu energy")
    )
    for group in duration:
        assert duration[group] * power[group] == pytest.approx(energy[group], rel=0.01)


def test_what_cannot_be_measured_is_cited():
    tables = {one.name: one for one in published.load("s004").tables}
    assert {one.status for one in tables.values()} == {"cited"}
    assert "aarch64" in tables["twitter-ice-lake"].note
