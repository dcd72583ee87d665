"""How a race is shown: one block per finished cell, and the summary at the end.

Separate so that measuring knows nothing of terminals. Everything fits 80 columns;
colour only on a terminal and not with NO_COLOR set. Used by race.py.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bench import contenders, effect

if TYPE_CHECKING:
    from bench.race import Cell

WIDTH = 80
BAR = 17
NAME = 13
COLUMNS = 4  # workloads beside each other in the summary
PLAIN, BOLD, DIM, GREEN, RED = "", "1", "2", "1;32", "31"


def paint(text: str, style: str) -> str:
    """Return `text` in a style, where styles are wanted."""
    if not style or os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return f"\x1b[{style}m{text}\x1b[0m"


def style_of(name: str) -> str:
    """Return the style of a contender's rows."""
    if name == contenders.OURS:
        return GREEN
    return {contenders.REFERENCE: BOLD, contenders.AGAIN: DIM}.get(name, PLAIN)


def progress(text: str) -> None:
    """Show what is going on now, on a line that the next output overwrites."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text[: WIDTH - 1]}", end="", flush=True)


def duration(nanoseconds: float) -> str:
    """Return a time with three digits and its unit."""
    for limit, factor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if nanoseconds < limit * 0.9995:
            return f"{_digits(nanoseconds / factor)} {unit}"
    return f"{_digits(nanoseconds / 1e9)} s "


def size(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if count < 10_000:
        return f"{count:,} bytes"
    if count < 10_000_000:
        return f"{count / 1e3:,.0f} kB"
    return f"{count / 1e6:,.1f} MB"


def _digits(value: float) -> str:
    return (
        f"{value:.2f}"
        if value < 10
        else f"{value:.1f}"
        if value < 100
        else f"{value:.0f}"
    )


def block(cell: Cell) -> str:
    """Return the table of one cell: one document, one direction."""
    title = f"{cell.direction} {cell.workload.name}, {size(cell.bytes)}"
    if cell.workload.note:
        title += f" ({cell.workload.note})"
    header = f"{title:<{NAME + 23}}{'vs json':>8} {'vs orjson':>9}"
    lines = [paint(header, BOLD)]
    rows = sorted(cell.times, key=lambda name: effect.typical(cell.times[name]))
    fastest = effect.typical(cell.times[rows[0]])
    for name in rows:
        time = effect.typical(cell.times[name])
        row = (
            f"  {name:<{NAME}}{duration(time):>9}{cell.bytes * 1e3 / time:>7,.0f} MB/s"
        )
        row += _times(cell, name, contenders.STANDARD, 8)
        row += " " + _times(cell, name, contenders.REFERENCE, 9, interval=True)
        lines.append(paint(row, style_of(name)) + " " + _bar(fastest / time, name))
    for name, reason in cell.wrong.items():
        lines.append(paint(f"  {name:<{NAME}}left out: {reason}"[:WIDTH], RED))
    return "\n".join(lines)


def _times(
    cell: Cell, name: str, reference: str, width: int, *, interval: bool = False
) -> str:
    found = cell.against(reference).get(name)
    if found is None:
        return " " * (width + (7 if interval else 0))
    ratio = found.ratio()
    text = f"{ratio.value:>{width - 1}.2f}x"
    if not interval:
        return text
    if name == reference:
        return text + " " * 7
    return text + f" ±{ratio.spread * 100:.1f}%".ljust(7)


def _bar(part: float, name: str) -> str:
    eighths = max(1, round(part * BAR * 8))
    full, rest = divmod(eighths, 8)
    return paint("█" * full + " ▏▎▍▌▋▊▉"[rest].strip(), style_of(name))


def summary(cells: list[Cell], direction: str, names: list[str]) -> str:
    """Return the speeds relative to the reference, all workloads of a direction."""
    chosen = [cell for cell in cells if cell.direction == direction]
    means = {name: _mean(chosen, name) for name in names}
    names = [name for name in names if any(name in cell.times for cell in chosen)]
    names.sort(key=lambda name: -(mean.value if (mean := means[name]) else 0.0))
    parts = []
    for start in range(0, len(chosen), COLUMNS):
        group = chosen[start : start + COLUMNS]
        last = start + COLUMNS >= len(chosen)
        head = f"{direction + ', orjson = 1':<{NAME + 4}}"
        head += "".join(f"{cell.workload.name[:11]:>12}" for cell in group)
        lines = [paint(head + ("   geom. mean" if last else ""), BOLD)]
        for name in names:
            row = f"  {name:<{NAME + 2}}"
            for cell in group:
                found = cell.against(contenders.REFERENCE).get(name)
                row += f"{found.ratio().value:>11.2f}x" if found else f"{'-':>12}"
            mean = means[name]
            if last and mean:
                row += f"{mean.value:>7.2f}x"
                if name != contenders.REFERENCE:
                    row += f" ±{mean.spread * 100:.1f}%"
            lines.append(paint(row, style_of(name)))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _mean(cells: list[Cell], name: str) -> effect.Ratio | None:
    """Return the mean of a contender that finished every workload, else nothing."""
    found = [cell.against(contenders.REFERENCE).get(name) for cell in cells]
    whole = [one for one in found if one is not None]
    if not whole or len(whole) != len(cells):
        return None
    return effect.overall(whole).ratio()
