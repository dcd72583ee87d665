"""Measure one cell again in detail: plain, or under perf, callgrind or memray.

Separate because a surprising figure is explained by one cell and other tools. The
request is the one of the run's own schedule; nothing is written into the run.
"""

from __future__ import annotations

import shlex
import shutil
import statistics
import sys
from typing import TYPE_CHECKING

from snooze_lab import UserError
from snooze_lab.model import Contest
from snooze_lab.planning.schedule import Schedule, Step, request
from snooze_lab.stored import samples
from snooze_lab.worker.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from snooze_lab.stored.store import Run

#: By tool: program, package, its file, its arguments, and how to view the file.
TOOLS = {
    "perf": (
        *("perf", "linux-perf", "perf.data"),
        "record -q -g -o {file} --",
        "perf report -i {file}",
    ),
    "callgrind": (
        *("valgrind", "valgrind", "callgrind.out"),
        "--tool=callgrind --callgrind-out-file={file} -q",
        "callgrind_annotate {file}",
    ),
    "memray": (
        *("", "", "memray.bin"),
        "-m memray run --native -f -o {file}",
        "{python} -m memray tree {file}",
    ),
}


class ReplayError(UserError):
    """A cell cannot be replayed; the message says why, and what would help."""


def cell(run: Run, name: str) -> tuple[Contest, str]:
    """Return the contest and contender that a name refers to.

    A name is that of a contest followed, after a blank or `#`, by that of a contender;
    parts suffice if they match one cell only.
    """
    contests = [Contest.from_json(one) for one in run.plan()["contests"]]
    cells = [(contest, who) for contest in contests for who in contest.contenders]
    whole = name.replace("#", " ")
    part, _, contender = whole.strip().partition(" ")
    found = [one for one in cells if whole == f"{one[0].id} {one[1]}"] or [
        one for one in cells if part in one[0].id and contender.strip() in {"", one[1]}
    ]
    if len(found) != 1:
        some = ", ".join(f"'{contest.id} {who}'" for contest, who in found[:4])
        raise ReplayError(
            f"{name!r} fits {len(found)} cells{': ' + some if some else ''}; name one "
            "as 'study/table/workload/operation contender'"
        )
    return found[0]


def launcher(tool: str, folder: Path, python: str) -> tuple[Launcher, str]:
    """Return how to start a worker under a tool, and the command to view its result."""
    if not tool:
        return Launcher(python=python), ""
    program, package, file, arguments, view = TOOLS[tool]
    where = shutil.which(program) if program else python
    if where is None:
        raise ReplayError(f"{tool} is not installed (Debian: apt install {package})")
    out = folder / file
    out.unlink(missing_ok=True)
    prefix = (where, *(word.format(file=out) for word in arguments.split()))
    # memray runs modules itself, with the interpreter that runs it: `-m` once more
    # takes the place of the worker's.
    launch = Launcher(python=python if program else "-m", prefix=prefix)
    paths = {"file": shlex.quote(str(out)), "python": shlex.quote(python)}
    return launch, view.format(**paths)


def replay(
    run: Run, name: str, tool: str, folder: Path, say: Callable[[str], None]
) -> None:
    """Take one more sample of a cell and print the result."""
    contest, contender = cell(run, name)
    plan = run.plan()
    metric = next(one for one in (*contest.metrics, "time") if one != "energy")
    schedule = Schedule([], plan["seed"], plan["values"], plan["slice_s"])
    step = Step("replay", contest, contender, 0, 0, metric, 1.0)
    asked = request(step, schedule)
    if tool:
        folder.mkdir(parents=True, exist_ok=True)
    launch, then = launcher(tool, folder, plan["python"] or sys.executable)
    launch.pin = plan.get("pin")
    launch.path = tuple(plan.get("path", ()))
    say(f"{contest.id}, {contender}")
    say(f"asked: {asked}")
    before = [
        one
        for one in run.samples()
        if one["contest"] == contest.id and one.get("contender") == contender
    ]
    sample = launch(asked, int(before[0].get("hash_seed", 0)) if before else 0)
    if sample.get("status") != "ok":
        raise ReplayError(f"{sample.get('status')}: {sample.get('error')}")
    for key, values in sample["values"].items():
        middle, unit = statistics.median(values), samples.unit_of(key)
        say(f"{key}: median {middle:,.1f} of {len(values)} ({unit}): {values}")
    times = [time for one in before for time in one.get("values", {}).get("time", [])]
    if times:
        say(f"the run had: median {statistics.median(times):,.1f} of {len(times)}")
    say(f"resources: {sample.get('rusage')}, collections: {sample.get('gc')}")
    if then:
        say(f"look at it with: {then}")
