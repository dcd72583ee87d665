"""A job over 100 TB of JSON Lines, simulated: what pieces, retries and stragglers cost.

Separate from the study, which measures: this computes from what was measured. The speed
of a core is that of a committed record; all else is an assumption, which the table
names. A simulation is a list of events in order of time: slots take pieces, attempts
end, fail or are overtaken by a copy. Invariant: the same seed gives the same job.
Called by `make scale-plan`, which writes the table into docs/scale.md, and by
tests/repo; standard library only.

usage: scale_plan.py [--write | --check] [--price DOLLARS]
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import json
import random
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "lab" / "record" / "scale"
PAGE = ROOT / "docs" / "scale.md"
START, END = "<!-- make scale-plan -->", "<!-- end of the plan -->"
TERABYTE = 10**12
MIB = 2**20
SEEDS = (1, 2, 3)
#: The bytes of a `.gz` for each byte of its text.
PACKED = 0.15


@dataclass(frozen=True)
class Job:
    """What is read, where, and what goes wrong."""

    name: str
    #: MB of text that a core reads in a second, as measured.
    rate: float
    piece: int
    #: MB of a file for each MB of text: what the network carries.
    packed: float = 1.0
    text: int = 100 * TERABYTE
    slots: int = 1024
    #: MB a second that the network gives each slot.
    network: float = 200.0
    #: Seconds that the engine needs for each attempt.
    overhead: float = 0.1
    #: The standard deviation of the logarithm of an attempt's time.
    noise: float = 0.2
    #: The share of slots that are slow, and how many times.
    slow: float = 0.01
    slowness: float = 4.0
    #: The chance that an attempt fails, and the losses of a slot in an hour; another
    #: takes its place at once.
    failure: float = 0.001
    losses: float = 0.01
    attempts: int = 4
    #: Whether a piece that takes 1.5 times the median is read a second time, and the
    #: share of the pieces that has ended by then: at first only the fast ones have, so
    #: that their median is too low.
    copies: bool = True
    copies_from: float = 0.75
    #: Whether a piece is copied before it is read, as `filesystem=` does; otherwise the
    #: system reads ahead, and the slower of network and reading counts.
    is_copied: bool = False
    #: The share of pieces in another format: they end after 64 MiB of wrong records.
    wrong: float = 0.0001
    #: The share of such pieces that ends the job.
    budget: float = 0.01

    @property
    def pieces(self) -> int:
        """How many pieces there are: those of `Scan.splits`, or a file each."""
        return -(-self.text // self.piece)

    def seconds(self, size: int, wanted: int | None = None) -> float:
        """How long a usual slot takes for a piece, of which it reads what is wanted."""
        wanted = size if wanted is None else wanted
        reading = wanted / 1e6 / self.rate
        carried = (size if self.is_copied else wanted) / 1e6 * self.packed
        network = carried / self.network
        return reading + network if self.is_copied else max(reading, network)


@dataclass
class Outcome:
    """What became of a job."""

    seconds: float = 0.0
    #: The time that slots were at work, and that of attempts which were of no use.
    busy: float = 0.0
    wasted: float = 0.0
    done: int = 0
    failures: int = 0
    copies: int = 0
    #: Pieces of which every attempt failed, and those in another format.
    lost: int = 0
    refused: int = 0
    is_stopped: bool = False
    times: list[float] = field(default_factory=list)


@dataclass
class _Piece:
    size: int
    is_wrong: bool
    attempts: int = 0
    running: int = 0
    started: float = 0.0
    is_settled: bool = False
    has_copy: bool = False


class Simulation:
    """One job.

    Args:
        job: What it is.
        seed: What decides the noise and the failures.
    """

    def __init__(self, job: Job, seed: int) -> None:
        """Cut the text; nothing has begun."""
        self.job, self.random, self.outcome = job, random.Random(seed), Outcome()
        sizes = [job.piece] * (job.text // job.piece)
        if job.text % job.piece:
            sizes.append(job.text % job.piece)
        self.pieces = [_Piece(one, self.random.random() < job.wrong) for one in sizes]
        self.random.shuffle(self.pieces)
        self.waiting = list(range(len(self.pieces)))[::-1]
        self.left = len(self.pieces)
        self.speeds = [
            1 / job.slowness if self.random.random() < job.slow else 1.0
            for _ in range(job.slots)
        ]
        #: (time, number, slot, piece, when it began, whether it succeeds); a piece of
        #: -1 is a look at what may need a copy.
        self.events: list[tuple[float, int, int, int, float, bool]] = []
        self.number = 0
        #: Running pieces in the order in which they began, and slots without work.
        self.running: list[tuple[float, int]] = []
        self.idle: list[int] = []
        self.is_looking = False
        #: Known when enough pieces have ended.
        self.median: float | None = None

    def run(self) -> Outcome:
        """Return what becomes of it."""
        now, outcome = 0.0, self.outcome
        for slot in range(self.job.slots):
            self._work(slot, now)
        while self.left and self.events:
            now, _, slot, piece, began, is_right = heapq.heappop(self.events)
            if piece < 0:
                self.is_looking = False
                self._copy(now)
                continue
            self._end(piece, now - began, is_right=is_right)
            if outcome.refused > self.job.budget * len(self.pieces):
                outcome.is_stopped = True
                break
            self._work(slot, now)
        outcome.seconds = now
        # What still runs, of pieces that are read, is of no use.
        for _, _, _, piece, began, _ in self.events:
            if piece >= 0:
                outcome.busy += now - began
                outcome.wasted += now - began
        return outcome

    def _end(self, number: int, took: float, *, is_right: bool) -> None:
        """Take an attempt that has ended."""
        piece, outcome = self.pieces[number], self.outcome
        piece.running -= 1
        outcome.busy += took
        if piece.is_settled:
            outcome.wasted += took
            return
        if is_right:
            piece.is_settled = True
            self.left -= 1
            if piece.is_wrong:
                outcome.refused += 1
            else:
                outcome.done += 1
                outcome.times.append(took)
            return
        outcome.failures += 1
        outcome.wasted += took
        if piece.running:
            return
        if piece.attempts >= self.job.attempts:
            piece.is_settled = True
            outcome.lost += 1
            self.left -= 1
        else:
            piece.has_copy = False
            self.waiting.append(number)

    def _work(self, slot: int, now: float) -> None:
        """Give a slot an attempt, a copy, or nothing for now."""
        if self.waiting:
            self._start(self.waiting.pop(), slot, now)
            return
        self.idle.append(slot)
        self._copy(now)

    def _copy(self, now: float) -> None:
        """Give idle slots copies of what is late, and look again when more may be."""
        if self.median is None:
            ended = len(self.pieces) - self.left
            if ended < self.job.copies_from * len(self.pieces):
                return
            usual = self.job.seconds(self.job.piece) + self.job.overhead
            self.median = statistics.median(self.outcome.times or [usual])
        while self.job.copies and self.idle and self.running:
            began, number = self.running[0]
            piece = self.pieces[number]
            if piece.is_settled or piece.has_copy or piece.started != began:
                heapq.heappop(self.running)
                continue
            late = began + 1.5 * self.median
            if now < late:
                if not self.is_looking:
                    self.is_looking = True
                    self._event(late, -1, -1, now, is_right=True)
                return
            heapq.heappop(self.running)
            piece.has_copy = True
            self.outcome.copies += 1
            self._start(number, self.idle.pop(), now)

    def _start(self, number: int, slot: int, now: float) -> None:
        job, piece = self.job, self.pieces[number]
        wanted = min(piece.size, 64 * MIB) if piece.is_wrong else piece.size
        took = job.seconds(piece.size, wanted)
        took *= self.random.lognormvariate(0, job.noise)
        took = took / self.speeds[slot] + job.overhead
        lasts = self.random.expovariate(job.losses / 3600) if job.losses else took + 1
        fails = self.random.random() < job.failure
        is_right = lasts > took and not fails
        if fails:
            took *= self.random.random()
        took = min(took, lasts)
        piece.attempts += 1
        piece.running += 1
        if piece.running == 1:
            piece.started = now
            heapq.heappush(self.running, (now, number))
        self._event(now + took, slot, number, now, is_right=is_right)

    def _event(
        self, time: float, slot: int, piece: int, began: float, *, is_right: bool
    ) -> None:
        self.number += 1
        event = (time, self.number, slot, piece, began, is_right)
        heapq.heappush(self.events, event)


def rates(record: Path) -> dict[str, float]:
    """Return the MB of text a CPU second that a record has for scans of the log."""
    figures = json.loads(record.read_text())["figures"]

    def rate(table: str, contender: str) -> float:
        found = figures[table][contender]
        return float(found["text_mb"] / found["cpu_s"])

    return {
        "all": rate("given log", "snooze stream"),
        "three": rate("three log", "snooze"),
        "where": rate("where log", "snooze read"),
        "gzip": rate("gz log", "snooze"),
    }


def jobs(speed: dict[str, float]) -> list[Job]:
    """Return the jobs of the table."""
    usual = Job("three columns, parts of 1 GiB", speed["three"], 1024 * MIB)
    change = dataclasses.replace
    return [
        change(usual, name="three columns, parts of 128 MiB", piece=128 * MIB),
        usual,
        change(usual, name="the same, no copies of late parts", copies=False),
        change(usual, name="the same, copied first (`filesystem=`)", is_copied=True),
        change(usual, name="three columns, parts of 8 GiB", piece=8192 * MIB),
        change(usual, name="all columns, parts of 1 GiB", rate=speed["all"]),
        change(usual, name='a condition, `check="read"`', rate=speed["where"]),
        change(
            usual, name="`.gz`, 1 GiB of text each", rate=speed["gzip"], packed=PACKED
        ),
        change(
            usual,
            name="`.gz`, 64 GiB of text each",
            rate=speed["gzip"],
            packed=PACKED,
            piece=65536 * MIB,
        ),
        change(usual, name="5 % of the parts in another format", wrong=0.05),
    ]


HEAD = (
    "| job | parts | minutes | of the ideal | repeated | copies | wasted | "
    "core hours a TB | dollars a TB | of it CPU |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def row(job: Job, outcomes: list[Outcome], price: float) -> str:
    """Return the line of a job: the median of its outcomes."""

    def middle(values: list[float]) -> float:
        return statistics.median(values)

    minutes = [one.seconds / 60 for one in outcomes]
    ideal = job.text / job.piece * job.seconds(job.piece) / job.slots / 60
    hours = middle(minutes) / 60 * job.slots / (job.text / TERABYTE)
    cpu = TERABYTE / 1e6 / job.rate / 3600 * price
    stopped = any(one.is_stopped for one in outcomes)
    share = (
        f"stopped: {middle([one.refused for one in outcomes]):,.0f} wrong parts"
        if stopped
        else f"{middle(minutes) / ideal:.2f}"
    )
    wasted = middle([one.wasted / one.busy for one in outcomes])
    cells = [
        job.name,
        f"{job.pieces:,}",
        f"{middle(minutes):.1f}",
        share,
        f"{middle([one.failures for one in outcomes]):,.0f}",
        f"{middle([one.copies for one in outcomes]):,.0f}",
        f"{100 * wasted:.1f} %",
        "" if stopped else f"{hours:.2f}",
        "" if stopped else f"{hours * price:.3f}",
        "" if stopped else f"{cpu:.3f}",
    ]
    return f"| {' | '.join(cells)} |"


def table(record: Path, price: float) -> str:
    """Return the table, and what it assumes."""
    job = jobs(rates(record))[1]
    lines = [HEAD]
    for one in jobs(rates(record)):
        outcomes = [Simulation(one, seed).run() for seed in SEEDS]
        lost = sum(outcome.lost for outcome in outcomes)
        if lost:
            raise AssertionError(f"{one.name}: {lost} parts were lost")
        lines.append(row(one, outcomes, price))
        print(lines[-1], flush=True)
    assumed = (
        f"Medians of {len(SEEDS)} seeds. Measured: the speed of a core, from the "
        f"record of {record.stem}. Assumed: {job.slots:,} cores, "
        f"{job.network:.0f} MB/s of network and {price} dollars an hour for each, "
        f"{job.overhead} s of the engine for each attempt; times vary by "
        f"{100 * job.noise:.0f} %, {100 * job.slow:.0f} % of the cores are "
        f"{job.slowness:.0f} times as slow, {100 * job.failure:.1f} % of the attempts "
        f"fail, each core is lost once in {1 / job.losses:.0f} hours, and replaced; "
        f"{job.attempts} attempts; when {100 * job.copies_from:.0f} % of the parts "
        "have ended, a copy of each that takes 1.5 times their median. Reading and "
        "network go on at once, but where it says copied first; a `.gz` has "
        f"{PACKED} bytes for each of text. "
        f"{100 * job.wrong:.2f} % of the parts are in another format; `collect` ends "
        f"each after 64 MiB, and the job when they are {100 * job.budget:.0f} %."
    )
    lines += ["", assumed]
    return "\n".join(lines)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="write docs/scale.md")
    parser.add_argument("--check", action="store_true", help="compare docs/scale.md")
    parser.add_argument("--price", type=float, default=0.04, help="dollars a core hour")
    options = parser.parse_args()
    found = table(max(RECORDS.glob("*.json")), options.price)
    print("\n" + found.rpartition("\n")[2])
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    inside, _, after = rest.partition(END)
    if options.write:
        text = f"{before}{START}\n{found}\n{END}{after}"
        PAGE.write_text(text, encoding="utf-8")
    if options.check and inside.strip() != found:
        print("docs/scale.md has another table: make scale-plan", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
