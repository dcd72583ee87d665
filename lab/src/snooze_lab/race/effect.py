"""From slices to statements: times, ratios and their intervals.

Separate so that the arithmetic can be read and tested without a race. A round times
every contender once, in shuffled order, within a few dozen milliseconds. The ratio to
the reference is taken inside each round, so that a slow moment of the machine affects
both sides. A contender that skipped a round has NaN there. Invariant: the unit of
averaging and resampling is the round (never the single call), and ratios are averaged
as logarithms. Used by cells.py and table.py.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass

RESAMPLES = 1_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """Speed relative to a reference, with its interval."""

    value: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Half the width of the interval, relative to the value."""
        return (self.high - self.low) / 2 / self.value

    def as_list(self) -> list[float]:
        """Return the value and interval, rounded for a record."""
        return [round(one, 4) for one in (self.value, self.low, self.high)]


@dataclass(frozen=True)
class Replicates:
    """The logarithm of a ratio, and its bootstrap replicates."""

    center: float
    resampled: tuple[float, ...]

    def ratio(self) -> Ratio:
        """Return the ratio and its percentile interval."""
        ordered = sorted(self.resampled)
        tail = (1 - CONFIDENCE) / 2
        low = ordered[int(tail * (len(ordered) - 1))]
        high = ordered[math.ceil((1 - tail) * (len(ordered) - 1))]
        return Ratio(math.exp(self.center), math.exp(low), math.exp(high))


def speed(own: list[float], reference: list[float], seed: int = 1) -> Replicates:
    """Compare the times of two contenders in the rounds that both took part in."""
    pairs = zip(own, reference, strict=True)
    logs = [math.log(ref / mine) for mine, ref in pairs if not math.isnan(mine + ref)]
    dice = random.Random(seed)
    count = len(logs)
    resampled = tuple(
        math.fsum(dice.choices(logs, k=count)) / count for _ in range(RESAMPLES)
    )
    return Replicates(math.fsum(logs) / count, resampled)


def overall(cells: list[Replicates]) -> Replicates:
    """Return the geometric mean over workloads, each resampled separately."""
    count = len(cells)
    return Replicates(
        math.fsum(cell.center for cell in cells) / count,
        tuple(
            math.fsum(column) / count
            for column in zip(*(cell.resampled for cell in cells), strict=True)
        ),
    )


def typical(times: list[float]) -> float:
    """Return the time to show: the median over the rounds taken part in."""
    return statistics.median(time for time in times if not math.isnan(time))


def spread(times: list[float]) -> list[float]:
    """Return what a record keeps of the rounds: count, minimum, quartiles, maximum."""
    known = sorted(time for time in times if not math.isnan(time))
    last = len(known) - 1
    parts = (known[0], *(known[round(last * part / 4)] for part in (1, 3)), known[-1])
    least, lower, upper, most = (round(one, 1) for one in parts)
    return [len(known), least, lower, round(typical(times), 1), upper, most]
