"""A block of work between two windows at rest: joules of an operation, gross and net.

Separate from energy/series.py, which finds the rest in imported series. The work is
repeated until the window is long enough for the counter; a meter that fails gives a
flag and no figure, never a zero. Used by measure.py.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab import meters
from snooze_lab.meters import base

if TYPE_CHECKING:
    from collections.abc import Callable

#: The window that a block must fill.
SECONDS = 1.0
#: Limit of the difference of idle powers before and after, relative to their mean.
DRIFT = 0.15
#: A block's power this far below rest is impossible.
TOLERANCE = 0.05
#: How often the work is enlarged before a short window is accepted.
TRIES = 6
#: Seconds of rest before and after a block, unless the study sets more.
REST_S = 0.5

TOO_SHORT = "window-too-short"
IDLE_DRIFT = "idle-drift"
BELOW_IDLE = "power-below-idle"


@dataclass(frozen=True, slots=True)
class Block:
    """The readings of a block of `operations` operations and of the rest around it."""

    work: base.Reading
    before: base.Reading
    after: base.Reading
    operations: int

    @property
    def idle_watts(self) -> float:
        """Return the mean of the idle powers before and after."""
        return (self.before.watts + self.after.watts) / 2

    @property
    def drift(self) -> float:
        """Return by what share of their mean the two idle powers differ."""
        apart = abs(self.after.watts - self.before.watts)
        return apart / self.idle_watts if self.idle_watts else 0.0

    @property
    def gross(self) -> float:
        """Return the joules of one operation."""
        return self.work.joules / self.operations

    @property
    def net(self) -> float:
        """Return the joules of one operation that are not the machine's at rest."""
        idle = self.idle_watts * self.work.seconds
        return (self.work.joules - idle) / self.operations

    @property
    def band(self) -> list[float] | None:
        """Return the interval around the gross joules, None if there is none."""
        whole = self.work.band
        return [end / self.operations for end in whole] if whole else None

    @property
    def flags(self) -> set[str]:
        """Return the doubts: those of the reading, and of the block around it."""
        found = set(self.work.flags)
        if self.work.seconds < SECONDS:
            found.add(TOO_SHORT)
        if self.drift > DRIFT:
            found.add(IDLE_DRIFT)
        if self.work.watts < self.idle_watts * (1 - TOLERANCE):
            found.add(BELOW_IDLE)
        return found

    def as_json(self, meter: base.Meter) -> dict[str, Any]:
        """Return it for a sample line; joules are per operation, quality included."""
        return {
            "meter": meter.name,
            "quality": meter.quality,
            "scope": meter.scope,
            "unit": "J",
            "operations": self.operations,
            "seconds": self.work.seconds,
            "gross": self.gross,
            "net": self.net,
            "idle_before": self.before.watts,
            "idle_after": self.after.watts,
            "drift": self.drift,
            "band": self.band,
            "flags": sorted(self.flags),
        }


def blocks(
    request: dict[str, Any], once: Callable[[], object]
) -> tuple[dict[str, list[float]], list[dict[str, Any]]]:
    """Return the joules of an operation and the readings, each by its meter.

    The request names `meters`, the coefficients of the estimating one (`calibration`)
    and the seconds of `rest`. The joules are named
    `energy:<quality>:<gross|net>:<meter>`.
    """
    given = request.get("calibration")
    context = base.Context(coefficients=base.Coefficients(**given) if given else None)
    start = time.perf_counter()
    once()
    spent = max(time.perf_counter() - start, 1e-7)
    rest = max(REST_S, request.get("rest", 0.0))
    operations = max(1, int(1.2 * SECONDS / spent))

    def work(count: int) -> None:
        for _ in range(count):
            once()

    values: dict[str, list[float]] = {}
    readings: list[dict[str, Any]] = []
    for name in request.get("meters") or []:
        try:
            meter = meters.find(name, context)
            found = measure(meter, work, operations=operations, rest=rest)
        except (base.MeterError, OSError) as error:
            readings.append({"meter": name, "flags": [f"failed: {error}"]})
            continue
        readings.append(found.as_json(meter))
        for kind, joules in (("gross", found.gross), ("net", found.net)):
            values[f"energy:{meter.quality}:{kind}:{name}"] = [joules]
    return values, readings


def measure(
    meter: base.Meter,
    work: Callable[[int], object],
    *,
    operations: int = 1,
    rest: float = 2.0,
) -> Block:
    """Return the joules of some work, with the machine at rest before and after.

    work: does the given number of operations. operations: the initial number, at least
    1. rest: seconds of each idle window, above 0. Raises MeterError when the meter
    fails.
    """
    with contextlib.closing(meter.open()) as session:
        before, found = _worked(session, work, operations, rest)
        for _ in range(TRIES - 1):
            if found.seconds >= SECONDS:
                break
            filled = max(found.seconds / SECONDS, 0.01)
            operations = max(operations + 1, int(operations * 1.3 / filled))
            before, found = _worked(session, work, operations, rest)
        after = _rested(session, rest)
    return Block(found, before, after, operations)


def _worked(
    session: base.Session,
    work: Callable[[int], object],
    operations: int,
    rest: float,
) -> tuple[base.Reading, base.Reading]:
    """Return a window at rest and, right after it, one of the work."""
    before = _rested(session, rest)
    session.start()
    work(operations)
    return before, session.stop()


def _rested(session: base.Session, seconds: float) -> base.Reading:
    session.start()
    time.sleep(seconds)
    return session.stop()
