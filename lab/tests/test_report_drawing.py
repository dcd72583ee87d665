"""Axes, labels, colours and shapes of the report's drawings."""

from __future__ import annotations

import itertools
import re

import pytest

from snooze_lab.report import first, theme
from snooze_lab.report.plot import Axis, Plot, spread
from snooze_lab.report.theme import Canvas, text_width
from typed_results import typed


def beside(axis):
    """Return a test whether labels fit beside each other on 300 pixels."""

    def fits(values):
        places = [
            (300 * axis.share(value), text_width(axis.label(value)) / 2)
            for value in values
        ]
        near = itertools.pairwise(places)
        return all(after - half > at + own for (at, own), (after, half) in near)

    return fits


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize(
    "ends",
    [
        *((0.2, 2.2), (0.98, 1.02), (1, 1e6), (3.1, 3.3), (0.5, 2), (0.9, 40)),
        *((4, 400_000), (1e-3, 1e4), (0.999, 1.001), (52_000, 53_000)),
    ],
)
def test_axes_have_a_few_round_ticks_whose_labels_do_not_touch(ends, log):
    axis = Axis(*ends, log=log)
    found = axis.ticks(beside(axis))
    assert 2 <= len(found) <= 9
    assert found == sorted(set(found))
    assert all(ends[0] <= one <= ends[1] for one in found)
    assert beside(axis)(found)
    labels = [axis.label(one) for one in found]
    assert len(set(labels)) == len(labels)
    assert not any("e" in label for label in labels)
    for value, label in zip(found, labels, strict=True):
        scaled = {"k": 1e3, "M": 1e6, "G": 1e9}
        number = label.replace(",", "").rstrip("kMG")
        assert float(number) * scaled.get(label[-1], 1) == pytest.approx(value)


def test_an_axis_holds_its_values_and_draws_others_at_its_ends():
    for log in (True, False):
        axis = Axis.over([3.0, 7.0, 5.0], log=log)
        shares = [axis.share(one) for one in (-1.0, 3.0, 5.0, 7.0, 99.0)]
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)
        assert 0 < shares[1] < shares[3] < 1
    assert Axis.over([], log=True).ticks(lambda _: True)
    assert Axis.over([2.0, 2.0], log=False).low < 2.0


def test_labels_that_would_touch_are_moved_apart():
    found = spread([50.0, 10.0, 12.0, 11.0], 10, 5, 60)
    assert found == [50.0, 10.0, 30.0, 20.0]
    low = spread([58.0, 59.0, 60.0], 10, 5, 60)
    assert low == [40.0, 50.0, 60.0]


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


TEXTS = ("ink", "muted", "link", "good", "bad", "ours")
MARKS = (*theme.SERIES, "soft", "ours", "p2", "p3", "p4", "p5")


@pytest.mark.parametrize("dark", [0, 1])
def test_colours_can_be_read(dark):
    ground = [theme.COLOURS[one][dark] for one in ("page", "panel")]
    for name in TEXTS:
        for behind in ground:
            assert contrast(theme.COLOURS[name][dark], behind) >= 4.5
    for name in MARKS:
        least = 2.0 if name == "soft" else 3.0
        found = contrast(theme.COLOURS[name][dark], ground[0])
        assert found >= least or name == "p3", name


def test_a_contender_has_one_colour_and_shape_and_shares_it_with_none():
    known = [theme.style(name) for name in (*theme.KNOWN, "snooze")]
    assert len(set(known)) == len(known)
    for names in (["json", "orjson"], ["orjson", "msgpack", "json"], ["a", "orjson"]):
        assert theme.styles(names)["orjson"] == theme.style("orjson")
    many = [*theme.KNOWN, *(f"library {at}" for at in range(10))]
    assert len(set(theme.styles(many).values())) == len(many)


def test_shapes_of_one_style_become_one_path_in_order():
    canvas = Canvas()
    canvas.line([(1, 2), (4, 2)], "ink")
    canvas.line([(1, 2), (1, 5.25)], "ink")
    canvas.rect(0, 0, 3, 2, "bad")
    canvas.text(1, 2, "a<b", "ink")
    assert canvas.svg(10, 10, 'say "so"', kind="wide") == (
        '<svg class="wide" viewBox="0 0 10 10" style="max-width:11.2px" role="img" '
        'aria-label="say &quot;so&quot;"><path class="s-ink" d="M1 2L4 2M1 2L1 5.2"/>'
        '<path class="f-bad" d="M0 0h3v2h-3z"/>'
        '<g class="f-ink"><text x="1" y="2">a&lt;b</text></g></svg>'
    )


def test_a_last_label_that_would_be_cut_leaves_the_others():
    plot = Plot(Axis(0.0, 200.1, "kB", log=False), ["a"], width=350)
    shown = re.findall(r">(\d+)</text>", plot.svg("Bars."))
    assert shown == ["0", "50", "100", "150"]


def test_names_of_formats_stand_beside_their_own_dots():
    """The dots of a smoke run: the topmost one's name was below another dot."""
    sizes = [103, 8_069, 80_517, 2_516_258]
    dots = {
        "json": [(21.96, 1.0), (13.22, 1.0), (14.17, 1.0), (6.756, 1.0)],
        "snooze": [(1.0, 1.0)] * 4,
        "orjson": [(1.609, 1.0), (1.379, 1.0), (1.423, 1.0), (1.779, 1.0)],
        "msgpack": [(3.637, 0.6408), (2.111, 0.6079), (2.825, 0.6071), (2.13, 0.9401)],
        "marshal2": [(2.447, 1.0099)],
        "bson": [(2.688, 0.9958)],
    }
    points = [
        {
            "name": name,
            "format": "json" if name in {"snooze", "orjson", "json"} else name,
            "workload": f"{size} bytes",
            "bytes": size,
            "size": share,
        }
        | dict.fromkeys(("time", "low", "high"), time)
        for name, held in dots.items()
        for size, (time, share) in zip(sizes[-len(held) :], held, strict=True)
    ]
    found = typed({"studies": [], "answer": {"formats": points}})
    (panel,) = first.formats(found).panels
    for drawing in (panel.svg, panel.narrow):
        places = {
            name: float(re.search(rf' y="([^"]*)"[^>]*>{name}</text>', drawing)[1])
            for name in ("marshal2", "bson", "msgpack")
        }
        assert places["marshal2"] < places["bson"] < places["msgpack"]
