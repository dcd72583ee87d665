"""The energy meters of this machine: two sources built in, others as plug-ins.

Separate from base.py so that a backend can import the protocol without the list of all
backends. Whatever a plug-in raises becomes a meter that does not work here, with the
reason, and never ends a run. Imports `machine` and the standard library only. Called
by the worker, `run`, `calibrate` and `doctor`.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from snooze_lab.meters import sources
from snooze_lab.meters.base import QUALITIES, Availability, MeterError, Unusable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from snooze_lab.meters.base import Coefficients, Meter

#: The entry-point group of plug-ins; see lab/METERS.md.
GROUP = "snooze_lab.meters"
BUILT_IN = ("powercap", "model")


def meters(coefficients: Coefficients | None, source: str = "") -> list[Meter]:
    """Return the meters of a source, or of all, whether or not they work here.

    coefficients: those of the estimating meter, None without a calibration file.
    """
    found: list[Meter] = []
    if source in {"", "powercap"}:
        found += sources.zones()
    if source in {"", "model"}:
        found.append(sources.model(coefficients))
    for point in entry_points(group=GROUP):
        if source in {"", point.name}:
            found += _plugged(point)
    return found


def available(
    coefficients: Coefficients | None = None,
) -> list[tuple[Meter, Availability]]:
    """Return every meter and whether it works here."""
    return [(meter, _probed(meter)) for meter in meters(coefficients)]


def working(coefficients: Coefficients | None) -> list[Meter]:
    """Return the meters that work here, the estimating model after the counters."""
    return [meter for meter, state in available(coefficients) if state.ok]


def find(name: str, coefficients: Coefficients | None = None) -> Meter:
    """Return a meter by its name; MeterError, which lists those there are, if unknown.

    Only the source before the colon is asked for its meters.
    """
    found = meters(coefficients, name.partition(":")[0])
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
