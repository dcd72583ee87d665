"""Whether an energy series is plausible, and measures what it claims to measure.

Separate because an impossible number must be found before it is compared. Nothing is
removed or corrected; a check that lacks its data says so in `Checked.skipped`. Those
that energy measured here shares are in meters/block.py.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snooze_lab.energy.series import backward_steps, positive_steps
from snooze_lab.meters.block import BELOW_IDLE, IDLE_DRIFT, TOLERANCE, TOO_SHORT
from snooze_lab.statistics import noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.energy.series import Series
    from snooze_lab.meters.block import Window

CORES_EXCEED = "cores-exceed-package"
BACKWARD = "backward-counter"
WITHDRAWN = "core-counter-withdrawn"
FEW_UPDATES = "too-few-updates"
QUANTISED = "quantised-clock"
SWAP = "swap"
MEMORY = "memory-pressure"
BURST = "background-burst"
THROTTLED = "throttled"
NO_FREQUENCY = "frequency-not-recorded"
ORDER = "order-not-random"

#: The meaning of each flag, for legends and for readers who see only its name.
MEANING = {
    CORES_EXCEED: "a core's counter reports more energy than the package it is part of",
    BACKWARD: "a cumulative counter went back without a full-range wrap",
    WITHDRAWN: "a counter of single cores that cannot mean what its name says",
    BELOW_IDLE: "less power during a run than at rest beside it",
    TOO_SHORT: "shorter than one second",
    FEW_UPDATES: "fewer than 20 updates of the counter",
    QUANTISED: "durations are known to a sampling step no smaller than their spread",
    SWAP: "memory was moved to swap during the run",
    MEMORY: "over 90 % of the memory in use",
    BURST: "the machine was not at rest beside the run",
    IDLE_DRIFT: "idle power before and after differ by more than 15 %",
    THROTTLED: "the processor's frequency fell by more than 10 % within the run",
    NO_FREQUENCY: "the logged frequency never changes, so throttling cannot be seen",
    ORDER: "the order of the runs was not random",
}
#: Updates of the counter below which its step shows in the joules.
UPDATES = 20
#: Power at rest beside a run, relative to the usual, above which something else ran.
BURST_RATIO = 1.4
#: Share of the memory in use above which pages may be moved to swap.
FULL = 0.9
#: Frequency at the end of a run relative to its beginning.
THROTTLE = 0.9
GIB = 2**30


@dataclass
class Checked:
    """The faults of a run or group by flag, and the checks that lacked their data."""

    flags: dict[str, str]
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, sentence: str) -> None:
        """Add a fault; of several of one name the first is told."""
        self.flags.setdefault(name, sentence)


def run(series: Series, window: Window, usual: float | None) -> Checked:
    """Make every check of a single run; `usual`: W at rest in its session."""
    found = Checked(window.faults)
    for check in (_counters, _memory, _frequency):
        check(series, found)
    if series.updates < UPDATES:
        text = f"{series.updates} updates of the counter, expected at least {UPDATES}"
        found.add(FEW_UPDATES, text)
    _rest(window, usual, found)
    return found


def _counters(run: Series, found: Checked) -> None:
    """Check that counters only grow, and that the parts do not exceed the whole."""
    logged = {"the package": run.package, "all cores": run.cores} | run.suspects
    for name, counter in logged.items():
        if counter and (steps := backward_steps(counter)):
            text = f"{name} goes back {steps} times in {len(counter)} samples"
            found.add(BACKWARD, text)
        if not counter or counter is run.package:
            continue
        joules = positive_steps(counter)
        if joules > run.joules * (1 + TOLERANCE):
            found.add(
                CORES_EXCEED,
                f"{name}: its upward steps make {joules:,.0f} J, "
                f"{joules / run.duration:,.0f} W, while the whole package used "
                f"{run.joules:,.1f} J",
            )
    for name, reason in run.refused.items():
        found.add(WITHDRAWN, f"{name} is not used: {reason}")
    if not run.cores and not run.suspects:
        found.skipped[CORES_EXCEED] = "no counter of the cores was logged"


def _memory(run: Series, found: Checked) -> None:
    """Check that nothing was swapped out and that memory was left."""
    if not run.swap:
        found.skipped[SWAP] = "swap was not logged"
    elif (most := max(run.swap)) > run.swap[0]:
        odd = ""
        if run.swap_total is not None and most > run.swap_total:
            odd = (
                f" (more than the {run.swap_total / GIB:.1f} GiB there are: the "
                "amount is not reliable, that it moved is)"
            )
        low, high = run.swap[0] / GIB, most / GIB
        found.add(SWAP, f"USED_SWAP rises from {low:.2f} to {high:.2f} GiB{odd}")
    if not run.memory or not run.memory_total:
        found.skipped[MEMORY] = "memory was not logged"
    elif (most := max(run.memory)) > FULL * run.memory_total:
        whole = run.memory_total / GIB
        found.add(MEMORY, f"{most / GIB:.1f} of {whole:.1f} GiB in use")


def _frequency(run: Series, found: Checked) -> None:
    """Check that the processor kept its frequency, as far as it was logged."""
    mhz = [value for value in run.frequency if value > 0]
    if not mhz:
        found.skipped[THROTTLED] = "no frequency was logged"
    elif min(mhz) == max(mhz):
        text = f"every sample says {mhz[0]:.0f} MHz: the label's figure, not a reading"
        found.add(NO_FREQUENCY, text)
    else:
        part = max(1, len(mhz) // 4)
        first, last = statistics.median(mhz[:part]), statistics.median(mhz[-part:])
        if last < THROTTLE * first:
            found.add(THROTTLED, f"from {first:.0f} to {last:.0f} MHz")


def _rest(window: Window, usual: float | None, found: Checked) -> None:
    """Check that the machine was at rest beside the run."""
    beside = [rest.watts for rest in (window.before, window.after) if rest]
    if not beside:
        for name in (BELOW_IDLE, BURST):
            found.skipped[name] = "no idle window is adjacent"
    elif usual is not None and max(beside) > BURST_RATIO * usual:
        found.add(
            BURST,
            f"{max(beside):.1f} W at rest beside this run, {usual:.1f} W is usual: "
            f"something else drew {max(beside) - usual:+.1f} W",
        )
    if window.drift is None:
        found.skipped[IDLE_DRIFT] = "an idle window is missing on one side"


def quantised(durations: Sequence[float], step: float) -> str:
    """Look for the sampler's step in a group of durations; empty if there is no fault.

    A duration that ends at a sample is known to one step. That does no harm while the
    durations spread over several steps (noise.LEAST_STEPS); else what spreads is the
    sampler. Needs ten durations.
    """
    if len(durations) < 10:
        return ""
    spread = noise.steps(durations, step)
    if spread >= noise.LEAST_STEPS:
        return ""
    return (
        f"{len(durations)} durations spread over {spread:.1f} of the sampler's "
        f"steps of {1000 * step:.0f} ms: effect sizes of the duration measure the "
        "sampler"
    )


def alternating(order: Sequence[str]) -> str:
    """Look for an order that repeats (a, b, a, b …); empty if there is none."""
    kinds = len(set(order))
    first = list(order[:kinds])
    if kinds < 2 or len(order) < 6 * kinds or len(set(first)) < kinds:
        return ""
    if any(name != first[place % kinds] for place, name in enumerate(order)):
        return ""
    return (
        f"{len(order)} runs in strict rotation ({', '.join(first)}, …): what drifts in "
        "that rhythm is taken for a difference"
    )
