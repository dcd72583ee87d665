"""Flags: reasons to trust a run, or one of its cells, less. One sentence each.

Separate because the rules are the same for every contender. A flag says which numbers
raised it, and deletes nothing. Used by derive.py; the flags of energy are in energy/.
"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from snooze_lab.statistics import noise
from snooze_lab.stored.results_types import Flag

if TYPE_CHECKING:
    from snooze_lab.stored.samples import Samples

#: Share of a sample's time in which some task waited for memory.
PRESSURE = 0.01
#: The same for waits for a processor: other work runs on the machine.
BUSY = 0.10
#: A cell whose processes differ by more than this (interquartile range / median).
SCATTER = 0.15
#: Speed of the machine at the end relative to the beginning.
DRIFT = 0.10


def of_cell(samples: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the names of the flags of one cell."""
    found: set[str] = set()
    medians = []
    for sample in samples:
        if sample.get("status") == "refused":
            found.add("refused-at-times")
        if sample.get("status") != "ok":
            continue
        found |= set(_of_sample(sample)) | set(_of_meters(sample))
        times = sample["values"].get("time")
        if times:
            medians.append(statistics.median(times))
    if len(medians) >= 4:
        lower, _, upper = statistics.quantiles(medians, n=4)
        if (upper - lower) / statistics.median(medians) > SCATTER:
            found.add("scattered")
        if not all(noise.inside_fences(medians)):
            found.add("outliers")
        if noise.repeats(medians):
            found.add("quantised")
    return tuple(sorted(found))


def _of_sample(sample: dict[str, Any]) -> list[str]:
    usage, stalls = sample.get("rusage", {}), sample.get("psi", {})
    wall = usage.get("wall", 0.0) * 1e6
    found = []
    if usage.get("pswpin", 0) or usage.get("pswpout", 0):
        found.append("swapped")
    if usage.get("majflt", 0):
        found.append("major-faults")
    if wall and stalls.get("memory_some_us", 0) > PRESSURE * wall:
        found.append("memory-pressure")
    if wall and stalls.get("cpu_some_us", 0) > BUSY * wall:
        found.append("busy-machine")
    return found


def _of_meters(sample: dict[str, Any]) -> list[str]:
    """Return the doubts that a sample's meters report, each under its energy metric."""
    flags = {flag for one in sample.get("meters", ()) for flag in one.get("flags", ())}
    return sorted(
        "energy:failed" if flag.startswith("failed: ") else f"energy:{flag}"
        for flag in flags
    )


def of(found: Samples, env: dict[str, Any]) -> list[Flag]:
    """Return the flags of a whole run."""
    timed = found.relative()
    counts = Counter(name for sample, _ in timed for name in _of_sample(sample))
    reasons = {
        "swapped": "the machine swapped",
        "major-faults": "pages were read from disk",
        "memory-pressure": "tasks waited for memory for more than 1 % of the time",
        "busy-machine": "tasks waited for a processor for more than 10 % of the time",
    }
    flags = [
        Flag(f"{reasons[name]} during {count} of {len(timed)} samples", name)
        for name, count in counts.items()
    ]
    flags += _drift([time for _, time in timed])
    if env.get("battery") and "Discharging" in str(env["battery"]):
        flags.append(Flag("the machine ran on its battery", "battery"))
    if env.get("hypervisor") == "yes":
        text = (
            "a virtual machine: other guests are invisible, so trust ratios rather "
            "than absolute times"
        )
        flags.append(Flag(text, "virtual-machine"))
    return flags


def _drift(relative: list[float]) -> list[Flag]:
    """Flag a machine that became slower or faster during the run.

    Compares the times of the last quarter of the run with those of the first.
    """
    quarter = len(relative) // 4
    if quarter < 8:
        return []
    change = statistics.median(relative[-quarter:]) / statistics.median(
        relative[:quarter]
    )
    if abs(change - 1) <= DRIFT:
        return []
    text = (
        f"the last quarter of the run took {change:.2f} times as long as the first; "
        "ratios within a block are unaffected, absolute times are not"
    )
    return [Flag(text, "drift")]
