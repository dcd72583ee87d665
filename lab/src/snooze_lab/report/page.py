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
from snooze_lab.stored.results_types import read
from snooze_lab.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from snooze_lab.model import Noise
    from snooze_lab.stored.results_types import Results, Study

#: Drawings take at most this many bytes of the page; the rest is text.
DRAWN = 1_350_000
#: A data file of at most this many bytes is in the page too, while all take at most…
EMBEDDED = 4_000
#: … this many bytes of it.
EMBEDDED_ALL = 120_000


def render(
    folder: Path, results: dict[str, Any], plan: dict[str, Any], env: dict[str, Any]
) -> None:
    """Write report.html and tables/*.csv into a folder.

    ReportError, before anything is written, if `results` does not have the expected
    form.
    """
    found = read(results)
    sections = _bounded(_unique(_sections(found, env)))
    files = [file for section in sections for file in section.files]
    if found.answer.formats:
        files.insert(0, tables.formats_file(found.answer.formats))
    text = _page(
        results=found,
        figures=[one for one in (first.ranking(found), first.formats(found)) if one],
        facts=_facts(found, plan, env),
        sections=sections,
        verdicts=words.VERDICTS,
        embedded=_embedded(files),
    )
    data = folder / "tables"
    data.mkdir(parents=True, exist_ok=True)
    for file in files:
        (data / file.name).write_bytes(file.text.encode())
    # An earlier report stays whole if the disk is full.
    partial = folder / "report.html.partial"
    try:
        partial.write_text(text, "utf-8")
        partial.replace(folder / "report.html")
    finally:
        partial.unlink(missing_ok=True)


def _sections(results: Results, env: dict[str, Any]) -> list[Section]:
    """Return the sections of the report in reading order."""
    found = (
        *(_study(results, study) for study in results.studies),
        *map(energy.section, results.energy),
        practical.section(results.practical),
        _conformance(results),
        _drift(results),
        _record(env),
    )
    return [one for one in found if one]


def _facts(
    results: Results, plan: dict[str, Any], env: dict[str, Any]
) -> dict[str, str]:
    """Return what the run was, by name."""
    run = results.run
    started = dt.datetime.fromtimestamp(run.started, dt.UTC)
    took = words.duration(run.finished - run.started)
    tables = [table for study in results.studies for table in study.tables]
    who = dict.fromkeys(name for table in tables for name in table.columns)
    contests = plan.get("contests")
    count = f", {len(contests):,} contests" if contests else ""
    ran = ", ".join(study.name for study in results.studies) or "no study"
    return {
        "Machine": sentence(env),
        "What ran": f"profile {run.profile}: {ran}{count}",
        "When": f"{started:%Y-%m-%d %H:%M} UTC, for {took}; seed {run.seed}",
        "Contenders": ", ".join(who) or "none",
    }


def _study(results: Results, study: Study) -> Section:
    run = results.run
    parts: list[Figure | Sheet | None] = []
    files: list[File] = []
    taken: set[str] = set()
    if study.findings:
        parts.append(tables.findings(study.name, study.findings))
    parts += tables.published(study.name, study.published)
    for table in study.tables:
        if table.kind == "conformance":
            continue
        stem = words.slug(study.name, table.name)
        data = _fresh(f"{stem}.csv", taken, ".csv")
        raw = _fresh(f"{stem}-samples.csv", taken, ".csv")
        files += [tables.cells_file(data, table), tables.samples_file(raw, table)]
        # Stars compare the values, which may be of another instrument than the ratios.
        shown = "interleaved" if table.metric == "round" else "isolated"
        noise = _noise(results, shown)
        parts.append(tables.main(run, study.name, table, noise, data))
        drawn = figures.Figures(run, study.name, table, data, raw)
        parts += drawn.all(_noise(results, tables.instrument(table)))
        if table.kind == "box":
            parts += [
                curves.box(run, study.name, table, one, raw) for one in table.rows
            ]
        parts.append(tables.more(study.name, table, data))
    for at, curve in enumerate(study.curves, 1):
        data = f"{words.slug(study.name, 'curve', str(at))}.csv"
        data = _fresh(data, taken, ".csv")
        files.append(tables.curve_file(data, curve))
        parts.append(curves.curve(run, study.name, at, curve, data))
    lead = [f"{study.question} (Study {study.name}.)"]
    if not study.tables and not study.curves:
        lead.append("Nothing of this study was measured in this run.")
    return Section(
        name=words.slug("study", study.name),
        title=study.title,
        headline=_headline(study),
        lead=tuple(lead),
        parts=tuple(part for part in parts if part),
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
        return counted(len(study.tables), "table")
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
        named = {one.name: _fresh(one.name, files, ".csv") for one in section.files}
        done.append(
            dataclasses.replace(
                section,
                name=_fresh(section.name, anchors),
                parts=tuple(
                    dataclasses.replace(
                        part,
                        name=_fresh(part.name, anchors),
                        data=named.get(part.data, part.data),
                    )
                    for part in section.parts
                ),
                files=tuple(
                    dataclasses.replace(one, name=named[one.name])
                    for one in section.files
                ),
            )
        )
    return done


def _bounded(sections: list[Section]) -> list[Section]:
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
    return done


def _embedded(files: Sequence[File]) -> dict[str, str]:
    """Return the small data files as links that embed them."""
    found: dict[str, str] = {}
    left = EMBEDDED_ALL
    for file in files:
        link = f"data:text/csv;charset=utf-8,{quote(file.text)}"
        if len(link) <= min(EMBEDDED, left):
            found[file.name] = link
            left -= len(link)
    return found


def _page(**content: Any) -> str:
    """Return the page of the variables of its template."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("snooze_lab.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sheet = environment.get_template("style.css").render()
    style = theme.css() + re.sub(r"\n\s*", "", sheet)
    return environment.get_template("report.html.j2").render(style=style, **content)
