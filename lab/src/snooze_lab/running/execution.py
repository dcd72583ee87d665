"""Take the samples of a run: each step in a process of its own, until enough is known.

Separate from schedule.py, which lays the steps out. A contender that is missing or
wrong is never timed; one that crashes or hangs loses its own cell; each sample is
appended as soon as it is done, and existing ones are not repeated. With a time limit
further blocks of open comparisons follow the planned ones. Haybittle and Peto's rule
says which are open: a look before the end may close a comparison only at the level
LOOK, far beyond that of the verdicts, and nothing below LEAST blocks; p is corrected
over the table at every look. Used by runs.py.
"""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from scipy import stats as scipy_stats

from snooze_lab.model import AGAIN
from snooze_lab.planning.schedule import Progress, request
from snooze_lab.statistics import stats
from snooze_lab.stored import samples
from snooze_lab.worker import guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze_lab.model import Contest, Effect
    from snooze_lab.planning.schedule import Schedule, Step
    from snooze_lab.stored.samples import Samples
    from snooze_lab.stored.store import Run
    from snooze_lab.worker.launch import Ask

#: Blocks below which nothing is decided, and beyond which nothing goes on.
LEAST, MOST = 5, 30
#: The level of a look.
LOOK = 0.001
#: Contest, contender, instrument.
Key = tuple[str, str, str]


def execute(
    run: Run,
    schedule: Schedule,
    launch: Ask,
    told: Callable[[Progress], None],
    limit: float = 0.0,
) -> None:
    """Run the steps of the schedule that the run does not have yet.

    `limit` is the time in seconds for all samples together, in which further blocks of
    open comparisons are taken; 0: none are.
    """
    execution = _Execution(run, schedule, launch, told)
    warm = max((step.contest.warmup for step in execution.todo), default=0.0)
    if warm:
        told(Progress(0, len(execution.todo), warm, f"warming up for {warm:.0f} s"))
        work_for(warm)
    end = time.monotonic() + limit - execution.used
    execution.planned(end)
    if limit:
        execution.further(end)
    done = execution.done
    told(Progress(done, done, 0.0, "done"))


