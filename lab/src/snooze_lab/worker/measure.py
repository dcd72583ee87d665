"""The measurements of a worker: times, memory, phases, and all contenders interleaved.

Separate from __main__.py, which implements the protocol. Each function takes a request
and returns the fields of the sample. Everything but the call (modules, input, a first
call) exists before the clock starts; a result is digested after it was timed; every
loop is the same for all contenders.
"""

from __future__ import annotations

import contextlib
import gc
import math
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import model, workloads
from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.machine import process
from snooze_lab.timing import heartbeat, interleaved, stopwatch
from snooze_lab.timing.verified import verify
from snooze_lab.worker import guard, retained
from snooze_lab.workloads import operations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from snooze_lab.contenders.base import Contender
    from snooze_lab.workloads import Workload

#: With a cold cache the argument of each call is rebuilt, untimed: the limit in
#: seconds for one value, building included.
PATIENCE_S = 0.25


def _contender(request: dict[str, Any], workload: Workload) -> Contender:
    name = request["contender"]
    ready, absent = operations.enter(workload, request["operation"], [name])
    if absent:
        raise UnsupportedError(f"not available: {absent[name]}")
    return ready[0]


def _subject(
    request: dict[str, Any],
) -> tuple[Workload, Contender, model.Factors, operations.Job]:
    workload = workloads.find(request["workload"])
    # Where a study states the number of calls, all of them are one stretch of work.
    calls = max(request.get("loops", 0), 1)
    heartbeat.allow(operations.patience(workload, calls))
    contender = _contender(request, workload)
    factors = _factors(request)
    heartbeat.running(contender.name)
    job = operations.job(request["operation"], workload, contender, factors)
    return workload, contender, factors, job


def _factors(request: dict[str, Any]) -> model.Factors:
    """Return the conditions; UnsupportedError for one that would have no effect."""
    factors = model.Factors(**request["factors"])
    reason = model.ignored(request["operation"], factors, request["task"])
    if reason:
        raise UnsupportedError(reason)
    return factors


@contextlib.contextmanager
def collector(level: str) -> Iterator[None]:
    """Set Python's collector as the factor `gc` says, and restore it."""
    gc.collect()
    if level == "off":
        gc.disable()
    elif level == "frozen":
        gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def times(request: dict[str, Any]) -> dict[str, Any]:
    """Return the nanoseconds of an operation, several times, in this process."""
    _, _, factors, job = _subject(request)
    argument = job.argument()
    with collector(factors.gc):
        first = job.call(argument)
        size = job.size(first)
        del first
        cold = factors.cache == "cold"
        meter = _cold if cold else _warm
        loops, warmups = _loops(request, job, argument, factors)
        overhead = stopwatch.reading() if cold else stopwatch.overhead(2_000, 3)
        meter(job, argument, loops)
        with process.Watch() as watch:
            values = []
            for _ in range(request["values"]):
                heartbeat.running(request["contender"])
                spent = meter(job, argument, loops) / loops
                values.append(max(1.0, spent - overhead))
    return _sample(
        {"time": [round(value, 2) for value in values]},
        watch,
        loops=loops,
        warmups=warmups,
        size=size,
        digest=job.digest(job.call(argument)),
    )


def _sample(  # noqa: PLR0913 - the fields of a sample
    values: dict[str, list[float]],
    watch: process.Watch | None = None,
    *,
    loops: int = 1,
    warmups: int = 0,
    size: int = 0,
    digest: str = "",
) -> dict[str, Any]:
    """Return the fields that all samples have, and the resources they used."""
    return {
        "status": "ok",
        "loops": loops,
        "warmups": warmups,
        "values": values,
        "bytes": size,
        "digest": digest,
        **(watch.fields() if watch else {}),
    }


