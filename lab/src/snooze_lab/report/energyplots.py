"""The figures of an energy source: boxes, gross and net, iso-power, series, residuals.

Separate from `energy`, which tabulates: drawing is a trade of its own. Invariants: all
joules of a figure have the one quality word of their source, which stands in its title;
a withdrawn metric is drawn only with the word beside it; scales are linear, because
joules add up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from snooze_lab.model import OURS
from snooze_lab.report import theme, words
from snooze_lab.report.curves import both
from snooze_lab.report.figures import data, names_axis, size
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.svg import draw

#: How the command that reads the series again begins.
AGAIN = "snooze-lab import energibridge DIR"
_BOXES = ("duration_box", "package_box", "core0_box", "power_box")


def figures(
    source: Mapping[str, Any], base: str, quality: str, files: Mapping[str, str]
) -> list[Figure | None]:
    """Return the figures of one source, None for each that it has no data for."""
    return [
        _boxes(source, base, quality, files["runs"]),
        _gross_net(source, base, quality, files["groups"]),
        _scatter(source, base, quality, files["runs"]),
        _cumulative(source, base, quality, files["series"]),
        _sessions(source, base, quality, files["runs"]),
        _residuals(source, base, files["runs"]),
        _metrics(source, base, quality, files["groups"]),
    ]


def styles(source: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return role and shape of each group: those of its subject."""
    subjects = list(dict.fromkeys(one["subject"] for one in source["groups"]))
    by = theme.style_of(subjects, OURS)
    return {one["name"]: by[one["subject"]] for one in source["groups"]}


def _linear(field: str, title: str, *, zero: bool = False, count: int = 5) -> Any:
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(zero=zero),
        axis=alt.Axis(tickCount=count, format=",~r"),
    )


