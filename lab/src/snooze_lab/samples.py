"""The samples of a run, grouped by contest, contender, metric and block.

Separate from the arithmetic because reading samples.jsonl has its own rules.
Invariants: the figure of a process is the median of its values; figures of a cell are
kept by block, so that neighbouring measurements can be compared; a cell that could not
be measured keeps its status and the first reason. Used by results.py, sections.py and
compare.py.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Cell = tuple[str, str]
#: Stretches of rounds that serve as samples if there was one process only.
PARTS = 8
#: The unit of each metric.
UNITS = {"time": "ns", "size": "B"}


def unit_of(metric: str) -> str:
    """Return the unit of a metric: ns, B or J."""
    if metric in {"time", "round"} or metric.startswith("phase:"):
        return "ns"
    return "J" if metric.startswith("energy:") else "B"


@dataclass
class Rounds:
    """All rounds of a contest's interleaved processes, in sequence."""

    times: dict[str, list[float | None]] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)
    #: Why contenders, or ("") whole processes, have no rounds: status and reason.
    lost: dict[str, tuple[str, str]] = field(default_factory=dict)

    def missing(self, contender: str) -> tuple[str, str] | None:
        """Return status and reason of a contender that has no round; None if it has."""
        if any(one is not None for one in self.times.get(contender, ())):
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

        The median of each process's rounds; with fewer than two processes, of PARTS
        stretches of neighbouring rounds.
        """
        rounds = self.rounds.get(contest)
        if rounds is None or contender not in rounds.times:
            return []
        pairs = zip(rounds.blocks, rounds.times[contender], strict=True)
        known = [(block, time) for block, time in pairs if time is not None]
        blocks = sorted({block for block, _ in known})
        if len(blocks) > 1:
            groups = [[time for one, time in known if one == block] for block in blocks]
        else:
            groups = _stretches([time for _, time in known])
        return [statistics.median(group) for group in groups if group]

    def ratios(self, contest: str, contender: str, base: str) -> list[float]:
        """Return the interleaved instrument's log-ratios, base / own, in stretches."""
        rounds = self.rounds.get(contest)
        if rounds is None or not {contender, base} <= rounds.times.keys():
            return []
        pairs = zip(rounds.times[contender], rounds.times[base], strict=True)
        logs = [
            math.log(theirs / ours)
            for ours, theirs in pairs
            if ours is not None and theirs is not None
        ]
        return [statistics.fmean(group) for group in _stretches(logs)]

    def of(self, contest: str, contender: str, metric: str) -> dict[int, float]:
        """Return a cell's figures by block."""
        return self.figures.get((contest, contender), {}).get(metric, {})


def _stretches(values: list[float]) -> list[list[float]]:
    """Return neighbours grouped into PARTS groups of nearly the same size."""
    ends = [len(values) * part // PARTS for part in range(PARTS + 1)]
    groups = [values[one:two] for one, two in itertools.pairwise(ends)]
    return [group for group in groups if group]


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
            _join(rounds.setdefault(contest, Rounds()), sample)
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


def _join(found: Rounds, sample: dict[str, Any]) -> None:
    times = sample.get("times", {})
    found.wrong |= sample.get("wrong", {})
    for status in ("unable", "absent"):
        for name, reason in sample.get(status, {}).items():
            found.lost.setdefault(name, (status, reason))
    status = sample.get("status", "failed")
    if status != "ok":
        found.lost.setdefault("", (status, sample.get("error") or "no reason given"))
    count = max((len(one) for one in times.values()), default=0)
    before = len(found.blocks)
    for name in found.times.keys() | times.keys():
        earlier = found.times.setdefault(name, [None] * before)
        earlier += times.get(name, [None] * count)
    found.blocks += [sample["block"]] * count
