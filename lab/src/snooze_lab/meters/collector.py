"""The work of Python's garbage collector in a window: count and duration.

Separate because on large documents the collector takes a third of the time of `loads`
and hides the cost of the parser. Invariants: counts and seconds come from the
collector's own callbacks, so a collection that did not happen costs nothing; a watch
that is not entered is not among the callbacks. `Watch` is for the worker; the meters
wrap it.
"""

from __future__ import annotations

import dataclasses
import gc
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from snooze_lab.meters import base

if TYPE_CHECKING:
    from types import TracebackType


class Watch:
    """Counts collections by generation, and their seconds, while entered."""

    def __init__(self) -> None:
        """Start at zero."""
        self.collections = [0, 0, 0]
        self.nanoseconds = 0
        self._began = 0

    @property
    def seconds(self) -> float:
        """Return how long collections took, in all."""
        return self.nanoseconds / 1e9

    def __call__(self, phase: str, info: dict[str, Any]) -> None:
        """Record; the collector calls this at its start and stop."""
        if phase == "start":
            self._began = time.perf_counter_ns()
        elif self._began:
            self.nanoseconds += time.perf_counter_ns() - self._began
            self._began = 0
            self.collections[min(info["generation"], 2)] += 1

    def __enter__(self) -> Self:
        """Start to watch."""
        gc.callbacks.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End watching."""
        gc.callbacks.remove(self)


@dataclass(frozen=True)
class Collector:
    """One quantity of the collector: `seconds` or `collections` of all generations."""

    kind: str
    scope: base.Scope = "process"
    quality: base.Quality = "measured"

    @property
    def name(self) -> str:
        """Return `gc:<kind>`."""
        return f"gc:{self.kind}"

    @property
    def unit(self) -> base.Unit:
        """Return s or count."""
        return "s" if self.kind == "seconds" else "count"

    def probe(self) -> base.Availability:
        """Tell whether this Python has callbacks of its collector."""
        if not hasattr(gc, "callbacks"):  # pragma: no cover - CPython has them
            return base.Availability(ok=False, reason="gc.callbacks is missing")
        state = "on" if gc.isenabled() else "off"
        return base.Availability(ok=True, reason=f"collector is {state}")

    def open(self, context: base.RunContext) -> _Session:  # noqa: ARG002
        """Return a session."""
        return _Session(self)


class _Session(Watch):
    def __init__(self, meter: Collector) -> None:
        super().__init__()
        self._meter = meter

    def _value(self) -> float:
        if self._meter.kind == "seconds":
            return self.seconds
        return float(sum(self.collections))

    def start(self) -> base.Mark:
        return base.Mark(base.now(), self._value())

    def stop(self, mark: base.Mark) -> base.Reading:
        end = base.now()
        found = base.reading(self._meter, mark, end, self._value() - mark.raw)
        resolution = 1e-9 if self._meter.unit == "s" else 1.0
        return dataclasses.replace(found, resolution=resolution)


def meters(context: base.RunContext) -> list[base.Meter]:  # noqa: ARG001
    """Return the meters of the collector."""
    return [Collector("seconds"), Collector("collections")]
