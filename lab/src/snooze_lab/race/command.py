"""Race JSON libraries against each other in one process, in short shuffled slices.

    python -m snooze_lab.race                        the usual groups, twenty minutes
    python -m snooze_lab.race --quick                about six minutes, less precise
    python -m snooze_lab.race --group seed           the four well-known documents
    python -m snooze_lab.race --file my.json         your own document
    python -m snooze_lab.race --group tiny --contenders snooze,orjson --seconds 1

How it measures: the results of every library are first compared with those of the
standard library (for options and classes, with orjson's); a wrong result is not timed.
Then each round times one slice of about 3 ms per library, in shuffled order, and takes
the speed relative to orjson within the round. The tables show the median time
and the median of the ratios of all rounds with its 95 % interval; means of tables are
geometric. orjson takes part twice: the difference between its two entries is the noise
of the run. Where orjson cannot run, `--relative-to` names the reference that does so.
A library that crashes or hangs loses its row. Each slice also frees its results and
runs the garbage collections that they cause; their mean is added to the medians.

Groups: seed (four documents), documents (those, the fetched ones, and generated ones),
heldout (twenty documents that a rule chose and nobody tunes on), tiny (single calls),
kinds (classes, times, layouts, arrays), typed (documents into classes and back;
typed.py lists the contenders), memory (each figure in a fresh process), cold (new
objects and inputs, caches flushed), latency (the slowest of single calls), threads
(two at once), subinterpreters (two at once, each with its own GIL; CPython 3.14),
footprint (import time, size of the extension), layouts (options of writing and reading
beside json's, and snooze.json; layouts.py lists the calls), types (lists of values of
one Python type; python_types.py lists them), values (one kind of JSON value each; not
in the default), functions (files, pointers, queries, patches, differences; functions.py
lists the calls; not in the default). latency, threads and
subinterpreters race snooze, orjson, msgspec and json unless --contenders names others.

This file is the command line. run.py measures what it chooses, and the modules beside
it define the tasks, take the times and make the tables.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from snooze_lab import contenders
from snooze_lab.model import REFERENCE, twin
from snooze_lab.race import (
    cells,
    cold,
    footprint,
    functions,
    latency,
    layouts,
    memory,
    python_types,
    run,
    subinterpreters,
    table,
    threads,
    typed,
)
from snooze_lab.race.cells import DIRECTIONS
from snooze_lab.worker.launch import SOURCE
from snooze_lab.workloads import WorkloadError, documents, kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snooze_lab.race.cells import Task
    from snooze_lab.workloads import Workload

USUAL = (
    "documents",
    documents.HELD_OUT,
    "tiny",
    "kinds",
    typed.GROUP,
    memory.GROUP,
    cold.GROUP,
    latency.GROUP,
    threads.GROUP,
    subinterpreters.GROUP,
    footprint.GROUP,
    layouts.GROUP,
    python_types.GROUP,
)
GROUPS = ("seed", *USUAL, "values", functions.GROUP)
TIER = "SNOOZE_CPU"
TIERS = ("scalar", "v128", "avx2", "avx512")
SECONDS, QUICK = 3.0, 0.4


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(
        prog="python -m snooze_lab.race",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--group",
        action="append",
        choices=GROUPS,
        help=f"a group to race; may be repeated (default: {', '.join(USUAL)})",
    )
    parser.add_argument(
        "--only", metavar="NAME,...", help="only these rows of the groups"
    )
    parser.add_argument(
        "--file", action="append", type=Path, help="your own JSON file; may be repeated"
    )
    parser.add_argument("--direction", choices=DIRECTIONS, help="default: both")
    parser.add_argument(
        "--contenders",
        metavar="NAME,...",
        help=f"which libraries (of: {', '.join(contenders.json_names())})",
    )
    parser.add_argument(
        "--relative-to",
        metavar="NAME",
        default=REFERENCE,
        help="the library that speeds are relative to (default: orjson); where orjson "
        "cannot run, as on free-threaded CPython, also the reference of the slices",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="SECONDS",
        help=f"time for each document and direction (default {SECONDS:g})",
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"the same as --seconds {QUICK:g}"
    )
    parser.add_argument(
        "--full", action="store_true", help="use numpy arrays of 100 MB instead of 10"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the shuffled orders"
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="race with this interpreter ('make bench VERSION=3.14' prepares one)",
    )
    parser.add_argument(
        "--tier",
        choices=TIERS,
        help="the SIMD tier of snooze (default: the fastest of this processor)",
    )
    parser.add_argument(
        "--details",
        action="store_true",
        help="print a table for each row, however many there are",
    )
    parser.add_argument("--list", action="store_true", help="list the tasks, and exit")
    parser.add_argument(
        "--record",
        nargs="?",
        type=Path,
        const=run.FOLDER,
        metavar="PATH",
        help="write values and environment as JSON (default: lab/record/)",
    )
    options = parser.parse_args(arguments)
    if options.seconds is None:
        options.seconds = QUICK if options.quick else SECONDS
    if not options.seconds > 0:
        parser.error(f"--seconds: expected more than 0, found {options.seconds:g}")
    options.groups = options.group or ([] if options.file else list(USUAL))
    options.directions = [options.direction] if options.direction else list(DIRECTIONS)
    known = contenders.json_names()
    options.names = options.contenders.split(",") if options.contenders else known[:]
    for name in (*options.names, options.relative_to):
        if name not in known:
            parser.error(f"no contender '{name}'; there are: {', '.join(known)}")
    options.names += [
        name
        for name in dict.fromkeys((REFERENCE, options.relative_to))
        if name not in options.names
    ]
    return options


def chosen(options: argparse.Namespace) -> list[Task]:
    """Return the tasks that the options select, in the order of the groups."""
    ways = options.directions
    found: list[Task] = []
    for group in options.groups:
        if group in documents.GROUPS:
            found += cells.each(group, _works(group, options), ways)
        elif group == "kinds":
            rows, absent = kinds.kinds(kinds.WHOLE if options.full else kinds.TENTH)
            found += cells.each(group, rows, [one for one in ways if one == "dumps"])
            for name, reason in absent.items():
                print(table.paint(f"  left out: {name} ({reason})", table.RED))
        elif group == subinterpreters.GROUP and not subinterpreters.available():
            text = f"  left out: {group} (needs {subinterpreters.NEED})"
            print(table.paint(text, table.RED))
        elif group in ROWS:
            found += ROWS[group](ways)
    own = documents.files(options.file or [])
    if options.only:
        wanted = options.only.split(",")
        known = list(dict.fromkeys(one.name for one in found))
        unknown = [one for one in wanted if one not in known]
        if unknown:
            there = ", ".join(known) or "none in these groups"
            sys.exit(f"race: no row {', '.join(unknown)}; there are: {there}")
        found = [one for one in found if one.name in wanted]
    return found + cells.each("file", own, ways)


#: Groups with rows of their own: a function of the directions.
ROWS: dict[str, Callable[[list[str]], Sequence[Task]]] = {
    typed.GROUP: typed.rows,
    cold.GROUP: cold.rows,
    latency.GROUP: latency.rows,
    threads.GROUP: threads.rows,
    subinterpreters.GROUP: subinterpreters.rows,
    layouts.GROUP: layouts.rows,
    python_types.GROUP: python_types.rows,
    functions.GROUP: functions.rows,
}


def _works(group: str, options: argparse.Namespace) -> list[Workload]:
    """Return the documents of a group; none if they are missing and were not named."""
    try:
        return documents.GROUPS[group]()
    except WorkloadError as reason:
        if options.group or group != documents.HELD_OUT:
            raise
        print(table.paint(f"  left out: {reason}", table.RED))
        return []


def main() -> None:
    """Run the race that the command line describes."""
    options = parse()
    if options.python or options.tier not in {None, os.environ.get(TIER)}:
        _elsewhere(options)
    try:
        if options.record:
            run.check(options.record)
        todo = chosen(options)
    except (WorkloadError, OSError, ValueError) as reason:
        sys.exit(f"race: {reason}")
    entered, absent = contenders.enter(options.names)
    other = options.relative_to
    if other in absent:
        sys.exit(
            f"race: {other}, the reference, cannot run: {absent[other]}; choose "
            "another one, such as --relative-to msgspec"
        )
    if REFERENCE in absent:
        entered += contenders.enter([twin(other)])[0]
    found = run.tier()
    if options.tier and found not in {None, options.tier}:
        sys.exit(
            f"race: --tier {options.tier}: this processor has no tier above {found}"
        )
    whole = run.Run(options, entered, absent)
    run.introduce(whole, todo)
    if options.list:
        for task in todo:
            print(f"{task.group:<10} {task.direction} {task.name}")
        return
    run.measure(whole, todo)
    if options.record:
        print(f"record: {run.write(options.record, whole)}")


def _elsewhere(options: argparse.Namespace) -> None:
    """Restart with the same options: in another interpreter, in another tier.

    snooze chooses its tier when it is imported, from a variable of the environment.
    """
    words = sys.argv[1:]
    path = Path(sys.executable)
    if options.python:
        at = next(n for n, word in enumerate(words) if word.startswith("--python"))
        del words[at : at + (1 if "=" in words[at] else 2)]
        path = Path(options.python).expanduser()
    if not path.exists():
        sys.exit(f"race: no {path}; 'make bench VERSION=3.14' prepares an interpreter")
    command = [str(path), "-m", "snooze_lab.race", *words]
    variables = os.environ | {"PYTHONPATH": str(SOURCE)}
    if options.tier:
        variables[TIER] = options.tier
    os.execve(command[0], command, variables)  # noqa: S606 - the path is the user's
