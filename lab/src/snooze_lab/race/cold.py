"""Calls with cold inputs: new objects, new documents, empty caches.

Separate because here a slice is a single call. Before each, untimed, the value is
rebuilt or the next of many distinct documents is taken, and a buffer larger than the
last-level cache is read. Every contender gets the same sequence of inputs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from snooze_lab.machine import env
from snooze_lab.race import cells
from snooze_lab.timing import stopwatch
from snooze_lab.workloads import Workload, generated

GROUP = "cold"
#: Records in a document, by the name of the row.
RECORDS = {"cold 30 kB": 60, "cold 1 kB": 2}
#: Distinct documents; more than a contender reads in a usual run.
DOCUMENTS = 400
LEAST, MOST = 32 << 20, 256 << 20
#: Rounds of a row, whatever the time: single cold calls vary by a third.
ROUNDS = 100


@dataclass(frozen=True)
class Cold(cells.Task):
    """A row of the group: its task is of the first of the documents."""

    texts: tuple[bytes, ...]


def rows(directions: list[str]) -> list[Cold]:
    """Return the rows: one kind of document large, one small."""
    found = {
        name: tuple(_document(number, records) for number in range(DOCUMENTS))
        for name, records in RECORDS.items()
    }
    return [
        Cold(GROUP, direction, Workload(name, texts[:1]), len(texts[0]), texts)
        for name, texts in found.items()
        for direction in directions
    ]


def _document(number: int, records: int) -> bytes:
    """Return a document that shares member names with the others, and few values."""
    dice = generated.Dice(5_000 + number)
    found = [
        {
            "id": dice.below(10**9),
            f"field_{number % 50}": dice.hexadecimal(12),
            "title": dice.text(("ascii", "latin", "cyrillic")[number % 3], 9),
            "price": dice.unit(),
            "tags": [dice.hexadecimal(6) for _ in range(4)],
            "owner": {"login": dice.hexadecimal(9), "admin": dice.below(9) == 0},
            "link": f"https://shop.example/{dice.hexadecimal(20)}",
        }
        for _ in range(records)
    ]
    return generated.compact(found)


def race(task: Cold, setting: cells.Setting) -> cells.Cell:
    """Time single cold calls until the time is used up."""
    found = setting.verified(task)
    reading = task.direction == "loads"
    names = list(found.entries)
    cell = cells.Cell(task, dict.fromkeys(names, 1), {name: [] for name in names})
    flush = Flusher()
    overhead = stopwatch.overhead(1, 2_000)
    for count, name in setting.turns(names, ROUNDS):
        text = task.texts[count % len(task.texts)]
        # A copy: what one contender reads must not be in the cache for the next.
        argument = bytes(bytearray(text)) if reading else json.loads(text)
        flush()
        spent = stopwatch.timed(found.entries[name][0], argument, 1) - overhead
        cell.times[name].append(max(1.0, spent))
    found.again()
    cell.keep(found)
    return cell


class Flusher:
    """Reads a buffer that is larger than the last-level cache."""

    def __init__(self) -> None:
        """Find the size of the last-level cache, where the system reports it."""
        size = max(env.caches().values(), default=0)
        self.buffer = bytearray(b"\1") * min(MOST, max(LEAST, 2 * size))

    def __call__(self) -> None:
        """Read all of it."""
        if self.buffer.find(b"\0") >= 0:
            raise AssertionError("the buffer has no zero byte")
