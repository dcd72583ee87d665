"""Threads: what two threads of one process do in the time of one.

Separate because the threads exist before the clock starts, and start a slice together;
each has its own argument. Used by run.py; subinterpreters.py has the same rows.
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
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


def timed(
    team: ThreadPoolExecutor, call: Call, arguments: list[Any], calls: int
) -> int:
    """Return the nanoseconds from the first thread's start to the last one's end.

    Each argument has a thread of its own, which makes so many calls. The threads read
    the clock, because this one may wait for the GIL meanwhile.
    """
    ready = threading.Barrier(len(arguments))

    def work(argument: Any) -> tuple[int, int]:
        ready.wait()
        start = time.perf_counter_ns()
        stopwatch.timed(call, argument, calls)
        return start, time.perf_counter_ns()

    spans = list(team.map(work, arguments))
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
    # Never in this thread: malloc treats the main thread's memory otherwise.
    with ThreadPoolExecutor(COUNT) as team:
        row = scaling.measured(
            task,
            setting,
            found,
            lambda name, at_once, count: timed(
                team, calls[name], arguments[name][:at_once], count
            ),
        )
    return row | {"threads": COUNT, "gil": gil()}
