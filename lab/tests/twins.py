"""How well does the interleaved instrument agree with itself? orjson against orjson.

    python lab/tests/twins.py                       60 processes, nothing else runs
    python lab/tests/twins.py --load 2              beside two busy processes

Each process races orjson, entered twice, and three other libraries on one document, as
a study does; the table says how far the two entries differ: by the figure that a report
shows, and, for comparison, by the plain mean of the log-ratios of what a clock showed.
Separate because its subject is the instrument: METHODOLOGY shows its table. Invariants:
a process measures one document and ends, so that address layout and hash seed are drawn
anew; no process is left out; both figures are of the same processes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from snooze_lab.model import AGAIN, REFERENCE
from snooze_lab.race import typed
from snooze_lab.stored import samples
from snooze_lab.worker.launch import Launcher

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


def text(name: str) -> bytes:
    """Return a document as JSON."""
    return json.dumps(document(name)).encode()


@contextlib.contextmanager
def files() -> Iterator[dict[str, str]]:
    """Write the documents; give the workload of each by its name."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name in DOCUMENTS:
            path = Path(folder, f"{name}.json")
            path.write_bytes(text(name))
            found[name] = f"file?path={quote(str(path))}"
        yield found


def compare(answer: dict[str, Any]) -> dict[str, float | bool]:
    """Return how far the twins of one process differ.

    `apart` and `excluded` (its interval excludes 1) are of the effect, `plain` is the
    difference of what the clock showed; both differences are log-ratios.
    """
    rounds = samples.Rounds()
    rounds.add(answer | {"block": 0})
    found = rounds.effect(AGAIN, REFERENCE)
    clock = [answer["clock"][name] for name in (AGAIN, REFERENCE)]
    plain = statistics.fmean(
        math.log(theirs / ours) for ours, theirs in zip(*clock, strict=True)
    )
    return {
        "apart": abs(math.log(found.ratio)),
        "excluded": not found.low <= 1 <= found.high,
        "plain": abs(plain),
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


def summary(logs: Sequence[float]) -> dict[str, float]:
    """Return the figures of METHODOLOGY's table from the processes' log-ratios."""
    apart = sorted(math.expm1(one) for one in logs)
    return {
        "median": statistics.median(apart),
        "95 %": apart[math.ceil(QUANTILE * len(apart)) - 1],
        "worst": apart[-1],
    }


def main() -> None:
    """Run the processes one after the other, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python lab/tests/twins.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--load", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each race")
    options = parser.parse_args()
    if options.processes < 1 or options.load < 0 or options.seconds <= 0:
        parser.error("expected 1 process or more, a load of 0 or more, and seconds")
    launch = Launcher()
    found = []
    with busy(options.load), files() as workloads:
        for number in range(options.processes):
            name = DOCUMENTS[number % len(DOCUMENTS)]
            request = {
                "task": "interleaved",
                "workload": workloads[name],
                "operation": ("loads", "dumps")[number // len(DOCUMENTS) % 2],
                "factors": {},
                "baseline": REFERENCE,
                "contenders": list(NAMES),
                "seconds": options.seconds,
                "seed": number,
                "clock": True,
            }
            answer = launch(request, hash_seed=number + 1)
            if answer["status"] != "ok":
                sys.exit(f"a process failed: {answer['error']}")
            found.append(compare(answer))
            print(f"\r{number + 1} of {options.processes}", end="", file=sys.stderr)
    print(file=sys.stderr)
    cores = len(os.sched_getaffinity(0))
    print(f"{len(found)} processes, {options.load} busy ones, {cores} cores")
    print("orjson against itself: median, 95 % differ by less, worst")
    for name, what in (("apart", "as reported"), ("plain", "by the clock")):
        figures = summary([one[name] for one in found])
        print(f"  {what:14}" + "".join(f"{one:9.1%}" for one in figures.values()))
    share = sum(one["excluded"] for one in found) / len(found)
    print(f"95 % intervals that exclude 1: {share:.1%}")


if __name__ == "__main__":
    main()
