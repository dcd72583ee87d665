"""Published tables with the figures of a run in the columns beside them."""

from __future__ import annotations

import dataclasses

import pytest

from snooze_lab import published
from snooze_lab.model import Effect, Estimate, Row
from snooze_lab.native import build
from snooze_lab.native.study import TABLE
from snooze_lab.planning import plan
from snooze_lab.published import beside
from snooze_lab.stored import samples
from snooze_lab.stored.results_types import Conformance
from snooze_lab.stored.samples import Derived
from typed_results import typed

ALL = ("s000", "s001", "s002", "s003", "s004")


def cell(name, time, ratio=None, **others):
    quantities = {"time": time} | others
    effects = {"isolated": {"time": {"ratio": ratio}}} if ratio else {}
    return {
        "contender": name,
        "status": "ok",
        "effects": effects,
        "quantities": {key: {"value": value} for key, value in quantities.items()},
    }


def results(tables, study="s001_tables", baseline="orjson"):
    """Return results of one study: by table, its rows of (workload, bytes, cells)."""
    made = [
        {
            "name": name,
            "baseline": baseline,
            "rows": [
                {
                    "workload": workload,
                    "operation": "dumps",
                    "factors": {},
                    "bytes": size,
                    "cells": {one["contender"]: one for one in cells},
                }
                for workload, size, cells in rows
            ],
        }
        for name, rows in tables.items()
    ]
    return {"studies": [{"name": study, "tables": made}]}


def table(seed, name, found):
    whole, made = published.load(seed), typed(found)
    tables = beside.tables(whole, made.studies, made.conformance)
    (one,) = [
        one for one, of in zip(tables, whole.tables, strict=True) if of.name == name
    ]
    return one


def test_measured_figures_are_beside_the_published_ones_in_their_units():
    cells = [
        cell("orjson", 140_000.0),
        cell("snooze", 70_000.0, 2.0),
        cell("json", 2_800_000.0, 0.05),
        cell("orjson again", 1.0, 1.0),
    ]
    found = results({"latency-twitter-dumps": [("twitter", 466_906, cells)]})
    one = table("s001", "latency-twitter-dumps", found)
    assert one.title == "twitter.json serialization (published, 2024)"
    assert one.head == (
        "library",
        "median latency (ms)",
        "here",
        "operations (1/s)",
        "here",
        "relative",
        "here",
    )
    rows = {row[0]: row[1:] for row in one.rows}
    assert rows["orjson"] == ("0.1", "0.140", "8,377", "7,140", "1", "1.00")
    assert rows["json"] == ("1.4", "2.80", "744", "357", "11.3", "20.0")
    assert rows["ujson"] == ("0.9", "-", "1,088", "-", "7.3", "-")
    assert rows["snooze"] == ("-", "0.0700", "-", "14,300", "-", "0.500")
    assert "orjson again" not in rows
    assert "Here: dumps of twitter (466,906 bytes)." in one.notes


def test_ratios_keep_the_seeds_own_baseline():
    """In a report relative to another contender too."""
    cells = [
        cell("orjson", 140_000.0, 20.0),
        cell("snooze", 70_000.0, 40.0),
        cell("json", 2_800_000.0),
    ]
    for one in cells:
        for found in one["effects"].values():
            found["time"]["baseline"] = "json"
    rows = {"latency-twitter-dumps": [("twitter", 466_906, cells)]}
    one = table("s001", "latency-twitter-dumps", results(rows, baseline="json"))
    shown = {row[0]: row[-1] for row in one.rows if row[-1] != "-"}
    assert shown == {"orjson": "1.00", "snooze": "0.500", "json": "20.0"}


def test_columns_without_a_measurement_are_left_out():
    cells = [cell("orjson", 140_000.0)]
    found = results({"latency-github-dumps": [("github", 52_000, cells)]})
    one = table("s001", "indent-github", found)
    assert one.head == ("library", "compact (ms)", "here", "pretty (ms)", "vs. orjson")


def test_tables_are_summed_and_other_names_found():
    def cells(scale):
        return [cell("json", 2e9 * scale), cell("pickle2", 1e9 * scale)]

    found = results(
        {
            "loads": [("feeds", 9, cells(1.0)), ("few feeds", 3, cells(9.0))],
            "dumps": [("feeds", 9, cells(2.0))],
        },
        "s003_feeds",
        "json",
    )
    one = table("s003", "seconds", found)
    rows = {row[0]: row[1:] for row in one.rows}
    # The largest workload counts; cPickle is our pickle2.
    assert rows["json"] == ("6.83", "2.00", "3.33", "4.00", "10.16", "6.00")
    assert rows["cPickle"] == ("3.86", "1.00", "4.81", "2.00", "8.67", "3.00")
    assert "pickle2" not in rows
    assert any("4.2 should be 4.38" in note for note in one.notes)


