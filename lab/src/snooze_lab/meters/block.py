"""A block of work between two windows at rest: joules gross and net.

Separate from energy/windows.py, which finds the rest in imported series: this makes it,
with any energy meter, in the worker or in the parent. Invariants: standard library
only; the work is repeated until the window is long enough for the counter, and the
number of operations is recorded; idle power is measured right before and after the
block, and where the two differ by over 15 % the block is flagged; nothing is discarded.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab.meters import base

if TYPE_CHECKING:
    from collections.abc import Callable

#: The window that a block must fill, and the updates that it must hold.
SECONDS = 1.0
UPDATES = 20
#: Limit of the difference of idle powers before and after, relative to their mean.
DRIFT = 0.15
#: A block's power this far below rest is impossible.
TOLERANCE = 0.05
#: How often the work is enlarged before a short window is accepted.
TRIES = 6

IDLE_DRIFT = "idle-drift"
BELOW_IDLE = "power-below-idle"
ABOVE_LIMIT = "power-above-limit"


@dataclass(frozen=True, slots=True)
class Block:
    """The readings of a block of `operations` operations and of the rest around it."""

    work: base.Reading
    before: base.Reading
    after: base.Reading
    operations: int
    flags: frozenset[str]

    @property
    def idle_watts(self) -> float:
        """Return the mean of the idle powers before and after."""
        return (_watts(self.before) + _watts(self.after)) / 2

    @property
    def drift(self) -> float:
        """Return by what share of their mean the two idle powers differ."""
        idle = self.idle_watts
        apart = abs(_watts(self.after) - _watts(self.before))
        return apart / idle if idle else 0.0

    @property
    def gross(self) -> float:
        """Return the joules of one operation."""
        return self.work.value / self.operations

    @property
    def net(self) -> float:
        """Return the joules of one operation that are not the machine's at rest."""
        idle = self.idle_watts * self.work.seconds
        return (self.work.value - idle) / self.operations

    def as_json(self) -> dict[str, Any]:
        """Return it for a sample line; joules are per operation, quality included."""
        return {
            "meter": self.work.meter,
            "quality": self.work.quality,
            "scope": self.work.scope,
            "unit": "J",
            "operations": self.operations,
            "seconds": self.work.seconds,
            "gross": self.gross,
            "net": self.net,
            "idle_before": _watts(self.before),
            "idle_after": _watts(self.after),
            "drift": self.drift,
            "updates": self.work.updates,
            "band": list(self.work.band) if self.work.band else None,
            "flags": sorted(self.flags),
        }


def _watts(reading: base.Reading) -> float:
    return reading.value / reading.seconds if reading.seconds else 0.0


def _short(reading: base.Reading) -> bool:
    few = reading.updates is not None and reading.updates < UPDATES
    return reading.seconds < SECONDS or few


def measure(  # noqa: PLR0913 - each is a condition of the measurement
    meter: base.Meter,
    context: base.RunContext,
    work: Callable[[int], object],
    *,
    operations: int = 1,
    rest: float = 2.0,
    maximum: float | None = None,
) -> Block:
    """Return the joules of some work, with the machine at rest before and after.

    work: does the given number of operations. operations: the initial number. rest:
    seconds of each idle window. maximum: W that the machine may draw, if known.

    Raises ValueError for a meter that has no joules, MeterError when it fails.
    """
    if meter.unit != "J":
        raise ValueError(
            f"{meter.name}: expected a meter of joules, found {meter.unit}"
        )
    if operations < 1 or rest <= 0:
        raise ValueError(
            f"expected at least one operation and rest above 0 s, found {operations} "
            f"and {rest}"
        )
    with meter.open(context) as session:
        before = _rested(session, rest)
        for _ in range(TRIES):
            mark = session.start()
            work(operations)
            found = session.stop(mark)
            if not _short(found):
                break
            # Repeat a window that was too short with more work and new rests.
            share = min(
                found.seconds / SECONDS,
                1.0 if found.updates is None else found.updates / UPDATES,
            )
            operations = _more(operations, share)
            before = _rested(session, rest)
        else:
            mark = session.start()
            work(operations)
            found = session.stop(mark)
        after = _rested(session, rest)
    block = Block(found, before, after, operations, found.flags)
    return dataclasses.replace(block, flags=frozenset(_flags(block, maximum)))


def _more(operations: int, share: float) -> int:
    """Return how many operations fill a window of which a share was filled."""
    wanted = operations * 1.3 / max(share, 0.01)
    return max(operations + 1, int(wanted))


def _rested(session: base.Session, seconds: float) -> base.Reading:
    mark = session.start()
    time.sleep(seconds)
    return session.stop(mark)


def _flags(block: Block, maximum: float | None) -> set[str]:
    flags = set(block.work.flags)
    if _short(block.work):
        flags.add(base.TOO_SHORT)
    else:
        flags.discard(base.TOO_SHORT)
    if block.drift > DRIFT:
        flags.add(IDLE_DRIFT)
    watts = _watts(block.work)
    if watts < block.idle_watts * (1 - TOLERANCE):
        flags.add(BELOW_IDLE)
    if maximum is not None and watts > 2 * maximum:
        flags.add(ABOVE_LIMIT)
    return flags
