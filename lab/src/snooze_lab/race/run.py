"""One invocation of the race: the chosen measurements, their output and record.

Separate from the command line, which says what is chosen. A result is shown as soon as
it is there, and all of them again in summaries at the end. The record holds the ratios
with their intervals, for the rounds of each contender the count, extremes, quartiles
and median, and the machine: figures of different machines must not be compared.
Invariant: what an older record holds keeps its name and meaning. Used by command.py.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import platform
import random
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab.data import cache
from snooze_lab.machine import env
from snooze_lab.model import OURS, REFERENCE, STANDARD, original, twin
from snooze_lab.race import (
    cells,
    cold,
    footprint,
    functions,
    goals,
    latency,
    layouts,
    memory,
    python_types,
    scaling,
    subinterpreters,
    table,
    threads,
    typed,
)
from snooze_lab.race.cells import EndedError, apart
from snooze_lab.timing import stopwatch
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    import argparse

    from snooze_lab.contenders import Contender
    from snooze_lab.race.cells import Cell, Task

BLOCKS = 12  # with at most this many cells, each is shown as a separate table
#: Groups whose rows get another part of the time than documents.
PART = {
    "tiny": 0.5,
    "kinds": 0.6,
    "values": 0.6,
    layouts.GROUP: 0.4,
    python_types.GROUP: 0.4,
    functions.GROUP: 0.6,
}
#: Groups whose results are no cells: what measures a task, and the text of its row.
APART = {
    latency.GROUP: (latency.measure, latency.line),
    threads.GROUP: (threads.measure, scaling.line),
    subinterpreters.GROUP: (subinterpreters.measure, scaling.line),
}
#: Who takes part in those unless contenders are named: with more there would be few
#: calls of each.
FEW = (OURS, REFERENCE, "msgspec", STANDARD)
#: Groups of calls that are no library's plain ones, and their own summaries.
SHOWN = {layouts.GROUP: layouts.shown, functions.GROUP: functions.shown}
FOLDER = Path(__file__).resolve().parents[3] / "record"
#: The facts of env.py that a record of the race keeps.
FACTS = (
    "date",
    "processor",
    "processors",
    "machine",
    "libc",
    "load",
    "implementation",
    "free_threaded",
    "allocator",
)


@dataclass
class Run:
    """All results of one invocation."""

    options: argparse.Namespace
    entered: list[Contender]
    absent: dict[str, str]
    cells: list[Cell] = field(default_factory=list)
    apart: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {group: [] for group in APART}
    )
    memory: list[dict[str, Any]] = field(default_factory=list)
    footprint: dict[str, Any] = field(default_factory=dict)
    #: What was to be measured, finished or not.
    todo: list[Task] = field(default_factory=list)

    @property
    def reference(self) -> str:
        """The library that the lengths of slices and the noise are measured with."""
        is_there = any(one.name == REFERENCE for one in self.entered)
        return REFERENCE if is_there else str(self.options.relative_to)


def measure(run: Run, todo: list[Task]) -> None:
    """Measure and show every task, then the groups without tasks, then summaries.

    Ctrl-C ends the program with the summaries of what is finished.
    """
    dice = random.Random(run.options.seed)
    run.todo = todo
    try:
        _tasks(run, todo, dice)
        _others(run, dice)
    except KeyboardInterrupt:
        table.progress("")
        text = "INCOMPLETE: stopped; what follows is of the finished rows only"
        text += ", and no record is written" if run.options.record else ""
        print(table.paint(text, table.RED))
        _conclude(run)
        sys.exit(130)
    _conclude(run)


def _tasks(run: Run, todo: list[Task], dice: random.Random) -> None:
    options = run.options
    stopwatch.quieten()
    plain = [task for task in todo if task.group not in APART]
    blocks = options.details or len(plain) <= BLOCKS
    if plain and not blocks:
        print(table.paint(table.line_head(options.relative_to), table.BOLD))
    for number, task in enumerate(todo):
        step = f"{number + 1}/{len(todo)} {task.direction} {task.name}: "
        setting = _setting(run, task, dice, step)
        try:
            text = _one(run, task, setting, blocks=blocks)
        except EndedError as reason:
            text = table.paint(f"{task.direction} {task.name}: {reason}", table.RED)
        dice = random.Random(dice.random())
        table.progress("")
        print(text, flush=True)


def _setting(run: Run, task: Task, dice: random.Random, step: str) -> cells.Setting:
    """Return who races a task and for how long; `step` begins lines of progress."""
    libraries, options = run.entered, run.options
    if task.group in APART and not options.contenders:
        few = {*FEW, options.relative_to, twin(run.reference)}
        libraries = [one for one in libraries if one.name in few]
    return cells.Setting(
        libraries,
        _seconds(options, task),
        dice,
        lambda text: table.progress(step + text),
        run.reference,
    )


def _one(run: Run, task: Task, setting: cells.Setting, *, blocks: bool) -> str:
    """Measure one task, keep the result, and return its table or line.

    A contender that ends its process loses this row, and the others race again.
    """
    relative_to = run.options.relative_to
    lost: dict[str, str] = {}
    while True:
        try:
            found = apart(functools.partial(_measured, task, setting))
            break
        except EndedError as ended:
            others = [one for one in setting.libraries if one.name != ended.running]
            if len(others) in {0, len(setting.libraries)}:
                raise
            lost[ended.running] = str(ended)
            setting = dataclasses.replace(setting, libraries=others)
    found["wrong"] |= lost
    if task.group in APART:
        run.apart[task.group].append(found)
        _, line = APART[task.group]
        return line(found, relative_to)
    cell = cells.Cell(task, **found)
    run.cells.append(cell)
    if blocks and task.group != cold.GROUP:
        return table.block(cell, relative_to) + "\n"
    return table.line(cell, relative_to)


def _measured(task: Task, setting: cells.Setting) -> dict[str, Any]:
    """Return the figures of a task: the row of its group, or the parts of a cell."""
    if task.group in APART:
        measured, _ = APART[task.group]
        return measured(task, setting)
    if isinstance(task, cold.Cold):
        return cold.race(task, setting).figures()
    return cells.race(task, setting).figures()


def _seconds(options: argparse.Namespace, task: Task) -> float:
    return float(options.seconds * PART.get(task.group, 1))


def _others(run: Run, dice: random.Random) -> None:
    """Measure the groups that are no tasks: each figure needs a process of its own."""
    options = run.options
    if memory.GROUP in options.groups:
        run.memory = memory.measure(
            [one.name for one in run.entered if not original(one.name)],
            options.directions,
            runs=1 if options.quick else memory.RUNS,
            progress=table.progress,
        )
    if footprint.GROUP in options.groups:
        runs = footprint.QUICK if options.quick else footprint.RUNS
        run.footprint = footprint.measure(runs=runs, dice=dice, progress=table.progress)
    table.progress("")


def introduce(run: Run, todo: list[Task]) -> None:
    """Print who races on what, who cannot and why, and for about how long."""
    options = run.options
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{python} on {env.processor()}"[: table.WIDTH])
    print(f"SIMD tier of snooze: {tier() or 'unknown'}")
    # The version of the standard library is Python's, which is above.
    racing = [
        one.name if one.name == STANDARD else f"{one.name} {one.version}"
        for one in run.entered
        if not original(one.name)
    ]
    text = f"racing {', '.join(racing)}"
    print(textwrap.fill(text, table.WIDTH, subsequent_indent="  "))
    for name, reason in run.absent.items():
        text = f"  not available: {name} ({reason})"
        print(table.paint(text[: table.WIDTH], table.RED))
    if "documents" in options.groups and documents.missing():
        print(f"not fetched: {', '.join(documents.missing())}")
        print("  (snooze-lab data get simdjson)")
    seconds = sum(_seconds(options, one) + 1 for one in todo)
    seconds += 90 * (memory.GROUP in options.groups)
    seconds += 10 * (footprint.GROUP in options.groups)
    print(f"about {seconds:.0f} seconds; results verified first\n", flush=True)


def _conclude(run: Run) -> None:
    """Print the summaries, the goals, and the noise."""
    print()
    for group in dict.fromkeys(cell.task.group for cell in run.cells):
        _summarise(run, group)
    for group in (threads.GROUP, subinterpreters.GROUP):
        if run.apart[group]:
            print(scaling.shown(run.apart[group]) + "\n")
    if run.memory:
        print(memory.shown(run.memory) + "\n")
    if run.footprint:
        print(footprint.shown(run.footprint) + "\n")
    print(goals.shown(judged(run)) + "\n")
    warm = [cell for cell in run.cells if cell.task.group != cold.GROUP]
    print(table.noise(cells.noise(warm, run.reference), run.reference))
    if any(cell.task.workload.note == "look-alike" for cell in run.cells):
        print("Look-alikes: do not compare with published figures.")


def judged(run: Run) -> list[goals.Goal]:
    """Return the goals; those over a group that is not complete were not measured."""
    done = {_place(cell.task) for cell in run.cells}
    partial = {_place(task)[:2] for task in run.todo if _place(task) not in done}
    if run.options.only:
        partial |= {place[:2] for place in done}
    return goals.rows(run.cells, run.memory, partial)


def _place(task: Task) -> tuple[str, str, str]:
    return task.group, task.direction, task.name


def _summarise(run: Run, group: str) -> None:
    """Print the summary of one group of the interleaved race."""
    found = [cell for cell in run.cells if cell.task.group == group]
    names = list(dict.fromkeys(name for cell in found for name in cell.times))
    if group in SHOWN:
        title = f"{group}: speed of one call relative to another, higher is faster"
        print(f"{table.paint(title, table.BOLD)}\n\n{SHOWN[group](found)}\n")
        return
    other = run.options.relative_to
    title = f"{group}: speed relative to {other}, higher is faster"
    print(table.paint(title, table.BOLD))
    for direction in run.options.directions:
        text = table.summary(found, direction, names, other)
        if text:
            print(f"\n{text}")
    if group == "tiny":
        print(f"\n{table.calls(found, names)}")
    if group == typed.GROUP:
        print(f"\n{table.rates(found, names)}")
    print()


def environment() -> dict[str, Any]:
    """Return the known facts about the machine and the Python."""
    found = env.record({})
    return {name: found[name] for name in FACTS} | {
        "system": found["kernel"],
        "python": sys.version,
        "tier": tier(),
        "snooze_cpu": os.environ.get("SNOOZE_CPU", "default"),
    }


def tier() -> str | None:
    """Return the SIMD tier that snooze uses, or None if it cannot be imported."""
    return env.simd().get("snooze")


def check(path: Path) -> None:
    """Refuse a place where `write` could not write the record; OSError."""
    folder = path.parent
    if _is_folder(path):
        # It is made when it is needed.
        folder = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not folder.is_dir():
        what = "no folder" if folder.exists() else "no such folder"
        raise OSError(f"--record {path}: {what}: {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"--record {path}: {folder} cannot be written to")


def _is_folder(path: Path) -> bool:
    return path.is_dir() or not path.suffix


def write(path: Path, run: Run) -> Path:
    """Write the record, all or nothing; in a folder, with date, Python and tier."""
    surroundings = environment()
    if _is_folder(path):
        moment = re.sub(r"[^0-9T]", "", surroundings["date"][:19])
        python = f"py{sys.version_info[0]}.{sys.version_info[1]}"
        words = [moment, python, surroundings["tier"]]
        path /= "-".join(word for word in words if word) + ".json"
    options = run.options
    whole = {
        "format": 4,
        "environment": surroundings,
        "settings": {
            "groups": options.groups,
            "only": options.only,
            "seconds": options.seconds,
            "seed": options.seed,
            "full": options.full,
        },
        "versions": {one.name: one.version for one in run.entered},
        "absent": run.absent,
        "cells": [cell.as_record() for cell in run.cells],
        **run.apart,
        "memory": run.memory,
        "footprint": run.footprint,
        "goals": [dataclasses.asdict(one) for one in judged(run)],
    }
    return cache.write(path, [lined(whole, r"\[", r"\]").encode()])


def lined(whole: dict[str, Any], begin: str, end: str) -> str:
    """Return JSON with a line for each innermost list or object, for diffs."""
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    innermost = rf"({begin})\s+([^][{{}}]*?)\s+({end})"

    def one_line(found: re.Match[str]) -> str:
        return found[1] + re.sub(r"\s*\n\s*", " ", found[2]) + found[3]

    return re.sub(innermost, one_line, text) + "\n"
