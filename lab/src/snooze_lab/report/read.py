"""Read results.json strictly, into the data types that the report is written from.

Separate because malformed results must be reported here, with their place, and not
surface later as a broken figure. Invariants: every number is finite, the ends of every
interval are in order, every cell's contender is a column of its table, every status,
verdict and quality word is known. Used by every other file of the report and by the
terminal's summary; nothing that measures imports it.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from snooze_lab.model import Effect, Estimate, Row
from snooze_lab.report.words import STATUSES, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT = 1
NOISES = ("quiet", "usable", "too noisy", "unknown")
OUTCOMES = ("accepted", "rejected", "wrong value", "crashed", "absent")

T = TypeVar("T")


class ReportError(ValueError):
    """The results cannot be turned into a report; the message says where."""


@dataclass(frozen=True)
class Run:
    """When and how the run was made; times are seconds since 1970, UTC."""

    name: str
    profile: str
    started: float
    finished: float
    seed: int
    command: str


@dataclass(frozen=True)
class Noise:
    """The A/A noise of the reference (fractions of one), and the verdict."""

    verdict: str
    median: float
    worst: float
    floor: float
    sentence: str

    @property
    def said(self) -> str:
        """Return the sentence without the verdict that it may begin with."""
        start = f"{self.verdict}: "
        if not self.sentence.lower().startswith(start):
            return self.sentence
        rest = self.sentence[len(start) :]
        return rest[:1].upper() + rest[1:] if rest[:6] != "orjson" else rest


@dataclass(frozen=True)
class Finding:
    """A claim of a seed, the result of this run, and why they differ."""

    claim: str
    seed: str
    measured: str
    why: str


@dataclass(frozen=True)
class Line:
    """One row of a table: a contest, and a cell per contender.

    `workload` is its name in the table: the workload, then its other distinctions.
    """

    workload: str
    contest: str
    size: int
    cells: dict[str, Row]


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
    lines: tuple[Line, ...]
    outliers: str
    note: str = ""
    #: How it is shown; `conformance` has a separate section.
    kind: str = "table"


@dataclass(frozen=True)
class Point:
    """A value with its interval at a place `x` of a curve."""

    x: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Crossover:
    """Where one curve crosses another, as an interval of x."""

    contender: str
    against: str
    x: float
    low: float
    high: float
    sentence: str


@dataclass(frozen=True)
class Curve:
    """A quantity against size, one series per contender."""

    title: str
    x: str
    unit: str
    baseline: str
    series: dict[str, tuple[Point, ...]]
    crossovers: tuple[Crossover, ...]
    change: Crossover | None
    #: Statements on contenders whose curves do not cross within the sizes.
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Box:
    """Raw values of several contenders, for a box plot."""

    title: str
    operation: str
    unit: str
    groups: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Study:
    """One study: its question, its findings, and the data of its tables and figures."""

    name: str
    title: str
    seed: str
    question: str
    tables: tuple[Table, ...]
    findings: tuple[Finding, ...]
    curves: tuple[Curve, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Conformance:
    """The outcome of each contender for each file of the test suite."""

    columns: tuple[str, ...]
    metrics: tuple[tuple[str, dict[str, int]], ...]
    files: tuple[tuple[str, str, dict[str, str]], ...]


@dataclass(frozen=True)
class Drift:
    """A sample relative to its cell's median, at its time and place in the order."""

    t: float
    position: int
    contest: str
    contender: str
    relative: float


@dataclass(frozen=True)
class Results:
    """All of results.json; `energy` is parsed further where it is drawn."""

    run: Run
    noise: Noise
    answer: tuple[str, ...]
    studies: tuple[Study, ...]
    energy: Any = None
    conformance: Conformance | None = None
    drift: tuple[Drift, ...] = field(default=())
    #: Flags of the whole run, one sentence each.
    flags: tuple[str, ...] = ()


def fail(where: str, expected: str, found: object) -> ReportError:
    """Return the error for a value of the wrong form."""
    shown = repr(found)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    return ReportError(
        f"results, {where}: expected {expected}, found {shown}; "
        "derive the results again from the samples: snooze-lab report RUN"
    )


