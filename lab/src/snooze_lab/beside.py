"""The tables of a seed with the figures of a run in the columns beside them.

Separate because both the command `cite` and the report show these tables. Invariants:
published and measured figures have columns of their own and are never mixed; a measured
figure is in the unit of the published one beside it; a contender that the seed did not
have has a row of its own; a cell without a measurement is blank, and a table without
any names the command that measures it. Used by cite.py and sections.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from snooze_lab import plan, published
from snooze_lab.model import AGAIN
from snooze_lab.units import digits

if TYPE_CHECKING:
    from snooze_lab.published import Cell, Measured, Published, Table

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
NONE = "-"
Row = dict[str, Any]


@dataclass(frozen=True)
class Beside:
    """A table of texts: a title, a head, rows, and notes."""

    title: str
    head: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def of(study: str, results: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tables of a study's seed that a run measured, as plain data."""
    if study.split("_", maxsplit=1)[0] not in published.names():
        return []
    found = tables(published.load(study), results)
    return [asdict(one) for one in found if "here" in one.head]


def tables(seed: Published, results: dict[str, Any]) -> list[Beside]:
    """Return each table of a seed, with what the results of a run have beside it."""
    rows = _rows(seed.name, results)
    return [_table(seed, table, rows, results) for table in seed.tables]


def _rows(seed: str, results: dict[str, Any]) -> dict[str, list[Row]]:
    """Return the rows of a seed's study by table, those of default factors."""
    return {
        table["name"]: [
            row | {"baseline": table["baseline"]}
            for row in table["rows"]
            if not row["factors"]
        ]
        for study in results["studies"]
        if study["name"].split("_", maxsplit=1)[0] == seed
        for table in study["tables"]
    }


def _table(
    seed: Published, table: Table, rows: dict[str, list[Row]], results: dict[str, Any]
) -> Beside:
    found = {}
    for at, (name, unit) in enumerate(zip(table.columns, table.units, strict=True)):
        measured = table.measured.get(name)
        column = _column(measured, unit, rows, results) if measured else {}
        if column:
            found[at] = column
    head = []
    for at, (name, unit) in enumerate(zip(table.columns, table.units, strict=True)):
        head.append(f"{name} ({unit})" if unit not in {"", "1"} else name)
        head += ["here"] * (at in found)
    notes = [table.note.strip()] if table.note else []
    notes += _corrections(seed, table)
    if found:
        notes += _conditions(table, rows)
    elif table.measured:
        notes.append(f"Not measured in this run: {_command(seed, table)}")
    else:
        notes.append("No column of it can be measured here.")
    body = [_line(row, _ours(row[0], table), found) for row in table.rows]
    theirs = {_ours(row[0], table) for row in table.rows}
    more = dict.fromkeys(
        name for column in found.values() for name in column if name not in theirs
    )
    blank: tuple[Cell, ...] = (None,) * (len(table.columns) - 1)
    body += [_line((name, *blank), name, found) for name in more]
    word = "cited" if table.status == "cited" else "published"
    return Beside(f"{table.title} ({word}, {seed.year})", head, body, notes)


def _ours(name: Cell, table: Table) -> str:
    """Return our name of the contender of a published row."""
    return table.names.get(str(name), str(name))


def _line(
    row: tuple[Cell, ...], name: str, found: dict[int, dict[str, float]]
) -> list[str]:
    line = []
    for at, cell in enumerate(row):
        line.append(_published(cell))
        if at in found:
            value = found[at].get(name)
            line.append(NONE if value is None else _measured(value))
    return line


def _published(cell: Cell) -> str:
    if cell is None:
        return NONE
    # As it was published: exactly its digits.
    return cell if isinstance(cell, str) else f"{cell:,.10g}"


def _measured(value: float) -> str:
    """Return a measured figure: counts as they are, others with three digits."""
    return f"{value:,}" if isinstance(value, int) else digits(value)


def _column(
    measured: Measured, unit: str, rows: dict[str, list[Row]], results: dict[str, Any]
) -> dict[str, float]:
    """Return what was measured by contender, in the unit of the published column."""
    if measured.quantity == "files":
        metrics = (results.get("conformance") or {}).get("metrics", [])
        held = [one["values"] for one in metrics if one["name"] == measured.metric]
        return dict(held[0]) if held else {}
    columns = []
    for table in measured.tables:
        row = _row(rows.get(table, []), measured.workload)
        if row is None:
            return {}
        columns.append(
            {
                name: value
                for name, cell in row["cells"].items()
                if name != AGAIN
                and cell["status"] == "ok"
                and (value := _value(measured.quantity, cell, row)) is not None
            }
        )
    shared = [name for name in columns[0] if all(name in one for one in columns)]
    divisor = UNITS.get(unit, 1.0)
    return {name: sum(one[name] for one in columns) / divisor for name in shared}


def _row(rows: list[Row], workload: str) -> Row | None:
    """Return the row of a workload, of the largest document if none is named."""
    held = [row for row in rows if not workload or row["workload"] == workload]
    return max(held, key=lambda row: int(row["bytes"]), default=None)


def _value(quantity: str, cell: Row, row: Row) -> float | None:
    """Return a quantity of a cell in ns, B, bytes a second, calls a second or 1."""
    held = cell["quantities"]
    if quantity in {"time", "rate", "throughput"}:
        time = held.get("time") or held.get("round")
        if not time or time["value"] <= 0:
            return None
        if quantity == "time":
            return float(time["value"])
        size = row["bytes"] if quantity == "throughput" else 1.0
        return float(size / time["value"] * 1e9) if size else None
    if quantity == "slower":
        for instrument in ("interleaved", "isolated"):
            effect = cell["effects"].get(instrument, {}).get("time")
            if effect:
                return float(1 / effect["ratio"])
        return 1.0 if cell["contender"] == row["baseline"] else None
    found = held.get(quantity)
    return float(found["value"]) if found else None


def _conditions(table: Table, rows: dict[str, list[Row]]) -> list[str]:
    """Return on what our columns were measured."""
    said = dict.fromkeys(
        f"{row['operation']} of {row['workload']} ({row['bytes']:,} bytes)"
        for one in table.measured.values()
        for name in one.tables
        if (row := _row(rows.get(name, []), one.workload))
    )
    return [f"Here: {', '.join(said)}."] if said else []


def _corrections(seed: Published, table: Table) -> list[str]:
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


def _command(seed: Published, table: Table) -> str:
    """Return the shortest run that measures a table's columns."""
    named = [name for one in table.measured.values() for name in one.tables]
    study = plan.find(seed.name)
    profiles = [
        profile
        for profile in plan.PROFILES
        if any(one.name in named for one in study.of(profile))
    ]
    # Native programs are in no study's file; they run from the standard profile on.
    profile = profiles[0] if profiles else "standard"
    return f"snooze-lab run {study.name} --profile {profile}"
