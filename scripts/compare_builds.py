"""Compare the speed of two builds of snooze, interleaved in one process.

    python scripts/compare_builds.py OLD NEW documents/*.json
    python scripts/compare_builds.py OLD NEW documents/*.json --operation dumps
    python scripts/compare_builds.py OLD NEW documents/*.json --cold

OLD and NEW are folders that hold a package `snooze`: the `site-packages` of two
environments, or copies of one package with another extension. Separate from the race,
which compares libraries: here both have one name, and a difference of 2 % decides.
Invariants: a round measures both builds, in random order, on the same input; each build
writes the same objects, because others lie elsewhere in memory, which alone makes up to
a quarter of the time; the builds must agree on every result. The collector runs as
usual.

The ratio is NEW's time divided by OLD's: the median of the rounds, and the range of
their middle half. Give one folder twice to see the noise of the machine. Run it on one
processor (`taskset -c 1`), and force a tier with SNOOZE_CPU. `--cold` evicts the caches
before every call: the objects of a program are often in none. Where a few percent
decide, run it several times: processes differ by where their memory lies. Needs the
standard library only.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds of one measurement: many calls of a short operation, one of a long one.
SLICE = 0.002
OPERATIONS = ("loads", "dumps")
#: More bytes than a processor's caches hold.
EVICTING = 96_000_000


def package(folder: Path) -> Any:
    """Import the package `snooze` of a folder, beside those of other folders."""
    if not (folder / "snooze" / "__init__.py").exists():
        sys.exit(f"{folder}: expected a folder that holds the package snooze")
    _forget()
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("snooze")
    finally:
        sys.path.pop(0)
        _forget()


def _forget() -> None:
    """Let the next import look for the package again."""
    for name in list(sys.modules):
        if name.partition(".")[0] == "snooze":
            del sys.modules[name]


def calls(
    old: Any, new: Any, text: bytes, operation: str
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return the operation as a call of each build, if both return the same."""
    # Not the values: 1 and True are equal, and the order of members does not count.
    if repr(old.loads(text)) != repr(new.loads(text)):
        sys.exit("the builds do not agree on what loads returns")
    if operation == "loads":
        return lambda: old.loads(text), lambda: new.loads(text)
    value = old.loads(text)
    if old.dumps(value) != new.dumps(value):
        sys.exit("the builds do not agree on what dumps returns")
    return lambda: old.dumps(value), lambda: new.dumps(value)


def duration(call: Callable[[], Any], count: int) -> float:
    """Return the seconds of `count` calls."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - start


def rounds(
    first: Callable[[], Any],
    second: Callable[[], Any],
    seconds: float,
    evicting: bytes = b"",
) -> tuple[float, list[float]]:
    """Return the median time of the first call, and the sorted ratios of all rounds.

    If there are bytes to read, they evict the caches before every call.
    """
    duration(first, 2)
    duration(second, 2)
    count = max(1, int(SLICE / max(duration(first, 1), 1e-9)))
    times: list[float] = []
    ratios: list[float] = []
    end = time.perf_counter() + seconds
    if evicting:
        count = 1
    while time.perf_counter() < end or len(ratios) < 4:
        taken = {}
        for call in random.sample((first, second), 2):
            evicting.count(1)
            taken[call] = duration(call, count)
        before, after = taken[first], taken[second]
        times.append(before / count)
        ratios.append(after / before)
    return statistics.median(times), sorted(ratios)


def line(name: str, text: bytes, typical: float, ratios: list[float]) -> str:
    """Return a row of the table, at most 80 characters."""
    low, middle, high = statistics.quantiles(ratios, n=4)
    return (
        f"{name[:30]:<30}{len(text):>11,}{typical * 1e6:>13,.1f}"
        f"{middle:>9.3f}  {low:.2f} to {high:.2f}"
    )


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("old", type=Path, help="the folder with the package before")
    parser.add_argument("new", type=Path, help="the folder with the package after")
    parser.add_argument("documents", type=Path, nargs="+", help="JSON files")
    parser.add_argument("--operation", choices=OPERATIONS, default="loads")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each document")
    parser.add_argument(
        "--cold", action="store_true", help="evict the caches before every call"
    )
    options = parser.parse_args()
    evicting = b"\0" * EVICTING if options.cold else b""
    old, new = package(options.old), package(options.new)
    head = f"{options.operation:<30}{'bytes':>11}{'old, us':>13}{'new/old':>9}"
    print(f"{head}  middle half")
    middles = []
    for path in options.documents:
        text = path.read_bytes()
        first, second = calls(old, new, text, options.operation)
        typical, ratios = rounds(first, second, options.seconds, evicting)
        middles.append(statistics.median(ratios))
        print(line(path.name, text, typical, ratios), flush=True)
    print(f"{'geometric mean':<54}{statistics.geometric_mean(middles):>9.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
