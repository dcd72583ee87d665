"""The energy figures over runs and time: iso-power, running totals, gaps, residuals.

Separate from `energyplots`, whose figures compare groups: here every run is a separate
mark. Invariants: all joules of a figure have the one quality word of their source,
which is in its title; residuals of the model are percentages, never joules.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from snooze_lab.model import OURS
from snooze_lab.report import theme, words
from snooze_lab.report.curves import both
from snooze_lab.report.figures import data, names_axis, size
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.svg import draw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The start of the command that imports the series again.
AGAIN = "snooze-lab import energibridge DIR"


def styles(source: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return role and shape of each group: those of its subject."""
    subjects = list(dict.fromkeys(one["subject"] for one in source["groups"]))
    by = theme.style_of(subjects, OURS)
    return {one["name"]: by[one["subject"]] for one in source["groups"]}


def linear(field: str, title: str, *, zero: bool = False, count: int = 5) -> Any:
    """Return x of a field on a linear scale."""
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(zero=zero),
        axis=alt.Axis(tickCount=count, format=",~r"),
    )


def upward(field: str, title: str) -> Any:
    """Return y of a field on a linear scale."""
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(zero=False),
        axis=alt.Axis(tickCount=5, format=",~r"),
    )


def iso_power(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    """Return energy against time with lines of equal power, a panel a condition."""
    known = styles(source)
    conditions = {one["name"]: one["condition"] for one in source["groups"]}
    subjects = {one["name"]: one["subject"] for one in source["groups"]}
    panels = []
    for condition in source["conditions"]:
        runs = [one for one in source["runs"] if conditions[one["group"]] == condition]
        if len(runs) < 2:
            continue
        rows = [
            {"x": one["duration"], "v": one["package"], "c": subjects[one["group"]]}
            for one in runs
        ]
        names = list(dict.fromkeys(row["c"] for row in rows))
        look = {subjects[one["group"]]: known[one["group"]] for one in runs}
        panels.append(
            Panel(
                condition,
                _iso(rows, names, look, condition),
            )
        )
    if not panels:
        return None
    return Figure(
        name=f"{base}-iso-power",
        title=f"Energy against time, with lines of equal power ({quality})",
        caption="Each mark is one run. Runs along one dashed line drew the same mean "
        "power, so they differ in energy only because they differ in time; runs "
        "above it woke something else.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


def _padded(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or abs(high) * 0.05 or 1.0
    return [low - room, high + room]


def _iso(
    rows: list[dict[str, Any]],
    names: list[str],
    look: Mapping[str, tuple[str, str]],
    condition: str,
) -> str:
    x_ends = _padded([row["x"] for row in rows])
    y_ends = _padded([row["v"] for row in rows])
    x = alt.X(
        "x:Q",
        title="duration, s",
        scale=alt.Scale(domain=x_ends, nice=False, zero=False),
        axis=alt.Axis(tickCount=5),
    )
    y = alt.Y(
        "v:Q",
        title="package energy, J",
        scale=alt.Scale(domain=y_ends, nice=False, zero=False),
        axis=alt.Axis(tickCount=5),
    )
    lines, labels = [], []
    for watts in _powers(rows):
        ends = _clipped(watts, x_ends, y_ends)
        if ends is None:
            continue
        (x1, y1), (x2, y2) = ends
        lines += [{"x": x1, "v": y1, "w": watts}, {"x": x2, "v": y2, "w": watts}]
        top = y2 >= y_ends[1] * 0.9999
        labels.append({"x": x2, "v": y2, "t": f"{watts:g} W", "top": top})
    colour = alt.Color(
        "c:N",
        title=None,
        sort=names,
        scale=alt.Scale(
            domain=names, range=[theme.ROLE[look[name][0]] for name in names]
        ),
    )
    shape = alt.Shape(
        "c:N",
        title=None,
        sort=names,
        scale=alt.Scale(domain=names, range=[look[name][1] for name in names]),
    )
    layers = [
        alt.Chart(data(lines))
        .mark_line(color=theme.ROLE["edge"], strokeDash=[4, 3], strokeWidth=1)
        .encode(x=x, y=y, detail="w:N"),
        *(
            alt.Chart(data([one for one in labels if one["top"] is top]))
            .mark_text(
                color=theme.ROLE["muted"],
                align="center" if top else "left",
                baseline="bottom" if top else "middle",
                dx=0 if top else 3,
                dy=-2 if top else 0,
            )
            .encode(x=x, y=y, text="t:N")
            for top in (False, True)
        ),
        alt.Chart(data(rows))
        .mark_point(size=34, filled=True, opacity=0.8)
        .encode(x=x, y=y, color=colour, shape=shape),
    ]
    chart = size(alt.layer(*layers), 0).properties(height=280)
    chart = chart.properties(padding={"left": 2, "right": 30, "top": 14, "bottom": 2})
    powers = [row["v"] / row["x"] for row in rows]
    said = (
        f"mean powers from {words.digits(min(powers))} to {words.digits(max(powers))}"
    )
    return draw(chart, f"{condition}: {len(rows)} runs, {said} W.")


def _powers(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return three to five round powers that cover those of the runs."""
    powers = [row["v"] / row["x"] for row in rows]
    low, high = min(powers), max(powers)
    room = max(high - low, high * 0.02)
    step = 10.0 ** math.floor(math.log10(room))
    for factor in (0.5, 1.0, 2.0, 5.0):
        first = math.floor(low / (step * factor))
        last = math.ceil(high / (step * factor))
        if last - first <= 3:
            return [n * step * factor for n in range(max(first, 1), last + 1)]
    return [low, high]


def _clipped(
    watts: float, x_ends: Sequence[float], y_ends: Sequence[float]
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the visible part of a line of equal power, or None."""
    low = max(x_ends[0], y_ends[0] / watts)
    high = min(x_ends[1], y_ends[1] / watts)
    if low >= high:
        return None
    return (low, low * watts), (high, high * watts)


def cumulative(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    """Return the running totals of one trial with the idle windows beside it."""
    found = source["figures"].get("cumulative")
    if not found or not found["series"]:
        return None
    known = styles(source)
    panels = []
    for condition in dict.fromkeys(one["condition"] for one in found["series"]):
        series = [one for one in found["series"] if one["condition"] == condition]
        idle = [one for one in found["idle"] if one["condition"] == condition]
        rows = [
            {"x": t, "v": joules, "g": one["group"]}
            for one in series
            for t, joules in zip(one["t"], one["joules"], strict=True)
        ]
        gaps = [
            {"x": t, "v": joules, "g": str(at), "w": one["watts"]}
            for at, one in enumerate(idle)
            for t, joules in zip(one["t"], one["joules"], strict=True)
        ]
        bands = [{"l": one["t"][0], "h": one["t"][1]} for one in idle]
        labels = [
            {
                "x": one["t"][-1],
                "v": one["joules"][-1],
                "t": one["group"].removesuffix(f"-{condition}"),
            }
            for one in series
        ]
        names = [one["group"] for one in series]
        x, y = linear("x", "s since the first run"), upward("v", "J, running total")
        layers = [
            alt.Chart(data(bands))
            .mark_rect(color=theme.ROLE["band"], opacity=1)
            .encode(x=linear("l", "s since the first run"), x2="h:Q"),
            alt.Chart(data(gaps))
            .mark_line(color=theme.ROLE["muted"], strokeDash=[2, 2])
            .encode(x=x, y=y, detail="g:N"),
            alt.Chart(data(rows))
            .mark_line(strokeWidth=2)
            .encode(
                x=x,
                y=y,
                color=alt.Color(
                    "g:N",
                    legend=None,
                    scale=alt.Scale(
                        domain=names, range=[theme.ROLE[known[n][0]] for n in names]
                    ),
                ),
            ),
            alt.Chart(data(labels))
            .mark_text(color=theme.ROLE["ink"], align="right", dx=-6, dy=-4)
            .encode(x=x, y=y, text="t:N"),
        ]
        said = "; ".join(
            f"{one['group']} "
            f"{words.quantity(one['joules'][-1] - one['joules'][0], 'J')} in "
            f"{words.digits(one['t'][-1] - one['t'][0])} s"
            for one in series
        )
        chart = size(alt.layer(*layers), 0).properties(height=250)
        panels.append(Panel(condition, draw(chart, f"{condition}: {said}.")))
    return Figure(
        name=f"{base}-cumulative",
        title=f"{found['title']} ({quality})",
        caption="Steeper is more power. Grey: the idle windows between runs, whose "
        "slope (dashed) is what is subtracted to get net energy.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


def sessions(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    """Return the power of each run and each gap over a session."""
    known = styles(source)
    panels = []
    for at, session in enumerate(source.get("sessions", [])):
        runs = [one for one in source["runs"] if one["session"] == at]
        if not runs:
            continue
        rows = [
            {
                "x": (one["start"] + one["duration"] / 2) / 60,
                "v": one["power"],
                "c": one["group"],
            }
            for one in runs
        ]
        rows += [
            {"x": (start + stop) / 120, "v": watts, "c": "idle"}
            for start, stop, watts in session["idle"]
        ]
        names = [*dict.fromkeys(one["group"] for one in runs), "idle"]
        look = known | {"idle": ("muted", "circle")}

        def make(
            width: int,
            rows: list[dict[str, Any]] = rows,
            names: list[str] = names,
            look: dict[str, tuple[str, str]] = look,
        ) -> Any:
            scales = [
                alt.Scale(
                    domain=names,
                    range=[
                        theme.ROLE[look[n][0]] if kind == 0 else look[n][1]
                        for n in names
                    ],
                )
                for kind in (0, 1)
            ]
            chart = (
                alt.Chart(data(rows))
                .mark_point(size=22, filled=True, opacity=0.9)
                .encode(
                    x=linear("x", "minutes since the session began"),
                    y=upward("v", "W"),
                    color=alt.Color("c:N", title=None, sort=names, scale=scales[0]),
                    shape=alt.Shape("c:N", title=None, sort=names, scale=scales[1]),
                )
            )
            return size(chart, 0, width=width).properties(height=230)

        usual = session["usual_idle_w"]
        said = (
            f"session {at + 1}: {len(runs)} runs, usual idle {words.digits(usual)} W."
        )
        panels.append(both(make, said, f"Session {at + 1}"))
    if not panels:
        return None
    return Figure(
        name=f"{base}-sessions",
        title=f"Power of each run and of the gaps beside it ({quality})",
        caption="Where the gaps rise together with the runs, something else was "
        "running.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


def residuals(source: Mapping[str, Any], base: str, file: str) -> Figure | None:
    """Return the deviation of each run from the model."""
    known = styles(source)
    rows = [
        {
            "c": one["group"],
            "v": (one["package"] / one["predicted"] - 1) * 100,
            "r": theme.ROLE[known[one["group"]][0]],
        }
        for one in source["runs"]
        if one.get("predicted")
    ]
    if not rows:
        return None
    present = {row["c"] for row in rows}
    names = [one["name"] for one in source["groups"] if one["name"] in present]

    def make(width: int) -> Any:
        x, y = linear("v", "counter over model, %"), names_axis(names)
        zero = alt.Chart(data([{"v": 0.0}])).mark_rule(
            color=theme.ROLE["muted"], strokeDash=[3, 3]
        )
        marks = (
            alt.Chart(data(rows))
            .mark_tick(thickness=1.5, size=13, opacity=0.8)
            .encode(x=x, y=y, color=alt.Color("r:N", scale=None))
        )
        return size(alt.layer(zero.encode(x=x), marks), len(names), width=width)

    worst = max(rows, key=lambda row: abs(row["v"]))
    said = f"largest residual {worst['v']:+.1f} % in {worst['c']}"
    return Figure(
        name=f"{base}-residuals",
        title="What the model of time and busy cores does not explain",
        caption="A tick per run, no joules: right of zero the counter gave more than "
        f"the model expects, so something beyond processor time used energy; {said}.",
        panels=(both(make, f"Residuals of {len(rows)} runs; {said}."),),
        data=file,
        command=AGAIN,
    )
