"""The theme: colours for light and dark, shapes, and Vega's settings.

Separate because every colour of the report is decided here. A figure is drawn once: in
it, a *role* such as `ink` or `ours` is represented by a unique placeholder colour, and
`svg` turns each placeholder into a CSS class, so that the page's style sheet sets the
colour for light or dark. Invariants: placeholders are unique; text roles have a
contrast of 4.5 or more against both backgrounds and marks of 3 or more (tested); no
series is distinguished by colour alone (shapes, or a label beside it).
"""

from __future__ import annotations

from typing import Any

#: Role: (light, dark). `ours` is our own library, `s1`… other series, `p1`… phases.
COLOURS: dict[str, tuple[str, str]] = {
    "page": ("#ffffff", "#14171c"),
    "panel": ("#f6f7f9", "#1c2027"),
    "ink": ("#1b1f24", "#e6e9ee"),
    "muted": ("#57606a", "#a3adba"),
    "grid": ("#e4e7eb", "#2b313a"),
    "edge": ("#c5cbd3", "#434b57"),
    "band": ("#d3dde9", "#34414f"),
    "link": ("#0a58a8", "#7db8f5"),
    "good": ("#0b6b4b", "#5fcf9f"),
    "bad": ("#a8400c", "#f0955a"),
    "ours": ("#0064b7", "#6cb2f7"),
    "s1": ("#c44e00", "#f59a4d"),
    "s2": ("#00805a", "#45c795"),
    "s3": ("#9b3f8f", "#d78bcd"),
    "s4": ("#8a6d00", "#d9b53a"),
    "s5": ("#4c5664", "#aab4c2"),
    "s6": ("#2b7f92", "#64c4d6"),
    "s7": ("#8c4a2f", "#d9a084"),
    "p1": ("#b9c4d0", "#5a6878"),
    "p2": ("#37648f", "#7fa9d6"),
    "p3": ("#d9822b", "#f0a75c"),
    "p4": ("#7a8796", "#8c99a8"),
    "p5": ("#2a8a68", "#4fc196"),
    "soft": ("#86aed6", "#47739d"),
}

#: The placeholder colour of each role, which `svg` replaces.
ROLE: dict[str, str] = {name: f"#ff{index:02x}fe" for index, name in enumerate(COLOURS)}
CLASS: dict[str, str] = {colour: name for name, colour in ROLE.items()}

#: Other series take these in turn, colour and shape together.
SERIES = ("s1", "s2", "s3", "s5", "s4", "s6", "s7")
SHAPES = (
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)

#: Widths in CSS pixels: a panel of several, and a figure of one in its two variants.
PANEL = 350
WIDE = 760
NARROW = 350


def style_of(names: list[str], ours: str) -> dict[str, tuple[str, str]]:
    """Return the role and shape of each series: ours is always the same."""
    found: dict[str, tuple[str, str]] = {}
    at = 0
    for name in names:
        if name == ours:
            found[name] = ("ours", "circle")
        else:
            found[name] = (SERIES[at % len(SERIES)], SHAPES[at % len(SHAPES)])
            at += 1
    return found


def config() -> dict[str, Any]:
    """Return Vega-Lite's settings: quiet axes, no frame, the page's own font sizes."""
    axis = {
        "labelColor": ROLE["ink"],
        "titleColor": ROLE["muted"],
        "tickColor": ROLE["edge"],
        "domainColor": ROLE["edge"],
        "gridColor": ROLE["grid"],
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "titlePadding": 6,
        "tickSize": 4,
        "labelLimit": 130,
        "labelOverlap": True,
    }
    return {
        "background": None,
        "font": "sans-serif",
        "view": {"stroke": None},
        "axis": axis,
        "axisY": {"ticks": False, "domain": False, "labelPadding": 6},
        "legend": {
            "labelColor": ROLE["ink"],
            "titleColor": ROLE["muted"],
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "orient": "bottom",
            "symbolSize": 60,
            "labelLimit": 150,
            "rowPadding": 2,
            "columnPadding": 20,
            "offset": 6,
        },
        "title": {
            "color": ROLE["ink"],
            "fontSize": 12,
            "fontWeight": "bold",
            "anchor": "start",
            "frame": "group",
            "offset": 8,
        },
    }


def css() -> str:
    """Return the style sheet's colours and the classes that figures use."""

    def block(at: int) -> str:
        return "".join(f"--{name}:{pair[at]};" for name, pair in COLOURS.items())

    marks = "".join(
        f".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}"
        for name in COLOURS
    )
    return (
        f":root{{color-scheme:light dark;{block(0)}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{block(1)}}}}}"
        f"@media print{{:root{{color-scheme:light;{block(0)}}}}}"
        f"{marks}"
    )


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG defines it, 1 to 21."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
