"""The published figures of a seed, beside the figures that a run measured.

Separate because published figures are separate data (published/*.toml) with their own
corrections, and are never mixed with measurements: they have their own columns and
label. Invariants: our figures come from the run's results, and the figures of a seed
from its file, with their unit; a table without a measurement says so; an error found in
a published number is a note under it. Used by cli.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab import plan, published
from snooze_lab.model import AGAIN
from snooze_lab.units import quantity, ratio

if TYPE_CHECKING:
    from snooze_lab.published import Published
    from snooze_lab.published import Table as Cited
    from snooze_lab.store import Run


@dataclass(frozen=True)
class Beside:
    """A table of texts: a title, a head, rows, and notes."""

    title: str
    head: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def cite(seed: str, run: Run | None) -> list[Beside]:
    """Return each table of a seed, followed by the tables of the run that answer it.

    Raises published.PublishedError for an unknown seed.
    """
    whole = published.load(seed)
    results = run.read("results.json") if run else {"studies": []}
    tables = _tables(results)
    found = [_introduction(whole, run)]
    shown: set[str] = set()
    for table in whole.tables:
        found.append(_cited(whole, table))
        names = [name for name in table.ours if name not in shown]
        ours = [tables[name] for name in names if name in tables]
        shown |= set(names)
        found += [_ours(one, run) for one in ours]
        if table.ours and not ours and names:
            found[-1].notes.append(f"Not measured in a run here: {_command(names)}")
    found.append(_claims(whole, results))
    return found


def _command(names: list[str]) -> str:
    """Return the shortest run that measures the first of these tables."""
    study, _, name = names[0].partition("/")
    known = plan.find(study)
    fitting = (
        profile
        for profile in plan.PROFILES
        if any(table.name == name for table in known.of(profile))
    )
    profile = next(fitting, plan.PROFILES[-1])
    return f"snooze-lab run {study} --profile {profile}"


def _introduction(whole: Published, run: Run | None) -> Beside:
    notes = [
        f"Published {whole.year} by {whole.source}, on {whole.machine}.",
        "Versions: " + ", ".join(whole.versions),
        f"Ours: run {run.name}." if run else "Ours: no run yet.",
        (
            "Published and measured figures are of different machines: compare their "
            "order and their ratios, never their times."
        ),
    ]
    return Beside(whole.title, [], [], notes)


def _tables(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{study['name']}/{table['name']}": table
        for study in results["studies"]
        for table in study["tables"]
    }


def _cited(whole: Published, table: Cited) -> Beside:
    """Return a table as it was published."""
    word = "cited, not measured" if table.status == "cited" else "published"
    head = [
        f"{name} ({unit})" if unit not in {"", "1"} else name
        for name, unit in zip(table.columns, table.units, strict=True)
    ]
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    notes = [table.note.strip()] if table.note else []
    for one in whole.corrections:
        if one.table == table.name:
            instead = "is not reliable"
            if one.corrected is not None:
                instead = f"should be {_cell(one.corrected)}"
            notes.append(
                f"{one.row}, {one.column}: {_cell(one.published)} "
                f"{instead}: {one.why.strip()}"
            )
    return Beside(f"Seed: {table.title} [{word}]", head, rows, notes)


def _cell(cell: Any) -> str:
    if cell is None:
        return "-"
    # As it was published: exactly its digits.
    return cell if isinstance(cell, str) else f"{cell:,.10g}"


def _ours(table: dict[str, Any], run: Run | None) -> Beside:
    """Return a table of the run: a row for each contender of each workload."""
    metric = table["metric"]
    rows = []
    for row in table["rows"]:
        conditions = "&".join(f"{k}={v}" for k, v in row["factors"].items())
        name = row["workload"] + (f" {conditions}" if conditions else "")
        for contender, cell in row["cells"].items():
            if contender != AGAIN:
                rows.append([name, contender, *_measured(cell, metric)])
    head = ["workload", "contender", metric, f"against {table['baseline']}", ""]
    title = f"Ours: {table['title']} [measured, run {run.name if run else ''}]"
    return Beside(title, head, rows, [table["note"].strip()] if table["note"] else [])


def _measured(cell: dict[str, Any], metric: str) -> list[str]:
    if cell["status"] != "ok":
        return [f"- ({cell['status']})", "", cell["reason"][:40]]
    found = cell["quantities"].get(metric)
    value = quantity(found["value"], found["unit"]) if found else "-"
    for instrument in ("interleaved", "isolated"):
        by_metric = cell["effects"].get(instrument, {})
        effect = by_metric.get("time" if metric == "round" else metric)
        if effect:
            ends = effect["ratio"], effect["low"], effect["high"]
            return [value, ratio(*ends), effect["verdict"]]
    return [value, "", ""]


def _claims(whole: Published, results: dict[str, Any]) -> Beside:
    """Return the claims of the seed, with the findings of the run."""
    measured = {
        one["claim"]: one["we_measured"]
        for study in results["studies"]
        if study["name"].split("_", maxsplit=1)[0] == whole.name
        for one in study["findings"]
    }
    rows = [
        [one.claim, one.seed_says, measured.get(one.claim, "no run yet"), _line(one)]
        for one in whole.findings
    ]
    head = ["claim", "seed says", "we measured", "why different"]
    return Beside("What the seed claims", head, rows)


def _line(one: published.Finding) -> str:
    return " ".join(one.why_different.split())
