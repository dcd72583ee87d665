"""Memory: resident bytes before, at the peak and after; pressure and swapping.

Separate because energy without memory misleads: a program that pages spends joules on
other cores. Invariants: the peak is that of the window and not of the process's life
wherever the system lets the mark be reset (Linux: `5` into /proc/self/clear_refs, then
VmHWM); where it does not, the reading carries `peak-since-start`. Pressure (PSI) and
swap counts are the whole machine's. The functions are for the worker; the meters wrap
them.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from snooze_lab.meters import base

try:
    import resource
except ImportError:  # pragma: no cover - Windows has no such module
    resource = None  # type: ignore[assignment]

PROC = Path("/proc")


def _status(proc: Path, field: str) -> int | None:
    """Return a size from /proc/self/status in bytes."""
    try:
        with (proc / "self" / "status").open(
            encoding="ascii", errors="replace"
        ) as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name == field:
                    return int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def resident(proc: Path = PROC) -> int | None:
    """Return the resident bytes; None where the system does not report them."""
    try:
        text = (proc / "self" / "statm").read_text(encoding="ascii")
        return int(text.split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return _status(proc, "VmRSS")


def reset_peak(proc: Path = PROC) -> bool:
    """Reset the peak; tell whether the system allowed it."""
    try:
        (proc / "self" / "clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def peak(proc: Path = PROC) -> int | None:
    """Return the highest resident bytes since the last reset or the start."""
    found = _status(proc, "VmHWM")
    if found is not None or resource is None:
        return found
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return highest if sys.platform == "darwin" else highest * 1024


def pressure(kind: str, proc: Path = PROC) -> int | None:
    """Return the total µs for which some task waited for `cpu`, `memory` or `io`."""
    try:
        text = (proc / "pressure" / kind).read_text(encoding="ascii")
        line = next(line for line in text.splitlines() if line.startswith("some "))
        return int(line.rpartition("total=")[2])
    except (OSError, ValueError, StopIteration):
        return None


def swapped(proc: Path = PROC) -> tuple[int, int] | None:
    """Return the total number of pages that the machine has swapped in and out."""
    try:
        text = (proc / "vmstat").read_text(encoding="ascii")
        found = dict(line.split() for line in text.splitlines() if line)
        return int(found["pswpin"]), int(found["pswpout"])
    except (OSError, ValueError, KeyError):
        return None


@dataclass(frozen=True)
class Resident:
    """Resident bytes: `base` at the start, `after` at the end, `peak` between."""

    kind: str
    proc: Path = PROC
    unit: base.Unit = "B"
    scope: base.Scope = "process"
    quality: base.Quality = "measured"

    @property
    def name(self) -> str:
        """Return `memory:<kind>`."""
        return f"memory:{self.kind}"

    def probe(self) -> base.Availability:
        """Tell how it is read here."""
        known = peak(self.proc) if self.kind == "peak" else resident(self.proc)
        if known is None:
            return base.Availability(
                ok=False, reason=f"{self.proc}/self: no resident size can be read"
            )
        if self.kind != "peak":
            return base.Availability(ok=True, reason=f"{self.proc}/self/statm")
        if _status(self.proc, "VmHWM") is None:
            return base.Availability(
                ok=True, reason="ru_maxrss: since the start, it cannot be reset"
            )
        return base.Availability(ok=True, reason="VmHWM, reset through clear_refs")

    def open(self, context: base.RunContext) -> _ResidentSession:
        """Return a session."""
        return _ResidentSession(dataclasses.replace(self, proc=context.proc))


class _ResidentSession(base.Plain):
    def __init__(self, meter: Resident) -> None:
        self._meter = meter

    def start(self) -> base.Mark:
        reset = reset_peak(self._meter.proc) if self._meter.kind == "peak" else True
        return base.Mark(base.now(), (reset, resident(self._meter.proc)))

    def stop(self, mark: base.Mark) -> base.Reading:
        reset, before = mark.raw
        end = base.now()
        kind = self._meter.kind
        value = before
        if kind == "peak":
            value = peak(self._meter.proc)
        elif kind == "after":
            value = resident(self._meter.proc)
        if value is None:
            raise base.MeterError(
                f"{self._meter.name}: expected a resident size in "
                f"{self._meter.proc}/self, found none; leave this meter out"
            )
        return dataclasses.replace(
            base.reading(self._meter, mark, end, float(value)),
            resolution=float(os.sysconf("SC_PAGESIZE")),
            flags=frozenset() if reset else frozenset({base.SINCE_START}),
        )


@dataclass(frozen=True)
class Machine:
    """A count of the whole machine: seconds of pressure, or pages swapped."""

    kind: str
    field: str
    proc: Path = PROC
    scope: base.Scope = "machine"
    quality: base.Quality = "measured"

    @property
    def name(self) -> str:
        """Return `psi:memory`, `psi:cpu`, `psi:io`, `swap:in` or `swap:out`."""
        return f"{self.kind}:{self.field}"

    @property
    def unit(self) -> base.Unit:
        """Return s for pressure and count (pages) for swapping."""
        return "s" if self.kind == "psi" else "count"

    def value(self) -> float | None:
        """Return the count since the machine started."""
        if self.kind == "psi":
            micros = pressure(self.field, self.proc)
            return None if micros is None else micros / 1e6
        pages = swapped(self.proc)
        return None if pages is None else float(pages[self.field == "out"])

    def probe(self) -> base.Availability:
        """Tell whether the system counts it."""
        if self.value() is None:
            where = "pressure" if self.kind == "psi" else "vmstat"
            return base.Availability(
                ok=False,
                reason=f"{self.proc}/{where} cannot be read",
                command="boot Linux with psi=1" if self.kind == "psi" else "",
            )
        return base.Availability(ok=True, reason="of the whole machine")

    def open(self, context: base.RunContext) -> _MachineSession:
        """Return a session."""
        return _MachineSession(dataclasses.replace(self, proc=context.proc))


class _MachineSession(base.Plain):
    def __init__(self, meter: Machine) -> None:
        self._meter = meter

    def _read(self) -> float:
        value = self._meter.value()
        if value is None:
            raise base.MeterError(
                f"{self._meter.name}: expected a count under {self._meter.proc}, found "
                "none; leave this meter out"
            )
        return value

    def start(self) -> base.Mark:
        return base.Mark(base.now(), self._read())

    def stop(self, mark: base.Mark) -> base.Reading:
        value = self._read() - mark.raw
        found = base.reading(self._meter, mark, base.now(), value)
        resolution = 1e-6 if self._meter.unit == "s" else 1.0
        return dataclasses.replace(found, resolution=resolution)


def meters(context: base.RunContext) -> list[base.Meter]:
    """Return the meters of memory."""
    machine = [("psi", "memory"), ("psi", "cpu"), ("psi", "io")]
    machine += [("swap", "in"), ("swap", "out")]
    return [
        *(Resident(kind, context.proc) for kind in ("base", "peak", "after")),
        *(Machine(kind, field, context.proc) for kind, field in machine),
    ]
