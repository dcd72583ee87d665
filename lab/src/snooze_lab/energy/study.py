"""A folder of energy series as a study: groups of runs, pairs, and findings.

Separate because it joins the other modules, which are independent of each other.
Invariants: nothing here was measured on this machine, every joule is `imported`; every
run found in the folder is in the study, flagged or not; unreadable files are named in
`unread`. Used by summary.py, calibrate.py and the verb `import`.

A folder holds either one subfolder a group, named `<subject>-<condition>` (`json-1gb`),
or files of one condition, named `energy_<subject>_run<number>.csv`. Runs of the same
number in the same condition are a trial, and so a pair.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snooze_lab.energy import asseed, checks, pairs, series, windows
from snooze_lab.meters.energibridge_csv import TraceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

QUALITY = "imported"
BASELINE = "json"
_FILE = re.compile(r"(?:energy_)?(?P<subject>.+?)_?(?:run|trial)?_?(?P<trial>\d+)")


class StudyError(Exception):
    """A folder holds no study; the message says what was expected and found."""


@dataclass(frozen=True)
class Run:
    """One run: which trial of which group, its series, its window and its faults."""

    subject: str
    condition: str
    trial: int
    series: series.Series
    window: windows.Window
    checked: checks.Checked
    operations: int

    @property
    def name(self) -> str:
        """Return `<subject>-<condition> <trial>`."""
        return f"{group_name(self.subject, self.condition)} {self.trial}"

    @property
    def metrics(self) -> dict[str, float | None]:
        """Return its figures: s, J, W, J per operation, bytes; None: not known."""
        duration = self.series.duration
        net = self.window.net
        cores = self.series.counters.get(series.CORES)
        return {
            "duration": duration,
            "package": self.window.gross,
            "net": net,
            "power": self.window.gross / duration,
            "per_operation": self.window.gross / self.operations,
            "net_per_operation": None if net is None else net / self.operations,
            "cores": None if cores is None else cores[-1] - cores[0],
            "core0": self.core0,
            "idle": self.window.idle_watts,
            "busy": self.series.busy_cores(),
            "peak_memory": max(self.series.memory, default=None),
        }

    @property
    def core0(self) -> float | None:
        """Return the authors' reading of the counter of core 0.

        It is the sum of its upward steps, whether or not the counter means anything:
        used for their table and for their outlier rule, nowhere else.
        """
        for name, counter in self.series.suspects.items():
            if name == "CORE0_ENERGY":
                return series.positive_steps(counter)
        return None

    def flagged(self, name: str) -> bool:
        """Tell whether a check found this fault."""
        return any(flag.name == name for flag in self.checked.flags)


@dataclass(frozen=True)
class Group:
    """The runs of one subject in one condition, in order of trial."""

    subject: str
    condition: str
    runs: list[Run]
    flags: list[checks.Flag] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return `<subject>-<condition>`."""
        return group_name(self.subject, self.condition)

    def values(self, metric: str) -> list[float | None]:
        """Return a metric of each run."""
        return [run.metrics[metric] for run in self.runs]

    def known(self, metric: str) -> list[float] | None:
        """Return a metric of each run, None unless every run has it."""
        found = [value for value in self.values(metric) if value is not None]
        return found if found and len(found) == len(self.runs) else None

    def kept(self) -> list[bool]:
        """Tell which runs the seed's outlier rule keeps."""
        known = {name: self.known(name) for name in asseed.OUTLIER_METRICS}
        return asseed.kept({name: v for name, v in known.items() if v is not None})


@dataclass(frozen=True)
class Study:
    """All groups of a folder. usual: idle W of each session, in order of time."""

    name: str
    groups: dict[str, Group]
    usual: list[float | None]
    flags: list[checks.Flag]
    unread: list[str]

    @property
    def conditions(self) -> list[str]:
        """Return the conditions, in order of name."""
        return sorted({group.condition for group in self.groups.values()})

    def subjects(self, condition: str) -> list[str]:
        """Return the subjects of a condition, the baseline first."""
        found = {g.subject for g in self.groups.values() if g.condition == condition}
        return sorted(found, key=lambda subject: (subject != BASELINE, subject))

    def group(self, subject: str, condition: str) -> Group:
        """Return a group; KeyError if the study has none such."""
        return self.groups[group_name(subject, condition)]

    def trials(self, condition: str, flag: str) -> set[int]:
        """Return the trials of a condition in which any run has a flag."""
        return {
            run.trial
            for group in self.groups.values()
            if group.condition == condition
            for run in group.runs
            if run.flagged(flag)
        }


@dataclass(frozen=True)
class Versus:
    """Two subjects in one condition: as in the seed, and paired."""

    condition: str
    first: str
    second: str
    kept: tuple[int, int]
    as_seed: list[asseed.Comparison]
    paired: list[pairs.Ratio]
    #: The same without the trials in which a background burst was seen.
    paired_quiet: list[pairs.Ratio]
    left_out: list[int]
    unpaired: list[int]


def group_name(subject: str, condition: str) -> str:
    """Return the name of a group."""
    return f"{subject}-{condition}" if condition else subject


