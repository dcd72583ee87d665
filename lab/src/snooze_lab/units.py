"""Format quantities: three digits, and a suitable unit.

Separate because every table, figure and sentence writes quantities, and they must agree
in form. Invariant: the text rounds the measured value and never has more digits than
the value. Used by tables, answers and findings.
"""

from __future__ import annotations

_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def quantity(value: float, unit: str) -> str:
    """Return a value in ns, B or J with three digits: `1.23 ms`, `756 kB`."""
    if unit in {"ns", "B"}:
        scale = _TIMES if unit == "ns" else _SIZES
        for factor, name in scale:
            if abs(value) >= factor * 0.9995:
                return f"{digits(value / factor)} {name}"
        return f"{digits(value)} {unit}"
    return f"{digits(value)} {unit}".strip()


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
