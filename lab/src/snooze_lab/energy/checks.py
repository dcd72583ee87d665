"""Whether an energy series is plausible, and measures what it claims to measure.

Separate because an impossible number must be found before it is compared. Each check
looks for one fault and returns flags: a name to count by and a sentence to print.
Invariants: nothing is removed or corrected here; a check that lacks its data says so in
`Checked.skipped` and does not pass silently; limits of power come from the caller (a
machine's idle and maximum), never from a table of processors. Used by study for
imported runs, and by the engine for sample lines (`sample`).
"""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab import quantise
from snooze_lab.energy.series import (
    CORES,
    Series,
    backward_steps,
    positive_steps,
)
from snooze_lab.energy.windows import DRIFT, Idle, Window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CORES_EXCEED = "cores-exceed-package"
BACKWARD = "backward-counter"
WITHDRAWN = "core-counter-withdrawn"
TOO_HOT = "power-above-limit"
BELOW_IDLE = "power-below-idle"
SHORT = "window-too-short"
FEW_UPDATES = "too-few-updates"
QUANTISED = "quantised-clock"
SWAP = "swap"
MEMORY = "memory-pressure"
FAULTS = "major-faults"
BURST = "background-burst"
IDLE_DRIFT = "idle-drift"
THROTTLED = "throttled"
NO_FREQUENCY = "frequency-not-recorded"
ORDER = "order-not-random"

#: The meaning of each flag, for legends and for readers who see only its name.
MEANING = {
    CORES_EXCEED: "a core's counter reports more energy than the package it is part of",
    BACKWARD: "a cumulative counter went back without a full-range wrap",
    WITHDRAWN: "a counter of single cores that cannot mean what its name says",
    TOO_HOT: "more power than twice what the machine may draw",
    BELOW_IDLE: "less power during a run than at rest beside it",
    SHORT: "shorter than one second",
    FEW_UPDATES: "fewer than 20 updates of the counter",
    QUANTISED: "durations are known to a sampling step no smaller than their spread",
    SWAP: "memory was moved to swap during the run",
    MEMORY: "over 90 % of the memory in use, or tasks waited for memory",
    FAULTS: "pages had to be read from a disk",
    BURST: "the machine was not at rest beside the run",
    IDLE_DRIFT: "idle power before and after differ by more than 15 %",
    THROTTLED: "the processor's frequency fell by more than 10 % within the run",
    NO_FREQUENCY: "the logged frequency never changes, so throttling cannot be seen",
    ORDER: "the order of the runs was not random",
}


