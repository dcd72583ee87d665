"""The report agrees with the results, and its page is self-contained.

The whole made-up run of report_sample is rendered once; odd cases use a run of one
table, which is drawn in a second.
"""

from __future__ import annotations

import copy
import csv
import dataclasses
import html.parser
import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

import pytest
import rich.console

import report_sample
import synthetic_energy
from snooze_lab.energy import study as energy_study
from snooze_lab.energy import summary as energy_summary
from snooze_lab.report import page as pages
from snooze_lab.report import theme, words
from snooze_lab.report.page import render
from snooze_lab.report.terminal import summary
from snooze_lab.report.theme import Canvas
from snooze_lab.stored.results_types import ReportError
from snooze_lab.stored.results_types import read as read_results

if TYPE_CHECKING:
    from pathlib import Path

VOID = {"meta", "br", "hr", "img", "input", "link", "path"}


class Page(html.parser.HTMLParser):
    """A page's elements, anchors, links and exact values, its nesting checked."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.values: list[float] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), f"{tag}: an attribute twice"
        self.tags.append((tag, found))
        if "id" in found:
            self.ids.append(str(found["id"]))
        self.links += [str(found[key]) for key in ("href", "src") if key in found]
        if tag == "data":
            self.values.append(float(str(found["value"])))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text.append(data)

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag == name]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The whole made-up run, with a source of energy."""
    found = report_sample.results()
    folder = synthetic_energy.study(tmp_path_factory.mktemp("series"), trials=4)
    source = energy_summary.of(energy_study.load(folder))
    found["energy"] = [json.loads(json.dumps(dataclasses.asdict(source)))]
    return report_sample.answered(found)


