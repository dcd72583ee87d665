"""The report: its sections, their order and their parts, and the page made of them.

Separate because the outline is content; templates/ defines the form of the page.
Invariants: every figure and sheet names a data file that is written; anchors are
unique; figures that would exceed the page's size limit are replaced by a sentence; the
page has no scripts or external resources, small data files are embedded, and everything
is escaped except the drawings, which `svg` escaped.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import statistics
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import jinja2

from snooze_lab.machine.env import sentence
from snooze_lab.model import OURS
from snooze_lab.report import (
    curves,
    energy,
    figures,
    first,
    practical,
    tables,
    terminal,
    theme,
    words,
)
from snooze_lab.report.parts import Figure, File, Section, Sheet

if TYPE_CHECKING:
    from snooze_lab.model import Noise
    from snooze_lab.stored.results_types import Answer, Results, Study

#: Drawings take at most this many bytes of the page; the rest is text.
DRAWN = 1_350_000
#: A data file of at most this many bytes is in the page too, while all take at most…
EMBEDDED = 4_000
#: … this many bytes of it.
EMBEDDED_ALL = 120_000


@dataclass(frozen=True)
class Fact:
    """A line of the first screen: a name and its value; `code` marks a command."""

    name: str
    value: str
    code: bool = False


@dataclass(frozen=True)
class Report:
    """The whole report: the first screen, then sections that are folded."""

    title: str
    noise: Noise
    answer: Answer
    figures: tuple[Figure, ...]
    facts: tuple[Fact, ...]
    flags: tuple[str, ...]
    sections: tuple[Section, ...]
    #: Data of the first screen's figures.
    data: tuple[File, ...] = ()

    @property
    def files(self) -> list[File]:
        """Return the data files of all sections."""
        return [*self.data, *(one for part in self.sections for one in part.files)]


def build(results: Results, plan: dict[str, Any], env: dict[str, Any]) -> Report:
    """Return the report of a run from its results, plan and environment record."""
    sections = [_study(results, study) for study in results.studies]
    sections += energy.sections(results.energy)
    others = (
        practical.section(results.practical),
        _conformance(results),
        _drift(results),
        _record(env),
    )
    sections += [one for one in others if one]
    drawn = [first.ranking(results), first.formats(results)]
    points = results.answer.formats
    return Report(
        title=results.run.name,
        noise=results.noise,
        answer=results.answer,
        figures=tuple(one for one in drawn if one),
        facts=_facts(results, plan, env),
        flags=tuple(one.sentence for one in results.flags),
        sections=_bounded(_unique(sections)),
        data=(tables.formats_file(points),) if points else (),
    )


def _facts(
    results: Results, plan: dict[str, Any], env: dict[str, Any]
) -> tuple[Fact, ...]:
    run = results.run
    started = dt.datetime.fromtimestamp(run.started, dt.UTC)
    took = words.duration(run.finished - run.started)
    tables = [table for study in results.studies for table in study.tables]
    who = dict.fromkeys(name for table in tables for name in table.columns)
    contests = plan.get("contests")
    count = f", {len(contests):,} contests" if contests else ""
    ran = ", ".join(study.name for study in results.studies) or "no study"
    return (
        Fact("Machine", sentence(env)),
        Fact("What ran", f"profile {run.profile}: {ran}{count}"),
        Fact("When", f"{started:%Y-%m-%d %H:%M} UTC, for {took}; seed {run.seed}"),
        Fact("Contenders", ", ".join(who) or "none"),
        Fact("Run it again", run.command, code=True),
        Fact("Write this again", f"snooze-lab report {run.name}", code=True),
    )


def _study(results: Results, study: Study) -> Section:
    run = results.run
    parts: list[Figure | Sheet | None] = []
    files: list[File] = []
    if study.findings:
        parts.append(tables.findings(study.name, study.findings))
    parts += tables.published(study.name, study.published)
    for table in study.tables:
        if table.kind == "conformance":
            continue
        data = f"{words.slug(study.name, table.name)}.csv"
        raw = f"{words.slug(study.name, table.name)}-samples.csv"
        files.append(tables.cells_file(data, table))
        files.append(tables.samples_file(raw, table))
        # Stars compare the values, which may be of another instrument than the ratios.
        shown = "interleaved" if table.metric == "round" else "isolated"
        sheet = tables.main(study.name, table, _noise(results, shown), data)
        if len(table.rows) == 1:
            # Its figures follow directly, with the same data and command.
            sheet = dataclasses.replace(sheet, data="", command="")
        parts.append(sheet)
        drawn = figures.Figures(study.name, table, data, raw)
        parts += drawn.all(run.name, _noise(results, tables.instrument(table)))
        if table.kind == "box":
            parts += [curves.box(study.name, table, one, raw) for one in table.rows]
        parts.append(tables.more(study.name, table, data))
    for at, curve in enumerate(study.curves, 1):
        data = f"{words.slug(study.name, 'curve', str(at))}.csv"
        files.append(tables.curve_file(data, curve))
        parts.append(curves.curve(study.name, at, curve, data))
    lead = [f"{study.question} (Study {study.name}.)"]
    if not study.tables and not study.curves:
        lead.append("Nothing of this study was measured in this run.")
    return Section(
        name=words.slug("study", study.name),
        title=study.title,
        headline=_headline(study),
        lead=tuple(lead),
        parts=tuple(
            dataclasses.replace(
                part, command=words.in_profile(part.command, run.profile, run.command)
            )
            for part in parts
            if part is not None
        ),
        files=tuple(files),
    )


def _noise(results: Results, instrument: str) -> Noise:
    """Return the noise of an instrument; runs of earlier versions have one for both."""
    alone = results.noise_isolated if instrument == "isolated" else None
    return alone or results.noise


def _headline(study: Study) -> str:
    """Return the range of our ratios over a study's tables, for its closed section."""
    means: dict[str, list[float]] = {}
    for table in study.tables:
        held = [one.ratio for one in terminal.ratios(table)]
        if held and table.unit == "ns":
            mean = statistics.geometric_mean(held)
            means.setdefault(table.baseline, []).append(mean)
    if not means:
        count = len(study.tables)
        return f"{count} table{'s' * (count != 1)}"
    said = []
    for base, found in means.items():
        low, high = words.times(min(found)), words.times(max(found))
        said.append(f"{low if low == high else f'{low} to {high}'} {base}")
    return f"{OURS}: {', '.join(said)}"