@dataclass(frozen=True, slots=True)
class Flag:
    """A fault found: its name, a sentence with the figures, the run or group."""

    name: str
    sentence: str
    where: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds of the checks.

    maximum: the most that the package may draw in W (the label's figure, given by the
    user), None where it is not known. idle: W at rest where no idle window is adjacent.
    The rest are shares and counts as the methodology states them.
    """

    maximum: float | None = None
    idle: float | None = None
    tolerance: float = 0.05
    seconds: float = 1.0
    updates: int = 20
    burst: float = 1.4
    memory: float = 0.9
    throttle: float = 0.9


@dataclass
class Checked:
    """The findings of the checks of one run or group, and the checks without data."""

    flags: list[Flag] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, where: str, sentence: str) -> None:
        """Add a fault."""
        self.flags.append(Flag(name, sentence, where))


def counters(run: Series, limits: Limits, found: Checked) -> None:
    """Check that counters only grow, and that the parts do not exceed the whole."""
    package = run.joules()
    for role, counter in run.counters.items():
        steps = backward_steps(counter)
        if steps:
            found.add(
                BACKWARD,
                run.name,
                f"the {role} counter goes back {steps} times in {len(counter)} samples",
            )
    cores = run.counters.get(CORES)
    if cores and positive_steps(cores) > package * (1 + limits.tolerance):
        found.add(
            CORES_EXCEED,
            run.name,
            f"all cores: {positive_steps(cores):,.1f} J, the whole package: "
            f"{package:,.1f} J",
        )
    for name, counter in run.suspects.items():
        joules, steps = positive_steps(counter), backward_steps(counter)
        if steps:
            found.add(
                BACKWARD,
                run.name,
                f"{name} goes back {steps} times in {len(counter)} samples",
            )
        if joules > package * (1 + limits.tolerance):
            found.add(
                CORES_EXCEED,
                run.name,
                f"{name}: its upward steps make {joules:,.0f} J, "
                f"{joules / run.duration:,.0f} W for one core, while the whole package "
                f"used {package:,.1f} J",
            )
    for name, reason in run.refused.items():
        found.add(WITHDRAWN, run.name, f"{name} is not used: {reason}")
    if not cores and not run.suspects:
        found.skipped[CORES_EXCEED] = "no counter of the cores was logged"


def power(run: Series, window: Window, limits: Limits, found: Checked) -> None:
    """Check that the mean power lies between rest and what the machine can draw."""
    watts = run.joules() / run.duration
    if limits.maximum is None:
        found.skipped[TOO_HOT] = "the machine's maximum power was not given"
    elif watts > 2 * limits.maximum:
        found.add(
            TOO_HOT,
            run.name,
            f"{watts:.1f} W on average, over twice the {limits.maximum:.0f} W given",
        )
    idle = window.idle_watts if window.idle_watts is not None else limits.idle
    if idle is None:
        found.skipped[BELOW_IDLE] = "no idle window is adjacent and no idle power given"
    elif watts < idle * (1 - limits.tolerance):
        found.add(
            BELOW_IDLE, run.name, f"{watts:.1f} W on average, at rest {idle:.1f} W"
        )


def length(run: Series, limits: Limits, found: Checked) -> None:
    """Check that the window is long enough for the counter."""
    if run.duration < limits.seconds:
        found.add(
            SHORT,
            run.name,
            f"{run.duration:.3f} s; repeat the operation for {limits.seconds:.0f} s",
        )
    updates = run.updates()
    if updates < limits.updates:
        found.add(
            FEW_UPDATES,
            run.name,
            f"{updates} updates of the counter, expected at least {limits.updates}",
        )


def memory(run: Series, limits: Limits, found: Checked) -> None:
    """Check that nothing was swapped out and that memory was left."""
    if not run.swap:
        found.skipped[SWAP] = "swap was not logged"
    elif max(run.swap) > run.swap[0]:
        odd = ""
        if run.swap_total is not None and max(run.swap) > run.swap_total:
            odd = (
                f" (more than the {run.swap_total / 2**30:.1f} GiB there are: the "
                "amount is not reliable, that it moved is)"
            )
        found.add(
            SWAP,
            run.name,
            f"USED_SWAP rises from {run.swap[0] / 2**30:.2f} to "
            f"{max(run.swap) / 2**30:.2f} GiB{odd}",
        )
    if not run.memory or not run.memory_total:
        found.skipped[MEMORY] = "memory was not logged"
    elif max(run.memory) > limits.memory * run.memory_total:
        found.add(
            MEMORY,
            run.name,
            f"{max(run.memory) / 2**30:.1f} of "
            f"{run.memory_total / 2**30:.1f} GiB in use",
        )


def frequency(run: Series, limits: Limits, found: Checked) -> None:
    """Check that the processor kept its frequency, as far as it was logged."""
    mhz = [value for value in run.frequency if value > 0]
    if not mhz:
        found.skipped[THROTTLED] = "no frequency was logged"
        return
    if min(mhz) == max(mhz):
        found.add(
            NO_FREQUENCY,
            run.name,
            f"every sample says {mhz[0]:.0f} MHz: the label's figure, not a reading",
        )
        return
    quarter = max(1, len(mhz) // 4)
    first, last = statistics.median(mhz[:quarter]), statistics.median(mhz[-quarter:])
    if last < limits.throttle * first:
        found.add(THROTTLED, run.name, f"from {first:.0f} to {last:.0f} MHz")


def rest(
    run: Series, window: Window, usual: float | None, limits: Limits, found: Checked
) -> None:
    """Check that the machine was at rest beside the run; `usual`: the study's W."""
    beside = [idle for idle in (window.before, window.after) if idle]
    if not beside:
        found.skipped[BURST] = "no idle window is adjacent"
        return
    highest = max(beside, key=_watts)
    if usual is not None and highest.watts > limits.burst * usual:
        found.add(
            BURST,
            run.name,
            f"{highest.watts:.1f} W at rest beside this run, {usual:.1f} W is usual: "
            f"something else drew {highest.watts - usual:+.1f} W",
        )
    if window.drift is None:
        found.skipped[IDLE_DRIFT] = "an idle window is missing on one side"
    elif window.drift > DRIFT and window.before and window.after:
        found.add(
            IDLE_DRIFT,
            run.name,
            f"{window.before.watts:.1f} W before, {window.after.watts:.1f} W after",
        )


