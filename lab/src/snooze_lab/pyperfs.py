"""Export runs as pyperf files, and import pyperf files as runs.

Separate because other Python tools read pyperf files: `pyperf stats` and `pyperf
compare_to` work on the exported files. Invariants: one pyperf run for each process, its
values in seconds (time), bytes (memory) or whole microjoules (energy), in pyperf's own
units; an imported suite keeps its processes apart. Used by cli.py.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import TYPE_CHECKING, Any

import pyperf

from snooze_lab import answer, env, samples, stats, store
from snooze_lab.model import REFERENCE, Contest, Row
from snooze_lab.noise import noise

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


#: Keys of the metadata of our own benchmarks.
WORKLOAD, OPERATION, CONTENDER = (
    f"snooze_lab_{name}" for name in ("workload", "operation", "contender")
)


class SuiteError(Exception):
    """A file is not a pyperf suite; the message says why."""


#: File, unit of pyperf, and factor from our unit.
FILES = {
    "time": ("time.pyperf.json", "second", 1e-9),
    "memory": ("memory.pyperf.json", "byte", 1.0),
    "energy": ("energy.pyperf.json", "integer", 1e6),
}


def write(run: store.Run) -> list[Path]:
    """Write the run's samples as suites of pyperf; return the files."""
    found: dict[str, dict[str, list[pyperf.Run]]] = {name: {} for name in FILES}
    places = {one["id"]: _place(one) for one in run.plan().get("contests", [])}
    for sample in run.samples():
        if sample["kind"] == "interleaved" or sample.get("status") != "ok":
            continue
        for metric, values in sample["values"].items():
            kind = _kind(metric)
            _, unit, factor = FILES[kind]
            name = f"{sample['contest']} {sample['contender']}"
            if metric != "time":
                name += f" {metric}"
            whole = [
                value * factor if unit == "second" else round(value * factor)
                for value in values
            ]
            if min(whole) <= 0:
                continue  # zero or below rest: pyperf has no such values
            made = pyperf.Run(
                whole,
                metadata={
                    "name": name,
                    "unit": unit,
                    "loops": sample.get("loops", 1),
                    "date": dt.datetime.fromtimestamp(
                        sample["started"], dt.UTC
                    ).isoformat(),
                    "block": sample["block"],
                    "hash_seed": str(sample.get("hash_seed", 0)),
                    **places.get(sample["contest"], {}),
                    CONTENDER: sample["contender"],
                },
                collect_metadata=False,
            )
            found[kind].setdefault(name, []).append(made)
    paths = []
    for kind, benchmarks in found.items():
        if benchmarks:
            path = run.path / FILES[kind][0]
            suite = pyperf.BenchmarkSuite(
                [pyperf.Benchmark(runs) for runs in benchmarks.values()]
            )
            suite.dump(str(path), replace=True)
            paths.append(path)
    return paths


def _place(contest: dict[str, Any]) -> dict[str, str]:
    """Return the metadata by which a benchmark is imported again as it was."""
    made = Contest.from_json(contest)
    factors = f"?{made.factors}" if str(made.factors) else ""
    workload = f"{made.table}/{made.workload}{factors}"
    return {WORKLOAD: workload, OPERATION: made.operation}


def _kind(metric: str) -> str:
    unit = samples.unit_of(metric)
    return {"ns": "time", "B": "memory", "J": "energy"}[unit]


