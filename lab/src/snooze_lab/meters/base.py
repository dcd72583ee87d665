"""The protocol of an energy meter: what a backend or a plug-in implements.

Separate because the worker, the command line and `doctor` use meters only through it.
Invariants: standard library only (the worker imports it); a meter gives joules, and
each has its quality word, so that joules of different quality never share a ratio or a
test. lab/METERS.md describes the protocol for authors of plug-ins.

    meter.probe()               whether it works here; raises nothing
    session = meter.open()      MeterError if it cannot be read
    session.start()             a window begins
    reading = session.stop()    it ends; windows follow each other, they never overlap
    session.close()
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from snooze_lab import UserError

#: What the joules of a meter measure: this process, the processor, the whole machine.
Scope = Literal["process", "package", "machine"]
#: `measured` by a counter of this machine, or `estimated` by a calibrated model.
Quality = Literal["measured", "estimated"]
QUALITIES: tuple[Quality, ...] = ("measured", "estimated")


class MeterError(UserError):
    """A meter is unknown or could not be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a meter works here.

    ok: it does. reason: why not, or what it reads. command: the one that would make it
    work, empty where none can (no such hardware) or none is needed.
    """

    ok: bool
    reason: str
    command: str = ""

    def error(self, meter: str) -> MeterError:
        """Return the error of opening a meter of this name that does not work."""
        hint = f"; try: {self.command}" if self.command else ""
        return MeterError(f"{meter}: {self.reason}{hint}")


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The estimating model's coefficients, from a calibration file.

    idle: W at rest. core: W that one busy core adds. low, high: the band that holds
    95 % of measured / estimated joules. elsewhere: they were fitted to the series of
    another machine.
    """

    idle: float
    core: float
    low: float
    high: float
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The joules of one window, and its length in seconds by the meter's own clock.

    band: the interval that holds the true joules with 95 %, where the source gives one.
    flags: doubts about this reading, by name; samples keep them and the report shows
    them.
    """

    joules: float
    seconds: float
    band: tuple[float, float] | None = None
    flags: frozenset[str] = frozenset()

    @property
    def watts(self) -> float:
        """Return the mean power; 0 for a window of no length."""
        return self.joules / self.seconds if self.seconds else 0.0


class Session(Protocol):
    """An opened meter."""

    def start(self) -> None:
        """Begin a window."""

    def stop(self) -> Reading:
        """End the window; MeterError if the meter failed."""

    def close(self) -> None:
        """Release what `open` took, also in the middle of a window."""


class Meter(Protocol):
    """A source of joules."""

    @property
    def name(self) -> str:
        """Return `<source>:<what>`, such as `powercap:package-0`."""

    @property
    def scope(self) -> Scope:
        """Return what its joules measure."""

    @property
    def quality(self) -> Quality:
        """Return its quality word."""

    def probe(self) -> Availability:
        """Tell whether it works here; raises nothing and takes at most a second."""

    def open(self) -> Session:
        """Return a session; MeterError if the meter cannot be read."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Takes the place of a meter that cannot work here, so that `doctor` says why."""

    name: str
    reason: str
    command: str = ""
    scope: Scope = "package"
    quality: Quality = "measured"

    def probe(self) -> Availability:
        """Return the reason."""
        return Availability(ok=False, reason=self.reason, command=self.command)

    def open(self) -> Session:
        """Raise MeterError."""
        raise self.probe().error(self.name)
