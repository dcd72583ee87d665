"""Threads: what two threads of one process do in the time of one.

Separate because a round here is two slices of the same contender: its calls in one
thread, and as many in each of two at once. The threads exist before the clock starts,
and start a slice together; each has its own argument. Used by run.py.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from snooze_lab import interleaved, rounds, stopwatch
from snooze_lab.model import OURS
from snooze_lab.race import cells, table
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    from snooze_lab.contenders import Call

GROUP = "threads"
COUNT = 2
DOCUMENTS = ("1 kB", "twitter", "posts")


def rows(directions: list[str]) -> list[cells.Task]:
    """Return the rows: a message, and twitter.json or its look-alike."""
    found = [*documents.tiny(), *documents.seed()]
    chosen = [one for one in found if one.name in DOCUMENTS]
    return cells.each(GROUP, chosen, directions)


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
    """Return the row for a record.

    `nanoseconds` has the time of a call with one thread and with two, `scaling` the
    calls of two threads in the time of one call of one, with its 95 % interval.
    """
    found = setting.verified(task)
    counts, _ = interleaved.slices(found.entries, setting.reference)
    by_name = {one.name: one for one in setting.libraries}
    arguments = {
        name: [task.job(by_name[name]).argument() for _ in range(COUNT)]
        for name in found.entries
    }
    one = {name: list[float]() for name in found.entries}
    both = {name: list[float]() for name in found.entries}
    stopwatch.quieten()
    team = Team()
    try:
        for _, name in setting.turns(list(arguments)):
            if name not in found.entries:
                continue
            call, calls = found.entries[name][0], counts[name]
            try:
                # Not in this thread: malloc treats the main thread's memory otherwise.
                alone = team.timed(call, arguments[name][:1], calls)
                together = team.timed(call, arguments[name], calls)
            except Exception as error:  # noqa: BLE001 - what two calls raise at once
                found.fail(name, error)
                continue
            one[name].append(alone / calls)
            both[name].append(together / calls / COUNT)
    finally:
        team.close()
    found.again()
    return task.described(found) | {
        "threads": COUNT,
        "gil": gil(),
        "nanoseconds": {
            name: [round(rounds.typical(side[name]), 1) for side in (one, both)]
            for name in found.entries
        },
        "scaling": {
            name: rounds.speed(both[name], one[name]).ratio().as_list()
            for name in found.entries
        },
    }


def line(row: dict[str, Any], _relative_to: str) -> str:
    """Return one row as one line: how many calls of snooze there are in a second."""
    text = f"{row['direction']} {row['workload']:<16.16}"
    if OURS in row["nanoseconds"]:
        one, both = map(table.rate, row["nanoseconds"][OURS])
        text += f"  {OURS}: {one}, with {COUNT} threads {both}"
    return "\n".join([text, *table.left_out(row["wrong"], row["unable"])])


def shown(found: list[dict[str, Any]]) -> str:
    """Return the table of the group."""
    text = grid(f"{COUNT} threads / 1", found)
    note = "with a GIL, one call runs at a time: about 1.00 is the limit"
    if not found[0]["gil"]:
        note = f"without a GIL: {COUNT:.2f} is the limit, on {COUNT} free processors"
    return f"{text}\n  calls of {COUNT} threads in the time of 1 call of one;\n  {note}"


def grid(title: str, found: list[dict[str, Any]]) -> str:
    """Return the scaling of every contender in every row."""
    heads = [f"{one['direction']} {one['workload']}" for one in found]
    names = dict.fromkeys(name for one in found for name in one["scaling"])
    lines = {
        name: [_scaling(one["scaling"].get(name)) for one in found] for name in names
    }
    return table.grid(title, heads, lines, width=15)


def _scaling(found: list[float] | None) -> str:
    if found is None:
        return "-"
    value, low, high = found
    half = (high - low) / 2 / value
    return f"{value:.2f}x ±{half:.1%}"
