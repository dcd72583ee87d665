"""The built-in sources of joules: Linux's powercap tree, and a calibrated power model.

Separate from the protocol, which plug-ins implement as well. The tree holds Intel's
RAPL counters, and AMD's since Linux 5.8. It has traps: counters wrap at a range that
each zone states, several zones have one name on machines with several sockets, only
root may read them since 2020, and in a guest they hold what the host attributes to it.
Invariants: a counter that stands still gives no joules, not zero; a zone that may not
be read stays listed, with the command that would open it; the model's coefficients come
only from a calibration file, and its joules are `estimated`, with the band of the fit.
Windows never overlap, so each meter is its own session. Not tried on hardware: there
was none. Used through meters/__init__.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from snooze_lab.machine import process
from snooze_lab.meters import base

#: The file permissions last until the next start of the machine.
ENABLE = "sudo chmod a+r {root}/*/energy_uj"
ABSENT = "no such hardware, or a virtual machine whose host does not share its counters"
BY_HOST = "attributed-by-host"
#: The meter that estimates.
NAME = "model:package"
#: Flag of readings whose coefficients were fitted to an imported series.
ELSEWHERE = "coefficients-of-another-machine"


@dataclass
class Zone:
    """A counter of the tree. path: its folder. guest: this is a virtual machine."""

    path: Path
    name: str
    guest: bool = False
    quality: base.Quality = "measured"
    #: The count at which it wraps, and where the window began: count, time in ns.
    wrap: int = 0
    first: int = 0
    began: int = 0

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
        file = self.path / "energy_uj"
        try:
            self.microjoules()
            self.wrap = self.span()
        except PermissionError:
            reason = f"{file} may be read by root only"
            command = ENABLE.format(root=self.path.parent)
            return base.Availability(ok=False, reason=reason, command=command)
        except (OSError, ValueError) as error:
            reason = f"{file} cannot be read: {error}"
            return base.Availability(ok=False, reason=reason)
        host = ", as the host attributes it" if self.guest else ""
        reason = f"{self.path}, wraps at {self.wrap / 1e6:,.0f} J{host}"
        return base.Availability(ok=True, reason=reason)

    def open(self) -> Zone:
        """Return itself; MeterError if the counter cannot be read."""
        found = self.probe()
        if not found.ok:
            raise found.error(self.name)
        return self

    def start(self) -> None:
        """Begin a window."""
        self.first = self._read()
        self.began = time.perf_counter_ns()

    def stop(self) -> base.Reading:
        """End the window; MeterError if the counter did not change in it.

        More than one wrap in a window cannot be seen: at 100 W the usual range of
        262 kJ lasts 43 minutes, and a window about a second.
        """
        count = self._read() - self.first
        seconds = (time.perf_counter_ns() - self.began) / 1e9
        if not count:
            raise base.MeterError(
                f"{self.name}: expected a count that grows, found the same after "
                f"{seconds:.1f} s: the counter stands still or changes too rarely"
            )
        return base.Reading(
            joules=(count + self.wrap if count < 0 else count) / 1e6,
            seconds=seconds,
            flags=frozenset({BY_HOST} if self.guest else ()),
        )

    def close(self) -> None:
        """Release nothing: the counter is opened for each reading."""

    def _read(self) -> int:
        try:
            return self.microjoules()
        except (OSError, ValueError) as error:
            raise base.MeterError(
                f"{self.name}: expected a count in {self.path}/energy_uj, "
                f"found: {error}"
            ) from error


def _name(path: Path) -> str:
    try:
        return (path / "name").read_text(encoding="utf-8").strip() or path.name
    except (OSError, UnicodeDecodeError):
        return path.name


def zones(
    root: Path = Path("/sys/class/powercap"), cpuinfo: Path = Path("/proc/cpuinfo")
) -> list[base.Meter]:
    """Return the zones, the outer before the inner, or a meter that says why not."""
    guest = process.guest(cpuinfo)
    found: list[base.Meter] = []
    for path in sorted(root.glob("intel-rapl:*")):
        if (path / "energy_uj").exists():
            outer = path.name.rpartition(":")[0] if path.name.count(":") == 2 else ""
            inside = f"{_name(root / outer)}/" if outer else ""
            found.append(Zone(path, f"powercap:{inside}{_name(path)}", guest))
    if found:
        return found
    reason, command = f"{root} has no intel-rapl zones", "sudo modprobe intel_rapl_msr"
    if not root.is_dir():
        reason, command = f"{root} does not exist: {ABSENT}", ""
    return [base.Unusable("powercap", reason, command)]


@dataclass
class PowerModel:
    """The estimated joules of a window of this process."""

    found: base.Coefficients
    name: str = NAME
    scope: base.Scope = "process"
    quality: base.Quality = "estimated"
    #: Where the window began: time, and processor time, in ns.
    began: int = 0
    cpu: int = 0

    def probe(self) -> base.Availability:
        """Tell the coefficients."""
        found = self.found
        reason = f"{found.idle:.2f} W + {found.core:.2f} W a busy core"
        return base.Availability(ok=True, reason=reason)

    def open(self) -> PowerModel:
        """Return itself."""
        return self

    def start(self) -> None:
        """Begin a window."""
        self.began, self.cpu = time.perf_counter_ns(), time.process_time_ns()

    def stop(self) -> base.Reading:
        """End the window."""
        cpu = (time.process_time_ns() - self.cpu) / 1e9
        seconds = (time.perf_counter_ns() - self.began) / 1e9
        joules = seconds * self.found.idle + cpu * self.found.core
        return base.Reading(
            joules=joules,
            seconds=seconds,
            band=(joules * self.found.low, joules * self.found.high),
            flags=frozenset({ELSEWHERE} if self.found.elsewhere else ()),
        )

    def close(self) -> None:
        """Release nothing."""


def model(coefficients: base.Coefficients | None) -> base.Meter:
    """Return the model, or a meter that says how to get a calibration file."""
    if coefficients is None:
        command = "snooze-lab calibrate, on a machine with an energy counter"
        reason = "no calibration file was given"
        return base.Unusable(NAME, reason, command, "process", "estimated")
    return PowerModel(coefficients)
