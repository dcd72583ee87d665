"""Memory costs of calls: peaks, and memory retained. Each in a fresh process.

Separate because an allocator's history decides how much a call adds: each figure is the
median answer of the laboratory's workers. Rows are the peak of `loads` and `dumps`
relative to the size of the result, the bytes retained by a small part of a large result
and by many small results, and the UTF-8 copies that `dumps` leaves in the caller's
strings. Linux only. Used by run.py and goals.py.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from snooze_lab import model
from snooze_lab.race import table
from snooze_lab.worker.launch import Launcher
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "memory"
RUNS = 5
#: Generated documents whose peak is measured, besides the seed's four.
OTHERS = ("cyrillic", "unique-keys")
#: Rows other than peaks: name of the worker's operation, direction, heading.
LEFT_OVERS = {
    "small value": ("loads", "kept by a small value out of a large document"),
    "small result": ("dumps", "memory per byte of small results of dumps"),
    "caches": ("dumps", "UTF-8 copies left on the caller's strings"),
}


def measure(
    names: list[str],
    directions: list[str],
    *,
    runs: int,
    progress: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Return one row for each figure: its task and the median of each contender."""
    if not Path("/proc/self/clear_refs").exists():
        return []
    others = [one for one in documents.made() if one.name in OTHERS]
    # As files: a worker that made the document would have an allocation history.
    paths = {one.name: one.path() for one in [*documents.seed(), *others]}
    jobs = [(document, one) for document in paths for one in directions]
    jobs += [
        (OTHERS[0], one) for one, (way, _) in LEFT_OVERS.items() if way in directions
    ]
    rows = []
    for document, task in jobs:
        found: dict[str, dict[str, float]] = {}
        wrong: dict[str, str] = {}
        for name in names:
            progress(f"memory: {task} {document} {name}")
            results = [ask(name, task, paths[document]) for _ in range(runs)]
            errors = [one["error"] for one in results if "error" in one]
            if errors:
                wrong[name] = errors[0]
                continue
            found[name] = {
                key: statistics.median(one[key] for one in results)
                for key in results[0]
            }
        rows.append(
            {"document": document, "task": task, "bytes": found, "wrong": wrong}
        )
    return rows


def ask(name: str, task: str, path: str) -> dict[str, Any]:
    """Return the bytes of one worker's measurement, or an `error`."""
    answer = Launcher()(
        {
            "task": "retained" if task in LEFT_OVERS else "memory",
            "workload": f"file?path={quote(path)}",
            "operation": task,
            "factors": {"gc": "off"},
            "contender": name,
        }
    )
    if answer["status"] != "ok":
        return {"error": str(answer.get("error"))[:200]}
    found = {key: value for key, (value,) in answer["values"].items()}
    if task in LEFT_OVERS:
        return found
    return {"peak": found["peak"], "own": found["tree"]}


def excess(figures: dict[str, float]) -> float:
    """Return the peak minus the size of the result."""
    return max(0.0, figures["peak"] - figures["own"])


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the tables of the group."""
    parts = []
    for task in ("loads", "dumps"):
        chosen = [row for row in rows if row["task"] == task]
        if not chosen:
            continue
        heads = [row["document"] for row in chosen]
        head = f"{task}: peak / own"
        text = table.grid(head, heads, _lines(chosen, _peak), width=10, first=19)
        sizes = [row["bytes"].get(model.REFERENCE) for row in chosen]
        own = "".join(f"{table.size(one['own']) if one else '-':>10}" for one in sizes)
        parts.append(f"{text}\n  {'own, orjson':<17}{own}")
    left = [row for row in rows if row["task"] in LEFT_OVERS]
    heads = [row["task"] for row in left]
    text = table.grid("left behind", heads, _lines(left, _left), width=14, first=24)
    notes = [f"  {name}: {LEFT_OVERS[name][1]}" for name in heads]
    return "\n\n".join([*parts, "\n".join([text, *notes])])


def _lines(
    rows: list[dict[str, Any]], text: Callable[[str, dict[str, float]], str]
) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row["bytes"])
    return {
        name: [
            text(row["task"], row["bytes"][name]) if name in row["bytes"] else "-"
            for row in rows
        ]
        for name in names
    }


def _peak(_task: str, found: dict[str, float]) -> str:
    return f"{found['peak'] / found['own']:.2f}x"


def _left(task: str, found: dict[str, float]) -> str:
    if task == "small result":
        return f"{found['kept'] / found['own']:.2f} B"
    return table.size(found["kept"])
