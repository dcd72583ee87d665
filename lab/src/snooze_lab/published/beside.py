"""What a seed published, with the figures of a run beside it.

Separate because `cite` and the report show these tables. Published and measured
figures have columns of their own, in one unit; another contender has a row of its own;
what was not measured says so, and how to measure it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab import published
from snooze_lab.model import AGAIN, REFERENCE
from snooze_lab.planning import plan
from snooze_lab.stored.results_types import Beside, Conformance, Finding, Line, Study
from snooze_lab.stored.samples import unit_of
from snooze_lab.units import digits, quantity, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snooze_lab.model import Row
    from snooze_lab.published import Answer, Cell, Measured, Published
    from snooze_lab.published import Table as Given
    from snooze_lab.stored.results_types import Results
    from snooze_lab.stored.samples import Derived

#: Our unit of a quantity, and how many of it a published unit has.
UNITS = {
    "s": 1e9,
    "ms": 1e6,
    "us": 1e3,
    "KB": 1024.0,
    "MB": 1024.0**2,
    "MiB": 1024.0**2,
    "GB/s": 1e9,
}
#: What a quantity of a claim is called.
KINDS = {"tree": "result", "size": "output", "increase": "growth after the calls"}
NONE = "-"
#: The rows of a table under the usual conditions, by its name.
Rows = dict[str, list[Line]]


def cite(seed: str, results: Results | None, run: str) -> list[Beside]:
    """Return the tables of a seed with those of a run beside them, and its claims.

    `run` is the name of the run; without results the published figures stand alone.
    Raises published.PublishedError for an unknown seed.
    """
    whole = published.load(seed)
    notes = (
        f"Published {whole.year} by {whole.source}, on {whole.machine}.",
        "Versions: " + ", ".join(whole.versions),
        f"Here: run {run}." if results else "Here: no run yet.",
        (
            "Published and measured figures are of different machines: compare their "
            "order and their ratios, never their times."
        ),
    )
    studies = results.studies if results else ()
    return [
        Beside(whole.title, (), (), notes),
        *tables(whole, studies, results.conformance if results else Conformance()),
        _claims(whole, studies),
    ]


def _claims(whole: Published, studies: Iterable[Study]) -> Beside:
    """Return the claims of the seed, with the findings of the run."""
    measured = {
        one.claim: one.we_measured
        for study in studies
        if _seed(study.name) == whole.name
        for one in study.findings
    }
    rows = tuple(
        (
            *(one.claim, one.seed_says, measured.get(one.claim, "no run yet")),
            " ".join(one.why_different.split()),
        )
        for one in whole.findings
    )
    head = ("claim", "published", "measured here", "why they differ")
    return Beside("What the seed claims", head, rows)


def _seed(study: str) -> str:
    return study.split("_", maxsplit=1)[0]


def of(study: Study, conformance: Conformance) -> tuple[Beside, ...]:
    """Return the tables of a study's seed that a run measured."""
    if _seed(study.name) not in published.names():
        return ()
    found = tables(published.load(study.name), [study], conformance)
    return tuple(one for one in found if "here" in one.head)


def tables(
    seed: Published, studies: Iterable[Study], conformance: Conformance
) -> list[Beside]:
    """Return each table of a seed, with what the studies of a run have beside it."""
    rows: Rows = {
        table.name: [line for line in table.rows if not line.factors]
        for study in studies
        if _seed(study.name) == seed.name
        for table in study.tables
    }
    return [_table(seed, table, rows, conformance) for table in seed.tables]