def take_in(
    file: Path, output: Path | None, command: str
) -> tuple[store.Run, dict[str, Any]]:
    """Return a run made of a pyperf suite, and its results.

    A benchmark that `write` wrote, or with a name `workload/operation/contender`, goes
    into that contest; otherwise the whole name is the workload and the contender is
    `pyperf`. Raises SuiteError if
    the file is not a suite, or not one of times.
    """
    try:
        suite = pyperf.BenchmarkSuite.load(str(file))
    except (OSError, ValueError, KeyError) as error:
        raise SuiteError(
            f"{file}: expected a JSON file of pyperf, and it says: {error}"
        ) from error
    cells = list(_cells(suite))
    if not cells:
        raise SuiteError(f"{file}: expected benchmarks of times, found none")
    grouped: dict[tuple[str, str], list[str]] = {}
    for workload, operation, contender, _ in cells:
        grouped.setdefault((workload, operation), []).append(contender)
    contests = [
        Contest(
            "pyperf",
            "imported",
            workload,
            operation,
            tuple(names),
            baseline=REFERENCE if REFERENCE in names else names[0],
        )
        for (workload, operation), names in grouped.items()
    ]
    path = output or store.folder() / f"pyperf-{file.stem}"
    moment = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    run = store.Run.create(
        path,
        {
            "name": path.name,
            "profile": "imported",
            "seed": 0,
            "command": command,
            "started": moment,
            "python": "",
            "values": 0,
            "slice_s": 0.0,
            "calibration": None,
            "studies": [],
            "contests": [one.as_json() for one in contests],
            "verified": {},
            "source": file.name,
        },
        env.imported("a suite of pyperf") | {"pyperf": dict(suite.get_metadata())},
    )
    for workload, operation, contender, benchmark in cells:
        name = next(
            one.id
            for one in contests
            if (one.workload, one.operation) == (workload, operation)
        )
        for block, one in enumerate(benchmark.get_runs()):
            if one.values:
                run.append(_sample(name, contender, block, one.values))
    results = _results(run, contests, file)
    run.write("results.json", results)
    return run, results


def _cells(
    suite: pyperf.BenchmarkSuite,
) -> Iterable[tuple[str, str, str, pyperf.Benchmark]]:
    for benchmark in suite.get_benchmarks():
        if benchmark.get_unit() != "second":
            continue
        known = benchmark.get_metadata()
        parts = benchmark.get_name().split("/")
        if known.keys() >= {WORKLOAD, OPERATION, CONTENDER}:
            yield known[WORKLOAD], known[OPERATION], known[CONTENDER], benchmark
        elif len(parts) == 3:
            yield parts[0], parts[1], parts[2], benchmark
        else:
            yield benchmark.get_name(), "call", "pyperf", benchmark


def _sample(
    contest: str, contender: str, block: int, values: tuple[float, ...]
) -> dict[str, Any]:
    return {
        "kind": "isolated",
        "contest": contest,
        "contender": contender,
        "block": block,
        "position": 0,
        "started": 0.0,
        "status": "ok",
        "loops": 1,
        "warmups": 0,
        "values": {"time": [value * 1e9 for value in values]},
        "bytes": 0,
        "digest": "",
    }


def _results(run: store.Run, contests: list[Contest], file: Path) -> dict[str, Any]:
    """Return times without verdicts, because order and noise are unknown."""
    found = samples.read(run.samples())
    rows = []
    for contest in contests:
        cells = {}
        for name in contest.contenders:
            times = list(found.of(contest.id, name, "time").values())
            row = Row(
                contest.id,
                name,
                "ok" if times else "failed",
                "" if times else "no values",
                {"time": stats.estimate(times, "ns")} if times else {},
                {"time": times},
                flags=("imported",),
            )
            cells[name] = dataclasses.asdict(row)
        rows.append(
            {
                "workload": contest.workload,
                "contest": contest.id,
                "operation": contest.operation,
                "factors": {},
                "bytes": 0,
                "cells": cells,
            }
        )
    columns = list(dict.fromkeys(name for one in contests for name in one.contenders))
    table = {
        "name": "imported",
        "title": f"Benchmarks of {file.name}",
        "kind": "table",
        "note": "taken in from pyperf: order and verification are not known",
        "operation": "",
        "metrics": ["time"],
        "metric": "time",
        "unit": "ns",
        "baseline": columns[0],
        "columns": columns,
        "rows": rows,
        "with_outliers": "",
    }
    study = {
        "name": "pyperf",
        "title": "Imported from pyperf",
        "seed": "",
        "question": "What another benchmark measured",
        "tables": [table],
        "curves": [],
        "boxes": [],
        "findings": [],
    }
    plan = run.plan()
    quiet = dataclasses.asdict(noise([])) | {
        "sentence": "Taken in from pyperf: nothing was entered twice, so the noise is "
        "not known and nothing is claimed.",
    }
    results = {
        "format": 1,
        "run": {
            "name": plan["name"],
            "profile": "imported",
            "started": 0.0,
            "finished": 0.0,
            "seed": 0,
            "command": plan["command"],
            "samples": len(found.all),
        },
        "noise": quiet,
        "noise_isolated": quiet,
        "studies": [study],
        "conformance": {},
        "drift": [],
        "flags": [
            {
                "name": "imported",
                "sentence": "Figures of another tool, taken as they are.",
            }
        ],
        "energy": [],
    }
    return results | {"answer": answer.of(results)}
