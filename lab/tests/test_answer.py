"""The first screen claims no more than the effects that it is made of."""

from __future__ import annotations

import dataclasses
import random

import pytest

from snooze_lab import answer
from snooze_lab.answer import advice, formats, ranking
from snooze_lab.stored import samples
from typed_results import typed


def effect(ratio, half=0.01, n=8):
    ends = {"low": ratio * (1 - half), "high": ratio * (1 + half)}
    return {"baseline": "orjson", "ratio": ratio, "n": n, "p": 0.0} | ends


def quantity(value, unit):
    return {"value": value, "low": value, "high": value, "n": 8, "unit": unit}


def row(document, operation, cells, factors=None, size=1000):
    return {
        "workload": document,
        "operation": operation,
        "factors": factors or {},
        "bytes": size,
        "cells": cells,
    }


def cell(effects=None, instrument="interleaved", **quantities):
    return {
        "status": "ok",
        "effects": {instrument: effects or {}},
        "quantities": {
            name: quantity(value, "B" if name in {"peak", "size"} else "ns")
            for name, value in quantities.items()
        },
    }


def run(rows, floor=0.01, energy=()):
    noise = {"verdict": "quiet", "floor": floor}
    return {
        "studies": [{"tables": [{"rows": rows}]}],
        "noise": noise,
        "energy": list(energy),
    }


def results(documents, floor=0.01, factors=None, operation="loads"):
    """Return results of an operation: ratios (or effects) by document and contender."""
    rows = []
    for document, ratios in documents.items():
        cells = {"orjson": cell()}
        for name, one in ratios.items():
            found = one if isinstance(one, dict) else effect(one)
            cells[name] = cell({"time": found})
        rows.append(row(document, operation, cells, factors))
    return run(rows, floor)


def answered(found, *paired):
    return dataclasses.asdict(answer.of(typed(found), *paired))


def said(found, topic, *paired):
    texts = {one["topic"]: one["text"] for one in answered(found, *paired)["sentences"]}
    assert list(texts) == list(answer.TOPICS)
    return texts[topic]


def reading(*given, **more):
    return said(results(*given, **more), "Reading")


def test_who_is_clearly_fastest_is_called_so_with_an_interval():
    text = reading(
        {"a": {"snooze": 1.2, "json": 0.2}, "b": {"snooze": 1.4, "json": 0.3}}
    )
    assert text == (
        "snooze is fastest: 1.30 [1.29, 1.31] times orjson's speed, "
        "json 0.245 [0.243, 0.247] (2 documents)."
    )


def test_what_was_not_measured_is_said():
    found = results({"a": {"snooze": 1.2}})
    assert said(found, "Writing") == "not measured in this run."
    assert said(found, "Memory") == "not measured in this run."
    assert said(found, "Format") == "not measured in this run."
    assert said(found, "Energy").startswith("not measured here")


def test_without_orjson_the_standard_library_is_the_measure():
    found = results({"a": {"msgspec": effect(2.5) | {"baseline": "json"}}})
    (line,) = found["studies"][0]["tables"][0]["rows"]
    line["cells"]["json"] = line["cells"].pop("orjson")
    text = said(found, "Reading")
    assert text.startswith("msgspec is fastest: 2.50 [2.48, 2.52] times json's speed")
    assert answered(found)["ranking"]["reference"] == "json"


@pytest.mark.parametrize(
    ("ratios", "floor", "near"),
    [
        (
            {"snooze": effect(1.02, 0.05)},
            0.01,
            "snooze and orjson cannot be told apart",
        ),
        ({"snooze": 1.03}, 0.04, "snooze and orjson cannot be told apart"),
        ({"snooze": 0.995}, 0.01, "orjson and snooze cannot be told apart"),
        (
            {"snooze": 1.5, "ssrjson": 1.495},
            0.01,
            "snooze and ssrjson cannot be told apart",
        ),
    ],
)
def test_who_cannot_be_told_apart_is_named_together(ratios, floor, near):
    text = reading({"a": ratios}, floor=floor)
    assert text.startswith(near)
    assert "fastest" not in text


def interleaved(contest, medians, blocks=5, seed=1):
    """Return processes in which only the reference varies, by 10 %."""
    dice = random.Random(seed)
    for block in range(blocks):
        times = {name: [time] * 8 for name, time in medians.items()}
        times["orjson"] = [dice.gauss(0, 10) + medians["orjson"]] * 8
        yield {
            "kind": "interleaved",
            "contest": contest,
            "contender": "",
            "block": block,
            "status": "ok",
            "times": {
                name: [one * dice.gauss(1, 0.001) for one in column]
                for name, column in times.items()
            },
        }


