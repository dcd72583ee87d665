"""Joules from the kernel's intel-rapl tree: package, cores, memory, platform.

Separate because the tree has traps: counters wrap at a range that each zone states,
several zones of one name exist on machines with several sockets, and since 2020 only
root may read them. AMD processors appear under the same names since Linux 5.8; in a
guest, QEMU's vmsr or scaphandre give the same tree under another root. Invariants: a
wrap is counted by the zone's own range; a guest's joules carry `attributed-by-host`;
a zone that may not be read stays listed, with the command that would open it.

Not tried on hardware: there was none; tested against trees made by the tests.

How often a counter ticked in a window is counted by a sampling thread when the context
asks for one (in the parent, around a child); else it is estimated from the period seen
when the session was opened, and flagged so, as a thread would disturb the worker.
The thread also records a series, in EnergiBridge's columns, into the context's
directory.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from snooze_lab.meters import base

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

#: The file permissions last until the next start of the machine.
ENABLE = "sudo chmod a+r {root}/*/energy_uj"
#: Kinds of zones that are recorded, with EnergiBridge's names of their columns.
COLUMNS = {"package": "PACKAGE_ENERGY", "core": "PP0_ENERGY", "dram": "DRAM_ENERGY"}
#: Seconds in which to look for the period of a counter's updates.
LOOK = 0.05


@dataclass(frozen=True)
class Zone:
    """A counter of the tree. path: its folder. kind: the zone's own name."""

    path: Path
    kind: str
    parent: str
    context: base.RunContext
    unit: base.Unit = "J"
    quality: base.Quality = "measured"

    @property
    def name(self) -> str:
        """Return `powercap:package-0`, `powercap:package-0/dram`, `powercap:psys`."""
        inside = f"{self.parent}/{self.kind}" if self.parent else self.kind
        return f"powercap:{inside}"

    @property
    def scope(self) -> base.Scope:
        """Return `machine` for the platform and `package` for all else."""
        return "machine" if self.kind == "psys" else "package"

    def microjoules(self) -> int:
        """Return the counter; OSError or ValueError when it cannot be read."""
        return int((self.path / "energy_uj").read_text(encoding="ascii"))

    def range_microjoules(self) -> int:
        """Return the count at which it wraps; OSError or ValueError."""
        found = int((self.path / "max_energy_range_uj").read_text(encoding="ascii"))
        if found <= 0:
            raise ValueError(f"max_energy_range_uj is {found}")
        return found

    def probe(self) -> base.Availability:
        """Tell whether the counter may be read."""
        try:
            self.microjoules()
            span = self.range_microjoules()
        except PermissionError:
            return base.Availability(
                ok=False,
                reason=f"{self.path}/energy_uj may be read by root only",
                command=ENABLE.format(root=self.context.powercap),
            )
        except (OSError, ValueError) as error:
            return base.Availability(
                ok=False, reason=f"{self.path}: cannot be read: {error}"
            )
        host = ", as the host attributes it" if self.context.guest else ""
        return base.Availability(
            ok=True, reason=f"{self.path}, wraps at {span / 1e6:,.0f} J{host}"
        )

    def open(self, context: base.RunContext) -> Session:
        """Return a session; MeterError if the counter cannot be read."""
        try:
            return Session(self, context)
        except (OSError, ValueError) as error:
            raise base.MeterError(
                f"{self.name}: expected to read {self.path}/energy_uj, found: {error}; "
                f"`{ENABLE.format(root=context.powercap)}` lets everyone read it"
            ) from error


@dataclass
class _Count:
    """A running total beyond the counter's range."""

    last: int
    span: int
    total: int = 0
    updates: int = 0
    wrapped: int = 0

    def take(self, value: int) -> None:
        """Add the increase since the last value."""
        if value == self.last:
            return
        self.updates += 1
        step = value - self.last
        if step < 0:
            step += self.span
            self.wrapped += 1
        self.total += step
        self.last = value


