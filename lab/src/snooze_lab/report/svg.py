"""Convert Vega-Lite to small inline SVG: vl-convert draws offline, this rewrites.

Separate because it is a small compiler. Vega's SVG is a deep tree that repeats every
style on every mark; the page needs dozens of figures under two megabytes, in two colour
schemes. So the tree is flattened to shapes and texts at absolute positions, consecutive
shapes of the same style become one path, and the theme's placeholder colours become
classes. Invariants: the order of painting is kept; no script, style, link, id or
external reference remains; untranslatable input raises SvgError, nothing is dropped
silently. Used by the figures.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import vl_convert

from snooze_lab.report import theme

_NS = "{http://www.w3.org/2000/svg}"
_TOKEN = re.compile(r"[MLHVCQAZmlhvcqaz]|-?\d*\.?\d+(?:e-?\d+)?")
_MOVE = re.compile(r"(translate|rotate|scale)\(([^)]*)\)")
_KEPT = (
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "opacity",
    "fill-opacity",
    "stroke-opacity",
    "font-size",
    "font-weight",
    "font-style",
    "text-anchor",
)
_PLAIN = {
    "opacity": "1",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "font-weight": "normal",
    "font-style": "normal",
    "text-anchor": "start",
    "stroke-linecap": "butt",
    "font-size": "11px",
    "stroke-dasharray": "",
}
#: How many numbers each command takes, and which of them are x (0), y (1) or neither.
_PARTS: dict[str, tuple[int | None, ...]] = {
    "M": (0, 1),
    "L": (0, 1),
    "H": (0,),
    "V": (1,),
    "C": (0, 1, 0, 1, 0, 1),
    "Q": (0, 1, 0, 1),
    "A": (None, None, None, None, None, 0, 1),
    "Z": (),
}


class SvgError(RuntimeError):
    """Vega produced a figure in an unknown form."""


@dataclass(frozen=True)
class _Shape:
    style: tuple[tuple[str, str], ...]
    markup: str
    path: bool


@cache
def _version() -> str:
    """Return the newest grammar that both altair and vl-convert support."""
    spoken = alt.SCHEMA_VERSION.removeprefix("v").split(".")
    known = [v for v in vl_convert.get_vegalite_versions() if v.startswith(spoken[0])]
    if not known:
        raise SvgError(
            f"altair writes Vega-Lite {alt.SCHEMA_VERSION}, which the installed "
            "vl-convert-python cannot draw; install one of its newer versions"
        )
    wanted = ".".join(spoken[:2])
    return wanted if wanted in known else known[-1]


def short(value: float) -> str:
    """Return a coordinate with one decimal, in as few characters as possible."""
    written = f"{value:.1f}"
    written = written.removesuffix(".0")
    return "0" if written == "-0" else written


def moved(path: str, dx: float, dy: float) -> str:
    """Return the data of a path, translated; relative commands but `M` stay."""
    out: list[str] = []
    tokens = _TOKEN.findall(path)
    at = 0
    command = ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command = tokens[at]
            at += 1
        parts = _PARTS[command.upper()]
        if len(tokens) < at + len(parts):
            raise SvgError(f"a path ends in the middle of {command!r}: {path[:60]!r}")
        out.append(command)
        values = []
        for kind, token in zip(parts, tokens[at : at + len(parts)], strict=True):
            number = float(token)
            if command.isupper() and kind is not None:
                number += (dx, dy)[kind]
            values.append(short(number))
        at += len(parts)
        out.append(" ".join(values).replace(" -", "-"))
    return "".join(out)


def _place(node: ET.Element) -> tuple[float, float, float]:
    """Return the translation and rotation of a node's transform."""
    dx = dy = turn = 0.0
    for name, inside in _MOVE.findall(node.get("transform", "")):
        given = [float(part) for part in inside.split(",")]
        if name == "translate" and not turn:
            dx, dy = dx + given[0], dy + (given[1] if len(given) > 1 else 0.0)
        elif name == "rotate" and len(given) == 1:
            turn += given[0]
        elif name == "translate" and turn in {90.0, -90.0}:
            across = given[1] if len(given) > 1 else 0.0
            sign = 1 if turn > 0 else -1
            dx, dy = dx - sign * across, dy + sign * given[0]
        else:
            raise SvgError(f"transform not known here: {node.get('transform')!r}")
    return dx, dy, turn


def _style(node: ET.Element, inherited: dict[str, str]) -> dict[str, str]:
    """Return the presentation of a node: its own attributes over the inherited ones."""
    found = dict(inherited)
    for key in _KEPT:
        if (value := node.get(key)) is not None:
            found[key] = value
    return found


