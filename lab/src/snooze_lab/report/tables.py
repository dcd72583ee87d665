"""Results as sheets to read and files to compute with.

Separate because rows, marks of the best, and footnotes are decided once, for HTML and
CSV. An empty cell always has its reason; the best of a row are those that the run's
noise cannot tell from the lowest; the files hold every digit of the results.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from snooze_lab.model import AGAIN, INSTRUMENTS, OURS
from snooze_lab.report import words
from snooze_lab.report.parts import Cell, File, Sheet, blank, name, number, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from snooze_lab.model import Estimate, Noise, Row
    from snooze_lab.stored.results_types import (
        Beside,
        Conformance,
        Curve,
        Drift,
        Finding,
        FormatPoint,
        Judged,
        Line,
        Run,
        Table,
    )

_HEAD = ("workload", "contest", "bytes", "contender", "status", "reason", "metric")
_SPAN = ("value", "low", "high", "n", "unit")
_EFFECT = ("ratio", "low", "high", "n", "p", "verdict")
#: What the suite wants of a file, by its expectation; of the others it wants nothing.
_GOOD = {"y": "accepted", "n": "rejected"}
_WANTED = {"y": "yes", "n": "no", "i": "free"}
_SHOWN = {"accepted": "yes", "rejected": "no", "wrong value": "wrong"}


def main(run: Run, study: str, table: Table, noise: Noise, data: str) -> Sheet:
    """Return a table of a study: a row per workload, a column per contender."""
    # The figures of a single row follow directly, with the same data and command.
    alone = len(table.rows) == 1
    # The clock's noise does not concern bytes or joules.
    floor = noise.floor if table.unit == "ns" else 0.0
    common = everywhere(table)
    rows = []
    for line in table.rows:
        best = winners(line, table.metric, floor)
        size = words.quantity(line.bytes, "B") if line.bytes else ""
        cells = [
            _cell(line, who, table, common, best=who in best) for who in table.columns
        ]
        rows.append((name(table.label(line), size), *cells))
    which = instrument(table)
    caption = words.meaning(table.metric).capitalize()
    if which:
        caption += f"; ratios to {table.baseline} by the {which} instrument"
    caption += "."
    counts = [
        cell.quantities[table.metric].n
        for cell in table.cells
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
        data="" if alone else data,
        command="" if alone else words.again(run, study, table.name),
        notes=footnotes(table),
        ours=OURS,
    )


def instrument(table: Table) -> str:
    """Return the instrument of a table's ratios; an empty string without any."""
    used = {how for cell in table.cells for how, _ in cell.ratios(table.metric)}
    return next((how for how in INSTRUMENTS if how in used), "")


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
    line: Line, who: str, table: Table, common: frozenset[str], *, best: bool
) -> Cell:
    cell = line.cells.get(who)
    if cell is None:
        return blank("not in this contest")
    found = cell.quantities.get(table.metric)
    if cell.status != "ok" or found is None:
        why = cell.reason or f"no {words.meaning(table.metric)} was recorded"
        return Cell(words.NONE, detail=cell.status, note=why, kind=cell.status)
    ratio = cell.ratio(table.metric)
    details = ["baseline"] if who == table.baseline else []
    if ratio:
        span = words.span(ratio.low, ratio.high) if ratio.n > 1 else "(one sample)"
        details = [f"{words.times(ratio.ratio)} {span}"]
    if found.unit == "ns" and line.bytes and found.value > 0:
        details.append(words.quantity(line.bytes / found.value * 1e9, "B/s"))
    return Cell(
        shown=words.quantity(found.value, found.unit),
        value=found.value,
        detail=", ".join(details),
        sign=ratio.verdict if ratio else "",
        best=best,
        note=", ".join(flag for flag in cell.flags if flag not in common),
        kind="ok",
    )


def everywhere(table: Table) -> frozenset[str]:
    """Return the flags that all measured cells of a table have."""
    held = [set(cell.flags) for cell in table.cells if cell.status == "ok"]
    return frozenset(set.intersection(*held)) if held else frozenset()


