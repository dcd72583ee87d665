"""The interleaved instrument: all contenders in one process, in short shuffled slices.

Separate because it is the one loop that gives ratios, for the race and for the studies;
METHODOLOGY.md, "Two instruments", has the reasons. A round times one slice of about 3
ms for every contender, in shuffled order that never depends on names; contenders of
about the same speed make the same number of calls; collections of garbage are timed
apart; the caller verifies a result before it is timed.
"""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from snooze_lab.model import original
from snooze_lab.timing import heartbeat, stopwatch

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

ROUNDS = 16  # at least, however short the time,
PATIENCE = 3  # unless that takes this many times as long;
FEWEST = 6  # then at least this many.
# A contender this many times slower than the reference takes part only in every n-th
# round, so that the close contest gets the time.
SLOW = 4

# The readings of each contender that a number of calls is chosen by: their minimum.
READINGS = 5
# A call that takes this many slices is a slice by itself.
MANY = 8
# Contenders whose times differ by less than half of this factor make the same number of
# calls; the numbers of others differ by powers of it.
STEP = 4
# A slice that waited for less than this part of its time was not disturbed.
CALM = 0.01
# Turns of the empty loop in each round, the fastest of three times.
TURNS = 5_000
# Interquartile ranges above the upper quartile, to Tukey's far fence.
FAR = 3.0

Entry = tuple["Callable[[Any], Any]", Any]


def slices(
    entries: dict[str, Entry], reference: str
) -> tuple[dict[str, int], dict[str, float]]:
    """Return how many calls each makes in a slice, and the rough ns of one call.

    The reference gets the number that fills a slice. Every other one gets that number,
    or one that is a power of four times larger or smaller, so that its slices take half
    as long to twice as long.
    """
    if not entries:
        return {}, {}
    order = list(entries)
    counts = dict.fromkeys(order, 1)
    first = dict.fromkeys(order, math.inf)
    for _ in range(READINGS):
        for name in order:
            if MANY * stopwatch.SLICE_NS < first[name] < math.inf:
                continue  # one call, whatever further readings say
            heartbeat.running(name)
            counts[name], spent = stopwatch.rough(*entries[name], counts[name])
            first[name] = min(first[name], spent)
        order.append(order.pop(0))  # a periodic disturbance meets all of them
    standard = first.get(reference, min(first.values()))
    base = max(1, round(stopwatch.SLICE_NS / standard))
    calls = {}
    for name, spent in first.items():
        steps = round(math.log(standard / spent, STEP))
        calls[name] = max(1, round(base * STEP**steps))
    for name, own in calls.items():
        calls[name] = calls.get(original(name) or name, own)
    return calls, first


@dataclass(frozen=True)
class Rounds:
    """What every contender took in each round, in ns per call; NaN: it skipped one.

    `times` are without garbage collections, `pauses` are the collections; `clock` is
    what a clock showed: with collections, and with waiting for a processor.
    """

    times: dict[str, list[float]]
    pauses: dict[str, list[float]]
    clock: dict[str, list[float]]


@dataclass(frozen=True)
class _Slice:
    """The ns of one slice: without waiting, of waiting, and of each collection."""

    spent: float
    waited: int
    collections: list[tuple[int, int]]

    @property
    def is_calm(self) -> bool:
        """Whether it hardly waited."""
        return self.waited < CALM * self.spent

    @property
    def share(self) -> float:
        """The part of the clock's time that was not waiting.

        A wait is as likely at one moment as at another, so this part of a collection's
        clock time is about what it is expected to have taken.
        """
        whole = self.spent + self.waited
        return max(0.0, self.spent / whole) if whole > 0 else 1.0


def rounds(  # noqa: PLR0913, PLR0917 - settings of a race
    entries: dict[str, Entry],
    calls: dict[str, int],
    slow: set[str],
    seconds: float,
    dice: random.Random,
    progress: Callable[[int], None] = lambda _round: None,
) -> Rounds:
    """Time every contender in each round.

    So is the loop without a call, because the machine's speed changes: what it takes at
    the start could be more than small calls take later. Its median is subtracted.
    """
    raw: dict[str, list[_Slice | None]] = {name: [] for name in entries}
    loops: list[float] = []
    order = list(entries)
    start = time.monotonic()
    count = 0
    with stopwatch.Pauses() as pauses:
        while not _enough(count, time.monotonic() - start, seconds):
            dice.shuffle(order)
            loops.append(stopwatch.overhead(TURNS, 3))
            for name in order:
                if name in slow and count % SLOW:
                    raw[name].append(None)
                    continue
                call, argument = entries[name]
                heartbeat.running(name)
                pauses.begin()
                spent, waited = stopwatch.measured(call, argument, calls[name])
                raw[name].append(_Slice(spent, waited, pauses.taken))
            count += 1
            progress(count)
    loop = statistics.median(loops)
    found = Rounds({}, {}, {})
    for name, slices in raw.items():
        many = calls[name]
        whole = [one and replace(one, spent=one.spent - loop * many) for one in slices]
        found.times[name], found.pauses[name] = _apart(whole, many)
        found.clock[name] = [
            (one.spent + one.waited) / many if one else math.nan for one in whole
        ]
    return found


def _apart(slices: list[_Slice | None], calls: int) -> tuple[list[float], list[float]]:
    """Return the ns of a call without collections, and of its collections, by round.

    The clock of a collection runs on while the thread waits for a processor. So in a
    slice that waited it counts for the slice's share, and for no more than the far
    fence of its generation in slices that hardly waited, if there are any.
    """
    calm: dict[int, list[float]] = {}
    every: dict[int, list[float]] = {}
    for one in filter(None, slices):
        for generation, spent in one.collections:
            every.setdefault(generation, []).append(spent * one.share)
            if one.is_calm:
                calm.setdefault(generation, []).append(spent)
    most = {name: _fence(calm.get(name) or found) for name, found in every.items()}
    times, pauses = [], []
    for taken in slices:
        if taken is None:
            times.append(math.nan)
            pauses.append(math.nan)
            continue
        share = 1.0 if taken.is_calm else taken.share
        paused = math.fsum(
            min(ns * share, most[which]) for which, ns in taken.collections
        )
        paused = max(0.0, min(paused, taken.spent))
        times.append(max(1.0, (taken.spent - paused) / calls))
        pauses.append(paused / calls)
    return times, pauses


def _fence(values: list[float]) -> float:
    """Return Tukey's far upper fence; with fewer than four values, the largest."""
    if len(values) < 4:
        return max(values)
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return upper + FAR * (upper - lower)


def slower(first: dict[str, float], reference: str) -> set[str]:
    """Return the contenders that are far slower than the reference."""
    limit = SLOW * first.get(reference, math.inf)
    return {name for name, spent in first.items() if spent > limit}


def _enough(count: int, spent: float, seconds: float) -> bool:
    if spent < seconds:
        return False
    return count >= ROUNDS or (count >= FEWEST and spent > PATIENCE * seconds)
