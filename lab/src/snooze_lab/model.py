"""The data model of the laboratory: factors, contests, estimates, effects, rows, noise.

Separate because every part uses it. Everything is immutable and survives a round trip
through JSON; standard library only, since the worker imports it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

REFERENCE = "orjson"
_SECOND = " again"


def twin(name: str) -> str:
    """Return the name of the second entry of a contender."""
    return name + _SECOND


def original(name: str) -> str | None:
    """Return the name of the first entry, if this is the name of a second one."""
    return name.removesuffix(_SECOND) if name.endswith(_SECOND) else None


#: The reference, entered twice: the difference of its entries is the run's noise.
AGAIN = twin(REFERENCE)
STANDARD = "json"
OURS = "snooze"
#: How a program without classes uses the reference, by operation on structures.
UNTYPED = {"encode": f"{REFERENCE} dumps dicts", "decode": f"{REFERENCE} loads"}

Status = Literal["ok", "wrong", "unable", "absent", "failed", "refused"]
Verdict = Literal["better", "worse", "equal", "undecided", "too noisy"]

#: The instruments that give ratios, the one that tables prefer first.
INSTRUMENTS = ("interleaved", "isolated")

#: Allowed levels of each factor; the first is the default.
LEVELS: dict[str, tuple[str, ...]] = {
    "gc": ("default", "off", "frozen"),
    "input": ("bytes", "str"),
    "cache": ("warm", "cold"),
    "buffer": ("fresh", "reused"),
}


@dataclass(frozen=True, slots=True)
class Factors:
    """The conditions of a measurement.

    gc: `default` (as Python starts), `off`, or `frozen` (on, but objects that existed
    before the measurement are not scanned). input: the type given to `loads`. cache:
    whether the strings of the value given to `dumps` may carry their UTF-8 form from an
    earlier call (`cold`: the value is rebuilt before each call). buffer: whether output
    goes to a new object or into a reused one.
    """

    gc: str = "default"
    input: str = "bytes"
    cache: str = "warm"
    buffer: str = "fresh"

    def __post_init__(self) -> None:
        """Refuse unknown levels."""
        for name, levels in LEVELS.items():
            level = getattr(self, name)
            if level not in levels:
                raise ValueError(
                    f"factor {name}: expected one of {', '.join(levels)}, "
                    f"found {level!r}"
                )

    def differing(self) -> dict[str, str]:
        """Return the factors that are not at their default level."""
        return {
            name: getattr(self, name)
            for name, levels in LEVELS.items()
            if getattr(self, name) != levels[0]
        }

    def __str__(self) -> str:
        """Return them as in the name of a contest: `gc=off&cache=cold`."""
        return "&".join(f"{name}={level}" for name, level in self.differing().items())


#: Operations that read and that write, for factors that concern one of them.
READING = ("loads", "touch")
WRITING = (
    *("dumps", "copy", "encode", "sort", "indent"),
    *("nonstr", "nonstr-sort", "dataclass", "numpy"),
)


def ignored(operation: str, factors: Factors, task: str) -> str:
    """Return why a factor's level would have no effect in a task, or an empty string.

    `task` is the metric of an isolated process, or `interleaved`.
    """
    level = factors.differing()
    write = f"{operation} does not write"
    rules = (
        ("input", operation in READING, f"{operation} is not given a text to read"),
        ("buffer", operation in WRITING, write),
        ("cache", operation in WRITING, write),
        ("gc", operation != "conformance", "conformance times nothing"),
        ("cache", task == "time", "is a condition of isolated times only"),
    )
    for name, heeded, reason in rules:
        if name in level and not heeded:
            return f"{name}={level[name]}: {reason}"
    return ""


@dataclass(frozen=True, slots=True)
class Contest:
    """One operation on one workload under one set of factors, and its contenders.

    `id` names it: `study/table/workload/operation`, then `?` and the factors that are
    not at their default. A *cell* is a contest and one contender. `seconds` is the time
    of an interleaved process; `loops` the calls of one timed value (0: enough to fill a
    slice); `repeats` the calls of a memory sample; `rest` seconds of sleep before a
    sample, `warmup` seconds of work before the first.
    """

    study: str
    table: str
    workload: str
    operation: str
    contenders: tuple[str, ...]
    factors: Factors = field(default_factory=Factors)
    instruments: tuple[str, ...] = ("isolated",)
    metrics: tuple[str, ...] = ("time",)
    baseline: str = REFERENCE
    blocks: int = 8
    seconds: float = 1.0
    loops: int = 0
    repeats: int = 1
    rest: float = 0.0
    warmup: float = 0.0

    @property
    def id(self) -> str:
        """Return its name."""
        name = f"{self.study}/{self.table}/{self.workload}/{self.operation}"
        extra = str(self.factors)
        return f"{name}?{extra}" if extra else name

    def as_json(self) -> dict[str, Any]:
        """Return the entry of plan.json."""
        return {"id": self.id} | dataclasses.asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Contest:
        """Return the contest of an entry of plan.json.

        ValueError if a value is missing or has the wrong type.
        """
        # Not at the top: workers import this module, and nothing that is installed.
        import snooze  # noqa: PLC0415

        return snooze.convert(found, cls)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A quantity with its 95 % interval, from `n` independent samples."""

    value: float
    low: float
    high: float
    n: int
    unit: str

    def __post_init__(self) -> None:
        """Refuse what is no interval, and NaN; ValueError."""
        if not self.low <= self.high:
            raise ValueError(f"expected an interval, found {self.low} to {self.high}")


