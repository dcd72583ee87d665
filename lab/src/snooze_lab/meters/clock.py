"""The clock as a meter: seconds between two marks.

Separate from stopwatch.py, which times single calls: this one belongs to the other
meters of a window, so that a power can be computed from readings alone. Invariant: the
monotonic clock of the windows themselves, never a sampler's time stamps.
"""

from __future__ import annotations

import dataclasses
import time

from snooze_lab.meters import base


class Clock:
    """Seconds on the monotonic clock."""

    name = "clock"
    unit: base.Unit = "s"
    scope: base.Scope = "machine"
    quality: base.Quality = "measured"

    def probe(self) -> base.Availability:
        """Tell the clock's resolution."""
        info = time.get_clock_info("perf_counter")
        return base.Availability(
            ok=True,
            reason=f"{info.implementation}, resolution {info.resolution * 1e9:.0f} ns",
        )

    def open(self, context: base.RunContext) -> _Session:  # noqa: ARG002
        """Return a session."""
        return _Session(self)


class _Session(base.Plain):
    def __init__(self, meter: Clock) -> None:
        self._meter = meter
        self._resolution = time.get_clock_info("perf_counter").resolution

    def start(self) -> base.Mark:
        return base.Mark(base.now(), None)

    def stop(self, mark: base.Mark) -> base.Reading:
        end = base.now()
        found = base.reading(self._meter, mark, end, (end - mark.t_ns) / 1e9)
        return dataclasses.replace(found, resolution=self._resolution)


def meters(context: base.RunContext) -> list[base.Meter]:  # noqa: ARG001
    """Return the clock."""
    return [Clock()]
