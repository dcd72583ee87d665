"""The record of a race as one JSON file: everything needed to read its figures later.

Separate because a record outlives the code that made it. It holds the ratios with their
intervals; for the rounds of each contender the count, extremes, quartiles and median
(all rounds of a full run would be megabytes); and the machine. Figures of different
machines must not be compared. Used by command.py.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab.race import goals

if TYPE_CHECKING:
    from snooze_lab.race.command import Run

FOLDER = Path(__file__).resolve().parents[3] / "record"


def environment() -> dict[str, Any]:
    """Return the known facts about the machine and the Python."""
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "libc": " ".join(platform.libc_ver()),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "python": sys.version,
        "implementation": sys.implementation.name,
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "allocator": os.environ.get("PYTHONMALLOC", "default"),
        "tier": tier(),
        "snooze_cpu": os.environ.get("SNOOZE_CPU", "default"),
    }


def tier() -> str | None:
    """Return the SIMD tier that snooze uses, or None if it cannot be imported."""
    try:
        import snooze  # noqa: PLC0415 - may not be installed
    except ImportError:
        return None
    return str(snooze.cpu_tiers()["active"])


def processor() -> str:
    """Return the name of the processor, as far as the system reports it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = re.search(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE)
        if named:
            return named[1].strip()
    return platform.processor() or platform.machine()


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
        "format": 2,
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
        "cells": [cell.as_record() for cell in [*run.cells, *run.cold]],
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
