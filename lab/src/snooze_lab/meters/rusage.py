"""The system's counts for a process: CPU seconds, page faults, context switches.

Separate because these are always available on POSIX, and explain most surprises: CPU
time against elapsed time, pages read from disk, switches forced by other programs.
Invariants: user and system seconds are the process's own, of all its threads; with
`children` they are those of ended child processes. `Usage` goes into each sample line;
the meters give the same figures one by one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from snooze_lab.meters import base

try:
    import resource
except ImportError:  # pragma: no cover - Windows has no such module
    resource = None  # type: ignore[assignment]

_FIELDS = {
    "user": "ru_utime",
    "system": "ru_stime",
    "minflt": "ru_minflt",
    "majflt": "ru_majflt",
    "nvcsw": "ru_nvcsw",
    "nivcsw": "ru_nivcsw",
}
_WHAT = {
    "user": "CPU seconds in the program",
    "system": "CPU seconds in the system",
    "minflt": "page faults served from memory",
    "majflt": "page faults that read from a disk",
    "nvcsw": "voluntary context switches",
    "nivcsw": "involuntary context switches",
}


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU seconds, counts of page faults and of context switches."""

    user: float
    system: float
    minflt: int
    majflt: int
    nvcsw: int
    nivcsw: int

    def __sub__(self, earlier: Usage) -> Usage:
        """Return the usage since an earlier moment."""
        return Usage(
            *(
                getattr(self, name) - getattr(earlier, name)
                for name in self.__dataclass_fields__
            )
        )


def usage(*, children: bool = False) -> Usage:
    """Return the usage of this process, or its ended children, until now."""
    if resource is None:  # pragma: no cover - Windows
        raise base.MeterError(
            "rusage: this system has no getrusage; use Linux or macOS"
        )
    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    found = resource.getrusage(who)
    return Usage(*(getattr(found, name) for name in _FIELDS.values()))


@dataclass(frozen=True)
class Rusage:
    """One of the counts of getrusage."""

    field: str
    quality: base.Quality = "measured"
    scope: base.Scope = "process"

    @property
    def name(self) -> str:
        """Return `rusage:<field>`."""
        return f"rusage:{self.field}"

    @property
    def unit(self) -> base.Unit:
        """Return s for times and count for counts."""
        return "s" if self.field in {"user", "system"} else "count"

    def probe(self) -> base.Availability:
        """Tell whether the system counts it."""
        if resource is None:  # pragma: no cover - Windows
            return base.Availability(ok=False, reason="this system has no getrusage")
        return base.Availability(ok=True, reason=_WHAT[self.field])

    def open(self, context: base.RunContext) -> _Session:
        """Return a session."""
        return _Session(self, children=context.children)


class _Session(base.Plain):
    def __init__(self, meter: Rusage, *, children: bool) -> None:
        self._meter = meter
        self._children = children

    def start(self) -> base.Mark:
        return base.Mark(base.now(), usage(children=self._children))

    def stop(self, mark: base.Mark) -> base.Reading:
        used = usage(children=self._children) - mark.raw
        end = base.now()
        value = float(getattr(used, self._meter.field))
        found = base.reading(self._meter, mark, end, value)
        resolution = 1e-6 if self._meter.unit == "s" else 1.0
        return dataclasses.replace(found, resolution=resolution)


def meters(context: base.RunContext) -> list[base.Meter]:  # noqa: ARG001
    """Return a meter for each count."""
    return [Rusage(field) for field in _FIELDS]
