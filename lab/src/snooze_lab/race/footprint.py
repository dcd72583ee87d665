"""What the library costs before its first call: import time, size and code of files.

Separate because nothing here is a call. Each sample is a fresh interpreter that imports
one thing, or nothing, and exits; they alternate in shuffled order, a first round, which
fills the caches of disk and byte code, is not counted, and a difference is taken within
its round. Machine code is counted by SIMD tier: a function, found by the unwind table
that survives stripping, is avx512 if it has EVEX prefixes or opmask registers, avx2 if
it has VEX; scalar and v128 are one figure with the code that no tier repeats. That
needs readelf and objdump of binutils, on x86-64. Used by run.py.
"""

from __future__ import annotations

import bisect
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.machine import env
from snooze_lab.race import table

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

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
#: What a function can belong to: tiers, slowest first, after the code of all others.
REST, AVX2, AVX512 = "scalar, v128, shared", "avx2", "avx512"
KINDS = (REST, AVX2, AVX512)
#: Prefixes that may stand before the encoding: segments and the size of addresses.
PREFIXES = frozenset({"26", "2e", "36", "3e", "64", "65", "67"})
FUNCTION = re.compile(r"\bFDE\b.*\bpc=([0-9a-f]+)\.\.([0-9a-f]+)")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(.*)$")


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
    return by_tier(files[0])


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


def by_tier(path: Path) -> tuple[dict[str, int], str]:
    """Return the bytes of machine code by tier, and why they are unknown, if so.

    One of the two is empty.
    """
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return {}, f"needs x86-64, this is {platform.machine()}"
    missing = [name for name in ("readelf", "objdump") if shutil.which(name) is None]
    if missing:
        return {}, f"needs {' and '.join(missing)} (apt install binutils)"
    try:
        table = functions(_lines(["readelf", "-wf", str(path)]))
        found = counted(table, _lines(["objdump", "-dw", str(path)]))
    except subprocess.CalledProcessError as reason:
        return {}, f"{reason.cmd[0]} could not read {path.name}"
    return (found, "") if found else ({}, "it has no unwind table")


def _lines(command: list[str]) -> Iterator[str]:
    """Return what a program prints, line by line; its text can be fifty megabytes."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
    ) as running:
        if running.stdout is not None:
            yield from running.stdout
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)


def functions(lines: Iterable[str]) -> list[tuple[int, int]]:
    """Return start and end of every function in readelf's text, sorted."""
    found = (FUNCTION.search(line) for line in lines)
    return sorted({(int(one[1], 16), int(one[2], 16)) for one in found if one})


def counted(table: list[tuple[int, int]], lines: Iterable[str]) -> dict[str, int]:
    """Return the bytes of the functions of each kind; empty without functions."""
    if not table:
        return {}
    starts = [start for start, _ in table]
    ranks = [0] * len(table)
    for address, rank in _encodings(lines):
        place = bisect.bisect_right(starts, address) - 1
        if place >= 0 and address < table[place][1]:
            ranks[place] = max(ranks[place], rank)
    found = dict.fromkeys(KINDS, 0)
    for (start, end), rank in zip(table, ranks, strict=True):
        found[KINDS[rank]] += end - start
    return found


def _encodings(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Return the address of each instruction of a tier, and the tier's place."""
    for line in lines:
        found = INSTRUCTION.match(line)
        if not found:
            continue
        first = next((one for one in found[2].split() if one not in PREFIXES), "")
        if first == "62" or "%k" in found[3]:
            yield int(found[1], 16), KINDS.index(AVX512)
        elif first in {"c4", "c5"}:
            yield int(found[1], 16), KINDS.index(AVX2)
