"""The columns of a file that EnergiBridge wrote.

Separate because two parts read such files and neither may import the other: the live
backend (meters/energibridge.py) and the import of other people's series (energy/).
Invariants: standard library only; a missing column is an absent column and never a row
of zeros; a file without time stamps or without rows is refused with what was found. The
program writes one row a sample: `Delta` (ms), `Time` (ms since 1970) and then whatever
its platform has, sorted by name: `CPU_ENERGY (J)` and `CORE<n>_ENERGY (J)` on AMD,
`PACKAGE_ENERGY (J)`, `PP0_ENERGY (J)`, `DRAM_ENERGY (J)` on Intel, `SYSTEM_POWER
(Watts)` or `CPU_POWER (Watts)` on Apple.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Names of a package's cumulative joules, best first, without their unit.
PACKAGE = ("PACKAGE_ENERGY", "CPU_ENERGY")
#: Names of power, best first: integrated over time where there are no joules.
POWER = ("SYSTEM_POWER", "CPU_POWER")
#: All cores of a package together, on Intel.
CORES = ("PP0_ENERGY",)
DRAM = ("DRAM_ENERGY",)
#: The joules at which the hardware's 32-bit counters wrap: 2^32 steps of 2^-16 or
#: 2^-14 J. The program logs the counter as it is.
RANGES = (65_536.0, 262_144.0)
#: A step back is a wrap when it leads from the last such part of a range to the first.
NEAR = 0.05
_CORE = re.compile(r"CORE(\d+)_ENERGY")
_UNIT = re.compile(r"\s*\(([^)]*)\)\s*$")
_SEPARATORS = (",", ";", "\t")


class TraceError(Exception):
    """A file is not a series of EnergiBridge; the message says what was found."""


@dataclass(frozen=True)
class Table:
    """A file's columns by name without unit, and the units that they had.

    `columns[name][row]` is a finite number or None where the cell was empty or was no
    number; `dropped` counts rows that were shorter than the header (a file that was cut
    off in the middle of a line ends in one).
    """

    path: str
    columns: dict[str, list[float | None]]
    units: dict[str, str]
    dropped: int

    @property
    def rows(self) -> int:
        """Return how many samples there are."""
        return len(self.columns["Time"])

    def first(self, names: tuple[str, ...]) -> str | None:
        """Return the first of the names that is a column with numbers in every row."""
        for name in names:
            found = self.columns.get(name)
            if found is not None and None not in found:
                return name
        return None

    def numbers(self, name: str) -> list[float] | None:
        """Return a column whose every cell is a number, else None."""
        found = self.columns.get(name)
        if found is None:
            return None
        numbers = [cell for cell in found if cell is not None]
        return numbers if len(numbers) == len(found) else None

    def family(self, prefix: str) -> list[str]:
        """Return the names of the columns `prefix<number>`, in order of the number."""
        found = [
            name
            for name in self.columns
            if re.fullmatch(re.escape(prefix) + r"\d+", name)
        ]
        return sorted(found, key=lambda name: int(name[len(prefix) :]))

    def cores(self) -> list[str]:
        """Return the names of the counters of single cores, in order of the core."""
        found = [
            (int(match.group(1)), name)
            for name in self.columns
            if (match := _CORE.fullmatch(name))
        ]
        return [name for _, name in sorted(found)]


def unwrapped(counter: Sequence[float]) -> tuple[list[float], int]:
    """Return a counter with full-range wraps undone, and how many there were.

    A step back that is no such wrap stays as it is, for the checks to see.
    """
    found = [counter[0]]
    lifted = 0.0
    wraps = 0
    for before, now in itertools.pairwise(counter):
        for span in RANGES if now < before else ():
            if (1 - NEAR) * span < before <= span and now < NEAR * span:
                lifted += span
                wraps += 1
                break
        found.append(now + lifted)
    return found, wraps


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read(path: Path) -> Table:
    """Return the columns of a file.

    Raises TraceError when there is no `Time` column, or when no row has a time.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    lines = text.splitlines()
    if not lines:
        raise TraceError(f"{path}: expected a header and rows, found an empty file")
    separator = max(_SEPARATORS, key=lines[0].count)
    header, *rows = list(csv.reader(lines, delimiter=separator))
    names = [_UNIT.sub("", cell).strip() for cell in header]
    units = {
        name: match.group(1)
        for name, cell in zip(names, header, strict=True)
        if (match := _UNIT.search(cell))
    }
    if "Time" not in names:
        raise TraceError(
            f"{path}: expected a column named Time (ms since 1970), found "
            f"{', '.join(names[:8])}; is this a file that energibridge wrote?"
        )
    whole = [row for row in rows if len(row) == len(names)]
    time = names.index("Time")
    kept = [row for row in whole if _number(row[time]) is not None]
    if not kept:
        raise TraceError(f"{path}: expected rows with a time, found none")
    columns: dict[str, list[float | None]] = {
        name: [_number(row[place]) for row in kept] for place, name in enumerate(names)
    }
    return Table(str(path), columns, units, len(rows) - len(kept))
