"""Call contenders once before they are timed, judge the results, and again after it.

Separate because both instruments that time several contenders in one process begin and
end like this. Invariants: a contender is timed only if its result was right, and counts
only if it still is after the race, and changed documents give changed results; each
gets an argument of its own, since a `str` keeps the UTF-8 form that a library
requested; whatever a library raises is its result; standard library only. Used by
measure.py and the race.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab import heartbeat, memoised
from snooze_lab.contenders.base import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from snooze_lab.contenders.base import Contender
    from snooze_lab.interleaved import Entry
    from snooze_lab.operations import Job


@dataclass
class Verified:
    """What contenders were found to be, by name.

    `entries` are ready to be timed: the call and its argument. `wrong` gives the
    difference of a result, or the error in its place; `unable` the missing feature.
    `jobs` are those of the entries.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)

    def fail(self, name: str, error: Exception) -> None:
        """Leave out an entry whose call raised something after it was verified."""
        del self.entries[name], self.jobs[name]
        self.wrong[name] = _told(error)

    def again(self, *, cached: bool = True) -> None:
        """Call every entry once more; move those with another result to `wrong`.

        With `cached`, also those that return cached results.
        """
        for name, job in self.jobs.items():
            call, argument = self.entries[name]
            heartbeat.running(name)
            try:
                reason = _CHANGED if job.fault(call(argument)) else ""
                if cached and not reason:
                    reason = memoised.reason(job, argument)
            except Exception as error:  # noqa: BLE001 - a library's error is its result
                reason = f"after the race: {_told(error)}"
            if reason:
                del self.entries[name]
                self.wrong[name] = reason
        heartbeat.own()


_CHANGED = "its result after the race differs from its result before it"


def verify(
    contenders: Iterable[Contender],
    job_of: Callable[[Contender], Job],
    progress: Callable[[str], None] = lambda _name: None,
) -> Verified:
    """Call each contender's job once, and judge the result."""
    found = Verified()
    for contender in contenders:
        name = contender.name
        progress(name)
        heartbeat.running(name)
        try:
            job = job_of(contender)
            argument = job.argument()
            result: Any = job.call(argument)
            reason = job.fault(result)
        except UnsupportedError as error:
            found.unable[name] = str(error)
            continue
        except Exception as error:  # noqa: BLE001 - a library's error is its result
            found.wrong[name] = _told(error)
            continue
        if reason:
            found.wrong[name] = reason
        else:
            found.entries[name] = job.call, argument
            found.jobs[name] = job
    heartbeat.own()
    return found


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
