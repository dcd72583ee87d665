"""One measurement in one process: a request on stdin, JSON lines on stdout.

Separate because the history of a process influences its measurements: each sample has a
fresh one, on any CPython from 3.11 on, which imports only the standard library and the
libraries that the request names. Invariants: every reported result was compared (its
digest travels with the sample); output of libraries goes to stderr, so that stdout
carries only the protocol; an error of the library is a sample with an `error`, never a
silent exit; the worker ends when its manager does, whatever it is doing. Requests have
a `task`:

    verify       every contender's result, compared with the standard library's value
    time         one contender's calls, timed (the isolated instrument)
    memory       base, peak and size of the result of one call
    retained     what calls leave behind: memory, caches on their arguments
    phases       read, parse, collect, free and dump of one document, separately
    energy       joules of one contender's calls, by each meter
    conformance  what one contender accepts and rejects, and how it reads numbers
    interleaved  all contenders in one process, in shuffled slices
    probe        which contenders can be imported, and their versions
    environment  the record of the machine, this Python and the libraries

With `pin` the process binds itself to that processor before anything else. `heartbeat`
is the file descriptor of heartbeat.py.

Run by launch.py as `python -m snooze_lab.worker`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
from typing import Any

from snooze_lab import contenders, workloads
from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.model import Factors
from snooze_lab.timing import heartbeat, verified
from snooze_lab.worker import measure
from snooze_lab.workloads import operations


def verify(request: dict[str, Any]) -> dict[str, Any]:
    """Call every contender once and judge the result; nothing is timed."""
    found: dict[str, dict[str, Any]] = {}
    workload = workloads.find(request["workload"])
    heartbeat.allow(operations.patience(workload))
    names = list(request["contenders"])
    ready, absent = operations.enter(workload, request["operation"], names)
    for name, reason in absent.items():
        found[name] = {"status": "absent", "reason": reason}
    factors = Factors(**request["factors"])
    for contender in ready:
        found[contender.name] = _verdict(request, workload, contender, factors)
        # One line each: if the next one crashes the process, these results remain.
        say({"contender": contender.name} | found[contender.name])
    return {"verified": found}


def _verdict(
    request: dict[str, Any], workload: Any, contender: Any, factors: Factors
) -> dict[str, Any]:
    heartbeat.running(contender.name)
    try:
        job = operations.job(request["operation"], workload, contender, factors)
        argument = job.argument()
        result = job.call(argument)
        reason = job.fault(result)
        size, digest = (0, "") if reason else (job.size(result), job.digest(result))
        del result
        if not reason:
            reason = verified.memoised(job, argument)
    except UnsupportedError as error:
        return {"status": "unable", "reason": str(error)}
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its result
        return {"status": "wrong", "reason": verified.told(error)}
    if reason:
        return {"status": "wrong", "reason": reason}
    version = contender.version
    return {"status": "ok", "digest": digest, "bytes": size, "version": version}


def probe(request: dict[str, Any]) -> dict[str, Any]:
    """Report which contenders can be imported."""
    ready, absent = contenders.enter(list(request["contenders"]))
    return {"ready": {one.name: one.version for one in ready}, "absent": absent}


def environment(request: dict[str, Any]) -> dict[str, Any]:
    """Return the record of this process's environment and importable libraries."""
    # Imported here, so that measuring processes do not hold it in memory.
    from snooze_lab.machine import env  # noqa: PLC0415

    named = {name: (one, two) for name, (one, two) in request["libraries"].items()}
    return {"status": "ok", "environment": env.record(named)}


#: What answers a request, by its task.
TASKS = measure.TASKS | {"verify": verify, "probe": probe, "environment": environment}


def say(line: dict[str, Any]) -> None:
    """Write one line of the protocol."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    # A lone surrogate in a library's message must not end the run.
    _OUT.write(text.encode("utf-8", "replace") + b"\n")
    _OUT.flush()


_OUT = sys.stdout.buffer


def end_with_manager(stdin: int = 0) -> None:
    """Let the kernel end this process as soon as the other end of stdin is closed.

    It sends SIGIO, which ends a process by default; a thread that waits for the end
    would do nothing while a library holds the interpreter's lock. The pipe closes
    however the manager ends, and from below `perf` or `valgrind` as well.
    """
    if not hasattr(os, "O_ASYNC"):
        return
    with contextlib.suppress(OSError):  # stdin is not a pipe
        fcntl.fcntl(stdin, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(stdin, fcntl.F_GETFL)
        fcntl.fcntl(stdin, fcntl.F_SETFL, flags | os.O_ASYNC)


def main() -> None:
    """Answer the request on stdin."""
    request = json.loads(sys.stdin.readline())
    if "heartbeat" in request:
        heartbeat.attach(request["heartbeat"])
        heartbeat.own()
    end_with_manager()
    with contextlib.redirect_stdout(sys.stderr):
        say({"done": _answer(request)})


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "pin" in request:
            os.sched_setaffinity(0, {request["pin"]})
        return TASKS[request["task"]](request)
    except UnsupportedError as error:
        return {"status": "unable", "error": str(error)}
    except MemoryError:
        return {"status": "refused", "error": "memory ran out"}
    except Exception as error:  # noqa: BLE001 - reported as the sample's error
        return {"status": "failed", "error": verified.told(error)}


if __name__ == "__main__":
    main()