def of_samples(medians, **shape):
    """Return results of one document, and the comparisons of its samples."""
    found = samples.read(interleaved("a", medians, **shape))
    ratios = {
        name: dataclasses.asdict(found.effect("a", name, "orjson", "interleaved"))
        for name in medians
        if name != "orjson"
    }
    made = results({"a": ratios})
    made["studies"][0]["tables"][0]["rows"][0]["contest"] = "a"
    return made, found.effect


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_the_best_is_compared_with_the_second_block_by_block(blocks):
    medians = {"orjson": 150.0, "snooze": 100.0, "yjson": 103.0, "json": 400.0}
    found, paired = of_samples(medians, blocks=blocks)
    text = said(found, "Reading", paired)
    assert text.startswith("snooze is fastest: ")
    if blocks == 5:
        # The reference varies, so intervals relative to it meet.
        assert said(found, "Reading").startswith("snooze and yjson cannot be told")
        assert "; block by block 1.03 [1.03, 1.03] times yjson's (1 d" in text


def test_snooze_is_named_as_any_other_that_is_close():
    medians = {"orjson": 150.0, "snooze": 103.0, "yjson": 100.0, "json": 400.0}
    found, paired = of_samples(medians)
    text = said(found, "Reading", paired)
    assert text.startswith("yjson is fastest: ")
    assert "; block by block 1.03 [1.03, 1.03] times snooze's (1 d" in text


def test_the_noise_of_the_run_holds_for_pairs_too():
    found, paired = of_samples({"orjson": 150.0, "snooze": 100.0, "yjson": 100.9})
    assert said(found, "Reading", paired).startswith("snooze and yjson cannot be told")
    found["noise"]["floor"] = 0.001
    assert said(found, "Reading", paired).startswith("snooze is fastest: ")


def test_typed_advice_says_what_pairs_cannot_tell_apart():
    cells = {"orjson loads": cell()}
    for name, speed in (("snooze slots", 1.8), ("msgspec Struct", 1.7)):
        time = effect(speed) | {"baseline": "orjson loads"}
        cells[name] = cell({"time": time})
    found = run([row("x", "decode", cells)])
    equal = typed(run([row("x", "loads", {"a": cell({"time": effect(1.0, 0.1)})})]))
    (line,) = equal.lines("loads")

    def paired(*_names):
        return line.cells["a"].ratio("time")

    def reason(*paired):
        advised = answered(found, *paired)["advice"]
        (text,) = (one["reason"] for one in advised if "Classes" in one["situation"])
        return text

    assert reason().endswith("next msgspec Struct 1.70")
    assert reason(paired).endswith("next msgspec Struct 1.70 (no clear lead)")


def test_of_equal_libraries_the_fastest_seldom_leads():
    """A claim of a lead among equals is an error: the best was chosen by its luck."""
    names = ("orjson", "snooze", "yjson", "msgspec", "ujson")
    claimed = 0
    for seed in range(200):
        dice = random.Random(seed)
        medians = [{one: dice.gauss(100, 3) for one in names} for _ in range(6)]
        lines = [
            one | {"block": block}
            for block, held in enumerate(medians)
            for one in interleaved("a", held, blocks=1, seed=seed)
        ]
        paired = samples.read(lines).effect
        place = ranking.Place("a", "a", "interleaved")
        found = {
            name: ranking.mean_effect([paired("a", name, "orjson", "interleaved")])
            for name in names[1:]
        }
        claimed += len(ranking.Compared([place], found, []).leaders(0.0, paired)) == 1
    assert claimed <= 0.05 * 200 + 3 * (200 * 0.05 * 0.95) ** 0.5


def test_a_noisy_or_short_run_says_so():
    for verdict, words in (
        ("too noisy", "too noisy to rank"),
        ("unknown", "too short"),
    ):
        found = results({"a": {"snooze": 1.5}})
        found["noise"]["verdict"] = verdict
        assert words in said(found, "Reading")


def test_only_the_same_documents_are_compared():
    text = reading(
        {
            "a": {"snooze": 1.2, "ujson": 9.0},
            "b": {"snooze": 1.2},
            "c": {"ujson": 9.0},
        }
    )
    assert "ujson" not in text
    assert "2 documents" in text


def test_other_formats_floors_and_single_values_are_no_json():
    ratios = {"snooze": 1.2, "msgpack": 3.0, "copy": 9.0, "ujson": effect(5.0, n=1)}
    assert reading({"a": ratios}).startswith("snooze is fastest")