def _classed(style: dict[str, str], *, textual: bool) -> tuple[tuple[str, str], ...]:
    """Return a style as attributes, placeholder colours as classes."""
    classes, rest = [], []
    for key, value in sorted(style.items()):
        if not textual and key.startswith(("font", "text")):
            continue
        if textual and key.startswith("stroke"):
            continue
        if key in {"fill", "stroke"} and (role := theme.CLASS.get(value)):
            classes.append(f"{key[0]}-{role}")
        elif key in {"fill", "stroke"} and value not in {"none", "transparent"}:
            raise SvgError(f"{key} {value!r} is no colour of the theme")
        elif key not in {"fill", "stroke"} and _PLAIN.get(key) != value:
            rest.append((key, value.removesuffix("px")))
    if classes:
        rest.insert(0, ("class", " ".join(classes)))
    return tuple(rest)


def _painted(style: dict[str, str]) -> bool:
    """Return whether anything would be visible."""
    seen = {"none", "transparent"}
    return style.get("fill", "none") not in seen or style.get("stroke", "none") not in (
        seen
    )


def _texts(
    node: ET.Element, x: float, y: float, turn: float, style: dict[str, str]
) -> list[_Shape]:
    lines = [(0.0, node.text or "")] if not len(node) else []
    down = 0.0
    for span in node.iter(f"{_NS}tspan"):
        down += float((span.get("dy") or "0").removesuffix("px"))
        lines.append((down, span.text or ""))
    found = []
    for lower, words in lines:
        if not words.strip():
            continue
        place = f' x="{short(x)}" y="{short(y + lower)}"'
        if turn:
            place = f' transform="translate({short(x)} {short(y)})'
            place += f'rotate({short(turn)})" y="{short(lower)}"'
        markup = f"<text{place}>{html.escape(words)}</text>"
        found.append(_Shape(_classed(style, textual=True), markup, path=False))
    return found


def _walk(
    node: ET.Element, x: float, y: float, inherited: dict[str, str]
) -> list[_Shape]:
    """Return the shapes of a node and those below it, at absolute places."""
    tag = node.tag.removeprefix(_NS)
    if node.get("display") == "none" or tag == "defs":
        return []
    dx, dy, turn = _place(node)
    x, y = x + dx, y + dy
    style = _style(node, inherited)
    if tag in {"svg", "g"}:
        if turn:
            raise SvgError("a turned group is not known here")
        return [shape for child in node for shape in _walk(child, x, y, style)]
    if tag == "text":
        return _texts(node, x, y, turn, style) if _painted(style) else []
    if turn:
        raise SvgError(f"a turned {tag} is not known here")
    if tag == "line":
        ends = [float(node.get(key) or 0) for key in ("x2", "y2")]
        data = f"M{short(x)} {short(y)}"
        data += f"l{short(ends[0])} {short(ends[1])}".replace(" -", "-")
        # A line has no interior: a fill would only prevent merging it with others.
        style.pop("fill", None)
    elif tag == "path":
        drawn = node.get("d") or ""
        if not drawn or drawn == "M0,0h0v0h0Z":
            return []
        data = moved(drawn, x, y)
    else:
        raise SvgError(f"element {tag!r} is not known here")
    if not _painted(style):
        return []
    return [_Shape(_classed(style, textual=False), data, path=True)]


def _written(style: tuple[tuple[str, str], ...]) -> str:
    return "".join(f' {key}="{html.escape(value)}"' for key, value in style)


def shrink(drawn: str, alternative: str, *, kind: str = "") -> str:
    """Return Vega's SVG as a small inline one, with `alternative` as its text."""
    root = ET.fromstring(drawn)  # noqa: S314 - drawn by Vega just now
    width, height = (float(root.get(key, "0")) for key in ("width", "height"))
    shapes = _walk(root, 0.0, 0.0, {})
    out: list[str] = []
    at = 0
    while at < len(shapes):
        end = at
        same = (shapes[at].style, shapes[at].path)
        while end < len(shapes) and (shapes[end].style, shapes[end].path) == same:
            end += 1
        joined = "".join(shape.markup for shape in shapes[at:end])
        attributes = _written(shapes[at].style)
        out.append(
            f'<path{attributes} d="{joined}"/>'
            if shapes[at].path
            else f"<g{attributes}>{joined}</g>"
        )
        at = end
    classes = f' class="{kind}"' if kind else ""
    return (
        f'<svg{classes} viewBox="0 0 {short(width)} {short(height)}" '
        f'style="max-width:{short(width * 1.12)}px" role="img" '
        f'aria-label="{html.escape(alternative)}">{"".join(out)}</svg>'
    )


def draw(chart: Any, alternative: str, *, kind: str = "") -> str:
    """Return an altair chart as inline SVG in the theme's colours.

    `alternative` is the text alternative; `kind` is its CSS class (`wide` or `narrow`
    for the two variants of a figure). SvgError if Vega's output has an unknown form.
    """
    spec = chart.to_dict(validate=False)
    spec.pop("$schema", None)
    spec["config"] = theme.config()
    drawn = vl_convert.vegalite_to_svg(spec, vl_version=_version())
    return shrink(drawn, alternative, kind=kind)
