"""The energy section: tables of comparisons, groups, the model and the flags.

Separate from the studies because joules come from separate meters or recordings. A
section shows one source, so nothing mixes two qualities; results of the seed's own
method are labelled as such, beside the paired analysis. `energyplots` draws.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from snooze_lab.energy_types import Run
from snooze_lab.report import energyplots, words
from snooze_lab.report.energyplots import NAMES
from snooze_lab.report.parts import (
    Cell,
    Figure,
    File,
    Section,
    Sheet,
    blank,
    name,
    number,
    quantity,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from snooze_lab.energy_types import Comparison, Energy, Ratio


def sections(found: Sequence[Energy]) -> list[Section]:
    """Return a section per energy source."""
    return [_section(source) for source in found]


def _section(source: Energy) -> Section:
    quality = source.quality
    base = words.slug("energy", source.name)
    data = {key: f"{base}-{key}.csv" for key in ("groups", "runs", "pairs", "series")}
    parts: list[Figure | Sheet | None] = [
        _paired(source, base, quality, data["pairs"]),
        _as_seed(source, base, quality, data["pairs"]),
        _groups(source, base, quality, data["groups"]),
        *energyplots.Figures(source, base, data).all(),
        _model(source, base, quality, data["groups"]),
        _flags(source, base),
    ]
    said = (
        f"Every joule of this section is {quality}: {words.QUALITIES[quality]}. Gross "
        "is all that the counter gave; net is without the idle power of the gaps "
        "beside the run."
    )
    return Section(
        name=base,
        title=f"Energy, {quality}: {source.name}",
        headline=f"{len(source.runs)} runs",
        lead=(said, *source.statements),
        parts=tuple(part for part in parts if part),
        files=_files(source, data),
    )


def _known(value: float | None, form: str) -> Cell:
    """Return a figure that is not defined for some groups."""
    return Cell(words.NONE) if value is None else number(form.format(value), value)


def _subjects(source: Energy) -> tuple[str, str] | None:
    """Return the two subjects of all comparisons, None if they differ."""
    pairs = {(one.first, one.second) for one in source.comparisons}
    return pairs.pop() if len(pairs) == 1 else None


def _compared(source: Energy, one: Comparison, metric: str) -> Cell:
    """Return the name of a row: the condition, the metric, and who, if that varies."""
    who = "" if _subjects(source) else f", {one.first} and {one.second}"
    return name(f"{one.condition}, {NAMES.get(metric, metric)}{who}")


def _paired(source: Energy, base: str, quality: str, data: str) -> Sheet | None:
    rows = []
    for one in source.comparisons:
        quiet = {entry.metric: entry for entry in one.paired_quiet}
        for entry in one.paired:
            held = [
                _compared(source, one, entry.metric),
                _ratio(entry),
                _ratio(quiet.get(entry.metric)),
            ]
            rows.append(tuple(held))
    if not rows:
        return None
    first, second = _subjects(source) or ("the first", "the second")
    return Sheet(
        name=f"{base}-paired",
        title=f"{first} over {second}, trial by trial ({quality})",
        head=("condition and metric", "all trials", "without background bursts"),
        rows=tuple(rows),
        caption="Geometric mean of the ratio within each trial, 95 % "
        f"interval, n trials. Above 1: {second} needs less.",
        data=data,
    )


def _ratio(entry: Ratio | None) -> Cell:
    if entry is None:
        return blank("not computed")
    detail = f"{words.span(entry.low, entry.high)}, n{words.GAP}{entry.n}"
    return number(words.digits(entry.ratio), entry.ratio, detail)


def _as_seed(source: Energy, base: str, quality: str, data: str) -> Sheet | None:
    rows = []
    for one in source.comparisons:
        for entry in one.as_seed:
            sides = [
                number(words.spread(mean, sd, entry.unit), mean)
                for mean, sd in zip(entry.mean, entry.sd, strict=True)
            ]
            p, effect = entry.p, entry.effect
            rows.append(
                (
                    _compared(source, one, entry.metric),
                    *sides,
                    _known(entry.difference_percent, "{:+.1f} %"),
                    Cell(entry.test),
                    _known(p, "< 0.001" if p is not None and p < 0.001 else "{:.3f}"),
                    Cell(words.NONE)
                    if effect is None
                    else number(f"{entry.effect_name} {words.digits(effect)}", effect),
                )
            )
    if not rows:
        return None
    first, second = _subjects(source) or ("first", "second")
    return Sheet(
        name=f"{base}-as-seed",
        title=f"As in the seed: its outlier rule and its tests ({quality})",
        head=(
            "condition and metric",
            first,
            second,
            "difference",
            "test",
            "p",
            "effect",
        ),
        rows=tuple(rows),
        caption="Mean ± standard deviation after the seed's rule, which drops a run "
        "that is an outlier in any metric and so breaks pairs. Kept for comparison; "
        "the table above is what we conclude from.",
        data=data,
    )


def _groups(source: Energy, base: str, quality: str, data: str) -> Sheet | None:
    groups = source.groups
    if not groups:
        return None
    metrics = list(dict.fromkeys(key for one in groups for key in one.metrics))
    rows = []
    for one in groups:
        cells = [name(f"{one.name}, n {one.n}")]
        for metric in metrics:
            held = one.metrics.get(metric)
            if held is None:
                cells.append(blank("not known for every run"))
                continue
            unit = held.unit
            shown = words.quantity(held.median, unit)
            withdrawn = metric == "core0"
            cells.append(
                number(
                    f"({shown})" if withdrawn else shown,
                    held.median,
                    words.interval(held.q1, held.q3, unit, held.median),
                    "withdrawn: the counter is not to be trusted" * withdrawn,
                )
            )
        share = one.idle_share
        cells.append(number(words.percent(share), share) if share else Cell(words.NONE))
        rows.append(tuple(cells))
    return Sheet(
        name=f"{base}-groups",
        title=f"The groups: medians and middle halves ({quality})",
        head=("group", *(NAMES.get(one, one) for one in metrics), "idle part"),
        rows=tuple(rows),
        caption="In brackets: withdrawn. The idle part is the share of the gross "
        "joules that the machine would have used doing nothing.",
        data=data,
    )


def _model(source: Energy, base: str, quality: str, data: str) -> Sheet | None:
    model = source.model
    if not model:
        return None
    rows = tuple(
        (
            name(one.group + (" (fitted)" if one.fitted else "")),
            quantity(one.measured, "J"),
            quantity(one.predicted, "J"),
            number(f"{one.difference_percent:+.1f} %", one.difference_percent),
            Cell(f"{one.n} of {one.n + one.left_out}"),
        )
        for one in model.predictions
    )
    band = f"{words.digits(model.low)} to {words.digits(model.high)}"
    return Sheet(
        name=f"{base}-model",
        title="A model of two numbers: idle power and power per busy core",
        head=("group", f"counter ({quality})", "model (estimated)", "off by", "runs"),
        rows=rows,
        caption=f"E = time {words.BY} ({words.digits(model.idle_w)} W + "
        f"{words.digits(model.core_w)} W {words.BY} busy cores), fitted on "
        f"{words.listed(list(model.fitted))} only ({model.n} runs, error band "
        f"{band}). The model's joules are estimated; they stand here to test the "
        "model, not to be compared with each other.",
        data=data,
    )


def _flags(source: Energy, base: str) -> Sheet | None:
    rows = [
        (
            name(one.flag),
            Cell(one.meaning),
            Cell(", ".join(f"{g} {n}/{of}" for g, (n, of) in one.counts.items())),
            Cell(one.example),
        )
        for one in source.flags
    ]
    rows += [
        (
            name(one.flag),
            Cell("a fault of the whole study"),
            Cell(one.where),
            Cell(one.sentence),
        )
        for one in source.study_flags
    ]
    if not rows:
        return None
    return Sheet(
        name=f"{base}-flags",
        title="What the checks found in these series",
        head=("flag", "meaning", "runs", "example"),
        rows=tuple(rows),
    )


def _files(source: Energy, data: Mapping[str, str]) -> tuple[File, ...]:
    keys = ("n", "mean", "sd", "min", "q1", "median", "q3", "max")
    groups = tuple(
        (one.name, metric, held.unit, *(getattr(held, key) for key in keys))
        for one in source.groups
        for metric, held in one.metrics.items()
    )
    pairs = tuple(
        (
            *(one.condition, one.first, one.second, kind),
            *(entry.metric, entry.ratio, entry.low, entry.high, entry.n),
        )
        for one in source.comparisons
        for kind, entries in (
            ("paired", one.paired),
            ("paired_quiet", one.paired_quiet),
        )
        for entry in entries
    )
    head = tuple(one.name for one in dataclasses.fields(Run))
    runs = tuple(
        tuple(
            " ".join(value) if isinstance(value, list) else value
            for value in dataclasses.astuple(one)
        )
        for one in source.runs
    )
    series = tuple(
        (one.condition, one.group, one.trial, t, joules)
        for one in source.cumulative
        for t, joules in zip(one.t, one.joules, strict=True)
    )
    pair_head = ("condition", "first", "second", "trials", "metric")
    return (
        File(data["groups"], ("group", "metric", "unit", *keys), groups),
        File(data["runs"], head, runs),
        File(data["pairs"], (*pair_head, "ratio", "low", "high", "n"), pairs),
        File(data["series"], ("condition", "group", "trial", "s", "J"), series),
    )
