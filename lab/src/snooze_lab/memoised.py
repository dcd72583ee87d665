"""Find a contender that keeps results instead of computing them.

Separate because both instruments repeat one document, and no comparison of values shows
a cache. Outside any timing, two results that are alive together must share no object
that can change; and a document with one changed scalar must have its own result, and
must not take FACTOR times as long as a repeated one. Invariants: one good pair of calls
is enough to pass, so that a slow moment accuses nobody; standard library only. Used by
verified.py and worker.py.
"""

from __future__ import annotations

import gc
import math
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snooze_lab.changes import Changed
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
SAID = "returns cached results"


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
