"""Record batches into files of other formats, by pyarrow or polars.

Separate because these packages are large and only some formats need them. Invariants:
a file is replaced as a whole or not at all, and has all rows; with pyarrow only a few
batches are in memory, with polars the whole table. Called by scan_commands.py.
"""

from __future__ import annotations

import errno
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

import snooze
from snooze._cli.inputs import DataError, InputError
from snooze._files import replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}
_COMPRESSED = {".gz", ".zst"}
#: How Rust ends the message of a pipe that nobody reads any more.
_UNREAD = f"(os error {errno.EPIPE})"


def form_of(path: str) -> str:
    """Return the format that a file name stands for."""
    endings = [one.lower() for one in PurePath(path).suffixes]
    is_compressed = bool(endings) and endings[-1] in _COMPRESSED
    if is_compressed:
        endings.pop()
    form = ENDINGS.get(endings[-1]) if endings else None
    if form is None or (is_compressed and form in {"parquet", "arrow"}):
        raise click.UsageError(
            f"--to: expected a name in .parquet, .arrow, .csv or .ndjson, found {path}"
        )
    return form


def write(
    scan: snooze.Scan, path: str | None, form: str, count: Callable[[int], None]
) -> None:
    """Write a scan to a file."""
    known = {"pyarrow": _with_pyarrow, "polars": _with_polars}
    package = next((name for name in known if find_spec(name) is not None), None)
    if package is None:
        raise InputError(
            f"{form} needs the package pyarrow or polars: pip install pyarrow"
        )
    writer = known[package]
    # A wrong record is this exception of ours, not that of the package.
    batches = _Counted(scan, count, form)

    def fill(file: IO[bytes]) -> None:
        try:
            writer(batches, file, form)
        except Exception as error:
            if batches.failure is not None:
                raise batches.failure from None
            if _UNREAD in str(error):
                raise BrokenPipeError from None
            if isinstance(error, (OSError, InputError, DataError)):
                raise
            _check_columns(scan, form)
            reason = " ".join(str(error).split())
            raise InputError(f"{form}: {reason}") from None

    replace(path or "", fill)


def _check_columns(scan: snooze.Scan, form: str) -> None:
    """Raise DataError for a column that CSV or Parquet cannot hold."""
    for name, kind in scan.columns.items():
        is_cell = not kind.startswith(("list<", "struct<", "map<", "arrow.json"))
        if form == "csv" and not is_cell:
            reason, others = "which no cell holds", ".parquet or .ndjson"
        elif form == "parquet" and "struct<>" in kind:
            reason = "with an object without members, which Parquet does not hold"
            others = ".arrow or .ndjson"
        else:
            continue
        raise DataError(
            f"{form}: the column {snooze.pointer.quoted(name)} has the type {kind}, "
            f"{reason}; name other columns with --columns, or write {others}"
        )


class _Counted:
    """The batches of a scan, which counts rows and keeps what ended it."""

    def __init__(
        self, scan: snooze.Scan, count: Callable[[int], None], form: str
    ) -> None:
        self.scan = scan
        self.count = count
        self.form = form
        self.rows = 0
        self.failure: snooze.ScanError | None = None

    def __iter__(self) -> Any:
        try:
            for batch in self.scan:
                rows = len(batch)
                if rows and self.form != "arrow" and not self.scan.columns:
                    # With pyarrow, the rows would not be in a file of Parquet.
                    raise DataError(
                        f"{self.form}: expected a record with a member, as the members "
                        f"name the columns; found {rows:,} without any; write .arrow "
                        "or .ndjson"
                    )
                yield batch
                self.count(rows)
                self.rows += rows
        except snooze.ScanError as error:
            self.failure = error
            raise


def _with_pyarrow(batches: _Counted, file: IO[bytes], form: str) -> None:
    arrow = import_module("pyarrow")
    schema = arrow.schema(batches.scan)
    if form == "parquet":
        opened = import_module("pyarrow.parquet").ParquetWriter(file, schema)
    elif form == "arrow":
        opened = import_module("pyarrow.ipc").new_file(file, schema)
    else:
        opened = import_module("pyarrow.csv").CSVWriter(file, schema)
    with opened:
        for batch in batches:
            opened.write_batch(arrow.record_batch(batch))


def _with_polars(batches: _Counted, file: IO[bytes], form: str) -> None:
    polars = import_module("polars")
    frames = [polars.DataFrame(batch) for batch in batches]
    frame = polars.concat(frames) if frames else polars.DataFrame(batches.scan)
    if len(frame) < batches.rows:
        raise InputError(
            f"{form}: this version of polars has no rows without columns, which are "
            "all that was found; update polars, install pyarrow, or write .ndjson"
        )
    names = {"parquet": "write_parquet", "arrow": "write_ipc", "csv": "write_csv"}
    getattr(frame, names[form])(file)