def _loops(
    request: dict[str, Any], job: operations.Job, argument: Any, factors: model.Factors
) -> tuple[int, int]:
    """Return the calls of one value, and how many calls came before the first."""
    if request.get("loops"):
        return request["loops"], 1 + request["loops"]
    aim = request["slice"] * 1e9
    if factors.cache == "cold":
        start = time.perf_counter()
        spent = _cold(job, argument, 1)
        whole = time.perf_counter() - start
        wanted = min(aim / max(spent, 1.0), PATIENCE_S / max(whole, 1e-6))
        return max(1, round(wanted)), 3
    calls = 1
    while True:
        spent = stopwatch.timed(job.call, argument, calls)
        if spent >= aim / 4:
            loops = max(1, round(calls * aim / spent))
            return loops, 2 * calls + loops
        calls *= 4


def _warm(job: operations.Job, argument: Any, loops: int) -> float:
    """Free each result before the next call; the collections it causes count."""
    return stopwatch.measured(job.call, argument, loops)[0]


def _cold(job: operations.Job, _argument: Any, loops: int) -> float:
    """Each call gets a new argument."""
    call = job.call
    spent = 0
    for _ in range(loops):
        argument = job.argument()
        start = time.perf_counter_ns()
        result = call(argument)
        spent += time.perf_counter_ns() - start
        del result, argument
    return spent


def memory(request: dict[str, Any]) -> dict[str, Any]:
    """Return the additional memory of one call, and of a hundred.

    `base` is the resident set before the call (with modules, input and a small first
    call); `peak` is the largest one during the call, minus the base; `tree` is the size
    of the result; `increase` is the growth after `repeats` calls of which only the last
    result is kept, as seed 001 measured it. All in bytes.
    """
    _, contender, factors, job = _subject(request)
    argument = job.argument()
    process.warm(contender.dumps, contender.loads)
    # Swapping reduces resident sets: its flags apply to memory, too.
    with process.Watch() as watch, collector(factors.gc):
        stock = process.settle()
        base = process.resident()
        process.reset_peak()
        result = job.call(argument)
        peak = process.peak()
        for _ in range(request.get("repeats", 1) - 1):
            del result
            heartbeat.running(contender.name)
            result = job.call(argument)
        increase = process.resident()
        del stock
    tree = process.own_size(result)  # last: walking the whole result allocates, too
    digest = job.digest(result)
    found = {
        "base": base,
        "peak": max(0, peak - base),
        "tree": tree,
        "increase": max(0, increase - base),
    }
    return _sample(
        {name: [value] for name, value in found.items()},
        watch,
        loops=request.get("repeats", 1),
        size=job.size(result),
        digest=digest,
    )


def phases(request: dict[str, Any]) -> dict[str, Any]:
    """Return the nanoseconds of reading, parsing, collecting, freeing and dumping.

    One document, from a file to an object and back. `collect` is the time of automatic
    collections during the other phases; it is subtracted from them. Documents that were
    verified as a whole are read and written once more for the digest, after the clock.
    """
    workload = workloads.find(request["workload"])
    heartbeat.allow(operations.patience(workload))
    contender = _contender(request, workload)
    factors = _factors(request)
    path = Path(workload.path())
    calls = contender.calls
    values: dict[str, list[float]] = {}
    size = 0
    process.warm(contender.dumps, contender.loads)
    with collector(factors.gc), process.Watch() as watch:
        process.reset_peak()
        base = process.resident()
        for _ in range(request["values"]):
            heartbeat.running(contender.name)
            spent: dict[str, float] = {}
            start = time.perf_counter_ns()
            text = path.read_bytes()
            spent["read"] = time.perf_counter_ns() - start
            tree, spent["parse"], parsing = _apart(calls.loads, text, watch)
            del text
            text, spent["dump"], dumping = _apart(calls.dumps, tree, watch)
            spent["collect"] = parsing + dumping
            size = len(text)
            del text
            start = time.perf_counter_ns()
            del tree
            spent["free"] = time.perf_counter_ns() - start
            for name, one in spent.items():
                values.setdefault(f"phase:{name}", []).append(max(0.0, round(one, 1)))
        peak = process.peak()
    totals = [sum(column) for column in zip(*values.values(), strict=True)]
    values["time"] = [round(total, 1) for total in totals]
    values["peak"] = [max(0, peak - base)]
    digest = ""
    if guard.stated(request["workload"]) < guard.SMALL:
        job = operations.job("phases", workload, contender, factors)
        digest = job.digest(job.call(job.argument()))
    return _sample(values, watch, size=size, digest=digest)


