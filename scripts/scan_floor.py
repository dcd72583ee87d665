"""Time what no reader of JSON Lines into columns can leave out, beside `snooze.scan`.

Separate from the study `scale`, which compares libraries: this says what is left for a
parser. A reader of files copies the text out of the kernel, in windows that stay in the
cache, and it writes columns into memory that the process did not have before, page by
page. Invariants: each step runs in a new process, on one thread; steps take turns; the
least time of each counts. Needs pyarrow, and Linux.

usage: scan_floor.py FILE [--turns 7]
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

WINDOW = 256 << 10


def copying(path: str) -> float:
    """Read a file in windows."""
    window = memoryview(bytearray(WINDOW))
    file = os.open(path, os.O_RDONLY)
    started = time.perf_counter()
    at = 0
    while count := os.preadv(file, [window], at):
        at += count
    return time.perf_counter() - started


def writing(size: int) -> float:
    """Write columns of this size, window by window, into new memory."""
    window = bytes(WINDOW)
    started = time.perf_counter()
    target = mmap.mmap(-1, size)
    for at in range(0, size - WINDOW, WINDOW):
        target[at : at + WINDOW] = window
    return time.perf_counter() - started


def scanning(path: str) -> tuple[float, int]:
    """Scan a file whose schema is known; return the time and the size of the table."""
    import pyarrow as pa  # noqa: PLC0415 - the other steps need a small process

    import snooze  # noqa: PLC0415 - as above

    schema = pa.schema(snooze.scan(path, drift="error", threads=1))
    started = time.perf_counter()
    found = snooze.scan(path, schema, threads=1)
    table = pa.RecordBatchReader.from_stream(found).read_all()
    return time.perf_counter() - started, table.nbytes


def measured(step: str, path: str, size: int) -> tuple[float, int]:
    """Run a step in a new process; return its time and the size of the table."""
    command = [sys.executable, __file__, path, "--step", step, "--size", str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    took, found = json.loads(done.stdout)
    return float(took), int(found)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--step", choices=("scan", "copy", "write"))
    parser.add_argument("--size", type=int, default=0)
    options = parser.parse_args()
    if options.step is not None:
        steps: dict[str, Callable[[], tuple[float, int]]] = {
            "scan": lambda: scanning(options.file),
            "copy": lambda: (copying(options.file), 0),
            "write": lambda: (writing(options.size), 0),
        }
        print(json.dumps(steps[options.step]()))
        return 0
    least = {"scan": float("inf"), "copy": float("inf"), "write": float("inf")}
    size = 0
    for _ in range(options.turns):
        for step, before in least.items():
            took, found = measured(step, options.file, size)
            least[step] = min(before, took)
            size = size or found
    text = os.path.getsize(options.file)  # noqa: PTH202 - a path is a str here
    left = least["scan"] - least["copy"] - least["write"]
    print(f"{text / 1e6:.0f} MB of text, {size / 1e6:.0f} MB of columns")
    print(f"copying the text out of the kernel  {least['copy'] * 1e3:6.1f} ms")
    print(f"writing columns into new memory     {least['write'] * 1e3:6.1f} ms")
    print(f"scan, schema given                  {least['scan'] * 1e3:6.1f} ms")
    print(f"left for everything else            {left * 1e3:6.1f} ms", end="")
    print(f", {text / left / 1e9:.2f} GB/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
