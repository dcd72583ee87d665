"""An energy study as it is stored: an Energy of energy_types.py.

Separate because the report draws and must not compute. Outliers are named, never
deleted. Used by command.py.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from typing import TYPE_CHECKING, Any

import numpy as np

import snooze
from snooze_lab.energy import calibration, checks, study
from snooze_lab.statistics.noise import inside_fences
from snooze_lab.stored import energy_types as types

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from snooze_lab.meters.base import Reading

#: Points of a series that are drawn.
POINTS = 80


def of(found: study.Study) -> types.Energy:
    """Return a study's summary; without a power model where none can be fitted."""
    compared = study.comparisons(found)
    fit, described = _model(found)
    result = types.Energy(
        format=2,
        name=found.name,
        quality="imported",
        conditions=found.conditions,
        groups=[_group(group) for group in found.groups.values()],
        comparisons=compared,
        runs=list(_runs(found, fit)),
        sessions=[_session(one) for one in found.sessions],
        model=described,
        flags=list(_flags(found)),
        study_flags=found.flags(),
        statements=list(_statements(found, compared)),
        cumulative=[
            series for name in found.conditions for series in _cumulative(found, name)
        ],
    )
    return snooze.convert(_rounded(dataclasses.asdict(result)), types.Energy)


def _rounded(value: Any) -> Any:
    """Return plain data with floats at six digits, and None for non-finite values."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _group(group: study.Group) -> types.Group:
    share = [
        idle * run.series.duration / run.series.joules
        for run in group.runs
        if (idle := run.window.idle_watts) is not None
    ]
    refused: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for run in group.runs:
        refused |= run.series.refused
        skipped |= run.checked.skipped
    metrics = {}
    for name, unit in study.UNITS.items():
        values = [one for run in group.runs if (one := run.metrics[name]) is not None]
        if values:
            withdrawn = refused.get("CORE0_ENERGY", "") if name == "core0" else ""
            metrics[name] = _metric(values, unit, withdrawn)
    return types.Group(
        name=group.name,
        subject=group.subject,
        condition=group.condition,
        n=len(group.runs),
        kept=sum(group.kept()),
        idle_share=statistics.median(share) if share else None,
        metrics=metrics,
        skipped=skipped,
    )


def _metric(values: Sequence[float], unit: str, withdrawn: str) -> types.Metric:
    q1, median, q3 = (float(q) for q in np.percentile(values, [25, 50, 75]))
    within = list(itertools.compress(values, inside_fences(values)))
    low, high = min(within), max(within)
    return types.Metric(
        unit=unit,
        n=len(values),
        mean=statistics.fmean(values),
        sd=statistics.stdev(values) if len(values) > 1 else 0.0,
        min=min(values),
        q1=q1,
        median=median,
        q3=q3,
        max=max(values),
        low=low,
        high=high,
        outside=[value for value in values if not low <= value <= high],
        withdrawn=withdrawn,
    )


def _runs(found: study.Study, fit: calibration.Fit | None) -> Iterator[types.Run]:
    kept = {
        id(run)
        for group in found.groups.values()
        for run in itertools.compress(group.runs, group.kept())
    }
    for number, session in enumerate(found.sessions):
        for run in session.runs:
            metrics, before, after = run.metrics, run.window.before, run.window.after
            yield types.Run(
                group=run.group,
                trial=run.trial,
                session=number,
                start=run.series.t[0] - session.runs[0].series.t[0],
                duration=run.series.duration,
                package=run.series.joules,
                net=metrics["net"],
                power=run.window.work.watts,
                core0=metrics["core0"],
                idle_before=before.watts if before else None,
                idle_after=after.watts if after else None,
                busy=run.series.busy,
                peak_memory=metrics["peak_memory"],
                kept=id(run) in kept,
                predicted=fit.joules(run.point) if fit and run.point else None,
                flags=sorted(run.checked.flags),
            )


def _session(session: study.Session) -> types.Session:
    began = session.runs[0].series.t[0]
    return types.Session(
        usual_idle_w=session.usual,
        runs=len(session.runs),
        idle=[
            (one.series.t[-1] - began, after.series.t[0] - began, rest.watts)
            for one, after in itertools.pairwise(session.runs)
            if (rest := one.window.after)
        ],
    )


def _model(
    found: study.Study,
) -> tuple[calibration.Fit | None, types.PowerModel | None]:
    """Fit to the calmest group, so that the model predicts all others."""
    chosen = calibration.calmest(found)
    try:
        fit = calibration.from_study(found, chosen)
    except calibration.CalibrationError:
        return None, None
    return fit, types.PowerModel(
        idle_w=fit.idle_watts,
        core_w=fit.watts_per_busy_core,
        low=fit.band_low,
        high=fit.band_high,
        n=fit.n,
        fitted=chosen,
        predictions=calibration.predictions(found, fit, chosen),
    )


def _flags(found: study.Study) -> Iterator[types.FlagCount]:
    for name, meaning in checks.MEANING.items():
        counts = {}
        examples = []
        for group in found.groups.values():
            said = [text for run in group.runs if (text := run.checked.flags.get(name))]
            if name == checks.QUANTISED and group.quantised:
                said = [group.quantised] * len(group.runs)
            counts[group.name] = (len(said), len(group.runs))
            examples += [f"{group.name}: {text}" for text in said[:1]]
        if examples:
            yield types.FlagCount(name, meaning, counts, examples[0])


def _statements(
    found: study.Study, compared: Sequence[types.Comparison]
) -> Iterator[str]:
    """Yield the swapping, the ratios and the disturbances in words."""
    for group in found.groups.values():
        swapped = sum(checks.SWAP in run.checked.flags for run in group.runs)
        if swapped:
            yield (
                f"USED_SWAP leaves {group.runs[0].series.swap[0]:.0f} in "
                f"{swapped}/{len(group.runs)} {group.name} runs"
            )
    what = {"duration": "time", "package": "gross energy", "net": "net energy"}
    for one in compared:
        label = f" ({one.condition})" if one.condition else ""
        for pair in one.paired:
            if pair.metric in what:
                yield (
                    f"{one.first} needs {pair.ratio:.3f} [{pair.low:.3f}, "
                    f"{pair.high:.3f}] times the {what[pair.metric]} of "
                    f"{one.second}{label}, {pair.n} pairs"
                )
        if one.left_out:
            trials = ", ".join(map(str, one.left_out))
            yield f"background burst beside trials {trials}{label}"
    for flag in found.flags():
        yield f"{flag.where}: {flag.sentence}"


def _cumulative(found: study.Study, condition: str) -> Iterator[types.Cumulative]:
    """Yield the last trial that all subjects of a condition have."""
    groups = found.of(condition)
    common = set.intersection(*({run.trial for run in one.runs} for one in groups))
    for group in groups if common else ():
        run = next(one for one in group.runs if one.trial == max(common))
        t, joules = run.series.t, run.series.package
        drawn = np.unique(np.linspace(0, len(t) - 1, POINTS).round().astype(int))
        idle = []
        if before := run.window.before:
            idle.append(_idle(before, 0.0, 0.0))
        if after := run.window.after:
            end = run.series.duration + after.seconds
            idle.append(_idle(after, end, run.series.joules + after.joules))
        yield types.Cumulative(
            condition=condition,
            group=group.name,
            trial=run.trial,
            t=[t[i] - t[0] for i in drawn],
            joules=[joules[i] - joules[0] for i in drawn],
            idle=idle,
        )


def _idle(rest: Reading, stop: float, joules: float) -> types.Idle:
    """Return a window at rest that ends at a point of a running total."""
    return types.Idle(
        t=(stop - rest.seconds, stop),
        joules=(joules - rest.joules, joules),
        watts=rest.watts,
    )
