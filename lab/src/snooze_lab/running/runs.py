"""A run from beginning to end: choose, check, verify, plan, measure.

Separate because `run`, `byob` and the tests must take the same steps. What is left out
is in the plan with its reason, before anything is timed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders, meters, scale
from snooze_lab.machine import env
from snooze_lab.model import AGAIN, Contest
from snooze_lab.native import study as native_study
from snooze_lab.planning import plan, schedule
from snooze_lab.planning.schedule import Progress, Schedule
from snooze_lab.race import practical
from snooze_lab.results.derive import derive
from snooze_lab.running import execution
from snooze_lab.scale import study as scale_study
from snooze_lab.stored import store
from snooze_lab.worker.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from snooze_lab.meters.base import Coefficients
    from snooze_lab.planning.plan import Chosen, Study, Table
    from snooze_lab.stored.store import Run

#: The time for all samples of a run in seconds, by profile. What the planned blocks
#: leave of it goes to comparisons that are still open; other profiles stop there.
LIMITS = {"standard": 600.0}
#: Libraries that provide classes for structures.
USED = {"pydantic": ("pydantic_core", "pydantic-core"), "attrs": ("attr", "attrs")}


@dataclass
class Settings:
    """How a run is done; `told` is called at each step."""

    profile: str = "smoke"
    seed: int = 0
    output: Path | None = None
    launch: Launcher = field(default_factory=Launcher)
    told: Callable[[Progress], None] = lambda _progress: None
    calibration: Coefficients | None = None
    #: Whether contests were selected by name.
    only: bool = False
    #: Contenders without which there is nothing to measure.
    required: tuple[str, ...] = ()


def start(chosen: Chosen, settings: Settings) -> Run:
    """Verify everything, write the plan, and return the run without timing anything."""
    moment = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    name = f"{re.sub(r'[^0-9T]', '', moment[:19])}-{settings.profile}"
    path = settings.output or store.folder() / name
    with store.writable(path):
        planned, here = _planned(chosen, settings)
        return store.Run.create(path, planned | {"started": moment}, here)


def _planned(
    chosen: Chosen, settings: Settings
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Verify everything; return the plan, and the record of the environment."""
    contests = [
        contest
        for _, tables in chosen
        for table in tables
        for contest in table.contests
    ]
    seen: dict[str, Contest] = {}
    for contest in contests:
        if seen.setdefault(contest.id, contest) != contest:
            raise plan.StudyError(f"two contests are called {contest.id}")
    here = environment(settings.launch, {n for one in contests for n in one.contenders})
    own = [one for one in contests if one.study == scale.NAME]
    others = [one for one in contests if one.study != scale.NAME]
    verified = schedule.verify(others, settings.launch, settings.told)
    if own:
        readers = scale_study.Readers(settings.launch.python)
        verified |= scale_study.verdicts(own, readers)
    for name in settings.required:
        said = [one[name] for one in verified.values() if name in one]
        if said and all(one["status"] == "absent" for one in said):
            raise store.RunError(f"{name}: cannot be used: {said[0]['reason']}")
    described = [_described(study, tables) for study, tables in chosen]
    for study in described:
        if study["name"] == native_study.STUDY and not settings.only:
            programs = native_study.contests(settings.profile, settings.told)
            if programs:
                study["tables"].append(native_study.table(programs).as_json())
                verified |= native_study.verdicts(programs)
                contests += programs
    planned = {
        "profile": settings.profile,
        "seed": settings.seed or random.SystemRandom().randrange(1, 2**31),
        "python": settings.launch.python,
        "pin": settings.launch.pin,
        "path": list(settings.launch.path),
        "values": schedule.VALUES,
        "slice_s": schedule.SLICE_S,
        "limit_s": LIMITS.get(settings.profile, 0.0),
        "calibration": settings.calibration
        and dataclasses.asdict(settings.calibration),
        "meters": [meter.name for meter in meters.working(settings.calibration)],
        "studies": described,
        "contests": [contest.as_json() for contest in contests],
        "verified": verified,
        "practical": _is_practical(settings, described),
    }
    return planned, here


