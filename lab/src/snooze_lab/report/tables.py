"""Results as sheets to read and files to compute with.

Separate because rows, marks of the best, and footnotes are decided once, for HTML,
Markdown and CSV alike. Invariants: an empty cell always has its reason; the best of a
row are those that the run's noise cannot tell from the lowest, without the reference's
second entry; the files
hold every digit of the results.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from snooze_lab.model import AGAIN, OURS, Effect, Estimate, Row
from snooze_lab.report import words
from snooze_lab.report.figures import INSTRUMENTS, effects
from snooze_lab.report.parts import Cell, File, Sheet

if TYPE_CHECKING:
    from snooze_lab.model import Noise
    from snooze_lab.results_types import (
        Beside,
        Box,
        Conformance,
        Curve,
        Drift,
        Finding,
        FormatPoint,
        Line,
        Table,
    )

_HEAD = ("workload", "contest", "bytes", "contender", "status", "reason", "metric")
_SPAN = ("value", "low", "high", "n", "unit")
_EFFECT = ("ratio", "low", "high", "n", "p", "verdict")


def main(study: str, table: Table, noise: Noise, data: str) -> Sheet:
    """Return a table of a study: a row per workload, a column per contender."""
    # The clock's noise does not concern bytes or joules.
    floor = noise.floor if table.unit == "ns" else 0.0
    rows = []
    common = everywhere(table)
    for line in table.rows:
        best = winners(line, table.metric, floor)
        first = Cell(
            shown=table.label(line),
            detail=words.quantity(line.bytes, "B") if line.bytes else "",
            kind="name",
        )
        cells = [
            _cell(line, name, table, common, best=name in best)
            for name in table.columns
        ]
        rows.append((first, *cells))
    used = {
        name
        for cell in _cells(table)
        for name, held in cell.effects.items()
        if ("time" if table.metric == "round" else table.metric) in held
    }
    which = next((name for name in INSTRUMENTS if name in used), "")
    caption = words.meaning(table.metric).capitalize()
    if which:
        caption += f"; ratios to {table.baseline} by the {which} instrument"
    caption += "."
    counts = [
        cell.quantities[table.metric].n
        for cell in _cells(table)
        if table.metric in cell.quantities
    ]
    if counts:
        low, high = min(counts), max(counts)
        many = f"{low}" if low == high else f"{low} to {high}"
        caption += f" Samples a cell: {many}."
    for extra in (table.note, table.with_outliers):
        caption += f" {extra}" if extra else ""
    return Sheet(
        name=words.slug(study, table.name),
        title=table.title,
        head=("document", *table.columns),
        rows=tuple(rows),
        caption=caption,
        data=data,
        command=words.again(study, table.name),
        notes=footnotes(table),
        ours=OURS,
    )


def _cells(table: Table) -> list[Row]:
    return [cell for line in table.rows for cell in line.cells.values()]


def winners(line: Line, metric: str, floor: float) -> set[str]:
    """Return the contender with the lowest value of a row, and those that equal it.

    Equal are those that differ by less than the noise of the run.
    """
    held = {
        name: cell.quantities[metric].value
        for name, cell in line.cells.items()
        if cell.status == "ok" and metric in cell.quantities and name != AGAIN
    }
    if len(held) < 2:
        return set()
    most = min(held.values()) * (1 + floor)
    return {name for name, value in held.items() if value <= most}


def _cell(
    line: Line, name: str, table: Table, common: frozenset[str], *, best: bool
) -> Cell:
    cell = line.cells.get(name)
    if cell is None:
        return Cell(words.NONE, note="not in this contest", kind="none")
    found = cell.quantities.get(table.metric)
    if cell.status != "ok" or found is None:
        why = cell.reason or f"no {words.meaning(table.metric)} was recorded"
        return Cell(words.NONE, detail=cell.status, note=why, kind=cell.status)
    ratio = preferred(cell, table.metric)
    detail = sign = ""
    if ratio:
        span = words.span(ratio.low, ratio.high) if ratio.n > 1 else "(one sample)"
        detail = f"{words.times(ratio.ratio)} {span}"
        sign = ratio.verdict
    elif name == table.baseline:
        detail = "baseline"
    if (rate := speed(line, found)) is not None:
        detail += f"{', ' if detail else ''}{words.quantity(rate, 'B/s')}"
    return Cell(
        shown=words.quantity(found.value, found.unit),
        value=found.value,
        detail=detail,
        sign=sign,
        best=best,
        note=", ".join(flag for flag in cell.flags if flag not in common),
        kind="ok",
    )


def speed(line: Line, found: Estimate) -> float | None:
    """Return bytes of the document a second; None for what is no time."""
    if found.unit != "ns" or not line.bytes or found.value <= 0:
        return None
    return line.bytes / found.value * 1e9


def everywhere(table: Table) -> frozenset[str]:
    """Return the flags that all measured cells of a table have."""
    held = [set(cell.flags) for cell in _cells(table) if cell.status == "ok"]
    return frozenset(set.intersection(*held)) if held else frozenset()


def preferred(cell: Row, metric: str) -> Effect | None:
    """Return the ratio of a cell that the tables show, preferably interleaved."""
    found = effects(cell, metric)
    return found[0][1] if found else None


def footnotes(table: Table) -> tuple[str, ...]:
    """Return why cells are empty, and their flags, one sentence each."""
    common = everywhere(table)
    why: dict[tuple[str, str, str], list[str]] = {}
    flagged: dict[str, list[str]] = {}
    for line in table.rows:
        for name in table.columns:
            cell = line.cells.get(name)
            if cell is None:
                continue
            if cell.status != "ok":
                key = (name, cell.status, cell.reason)
                why.setdefault(key, []).append(table.label(line))
            for flag in set(cell.flags) - common:
                flagged.setdefault(flag, []).append(f"{name} on {table.label(line)}")
    count = len(table.rows)
    found = []
    for (name, status, reason), where in why.items():
        place = (
            ""
            if len(where) == count
            else f" on {words.listed(list(dict.fromkeys(where)))}"
        )
        found.append(f"{words.NONE} {name}{place} {words.STATUSES[status]}: {reason}.")
    found += [f"⚑ {flag}: {words.listed(where)}." for flag, where in flagged.items()]
    found += [f"⚑ {flag}: every cell of this table." for flag in sorted(common)]
    return tuple(found)


def more(study: str, table: Table, data: str) -> Sheet:
    """Return operations a second and the other quantities, a row per cell."""
    metrics = list(
        dict.fromkeys(
            key
            for cell in _cells(table)
            for key in cell.quantities
            if key != table.metric
        )
    )
    timed = table.unit == "ns"
    rows = []
    for line in table.rows:
        for name in table.columns:
            cell = line.cells.get(name)
            if cell is None or not cell.quantities:
                continue
            values = [
                Cell(words.quantity(one.value, one.unit), one.value, kind="ok")
                if (one := cell.quantities.get(metric))
                else Cell(words.NONE, note="not recorded", kind="none")
                for metric in metrics
            ]
            if timed:
                values.insert(0, _operations(cell.quantities.get(table.metric)))
            rows.append((Cell(f"{table.label(line)}, {name}", kind="name"), *values))
    heads = [words.meaning(metric) for metric in metrics]
    return Sheet(
        name=words.slug(study, table.name, "more"),
        title=f"{table.title}: the other quantities",
        head=("cell", *(["operations a second"] if timed else []), *heads),
        rows=tuple(rows),
        data=data,
    )


def _operations(time: Estimate | None) -> Cell:
    if time is None or time.value <= 0:
        return Cell(words.NONE, note="no time was recorded", kind="none")
    rate = 1e9 / time.value
    return Cell(words.digits(rate), rate, kind="ok")


def findings(study: str, found: tuple[Finding, ...]) -> Sheet:
    """Return the claims of a seed beside the results of this run."""
    return Sheet(
        name=words.slug(study, "findings"),
        title="Published, measured, and why they differ",
        head=("claim", "published", "measured here", "why they differ"),
        rows=tuple(
            tuple(
                Cell(text, kind="name" if at == 0 else "text")
                for at, text in enumerate(
                    (one.claim, one.seed_says, one.we_measured, one.why_different)
                )
            )
            for one in found
        ),
    )


def published(study: str, found: tuple[Beside, ...]) -> list[Sheet]:
    """Return the tables of a seed with what this run measured in the columns beside."""
    return [
        Sheet(
            name=words.slug(study, "published", str(at)),
            title=table.title,
            head=table.head,
            rows=tuple(
                tuple(
                    Cell(
                        words.NONE if text == "-" else text,
                        kind="here" if table.head[place] == "here" else "name",
                    )
                    for place, text in enumerate(row)
                )
                for row in table.rows
            ),
            notes=table.notes,
            ours="here",
        )
        for at, table in enumerate(found, 1)
    ]


def conformance(found: Conformance, data: str) -> tuple[Sheet, ...]:
    """Return the metrics, and each file on which a contender departs from the suite."""
    metrics = Sheet(
        name="conformance-metrics",
        title="Files handled against the standard",
        head=("metric", *found.columns),
        rows=tuple(
            (
                Cell(metric.name, kind="name"),
                *(
                    Cell(str(metric.values[one]), float(metric.values[one]), kind="ok")
                    if one in metric.values
                    else Cell(words.NONE, note="not run", kind="none")
                    for one in found.columns
                ),
            )
            for metric in found.metrics
        ),
        data=data,
        ours=OURS,
    )
    good = {"y": "accepted", "n": "rejected"}
    odd = [
        one
        for one in found.files
        if (
            set(one.outcomes.values()) - {good[one.expectation], "absent"}
            if one.expectation in good
            else len(set(one.outcomes.values()) - {"absent"}) > 1
        )
    ]
    sign = {
        "accepted": "yes",
        "rejected": "no",
        "wrong value": "wrong",
        "absent": words.NONE,
    }
    meaning = {"y": "yes", "n": "no", "i": "free"}
    files = Sheet(
        name="conformance-files",
        title=f"The {len(odd)} files on which libraries differ or err",
        head=("file", "should accept", *found.columns),
        rows=tuple(
            (
                Cell(one.file, kind="name"),
                Cell(meaning[one.expectation], kind="text"),
                *(
                    Cell(
                        sign.get(what, what),
                        kind="odd"
                        if one.expectation in good
                        and what not in {good[one.expectation], "absent"}
                        else "text",
                        note="" if what != "absent" else "not run",
                    )
                    for name in found.columns
                    for what in [one.outcomes.get(name, "absent")]
                ),
            )
            for one in odd
        ),
        caption="Yes: accepted; no: rejected; wrong: accepted with a wrong value.",
        data=data,
        ours=OURS,
    )
    return metrics, files


def environment(env: dict[str, Any]) -> tuple[Sheet, ...]:
    """Return the environment record, with a separate table of the libraries."""
    rest = {key: value for key, value in env.items() if key != "libraries"}
    rows = tuple(
        (Cell(name, kind="name"), Cell(value, kind="text"))
        for name, value in flat(rest)
    )
    sheets = [
        Sheet(
            "environment-record", "Machine, system and Python", ("what", "value"), rows
        )
    ]
    libraries = env.get("libraries")
    if isinstance(libraries, dict) and libraries:
        keys = list(
            dict.fromkeys(
                key
                for one in libraries.values()
                if isinstance(one, dict)
                for key in one
            )
        )
        body = tuple(
            (
                Cell(str(name), kind="name"),
                *(
                    Cell(
                        plain(one.get(key)) if isinstance(one, dict) else plain(one),
                        kind="text",
                    )
                    for key in keys or ["version"]
                ),
            )
            for name, one in libraries.items()
        )
        sheets.append(
            Sheet(
                "environment-libraries",
                "Libraries",
                ("library", *(keys or ["version"])),
                body,
            )
        )
    return tuple(sheets)


def flat(found: dict[str, Any], above: str = "") -> list[tuple[str, str]]:
    """Return a nested table as names with dots and plain texts."""
    rows: list[tuple[str, str]] = []
    for key, value in found.items():
        name = f"{above}.{key}" if above else str(key)
        if isinstance(value, dict):
            rows += flat(value, name)
        elif name.endswith("_bytes") and isinstance(value, int):
            rows.append((name, f"{value} ({words.quantity(value, 'B')})"))
        else:
            rows.append((name, plain(value)))
    return rows


def plain(value: Any) -> str:
    """Return a value of the record as text; null is shown as unknown."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(plain, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {plain(one)}" for key, one in value.items()) or "none"
    return str(value)