class _Execution:
    """A run that is being made."""

    def __init__(
        self,
        run: Run,
        schedule: Schedule,
        launch: Ask,
        told: Callable[[Progress], None],
    ) -> None:
        """Read what there is."""
        self.run, self.schedule, self.launch, self.told = run, schedule, launch, told
        there = run.done()
        self.todo = [step for step in schedule.steps if step.key not in there]
        self.done = 0
        kept = list(run.samples())
        #: Seconds that the samples so far took, those of an earlier session.
        self.used = sum(one.get("took", 0.0) for one in kept)
        self._lost = {cell for one in kept for cell in _lost(one)}
        self._verdicts = run.plan()["verified"]
        self._allowance = guard.Guard(launch)

    def planned(self, end: float) -> None:
        """Run the steps of the schedule."""
        left = sum(step.seconds for step in self.todo)
        spent = guessed = 0.0
        for step in self.todo:
            pace = min(5.0, max(0.2, spent / guessed)) if guessed > 2 else 1.0
            seconds = max(left * pace, end - time.monotonic())
            self._tell(step, len(self.todo), seconds)
            left -= step.seconds
            spent += self._take(step)
            guessed += step.seconds

    def further(self, end: float) -> None:
        """Run further blocks of open comparisons until none is open, or to the end."""
        contests = {one.id: one for one in self.schedule.contests}
        while time.monotonic() < end:
            found = samples.read(self.run.samples())
            still = undecided(list(contests.values()), found)
            blocks = {name: 1 + found.last_block(name) for name in still}
            due = [name for name in still if blocks[name] < MOST]
            if not due:
                return
            random.Random(f"{self.schedule.seed} {sorted(blocks.items())}").shuffle(due)
            for name in due:
                for step in self.schedule.further(
                    contests[name], blocks[name], still[name]
                ):
                    left = end - time.monotonic()
                    if left <= 0:
                        return
                    self._tell(step, self.done + 1, left)
                    self._take(step)

    def _tell(self, step: Step, steps: int, seconds: float) -> None:
        name = f"{step.contest.id} {step.contender}".strip()
        self.told(Progress(self.done, steps, seconds, name))

    def _take(self, step: Step) -> float:
        """Take the sample of a step; return its seconds."""
        self.done += 1
        if (step.contest.id, step.contender) in self._lost:
            return 0.0
        start = time.monotonic()
        dice = random.Random(f"{self.schedule.seed} {step.key}")
        take = self._interleaved if step.kind == "interleaved" else self._isolated
        sample = _described(step) | take(step, dice.randrange(1, 2**32))
        took = time.monotonic() - start
        self.run.append(sample | {"took": round(took, 3)})
        self._lost |= _lost(sample)
        return took

    def _interleaved(self, step: Step, hash_seed: int) -> dict[str, Any]:
        """Race all contenders in one process.

        If it dies, the contender that was running is lost, and the rest race again.
        """
        contest = step.contest
        racing = [
            name
            for name in step.among
            if self._verdicts[contest.id][name]["status"] == "ok"
            and (contest.id, name) not in self._lost
        ]
        ended: dict[str, str] = {}
        while len(racing) >= 2:
            time.sleep(contest.rest)
            asked = request(step, self.schedule) | {"contenders": racing}
            answer = self.launch(asked, hash_seed)
            running = answer.get("running", "")
            if answer.get("status") == "ok" or running not in racing:
                return answer | {"lost": ended}
            ended[running] = answer.get("error") or "no reason given"
            racing.remove(running)
        reason = "fewer than two are right"
        return {"status": "unable", "error": reason, "lost": ended}

    def _isolated(self, step: Step, hash_seed: int) -> dict[str, Any]:
        """Measure one contender in a process of its own."""
        verdict = self._verdicts[step.contest.id][step.contender]
        if verdict["status"] != "ok":
            return {"status": verdict["status"], "error": verdict.get("reason", "")}
        refusal = self._allowance.refusal(step.contest, step.contender)
        if refusal:
            return {"status": "refused", "error": refusal}
        time.sleep(step.contest.rest)
        answer = self.launch(request(step, self.schedule), hash_seed)
        wanted, found = verdict.get("digest", ""), answer.get("digest", "")
        if answer.get("status") == "ok" and wanted and found and wanted != found:
            reason = "its result while timed was not the one that was verified"
            return {"status": "wrong", "error": reason}
        return answer


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


def work_for(seconds: float) -> None:
    """Keep the processor busy (seed 000: the Fibonacci numbers), to warm it up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        one, other = 0, 1
        for _ in range(10_000):
            one, other = other, (one + other) & 0xFFFF_FFFF_FFFF


def undecided(contests: list[Contest], found: Samples) -> dict[str, set[str]]:
    """Return the contenders, by contest, whose comparison with the baseline is open.

    Only times are compared. A contender without a figure, which is absent or wrong, is
    not open.
    """
    tables: dict[tuple[str, str], list[Contest]] = defaultdict(list)
    for contest in contests:
        tables[contest.study, contest.table].append(contest)
    still: dict[str, set[str]] = {}
    for table in tables.values():
        effects = {key: effect for one in table for key, effect in _effects(one, found)}
        corrected = stats.holm({key: one.p for key, one in effects.items()})
        for key, effect in effects.items():
            if not decided(effect, corrected[key]):
                still.setdefault(key[0], set()).add(key[1])
    return still


def decided(effect: Effect, p: float) -> bool:
    """Tell whether a look may stop a comparison: a difference, or equality.

    `p` is the effect's, corrected over its table.
    """
    if effect.n < LEAST:
        return False
    if p < LOOK:
        return True
    # The interval at the level of a look: wider than the one of 95 %.
    wider, usual = (
        float(scipy_stats.t.isf(level / 2, effect.n - 1))
        for level in (LOOK, stats.ALPHA)
    )
    half = math.log(effect.high / effect.low) / 2 * wider / usual
    return abs(math.log(effect.ratio)) + half <= math.log1p(stats.MARGIN)


def _effects(contest: Contest, found: Samples) -> Iterator[tuple[Key, Effect]]:
    base = contest.baseline
    for name in contest.contenders:
        if name in {base, AGAIN} or (contest.id, name) in found.failed:
            continue
        for instrument in contest.instruments:
            effect = found.effect(contest.id, name, base, instrument)
            if effect is not None:
                yield (contest.id, name, instrument), effect
