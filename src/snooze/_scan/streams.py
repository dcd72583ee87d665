"""The calls of compiled code that infer columns and read batches.

Separate from `scan`, which is the class that users see. Invariants: inferred columns
hold every record, or a scan that reads them ends with an error; a trial changes no
result, it only saves the first of two passes. Called by `scan`, `resolve` and
`writing`.
"""

from __future__ import annotations

import os
from collections import namedtuple

from snooze import _snooze
from snooze._scan.outcome import ScanError, ScanProblem, ScanProgress
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NamedTuple, NoReturn

    from snooze._scan.conditions import Filter
    from snooze._scan.schemas import Column
    from snooze._scan.sources import Opened, Range

    _Progress = Callable[[ScanProgress], object] | None
    #: The capsule of the problems of a stream, the names of its sources, its bytes.
    Problems = tuple[Any, list[str], int]

    class Stream(NamedTuple):
        """The capsule of a stream, its columns and its problems."""

        capsule: Any
        columns: tuple[Column, ...]
        problems: Problems

else:
    Stream = namedtuple("Stream", "capsule columns problems")  # noqa: PYI024

#: The bytes that a schema is inferred from, unless all records are read for it.
SAMPLE = 4 << 20
#: The most memory of the batches of a trial. They are held until they are asked for.
MAX_HELD = 128 << 20
#: The most text of which all columns are tried: more needs more memory than that.
MAX_TRIED = 4 * MAX_HELD
#: How much of a record is validated while columns are inferred: only what must be read,
#: or everything, in the same pass or in one before.
UNCHECKED, WHILE_READING, BEFORE_READING = (
    "unchecked",
    "while reading",
    "before reading",
)


def inferred(  # noqa: PLR0913 - those of a scan, and how exact it is
    sources: Opened,
    ranges: list[Range],
    wanted: tuple[str, ...] | None,
    options: dict[str, Any],
    progress: _Progress,
    *,
    is_exact: bool,
) -> tuple[Column, ...]:
    """Return the columns for the records of ranges.

    Args:
        sources: What to read.
        ranges: Which parts of it.
        wanted: The members to look at. None: all.
        options: Those of the scan.
        progress: Called with a `ScanProgress` from time to time, if given.
        is_exact: Nothing of a wrong record counts, although it ends the scan.
    """
    report = _report(ranges, progress)
    # A wrong record ends the scan. But `head` may end before it: it must add no column,
    # only to the types of those that are named.
    is_final = options["errors"] == "raise" and options["limit"] is None
    checking = (
        UNCHECKED if is_final and wanted is not None and not is_exact else WHILE_READING
    )
    columns, saw_wrong_record = _seen(
        sources, ranges, wanted, options, report=report, checking=checking
    )
    if saw_wrong_record:
        columns, _ = _seen(
            sources, ranges, wanted, options, report=report, checking=BEFORE_READING
        )
    return columns


def has_record(sources: Opened, ranges: list[Range], options: dict[str, Any]) -> bool:
    """Return whether ranges have a record, or raise the error of the first wrong one.

    All of them are read if a wrong record is an error, else up to the first right one.

    Raises:
        ScanError: A record is wrong, and ``errors="raise"``.
    """
    stops = options["errors"] != "raise"
    own = options | {"columns": (), "drift": "ignore", "limit": 1 if stops else None}
    found = _open_plan((), sources, ranges, None, own, None, has_empty=False)
    assert found is not None  # noqa: S101 - only a trial has none
    stream, _, problems = found
    rows = 0
    while (batch := _snooze.scan_next(stream)) is not None:
        if isinstance(batch[1], str):
            fail(batch[0], batch[1], problems)
        rows += batch[1]
    return rows > 0


def open_stream(
    columns: tuple[Column, ...],
    sources: Opened,
    chosen: Filter | None,
    options: dict[str, Any],
    *,
    has_empty: bool,
) -> Stream:
    """Return a new stream.

    Args:
        columns: All of them, with that for the rest.
        sources: What to read.
        chosen: Which records become rows. None: all.
        options: Those of the scan.
        has_empty: Whether there are batches without rows.
    """
    found = _open_plan(
        columns, sources, sources.ranges, chosen, options, None, has_empty=has_empty
    )
    assert found is not None  # noqa: S101 - only a trial has none
    return found


def can_try(options: dict[str, Any]) -> bool:
    """Return whether the schema of the first records may be tried on all of them.

    Only where a record that fits it cannot change what all records would give: each
    must be read as a whole, and one that does not fit must end the trial.
    """
    return (
        options["drift"] in (None, "widen")
        and options["errors"] == "raise"
        and options["check"] == "all"
        and options["where"] is None
        and options["limit"] is None
    )


