"""The samples of a run, grouped by contest, contender, metric and block.

Separate because reading samples.jsonl has its own rules: the figure of a process is the
median of its values, kept by block, so that neighbours can be compared; a cell that
could not be measured keeps its status and the first reason.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from snooze_lab.statistics import stats
from snooze_lab.statistics.stats import StatsError
from snooze_lab.timing.rounds import log_ratio, stretches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from snooze_lab.model import Contest, Effect, Row

Cell = tuple[str, str]
One = TypeVar("One")
#: Stretches of rounds that serve as samples if there was one process only.
PARTS = 8
#: Resident memory is counted in pages of so many bytes.
PAGE = 4096.0


def unit_of(metric: str) -> str:
    """Return the unit of a metric: ns, B or J."""
    if metric in {"time", "round"} or metric.startswith("phase:"):
        return "ns"
    return "J" if metric.startswith("energy:") else "B"


def grain_of(metric: str) -> float:
    """Return the difference of a metric that is none: a page of resident memory."""
    return PAGE if metric in {"base", "peak", "increase"} else 0.0


@dataclass
class Rounds:
    """All rounds of a contest's interleaved processes, in sequence."""

    #: In ns per call: without the garbage collections, and these. NaN: it sat out.
    times: dict[str, list[float]] = field(default_factory=dict)
    pauses: dict[str, list[float]] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)
    #: Why contenders, or ("") whole processes, have no rounds: status and reason.
    lost: dict[str, tuple[str, str]] = field(default_factory=dict)

    def effect(self, contender: str, base: str) -> Effect:
        """Return a contender's speed relative to a base; StatsError without either."""
        for name in (contender, base):
            if name not in self.times:
                raise StatsError(f"rounds: expected those of {name}, found none")
        own, theirs = self.times[contender], self.times[base]
        pauses = self.pauses[contender], self.pauses[base]
        return stats.rounds_effect(own, theirs, base, pauses=pauses, blocks=self.blocks)

    def add(self, sample: dict[str, Any]) -> None:
        """Append the rounds of a process: an interleaved sample."""
        times = sample.get("times", {})
        # Runs of earlier versions have the collections in the times.
        pauses = sample.get("pauses", {})
        self.wrong |= sample.get("wrong", {})
        for status in ("unable", "absent"):
            for name, reason in sample.get(status, {}).items():
                self.lost.setdefault(name, (status, reason))
        status = sample.get("status", "failed")
        if status != "ok":
            self.lost.setdefault("", (status, sample.get("error") or "no reason given"))
        count = max((len(one) for one in times.values()), default=0)
        before = len(self.blocks)
        for name in self.times.keys() | times.keys():
            earlier = self.times.setdefault(name, [math.nan] * before)
            earlier += _numbers(times.get(name, [None] * count))
            collected = self.pauses.setdefault(name, [math.nan] * before)
            collected += _numbers(pauses.get(name, [0.0] * count))
        self.blocks += [sample["block"]] * count

    def processes(self, contender: str) -> int:
        """Return the number of processes that a contender has rounds of."""
        whole = zip(self.blocks, self.times.get(contender, ()), strict=False)
        return len({block for block, time in whole if not math.isnan(time)})

    def missing(self, contender: str) -> tuple[str, str] | None:
        """Return status and reason of a contender that has no round; None if it has."""
        if not all(map(math.isnan, self.times.get(contender, ()))):
            return None
        return self.lost.get(contender) or self.lost.get("")


