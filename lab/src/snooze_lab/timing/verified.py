"""Judge contenders before and after they are timed, and find those that keep results.

Separate because both instruments that time several contenders in one process begin and
end like this. A contender is timed only if its result was right, and counts only if it
still is after the race; each gets an argument of its own, since a `str` keeps the UTF-8
form that a library requested; whatever a library raises is its result. A cache of
results shows in no comparison of values: outside any timing, two results that are alive
together must share no object that can change, and a document with one changed scalar
must have its own result, and must not take FACTOR times as long as a repeated one. One
good pair of calls is enough to pass, so a slow moment accuses nobody. Standard library
only. Used by the worker and the race.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import math
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.machine import process
from snooze_lab.timing import heartbeat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from snooze_lab.contenders.base import Contender
    from snooze_lab.timing.interleaved import Entry
    from snooze_lab.workloads.operations import Job

#: A new document may take this many times as long as a repeated one, and
FACTOR = 1.5
#: this many ns more, because its memory is not in the processor's cache.
SLACK_NS = 300
#: Pairs of calls before a contender is accused.
PAIRS = 25
#: Bytes of a document above which nothing is checked: memory for two may be short.
LARGEST = 32_000_000
#: Objects of each result that are looked at: what is shared is shared from the top.
OBJECTS = 5_000
#: Places that are looked at in search of a scalar with room for a number.
SEARCHED = 10_000
#: Digits that make a scalar different from all others of a process.
DIGITS = 6
SAID = "returns cached results"
_numbers = itertools.count()


def memoised(job: Job, argument: Any) -> str:
    """Return why a job's results are not computed anew by each call, or "".

    `argument` is one that the job has been called with.
    """
    first = job.call(argument)
    if job.size(first) > LARGEST:
        return ""
    second = job.call(argument)
    if _mutable(first) & _mutable(second):
        return f"{SAID}: two calls returned the same object"
    del first, second
    changed = job.changed() if job.changed is not None else None
    if changed is None:
        return ""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return _with(changed, job)
    finally:
        if enabled:
            gc.enable()


def _with(changed: Changed, job: Job) -> str:
    """Compare documents that the job has not seen with ones that it has."""
    argument = changed.renew()
    job.call(argument)
    repeated = new = math.inf
    for _ in range(PAIRS):
        heartbeat.still()
        # Making a document evicts others from the processor's caches: make one before
        # the repeated call, too. Where the same object was changed, it is seen by this.
        if changed.renew() is argument:
            job.call(argument)
        repeated = min(repeated, _timed(job, argument)[0])
        argument = changed.renew()
        spent, result = _timed(job, argument)
        if not changed.right(result):
            return f"{SAID}: for a changed document, not its value"
        new = min(new, spent)
        if new <= FACTOR * repeated + SLACK_NS:
            return ""
    return f"{SAID}: a new document takes {new / repeated:.1f} times as long"


def _timed(job: Job, argument: Any) -> tuple[float, Any]:
    call = job.call
    start = perf_counter_ns()
    result = call(argument)
    return perf_counter_ns() - start, result


def _mutable(result: Any) -> set[int]:
    """Return the identities of the objects in a result that no other may contain."""
    found: set[int] = set()
    pending = [result]
    for _ in range(OBJECTS):
        if not pending:
            break
        one = pending.pop()
        if isinstance(one, (bytes, bytearray)):
            if len(one) > 1:  # Python itself keeps the shorter ones
                found.add(id(one))
        elif isinstance(one, dict):
            found.add(id(one))
            pending += one.values()
        elif isinstance(one, (list, tuple)):
            if isinstance(one, list):
                found.add(id(one))
            pending += one
    return found


@dataclass(frozen=True)
class Changed:
    """Documents like that of a job, each different from all before in one scalar.

    `renew` returns the argument of the next one: for an operation that writes it is the
    same object, changed. `right` tells whether a result is that of the latest one.
    """

    renew: Callable[[], Any]
    right: Callable[[Any], bool]


class Places:
    """A scalar in each of several plain values, which it changes in place."""

    def __init__(self, values: list[Any]) -> None:
        """Choose a scalar in each value that has one inside a container."""
        self._places = [place for value in values if (place := _place(value))]

    def __bool__(self) -> bool:
        """Tell whether there is anything to change."""
        return bool(self._places)

    def change(self) -> None:
        """Give each of the scalars a value that it never had."""
        for container, key in self._places:
            container[key] = _like(container[key], next(_numbers) % 10**DIGITS)


def _place(value: Any) -> tuple[Any, Any] | None:
    """Return container and key of a scalar, one with room for the digits if found."""
    found = None
    for container, key in itertools.islice(_scalars(value), SEARCHED):
        one = container[key]
        if type(one) is str and one.isascii() and len(one) >= DIGITS:
            return container, key
        if found is None and type(one) in {int, float, str}:
            found = container, key
    return found


def _scalars(value: Any) -> Iterator[tuple[Any, Any]]:
    pending = [value]
    while pending:
        container = pending.pop()
        if type(container) is dict:
            keys: Any = container.keys()
        elif type(container) is list:
            keys = range(len(container))
        else:
            continue
        for key in keys:
            if isinstance(container[key], (dict, list)):
                pending.append(container[key])
            else:
                yield container, key


def _like(one: Any, number: int) -> Any:
    if type(one) is str:
        return f"{number:0{DIGITS}}{one[DIGITS:]}"
    return type(one)(10**DIGITS + number)


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
        """Leave out a contender for what it raised: it cannot do this, or is wrong."""
        self.entries.pop(name, None)
        self.jobs.pop(name, None)
        if isinstance(error, UnsupportedError):
            self.unable[name] = str(error)
        else:
            self.wrong[name] = told(error)

    def again(self, *, cached: bool = True) -> None:
        """Call every entry once more; move those with another result to `wrong`.

        With `cached`, also those that return cached results. A text that was right once
        is right for all who write it, and is not read again.
        """
        right: set[bytes] = set()
        for name, job in self.jobs.items():
            call, argument = self.entries[name]
            heartbeat.running(name)
            try:
                result = call(argument)
                is_text = type(result) is bytes
                known = is_text and result in right
                reason = "" if known or not job.fault(result) else _CHANGED
                if is_text and not reason:
                    right.add(result)
                if cached and not reason:
                    reason = memoised(job, argument)
            except Exception as error:  # noqa: BLE001 - a library's error is its result
                reason = f"after the race: {told(error)}"
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
    """Call each contender's job once, and judge the result.

    All arguments are made before anything is judged, and free memory is used up before:
    what imports and judgements leave free is scattered, and objects that are made there
    take up to half as long again to write.
    """
    found = Verified()
    ready: dict[str, tuple[Job, Any]] = {}
    stock: list[Any] = []
    with contextlib.suppress(OSError):  # the system does not report resident memory
        stock = process.settle()
    for contender in contenders:
        name = contender.name
        progress(name)
        heartbeat.running(name)
        try:
            job = job_of(contender)
            ready[name] = job, job.argument()
        except Exception as error:  # noqa: BLE001 - a library's error is its result
            found.fail(name, error)
    stock.clear()
    for name, (job, argument) in ready.items():
        heartbeat.running(name)
        try:
            reason = job.fault(job.call(argument))
        except Exception as error:  # noqa: BLE001 - a library's error is its result
            found.fail(name, error)
            continue
        if reason:
            found.wrong[name] = reason
        else:
            found.entries[name] = job.call, argument
            found.jobs[name] = job
    heartbeat.own()
    return found


def told(error: BaseException) -> str:
    """Return what an error says, in one line that is not long."""
    return f"{type(error).__name__}: {error}"[:300]
