"""`scan` and `Scan`.

Separate from `sources` and `schemas`, which are imported when a scan needs them: this
module is loaded by `import snooze`. Invariants: a scan reads nothing before its schema
or a batch is asked for; each stream of it begins again; what Rust is told is decided
here, once for each scan. Called by users.
"""

from __future__ import annotations

import os

from snooze import _snooze
from snooze._scan.outcome import RecordBatch, ScanError, ScanProblem
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal, NoReturn

    from snooze._scan.schemas import Column
    from snooze._scan.sources import Opened, Range

    _Errors = Literal["raise", "skip", "null"]
    _Drift = Literal["widen", "error", "rest", "ignore"]
    _Check = Literal["all", "read"]

#: The name of the column for what the schema has no place for.
REST = "_rest"
#: The bytes that a schema is inferred from, unless all records are read for it.
SAMPLE = 4 << 20
_ERRORS = ("raise", "skip", "null")
_DRIFTS = ("widen", "error", "rest", "ignore")
_MAX_BATCH = 1 << 30


class Scan:
    r"""Lines of JSON as a stream of Arrow record batches; `snooze.scan` makes it.

    Every library that takes Arrow streams by the PyCapsule interface reads it as it is:
    ``pyarrow.table(scan)``, ``polars.DataFrame(scan)``, ``duckdb.sql("FROM scan")``,
    ``pandas.DataFrame.from_arrow(scan)``, ``nanoarrow.ArrayStream(scan)``. Iteration
    yields a `RecordBatch` each time. A scan can be read any number of times; nothing is
    read before it is.

    Examples:
        >>> import snooze
        >>> scan = snooze.scan(b'{"a": 1, "b": ["x"]}\n{"a": 2.5}')
        >>> scan.columns
        {'a': 'float64', 'b': 'list<utf8>'}
        >>> sum(len(batch) for batch in scan)
        2
    """

    __slots__ = (
        "__weakref__",
        "_columns",
        "_copied",
        "_options",
        "_pieces",
        "_problems",
        "_schema",
        "_source",
    )
    __module__ = "snooze"

    def __init__(  # noqa: PLR0913 - what `select` and `splits` already know
        self,
        source: Any,
        schema: Any,
        options: dict[str, Any],
        *,
        pieces: tuple[tuple[str, int, int | None], ...] | None = None,
        known: tuple[Column, ...] | None = None,
        copied: Opened | None = None,
    ) -> None:
        """Store what to scan; `snooze.scan` checks the options."""
        self._source = source
        self._schema = schema
        self._options = options
        #: Ranges of files, for a part of a scan: `(path, start, end)`.
        self._pieces = pieces
        #: The columns, once they are known, without that for the rest.
        self._columns = known
        #: The copy of a source that can be read once.
        self._copied = copied
        #: The problems of the latest stream, and the names of its sources.
        self._problems: tuple[Any, list[str]] | None = None
        # A missing file or a wrong schema is an error of the call of `scan`, not of the
        # library that reads it.
        if pieces is None:
            self._files()
        if schema is not None:
            self._all_columns()

    @property
    def columns(self) -> dict[str, str]:
        """The names of the columns and their types, as text."""
        from snooze._scan.schemas import type_text  # noqa: PLC0415 - not at import time

        return {column[0]: type_text(column) for column in self._all_columns()}

    @property
    def ranges(self) -> tuple[tuple[str, int, int | None], ...] | None:
        """The files that are read; None if the source is none.

        Each is `(path, start, end)`, in bytes; the end is None for all of a file.
        """
        files = self._files()
        return None if files is None else tuple(files)

    @property
    def problems(self) -> list[ScanProblem]:
        """The first 1000 wrong records of the latest stream, as far as it was read."""
        _, described, last = self._found()
        names = [] if self._problems is None else self._problems[1]
        found = [*described, *([] if last is None else [last])]
        return [ScanProblem(names[one[0]], *one[1:]) for one in found]

    @property
    def problem_count(self) -> int:
        """How many records of the latest stream were left out or have lost a value."""
        return int(self._found()[0])

    def select(self, columns: Iterable[str]) -> Scan:
        """Return a scan of some columns of this one, with the same types.

        Args:
            columns: Their names, in the order wanted; none for rows without columns.

        Raises:
            TypeError: A name is not a str.
            ValueError: The scan has no such column, or has `drift="rest"`, whose column
                `_rest` depends on which columns are read.
        """
        names = _names_of(columns)
        if self._options["drift"] == "rest":
            raise ValueError('select: a scan with drift="rest" reads all its columns')
        by_name = {column[0]: column for column in self._all_columns()}
        for name in names or ():
            if name not in by_name:
                known = ", ".join(map(repr, by_name)) or "none"
                raise ValueError(f"columns: expected some of {known}, found {name!r}")
        chosen = tuple(by_name[name] for name in names or ())
        if self._files() is None:
            self._opened()  # what can be read only once is copied for both scans
        return Scan(
            self._source,
            None,
            {**self._options, "columns": names},
            pieces=self._pieces,
            known=chosen,
            copied=self._copied,
        )

    def splits(self, size: int = 32 << 20) -> list[Scan]:
        """Return parts of the scan that can be pickled and read anywhere.

        Together the parts have every record once: a record belongs to the part in which
        its first byte is. The schema is inferred before, if none was given.

        Args:
            size: The bytes of a part, at least 1. Default 32 MiB.

        Returns:
            Scans of ranges of files, in order. A compressed file is one part. Each is
            read by one thread, unless this scan was given a number.

        Raises:
            TypeError: The source is not a path: its memory is only here.
            ValueError: The size is below 1.
        """
        from snooze._files import compression  # noqa: PLC0415

        if size < 1:
            raise ValueError(f"size: expected at least 1, found {size}")
        files = self._files()
        if files is None:
            raise TypeError("splits: expected a scan of files, found one of an object")
        self._all_columns()
        options = {**self._options, "threads": self._options["threads"] or 1}
        parts = []
        for path, start, end in files:
            if compression(path) is not None:
                parts.append(_again(((path, 0, None),), self._columns, options))
                continue
            stop = os.stat(path).st_size  # noqa: PTH116 - a path is a str here
            stop = stop if end is None else min(end, stop)
            parts += [
                _again(((path, at, min(at + size, stop)),), self._columns, options)
                for at in range(start, stop, size)
            ]
        return parts

    def __arrow_c_schema__(self) -> Any:
        """Return the capsule of the schema, named ``arrow_schema``."""
        return _snooze.scan_schema(self._all_columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Return the capsule of a new stream, named ``arrow_array_stream``.

        Args:
            requested_schema: Not followed: the consumer converts.
        """
        return self._stream()

    def __iter__(self) -> Iterator[RecordBatch]:
        """Yield the batches."""
        columns, stream = self._all_columns(), self._stream()
        mine = self._problems
        while (found := _snooze.scan_next(stream)) is not None:
            first, second = found
            if isinstance(second, str):
                _fail(int(first), second, mine)
            yield RecordBatch(columns, first, second)

    def __repr__(self) -> str:
        """Return what is scanned."""
        if self._pieces is not None and len(self._pieces) == 1:
            path, start, end = self._pieces[0]
            return f"<snooze.Scan of {path!r}, bytes {start} to {end or 'the end'}>"
        shown = repr(self._source)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        return f"<snooze.Scan of {shown}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how the scan is made again, with the schema that it has."""
        files = self._files()
        if files is None:
            raise TypeError("a scan of an object in memory cannot be pickled")
        self._all_columns()
        return _again, (tuple(files), self._columns, self._options)

    def _found(self) -> Any:
        """Return the problems of the latest stream."""
        if self._problems is None:
            return 0, (), None
        return _snooze.scan_problems(self._problems[0])

    def _files(self) -> list[tuple[str, int, int | None]] | None:
        """Return the ranges of files, or None if the source is something else."""
        from snooze._scan.sources import paths_of  # noqa: PLC0415

        if self._pieces is not None:
            return list(self._pieces)
        paths = paths_of(self._source)
        return None if paths is None else [(path, 0, None) for path in paths]

    def _opened(self) -> Opened:
        """Return the ranges to read now."""
        from snooze._scan import sources  # noqa: PLC0415 - not at import time

        if self._copied is not None:
            return self._copied
        files = self._files()
        if files is None:
            self._copied = sources.opened(self._source)
            return self._copied
        result = sources.Opened()
        for path, start, end in files:
            result.add_path(path, start, end)
        if any(not is_path for _, is_path, _ in result.sources):
            # Something was copied, which is done once.
            self._copied = result
        return result

    def _all_columns(self) -> tuple[Column, ...]:
        """Return the columns, with that for the rest."""
        if self._columns is None:
            self._columns = self._find_columns()
        if self._options["drift"] == "rest":
            return (*self._columns, (REST, "u", True, "arrow.json", ()))
        return self._columns

    def _find_columns(self) -> tuple[Column, ...]:
        """Return the columns of the schema, or infer them."""
        from snooze._scan import schemas  # noqa: PLC0415 - not at import time

        wanted, options = self._options["columns"], self._options
        if self._schema is None:
            columns, known = self._infer(wanted), "record"
        else:
            columns, forbids = schemas.columns_of(self._schema)
            known = "field of the schema"
            if options["drift"] is None:
                options["drift"] = "error" if forbids else "ignore"
        if wanted is not None and self._schema is None and not columns:
            ranges = self._opened().ranges
            if not any(end for _, _, end in ranges):
                # No record could have them.
                columns = tuple((name, "n", True, None, ()) for name in wanted)
        if wanted is not None:
            by_name = {column[0]: column for column in columns}
            missing = [name for name in wanted if name not in by_name]
            if missing:
                raise ValueError(f"columns: no {known} has {missing[0]!r}")
            columns = tuple(by_name[name] for name in wanted)
        if options["drift"] == "rest" and any(one[0] == REST for one in columns):
            raise ValueError(
                f'drift="rest": there is a member {REST!r}, which is the name of the '
                "column for the rest; name the columns, or give a schema"
            )
        return schemas.checked(columns)

    def _infer(self, wanted: tuple[str, ...] | None) -> tuple[Column, ...]:
        """Return the columns for the records themselves."""
        options, opened = self._options, self._opened()
        if options["drift"] is None:
            options["drift"] = "widen"
        ranges = opened.ranges
        if options["drift"] != "widen":
            ranges = _sample(ranges)
        for careful in (False, True):
            found = _snooze.scan_infer(
                tuple(opened.sources), tuple(ranges), wanted, careful
            )
            columns, is_spoilt = found
            if isinstance(is_spoilt, str):
                _fail(int(columns), is_spoilt, None)  # type: ignore[arg-type]
            if not is_spoilt:
                break
        return columns  # type: ignore[return-value]

    def _stream(self) -> Any:
        columns, opened, options = self._all_columns(), self._opened(), self._options
        drift = options["drift"]
        native = (
            _ERRORS.index(options["errors"]),
            options["check"] == "all",
            drift in {"error", "widen"},
            options["columns"] is not None,
            drift == "rest",
            options["batch_bytes"],
            options["threads"] or _default_threads(),
        )
        sources = tuple(opened.sources)
        stream, problems = _snooze.scan_open(
            columns, sources, tuple(opened.ranges), native
        )
        self._problems = (problems, [name for name, _, _ in sources])
        return stream


def _again(
    files: tuple[tuple[str, int, int | None], ...],
    columns: tuple[Column, ...] | None,
    options: dict[str, Any],
) -> Scan:
    """Return a scan of ranges of files whose columns are known."""
    return Scan(
        [path for path, _, _ in files], None, dict(options), pieces=files, known=columns
    )


def _sample(ranges: Sequence[Range]) -> list[Range]:
    """Return the first ranges, up to the size of a sample."""
    chosen, left = [], SAMPLE
    for source, start, end in ranges:
        if left <= 0:
            break
        chosen.append((source, start, min(end, start + left)))
        left -= end - start
    return chosen


def _fail(code: int, text: str, problems: tuple[Any, list[str]] | None) -> NoReturn:
    """Raise the error of a stream."""
    import errno  # noqa: PLC0415 - not at import time

    if code != errno.EINVAL:
        raise OSError(code, f"{os.strerror(code)}: {text}")
    last = None if problems is None else _snooze.scan_problems(problems[0])[2]
    if last is None or problems is None:
        raise ScanError(text)
    raise ScanError(text, ScanProblem(problems[1][last[0]], *last[1:]))


def _default_threads() -> int:
    """Return the processors that this process may use, up to eight."""
    count = getattr(os, "process_cpu_count", None)
    if count is None and hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 8)
    return min((count or os.cpu_count)() or 1, 8)


