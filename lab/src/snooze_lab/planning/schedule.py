"""The order of a run: randomised complete blocks, a fresh process for every sample.

Separate because the order makes samples comparable (METHODOLOGY.md, "Order"). Each
block runs every contest, and within it every contender, in shuffled order and
consecutively; the sequence follows from the run's seed. The verification before the run
is here as well: a contender that crashes or hangs meanwhile fails alone.
"""

from __future__ import annotations

import dataclasses
import os
import random
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab.worker import guard

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from snooze_lab.model import Contest
    from snooze_lab.worker.launch import Launcher

VALUES, SLICE_S = 5, 0.015
#: Metrics that need a separate process.
KINDS = ("time", "phases", "memory", "energy", "conformance")
#: Planned processes of the interleaved instrument for a contest, at most.
INTERLEAVED = 5
#: Processes that a contender may end during verification before it is given up.
MOST_FAILURES = 3
#: Processes that verify side by side: each may hold a document several times.
MOST_AT_ONCE = 4
#: Rough overhead of a worker in seconds, for the time left.
START_S = 0.25


@dataclass(frozen=True)
class Step:
    """One process: its request, and its estimated duration."""

    kind: str
    contest: Contest
    contender: str
    block: int
    position: int
    metric: str
    seconds: float
    #: Whom the interleaved instrument races.
    among: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return the key of its sample."""
        return self.kind, self.contest.id, self.contender, self.block


@dataclass
class Progress:
    """The progress that a listener gets before each step and at the end."""

    done: int
    steps: int
    seconds_left: float
    text: str


@dataclass
class Schedule:
    """The steps of a run, in order."""

    contests: list[Contest]
    seed: int
    values: int = VALUES
    slice_s: float = SLICE_S
    #: Energy meters to read where a contest asks for energy.
    meters: list[str] = field(default_factory=list)
    #: Coefficients of the estimating meter, as plain data.
    calibration: dict[str, Any] | None = None
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Lay the steps out."""
        dice = random.Random(self.seed)
        blocks = max((one.blocks for one in self.contests), default=0)
        for block in range(blocks):
            due = [one for one in self.contests if block < one.blocks]
            dice.shuffle(due)
            for contest in due:
                steps = self._block(contest, block, contest.contenders, dice)
                enough = block >= INTERLEAVED
                self.steps += [
                    step for step in steps if step.kind != "interleaved" or not enough
                ]

    def further(
        self, contest: Contest, block: int, contenders: Container[str]
    ) -> list[Step]:
        """Return the steps of a further block: times of the baseline and of these."""
        dice = random.Random(f"{self.seed} {contest.id} {block}")
        names = [
            one
            for one in contest.contenders
            if one in contenders or one == contest.baseline
        ]
        timed = dataclasses.replace(contest, metrics=("time",))
        steps = self._block(timed, block, names, dice)
        return [dataclasses.replace(step, contest=contest) for step in steps]

    def _block(
        self, contest: Contest, block: int, names: Iterable[str], dice: random.Random
    ) -> list[Step]:
        order = list(names)
        dice.shuffle(order)
        steps = []
        if "isolated" in contest.instruments:
            for kind in KINDS:
                # Without a meter here, nothing measures or estimates energy.
                if kind not in contest.metrics or (
                    kind == "energy" and not self.meters
                ):
                    continue
                name = "isolated" if kind == "time" else kind
                seconds = START_S + contest.rest + 3 * self.values * self.slice_s
                steps += [
                    Step(name, contest, one, block, place, kind, seconds)
                    for place, one in enumerate(order)
                ]
        if "interleaved" in contest.instruments:
            seconds = contest.rest + contest.seconds + 0.1 * len(order) + START_S
            kind = "interleaved"
            among = tuple(order)
            steps.append(Step(kind, contest, "", block, 0, kind, seconds, among))
        return steps