def get(found: Any, key: str, where: str) -> Any:
    """Return a member of a table, or report that it is missing."""
    table = mapping(found, where)
    if key not in table:
        raise fail(where, f"a member {key!r}", sorted(table))
    return table[key]


def mapping(found: Any, where: str) -> dict[str, Any]:
    """Return a table with string keys."""
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise fail(where, "a table", found)
    return found


def array(found: Any, where: str, item: Callable[[Any, str], T]) -> tuple[T, ...]:
    """Return a list, each member read by `item`."""
    if not isinstance(found, list | tuple):
        raise fail(where, "a list", found)
    return tuple(item(one, f"{where}[{at}]") for at, one in enumerate(found))


def text(found: Any, where: str) -> str:
    """Return a string."""
    if not isinstance(found, str):
        raise fail(where, "a text", found)
    return found


def number(found: Any, where: str) -> float:
    """Return a finite number."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise fail(where, "a number", found)
    if not math.isfinite(found):
        raise fail(where, "a finite number", found)
    return float(found)


def whole(found: Any, where: str) -> int:
    """Return a whole number."""
    if isinstance(found, bool) or not isinstance(found, int):
        raise fail(where, "a whole number", found)
    return found


def word(known: tuple[str, ...]) -> Callable[[Any, str], str]:
    """Return a reader that accepts one of the `known` words."""

    def read(found: Any, where: str) -> str:
        if found not in known:
            raise fail(where, f"one of {', '.join(known)}", found)
        return str(found)

    return read


def ordered(low: float, high: float, where: str) -> None:
    """Refuse an interval whose ends are reversed."""
    if low > high:
        raise fail(where, "an interval whose low end is not above its high end", low)


def estimate(found: Any, where: str) -> Estimate:
    """Return a quantity with its interval."""
    value, low, high = (number(get(found, k, where), where) for k in _ENDS)
    ordered(low, high, where)
    n = whole(get(found, "n", where), f"{where}.n")
    return Estimate(value, low, high, n, text(get(found, "unit", where), where))


def effect(found: Any, where: str) -> Effect:
    """Return a ratio with its interval and verdict."""
    ratio, low, high = (number(get(found, k, where), where) for k in _RATIO)
    ordered(low, high, where)
    if low <= 0 or ratio <= 0:
        raise fail(where, "a ratio above 0", min(low, ratio))
    return Effect(
        baseline=text(get(found, "baseline", where), where),
        ratio=ratio,
        low=low,
        high=high,
        n=whole(get(found, "n", where), f"{where}.n"),
        p=number(get(found, "p", where), f"{where}.p"),
        verdict=word(tuple(VERDICTS))(get(found, "verdict", where), where),
    )


_ENDS = ("value", "low", "high")
_RATIO = ("ratio", "low", "high")


def row(found: Any, where: str) -> Row:
    """Return a cell."""
    status = word(("ok", *STATUSES))(get(found, "status", where), f"{where}.status")
    reason = text(get(found, "reason", where), f"{where}.reason")
    if status != "ok" and not reason:
        raise fail(f"{where}.reason", f"why the cell is {status!r}", reason)
    return Row(
        contest=text(get(found, "contest", where), f"{where}.contest"),
        contender=text(get(found, "contender", where), f"{where}.contender"),
        status=status,
        reason=reason,
        quantities={
            key: estimate(value, f"{where}.quantities.{key}")
            for key, value in mapping(get(found, "quantities", where), where).items()
        },
        raw={
            key: list(array(value, f"{where}.raw.{key}", number))
            for key, value in mapping(get(found, "raw", where), where).items()
        },
        effects={
            key: {
                metric: effect(one, f"{where}.effects.{key}.{metric}")
                for metric, one in mapping(value, where).items()
            }
            for key, value in mapping(get(found, "effects", where), where).items()
        },
        flags=array(get(found, "flags", where), f"{where}.flags", text),
    )


def _label(found: Any, where: str) -> str:
    """Return a row's name: its workload and the factors not at their default."""
    workload = text(get(found, "workload", where), f"{where}.workload")
    factors = mapping(found.get("factors") or {}, f"{where}.factors")
    parts = [f"{name} {text(level, where)}" for name, level in factors.items()]
    return ", ".join([workload, *parts])