def test_ratios_of_two_instruments_are_not_mixed():
    isolated = row("a", "loads", {"orjson": cell(), "snooze": cell()})
    isolated["cells"]["snooze"]["effects"] = {"isolated": {"time": effect(9.0)}}
    found = results({"a": {"snooze": 1.2}, "b": {"snooze": 1.2}})
    found["studies"][0]["tables"][0]["rows"].insert(0, isolated)
    assert said(found, "Reading").startswith("snooze is fastest: 1.20 [1.19, 1.21]")


def test_look_alikes_are_said():
    text = reading({"look-alike?of=twitter": {"snooze": 1.2}})
    assert "(1 document, generated to look alike)" in text


def test_the_ranking_has_both_sides_and_the_best_first():
    found = results({"a": {"snooze": 1.2, "json": 0.5}})
    writing = results({"a": {"json": 0.1, "yjson": 3.0}}, operation="dumps")
    found["studies"] += writing["studies"]
    ranked = answered(found)["ranking"]
    assert [one["name"] for one in ranked["rows"]] == [
        "yjson",
        "snooze",
        "orjson",
        "json",
    ]
    assert ranked["documents"] == {"reading": ("a",), "writing": ("a",)}
    assert ranked["rows"][0]["reading"] is None
    assert ranked["rows"][1]["writing"] is None
    assert ranking.SIDES == {"loads": "reading", "dumps": "writing"}


def memory(peaks, ratio=None, factors=None):
    cells = {name: cell(peak=peak) for name, peak in peaks.items()}
    if ratio:
        cells["snooze"]["effects"]["isolated"] = {"peak": effect(ratio)}
    return said(run([row("a", "loads", cells, factors)]), "Memory")


def test_memory_is_in_bytes_and_never_by_each_librarys_own_result():
    text = memory({"snooze": 2e6, "orjson": 1e6, "json": 3e6, "marshal4": 1.0}, 0.5)
    assert text == (
        "peak while reading a: snooze 2.00 MB, orjson 1.00 MB, json 3.00 MB "
        "(snooze 2.00 [1.98, 2.02] times orjson's)."
    )
    assert memory({"snooze": 1.0}, factors={"gc": "off"}).startswith("not measured")


def test_one_page_of_memory_is_no_difference():
    assert "no difference" in memory({"snooze": 104_096.0, "orjson": 100_000.0})
    assert "no difference" not in memory({"snooze": 104_097.0, "orjson": 100_000.0})


def test_one_process_is_no_comparison_of_memory():
    text = memory({"snooze": 3e6, "orjson": 1e6})
    assert text.endswith("1.00 MB (one process each: no interval, so no comparison).")


def both_sides(times, sizes):
    """Return the rows of reading and writing one document in several formats."""
    cells = {
        name: cell({"time": effect(1.0)}, round=time, size=sizes[name])
        for name, time in times.items()
    }
    return [row("plan", "loads", cells), row("plan", "dumps", cells)]


def test_formats_are_relative_to_the_fastest_json():
    found = run(
        both_sides(
            {
                "json": 80.0,
                "snooze": 10.0,
                "msgpack": 25.0,
                "marshal4": 5.0,
                "copy": 1.0,
            },
            {"json": 100, "snooze": 100, "msgpack": 70, "marshal4": 130, "copy": 9},
        )
    )
    points = {one["name"]: one for one in answered(found)["formats"]}
    assert set(points) == {"json", "snooze", "msgpack", "marshal4"}
    assert points["msgpack"]["time"] == pytest.approx(2.5)
    assert points["msgpack"]["low"] < 2.5 < points["msgpack"]["high"]
    assert points["msgpack"]["size"] == pytest.approx(0.7)
    assert points["snooze"]["time"] == 1.0
    text = said(found, "Format")
    assert text.startswith(
        "the fastest beside JSON, marshal4, takes 0.500 [0.495, 0.505]"
    )
    assert (
        "the smallest, msgpack, takes 2.50 [2.48, 2.53] times the time and 0.7" in text
    )


def test_formats_need_reading_and_writing_of_one_document():
    rows = both_sides({"json": 8.0, "msgpack": 2.0}, {"json": 10, "msgpack": 7})
    assert formats.of(typed(run(rows[:1]))) == []
    assert formats.of(typed(run(rows))) != []


def advised(found):
    return {
        one["situation"]: (one["choice"], one["reason"])
        for one in answered(found)["advice"]
    }