def footnotes(table: Table) -> tuple[str, ...]:
    """Return why cells are empty, and their flags, one sentence each."""
    common = everywhere(table)
    why: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    flagged: dict[str, list[str]] = defaultdict(list)
    for label, _, who, cell in _cells(table):
        if cell.status != "ok":
            why[who, cell.status, cell.reason].append(label)
        for flag in cell.flags:
            if flag not in common:
                flagged[flag].append(f"{who} on {label}")
    found = []
    for (who, status, reason), where in why.items():
        some = f" on {words.listed(list(dict.fromkeys(where)))}"
        place = some if len(where) < len(table.rows) else ""
        found.append(f"{words.NONE} {who}{place} {words.STATUSES[status]}: {reason}.")
    found += [f"⚑ {flag}: {words.listed(where)}." for flag, where in flagged.items()]
    found += [f"⚑ {flag}: every cell of this table." for flag in sorted(common)]
    return tuple(found)


def _cells(table: Table) -> Iterator[tuple[str, Line, str, Row]]:
    """Yield each cell, row by row, after its row's label, its row and its column."""
    for line in table.rows:
        label = table.label(line)
        for who in table.columns:
            if who in line.cells:
                yield label, line, who, line.cells[who]


def more(study: str, table: Table, data: str) -> Sheet:
    """Return operations a second and the other quantities, a row per cell."""
    every = dict.fromkeys(key for cell in table.cells for key in cell.quantities)
    metrics = [key for key in every if key != table.metric]
    timed = table.unit == "ns"
    rows = []
    for label, _, who, cell in _cells(table):
        if not cell.quantities:
            continue
        values = [
            quantity(one.value, one.unit)
            if (one := cell.quantities.get(metric))
            else blank("not recorded")
            for metric in metrics
        ]
        if timed:
            values.insert(0, _rate(cell.quantities.get(table.metric)))
        rows.append((name(f"{label}, {who}"), *values))
    heads = ["operations a second"] * timed + list(map(words.meaning, metrics))
    return Sheet(
        name=words.slug(study, table.name, "more"),
        title=f"{table.title}: the other quantities",
        head=("cell", *heads),
        rows=tuple(rows),
        data=data,
    )


def _rate(time: Estimate | None) -> Cell:
    if time is None or time.value <= 0:
        return blank("no time was recorded")
    rate = 1e9 / time.value
    return number(words.digits(rate), rate)


def findings(study: str, found: tuple[Finding, ...]) -> Sheet:
    """Return the claims of a seed beside the results of this run."""
    return Sheet(
        name=words.slug(study, "findings"),
        title="Published, measured, and why they differ",
        head=("claim", "published", "measured here", "why they differ"),
        rows=tuple(
            (
                name(one.claim),
                *map(Cell, (one.seed_says, one.we_measured, one.why_different)),
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
                        kind="here" if head == "here" else "name",
                    )
                    for head, text in zip(table.head, row, strict=True)
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
                name(metric.name),
                *(
                    number(str(metric.values[who]), metric.values[who])
                    if who in metric.values
                    else blank("not run")
                    for who in found.columns
                ),
            )
            for metric in found.metrics
        ),
        data=data,
        ours=OURS,
    )
    odd = [one for one in found.files if _is_odd(one)]
    files = Sheet(
        name="conformance-files",
        title=f"The {len(odd)} files on which libraries differ or err",
        head=("file", "should accept", *found.columns),
        rows=tuple(
            (
                name(one.file),
                Cell(_WANTED[one.expectation]),
                *(_outcome(one, who) for who in found.columns),
            )
            for one in odd
        ),
        caption="Yes: accepted; no: rejected; wrong: accepted with a wrong value.",
        data=data,
        ours=OURS,
    )
    return metrics, files


def _is_odd(one: Judged) -> bool:
    """Tell whether a library errs on a file, or two differ where they may choose."""
    outcomes = set(one.outcomes.values()) - {"absent"}
    if one.expectation in _GOOD:
        return bool(outcomes - {_GOOD[one.expectation]})
    return len(outcomes) > 1


def _outcome(one: Judged, who: str) -> Cell:
    what = one.outcomes.get(who, "absent")
    if what == "absent":
        return Cell(words.NONE, note="not run")
    wrong = what != _GOOD.get(one.expectation, what)
    return Cell(_SHOWN.get(what, what), kind="odd" if wrong else "text")


