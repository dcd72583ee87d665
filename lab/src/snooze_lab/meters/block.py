"""Work between two windows at rest: its joules, gross and net, and their faults.

Separate from base.py, which plug-ins import, because this decides what to measure and
what to doubt. The work is repeated until the window is long enough for the counter; a
meter that fails gives a flag and no figure, never a zero. Used by the worker, and by
energy/ for the windows of imported series; standard library only.
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
class Window:
    """Some work, and the rest before and after it; None where that is not known."""

    work: base.Reading
    before: base.Reading | None
    after: base.Reading | None

    @property
    def idle_watts(self) -> float | None:
        """Return the mean of the idle powers beside the work."""
        known = [rest.watts for rest in (self.before, self.after) if rest]
        return sum(known) / len(known) if known else None

    @property
    def joules(self) -> dict[str, float]:
        """Return `gross` joules, and `net` of those at rest where that is known."""
        found, idle = {"gross": self.work.joules}, self.idle_watts
        if idle is not None:
            found["net"] = self.work.joules - idle * self.work.seconds
        return found

    @property
    def drift(self) -> float | None:
        """Return by what share of their mean the two idle powers differ."""
        if not (self.before and self.after):
            return None
        mean = (self.before.watts + self.after.watts) / 2
        return abs(self.after.watts - self.before.watts) / mean if mean else 0.0

    @property
    def faults(self) -> dict[str, str]:
        """Return the doubts that need nothing but the window, by flag."""
        found = {}
        seconds, watts, idle = self.work.seconds, self.work.watts, self.idle_watts
        if seconds < SECONDS:
            text = f"{seconds:.3f} s; repeat the operation for {SECONDS:.0f} s"
            found[TOO_SHORT] = text
        if self.before and self.after and (self.drift or 0.0) > DRIFT:
            ends = f"{self.before.watts:.1f} W before, {self.after.watts:.1f} W after"
            found[IDLE_DRIFT] = ends
        if idle is not None and watts < idle * (1 - TOLERANCE):
            found[BELOW_IDLE] = f"{watts:.1f} W on average, at rest {idle:.1f} W"
        return found


def blocks(
    request: dict[str, Any], once: Callable[[], object]
) -> tuple[dict[str, list[float]], list[dict[str, Any]]]:
    """Return the joules of an operation and the readings, each by its meter.

    The request names `meters`, the coefficients of the estimating one (`calibration`)
    and the seconds of `rest`. The joules are named
    `energy:<quality>:<gross|net>:<meter>`.
    """
    given = request.get("calibration")
    coefficients = base.Coefficients(**given) if given else None
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
            meter = meters.find(name, coefficients)
            found = measure(meter, work, operations=operations, rest=rest)
        except (base.MeterError, OSError) as error:
            readings.append({"meter": name, "flags": [f"failed: {error}"]})
            continue
        readings.append(found)
        for kind in ("gross", "net"):
            values[f"energy:{meter.quality}:{kind}:{name}"] = [found[kind]]
    return values, readings


def measure(
    meter: base.Meter,
    work: Callable[[int], object],
    *,
    operations: int = 1,
    rest: float = 2.0,
) -> dict[str, Any]:
    """Return a sample's line: the joules of an operation, their quality, the doubts.

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
    window = Window(found, before, after)
    return {
        "meter": meter.name,
        "quality": meter.quality,
        "scope": meter.scope,
        "unit": "J",
        "operations": operations,
        "seconds": found.seconds,
        **{kind: joules / operations for kind, joules in window.joules.items()},
        "idle_before": before.watts,
        "idle_after": after.watts,
        "drift": window.drift,
        "band": [end / operations for end in found.band] if found.band else None,
        "flags": sorted(found.flags | window.faults.keys()),
    }


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
