"""Start a worker, send it a request, and read its answer.

Separate because this is the only place that starts measuring processes, so that their
environment is the same for all. Invariants: each process has its own hash seed, which
its sample records; nothing else in the environment differs between contenders; a worker
that crashes, hangs or sends an invalid answer gives a sample with status `failed` and
the reason. Used by schedule.py, replay.py, doctor.py and gate.
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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SOURCE = Path(__file__).resolve().parent.parent
TIMEOUT_S = 600.0
#: Variables that workers do not inherit. Without the bytecode caches, each worker
#: would compile the laboratory again, which takes longer than most samples.
REPLACED = {
    "PYTHONHASHSEED",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONDONTWRITEBYTECODE",
}


@dataclass
class Launcher:
    """How workers are started: the interpreter, a program around it, the time limit.

    `prefix` is put before the command (`perf stat -- …`); `pin` is the processor that
    workers are bound to, or None; `path` are further folders that workers import from,
    for the contenders of a user.
    """

    python: str = sys.executable
    prefix: tuple[str, ...] = ()
    pin: int | None = None
    path: tuple[str, ...] = ()
    timeout: float = TIMEOUT_S
    variables: dict[str, str] = field(default_factory=dict)

    def __call__(
        self,
        request: dict[str, Any],
        hash_seed: int = 0,
        listen: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Return the worker's answer; `status` is `failed` if there is none."""
        environment = {
            name: value for name, value in os.environ.items() if name not in REPLACED
        }
        environment |= {
            "PYTHONHASHSEED": str(hash_seed),
            "PYTHONPATH": os.pathsep.join([str(SOURCE), *self.path]),
            **self.variables,
        }
        command = [*self.prefix, self.python, "-m", "snooze_lab.worker"]
        asked = request if self.pin is None else request | {"pin": self.pin}
        started = time.time()
        try:
            # A new session: stopping it stops all its children as well,
            # and an interrupt from the terminal is left to the parent.
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env=environment,
                start_new_session=True,
            ) as child:
                answer = _converse(child, asked, listen, self.timeout)
        except OSError as error:
            reason = f"{command[0]}: {error.strerror}"
            answer = {"status": "failed", "error": f"no worker was started: {reason}"}
        return {"started": round(started, 3), "hash_seed": hash_seed} | answer


def _converse(
    child: subprocess.Popen[str],
    request: dict[str, Any],
    listen: Callable[[dict[str, Any]], None] | None,
    timeout: float,
) -> dict[str, Any]:
    """Send the request, read the lines of the answer, and report how it ended."""
    # Libraries may write without end: the last part shows why one stopped.
    errors: deque[str] = deque(maxlen=16)
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(child)

    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise AssertionError("all three are pipes")
    stderr = child.stderr
    reader = threading.Thread(
        target=lambda: errors.extend(iter(lambda: stderr.read(4096), "")), daemon=True
    )
    watchdog = threading.Timer(timeout, stop)
    reader.start()
    watchdog.start()
    done: dict[str, Any] | None = None
    nonsense = ""
    try:
        try:
            child.stdin.write(json.dumps(request) + "\n")
            child.stdin.close()
        except BrokenPipeError:
            pass  # already ended: its exit status says how
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
        watchdog.cancel()
        reader.join(5)
    if done is not None:
        return done
    return {"status": "failed", "error": _ended(child, errors, nonsense, late, timeout)}


def _kill(child: subprocess.Popen[str]) -> None:
    """End a worker and the processes that it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


def _ended(
    child: subprocess.Popen[str],
    errors: Iterable[str],
    nonsense: str,
    late: threading.Event,
    timeout: float,
) -> str:
    if late.is_set():
        return f"no answer within {timeout:.0f} s; stopped"
    code = child.returncode
    if code < 0:
        named = -code in set(signal.Signals)
        name = signal.Signals(-code).name if named else f"signal {-code}"
        return f"the process died of {name}"
    lines = "".join(errors).strip().splitlines()
    last = lines[-1][:300] if lines else "nothing on stderr"
    heard = f"; heard {nonsense!r}" if nonsense else ""
    return f"the process ended with exit status {code}: {last}{heard}"
