"""The figures of a run beside what was wanted of snooze, as a table and as a record.

Separate because goals are about ratios across contenders. A figure is the least of its
blocks; a missed goal is in the record like one that was met; a rival without a figure
counts as not run. `make lab-scale` runs it after the study.

usage: python -m snooze_lab.scale.goals [RUN] [--python ENGINES] [--record]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from snooze_lab.race.run import FACTS, FOLDER, lined
from snooze_lab.scale import drift
from snooze_lab.stored import store
from snooze_lab.worker.launch import environment

if TYPE_CHECKING:
    from snooze_lab.stored.store import Run

#: Those of whom the best counts.
RIVALS = (
    *("polars", "duckdb", "pyarrow", "datafusion", "arro3", "awkward", "daft"),
    "chdb",
)
MEGABYTE = 1e6
#: What is wanted: a sentence, the table, ours, theirs, and the ratio for log and gh.
SPEED: tuple[tuple[str, str, str, tuple[str, ...], float, float], ...] = (
    ("all columns, all infer, to the best", "all", "snooze", RIVALS, 4.5, 4.5),
    ("all columns, all given, to the best", "given", "snooze", RIVALS, 4.5, 4.5),
    ("three columns, checked, to the best", "three", "snooze", RIVALS, 3.0, 2.3),
    ("three columns, read, to the best", "three", "snooze read", RIVALS, 4.0, 4.5),
    ("condition on a string, to the best", "where", "snooze read", RIVALS, 8.0, 8.0),
    ("Polars lazily, to scan_ndjson", "where", "snooze polars", ("polars",), 4.0, 4.0),
    ("to orjson by line, from_pylist", "all", "snooze", ("orjson lines",), 25.0, 25.0),
    ("write_lines, to the best", "write", "snooze", RIVALS, 3.0, 3.0),
    ("Ray, to read_json(lines=True)", "ray", "ray snooze", ("ray",), 4.0, 4.0),
    ("Dask, to read_json", "dask", "dask snooze", ("dask",), 8.0, 8.0),
    ("Spark, to spark.read.json", "spark", "spark snooze", ("spark",), 1.0, 1.0),
)
#: figure -> its metric in a sample, and the unit of the record in that of the sample.
METRICS = {
    "cpu_s": ("time", 1e9),
    "wall_s": ("phase:wall", 1e9),
    "peak_mb": ("peak", MEGABYTE),
    "result_mb": ("tree", MEGABYTE),
    "text_mb": ("bytes", MEGABYTE),
}
Figures = dict[str, dict[str, dict[str, Any]]]


def figures(run: Run) -> Figures:
    """Return by table and workload, and by contender, the least of each figure."""
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    found: Figures = {}
    for sample in run.samples():
        _, table, workload, _ = sample["contest"].split("/")
        cells = found.setdefault(f"{table} {_short(workload)}", {})
        cell = cells.setdefault(sample["contender"], {})
        if sample["status"] != "ok":
            cell["not_run"] = sample["error"]
            continue
        for name, (metric, unit) in METRICS.items():
            there = {**sample["values"], "bytes": [sample["bytes"]]}.get(metric)
            if there:
                key = (sample["contest"], sample["contender"], name)
                values[key] += there
                cell[name] = round(min(values[key]) / unit, 4)
    return found


def _short(workload: str) -> str:
    """Return a workload without the size, which is the same for all."""
    text = re.sub(r"megabytes=\d+&?|threads=", "", workload)
    return text.rstrip("?&").replace("?", " ").replace("&", " ")


def goals(found: Figures) -> list[dict[str, Any]]:
    """Return each goal: its name, what is wanted, what was found, whether it is met."""
    made = []
    for name, table, ours, rivals, *wanted in SPEED:
        for kind, ratio in zip(("log", "gh"), wanted, strict=True):
            cells = found.get(f"{table} {kind}", {})
            spent = {who: one["cpu_s"] for who, one in cells.items() if "cpu_s" in one}
            there = [who for who in rivals if who in spent]
            if there and ours in spent:
                best = min(there, key=spent.__getitem__)
                speed = spent[best] / spent[ours]
                made.append(_goal(f"{name}, {kind}", ratio, speed, best))
    for kind in ("log", "gh"):
        one, two = found.get(f"given {kind}", {}), found.get(f"given {kind} 2", {})
        alone, pair = (one.get("snooze", {}), two.get("snooze", {}))
        if "wall_s" in alone and "wall_s" in pair:
            ratio = alone["wall_s"] / pair["wall_s"]
            made.append(_goal(f"two threads, to one, {kind}", 1.85, ratio, "clock"))
        packed = found.get(f"gz {kind} 2", {})
        if {"wall_s"} <= packed.get("gzip", {}).keys() & packed.get(
            "snooze", {}
        ).keys():
            ratio = packed["gzip"]["wall_s"] / packed["snooze"]["wall_s"]
            made.append(_goal(f"gzip, to zlib alone, {kind}", 0.95, ratio, "clock"))
        if "peak_mb" in alone:
            extra = alone["peak_mb"] - alone["result_mb"]
            made.append(_goal(f"memory beside the result, {kind}", 64, extra, "MB"))
        if "peak_mb" in one.get("snooze stream", {}):
            peak = one["snooze stream"]["peak_mb"]
            made.append(_goal(f"memory of a stream, {kind}", 128, peak, "MB"))
    return made


def _goal(name: str, wanted: float, found: float, to: str) -> dict[str, Any]:
    met = found <= wanted if to == "MB" else found >= wanted
    return {"goal": name, "wanted": wanted, "found": round(found, 2), "of": to} | {
        "met": met
    }


def changing(python: str) -> dict[str, dict[str, str]]:
    """Return what each library makes of data that changes, by case."""
    found: dict[str, dict[str, str]] = {}
    for library in drift.LIBRARIES:
        command = [python, "-m", "snooze_lab.scale.drift", library]
        done = subprocess.run(
            command, capture_output=True, env=environment(), check=False
        )
        try:
            outcomes = json.loads(done.stdout)
        except ValueError:
            outcomes = dict.fromkeys(drift.CASES | drift.INVALID, "not run")
        for case, outcome in outcomes.items():
            found.setdefault(case, {})[library.split()[0]] = outcome
    return found


def show(found: Figures, judged: list[dict[str, Any]], cases: dict[str, Any]) -> None:
    """Print the tables."""
    for table, cells in found.items():
        print(f"\n{table}: MB per CPU second, MB per second, peak MB, result MB")
        for name, one in cells.items():
            if "not_run" in one:
                print(f"  {name:16} not run: {one['not_run'][:90]}")
                continue
            rates = one["text_mb"] / one["cpu_s"], one["text_mb"] / one["wall_s"]
            sizes = one.get("peak_mb", 0), one.get("result_mb", 0)
            print(f"  {name:16} {rates[0]:8.0f} {rates[1]:8.0f}", *map(round, sizes))
    print("\nData that changes")
    for case, row in cases.items():
        said = ", ".join(f"{name}: {outcome}" for name, outcome in row.items())
        print(f"  {case}: {said}")
    print("\nGoals")
    for one in judged:
        state = "met   " if one["met"] else "MISSED"
        said = f"{one['found']} {one['of']}, wanted {one['wanted']}"
        print(f"  {state} {one['goal']}: {said}")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("run", nargs="?", default="latest")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--record", action="store_true", help="into record/scale")
    options = parser.parse_args()
    run = store.Run.open(options.run)
    plan = run.plan()
    found, cases = figures(run), changing(options.python)
    judged = goals(found)
    show(found, judged, cases)
    if options.record:
        versions = {
            name: one["version"]
            for verdicts in plan["verified"].values()
            for name, one in verdicts.items()
            if "version" in one
        }
        facts = run.env()
        whole = {
            "format": 1,
            "environment": {name: facts.get(name) for name in FACTS}
            | {"system": facts["kernel"], "python": facts["python"]},
            "profile": plan["profile"],
            "versions": dict(sorted(versions.items())),
            "goals": judged,
            "drift": cases,
            "figures": found,
        }
        folder = FOLDER / "scale"
        folder.mkdir(exist_ok=True)
        path = folder / f"{facts['date'][:10]}.json"
        path.write_text(lined(whole, r"\{", r"\}"), "utf-8")
        print(f"\nrecord: {path.name}")


if __name__ == "__main__":
    main()
