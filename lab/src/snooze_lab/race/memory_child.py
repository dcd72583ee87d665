"""One figure of the memory group, measured in this process and printed as JSON.

Separate because each figure needs a process without a past. Invariants: what is not the
call's is there before it (module, input, a warm-up call on a small text); memory that
the set-up left free is used up or given back, so that the call has to take its own; the
collector is off, so that garbage of the set-up does not go away meanwhile; the resident
set is read from the kernel's exact counters. Run by memory.py:

    python -m snooze_lab.race.memory_child CONTENDER TASK FILE.json
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.workloads import generated

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders import Contender

MANY = 4_000
POOL = 16 << 10  # what pymalloc hands out at once to blocks of one size


def resident() -> int:
    """Return the bytes of memory that are resident now, exactly."""
    # statm is kept per processor and may be off by megabytes; smaps is counted.
    text = Path("/proc/self/smaps_rollup").read_text()
    found = re.search(r"^Rss:\s+(\d+) kB", text, re.MULTILINE)
    if not found:
        raise OSError("/proc/self/smaps_rollup has no line 'Rss:'")
    return int(found[1]) << 10


def reset_peak() -> None:
    """Make the present resident set the peak."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Return the largest resident set since the reset."""
    text = Path("/proc/self/status").read_text()
    found = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
    if not found:
        raise OSError("/proc/self/status has no line 'VmHWM:'")
    return max(int(found[1]) << 10, resident())


def settle() -> list[Any]:
    """Use up what the allocators have in stock; the result must be kept alive.

    pymalloc's free pools are filled with blocks of each of its sizes until the
    resident set grows with every step; what malloc holds free goes back to the system.
    """
    gc.collect()
    kept: list[Any] = [[bytes(1)] for _ in range(16)]
    kept += (
        [bytes(size - 33) for _ in range(4 * POOL // size)]
        for size in range(48, 513, 16)
    )
    kept.append([float(number) for number in range(4 * POOL // 32)])
    kept.append([object() for _ in range(4 * POOL // 16)])
    grown = 0
    before = resident()
    while grown < 8:
        kept.append([bytes(512 - 33) for _ in range(4 * POOL // 512)])
        now = resident()
        grown = grown + 1 if now - before >= 3 * POOL else 0
        before = now
    give_back()
    return kept


def give_back() -> None:
    """Let malloc return what is free, where it can be told to."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def own_size(value: Any) -> int:
    """Return the size of all objects of a tree, each counted once."""
    seen: set[int] = set()
    pending = [value]
    total = 0
    while pending:
        one = pending.pop()
        if id(one) in seen or one is None or one is True or one is False:
            continue
        if type(one) is int and -5 <= one <= 256:
            continue
        if type(one) is str and len(one) < 2 and one.isascii():
            continue
        seen.add(id(one))
        total += (sys.getsizeof(one) + 15) & ~15
        if isinstance(one, dict):
            pending += one.keys()
            pending += one.values()
        elif isinstance(one, list):
            pending += one
    return total


def warm(contender: Contender) -> None:
    """Call both functions once, so that their code is in memory."""
    text = '{"a":[1,-2.5,1e300,true,null,"b\\n","é","я","🎉",{"x":"' + "y" * 99 + '"}]}'
    for _ in range(2):
        contender.dumps(contender.loads(text.encode()))


def measured(contender: Contender, call: Callable[[], Any]) -> tuple[int, Any]:
    """Return by how much a call raised the peak, and its result."""
    warm(contender)
    stock = settle()
    before = resident()
    reset_peak()
    result = call()
    most = peak()
    del stock
    return most - before, result


def loads(contender: Contender, document: str) -> dict[str, int]:
    """Return the peak of reading a document and the size of its tree."""
    text = Path(document).read_bytes()
    most, result = measured(contender, lambda: contender.loads(text))
    return {"peak": most, "own": own_size(result), "text": len(text)}


def dumps(contender: Contender, document: str) -> dict[str, int]:
    """Return the peak of writing a document and the size of its text."""
    value = json.loads(Path(document).read_bytes())
    most, result = measured(contender, lambda: contender.dumps(value))
    return {"peak": most, "own": sys.getsizeof(result)}


def small_value(contender: Contender, _document: str) -> dict[str, int]:
    """Return what is resident still when one short string of a document is kept."""
    # Long strings: they come from malloc, and what is freed of them can be given back.
    text = bytearray(b'{"keep":"0123456789abcdef","drop":[')
    text += b",".join(b'"%03000d"' % number for number in range(2_000)) + b"]}"
    whole = bytes(text)
    del text
    warm(contender)
    stock = settle()
    before = resident()
    result = contender.loads(whole)
    kept = result["keep"]
    del result
    give_back()
    after = resident()
    del stock
    return {"kept": max(0, after - before), "own": sys.getsizeof(kept)}


def small_result(contender: Contender, _document: str) -> dict[str, int]:
    """Return what many results of a kilobyte each take, and their sizes."""
    value = json.loads(generated.message(1_000))
    warm(contender)
    contender.dumps(value)
    kept: list[Any] = [None] * MANY
    stock = settle()
    before = resident()
    for place in range(MANY):
        kept[place] = contender.dumps(value)
    after = resident()
    del stock
    return {"kept": after - before, "own": sum(map(len, kept))}


def caches(contender: Contender, document: str) -> dict[str, int]:
    """Return by how much dumps makes the caller's strings larger."""
    value = json.loads(Path(document).read_bytes())
    before = own_size(value)
    contender.dumps(value)
    return {"kept": own_size(value) - before, "own": before}


TASKS = {
    "loads": loads,
    "dumps": dumps,
    "small value": small_value,
    "small result": small_result,
    "caches": caches,
}


def main() -> None:
    """Measure what the command line names."""
    name, task, document = sys.argv[1:4]
    entered, absent = contenders.enter([name])
    if absent:
        sys.exit(absent[name])
    gc.disable()
    print(json.dumps(TASKS[task](entered[0], document)))


if __name__ == "__main__":
    main()