def _watts(idle: Idle) -> float:
    return idle.watts


def run(series: Series, window: Window, usual: float | None, limits: Limits) -> Checked:
    """Make every check of a single run."""
    found = Checked()
    counters(series, limits, found)
    power(series, window, limits, found)
    length(series, limits, found)
    memory(series, limits, found)
    frequency(series, limits, found)
    rest(series, window, usual, limits, found)
    found.skipped[FAULTS] = "an imported series has no count of page faults"
    return found


def clusters(values: Sequence[float], width: float) -> list[float]:
    """Return the centres of the groups that values form when `width` separates them."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= width:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [statistics.fmean(group) for group in groups]


def quantised(durations: Sequence[float], step: float, where: str) -> Flag | None:
    """Look for the sampler's step in a group of durations.

    A duration that ends at a sample is known to one step. That does no harm while the
    durations spread over several steps (quantise.LEAST_STEPS); else what spreads is the
    sampler. Needs ten durations and a step above zero; else None.
    """
    if len(durations) < 10 or step <= 0:
        return None
    found = quantise.quantisation(durations, step)
    if not found.flag:
        return None
    centres = clusters(durations, step / 4)
    steps = [b - a for a, b in itertools.pairwise(centres)]
    apart = f", at least {1000 * min(steps):.0f} ms apart" if steps else ""
    return Flag(
        QUANTISED,
        f"{len(durations)} durations take {len(centres)} distinct values{apart}; the "
        f"sampler's step is {1000 * step:.0f} ms and they spread over "
        f"{found.steps:.1f} steps: effect sizes of the duration measure the sampler",
        where,
    )


def alternating(order: Sequence[str], where: str) -> Flag | None:
    """Look for an order that repeats: a, b, a, b …, as in no shuffled study."""
    kinds = len(set(order))
    if kinds < 2 or len(order) < 6 * kinds:
        return None
    first = list(order[:kinds])
    if len(set(first)) == kinds and all(
        name == first[place % kinds] for place, name in enumerate(order)
    ):
        return Flag(
            ORDER,
            f"{len(order)} runs in strict rotation ({', '.join(first)}, …): what "
            "drifts in that rhythm is taken for a difference",
            where,
        )
    return None


def sample(line: Mapping[str, Any], where: str) -> list[Flag]:
    """Return the flags of one sample line of the engine (`samples.jsonl`).

    Looks at major faults, memory pressure and the swap counts among its readings.
    Missing entries raise nothing: not every system has them.
    """
    found = Checked()
    major = (line.get("rusage") or {}).get("majflt") or 0
    if major > 0:
        found.add(FAULTS, where, f"{major} pages were read from a disk")
    stalled = (line.get("psi") or {}).get("memory_some_us") or 0
    if stalled > 0:
        found.add(MEMORY, where, f"tasks waited {stalled / 1000:.1f} ms for memory")
    for reading in line.get("meters") or ():
        if str(reading.get("meter", "")).startswith("swap:"):
            pages = reading.get("value", 0)
            if math.isfinite(pages) and pages > 0:
                found.add(SWAP, where, f"{reading['meter']}: {pages:.0f} pages moved")
    return found.flags
