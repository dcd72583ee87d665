"""The record of a race as one JSON file: everything needed to read its figures later.

Separate because a record outlives the code that made it. It holds the ratios with their
intervals; for the rounds of each contender the count, extremes, quartiles and median
(all rounds of a full run would be megabytes); and the machine. Figures of different
machines must not be compared. Invariant: what an older record holds keeps its name and
meaning. Used by command.py.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import env
from snooze_lab.race import goals

if TYPE_CHECKING:
    from snooze_lab.race.run import Run

FOLDER = Path(__file__).resolve().parents[3] / "record"
#: The facts of env.py that a record of the race keeps.
FACTS = (
    "date",
    "processor",
    "processors",
    "machine",
    "libc",
    "load",
    "implementation",
    "free_threaded",
    "allocator",
)


def environment() -> dict[str, Any]:
    """Return the known facts about the machine and the Python."""
    found = env.record({})
    return {name: found[name] for name in FACTS} | {
        "system": found["kernel"],
        "python": sys.version,
        "tier": tier(),
        "snooze_cpu": os.environ.get("SNOOZE_CPU", "default"),
    }


def tier() -> str | None:
    """Return the SIMD tier that snooze uses, or None if it cannot be imported."""
    return env.simd().get("snooze")


def write(path: Path, run: Run) -> Path:
    """Write the record; in a folder, the file is named for date, Python and tier."""
    surroundings = environment()
    if path.is_dir() or not path.suffix:
        path.mkdir(parents=True, exist_ok=True)
        moment = re.sub(r"[^0-9T]", "", surroundings["date"][:19])
        python = f"py{sys.version_info[0]}.{sys.version_info[1]}"
        words = [moment, python, surroundings["tier"]]
        path /= "-".join(word for word in words if word) + ".json"
    options = run.options
    whole = {
        "format": 3,
        "environment": surroundings,
        "settings": {
            "groups": options.groups,
            "only": options.only,
            "seconds": options.seconds,
            "seed": options.seed,
            "full": options.full,
        },
        "versions": {one.name: one.version for one in run.entered},
        "absent": run.absent,
        "cells": [cell.as_record() for cell in run.cells],
        **run.apart,
        "memory": run.memory,
        "footprint": run.footprint,
        "goals": [one.as_record() for one in goals.rows(run.cells, run.memory)],
    }
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    # One line for each list of figures keeps the file readable in a diff.
    text = re.sub(r"\[\s+([^][{}]*?)\s+\]", _one_line, text)
    path.write_text(text + "\n", "utf-8")
    return path


def _one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r"\s*\n\s*", " ", found[1]) + "]"
