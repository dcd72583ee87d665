"""The study as part of a run: who takes part, and what answers requests for samples.

Separate because its workers need the environment of the engines, and files instead of
documents; contests, storage, statistics and report are those of every study. `time` is
processor time of all threads and processes, because that is paid for; the clock is kept
beside it. Used by runs.py.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab import workloads
from snooze_lab.data import cache
from snooze_lab.scale import lines
from snooze_lab.worker.launch import Launcher

if TYPE_CHECKING:
    from snooze_lab.model import Contest

#: Megabytes of the file that gives schemas, and warms engines up.
SMALL = 2
#: Seconds that one sample may take.
PATIENCE_S = 600.0
#: Settings of the libraries that take their number of threads from nowhere else.
THREADS = ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class Readers:
    """Answers a request for a sample, as a worker does, in the engines' environment."""

    python: str = sys.executable

    def __call__(self, request: dict[str, Any], hash_seed: int = 0) -> dict[str, Any]:
        """Return the figures of one process, or why there are none."""
        launch = Launcher(
            self.python, module="snooze_lab.scale.worker", timeout=PATIENCE_S
        )
        if request["task"] == "probe":
            return launch(request)
        kind, given = workloads.parse(request["workload"])
        folder = cache.folder(lines.LAID)
        path = lines.make(folder, kind, int(given.get("megabytes", "250")))
        threads = given.get("threads", "1")
        launch.variables = dict.fromkeys(THREADS, threads)
        memory = Path("/dev/shm")  # noqa: S108 - a file system in memory
        with tempfile.TemporaryDirectory(dir=memory if memory.exists() else None) as at:
            asked = request | {
                "path": str(path),
                "small": str(lines.make(folder, kind, SMALL)),
                "threads": int(threads),
                "target": str(Path(at) / "written.ndjson"),
            }
            return launch(asked, hash_seed)


def verdicts(
    contests: list[Contest], readers: Readers
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return which contenders are installed; each sample verifies its own result."""
    names = sorted({name for one in contests for name in one.contenders})
    answer = readers({"task": "probe", "contenders": names})
    versions = answer.get("versions", {})
    reason = answer.get("error", "is not installed in the engines' environment")
    known = {
        name: {"status": "ok", "version": versions[name]}
        if name in versions
        else {"status": "absent", "reason": reason}
        for name in names
    }
    return {one.id: {name: known[name] for name in one.contenders} for one in contests}
