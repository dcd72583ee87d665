"""Fit the power model to windows of known joules, and see how well it predicts others.

Separate from meters/model.py, which applies coefficients and must stay small: this is
where they come from. The model is E = t * (idle + core * busy): `idle` W is the median
power of the windows in which nothing ran, and `core` the median over the fitted windows
of (power - idle) / busy cores, which a few odd windows cannot move. Invariants: the
coefficients come from the groups that the caller names and all else is prediction; the
band is that of the fit's own residuals; the file says whose data, when, which machine.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from snooze_lab.energy import checks
from snooze_lab.meters import base, model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from snooze_lab.energy.study import Study

#: The work of a busy child: simple arithmetic until it is terminated.
_SPIN = """
import sys
x = 0
sys.stdout.write(".")
sys.stdout.flush()
while True:
    x = (x * 3 + 1) % 1000003
"""


class CalibrationError(Exception):
    """There is not enough to fit; the message says what was expected and found."""


@dataclass(frozen=True, slots=True)
class Point:
    """A window: how long (s), how many CPU seconds, how many joules."""

    seconds: float
    cpu: float
    joules: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """The model's accuracy on a group: medians in J, their difference in percent."""

    group: str
    n: int
    left_out: int
    measured: float
    predicted: float
    difference_percent: float
    fitted: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients in W, the band of measured / predicted, and residuals of the fit."""

    idle: float
    core: float
    low: float
    high: float
    n: int

    def joules(self, point: Point) -> float:
        """Return the model's joules for a window."""
        return point.seconds * self.idle + point.cpu * self.core


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


def points(study: Study, group: str, *, quiet: bool = True) -> list[Point]:
    """Return the windows of a group; without the trials of a burst when `quiet`."""
    one = study.groups[group]
    burst = study.trials(one.condition, checks.BURST) if quiet else set()
    found = []
    for run in one.runs:
        busy = run.series.busy_cores()
        if busy is not None and run.trial not in burst:
            seconds = run.series.duration
            found.append(Point(seconds, busy * seconds, run.window.gross))
    return found


def idle_watts(study: Study, condition: str) -> float:
    """Return the median power between the runs of a condition.

    Each idle window is counted once, although two runs touch it.
    """
    known = {
        idle.start: idle.watts
        for group in study.groups.values()
        if group.condition == condition
        for run in group.runs
        for idle in (run.window.before, run.window.after)
        if idle
    }
    if not known:
        raise CalibrationError(
            f"{study.name}: expected idle windows between the runs of "
            f"{condition or 'the folder'}, found none"
        )
    return statistics.median(known.values())


def from_study(study: Study, groups: Sequence[str]) -> Fit:
    """Fit to the named groups of a study; CalibrationError if they do not suffice."""
    missing = [name for name in groups if name not in study.groups]
    if missing or not groups:
        raise CalibrationError(
            f"expected groups of {', '.join(study.groups)}, found "
            f"{', '.join(missing) or 'none'}"
        )
    conditions = {study.groups[name].condition for name in groups}
    idle = statistics.median(idle_watts(study, name) for name in sorted(conditions))
    return fit([point for name in groups for point in points(study, name)], idle)


def predictions(study: Study, found: Fit, fitted: Sequence[str]) -> list[Prediction]:
    """Return the model's accuracy on every group, including those not fitted to."""
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


def live(
    meter: base.Meter,
    context: base.RunContext,
    *,
    seconds: float = 5.0,
    repeats: int = 5,
    levels: Sequence[int] | None = None,
) -> Fit:
    """Fit to this machine with an energy meter that works on it.

    For each of `repeats` rounds: one window at rest, then one with each number of busy
    child processes in `levels` (one, and half of the processors). Raises MeterError
    when the meter fails, CalibrationError when what it reads cannot be fitted.
    """
    cpus = os.cpu_count() or 1
    levels = levels or sorted({1, max(1, cpus // 2)})
    rest: list[float] = []
    busy: list[Point] = []
    with meter.open(context) as session:
        for _ in range(repeats):
            mark = session.start()
            time.sleep(seconds)
            reading = session.stop(mark)
            rest.append(reading.value / reading.seconds)
            busy += [_busy(session, seconds, level) for level in levels]
    return fit(busy, statistics.median(rest))


def _busy(session: base.Session, seconds: float, level: int) -> Point:
    """Return a window in which `level` children compute all the time.

    Their CPU seconds are what the system counted for them, so that a child that had to
    share a processor is not taken for a busy core.
    """
    children = [
        subprocess.Popen([sys.executable, "-c", _SPIN], stdout=subprocess.PIPE)
        for _ in range(level)
    ]
    try:
        for child in children:
            if child.stdout is not None:
                child.stdout.read(1)
        before = sum(_cpu(child.pid) for child in children)
        mark = session.start()
        time.sleep(seconds)
        reading = session.stop(mark)
        cpu = sum(_cpu(child.pid) for child in children) - before
    finally:
        for child in children:
            child.kill()
            child.communicate()
    return Point(reading.seconds, cpu, reading.value)


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process that still runs (Linux)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
    except OSError as error:
        raise CalibrationError(
            f"expected CPU seconds of process {pid} in /proc, found: {error}; "
            "calibrate on Linux, or from an imported series"
        ) from error
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def write(  # noqa: PLR0913 - each is a line of the file
    path: Path,
    found: Fit,
    *,
    data: str,
    quality: base.Quality,
    machine: str,
    date: str,
    tried: Sequence[Prediction] = (),
) -> model.Calibration:
    """Write a calibration file and return it as meters/model.py reads it.

    data: name of the series and the groups fitted. quality: of the joules it was fitted
    to, `measured` or `imported`. date: of the recording, as YYYY-MM-DD.
    """
    if quality not in {"measured", "imported"}:
        raise CalibrationError(
            f"expected joules that were measured or imported, found {quality}: a model "
            "is not calibrated with another model"
        )
    lines = [
        "# E = seconds * idle_watts + cpu_seconds * watts_per_busy_core (package)",
        f"format = {model.FORMAT}",
        "",
        "[origin]",
        f"data = {_quoted(data)}",
        f"quality = {_quoted(quality)}",
        f"machine = {_quoted(machine)}",
        f"date = {_quoted(date)}",
        "",
        "[model]",
        f"idle_watts = {found.idle!r}",
        f"watts_per_busy_core = {found.core!r}",
        "# 95 % of the fitted windows have measured / predicted joules in this band",
        f"band_low = {found.low!r}",
        f"band_high = {found.high!r}",
        f"n = {found.n}",
    ]
    for one in tried:
        lines += [
            "",
            "[[prediction]]",
            f"group = {_quoted(one.group)}",
            f"fitted = {str(one.fitted).lower()}",
            f"n = {one.n}",
            f"left_out = {one.left_out}",
            f"median_joules = {one.measured!r}",
            f"difference_percent = {one.difference_percent!r}",
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return model.load(path)


def _quoted(text: str) -> str:
    return json.dumps(text.replace("\x7f", " "), ensure_ascii=False)