def cells_file(name: str, table: Table) -> File:
    """Return every quantity and ratio of a table, one line each."""
    ratios = [f"{kind}_{key}" for kind in INSTRUMENTS for key in _EFFECT]
    rows: list[tuple[object, ...]] = []
    for line in table.rows:
        for who in table.columns:
            cell = line.cells.get(who)
            if cell is None:
                continue
            base = (table.label(line), line.contest, line.bytes, who)
            state = (cell.status, cell.reason)
            flags = " ".join(cell.flags)
            if not cell.quantities:
                blanks = ("",) * (len(_SPAN) + len(ratios))
                rows.append((*base, *state, table.metric, *blanks, flags))
            for metric, one in cell.quantities.items():
                span = tuple(getattr(one, key) for key in _SPAN)
                sides: list[object] = []
                for kind in INSTRUMENTS:
                    key = "time" if metric == "round" else metric
                    ratio = cell.effects.get(kind, {}).get(key)
                    sides += [getattr(ratio, key) if ratio else "" for key in _EFFECT]
                rows.append((*base, *state, metric, *span, *sides, flags))
    return File(name, (*_HEAD, *_SPAN, *ratios, "flags"), tuple(rows))


def samples_file(name: str, table: Table) -> File:
    """Return every sample of a table, one line each."""
    rows = tuple(
        (line.contest, who, metric, at, value)
        for line in table.rows
        for who, cell in line.cells.items()
        for metric, values in cell.raw.items()
        for at, value in enumerate(values)
    )
    return File(name, ("contest", "contender", "metric", "block", "value"), rows)