def test_throughput_is_bytes_of_the_document_of_the_named_workload():
    cells = [cell("serde_json (Rust)", 60_000.0)]
    rows = [("twitter", 81_000, cells), ("citm", 476_000, cells)]
    one = table("s004", "twitter-apple", results({"native": rows}, "s004_structs"))
    rows = {row[0]: row[1:] for row in one.rows}
    assert rows["Serde (Rust)"] == ("1.32", "1.35", "61.28", "60.0")


def test_other_conditions_failures_and_other_studies_do_not_count():
    bad = cell("orjson", 1.0) | {"status": "wrong"}
    found = results({"latency-github-loads": [("github", 5, [bad])]})
    one = table("s001", "latency-github-loads", found)
    assert "here" not in one.head
    assert "Not measured in this run: snooze-lab run s001_tables --profile smoke" in (
        one.notes
    )
    found = results({"latency-github-loads": [("github", 5, [cell("json", 1.0)])]})
    found["studies"][0]["tables"][0]["rows"][0]["factors"] = {"gc": "off"}
    assert "here" not in table("s001", "latency-github-loads", found).head
    found["studies"][0] |= {"name": "s003_feeds"}
    assert "here" not in table("s001", "latency-github-loads", found).head


def test_counts_of_files_come_from_the_conformance_of_the_run():
    name = "invalid accepted (the seed's metric)"
    found = results({}) | {
        "conformance": {
            "metrics": [{"name": name, "values": {"json": 17, "snooze": 0}}]
        }
    }
    one = table("s001", "conformance", found)
    rows = {row[0]: row[1:] for row in one.rows}
    assert rows["json"] == ("17", "17", "0")
    assert rows["snooze"] == ("-", "0", "-")


def test_a_report_gets_the_tables_that_were_measured():
    cells = [cell("orjson", 1.0)]
    found = results({"latency-github-loads": [("github", 5, cells)]})
    (study,) = typed(found).studies
    (one,) = beside.of(study, Conformance())
    assert one.title.startswith("github.json deserialization")
    assert beside.of(dataclasses.replace(study, name="floors"), Conformance()) == ()


@pytest.mark.parametrize("name", ALL)
def test_what_is_looked_up_exists(name):
    """Tables and contenders that columns and rows name are those of the studies."""
    study = plan.find(name)
    tables = {one["name"]: set(one["contenders"]) for one in study.tables}
    tables[TABLE] = {
        *build.RUST,
        *(each for one in build.LIBRARIES for each in one.contenders),
    }
    seed = published.load(name)
    for one in seed.tables:
        used = {each for made in one.measured.values() for each in made.tables}
        assert used <= tables.keys()
        ours = {seed.names[row[0]] for row in one.rows if row[0] in seed.names}
        assert all(any(who in tables[each] for each in used) for who in ours)


@pytest.mark.parametrize(("n", "said"), [(1, "(one sample)"), (5, "[1.90, 2.10]")])
def test_a_ratio_of_one_sample_has_no_interval(n, said):
    effect = Effect("json", 2.0, 1.9 if n > 1 else 2.0, 2.1, n, 0.001, "better")
    row = Row("c", "orjson", "ok", effects={"isolated": {"time": effect}})
    answer = published.Answer("t", "twitter", "loads", "orjson", "json")
    text = beside._compared(answer, row, row)
    assert said in text
    assert ("[" in text) == (n > 1)


def test_bytes_say_what_they_are_bytes_of():
    """A claim about memory has answers in several quantities, side by side."""
    rows = [
        Row(
            "c", name, "ok", quantities={"increase": Estimate(size, size, size, 1, "B")}
        )
        for name, size in (("orjson", 2000.0), ("json", 1000.0))
    ]
    answer = published.Answer("t", "w", "loads", "orjson", "json", "increase")
    text = beside._compared(answer, *rows)
    assert text == "growth after the calls 2.00 kB, 2.00 times json's 1.00 kB"


def test_a_claim_without_a_figure_names_the_shortest_run_that_has_it():
    empty = Derived({}, samples.read([]), {})
    found = beside.findings("s001_tables", empty, Conformance())
    said = {one.claim: one.we_measured for one in found}
    assert said["Incremental memory is similar between libraries (canada.json)"] == (
        "Not in this run: snooze-lab run s001_tables --profile standard "
        "(memory-canada)."
    )
    assert "--profile smoke (figure-dumps" in next(iter(said.values()))
