"""The energy figures: the seed's seven, and what they leave out.

Separate from `energy`, which tabulates. A withdrawn metric is drawn only with that word
beside it; scales are linear, because joules add up; residuals of the model are
percentages, never joules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze_lab.report import rows, theme, words
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.plot import Axis, Plot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from snooze_lab.report.parts import Drawing
    from snooze_lab.stored.energy_types import Energy, Group, Metric, Session

#: The start of the command that imports the series again.
AGAIN = "snooze-lab import energibridge DIR"
#: The displayed names of the metrics.
NAMES = {
    "duration": "duration",
    "package": "package energy, gross",
    "net": "package energy, net of idle",
    "power": "mean power",
    "cores": "energy of the cores",
    "core0": "core 0, as logged",
    "idle": "idle power beside",
    "busy": "busy cores",
    "peak_memory": "peak memory",
}
_BOXES = ("duration", "package", "core0", "power")
#: A place on the axis across, one upwards, and the name of a style.
Mark = tuple[float, float, str]


@dataclass(frozen=True)
class Figures:
    """The figures of one source; `base` begins their names, `files` are their data."""

    source: Energy
    base: str
    files: Mapping[str, str]

    def all(self) -> list[Figure | None]:
        """Return the figures in reading order, None for each without data."""
        reasons = {
            key: f"{NAMES[key]} is withdrawn: {metric.withdrawn}"
            for group in self.source.groups
            for key, metric in group.metrics.items()
            if metric.withdrawn
        }
        return [
            self._figure(
                "boxes",
                "The seed's box plots, of all runs",
                "Boxes hold the middle half of the runs, whiskers reach to 1.5 times "
                f"the box, crosses lie beyond. {' '.join(reasons.values())}".strip(),
                self._boxes(),
                "runs",
            ),
            self._figure(
                "gross-net",
                "Gross and net: how much of the energy is idling",
                "The whole bar is what the counter gave; the pale part is what the "
                "machine would have used anyway, by the idle windows beside each run.",
                self._gross_net(),
                "groups",
            ),
            self._figure(
                "iso-power",
                "Energy against time, with lines of equal power",
                "Each mark is one run. Runs along one dashed line drew the same mean "
                "power, so they differ in energy only because they differ in time; "
                "runs above it woke something else.",
                self._iso_power(),
                "runs",
            ),
            self._figure(
                "cumulative",
                "Running total of one trial",
                "Each run from its own start; steeper is more power. Dashed: the idle "
                "power of the gaps beside these runs, which is what is subtracted to "
                "get net energy.",
                self._cumulative(),
                "series",
            ),
            self._figure(
                "sessions",
                "Power of each run and of the gaps beside it",
                "Where the gaps rise together with the runs, something else was "
                "running.",
                self._sessions(),
                "runs",
            ),
            self._residuals(),
            self._figure(
                "metrics",
                "All groups in every metric, as in the seed",
                "Dots are means of all runs, lines one standard deviation to each "
                "side: the spread of runs, not an interval of the mean."
                + "".join(f" {key} is withdrawn." for key in reasons),
                self._metrics(),
                "groups",
            ),
        ]

    def _figure(
        self, name: str, title: str, caption: str, panels: Iterable[Panel], data: str
    ) -> Figure | None:
        title = f"{title} ({self.source.quality})"
        drawn, file = tuple(panels), self.files[data]
        if not drawn:
            return None
        return Figure(f"{self.base}-{name}", title, caption, drawn, file, AGAIN)

    def _heading(self, text: str, metrics: Iterable[Metric]) -> str:
        """Return the heading of a panel of one metric, with the words it must have."""
        held = list(metrics)
        text += ", withdrawn" if any(one.withdrawn for one in held) else ""
        return f"{text} ({self.source.quality})" if held[0].unit in {"J", "W"} else text

    @property
    def _subjects(self) -> dict[str, tuple[str, str]]:
        """Role and shape of each subject."""
        return theme.styles(
            list(dict.fromkeys(one.subject for one in self.source.groups))
        )

    @property
    def _styles(self) -> dict[str, tuple[str, str]]:
        """Role and shape of each group: those of its subject."""
        by = self._subjects
        return {one.name: by[one.subject] for one in self.source.groups}

    def _having(self, condition: str, *metrics: str) -> list[Group]:
        """Return the groups of a condition that have all these metrics."""
        return [
            one
            for one in self.source.groups
            if one.condition == condition and set(metrics) <= one.metrics.keys()
        ]

    def _boxes(self) -> Iterator[Panel]:
        for key in _BOXES:
            for condition in self.source.conditions:
                groups = self._having(condition, key)
                if groups:
                    metrics = [one.metrics[key] for one in groups]
                    heading = self._heading(f"{NAMES[key]}, {condition}", metrics)
                    yield Panel.of(heading, self._box(groups, metrics))

    def _box(self, groups: Sequence[Group], metrics: Sequence[Metric]) -> Drawing:
        styles = self._styles
        held = [
            rows.Box(
                *(group.subject, one.low, one.q1, one.median, one.q3, one.high),
                outside=tuple(one.outside),
                role=styles[group.name][0],
            )
            for group, one in zip(groups, metrics, strict=True)
        ]
        ends = [v for one in held for v in (one.low, one.high, *one.outside)]
        across = Axis.scaled(ends, metrics[0].unit, max(ends), log=False)

        def shown(value: float) -> str:
            return words.digits(value / across.divisor)

        said = "; ".join(
            f"{one.name} median {shown(one.median)}, middle half "
            f"{shown(one.q1)} to {shown(one.q3)} {across.title}"
            for one in held
        )
        return rows.boxes(held, across, f"{said}.")

    def _gross_net(self) -> Iterator[Panel]:
        for condition in self.source.conditions:
            groups = {
                one.subject: [one.metrics[key].median for key in ("package", "net")]
                for one in self._having(condition, "package", "net")
            }
            if not groups:
                continue
            bars = {
                who: [(net, "net of idle", "s5"), (gross - net, "idle", "p1")]
                for who, (gross, net) in groups.items()
            }
            said = "; ".join(
                f"{who} gross {words.quantity(gross, 'J')}, net "
                f"{words.quantity(net, 'J')}"
                for who, (gross, net) in groups.items()
            )
            alternative = f"{condition}: {said}."
            drawing = rows.bars(bars, "J", alternative, ", median of the runs")
            yield Panel.of(condition, drawing)

    def _metrics(self) -> Iterator[Panel]:
        styles = self._styles
        for metric, title in NAMES.items():
            held = {
                one.name: one.metrics[metric]
                for one in self.source.groups
                if metric in one.metrics
            }
            if not held:
                continue
            dots = {
                group: rows.Dot(
                    *(one.mean, one.mean - one.sd, one.mean + one.sd),
                    role=styles[group][0],
                )
                for group, one in held.items()
            }
            ends = [end for dot in dots.values() for end in (dot.low, dot.high)]
            unit = next(iter(held.values())).unit
            most = max(abs(dot.value) for dot in dots.values())
            across = Axis.scaled(ends, unit, most, log=False)
            said = "; ".join(
                f"{group} {words.digits(dot.value / across.divisor)}"
                for group, dot in dots.items()
            )
            shown = [rows.Row(group, (dot,)) for group, dot in dots.items()]
            alternative = f"{metric}, {across.title}: {said}."
            drawing = rows.dots(shown, across, alternative)
            yield Panel.of(self._heading(title, held.values()), drawing)

    def _iso_power(self) -> Iterator[Panel]:
        """Yield energy against time with lines of equal power, a panel a condition."""
        groups = {one.name: one for one in self.source.groups}
        for condition in self.source.conditions:
            points = [
                (one.duration, one.package, groups[one.group].subject)
                for one in self.source.runs
                if groups[one.group].condition == condition
            ]
            if len(points) > 1:
                yield Panel.of(condition, _iso(points, self._subjects, condition))

    def _cumulative(self) -> Iterator[Panel]:
        """Yield the running totals of one trial, each from its own start."""
        for condition in dict.fromkeys(one.condition for one in self.source.cumulative):
            series = [
                one for one in self.source.cumulative if one.condition == condition
            ]
            # Overlaid: each from zero, so that slopes and ends can be compared.
            lines = {
                one.group: list(zip(one.t, one.joules, strict=True)) for one in series
            }
            idle = [window.watts for one in series for window in one.idle]
            drawing = _running(lines, idle, self._styles, condition)
            yield Panel.of(condition, drawing)

    def _sessions(self) -> Iterator[Panel]:
        """Yield the power of each run and each gap over a session."""
        styles = self._styles | {"idle": ("muted", "circle")}
        for at, session in enumerate(self.source.sessions):
            points = [
                ((one.start + one.duration / 2) / 60, one.power, one.group)
                for one in self.source.runs
                if one.session == at
            ]
            if points:
                drawing = _session(at, session, points, styles)
                yield Panel.both(drawing, f"Session {at + 1}")

    def _residuals(self) -> Figure | None:
        """Return the deviation of each run from the model, in per cent: no joules."""
        off: dict[str, list[float]] = {}
        for one in self.source.runs:
            if one.predicted:
                share = (one.package / one.predicted - 1) * 100
                off.setdefault(one.group, []).append(share)
        if not off:
            return None
        names = [one.name for one in self.source.groups if one.name in off]
        held = [rows.Row(name, samples=tuple(off[name])) for name in names]
        values = [value for found in off.values() for value in found]
        across = Axis.over([*values, 0.0, -0.1], "counter over model, %", log=False)
        worst = max(names, key=lambda name: max(map(abs, off[name])))
        said = f"largest residual {max(off[worst], key=abs):+.1f} % in {worst}"
        alternative = f"Residuals of {len(values)} runs; {said}."
        return Figure(
            f"{self.base}-residuals",
            "What the model of time and busy cores does not explain",
            "A tick per run, no joules: right of zero the counter gave more than the "
            "model expects, so something beyond processor time used energy; "
            f"{said}.",
            (Panel.both(rows.dots(held, across, alternative, at=0.0)),),
            self.files["runs"],
            AGAIN,
        )


def _iso(
    points: Sequence[Mark], look: Mapping[str, tuple[str, str]], condition: str
) -> Drawing:
    across = Axis.over((x for x, _, _ in points), "duration, s", log=False)
    up = Axis.over((y for _, y, _ in points), "package energy, J", log=False)
    powers = [joules / time for time, joules, _ in points]
    least, most = min(powers), max(powers)
    said = f"mean powers from {words.digits(least)} to {words.digits(most)}"
    names = dict.fromkeys(subject for _, _, subject in points)

    def draw(width: float, kind: str) -> str:
        plot = Plot(across, up, width=width, height=290, right=40, top=16)
        for watts in _powers(least, most):
            low = max(across.low, up.low / watts)
            high = min(across.high, up.high / watts)
            if low >= high:
                continue
            ends = [(plot.x(t), plot.y(t * watts)) for t in (low, high)]
            plot.canvas.line(ends, "edge", dash="4 3")
            x, y = ends[1]
            top = high < across.high
            place = (x, y - 4) if top else (x + 3, y + 4)
            anchor = "middle" if top else "start"
            plot.canvas.text(*place, f"{watts:g} W", "muted", anchor=anchor)
        for time, joules, subject in points:
            colour, shape = look[subject]
            plot.canvas.mark(shape, plot.x(time), plot.y(joules), 3.2, colour)
        plot.legend([(name, *look[name]) for name in names])
        return plot.svg(f"{condition}: {len(points)} runs, {said} W.", kind=kind)

    return draw


def _powers(low: float, high: float) -> list[float]:
    """Return three to five round powers that cover those of the runs."""
    room = max(high - low, high * 0.02)
    step = 10.0 ** math.floor(math.log10(room))
    for factor in (0.5, 1.0, 2.0, 5.0):
        first = math.floor(low / (step * factor))
        last = math.ceil(high / (step * factor))
        if last - first <= 3:
            return [n * step * factor for n in range(max(first, 1), last + 1)]
    return [low, high]


def _running(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    idle: Sequence[float],
    styles: Mapping[str, tuple[str, str]],
    condition: str,
) -> Drawing:
    longest = max(points[-1][0] for points in lines.values())
    most = max(points[-1][1] for points in lines.values())
    across = Axis(0.0, longest * 1.03, "s since the start of the run", log=False)
    up = Axis(0.0, most * 1.05, "J, running total", log=False)
    said = "; ".join(
        f"{name} {words.quantity(points[-1][1], 'J')} in "
        f"{words.digits(points[-1][0])} s"
        for name, points in lines.items()
    )

    def draw(width: float, kind: str) -> str:
        plot = Plot(across, up, width=width, height=260)
        if idle:
            watts = sum(idle) / len(idle)
            end = min(longest, most / watts) if watts > 0 else longest
            ends = [(plot.x(0), plot.y(0)), (plot.x(end), plot.y(end * watts))]
            plot.canvas.line(ends, "muted", dash="2 2")
        for name, points in lines.items():
            places = [(plot.x(t), plot.y(joules)) for t, joules in points]
            plot.canvas.line(places, styles[name][0], width=2)
        shown = [(name.removesuffix(f"-{condition}"), *styles[name]) for name in lines]
        plot.legend(shown)
        return plot.svg(f"{condition}: {said}.", kind=kind)

    return draw


def _session(
    at: int,
    session: Session,
    runs: Sequence[Mark],
    styles: Mapping[str, tuple[str, str]],
) -> Drawing:
    points = [
        *runs,
        *(((start + stop) / 120, watts, "idle") for start, stop, watts in session.idle),
    ]
    usual = session.usual_idle_w
    rest = "unknown" if usual is None else f"{words.digits(usual)} W"
    across = Axis.over(
        (x for x, _, _ in points), "minutes since the session began", log=False
    )
    up = Axis.over((y for _, y, _ in points), "W", log=False)

    def draw(width: float, kind: str) -> str:
        plot = Plot(across, up, width=width, height=230)
        for x, y, name in points:
            colour, shape = styles[name]
            plot.canvas.mark(shape, plot.x(x), plot.y(y), 2.6, colour)
        names = dict.fromkeys(name for _, _, name in points)
        plot.legend([(name, *styles[name]) for name in names])
        said = f"session {at + 1}: {len(runs)} runs, usual idle {rest}."
        return plot.svg(said, kind=kind)

    return draw
