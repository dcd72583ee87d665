"""How well does the interleaved instrument agree with itself? orjson against orjson.

    python -m snooze_lab.race.twins                      60 processes, nothing else runs
    python -m snooze_lab.race.twins --load 2             beside two busy processes

Each process races orjson, entered twice, and three other libraries on one document, as
a study or the race does, and says how far the two entries differ. Separate from the
race, because its subject is the instrument: METHODOLOGY shows its table. Invariants: a
process measures one document and ends, so that address layout and hash seed are drawn
anew; no process is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.model import AGAIN, REFERENCE
from snooze_lab.race import cells, tasks, typed
from snooze_lab.workloads import Workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROCESSES = 60
SECONDS = 0.3
NAMES = ("snooze", "json", "msgspec", REFERENCE, AGAIN)
#: The documents: tiny, some kB, some hundred kB.
DOCUMENTS = ("message", "customers", "many customers")
#: The part of the differences that the floor is not exceeded by.
QUANTILE = 0.95


def document(name: str) -> Any:
    """Return the value of a document."""
    match name:
        case "message":
            return {"id": 48_213, "ok": True, "user": "mira", "tags": ["a", "b"]}
        case "customers":
            return typed.customers()[:40]
        case _:
            return typed.customers()


def compare(name: str, direction: str, seed: int, seconds: float) -> dict[str, Any]:
    """Race the twins in this process: the difference, its interval, and the calls."""
    text = json.dumps(document(name)).encode()
    task = tasks.of("twins", Workload(name, [text]), direction)
    entered, _ = contenders.enter(list(NAMES))
    cell = cells.race(task, entered, seconds, random.Random(seed), lambda _: None)
    speed = cell.speed(AGAIN, REFERENCE)
    if speed is None:
        sys.exit(f"{REFERENCE} did not race: {cell.wrong}")
    found = speed.ratio()
    calls = cell.calls[AGAIN], cell.calls[REFERENCE]
    return {
        "apart": abs(math.log(found.value)),
        "excluded": not found.low <= 1 <= found.high,
        "calls": max(calls) / min(calls),
    }


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep processes busy until the caller is done."""
    command = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


def summary(found: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the figures of METHODOLOGY's table, of all processes."""
    apart = sorted(math.expm1(one["apart"]) for one in found)
    return {
        "processes": len(found),
        "median": statistics.median(apart),
        "floor": apart[math.ceil(QUANTILE * len(apart)) - 1],
        "worst": apart[-1],
        "excluded": sum(one["excluded"] for one in found) / len(found),
        "unlike": sum(one["calls"] >= 1.5 for one in found) / len(found),
    }


def main() -> None:
    """Run the processes one after the other, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m snooze_lab.race.twins",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--load", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each race")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, direction, seed = options.one
        print(json.dumps(compare(name, direction, int(seed), options.seconds)))
        return
    if options.processes < 1 or options.load < 0 or options.seconds <= 0:
        parser.error("expected 1 process or more, a load of 0 or more, and seconds")
    found = []
    with busy(options.load):
        for number in range(options.processes):
            name = DOCUMENTS[number % len(DOCUMENTS)]
            direction = ("loads", "dumps")[number // len(DOCUMENTS) % 2]
            command = [sys.executable, "-m", "snooze_lab.race.twins"]
            command += ["--seconds", str(options.seconds)]
            command += ["--one", name, direction, str(number)]
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            if ended.returncode:
                sys.exit(f"a process failed:\n{ended.stderr}")
            found.append(json.loads(ended.stdout))
            print(f"\r{number + 1} of {options.processes}", end="", file=sys.stderr)
    print(file=sys.stderr)
    figures = summary(found)
    cores = len(os.sched_getaffinity(0))
    print(f"{figures['processes']} processes, {options.load} busy ones, {cores} cores")
    print(f"  orjson against itself, median          {figures['median']:7.1%}")
    print(f"  95 % of the processes differ by less   {figures['floor']:7.1%}")
    print(f"  worst                                  {figures['worst']:7.1%}")
    print(f"  95 % intervals that exclude 1          {figures['excluded']:7.1%}")
    print(f"  entries with 1.5 times as many calls   {figures['unlike']:7.1%}")


if __name__ == "__main__":
    main()