def environment(launch: Launcher, names: Iterable[str]) -> dict[str, Any]:
    """Return the record of the workers' Python, machine and libraries.

    RunError if no worker of the laboratory can run.
    """
    asked = {"task": "environment", "libraries": libraries(sorted(names))}
    answer = launch(asked)
    if answer.get("status") != "ok":
        raise store.RunError(
            f"{launch.python}: workers do not run with it, they need CPython from 3.11 "
            f"on: {answer.get('error')}"
        )
    found: dict[str, Any] = answer["environment"]
    return found


def reopen(name: str, settings: Settings) -> Run:
    """Return a run to continue, and start workers as it did.

    RunError if the machine, the Python or a library has changed since: the samples
    would come from two environments.
    """
    run = store.Run.open(name)
    found = run.plan()
    if found["profile"] == "imported":
        raise store.RunError(f"{run.path}: imported, so there is nothing to continue")
    settings.launch.python = found["python"]
    settings.launch.pin = found.get("pin")
    settings.launch.path = tuple(found.get("path", ()))
    names = {who for one in found["contests"] for who in one["contenders"]}
    before, now = run.env(), environment(settings.launch, names)
    differing = env.differences(before, now)
    then, there = before.get("libraries", {}), now.get("libraries", {})
    differing += [
        f"{one}: {then[one]['version']} and {there[one]['version']}, or other files"
        for one in sorted(then.keys() & there.keys())
        if then[one] != there[one]
    ]
    if differing:
        raise store.RunError(
            f"{run.path}: its samples are of another environment, make a new run:\n  "
            + "\n  ".join(differing)
        )
    return run


def libraries(names: list[str]) -> dict[str, tuple[str, str]]:
    """Return (import name, distribution) of each contender, for the record.

    Ways of using a library are not contenders here: their libraries are recorded
    whenever installed.
    """
    found = dict(USED)
    for name in names:
        with contextlib.suppress(contenders.UnknownContenderError):
            library = contenders.known(name)
            if name != AGAIN:
                found[name] = (library.module, library.distribution)
    return found


def go_on(run: Run, settings: Settings) -> dict[str, Any]:
    """Take the missing samples, derive the results, and return them."""
    found = run.plan()
    contests = [Contest.from_json(one) for one in found["contests"]]
    native = [one for one in contests if one.table == native_study.TABLE]

    def order(chosen: list[Contest]) -> Schedule:
        settled = (found["values"], found["slice_s"], found["meters"])
        return Schedule(chosen, found["seed"], *settled, found["calibration"])

    run.trim()
    limit = found.get("limit_s", 0.0)
    scaled = [one for one in contests if one.study == scale.NAME]
    workers = order([one for one in contests if one not in native + scaled])
    # What has no further blocks comes first: the time that it leaves is for the others.
    if scaled:
        readers = scale_study.Readers(found["python"])
        execution.execute(run, order(scaled), readers, settings.told)
    if native:
        programs = native_study.programs()
        execution.execute(run, order(native), programs, settings.told)
    execution.execute(run, workers, settings.launch, settings.told, limit)
    _practical(run, settings)
    derived = derive(run)
    run.write(store.RESULTS, derived)
    return derived


def _is_practical(settings: Settings, studies: list[dict[str, Any]]) -> bool:
    """Tell whether a run also measures what practical.py has: the usual runs do."""
    whole = any(study["name"] == practical.STUDY for study in studies)
    return whole and not settings.only and settings.profile in practical.SECONDS


def _practical(run: Run, settings: Settings) -> None:
    """Measure what people ask beside the studies, unless a resumed run has it."""
    found = run.plan()
    if not found.get("practical") or (run.path / practical.FILE).exists():
        return

    def say(text: str) -> None:
        settings.told(Progress(0, 0, 15.0, text))

    names = [who for one in found["contests"] for who in one["contenders"]]
    made = practical.measure(found["profile"], names, settings.launch, say)
    run.write(practical.FILE, made)


def _described(study: Study, tables: list[Table]) -> dict[str, Any]:
    names = ("name", "title", "seed", "question", "digest")
    described = {key: getattr(study, key) for key in names}
    return described | {"tables": [table.as_json() for table in tables]}