@pytest.fixture(scope="module")
def run(results: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the report of the whole made-up run."""
    folder = tmp_path_factory.mktemp("run")
    render(folder, results, report_sample.plan(), report_sample.env())
    return folder


@pytest.fixture(scope="module")
def page(run: Path) -> Page:
    return Page((run / "report.html").read_text("utf-8"))


@pytest.fixture
def small() -> dict[str, Any]:
    """A run of one study with one table of one row, and nothing else."""
    return report_sample.small()


def written(folder: Path, results: dict[str, Any]) -> Page:
    render(folder, results, {}, {})
    return Page((folder / "report.html").read_text("utf-8"))


def cells(results: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [
        (table, cell)
        for study in results["studies"]
        for table in study["tables"]
        for row in table["rows"]
        for cell in row["cells"].values()
    ]


def test_whole_page_is_small_and_stands_alone(run, page):
    text = (run / "report.html").read_text("utf-8")
    assert len(text.encode()) < 2_000_000
    assert not re.search(r"https?:", text)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(" not in text
    for link in page.links:
        assert link.startswith(("#", "tables/", "data:text/csv"))


def test_ids_are_unique_and_links_lead_somewhere(run, page):
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        elif link.startswith("tables/"):
            assert (run / link).is_file()
    for attrs in page.named("section"):
        label = attrs.get("aria-labelledby")
        assert label is None or label in page.ids


def test_the_first_screen_has_the_answer_and_two_figures(run, page, results):
    text = "".join(page.text)
    found = results["answer"]
    at = [text.index(one["text"]) for one in found["sentences"]]
    at += [text.index("orjson against itself differed by 1.2 %")]
    at += [text.index(title) for title in ("libraries by speed", "Formats: time")]
    at += [text.index(one["reason"]) for one in found["advice"]]
    at.append(text.index("This run"))
    assert len(at) == 5 + 1 + 2 + 5 + 1
    assert at == sorted(at)
    assert results["run"]["command"] in text
    # Everything below is folded: the page is a screen and a list of its sections.
    whole = (run / "report.html").read_text("utf-8")
    main = whole[whole.index("<main") :]
    assert re.findall(r"<details[^>]* open", whole) == []
    assert main.count('<details class="fold"') == len(results["studies"]) + 5


def test_the_figures_of_the_first_screen_leave_room_for_the_advice(run):
    """At 1280 by 800 pixels; looked at in a browser, which these heights stand for."""
    whole = (run / "report.html").read_text("utf-8")
    first = whole[whole.index('<div class="first">') : whole.index("<main")]
    heights = {
        kind: [
            float(height)
            for height in re.findall(
                rf'<svg class="{kind}" viewBox="0 0 [\d.]+ ([\d.]+)"', first
            )
        ]
        for kind in ("wide", "narrow")
    }
    assert len(heights["wide"]) == len(heights["narrow"]) == 2
    assert max(heights["wide"]) <= 240
    assert heights["narrow"][1] >= 300


def test_every_value_of_every_table_is_on_the_page(page, results):
    held = set(page.values)
    for table, cell in cells(results):
        if cell["status"] == "ok":
            assert cell["quantities"][table["metric"]]["value"] in held


def test_reasons_of_empty_cells_are_on_the_page(page, results):
    text = "".join(page.text)
    reasons = {cell["reason"] for _, cell in cells(results) if cell["status"] != "ok"}
    assert len(reasons) >= 5
    for reason in reasons:
        assert reason in text


def test_tables_have_scoped_heads_and_figures_have_words(page):
    assert all(attrs.get("scope") in {"col", "row"} for attrs in page.named("th"))
    drawn = page.named("svg")
    assert len(drawn) > 60
    assert all(
        len(attrs["aria-label"]) > 10 and attrs["role"] == "img" for attrs in drawn
    )
    assert len(page.named("figcaption")) == len(page.named("figure"))


def test_best_of_a_row_is_its_lowest(small, tmp_path):
    line = small["studies"][0]["tables"][0]["rows"][0]
    values = {
        name: cell["quantities"]["time"]["value"]
        for name, cell in line["cells"].items()
        if name != "orjson again"
    }
    line["cells"]["orjson again"]["quantities"]["time"]["value"] = 1.0
    written(tmp_path, small)
    text = (tmp_path / "report.html").read_text("utf-8")
    best = re.findall(r'<td class="best"><data value="([^"]+)"', text)
    assert [float(value) for value in best] == [min(values.values())]


def test_csv_files_hold_every_digit(run, results):
    for study in results["studies"]:
        for table in study["tables"]:
            name = words.slug(study["name"], table["name"])
            file = run / "tables" / f"{name}.csv"
            rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode())))
            found = {
                (row["contest"], row["contender"], row["metric"]): row for row in rows
            }
            for line in table["rows"]:
                for who, cell in line["cells"].items():
                    for metric, one in cell["quantities"].items():
                        row = found[line["contest"], who, metric]
                        assert float(row["value"]) == one["value"]
                        assert (float(row["low"]), row["unit"]) == (
                            one["low"],
                            one["unit"],
                        )
                    ratio = cell["effects"].get("interleaved", {}).get("time")
                    if ratio:
                        row = found[line["contest"], who, "time"]
                        assert float(row["interleaved_ratio"]) == ratio["ratio"]
                    if cell["status"] != "ok":
                        row = found[line["contest"], who, table["metric"]]
                        assert row["reason"] == cell["reason"]


def test_samples_and_drift_are_whole_in_their_files(run, results):
    rows = list(csv.reader((run / "tables" / "drift.csv").read_text().splitlines()))
    assert len(rows) == 1 + len(results["drift"])
    held = sum(len(cell["raw"].get("time", [])) for _, cell in cells(results))
    found = 0
    for file in (run / "tables").glob("*-samples.csv"):
        lines = csv.DictReader(io.StringIO(file.read_bytes().decode()))
        found += sum(row["metric"] == "time" for row in lines)
    assert found == held


def test_small_files_are_in_the_page_as_they_are(run, page):
    import urllib.parse

    inside = [link for link in page.links if link.startswith("data:")]
    names = [
        attrs["download"]
        for attrs in page.named("a")
        if str(attrs.get("href", "")).startswith("data:")
    ]
    assert inside
    for link, name in zip(inside, names, strict=True):
        text = urllib.parse.unquote(link.split(",", 1)[1])
        assert text == (run / "tables" / name).read_bytes().decode()


def test_every_joule_has_its_quality_word(run, page):
    assert "Every joule of this section is imported" in "".join(page.text)
    text = (run / "report.html").read_text("utf-8")
    heads = re.findall(
        r'<figure id="(energy-[^"]*)">\s*<figcaption><h3>([^<]*)</h3>', text
    )
    assert len(heads) >= 5
    for name, title in heads:
        assert "(imported)" in title or name.endswith("-residuals")


def test_qualities_of_a_table_get_a_figure_each(small, tmp_path):
    cell = small["studies"][0]["tables"][0]["rows"][0]["cells"]["snooze"]
    for quality in ("measured", "estimated"):
        cell["quantities"][f"energy:{quality}:package"] = {
            "value": 0.5,
            "low": 0.4,
            "high": 0.6,
            "n": 5,
            "unit": "J",
        }
    page = written(tmp_path, small)
    assert len([one for one in page.ids if "-energy-measured" in one]) == 1
    assert len([one for one in page.ids if "-energy-estimated" in one]) == 1
    text = "".join(page.text)
    assert "package (measured)" in text
    assert "package (estimated)" in text


def test_a_run_of_one_study_needs_nothing_else(small, tmp_path):
    page = written(tmp_path, small)
    assert "drift" not in page.ids
    assert "conformance" not in page.ids
    assert "processor not known" in "".join(page.text)
    assert "small" in "".join(page.text)


def test_a_run_without_studies_is_a_report_too(small, tmp_path):
    small["studies"] = []
    page = written(tmp_path, small)
    assert "no study" in "".join(page.text)


def test_an_imported_run_shows_its_energy_alone(results, small, tmp_path):
    small["studies"] = []
    small["energy"] = results["energy"]
    page = written(tmp_path, small)
    assert any(one.startswith("energy-") for one in page.ids)
    assert "Every joule of this section is imported" in "".join(page.text)


def test_a_comparison_of_equal_values_has_no_p(results, small, tmp_path):
    small["studies"] = []
    source = copy.deepcopy(results["energy"][0])
    (first, *_) = source["comparisons"][0]["as_seed"]
    first |= {"test": "none", "p": None, "effect": None, "difference_percent": None}
    small["energy"] = [source]
    written(tmp_path, small)
    text = (tmp_path / "report.html").read_text("utf-8")
    (row,) = [line for line in text.split("<tr>") if "<td>none</td>" in line]
    assert row.count("\N{EN DASH}") == 3


def test_several_pairs_of_subjects_are_told_apart(results, small, tmp_path):
    small["studies"] = []
    source = copy.deepcopy(results["energy"][0])
    source["comparisons"].append(source["comparisons"][0] | {"second": "third"})
    source["sessions"][0]["usual_idle_w"] = None
    small["energy"] = [source]
    text = "".join(written(tmp_path, small).text)
    assert "The first over the second" not in text
    assert "the first over the second, trial by trial" in text
    for one in source["comparisons"]:
        assert f", {one['first']} and {one['second']}" in text
    assert "usual idle unknown" in (tmp_path / "report.html").read_text("utf-8")


def test_hostile_names_are_text(small, tmp_path):
    evil = "<script>alert(1)</script>\"'&"
    table = small["studies"][0]["tables"][0]
    table["columns"] = [evil if one == "json" else one for one in table["columns"]]
    line = table["rows"][0]
    cell = line["cells"].pop("json")
    line["cells"][evil] = cell | {"contender": evil}
    line["workload"] = "<img src=x onerror=y>|[a](b)"
    small["run"]["name"] = "</style><b>x"
    page = written(tmp_path, small)
    text = "".join(page.text)
    assert evil in text
    assert "<img src=x onerror=y>|[a](b)" in text
    assert not page.named("script")
    assert not page.named("img")


def test_names_that_clash_get_anchors_of_their_own(small, tmp_path):
    other = copy.deepcopy(small["studies"][0])
    small["studies"].append(other)
    page = written(tmp_path, small)
    assert len(page.ids) == len(set(page.ids))
    assert len(list((tmp_path / "tables").glob("*.csv"))) == 4


def test_rows_that_differ_in_factors_are_told_apart(small, tmp_path):
    table = small["studies"][0]["tables"][0]
    second = copy.deepcopy(table["rows"][0])
    second |= {"factors": {"gc": "off"}, "contest": second["contest"] + "?gc=off"}
    table["rows"].append(second)
    page = written(tmp_path, small)
    assert "github, gc off" in "".join(page.text)


def test_intervals_that_reach_below_zero_end_at_the_edge(small, tmp_path):
    study = small["studies"][0]
    line = study["tables"][0]["rows"][0]
    line["cells"]["snooze"]["quantities"]["time"]["low"] = -5.0
    line["cells"]["json"]["quantities"]["time"] |= {"value": 0.0, "low": 0.0}
    line["cells"]["json"]["raw"]["time"][0] = 0.0
    points = [{"x": x, "value": 9.0 * x, "low": -1.0, "high": 11.0 * x} for x in (1, 5)]
    study["curves"] = [
        {
            "title": "c",
            "x": "MB",
            "unit": "ns",
            "baseline": "",
            "series": {"a": points},
            "crossovers": [{"contender": "a", "x": None, "sentence": "Never."}],
        }
    ]
    study["tables"][0]["kind"] = "box"
    written(tmp_path, small)
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "Never." in text
    assert "NaN" not in text
    assert "Infinity" not in text


def test_memory_is_not_judged_by_the_noise_of_the_clock(small, tmp_path):
    table = small["studies"][0]["tables"][0]
    written(tmp_path, small)
    assert "A/A noise" in report_sample.shown(tmp_path)
    table["unit"] = "B"
    written(tmp_path, small)
    assert "A/A noise" not in report_sample.shown(tmp_path)


def test_a_page_that_would_be_too_large_says_what_it_left_out(
    small, tmp_path, monkeypatch
):
    from snooze_lab.report import page as pages

    monkeypatch.setattr(pages, "DRAWN", 100)
    page = written(tmp_path, small)
    # Only the figures of the first screen are left.
    assert len(page.named("svg")) == 2
    assert "Not drawn, to keep this page small" in "".join(page.text)


def test_summary_puts_noise_first_and_fits(results):
    out = io.StringIO()
    rich.console.Console(file=out, width=80, color_system=None).print(summary(results))
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("Noise: usable. orjson against itself")
    assert max(map(len, lines)) <= 80
    text = " ".join(out.getvalue().split())
    for one in results["answer"]["sentences"]:
        assert f"{one['topic']}: {one['text']}" in text
    assert "loads" in text
    assert "1 wrong" in text


def test_a_ratio_is_shown_whole_in_the_summary(small):
    (line,) = small["studies"][0]["tables"][0]["rows"][:1]
    for by in line["cells"]["snooze"]["effects"].values():
        for effect in by.values():
            effect |= {"ratio": 0.00123, "low": 0.00122, "high": 0.00124}
    out = io.StringIO()
    rich.console.Console(file=out, width=80).print(summary(small))
    assert " 0.00123× " in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 80


def test_summary_reads_no_markup_in_names(small):
    small["studies"][0]["title"] = "[red]x[/red]"
    out = io.StringIO()
    rich.console.Console(file=out, width=80).print(summary(small))
    assert "[red]x[/red]" in out.getvalue()


def broken(path: str, value: Any) -> Any:
    """A change of one place of the small run, named as in an error."""

    def change(results: dict[str, Any]) -> None:
        *way, last = [int(p) if p.isdigit() else p for p in path.split("/")]
        at: Any = results
        for step in way:
            at = at[step]
        if value is KeyError:
            del at[last]
        else:
            at[last] = value

    return change


ROW = "studies/0/tables/0/rows/0"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("format", 2, "expected format 1, found 2"),
        ("noise", KeyError, 'expected member "noise"'),
        ("noise/verdict", "fine", "'quiet', 'usable', 'too noisy' or 'unknown'"),
        ("answer", "yes", "found str at $.answer"),
        ("run/seed", True, "expected int, found bool at $.run.seed"),
        (
            f"{ROW}/cells/snooze/status",
            "slow",
            "'refused', found 'slow' at $.studies[0]",
        ),
        (f"{ROW}/cells/snooze/quantities/time/value", "1", "expected float, found str"),
        (f"{ROW}/cells/snooze/quantities/time/low", 1e99, "expected an interval"),
        (f"{ROW}/cells/snooze/quantities/time/low", math.nan, "expected an interval"),
        (f"{ROW}/cells/snooze/effects/interleaved/time/ratio", 0, "a ratio above 0"),
        (f"{ROW}/cells/snooze/effects/interleaved/time/low", 1e99, "its interval"),
        (f"{ROW}/cells/snooze/effects/interleaved/time/high", math.nan, "its interval"),
        (
            f"{ROW}/cells/snooze/effects/interleaved/time/verdict",
            "won",
            "found 'won' at",
        ),
        ("energy", {"name": "x"}, "at $.energy"),
        (
            "energy",
            [{"format": 2, "name": "x", "quality": "guessed"}],
            "found 'guessed' at $.energy[0].quality",
        ),
        (
            "energy",
            [{"format": 2, "name": "x", "quality": "imported"}],
            "import the series again",
        ),
    ],
)
def test_results_that_are_not_right_are_refused_with_their_place(
    small, tmp_path, path, value, said
):
    broken(path, value)(small)
    with pytest.raises(ReportError, match=re.escape(said)):
        render(tmp_path, small, {}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1234567.8, "ns", "1.23 ms"),
        (999.96, "ns", "1.00 µs"),
        (12.0, "ns", "12.0 ns"),
        (0.4, "ns", "0.400 ns"),
        (0, "B", "0 B"),
        (55_827, "B", "55.8 kB"),
        (0.0123, "J", "12.3 mJ"),
        (1.5e12, "ns", "1,500 s"),
        (3.5, "cores", "3.50 cores"),
    ],
)
def test_quantities_are_written_with_three_digits(value, unit, shown):
    assert words.quantity(value, unit).replace(words.GAP, " ") == shown


def test_spreads_keep_the_decimals_that_the_deviation_gives():
    assert words.spread(631.2, 14.2, "J").replace(words.GAP, " ") == "631.2 ± 14.2 J"


def test_drawings_use_the_roles_of_the_theme_alone(run):
    text = (run / "report.html").read_text("utf-8")
    for drawn in re.findall(r"<svg.*?</svg>", text):
        used = set(re.findall(r"\b[fs]-([a-z0-9]+)", drawn))
        assert used <= set(theme.COLOURS)
        assert "#" not in re.sub(r"aria-label=\"[^\"]*\"|&#", "", drawn)
    with pytest.raises(KeyError, match="no role of the theme"):
        Canvas().line([(0, 0), (1, 1)], "purple")


def test_the_made_up_run_is_the_same_each_time():
    assert report_sample.results() == report_sample.results()
    read_results(report_sample.results())


@pytest.mark.parametrize("instrument", ["isolated", "interleaved"])
def test_stars_and_bands_are_of_the_noise_of_their_instrument(
    instrument: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A star compares values, the band ratios; both may be of either instrument."""
    found = report_sample.small()
    table = found["studies"][0]["tables"][0]
    if instrument == "interleaved":
        table["metric"] = "round"
    for line in table["rows"]:
        for cell in line["cells"].values():
            by_metric = [*cell["effects"].values()]
            cell["effects"] = {instrument: by_metric[0]} if by_metric else {}
            cell["quantities"]["round"] = cell["quantities"]["time"]
    quiet, loud = (found["noise"] | {"floor": floor} for floor in (0.0, 900.0))
    bands = []
    drawn = pages.figures.Figures.all
    monkeypatch.setattr(
        pages.figures.Figures,
        "all",
        lambda self, noise: (bands.append(noise.floor), drawn(self, noise))[1],
    )
    for noises in ((quiet, loud), (loud, quiet)):
        both = dict(zip(("noise", "noise_isolated"), noises, strict=True))
        (study,) = (made := read_results(found | both)).studies
        sheet = pages._study(made, study).parts[0]
        stars = sum(cell.best for cell in sheet.rows[0][1:])
        is_loud = noises[instrument == "isolated"] is loud
        assert (stars > 1) is is_loud
        assert bands.pop() == (900.0 if is_loud else 0.0)
