"""Latency: how long single calls take, up to the slowest in a thousand.

Separate because a service's users wait for its slowest calls: each call is timed by
itself, with the release of its result and the collections that it makes due. Contenders
take turns in shuffled slices; the first call of a slice is not counted; nothing is
trimmed. Used by run.py.
"""

from __future__ import annotations

from array import array
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from snooze_lab.race import cells, table
from snooze_lab.timing import interleaved
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.contenders import Call

GROUP = "latency"
DOCUMENTS = ("100 bytes", "1 kB", "twitter", "posts")
#: Calls of a contender that are kept, at most.
MOST = 200_000
#: The parts of the calls that are faster than the figure shown.
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}


def rows(directions: list[str]) -> list[cells.Task]:
    """Return the rows: two messages, and twitter.json or its look-alike."""
    return cells.each(GROUP, documents.chosen(DOCUMENTS), directions)


def measure(task: cells.Task, setting: cells.Setting) -> dict[str, Any]:
    """Return the row for a record; its times are in nanoseconds.

    `calls` has the number of calls of each contender, `clock` the cost of two readings,
    which is subtracted; `nanoseconds` has by contender the quantiles and the maximum.
    """
    found = setting.verified(task)
    counts, _ = interleaved.slices(found.entries, setting.reference)
    times = {name: array("q") for name in found.entries}
    clock = _clock()
    for _, name in setting.turns(times):
        if len(times[name]) < MOST:
            times[name].extend(singles(*found.entries[name], counts[name])[1:])
        elif all(len(one) >= MOST for one in times.values()):
            break
    found.again()
    return task.described(found) | {
        "clock": clock,
        "calls": {name: len(times[name]) for name in found.entries},
        "nanoseconds": {
            name: quantiles([max(1, one - clock) for one in times[name]])
            for name in found.entries
        },
    }


def singles(call: Call, argument: Any, calls: int) -> array[int]:
    """Return the nanoseconds of each call, one more than `calls` of them."""
    found = array("q", bytes(8 * (calls + 1)))
    counted = set  # as in stopwatch.timed: a collection that is due runs here
    for place in range(calls + 1):
        start = perf_counter_ns()
        result = call(argument)
        counted()
        del result
        found[place] = perf_counter_ns() - start
    return found


def _clock() -> int:
    """Return the usual cost of what `singles` does around a call, in ns."""
    found = array("q", bytes(8 * 10_000))
    counted = set
    for place in range(len(found)):
        start = perf_counter_ns()
        result = start
        counted()
        del result
        found[place] = perf_counter_ns() - start
    return quantiles(found)["p50"]


def quantiles(times: Sequence[int]) -> dict[str, int]:
    """Return the times that the parts of QUANTILES do not exceed, and the longest.

    Parts of which there are too few calls are left out.
    """
    ordered = sorted(times)
    last = len(ordered) - 1
    found = {
        name: ordered[round(part * last)]
        for name, part in QUANTILES.items()
        if (1 - part) * len(ordered) >= 1
    }
    return found | {"max": ordered[-1]}


def line(row: dict[str, Any], relative_to: str) -> str:
    """Return the table of one document in one direction."""
    heads = [*QUANTILES, "max"]
    base = row["nanoseconds"].get(relative_to, {}).get("p99")
    lines = {}
    for name, found in row["nanoseconds"].items():
        line = [table.duration(found[one]) if one in found else "-" for one in heads]
        ratio = f"{base / found['p99']:.2f}x" if base and "p99" in found else "-"
        lines[name] = [*line, ratio]
    corner = f"{row['direction']} {row['workload']}"
    text = table.grid(f"{corner:.17}", [*heads, "p99 ratio"], lines, width=10)
    return "\n".join([text, *table.left_out(row["wrong"], row["unable"]), ""])