def _line(found: Any, where: str) -> Line:
    return Line(
        workload=_label(found, where),
        contest=text(get(found, "contest", where), f"{where}.contest"),
        size=whole(get(found, "bytes", where), f"{where}.bytes"),
        cells={
            name: row(cell, f"{where}.cells.{name}")
            for name, cell in mapping(get(found, "cells", where), where).items()
        },
    )


def _metric(found: dict[str, Any], lines: tuple[Line, ...], unit: str) -> str:
    """Return the quantity that a table shows: as stated, else the first of its unit."""
    if found.get("metric"):
        return str(found["metric"])
    held = {
        key: one.unit
        for line in lines
        for cell in line.cells.values()
        for key, one in cell.quantities.items()
    }
    for key in ("time", "peak", "size", *held):
        if held.get(key) == unit:
            return key
    return next(iter(held), "time")


def table(found: Any, where: str) -> Table:
    """Return a table of a study."""
    given = get(found, "rows", where)
    lines = array(given, f"{where}.rows", _line)
    operations = [text(one.get("operation") or "", where) for one in given]
    if len(set(operations)) > 1:
        lines = tuple(
            dataclasses.replace(line, workload=f"{line.workload}, {operation}")
            for line, operation in zip(lines, operations, strict=True)
        )
    unit = text(get(found, "unit", where), f"{where}.unit")
    columns = array(get(found, "columns", where), f"{where}.columns", text)
    for line in lines:
        for name in line.cells:
            if name not in columns:
                raise fail(f"{where}.columns", f"the contender {name!r}", columns)
    return Table(
        name=text(get(found, "name", where), f"{where}.name"),
        title=text(get(found, "title", where), f"{where}.title"),
        operation=text(get(found, "operation", where), f"{where}.operation"),
        unit=unit,
        metric=_metric(found, lines, unit),
        baseline=text(get(found, "baseline", where), f"{where}.baseline"),
        columns=columns,
        lines=lines,
        outliers=text(found.get("with_outliers") or "", f"{where}.with_outliers"),
        note=text(found.get("note") or "", f"{where}.note"),
        kind=text(found.get("kind") or "table", f"{where}.kind"),
    )


def _finding(found: Any, where: str) -> Finding:
    keys = ("claim", "seed_says", "we_measured", "why_different")
    return Finding(*(text(get(found, key, where), f"{where}.{key}") for key in keys))


def _point(found: Any, where: str) -> Point:
    x, value, low, high = (number(get(found, k, where), where) for k in ("x", *_ENDS))
    ordered(low, high, where)
    return Point(x, value, low, high)


def _crossover(found: Any, where: str) -> Crossover:
    given = mapping(found, where)
    x, low, high = (number(get(found, key, where), where) for key in _PLACE)
    ordered(low, high, where)
    return Crossover(
        contender=text(given.get("contender", ""), where),
        against=text(given.get("against", ""), where),
        x=x,
        low=low,
        high=high,
        sentence=text(get(found, "sentence", where), f"{where}.sentence"),
    )


_PLACE = ("x", "low", "high")


def _curve(found: Any, where: str) -> Curve:
    change = mapping(found, where).get("change_point")
    crossings = found.get("crossovers") or []
    return Curve(
        title=text(get(found, "title", where), f"{where}.title"),
        x=text(get(found, "x", where), f"{where}.x"),
        unit=text(get(found, "unit", where), f"{where}.unit"),
        baseline=text(get(found, "baseline", where), f"{where}.baseline"),
        series={
            name: array(points, f"{where}.series.{name}", _point)
            for name, points in mapping(get(found, "series", where), where).items()
        },
        crossovers=array(
            [one for one in crossings if mapping(one, where).get("x") is not None],
            f"{where}.crossovers",
            _crossover,
        ),
        remarks=tuple(
            text(get(one, "sentence", where), f"{where}.crossovers")
            for one in crossings
            if mapping(one, where).get("x") is None
        ),
        change=_crossover(change, f"{where}.change_point") if change else None,
    )


