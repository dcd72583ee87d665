"""Count what a process holds: memory blocks, references, bytes of the C heap.

Separate because the tests of allocation failure and of references both ask whether
repeating a call leaves anything behind. Invariant: `grown` compares two states that were
taken the same way, after a warm-up, so that caches and free lists are full in both; the
result names each count that grew. Which counts exist depends on the build of CPython.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys
from typing import TYPE_CHECKING

from helpers.isolated import FREE_THREADED

if TYPE_CHECKING:
    from collections.abc import Callable


class _MallInfo(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


try:
    _mallinfo2 = ctypes.CDLL(None).mallinfo2
    _mallinfo2.restype = _MallInfo
except (AttributeError, OSError):  # not glibc, or older than 2.33
    _mallinfo2 = None


def blocks() -> int:
    """Return the number of blocks of CPython's own allocator."""
    return sys.getallocatedblocks()


def references() -> int:
    """Return the number of references to all objects; 0 without a debug build."""
    count: Callable[[], int] = getattr(sys, "gettotalrefcount", lambda: 0)
    return count()


def heap() -> int:
    """Return the bytes in use of the C heap, Rust's included; 0 without glibc."""
    return _mallinfo2().uordblks if _mallinfo2 else 0


COUNTS = {"blocks": blocks, "references": references, "heap bytes": heap}
#: Growth per repetition that counts as a leak; glibc has no smaller block.
LEAST = {"blocks": 0.5, "references": 0.5, "heap bytes": 24}


# CPython's cache of method lookups keeps the names of dead classes.
_clear_method_cache: Callable[[], None] = getattr(
    sys, "_clear_internal_caches", None
) or getattr(sys, "_clear_type_cache", lambda: None)


def settled() -> list[int]:
    """Collect garbage, empty CPython's method cache, and return every count."""
    gc.collect()
    if FREE_THREADED:  # what a collection frees there may be kept until the next one
        gc.collect()
    _clear_method_cache()
    return [count() for count in COUNTS.values()]


def grown(
    repeat: Callable[[int], object], times: int, rounds: int = 20
) -> dict[str, float]:
    """Return what each of `times` repetitions leaves behind, on average.

    `repeat(times)` must do the same each time it is called. It is called until it leaves
    nothing behind, at most `rounds` times: free lists and caches fill up at their own pace,
    a leak never stops.
    """
    repeat(times)
    left: dict[str, float] = {}
    for _ in range(rounds):
        before = settled()
        repeat(times)
        after = settled()
        left = {
            name: (now - then) / times
            for name, then, now in zip(COUNTS, before, after, strict=True)
            if (now - then) / times >= LEAST[name]
        }
        if not left:
            break
    return left


def repeat_call(call: Callable[[], object], times: int) -> None:
    """Call `times` times; ignore TypeError and ValueError."""
    for _ in itertools.repeat(None, times):
        try:
            call()
        except (TypeError, ValueError):
            pass
