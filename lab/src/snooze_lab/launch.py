"""Starts a worker, sends it a request and reads what it answers.

Separate because it is the only place where the laboratory starts measuring processes,
so their surroundings are the same for all. Invariants: each process has a hash seed of
its own, which its sample states; nothing else of the environment differs between
contenders; a worker that crashes, hangs or answers nonsense gives a sample with status
`failed` and the reason. Used by schedule.py, replay.py, doctor.py and gate.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).resolve().parent.parent
TIMEOUT_S = 600.0


@dataclass
class Launcher:
    """How workers are started: which interpreter, under which program, for how long.

    `prefix` is put before the command (`perf stat -- …`); `pin` is the processor that
    workers are bound to, or None.
    """

    python: str = sys.executable
    prefix: tuple[str, ...] = ()
    pin: int | None = None
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
            name: value
            for name, value in os.environ.items()
            if name not in {"PYTHONHASHSEED", "PYTHONPATH", "PYTHONSTARTUP"}
        }
        environment |= {
            "PYTHONHASHSEED": str(hash_seed),
            "PYTHONPATH": str(SOURCE),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.variables,
        }
        command = [*self.prefix, self.python, "-m", "snooze_lab.worker"]
        before = None
        if self.pin is not None:
            cpu = self.pin

            def before() -> None:
                os.sched_setaffinity(0, {cpu})

        started = time.time()
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=before,  # noqa: PLW1509 - no threads run at this point
        ) as child:
            answer = _converse(child, request, listen, self.timeout)
        return {"started": round(started, 3), "hash_seed": hash_seed} | answer


def _converse(
    child: subprocess.Popen[str],
    request: dict[str, Any],
    listen: Callable[[dict[str, Any]], None] | None,
    timeout: float,
) -> dict[str, Any]:
    """Send the request, follow the answer's lines, and say how it ended."""
    errors: list[str] = []
    late = threading.Event()

    def stop() -> None:
        late.set()
        child.kill()

    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise AssertionError("all three are pipes")
    stderr = child.stderr
    reader = threading.Thread(target=lambda: errors.append(stderr.read()), daemon=True)
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
            pass  # it ended already: its exit status says how
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
        child.kill()
        raise
    finally:
        watchdog.cancel()
        reader.join(5)
    if done is not None:
        return done
    return {"status": "failed", "error": _ended(child, errors, nonsense, late, timeout)}


def _ended(
    child: subprocess.Popen[str],
    errors: list[str],
    nonsense: str,
    late: threading.Event,
    timeout: float,
) -> str:
    if late.is_set():
        return f"no answer within {timeout:.0f} s; stopped"
    code = child.returncode
    if code < 0:
        return f"the process died of {signal.Signals(-code).name}"
    lines = "".join(errors).strip().splitlines()
    last = lines[-1][:300] if lines else "nothing on stderr"
    heard = f"; heard {nonsense!r}" if nonsense else ""
    return f"the process ended with exit status {code}: {last}{heard}"