def _table(
    seed: Published, table: Given, rows: Rows, conformance: Conformance
) -> Beside:
    head: list[str] = []
    found = {}
    for at, (name, unit) in enumerate(zip(table.columns, table.units, strict=True)):
        head.append(f"{name} ({unit})" if unit not in {"", "1"} else name)
        measured = table.measured.get(name)
        column = _column(measured, unit, rows, conformance) if measured else {}
        if column:
            found[at] = column
            head.append("here")
    notes = [table.note.strip()] if table.note else []
    notes += _corrections(seed, table)
    if found:
        notes += _conditions(table, rows)
    elif table.measured:
        named = [name for one in table.measured.values() for name in one.tables]
        notes.append(f"Not measured in this run: {_command(seed.name, named)}")
    else:
        notes.append("No column of it can be measured here.")
    # By our names: the rows of the seed, then those of contenders that it has not.
    body = {seed.names.get(str(row[0]), str(row[0])): row for row in table.rows}
    blank = ("",) * (len(table.columns) - 1)
    for name in dict.fromkeys(name for column in found.values() for name in column):
        body.setdefault(name, (name, *blank))
    title = f"{table.title} ({table.status}, {seed.year})"
    shown = tuple(_shown(row, name, found) for name, row in body.items())
    return Beside(title, tuple(head), shown, tuple(notes))


def _shown(
    row: tuple[Cell, ...], name: str, found: dict[int, dict[str, float]]
) -> tuple[str, ...]:
    """Return a published row, and in columns beside it what contender `name` has."""
    line = []
    for at, cell in enumerate(row):
        line.append(_published(cell))
        if at in found:
            value = found[at].get(name)
            line.append(NONE if value is None else _measured(value))
    return tuple(line)


