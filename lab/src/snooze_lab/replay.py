"""Measure one cell again in detail: plain, or under perf, callgrind or memray.

Separate because a surprising figure is explained by examining one cell for longer, with
other tools. Invariant: the request is the one of the run's own schedule, with the hash
seed of the sample; nothing is written into the run. Used by cli.py.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from typing import TYPE_CHECKING, Any

from snooze_lab.launch import Launcher
from snooze_lab.model import Contest
from snooze_lab.schedule import Schedule, Step, request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from snooze_lab.store import Run

TOOLS = ("perf", "callgrind", "memray")


class ReplayError(Exception):
    """A cell cannot be replayed; the message says why, and what would help."""


def cell(run: Run, name: str) -> tuple[Contest, str]:
    """Return the contest and contender that a name refers to.

    A name is that of a contest followed, after a blank or `#`, by that of a contender;
    parts suffice if they match one cell only.
    """
    contests = [Contest.from_json(one) for one in run.plan()["contests"]]
    whole = name.replace("#", " ")
    found = [
        (contest, contender)
        for contest in contests
        for contender in contest.contenders
        if whole == f"{contest.id} {contender}"
    ]
    if not found:
        words = whole.split() or [whole]
        found = [
            (contest, contender)
            for contest in contests
            for contender in contest.contenders
            if words[0] in contest.id
            and (len(words) == 1 or " ".join(words[1:]) == contender)
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
    if tool == "memray":
        out = folder / "memray.bin"
        out.unlink(missing_ok=True)
        prefix: tuple[str, ...] = (
            python,
            "-m",
            "memray",
            "run",
            "--native",
            "-f",
            "-o",
            str(out),
        )
        # memray runs `-m module` itself: the command's own interpreter is dropped.
        return Launcher(python="-m", prefix=prefix), f"python -m memray tree {out}"
    program = shutil.which("valgrind" if tool == "callgrind" else tool)
    if program is None:
        package = {"callgrind": "valgrind", "perf": "linux-perf"}[tool]
        raise ReplayError(f"{tool} is not installed (Debian: apt install {package})")
    if tool == "perf":
        out = folder / "perf.data"
        prefix = (program, "record", "-q", "-g", "-o", str(out), "--")
        return Launcher(python=python, prefix=prefix), f"perf report -i {out}"
    out = folder / "callgrind.out"
    prefix = (program, "--tool=callgrind", f"--callgrind-out-file={out}", "-q")
    return Launcher(python=python, prefix=prefix), f"callgrind_annotate {out}"


def replay(
    run: Run, name: str, tool: str, folder: Path, say: Callable[[str], None]
) -> dict[str, Any]:
    """Take one more sample of a cell and print the result."""
    contest, contender = cell(run, name)
    found = run.plan()
    metric = next(one for one in (*contest.metrics, "time") if one != "energy")
    schedule = Schedule([], found["seed"], found["values"], found["slice_s"])
    step = Step("replay", contest, contender, 0, 0, metric, 1.0)
    asked = request(step, schedule)
    if tool:
        folder.mkdir(parents=True, exist_ok=True)
    launch, then = launcher(tool, folder, found["python"] or sys.executable)
    launch.pin = found.get("pin")
    launch.path = tuple(found.get("path", ()))
    say(f"{contest.id}, {contender}")
    say(f"asked: {asked}")
    sample = launch(asked, _hash_seed(run, contest.id, contender))
    if sample.get("status") != "ok":
        raise ReplayError(f"{sample.get('status')}: {sample.get('error')}")
    for key, values in sample["values"].items():
        middle = statistics.median(values)
        say(f"{key}: median {middle:,.1f} of {len(values)} ({_unit(key)}): {values}")
    before = [
        one
        for sample_ in run.samples()
        if sample_["contest"] == contest.id and sample_.get("contender") == contender
        for one in sample_.get("values", {}).get("time", [])
    ]
    if before:
        say(f"the run had: median {statistics.median(before):,.1f} of {len(before)}")
    say(f"resources: {sample.get('rusage')}, collections: {sample.get('gc')}")
    if then:
        say(f"look at it with: {then}")
    return sample


def _unit(key: str) -> str:
    return "ns" if key == "time" or key.startswith("phase") else "bytes"


def _hash_seed(run: Run, contest: str, contender: str) -> int:
    for sample in run.samples():
        if sample["contest"] == contest and sample.get("contender") == contender:
            return int(sample.get("hash_seed", 0))
    return 0
