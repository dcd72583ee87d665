"""Threads: what two threads of one process do in the time of one.

Separate because the threads exist before the clock starts, and start a slice together;
each has its own argument. Used by run.py.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from snooze_lab.race import cells, scaling
from snooze_lab.race.scaling import COUNT
from snooze_lab.timing import stopwatch
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    from snooze_lab.contenders import Call

GROUP = "threads"
DOCUMENTS = ("1 kB", "twitter", "posts")


def rows(directions: list[str]) -> list[cells.Task]:
    """Return the rows: a message, and twitter.json or its look-alike."""
    return cells.each(GROUP, documents.chosen(DOCUMENTS), directions)


def gil() -> bool:
    """Tell whether this interpreter runs one thread at a time."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return bool(enabled()) if enabled else True


class Team:
    """Threads that each make the same number of calls at the same time."""

    def __init__(self) -> None:
        """Start the threads."""
        self._pool = ThreadPoolExecutor(COUNT)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def timed(self, call: Call, arguments: list[Any], calls: int) -> int:
        """Return the nanoseconds from the first thread's start to the last one's end.

        The threads read the clock, because this one may wait for the GIL meanwhile.
        """
        ready = threading.Barrier(len(arguments))

        def work(argument: Any) -> tuple[int, int]:
            ready.wait()
            start = time.perf_counter_ns()
            stopwatch.timed(call, argument, calls)
            return start, time.perf_counter_ns()

        spans = list(self._pool.map(work, arguments))
        return max(end for _, end in spans) - min(start for start, _ in spans)


def measure(task: cells.Task, setting: cells.Setting) -> dict[str, Any]:
    """Return the row for a record; `gil` says whether one thread runs at a time."""
    found = setting.verified(task)
    by_name = {one.name: one for one in setting.libraries}
    arguments = {
        name: [task.job(by_name[name]).argument() for _ in range(COUNT)]
        for name in found.entries
    }
    calls = {name: call for name, (call, _) in found.entries.items()}
    stopwatch.quieten()
    team = Team()
    try:
        # Never in this thread: malloc treats the main thread's memory otherwise.
        row = scaling.measured(
            task,
            setting,
            found,
            lambda name, at_once, count: team.timed(
                calls[name], arguments[name][:at_once], count
            ),
        )
    finally:
        team.close()
    return row | {"threads": COUNT, "gil": gil()}


def line(row: dict[str, Any], _relative_to: str) -> str:
    """Return one row as one line."""
    return scaling.line(row, "threads")


def shown(found: list[dict[str, Any]]) -> str:
    """Return the table of the group."""
    limit = "with a GIL, one call runs at a time: about 1.00 is the limit"
    if not found[0]["gil"]:
        limit = f"without a GIL: {COUNT:.2f} is the limit, on {COUNT} free processors"
    return scaling.shown(found, "threads", limit)