def environment(env: dict[str, Any]) -> tuple[Sheet, ...]:
    """Return the environment record, with a separate table of the libraries."""
    rest = {key: value for key, value in env.items() if key != "libraries"}
    rows = tuple((name(key), Cell(value)) for key, value in _flat(rest))
    title = "Machine, system and Python"
    record = Sheet("environment-record", title, ("what", "value"), rows)
    libraries = env.get("libraries")
    if not libraries:
        return (record,)
    keys = dict.fromkeys(key for one in libraries.values() for key in one)
    body = tuple(
        (name(who), *(Cell(_plain(one.get(key))) for key in keys))
        for who, one in libraries.items()
    )
    head = ("library", *keys)
    return record, Sheet("environment-libraries", "Libraries", head, body)


def _flat(found: dict[str, Any], above: str = "") -> list[tuple[str, str]]:
    """Return a nested table as names with dots and plain texts."""
    rows: list[tuple[str, str]] = []
    for key, value in found.items():
        name = f"{above}.{key}" if above else str(key)
        if isinstance(value, dict):
            rows += _flat(value, name)
        elif name.endswith("_bytes") and isinstance(value, int):
            rows.append((name, f"{value} ({words.quantity(value, 'B')})"))
        else:
            rows.append((name, _plain(value)))
    return rows


def _plain(value: Any) -> str:
    """Return a value of the record as text; null is shown as unknown."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(_plain, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(one)}" for key, one in value.items()) or "none"
    return str(value)


def cells_file(name: str, table: Table) -> File:
    """Return every quantity and ratio of a table, one line each."""
    ratios = [f"{kind}_{key}" for kind in INSTRUMENTS for key in _EFFECT]
    rows: list[tuple[object, ...]] = []
    for label, line, who, cell in _cells(table):
        base = (label, line.contest, line.bytes, who, cell.status, cell.reason)
        flags = " ".join(cell.flags)
        found: dict[str, Estimate | None] = {**cell.quantities}
        for metric, one in (found or {table.metric: None}).items():
            held = dict(cell.ratios(metric))
            effects = [_values(held.get(kind), _EFFECT) for kind in INSTRUMENTS]
            sides = itertools.chain(_values(one, _SPAN), *effects)
            rows.append((*base, metric, *sides, flags))
    return File(name, (*_HEAD, *_SPAN, *ratios, "flags"), tuple(rows))


def _values(one: object, names: Sequence[str]) -> tuple[object, ...]:
    """Return attributes of something, blanks of None."""
    return tuple(getattr(one, key, "") for key in names)


def samples_file(name: str, table: Table) -> File:
    """Return every sample of a table, one line each."""
    rows = tuple(
        (line.contest, who, metric, at, value)
        for line in table.rows
        for who, cell in line.cells.items()
        for metric, values in cell.raw.items()
        for at, value in enumerate(values)
    )
    return File(name, ("contest", "contender", "metric", "sample", "value"), rows)


def curve_file(name: str, curve: Curve) -> File:
    """Return the points of a curve, then its crossings or bends."""
    rows: list[tuple[object, ...]] = [
        ("point", who, "", one.x, one.value, one.low, one.high, curve.unit)
        for who, points in curve.series.items()
        for one in points
    ]
    marks = [("crossover", one) for one in curve.crossovers]
    marks += [("change", curve.change_point)] if curve.change_point else []
    rows += [
        (kind, one.contender, one.against, one.x, "", one.low, one.high, curve.x)
        for kind, one in marks
    ]
    head = ("kind", "contender", "against", curve.x, "value", "low", "high", "unit")
    return File(name, head, tuple(rows))


def drift_file(name: str, found: tuple[Drift, ...]) -> File:
    """Return the samples of the drift plot, all of them."""
    head = ("position", "contest", "contender", "relative")
    rows = tuple(
        (dt.datetime.fromtimestamp(one.t, dt.UTC).isoformat(), *_values(one, head))
        for one in found
    )
    return File(name, ("time", *head), rows)


def conformance_file(name: str, found: Conformance) -> File:
    """Return the outcome of each library for each file."""
    rows = tuple(
        (
            *(one.file, one.expectation),
            *(one.outcomes.get(name, "absent") for name in found.columns),
        )
        for one in found.files
    )
    return File(name, ("file", "expectation", *found.columns), rows)


def formats_file(found: tuple[FormatPoint, ...]) -> File:
    """Return the points of the figure of formats."""
    head = ("name", "format", "workload", "bytes", "time", "low", "high", "size")
    return File("formats.csv", head, tuple(_values(one, head) for one in found))
