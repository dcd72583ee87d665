"""The order of a run: randomised complete blocks, a fresh process for every sample.

Separate because the order makes samples comparable. Each block runs every contest, in
shuffled order, and within it every contender, in shuffled order and consecutively, so
that ratios compare neighbours in time. Invariants: a contender that is missing or whose
result was wrong is never timed; each sample is appended as soon as it is done, and
existing samples are not repeated; the sequence follows from the run's seed. Used by
cli.py, byob.py and the tests.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab import guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.launch import Launcher
    from snooze_lab.model import Contest
    from snooze_lab.store import Run

VALUES, SLICE_S = 5, 0.015
#: Metrics that need a separate process.
KINDS = ("time", "phases", "memory", "energy", "conformance")
#: Processes of the interleaved instrument for a contest, at most.
INTERLEAVED = 3
#: Rough overhead of a worker in seconds, for the time left.
START_S = 0.12


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
    calibration: str = ""
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Lay the steps out."""
        dice = random.Random(self.seed)
        blocks = max((one.blocks for one in self.contests), default=0)
        for block in range(blocks):
            due = [one for one in self.contests if block < one.blocks]
            dice.shuffle(due)
            for contest in due:
                self._block(contest, block, dice)

    def _block(self, contest: Contest, block: int, dice: random.Random) -> None:
        order = list(contest.contenders)
        dice.shuffle(order)
        if "isolated" in contest.instruments:
            wanted = [one for one in KINDS if one in contest.metrics]
            for kind in wanted:
                if kind == "energy" and not self.meters:
                    continue  # no meter here measures or estimates it
                for position, contender in enumerate(order):
                    self.steps.append(
                        Step(
                            "isolated" if kind == "time" else kind,
                            contest,
                            contender,
                            block,
                            position,
                            kind,
                            self._guess(contest),
                        )
                    )
        if "interleaved" in contest.instruments and block < INTERLEAVED:
            seconds = contest.rest + contest.seconds + 0.1 * len(order) + START_S
            self.steps.append(
                Step("interleaved", contest, "", block, 0, "interleaved", seconds)
            )

    def _guess(self, contest: Contest) -> float:
        return START_S + contest.rest + 3 * self.values * self.slice_s


