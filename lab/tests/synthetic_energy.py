"""Made-up series in EnergiBridge's format: a clean study, and one fault at a time.

Separate because both the tests of the import and those of the live backend need files
that nobody recorded. Invariants: the same seed gives the same bytes; the clean study has
what a careful one has (shuffled order, rest between runs, a fast sampler, memory to
spare, a counter of every core), so no check has a reason to speak; each fault changes
nothing but what it names.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GIB = 2**30


@dataclass
class Machine:
    """A machine with a clock and a counter that both run on between the runs."""

    seed: int = 1
    idle: float = 17.0
    core: float = 8.5
    processors: int = 4
    interval: float = 0.05
    now: float = 1_700_000_000.0
    joules: float = 5_000.0
    extra: float = 0.0
    cores: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin its generator and its counters."""
        self.random = random.Random(self.seed)
        self.cores = [100.0 * n for n in range(self.processors // 2)]

    def rest(self, seconds: float, watts: float | None = None) -> None:
        """Let time pass with nothing running."""
        level = watts if watts is not None else self.random.gauss(self.idle, 0.1)
        level += self.extra
        self.now += seconds
        self.joules += level * seconds

    def run(self, duration: float, busy: float, faults: Sequence[str]) -> list[list]:
        """Let a program run; return the rows that the sampler writes."""
        rows = [self._row(0.0, 1.0, faults)]
        end = self.now + duration
        step = 0.2 if "quantised-clock" in faults else self.interval
        place = 0
        while self.now < end:
            passed = (
                step
                if "quantised-clock" in faults
                else self.random.uniform(0.9, 1.1) * step
            )
            used = max(0.1, self.random.gauss(busy, 0.02))
            watts = self.idle + self.extra + self.core * used
            if "below-idle" in faults:
                watts = self.idle * 0.7
            self.now += passed
            self.joules += watts * passed
            for core in range(len(self.cores)):
                share = 0.9 if core == 0 else 0.05
                self.cores[core] += self.core * used * passed * share * 0.8
            place += 1
            rows.append(self._row(used, (end - self.now) / duration, faults))
        if "backward-counter" in faults:
            rows[len(rows) // 2][2] -= 30.0
        return rows

    def _row(self, used: float, left: float, faults: Sequence[str]) -> list:
        usage = [100 * min(1.0, max(0.0, used - n)) for n in range(self.processors)]
        mhz = [4000 + self.random.randint(-20, 20) for _ in usage]
        if "throttled" in faults and left < 0.5:
            mhz = [0.7 * value for value in mhz]
        memory = 4 * GIB + self.random.randint(0, GIB)
        if "memory-full" in faults:
            memory = int(15.5 * GIB)
        swap = int(2 * GIB) if "swap" in faults and left < 0.5 else 0
        if "core-counter" in faults:
            cores = [self.random.uniform(2_000, 14_000)]
        else:
            cores = list(self.cores)
        return [
            1000 * self.interval,
            1000 * self.now,
            self.joules,
            *cores,
            *mhz,
            *usage,
            16 * GIB,
            8 * GIB,
            memory,
            swap,
        ]


def header(processors: int, cores: int) -> list[str]:
    """Return the names of the columns."""
    return [
        "Delta",
        "Time",
        "CPU_ENERGY (J)",
        *(f"CORE{n}_ENERGY (J)" for n in range(cores)),
        *(f"CPU_FREQUENCY_{n}" for n in range(processors)),
        *(f"CPU_USAGE_{n}" for n in range(processors)),
        "TOTAL_MEMORY",
        "TOTAL_SWAP",
        "USED_MEMORY",
        "USED_SWAP",
    ]


def write(path: Path, names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
    """Write a series."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(names)]
    lines += [
        ",".join(
            f"{cell:.12g}" if i != 1 else f"{cell:.0f}" for i, cell in enumerate(row)
        )
        for row in rows
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def study(
    root: Path,
    fault: str | None = None,
    *,
    trials: int = 12,
    seconds: tuple[float, float] = (6.0, 4.5),
    seed: int = 1,
) -> Path:
    """Write a study of `json` and `orjson` under a folder, and return the folder.

    fault: one of those that test_energy.py names, planted in the runs of orjson (a burst:
    beside trials 4 and 5; idle drift: after trial 6; rotation: in the order of all
    runs), or None.
    """
    machine = Machine(seed=seed)
    order = random.Random(seed + 1)
    drift = 1.0
    machine.rest(3.0)
    for trial in range(1, trials + 1):
        pair = ["json", "orjson"]
        if fault != "major-rotation":
            order.shuffle(pair)
        machine.extra = 16.0 if fault == "background-burst" and trial in {4, 5} else 0.0
        for subject in pair:
            faults = [fault] if fault and subject == "orjson" else []
            mean = seconds[subject == "orjson"]
            if faults == ["short-window"]:
                mean = 0.6
            spread = 0.0005 if faults == ["quantised-clock"] else 0.08 * mean
            duration = max(0.3, machine.random.gauss(mean, spread))
            rows = machine.run(duration, 1.1, faults)
            cores = 1 if faults == ["core-counter"] else machine.processors // 2
            name = f"energy_{subject}_run{trial:02d}.csv"
            write(
                root / f"{subject}-small" / name,
                header(machine.processors, cores),
                rows,
            )
            if fault == "idle-drift" and trial == 6 and subject == pair[0]:
                drift = 1.25
            machine.rest(3.0, machine.random.gauss(machine.idle * drift, 0.1))
    return root
