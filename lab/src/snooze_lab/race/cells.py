"""One task of the race: who takes part, how they are timed, and what their times say.

Separate from the selection of tasks and from the tables, which know neither documents
nor kinds of objects: the call, its argument and the check of its result are the `Job`
of operations.py, as in the studies. Invariants: every result is verified before it is
timed and again after it; times are compared only within a round. A task runs in a
process forked for it: what is made first fills the holes that earlier objects left in
memory, and what is scattered takes up to three times as long to read; so the parent
makes nothing large between two tasks. Used by run.py and the groups.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from snooze_lab.model import OURS, REFERENCE, Factors, original, twin
from snooze_lab.timing import heartbeat, interleaved, rounds, stopwatch
from snooze_lab.timing.verified import Verified, verify
from snooze_lab.worker.launch import Watchdog
from snooze_lab.workloads import generated, operations
from snooze_lab.workloads.base import Objects

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

    from snooze_lab.contenders import Contender
    from snooze_lab.workloads import Workload
    from snooze_lab.workloads.operations import Job

DIRECTIONS = ("loads", "dumps")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Task:
    """The subject of one cell of the results; `bytes` is the JSON of one call."""

    group: str
    direction: str
    workload: Workload
    bytes: int

    @property
    def name(self) -> str:
        """The name of the row."""
        return self.workload.name

    def entered(self, libraries: list[Contender]) -> list[Contender]:
        """Return the libraries of the race that take part."""
        return libraries

    def job(self, contender: Contender) -> Job:
        """Return the call to time, its argument, and the check of its result.

        UnsupportedError for a contender that cannot do it.
        """
        return operations.job(self.direction, self.workload, contender, Factors())

    def described(self, found: Verified) -> dict[str, Any]:
        """Return what the record of a group with its own figures says of the task."""
        return {
            "workload": self.name,
            "direction": self.direction,
            "bytes": self.bytes,
            "wrong": found.wrong,
            "unable": found.unable,
        }


def each(group: str, works: Iterable[Workload], directions: list[str]) -> list[Task]:
    """Return the tasks of workloads, each in every direction."""
    return [of(group, one, direction) for one in works for direction in directions]


def of(group: str, found: Workload, direction: str) -> Task:
    """Return the task of one workload in one direction.

    What documents are written as is compact, whatever their text.
    """
    size = found.size
    if direction == "dumps" and not isinstance(found, Objects):
        size = sum(len(generated.compact(value)) for value in found.values)
    return Task(group, direction, found, size)


def is_rival(name: str) -> bool:
    """Tell whether a contender is a rival, not the reference or a variant of snooze."""
    is_second = original(name) is not None
    return name != OURS and not is_second and not name.startswith(f"{OURS} ")


@dataclass
class Cell:
    """One task, and the time of every contender in each round.

    `calls` is the number of calls in a slice; `times` holds ns per call in each round
    (NaN: skipped), `pauses` the garbage collections where they are apart; `wrong` names
    contenders whose result was wrong, `unable` those without the option.
    """

    task: Task
    calls: dict[str, int] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    pauses: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)
    _speeds: dict[tuple[str, str], rounds.LogRatio] = field(default_factory=dict)

    def speed(self, name: str, reference: str) -> rounds.LogRatio | None:
        """Return the speed of a contender relative to another one of this cell."""
        if name not in self.times or reference not in self.times:
            return None
        key = name, reference
        if key not in self._speeds:
            own, base = self.times[name], self.times[reference]
            pauses = self.pauses and (self.pauses[name], self.pauses[reference])
            self._speeds[key] = rounds.speed(own, base, pauses or None)
        return self._speeds[key]

    def typical(self, name: str) -> float:
        """Return the ns of a contender's call, to be shown."""
        return rounds.typical(self.times[name], self.pauses.get(name))

    @property
    def best_rival(self) -> tuple[str, rounds.LogRatio] | None:
        """Return the fastest rival, and the speed of snooze relative to it."""
        rivals = [name for name in self.times if is_rival(name)]
        if not rivals:
            return None
        best = min(rivals, key=self.typical)
        found = self.speed(OURS, best)
        return (best, found) if found else None

    def as_record(self) -> dict[str, Any]:
        """Return the cell for a record, times summarised in nanoseconds per call."""
        best = self.best_rival
        speeds = {name: self.speed(name, REFERENCE) for name in self.times}
        return {
            "group": self.task.group,
            "workload": self.task.name,
            "note": self.task.workload.note,
            "direction": self.task.direction,
            "bytes": self.task.bytes,
            "sha256": self.task.workload.digest,
            "calls_per_slice": self.calls,
            "speed_relative_to_orjson": {
                name: found.ratio().as_list() for name, found in speeds.items() if found
            },
            "best_rival": best and [best[0], *best[1].ratio().as_list()],
            "nanoseconds": {
                name: rounds.spread(times, self.pauses.get(name))
                for name, times in self.times.items()
            },
            "wrong": self.wrong,
            "unable": self.unable,
        }

    def figures(self) -> dict[str, Any]:
        """Return what was measured: the arguments of a cell beside its task."""
        names = ("calls", "times", "pauses", "wrong", "unable")
        return {name: getattr(self, name) for name in names}

    def keep(self, found: Verified) -> None:
        """Keep the reasons of those who were not timed, or not rightly."""
        self.wrong, self.unable = found.wrong, found.unable
        self.times = {name: self.times[name] for name in found.entries}
        self.pauses = {name: self.pauses[name] for name in self.times if self.pauses}


