"""Joules on macOS, from the power that `powermetrics` prints.

Separate because Apple's processors have no counter that a program may read: the tool
prints mean power a sample, and joules are that times the sample's length. Invariants:
the joules and the window are those of the whole samples that were printed; the
processor's power is read (CPU only, as RAPL's package on a machine without graphics),
not the combined one; the tool needs root.

Not tried on hardware: there was none; tested with a program that prints its format.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from dataclasses import dataclass

from snooze_lab.meters import background, base

STEP = 200
_SAMPLE = re.compile(r"\*\*\* Sampled system activity .*?\(([\d.]+)ms elapsed\)")
_CPU = re.compile(r"^CPU Power: ([\d.]+) (m?W)", re.MULTILINE)
_INTEL = re.compile(
    r"^Intel energy model derived package power .*?: ([\d.]+)\s*(m?W)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One printed sample: seconds and watts."""

    seconds: float
    watts: float


def parse(text: str) -> list[Sample]:
    """Return the samples in the tool's output; those without power are left out."""
    starts = list(_SAMPLE.finditer(text))
    found = []
    for place, start in enumerate(starts):
        after = starts[place + 1].start() if place + 1 < len(starts) else len(text)
        part = text[start.end() : after]
        power = _CPU.search(part) or _INTEL.search(part)
        if power:
            scale = 1e-3 if power[2] == "mW" else 1.0
            found.append(Sample(float(start[1]) / 1e3, float(power[1]) * scale))
    return found


@dataclass(frozen=True)
class Powermetrics:
    """The processor's joules as Apple's tool reports its power."""

    context: base.RunContext
    platform: str = sys.platform
    name: str = "apple:cpu"
    unit: base.Unit = "J"
    scope: base.Scope = "package"
    quality: base.Quality = "measured"

    def command(self) -> list[str]:
        """Return the command that samples until it is interrupted."""
        program = self.context.program("powermetrics")
        return [program, "--samplers", "cpu_power", "-i", str(STEP)]

    def probe(self) -> base.Availability:
        """Tell whether the tool is there and may run."""
        if self.platform != "darwin":
            return base.Availability(ok=False, reason="powermetrics is a tool of macOS")
        missing = background.absent(self.context.program("powermetrics"), "")
        if missing:
            return missing
        if os.geteuid() != 0:
            return base.Availability(
                ok=False,
                reason="powermetrics runs for root only",
                command="sudo snooze-lab run",
            )
        return base.Availability(ok=True, reason=f"every {STEP} ms")

    def open(self, context: base.RunContext) -> _Session:
        """Return a session."""
        return _Session(dataclasses.replace(self, context=context), context)


class _Session(background.Session):
    def __init__(self, meter: Powermetrics, context: base.RunContext) -> None:
        super().__init__(context)
        self._meter = meter

    def start(self) -> base.Mark:
        path = self.folder.file("powermetrics", ".txt")
        program = self.begin(self._meter.command(), path)
        return base.Mark(base.now(), (program, path))

    def stop(self, mark: base.Mark) -> base.Reading:
        program, path = mark.raw
        end = base.now()
        _, said = self.finish(program)
        samples = parse(path.read_text(encoding="utf-8", errors="replace"))
        if not samples:
            raise base.MeterError(
                "powermetrics: expected samples with `CPU Power`, found none "
                f"({said}); a window must be longer than {STEP} ms"
            )
        seconds = sum(sample.seconds for sample in samples)
        joules = sum(sample.seconds * sample.watts for sample in samples)
        begin = base.Mark(end - int(seconds * 1e9), None)
        short = seconds < 1 or len(samples) < 20
        return dataclasses.replace(
            base.reading(self._meter, begin, end, joules),
            updates=len(samples),
            flags=frozenset({base.TOO_SHORT} if short else ()),
        )


def meters(context: base.RunContext) -> list[base.Meter]:
    """Return the tool's meter."""
    return [Powermetrics(context)]
