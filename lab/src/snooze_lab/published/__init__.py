"""The published results of the seeds: tables, numbers, corrections, claims.

Separate because these are quotations: they are typed in once, with units and source,
and never computed or edited by a run. Each study has one TOML file here. An error found
in a number is a correction beside it; the number itself stays as published. A finding
is a claim of a seed, possible reasons for a difference here, and the cells of our
studies that answer it. Invariant: a file is read strictly: unknown keys, rows of the
wrong length, numbers without a unit and corrections of missing numbers are errors.
Used by the command `cite` and by the findings of the report.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

__all__ = [
    "Answer",
    "Correction",
    "Finding",
    "Published",
    "PublishedError",
    "Table",
    "load",
    "names",
    "parse",
]

#: `published`: can be measured here too; `cited`: shown, and cannot be measured here.
STATUSES = ("published", "cited")
#: The possible subjects of an answer: the metrics of model.Row, and conformance.
QUANTITIES = ("time", "size", "peak", "tree", "increase", "energy")

Cell = str | float | None


class PublishedError(ValueError):
    """An unknown seed, or an invalid file; the message says where and what."""


@dataclass(frozen=True)
class Table:
    """A table as it was published.

    Columns with a unit hold numbers (`1` is a plain number or ratio), those without
    hold words; None is a blank cell. `ours` names tables of studies, `study/table`.
    """

    name: str
    title: str
    status: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ours: tuple[str, ...] = ()
    note: str = ""

    def cell(self, row: str, column: str) -> Cell:
        """Return a cell by its row's first word and its column; KeyError if absent."""
        place = {name: number for number, name in enumerate(self.columns)}[column]
        return {one[0]: one for one in self.rows}[row][place]


@dataclass(frozen=True)
class Correction:
    """What is wrong with one published number; `corrected` is None if it is void."""

    table: str
    row: str
    column: str
    published: float
    corrected: float | None
    why: str


@dataclass(frozen=True)
class Answer:
    """A cell of ours: how `contender` compares with `baseline` in one quantity."""

    table: str
    workload: str
    operation: str
    contender: str
    baseline: str
    quantity: str = "time"


@dataclass(frozen=True)
class Finding:
    """A claim of a seed, and our answers; none if it cannot be measured."""

    claim: str
    seed_says: str
    why_different: str
    answered_by: tuple[Answer, ...]


@dataclass(frozen=True)
class Published:
    """All published results of one seed."""

    name: str
    title: str
    source: str
    year: int
    machine: str
    versions: tuple[str, ...]
    tables: tuple[Table, ...]
    corrections: tuple[Correction, ...]
    findings: tuple[Finding, ...]

    def table(self, name: str) -> Table:
        """Return a table by name; PublishedError if there is none."""
        for one in self.tables:
            if one.name == name:
                return one
        there = ", ".join(one.name for one in self.tables)
        raise PublishedError(f"{self.name}: no table '{name}'; there are: {there}")


def names() -> list[str]:
    """Return the names of all seeds, in order: s000 to s004."""
    folder = resources.files(__name__)
    return sorted(
        one.name.removesuffix(".toml")
        for one in folder.iterdir()
        if one.name.endswith(".toml")
    )


def load(name: str) -> Published:
    """Return the results of a seed, by its name or its study's (`s000_energy`).

    PublishedError if there is no such seed.
    """
    short = name.split("_", maxsplit=1)[0]
    if short not in names():
        raise PublishedError(f"no seed '{name}'; there are: {', '.join(names())}")
    text = (resources.files(__name__) / f"{short}.toml").read_text("utf-8")
    return parse(text, f"published/{short}.toml")