def _boxes(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    held = source["figures"]
    panels = []
    for key in _BOXES:
        found = held.get(key)
        if not found or not found["boxes"]:
            continue
        rows, beyond, said = [], [], []
        for name, box in found["boxes"].items():
            ends = {short: box[key] for short, key in _ENDS}
            rows.append({"c": name, "r": theme.ROLE[styles(source)[name][0]]} | ends)
            beyond += [{"c": name, "v": value} for value in box["outside"]]
            said.append(f"{name} median {words.quantity(box['median'], found['unit'])}")
        why = found.get("withdrawn")
        heading = f"{found['title']}, withdrawn" if why else found["title"]
        joules = f" ({quality})" if found["unit"] in {"J", "W"} else ""
        panels.append(
            Panel(
                heading + joules,
                _box_panel(rows, beyond, found["unit"]),
                command="",
            )
        )
    if not panels:
        return None
    reasons = [
        f"{held[key]['title']} is withdrawn: {held[key]['withdrawn']}"
        for key in _BOXES
        if held.get(key) and held[key].get("withdrawn")
    ]
    return Figure(
        name=f"{base}-boxes",
        title=f"The seed's box plots, of all runs ({quality})",
        caption="Boxes hold the middle half of the runs, whiskers reach to 1.5 times the "
        f"box, crosses lie beyond. {' '.join(reasons)}".strip(),
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


_ENDS = (("a", "low"), ("l", "q1"), ("v", "median"), ("h", "q3"), ("z", "high"))


def _box_panel(
    rows: list[dict[str, Any]], beyond: list[dict[str, Any]], unit: str
) -> str:
    most = max([*(row["z"] for row in rows), *(row["v"] for row in beyond)])
    divisor, name = words.scale(unit, most)
    for row in (*rows, *beyond):
        for key in set(row) & set("alvhz"):
            row[key] /= divisor
    y = names_axis([row["c"] for row in rows])
    chart = alt.Chart(data(rows)).encode(y=y)
    colour = alt.Color("r:N", scale=None)
    layers = [
        chart.mark_rule(strokeWidth=1.5).encode(
            x=_linear("a", name), x2="z:Q", color=colour
        ),
        chart.mark_bar(height=11, fill=theme.ROLE["page"], strokeWidth=1.5).encode(
            x=_linear("l", name), x2="h:Q", stroke=alt.Stroke("r:N", scale=None)
        ),
        chart.mark_tick(thickness=3, size=12).encode(x=_linear("v", name), color=colour),
    ]
    if beyond:
        layers.append(
            alt.Chart(data(beyond))
            .mark_point(
                shape="cross",
                size=18,
                filled=True,
                opacity=1,
                color=theme.ROLE["muted"],
            )
            .encode(x=_linear("v", name), y=y)
        )
    said = "; ".join(
        f"{row['c']} {words.digits(row['l'])} to {words.digits(row['h'])} {name}"
        for row in rows
    )
    return draw(size(alt.layer(*layers), len(rows)), f"Middle halves: {said}.")


def _gross_net(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    panels = []
    for condition in source["conditions"]:
        groups = [
            one
            for one in source["groups"]
            if one["condition"] == condition
            and {"package", "net"} <= set(one["metrics"])
        ]
        if not groups:
            continue
        most = max(one["metrics"]["package"]["median"] for one in groups)
        divisor, unit = words.scale("J", most)
        rows, said = [], []
        for one in groups:
            gross = one["metrics"]["package"]["median"]
            net = one["metrics"]["net"]["median"]
            for label, low, high, colour in (
                ("net of idle", 0.0, net, "ours"),
                ("idle", net, gross, "p1"),
            ):
                rows.append(
                    {
                        "c": one["subject"],
                        "v": low / divisor,
                        "h": high / divisor,
                        "k": label,
                        "r": colour,
                    }
                )
            said.append(
                f"{one['subject']} gross {words.quantity(gross, 'J')}, "
                f"net {words.quantity(net, 'J')}"
            )
        names = list(dict.fromkeys(row["c"] for row in rows))
        chart = (
            alt.Chart(data(rows))
            .mark_bar(height=13, stroke=theme.ROLE["page"], strokeWidth=1)
            .encode(
                y=names_axis(names),
                x=_linear("v", f"{unit}, median of the runs", zero=True),
                x2="h:Q",
                color=alt.Color(
                    "k:N",
                    title=None,
                    scale=alt.Scale(
                        domain=["net of idle", "idle"],
                        range=[theme.ROLE["ours"], theme.ROLE["p1"]],
                    ),
                    legend=alt.Legend(symbolType="square"),
                ),
            )
        )
        sized = size(chart, len(names)).properties(height=len(names) * 20 + 64)
        panels.append(Panel(condition, draw(sized, f"{condition}: {'; '.join(said)}.")))
    if not panels:
        return None
    return Figure(
        name=f"{base}-gross-net",
        title=f"Gross and net: how much of the energy is idling ({quality})",
        caption="The whole bar is what the counter gave; the pale part is what the "
        "machine would have used anyway, by the idle windows beside each run.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


def _scatter(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
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
        "power, so they differ in energy only because they differ in time; runs above it "
        "woke something else.",
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
        labels.append({"x": x2, "v": y2, "t": f"{watts:g} W"})
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
        alt.Chart(data(labels))
        .mark_text(
            color=theme.ROLE["muted"], align="right", baseline="bottom", dx=-3, dy=-3
        )
        .encode(x=x, y=y, text="t:N"),
        alt.Chart(data(rows))
        .mark_point(size=34, filled=True, opacity=0.8)
        .encode(x=x, y=y, color=colour, shape=shape),
    ]
    chart = size(alt.layer(*layers), 0).properties(height=280)
    powers = [row["v"] / row["x"] for row in rows]
    said = f"mean powers from {words.digits(min(powers))} to {words.digits(max(powers))}"
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
        if last - first <= 4:
            return [n * step * factor for n in range(max(first, 1), last + 1)]
    return [low, high]


def _clipped(
    watts: float, x_ends: Sequence[float], y_ends: Sequence[float]
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the part of a line of equal power that a plot shows, None without any."""
    low = max(x_ends[0], y_ends[0] / watts)
    high = min(x_ends[1], y_ends[1] / watts)
    if low >= high:
        return None
    return (low, low * watts), (high, high * watts)


def _cumulative(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
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
        x, y = _linear("x", "s since the first run"), _upward("v", "J, running total")
        layers = [
            alt.Chart(data(bands))
            .mark_rect(color=theme.ROLE["band"], opacity=1)
            .encode(x=_linear("l", "s since the first run"), x2="h:Q"),
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
            f"{one['group']} {words.quantity(one['joules'][-1] - one['joules'][0], 'J')}"
            f" in {words.digits(one['t'][-1] - one['t'][0])} s"
            for one in series
        )
        chart = size(alt.layer(*layers), 0).properties(height=250)
        panels.append(Panel(condition, draw(chart, f"{condition}: {said}.")))
    return Figure(
        name=f"{base}-cumulative",
        title=f"{found['title']} ({quality})",
        caption="Steeper is more power. Grey: the idle windows between runs, whose slope "
        "(dashed) is what is subtracted to get net energy.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


def _upward(field: str, title: str) -> Any:
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(zero=False),
        axis=alt.Axis(tickCount=5, format=",~r"),
    )


def _sessions(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
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
                    range=[theme.ROLE[look[n][0]] if kind == 0 else look[n][1]
                           for n in names],
                )
                for kind in (0, 1)
            ]
            chart = (
                alt.Chart(data(rows))
                .mark_point(size=22, filled=True, opacity=0.9)
                .encode(
                    x=_linear("x", "minutes since the session began"),
                    y=_upward("v", "W"),
                    color=alt.Color("c:N", title=None, sort=names, scale=scales[0]),
                    shape=alt.Shape("c:N", title=None, sort=names, scale=scales[1]),
                )
            )
            return size(chart, 0, width=width).properties(height=230)

        usual = session["usual_idle_w"]
        said = f"session {at + 1}: {len(runs)} runs, usual idle {words.digits(usual)} W."
        panels.append(both(make, said, f"Session {at + 1}"))
    if not panels:
        return None
    return Figure(
        name=f"{base}-sessions",
        title=f"Power of each run and of the gaps beside it ({quality})",
        caption="Where the gaps rise together with the runs, something else was running.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


def _residuals(source: Mapping[str, Any], base: str, file: str) -> Figure | None:
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
    names = list(dict.fromkeys(row["c"] for row in rows))

    def make(width: int) -> Any:
        x, y = _linear("v", "counter over model, %"), names_axis(names)
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
        caption="A tick per run, no joules: right of zero the counter gave more than the "
        f"model expects, so something beyond processor time used energy; {said}.",
        panels=(both(make, f"Residuals of {len(rows)} runs; {said}."),),
        data=file,
        command=AGAIN,
    )


def _metrics(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    found = source["figures"].get("groups_by_metrics")
    if not found or not found["metrics"]:
        return None
    known = styles(source)
    panels = []
    for metric, held in found["metrics"].items():
        most = max(abs(value) for value in held["mean"].values())
        unit = held["unit"].removesuffix("/operation")
        divisor, name = words.scale(unit, most)
        per = " per operation" if held["unit"] != unit else ""
        rows = [
            {
                "c": group,
                "v": mean / divisor,
                "l": (mean - held["sd"][group]) / divisor,
                "h": (mean + held["sd"][group]) / divisor,
                "r": theme.ROLE[known[group][0]],
            }
            for group, mean in held["mean"].items()
        ]
        y = names_axis([row["c"] for row in rows])
        chart = alt.Chart(data(rows)).encode(y=y, color=alt.Color("r:N", scale=None))
        axis = f"{name}{per}"
        layers = [
            chart.mark_rule(strokeWidth=2).encode(x=_linear("l", axis), x2="h:Q"),
            chart.mark_point(filled=True, size=45, opacity=1).encode(
                x=_linear("v", axis)
            ),
        ]
        said = "; ".join(f"{row['c']} {words.digits(row['v'])}" for row in rows)
        svg = draw(size(alt.layer(*layers), len(rows)), f"{metric}, {axis}: {said}.")
        panels.append(Panel(metric.replace("_", " "), svg))
    return Figure(
        name=f"{base}-metrics",
        title=f"All groups in every metric, as in the seed ({quality})",
        caption="Dots are means of all runs, lines one standard deviation to each side: "
        "the spread of runs, not an interval of the mean. core0 is withdrawn.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )
