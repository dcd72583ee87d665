"""An energy study as plain data for the report: `results["energy"]`.

Separate because the report draws and must not compute, and because `results.json` is
read by others. Invariants: plain dicts, lists, strings, finite numbers and None; every
joule is `imported` (`quality` says so at the top); rounded to six digits; under 300 kB
for a study of 120 runs. The schema, format 1 (units: s, J, W, J per operation, B;
`busy`: cores):

    name, quality, format, baseline, conditions, resolution_s (the sampler's step)
    groups: [{name, subject, condition, n, kept (by the seed's outlier rule),
    operations,
        idle_share (of gross joules), peak_memory_ratio (peak over what the machine
        has), metrics: {metric: {unit, n, mean, sd, min, q1, median, q3, max,
                           seed: {n, mean, sd} after the outlier rule}},
        checks: [{flag, n, of, sentence, meaning}], skipped: {check: reason}}]
    metrics are duration, package (gross J), net, power, per_operation,
        net_per_operation, cores, core0 (withdrawn), idle (W beside), busy, peak_memory
    comparisons: [{condition, first, second, kept: [a, b], left_out: [trial], unpaired,
        as_seed: [{metric, unit, n, mean, sd, shapiro_p, test, statistic, p,
                   effect_name, effect, difference_percent, sentence}],
        paired: [{metric, ratio, low, high, n}],                   second over first
        paired_quiet: the same without the trials of a background burst}]
    runs: [{group, trial, session, start (s since its session began), duration, package,
        net, power, core0, idle_before, idle_after (W or None), busy, peak_memory, kept,
        predicted (J by the model or None), flags: [name]}]
    sessions: [{usual_idle_w, runs, idle: [[start, stop, W]] (s since it began)}]
    model: {idle_w, core_w, low, high, n, fitted: [group], predictions: [{group, n,
        left_out, measured, predicted, difference_percent, fitted}]} or None
    flags: [{flag, meaning, counts: {group: [runs, of]}, example}]
    study_flags: [{flag, sentence, where}]
    statements: [text], the flags and ratios in words
    figures: {duration_box, package_box, core0_box, power_box: {title, metric, unit,
        withdrawn (reason or None), boxes: {group: {low, q1, median, q3, high,
        outside: [value]}}} (whiskers at 1.5 IQR, all runs);
        scatter: {title, x, y, units} over `runs`; groups_by_metrics: {title, metrics:
        {metric: {unit, mean: {group: value}, sd: {group: value}}}};
        cumulative: {title, series: [{condition, group, trial, t, joules, watts}],
        idle: [{condition, t: [start, stop], joules: [start, stop], watts}]}} where t =
        0 is the start of the condition's first series drawn and joules begin at 0
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from snooze_lab.energy import calibrate, checks, study
from snooze_lab.energy.figures import UNITS, figures, spread
from snooze_lab.energy.windows import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from snooze_lab.energy.windows import Idle

FORMAT = 1


def rounded(value: Any) -> Any:
    """Return plain data with floats at six digits, and None for non-finite values."""
    if isinstance(value, dict):
        return {str(key): rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return float(f"{number:.6g}") if math.isfinite(number) else None


def _metrics(group: study.Group, kept: Sequence[bool]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for metric, unit in UNITS.items():
        values = group.values(metric)
        known = [value for value in values if value is not None]
        if not known:
            continue
        inside = [
            value
            for value, keep in zip(values, kept, strict=True)
            if keep and value is not None
        ]
        seed = spread(inside) if inside else None
        found[metric] = {
            "unit": unit,
            **spread(known),
            "seed": seed and {k: seed[k] for k in ("n", "mean", "sd")},
        }
    return found


def _first(run: study.Run, name: str) -> checks.Flag | None:
    return next((flag for flag in run.checked.flags if flag.name == name), None)


def _checks(group: study.Group) -> list[dict[str, Any]]:
    found = []
    for name in checks.MEANING:
        hits = [flag for run in group.runs if (flag := _first(run, name))]
        sentences = [flag.sentence for flag in hits]
        count = len(hits)
        for flag in group.flags:
            if flag.name == name:
                count, sentences = len(group.runs), [flag.sentence]
        if count:
            found.append(
                {
                    "flag": name,
                    "n": count,
                    "of": len(group.runs),
                    "sentence": sentences[0],
                    "meaning": checks.MEANING[name],
                }
            )
    return found


def _group(group: study.Group) -> dict[str, Any]:
    kept = group.kept()
    share = [
        idle * run.series.duration / run.window.gross
        for run in group.runs
        if (idle := run.window.idle_watts) is not None
    ]
    memory = [
        max(run.series.memory) / run.series.memory_total
        for run in group.runs
        if run.series.memory and run.series.memory_total
    ]
    skipped: dict[str, str] = {}
    for run in group.runs:
        skipped |= run.checked.skipped
    return {
        "name": group.name,
        "subject": group.subject,
        "condition": group.condition,
        "n": len(group.runs),
        "kept": sum(kept),
        "operations": group.runs[0].operations,
        "idle_share": statistics.median(share) if share else None,
        "peak_memory_ratio": statistics.median(memory) if memory else None,
        "metrics": _metrics(group, kept),
        "checks": _checks(group),
        "skipped": skipped,
    }


def _watts(idle: Idle | None) -> float | None:
    return idle.watts if idle else None


def _runs(
    found: study.Study,
    sessions: Sequence[Sequence[study.Run]],
    fit: calibrate.Fit | None,
) -> list[dict[str, Any]]:
    kept = {
        run.name: keep
        for group in found.groups.values()
        for run, keep in zip(group.runs, group.kept(), strict=True)
    }
    rows = []
    for number, session in enumerate(sessions):
        began = session[0].series.t[0]
        for run in session:
            busy = run.series.busy_cores()
            seconds = run.series.duration
            point = None
            if busy is not None:
                point = calibrate.Point(seconds, busy * seconds, run.window.gross)
            wanted = ("duration", "package", "net", "power", "core0")
            rows.append(
                {
                    "group": study.group_name(run.subject, run.condition),
                    "trial": run.trial,
                    "session": number,
                    "start": run.series.t[0] - began,
                }
                | {name: run.metrics[name] for name in wanted}
                | {
                    "idle_before": _watts(run.window.before),
                    "idle_after": _watts(run.window.after),
                    "busy": busy,
                    "peak_memory": run.metrics["peak_memory"],
                    "kept": kept[run.name],
                    "predicted": fit.joules(point) if fit and point else None,
                    "flags": sorted({flag.name for flag in run.checked.flags}),
                }
            )
    return rows


def _sessions(found: study.Study) -> list[list[study.Run]]:
    runs = [run for group in found.groups.values() for run in group.runs]
    sessions: list[list[study.Run]] = []
    for run in sorted(runs, key=lambda run: run.series.t[0]):
        last = sessions[-1][-1] if sessions else None
        if last and run.series.t[0] - last.series.t[-1] <= LONGEST:
            sessions[-1].append(run)
        else:
            sessions.append([run])
    return sessions


def _idle(sessions: Sequence[Sequence[study.Run]]) -> list[list[list[float]]]:
    found = []
    for session in sessions:
        began = session[0].series.t[0]
        after = [run.window.after for run in session]
        found.append(
            [[i.start - began, i.stop - began, i.watts] for i in after if i is not None]
        )
    return found


def _flags(found: study.Study) -> list[dict[str, Any]]:
    result = []
    for name, meaning in checks.MEANING.items():
        counts = {}
        example = ""
        for group in found.groups.values():
            for entry in _checks(group):
                if entry["flag"] == name:
                    counts[group.name] = [entry["n"], entry["of"]]
                    example = example or f"{group.name}: {entry['sentence']}"
        if counts:
            for group in found.groups.values():
                counts.setdefault(group.name, [0, len(group.runs)])
            result.append(
                {
                    "flag": name,
                    "meaning": meaning,
                    "counts": dict(sorted(counts.items())),
                    "example": example,
                }
            )
    return result


def _statements(found: study.Study, compared: Sequence[study.Versus]) -> list[str]:
    said = []
    for group in found.groups.values():
        swapped = Counter(run.flagged(checks.SWAP) for run in group.runs)
        if swapped[True]:
            said.append(
                f"USED_SWAP leaves {group.runs[0].series.swap[0]:.0f} in "
                f"{swapped[True]}/{len(group.runs)} {group.name} runs"
            )
    for one in compared:
        label = f" ({one.condition})" if one.condition else ""
        for pair in one.paired:
            if pair.metric in {"duration", "package", "net"}:
                what = {"package": "gross energy", "net": "net energy"}
                said.append(
                    f"{one.second} over {one.first}{label}, "
                    f"{what.get(pair.metric, pair.metric)}: {pair.ratio:.3f} "
                    f"[{pair.low:.3f}, {pair.high:.3f}], {pair.n} pairs"
                )
        if one.left_out:
            trials = ", ".join(map(str, one.left_out))
            said.append(f"background burst beside trials {trials}{label}")
    said += [f"{flag.where}: {flag.sentence}" for flag in found.flags]
    return said


def _model(
    found: study.Study, fitted: Sequence[str] | None
) -> tuple[calibrate.Fit | None, dict[str, Any] | None]:
    """Fit to the groups named, or to the baseline in the condition of least memory.

    There paging is least likely, and all other groups are left for it to predict.
    """
    chosen = list(fitted) if fitted is not None else calmest(found)
    try:
        fit = calibrate.from_study(found, chosen)
    except calibrate.CalibrationError:
        if fitted is not None:
            raise
        return None, None
    predictions = calibrate.predictions(found, fit, chosen)
    return fit, {
        "idle_w": fit.idle,
        "core_w": fit.core,
        "low": fit.low,
        "high": fit.high,
        "n": fit.n,
        "fitted": chosen,
        "predictions": [dataclasses.asdict(one) for one in predictions],
    }


def calmest(found: study.Study) -> list[str]:
    """Return the baseline's group in the condition that needs the least memory."""

    def memory(condition: str) -> float:
        group = found.group(found.subjects(condition)[0], condition)
        return max((max(r.series.memory, default=0.0) for r in group.runs), default=0.0)

    condition = min(found.conditions, key=memory)
    return [study.group_name(found.subjects(condition)[0], condition)]


