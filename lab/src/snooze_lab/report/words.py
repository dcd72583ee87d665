"""How the report formats numbers, ratios, verdicts, file names and commands.

Separate because all writers and figures must format the same number the same way: three
significant digits, never an exponent.
"""

from __future__ import annotations

import math
import re
import shlex
from typing import TYPE_CHECKING

from snooze_lab import units
from snooze_lab.units import NONE, digits, duration, listed, scale

if TYPE_CHECKING:
    from snooze_lab.stored.results_types import Run

__all__ = ["NONE", "digits", "duration", "listed", "scale"]

#: Between a number and its unit: no line break.
GAP = "\N{NO-BREAK SPACE}"

BY = "\N{MULTIPLICATION SIGN}"

#: The sign of a verdict and its text for screen readers.
VERDICTS: dict[str, tuple[str, str]] = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "equal": ("=", "practically equal"),
    "undecided": ("?", "undecided"),
    "too noisy": ("~", "smaller than this run's noise"),
}

#: The quality word of joules, and its meaning.
QUALITIES: dict[str, str] = {
    "measured": "read from a counter of this machine",
    "imported": "taken from a recording made elsewhere",
    "estimated": "computed by a model from time and processor use",
    "simulated": "counted by a simulator; not joules at all",
}

#: Why a cell is empty, in the words of a reader.
STATUSES: dict[str, str] = {
    "wrong": "gave a wrong result, so it was not timed",
    "unable": "has no such operation",
    "absent": "is not installed here",
    "failed": "ended badly",
    "refused": "was refused by the memory guard",
}

MEANINGS: dict[str, str] = {
    "time": "time per operation",
    "round": "time per operation in the interleaved race",
    "peak": "peak memory",
    "tree": "memory of the result",
    "base": "memory before",
    "size": "bytes of output",
}


def tick(value: float) -> str:
    """Return a round number in few characters: 0.25, 1,500, 40k, 2M."""
    for size, name in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            divisor = min(size, 1e3) if name == "k" else size
            return f"{value / divisor:,.6g}{name}"
    written = f"{value:,.6f}".rstrip("0").rstrip(".")
    return written or "0"


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit: 1234567.8, `ns` is `1.23 ms`."""
    return units.quantity(value, unit).replace(" ", GAP)


def spread(mean: float, sd: float, unit: str) -> str:
    """Return `631.2 ± 14.2 J`: both in the mean's unit, to the deviation's decimals."""
    divisor, name = scale(unit, mean)
    mean, sd = mean / divisor, sd / divisor
    places = 2 - math.floor(math.log10(sd)) if sd > 0 else 0
    return f"{mean:,.{min(max(places, 0), 3)}f} ± {digits(sd)}{GAP}{name}".rstrip()


def interval(low: float, high: float, unit: str, like: float) -> str:
    """Return `low to high` in the unit of `like`, which lies between them."""
    divisor, name = scale(unit, like)
    return f"{digits(low / divisor)} to {digits(high / divisor)}{GAP}{name}".rstrip()


def times(ratio: float) -> str:
    """Return a ratio as `1.83` and the sign of multiplication."""
    return f"{digits(ratio)}{BY}"


def span(low: float, high: float) -> str:
    """Return the interval of a ratio: `[1.79, 1.87]`."""
    return f"[{digits(low)}, {digits(high)}]"


def meaning(metric: str) -> str:
    """Return the description of a metric."""
    if metric.startswith("phase:"):
        return f"phase {metric.removeprefix('phase:')}"
    if metric.startswith("energy:"):
        _, quality, meter = metric.split(":", 2)
        return f"energy per operation, {meter} ({quality})"
    return MEANINGS.get(metric, metric)


def slug(*parts: str) -> str:
    """Return letters, digits and dashes for an anchor or the name of a file."""
    joined = "-".join(parts).lower()
    return re.sub(r"[^a-z0-9]+", "-", joined).strip("-") or "unnamed"


def again(run: Run, study: str, table: str = "") -> str:
    """Return the command that measures a study, or one table of it, as this run did.

    Of the user's own documents and of imports only the whole can be repeated.
    """
    if run.profile in {"byob", "imported"}:
        return run.command
    command = f"snooze-lab run {shlex.quote(study)}"
    if table:
        command += f" --only {shlex.quote(f'{study}/{table}')}"
    return command if run.profile == "smoke" else f"{command} --profile {run.profile}"
