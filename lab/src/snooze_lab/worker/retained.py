"""What calls leave behind: memory retained after them, and caches on their arguments.

Separate because these measurements have calls of their own. Memory that the set-up left
free is used up, so that the calls must allocate. Used by measure.py.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from snooze_lab.machine import process
from snooze_lab.workloads import generated

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders.base import Contender

MANY = 4_000


def small_value(contender: Contender, _text: bytes) -> dict[str, int]:
    """Return the memory still resident when one short string of a document is kept."""
    # Long strings come from malloc, and freed ones can be returned to the system.
    text = bytearray(b'{"keep":"0123456789abcdef","drop":[')
    text += b",".join(b'"%03000d"' % number for number in range(2_000)) + b"]}"
    whole = bytes(text)
    del text
    stock = process.settle()
    before = process.resident()
    result = contender.loads(whole)
    kept = result["keep"]
    del result
    process.give_back()
    after = process.resident()
    del stock
    return {"kept": max(0, after - before), "own": sys.getsizeof(kept)}


def small_result(contender: Contender, _text: bytes) -> dict[str, int]:
    """Return the memory that many results of a kilobyte take, and their sizes."""
    value = json.loads(generated.message(1_000))
    contender.dumps(value)
    kept: list[Any] = [None] * MANY
    stock = process.settle()
    before = process.resident()
    for place in range(MANY):
        kept[place] = contender.dumps(value)
    after = process.resident()
    del stock
    return {"kept": after - before, "own": sum(map(len, kept))}


def caches(contender: Contender, text: bytes) -> dict[str, int]:
    """Return by how much dumps enlarges the caller's strings."""
    value = json.loads(text)
    before = process.own_size(value)
    contender.dumps(value)
    return {"kept": process.own_size(value) - before, "own": before}


OPERATIONS: dict[str, Callable[[Contender, bytes], dict[str, int]]] = {
    "small value": small_value,
    "small result": small_result,
    "caches": caches,
}
