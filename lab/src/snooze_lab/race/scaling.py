"""What two at once do in the time of one: the rounds, figures and tables of a team.

Separate from threads.py and subinterpreters.py, which say who works at the same time. A
round is two slices of the same contender: its calls by one worker alone, and as many by
each of COUNT at once. Invariant: both slices of a round are of the same workers, the
clock read by themselves. Used by those two and run.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze_lab.model import OURS
from snooze_lab.race import table
from snooze_lab.timing import interleaved, rounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.race import cells
    from snooze_lab.timing.verified import Verified

    #: Takes a contender, how many work at once, and the calls of each; returns the ns
    #: from the first one's start to the last one's end.
    Timed = Callable[[str, int, int], int]

COUNT = 2


def measured(
    task: cells.Task,
    setting: cells.Setting,
    found: Verified,
    timed: Timed,
    check: Callable[[str], None] = lambda _name: None,
) -> dict[str, Any]:
    """Return the row for a record; at the end `check` raises for a wrong contender.

    `nanoseconds` has the time of a call with one worker and with COUNT, `scaling` the
    calls of COUNT in the time of one call of one, with its 95 % interval.
    """
    counts, _ = interleaved.slices(found.entries, setting.reference)
    one = {name: list[float]() for name in found.entries}
    both = {name: list[float]() for name in found.entries}
    for _, name in setting.turns(list(found.entries)):
        if name not in found.entries:
            continue
        calls = counts[name]
        try:
            alone = timed(name, 1, calls)
            together = timed(name, COUNT, calls)
        except Exception as error:  # noqa: BLE001 - what two calls raise at once
            found.fail(name, error)
            continue
        one[name].append(alone / calls)
        both[name].append(together / calls / COUNT)
    found.again()
    for name in list(found.entries):
        try:
            check(name)
        except Exception as error:  # noqa: BLE001 - a library's error is its result
            found.fail(name, error)
    return task.described(found) | {
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
        text += f"  {OURS}: {one}, with {COUNT} {_workers(row)} {both}"
    return "\n".join([text, *table.left_out(row["wrong"], row["unable"])])


def shown(found: list[dict[str, Any]]) -> str:
    """Return the table of a group: the scaling of every contender in every row."""
    workers = _workers(found[0])
    limit = f"{COUNT:.2f} is the limit, on {COUNT} free processors"
    if "gil" in found[0]:
        limit = f"without a GIL: {limit}"
        if found[0]["gil"]:
            limit = "with a GIL, one call runs at a time: about 1.00 is the limit"
    heads = [f"{one['direction']} {one['workload']}" for one in found]
    names = dict.fromkeys(name for one in found for name in one["scaling"])
    lines = {
        name: [
            table.times(rounds.Ratio(*ends))
            if (ends := one["scaling"].get(name))
            else "-"
            for one in found
        ]
        for name in names
    }
    text = table.grid(f"{COUNT} {workers} / 1", heads, lines, width=15)
    calls = f"calls of {COUNT} {workers} in the time of 1 call of one"
    return f"{text}\n  {calls};\n  {limit}"


def _workers(row: dict[str, Any]) -> str:
    """Return what works at the same time in a row, which has the number of them."""
    return "threads" if "threads" in row else "interpreters"
