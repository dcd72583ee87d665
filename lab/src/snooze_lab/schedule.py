"""The order of a run: randomised complete blocks, a fresh process for every sample.

Separate because the order makes samples comparable. Each block runs every contest, in
shuffled order, and within it every contender, in shuffled order and consecutively, so
that ratios compare neighbours in time. Invariants: a contender that is missing or whose
result was wrong is never timed; one that crashes or hangs loses its own cell and no
other's; each sample is appended as soon as it is done, and existing samples are not
repeated; the sequence follows from the run's seed. Used by runs.py and the tests.
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

    #: Asks a worker, with the hash seed of the step.
    Ask = Callable[[dict[str, Any]], dict[str, Any]]

VALUES, SLICE_S = 5, 0.015
#: Metrics that need a separate process.
KINDS = ("time", "phases", "memory", "energy", "conformance")
#: Processes of the interleaved instrument for a contest, at most.
INTERLEAVED = 3
#: Processes that a contender may end during verification before it is given up.
MOST_FAILURES = 3
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
    was judging has failed, and another process judges the rest. A contender that has
    ended MOST_FAILURES processes is not tried again.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    # Tables share contests (a figure and its table of times), which are judged once.
    judged: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    failures: dict[str, list[str]] = {}
    for number, contest in enumerate(contests):
        left = 0.3 * (len(contests) - number)
        told(Progress(number, len(contests), left, f"verifying {contest.id}"))
        what = (contest.workload, contest.operation, contest.factors)
        key = (*what, contest.contenders)
        if key not in judged:
            judged[key] = _verified(contest, launch, failures)
        found[contest.id] = judged[key]
    return found


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
    lost = {cell for sample in run.samples() for cell in _lost(sample)}
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
        left -= step.seconds
        if (step.contest.id, step.contender) in lost:
            continue
        start = time.monotonic()
        ask = _asking(launch, seeds[step.key])
        if step.kind == "interleaved":
            sample = _interleaved(step, schedule, ask, verdicts, lost)
        else:
            sample = _isolated(step, schedule, ask, verdicts, allowance)
        run.append(sample)
        lost |= _lost(sample)
        spent += time.monotonic() - start
        guessed += step.seconds
    told(Progress(len(todo), len(todo), 0.0, "done"))


def _asking(launch: Launcher, seed: int) -> Ask:
    return lambda request: launch(request, seed)


def _lost(sample: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the cells that a sample shows to be lost: they ended their worker."""
    contest = sample["contest"]
    names = set(sample.get("lost", ()))
    if sample["contender"] and sample.get("status") == "failed":
        names.add(sample["contender"])
    return {(contest, name) for name in names}


def _described(step: Step) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "contest": step.contest.id,
        "contender": step.contender,
        "block": step.block,
        "position": step.position,
    }


def _interleaved(
    step: Step,
    schedule: Schedule,
    ask: Ask,
    verdicts: dict[str, Any],
    lost: set[tuple[str, str]],
) -> dict[str, Any]:
    """Race all contenders in one process.

    If it dies, the contender that was running is lost, and the rest race again.
    """
    contest = step.contest
    racing = [
        name
        for name in contest.contenders
        if verdicts[contest.id][name]["status"] == "ok"
        and (contest.id, name) not in lost
    ]
    ended: dict[str, str] = {}
    while len(racing) >= 2:
        time.sleep(contest.rest)
        answer = ask(request(step, schedule) | {"contenders": racing})
        running = answer.get("running", "")
        if answer.get("status") == "ok" or running not in racing:
            return _described(step) | answer | {"lost": ended}
        ended[running] = answer.get("error") or "no reason given"
        racing.remove(running)
    answer = {"status": "unable", "error": "fewer than two are right"}
    return _described(step) | answer | {"lost": ended}


def _isolated(
    step: Step,
    schedule: Schedule,
    ask: Ask,
    verdicts: dict[str, Any],
    allowance: guard.Guard,
) -> dict[str, Any]:
    """Measure one contender in a process of its own."""
    sample = _described(step)
    verdict = verdicts[step.contest.id][step.contender]
    if verdict["status"] != "ok":
        reason = verdict.get("reason", "")
        return sample | {"status": verdict["status"], "error": reason}
    refusal = allowance.refusal(step.contest, step.contender)
    if refusal:
        return sample | {"status": "refused", "error": refusal}
    time.sleep(step.contest.rest)
    answer = ask(request(step, schedule))
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