def _apart(call: Any, argument: Any, watch: process.Watch) -> tuple[Any, float, float]:
    """Return a call's result, its nanoseconds, and those of its collections."""
    before = watch.seconds
    start = time.perf_counter_ns()
    result = call(argument)
    spent = time.perf_counter_ns() - start
    collected = (watch.seconds - before) * 1e9
    return result, spent - collected, collected


def energy(request: dict[str, Any]) -> dict[str, Any]:
    """Return the joules of an operation by each meter named, gross and net of idle.

    Each meter has a separate block: rest, at least a second of work, rest.
    """
    from snooze_lab.meters import block  # noqa: PLC0415 - most workers need no meter

    workload, contender, factors, job = _subject(request)
    if request["operation"] == "phases":
        path, calls = Path(workload.path()), contender.calls

        def once() -> None:
            calls.dumps(calls.loads(path.read_bytes()))
    else:
        argument, call = job.argument(), job.call

        def once() -> None:
            call(argument)

    once()
    heartbeat.allow(heartbeat.OWN_S)  # a meter's windows are longer than any call
    heartbeat.running(contender.name)
    with collector(factors.gc), process.Watch() as watch:
        values, readings = block.blocks(request, once)
    loops = max((one.get("operations", 1) for one in readings), default=1)
    return _sample(values, watch, loops=loops, warmups=1) | {"meters": readings}


def conformance(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a contender accepts and rejects, and how it reads numbers."""
    _, _, _, job = _subject(request)
    judgement = job.call(job.argument())
    size, digest = job.size(judgement), job.digest(judgement)
    found = {"conformance": judgement.as_json()}
    return _sample({}, size=size, digest=digest) | found


def left(request: dict[str, Any]) -> dict[str, Any]:
    """Return the bytes that calls leave behind; see retained.py."""
    workload = workloads.find(request["workload"])
    contender = _contender(request | {"operation": "loads"}, workload)
    process.warm(contender.dumps, contender.loads)
    with collector(request["factors"]["gc"]):
        measured = retained.OPERATIONS[request["operation"]]
        found = measured(contender, workload.texts[0])
    return {"status": "ok", "values": {name: [one] for name, one in found.items()}}


def interleave(request: dict[str, Any]) -> dict[str, Any]:
    """Return every contender's nanoseconds of a call, round by round."""
    workload = workloads.find(request["workload"])
    heartbeat.allow(operations.patience(workload))
    factors = _factors(request)
    operation = request["operation"]
    ready, absent = operations.enter(workload, operation, list(request["contenders"]))
    found = verify(ready, lambda one: operations.job(operation, workload, one, factors))
    stopwatch.quieten()
    if factors.gc == "off":
        gc.disable()
    calls, first = interleaved.slices(found.entries, request["baseline"])
    clock = request.get("clock", False)
    times = interleaved.rounds(
        found.entries,
        calls,
        interleaved.slower(first, request["baseline"]),
        request["seconds"],
        random.Random(request["seed"]),
    )
    found.again(cached=request.get("cached", True))
    return {
        "status": "ok",
        "rounds": max((len(times.times[name]) for name in found.entries), default=0),
        "times": _rounded(times.times, found.entries),
        "pauses": _rounded(times.pauses, found.entries),
        **({"clock": _rounded(times.clock, found.entries)} if clock else {}),
        "calls": calls,
        "wrong": found.wrong,
        "unable": found.unable,
        "absent": absent,
    }


def _rounded(
    columns: dict[str, list[float]], names: Iterable[str]
) -> dict[str, list[float | None]]:
    return {
        name: [None if math.isnan(one) else round(one, 2) for one in columns[name]]
        for name in names
    }


TASKS = {
    "time": times,
    "memory": memory,
    "retained": left,
    "phases": phases,
    "energy": energy,
    "conformance": conformance,
    "interleaved": interleave,
}
