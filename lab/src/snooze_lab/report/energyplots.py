"""The energy figures that compare groups: boxes, gross and net, every metric.

Separate from `energy`, which tabulates, and from `energyseries`, where each run is a
separate mark. Invariants: all joules of a figure have the one quality word of their
source, which is in its title; a withdrawn metric is drawn only with that word beside
it; scales are linear, because joules add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from snooze_lab.report import theme, words
from snooze_lab.report.energyseries import (
    AGAIN,
    cumulative,
    iso_power,
    linear,
    residuals,
    sessions,
    styles,
)
from snooze_lab.report.figures import data, names_axis, size
from snooze_lab.report.parts import Figure, Panel
from snooze_lab.report.svg import draw

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The displayed names of the metrics.
NAMES = {
    "duration": "duration",
    "package": "package energy, gross",
    "net": "package energy, net of idle",
    "power": "mean power",
    "per_operation": "gross per operation",
    "net_per_operation": "net per operation",
    "cores": "energy of the cores",
    "core0": "core 0, as logged",
    "idle": "idle power beside",
    "busy": "busy cores",
    "peak_memory": "peak memory",
}
_BOXES = ("duration_box", "package_box", "core0_box", "power_box")


def figures(
    source: Mapping[str, Any], base: str, quality: str, files: Mapping[str, str]
) -> list[Figure | None]:
    """Return the figures of one source, None for each without data."""
    return [
        _boxes(source, base, quality, files["runs"]),
        _gross_net(source, base, quality, files["groups"]),
        iso_power(source, base, quality, files["runs"]),
        cumulative(source, base, quality, files["series"]),
        sessions(source, base, quality, files["runs"]),
        residuals(source, base, files["runs"]),
        _metrics(source, base, quality, files["groups"]),
    ]


def _boxes(
    source: Mapping[str, Any], base: str, quality: str, file: str
) -> Figure | None:
    held = source["figures"]
    look = styles(source)
    panels = []
    for key in _BOXES:
        found = held.get(key)
        if not found or not found["boxes"]:
            continue
        joules = f" ({quality})" if found["unit"] in {"J", "W"} else ""
        withdrawn = ", withdrawn" if found.get("withdrawn") else ""
        for condition in source["conditions"]:
            boxes = {
                one["subject"]: (found["boxes"][one["name"]], look[one["name"]][0])
                for one in source["groups"]
                if one["condition"] == condition and one["name"] in found["boxes"]
            }
            if boxes:
                heading = f"{found['title']}, {condition}{withdrawn}{joules}"
                panels.append(Panel(heading, _box_panel(boxes, found["unit"])))
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
        caption="Boxes hold the middle half of the runs, whiskers reach to 1.5 times "
        "the "
        f"box, crosses lie beyond. {' '.join(reasons)}".strip(),
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )


_ENDS = (("a", "low"), ("l", "q1"), ("v", "median"), ("h", "q3"), ("z", "high"))


def _box_panel(boxes: Mapping[str, tuple[Mapping[str, Any], str]], unit: str) -> str:
    rows, beyond = [], []
    for name, (box, role) in boxes.items():
        ends = {short: box[key] for short, key in _ENDS}
        rows.append({"c": name, "r": theme.ROLE[role]} | ends)
        beyond += [{"c": name, "v": value} for value in box["outside"]]
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
            x=linear("a", name), x2="z:Q", color=colour
        ),
        chart.mark_bar(height=11, fill=theme.ROLE["page"], strokeWidth=1.5).encode(
            x=linear("l", name), x2="h:Q", stroke=alt.Stroke("r:N", scale=None)
        ),
        chart.mark_tick(thickness=3, size=12).encode(x=linear("v", name), color=colour),
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
            .encode(x=linear("v", name), y=y)
        )
    said = "; ".join(
        f"{row['c']} median {words.digits(row['v'])}, middle half "
        f"{words.digits(row['l'])} to {words.digits(row['h'])} {name}"
        for row in rows
    )
    return draw(size(alt.layer(*layers), len(rows)), f"{said}.")


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
            for label, low, high in (
                ("net of idle", 0.0, net),
                ("idle", net, gross),
            ):
                rows.append(
                    {
                        "c": one["subject"],
                        "v": low / divisor,
                        "h": high / divisor,
                        "k": label,
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
                x=linear("v", f"{unit}, median of the runs", zero=True),
                x2="h:Q",
                color=alt.Color(
                    "k:N",
                    title=None,
                    scale=alt.Scale(
                        domain=["net of idle", "idle"],
                        range=[theme.ROLE["s5"], theme.ROLE["p1"]],
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
            chart.mark_rule(strokeWidth=2).encode(x=linear("l", axis), x2="h:Q"),
            chart.mark_point(filled=True, size=45, opacity=1).encode(
                x=linear("v", axis)
            ),
        ]
        said = "; ".join(f"{row['c']} {words.digits(row['v'])}" for row in rows)
        svg = draw(size(alt.layer(*layers), len(rows)), f"{metric}, {axis}: {said}.")
        withdrawn = ", withdrawn" if metric == "core0" else ""
        joules = f" ({quality})" if unit in {"J", "W"} else ""
        panels.append(Panel(f"{NAMES.get(metric, metric)}{withdrawn}{joules}", svg))
    return Figure(
        name=f"{base}-metrics",
        title=f"All groups in every metric, as in the seed ({quality})",
        caption="Dots are means of all runs, lines one standard deviation to each "
        "side: the spread of runs, not an interval of the mean. core0 is withdrawn.",
        panels=tuple(panels),
        data=file,
        command=AGAIN,
        quality=quality,
    )