@dataclass(frozen=True, slots=True)
class Effect:
    """A ratio to a baseline with its 95 % interval, and the verdict.

    `ratio` is baseline / own for every metric: above 1 is better (for times: faster).
    `verdict` is one of `better`, `worse`, `equal` (inside the margin of practical
    equality), `undecided`, `too noisy` (a smaller difference than between the A/A
    contenders of the run). `p` is that of Student's paired test on the log-ratios,
    corrected by Holm over the table.
    """

    baseline: str
    ratio: float
    low: float
    high: float
    n: int
    p: float
    verdict: Verdict

    def __post_init__(self) -> None:
        """Refuse what is no ratio or no interval, and NaN; ValueError."""
        if not (self.ratio > 0 and 0 < self.low <= self.high):
            raise ValueError(
                "expected a ratio above 0 with its interval, found "
                f"{self.ratio}, {self.low} to {self.high}"
            )


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where one curve crosses another, or bends: a size with its interval.

    `x`, `low` and `high` have the unit of the sizes; an end outside them, or all three
    where there is no such size, are None. Of a crossing, `kind` says where `contender`
    is better than `against`: `always` or `never` at the measured sizes, `from` a size
    on or `up to` it, or `undecided`; `crossings` counts the sign changes of the curve.
    Of a bend, `before` and `after` are the slopes of ln cost over ln size, and `p`
    tests against a straight line.
    """

    sentence: str
    x: float | None = None
    low: float | None = None
    high: float | None = None
    contender: str = ""
    against: str = ""
    kind: str = ""
    crossings: int = 0
    before: float | None = None
    after: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """All results of one cell.

    `status`: `ok`; `wrong` (its result was wrong: never timed), `unable` (it has no
    such operation), `absent` (not installed), `failed` (the worker failed), `refused`
    (by the memory guard). Every status but `ok` has a `reason`. `quantities` are keyed
    by metric: `time` (ns per operation, isolated processes), `round` (the same by the
    interleaved instrument), `peak`, `tree`, `increase`, `base` (B), `size` (B of
    output), phases as `phase:read`, energies (J per operation) as
    `energy:<quality>:<gross|net>:<meter>`.
    """

    contest: str
    contender: str
    status: Status
    reason: str = ""
    quantities: dict[str, Estimate] = field(default_factory=dict)
    #: Medians of the single processes, in order of blocks, by metric.
    raw: dict[str, list[float]] = field(default_factory=dict)
    #: By instrument, `isolated` or `interleaved`, then metric.
    effects: dict[str, dict[str, Effect]] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def time(self) -> Estimate | None:
        """The time of an operation, by isolated processes if there were any."""
        return self.quantities.get("time") or self.quantities.get("round")

    def ratios(self, metric: str) -> list[tuple[str, Effect]]:
        """Return its ratios in a metric with their instruments, the preferred first.

        The metric `round` of the interleaved instrument is compared as `time`.
        """
        key = "time" if metric == "round" else metric
        return [
            (name, self.effects[name][key])
            for name in INSTRUMENTS
            if key in self.effects.get(name, {})
        ]

    def ratio(self, metric: str, baseline: str = "") -> Effect | None:
        """Return its preferred ratio in a metric: to this baseline, if one is named."""
        for _, found in self.ratios(metric):
            if baseline in {"", found.baseline}:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Noise:
    """The relative differences between identical entries of a run.

    `n`: A/A comparisons; `excluded`: the share of their 95 % intervals that exclude 1,
    expected 0.05 (those of one block are not counted); `floor`: the deviation below
    which the run makes no claim (the 95 % quantile of its A/A deviations). `sentence`
    is the first line of a report.
    """

    verdict: Literal["quiet", "usable", "too noisy", "unknown"]
    floor: float
    sentence: str
    n: int = 0
    aa_median: float = 0.0
    aa_worst: float = 0.0
    excluded: float = 0.0

    @property
    def said(self) -> str:
        """The sentence without the verdict that it may begin with."""
        start = f"{self.verdict}: "
        if not self.sentence.lower().startswith(start):
            return self.sentence
        rest = self.sentence[len(start) :]
        return rest if rest.startswith(REFERENCE) else rest[:1].upper() + rest[1:]
