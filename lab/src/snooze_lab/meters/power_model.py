"""Joules estimated from time and CPU seconds, with calibrated coefficients.

Separate because it is not a measurement: its quality word is `estimated`, each reading
carries the band of the fit. E = t * idle + cpu * core with t the elapsed seconds and
cpu the CPU seconds of this process. Invariant: the coefficients come only from a
calibration file (energy/calibration.py); without one the meter does not work. Used
through meters/__init__.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from snooze_lab.meters import base

NAME = "model:package"
#: Flag of readings whose coefficients were fitted to an imported series.
ELSEWHERE = "coefficients-of-another-machine"


@dataclass(frozen=True, slots=True)
class PowerModel:
    """The estimated joules of a window of this process."""

    found: base.Coefficients
    name: str = NAME
    scope: base.Scope = "process"
    quality: base.Quality = "estimated"

    def probe(self) -> base.Availability:
        """Tell the coefficients."""
        return base.Availability(
            ok=True,
            reason=f"{self.found.idle:.2f} W + {self.found.core:.2f} W a busy core",
        )

    def open(self) -> Session:
        """Return a session."""
        return Session(self.found)


class Session:
    """Windows of this process."""

    def __init__(self, found: base.Coefficients) -> None:
        """Take the coefficients."""
        self._found = found
        self._began = self._cpu = 0

    def start(self) -> None:
        """Begin a window."""
        self._began, self._cpu = time.perf_counter_ns(), time.process_time_ns()

    def stop(self) -> base.Reading:
        """End the window."""
        cpu = (time.process_time_ns() - self._cpu) / 1e9
        seconds = (time.perf_counter_ns() - self._began) / 1e9
        joules = seconds * self._found.idle + cpu * self._found.core
        return base.Reading(
            joules=joules,
            seconds=seconds,
            band=(joules * self._found.low, joules * self._found.high),
            flags=frozenset({ELSEWHERE} if self._found.elsewhere else ()),
        )

    def close(self) -> None:
        """Release nothing."""


def meters(context: base.Context) -> list[base.Meter]:
    """Return the model, or a meter that says how to get a calibration file."""
    if context.coefficients is None:
        command = "snooze-lab calibrate, on a machine with an energy counter"
        reason = "no calibration file was given"
        return [base.Unusable(NAME, reason, command, "process", "estimated")]
    return [PowerModel(context.coefficients)]
