"""Energy for the command line: import EnergiBridge series, calibrate the power model.

Separate because it joins the series, the meters and the folder of a run. Imported or
estimated joules keep their quality word everywhere; a calibration names its data and
its machine; a file that cannot be read is named in the report. Used by cli.py.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from snooze_lab import meters
from snooze_lab.energy import calibration, study, summary
from snooze_lab.machine import env, process
from snooze_lab.results import imported
from snooze_lab.stored import store
from snooze_lab.stored.results_types import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from snooze_lab.meters.base import Meter, Session
    from snooze_lab.stored.energy_types import Prediction

#: The counter of a whole package, of which a machine has one for each socket.
_PACKAGE = r"powercap:package-\d+"
#: The work of a busy child: simple arithmetic until it is terminated.
_SPIN = """
x = 0
print(flush=True)
while True:
    x = (x * 3 + 1) % 1000003
"""


def take_in(folder: Path, output: Path | None) -> tuple[store.Run, dict[str, Any]]:
    """Import a folder of EnergiBridge CSV files as a run; return it and its results.

    StudyError if the folder holds none.
    """
    found = study.load(folder)
    described = summary.of(found)
    run = imported.create(
        output or store.folder() / f"energibridge-{folder.resolve().name}",
        source=folder.name,
        machine="series of EnergiBridge; they do not name their machine",
    )
    flags = [Flag(one.sentence, one.flag) for one in described.study_flags]
    flags += [Flag(one, "unreadable-file") for one in found.unread]
    results = imported.results(
        run,
        samples=len(described.runs),
        noise_said="Imported series: the noise of that machine is judged by its own "
        "flags, below.",
        flags=tuple(flags),
        energy=(described,),
    )
    return run, results


def calibrate(source: Path | None, output: Path, groups: list[str]) -> list[str]:
    """Fit the power model, write its file, and describe the result in lines.

    `source` is a folder of series, or None for the energy counters of this machine;
    `groups` are the groups of the series to fit on (default: the calmest). UserError if
    there is nothing to fit.
    """
    made, tried = _from_series(source, groups) if source else _from_counter(groups)
    calibration.write(output, made, tried)
    fit = made.model
    named = shlex.quote(str(output))
    equation = f"{fit.idle_watts:.2f} W + cpu * {fit.watts_per_busy_core:.2f} W"
    return [
        f"E = t * {equation}, fitted to {fit.n} windows of {made.origin.data}",
        *(
            f"  {one.group}: predicted {one.difference_percent:+.1f} % of the median "
            f"({'fitted' if one.fitted else 'not fitted'}, {one.left_out} left out)"
            for one in tried
        ),
        f"wrote {output}; use it with: snooze-lab run s000 --calibration {named}",
        "Joules estimated with it are marked: `estimated`.",
    ]


def _from_series(
    source: Path, groups: list[str]
) -> tuple[calibration.Calibration, list[Prediction]]:
    found = study.load(source)
    chosen = groups or calibration.calmest(found)
    fit = calibration.from_study(found, chosen)
    starts = [run.series.t[0] for one in found.groups.values() for run in one.runs]
    moment = dt.datetime.fromtimestamp(statistics.median(starts), dt.UTC)
    origin = calibration.Origin(
        data=f"{found.name}: {', '.join(chosen)}",
        machine="the machine of the imported series",
        date=moment.date().isoformat(),
        quality="imported",
    )
    tried = calibration.predictions(found, fit, chosen)
    return calibration.Calibration(1, origin, fit), tried


def _from_counter(
    groups: list[str],
) -> tuple[calibration.Calibration, list[Prediction]]:
    if groups:
        raise calibration.CalibrationError(
            f"--fit-on {groups[0]}: expected a folder of series that has such a group, "
            "found none; without a folder this machine itself is measured"
        )
    counters = [meter for meter in meters.working(None) if meter.quality == "measured"]
    if not counters:
        raise calibration.CalibrationError(
            "this machine has no energy counter that can be read ('snooze-lab doctor' "
            "says what would enable one); calibrate from a folder of series instead"
        )
    # Busy children run on any processor, so every package counts.
    packages = [one for one in counters if re.fullmatch(_PACKAGE, one.name)]
    chosen = packages or counters[:1]
    fit = live(chosen)
    origin = calibration.Origin(
        data=f"live, {', '.join(one.name for one in chosen)}",
        machine=str(env.processor()),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        quality="measured",
    )
    return calibration.Calibration(1, origin, fit), []


def live(
    counters: Sequence[Meter],
    *,
    seconds: float = 5.0,
    repeats: int = 5,
    levels: Sequence[int] | None = None,
) -> calibration.Fit:
    """Fit to this machine with energy meters that work on it; their joules add up.

    For each of `repeats` rounds: one window at rest, then one with each number of busy
    child processes in `levels` (one, and half of the processors). Raises MeterError
    when a meter fails, CalibrationError when what they read cannot be fitted.
    """
    levels = levels or sorted({1, max(1, (os.cpu_count() or 1) // 2)})
    rest: list[float] = []
    busy: list[calibration.Point] = []
    with contextlib.ExitStack() as stack:
        sessions = [
            stack.enter_context(contextlib.closing(meter.open())) for meter in counters
        ]
        for _ in range(repeats):
            idle = _window(sessions, seconds, 0)
            rest.append(idle.joules / idle.seconds)
            busy += [_window(sessions, seconds, level) for level in levels]
    return calibration.fit(busy, statistics.median(rest))


def _window(
    sessions: Sequence[Session], seconds: float, level: int
) -> calibration.Point:
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
        for session in sessions:
            session.start()
        time.sleep(seconds)
        found = [session.stop() for session in sessions]
        cpu = sum(_cpu(child.pid) for child in children) - before
    finally:
        for child in children:
            child.kill()
            child.communicate()
    return calibration.Point(found[0].seconds, cpu, sum(one.joules for one in found))


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process that still runs (Linux)."""
    try:
        return process.stat(pid)[1]
    except OSError as error:
        raise calibration.CalibrationError(
            f"expected CPU seconds of process {pid} in /proc, found: {error}; "
            "calibrate on Linux, or from an imported series"
        ) from error
