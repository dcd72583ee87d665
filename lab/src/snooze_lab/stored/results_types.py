"""The types of results.json, and how it is read.

Separate because whoever shows results must be able to rely on their form: a malformed
file is reported here, with the place. Made by results/, for runs and for imports; used
by the report, `cite` and the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import unquote

import snooze
from snooze import Ge, Le
from snooze_lab import UserError
from snooze_lab.model import Crossover, Noise, Row  # noqa: TC001 - read by the Converter
from snooze_lab.stored.energy_types import Energy  # noqa: TC001 - read by the Converter
from snooze_lab.units import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 1
Finite = Annotated[float, Ge(-1.7e308), Le(1.7e308)]
Positive = Annotated[float, Ge(1e-300), Le(1.7e308)]
Outcome = Literal["accepted", "rejected", "wrong value", "crashed", "absent"]


class ReportError(UserError, ValueError):
    """The results cannot be turned into a report; the message says where."""


@dataclass(frozen=True)
class Run:
    """When and how the run was made; times are seconds since 1970, UTC.

    `limit_s` and `took_s` are the seconds for all samples: planned (0: no limit), and
    used.
    """

    name: str
    profile: str
    started: Finite
    finished: Finite
    seed: int
    command: str
    samples: int = 0
    limit_s: Finite = 0.0
    took_s: Finite = 0.0


@dataclass(frozen=True)
class Finding:
    """A claim of a seed, the result of this run, and why they differ."""

    claim: str
    seed_says: str
    we_measured: str
    why_different: str


@dataclass(frozen=True)
class Line:
    """One row of a table: a contest, and a cell per contender.

    `bytes` is the size of the document in the format of the first contender.
    """

    workload: str
    contest: str
    bytes: int
    cells: dict[str, Row]
    operation: str = ""
    factors: dict[str, str] = field(default_factory=dict)

    @property
    def document(self) -> str:
        """The name of the workload: of a user's own document the name of its file."""
        kind, _, path = self.workload.partition("?path=")
        is_file = bool(path) and kind in {"file", "typed"}
        return PurePath(unquote(path)).name if is_file else self.workload


@dataclass(frozen=True)
class Table:
    """One table of a study; `metric` is the quantity that its cells show."""

    name: str
    title: str
    operation: str
    unit: str
    metric: str
    baseline: str
    columns: tuple[str, ...]
    rows: tuple[Line, ...]
    with_outliers: str = ""
    note: str = ""
    #: How it is shown; `conformance` has a separate section.
    kind: str = "table"
    metrics: tuple[str, ...] = ()

    @property
    def cells(self) -> list[Row]:
        """All cells, row by row."""
        return [cell for line in self.rows for cell in line.cells.values()]

    def label(self, line: Line) -> str:
        """Return the name of a row: its workload, and what else distinguishes it."""
        alike = {one.workload for one in self.rows if one.document == line.document}
        parts = [line.document if len(alike) == 1 else line.workload]
        parts += [f"{name} {level}" for name, level in line.factors.items()]
        if len({one.operation for one in self.rows}) > 1:
            parts.append(line.operation)
        return ", ".join(parts)


@dataclass(frozen=True)
class Point:
    """A value with its interval at a place `x` of a curve."""

    x: Finite
    value: Finite
    low: Finite
    high: Finite


@dataclass(frozen=True)
class Curve:
    """Values over a size, in `unit`, a series per contender."""

    title: str
    x: str
    unit: str
    baseline: str
    series: dict[str, tuple[Point, ...]]
    crossovers: tuple[Crossover, ...] = ()
    change_point: Crossover | None = None
    table: str = ""
    operation: str = ""

    @property
    def marks(self) -> list[Crossover]:
        """Return the crossings and the bend that have a place."""
        found = [*self.crossovers, *([self.change_point] if self.change_point else [])]
        return [one for one in found if one.x is not None]


