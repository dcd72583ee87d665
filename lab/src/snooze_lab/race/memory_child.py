"""One figure of the memory group, measured in this process and printed as JSON.

Separate because each figure needs a fresh process. Invariants: everything but the call
exists before it (module, input, a warm-up call on a small text); memory that the set-up
left free is used up or returned, so that the call must allocate; the collector is off,
so that garbage of the set-up is not freed during the call. Run by memory.py:

    python -m snooze_lab.race.memory_child CONTENDER TASK FILE.json
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.process import give_back, own_size, peak, reset_peak, resident, settle
from snooze_lab.workloads import generated

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders import Contender

MANY = 4_000


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
    """Return the memory still resident when one short string of a document is kept."""
    # Long strings come from malloc, and freed ones can be returned to the system.
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
    """Return the memory that many results of a kilobyte take, and their sizes."""
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
    """Return by how much dumps enlarges the caller's strings."""
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
    """Run the measurement that the command line names."""
    name, task, document = sys.argv[1:4]
    entered, absent = contenders.enter([name])
    if absent:
        sys.exit(absent[name])
    gc.disable()
    print(json.dumps(TASKS[task](entered[0], document)))


if __name__ == "__main__":
    main()
