"""The energy section: tables of comparisons, groups, the model and the flags.

Separate from the studies because joules come from separate meters or recordings. A
section shows one source, so nothing mixes two qualities; results of the seed's own
method are labelled as such, beside the paired analysis. `energyplots` draws.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.report import energyplots, words
from snooze_lab.report.energyplots import NAMES
from snooze_lab.report.parts import (
    Cell,
    File,
    Section,
    Sheet,
    blank,
    name,
    number,
    quantity,
)
from snooze_lab.stored.energy_types import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from snooze_lab.stored.energy_types import Comparison, Energy, Metric, Ratio

    Cells = tuple[Cell, ...]


def section(source: Energy) -> Section:
    """Return the section of an energy source."""
    quality = source.quality
    base = words.slug("energy", source.name)
    data = {key: f"{base}-{key}.csv" for key in ("groups", "runs", "pairs", "series")}
    sheets = _Sheets(source, base, data)
    parts = (
        sheets.paired(),
        sheets.as_seed(),
        sheets.groups(),
        *energyplots.Figures(source, base, data).all(),
        sheets.model(),
        sheets.flags(),
    )
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


@dataclass(frozen=True)
class _Sheets:
    """The sheets of one source; `base` begins their names, `files` are their data."""

    source: Energy
    base: str
    files: Mapping[str, str]

    def _sheet(  # noqa: PLR0913, PLR0917 - the parts of a sheet
        self,
        ending: str,
        title: str,
        head: tuple[str, ...],
        rows: Sequence[Cells],
        caption: str = "",
        data: str = "",
    ) -> Sheet | None:
        """Return a sheet; None without rows."""
        if not rows:
            return None
        file = self.files.get(data, "")
        anchor = f"{self.base}-{ending}"
        return Sheet(anchor, title, head, tuple(rows), caption=caption, data=file)

    @property
    def _subjects(self) -> tuple[str, str] | None:
        """The two subjects of all comparisons, None if they differ."""
        pairs = {(one.first, one.second) for one in self.source.comparisons}
        return pairs.pop() if len(pairs) == 1 else None

    def _compared(self, one: Comparison, metric: str) -> Cell:
        """Return the name of a row: condition, metric, and who, if that varies."""
        who = "" if self._subjects else f", {one.first} and {one.second}"
        return name(f"{one.condition}, {NAMES.get(metric, metric)}{who}")

    def paired(self) -> Sheet | None:
        """Return the ratios within trials."""
        rows = []
        for one in self.source.comparisons:
            quiet = {entry.metric: entry for entry in one.paired_quiet}
            rows += [
                (
                    self._compared(one, entry.metric),
                    _ratio(entry),
                    _ratio(quiet.get(entry.metric)),
                )
                for entry in one.paired
            ]
        first, second = self._subjects or ("the first", "the second")
        return self._sheet(
            "paired",
            f"{first} over {second}, trial by trial ({self.source.quality})",
            ("condition and metric", "all trials", "without background bursts"),
            rows,
            "Geometric mean of the ratio within each trial, 95 % interval, n trials. "
            f"Above 1: {second} needs less.",
            "pairs",
        )

    def as_seed(self) -> Sheet | None:
        """Return the comparisons by the seed's own method."""
        rows = []
        for one in self.source.comparisons:
            for entry in one.as_seed:
                sides = zip(entry.mean, entry.sd, strict=True)
                p, effect = entry.p, entry.effect
                shown = "" if effect is None else words.digits(effect)
                rows.append(
                    (
                        self._compared(one, entry.metric),
                        *(number(words.spread(*s, entry.unit), s[0]) for s in sides),
                        _known(entry.difference_percent, "{:+.1f} %"),
                        Cell(entry.test),
                        _known(
                            p, "< 0.001" if p is not None and p < 0.001 else "{:.3f}"
                        ),
                        _known(effect, f"{entry.effect_name} {shown}"),
                    )
                )
        return self._sheet(
            "as-seed",
            f"As in the seed: its outlier rule and its tests ({self.source.quality})",
            (
                "condition and metric",
                *(self._subjects or ("first", "second")),
                *("difference", "test", "p", "effect"),
            ),
            rows,
            "Mean ± standard deviation after the seed's rule, which drops a run that "
            "is an outlier in any metric and so breaks pairs. Kept for comparison; the "
            "table above is what we conclude from.",
            "pairs",
        )

    def groups(self) -> Sheet | None:
        """Return the medians of the groups."""
        groups = self.source.groups
        metrics = list(dict.fromkeys(key for one in groups for key in one.metrics))
        rows = []
        for one in groups:
            cells = (_median(one.metrics.get(metric)) for metric in metrics)
            share = one.idle_share
            idle = number(f"{share * 100:.1f} %", share) if share else Cell(words.NONE)
            rows.append((name(f"{one.name}, n {one.n}"), *cells, idle))
        return self._sheet(
            "groups",
            f"The groups: medians and middle halves ({self.source.quality})",
            ("group", *(NAMES.get(one, one) for one in metrics), "idle part"),
            rows,
            "In brackets: withdrawn. The idle part is the share of the gross joules "
            "that the machine would have used doing nothing.",
            "groups",
        )

    def model(self) -> Sheet | None:
        """Return how well the power model predicts the groups."""
        model = self.source.model
        if not model:
            return None
        rows = [
            (
                name(one.group + (" (fitted)" if one.fitted else "")),
                quantity(one.measured, "J"),
                quantity(one.predicted, "J"),
                number(f"{one.difference_percent:+.1f} %", one.difference_percent),
                Cell(f"{one.n} of {one.n + one.left_out}"),
            )
            for one in model.predictions
        ]
        counter = f"counter ({self.source.quality})"
        return self._sheet(
            "model",
            "A model of two numbers: idle power and power per busy core",
            ("group", counter, "model (estimated)", "off by", "runs"),
            rows,
            f"E = time {words.BY} ({words.digits(model.idle_w)} W + "
            f"{words.digits(model.core_w)} W {words.BY} busy cores), fitted on "
            f"{words.listed(model.fitted)} only ({model.n} runs, error band "
            f"{words.digits(model.low)} to {words.digits(model.high)}). The model's "
            "joules are estimated; they stand here to test the model, not to be "
            "compared with each other.",
            "groups",
        )

    def flags(self) -> Sheet | None:
        """Return what the checks found."""
        rows = []
        for one in self.source.flags:
            runs = (f"{g} {n}/{of}" for g, (n, of) in one.counts.items())
            texts = (one.meaning, ", ".join(runs), one.example)
            rows.append((name(one.flag), *map(Cell, texts)))
        for flag in self.source.study_flags:
            texts = ("a fault of the whole study", flag.where, flag.sentence)
            rows.append((name(flag.flag), *map(Cell, texts)))
        return self._sheet(
            "flags",
            "What the checks found in these series",
            ("flag", "meaning", "runs", "example"),
            rows,
        )


