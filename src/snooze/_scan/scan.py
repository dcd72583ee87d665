"""`Scan`, the class that users see.

Separate from `streams`, which calls compiled code, and from `sources` and `resolve`,
which are imported when a scan needs them. Invariants: a scan reads nothing
before its schema or a batch is asked for; each stream of it begins again. Made by
`api`, called by users.
"""

from __future__ import annotations

import os

from snooze import _snooze
from snooze._scan.arguments import (
    READ_FIRST,
    REST_COLUMN,
    count_of,
    limit_of,
    names_of,
)
from snooze._scan.outcome import RecordBatch, ScanProblem, ScanProgress
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from snooze._scan.conditions import Filter
    from snooze._scan.once import Once
    from snooze._scan.schemas import Column
    from snooze._scan.sources import Opened
    from snooze._scan.streams import Problems, Stream


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
        "_filter",
        "_known",
        "_once",
        "_options",
        "_pieces",
        "_problems",
        "_schema",
        "_source",
        "_trial",
    )
    __module__ = "snooze"

    def __init__(  # noqa: PLR0913 - what `select` and `splits` already know
        self,
        source: Any,
        schema: Any,
        options: dict[str, Any],
        *,
        pieces: tuple[tuple[str, int, int | None], ...] | None = None,
        columns: tuple[Column, ...] | None = None,
        known: tuple[Column, ...] | None = None,
        chosen: Filter | None = None,
        shared: Once | None = None,
    ) -> None:
        """Store what to scan; `snooze.scan` checks the options."""
        from snooze._scan import once  # noqa: PLC0415 - not at import time

        self._source = source
        self._schema = schema
        self._options = options
        #: Ranges of files, for a part of a scan: `(path, start, end)`.
        self._pieces = pieces
        #: The columns, once they are known, without that for the rest.
        self._columns = columns
        #: All columns that are known, also those that are not selected.
        self._known = known
        #: What decides which records become rows, once the columns are known.
        self._filter = chosen
        #: The source as it was opened, for all scans made of this one.
        self._once = once.Once() if shared is None else shared
        #: What a trial reads, while it does.
        self._trial: Opened | None = None
        #: The problems of the latest stream.
        self._problems: Problems | None = None
        # A missing file or a wrong schema is an error of the call of `scan`, not of the
        # library that reads it.
        if pieces is None and options["filesystem"] is not None:
            from snooze._scan import filesystems, sources  # noqa: PLC0415

            named = sources.named_by(source) or ()
            pins: dict[str, dict[str, Any]] = {}
            found = filesystems.pieces_of(options["filesystem"], named, pins)
            self._pieces = tuple(found)
            self._options = {**options, "pins": pins}
        elif pieces is None:
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
        """The files that are read; None if the source is not a file.

        Each is `(path, start, end)`, in bytes; the end is None for all of a file.
        """
        files = self._files()
        return None if files is None else tuple(files)

    @property
    def limit(self) -> int | None:
        """The most rows that the scan has, if it was given a limit."""
        found: int | None = self._options["limit"]
        return found

    @property
    def problems(self) -> list[ScanProblem]:
        """The wrong records of the latest stream, as far as it was read.

        The first 1000; all of them with `errors="collect"`, with their text.
        """
        _, described, last = self._found()
        names = [] if self._problems is None else self._problems[1]
        found = [*described, *([] if last is None else [last])]
        return [ScanProblem(names[one[0]], *one[1:]) for one in found]

    @property
    def problem_count(self) -> int:
        """How many records of the latest stream were left out or have lost a value."""
        return int(self._found()[0])

    @property
    def progress(self) -> ScanProgress:
        """How far the latest stream has come; any thread may ask, at any time."""
        if self._problems is None:
            return ScanProgress("rows", 0, self._total(), 0)
        done, rows = _snooze.scan_progress(self._problems[0])
        return ScanProgress("rows", done, self._total(), rows)

    def batches(
        self, progress: Callable[[ScanProgress], object] | None = None
    ) -> Iterator[RecordBatch]:
        r"""Yield the batches, and report how far the scan has come.

        Args:
            progress: Called on this thread with a `ScanProgress`, after each 16 MiB of
                text or each batch, also where all records fail the condition; first
                while the schema is inferred, if it still has to be. What it raises
                ends the scan, as Ctrl-C does. Default None: not called.

        Examples:
            >>> import snooze
            >>> scan = snooze.scan(b'{"a": 1}\n{"a": 2}')
            >>> for batch in scan.batches(print):
            ...     print(len(batch))
            ScanProgress(phase='schema', done=17, total=17, rows=0)
            ScanProgress(phase='rows', done=17, total=17, rows=2)
            2
        """
        from snooze._scan import streams  # noqa: PLC0415 - not at import time

        # Not the problems of the scan: those are of the latest stream.
        stream, columns, problems = self._stream(progress, has_empty=True)
        while (found := _snooze.scan_next(stream)) is not None:
            first, second = found
            if isinstance(second, str):
                streams.fail(int(first), second, problems)
            if progress is not None:
                done, rows = _snooze.scan_progress(problems[0])
                progress(ScanProgress("rows", done, problems[2], rows))
            if second:
                yield RecordBatch(columns, first, second)

    def select(self, columns: Iterable[str]) -> Scan:
        """Return a scan of some columns of this one, with the same types.

        Args:
            columns: Their names, in the order wanted; none for rows without columns.

        Raises:
            TypeError: A name is not a str, or the names are a str or None.
            ValueError: The scan has no such column, or one is named twice; or it has
                `drift="rest"`, whose `_rest` depends on which columns are read.
        """
        names = names_of(columns)
        if names is None:
            raise TypeError("columns: expected several names, found None")
        if self._options["drift"] == "rest":
            raise ValueError('select: a scan with drift="rest" reads all its columns')
        by_name = {column[0]: column for column in self._all_columns()}
        for name in names:
            if name not in by_name:
                known = ", ".join(map(repr, by_name)) or "none"
                raise ValueError(f"columns: expected some of {known}, found {name!r}")
        chosen = tuple(by_name[name] for name in names)
        return self._changed(chosen, self._filter, columns=names)

    def where(self, condition: str) -> Scan:
        """Return a scan of the records that also meet a condition.

        Args:
            condition: As for `snooze.scan`. It may test the columns of this scan, and
                those that it has not selected if a schema was given.

        Raises:
            TypeError: It is no str.
            ValueError: It is no condition, or does not fit the columns; or the scan has
                a limit, which counts the rows that meet its own condition.
        """
        from snooze._scan import resolve  # noqa: PLC0415 - not at import time
        from snooze._scan.conditions import Condition  # noqa: PLC0415

        if self._options["limit"] is not None:
            raise ValueError("where: a scan with a limit of rows; call `head` last")
        before = self._options["where"]
        added = Condition(condition).text
        text = added if before is None else Condition(before).also(added)
        self._all_columns()
        options = {**self._options, "where": text}
        resolver = resolve.Resolver(self._schema, options, self._opened, None)
        bound = resolver.bound(self._known or ())
        return self._changed(self._columns, bound, where=text)

    def head(self, rows: int) -> Scan:
        """Return a scan of the first rows.

        Args:
            rows: How many, at least 0.

        Raises:
            ValueError: The number is negative.
        """
        rows = limit_of(rows)
        limit = self._options["limit"]
        limit = rows if limit is None else min(rows, limit)
        return self._changed(self._all_columns_read(), self._filter, limit=limit)

    def _changed(
        self, found: tuple[Column, ...] | None, chosen: Filter | None, **options: Any
    ) -> Scan:
        """Return a scan of the same source with some other options."""
        return Scan(
            self._source,
            None,
            {**self._options, **options},
            pieces=self._pieces,
            columns=found,
            known=self._known,
            chosen=chosen,
            shared=self._once.shared(copies=self._options["filesystem"] is None),
        )

    def _all_columns_read(self) -> tuple[Column, ...] | None:
        """Return the columns without that for the rest."""
        self._all_columns()
        return self._columns

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
            TypeError: The source is not a path: its data exists only in this process.
                The size is no int.
            ValueError: The size is below 1, or the scan ends after a number of rows,
                which no part could know, or a path is a pipe.
        """
        from snooze._files import compression  # noqa: PLC0415
        from snooze._scan import sources  # noqa: PLC0415 - not at import time

        is_remote = self._options["filesystem"] is not None
        size = count_of("size", size)
        if self._options["limit"] is not None:
            raise ValueError("splits: a scan with a limit of rows has no parts")
        files = self._files()
        if files is None:
            raise TypeError("splits: expected a scan of files, found one of an object")
        if not is_remote:
            sources.check_rereadable(path for path, _, _ in files)
        self._all_columns()
        # Copies of many parts would be all of the text.
        options = {**self._options, "keeps_copies": False}
        options["threads"] = options["threads"] or 1
        found = self._columns, self._known, self._filter

        def options_of(path: str) -> dict[str, Any]:
            # Each part takes what it needs along, not the pins of all files.
            return {**options, "pins": {path: pins[path]}} if path in pins else options

        pins = options.get("pins", {})
        parts = []
        for path, start, end in files:
            if compression(path) is not None:
                parts.append(_again(((path, 0, None),), options_of(path), *found))
                continue
            if is_remote and end is not None:
                stop = end
            else:
                stop = os.stat(path).st_size  # noqa: PTH116 - a path is a str here
                stop = stop if end is None else min(end, stop)
            parts += [
                _again(((path, at, min(at + size, stop)),), options_of(path), *found)
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
        return self._stream().capsule

    def __iter__(self) -> Iterator[RecordBatch]:
        """Yield the batches."""
        return self.batches()

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
        found = self._columns, self._known, self._filter
        return _again, (tuple(files), self._options, *found)

    def _total(self) -> int:
        """Return the bytes of text in all; 0 if they are not known yet."""
        if self._problems is not None:
            return self._problems[2]
        # Nothing is copied here, which could take as long as the scan.
        opened = self._trial or self._once.copied
        if opened is None and self._options["filesystem"] is None:
            from snooze._scan.sources import opens_at_once  # noqa: PLC0415

            if opens_at_once(self._source, self._files(), self._schema is not None):
                opened = self._opened()
        return sum(end - start for _, start, end in opened.ranges) if opened else 0

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

    def _opened(self, most: int | None = None, *, is_trial: bool = False) -> Opened:
        """Return the ranges to read now.

        Args:
            most: How much is enough, where reading takes a copy. Default None: all.
            is_trial: Whether nothing is read again if all goes well.
        """
        from snooze._scan import sources  # noqa: PLC0415 - not at import time

        if self._once.copied is not None:
            return self._once.copied
        files = self._files()
        filesystem = self._options["filesystem"]
        if files is not None and filesystem is not None:
            result = sources.fetched(
                filesystem, files, most, self._options.get("pins", {})
            )
            if most is None and self._options["keeps_copies"]:
                self._once.copied = result
            return result
        return self._once.open_once(
            lambda: self._newly_opened(files, is_trial=is_trial)
        )

    def _newly_opened(
        self, files: list[tuple[str, int, int | None]] | None, *, is_trial: bool
    ) -> Opened:
        """Return the ranges to read now; keep them if something was copied."""
        from snooze._scan import sources  # noqa: PLC0415 - not at import time

        if files is None:
            self._once.has_begun = sources.is_read_once(self._source)
            self._once.copied = sources.open_object(self._source)
            return self._once.copied
        # All records are looked at before the first batch, unless the schema is known.
        widens = self._columns is None and self._options["drift"] in READ_FIRST
        # What has to be copied anyway is copied once.
        reads_once = is_trial and not any(map(sources.must_copy, (f[0] for f in files)))
        rereads = widens and self._schema is None and not reads_once
        result = sources.opened_files(files, self._once, rereads=rereads)
        if any(kind == "memory" for _, kind, _ in result.sources):
            self._once.copied = result
        return result

    def _all_columns(
        self, progress: Callable[[ScanProgress], object] | None = None
    ) -> tuple[Column, ...]:
        """Return the columns, with that for the rest."""
        if self._columns is None:
            self._columns = self._find_columns(progress)
        if self._options["drift"] == "rest":
            return (*self._columns, REST_COLUMN)
        return self._columns

    def _find_columns(
        self, progress: Callable[[ScanProgress], object] | None
    ) -> tuple[Column, ...]:
        """Return the columns of the schema, or infer them."""
        from snooze._scan import resolve  # noqa: PLC0415 - not at import time

        resolver = resolve.Resolver(self._schema, self._options, self._opened, progress)
        found = resolver.resolved()
        self._known, self._filter = found.known, found.filter
        return found.columns

    def _stream(
        self,
        progress: Callable[[ScanProgress], object] | None = None,
        *,
        has_empty: bool = False,
    ) -> Stream:
        """Return a new stream; its problems become those of the scan."""
        from snooze._scan import streams  # noqa: PLC0415 - not at import time

        is_new = self._columns is None and self._schema is None
        if is_new and streams.can_try(self._options):
            progress = streams.rising(progress)
            tried = self._tried(progress, has_empty=has_empty)
            if tried is not None:
                return tried
        columns = self._all_columns(progress)
        found = streams.open_stream(
            columns, self._opened(), self._filter, self._options, has_empty=has_empty
        )
        self._problems = found.problems
        return found

    def _tried(
        self, progress: Callable[[ScanProgress], object] | None, *, has_empty: bool
    ) -> Stream | None:
        """Return a stream that has read everything, or None if a trial fails."""
        from snooze._scan import streams  # noqa: PLC0415 - not at import time

        self._options["drift"] = "widen"
        self._trial = self._opened(is_trial=True)
        try:
            tried = streams.tried(
                self._trial, self._options, progress, has_empty=has_empty
            )
        finally:
            self._trial = None
        if tried is None:
            return None
        found, self._known = tried
        self._columns, self._problems = found.columns, found.problems
        return found


def _again(
    files: tuple[tuple[str, int, int | None], ...],
    options: dict[str, Any],
    columns: tuple[Column, ...] | None,
    known: tuple[Column, ...] | None,
    chosen: Filter | None,
) -> Scan:
    """Return a scan of ranges of files whose columns are known."""
    paths, own = [path for path, _, _ in files], dict(options)
    return Scan(
        paths, None, own, pieces=files, columns=columns, known=known, chosen=chosen
    )