def parse(text: str, source: str) -> Published:
    """Parse the TOML text of a seed; PublishedError if it is invalid."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PublishedError(f"{source}: {error}") from error
    head = _fields(
        found,
        source,
        {
            "name": str,
            "title": str,
            "source": str,
            "year": int,
            "machine": str,
            "versions": list,
            "table": list,
            "correction": list,
            "finding": list,
        },
        optional=("correction",),
    )
    tables = tuple(
        _table(one, f"{source}, table {number}")
        for number, one in enumerate(head.pop("table"), 1)
    )
    twice = {one.name for one in tables}
    if len(twice) != len(tables):
        raise PublishedError(f"{source}: two tables have the same name")
    corrections = tuple(
        _correction(one, f"{source}, correction {number}", tables)
        for number, one in enumerate(head.pop("correction", []), 1)
    )
    findings = tuple(
        _finding(one, f"{source}, finding {number}")
        for number, one in enumerate(head.pop("finding"), 1)
    )
    versions = tuple(head.pop("versions"))
    return Published(
        **head,
        versions=versions,
        tables=tables,
        corrections=corrections,
        findings=findings,
    )


def _fields(
    found: Any, place: str, kinds: dict[str, Any], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return a TOML table with exactly these keys, of these kinds."""
    if not isinstance(found, dict):
        raise PublishedError(f"{place}: expected a table, found {found!r}")
    unknown = sorted(found.keys() - kinds.keys())
    missing = sorted(kinds.keys() - found.keys() - set(optional))
    if unknown or missing:
        raise PublishedError(
            f"{place}: unknown key {', '.join(unknown) or 'none'}, missing key "
            f"{', '.join(missing) or 'none'}; there are: {', '.join(kinds)}"
        )
    for key, value in found.items():
        if not isinstance(value, kinds[key]) or isinstance(value, bool):
            raise PublishedError(f"{place}: {key} has the wrong kind: {value!r}")
    return dict(found)


def _table(found: Any, place: str) -> Table:
    given = _fields(
        found,
        place,
        {
            "name": str,
            "title": str,
            "status": str,
            "columns": list,
            "units": list,
            "rows": list,
            "ours": list,
            "note": str,
        },
        optional=("ours", "note"),
    )
    if given["status"] not in STATUSES:
        raise PublishedError(
            f"{place}: status is one of {', '.join(STATUSES)}, not {given['status']!r}"
        )
    columns, units = tuple(given["columns"]), tuple(given["units"])
    if len(columns) != len(units) or len(set(columns)) != len(columns) or units[0]:
        raise PublishedError(
            f"{place}: expected a unit for each column, and none for the first, which "
            f"names the row; found {columns} and {units}"
        )
    rows = tuple(_row(row, units, place) for row in given["rows"])
    if len({row[0] for row in rows}) != len(rows):
        raise PublishedError(f"{place}: two rows have the same name")
    more = {"columns": columns, "units": units, "rows": rows}
    return Table(**(given | more | {"ours": tuple(given.get("ours", ()))}))


def _row(row: Any, units: tuple[str, ...], place: str) -> tuple[Cell, ...]:
    if not isinstance(row, list) or len(row) != len(units):
        raise PublishedError(f"{place}: expected {len(units)} cells, found {row!r}")
    return tuple(
        _cell(cell, unit, place) for cell, unit in zip(row, units, strict=True)
    )


def _cell(cell: Any, unit: str, place: str) -> Cell:
    if not unit:
        if not isinstance(cell, str):
            raise PublishedError(f"{place}: {cell!r} is in a column without a unit")
        return cell or None
    if cell == "":
        return None
    if type(cell) not in {int, float} or not math.isfinite(cell):
        raise PublishedError(f"{place}: expected a number of {unit}, found {cell!r}")
    return float(cell)


def _correction(found: Any, place: str, tables: tuple[Table, ...]) -> Correction:
    given = _fields(
        found,
        place,
        {
            "table": str,
            "row": str,
            "column": str,
            "published": (int, float),
            "corrected": (int, float),
            "why": str,
        },
        optional=("corrected",),
    )
    table = {one.name: one for one in tables}.get(given["table"])
    try:
        cell = table.cell(given["row"], given["column"]) if table else None
    except KeyError:
        cell = None
    if cell != given["published"]:
        raise PublishedError(
            f"{place}: it corrects {given['published']}, and {given['table']} / "
            f"{given['row']} / {given['column']} is {cell}"
        )
    return Correction(**({"corrected": None} | given))


def _finding(found: Any, place: str) -> Finding:
    given = _fields(
        found,
        place,
        {"claim": str, "seed_says": str, "why_different": str, "answered_by": list},
    )
    answers = []
    for one in given.pop("answered_by"):
        kinds = dict.fromkeys(Answer.__dataclass_fields__, str)
        fields = _fields(one, place, kinds, optional=("quantity",))
        answer = Answer(**fields)
        if answer.quantity not in QUANTITIES:
            raise PublishedError(
                f"{place}: quantity is one of {', '.join(QUANTITIES)}, not "
                f"{answer.quantity!r}"
            )
        answers.append(answer)
    return Finding(**given, answered_by=tuple(answers))
