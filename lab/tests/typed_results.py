"""Results as the laboratory's types, from the few members that a test is about.

Separate because several tests make results by hand. Invariant: what a test leaves out
gets a value that no rule reacts to.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.stored.results_types import Results, read


def _effect(found: dict[str, Any]) -> dict[str, Any]:
    ratio = found["ratio"]
    usual = {"low": ratio, "high": ratio, "n": 8, "p": 0.0, "verdict": "undecided"}
    return {"baseline": "orjson"} | usual | found


def _cell(name: str, found: dict[str, Any]) -> dict[str, Any]:
    usual = {"contest": "", "contender": name, "reason": "for a test"}
    return (
        usual
        | found
        | {
            "quantities": {
                metric: {"low": one["value"], "high": one["value"], "n": 8, "unit": ""}
                | one
                for metric, one in found.get("quantities", {}).items()
            },
            "effects": {
                instrument: {metric: _effect(one) for metric, one in by.items()}
                for instrument, by in found.get("effects", {}).items()
            },
        }
    )


def _table(found: dict[str, Any]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in found["rows"] for name in row["cells"])
    rows = [
        {"contest": ""}
        | row
        | {"cells": {name: _cell(name, one) for name, one in row["cells"].items()}}
        for row in found["rows"]
    ]
    words = {"name": "t", "title": "", "operation": "", "unit": "ns", "metric": "time"}
    usual = {"baseline": "orjson", "columns": list(names)}
    return words | usual | found | {"rows": rows}


def typed(found: dict[str, Any]) -> Results:
    """Return results of these members and usual ones."""
    about = {"name": "", "profile": "smoke", "started": 0.0, "finished": 0.0, "seed": 1}
    usual = {
        "format": 1,
        "run": about | {"command": ""},
        "noise": {"verdict": "quiet", "floor": 0.01, "sentence": ""},
        "answer": {},
    }
    studies = [
        {"name": "s", "title": "", "question": ""}
        | study
        | {"tables": [_table(one) for one in study["tables"]]}
        for study in found["studies"]
    ]
    noise = usual["noise"] | found.get("noise", {})
    return read(usual | found | {"studies": studies, "noise": noise})
