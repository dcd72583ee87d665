"""Race JSON libraries against each other in one process, in short shuffled slices.

    python -m bench.race                        the four documents, every library
    python -m bench.race --file my.json         a document of your own
    python -m bench.race --group tiny --contenders snooze,orjson --seconds 1

How it measures: every library's results are compared with the standard library's first;
a wrong answer is not timed. Then each round gives every library one slice of about 3 ms
in shuffled order, and the speed relative to orjson is taken within the round. Shown are
the median time, the geometric mean of the rounds' ratios and its 95 % interval. orjson
takes part twice: what its two entries differ by is the noise of the run. Results are
freed, and collections that they make due are run, inside the slice.

This file is the command line and the loop; what is raced, how time is taken, what is
made of it and how it is shown are modules of their own beside it.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bench import contenders, effect, record, stopwatch, table, workloads
from bench.contenders import AGAIN, ENTRIES, REFERENCE, STANDARD, Contender

DIRECTIONS = ("loads", "dumps")
ROUNDS = 16  # at least, however short the time
# What is this many times slower than the reference takes part in every so many-th round
# only, so that the close contest gets the time.
SLOW = 4
NOISE = 0.05


@dataclass
class Cell:
    """One workload in one direction, and every contender's time in each round.

    `calls` is the length of a slice, `first` the rough time of a call that it was
    chosen by, `times` the nanoseconds of a call in each round (NaN: sat it out).
    """

    workload: workloads.Workload
    direction: str
    bytes: int
    calls: dict[str, int] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    def against(self, reference: str) -> dict[str, effect.Replicates]:
        """Return each contender's speed relative to `reference`."""
        return self._speeds.get(reference, {})

    @cached_property
    def _speeds(self) -> dict[str, dict[str, effect.Replicates]]:
        return {
            reference: {
                name: effect.speed(times, self.times[reference])
                for name, times in self.times.items()
            }
            for reference in (REFERENCE, STANDARD)
            if reference in self.times
        }

    def as_record(self) -> dict[str, Any]:
        """Return the cell for a record: raw rounds, nanoseconds per call."""
        ratios = {k: v.ratio() for k, v in self.against(REFERENCE).items()}
        return {
            "workload": self.workload.name,
            "note": self.workload.note,
            "direction": self.direction,
            "bytes": self.bytes,
            "calls_per_slice": self.calls,
            "speed_relative_to_orjson": {
                name: [round(one, 4) for one in (ratio.value, ratio.low, ratio.high)]
                for name, ratio in ratios.items()
            },
            "nanoseconds": {
                name: [None if math.isnan(one) else round(one, 1) for one in times]
                for name, times in self.times.items()
            },
            "wrong": self.wrong,
        }


def same(left: Any, right: Any) -> bool:
    """Tell whether both values are equal, with equal types all the way down."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True


def fault(contender: Contender, workload: workloads.Workload, direction: str) -> str:
    """Return what is wrong with a contender's result; nothing if it is right."""
    try:
        if direction == "loads":
            found = contender.loads(workload.text)
        else:
            text = contender.dumps(workload.value)
            if type(text) is not bytes:
                return f"dumps returned {type(text).__name__}, not bytes"
            found = json.loads(text)
    except Exception as reason:  # noqa: BLE001 - whatever a rival raises is its result
        return f"{type(reason).__name__}: {reason}"
    return "" if same(found, workload.value) else "its result differs from json's"


def prepare(
    entered: list[Contender], workload: workloads.Workload, direction: str
) -> Cell:
    """Verify every contender on one cell and find the length of its slices."""
    size = len(workload.text)
    if direction == "dumps":
        compact = json.dumps(workload.value, ensure_ascii=False, separators=(",", ":"))
        size = len(compact.encode())
    cell = Cell(workload, direction, size)
    for contender in entered:
        table.progress(f"{direction} {workload.name}: verifying {contender.name}")
        wrong = fault(contender, workload, direction)
        if wrong:
            cell.wrong[contender.name] = wrong
            continue
        call, argument = _call(contender, cell)
        cell.times[contender.name] = []
        calls, spent = stopwatch.calibrate(call, argument)
        cell.calls[contender.name] = calls
        cell.first[contender.name] = spent
    return cell


def race(
    cell: Cell, entered: list[Contender], seconds: float, dice: random.Random
) -> None:
    """Fill a cell with rounds until its time is used up."""
    runners = [one for one in entered if one.name in cell.times]
    overhead = stopwatch.overhead()
    end = time.monotonic() + seconds
    slow = _slow(cell)
    rounds = 0
    while rounds < ROUNDS or time.monotonic() < end:
        dice.shuffle(runners)
        for contender in runners:
            if contender.name in slow and rounds % SLOW:
                cell.times[contender.name].append(math.nan)
                continue
            call, argument = _call(contender, cell)
            calls = cell.calls[contender.name]
            spent = stopwatch.timed(call, argument, calls) / calls
            cell.times[contender.name].append(max(1.0, spent - overhead))
        rounds += 1
        table.progress(f"{cell.direction} {cell.workload.name}: round {rounds}")
    # Order by name, not by the last shuffle, so that records can be compared.
    cell.times = {one.name: cell.times[one.name] for one in entered if one in runners}


