"""A folder of energy series as a study: sessions, groups of runs, comparisons.

Separate because it joins the other modules. Every joule is `imported`; every run found
in the folder is in the study, flagged or not; files that cannot be read are in
`unread`. A folder holds either one subfolder a group, named `<subject>-<condition>`
(`json-1gb`), or files of one condition, named `energy_<subject>_run<number>.csv`. Runs
of the same number in the same condition are a trial, and so a pair: they are neighbours
in time, and slow drift affects both.
"""

from __future__ import annotations

import itertools
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab import UserError
from snooze_lab.energy import asseed, checks, series
from snooze_lab.energy.calibration import Point
from snooze_lab.statistics import stats
from snooze_lab.stored.energy_types import AsSeed, Comparison, Ratio, StudyFlag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from snooze_lab.meters.block import Window

BASELINE = "json"
#: Metrics of a run, with their units.
UNITS = {
    "duration": "s",
    "package": "J",
    "net": "J",
    "power": "W",
    "cores": "J",
    "core0": "J",
    "idle": "W",
    "busy": "cores",
    "peak_memory": "B",
}
#: Those whose ratio within a trial is of interest.
PAIRED = ("duration", "package", "net", "power", "peak_memory")
_FILE = re.compile(r"(?:energy_)?(?P<subject>.+?)_?(?:run|trial)?_?(?P<trial>\d+)")


class StudyError(UserError):
    """A folder holds no study; the message says what was expected and found."""


@dataclass(frozen=True)
class Run:
    """One run: which trial of which group, its series, its window and its faults."""

    subject: str
    condition: str
    trial: int
    series: series.Series
    window: Window
    checked: checks.Checked

    @property
    def group(self) -> str:
        """Return the name of its group: `<subject>-<condition>`."""
        return f"{self.subject}-{self.condition}" if self.condition else self.subject

    @property
    def metrics(self) -> dict[str, float | None]:
        """Return its figures in UNITS; None: not known."""
        cores = self.series.cores
        # The authors' reading of the counter of core 0, whether or not the counter
        # means anything: for their table and their outlier rule, nowhere else.
        core0 = self.series.suspects.get("CORE0_ENERGY")
        return {
            "duration": self.series.duration,
            "package": self.series.joules,
            "net": self.window.joules.get("net"),
            "power": self.window.work.watts,
            "cores": None if cores is None else cores[-1] - cores[0],
            "core0": None if core0 is None else series.positive_steps(core0),
            "idle": self.window.idle_watts,
            "busy": self.series.busy,
            "peak_memory": max(self.series.memory, default=None),
        }

    @property
    def point(self) -> Point | None:
        """Return what the power model needs of it, None without its CPU seconds."""
        busy, seconds = self.series.busy, self.series.duration
        if busy is None:
            return None
        return Point(seconds, busy * seconds, self.series.joules)


@dataclass(frozen=True)
class Group:
    """The runs of one subject in one condition, in order of trial.

    quantised: that the sampler's step hides their differences, as a sentence.
    """

    name: str
    subject: str
    condition: str
    runs: list[Run]
    quantised: str

    def known(self, metric: str) -> list[float] | None:
        """Return a metric of each run, None unless every run has it."""
        found = [one for run in self.runs if (one := run.metrics[metric]) is not None]
        return found if found and len(found) == len(self.runs) else None

    def kept(self) -> list[bool]:
        """Tell which runs the seed's outlier rule keeps."""
        names = asseed.OUTLIER_METRICS
        return asseed.kept({name: v for name in names if (v := self.known(name))})


@dataclass(frozen=True)
class Session:
    """Runs without a long pause between them, in order of time. usual: W at rest."""

    runs: list[Run]
    usual: float | None


@dataclass(frozen=True)
class Study:
    """All sessions and groups of a folder; `unread`: why files are not in it."""

    name: str
    sessions: list[Session]
    groups: dict[str, Group]
    unread: list[str]

    @property
    def conditions(self) -> list[str]:
        """Return the conditions, in order of name."""
        return sorted({group.condition for group in self.groups.values()})

    def of(self, condition: str) -> list[Group]:
        """Return the groups of a condition, the baseline first."""
        found = [one for one in self.groups.values() if one.condition == condition]
        return sorted(found, key=lambda one: (one.subject != BASELINE, one.subject))

    def at_rest(self, condition: str) -> list[float]:
        """Return the power of each window at rest beside a run of a condition, in W."""
        return [
            one.window.after.watts
            for session in self.sessions
            for one, other in itertools.pairwise(session.runs)
            if one.window.after and condition in {one.condition, other.condition}
        ]

    def bursts(self, condition: str) -> set[int]:
        """Return the trials of a condition beside which something else ran."""
        return {
            run.trial
            for group in self.of(condition)
            for run in group.runs
            if checks.BURST in run.checked.flags
        }

    def flags(self) -> list[StudyFlag]:
        """Return the faults of the study as a whole."""
        orders = [
            checks.alternating([run.group for run in one.runs]) for one in self.sessions
        ]
        return [
            StudyFlag(checks.ORDER, sentence, f"session {number}")
            for number, sentence in enumerate(orders, 1)
            if sentence
        ]