def _published(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell or NONE
    # As it was published: exactly its digits.
    return f"{cell:,.10g}"


def _measured(value: float) -> str:
    """Return a measured figure: counts as they are, others with three digits."""
    return f"{value:,}" if isinstance(value, int) else digits(value)


def _column(
    measured: Measured, unit: str, rows: Rows, conformance: Conformance
) -> dict[str, float]:
    """Return what was measured by contender, in the unit of the published column."""
    if measured.quantity == "files":
        counts = {one.name: one.values for one in conformance.metrics}
        return dict(counts.get(measured.metric, {}))
    columns = []
    for name in measured.tables:
        line = _line(rows.get(name, []), measured.workload)
        if line is None:
            return {}
        columns.append(
            {
                who: value
                for who, cell in line.cells.items()
                if who != AGAIN and cell.status == "ok"
                if (value := _value(measured.quantity, cell, line)) is not None
            }
        )
    shared = [name for name in columns[0] if all(name in one for one in columns)]
    divisor = UNITS.get(unit, 1.0)
    return {name: sum(one[name] for one in columns) / divisor for name in shared}


def _line(rows: list[Line], workload: str) -> Line | None:
    """Return the row of a workload, of the largest document if none is named."""
    held = [line for line in rows if workload in {"", line.workload}]
    return max(held, key=lambda line: line.bytes, default=None)


def _value(quantity: str, cell: Row, line: Line) -> float | None:
    """Return a quantity of a cell in ns, B, bytes a second, calls a second or 1."""
    if quantity in {"time", "rate", "throughput"}:
        time = cell.time
        if not time or time.value <= 0:
            return None
        if quantity == "time":
            return time.value
        size = line.bytes if quantity == "throughput" else 1.0
        return size / time.value * 1e9 if size else None
    if quantity == "slower":
        return _slower(cell, line)
    found = cell.quantities.get(quantity)
    return found.value if found else None


def _slower(cell: Row, line: Line) -> float | None:
    """Return how many times the reference's time a cell takes.

    Also where a report has another baseline: the seed's columns keep their own.
    """
    if cell.contender == REFERENCE:
        return 1.0
    reference = line.cells.get(REFERENCE)
    for instrument, effect in cell.ratios("time"):
        if effect.baseline == REFERENCE:
            return 1 / effect.ratio
        theirs = reference and reference.effects.get(instrument, {}).get("time")
        if theirs and theirs.baseline == effect.baseline:
            return theirs.ratio / effect.ratio
    # Last, the other baseline itself.
    found = reference and reference.ratio("time", cell.contender)
    return found.ratio if found else None


def _conditions(table: Given, rows: Rows) -> list[str]:
    """Return on what our columns were measured."""
    said = dict.fromkeys(
        f"{line.operation} of {line.workload} ({line.bytes:,} bytes)"
        for one in table.measured.values()
        for name in one.tables
        if (line := _line(rows.get(name, []), one.workload))
    )
    return [f"Here: {', '.join(said)}."] if said else []


def _corrections(seed: Published, table: Given) -> list[str]:
    notes = []
    for one in seed.corrections:
        if one.table == table.name:
            instead = "is not reliable"
            if one.corrected is not None:
                instead = f"should be {_published(one.corrected)}"
            notes.append(
                f"{one.row}, {one.column}: {_published(one.published)} {instead}: "
                f"{' '.join(one.why.split())}"
            )
    return notes


def _command(study: str, tables: Iterable[str]) -> str:
    """Return the shortest run of a study that has one of these tables."""
    found, wanted = plan.find(study), set(tables)
    profiles = (
        profile
        for profile in plan.PROFILES
        if any(one.name in wanted for one in found.of(profile))
    )
    # Native programs are in no study's file; they run from the standard profile on.
    return f"snooze-lab run {found.name} --profile {next(profiles, 'standard')}"


def findings(study: str, found: Derived, judged: Conformance) -> tuple[Finding, ...]:
    """Return the claims of a study's seed, with what this run measured."""
    if _seed(study) not in published.names():
        return ()
    return tuple(
        Finding(
            one.claim,
            one.seed_says,
            _answers(study, one.answered_by, found, judged),
            one.why_different,
        )
        for one in published.load(study).findings
    )


def _answers(
    study: str, answers: tuple[Answer, ...], found: Derived, judged: Conformance
) -> str:
    if not answers:
        return "Cannot be measured here."
    said, missing = [], set()
    for answer in answers:
        if answer.operation == "conformance":
            text = _conformance(answer, judged)
        else:
            text = _answered(study, answer, found)
        if text:
            said.append(text)
        else:
            missing.add(answer.table)
    if not said:
        names = " or ".join(sorted(missing))
        return f"Not in this run: {_command(study, missing)} ({names})."
    return "; ".join(dict.fromkeys(said)) + "."


def _answered(study: str, answer: Answer, found: Derived) -> str:
    """Return one cell in words, or an empty string if the run does not have it."""
    wanted = (study, answer.table, answer.workload, answer.operation)
    for contest in found.contests.values():
        place = (contest.study, contest.table, contest.workload, contest.operation)
        rows = found.rows[contest.id]
        if place != wanted or not {answer.contender, answer.baseline} <= rows.keys():
            continue
        row = rows[answer.contender]
        conditions = f" ({contest.factors})" if contest.factors.differing() else ""
        if row.status != "ok":
            return f"{answer.contender}: {row.status}, {row.reason}{conditions}"
        text = _compared(answer, row, rows[answer.baseline])
        if text:
            where = f"{answer.operation} {answer.workload}"
            return f"{where}: {answer.contender} {text}{conditions}"
    return ""


def _conformance(answer: Answer, judged: Conformance) -> str:
    """Return what a contender accepts and rejects wrongly, by both metrics."""
    name = answer.contender
    if name not in judged.columns:
        return ""
    counts = [
        f"{one.name} {one.values[name]}"
        for one in judged.metrics
        if one.name.startswith(("invalid", "valid"))
    ]
    return f"{name}: {', '.join(counts)}"


def _compared(answer: Answer, row: Row, base: Row) -> str:
    metric, baseline = answer.quantity, answer.baseline
    timed = metric == "time"
    effect = row.ratio(metric, baseline) if timed else None
    if effect:
        shown = f"{digits(effect.ratio)} times as fast as {baseline} (one sample)"
        if effect.n > 1:
            shown = ratio(effect.ratio, effect.low, effect.high)
            shown += f" times as fast as {baseline} ({effect.verdict})"
        return shown
    own, theirs = (
        one.time if timed else one.quantities.get(metric) for one in (row, base)
    )
    if own is None or theirs is None or theirs.value <= 0:
        return ""
    if timed:
        return f"{digits(theirs.value / own.value)} times as fast as {baseline}"
    shown, other = (quantity(one.value, unit_of(metric)) for one in (own, theirs))
    times = f"{digits(own.value / theirs.value)} times {baseline}'s {other}"
    return f"{KINDS.get(metric, metric)} {shown}, {times}"