def _slow(cell: Cell) -> set[str]:
    """Return the contenders that are far slower than the reference."""
    limit = SLOW * cell.first.get(REFERENCE, math.inf)
    return {name for name, spent in cell.first.items() if spent > limit}


def _call(contender: Contender, cell: Cell) -> tuple[contenders.Call, Any]:
    if cell.direction == "loads":
        return contender.loads, cell.workload.text
    return contender.dumps, cell.workload.value


def noise(cells: list[Cell]) -> float:
    """Return the largest deviation between the two entries of the reference."""
    found = [cell.against(REFERENCE).get(AGAIN) for cell in cells]
    return max((abs(one.center) for one in found if one), default=math.nan)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.race",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--group",
        action="append",
        choices=sorted(workloads.GROUPS),
        help="what to race over, may be repeated (default: documents)",
    )
    parser.add_argument(
        "--only", metavar="NAME,...", help="of these groups, only the named documents"
    )
    parser.add_argument(
        "--file", action="append", type=Path, help="a JSON file of your own"
    )
    parser.add_argument("--direction", choices=DIRECTIONS, help="default: both")
    parser.add_argument(
        "--contenders",
        metavar="NAME,...",
        help=f"default: all of {', '.join(ENTRIES)}",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=3.0,
        help="for each document and direction (default 3)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the shuffled orders")
    parser.add_argument(
        "--record",
        nargs="?",
        type=Path,
        const=record.FOLDER,
        metavar="PATH",
        help="write raw rounds and environment as JSON (default: bench/record/)",
    )
    options = parser.parse_args(arguments)
    options.names = list(ENTRIES)
    if options.contenders:
        options.names = options.contenders.split(",")
        for name in options.names:
            if name not in ENTRIES:
                parser.error(f"no contender '{name}'; there are: {', '.join(ENTRIES)}")
    if REFERENCE not in options.names:
        options.names.append(REFERENCE)
    return options


def chosen(options: argparse.Namespace) -> list[workloads.Workload]:
    """Return the workloads that the options name."""
    groups = options.group or ([] if options.file else ["documents"])
    found = [one for group in groups for one in workloads.GROUPS[group]()]
    if options.only:
        wanted = options.only.split(",")
        unknown = set(wanted) - {one.name for one in found}
        if unknown:
            names = ", ".join(one.name for one in found)
            sys.exit(f"race: no document {', '.join(unknown)}; there are: {names}")
        found = [one for one in found if one.name in wanted]
    return found + workloads.files(options.file or [])


def main() -> None:
    """Run the race that the command line describes."""
    options = parse()
    try:
        works = chosen(options)
    except (workloads.NoDocumentsError, OSError, ValueError) as reason:
        sys.exit(f"race: {reason}")
    entered, absent = contenders.enter(options.names)
    if REFERENCE in absent:
        sys.exit(f"race: {REFERENCE}, the reference, cannot run: {absent[REFERENCE]}")
    directions = [options.direction] if options.direction else list(DIRECTIONS)
    _introduce(entered, absent, len(works) * len(directions), options.seconds)
    stopwatch.quieten()
    dice = random.Random(options.seed)
    cells = []
    for workload in works:
        for direction in directions:
            cell = prepare(entered, workload, direction)
            race(cell, entered, options.seconds, dice)
            table.progress("")
            print(table.block(cell), end="\n\n", flush=True)
            cells.append(cell)
    _conclude(cells, directions, [one.name for one in entered])
    if options.record:
        settings = {"seconds": options.seconds, "seed": options.seed}
        print(f"record: {record.write(options.record, settings, entered, cells)}")


def _introduce(
    entered: list[Contender], absent: dict[str, str], cells: int, seconds: float
) -> None:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{python} on {record.processor()}")
    versions = [f"{one.name} {one.version}" for one in entered]
    versions = [one for one in versions if not one.startswith((AGAIN, STANDARD + " "))]
    line = "racing json"
    for version in versions:
        if len(line) + len(version) + 2 > table.WIDTH:
            print(line + ",")
            line = "  " + version
        else:
            line += ", " + version
    print(line)
    for name, reason in absent.items():
        print(table.paint(f"  not available: {name} ({reason})", table.RED))
    print(f"about {cells * (seconds + 0.5):.0f} seconds; results verified first\n")


def _conclude(cells: list[Cell], directions: list[str], names: list[str]) -> None:
    print("Speed relative to orjson: higher is faster")
    for direction in directions:
        print()
        print(table.summary(cells, direction, names))
    print()
    found = noise(cells)
    if math.isnan(found):
        print(f"Noise not measured: '{AGAIN}' did not take part.")
    elif found > NOISE:
        print(
            f"TOO NOISY: orjson raced against itself differs by {found * 100:.1f} %. "
            "Believe no\nsmaller difference; run again on a quieter machine, or longer."
        )
    else:
        print(
            f"Noise: orjson raced against itself differs by at most "
            f"{found * 100:.1f} %; believe no\nsmaller difference."
        )
    if any(cell.workload.note for cell in cells):
        print("Generated documents: do not compare with published figures.")


if __name__ == "__main__":
    main()
