"""Measure one library once, in this process, as a worker of launch.py.

Separate because it runs in the environment of the engines. Processor time is that of
this process, all its threads and all its children; the peak is that of the call alone;
rows and sum of the result are compared with what the file has. Needs the standard
library, pyarrow, snooze and the library.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from snooze_lab.machine import process
from snooze_lab.scale import engines, lines, readers

#: contender -> distribution, where the names differ.
DISTRIBUTIONS = {"arro3": "arro3-io", "spark": "pyspark"}
#: The operations that read three columns, and those that are given the whole schema.
THREE = frozenset({"three", "where", "spark"})
GIVEN = frozenset({"given", "gz"})


def main() -> None:
    """Answer the request."""
    request = json.loads(sys.stdin.readline())
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print
    try:
        answer = probe(request) if request["task"] == "probe" else measure(request)
    except (ImportError, NotImplementedError) as error:
        answer = {"status": "unable", "error": str(error)}
    except Exception as error:  # noqa: BLE001 - reported as the sample's error
        reason = f"{type(error).__name__}: {error}"[-400:]
        answer = {"status": "failed", "error": reason}
    os.write(out, json.dumps({"done": answer}).encode() + b"\n")
    os._exit(0)  # engines have threads and processes that outlive the result


def probe(request: dict[str, Any]) -> dict[str, Any]:
    """Return the versions of the libraries, without those that are not installed."""
    found = {}
    for name in request["contenders"]:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            library = library_of(name)
            distribution = DISTRIBUTIONS.get(library, library)
            found[name] = importlib.metadata.version(distribution)
    return {"status": "ok", "versions": found}


def library_of(contender: str) -> str:
    """Return the library that a contender needs besides snooze."""
    first, _, second = contender.partition(" ")
    if contender == "orjson again" or (first == "snooze" and second != "polars"):
        return "snooze"
    return {"snooze": "polars", "gzip": "snooze"}.get(first, first)


def measure(request: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of one call."""
    path, operation, contender = (
        request[name] for name in ("path", "operation", "contender")
    )
    kind = Path(path).name.split("-")[0]
    name = lines.SUMMED[kind]
    truth = json.loads(Path(path).with_suffix(".json").read_text("utf-8"))
    chosen = "where " if operation == "where" else ""
    wanted = [truth[f"{chosen}rows"], truth[f"{chosen}sum"]]
    job = _job(request, kind)
    size = Path(path).stat().st_size
    target = request["target"]
    if operation == "write":
        table = readers.READERS["snooze"](job)()
        call = readers.WRITERS[contender](table, target)
    elif operation in engines.ENGINES:
        own = not contender.endswith(" snooze")
        call = engines.ENGINES[operation](job, request["small"], name, own=own)
    else:
        call = readers.READERS[contender](job)
    base = process.resident()
    process.reset_peak()
    before, clock = processor_time(), time.perf_counter()
    made = call()
    clock = time.perf_counter() - clock
    spent = processor_time() - before
    peak = process.peak() - base
    found: list[int] = wanted
    if operation == "write":
        found, size = readers.written(target, name), Path(target).stat().st_size
    elif operation in engines.ENGINES:
        found = made
    elif contender != "gzip":
        found = readers.truth_of(made, name)
    if found != wanted:
        return {
            "status": "wrong",
            "error": f"expected rows and sum {wanted}, found {found}",
        }
    values = {"time": [spent * 1e9], "phase:wall": [clock * 1e9], "peak": [peak]}
    if hasattr(made, "nbytes"):
        values["tree"] = [made.nbytes]
    return {"status": "ok", "loops": 1, "values": values, "bytes": size}


def _job(request: dict[str, Any], kind: str) -> readers.Job:
    """Return what is read, with the schema where every library is given it."""
    import pyarrow as pa

    import snooze

    operation = request["operation"]
    columns = where = None
    schema: Any = None
    if operation in THREE:
        columns = list(lines.THREE[kind])
    if operation == "where":
        where = (lines.WHERE[kind][0], list(lines.WHERE[kind][1]))
    if operation in THREE | GIVEN:
        schema = pa.schema(snooze.scan(request["small"]))
    if columns is not None:
        names = dict.fromkeys((*columns, *(where[:1] if where else ())))
        schema = pa.schema([schema.field(one) for one in names])
    path = request["path"] + (".gz" if operation == "gz" else "")
    return readers.Job(path, schema, columns, where, request["threads"])


def processor_time() -> float:
    """Return the processor seconds of this process and its descendants so far."""
    parents, spent = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                pid = int(entry.name)
                parents[pid], spent[pid] = process.stat(pid)
    own = os.getpid()
    total = time.process_time()
    for pid, seconds in spent.items():
        above = parents.get(pid, 0)
        while above not in {0, 1, own}:
            above = parents.get(above, 0)
        if above == own:
            total += seconds
    return total


if __name__ == "__main__":
    main()
