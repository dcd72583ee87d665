"""The claims of a seed, beside the measurements of this run.

Separate because only the cells that the seed's file names can answer a claim.
Invariants: an answer is made of the run's own effects, with interval and verdict; where
the run lacks such a cell, it names the command that would measure it. Used by
sections.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab import published
from snooze_lab.results_types import Finding
from snooze_lab.samples import unit_of
from snooze_lab.units import digits, quantity, ratio

if TYPE_CHECKING:
    from snooze_lab.model import Contest, Row
    from snooze_lab.published import Answer
    from snooze_lab.results_types import Conformance


def of(
    study: str,
    contests: dict[str, Contest],
    rows: dict[str, dict[str, Row]],
    judged: Conformance,
) -> tuple[Finding, ...]:
    """Return the claims of a study's seed, with what this run measured."""
    short = study.split("_", maxsplit=1)[0]
    if short not in published.names():
        return ()
    return tuple(
        Finding(
            one.claim,
            one.seed_says,
            _measured(study, one.answered_by, contests, rows, judged),
            one.why_different,
        )
        for one in published.load(short).findings
    )


def _measured(
    study: str,
    answers: tuple[Answer, ...],
    contests: dict[str, Contest],
    rows: dict[str, dict[str, Row]],
    judged: Conformance,
) -> str:
    if not answers:
        return "Cannot be measured here."
    found = []
    missing = set()
    for answer in answers:
        if answer.operation == "conformance":
            text = _conformance(answer, judged)
        else:
            text = _answered(study, answer, contests, rows)
        if text:
            found.append(text)
        else:
            missing.add(answer.table)
    if not found:
        names = " or ".join(sorted(missing))
        return f"Not in this run: snooze-lab run {study} --profile full ({names})."
    return "; ".join(dict.fromkeys(found)) + "."


def _answered(
    study: str,
    answer: Answer,
    contests: dict[str, Contest],
    rows: dict[str, dict[str, Row]],
) -> str:
    """Return one cell in words, or an empty string if the run does not have it."""
    for contest in contests.values():
        if (contest.study, contest.table) != (study, answer.table):
            continue
        if (contest.workload, contest.operation) != (answer.workload, answer.operation):
            continue
        row = rows[contest.id].get(answer.contender)
        base = rows[contest.id].get(answer.baseline)
        if row is None or base is None:
            continue
        conditions = f" ({contest.factors})" if contest.factors.differing() else ""
        if row.status != "ok":
            return f"{answer.contender}: {row.status}, {row.reason}{conditions}"
        text = _compared(answer, row, base)
        if text:
            place = f"{answer.operation} {answer.workload}"
            return f"{place}: {answer.contender} {text}{conditions}"
    return ""


def _conformance(answer: Answer, judged: Conformance) -> str:
    """Return what a contender accepts and rejects wrongly, by both metrics."""
    name = answer.contender
    if name not in judged.columns:
        return ""
    counts = [
        f"{one.name} {one.values[name]}"
        for one in judged.metrics
        if one.name.startswith(("invalid", "valid"))
    ]
    return f"{name}: {', '.join(counts)}"


def _compared(answer: Answer, row: Row, base: Row) -> str:
    metric, baseline = answer.quantity, answer.baseline
    timed = metric == "time"
    effect = row.ratio(metric, baseline) if timed else None
    if effect:
        shown = ratio(effect.ratio, effect.low, effect.high)
        return f"{shown} times as fast as {baseline} ({effect.verdict})"
    own, theirs = (
        one.time if timed else one.quantities.get(metric) for one in (row, base)
    )
    if own is None or theirs is None or theirs.value <= 0:
        return ""
    if timed:
        return f"{digits(theirs.value / own.value)} times as fast as {baseline}"
    shown, other = (quantity(one.value, unit_of(metric)) for one in (own, theirs))
    return f"{shown}, {digits(own.value / theirs.value)} times {baseline}'s {other}"
