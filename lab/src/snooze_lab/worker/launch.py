"""Start a worker, send it a request, and read its answer.

Separate because the environment of measuring processes must be the same for all. A
worker that crashes, hangs or sends nonsense gives a sample with status `failed`, the
reason, and the contender that was running; none outlives the manager, since the end of
the pipe on its stdin ends it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from snooze_lab.timing import heartbeat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.process import BaseProcess

    from snooze_lab.timing.heartbeat import Monitor

    #: A process: one of subprocess or of multiprocessing.
    Child = subprocess.Popen[str] | BaseProcess
    #: What answers the request for a sample: a Launcher, or the programs of native/.
    Ask = Callable[[dict[str, Any], int], dict[str, Any]]

SOURCE = Path(__file__).resolve().parents[2]
#: How often the heartbeat of a worker is looked at, in seconds.
LOOK_S = 0.25
#: Variables that workers do not inherit. Without the bytecode caches, each worker
#: would compile the laboratory again, which takes longer than most samples.
REPLACED = {
    "PYTHONHASHSEED",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONDONTWRITEBYTECODE",
}


def environment(path: Iterable[str] = (), **variables: str) -> dict[str, str]:
    """Return the variables of a worker, which imports the laboratory and `path`."""
    kept = {name: value for name, value in os.environ.items() if name not in REPLACED}
    return kept | {"PYTHONPATH": os.pathsep.join([str(SOURCE), *path])} | variables


@dataclass
class Launcher:
    """How workers are started: the interpreter, a program around it, the time limit.

    `prefix` is put before the command (`perf stat -- …`); `pin` is the processor that
    workers are bound to, or None; `path` are further folders that workers import from,
    for the contenders of a user. `timeout` is the time in seconds that any stretch of
    work may take; None: what the worker allows its contender (heartbeat.py), but OWN_S
    under a program, which may be a simulator. `module` is what runs as a worker.
    """

    python: str = sys.executable
    module: str = "snooze_lab.worker"
    prefix: tuple[str, ...] = ()
    pin: int | None = None
    path: tuple[str, ...] = ()
    timeout: float | None = None
    variables: dict[str, str] = field(default_factory=dict)
    #: Set when the workers that run shall end.
    stopped: threading.Event = field(default_factory=threading.Event, repr=False)

    def stop(self) -> None:
        """End the workers that other threads have started; none can be started now."""
        self.stopped.set()

    def __call__(
        self,
        request: dict[str, Any],
        hash_seed: int = 0,
        listen: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Return the worker's answer; `status` is `failed` if there is none."""
        if self.stopped.is_set():
            return {"status": "failed", "error": "stopped"}
        variables = {"PYTHONHASHSEED": str(hash_seed)} | self.variables
        command = [*self.prefix, self.python, "-m", self.module]
        asked = request if self.pin is None else request | {"pin": self.pin}
        limit = self.timeout or (heartbeat.OWN_S if self.prefix else None)
        started = time.time()
        try:
            # A new session: stopping it stops all its children as well,
            # and an interrupt from the terminal is left to the parent.
            with (
                heartbeat.Monitor() as monitor,
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                    env=environment(self.path, **variables),
                    start_new_session=True,
                    pass_fds=(monitor.descriptor,),
                ) as child,
            ):
                asked = asked | {"heartbeat": monitor.descriptor}
                watchdog = Watchdog(child, monitor, limit, self.stopped)
                answer = _converse(child, asked, listen, watchdog)
                if answer.get("status") in {"failed", "refused"}:
                    answer["running"] = monitor.beat().running
        except OSError as error:
            reason = f"{command[0]}: {error.strerror}"
            answer = {"status": "failed", "error": f"no worker was started: {reason}"}
        return {"started": round(started, 3), "hash_seed": hash_seed} | answer


class Watchdog:
    """Ends a worker that has not stated for too long what it runs, or shall stop."""

    def __init__(
        self,
        child: Child,
        monitor: Monitor,
        limit: float | None = None,
        stopped: threading.Event | None = None,
    ) -> None:
        """Take the process; without a limit it is the one that it states itself.

        `stopped` ends it at once when it is set.
        """
        self._child = child
        self._monitor = monitor
        self._limit = limit
        self._stopped = stopped or threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        #: Seconds that it was waited for, if it was ended.
        self.waited = 0.0

    def __enter__(self) -> Self:
        """Begin to watch."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        # Ctrl-C may close the monitor's memory before this is told to stop.
        with contextlib.suppress(ValueError):
            last, since = self._monitor.beat(), time.monotonic()
            while not self._done.wait(LOOK_S):
                beat, now = self._monitor.beat(), time.monotonic()
                if beat.count != last.count:
                    last, since = beat, now
                limit = self._limit or beat.limit
                if now - since >= limit or self._stopped.is_set():
                    self.waited = limit
                    _kill(self._child)
                    return


def _converse(
    child: subprocess.Popen[str],
    request: dict[str, Any],
    listen: Callable[[dict[str, Any]], None] | None,
    watchdog: Watchdog,
) -> dict[str, Any]:
    """Send the request, read the lines of the answer, and report how it ended."""
    # Libraries may write without end: the last part shows why one stopped.
    errors: deque[str] = deque(maxlen=16)
    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise AssertionError("all three are pipes")
    stderr = child.stderr
    reader = threading.Thread(
        target=lambda: errors.extend(iter(lambda: stderr.read(4096), "")), daemon=True
    )
    reader.start()
    done: dict[str, Any] | None = None
    nonsense = ""
    try:
        with watchdog:
            # Without a reader it has ended already: its exit status says how. The pipe
            # stays open, because its end ends the worker.
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(request) + "\n")
                child.stdin.flush()
            for line in child.stdout:
                try:
                    found = json.loads(line)
                except ValueError:
                    nonsense = line.strip()[:200]
                    continue
                if "done" in found:
                    done = found["done"]
                elif listen is not None:
                    listen(found)
            child.wait()
    except BaseException:
        _kill(child)
        raise
    finally:
        with contextlib.suppress(BrokenPipeError):
            child.stdin.close()
        reader.join(5)
    if done is not None:
        return done
    if watchdog.waited:
        error = f"no answer within {watchdog.waited:.0f} s; stopped"
    else:
        error = _ended(child, errors, nonsense)
    return {"status": "failed", "error": error}


def _kill(child: Child) -> None:
    """End a worker and the processes that it started."""
    if child.pid:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


def _ended(child: subprocess.Popen[str], errors: Iterable[str], nonsense: str) -> str:
    code = child.returncode
    if code < 0:
        named = -code in set(signal.Signals)
        name = signal.Signals(-code).name if named else f"signal {-code}"
        return f"the process died of {name}"
    lines = "".join(errors).strip().splitlines()
    last = lines[-1][:300] if lines else "nothing on stderr"
    heard = f"; heard {nonsense!r}" if nonsense else ""
    return f"the process ended with exit status {code}: {last}{heard}"
