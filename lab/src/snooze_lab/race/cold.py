"""Calls with cold inputs: new objects, new documents, empty caches.

Separate because here a slice is a single call. Before each call, untimed, the value is
rebuilt (no contender has walked it, no string has its UTF-8 form cached) or the next of
many distinct documents is taken, and a buffer larger than the last-level cache is read.
So neither objects nor library state are warm. Invariant: every contender gets the same
sequence of inputs, in its own copies. Used by command.py.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import interleaved, stopwatch
from snooze_lab.race import cells
from snooze_lab.race import tasks as tasks_
from snooze_lab.workloads import generated
from snooze_lab.workloads.base import same

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from snooze_lab.contenders import Call, Contender

#: Distinct documents; more than a contender reads in a usual run.
DOCUMENTS = 400
LEAST, MOST = 32 << 20, 256 << 20


@dataclass(frozen=True)
class Cold(tasks_.Task):
    """A row of the cold group: its documents, as bytes."""

    texts: tuple[bytes, ...]

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return the call on the first document, for verification."""
        if self.direction == "loads":
            return contender.loads, self.texts[0]
        return contender.dumps, json.loads(self.texts[0])

    def fault(self, result: Any, _contender: Contender, /) -> str:
        """Compare with the standard library."""
        found = result if self.direction == "loads" else json.loads(result)
        return "" if same(found, json.loads(self.texts[0])) else "differs"


def tasks(directions: list[str]) -> list[Cold]:
    """Return the rows: one kind of document large, one small."""
    found = {
        "cold 30 kB": tuple(_document(number, 60) for number in range(DOCUMENTS)),
        "cold 1 kB": tuple(_document(number, 2) for number in range(DOCUMENTS)),
    }
    return [
        Cold("cold", name, direction, len(texts[0]), "", "", texts)
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


def race(
    task: Cold,
    entered: list[Contender],
    seconds: float,
    dice: random.Random,
    progress: Callable[[str], None],
) -> cells.Cell:
    """Time single cold calls until the time is used up."""
    cell = cells.prepare(entered, task, progress)
    running = [one for one in entered if one.name in cell.times]
    cell.calls = dict.fromkeys(cell.times, 1)
    flush = Flusher()
    overhead = stopwatch.overhead(1, 2_000)
    end = time.monotonic() + seconds
    rounds = 0
    while rounds < interleaved.ROUNDS or time.monotonic() < end:
        text = task.texts[rounds % len(task.texts)]
        dice.shuffle(running)
        for one in running:
            # A copy: what one contender reads must not be in the cache for the next.
            argument = bytes(bytearray(text))
            if task.direction == "dumps":
                argument = json.loads(text)
            call = one.loads if task.direction == "loads" else one.dumps
            flush()
            spent = stopwatch.timed(call, argument, 1) - overhead
            cell.times[one.name].append(max(1.0, spent))
        rounds += 1
        progress(f"{task.direction} {task.name}: round {rounds}")
    cell.times = {one.name: cell.times[one.name] for one in entered if one in running}
    return cell


class Flusher:
    """Reads a buffer that is larger than the last-level cache."""

    def __init__(self) -> None:
        """Find the size of the last-level cache, where the system reports it."""
        size = 0
        for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
            text = path.read_text().strip()
            size = max(size, int(text.rstrip("KM")) << (20 if text[-1] == "M" else 10))
        self.buffer = bytearray(b"\1") * min(MOST, max(LEAST, 2 * size))

    def __call__(self) -> None:
        """Read all of it."""
        if self.buffer.find(b"\0") >= 0:
            raise AssertionError("the buffer has no zero byte")