def _known(value: float | None, form: str) -> Cell:
    """Return a figure that is not defined for some groups."""
    return Cell(words.NONE) if value is None else number(form.format(value), value)


def _ratio(entry: Ratio | None) -> Cell:
    if entry is None:
        return blank("not computed")
    detail = f"{words.span(entry.low, entry.high)}, n{words.GAP}{entry.n}"
    return number(words.digits(entry.ratio), entry.ratio, detail)


def _median(held: Metric | None) -> Cell:
    if held is None:
        return blank("not known for every run")
    shown = words.quantity(held.median, held.unit)
    middle = words.interval(held.q1, held.q3, held.unit, held.median)
    if held.withdrawn:
        note = "withdrawn: the counter is not to be trusted"
        return number(f"({shown})", held.median, middle, note)
    return number(shown, held.median, middle)


def _files(source: Energy, data: Mapping[str, str]) -> tuple[File, ...]:
    keys = ("n", "mean", "sd", "min", "q1", "median", "q3", "max")
    groups = tuple(
        (one.name, metric, held.unit, *(getattr(held, key) for key in keys))
        for one in source.groups
        for metric, held in one.metrics.items()
    )
    pairs = tuple(
        (one.condition, one.first, one.second, kind, *dataclasses.astuple(entry))
        for one in source.comparisons
        for kind in ("paired", "paired_quiet")
        for entry in getattr(one, kind)
    )
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
    head = tuple(one.name for one in dataclasses.fields(Run))
    pair_head = ("condition", "first", "second", "trials", "metric")
    return (
        File(data["groups"], ("group", "metric", "unit", *keys), groups),
        File(data["runs"], head, runs),
        File(data["pairs"], (*pair_head, "ratio", "low", "high", "n"), pairs),
        File(data["series"], ("condition", "group", "trial", "s", "J"), series),
    )
