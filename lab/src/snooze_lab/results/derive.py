"""From the samples of a run to results.json: rows, effects, noise, the short answer.

Separate because a later version can derive the results again from the samples. A cell
with a wrong result has no quantity and no effect; claims are made only against the
measured noise of the run, and corrected over their table; nothing here reads a clock or
a machine. results_types.Results is the form. Used by runs.py and cli.py.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from snooze_lab import answer, native
from snooze_lab.model import AGAIN, REFERENCE, Contest, Effect, Row
from snooze_lab.race import practical
from snooze_lab.results import checks, sections
from snooze_lab.statistics import noise, stats
from snooze_lab.stored import results_types as types
from snooze_lab.stored import samples, store
from snooze_lab.stored.results_types import FORMAT, Results

if TYPE_CHECKING:
    from snooze_lab.model import Noise
    from snooze_lab.stored.samples import Derived, Samples
    from snooze_lab.stored.store import Run

#: Effects of one contest: instrument -> metric -> contender.
Effects = dict[str, dict[str, dict[str, Effect]]]
#: Second entries of a library: their difference is the noise, and no comparison.
TWINS = {AGAIN, native.AGAIN}


def derive(run: Run, relative_to: str = "") -> dict[str, Any]:
    """Return the results of a run from its current samples.

    `relative_to` is a contender that takes the place of the baseline in every contest
    that has it; RunError if none has.
    """
    plan = run.plan()
    found = samples.read(run.samples())
    planned = {one["id"]: Contest.from_json(one) for one in plan["contests"]}
    contests = _relative_to(relative_to, planned) if relative_to else planned
    effects = {name: _effects(one, found) for name, one in contests.items()}
    # The planned baseline is the one that was entered twice.
    quiet = _noise(planned, found, "interleaved")
    quiet_isolated = _noise(planned, found, "isolated")
    floors = {"interleaved": quiet.floor, "isolated": quiet_isolated.floor}
    _judge(plan, effects, floors)
    rows = {
        name: {
            who: _row(one, who, found, effects[name], plan["verified"][name])
            for who in one.contenders
        }
        for name, one in contests.items()
    }
    measured = samples.Derived(contests, found, rows)
    times = [one["started"] for one in found.all if one.get("started")]
    judged = sections.conformance(found)
    made = Results(
        format=FORMAT,
        run=types.Run(
            name=plan["name"],
            profile=plan["profile"],
            started=min(times, default=0.0),
            finished=max(times, default=0.0),
            seed=plan["seed"],
            command=plan["command"],
            samples=len(found.all),
            limit_s=plan.get("limit_s", 0.0),
            took_s=round(sum(one.get("took", 0.0) for one in found.all), 1),
        ),
        noise=quiet if quiet.n else quiet_isolated,
        noise_isolated=quiet_isolated,
        answer=types.Answer(),
        studies=tuple(
            sections.study(
                study,
                [_table(table, measured) for table in study["tables"]],
                measured,
                judged,
            )
            for study in plan["studies"]
        ),
        conformance=judged,
        drift=sections.drift(found),
        flags=tuple(checks.of(found, run.env())),
        relative_to=relative_to,
        practical=_practical(run),
    )
    said = answer.of(made, found.effect)
    return dataclasses.asdict(dataclasses.replace(made, answer=said))


def _practical(run: Run) -> dict[str, Any]:
    """Return what a run measured beside its studies; empty without."""
    has = (run.path / practical.FILE).exists()
    return dict(run.read(practical.FILE)) if has else {}


def _relative_to(name: str, contests: dict[str, Contest]) -> dict[str, Contest]:
    """Return the contests with another baseline, where they have it."""
    there = dict.fromkeys(who for one in contests.values() for who in one.contenders)
    there.pop(AGAIN, None)
    if name not in there:
        names = ", ".join(there)
        raise store.RunError(
            f"--relative-to: no contender {name!r} in this run; there are: {names}"
        )
    return {
        key: dataclasses.replace(one, baseline=name) if name in one.contenders else one
        for key, one in contests.items()
    }


def _effects(contest: Contest, found: Samples) -> Effects:
    """Return the ratios of all contenders to the baseline, by instrument and metric."""
    made: Effects = {"isolated": {}, "interleaved": {}}
    base = contest.baseline
    names = [name for name in contest.contenders if not _blank(contest, name, found)]
    if base not in names:
        return made  # no comparison with a wrong result
    metrics = {
        metric for name in names for metric in found.figures.get((contest.id, name), {})
    }
    for metric in sorted(metrics):
        theirs = found.of(contest.id, base, metric)
        column: dict[str, Effect] = {}
        for name in names:
            ours = found.of(contest.id, name, metric)
            if name == base or not ours.keys() & theirs.keys():
                continue
            if min(*ours.values(), *theirs.values()) <= 0:
                continue  # no consumption (no memory, no phase): a ratio is meaningless
            grain = samples.grain_of(metric)
            column[name] = stats.effect(ours, theirs, base, grain=grain)
        made["isolated"][metric] = column
    if contest.id in found.rounds:
        made["interleaved"]["time"] = {
            name: effect
            for name in names
            if name != base
            if (effect := found.effect(contest.id, name, base, "interleaved"))
        }
    return made


def _blank(contest: Contest, name: str, found: Samples) -> bool:
    """Tell whether a cell has samples that cannot be trusted."""
    rounds = found.rounds.get(contest.id, samples.Rounds())
    return (contest.id, name) in found.failed or name in rounds.wrong


def _noise(contests: dict[str, Contest], found: Samples, instrument: str) -> Noise:
    """Return the noise between an instrument's two entries of the same library."""
    effects = []
    for contest in contests.values():
        if AGAIN not in contest.contenders:
            continue
        # Where ways of using libraries compete, the baseline is the one entered twice.
        twin = REFERENCE if REFERENCE in contest.contenders else contest.baseline
        effect = found.effect(contest.id, AGAIN, twin, instrument)
        if effect is not None:
            effects.append(effect)
    return noise.noise(effects, REFERENCE)


