"""The power model: its coefficients, fitted to windows of known joules, and their file.

Separate from meters/sources.py, which applies coefficients in the worker. The model is
E = t * (idle + core * busy): `idle` W is the median power of the windows at rest,
`core` the median over the fitted windows of (power - idle) / busy cores. The
coefficients come from the groups that the caller names, and all else is prediction.
"""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

import snooze
from snooze_lab import UserError
from snooze_lab.meters.base import Coefficients
from snooze_lab.stored.energy_types import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from snooze_lab.energy.study import Group, Study

_HEADER = """\
# E = seconds * idle_watts + cpu_seconds * watts_per_busy_core (package)
# 95 % of the fitted windows have measured / predicted joules in the band
"""
_Watts = Annotated[float, snooze.Ge(0), snooze.Le(1e6)]
_Text = Annotated[str, snooze.MinLen(1)]


class CalibrationError(UserError):
    """There is not enough to fit, or a file cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Point:
    """A window: how long (s), how many CPU seconds, how many joules."""

    seconds: float
    cpu: float
    joules: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients in W, the band of measured / predicted, the number of series."""

    idle_watts: _Watts
    watts_per_busy_core: _Watts
    band_low: Annotated[float, snooze.Ge(0), snooze.Le(1)]
    band_high: Annotated[float, snooze.Ge(1), snooze.Le(1e6)]
    n: Annotated[int, snooze.Ge(1)]

    def joules(self, point: Point) -> float:
        """Return the model's joules for a window."""
        return point.seconds * self.idle_watts + point.cpu * self.watts_per_busy_core


@dataclass(frozen=True, slots=True)
class Origin:
    """What coefficients were fitted to.

    data: its name and groups. machine: what it was recorded on. date: of the recording,
    YYYY-MM-DD. quality: of its joules, measured (here) or imported (elsewhere).
    """

    data: _Text
    machine: _Text
    date: _Text
    quality: Literal["measured", "imported"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is read of a calibration file; its predictions are for people."""

    format: Literal[1]
    origin: Origin
    model: Fit

    @property
    def coefficients(self) -> Coefficients:
        """Return what the estimating meter needs."""
        return Coefficients(
            idle=self.model.idle_watts,
            core=self.model.watts_per_busy_core,
            low=self.model.band_low,
            high=self.model.band_high,
            elsewhere=self.origin.quality == "imported",
        )


def load(path: Path) -> Calibration:
    """Return the calibration in a file; CalibrationError if it cannot be used."""
    try:
        return snooze.convert(tomllib.loads(path.read_text("utf-8")), Calibration)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CalibrationError(f"{path}: cannot be read as TOML: {error}") from error
    except snooze.ValidationError as error:
        raise CalibrationError(
            f"{path}: {error}; write the file with `snooze-lab calibrate`"
        ) from error


def write(path: Path, found: Calibration, tried: Sequence[Prediction]) -> None:
    """Write a calibration file; `tried`: how well the fit does on each group."""
    table = dataclasses.asdict(found)
    table["prediction"] = [dataclasses.asdict(one) for one in tried]
    path.write_text(_HEADER + _toml(table), encoding="utf-8")


def _toml(table: dict[str, Any]) -> str:
    """Return TOML of plain members, tables of them, and arrays of such tables."""
    text = ""
    for key, value in table.items():
        if isinstance(value, dict):
            text += f"\n[{key}]\n{_toml(value)}"
        elif isinstance(value, list):
            text += "".join(f"\n[[{key}]]\n{_toml(one)}" for one in value)
        else:
            # A JSON string is one of TOML, too, but for this control character.
            shown = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
            text += f"{key} = {shown}\n"
    return text


def fit(points: Sequence[Point], idle: float) -> Fit:
    """Fit the power of a busy core, given the power at rest.

    Raises CalibrationError with fewer than 5 usable windows, or when the windows drew
    no more than the machine at rest.
    """
    usable = [point for point in points if point.seconds > 0 and point.cpu > 0]
    if len(usable) < 5:
        raise CalibrationError(
            f"expected at least 5 windows with CPU seconds, found {len(usable)} of "
            f"{len(points)}"
        )
    core = statistics.median(
        (point.joules - point.seconds * idle) / point.cpu for point in usable
    )
    if not (math.isfinite(core) and core > 0):
        raise CalibrationError(
            f"expected windows that draw more than the {idle:.2f} W at rest, found "
            f"{core:+.2f} W a busy core; was the machine at rest between them?"
        )
    found = Fit(idle, core, 1.0, 1.0, len(usable))
    relative = [point.joules / found.joules(point) for point in usable]
    low, high = np.percentile(relative, [2.5, 97.5])
    return Fit(idle, core, min(1.0, float(low)), max(1.0, float(high)), len(usable))


def from_study(study: Study, groups: Sequence[str]) -> Fit:
    """Fit to the named groups of a study; CalibrationError if they do not suffice."""
    missing = [name for name in groups if name not in study.groups]
    if missing or not groups:
        raise CalibrationError(
            f"expected groups of {', '.join(study.groups)}, found "
            f"{', '.join(missing) or 'none'}"
        )
    conditions = sorted({study.groups[name].condition for name in groups})
    idle = statistics.median(_idle_watts(study, name) for name in conditions)
    return fit([point for name in groups for point in points(study, name)], idle)


def points(study: Study, group: str) -> list[Point]:
    """Return the windows of a group without the trials beside which something ran."""
    one = study.groups[group]
    burst = study.bursts(one.condition)
    return [run.point for run in one.runs if run.point and run.trial not in burst]


def _idle_watts(study: Study, condition: str) -> float:
    """Return the median power between the runs of a condition."""
    beside = study.at_rest(condition)
    if not beside:
        raise CalibrationError(
            f"{study.name}: expected idle windows between the runs of "
            f"{condition or 'the folder'}, found none"
        )
    return statistics.median(beside)


def calmest(study: Study) -> list[str]:
    """Return the baseline's group in the condition that needs the least memory.

    There paging is least likely, and all other groups are left for the fit to predict.
    """

    def memory(group: Group) -> float:
        return max(run.metrics["peak_memory"] or 0.0 for run in group.runs)

    baselines = [study.of(condition)[0] for condition in study.conditions]
    return [min(baselines, key=memory).name]


def predictions(study: Study, found: Fit, fitted: Sequence[str]) -> list[Prediction]:
    """Return the model's accuracy on every group, including those fitted to."""
    results = []
    for name, group in study.groups.items():
        usable = points(study, name)
        if not usable:
            continue
        measured = statistics.median(point.joules for point in usable)
        predicted = statistics.median(found.joules(point) for point in usable)
        results.append(
            Prediction(
                group=name,
                n=len(usable),
                left_out=len(group.runs) - len(usable),
                measured=measured,
                predicted=predicted,
                difference_percent=100 * (predicted / measured - 1),
                fitted=name in fitted,
            )
        )
    return results