def verify(
    contests: list[Contest], launch: Launcher, told: Callable[[Progress], None]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return, by contest and contender, whether the result was right.

    One process judges all contenders of a contest. If it dies, the contender that it
    was judging has failed, and the remaining ones are judged in separate processes.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    # Tables share contests (a figure and its table of times), which are judged once.
    judged: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for number, contest in enumerate(contests):
        left = 0.3 * (len(contests) - number)
        told(Progress(number, len(contests), left, f"verifying {contest.id}"))
        what = (contest.workload, contest.operation, contest.factors)
        key = (*what, contest.contenders)
        if key not in judged:
            judged[key] = _verified(contest, launch)
        found[contest.id] = judged[key]
    return found


def _verified(contest: Contest, launch: Launcher) -> dict[str, dict[str, Any]]:
    pending = list(contest.contenders)
    judged: dict[str, dict[str, Any]] = {}
    while pending:
        heard: list[dict[str, Any]] = []
        answer = launch(
            _request(guard.beginning(contest), "verify", contenders=pending),
            0,
            heard.append,
        )
        trying = ""
        for line in heard:
            trying = line.get("trying", trying)
            if "contender" in line:
                judged[line["contender"]] = line
        judged |= answer.get("verified", {})
        rest = [one for one in pending if one not in judged]
        if rest:
            # It died: blame the current contender, or else the common set-up.
            reason = answer.get("error", "no verdict")
            blamed = [trying] if trying in rest else rest
            for name in blamed:
                judged[name] = {"status": "failed", "reason": reason}
            rest = [one for one in rest if one not in judged]
        pending = rest
    return judged


def _request(contest: Contest, task: str, **more: Any) -> dict[str, Any]:
    factors = {
        name: getattr(contest.factors, name)
        for name in ("gc", "input", "cache", "keep", "buffer")
    }
    return {
        "task": task,
        "workload": contest.workload,
        "operation": contest.operation,
        "factors": factors,
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
            contenders=list(contest.contenders),
            seconds=contest.seconds,
            seed=schedule.seed * 1_000 + step.block,
        )
    return _request(
        contest,
        step.metric,
        contender=step.contender,
        values=1 if contest.loops else schedule.values,
        slice=schedule.slice_s,
        loops=contest.loops,
        repeats=contest.repeats,
        meters=schedule.meters if "energy" in contest.metrics else [],
        calibration=schedule.calibration,
        rest=contest.rest,
    )


def execute(
    run: Run, schedule: Schedule, launch: Launcher, told: Callable[[Progress], None]
) -> None:
    """Run the steps of the schedule that the run does not have yet."""
    done = run.done()
    verdicts = run.plan()["verified"]
    allowance = guard.Guard(launch)
    todo = [step for step in schedule.steps if step.key not in done]
    dice = random.Random(f"{schedule.seed} seeds")
    seeds = {step.key: dice.randrange(1, 2**32) for step in schedule.steps}
    warm = max((step.contest.warmup for step in todo), default=0.0)
    if warm:
        told(Progress(0, len(todo), warm, f"warming up for {warm:.0f} s"))
        work_for(warm)
    left = sum(step.seconds for step in todo)
    spent = guessed = 0.0
    for number, step in enumerate(todo):
        pace = min(5.0, max(0.2, spent / guessed)) if guessed > 2 else 1.0
        name = f"{step.contest.id} {step.contender}".strip()
        told(Progress(number, len(todo), left * pace, name))
        start = time.monotonic()
        run.append(_sample(step, schedule, launch, verdicts, seeds, allowance))
        spent += time.monotonic() - start
        guessed += step.seconds
        left -= step.seconds
    told(Progress(len(todo), len(todo), 0.0, "done"))


def _sample(  # noqa: PLR0913, PLR0917 - inputs of a sample
    step: Step,
    schedule: Schedule,
    launch: Launcher,
    verdicts: dict[str, Any],
    seeds: dict[tuple[str, str, str, int], int],
    allowance: guard.Guard,
) -> dict[str, Any]:
    sample: dict[str, Any] = {
        "kind": step.kind,
        "contest": step.contest.id,
        "contender": step.contender,
        "block": step.block,
        "position": step.position,
    }
    if step.kind == "interleaved":
        contest = step.contest
        right = [
            name
            for name in contest.contenders
            if verdicts[contest.id][name]["status"] == "ok"
        ]
        asked = request(step, schedule) | {"contenders": right}
        if len(right) < 2:
            return sample | {"status": "unable", "error": "fewer than two are right"}
        time.sleep(contest.rest)
        return sample | launch(asked, seeds[step.key])
    verdict = verdicts[step.contest.id][step.contender]
    if verdict["status"] != "ok":
        reason = verdict.get("reason", "")
        return sample | {"status": verdict["status"], "error": reason}
    refusal = allowance.refusal(step.contest, step.contender)
    if refusal:
        return sample | {"status": "refused", "error": refusal}
    if step.contest.rest:
        time.sleep(step.contest.rest)
    answer = launch(request(step, schedule), seeds[step.key])
    wanted, found = verdict.get("digest", ""), answer.get("digest", "")
    if answer.get("status") == "ok" and wanted and found and wanted != found:
        return sample | {
            "status": "wrong",
            "error": "its result while timed was not the one that was verified",
        }
    return sample | answer


def work_for(seconds: float) -> None:
    """Keep the processor busy (seed 000: the Fibonacci numbers), to warm it up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        one, other = 0, 1
        for _ in range(10_000):
            one, other = other, (one + other) & 0xFFFF_FFFF_FFFF
