"""Subinterpreters: what two interpreters with their own GIL do in the time of one.

Separate from threads.py because nothing but bytes is shared here: each interpreter
imports the library, reads the document and checks the result itself. Each is in a
thread; they start a slice together, on a flag in memory that all can read. Needs
`concurrent.interpreters` (CPython 3.14, PEP 734). Used by run.py, and by itself inside
the interpreters.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from struct import Struct
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.contenders import UnsupportedError
from snooze_lab.race import cells, scaling, threads
from snooze_lab.race.scaling import COUNT
from snooze_lab.timing import stopwatch

if TYPE_CHECKING:
    from snooze_lab.workloads.operations import Job

GROUP = "subinterpreters"
MODULE = "concurrent.interpreters"
NEED = f"{MODULE} of CPython 3.14"
#: The shared memory: a byte for each interpreter that is ready, a byte that starts all,
#: and from SPANS on the start and end of each in nanoseconds.
SPAN = Struct("qq")
SPANS = 8


def available() -> bool:
    """Tell whether this Python can make interpreters."""
    return importlib.util.find_spec(MODULE) is not None


def rows(directions: list[str]) -> list[cells.Task]:
    """Return the rows: those of the group threads."""
    found = threads.rows(directions)
    return [cells.of(GROUP, one.workload, one.direction) for one in found]


class Team:
    """Interpreters that each make the same number of calls at the same time."""

    def __init__(self, name: str, task: cells.Task) -> None:
        """Start the interpreters; UnsupportedError if the contender refuses them."""
        self._pool = ThreadPoolExecutor(COUNT)
        self._interpreters: list[Any] = []
        self._memory = bytearray(SPANS + COUNT * SPAN.size)
        try:
            for at in range(COUNT):
                self._interpreters.append(_interpreters().create())
                self._interpreters[-1].prepare_main(memory=memoryview(self._memory))
                self._run(
                    at,
                    f"import sys; sys.path[:] = {sys.path}\n"
                    "from snooze_lab.race.subinterpreters import Worker\n"
                    f"worker = Worker({name!r}, {task.direction!r}, {task.name!r})",
                )
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the interpreters and their threads."""
        self._pool.shutdown()
        for one in self._interpreters:
            one.close()

    def timed(self, count: int, calls: int) -> int:
        """Return the nanoseconds from the first start of `count` to the last end."""
        self._memory[: COUNT + 1] = bytes(COUNT + 1)
        ended = [
            self._pool.submit(self._run, at, f"worker.timed(memory, {at}, {calls})")
            for at in range(count)
        ]
        while not (
            all(self._memory[at] for at in range(count))
            or any(one.done() for one in ended)
        ):
            time.sleep(1e-4)
        self._memory[COUNT] = True
        for one in ended:
            one.result()
        places = [SPANS + at * SPAN.size for at in range(count)]
        spans = [SPAN.unpack_from(self._memory, at) for at in places]
        starts, ends = zip(*spans, strict=True)
        spent: int = max(ends) - min(starts)
        return spent

    def check(self) -> None:
        """Check the result of every interpreter once more."""
        for at in range(COUNT):
            self._run(at, "worker.check()")

    def _run(self, at: int, code: str) -> None:
        """Run code in an interpreter; raise what it raises."""
        try:
            self._interpreters[at].exec(code)
        except _interpreters().ExecutionFailed as error:
            found = error.excinfo
            if found.type.__name__ == UnsupportedError.__name__:
                raise UnsupportedError(found.msg) from None
            raise RuntimeError(found.formatted) from None


def _interpreters() -> Any:
    """Return CPython's module, which older versions do not have."""
    return importlib.import_module(MODULE)


class Worker:
    """One contender's call inside an interpreter."""

    def __init__(self, name: str, direction: str, workload: str) -> None:
        """Import the library and check its result."""
        ready, absent = contenders.enter([name])
        if name in absent:
            raise UnsupportedError(absent[name])
        task = next(one for one in rows([direction]) if one.name == workload)
        (contender,) = ready
        self._job: Job = task.job(contender)
        self._argument = self._job.argument()
        self.check()
        stopwatch.quieten()

    def check(self) -> None:
        """Raise if the result is wrong."""
        reason = self._job.fault(self._job.call(self._argument))
        if reason:
            raise ValueError(reason)

    def timed(self, memory: memoryview, at: int, calls: int) -> None:
        """Make the calls as soon as all may start; write start and end."""
        memory[at] = True
        while not memory[COUNT]:
            time.sleep(0)
        start = time.perf_counter_ns()
        stopwatch.timed(self._job.call, self._argument, calls)
        end = time.perf_counter_ns()
        SPAN.pack_into(memory, SPANS + at * SPAN.size, start, end)


def measure(task: cells.Task, setting: cells.Setting) -> dict[str, Any]:
    """Return the row for a record."""
    found = setting.verified(task)
    teams: dict[str, Team] = {}
    with ExitStack() as open_teams:
        for name in list(found.entries):
            setting.progress(f"starting interpreters for {name}")
            try:
                teams[name] = open_teams.enter_context(closing(Team(name, task)))
            except Exception as error:  # noqa: BLE001 - a library's error is its result
                found.fail(name, error)
        row = scaling.measured(
            task,
            setting,
            found,
            lambda name, at_once, calls: teams[name].timed(at_once, calls),
            lambda name: teams[name].check(),
        )
    return row | {"interpreters": COUNT}