def curve_file(name: str, curve: Curve) -> File:
    """Return the points of a curve, then its crossings or bends."""
    rows: list[tuple[object, ...]] = [
        ("point", who, "", one.x, one.value, one.low, one.high, curve.unit)
        for who, points in curve.series.items()
        for one in points
    ]
    rows += [
        ("crossover", one.contender, one.against, one.x, "", one.low, one.high, curve.x)
        for one in curve.crossovers
    ]
    if one := curve.change_point:
        rows.append(
            ("change", one.contender, "", one.x, "", one.low, one.high, curve.x)
        )
    head = ("kind", "contender", "against", curve.x, "value", "low", "high", "unit")
    return File(name, head, tuple(rows))


def box_file(name: str, box: Box) -> File:
    """Return the raw values of a box plot."""
    rows = tuple(
        (who, at, value, box.unit)
        for who, values in box.groups.items()
        for at, value in enumerate(values)
    )
    return File(name, ("contender", "sample", "value", "unit"), rows)


def drift_file(name: str, found: tuple[Drift, ...]) -> File:
    """Return the samples of the drift plot, all of them."""
    rows = tuple(
        (
            dt.datetime.fromtimestamp(one.t, dt.UTC).isoformat(),
            one.position,
            one.contest,
            one.contender,
            one.relative,
        )
        for one in found
    )
    return File(name, ("time", "position", "contest", "contender", "relative"), rows)


def conformance_file(name: str, found: Conformance) -> File:
    """Return the outcome of each library for each file."""
    rows = tuple(
        (
            one.file,
            one.expectation,
            *(one.outcomes.get(name, "absent") for name in found.columns),
        )
        for one in found.files
    )
    return File(name, ("file", "expectation", *found.columns), rows)


def formats_file(found: tuple[FormatPoint, ...]) -> File:
    """Return the points of the figure of formats."""
    head = ("name", "format", "workload", "bytes", "time", "low", "high", "size")
    rows = tuple(tuple(getattr(one, key) for key in head) for one in found)
    return File("formats.csv", head, rows)
