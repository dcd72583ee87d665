"""A program that samples in the background until it is interrupted.

Separate because three backends do the same: start a program that measures the machine,
leave it alone during a window, end it by an interrupt and read its output. Invariants:
no shell; the program is in its own process group and never outlives its window, also
when the window ends by an exception; it is interrupted only once it can handle an
interrupt.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from snooze_lab.meters import base

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

#: How long a program may take to get ready, and to end, in seconds.
READY = 5.0
END = 10.0


def environment() -> dict[str, str]:
    """Return the environment of programs: plain numbers, no translation."""
    return os.environ | {"LC_ALL": "C", "LANG": "C"}


def tried(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a short command to see whether it works; OSError if it cannot start."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=END,
        check=False,
        env=environment(),
    )


def absent(program: str, install: str) -> base.Availability | None:
    """Report that a program was not found; None if it was."""
    if shutil.which(program):
        return None
    return base.Availability(
        ok=False, reason=f"the program {program} was not found", command=install
    )


def _takes_interrupts(pid: int) -> bool | None:
    """Tell whether a process has a handler for SIGINT; None if unknown."""
    try:
        path = Path(f"/proc/{pid}/status")
        status = path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1)
    return None


class Folder:
    """The directory for files of programs: the context's, or a temporary one."""

    def __init__(self, context: base.RunContext) -> None:
        """Make the directory."""
        self._own = None if context.directory else tempfile.TemporaryDirectory()
        self.path = Path(self._own.name if self._own else context.directory or ".")
        self.path.mkdir(parents=True, exist_ok=True)

    def file(self, stem: str, suffix: str) -> Path:
        """Return a path that does not exist yet."""
        number = 1
        while (path := self.path / f"{stem}-{number:04d}{suffix}").exists():
            number += 1
        return path

    def close(self) -> None:
        """Remove the directory if it is temporary."""
        if self._own:
            self._own.cleanup()


class Program:
    """One run of a program in the background."""

    def __init__(self, command: Sequence[str], *, output: Path | None = None) -> None:
        """Start it and wait until it handles interrupts; MeterError if it ends early.

        output: file for its standard output, which is otherwise dropped.
        """
        self.command = list(command)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._output = output.open("wb") if output else None
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=self._output or subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
                env=environment(),
            )
        except OSError as error:
            self._close()
            raise base.MeterError(f"{command[0]}: cannot start: {error}") from error
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + READY
        while time.monotonic() < end:
            if self._process.poll() is not None:
                code = self._process.returncode
                text = self._said()
                self._close()
                raise base.MeterError(
                    f"{' '.join(self.command)}: expected it to run until it is "
                    f"stopped, found that it ended with {code}: {text}"
                )
            ready = _takes_interrupts(self._process.pid)
            if ready:
                return
            if ready is None:
                time.sleep(0.2)
                return
            time.sleep(0.002)

    def _said(self) -> str:
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace").strip()
        return " / ".join(text.splitlines()[-3:]) or "it said nothing"

    def _close(self) -> None:
        self._errors.close()
        if self._output:
            self._output.close()

    def interrupt(self) -> tuple[int, str]:
        """Interrupt it as by Ctrl+C; return its exit code and the end of its output."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(END)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise base.MeterError(
                f"{' '.join(self.command)}: expected it to end on an interrupt within "
                f"{END:.0f} s; it was killed and its figures are lost"
            ) from error
        text = self._said()
        self.kill()
        return code, text

    def kill(self) -> None:
        """End it and its child processes; harmless if it has ended."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._close()


class Session:
    """A session whose windows are runs of a program; backends fill start and stop."""

    def __init__(self, context: base.RunContext) -> None:
        """Make a place for its files."""
        self.folder = Folder(context)
        self.running: list[Program] = []

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End whatever still runs."""
        for program in self.running:
            program.kill()
        self.running.clear()
        self.folder.close()

    def begin(self, command: Sequence[str], output: Path | None = None) -> Program:
        """Start a program that ends with the session at the latest."""
        program = Program(command, output=output)
        self.running.append(program)
        return program

    def finish(self, program: Program) -> tuple[int, str]:
        """Interrupt a program; see Program.interrupt."""
        self.running.remove(program)
        return program.interrupt()
