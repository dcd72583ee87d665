"""Memory costs of calls: peaks, and memory retained. Each in a fresh process.

Separate from time, which is measured in one process: memory cannot be, because an
allocator's history decides how much a call adds. The child (memory_child.py) measures
one figure for one contender and prints it. Rows:

- peak of `loads` and `dumps` relative to the size of the result, for the seed's
  documents and for non-ASCII text. The peak is the largest resident set during the call
  minus the resident set before it, which includes the input and a small warm-up call.
  The size of a tree is the sum over its distinct objects of `sys.getsizeof`, rounded up
  to the allocator's 16 bytes; the size of a `bytes` result is computed likewise;
- bytes retained: the resident set after all but a small part of a result was dropped,
  and that of many small results of `dumps`, per byte of text;
- UTF-8 copies that `dumps` leaves cached in the caller's strings.

Invariant: medians of several processes; the excess is the peak minus the size of the
result. Linux only (the peak is reset through /proc). Used by command.py.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.race import table
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    from collections.abc import Callable

#: The import path of this package, for child processes.
HOME = Path(__file__).resolve().parents[2]
RUNS = 5
#: Generated documents whose peak is measured, besides the seed's four.
OTHERS = ("cyrillic", "unique-keys")
#: Rows other than peaks: name of the task for the child, heading.
LEFT_OVERS = {
    "small value": "kept by a small value out of a large document",
    "small result": "memory per byte of small results of dumps",
    "caches": "UTF-8 copies left on the caller's strings",
}
PEAKS = ("loads", "dumps")


def measure(
    names: list[str], *, runs: int, progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return one row for each figure: its task and the median of each contender."""
    if not Path("/proc/self/clear_refs").exists():
        return []
    # As files: a child that made the document itself would have an allocation history.
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        others = [one for one in documents.made() if one.name in OTHERS]
        for work in [*documents.seed(), *others]:
            paths[work.name] = Path(folder, f"{work.name}.json")
            paths[work.name].write_bytes(work.texts[0])
        jobs = [(document, one) for document in paths for one in PEAKS]
        jobs += [(OTHERS[0], one) for one in LEFT_OVERS]
        return _rows(names, runs, progress, jobs, paths)


def _rows(
    names: list[str],
    runs: int,
    progress: Callable[[str], None],
    jobs: list[tuple[str, str]],
    paths: dict[str, Path],
) -> list[dict[str, Any]]:
    rows = []
    for document, task in jobs:
        found: dict[str, dict[str, float]] = {}
        wrong: dict[str, str] = {}
        for name in names:
            progress(f"memory: {task} {document} {name}")
            results = [_child(name, task, paths[document]) for _ in range(runs)]
            errors = [one["error"] for one in results if "error" in one]
            if errors:
                wrong[name] = errors[0]
                continue
            keys = results[0].keys()
            found[name] = {
                key: statistics.median(one[key] for one in results) for key in keys
            }
        rows.append(
            {"document": document, "task": task, "bytes": found, "wrong": wrong}
        )
    return rows


def _child(name: str, task: str, path: Path) -> dict[str, Any]:
    """Run one measurement in a separate process."""
    command = [
        sys.executable,
        "-m",
        "snooze_lab.race.memory_child",
        name,
        task,
        str(path),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(HOME)},
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        return {"error": lines[-1][:200]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def excess(figures: dict[str, float]) -> float:
    """Return the peak minus the size of the result."""
    return max(0.0, figures["peak"] - figures["own"])


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the tables of the group."""
    lines = []
    for task in PEAKS:
        chosen = [row for row in rows if row["task"] == task]
        head = f"{task}: peak / own"
        titles = "".join(f"{row['document'][:9]:>10}" for row in chosen)
        lines.append(table.paint(f"{head:<19}{titles}", table.BOLD))
        for name in _names(chosen):
            text = f"  {name:<17}"
            for row in chosen:
                found = row["bytes"].get(name)
                text += f"{found['peak'] / found['own']:>9.2f}x" if found else _NONE
            lines.append(table.paint(text, table.style_of(name)))
        sizes = [row["bytes"].get(model.REFERENCE) for row in chosen]
        own = "".join(
            f"{table.size(int(one['own'])):>10}" if one else _NONE for one in sizes
        )
        lines += [f"  {'own, orjson':<17}{own}", ""]
    left = [row for row in rows if row["task"] in LEFT_OVERS]
    titles = "".join(f"{row['task']:>14}" for row in left)
    lines.append(table.paint(f"{'left behind':<24}{titles}", table.BOLD))
    for name in _names(left):
        text = f"  {name:<22}"
        for row in left:
            text += f"{_left(row, name):>14}"
        lines.append(table.paint(text, table.style_of(name)))
    lines += [f"  {name}: {text}" for name, text in LEFT_OVERS.items()]
    return "\n".join(lines)


_NONE = f"{'-':>10}"


def _left(row: dict[str, Any], name: str) -> str:
    found = row["bytes"].get(name)
    if not found:
        return "-"
    if row["task"] == "small result":
        return f"{found['kept'] / found['own']:.2f} B"
    return table.size(int(found["kept"]))


def _names(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row["bytes"]))
