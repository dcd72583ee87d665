"""Terminal output of a race: one block per finished cell, and the summary at the end.

Separate so that measuring knows nothing of terminals. Everything fits in 80 columns;
colour is used only on a terminal, and not when NO_COLOR is set.
"""

from __future__ import annotations

import os
import statistics
import sys
from typing import TYPE_CHECKING

from snooze_lab import model
from snooze_lab.timing import rounds
from snooze_lab.units import digits, quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from snooze_lab.race.cells import Cell

WIDTH = 80
BAR = 9
NAME = 13
NOISE = 2.5  # per cent: the noise of the reference in the median row
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
    if model.original(name):
        return DIM
    return BOLD if name == model.REFERENCE else PLAIN


def progress(text: str) -> None:
    """Show the current step on a line that the next output overwrites."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text[: WIDTH - 1]}", end="", flush=True)


def duration(nanoseconds: float) -> str:
    """Return a time with three digits and its unit."""
    return quantity(nanoseconds, "ns")


def size(count: float) -> str:
    """Return a number of bytes with three digits and its unit."""
    return f"{count:.0f} B" if count < 999.5 else quantity(count, "B")


def times(ratio: rounds.Ratio) -> str:
    """Return a ratio and half the width of its interval: `1.52x ±0.8%`."""
    return f"{ratio.value:.2f}x ±{ratio.spread * 100:.1f}%"


def speed(found: rounds.LogRatio | None) -> str:
    """Return a ratio without its interval, or a dash if it was not measured."""
    return f"{found.ratio().value:.2f}x" if found else "-"


def rate(nanoseconds: float) -> str:
    """Return how often something of this duration happens in a second."""
    count = 1e9 / nanoseconds
    for factor, name in ((1e6, "M"), (1e3, "k")):
        if count >= factor * 0.9995:
            return f"{digits(count / factor)}{name}/s"
    return f"{digits(count)}/s"


def grid(  # noqa: PLR0913 - a table is made of these
    corner: str,
    heads: Sequence[str],
    lines: Mapping[str, Sequence[str]],
    *,
    width: int,
    first: int = NAME + 4,
    per: int = 0,
    tails: Mapping[str, str] | None = None,
) -> str:
    """Return a table with a row for each name, `per` columns of `width` side by side.

    The names take `first` columns of the terminal. `tails` are put at the end of the
    rows beside the last columns; that of the heading has the key "".
    """
    per = per or (WIDTH - first) // width
    parts = []
    for start in range(0, len(heads), per):
        end = start + per
        ending = tails or {} if end >= len(heads) else {}
        titles = [f"{one[: width - 1]:>{width}}" for one in heads[start:end]]
        head = f"{corner:<{first}}" + "".join(titles) + ending.get("", "")
        rows = [paint(head, BOLD)]
        for name, line in lines.items():
            cells = line[start:end]
            if all(one == "-" for one in cells):
                continue
            text = f"  {name:<{first - 2}}" + "".join(
                f"{one:>{width}}" for one in cells
            )
            rows.append(paint((text + ending.get(name, "")).rstrip(), style_of(name)))
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def block(cell: Cell, relative_to: str) -> str:
    """Return the table of one cell: one document, one direction."""
    task = cell.task
    title = f"{task.direction} {task.name}, {size(task.bytes)}"
    if task.workload.note:
        title += f" ({task.workload.note})"
    left = f"{title:<{NAME + 31}.{NAME + 31}}"
    lines = [paint(f"{left}{'vs json':>8} {f'vs {relative_to}'[:15]:>9}", BOLD)]
    order = sorted(cell.times, key=cell.typical)
    fastest = cell.typical(order[0]) if order else 1.0
    for name in order:
        time = cell.typical(name)
        row = f"  {name:<{NAME}}{duration(time):>9}{rate(time):>8}"
        row += f"{task.bytes * 1e3 / time:>7,.0f} MB/s"
        found = cell.speed(name, model.STANDARD)
        row += f"{found.ratio().value:>7.2f}x" if found else " " * 8
        found = cell.speed(name, relative_to)
        exact = f"{found.ratio().value:>8.2f}x" if found else " " * 9
        if found and name != relative_to:
            exact += f" ±{found.ratio().spread * 100:.1f}%"
        row += f" {exact:<17}"
        lines.append(paint(row, style_of(name)) + _bar(fastest / time, name))
    lines += left_out(cell.wrong, cell.unable)
    best = cell.best_rival
    if best:
        against = times(best[1].ratio())
        lines.append(f"  snooze against the best rival, {best[0]}: {against}")
    return "\n".join(lines)


def left_out(wrong: Mapping[str, str], unable: Mapping[str, str]) -> list[str]:
    """Return a line for each contender that was not timed, with the reason."""
    reasons = [(one, RED) for one in wrong.items()]
    reasons += [(one, DIM) for one in unable.items()]
    return [
        paint(f"  {name:<{NAME}}left out: {reason}"[:WIDTH], style)
        for (name, reason), style in reasons
    ]


def _bar(part: float, name: str) -> str:
    eighths = max(1, round(part * BAR * 8))
    full, rest = divmod(eighths, 8)
    return paint("█" * full + " ▏▎▍▌▋▊▉"[rest].strip(), style_of(name))


def line_head(relative_to: str) -> str:
    """Return the heading of the rows of `line`."""
    against = f"vs {relative_to}"[:13]
    return f"{'':<23}{'bytes':>8}{'snooze':>9}{against:>13}  vs the best rival"


def line(cell: Cell, relative_to: str) -> str:
    """Return one cell as one line: snooze against the reference and the best rival."""
    task, ours = cell.task, model.OURS
    row = f"{task.direction} {task.name:<16.16} {size(task.bytes):>8}"
    if ours not in cell.times:
        reason = cell.wrong.get(ours) or cell.unable.get(ours, "not racing")
        return paint(f"{row}  {ours} left out: {reason}"[:WIDTH], RED)
    row += f"{duration(cell.typical(ours)):>9}"
    found = cell.speed(ours, relative_to)
    row += f" {times(found.ratio()) if found else '':>12}"
    best = cell.best_rival
    if best:
        ratio = best[1].ratio()
        text = f" {times(ratio):>12} {best[0]}"[: WIDTH - len(row)]
        row += paint(text, RED if ratio.value < 1 else PLAIN)
    return row


def summary(
    cells: list[Cell], direction: str, names: list[str], relative_to: str
) -> str:
    """Return the speeds relative to one contender, all tasks of a direction."""
    chosen = [cell for cell in cells if cell.task.direction == direction]
    means = {name: mean(chosen, name, relative_to) for name in names}
    values = {name: whole.value for name, whole in means.items() if whole}
    order = sorted(names, key=lambda name: values.get(name, 0.0), reverse=True)
    lines = {
        name: [speed(cell.speed(name, relative_to)) for cell in chosen]
        for name in order
    }
    tails = {"": "   geom. mean"} | {
        name: f"{whole.value:>7.2f}x"
        + (f" ±{whole.spread * 100:.1f}%" if name != relative_to else "")
        for name, whole in means.items()
        if whole
    }
    best = [cell.best_rival for cell in chosen]
    lines["vs best rival"] = [speed(one and one[1]) for one in best]
    whole = against_best(chosen)
    if whole:
        tails["vs best rival"] = f"{whole.value:>7.2f}x ±{whole.spread * 100:.1f}%"
    corner = f"{direction}, {relative_to} = 1"
    if len(corner) > NAME + 4:
        corner = f"{direction} / {relative_to}"[: NAME + 4]
    heads = [short(cell.task.name) for cell in chosen]
    return grid(corner, heads, lines, width=12, per=4, tails=tails)


def short(name: str) -> str:
    """Return a name in at most eleven characters."""
    return name.removeprefix("numpy ").removeprefix("dataclass ")[:11]


def calls(cells: list[Cell], names: list[str]) -> str:
    """Return the nanoseconds of single calls, one row per contender."""
    heads = [f"{cell.task.direction[0]} {cell.task.name}" for cell in cells]
    width = (WIDTH - NAME - 2) // max(1, len(cells))
    lines = {name: [_typical(cell, name, ",.0f") for cell in cells] for name in names}
    return grid("ns per call", heads, lines, width=width, first=NAME + 2)


def rates(cells: list[Cell], names: list[str]) -> str:
    """Return the bytes read or written per second, one row per contender."""
    heads = [f"{cell.task.direction[0]} {short(cell.task.name)}" for cell in cells]
    lines = {name: [_typical(cell, name, "GB/s") for cell in cells] for name in names}
    return grid("GB/s of text", heads, lines, width=16, first=NAME + 2)


def _typical(cell: Cell, name: str, form: str) -> str:
    """Return the time of a contender in a format, or its rate for the format GB/s."""
    if name not in cell.times:
        return "-"
    time = cell.typical(name)
    return f"{cell.task.bytes / time:.2f}" if form == "GB/s" else f"{time:{form}}"


def mean(cells: list[Cell], name: str, relative_to: str) -> rounds.Ratio | None:
    """Return the mean of a contender that finished every task, else None."""
    found = [cell.speed(name, relative_to) for cell in cells]
    whole = [one for one in found if one is not None]
    if not whole or len(whole) != len(cells):
        return None
    return rounds.overall(whole).ratio()


def against_best(cells: list[Cell]) -> rounds.Ratio | None:
    """Return the mean speed of snooze relative to the best rival of each task."""
    found = [cell.best_rival[1] for cell in cells if cell.best_rival]
    return rounds.overall(found).ratio() if found else None


def noise(found: list[float], reference: str = model.REFERENCE) -> str:
    """Return the noise of this run, as a sentence."""
    if not found:
        twin = model.twin(reference)
        return f"Noise not measured: there is no table of ratios with '{twin}'."
    most, middle = max(found) * 100, statistics.median(found) * 100
    text = (
        f"{reference} raced against itself differs by {middle:.1f} % in the median "
        f"row,\n{most:.1f} % at most: believe no smaller difference."
    )
    if middle > NOISE or most > NOISE * 4:
        return f"TOO NOISY: {text} Run again on a\nquieter machine, or longer."
    return f"Noise: {text}"
