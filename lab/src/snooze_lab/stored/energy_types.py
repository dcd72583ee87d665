"""The form of `results["energy"]`: one study of imported energy series.

Separate because `results.json` is read by the report and by others. Figures are finite
or None, rounded to six digits; every ratio is baseline / own. Units: s, J, W, B; `busy`
is in cores. `format` changes when a reader of the old form would misread it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a group: its distribution over all runs in which it is known.

    low, high: the ends of a box plot's whiskers, at most 1.5 interquartile ranges from
    the box. outside: the values beyond them. withdrawn: why it must not be believed,
    empty for most.
    """

    unit: str
    n: int
    mean: float
    sd: float
    min: float
    q1: float
    median: float
    q3: float
    max: float
    low: float
    high: float
    outside: list[float]
    withdrawn: str


@dataclass(frozen=True, slots=True)
class Group:
    """The runs of one subject in one condition.

    kept: how many the seed's outlier rule keeps. idle_share: of the gross joules, None
    without windows at rest. metrics: among duration, package (gross J), net, power,
    cores, core0, idle (W beside the runs), busy and peak_memory, those that are known.
    skipped: the checks that lacked their data, with the reason.
    """

    name: str
    subject: str
    condition: str
    n: int
    kept: int
    idle_share: float | None
    metrics: dict[str, Metric]
    skipped: dict[str, str]


@dataclass(frozen=True, slots=True)
class AsSeed:
    """A comparison in one metric by the seed's own method, baseline first.

    effect and statistic are baseline against own; difference_percent is own against
    baseline. p, effect and difference_percent are None where they are not defined.
    """

    metric: str
    unit: str
    n: tuple[int, int]
    mean: tuple[float, float]
    sd: tuple[float, float]
    test: str
    statistic: float | None
    p: float | None
    effect_name: str
    effect: float | None
    difference_percent: float | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """baseline / own in one metric: mean over `n` trials, 95 % interval."""

    metric: str
    ratio: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A subject against the baseline in one condition.

    first: the baseline. second: the subject. paired: in trials; paired_quiet: the same
    without the trials beside which something else ran (left_out). unpaired: trials
    that only one side has.
    """

    condition: str
    first: str
    second: str
    kept: tuple[int, int]
    as_seed: list[AsSeed]
    paired: list[Ratio]
    paired_quiet: list[Ratio]
    left_out: list[int]
    unpaired: list[int]


@dataclass(frozen=True, slots=True)
class Run:
    """One run. start: s since its session began. predicted: J by the power model."""

    group: str
    trial: int
    session: int
    start: float
    duration: float
    package: float
    net: float | None
    power: float
    core0: float | None
    idle_before: float | None
    idle_after: float | None
    busy: float | None
    peak_memory: float | None
    kept: bool
    predicted: float | None
    flags: list[str]


@dataclass(frozen=True, slots=True)
class Session:
    """Runs without a pause of over ten minutes between them.

    usual_idle_w: the median power at rest, None if it never rested. idle: (start, stop,
    W) of each window at rest, in s since the session began.
    """

    usual_idle_w: float | None
    runs: int
    idle: list[tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The power model's accuracy on a group: medians in J, their difference in %.

    left_out: runs beside which something else ran. fitted: the model was fitted to
    this group, so this is no test of it.
    """

    group: str
    n: int
    left_out: int
    measured: float
    predicted: float
    difference_percent: float
    fitted: bool


@dataclass(frozen=True, slots=True)
class PowerModel:
    """E = seconds * idle_w + CPU seconds * core_w, fitted to `n` runs.

    low, high: the band that holds 95 % of measured / predicted joules of the fit.
    """

    idle_w: float
    core_w: float
    low: float
    high: float
    n: int
    fitted: list[str]
    predictions: list[Prediction]


@dataclass(frozen=True, slots=True)
class FlagCount:
    """A fault of runs. counts: (runs with it, all runs) by group."""

    flag: str
    meaning: str
    counts: dict[str, tuple[int, int]]
    example: str


@dataclass(frozen=True, slots=True)
class StudyFlag:
    """A fault of the whole study. where: the session."""

    flag: str
    sentence: str
    where: str


@dataclass(frozen=True, slots=True)
class Idle:
    """A window at rest beside a drawn series: two points of its running total."""

    t: tuple[float, float]
    joules: tuple[float, float]
    watts: float


@dataclass(frozen=True, slots=True)
class Cumulative:
    """The running total of one run, thinned to be drawn.

    t = 0 and joules = 0 are the run's own beginning, so that the runs of a condition
    lie over each other; the window at rest before it has negative ones.
    """

    condition: str
    group: str
    trial: int
    t: list[float]
    joules: list[float]
    idle: list[Idle]


@dataclass(frozen=True, slots=True)
class Energy:
    """One imported study. statements: its ratios and faults in words."""

    format: Literal[2]
    name: str
    quality: Literal["measured", "imported", "estimated", "simulated"]
    conditions: list[str]
    groups: list[Group]
    comparisons: list[Comparison]
    runs: list[Run]
    sessions: list[Session]
    model: PowerModel | None
    flags: list[FlagCount]
    study_flags: list[StudyFlag]
    statements: list[str]
    cumulative: list[Cumulative] = field(default_factory=list)
