"""The theme: colours for light and dark, and the colour and shape of each contender.

Separate because every colour of the report is decided here, as a *role*, such as `ink`
or `ours`. A contender has the same colour and shape in every figure, and no two known
ones have the same pair; text roles have a contrast of 4.5 or more against both
backgrounds and marks of 3 or more (tested).
"""

from __future__ import annotations

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