def _files(root: Path) -> Iterator[tuple[str, str, int, Path]]:
    """Yield (subject, condition, trial, path) of every file of a study."""
    folders = sorted(path for path in root.iterdir() if path.is_dir())
    for folder in [root, *folders]:
        subject, _, condition = folder.name.rpartition("-")
        if not subject:
            subject, condition = condition, ""
        for place, path in enumerate(sorted(folder.glob("*.csv")), 1):
            match = _FILE.fullmatch(path.stem)
            trial = int(match["trial"]) if match else place
            if folder is root:
                yield match["subject"] if match else path.stem, "", trial, path
            else:
                yield subject, condition, trial, path


#: A file that was read: subject, condition, trial, series.
_Read = tuple[str, str, int, series.Series]


def load(root: Path) -> Study:
    """Return the study in a folder; StudyError when it holds no series."""
    if not root.is_dir():
        raise StudyError(f"{root}: expected a folder of EnergiBridge CSV files")
    found: list[_Read] = []
    unread = []
    for subject, condition, trial, path in _files(root):
        try:
            found.append((subject, condition, trial, series.read(path)))
        except series.TraceError as error:
            unread.append(str(error))
    if not found:
        cannot = f" ({len(unread)} cannot: {'; '.join(unread[:2])})" if unread else ""
        raise StudyError(
            f"{root}: expected CSV files of EnergiBridge, or subfolders of them named "
            f"<subject>-<condition>; found none that can be read{cannot}"
        )
    found.sort(key=lambda one: one[3].t[0])
    parts = [found[:1]]
    for before, one in itertools.pairwise(found):
        if one[3].t[0] - before[3].t[-1] > series.LONGEST:
            parts.append([])
        parts[-1].append(one)
    sessions = [_session(part) for part in parts]
    groups: dict[str, list[Run]] = {}
    for session in sessions:
        for run in session.runs:
            groups.setdefault(run.group, []).append(run)
    return Study(
        root.name,
        sessions,
        {name: _group(name, groups[name]) for name in sorted(groups)},
        unread,
    )


def _session(part: list[_Read]) -> Session:
    beside = series.windows([one[3] for one in part])
    rest = [window.after.watts for window in beside if window.after]
    usual = statistics.median(rest) if rest else None
    runs = [
        Run(*one, window, checks.run(one[3], window, usual))
        for one, window in zip(part, beside, strict=True)
    ]
    return Session(runs, usual)


def _group(name: str, runs: list[Run]) -> Group:
    runs = sorted(runs, key=lambda run: run.trial)
    step = max(run.series.interval for run in runs)
    quantised = checks.quantised([run.series.duration for run in runs], step)
    return Group(name, runs[0].subject, runs[0].condition, runs, quantised)


def comparisons(study: Study) -> list[Comparison]:
    """Compare every subject with the baseline, in every condition."""
    found = []
    for condition in study.conditions:
        baseline, *others = study.of(condition)
        burst = study.bursts(condition)
        found += [_comparison(baseline, other, burst) for other in others]
    return found


def _comparison(base: Group, own: Group, burst: set[int]) -> Comparison:
    left = {run.trial: run.metrics for run in base.runs}
    right = {run.trial: run.metrics for run in own.runs}
    both = left.keys() & right.keys()
    return Comparison(
        condition=base.condition,
        first=base.subject,
        second=own.subject,
        kept=(sum(base.kept()), sum(own.kept())),
        as_seed=list(_as_seed(base, own)),
        paired=list(_paired(left, right, both)),
        paired_quiet=list(_paired(left, right, both - burst)),
        left_out=sorted(burst & both),
        unpaired=sorted(left.keys() ^ right.keys()),
    )


def _as_seed(*groups: Group) -> Iterator[AsSeed]:
    for metric in asseed.METRICS:
        sides = [
            list(itertools.compress(group.known(metric) or [], group.kept()))
            for group in groups
        ]
        if min(map(len, sides)) >= 3:
            yield asseed.compare(metric, *sides)


def _paired(
    base: dict[int, dict[str, float | None]],
    own: dict[int, dict[str, float | None]],
    trials: set[int],
) -> Iterator[Ratio]:
    """Yield the ratios with at least 3 usable pairs.

    A pair is usable when both its values are known and above zero (net energy can be
    neither, when a run is no hotter than the machine at rest).
    """
    for metric in PAIRED:
        sides = [
            {
                trial: value
                for trial in trials
                if (value := side[trial][metric] or 0) > 0
            }
            for side in (base, own)
        ]
        if len(sides[0].keys() & sides[1].keys()) >= 3:
            found = stats.effect(sides[1], sides[0])
            yield Ratio(metric, found.ratio, found.low, found.high, found.n)
