"""Joules from the program EnergiBridge, run around a child or beside a window.

Separate from energibridge_csv.py, which reads its files from any source: this runs it.
Invariants: the joules are those between the first and the last sample, and the
reading's window is theirs (it is known to one sampling step); the series stays in the
context's directory for the record; counters of single cores are never read (see
energy/series.py for why not on Windows).

Not tried on hardware: there was none; tested with a program that writes such files.
"""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.meters import background, base, energibridge_csv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: The child to run when only the machine is to be sampled.
_SLEEP = "import time\nwhile True: time.sleep(3600)"
#: Its sampling step in ms; it cannot tell processor usage in shorter ones.
STEP = 200
PROJECT = "https://github.com/tdurieux/EnergiBridge"


def reading(
    meter: base.Instrument, table: energibridge_csv.Table, offset_ns: int
) -> base.Reading:
    """Return the package's joules in a table.

    offset_ns: the monotonic clock minus the time since 1970. MeterError when the table
    has neither a counter nor a power of the package.
    """
    times = table.numbers("Time") or []
    t = [int(milliseconds * 1_000_000) + offset_ns for milliseconds in times]
    package = table.first(energibridge_csv.PACKAGE)
    power = table.first(energibridge_csv.POWER)
    flags = set()
    wraps = 0
    if package:
        counter, wraps = energibridge_csv.unwrapped(table.numbers(package) or [])
        joules = counter[-1] - counter[0]
        updates = sum(a != b for a, b in itertools.pairwise(counter))
        if any(b < a for a, b in itertools.pairwise(counter)):
            flags.add(base.RESET)
    elif power:
        watts = table.numbers(power) or []
        joules = sum(
            (a + b) / 2 * (t[i + 1] - t[i]) / 1e9
            for i, (a, b) in enumerate(itertools.pairwise(watts))
        )
        updates = len(watts) - 1
    else:
        raise base.MeterError(
            f"{table.path}: expected joules or watts of the package, found columns "
            f"{', '.join(table.columns)}"
        )
    if t[-1] - t[0] < 1e9 or updates < 20:
        flags.add(base.TOO_SHORT)
    return dataclasses.replace(
        base.reading(meter, base.Mark(t[0], None), t[-1], joules),
        updates=updates,
        wrapped=wraps,
        flags=frozenset(flags),
    )


@dataclass(frozen=True)
class EnergiBridge:
    """The package's joules as the program logs them."""

    context: base.RunContext
    name: str = "energibridge:package"
    unit: base.Unit = "J"
    scope: base.Scope = "package"
    quality: base.Quality = "measured"

    def command(self, output: Path, child: Sequence[str]) -> list[str]:
        """Return the command that samples while a child runs."""
        program = self.context.program("energibridge")
        return [program, "--output", str(output), "--interval", str(STEP), "--", *child]

    def probe(self) -> base.Availability:
        """Sample a child that exits immediately."""
        program = self.context.program("energibridge")
        missing = background.absent(program, f"cargo install --git {PROJECT}")
        if missing:
            return missing
        folder = background.Folder(base.RunContext())
        path = folder.file("probe", ".csv")
        try:
            done = background.tried(self.command(path, [sys.executable, "-c", ""]))
            table = energibridge_csv.read(path)
            reading(self, table, 0)
        except (OSError, subprocess.TimeoutExpired) as error:
            return base.Availability(ok=False, reason=f"{program}: {error}")
        except (energibridge_csv.TraceError, base.MeterError):
            said = " / ".join(done.stderr.strip().splitlines()[-2:])
            return base.Availability(
                ok=False,
                reason=f"{program} wrote no joules: {said or 'it said nothing'}",
                command="sudo chmod a+r /dev/cpu/*/msr && sudo setcap "
                f"cap_sys_rawio=ep $(command -v {program})",
            )
        finally:
            folder.close()
        return base.Availability(ok=True, reason=f"{program}, every {STEP} ms")

    def open(self, context: base.RunContext) -> Session:
        """Return a session."""
        return Session(dataclasses.replace(self, context=context), context)


class Session(background.Session):
    """Windows beside which the program samples, or children that it runs."""

    def __init__(self, meter: EnergiBridge, context: base.RunContext) -> None:
        """Make a place for the series."""
        super().__init__(context)
        self._meter = meter

    def _read(self, path: Path, said: str) -> base.Reading:
        try:
            table = energibridge_csv.read(path)
        except energibridge_csv.TraceError as error:
            raise base.MeterError(f"energibridge: {error} ({said})") from error
        offset = base.now() - time.time_ns()
        return reading(self._meter, table, offset)

    def start(self) -> base.Mark:
        """Begin to sample."""
        path = self.folder.file("energibridge", ".csv")
        child = [sys.executable, "-c", _SLEEP]
        program = self.begin(self._meter.command(path, child))
        return base.Mark(base.now(), (program, path))

    def stop(self, mark: base.Mark) -> base.Reading:
        """End sampling and return the joules between the samples."""
        program, path = mark.raw
        _, said = self.finish(program)
        return self._read(path, said)

    def around(
        self, child: Sequence[str], *, timeout: float | None = None
    ) -> tuple[int, base.Reading]:
        """Run a child under the program; return its exit code and the joules.

        Its standard output and errors are dropped. MeterError after `timeout` seconds.
        """
        path = self.folder.file("energibridge", ".csv")
        try:
            done = subprocess.run(
                self._meter.command(path, child),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=timeout,
                check=False,
                env=background.environment(),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise base.MeterError(f"energibridge: {error}") from error
        said = done.stderr.decode(errors="replace").strip()[-300:]
        return done.returncode, self._read(path, said)


def meters(context: base.RunContext) -> list[base.Meter]:
    """Return the program's meter."""
    return [EnergiBridge(context)]
