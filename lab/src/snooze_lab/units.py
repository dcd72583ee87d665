"""Format quantities and lists: three digits, a suitable unit, never an exponent.

Separate because every table, figure and sentence writes quantities, in one form.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Shown where there is no value.
NONE = "\N{EN DASH}"

#: Steps of the units of a quantity, largest first.
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "J": ((1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ")),
    "W": ((1e3, "kW"), (1.0, "W"), (1e-3, "mW")),
    "B/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")),
}


def scale(unit: str, value: float) -> tuple[float, str]:
    """Return the divisor and name of the unit that suits `value`."""
    for divisor, name in SCALES.get(unit, ((1.0, unit),)):
        if abs(value) >= divisor * 0.9995:
            return divisor, name
    return SCALES[unit][-1] if unit in SCALES else (1.0, unit)


def quantity(value: float, unit: str) -> str:
    """Return a value in a suitable unit: `1.23 ms`, `756 kB`, `0 B`."""
    divisor, name = scale(unit, value) if value else (1.0, unit)
    return f"{digits(value / divisor)} {name}".strip()


def digits(value: float) -> str:
    """Return a number with three significant digits, without an exponent."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return NONE
    places = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, places)
    if rounded and math.floor(math.log10(abs(rounded))) > 2 - places:
        places -= 1
    return f"{rounded:,.{max(places, 0)}f}"


def duration(seconds: float) -> str:
    """Return a duration for people: `3 min 20 s`."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def ratio(value: float, low: float, high: float) -> str:
    """Return a ratio with its interval: `1.83 [1.79, 1.88]`."""
    return f"{digits(value)} [{digits(low)}, {digits(high)}]"


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 document`, `2 documents`."""
    return f"{number} {noun}" + "s" * (number != 1)


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