def test_advice_without_a_result_names_the_command():
    found = advised(results({}))
    assert len(found) == 5
    for choice, reason in found.values():
        assert choice == advice.NONE
        assert "snooze-lab run s00" in reason


def test_a_format_is_advised_between_services_only_if_it_is_better_at_both():
    sizes = {"json": 100, "snooze": 100, "msgpack": 70, "marshal4": 60}
    slow = {"json": 80.0, "snooze": 10.0, "msgpack": 25.0, "marshal4": 5.0}
    found = advised(run(both_sides(slow, sizes)))
    assert found["Between services"][0] == "JSON by snooze"
    # marshal4 is smaller and faster, and only one Python can read it.
    assert found["Archive"][0] == "msgpack"
    quick = slow | {"msgpack": 9.0}
    assert advised(run(both_sides(quick, sizes)))["Between services"][0] == "msgpack"


def test_the_drop_in_is_the_best_at_both_and_a_tie_is_said():
    found = results({"a": {"snooze": 1.5, "yjson": 1.49}})
    found["studies"] += results(
        {"a": {"snooze": 2.0, "yjson": 1.2}}, operation="dumps"
    )["studies"]
    choice, reason = advised(found)["Instead of json or orjson"]
    assert choice == "snooze"
    assert reason.startswith("reading 1.50 and writing 2.00 times orjson's speed")
    assert "no clear lead in reading" in reason


def test_typed_advice_names_the_fastest_over_all_rows():
    cells = {
        "orjson dataclass": cell(),
        "snooze slots": cell({"time": effect(1.8) | {"baseline": "orjson dataclass"}}),
        "msgspec Struct": cell(
            {"time": effect(0.9) | {"baseline": "orjson dataclass"}}
        ),
    }
    choice, reason = advised(run([row("x", "encode", cells)]))[
        "Classes instead of dicts"
    ]
    assert choice == "snooze slots"
    assert reason.startswith("1.80 [1.78, 1.82] times")
    assert reason.endswith(
        "times the speed of orjson dataclass; next orjson dataclass 1.00"
    )


def test_a_run_over_classes_alone_is_told_by_its_classes():
    cells = {
        "orjson loads": cell(),
        "snooze slots": cell({"time": effect(1.8) | {"baseline": "orjson loads"}}),
    }
    found = run([row("mine.json", "decode", cells)])
    assert said(found, "Reading") == (
        "with classes, snooze slots is fastest: 1.80 [1.78, 1.82] times the speed of "
        "orjson loads (1 document)."
    )
    assert said(found, "Writing") == "not measured in this run."


def test_ways_are_compared_with_the_baseline_by_its_name_and_it_may_win():
    def cells(base, **speeds):
        found = {base: cell()}
        for name, speed in speeds.items():
            time = effect(speed) | {"baseline": base}
            found[name.replace("_", " ")] = cell({"time": time})
        return found

    # Without orjson.
    found = run([row("a", "decode", cells("json loads", snooze_slots=3.0))])
    assert said(found, "Reading").endswith(
        "times the speed of json loads (1 document)."
    )
    # Another baseline: what has no classes does not take part.
    slower = cells("snooze slots", orjson_loads=0.6, msgspec_Struct=0.9)
    found = run([row("a", "decode", slower)])
    assert said(found, "Reading") == (
        "with classes, snooze slots is fastest (1 document)."
    )
    assert advised(found)["Classes instead of dicts"] == (
        "snooze slots",
        "nothing in this run is faster; next msgspec Struct 0.900",
    )
    faster = cells("msgspec Struct", orjson_loads=9.0, snooze_slots=1.2)
    text = said(run([row("a", "decode", faster)]), "Reading")
    assert text.startswith("with classes, snooze slots is fastest: 1.20 ")


def test_energy_is_told_with_its_quality():
    lists = ("conditions", "groups", "comparisons", "runs", "sessions", "flags")
    source = {key: [] for key in (*lists, "study_flags")}
    source |= {"format": 2, "name": "x", "quality": "imported", "model": None}
    source |= {"statements": ["gross 1", "net of idle 2"]}
    assert said(run([], energy=[source]), "Energy") == "imported: net of idle 2."
    metric = "energy:estimated:package"
    cells = {
        "json": cell(),
        "snooze": cell({metric: effect(4.0) | {"baseline": "json"}}, "isolated"),
    }
    cells["snooze"]["quantities"][metric] = quantity(0.1, "J")
    text = said(run([row("crud", "phases", cells)]), "Energy")
    assert text == (
        "estimated, phases of crud: snooze 0.250 [0.248, 0.253] of the joules of json."
    )
