"""The chart of the front page: two small panels of bars as hand-written SVG.

Separate from the tables because it is drawing. Written by hand because the plotting
libraries at hand need a renderer of many megabytes and write text of a fixed small
size, which a phone makes unreadable; twenty bars are twenty rectangles. Invariants:
the only figures are the geometric means that the table of means has; every bar carries
its figure; no script, link, style sheet or font from elsewhere, so it shows the same
wherever it is embedded. Colours are those of the laboratory's report, whose contrast is
tested there. Called by results.py. Needs the standard library only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import results_tables as tables

sys.path.append(str(Path(__file__).resolve().parent.parent / "lab" / "src"))

from snooze_lab.report import theme

FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
#: Which libraries the chart shows besides snooze and its fastest rival.
SHOWN = ("orjson", "msgspec", "json")
#: Sizes in units of the picture, which are CSS pixels where it is shown unscaled.
PANEL, GAP, HEAD, BAR, SPACE, LABEL, FIGURE = 350, 50, 40, 20, 14, 84, 66
TITLE = "speed relative to orjson"


@dataclass(frozen=True)
class Picture:
    """One of the variants of the chart: its file, colours and layout."""

    name: str
    scheme: int  # index into the theme's pairs of colours
    wide: bool


PICTURES = (
    Picture("speed-wide-light.svg", 0, wide=True),
    Picture("speed-wide-dark.svg", 1, wide=True),
    Picture("speed-narrow-light.svg", 0, wide=False),
    Picture("speed-narrow-dark.svg", 1, wide=False),
)


def libraries(records: list[Any]) -> list[str]:
    """Return the libraries to show: snooze, its fastest rival, the three best known."""
    rivals = [name for name in tables.ranked(records) if name != tables.OURS]
    fastest = [name for name in rivals if name not in SHOWN][:1]
    known = [name for name in rivals if name in SHOWN]
    return [tables.OURS, *fastest, *known]


def description(records: list[Any]) -> str:
    """Return the content of the chart as text."""
    parts = []
    for direction in tables.DIRECTIONS:
        for version in tables.versions(records):
            found = tables.mean_of(records, version, direction)
            figures = ", ".join(
                f"{name} {found[name]:.2f}"
                for name in libraries(records)
                if name in found
            )
            if figures:
                parts.append(f"{direction} on CPython {version}: {figures}")
    return f"Speed relative to orjson. {'; '.join(parts)}."


def draw(records: list[Any], picture: Picture) -> str:
    """Return the chart as SVG."""
    names = libraries(records)
    found = tables.versions(records)
    versions = [one for one in found if tables.mean_of(records, one, "loads")]
    panel = HEAD + len(names) * (len(versions) * (BAR + 2) + SPACE)
    top = 12 if picture.wide else 4
    width = 2 * PANEL + GAP if picture.wide else PANEL
    height = top + (panel if picture.wide else 2 * panel + 16)
    means = {
        (direction, version): tables.mean_of(records, version, direction)
        for direction in tables.DIRECTIONS
        for version in versions
    }
    most = max(max(one.values()) for one in means.values())
    scale = (PANEL - LABEL - FIGURE) / most
    parts = []
    for index, direction in enumerate(tables.DIRECTIONS):
        left = index * (PANEL + GAP) if picture.wide else 0
        down = top + (0 if picture.wide else index * (panel + 16))
        parts += _panel(direction, names, versions, means, scale, left, down, picture)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}" role="img">\n'
        f"<title>{escape(description(records))}</title>\n" + "\n".join(parts) + "\n"
        "</svg>\n"
    )


def _panel(  # noqa: PLR0913, PLR0917 - a picture's measures
    direction: str,
    names: list[str],
    versions: list[str],
    means: dict[tuple[str, str], dict[str, float]],
    scale: float,
    left: int,
    top: int,
    picture: Picture,
) -> list[str]:
    """Return the heading and the bars of one direction."""
    colour = {name: pair[picture.scheme] for name, pair in theme.COLOURS.items()}
    out = [
        _text(left, top + 18, direction, colour["ink"], size=18, bold=True),
        _text(left + LABEL, top + 18, TITLE, colour["muted"], size=16),
    ]
    down = top + HEAD
    for name in names:
        ours = name == tables.OURS
        middle = down + (len(versions) * (BAR + 2) - 2) / 2
        out.append(_text(left, middle + 6, name, colour["ink"], size=17, bold=ours))
        for place, version in enumerate(versions):
            value = means[direction, version].get(name)
            newest = place == len(versions) - 1
            role = ("ours" if newest else "soft") if ours else "p4" if newest else "p1"
            if value is not None:
                out += _bar(left + LABEL, down, value, scale, colour, role)
                if ours:
                    ink = colour["page"] if newest else colour["ink"]
                    words = f"CPython {version}"
                    out.append(_text(left + LABEL + 8, down + 15, words, ink, size=14))
            down += BAR + 2
        down += SPACE
    return out


def _bar(  # noqa: PLR0913, PLR0917 - a picture's measures
    left: float,
    top: float,
    value: float,
    scale: float,
    colour: dict[str, str],
    role: str,
) -> list[str]:
    """Return a bar and its figure."""
    ours = role in {"ours", "soft"}
    width = value * scale
    return [
        (
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{BAR}" '
            f'rx="2" fill="{colour[role]}"/>'
        ),
        _text(
            left + width + 6,
            top + 16,
            f"{value:.2f}{tables.TIMES}",
            colour["ink"],
            size=16,
            bold=ours,
        ),
    ]


def _text(  # noqa: PLR0913 - a picture's measures
    x: float, y: float, words: str, colour: str, *, size: int, bold: bool = False
) -> str:
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{weight} '
        f'fill="{colour}">{escape(words)}</text>'
    )
