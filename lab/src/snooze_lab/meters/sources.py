"""The built-in sources of joules: Linux's powercap tree, and a calibrated power model.

Separate from the protocol, which plug-ins implement as well. The tree holds Intel's
RAPL counters, and AMD's since Linux 5.8. It has traps: counters wrap at a range that
each zone states, several zones have one name on machines with several sockets, only
root may read them since 2020, and in a guest they hold what the host attributes to it.
Invariants: a counter that stands still gives no joules, not zero; a zone that may not
be read stays listed, with the command that would open it; the model's coefficients come
only from a calibration file, and its joules are `estimated`, with the band of the fit.
Not tried on hardware: there was none. Used through meters/__init__.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.machine import process
from snooze_lab.meters import base

if TYPE_CHECKING:
    from pathlib import Path

#: The file permissions last until the next start of the machine.
ENABLE = "sudo chmod a+r {root}/*/energy_uj"
BY_HOST = "attributed-by-host"
#: The meter that estimates.
NAME = "model:package"
#: Flag of readings whose coefficients were fitted to an imported series.
ELSEWHERE = "coefficients-of-another-machine"


@dataclass(frozen=True)
class Zone:
    """A counter of the tree. path: its folder. guest: this is a virtual machine."""

    path: Path
    name: str
    guest: bool = False
    quality: base.Quality = "measured"

    @property
    def scope(self) -> base.Scope:
        """Return `machine` for the platform and `package` for all else."""
        return "machine" if self.name == "powercap:psys" else "package"

    def microjoules(self) -> int:
        """Return the counter; OSError or ValueError when it cannot be read."""
        return int((self.path / "energy_uj").read_text(encoding="ascii"))

    def span(self) -> int:
        """Return the count at which it wraps; OSError or ValueError."""
        found = int((self.path / "max_energy_range_uj").read_text(encoding="ascii"))
        if found <= 0:
            raise ValueError(f"max_energy_range_uj is {found}")
        return found

    def probe(self) -> base.Availability:
        """Tell whether the counter may be read."""
        try:
            self.microjoules()
            span = self.span()
        except PermissionError:
            return base.Availability(
                ok=False,
                reason=f"{self.path}/energy_uj may be read by root only",
                command=ENABLE.format(root=self.path.parent),
            )
        except (OSError, ValueError) as error:
            return base.Availability(
                ok=False, reason=f"{self.path}: cannot be read: {error}"
            )
        host = ", as the host attributes it" if self.guest else ""
        return base.Availability(
            ok=True, reason=f"{self.path}, wraps at {span / 1e6:,.0f} J{host}"
        )

    def open(self) -> ZoneSession:
        """Return a session; MeterError if the counter cannot be read."""
        return ZoneSession(self)


class ZoneSession:
    """Windows on one zone."""

    def __init__(self, zone: Zone) -> None:
        """Read the counter once, to know that it can be; see Zone.open."""
        self._zone = zone
        try:
            self._span = zone.span()
            self._first = zone.microjoules()
        except (OSError, ValueError) as error:
            raise base.MeterError(
                f"{zone.name}: expected to read {zone.path}/energy_uj, found: {error}; "
                f"`{ENABLE.format(root=zone.path.parent)}` lets everyone read it"
            ) from error
        self._began = time.perf_counter_ns()

    def _read(self) -> int:
        try:
            return self._zone.microjoules()
        except (OSError, ValueError) as error:
            raise base.MeterError(
                f"{self._zone.name}: expected a count in {self._zone.path}/energy_uj, "
                f"found: {error}"
            ) from error

    def start(self) -> None:
        """Begin a window."""
        self._first = self._read()
        self._began = time.perf_counter_ns()

    def stop(self) -> base.Reading:
        """End the window; MeterError if the counter did not change in it.

        More than one wrap in a window cannot be seen: at 100 W the usual range of
        262 kJ lasts 43 minutes, and a window about a second.
        """
        count = self._read() - self._first
        seconds = (time.perf_counter_ns() - self._began) / 1e9
        if not count:
            raise base.MeterError(
                f"{self._zone.name}: expected a count that grows, found the same after "
                f"{seconds:.1f} s: the counter stands still or changes too rarely"
            )
        return base.Reading(
            joules=(count + self._span if count < 0 else count) / 1e6,
            seconds=seconds,
            flags=frozenset({BY_HOST} if self._zone.guest else ()),
        )

    def close(self) -> None:
        """Release nothing: the counter is opened for each reading."""


def _name(path: Path) -> str:
    try:
        return (path / "name").read_text(encoding="utf-8").strip() or path.name
    except (OSError, UnicodeDecodeError):
        return path.name


def zones(context: base.Context) -> list[base.Meter]:
    """Return the zones, the outer before the inner, or a meter that says why not."""
    root = context.powercap
    guest = process.guest(context.cpuinfo)
    found: list[base.Meter] = []
    for path in sorted(root.glob("intel-rapl:*")):
        if (path / "energy_uj").exists():
            outer = path.name.rpartition(":")[0] if path.name.count(":") == 2 else ""
            inside = f"{_name(root / outer)}/" if outer else ""
            found.append(Zone(path, f"powercap:{inside}{_name(path)}", guest))
    if found:
        return found
    if root.is_dir():
        reason, command = f"{root} has no intel-rapl zones", "modprobe intel_rapl_msr"
        return [base.Unusable("powercap", reason, f"sudo {command}")]
    return [
        base.Unusable(
            "powercap",
            f"{root} does not exist: no such hardware, or a virtual machine whose host "
            "does not share its counters",
        )
    ]


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

    def open(self) -> ModelSession:
        """Return a session."""
        return ModelSession(self.found)


class ModelSession:
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


def model(context: base.Context) -> list[base.Meter]:
    """Return the model, or a meter that says how to get a calibration file."""
    if context.coefficients is None:
        command = "snooze-lab calibrate, on a machine with an energy counter"
        reason = "no calibration file was given"
        return [base.Unusable(NAME, reason, command, "process", "estimated")]
    return [PowerModel(context.coefficients)]
