"""What the library costs before its first call: import time and size of the extension.

Separate because nothing here is a call: each sample is a fresh interpreter that imports
one thing, or nothing, and exits. Invariants: the interpreters alternate in shuffled
order; a first round, which fills the caches of the disk and of byte code, is not
counted; a difference is taken within its round; nothing is given for a library that
cannot be imported. Used by run.py.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from snooze_lab import env, model
from snooze_lab.race import machine_code, table

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

#: What is imported, by the name of the row.
NOTHING = "nothing"
PROGRAMS = {
    NOTHING: "pass",
    model.OURS: "import snooze",
    model.REFERENCE: "import orjson",
    "msgspec": "import msgspec.json",
    model.STANDARD: "import json",
}
GROUP = "footprint"
RUNS, QUICK = 40, 12


def measure(
    *, runs: int, dice: random.Random, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Return the figures for a record: import times, file sizes, code by tier.

    `import_ms` has for each program the median in ms and its interval; `own_ms` the
    same for the difference from the interpreter that imports nothing.
    """
    times = import_times(runs, dice, progress)
    own = {
        name: [mine - base for mine, base in zip(found, times[NOTHING], strict=True)]
        for name, found in times.items()
        if name != NOTHING
    }
    progress("size of the extensions")
    files = {name: env.compiled(name) for name in own}
    sizes = {
        name: sum(path.stat().st_size for path in paths)
        for name, paths in files.items()
        if paths
    }
    code, unknown = _code()
    return {
        "runs": runs,
        "import_ms": {name: interval(found) for name, found in times.items()},
        "own_ms": {name: interval(found) for name, found in own.items()},
        "extension_bytes": sizes,
        "code_bytes": code,
        "code_unknown": unknown,
    }


def import_times(
    runs: int, dice: random.Random, progress: Callable[[str], None]
) -> dict[str, list[float]]:
    """Return the ms that fresh interpreters took, by what they imported."""
    names = [name for name in PROGRAMS if _once(name) is not None]
    times: dict[str, list[float]] = {name: [] for name in names}
    order = names[:]
    for number in range(runs):
        progress(f"import time: round {number + 1} of {runs}")
        dice.shuffle(order)
        for name in order:
            spent = _once(name)
            times[name].append(math.nan if spent is None else spent)
    return times


def _once(name: str) -> float | None:
    """Return the ms from start to end of an interpreter, or None if it failed."""
    # Isolated, so that the import path and the variables of this process do not count.
    command = [sys.executable, "-I", "-c", PROGRAMS[name]]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=os.environ)
    spent = (time.perf_counter() - start) * 1e3
    return spent if done.returncode == 0 else None


def interval(times: list[float]) -> list[float]:
    """Return the median and its 95 % interval, from the ranks of the sorted times.

    With fewer than six samples the interval is the whole range, which contains the
    median less often than that.
    """
    known = sorted(one for one in times if not math.isnan(one))
    count = len(known)
    skip = max(0, math.floor((count - 1.96 * math.sqrt(count)) / 2))
    low, high = known[skip], known[count - 1 - skip]
    return [round(one, 3) for one in (statistics.median(known), low, high)]


def _code() -> tuple[dict[str, int], str]:
    files = env.compiled(model.OURS)
    if len(files) != 1:
        return {}, f"expected one compiled file of {model.OURS}, found {len(files)}"
    return machine_code.by_tier(files[0])


def shown(found: dict[str, Any]) -> str:
    """Return the tables of the group."""
    head = f"{'before the first call':<25}{'import':>11}{'of its own':>27}"
    lines = [table.paint(f"{head}{'extension':>14}", table.BOLD)]
    for name, (median, _, _) in found["import_ms"].items():
        row = f"  {name:<23}{median:>8.1f} ms"
        if name in found["own_ms"]:
            middle, low, high = found["own_ms"][name]
            own = f"{middle:.1f} ms ({low:.1f} to {high:.1f})"
            size = found["extension_bytes"].get(name)
            row += f"{own:>27}{table.size(size) if size else '-':>14}"
        lines.append(table.paint(row, table.style_of(name)))
    lines.append(f"  medians of {found['runs']} fresh interpreters, 95 % intervals")
    parts = [f"{name} {table.size(size)}" for name, size in found["code_bytes"].items()]
    text = "; ".join(parts) or f"unknown, {found['code_unknown']}"
    lines.append(f"  code of snooze: {text}"[: table.WIDTH])
    return "\n".join(lines)