def _files(root: Path) -> list[tuple[str, str, int, Path]]:
    """Return (subject, condition, trial, path) of every file of a study."""
    found = []
    folders = sorted(path for path in root.iterdir() if path.is_dir())
    for folder in [root, *folders]:
        subject, _, condition = folder.name.rpartition("-")
        if not subject:
            subject, condition = condition, ""
        for place, path in enumerate(sorted(folder.glob("*.csv")), 1):
            match = _FILE.fullmatch(path.stem)
            trial = int(match["trial"]) if match else place
            if folder is root:
                name = match["subject"] if match else path.stem
                found.append((name, "", trial, path))
            else:
                found.append((subject, condition, trial, path))
    return found


def _sessions(runs: Sequence[series.Series]) -> list[list[series.Series]]:
    """Return the runs in order of time, cut where the study paused."""
    found: list[list[series.Series]] = []
    for run in sorted(runs, key=lambda run: run.t[0]):
        if found and run.t[0] - found[-1][-1].t[-1] <= windows.LONGEST:
            found[-1].append(run)
        else:
            found.append([run])
    return found


def _operations(given: Mapping[str, int] | int, group: str) -> int:
    made = given if isinstance(given, int) else given.get(group, 0)
    if made < 1:
        raise StudyError(
            f"{group}: expected how many operations a run made, at least 1, "
            f"found {made}"
        )
    return made


def load(
    root: Path,
    *,
    limits: checks.Limits | None = None,
    origin: series.Origin | None = None,
    operations: Mapping[str, int] | int = 1,
) -> Study:
    """Return the study in a folder.

    limits: thresholds of the checks, with the machine's maximum power where known.
    origin: the system it was recorded on where the columns do not tell. operations: how
    many operations a run made, one figure or by name of group.

    Raises StudyError when the folder holds no series.
    """
    if not root.is_dir():
        raise StudyError(f"{root}: expected a folder of EnergiBridge CSV files")
    limits = limits or checks.Limits()
    loaded: dict[str, tuple[str, str, int]] = {}
    runs: list[series.Series] = []
    unread = []
    for subject, condition, trial, path in _files(root):
        key = str(path.relative_to(root))
        try:
            one = series.read(path, origin)
        except TraceError as error:
            unread.append(str(error))
            continue
        runs.append(dataclasses.replace(one, name=key))
        loaded[key] = (subject, condition, trial)
    if not runs:
        raise StudyError(
            f"{root}: expected CSV files of EnergiBridge, or subfolders of them named "
            f"<subject>-<condition>; found none that can be read "
            f"({len(unread)} cannot: {'; '.join(unread[:2])})"
        )
    groups: dict[str, Group] = {}
    usual = []
    flags = []
    for session in _sessions(runs):
        level = windows.level(windows.idles(session))
        usual.append(level)
        for one, window in zip(session, windows.windows(session), strict=True):
            subject, condition, trial = loaded[one.name]
            name = group_name(subject, condition)
            group = groups.setdefault(name, Group(subject, condition, []))
            made = _operations(operations, name)
            found = checks.run(one, window, level, limits)
            group.runs.append(Run(subject, condition, trial, one, window, found, made))
        order = checks.alternating(
            [group_name(*loaded[one.name][:2]) for one in session],
            f"session {len(usual)}",
        )
        flags += [order] if order else []
    for group in groups.values():
        group.runs.sort(key=lambda run: run.trial)
        flag = checks.quantised(
            [run.series.duration for run in group.runs],
            max(run.series.interval for run in group.runs),
            group.name,
        )
        group.flags.extend([flag] if flag else [])
    ordered = {name: groups[name] for name in sorted(groups)}
    return Study(root.name, ordered, usual, flags, unread)


def _as_seed(first: Group, second: Group) -> list[asseed.Comparison]:
    found = []
    for metric in asseed.METRICS:
        values = []
        for group in (first, second):
            known = group.known(metric)
            if known is not None:
                keep = group.kept()
                values.append([v for v, k in zip(known, keep, strict=True) if k])
        if len(values) == 2 and min(len(v) for v in values) >= 3:
            names = (first.subject, second.subject)
            found.append(asseed.compare(metric, names, values[0], values[1]))
    return found


def _paired(
    first: dict[int, Run], second: dict[int, Run], trials: Sequence[int]
) -> list[pairs.Ratio]:
    found = []
    for metric in ("duration", "package", "net", "power", "peak_memory"):
        ratio = pairs.ratio(
            metric,
            [first[trial].metrics[metric] for trial in trials],
            [second[trial].metrics[metric] for trial in trials],
        )
        found += [ratio] if ratio else []
    return found


def versus(study: Study, condition: str, first: str, second: str) -> Versus:
    """Compare two subjects in a condition, as the seed did and in pairs."""
    one, two = study.group(first, condition), study.group(second, condition)
    left = {run.trial: run for run in one.runs}
    right = {run.trial: run for run in two.runs}
    both = sorted(left.keys() & right.keys())
    burst = study.trials(condition, checks.BURST)
    return Versus(
        condition=condition,
        first=first,
        second=second,
        kept=(sum(one.kept()), sum(two.kept())),
        as_seed=_as_seed(one, two),
        paired=_paired(left, right, both),
        paired_quiet=_paired(left, right, [t for t in both if t not in burst]),
        left_out=sorted(burst & set(both)),
        unpaired=sorted(left.keys() ^ right.keys()),
    )


def comparisons(study: Study) -> list[Versus]:
    """Compare every subject with the baseline, in every condition."""
    found = []
    for condition in study.conditions:
        baseline, *others = study.subjects(condition)
        found += [versus(study, condition, baseline, other) for other in others]
    return found
