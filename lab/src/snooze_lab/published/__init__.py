"""The published results of the seeds: tables, numbers, corrections, claims.

Separate because these are quotations: typed in once, with units and source, never
computed or edited by a run; an error in a number is a correction beside it. Types say
what a file may hold, and unknown keys are errors; that rows are whole, numbers have a
unit and corrections find theirs is tested on the five files (test_published.py).
`beside` shows them with a run's figures. Imports planning (what a study asks) and
stored. Called by results and `cite`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import Annotated, Literal

import snooze
from snooze_lab import UserError

#: A word or a number; "" is a blank.
Cell = str | float


class PublishedError(UserError, ValueError):
    """An unknown seed, or an invalid file; the message says where and what."""


#: What a column can be compared with. `slower`: own time over the baseline's; `rate`:
#: calls a second; `throughput`: bytes of the document a second; `files`: a count of
#: the conformance suite; the others are metrics of model.Row.
Quantity = Literal[
    "time",
    "rate",
    "throughput",
    "slower",
    "files",
    "size",
    "peak",
    "tree",
    "base",
    "increase",
]


@dataclass(frozen=True)
class Measured:
    """Where our figures for a column are: a quantity of tables, which are summed.

    Without a workload the largest of the table counts. `metric` names the count of
    `files`.
    """

    quantity: Quantity
    tables: tuple[str, ...] = ()
    workload: str = ""
    metric: str = ""


@dataclass(frozen=True)
class Table:
    """A table as it was published.

    Columns with a unit hold numbers (`1` is a plain number or ratio), those without
    hold words, the first of them the name of the row; `""` is a blank cell. `status`
    is `cited` where the table cannot be measured here. `measured` says by column what
    to show beside it.
    """

    name: str
    title: str
    status: Literal["published", "cited"]
    columns: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    measured: dict[str, Measured] = field(default_factory=dict)


@dataclass(frozen=True)
class Correction:
    """What is wrong with one published number; `corrected` is None if it is void."""

    table: str
    row: str
    column: str
    published: float
    why: str
    corrected: float | None = None


@dataclass(frozen=True)
class Answer:
    """A cell of ours: how `contender` compares with `baseline` in one quantity.

    A quantity is a metric of model.Row.
    """

    table: str
    workload: str
    operation: str
    contender: str
    baseline: str
    quantity: Literal["time", "size", "peak", "tree", "increase", "energy"] = "time"


@dataclass(frozen=True)
class Finding:
    """A claim of a seed, and our answers; none if it cannot be measured."""

    claim: str
    seed_says: str
    why_different: str
    answered_by: tuple[Answer, ...]


@dataclass(frozen=True)
class Published:
    """All published results of one seed; `names` gives our names of rows."""

    name: str
    title: str
    source: str
    year: int
    machine: str
    versions: tuple[str, ...]
    tables: Annotated[tuple[Table, ...], snooze.Field(name="table")]
    findings: Annotated[tuple[Finding, ...], snooze.Field(name="finding")]
    corrections: Annotated[tuple[Correction, ...], snooze.Field(name="correction")] = ()
    names: dict[str, str] = field(default_factory=dict)


_FILE = snooze.Converter(Published, unknown="forbid")


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
        raise PublishedError(
            f"no published study '{name}'; there are: {', '.join(names())}"
        )
    text = (resources.files(__name__) / f"{short}.toml").read_text("utf-8")
    return parse(text, f"published/{short}.toml")


def parse(text: str, source: str) -> Published:
    """Parse the TOML text of a seed; PublishedError if it is invalid."""
    try:
        return _FILE.convert(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, snooze.ValidationError) as error:
        raise PublishedError(f"{source}: {error}") from error