def tried(
    sources: Opened, options: dict[str, Any], progress: _Progress, *, has_empty: bool
) -> tuple[Stream, tuple[Column, ...]] | None:
    """Return a stream that has read everything, and its columns as they first appear.

    The schema of the first records is tried on all of them. If they fit it, and their
    columns need little memory, no record is read twice. Otherwise, and whatever is
    wrong, the result is None: what reads next finds it again.
    """
    from snooze._scan import schemas  # noqa: PLC0415 - not at import time

    wanted = options["columns"]
    total = sum(end - start for _, start, end in sources.ranges)
    sample = sources.sample(min(SAMPLE, total // 8))
    if not sample or (wanted is None and total > MAX_TRIED):
        return None
    try:
        known, saw_wrong_record = _seen(
            sources, sample, wanted, options, report=None, checking=UNCHECKED
        )
        columns = known
        if wanted is not None:
            by_name = {column[0]: column for column in known}
            columns = tuple(by_name[name] for name in wanted if name in by_name)
        schemas.checked(columns)
    except (OSError, ValueError):
        return None
    is_whole = wanted is None or len(columns) == len(wanted)
    if saw_wrong_record or not is_whole or not schemas.can_be_tried(columns):
        return None
    trial = MAX_HELD, _report(sources.ranges, progress)
    found = _open_plan(
        columns, sources, sources.ranges, None, options, trial, has_empty=has_empty
    )
    return None if found is None else (found, known)


def rising(progress: _Progress) -> _Progress:
    """Return a function that passes on what was seen for the schema, but never less.

    After a trial that has failed, the records are looked at from the first one again.
    """
    if progress is None:
        return None
    seen = -1

    def report(one: ScanProgress) -> None:
        nonlocal seen
        if one.done > seen:
            seen = one.done
            progress(one)

    return report


def fail(code: int, text: str, problems: Problems | None) -> NoReturn:
    """Raise the error of a stream."""
    import errno  # noqa: PLC0415 - not at import time

    if code != errno.EINVAL:
        raise OSError(code, f"{os.strerror(code)}: {text}")
    last = None if problems is None else _snooze.scan_problems(problems[0])[2]
    if last is None or problems is None:
        raise ScanError(text)
    raise ScanError(text, ScanProblem(problems[1][last[0]], *last[1:]))


def _seen(  # noqa: PLR0913 - what Rust takes
    sources: Opened,
    ranges: list[Range],
    wanted: tuple[str, ...] | None,
    options: dict[str, Any],
    *,
    report: Callable[[int], object] | None,
    checking: str,
) -> tuple[tuple[Column, ...], bool]:
    """Return the columns for the records of ranges, and whether one was wrong."""
    columns, saw_wrong_record = _snooze.scan_infer(
        sources.native(),
        tuple(ranges),
        wanted,
        checking,
        options["drift"] == "json",
        _threads(options),
        report,
    )
    if isinstance(saw_wrong_record, str):
        fail(int(columns), saw_wrong_record, None)  # type: ignore[arg-type]
    return columns, saw_wrong_record  # type: ignore[return-value]


def _open_plan(  # noqa: PLR0913, PLR0917 - what Rust takes
    columns: tuple[Column, ...],
    sources: Opened,
    ranges: list[Range],
    chosen: Filter | None,
    options: dict[str, Any],
    trial: tuple[int, Callable[[int], object] | None] | None,
    *,
    has_empty: bool,
) -> Stream | None:
    """Return a stream, or None if the trial of it fails."""
    drift = options["drift"]
    native = (
        options["errors"],
        options["check"] == "all",
        drift in {"error", "widen", "json"},
        options["columns"] is not None,
        drift == "rest",
        options["batch_bytes"],
        _threads(options),
        options["limit"],
        has_empty,
    )
    native_sources = sources.native()
    found = _snooze.scan_open(
        columns, native_sources, tuple(ranges), chosen, native, trial
    )
    if found is None:
        return None
    stream, problems = found
    total = sum(end - start for _, start, end in ranges)
    names = [name for name, _, _ in sources.sources]
    return Stream(stream, columns, (problems, names, total))


def _report(ranges: list[Range], progress: _Progress) -> Callable[[int], object] | None:
    """Return what Rust calls with the bytes that were seen for the schema."""
    if progress is None:
        return None
    total = sum(end - start for _, start, end in ranges)

    def report(done: int) -> None:
        progress(ScanProgress("schema", done, total, 0))

    return report


def _threads(options: dict[str, Any]) -> int:
    """Return how many threads read: the processors of this process, up to eight."""
    if options["threads"] is not None:
        return int(options["threads"])
    count = getattr(os, "process_cpu_count", None)
    if count is None and hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 8)
    return min((count or os.cpu_count)() or 1, 8)
