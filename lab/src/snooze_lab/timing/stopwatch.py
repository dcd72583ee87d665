"""Short slices of calls, timed with the garbage collections that they cause.

Separate because what the stopwatch includes decides the result. A result is freed
inside the slice that made it; a collection that a call makes due runs inside the slice:
from CPython 3.12 on it is only requested while a C function runs, so after each call,
with the result still alive, the loop allocates one object that the collector counts and
that never comes from a free list, and jumps back, which is a safe point; time in which
the thread waited for a processor is taken off (Linux reports it); the loop's own cost,
about 50 ns a call, is measured and subtracted.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

SLICE_NS = 3_000_000


def _statistics() -> int | None:
    """Open the scheduler's statistics of the main thread; None if there are none."""
    with contextlib.suppress(OSError):
        return os.open("/proc/self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    return None


_schedstat = _statistics()


def waiting() -> int:
    """Return the ns that the main thread has waited for a processor so far."""
    if _schedstat is None:
        return 0
    return int(os.pread(_schedstat, 64, 0).split()[1])


def timed(call: Callable[[Any], Any], argument: Any, calls: int) -> int:
    """Return the ns that `calls` calls take, collections and waiting included."""
    counted = set  # a container without a free list: its allocation is always counted
    start = perf_counter_ns()
    for _ in repeat(None, calls):
        result = None  # freed before the next one is built, not after
        result = call(argument)
        counted()
        # The jump back is a safe point: a collection that is due runs here.
    del result
    return perf_counter_ns() - start


def measured(call: Callable[[Any], Any], argument: Any, calls: int) -> tuple[int, int]:
    """Return the ns that `calls` calls take without waiting, and the ns of waiting.

    Asking for the waiting costs about 2 us, which are in the time: it must never be
    shorter than what is subtracted from it. So this is for slices of milliseconds.
    """
    start = perf_counter_ns()
    before = waiting()
    timed(call, argument, calls)
    waited = waiting() - before
    return perf_counter_ns() - start - waited, waited


class Pauses:
    """Context manager that records the collector's runs.

    `taken` holds the generation and the ns of each since `begin`, waiting included.
    What the recording costs, about 0.3 us for each of them, is in the slice's time.
    Where memory is measured there is process.Watch, which keeps no list.
    """

    def __init__(self) -> None:
        """Start with none."""
        self.taken: list[tuple[int, int]] = []
        self._start = 0

    def __enter__(self) -> Self:
        """Start to record."""
        gc.callbacks.append(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop recording."""
        gc.callbacks.remove(self._seen)

    def begin(self) -> None:
        """Forget the runs so far."""
        self.taken = []

    def _seen(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._start = perf_counter_ns()
        else:
            self.taken.append((info["generation"], perf_counter_ns() - self._start))


def overhead(calls: int = 20_000, repeats: int = 7) -> float:
    """Return the nanoseconds per call that the loop of `timed` itself costs."""
    counted = set
    best = math.inf
    for _ in range(repeats):
        start = perf_counter_ns()
        for _ in repeat(None, calls):
            result = None
            result = start
            counted()
        del result
        best = min(best, (perf_counter_ns() - start) / calls)
    return best


def reading(repeats: int = 1_000) -> int:
    """Return the smallest number of nanoseconds between two readings of the clock."""
    return min(-(perf_counter_ns() - perf_counter_ns()) for _ in repeat(None, repeats))


def rough(
    call: Callable[[Any], Any], argument: Any, calls: int = 1
) -> tuple[int, float]:
    """Return how many calls fill a quarter of a slice, and the ns of one of them.

    `calls` is the number to begin with. One reading, so a slow moment of the machine
    is in it: see `interleaved.slices`.
    """
    while True:
        spent = timed(call, argument, calls)
        if spent >= SLICE_NS // 4:
            return calls, spent / calls
        calls *= 4


def quieten() -> None:
    """Freeze the benchmark's own objects, so that the collector does not scan them."""
    gc.collect()
    gc.freeze()