def _judge(
    plan: dict[str, Any], effects: dict[str, Effects], floors: dict[str, float]
) -> None:
    """Correct p over each table and give the verdicts, in place; twins have none."""
    for study in plan["studies"]:
        for table in study["tables"]:
            for instrument, floor in floors.items():
                _judge_table(table["contests"], effects, instrument, floor)


def _judge_table(
    names: list[str], effects: dict[str, Effects], instrument: str, floor: float
) -> None:
    metrics = {metric for name in names for metric in effects[name][instrument]}
    for metric in metrics:
        columns = {name: effects[name][instrument].get(metric, {}) for name in names}
        together = {
            (name, contender): effect
            for name, column in columns.items()
            for contender, effect in column.items()
            if contender not in TWINS
        }
        for column in columns.values():
            for twin in TWINS & column.keys():
                column[twin] = dataclasses.replace(column[twin], verdict="undecided")
        # The machine's noise concerns times and joules, not bytes.
        noisy = samples.unit_of(metric) != "B"
        judged = stats.judge(together, floor=floor if noisy else 0.0)
        for (name, contender), effect in judged.items():
            columns[name][contender] = effect


def _row(
    contest: Contest,
    name: str,
    found: Samples,
    effects: Effects,
    verdicts: dict[str, Any],
) -> Row:
    cell, verdict = (contest.id, name), verdicts.get(name, {})
    status, reason = verdict.get("status", "failed"), verdict.get("reason", "")
    if status == "ok" and cell in found.failed:
        status, reason = found.failed[cell]
    rounds = found.rounds.get(contest.id, samples.Rounds())
    if status == "ok" and name in rounds.wrong:
        status, reason = "wrong", rounds.wrong[name]
    if status == "ok" and cell not in found.figures:
        status, reason = rounds.missing(name) or (status, reason)
    if status != "ok":
        return Row(contest.id, name, status, reason)
    figures = {
        metric: list(values.values())
        for metric, values in found.figures.get(cell, {}).items()
    }
    parts = found.parts(*cell)
    if parts:
        figures["round"] = parts
    if verdict.get("bytes"):
        figures.setdefault("size", [float(verdict["bytes"])])
    return Row(
        contest.id,
        name,
        "ok",
        "",
        {
            metric: stats.estimate(values, samples.unit_of(metric))
            for metric, values in figures.items()
        },
        figures,
        {
            instrument: {
                metric: column[name]
                for metric, column in by_metric.items()
                if name in column
            }
            for instrument, by_metric in effects.items()
        },
        checks.of_cell(found.by_cell.get(cell, [])),
    )


def _table(table: dict[str, Any], found: Derived) -> types.Table:
    chosen = found.of(table)
    metric = _headline(chosen)
    return types.Table(
        **{key: table[key] for key in ("name", "title", "kind", "note")},
        operation=chosen[0].operation,
        metrics=tuple(dict.fromkeys(one for c in chosen for one in c.metrics)),
        metric=metric,
        unit=samples.unit_of(metric),
        baseline=chosen[0].baseline,
        columns=tuple(dict.fromkeys(name for c in chosen for name in c.contenders)),
        rows=tuple(
            types.Line(
                workload=contest.workload,
                contest=contest.id,
                bytes=_bytes(found.rows[contest.id]),
                cells=found.rows[contest.id],
                operation=contest.operation,
                factors=contest.factors.differing(),
            )
            for contest in chosen
        ),
        with_outliers=_outliers(chosen, found.samples),
    )


def _headline(contests: list[Contest]) -> str:
    """Return the quantity that a table shows."""
    first = contests[0]
    if "time" in first.metrics:
        return "time" if "isolated" in first.instruments else "round"
    return {"memory": "peak", "phases": "time"}.get(first.metrics[0], "size")


def _bytes(rows: dict[str, Row]) -> int:
    """Return the bytes that the first contender reads or writes."""
    for row in rows.values():
        if "size" in row.quantities:
            return round(row.quantities["size"].value)
    return 0


def _outliers(contests: list[Contest], found: Samples) -> str:
    """Return the line under a table: results with and without its outlying blocks."""
    cells = {}
    for contest in contests:
        base = found.of(contest.id, contest.baseline, "time")
        for name in contest.contenders:
            own = found.of(contest.id, name, "time")
            shared = own.keys() & base.keys()
            if name not in {contest.baseline, *TWINS} and len(shared) > 3:
                cells[f"{contest.workload} {name}"] = (own, base)
    return noise.with_without(cells) if cells else ""