def scan(  # noqa: PLR0913 - one for each option
    source: Any,
    /,
    schema: Any = None,
    *,
    columns: Iterable[str] | None = None,
    errors: _Errors = "raise",
    drift: _Drift | None = None,
    check: _Check = "all",
    threads: int | None = None,
    batch_bytes: int = 16 << 20,
) -> Scan:
    r"""Read JSON Lines into Arrow record batches.

    Each line is an object, whose members become columns. Lines without a record are
    passed over, and so is a byte order mark at the start. No record, member or digit
    is lost without an error, unless you ask for it.

    Args:
        source: A path or a pattern such as ``logs/*.ndjson``, several of them, bytes or
            any other buffer, an open file, or an iterable of bytes. Files in ``.gz``
            and ``.zst`` are decompressed, as by ``load``. What can be read only once is
            copied first: into memory up to 64 MiB, else into a temporary file. Do not
            shorten a file, or change a buffer, while it is scanned.
        schema: A dataclass, TypedDict or attrs class, or an object with
            ``__arrow_c_schema__`` such as a ``pyarrow.Schema``. Constraints of a class
            are not checked. Default None: inferred from the records.
        columns: The members to read, in this order. Default None: all.
        errors: What happens to a record that is not JSON or does not fit the schema:
            ``"raise"`` ends the scan, ``"skip"`` leaves the record out, ``"null"`` puts
            null for values that do not fit, and leaves the record out where that is
            not enough. `Scan.problems` lists them. Default ``"raise"``.
        drift: What happens to members that the schema does not have. ``"widen"``, the
            default without a schema: all records are read once before, so that the
            schema has them all. ``"error"``: such a record does not fit; without a
            schema, the first 4 MiB decide. ``"rest"``: a column ``_rest`` takes them,
            and values that do not fit, as a JSON object by JSON Pointer. ``"ignore"``,
            the default with a schema: they are not wanted.
        check: ``"all"`` checks the whole text. ``"read"`` checks what is read: of
            other members only the end is found, and after the last wanted one the rest
            of the line is not looked at. Default ``"all"``.
        threads: How many threads read. They need no GIL. Default None: as many as this
            process has processors, up to eight.
        batch_bytes: The bytes of text in one batch, 1 to 1 GiB. Default 16 MiB. A scan
            holds about three times this for each thread.

    Returns:
        A `Scan`, which pyarrow, polars, DuckDB, pandas and others read as it is.

    Raises:
        OSError: A file cannot be read; FileNotFoundError if there is none.
        TypeError: The source or the schema is none of these, or has a type that JSON is
            not read into.
        ValueError: An option has another value.

    Examples:
        >>> import snooze
        >>> log = b'{"ts": 1, "status": 200}\n{"ts": 2, "status": 404}'
        >>> scan = snooze.scan(log, columns=["status"])
        >>> scan.columns
        {'status': 'int64'}
    """
    _check_names(schema, errors, drift, check)
    if threads is not None and not 1 <= threads <= 1024:
        raise ValueError(f"threads: expected 1 to 1024, found {threads}")
    if not 1 <= batch_bytes <= _MAX_BATCH:
        raise ValueError(
            f"batch_bytes: expected 1 to {_MAX_BATCH}, found {batch_bytes}"
        )
    options = {
        "columns": _names_of(columns),
        "errors": errors,
        "drift": drift,
        "check": check,
        "threads": threads,
        "batch_bytes": batch_bytes,
    }
    if not _is_source(source):
        raise TypeError(
            "source: expected a path or pattern, several paths, bytes, an open file or "
            f"an iterable of bytes, found {type(source).__name__}"
        )
    return Scan(source, schema, options)


def _check_names(schema: Any, errors: str, drift: str | None, check: str) -> None:
    """Raise if an option has another value than those it may have."""
    for name, value, allowed in (
        ("errors", errors, _ERRORS),
        ("drift", drift, (None, *_DRIFTS)),
        ("check", check, ("all", "read")),
    ):
        if value not in allowed:
            names = ", ".join(repr(one) for one in allowed)
            raise ValueError(f"{name}: expected one of {names}, found {value!r}")
    if schema is None and drift == "ignore":
        raise ValueError('drift="ignore" needs a schema: members would be lost')
    if schema is not None and drift == "widen":
        raise ValueError('drift="widen" is for inferred schemas: one is given')


def _names_of(columns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names of columns."""
    if columns is None:
        return None
    if isinstance(columns, str):
        raise TypeError("columns: expected several names, found a str")
    names = tuple(columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns: expected str, found {type(name).__name__}")
    return names


def _is_source(source: Any) -> bool:
    """Return whether a source may be one; reading it decides."""
    if isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike)):
        return True
    return any(hasattr(source, name) for name in ("read", "__iter__", "__buffer__"))
