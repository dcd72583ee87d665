"""Joules through `perf stat -a -e power/energy-pkg/`.

Separate from powercap.py because it is the way where that tree is closed and perf is
open: the same counters through the kernel's perf interface. Invariants: perf runs over
the whole machine until the window ends; how long it counted is perf's own figure, and a
window that differs from it by over 5 % is flagged.

Not tried on hardware: there was none; tested with programs that write what perf writes.
"""

from __future__ import annotations

import csv
import dataclasses
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.meters import background, base

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = {
    "package": "power/energy-pkg/",
    "cores": "power/energy-cores/",
    "dram": "power/energy-ram/",
    "psys": "power/energy-psys/",
}
SKEWED = "window-skewed"
PARANOID = "sudo sysctl kernel.perf_event_paranoid=-1"


@dataclass(frozen=True, slots=True)
class Count:
    """What perf printed for an event: joules, and the seconds it was counted."""

    joules: float
    seconds: float


def parse(text: str, event: str) -> Count:
    """Return the joules of an event in what `perf stat -x,` prints.

    On a machine with several packages perf adds them up. MeterError when the event is
    not in the text or was not counted.
    """
    for row in csv.reader(text.splitlines()):
        if len(row) < 4 or row[2] != event:
            continue
        try:
            return Count(float(row[0]), float(row[3]) / 1e9)
        except ValueError:
            raise base.MeterError(
                f"perf: expected joules for {event}, found {row[0]!r}: this machine "
                "does not count them"
            ) from None
    raise base.MeterError(
        f"perf: expected a line for {event}, found {text.strip()[:200]!r}"
    )


def skewed(counted: float, window: float) -> bool:
    """Tell whether perf's counting time differs from the window by over 5 %.

    Where it reads several counters (one per package), it adds up their times.
    """
    counters = max(1, round(counted / window))
    return abs(counted / counters - window) > 0.05 * window


@dataclass(frozen=True)
class Perf:
    """One event of perf's power unit."""

    kind: str
    context: base.RunContext
    unit: base.Unit = "J"
    quality: base.Quality = "measured"

    @property
    def name(self) -> str:
        """Return `perf:<kind>`."""
        return f"perf:{self.kind}"

    @property
    def scope(self) -> base.Scope:
        """Return `machine` for the platform and `package` for all else."""
        return "machine" if self.kind == "psys" else "package"

    def command(self, output: Path | str) -> list[str]:
        """Return the command that counts until it is interrupted."""
        program = self.context.program("perf")
        event = EVENTS[self.kind]
        return [program, "stat", "-a", "-x,", "-e", event, "-o", str(output)]

    def probe(self) -> base.Availability:
        """Count for a moment."""
        program = self.context.program("perf")
        missing = background.absent(program, "sudo apt install linux-perf")
        if missing:
            return missing
        try:
            done = background.tried([*self.command("/dev/stderr"), "--", "true"])
        except (OSError, subprocess.TimeoutExpired) as error:
            return base.Availability(ok=False, reason=f"{program}: {error}")
        said = done.stderr + done.stdout
        if "paranoid" in said or "ermission" in said:
            return base.Availability(
                ok=False, reason="perf may not count for everyone", command=PARANOID
            )
        try:
            parse(said, EVENTS[self.kind])
        except base.MeterError:
            return base.Availability(
                ok=False,
                reason=f"perf does not count {EVENTS[self.kind]} here: no such "
                "hardware, or a virtual machine",
            )
        return base.Availability(ok=True, reason=f"{program}, {EVENTS[self.kind]}")

    def open(self, context: base.RunContext) -> _Session:
        """Return a session."""
        return _Session(dataclasses.replace(self, context=context), context)


class _Session(background.Session):
    def __init__(self, meter: Perf, context: base.RunContext) -> None:
        super().__init__(context)
        self._meter = meter

    def start(self) -> base.Mark:
        path = self.folder.file("perf", ".csv")
        program = self.begin(self._meter.command(path))
        return base.Mark(base.now(), (program, path))

    def stop(self, mark: base.Mark) -> base.Reading:
        program, path = mark.raw
        end = base.now()
        _, said = self.finish(program)
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise base.MeterError(
                f"perf: expected figures in {path}, found none: {said}"
            ) from error
        count = parse(text, EVENTS[self._meter.kind])
        window = (end - mark.t_ns) / 1e9
        flags = set()
        if skewed(count.seconds, window):
            flags.add(SKEWED)
        if window < 1:
            flags.add(base.TOO_SHORT)
        return dataclasses.replace(
            base.reading(self._meter, mark, end, count.joules),
            resolution=0.01,
            flags=frozenset(flags),
        )


def meters(context: base.RunContext) -> list[base.Meter]:
    """Return a meter for each event."""
    return [Perf(kind, context) for kind in EVENTS]
