"""The commands on JSON Lines as columns: scan, schema.

Separate because they make no Python objects of records. Invariant: what ends the scan,
or was left out of it, is told on standard error, with its place. Used by app.py.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

import snooze
from snooze._cli import options, outputs, tables
from snooze._cli.inputs import STANDARD_INPUT, DataError, InputError
from snooze._cli.problems import printable, tell
from snooze._cli.utf8 import GZIP, PACKED
from snooze._scan.writing import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN = 10
_SECONDS = 0.1


class Progress:
    """Counts rows, and shows them on a terminal."""

    def __init__(self) -> None:
        """Begin now."""
        self.rows = 0
        self.start = time.monotonic()
        # Where the rows go to the terminal themselves, nothing is shown between them.
        self.is_shown = sys.stderr.isatty() and not sys.stdout.isatty()
        self.last = self.start

    def add(self, rows: int) -> None:
        """Count rows."""
        self.rows += rows
        now = time.monotonic()
        if self.is_shown and now - self.last >= _SECONDS:
            self.last = now
            click.echo(f"\r{self}\x1b[K", err=True, nl=False)

    def clear(self) -> None:
        """Remove the line from the terminal."""
        if self.is_shown:
            click.echo("\r\x1b[K", err=True, nl=False)

    def __str__(self) -> str:
        """Return the rows and their rate."""
        seconds = max(time.monotonic() - self.start, 1e-3)
        rate = self.rows / seconds
        noun = "row" if self.rows == 1 else "rows"
        return f"{self.rows:,} {noun} in {seconds:.1f} s, {rate:,.0f} rows/s"


class _Input:
    """Standard input, whose errors name it."""

    name = "<stdin>"

    def __init__(self) -> None:
        """Nothing was read."""
        self._is_first = True

    def read(self, size: int) -> bytes:
        """Return so many bytes."""
        try:
            found = sys.stdin.buffer.read(size)
        except OSError as error:
            raise InputError(f"{self.name}: {error.strerror or error}") from None
        if self._is_first and found.startswith(GZIP):
            raise DataError(f"{self.name}: {PACKED}")
        self._is_first = False
        return found


def _source(files: tuple[str, ...]) -> Any:
    """Return what `snooze.scan` reads for these names."""
    if STANDARD_INPUT in files or not files:
        if len(files) > 1:
            raise click.UsageError("expected files, or - alone for standard input")
        return _Input()
    return list(files)


@contextmanager
def _messages() -> Iterator[None]:
    """Turn errors of a scan into messages."""
    try:
        yield
    except snooze.ScanError:
        raise
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        raise InputError(f"{name}{error.strerror or error}") from None
    except (EOFError, ValueError, TypeError) as error:
        raise InputError(str(error)) from None


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [one.strip() for one in text.split(",")]


@click.command()
@options.files
@click.option("-C", "--columns", metavar="A,B", help="The members to read, in order.")
@click.option(
    "-w",
    "--where",
    metavar="CONDITION",
    help="Only records for which this is true, such as 'status >= 500'.",
)
@click.option(
    "-n", "--limit", type=click.IntRange(0), metavar="N", help="At most N rows."
)
@click.option(
    "-t",
    "--to",
    "target",
    type=options.PATH,
    metavar="FILE",
    help="A file in .parquet, .arrow, .csv or .ndjson. Default: JSON Lines on "
    "standard output.",
)
@click.option(
    "--errors",
    type=click.Choice(("raise", "skip", "null")),
    default="raise",
    show_default=True,
    help="What happens to records that are wrong or do not fit.",
)
@click.option(
    "--drift",
    type=click.Choice(("widen", "json", "error", "rest")),
    default="widen",
    show_default=True,
    help="What the columns are: those of all records (widen); JSON text where types "
    "differ (json); those of the first 4 MiB, and others are an error (error) or go to "
    "a column _rest (rest).",
)
@click.option(
    "--check",
    type=click.Choice(("all", "read")),
    default="all",
    show_default=True,
    help="Whether the whole text is checked, or what is read.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="How many threads read. Default: one for each processor, at most 8.",
)
@click.option(
    "--omit-nulls", is_flag=True, help="Leave members that are null out (lines only)."
)
@click.option("-q", "--quiet", is_flag=True, help="Show no summary.")
def scan(  # noqa: PLR0913 - one for each option
    *,
    files: tuple[str, ...],
    columns: str | None,
    where: str | None,
    limit: int | None,
    target: str | None,
    errors: Any,
    drift: Any,
    check: Any,
    threads: int | None,
    omit_nulls: bool,
    quiet: bool,
) -> int:
    """Read JSON Lines as a table, and write it in another format.

    The rules are those of snooze.scan. Without --to, rows become lines again. Parquet,
    Arrow and CSV need the package pyarrow or polars. The exit status is 1 if a record
    ended the scan; --errors skip and null list what they changed.
    """
    target = outputs.file_of(target)
    form = "ndjson" if target is None else tables.form_of(target)
    if omit_nulls and form != "ndjson":
        raise click.UsageError("--omit-nulls: only lines can leave members out")
    filters = {"where": where, "limit": limit}
    chosen: dict[str, Any] = {k: v for k, v in filters.items() if v is not None}
    progress, found = Progress(), None
    try:
        with _messages():
            found = snooze.scan(
                _source(files),
                columns=_names(columns),
                errors=errors,
                drift=drift,
                check=check,
                threads=threads,
                **chosen,
            )
            if form == "ndjson":
                _write_lines(found, target, progress, omit_nulls=omit_nulls)
            else:
                tables.write(found, target, form, progress.add)
    except snooze.ScanError as error:
        progress.clear()
        _problems(found, is_quiet=quiet)
        tell(error)
        return 1
    except BaseException:
        progress.clear()
        raise
    progress.clear()
    _problems(found, is_quiet=quiet)
    if not quiet:
        click.echo(str(progress), err=True)
    return 0


def _write_lines(
    found: snooze.Scan, target: str | None, progress: Progress, *, omit_nulls: bool
) -> None:
    lines = lines_of(found, nulls="omit" if omit_nulls else "keep")

    failures: list[Exception] = []

    def pieces() -> Iterator[bytes]:
        try:
            for text, rows in lines:
                yield text
                progress.add(rows)
        except (ValueError, OSError) as error:
            failures.append(error)
            raise

    try:
        outputs.write(pieces(), target, newline=False)
    except InputError:
        if failures:
            # The fault is of the records, not of the file that is written.
            raise failures[0] from None
        raise
    finally:
        lines.close()


def _problems(found: snooze.Scan | None, *, is_quiet: bool) -> None:
    """Show what was left out or changed."""
    if found is None or is_quiet or not found.problem_count:
        return
    count = found.problem_count
    were = "record was" if count == 1 else "records were"
    tell(f"{count:,} {were} left out or changed")
    for one in found.problems[:_SHOWN]:
        click.echo(f"  {printable(_place(one))}", err=True)
    if count > _SHOWN:
        click.echo(f"  … and {count - _SHOWN:,} more", err=True)


@click.command()
@options.files
@click.option("-C", "--columns", metavar="A,B", help="The members to describe.")
@click.option(
    "-a",
    "--as",
    "form",
    type=click.Choice(("arrow", "dataclass", "schema")),
    default="arrow",
    show_default=True,
    help="Arrow types, the source of dataclasses, or a JSON Schema of a record.",
)
@click.option(
    "-n",
    "--name",
    type=options.Title(),
    default="Record",
    help='The name of the class. Default "Record".',
)
@click.option(
    "--sample", is_flag=True, help="Read the first 4 MiB instead of all records."
)
@options.output
def schema(  # noqa: PLR0913 - one for each option
    *,
    files: tuple[str, ...],
    columns: str | None,
    form: str,
    name: str,
    sample: bool,
    output: str | None,
) -> int:
    """Print the columns of JSON Lines and their types.

    They are those that snooze.scan infers.
    """
    from snooze._cli import schema_source as described  # noqa: PLC0415 - only this needs it

    try:
        with _messages():
            found = snooze.scan(
                _source(files),
                columns=_names(columns),
                errors="skip",
                drift="error" if sample else "widen",
            )
            known = found._all_columns()  # noqa: SLF001 - of one package
    except snooze.ScanError as error:
        _failed(error)
    if form == "arrow":
        text = "".join(
            f"{printable(f'{column}: {kind}')}\n"
            for column, kind in found.columns.items()
        ).encode()
    elif form == "schema":
        described_schema = described.json_schema(known, name)
        text = snooze.Encoder(indent=2).encode(described_schema) + b"\n"
    else:
        try:
            text = described.dataclasses_of(known, name).encode()
        except ValueError as error:
            raise click.UsageError(f"--name: {error}") from None
    outputs.write([text], outputs.file_of(output), newline=False)
    if known:
        return 0
    tell(f"no columns: no line is an object with members{_skipped(found)}")
    return 1


def _skipped(found: snooze.Scan) -> str:
    """Return what is wrong with the lines, if it is."""
    # Reading counts them, as far as it comes.
    with suppress(snooze.ScanError, OSError):
        for _ in found:
            pass
    if not found.problem_count:
        return ""
    return f"; {found.problem_count:,} wrong, the first: {_place(found.problems[0])}"


def _place(one: snooze.ScanProblem) -> str:
    """Return where a record is, and what is wrong with it."""
    line = "" if one.line is None else f"line {one.line}, "
    path = f" at {one.pointer}" if one.pointer else ""
    place = f"{one.source}, {line}byte {one.offset}"
    return f"{place}: expected {one.expected}, found {one.found}{path}"


def _failed(error: Exception) -> NoReturn:
    raise InputError(str(error)) from None


COMMANDS = (scan, schema)
