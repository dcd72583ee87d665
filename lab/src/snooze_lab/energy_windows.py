"""Energy of a worker's operation: a block of work between two rests, for each meter.

Separate because most workers have no meter. Invariants: a meter that fails gives a flag
and no figure, never a zero; the name of every figure begins with its quality word, so
that joules of different quality are never one quantity; standard library only. Used by
measure.py and runs.py.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import meters
from snooze_lab.meters import base, block

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds of rest before and after a block, unless the study sets more.
REST_S = 0.5


def blocks(
    request: dict[str, Any], once: Callable[[], None]
) -> tuple[dict[str, list[float]], list[dict[str, Any]]]:
    """Return joules per operation and readings, each by its meter.

    The joules are named `energy:<quality>:<gross|net>:<meter>`.

    The request names `meters`, `calibration` for the estimated one, and `rest`.
    """
    path = request.get("calibration")
    context = base.RunContext(calibration=Path(path) if path else None)
    start = time.perf_counter()
    once()
    spent = max(time.perf_counter() - start, 1e-7)
    rest = max(REST_S, request.get("rest", 0.0))
    operations = max(1, int(1.2 * block.SECONDS / spent))

    def work(count: int) -> None:
        for _ in range(count):
            once()

    values: dict[str, list[float]] = {}
    readings: list[dict[str, Any]] = []
    for name in request.get("meters") or []:
        try:
            meter = meters.find(name, context)
            found = block.measure(
                meter, context, work, operations=operations, rest=rest
            )
        except (base.MeterError, OSError) as error:
            readings.append({"meter": name, "flags": [f"failed: {error}"]})
            continue
        readings.append(found.as_json())
        for kind, joules in (("gross", found.gross), ("net", found.net)):
            values[f"energy:{meter.quality}:{kind}:{name}"] = [joules]
    return values, readings


def working(calibration: Path | None) -> list[str]:
    """Return the names of the energy meters that work here, the estimated one last."""
    context = base.RunContext(calibration=calibration)
    return [
        meter.name
        for meter in meters.meters(context)
        if meter.unit == "J" and meter.probe().ok
    ]
