"""Format quantities: three digits, and a suitable unit.

Separate because every table, figure and sentence writes quantities, and they must agree
in form. Invariant: the text rounds the measured value and never has more digits than
the value. Used by tables, answers and findings.
"""

from __future__ import annotations

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
    """Return a value in ns, B or J with three digits: `1.23 ms`, `756 kB`."""
    divisor, name = scale(unit, value) if unit in {"ns", "B"} else (1.0, unit)
    return f"{digits(value / divisor)} {name}".strip()


def digits(value: float) -> str:
    """Return three significant digits, without an exponent."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 999.5:
        return f"{value:,.0f}"
    if size >= 99.95:
        return f"{value:.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 0.0995 else f"{value:.3g}"


def ratio(value: float, low: float, high: float) -> str:
    """Return a ratio with its interval: `1.83 [1.79, 1.88]`."""
    return f"{digits(value)} [{digits(low)}, {digits(high)}]"
