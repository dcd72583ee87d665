"""When to stop measuring: comparisons that are decided get no more samples.

Separate because the rule, Haybittle and Peto's, decides what a run may claim: a look
before the end may stop a comparison only at the level LOOK, far beyond that of the
verdicts. Nothing stops below LEAST blocks; p is corrected over the table at every look.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from scipy import stats as scipy_stats

from snooze_lab.model import AGAIN
from snooze_lab.statistics import stats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze_lab.model import Contest, Effect
    from snooze_lab.samples import Samples

#: Blocks below which nothing is decided, and beyond which nothing goes on.
LEAST, MOST = 5, 30
#: The level of a look.
LOOK = 0.001

#: Contest, contender, instrument.
Key = tuple[str, str, str]


def undecided(contests: list[Contest], found: Samples) -> dict[str, set[str]]:
    """Return the contenders, by contest, whose comparison with the baseline is open.

    Only times are compared. A contender without a figure, which is absent or wrong, is
    not open.
    """
    tables: dict[tuple[str, str], list[Contest]] = defaultdict(list)
    for contest in contests:
        tables[contest.study, contest.table].append(contest)
    still: dict[str, set[str]] = {}
    for table in tables.values():
        effects = {key: effect for one in table for key, effect in _effects(one, found)}
        corrected = stats.holm({key: one.p for key, one in effects.items()})
        for key, effect in effects.items():
            if not decided(effect, corrected[key]):
                still.setdefault(key[0], set()).add(key[1])
    return still


def decided(effect: Effect, p: float) -> bool:
    """Tell whether a look may stop a comparison: a difference, or equality.

    `p` is the effect's, corrected over its table.
    """
    if effect.n < LEAST:
        return False
    if p < LOOK:
        return True
    # The interval at the level of a look: wider than the one of 95 %.
    wider, usual = (
        float(scipy_stats.t.isf(level / 2, effect.n - 1))
        for level in (LOOK, stats.ALPHA)
    )
    half = math.log(effect.high / effect.low) / 2 * wider / usual
    return abs(math.log(effect.ratio)) + half <= math.log1p(stats.MARGIN)


def _effects(contest: Contest, found: Samples) -> Iterator[tuple[Key, Effect]]:
    base = contest.baseline
    for name in contest.contenders:
        if name in {base, AGAIN} or (contest.id, name) in found.failed:
            continue
        for instrument in contest.instruments:
            effect = found.effect(contest.id, name, base, instrument)
            if effect is not None:
                yield (contest.id, name, instrument), effect
