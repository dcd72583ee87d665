"""Export runs as pyperf files, and import pyperf files as runs.

Separate because `pyperf stats` and `pyperf compare_to` read the exported files: one
pyperf run for each process, in seconds, bytes, or whole microjoules. An imported suite
keeps its processes apart, and gets no verdicts. Used by cli.py.
"""

from __future__ import annotations

import datetime as dt
import statistics
from typing import TYPE_CHECKING, Any

import pyperf

from snooze_lab import UserError
from snooze_lab.model import REFERENCE, Contest, Row
from snooze_lab.results import imported
from snooze_lab.statistics import stats
from snooze_lab.stored import samples, store
from snooze_lab.stored.results_types import Flag, Line, Study, Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Keys of the metadata of our own benchmarks.
WORKLOAD, OPERATION, CONTENDER = (
    f"snooze_lab_{name}" for name in ("workload", "operation", "contender")
)
#: By our unit: file, unit of pyperf, and factor from our unit.
FILES = {
    "ns": ("time.pyperf.json", "second", 1e-9),
    "B": ("memory.pyperf.json", "byte", 1.0),
    "J": ("energy.pyperf.json", "integer", 1e6),
}


class SuiteError(UserError):
    """A file is not a pyperf suite; the message says why."""


def write(run: store.Run) -> list[Path]:
    """Write the run's samples as suites of pyperf; return the files."""
    found: dict[str, dict[str, list[pyperf.Run]]] = {}
    contests = [Contest.from_json(one) for one in run.plan().get("contests", [])]
    places = {one.id: _place(one) for one in contests}
    for sample in run.samples():
        if sample["kind"] == "interleaved" or sample.get("status") != "ok":
            continue
        for metric, values in sample["values"].items():
            name = f"{sample['contest']} {sample['contender']}"
            name += f" {metric}" * (metric != "time")
            file, unit, factor = FILES[samples.unit_of(metric)]
            made = [value * factor for value in values]
            if unit != "second":
                made = [round(value) for value in made]
            if min(made) > 0:  # pyperf has no values of zero or below
                place = places.get(sample["contest"], {})
                taken = _run(made, name, unit, sample, place)
                found.setdefault(file, {}).setdefault(name, []).append(taken)
    for file, benchmarks in found.items():
        runs = [pyperf.Benchmark(one) for one in benchmarks.values()]
        pyperf.BenchmarkSuite(runs).dump(str(run.path / file), replace=True)
    return [run.path / file for file in found]


def _place(contest: Contest) -> dict[str, str]:
    """Return the metadata by which a benchmark is imported again as it was."""
    factors = f"?{contest.factors}" if str(contest.factors) else ""
    workload = f"{contest.table}/{contest.workload}{factors}"
    return {WORKLOAD: workload, OPERATION: contest.operation}


def _run(
    values: list[float], name: str, unit: str, sample: dict[str, Any], place: Any
) -> pyperf.Run:
    moment = dt.datetime.fromtimestamp(sample["started"], dt.UTC)
    return pyperf.Run(
        values,
        metadata={
            "name": name,
            "unit": unit,
            "loops": sample.get("loops", 1),
            "date": moment.isoformat(),
            "block": sample["block"],
            "hash_seed": str(sample.get("hash_seed", 0)),
            **place,
            CONTENDER: sample["contender"],
        },
        collect_metadata=False,
    )


def take_in(file: Path, output: Path | None) -> tuple[store.Run, dict[str, Any]]:
    """Return a run made of a pyperf suite, and its results.

    A benchmark that `write` wrote, or with a name `workload/operation/contender`, goes
    into that contest; otherwise the whole name is the workload and the contender is
    `pyperf`. Raises SuiteError if the file is not a suite, or not one of times.
    """
    try:
        suite = pyperf.BenchmarkSuite.load(str(file))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise SuiteError(
            f"{file}: expected a JSON file of pyperf, and it says: {error}"
        ) from error
    cells: dict[tuple[str, str], dict[str, pyperf.Benchmark]] = {}
    for workload, operation, contender, benchmark in _cells(suite):
        cells.setdefault((workload, operation), {})[contender] = benchmark
    if not cells:
        raise SuiteError(f"{file}: expected benchmarks of times, found none")
    contests = [
        Contest(
            *("pyperf", "imported", workload, operation, tuple(names)),
            baseline=REFERENCE if REFERENCE in names else next(iter(names)),
        )
        for (workload, operation), names in cells.items()
    ]
    run = imported.create(
        output or store.folder() / f"pyperf-{file.stem}",
        source=file.name,
        machine="a suite of pyperf",
        contests=contests,
        metadata={"pyperf": dict(suite.get_metadata())},
    )
    lines = [
        Line(
            *(contest.workload, contest.id, 0),
            {who: _row(run, contest.id, who, one) for who, one in names.items()},
            contest.operation,
        )
        for contest, names in zip(contests, cells.values(), strict=True)
    ]
    return run, _results(run, lines, file)


def _cells(
    suite: pyperf.BenchmarkSuite,
) -> Iterator[tuple[str, str, str, pyperf.Benchmark]]:
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


def _row(
    run: store.Run, contest: str, contender: str, benchmark: pyperf.Benchmark
) -> Row:
    """Append the samples of a benchmark, and return its times without a verdict."""
    times = []
    for block, one in enumerate(benchmark.get_runs()):
        if one.values:
            values = [value * 1e9 for value in one.values]
            times.append(statistics.median(values))
            run.append(
                {
                    "kind": "isolated",
                    "contest": contest,
                    "contender": contender,
                    "block": block,
                    "position": 0,
                    "started": 0.0,
                    "status": "ok",
                    "loops": 1,
                    "warmups": 0,
                    "values": {"time": values},
                    "bytes": 0,
                    "digest": "",
                }
            )
    return Row(
        contest,
        contender,
        "ok" if times else "failed",
        "" if times else "no values",
        {"time": stats.estimate(times, "ns")} if times else {},
        {"time": times},
        flags=("imported",),
    )


def _results(run: store.Run, lines: list[Line], file: Path) -> dict[str, Any]:
    columns = tuple(dict.fromkeys(name for line in lines for name in line.cells))
    table = Table(
        name="imported",
        title=f"Benchmarks of {file.name}",
        operation="",
        unit="ns",
        metric="time",
        baseline=columns[0],
        columns=columns,
        rows=tuple(lines),
        note="taken in from pyperf: order and verification are not known",
    )
    study = Study(
        "pyperf",
        "Imported from pyperf",
        "What another benchmark measured",
        (table,),
    )
    return imported.results(
        run,
        samples=sum(len(cell.raw["time"]) for cell in table.cells),
        noise_said="Taken in from pyperf: nothing was entered twice, so the noise is "
        "not known and nothing is claimed.",
        studies=(study,),
        flags=(Flag("Figures of another tool, taken as they are.", "imported"),),
    )