@dataclass(frozen=True)
class Beside:
    """A published table with measured columns, headed `here`, beside the others."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """One study: its question, its findings, and the data of its tables and figures."""

    name: str
    title: str
    question: str
    tables: tuple[Table, ...]
    findings: tuple[Finding, ...] = ()
    published: tuple[Beside, ...] = ()
    curves: tuple[Curve, ...] = ()
    seed: str = ""


@dataclass(frozen=True)
class Metric:
    """A count of files for each contender."""

    name: str
    values: dict[str, int]


@dataclass(frozen=True)
class Judged:
    """What each contender does with one file of the test suite."""

    file: str
    expectation: Literal["y", "n", "i"]
    outcomes: dict[str, Outcome]


@dataclass(frozen=True)
class Conformance:
    """The outcome of each contender for each file of the test suite."""

    columns: tuple[str, ...] = ()
    metrics: tuple[Metric, ...] = ()
    files: tuple[Judged, ...] = ()


@dataclass(frozen=True)
class Drift:
    """A sample relative to its cell's median, at its time and place in the order."""

    t: Finite
    position: int
    contest: str
    contender: str
    relative: Positive
    block: int = 0


@dataclass(frozen=True)
class Flag:
    """A reason to trust the run less."""

    sentence: str
    name: str = ""


@dataclass(frozen=True)
class Mean:
    """A geometric mean of ratios, its interval, and the range of the ratios."""

    value: Positive
    low: Positive
    high: Positive
    least: Positive
    most: Positive

    def __str__(self) -> str:
        """Return `1.52 [1.50, 1.55]`."""
        return ratio(self.value, self.low, self.high)


@dataclass(frozen=True)
class Ranked:
    """A library's speed relative to the reference."""

    name: str
    reading: Mean | None
    writing: Mean | None

    @property
    def speed(self) -> float:
        """Return the mean of both, or the one that there is."""
        held = [one.value for one in (self.reading, self.writing) if one]
        return math.sqrt(held[0] * held[-1])


@dataclass(frozen=True)
class Ranking:
    """Libraries by speed, the fastest first; `documents` by side.

    `left_out` are libraries without a result on every document.
    """

    reference: str
    left_out: tuple[str, ...]
    documents: dict[str, tuple[str, ...]]
    rows: tuple[Ranked, ...]


@dataclass(frozen=True)
class FormatPoint:
    """A contender on one document: time and size relative to the fastest JSON library.

    `bytes` is the document as JSON. `low` and `high` are the interval of `time`.
    """

    name: str
    format: str
    workload: str
    bytes: int
    time: Positive
    low: Positive
    high: Positive
    size: Positive


@dataclass(frozen=True)
class Sentence:
    """One sentence of the answer and what it is about."""

    topic: str
    text: str


@dataclass(frozen=True)
class Advice:
    """What to use in a situation, and why."""

    situation: str
    choice: str
    reason: str


@dataclass(frozen=True)
class Answer:
    """The first screen of a report."""

    sentences: tuple[Sentence, ...] = ()
    ranking: Ranking | None = None
    formats: tuple[FormatPoint, ...] = ()
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True)
class Results:
    """All of results.json."""

    format: int
    run: Run
    noise: Noise
    answer: Answer
    studies: tuple[Study, ...] = ()
    energy: tuple[Energy, ...] = ()
    #: As race/practical.py made it.
    practical: dict[str, Any] = field(default_factory=dict)
    conformance: Conformance = field(default_factory=Conformance)
    drift: tuple[Drift, ...] = ()
    flags: tuple[Flag, ...] = ()
    #: Of the isolated instrument; `noise` is of the interleaved one, if it was used.
    noise_isolated: Noise | None = None
    #: The contender that a user chose as the baseline of every contest.
    relative_to: str = ""

    def lines(self, *operations: str) -> Iterator[Line]:
        """Yield the rows of all tables that measure one of these operations, or any."""
        for study in self.studies:
            for table in study.tables:
                for line in table.rows:
                    if not operations or line.operation in operations:
                        yield line


_READ = snooze.Converter(Results)


def read(found: Any) -> Results:
    """Return results as data types; ReportError if the form is wrong."""
    version = found.get("format") if isinstance(found, dict) else found
    if version != FORMAT:
        raise _error(f"expected format {FORMAT}, found {version!r}")
    try:
        return _READ.convert(found)
    except snooze.ValidationError as error:
        raise _error(str(error)) from error


def _error(said: str) -> ReportError:
    remedy = "derive them again from the samples: snooze-lab report RUN"
    if "at $.energy" in said:
        remedy = "import the series again: snooze-lab import energibridge FOLDER"
    return ReportError(f"results: {said}; {remedy}")
