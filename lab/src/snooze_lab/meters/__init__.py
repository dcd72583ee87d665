"""The meters: one backend per file, and the list of them all.

Separate from base.py so that a backend can import the base classes without importing
every other backend. Invariants: standard library only; a backend is imported on first
use, so that a worker that needs the clock does not load the rest; `available` probes
and never opens; a backend that cannot work here stays in the list with its reason. Used
by the worker, the engine and `doctor`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from snooze_lab.meters.base import MeterError, RunContext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze_lab.meters.base import Availability, Instrument, Meter

__all__ = ["BACKENDS", "RunContext", "available", "find", "meters"]

#: Backends with meters that are read over a window, in the order they are listed.
BACKENDS = (
    "clock",
    "rusage",
    "memory",
    "collector",
    "powercap",
    "perf_energy",
    "energibridge",
    "apple",
    "model",
)


def meters(context: RunContext) -> Iterator[Meter]:
    """Yield every meter that can be read over a window, available here or not."""
    for name in BACKENDS:
        backend = importlib.import_module(f"{__name__}.{name}")
        yield from backend.meters(context)


def available(context: RunContext) -> list[tuple[Instrument, Availability]]:
    """Return every instrument and whether it works here, for `doctor`.

    Callgrind is the only one that has no windows: it counts whole programs.
    """
    callgrind = importlib.import_module(f"{__name__}.callgrind")
    found: list[Instrument] = list(meters(context))
    found.append(callgrind.Callgrind.at(context))
    return [(one, one.probe()) for one in found]


def find(name: str, context: RunContext) -> Meter:
    """Return a meter by its name; MeterError, which lists them, if unknown."""
    every = {meter.name: meter for meter in meters(context)}
    if name not in every:
        raise MeterError(f"meter {name}: expected one of {', '.join(sorted(every))}")
    return every[name]