def _box(found: Any, where: str) -> Box:
    return Box(
        title=text(get(found, "title", where), f"{where}.title"),
        operation=text(get(found, "operation", where), f"{where}.operation"),
        unit=text(get(found, "unit", where), f"{where}.unit"),
        groups={
            name: array(values, f"{where}.groups.{name}", number)
            for name, values in mapping(get(found, "groups", where), where).items()
        },
    )


def _study(found: Any, where: str) -> Study:
    return Study(
        name=text(get(found, "name", where), f"{where}.name"),
        title=text(get(found, "title", where), f"{where}.title"),
        seed=text(found.get("seed") or "", f"{where}.seed"),
        question=text(get(found, "question", where), f"{where}.question"),
        tables=array(get(found, "tables", where), f"{where}.tables", table),
        findings=array(found.get("findings", ()), f"{where}.findings", _finding),
        curves=array(found.get("curves", ()), f"{where}.curves", _curve),
        boxes=array(found.get("boxes", ()), f"{where}.boxes", _box),
    )


def _conformance(found: Any, where: str) -> Conformance | None:
    if not found:
        return None

    def one(entry: Any, place: str) -> tuple[str, str, dict[str, str]]:
        return (
            text(get(entry, "file", place), f"{place}.file"),
            word(("y", "n", "i"))(get(entry, "expectation", place), place),
            {
                name: word(OUTCOMES)(what, f"{place}.outcomes.{name}")
                for name, what in mapping(get(entry, "outcomes", place), place).items()
            },
        )

    def metric(entry: Any, place: str) -> tuple[str, dict[str, int]]:
        values = mapping(get(entry, "values", place), place)
        return (
            text(get(entry, "name", place), f"{place}.name"),
            {k: whole(v, f"{place}.values.{k}") for k, v in values.items()},
        )

    return Conformance(
        columns=array(get(found, "columns", where), f"{where}.columns", text),
        metrics=array(get(found, "metrics", where), f"{where}.metrics", metric),
        files=array(get(found, "files", where), f"{where}.files", one),
    )


def _drift(found: Any, where: str) -> Drift:
    relative = number(get(found, "relative", where), f"{where}.relative")
    if relative <= 0:
        raise fail(f"{where}.relative", "a ratio above 0", relative)
    return Drift(
        t=number(get(found, "t", where), f"{where}.t"),
        position=whole(get(found, "position", where), f"{where}.position"),
        contest=text(get(found, "contest", where), f"{where}.contest"),
        contender=text(get(found, "contender", where), f"{where}.contender"),
        relative=relative,
    )


def read(found: Any) -> Results:
    """Return the results of a run as data types; ReportError if the form is wrong."""
    version = get(found, "format", "the whole")
    if version != FORMAT:
        raise fail("format", f"{FORMAT}", version)
    run = mapping(get(found, "run", "the whole"), "run")
    noise = mapping(get(found, "noise", "the whole"), "noise")
    return Results(
        run=Run(
            name=text(get(run, "name", "run"), "run.name"),
            profile=text(get(run, "profile", "run"), "run.profile"),
            started=number(get(run, "started", "run"), "run.started"),
            finished=number(get(run, "finished", "run"), "run.finished"),
            seed=whole(get(run, "seed", "run"), "run.seed"),
            command=text(get(run, "command", "run"), "run.command"),
        ),
        noise=Noise(
            verdict=word(NOISES)(get(noise, "verdict", "noise"), "noise.verdict"),
            median=number(get(noise, "aa_median", "noise"), "noise.aa_median"),
            worst=number(get(noise, "aa_worst", "noise"), "noise.aa_worst"),
            floor=number(get(noise, "floor", "noise"), "noise.floor"),
            sentence=text(get(noise, "sentence", "noise"), "noise.sentence"),
        ),
        answer=array(get(found, "answer", "the whole"), "answer", text),
        studies=array(get(found, "studies", "the whole"), "studies", _study),
        energy=found.get("energy"),
        conformance=_conformance(found.get("conformance"), "conformance"),
        drift=array(found.get("drift", ()), "drift", _drift),
        flags=array(
            found.get("flags") or (),
            "flags",
            lambda one, where: text(get(one, "sentence", where), where),
        ),
    )