@dataclass(frozen=True)
class Setting:
    """Who races a task, for how many seconds, in whose order; `progress` is told it."""

    libraries: list[Contender]
    seconds: float
    dice: random.Random
    progress: Callable[[str], None] = lambda _text: None
    #: The library that the lengths of slices are chosen by.
    reference: str = REFERENCE

    def verified(self, task: Task) -> Verified:
        """Return the contenders with a right result, each with its argument.

        The objects made here are frozen out of the collector, so that no contender pays
        for scanning them.
        """
        heartbeat.allow(operations.patience(task.workload))
        found = verify(
            task.entered(self.libraries),
            task.job,
            lambda name: self.progress(f"verifying {name}"),
        )
        stopwatch.quieten()
        return found

    def turns(
        self, names: Iterable[str], fewest: int = interleaved.FEWEST
    ) -> Iterator[tuple[int, str]]:
        """Yield the number of a round and a name: all names, shuffled, in each round.

        At least `fewest` rounds, and as many as begin within the time.
        """
        order = list(names)
        count = 0
        end = time.monotonic() + self.seconds
        while order and (count < fewest or time.monotonic() < end):
            self.dice.shuffle(order)
            for name in order:
                heartbeat.running(name)
                yield count, name
            count += 1
            self.progress(f"round {count}")
        heartbeat.own()


def race(task: Task, setting: Setting) -> Cell:
    """Race the libraries that have a right result."""
    cell = Cell(task)
    found = setting.verified(task)
    setting.progress("choosing the number of calls")
    cell.calls, first = interleaved.slices(found.entries, setting.reference)
    timed = interleaved.rounds(
        found.entries,
        cell.calls,
        interleaved.slower(first, setting.reference),
        setting.seconds,
        setting.dice,
        lambda count: setting.progress(f"round {count}"),
    )
    cell.times, cell.pauses = timed.times, timed.pauses
    found.again()
    cell.keep(found)
    return cell


def noise(cells: list[Cell], reference: str = REFERENCE) -> list[float]:
    """Return how far the two entries of the reference differ, cell by cell."""
    found = [cell.speed(twin(reference), reference) for cell in cells]
    return [abs(one.center) for one in found if one]


class EndedError(Exception):
    """The process ended without a result: how, and who was running."""

    def __init__(self, how: str, running: str) -> None:
        """State both."""
        super().__init__(f"the process {how}")
        self.running = running


def apart(work: Callable[[], Result]) -> Result:
    """Return the result of `work`, which must survive pickling.

    EndedError if its process crashed, hung, or raised what its stderr shows.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with receiver, heartbeat.Monitor() as monitor:
        child = context.Process(target=_send, args=(sender, work, monitor.descriptor))
        watchdog = Watchdog(child, monitor)
        # Ctrl-C waits until the process that it must end is known.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            try:
                child.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sender.close()
            with watchdog:
                found: Result = receiver.recv()
        except EOFError:
            child.join()
            code = child.exitcode or 0
            how = f"died of signal {-code}" if code < 0 else f"ended with status {code}"
            if watchdog.waited:
                how = f"gave no answer within {watchdog.waited:.0f} s"
            raise EndedError(how, monitor.beat().running) from None
        except KeyboardInterrupt:
            child.kill()
            child.join()
            raise
        child.join()
    return found


def _send(sender: Connection, work: Callable[[], Result], descriptor: int) -> None:
    # Ctrl-C reaches both processes: the parent ends this one, without its traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    heartbeat.attach(descriptor)
    sender.send(work())