def of(found: study.Study, *, fitted: Sequence[str] | None = None) -> dict[str, Any]:
    """Return a study's summary; `fitted` names the groups that the model is fitted to.

    Raises calibrate.CalibrationError when groups are named and cannot be fitted;
    without names the model is left out where it cannot be.
    """
    compared = study.comparisons(found)
    sessions = _sessions(found)
    fit, model = _model(found, fitted)
    idle = _idle(sessions)
    intervals = [
        run.series.interval for group in found.groups.values() for run in group.runs
    ]
    result = {
        "format": FORMAT,
        "name": found.name,
        "quality": study.QUALITY,
        "baseline": found.subjects(found.conditions[0])[0],
        "conditions": found.conditions,
        "resolution_s": max(intervals),
        "groups": [_group(group) for group in found.groups.values()],
        "comparisons": [dataclasses.asdict(one) for one in compared],
        "runs": _runs(found, sessions, fit),
        "sessions": [
            {"usual_idle_w": usual, "runs": len(session), "idle": windows}
            for usual, session, windows in zip(found.usual, sessions, idle, strict=True)
        ],
        "model": model,
        "flags": _flags(found),
        "study_flags": [
            {"flag": flag.name, "sentence": flag.sentence, "where": flag.where}
            for flag in found.flags
        ],
        "unread": found.unread,
        "statements": _statements(found, compared),
        "figures": figures(found),
    }
    plain: dict[str, Any] = rounded(result)
    return plain


def summary(root: Path, **options: Any) -> dict[str, Any]:
    """Return the summary of a folder; options are those of `study.load`.

    Raises study.StudyError when the folder holds no series.
    """
    return of(study.load(root, **options))