class Session:
    """Windows on one zone."""

    def __init__(self, zone: Zone, context: base.RunContext) -> None:
        """Read the counter once, to know that it can be; see Zone.open."""
        self._zone = zone
        self._context = context
        self._span = zone.range_microjoules()
        self._count = _Count(zone.microjoules(), self._span)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failed: Exception | None = None
        self._rows: list[tuple[int, int]] = []
        self._period = 0.0 if context.sampling else self._look()

    def _look(self) -> float:
        """Return the seconds between updates, 0 if too few were seen to tell."""
        ticks: list[float] = []
        last = self._count.last
        end = time.monotonic() + LOOK
        while (moment := time.monotonic()) < end and len(ticks) < 8:
            value = self._zone.microjoules()
            if value != last:
                ticks.append(moment)
                last = value
        self._count.take(last)
        if len(ticks) < 2:
            return 0.0
        return (ticks[-1] - ticks[0]) / (len(ticks) - 1)

    def __enter__(self) -> Self:
        """Start the sampling thread, where the context asks for it."""
        if self._context.sampling:
            self._thread = threading.Thread(target=self._sample, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the sampling thread."""
        self._stop.set()
        if self._thread:
            self._thread.join()
            self._record()

    def _record(self) -> None:
        """Write the series in EnergiBridge's columns; series.read takes packages."""
        folder = self._context.directory
        column = COLUMNS.get(self._zone.kind.partition("-")[0])
        if folder is None or column is None or len(self._rows) < 2:
            return
        folder.mkdir(parents=True, exist_ok=True)
        stem = self._zone.name.replace("powercap:", "").replace("/", "-")
        path = folder / f"{stem}-{self._rows[0][0] // 1_000_000}.csv"
        step = 1000 * self._context.sampling
        lines = [f"Delta,Time,{column} (J)"]
        lines += [f"{step:g},{t / 1e6:.3f},{uj / 1e6:.6f}" for t, uj in self._rows]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")

    def _sample(self) -> None:
        while not self._stop.wait(self._context.sampling):
            try:
                count = self._take()
                self._rows.append((time.time_ns(), count.total))
            except (OSError, ValueError) as error:
                self._failed = error
                return

    def _take(self) -> _Count:
        with self._lock:
            self._count.take(self._zone.microjoules())
            return dataclasses.replace(self._count)

    def _read(self) -> _Count:
        try:
            if self._failed:
                raise self._failed
            return self._take()
        except (OSError, ValueError) as error:
            raise base.MeterError(
                f"{self._zone.name}: expected a count in {self._zone.path}/energy_uj, "
                f"found: {error}"
            ) from error

    def start(self) -> base.Mark:
        """Begin a window."""
        count = self._read()
        return base.Mark(base.now(), count)

    def stop(self, mark: base.Mark) -> base.Reading:
        """End a window.

        Without a sampling thread, more than one wrap in a window cannot be seen: at
        100 W the usual range of 262 kJ lasts 43 minutes.
        """
        count, first = self._read(), mark.raw
        end = base.now()
        flags = {base.BY_HOST} if self._context.guest else set()
        if self._context.sampling:
            updates: int | None = count.updates - first.updates
        else:
            updates = None
            if self._period:
                updates = int((end - mark.t_ns) / 1e9 / self._period)
                flags.add(base.ESTIMATED_UPDATES)
        if end - mark.t_ns < 1e9 or (updates is not None and updates < 20):
            flags.add(base.TOO_SHORT)
        return dataclasses.replace(
            base.reading(self._zone, mark, end, (count.total - first.total) / 1e6),
            updates=updates,
            resolution=1e-6,
            wrapped=count.wrapped - first.wrapped,
            flags=frozenset(flags),
        )


def _name(path: Path) -> str:
    try:
        return (path / "name").read_text(encoding="utf-8").strip() or path.name
    except (OSError, UnicodeDecodeError):
        return path.name


def zones(context: base.RunContext) -> list[Zone]:
    """Return the zones of the tree, the outer before the inner."""
    found = []
    for path in sorted(context.powercap.glob("intel-rapl:*")):
        parent = ""
        if path.name.count(":") == 2:
            outer = context.powercap / path.name.rpartition(":")[0]
            parent = _name(outer)
        if (path / "energy_uj").exists():
            found.append(Zone(path, _name(path), parent, context))
    return found


@dataclass(frozen=True)
class Missing:
    """Replaces a missing tree, so that `doctor` can say why."""

    context: base.RunContext
    name: str = "powercap"
    unit: base.Unit = "J"
    scope: base.Scope = "package"
    quality: base.Quality = "measured"

    def probe(self) -> base.Availability:
        """Report the missing hardware or module."""
        root = self.context.powercap
        if not root.is_dir():
            return base.Availability(
                ok=False,
                reason=f"{root} does not exist: no such hardware, or a virtual machine "
                "whose host does not share its counters",
            )
        return base.Availability(
            ok=False,
            reason=f"{root} has no intel-rapl zones",
            command="sudo modprobe intel_rapl_msr",
        )

    def open(self, context: base.RunContext) -> Session:
        """Raise MeterError."""
        raise base.MeterError(
            f"{self.name}: expected zones in {context.powercap}, found none: "
            f"{self.probe().reason}"
        )


def meters(context: base.RunContext) -> list[base.Meter]:
    """Return a meter for each zone, or one that says that there are none."""
    found: list[base.Meter] = list(zones(context))
    return found or [Missing(context)]
