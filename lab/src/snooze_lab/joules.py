"""Energy for the command line: import EnergiBridge series, calibrate the model.

Separate because it joins the importer (energy/), the meters and the folder of a run,
which are independent of each other. Invariants: imported or estimated joules keep their
quality word everywhere; a calibration names its data and its machine. Used by cli.py
and results.py.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import statistics
from typing import TYPE_CHECKING, Any

from snooze_lab import answer, env, meters, noise, store
from snooze_lab.energy import calibrate as calibrations
from snooze_lab.energy import study as studies
from snooze_lab.energy import summary as summaries
from snooze_lab.meters import base, model

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class EnergyError(Exception):
    """The input holds no usable energy data; the message says why."""


def take_in(
    folder: Path, output: Path | None, command: str
) -> tuple[store.Run, dict[str, Any]]:
    """Import a folder of EnergiBridge CSV files as a run; return it and its results.

    EnergyError if the folder holds none.
    """
    try:
        summary = summaries.summary(folder)
    except (studies.StudyError, calibrations.CalibrationError) as error:
        raise EnergyError(str(error)) from error
    moment = dt.datetime.now(dt.UTC)
    path = output or store.folder() / f"energibridge-{folder.resolve().name}"
    run = store.Run.create(
        path,
        {
            "name": path.name,
            "profile": "imported",
            "seed": 0,
            "command": command,
            "started": moment.isoformat(timespec="seconds"),
            "python": "",
            "values": 0,
            "slice_s": 0.0,
            "calibration": "",
            "studies": [],
            "contests": [],
            "verified": {},
            "source": folder.name,
        },
        env.imported("series of EnergiBridge; they do not name their machine"),
    )
    results = _results(run, summary, moment)
    run.write("results.json", results)
    return run, results


def _results(
    run: store.Run, summary: dict[str, Any], moment: dt.datetime
) -> dict[str, Any]:
    plan = run.plan()
    quiet = dataclasses.asdict(noise.noise([]))
    quiet["sentence"] = (
        "Imported series: the noise of that machine is judged by its own flags, below."
    )
    results: dict[str, Any] = {
        "format": 1,
        "run": {
            "name": plan["name"],
            "profile": "imported",
            "started": moment.timestamp(),
            "finished": moment.timestamp(),
            "seed": 0,
            "command": plan["command"],
            "samples": len(summary["runs"]),
        },
        "noise": quiet,
        "noise_isolated": quiet,
        "studies": [],
        "conformance": {},
        "drift": [],
        "flags": [
            {"name": one["flag"], "sentence": one["sentence"]}
            for one in summary["study_flags"]
        ],
        "energy": [summary],
    }
    return results | {"answer": answer.of(results)}


def calibrate(source: Path | None, output: Path, groups: list[str]) -> Iterable[str]:
    """Fit the power model, write its file, and describe the result.

    `source` is a folder of series, or None for the energy counters of this machine;
    `groups` are the groups of the series to fit on (default: the calmest). EnergyError
    if there is nothing to fit.
    """
    if source is None and groups:
        raise EnergyError(
            f"--fit-on {groups[0]}: expected a folder of series that has such a group, "
            "found none; without a folder this machine itself is measured"
        )
    try:
        if source is None:
            return _live(output)
        return _from_series(source, output, groups)
    except (
        studies.StudyError,
        calibrations.CalibrationError,
        model.CalibrationError,
        base.MeterError,
    ) as error:
        raise EnergyError(str(error)) from error


def _from_series(source: Path, output: Path, groups: list[str]) -> list[str]:
    study = studies.load(source)
    chosen = groups or summaries.calmest(study)
    fit = calibrations.from_study(study, chosen)
    tried = calibrations.predictions(study, fit, chosen)
    starts = [run.series.t[0] for one in study.groups.values() for run in one.runs]
    moment = dt.datetime.fromtimestamp(statistics.median(starts), dt.UTC)
    calibrations.write(
        output,
        fit,
        data=f"{study.name}: {', '.join(chosen)}",
        quality="imported",
        machine="the machine of the imported series",
        date=moment.date().isoformat(),
        tried=tried,
    )
    return [
        (
            f"E = t * {fit.idle:.2f} W + cpu * {fit.core:.2f} W, fitted to {fit.n} "
            f"windows of {', '.join(chosen)}"
        ),
        *(
            f"  {one.group}: predicted {one.difference_percent:+.1f} % of the median "
            f"({'fitted' if one.fitted else 'not fitted'}, {one.left_out} left out)"
            for one in tried
        ),
        f"wrote {output}; use it with: snooze-lab run s000 --calibration {output}",
        "Joules estimated with it are of that machine, and say so: `estimated`.",
    ]


def _live(output: Path) -> list[str]:
    context = base.RunContext(sampling=0.02)
    working = [
        meter
        for meter in meters.meters(context)
        if meter.unit == "J" and meter.quality == "measured" and meter.probe().ok
    ]
    if not working:
        raise EnergyError(
            "this machine has no energy counter that can be read ('snooze-lab doctor' "
            "says what would enable one); calibrate from a folder of series instead"
        )
    meter = working[0]
    fit = calibrations.live(meter, context)
    record = env.record({})
    calibrations.write(
        output,
        fit,
        data=f"live, {meter.name}",
        quality="measured",
        machine=str(record["processor"]),
        date=str(record["date"])[:10],
    )
    return [
        f"E = t * {fit.idle:.2f} W + cpu * {fit.core:.2f} W, by {meter.name}",
        f"wrote {output}",
    ]
