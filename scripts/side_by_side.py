"""Run tasks side by side, each after the ones that it needs, and sum up the results.

Separate from run_tests.py because it knows nothing of Python suites: a task is a list
of commands. Invariants: every task is run to its end even if another one failed; a
task whose prerequisite failed is a failure itself; the output of a task is shown
whole when it ends (of a single task: as it comes); the summary names what passed,
what could not be tested and what failed, and ends with pytest's own closing lines.
Called by run_tests.py. Standard library only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: pytest's last line, as in `==== 12 passed, 1 skipped in 3.45s ====`.
CLOSING = re.compile(
    rb"^(?:=+ )?(?:(?:\d+ \w+(?:, )?)+|no tests ran) in [\d.]+s.*$", re.MULTILINE
)


class NotTested(Exception):  # noqa: N818 - not an error: the reason is part of the summary
    """A task that cannot run on this machine."""


class NotNeeded(Exception):  # noqa: N818 - likewise
    """A task whose result another task gives."""


@dataclass(frozen=True)
class Command:
    """One command and the environment variables that it adds."""

    words: list[str]
    variables: dict[str, str] = field(default_factory=dict)


#: A command, or a function that returns it when the prerequisites are there.
Step = Command | Callable[[], Command]


@dataclass(frozen=True)
class Task:
    """Commands to run one after the other, until one fails.

    `needs` names tasks that must succeed first. A task with `rank` 0 starts before all
    ready tasks of higher rank. `is_preparation`: named in the summary only if it fails.
    """

    name: str
    steps: list[Step]
    needs: tuple[str, ...] = ()
    rank: int = 1
    is_preparation: bool = False


@dataclass
class Plan:
    """Tasks to run, and their results."""

    workers: int = field(default_factory=lambda: min(2, os.cpu_count() or 1))
    tasks: list[Task] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    untested: list[str] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    _done: dict[str, bool] = field(default_factory=dict)
    _running: int = 0
    _change: threading.Condition = field(default_factory=threading.Condition)

    def add(self, task: Task) -> None:
        """Add a task unless there is one of this name."""
        if all(task.name != other.name for other in self.tasks):
            self.tasks.append(task)

    def run(self) -> None:
        """Run all tasks, as many at a time as there are workers."""
        self.tasks.sort(key=lambda task: task.rank)
        errors: list[BaseException] = []
        is_live = len([task for task in self.tasks if not task.is_preparation]) == 1

        def work() -> None:
            try:
                while (task := self._next()) is not None:
                    shown = is_live and not task.is_preparation
                    self._finish(task, passed=self._perform(task, is_live=shown))
            except Exception as error:  # noqa: BLE001 - raised again below
                errors.append(error)
                self._stop()

        threads = [threading.Thread(target=work) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            self._stop()
        if errors:  # in this program, not in a command
            raise errors[0]

    def _stop(self) -> None:
        """Start no more tasks."""
        with self._change:
            self.tasks.clear()
            self._change.notify_all()

    def _next(self) -> Task | None:
        """Wait for the first task whose prerequisites have ended, and take it."""
        with self._change:
            while self.tasks:
                for task in self.tasks:
                    if all(need in self._done for need in task.needs):
                        self.tasks.remove(task)
                        self._running += 1
                        return task
                if not self._running:
                    names = ", ".join(task.name for task in self.tasks)
                    raise LookupError(f"prerequisites are missing: {names}")
                self._change.wait()
            return None

    def _finish(self, task: Task, *, passed: bool) -> None:
        with self._change:
            self._done[task.name] = passed
            self._running -= 1
            self._change.notify_all()

    def _perform(self, task: Task, *, is_live: bool) -> bool:
        """Run a task and enter its result; return whether others may build on it."""
        missing = [need for need in task.needs if not self._done[need]]
        if missing:
            with self._change:
                self.failed.append(f"{task.name}: not run, because {missing[0]} failed")
            return False
        start = time.monotonic()
        _print(f"\n=== {task.name}{'' if is_live else ': started'} ===\n".encode())
        output = bytearray()
        code = 0
        try:
            for step in task.steps:
                command = step if isinstance(step, Command) else step()
                code = _run(command, output, is_live=is_live)
                if code:
                    break
        except NotTested as reason:
            with self._change:
                self.untested.append(f"{task.name}: {reason}")
            return True
        except NotNeeded as reason:
            with self._change:
                self.passed.append(f"{task.name}: {reason}")
            return True
        entry = f"{task.name} ({time.monotonic() - start:.0f} s)"
        with self._change:
            if output and not is_live:
                _print(f"\n=== {task.name}: its output ===\n".encode() + output)
            closing = CLOSING.findall(output)
            self.closing += [f"{line.decode()} {task.name}" for line in closing[-1:]]
            if code:
                self.failed.append(f"{entry}, exit status {code}")
            elif not task.is_preparation:
                self.passed.append(entry)
        return code == 0

    def close(self) -> int:
        """Print the summary and return the exit status."""
        lines = ["", "=== summary ==="]
        for title, entries in (
            ("passed", self.passed),
            ("NOT TESTED", self.untested),
            ("FAILED", self.failed),
        ):
            lines += [f"{title:>10}: {entry}" for entry in entries]
        lines += ["", *self.closing] if self.closing else []
        _print("".join(f"{line}\n" for line in lines).encode())
        if not self.passed and not self.failed:
            print("snooze: nothing was tested", file=sys.stderr)
            return 1
        return 1 if self.failed else 0


def _run(command: Command, output: bytearray, *, is_live: bool) -> int:
    """Run one command and keep its output; `is_live`: show it as it comes."""
    try:
        process = subprocess.Popen(
            command.words,
            cwd=ROOT,
            env=os.environ | command.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as reason:
        text = f"cannot start {command.words[0]}: {reason}\n".encode()
        output += text
        if is_live:
            _print(text)
        return 127
    with process:
        while process.stdout and (chunk := os.read(process.stdout.fileno(), 65_536)):
            output += chunk
            if is_live:
                _print(chunk)
    return process.returncode


def _print(text: bytes | bytearray) -> None:
    sys.stdout.buffer.write(text)
    sys.stdout.flush()
