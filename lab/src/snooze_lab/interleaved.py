"""The interleaved instrument: all contenders in one process, in short shuffled slices.

Separate because it is the one loop that gives ratios, for the race and for the studies
alike. A round times one slice of about 3 ms for every contender, in shuffled order, so
that a slow moment of the machine affects all. The number of calls in a slice is chosen
for all contenders together: it decides where collections of garbage fall, so contenders
of about the same speed get the same number, and a slow moment must not decide it.
Invariants: the caller verifies a result before it is timed; times are compared only
within a round; the order never depends on names; standard library only. Used by
measure.py and race/cells.py.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from snooze_lab import heartbeat, stopwatch
from snooze_lab.model import AGAIN, REFERENCE

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
# Contenders whose times differ by less than half of this factor make the same number of
# calls; the numbers of others differ by powers of it.
STEP = 4
# The same library, entered twice.
TWINS = {AGAIN: REFERENCE}

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
    for twin, original in TWINS.items():
        if twin in calls and original in calls:
            calls[twin] = calls[original]
    return calls, first


def rounds(  # noqa: PLR0913, PLR0917 - settings of a race
    entries: dict[str, Entry],
    calls: dict[str, int],
    slow: set[str],
    seconds: float,
    dice: random.Random,
    progress: Callable[[int], None] = lambda _round: None,
) -> dict[str, list[float]]:
    """Return every contender's ns per call in each round; NaN: it skipped the round."""
    times: dict[str, list[float]] = {name: [] for name in entries}
    overhead = stopwatch.overhead()
    order = list(entries)
    start = time.monotonic()
    count = 0
    while not _enough(count, time.monotonic() - start, seconds):
        dice.shuffle(order)
        for name in order:
            if name in slow and count % SLOW:
                times[name].append(math.nan)
                continue
            call, argument = entries[name]
            heartbeat.running(name)
            spent = stopwatch.timed(call, argument, calls[name]) / calls[name]
            times[name].append(max(1.0, spent - overhead))
        count += 1
        progress(count)
    return times


def slower(first: dict[str, float], reference: str) -> set[str]:
    """Return the contenders that are far slower than the reference."""
    limit = SLOW * first.get(reference, math.inf)
    return {name for name, spent in first.items() if spent > limit}


def _enough(count: int, spent: float, seconds: float) -> bool:
    if spent < seconds:
        return False
    return count >= ROUNDS or (count >= FEWEST and spent > PATIENCE * seconds)
