"""A canvas that draws small inline SVG in the theme's colours.

Separate because it alone knows SVG: figures place shapes and texts in CSS pixels and
name a role of the theme as their colour, so one drawing serves the light and the dark
page. Neighbours with the same style share one element; every text is escaped; no
script, link, id or external reference.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from snooze_lab.report.theme import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        #: Style, markup, and whether the markup is the data of a path.
        self._drawn: list[tuple[str, str, bool]] = []

    def _path(self, style: str, data: str) -> None:
        self._drawn.append((style, data, True))

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
        self._drawn.append((style, f"<text {place}>{escaped}</text>", False))

    def svg(
        self, width: float, height: float, alternative: str, *, kind: str = ""
    ) -> str:
        """Return the drawing; `kind` is its CSS class, such as `narrow`."""
        out: list[str] = []
        at = 0
        while at < len(self._drawn):
            style, _, path = self._drawn[at]
            end = at
            while end < len(self._drawn) and self._drawn[end][::2] == (style, path):
                end += 1
            joined = "".join(one[1] for one in self._drawn[at:end])
            out.append(
                f'<path {style} d="{joined}"/>' if path else f"<g {style}>{joined}</g>"
            )
            at = end
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
