"""Refuse samples that would make the machine swap, as seed 000's did.

Separate because it asks workers itself: a workload of a stated size is tried at a
hundredth of it, and the peak per byte predicts the whole. Where a system does not
report its memory, nothing is refused. Used by schedule.py and execution.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from snooze_lab import workloads
from snooze_lab.machine import process

if TYPE_CHECKING:
    from snooze_lab.model import Contest
    from snooze_lab.worker.launch import Ask

#: Workloads below this many bytes run without a trial.
SMALL = 32_000_000
PART = 100
#: The share of the available memory that may be used.
SHARE = 0.8


@dataclass
class Guard:
    """The known peaks, by operation and contender."""

    launch: Ask
    _peaks: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def refusal(self, contest: Contest, contender: str) -> str:
        """Return why a sample must not be taken, or an empty string."""
        size = stated(contest.workload)
        if size < SMALL:
            return ""
        there = available()
        if not there:
            return ""
        ratio = self._ratio(contest, contender, size)
        predicted = ratio * size
        if predicted <= SHARE * there:
            return ""
        return (
            f"it would take about {predicted / 1e9:.1f} GB ({ratio:.1f} times the "
            f"document), and {there / 1e9:.1f} GB are available"
        )

    def _ratio(self, contest: Contest, contender: str, size: int) -> float:
        """Return peak bytes per byte of the document, measured on a part of it."""
        key = (contest.workload.split("?")[0], contest.operation, contender)
        if key not in self._peaks:
            part = max(1_000_000, size // PART)
            request = {
                "task": "memory" if contest.operation != "phases" else "phases",
                "workload": re.sub(r"bytes=\d+", f"bytes={part}", contest.workload),
                "operation": contest.operation,
                "factors": {"gc": contest.factors.gc},
                "contender": contender,
                "values": 1,
            }
            answer = self.launch(request, 0)
            values = answer.get("values", {})
            # Besides the peak there are the document and, for a dump, the tree.
            own = part if contest.operation in {"loads", "phases"} else 6 * part
            self._peaks[key] = (values.get("peak", [9.0 * part])[0] + own) / part
        return self._peaks[key]


def stated(workload: str) -> int:
    """Return the bytes that a reference states (`crud?bytes=…`), or 0."""
    return int(workloads.parse(workload)[1].get("bytes", 0))


def beginning(contest: Contest) -> Contest:
    """Return a smaller contest to verify, where the full one does not fit in memory.

    Verification needs the value of the document twice. Where a document of a stated
    size is only read phase by phase, which compares no digests, its first megabytes are
    used.
    """
    if contest.operation != "phases" or stated(contest.workload) < SMALL:
        return contest
    part = re.sub(r"bytes=\d+", f"bytes={SMALL // 8}", contest.workload)
    return dataclasses.replace(contest, workload=part)


def available(root: Path = Path("/")) -> int:
    """Return the bytes that can be used without swapping; 0 if unknown.

    The memory of the machine, or of the container where its limit is lower.
    """
    there = process.meminfo("MemAvailable", root) or 0
    group = root / "sys/fs/cgroup"
    with contextlib.suppress(
        OSError, ValueError
    ):  # without a limit the file says `max`
        used = int((group / "memory.current").read_text())
        cached = re.search(
            r"^inactive_file (\d+)", (group / "memory.stat").read_text(), re.MULTILINE
        )
        used -= int(cached[1]) if cached else 0
        limit = int((group / "memory.max").read_text())
        there = min(there, max(1, limit - used))
    return there
