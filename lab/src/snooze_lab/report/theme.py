"""The theme, its colours and shapes, and the canvas that draws inline SVG in them.

Separate because every colour is decided here, as a *role* such as `ink` or `ours`, and
because it alone knows SVG: figures place shapes and texts in CSS pixels, so one drawing
serves the light and the dark page. A contender has the same colour and shape in every
figure, and no two known ones have the same pair; text roles have a contrast of 4.5 or
more against both backgrounds and marks of 3 or more (tested). Every text is escaped; a
drawing has no script, link, id or external reference.
"""

from __future__ import annotations

import html
import itertools
import zlib
from typing import TYPE_CHECKING

from snooze_lab.model import OURS

if TYPE_CHECKING:
    from collections.abc import Sequence

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
SERIES = ("s5", "s1", "s2", "s3", "s4", "s6", "s7")
SHAPES = (
    "square",
    "triangle-up",
    "diamond",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
)
#: Contenders that meet in one figure; those of one format are far from each other.
KNOWN = (
    *("json", "orjson", "msgpack", "protobuf", "pickle5", "marshal4", "bson"),
    *("msgspec", "ujson", "rapidjson", "msgpack raw", "pickle2", "marshal2", "yjson"),
    *("simplejson", "ssrjson", "oxjson", "pyrjson", "msgspec msgpack", "ormsgpack"),
    *("fastsimdjson", "cjson", "copy", "build only", "json asdict", "orjson dataclass"),
    *("msgspec Struct", "orjson loads", "json loads", "pydantic"),
)

#: Widths in CSS pixels: a panel of several, and a figure of one in its two variants.
PANEL = 350
WIDE = 760
NARROW = 350
#: Font size of every text, in CSS pixels; the style sheet sets the same.
FONT = 11
#: Mean width of a character relative to the font size, a little generous.
_WIDE, _NARROW, _USUAL = 0.9, 0.32, 0.57
#: Corners of the marks, in units of their radius; a circle is drawn as two arcs.
_CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    "triangle-up": ((0, -1.1), (1.05, 0.8), (-1.05, 0.8)),
    "triangle-down": ((0, 1.1), (1.05, -0.8), (-1.05, -0.8)),
    "triangle-right": ((1.1, 0), (-0.8, 1.05), (-0.8, -1.05)),
    "triangle-left": ((-1.1, 0), (0.8, 1.05), (0.8, -1.05)),
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "cross": (
        *((-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4), (0.4, 0.4)),
        *((0.4, 1.1), (-0.4, 1.1), (-0.4, 0.4), (-1.1, 0.4), (-1.1, -0.4)),
        (-0.4, -0.4),
    ),
}


def style(name: str) -> tuple[str, str]:
    """Return the role and the shape of a contender: the same in every figure."""
    if name == OURS:
        return "ours", "circle"
    at = KNOWN.index(name) if name in KNOWN else zlib.crc32(name.encode())
    turn = at // len(SERIES)
    return SERIES[at % len(SERIES)], SHAPES[(at + turn) % len(SHAPES)]


