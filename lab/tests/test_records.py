"""Which records are published, and as what: one set of tables for each kind.

Separate from test_race.py because records outlive the race that made them. Records are
made here, in the form that run.py writes and in that of before.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
FOOTPRINT = {
    "runs": 40,
    "import_ms": {"nothing": [10.0, 9.0, 11.0], "snooze": [21.5, 21.0, 22.0]},
    "own_ms": {"snooze": [11.5, 11.0, 12.0]},
    "extension_bytes": {"snooze": 3_396_664},
    "code_bytes": {"scalar, v128, shared": 1_976_527, "avx2": 606_187},
    "code_unknown": "",
}


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script that publishes records."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("results")


def cell(group: str, direction: str, speed: float, name: str = "a") -> dict[str, Any]:
    """A cell with snooze, orjson and its second entry."""
    speeds = {"snooze": speed, "orjson": 1.0, "orjson again": 1.01}
    return {
        "group": group,
        "workload": name,
        "direction": direction,
        "speed_relative_to_orjson": {k: [v, v, v] for k, v in speeds.items()},
        "best_rival": ["orjson", speed, speed, speed],
        "nanoseconds": {k: [9, 1, 2, 3, 4, 5] for k in speeds},
    }


def record(  # a record of documents and held-out documents
    date: str,
    tier: str | None = "avx512",
    *,
    processor: str = "One CPU",
    forced: bool = False,
    speed: float = 2.0,
    groups: tuple[str, ...] = ("documents", "heldout"),
    python: str = "3.11.7 (main)",
) -> dict[str, Any]:
    where: dict[str, Any] = {
        "date": f"2026-11-{date}T10:00:00+00:00",
        "processor": processor,
        "processors": 2,
        "machine": "x86_64",
        "system": "Linux 6",
        "python": python,
        "snooze_cpu": str(tier) if forced else "default",
    }
    found: dict[str, Any] = {
        "environment": where,
        "settings": {"groups": list(groups), "seconds": 3.0},
        "versions": {"snooze": "0.1.0", "orjson": "3.13.0", "orjson again": "3.13.0"},
        "cells": [cell(g, d, speed) for g in groups for d in ("loads", "dumps")],
        "memory": [],
        "goals": [],
    }
    if tier is not None:
        where["tier"] = tier
        found["footprint"] = FOOTPRINT
    return found


def test_the_newest_of_each_kind_counts(results: Any) -> None:
    """Per CPython, tier and processor, and within these group by group."""
    records = {
        "old": record("01", speed=9.0),
        "new": record("02", groups=("heldout",)),
        "tier": record("01", "avx2", forced=True),
        "other": record("01", processor="Other CPU"),
        "python": record("01", python="3.14.1 (main)"),
    }
    found = results.choice.newest(records)
    assert list(found) == ["old", "new", "tier", "other", "python"]
    groups = {name: results.tables.groups(one) for name, one in found.items()}
    assert groups["old"] == ["documents"]
    assert groups["new"] == ["heldout", "footprint"]
    assert groups["tier"] == ["documents", "heldout", "footprint"]
    results.tables.check(found)
    assert records["old"]["cells"][2]["group"] == "heldout"


def test_a_part_of_a_group_is_not_published(results: Any) -> None:
    """It would replace the figures of the whole group."""
    part = record("02")
    part["settings"]["only"] = "a"
    with pytest.raises(SystemExit, match=r"part\.json: .* found only a: publish"):
        results.choice.newest({"whole.json": record("01"), "part.json": part})


def test_records_without_a_tier_stay_readable(results: Any) -> None:
    """Until a run in the processor's own tier replaces them; a forced one does not."""
    old = record("01", None)
    assert "footprint" not in old
    forced = {"old": old, "new": record("02", "avx2", forced=True)}
    assert list(results.choice.newest(forced)) == ["old", "new"]
    free = {"old": old, "new": record("02")}
    assert list(results.choice.newest(free)) == ["new"]
    page = results.page({"lab/record/old.json": old})
    assert "## One CPU, tier not recorded" in page
    assert "### Before the first call" not in page
    assert "SIMD tier not recorded" in results.front({"old.json": old})


def test_records_of_shared_objects_say_so(results: Any) -> None:
    """Until format 3, snooze profited from what other libraries left on strings."""
    for found, times in ((record("01"), 1), (record("01") | {"format": 3}, 0)):
        for text in (results.front({"a.json": found}), results.page({"a.json": found})):
            assert " ".join(text.split()).count("Strings held UTF-8") == times


def test_records_whose_objects_came_first_say_so(results: Any) -> None:
    """Until format 4, snooze's objects were made first, in better memory."""
    old = record("01") | {"format": 3}
    cold = record("01", groups=("cold",)) | {"format": 3}
    new = record("02") | {"format": 4}
    for found, times in (([old], 1), ([new], 0), ([new, cold], 0)):
        assert results.caveats(found).count("made before those of others") == times
    for text in (results.front({"a.json": old}), results.page({"a.json": old})):
        assert " ".join(text.split()).count("made before those of others") == 1


