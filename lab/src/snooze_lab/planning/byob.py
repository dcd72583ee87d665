"""Bring your own benchmark: any JSON file, any library, an answer in under a minute.

Separate from the studies because the user names the data and the contenders;
instruments, verification and statistics are those of every study. Used by cli.py.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from snooze_lab import UserError, contenders
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD, Contest
from snooze_lab.planning.plan import Study, Table
from snooze_lab.workloads import WorkloadError, documents, ways

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snooze_lab.planning.plan import Chosen

#: The default contenders, if installed.
USUAL = (OURS, REFERENCE, "msgspec", "ssrjson", "ujson", STANDARD)
OPERATIONS = {
    "loads": "Reading",
    "dumps": "Writing",
    "decode": "Reading into classes",
    "encode": "Writing from classes",
}
#: The ways of use that are raced over the classes of a document, if installed.
TYPED = {
    "decode": (
        *("snooze slots", "snooze dataclass", "msgspec Struct", "msgspec slots"),
        *("pydantic", "snooze loads", "orjson loads", "json loads"),
    ),
    "encode": (
        *("snooze slots", "snooze dataclass", "msgspec Struct", "msgspec slots"),
        *("pydantic", "orjson slots", "json asdict"),
        *("snooze dumps dicts", "orjson dumps dicts", "json dumps dicts"),
    ),
}
#: Seconds of the interleaved instrument for one file and operation.
SECONDS = 1.0
BLOCKS, MEMORY_BLOCKS = 5, 5


class FileError(UserError, ValueError):
    """A file cannot be measured; the message names the file and the reason."""


def tables(
    paths: list[Path],
    libraries: list[str],
    *,
    typed: bool = False,
    seconds: float | None = None,
) -> Chosen:
    """Return the study of these files.

    `typed` reads into classes that are inferred from each file, and writes their
    instances, in place of plain values. `seconds` is the time of the interleaved
    instrument for each file and operation; None: SECONDS.

    Raises FileError for a file that does not exist or is not JSON, and
    contenders.UnknownContenderError for an unknown library.
    """
    time = SECONDS if seconds is None else seconds
    if not 0 < time < math.inf:
        raise FileError(f"--seconds {time:g}: expected a time above 0")
    if typed:
        question = "Which library reads and writes this document's classes fastest?"
        workloads = [_reference(path, "typed") for path in paths]
        found = [
            _table(operation, "time", workloads, *_ways(operation, libraries), time)
            for operation in TYPED
        ]
    else:
        question = "Which library reads and writes this document fastest, by how much?"
        names = list(dict.fromkeys(libraries)) or _installed(USUAL)
        for name in names:
            contenders.known(name)
        baseline = _baseline()
        names = names if baseline in names else [baseline, *names]
        workloads = [_reference(path, "file") for path in paths]
        found = [
            _table(operation, metric, workloads, names, baseline, time)
            for metric in ("time", "memory")
            for operation in ("loads", "dumps")
        ]
    titles = ", ".join(path.name for path in paths)
    return [(Study("byob", titles, "", question, (), ""), found)]


def path(libraries: list[str]) -> tuple[str, ...]:
    """Return the folders that workers import a user's own contenders from."""
    if not any(":" in name for name in libraries):  # module:loads,dumps
        return ()
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return tuple(str(Path(one).resolve()) for one in ["", *filter(None, given)])


def _ways(operation: str, libraries: list[str]) -> tuple[list[str], str]:
    """Return the ways to use these libraries, or all, and the baseline among them."""
    known = ways.uses(operation, ways.UNTYPED)
    chosen = {name: known[name].library for name in TYPED[operation]}
    for library in libraries:
        if library not in chosen.values():
            there = ", ".join(dict.fromkeys(chosen.values()))
            raise contenders.UnknownContenderError(
                f"no classes with '{library}'; there are: {there}"
            )
    baseline = f"{_baseline()}{ways.UNTYPED[operation].removeprefix(REFERENCE)}"
    names = [
        name
        for name, library in chosen.items()
        if not libraries or library in libraries or name == baseline
    ]
    return names, baseline


def _baseline() -> str:
    """Return the reference, or the standard library where it is not installed."""
    return next(iter(_installed((REFERENCE,))), STANDARD)


def _installed(names: Iterable[str]) -> list[str]:
    ready, _ = contenders.enter(list(names))
    return [one.name for one in ready]


def _reference(path: Path, workload: str) -> str:
    try:
        documents.check(path)
    except WorkloadError as error:
        raise FileError(str(error)) from error
    return f"{workload}?path={quote(str(path.resolve()))}"


def _table(  # noqa: PLR0913, PLR0917 - what differs between the tables of a run
    operation: str,
    metric: str,
    workloads: list[str],
    names: list[str],
    baseline: str,
    seconds: float,
) -> Table:
    timed = metric == "time"
    entered = list(names)
    if baseline.startswith(REFERENCE):  # without it nothing enters twice
        entered.insert(entered.index(baseline) + 1, AGAIN)
    contests = tuple(
        Contest(
            study="byob",
            table=f"{operation}-{metric}",
            workload=workload,
            operation=operation,
            contenders=tuple(entered),
            instruments=("isolated", "interleaved") if timed else ("isolated",),
            metrics=(metric,),
            blocks=BLOCKS if timed else MEMORY_BLOCKS,
            seconds=seconds,
            baseline=baseline,
        )
        for workload in workloads
    )
    title = f"{OPERATIONS[operation]}: {'time' if timed else 'memory'}"
    return Table(f"{operation}-{metric}", title, "table", "", "", contests)