def styles(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the role and the shape of each series of a figure, no two alike.

    Only names that the laboratory does not know can clash; the later one then takes the
    next pair that is free.
    """
    free = [(role, shape) for shape in SHAPES for role in SERIES]
    found: dict[str, tuple[str, str]] = {}
    for name in sorted(names, key=lambda one: (one not in KNOWN, one)):
        wanted = style(name)
        taken = found.values()
        if wanted in taken:
            wanted = next((one for one in free if one not in taken), wanted)
        found[name] = wanted
    return {name: found[name] for name in names}


def css() -> str:
    """Return the style sheet's colours and the classes that drawings use."""

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


def text_width(words: str, *, bold: bool = False) -> float:
    """Return about how wide a text is, in CSS pixels: fonts differ between machines."""
    share = sum(
        _NARROW
        if one in "iljtfrI.,:;'|()[] "
        else _WIDE
        if one in "MWmw" or ord(one) > 0x2E80
        else _USUAL
        for one in words
    )
    return share * FONT * (1.06 if bold else 1.0)


def number(value: float) -> str:
    """Return a coordinate with one decimal, in as few characters as possible."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


class Canvas:
    """Shapes and texts in CSS pixels, from the upper left corner."""

    def __init__(self) -> None:
        """Start with nothing drawn."""
        #: Style, whether the markup is the data of a path, and the markup.
        self._drawn: list[tuple[str, bool, str]] = []

    def _path(self, style: str, data: str) -> None:
        self._drawn.append((style, True, data))

    def line(
        self,
        points: Sequence[tuple[float, float]],
        role: str,
        *,
        width: float = 1,
        dash: str = "",
    ) -> None:
        """Draw a line through points."""
        style = _classes("s", role)
        style += f' stroke-width="{width:g}"' if width != 1 else ""
        style += f' stroke-dasharray="{dash}"' if dash else ""
        places = (f"{number(x)} {number(y)}" for x, y in points)
        self._path(style, "M" + "L".join(places))

    def rect(  # noqa: PLR0913, PLR0917 - the parts of a rectangle
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        outline: str = "",
    ) -> None:
        """Fill a rectangle; `outline` is the role of its border."""
        style = _classes("f", role)
        if outline:
            style = f'class="f-{role} s-{outline}" stroke-width="1.5"'
        data = f"M{number(x)} {number(y)}h{number(width)}v{number(height)}"
        self._path(style, f"{data}h{number(-width)}z")

    def mark(  # noqa: PLR0913 - the parts of a mark
        self,
        shape: str,
        x: float,
        y: float,
        radius: float,
        role: str,
        *,
        hollow: bool = False,
    ) -> None:
        """Draw a mark: `circle` or a shape of the theme; hollow ones are outlined."""
        style = f'class="f-{"page" if hollow else role} s-{role}"'
        style += ' stroke-width="1.5"' if hollow else ""
        if shape == "circle":
            r = number(radius)
            data = f"M{number(x - radius)} {number(y)}"
            data += f"a{r} {r} 0 1 0 {number(2 * radius)} 0"
            data += f"a{r} {r} 0 1 0 {number(-2 * radius)} 0"
        else:
            corners = [(x + dx * radius, y + dy * radius) for dx, dy in _CORNERS[shape]]
            places = (f"{number(one)} {number(other)}" for one, other in corners)
            data = "M" + "L".join(places)
        self._path(style, data + "z")

    def text(  # noqa: PLR0913 - the parts of a text
        self,
        x: float,
        y: float,
        words: str,
        role: str = "ink",
        *,
        anchor: str = "start",
        bold: bool = False,
        italic: bool = False,
        turned: bool = False,
    ) -> None:
        """Write a text whose base line is at `y`; `turned` reads upwards."""
        style = _classes("f", role)
        style += f' text-anchor="{anchor}"' if anchor != "start" else ""
        style += ' font-weight="bold"' if bold else ""
        style += ' font-style="italic"' if italic else ""
        place = f'x="{number(x)}" y="{number(y)}"'
        if turned:
            place = f'transform="translate({number(x)} {number(y)})rotate(-90)"'
        escaped = html.escape(words)
        self._drawn.append((style, False, f"<text {place}>{escaped}</text>"))

    def svg(
        self, width: float, height: float, alternative: str, *, kind: str = ""
    ) -> str:
        """Return the drawing; `kind` is its CSS class, such as `narrow`."""
        out = []
        alike = itertools.groupby(self._drawn, key=lambda one: one[:2])
        for (style, path), found in alike:
            joined = "".join(markup for _, _, markup in found)
            out.append(
                f'<path {style} d="{joined}"/>' if path else f"<g {style}>{joined}</g>"
            )
        classes = f' class="{kind}"' if kind else ""
        return (
            f'<svg{classes} viewBox="0 0 {number(width)} {number(height)}" '
            f'style="max-width:{number(width * 1.12)}px" role="img" '
            f'aria-label="{html.escape(alternative)}">{"".join(out)}</svg>'
        )


def _classes(kind: str, role: str) -> str:
    if role not in COLOURS:
        raise KeyError(f"{role!r} is no role of the theme")
    return f'class="{kind}-{role}"'