def test_every_kind_has_its_tables(results: Any) -> None:
    """Figures of two kinds never meet; the front page shows the one of the machine."""
    records = {
        "a.json": record("01", "avx2", forced=True, speed=1.25),
        "b.json": record("01", speed=2.5),
        "c.json": record("01", "avx2", processor="Other CPU", groups=("heldout",)),
    }
    page = results.page(records)
    kinds = [line for line in page.splitlines() if line.startswith("## ")]
    assert kinds == [
        "## One CPU, avx512",
        "## Other CPU, avx2",
        "## One CPU, avx2",
        "## Records",
    ]
    assert "--group heldout --tier avx2 --seconds 3" in page
    own = page.split("\n## ")
    assert "| snooze 0.1.0 | 2.50 | 2.50 |" in own[0]
    assert "1.25" not in own[0]
    assert "| snooze 0.1.0 | 1.25 | 1.25 |" in own[2]
    front = results.front(records)
    assert "| One CPU, avx512 | vs orjson, 3.11 |" in front
    assert "| `loads`, 1 held-out documents | 2.50" in front
    assert "Other CPU (avx2) and One CPU (avx2)." in front


def test_held_out_documents_are_a_table_of_their_own(results: Any) -> None:
    """Not part of the documents' means; absent where they were not raced."""
    one = record("01")
    one["cells"] = [
        cell(group, direction, speed)
        for group, speed in (("documents", 3.0), ("heldout", 1.5))
        for direction in ("loads", "dumps")
    ]
    tables = results.tables.render([one])
    assert "| snooze 0.1.0 | 3.00 | 3.00 |" in tables["means"]
    assert "| snooze 0.1.0 | 1.50 | 1.50 |" in tables["heldout"]
    assert "| a | 1.50 | 1.50 orjson |" in tables["heldout documents"]
    without = results.tables.render([record("01", groups=("documents",))])
    assert without["heldout"] == without["heldout documents"] == ""
    assert "held-out" not in results.tables.summary(
        [record("01", groups=("documents",))]
    )


def test_import_times_and_sizes_are_shown(results: Any) -> None:
    """With their intervals; what is unknown is a dash, or no table."""
    footprint = importlib.import_module("results_footprint").footprint
    text = footprint([record("01")])
    assert (
        "| snooze 3.11 | 21.5 (21.0 to 22.0) | 11.5 (11.0 to 12.0) | 3,396,664 |"
        in text
    )
    assert "| nothing 3.11 | 10.0 (9.0 to 11.0) | - | - |" in text
    assert "| snooze 3.11 | 1,976,527 | 606,187 |" in text
    unknown = record("01") | {"footprint": {**FOOTPRINT, "code_bytes": {}}}
    assert "bytes of code" not in footprint([unknown])
    assert footprint([record("01", None)]) == ""


def test_latency_and_threads_are_shown(results: Any) -> None:
    """Of the newest record that has them; the second orjson is not."""
    row = {"workload": "1 kB", "direction": "loads"}
    times = {"p50": 1_530, "p90": 1_600, "p99": 2_420, "max": 37_900}
    old = record("01") | {
        "latency": [{**row, "nanoseconds": {"snooze": times, "orjson again": times}}],
        "threads": [
            {**row, "gil": gil, "scaling": {"snooze": [1.5 - gil / 2, 1.0, 2.0]}}
            for gil in (True, False)
        ],
    }
    found = results.choice.newest({"old": old, "new": record("02")})
    assert results.tables.groups(found["old"]) == ["latency", "threads"]
    page = results.page(found)
    assert "| loads 1 kB 3.11, snooze | 1.53 | 2.42 | - |" in page
    assert "| loads 1 kB 3.11 | 1.00 |" in page
    assert "| loads 1 kB 3.11t | 1.50 |" in page
    assert "3.11, orjson again" not in page
    assert "### Latency" not in results.page({"a": record("01")})


def test_goals_are_those_of_the_newest_record(results: Any) -> None:
    """Whatever the order of the records is."""
    goal = {"name": "loads", "wanted": ">= 2", "reached": False}
    found = {
        day: record(day) | {"goals": [{**goal, "measured": f"1.{day}x"}]}
        for day in ("02", "01")
    }
    assert "| loads | >= 2 | 1.02x | no |" in results.page(found)
    assert "1.01x" not in results.page(found)


def test_options_and_functions_are_shown(results: Any) -> None:
    """As ratios of two contenders; docs/json.md has snooze.json, and only then."""
    assert results.drop_in({"a": record("01")}) == {}
    own = record("02", groups=("layouts", "functions"))
    names = {"layouts": "twitter json", "functions": "pointer"}
    own["cells"] = [
        cell(group, way, 2.0, names[group])
        for group in names
        for way in ("loads", "dumps")
    ]
    own["cells"].append(cell("layouts", "dumps", 3.0, "twitter indent 2"))
    for one in own["cells"]:
        speeds = one["speed_relative_to_orjson"]
        extra = {"by hand": 4.0} if one["group"] == "functions" else {"json": 0.25}
        if one["workload"].endswith("indent 2"):
            extra["snooze json"] = 1.5
        speeds |= {name: [speed] * 3 for name, speed in extra.items()}
    records = {"a.json": record("01"), "b.json": own}
    page = results.page(records)
    assert "| dumps twitter indent 2 | 12.00 | 6.00 | 3.00 | - |" in page
    assert "| loads pointer | 2.00 | - | 0.50 |" in page
    text = results.drop_in(records)["docs/json.md"]
    assert "<!-- record: b.json -->" in text
    assert "| `loads`, twitter | 8.00 |" in text
    assert "| `dumps`, mean of all | 8.00 |" in text
    assert "| `dumps(..., indent=2, ensure_ascii=False)`, mean of all | 6.00 |" in text
    assert "2026-11-02" in text
    assert text.startswith("# Replacing the `json` module")


def test_records_that_nobody_sees_are_named(results: Any, tmp_path: Path) -> None:
    """So that they can be removed."""
    paths = []
    for name, one in (("old", record("01")), ("new", record("02"))):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(one))
    assert results.unused(paths) == ["old.json"]