def _conformance(results: Results) -> Section | None:
    found = results.conformance
    if not found.columns:
        return None
    name = "conformance.csv"
    drawn = curves.conformance(found, name)
    return Section(
        name="conformance",
        title="Conformance: what each library accepts",
        headline=f"{len(found.columns)} libraries",
        lead=(
            (
                "A fast answer that is wrong is no answer. The test suite marks "
                "documents as valid, invalid, or free to choose; counting the free "
                "ones as failures is the seed's metric, leaving them out is that of "
                "the standard, RFC 8259."
            ),
        ),
        parts=(*((drawn,) if drawn else ()), *tables.conformance(found, name)),
        files=(tables.conformance_file(name, found),),
    )


def _drift(results: Results) -> Section | None:
    name = "drift.csv"
    # The samples are of isolated processes.
    quiet = _noise(results, "isolated")
    drawn = curves.drift(results.run.name, results.drift, quiet, name)
    if drawn is None:
        return None
    return Section(
        name="drift",
        title="Drift: did the machine change?",
        headline=f"{len(results.drift):,} samples",
        lead=(
            (
                "Contenders are measured in random order within each block, so a "
                "machine that warms up or fills up disturbs all of them alike; here "
                "one can see whether it did."
            ),
        ),
        parts=(drawn,),
        files=(tables.drift_file(name, results.drift),),
    )


def _record(env: dict[str, Any]) -> Section:
    return Section(
        name="environment",
        title="Environment record",
        headline="machine, system, libraries",
        lead=(
            (
                "Times of two machines must not be compared as if they were of one. "
                "This is what the laboratory found out about this one."
            ),
        ),
        parts=tables.environment(env),
    )


def _fresh(name: str, taken: set[str], ending: str = "") -> str:
    """Return a name that is not taken yet, numbered if need be, and take it."""
    found, stem, count = name, name.removesuffix(ending), 1
    while found in taken:
        count += 1
        found = f"{stem}-{count}{ending}"
    taken.add(found)
    return found


def _unique(sections: list[Section]) -> list[Section]:
    """Return sections with unique anchors and files: duplicates are numbered."""
    anchors: set[str] = set()
    files: set[str] = set()
    done = []
    for section in sections:
        names = [one.name for one in section.files]
        if len(set(names)) != len(names):
            raise ValueError(f"files of section {section.name} share names: {names}")
        named = {name: _fresh(name, files, ".csv") for name in names}
        anchor = _fresh(section.name, anchors)
        parts = [
            dataclasses.replace(
                part,
                name=_fresh(part.name, anchors),
                data=named.get(part.data, part.data),
            )
            for part in section.parts
        ]
        renamed = [
            dataclasses.replace(one, name=named[one.name]) for one in section.files
        ]
        done.append(
            dataclasses.replace(
                section, name=anchor, parts=tuple(parts), files=tuple(renamed)
            )
        )
    return done


def _bounded(sections: list[Section]) -> tuple[Section, ...]:
    """Return sections whose drawings fit the page; a note replaces later ones."""
    left = DRAWN
    done = []
    for section in sections:
        parts: list[Figure | Sheet] = []
        for part in section.parts:
            if isinstance(part, Figure):
                size = sum(len(one.svg) + len(one.narrow) for one in part.panels)
                if size > left:
                    said = (
                        f"Not drawn, to keep this page small; tables/{part.data} "
                        "holds its numbers."
                    )
                    parts.append(dataclasses.replace(part, caption=said, panels=()))
                    continue
                left -= size
            parts.append(part)
        done.append(dataclasses.replace(section, parts=tuple(parts)))
    return tuple(done)


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.PackageLoader("snooze_lab.report", "templates")
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def style() -> str:
    """Return the page's style sheet, without superfluous blanks."""
    sheet = resources.files("snooze_lab.report") / "templates" / "style.css"
    return theme.css() + re.sub(r"\n\s*", "", sheet.read_text("utf-8"))


def embedded(report: Report) -> dict[str, str]:
    """Return the small data files as links that embed them."""
    found: dict[str, str] = {}
    left = EMBEDDED_ALL
    for file in report.files:
        link = f"data:text/csv;charset=utf-8,{quote(file.text)}"
        if len(link) <= min(EMBEDDED, left):
            found[file.name] = link
            left -= len(link)
    return found


def page(report: Report) -> str:
    """Return the page."""
    folded = {
        part.name
        for section in report.sections
        for part in section.parts
        if isinstance(part, Sheet) and part.name.endswith("-more")
    }
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            report=report,
            style=style(),
            verdicts=words.VERDICTS,
            embedded=embedded(report),
            folded=folded,
        )
    )