@dataclass
class Samples:
    """All measurements of a run."""

    #: metric -> block -> the process's median, by cell.
    figures: dict[Cell, dict[str, dict[int, float]]]
    #: Status and reason of the cells that were not measured, or cannot be trusted.
    failed: dict[Cell, tuple[str, str]]
    rounds: dict[str, Rounds]
    #: The samples themselves, in order of time.
    all: list[dict[str, Any]]
    #: The samples by cell, without those of the interleaved instrument.
    by_cell: dict[Cell, list[dict[str, Any]]] = field(default_factory=dict)

    def parts(self, contest: str, contender: str) -> list[float]:
        """Return the interleaved measurements of a cell, in ns per call.

        Of each process, the median of its rounds and the mean of its collections; with
        fewer than two processes, of PARTS stretches of neighbouring rounds.
        """
        rounds = self.rounds.get(contest)
        if rounds is None or contender not in rounds.times:
            return []
        times, pauses = rounds.times[contender], rounds.pauses[contender]
        whole = zip(rounds.blocks, times, pauses, strict=True)
        known = [one for one in whole if not math.isnan(sum(one))]
        blocks = sorted({block for block, _, _ in known})
        groups = [[one for one in known if one[0] == block] for block in blocks]
        return [
            statistics.median(time for _, time, _ in group)
            + statistics.fmean(pause for _, _, pause in group)
            for group in (groups if len(groups) > 1 else _stretches(known))
        ]

    def ratios(self, contest: str, contender: str, base: str) -> list[float]:
        """Return the interleaved instrument's log-ratios, base / own, in stretches."""
        rounds = self.rounds.get(contest)
        if rounds is None or not {contender, base} <= rounds.times.keys():
            return []
        pauses = rounds.pauses[contender], rounds.pauses[base]
        shared = stats.together(rounds.times[contender], rounds.times[base], pauses)
        return [log_ratio(group) for group in _stretches(list(shared.values()))]

    def effect(
        self, contest: str, contender: str, base: str, instrument: str
    ) -> Effect | None:
        """Return a contender's time against another's; None if they share no block."""
        try:
            if instrument == "interleaved":
                return self.rounds.get(contest, Rounds()).effect(contender, base)
            own, theirs = (self.of(contest, one, "time") for one in (contender, base))
            return stats.effect(own, theirs, base)
        except StatsError:
            return None

    def relative(self) -> list[tuple[dict[str, Any], float]]:
        """Return the timed samples, each with its time relative to its cell's median.

        They are in order of time.
        """
        times = {
            cell: statistics.median(found["time"].values())
            for cell, found in self.figures.items()
            if "time" in found
        }
        return [
            (one, statistics.median(values) / times[one["contest"], one["contender"]])
            for one in self.all
            if (values := one.get("values", {}).get("time"))
        ]

    def last_block(self, contest: str) -> int:
        """Return the number of the last block with a sample of a contest."""
        blocks: list[int] = [
            one["block"] for one in self.all if one["contest"] == contest
        ]
        return max(blocks)

    def of(self, contest: str, contender: str, metric: str) -> dict[int, float]:
        """Return a cell's figures by block."""
        return self.figures.get((contest, contender), {}).get(metric, {})


@dataclass(frozen=True)
class Derived:
    """The contests of a run, its samples, and the row of each cell made of them."""

    contests: dict[str, Contest]
    samples: Samples
    rows: dict[str, dict[str, Row]]

    def of(self, table: dict[str, Any]) -> list[Contest]:
        """Return the contests of a table of the plan."""
        return [self.contests[name] for name in table["contests"]]


def _numbers(values: list[float | None]) -> list[float]:
    """Return a column of a sample; JSON has no NaN, so it has null for one."""
    return [math.nan if one is None else one for one in values]


def _stretches(values: list[One]) -> list[Sequence[One]]:
    """Return neighbours grouped into PARTS groups of nearly the same size."""
    return stretches(values, min(PARTS, len(values)))


def read(lines: Iterable[dict[str, Any]]) -> Samples:
    """Group samples."""
    figures: dict[Cell, dict[str, dict[int, float]]] = defaultdict(dict)
    failed: dict[Cell, tuple[str, str]] = {}
    rounds: dict[str, Rounds] = {}
    by_cell: dict[Cell, list[dict[str, Any]]] = defaultdict(list)
    refused: dict[Cell, tuple[str, str]] = {}
    kept = list(lines)
    for sample in kept:
        contest, block = sample["contest"], sample["block"]
        if sample["kind"] == "interleaved":
            rounds.setdefault(contest, Rounds()).add(sample)
            for name, reason in sample.get("lost", {}).items():
                failed.setdefault((contest, name), ("failed", reason))
            continue
        cell = (contest, sample["contender"])
        by_cell[cell].append(sample)
        status = sample.get("status", "failed")
        if status != "ok":
            blank = refused if status == "refused" else failed
            blank.setdefault(cell, (status, sample.get("error") or "no reason given"))
            continue
        found = figures[cell]
        for metric, values in sample["values"].items():
            if values:
                found.setdefault(metric, {})[block] = statistics.median(values)
        if sample.get("bytes"):
            found.setdefault("size", {})[block] = float(sample["bytes"])
    # Completed samples count, even if memory was short for others of the cell.
    failed = {one: why for one, why in refused.items() if one not in figures} | failed
    return Samples(dict(figures), failed, rounds, kept, dict(by_cell))
