"""The interface of a meter: a quantity, its scope, its quality, and windows over time.

Separate because every backend implements it, and the worker, the engine and `doctor`
use backends only through it. Invariants: standard library only (the worker imports it);
one meter is one quantity; `probe` never raises and takes at most a second; every
reading carries its quality word, and readings of different quality words never share a
bar, a ratio or a test.

A window is `mark = session.start()` … `reading = session.stop(mark)`. A session of
scope `process` must be opened in the process that it measures; one of scope `package`
or `machine` may be opened there around the timing window, or in the parent around the
child's life: it reads the same counters.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

Unit = Literal["J", "s", "count", "B"]
Scope = Literal["process", "package", "machine"]
Quality = Literal["measured", "imported", "estimated", "simulated"]
QUALITIES: tuple[Quality, ...] = ("measured", "imported", "estimated", "simulated")

#: Flags of readings.
BY_HOST = "attributed-by-host"
RESET = "counter-reset"
ESTIMATED_UPDATES = "updates-estimated"
SINCE_START = "peak-since-start"
TOO_SHORT = "window-too-short"


class MeterError(Exception):
    """A meter that was available could not be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a meter works here.

    ok: it does. reason: why not, or what it reads. command: the one that would make it
    work, empty where none can (no such hardware) or none is needed.
    """

    ok: bool
    reason: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The sources that meters read, and their permissions.

    powercap: the root of the intel-rapl tree. guest: that tree is a hypervisor's share
    for this guest (QEMU's vmsr, scaphandre), so its joules are the host's attribution.
    proc: the /proc to read. children: rusage counts ended child processes and not this
    one. calibration: the file of the power model's coefficients. sampling: seconds
    between samples of a thread that counts a counter's updates and catches its wraps;
    0 for none, as in a worker, where it would disturb what is measured. directory:
    where programs leave files. programs: paths of programs, by name.
    """

    powercap: Path = Path("/sys/class/powercap")
    guest: bool = False
    proc: Path = Path("/proc")
    children: bool = False
    calibration: Path | None = None
    sampling: float = 0.0
    directory: Path | None = None
    programs: dict[str, str] = field(default_factory=dict)

    def program(self, name: str) -> str:
        """Return the path or name by which a program is called."""
        return self.programs.get(name, name)


@dataclass(frozen=True, slots=True)
class Mark:
    """The start of a window: time (ns of the monotonic clock) and raw values."""

    t_ns: int
    raw: Any


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of a meter over one window.

    t0_ns, t1_ns: the window on the monotonic clock (time.perf_counter_ns). updates: how
    often the counter ticked in it, None where that has no meaning. resolution: the
    smallest step of `value`. wrapped: how often the counter passed its range. band: the
    interval that holds the true value with 95 %, where the source gives one.
    """

    meter: str
    value: float
    unit: Unit
    scope: Scope
    quality: Quality
    t0_ns: int
    t1_ns: int
    updates: int | None = None
    resolution: float = 0.0
    wrapped: int = 0
    band: tuple[float, float] | None = None
    flags: frozenset[str] = frozenset()

    @property
    def seconds(self) -> float:
        """Return the window's length."""
        return (self.t1_ns - self.t0_ns) / 1e9

    def as_json(self) -> dict[str, Any]:
        """Return it for a sample line: plain lists, flags in order."""
        found = dataclasses.asdict(self)
        found["flags"] = sorted(self.flags)
        found["band"] = list(self.band) if self.band else None
        return found


class Session(Protocol):
    """An opened meter, used as a context manager; windows may follow each other."""

    def __enter__(self) -> Self:
        """Return itself."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the opened resources."""
        ...

    def start(self) -> Mark:
        """Begin a window."""
        ...

    def stop(self, mark: Mark) -> Reading:
        """End the window that began at a mark."""
        ...


class Instrument(Protocol):
    """A name, a quality and a probe: all that `doctor` needs."""

    @property
    def name(self) -> str:
        """Return its name, such as `powercap:package-0`."""
        ...

    @property
    def unit(self) -> Unit:
        """Return the unit of its values."""
        ...

    @property
    def scope(self) -> Scope:
        """Return its scope."""
        ...

    @property
    def quality(self) -> Quality:
        """Return its quality word."""
        ...

    def probe(self) -> Availability:
        """Tell whether it works here; never raises."""
        ...


class Meter(Instrument, Protocol):
    """An instrument that can be read over a window of time."""

    def open(self, context: RunContext) -> Session:
        """Return a session; MeterError if the meter cannot be read."""
        ...


class Plain:
    """A session that has nothing to release; backends fill `start` and `stop`."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release nothing."""


def now() -> int:
    """Return the clock of all windows, in ns."""
    return time.perf_counter_ns()


def reading(meter: Instrument, mark: Mark, t1_ns: int, value: float) -> Reading:
    """Return a plain reading of a meter from a mark to a time."""
    return Reading(
        meter=meter.name,
        value=value,
        unit=meter.unit,
        scope=meter.scope,
        quality=meter.quality,
        t0_ns=mark.t_ns,
        t1_ns=t1_ns,
    )
