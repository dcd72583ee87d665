"""Ratios of times that were taken in the same rounds, with their intervals.

Separate because the race takes these ratios where nothing is installed, and the studies
take the same ones. Rounds that follow each other share the state of the machine, so the
interval is Student's over stretches of neighbouring rounds, longer for more
autocorrelation (METHODOLOGY.md). A round that one side skipped (NaN) counts for
neither.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Value = TypeVar("Value")
#: Own time, the reference's, own collections of garbage, the reference's: one unit.
Round = tuple[float, float, float, float]

CONFIDENCE = 0.95
#: With so many rounds or more, at least this many runs are formed,
FEW = 5
#: and at most so many stretches: their medians are of many rounds.
STRETCHES = 8
#: Student's 97.5 % quantile for few degrees of freedom, where the series is not exact.
QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182}


@dataclass(frozen=True)
class Ratio:
    """Speed relative to a reference, with its 95 % interval."""

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
class LogRatio:
    """The logarithm of a ratio: its mean, its standard error, degrees of freedom.

    Without a degree of freedom the error is not known, and zero.
    """

    center: float
    error: float = 0.0
    freedom: float = 0.0

    def ratio(self) -> Ratio:
        """Return the ratio and its interval."""
        half = student(self.freedom) * self.error
        ends = (self.center, self.center - half, self.center + half)
        return Ratio(*(math.exp(one) for one in ends))


def speed(
    own: Sequence[float],
    reference: Sequence[float],
    pauses: tuple[Sequence[float], Sequence[float]] | None = None,
) -> LogRatio:
    """Compare the times of two contenders in the rounds that both took part in.

    Arguments as of `paired`; above 1 means that `own` is faster.
    """
    return compared(list(paired(own, reference, pauses).values()))


def paired(
    own: Sequence[float],
    reference: Sequence[float],
    pauses: tuple[Sequence[float], Sequence[float]] | None = None,
) -> dict[int, Round]:
    """Return the rounds that both took part in, by their place.

    Times in any unit, NaN where a contender skipped a round. `pauses` are both sides'
    collections of garbage in each round, if those are not in the times.
    """
    nothing = [0.0] * len(own)
    columns = (own, reference, *(pauses or (nothing, nothing)))
    whole = enumerate(zip(*columns, strict=True))
    return {place: one for place, one in whole if not math.isnan(sum(one))}


def compared(rounds: Sequence[Round]) -> LogRatio:
    """Return the log-ratio of the rounds of one process, in their order.

    Fewer than two stretches of rounds have an interval of no width.
    """
    logs = [math.log(base) - math.log(own) for own, base, _, _ in rounds]
    count = min(STRETCHES, len(logs) // run_length(len(logs), autocorrelation(logs)))
    found = [log_ratio(part) for part in stretches(rounds, max(1, count))]
    if len(found) < 2:
        return LogRatio(log_ratio(rounds))
    error = statistics.stdev(found) / math.sqrt(len(found))
    return LogRatio(log_ratio(rounds), error, len(found) - 1)


def log_ratio(rounds: Sequence[Round]) -> float:
    """Return ln(reference / own) of rounds.

    The median of the ratios of the rounds, plus the means of the collections: these are
    rare and unequal, so that a median would lose them.
    """
    own, base, own_pauses, base_pauses = zip(*rounds, strict=True)
    pairs = zip(own, base, strict=True)
    half = statistics.median(math.log(two) - math.log(one) for one, two in pairs) / 2
    # Absolute times, for the pauses' share: the middle of both sides' medians.
    medians = (math.log(statistics.median(side)) for side in (own, base))
    middle = math.fsum(medians) / 2
    theirs = math.exp(middle + half) + statistics.fmean(base_pauses)
    mine = math.exp(middle - half) + statistics.fmean(own_pauses)
    return math.log(theirs) - math.log(mine)


def overall(cells: Sequence[LogRatio]) -> LogRatio:
    """Return the geometric mean over workloads, whose errors are independent."""
    whole, count = total(cells), len(cells)
    return LogRatio(whole.center / count, whole.error / count, whole.freedom)


def total(cells: Sequence[LogRatio]) -> LogRatio:
    """Return the sum of logarithms whose errors are independent.

    Its degrees of freedom are Welch and Satterthwaite's.
    """
    center = math.fsum(cell.center for cell in cells)
    spread = [(cell.error**2, cell.freedom) for cell in cells if cell.error]
    variance = math.fsum(one for one, _ in spread)
    if not variance:
        return LogRatio(center, 0.0, math.fsum(cell.freedom for cell in cells))
    freedom = variance**2 / math.fsum(one**2 / degrees for one, degrees in spread)
    return LogRatio(center, math.sqrt(variance), freedom)


def student(freedom: float) -> float:
    """Return Student's 97.5 % quantile, to 0.3 %; parts of a degree do not count."""
    whole = max(1, int(freedom))
    if whole in QUANTILES:
        return QUANTILES[whole]
    z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    # The series of Cornish and Fisher.
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / whole**power for power, term in enumerate(terms))


def stretches(values: Sequence[Value], count: int) -> list[Sequence[Value]]:
    """Return neighbouring values in `count` parts of about the same length."""
    edges = [len(values) * number // count for number in range(count + 1)]
    return [values[start:end] for start, end in pairwise(edges)]


def autocorrelation(values: list[float]) -> float:
    """Return the lag-1 autocorrelation, -1 to 1; 0 for fewer than three or equal."""
    if len(values) < 3:
        return 0.0
    mean = statistics.fmean(values)
    off = [value - mean for value in values]
    below = _product(off, off)
    return _product(off[1:], off[:-1]) / below if below > 0 else 0.0


def run_length(count: int, correlation: float) -> int:
    """Return the number of neighbouring rounds to take together.

    The optimum for the mean of a first-order autoregressive series of `count` rounds
    (Carlstein 1986: about (6 r**2 / (1 - r**2)**2) ** (1/3) * n ** (1/3)), but at least
    the cube root of the count, since noise also comes in bursts that the first
    autocorrelation does not show; and at most such that FEW runs remain.

    Args:
        count: Number of rounds.
        correlation: Their lag-1 autocorrelation; below zero counts as zero.
    """
    if count < FEW:
        return 1
    # A short series shows less autocorrelation than it has, by about (1 + 4 r) / n.
    near = max(correlation, 0.0)
    near = min(near + (1 + 4 * near) / count, 0.99)
    cube = math.cbrt(count)
    best = math.cbrt(6 * near**2 / (1 - near**2) ** 2) * cube
    return max(1, min(round(max(best, cube)), count // FEW))


def typical(times: list[float], pauses: list[float] | None = None) -> float:
    """Return the time to show: the median of the rounds, plus the mean collection."""
    collected = [one for one in pauses or [0.0] if not math.isnan(one)]
    middle = statistics.median(time for time in times if not math.isnan(time))
    return middle + statistics.fmean(collected)


def spread(times: list[float], pauses: list[float] | None = None) -> list[float]:
    """Return what a record keeps of the rounds: count, minimum, quartiles, maximum.

    The one in the middle is the time to show; the others are without collections.
    """
    known = sorted(time for time in times if not math.isnan(time))
    last = len(known) - 1
    lower, upper = (known[round(last * part / 4)] for part in (1, 3))
    found = (known[0], lower, typical(times, pauses), upper, known[-1])
    return [len(known), *(round(one, 1) for one in found)]


def _product(left: list[float], right: list[float]) -> float:
    return math.fsum(one * other for one, other in zip(left, right, strict=True))
