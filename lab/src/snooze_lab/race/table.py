"""Terminal output of a race: one block per finished cell, and the summary at the end.

Separate so that measuring knows nothing of terminals. Everything fits in 80 columns;
colour is used only on a terminal, and not when NO_COLOR is set. Used by command.py.
"""

from __future__ import annotations

import os
import statistics
import sys
from typing import TYPE_CHECKING

from snooze_lab import model
from snooze_lab.race import effect

if TYPE_CHECKING:
    from snooze_lab.race.cells import Cell

WIDTH = 80
BAR = 17
NAME = 13
NOISE = 2.5  # per cent: the noise of the reference in the median row
COLUMNS = 4  # workloads side by side in the summary
RATES = 4  # and in the table of rates
PLAIN, BOLD, DIM, GREEN, RED = "", "1", "2", "1;32", "31"


def paint(text: str, style: str) -> str:
    """Return `text` in a style, if styles are enabled."""
    if not style or os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return f"\x1b[{style}m{text}\x1b[0m"


def style_of(name: str) -> str:
    """Return the style of a contender's rows."""
    if name == model.OURS:
        return GREEN
    return {model.REFERENCE: BOLD, model.AGAIN: DIM}.get(name, PLAIN)


def progress(text: str) -> None:
    """Show the current step on a line that the next output overwrites."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text[: WIDTH - 1]}", end="", flush=True)


def duration(nanoseconds: float) -> str:
    """Return a time with three digits and its unit."""
    for limit, factor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if nanoseconds < limit * 0.9995:
            return f"{_digits(nanoseconds / factor)} {unit}"
    return f"{_digits(nanoseconds / 1e9)} s "


def size(count: int) -> str:
    """Return a number of bytes in a suitable unit."""
    if count < 10_000:
        return f"{count:,} B"
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
    task = cell.task
    title = f"{task.direction} {task.name}, {size(task.bytes)}"
    if task.note:
        title += f" ({task.note})"
    header = f"{title:<{NAME + 23}}{'vs json':>8} {'vs orjson':>9}"
    lines = [paint(header, BOLD)]
    rows = sorted(cell.times, key=lambda name: effect.typical(cell.times[name]))
    fastest = effect.typical(cell.times[rows[0]]) if rows else 1.0
    for name in rows:
        time = effect.typical(cell.times[name])
        row = (
            f"  {name:<{NAME}}{duration(time):>9}{task.bytes * 1e3 / time:>7,.0f} MB/s"
        )
        row += _times(cell, name, model.STANDARD, 8)
        row += " " + _times(cell, name, model.REFERENCE, 9, interval=True)
        lines.append(paint(row, style_of(name)) + " " + _bar(fastest / time, name))
    for name, reason in cell.wrong.items():
        lines.append(paint(f"  {name:<{NAME}}left out: {reason}"[:WIDTH], RED))
    for name, reason in cell.unable.items():
        lines.append(paint(f"  {name:<{NAME}}left out: {reason}"[:WIDTH], DIM))
    best = cell.best_rival
    if best:
        lines.append(f"  snooze against the best rival, {best[0]}: {_sure(best[1])}")
    return "\n".join(lines)


def line_head() -> str:
    """Return the heading of the rows of `line`."""
    return f"{'':<23}{'bytes':>8}{'snooze':>9}   vs orjson  vs the best rival"


def line(cell: Cell) -> str:
    """Return one cell as one line: snooze against the reference and the best rival."""
    task, ours = cell.task, model.OURS
    row = f"{task.direction} {task.name:<16.16} {size(task.bytes):>8}"
    if ours not in cell.times:
        reason = cell.wrong.get(ours) or cell.unable.get(ours, "not racing")
        return paint(f"{row}  {ours} left out: {reason}"[:WIDTH], RED)
    row += f"{duration(effect.typical(cell.times[ours])):>9}"
    found = cell.against(model.REFERENCE).get(ours)
    row += f"{_sure(found):>13}" if found else " " * 13
    best = cell.best_rival
    if best:
        style = RED if best[1].ratio().value < 1 else PLAIN
        row += paint(f"{_sure(best[1]):>13} {best[0]}", style)
    return row


def _sure(found: effect.Replicates) -> str:
    ratio = found.ratio()
    return f"{ratio.value:.2f}x ±{ratio.spread * 100:.1f}%"


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
    """Return the speeds relative to the reference, all tasks of a direction."""
    chosen = [cell for cell in cells if cell.task.direction == direction]
    means = {name: mean(chosen, name) for name in names}
    names = [name for name in names if any(name in cell.times for cell in chosen)]
    names.sort(key=lambda name: -(found.value if (found := means[name]) else 0.0))
    parts = []
    for start in range(0, len(chosen), COLUMNS):
        group = chosen[start : start + COLUMNS]
        last = start + COLUMNS >= len(chosen)
        head = f"{direction + ', orjson = 1':<{NAME + 4}}"
        head += "".join(f"{_short(cell.task.name):>12}" for cell in group)
        lines = [paint(head + ("   geom. mean" if last else ""), BOLD)]
        for name in names:
            row = f"  {name:<{NAME + 2}}"
            for cell in group:
                found = cell.against(model.REFERENCE).get(name)
                row += f"{found.ratio().value:>11.2f}x" if found else f"{'-':>12}"
            whole = means[name]
            if last and whole:
                row += f"{whole.value:>7.2f}x"
                if name != model.REFERENCE:
                    row += f" ±{whole.spread * 100:.1f}%"
            lines.append(paint(row, style_of(name)))
        best = [cell.best_rival for cell in group]
        if any(best):
            row = f"  {'vs best rival':<{NAME + 2}}"
            row += "".join(
                f"{one[1].ratio().value:>11.2f}x" if one else f"{'-':>12}"
                for one in best
            )
            whole = against_best(chosen)
            if last and whole:
                row += f"{whole.value:>7.2f}x ±{whole.spread * 100:.1f}%"
            lines.append(paint(row, BOLD))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _short(name: str) -> str:
    """Return a name in at most eleven characters."""
    return name.removeprefix("numpy ").removeprefix("dataclass ")[:11]


def calls(cells: list[Cell], names: list[str]) -> str:
    """Return the nanoseconds of single calls, one row per contender."""
    head = f"{'ns per call':<{NAME + 2}}"
    keys = [
        f"{'l' if cell.task.direction == 'loads' else 'd'} {cell.task.name}"
        for cell in cells
    ]
    width = (WIDTH - NAME - 2) // max(1, len(cells))
    lines = [
        paint(head + "".join(f"{key[: width - 1]:>{width}}" for key in keys), BOLD)
    ]
    for name in names:
        if not any(name in cell.times for cell in cells):
            continue
        row = f"  {name:<{NAME}}"
        for cell in cells:
            times = cell.times.get(name)
            row += (
                f"{effect.typical(times):>{width},.0f}" if times else f"{'-':>{width}}"
            )
        lines.append(paint(row, style_of(name)))
    return "\n".join(lines)


def rates(cells: list[Cell], names: list[str]) -> str:
    """Return the bytes read or written per second, one row per contender."""
    parts = []
    for start in range(0, len(cells), RATES):
        group = cells[start : start + RATES]
        head = f"{'GB/s of text':<{NAME + 2}}"
        head += "".join(
            f"{cell.task.direction[0]} {_short(cell.task.name)}".rjust(16)
            for cell in group
        )
        lines = [paint(head, BOLD)]
        for name in names:
            if not any(name in cell.times for cell in group):
                continue
            row = f"  {name:<{NAME}}"
            for cell in group:
                times = cell.times.get(name)
                rate = cell.task.bytes / effect.typical(times) if times else None
                row += f"{rate:>16.2f}" if rate is not None else f"{'-':>16}"
            lines.append(paint(row, style_of(name)))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def mean(cells: list[Cell], name: str) -> effect.Ratio | None:
    """Return the mean of a contender that finished every task, else None."""
    found = [cell.against(model.REFERENCE).get(name) for cell in cells]
    whole = [one for one in found if one is not None]
    if not whole or len(whole) != len(cells):
        return None
    return effect.overall(whole).ratio()


def against_best(cells: list[Cell]) -> effect.Ratio | None:
    """Return the mean speed of snooze relative to the best rival of each task."""
    found = [cell.best_rival[1] for cell in cells if cell.best_rival]
    return effect.overall(found).ratio() if found else None


def noise(found: list[float]) -> str:
    """Return the noise of this run, as a sentence."""
    if not found:
        return f"Noise not measured: '{model.AGAIN}' did not take part."
    most, middle = max(found) * 100, statistics.median(found) * 100
    text = (
        f"orjson raced against itself differs by {middle:.1f} % in the median row,\n"
        f"{most:.1f} % at most: believe no smaller difference."
    )
    if middle > NOISE or most > NOISE * 4:
        return f"TOO NOISY: {text} Run again on a\nquieter machine, or longer."
    return f"Noise: {text}"
