"""The energy meters of this machine: two built in, others as plug-ins.

Separate from base.py so that a backend can import the protocol without the list of all
backends. Whatever a plug-in raises becomes a meter that does not work here, with the
reason, and never ends a run. Imports `machine` and the standard library only. Called
by the worker, `run`, `calibrate` and `doctor`.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from snooze_lab.meters import sources
from snooze_lab.meters.base import (
    QUALITIES,
    Availability,
    Coefficients,
    Context,
    MeterError,
    Unusable,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from snooze_lab.meters.base import Meter

__all__ = [
    "GROUP",
    "Coefficients",
    "Context",
    "MeterError",
    "available",
    "find",
    "meters",
    "working",
]

#: The entry-point group of plug-ins; see lab/METERS.md.
GROUP = "snooze_lab.meters"
BUILT_IN = {"powercap": sources.zones, "model": sources.model}


def meters(context: Context) -> list[Meter]:
    """Return every meter, whether or not it works here."""
    found = [meter for make in BUILT_IN.values() for meter in make(context)]
    for point in entry_points(group=GROUP):
        found += _plugged(point)
    return found


def available(context: Context) -> list[tuple[Meter, Availability]]:
    """Return every meter and whether it works here."""
    return [(meter, _probed(meter)) for meter in meters(context)]


def working(context: Context) -> list[Meter]:
    """Return the meters that work here, the estimating model after the counters."""
    return [meter for meter, state in available(context) if state.ok]


def find(name: str, context: Context) -> Meter:
    """Return a meter by its name; MeterError, which lists those there are, if unknown.

    Only the source before the colon is asked for its meters.
    """
    source = name.partition(":")[0]
    if source in BUILT_IN:
        found = BUILT_IN[source](context)
    else:
        points = entry_points(group=GROUP, name=source)
        found = [meter for point in points for meter in _plugged(point)]
    for meter in found:
        if meter.name == name:
            return meter
    known = ", ".join(meter.name for meter in found) or "no plug-in of that name"
    raise MeterError(f"meter {name}: expected one of its source, found {known}")


def _plugged(point: EntryPoint) -> list[Meter]:
    """Return the meters of a plug-in, or one that says what is wrong with it."""
    try:
        found: list[Meter] = list(point.load()())
        faults = [fault for one in found if (fault := _fault(point, one))]
    except Exception as error:  # noqa: BLE001 - whatever a plug-in raises is its result
        found, faults = [], [f"{type(error).__name__}: {error}"]
    if faults:
        return [Unusable(point.name, f"plug-in {point.value}: {faults[0]}")]
    return found


def _fault(point: EntryPoint, meter: Meter) -> str:
    """Return which rule a plug-in's meter breaks, or an empty string."""
    if point.name in BUILT_IN:
        return f"expected a name of its own, found the built-in {point.name!r}"
    if not meter.name.startswith(f"{point.name}:"):
        return f"expected a name that begins with '{point.name}:', found {meter.name!r}"
    if meter.quality not in QUALITIES:
        words = " or ".join(QUALITIES)
        return f"{meter.name}: expected quality {words}, found {meter.quality!r}"
    return ""


def _probed(meter: Meter) -> Availability:
    try:
        return meter.probe()
    except Exception as error:  # noqa: BLE001 - as above
        reason = f"its probe failed: {type(error).__name__}: {error}"
        return Availability(ok=False, reason=reason)