def verify(
    contests: list[Contest],
    launch: Launcher,
    told: Callable[[Progress], None],
    at_once: int = 0,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return, by contest and contender, whether the result was right.

    One process judges all contenders of a contest. If it dies, the contender that it
    was judging has failed, and another process judges the rest. A contender that has
    ended MOST_FAILURES processes is not tried again.

    Nothing is timed, so processes run side by side: `at_once`, or by default as many as
    there are processors, up to MOST_AT_ONCE. Large documents, of which two may not fit
    into memory, are judged one by one.
    """
    # Tables share contests (a figure and its table of times), which are judged once.
    subjects: dict[tuple[Any, ...], Contest] = {}
    for contest in contests:
        subjects.setdefault(_subject(contest), contest)
    judged: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    failures: dict[str, list[str]] = {}
    workers = at_once or _at_once(launch)

    def share(chosen: list[Contest], workers: int) -> None:
        pool = ThreadPoolExecutor(workers)
        try:
            pending = {
                pool.submit(_verified, one, launch, failures): one for one in chosen
            }
            for done in as_completed(pending):
                one = pending[done]
                judged[_subject(one)] = done.result()
                left = 0.3 * (len(subjects) - len(judged)) / workers
                text = f"verified {one.id}"
                told(Progress(len(judged), len(subjects), left, text))
        except BaseException:
            launch.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    large = [
        one for one in subjects.values() if guard.stated(one.workload) > guard.SMALL
    ]
    share([one for one in subjects.values() if one not in large], workers)
    share(large, 1)
    return {one.id: judged[_subject(one)] for one in contests}


def _subject(contest: Contest) -> tuple[Any, ...]:
    """Return what the verification of a contest depends on."""
    return contest.workload, contest.operation, contest.factors, contest.contenders


def _at_once(launch: Launcher) -> int:
    if launch.pin is not None:
        return 1
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    return min(len(usable(0)), MOST_AT_ONCE)


def _verified(
    contest: Contest, launch: Launcher, failures: dict[str, list[str]]
) -> dict[str, dict[str, Any]]:
    """Judge a contest; `failures` has what each contender has done, and is added to."""
    judged: dict[str, dict[str, Any]] = {}
    for name in contest.contenders:
        known = failures.get(name, [])
        if len(known) >= MOST_FAILURES:
            reason = f"not tried, after it failed {len(known)} times; last: {known[-1]}"
            judged[name] = {"status": "failed", "reason": reason}
    pending = [one for one in contest.contenders if one not in judged]
    while pending:
        heard: list[dict[str, Any]] = []
        answer = launch(
            _request(guard.beginning(contest), "verify", contenders=pending),
            0,
            heard.append,
        )
        for line in heard:
            if "contender" in line:
                judged[line["contender"]] = line
        judged |= answer.get("verified", {})
        rest = [one for one in pending if one not in judged]
        if rest:
            # It died: blame the current contender, or else the common set-up.
            reason = answer.get("error", "no verdict")
            running = answer.get("running", "")
            if running in rest:
                failures.setdefault(running, []).append(reason)
            for name in [running] if running in rest else rest:
                judged[name] = {"status": "failed", "reason": reason}
        pending = [one for one in rest if one not in judged]
    return judged


def _request(contest: Contest, task: str, **more: Any) -> dict[str, Any]:
    return {
        "task": task,
        "workload": contest.workload,
        "operation": contest.operation,
        "factors": dataclasses.asdict(contest.factors),
        "baseline": contest.baseline,
        **more,
    }


def request(step: Step, schedule: Schedule) -> dict[str, Any]:
    """Return the request for the worker of a step."""
    contest = step.contest
    if step.kind == "interleaved":
        return _request(
            contest,
            "interleaved",
            contenders=list(step.among),
            seconds=contest.seconds,
            seed=schedule.seed * 1_000 + step.block,
            cached=not step.block,  # the first process looks for cached results
        )
    return _request(
        contest,
        step.metric,
        contender=step.contender,
        values=1 if contest.loops else schedule.values,
        seconds=contest.seconds,
        slice=schedule.slice_s,
        loops=contest.loops,
        repeats=contest.repeats,
        meters=schedule.meters if "energy" in contest.metrics else [],
        calibration=schedule.calibration,
        rest=contest.rest,
    )
