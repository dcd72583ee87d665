"""The three sentences claim no more than the effects that they are made of."""

from __future__ import annotations

import pytest

from snooze_lab import answer


def effect(ratio, half=0.01, n=8):
    ends = {"low": ratio * (1 - half), "high": ratio * (1 + half)}
    return {"baseline": "orjson", "ratio": ratio, "n": n, "p": 0.0} | ends


def results(documents, floor=0.01, memory=None, factors=None):
    """Return results of `loads`: ratios (or effects) by document and contender."""
    rows = []
    for document, ratios in documents.items():
        cells = {"orjson": {"status": "ok", "effects": {}, "quantities": {}}}
        for name, one in ratios.items():
            found = one if isinstance(one, dict) else effect(one)
            effects = {"interleaved": {"time": found}}
            cells[name] = {"status": "ok", "effects": effects, "quantities": {}}
        for name, ratio in (memory or {}).get(document, {}).items():
            values = {"tree": {"value": 100.0}, "peak": {"value": 100.0 * ratio}}
            cells[name] = {"status": "ok", "effects": {}, "quantities": values}
        rows.append(
            {
                "workload": document,
                "operation": "loads",
                "factors": factors or {},
                "cells": cells,
            }
        )
    noise = {"verdict": "quiet", "floor": floor}
    return {"studies": [{"tables": [{"rows": rows}]}], "noise": noise}


def reading(*given, **more):
    return answer.lines(results(*given, **more))[0]


def test_who_is_clearly_fastest_is_called_so_with_an_interval():
    text = reading(
        {"a": {"snooze": 1.2, "json": 0.2}, "b": {"snooze": 1.4, "json": 0.3}}
    )
    assert text.startswith(
        "Reading JSON (geometric mean of 2 documents): snooze is fastest, 1.30 [1.2"
    )
    assert "(each 1.20 to 1.40) times as fast as orjson" in text


def test_without_orjson_the_standard_library_is_the_measure():
    found = results({"a": {"msgspec": effect(2.5) | {"baseline": "json"}}})
    (row,) = found["studies"][0]["tables"][0]["rows"]
    row["cells"]["json"] = row["cells"].pop("orjson")
    text = answer.lines(found)[0]
    assert text.startswith("Reading JSON (one document): msgspec is fastest, 2.50 [2.4")
    assert "times as fast as json; the standard library 1.00" not in text
    assert "times as fast as json" in text


@pytest.mark.parametrize(
    ("ratios", "floor", "near"),
    [
        ({"snooze": effect(1.02, 0.05)}, 0.01, "orjson and snooze lead"),
        ({"snooze": 1.03}, 0.04, "orjson and snooze lead"),
        ({"snooze": 0.995}, 0.01, "snooze and orjson lead"),
        ({"snooze": 1.5, "ssrjson": 1.495}, 0.01, "ssrjson and snooze lead"),
    ],
)
def test_who_cannot_be_told_apart_is_named_together(ratios, floor, near):
    text = reading({"a": ratios}, floor=floor)
    assert f": {near}, too close to rank" in text
    assert "fastest" not in text


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
    assert ": snooze is fastest" in reading({"a": ratios})


def test_look_alikes_are_said():
    text = reading({"look-alike?of=twitter": {"snooze": 1.2}})
    assert "(one document, generated to look alike)" in text


def test_memory_is_of_json_and_of_the_same_documents():
    memory = {
        "a": {"snooze": 1.2, "orjson": 1.5, "marshal4": 0.5},
        "b": {"snooze": 1.2, "orjson": 1.5},
        "c": {"ujson": 0.9},
    }
    whole = results({"a": {}, "b": {}, "c": {}}, memory=memory)
    text = answer.lines(whole)[2]
    assert text == (
        "Memory while reading (geometric mean of 2 documents): snooze needs 1.20 times "
        "the size of its result, orjson 1.50 times."
    )
    whole = results({"a": {}}, memory=memory, factors={"gc": "off"})
    assert answer.lines(whole)[2] == "Memory: not measured in this run."
