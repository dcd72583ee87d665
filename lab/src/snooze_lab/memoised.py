"""Find a contender that keeps results instead of computing them.

Separate because both instruments repeat one document, and no comparison of values shows
a cache. Outside any timing, two results that are alive together must share no object
that can change; and a document with one changed scalar must have its own result, and
must not take FACTOR times as long as a repeated one. Invariants: a change
keeps the shape of a value, the types in it and, where it can, the length of its text;
one good pair of calls
is enough to pass, so that a slow moment accuses nobody; standard library only. Used by
verified.py and worker.py.
"""

from __future__ import annotations

import gc
import itertools
import math
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze_lab.operations import Job

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


def reason(job: Job, argument: Any) -> str:
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
