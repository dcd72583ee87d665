"""`scan`: the options of a scan, checked.

Separate from `Scan`, which reads. Invariant: no option is accepted and ignored. Called
by users.
"""

from __future__ import annotations

import os

from snooze._scan.arguments import count_of, limit_of, names_of
from snooze._scan.outcome import ERRORS
from snooze._scan.scan import Scan
from snooze._typed.lazy_typing import TYPE_CHECKING, Any
from snooze._typed.options import check_choice

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    _Errors = Literal["raise", "skip", "null", "collect"]
    _Drift = Literal["widen", "json", "error", "rest", "ignore"]
    _Check = Literal["all", "read"]

_DRIFTS = ("widen", "json", "error", "rest", "ignore")
_MAX_BATCH = 1 << 30
_MAX_THREADS = 1024


def scan(  # noqa: PLR0913 - one for each option
    source: Any,
    /,
    schema: Any = None,
    *,
    columns: Iterable[str] | None = None,
    where: str | None = None,
    limit: int | None = None,
    errors: _Errors = "raise",
    drift: _Drift | None = None,
    check: _Check = "all",
    threads: int | None = None,
    batch_bytes: int = 16 << 20,
    filesystem: Any = None,
) -> Scan:
    r"""Read JSON Lines into Arrow record batches.

    Each line is an object, whose members become columns. Lines without a record are
    passed over, and so is a byte order mark at the start. No record, member or digit
    is lost without an error, unless you ask for it.

    Args:
        source: A path or a pattern such as ``logs/*.ndjson``, several of them, bytes or
            any other buffer, an open file, or an iterable of bytes. Files in ``.gz``
            and ``.zst`` are decompressed. What can be read only once, or is compressed,
            is copied first: 64 MiB of all copies stay in memory, the rest goes to a
            temporary file. Only a file in ``.gz`` that is read once is not: one thread
            decompresses while others read. Do not shorten a file, or change a buffer,
            while it is scanned.
        schema: A dataclass, TypedDict or attrs class, or an object with
            ``__arrow_c_schema__`` such as a ``pyarrow.Schema``. Constraints of a class
            are not checked. Default None: inferred from the records.
        columns: The members to read, in this order. Default None: all.
        where: The condition of a record that becomes a row, such as
            ``"status >= 500 and user.name is not None"``: comparisons of columns with
            constants in Python's syntax, ``in``, ``is None``, ``startswith``, ``and``,
            ``or``, ``not``. As in SQL, a comparison with null is not true. Of a record
            that fails, the tested members must fit, and the rest must be JSON. Default
            None: all records.
        limit: The most rows, from the first; reading ends there. Default None: all.
        errors: What happens to a record that is not JSON or does not fit the schema:
            ``"raise"`` ends the scan, ``"skip"`` leaves the record out, ``"null"`` puts
            null for values that do not fit, and leaves the record out where that is
            not enough; `Scan.problems` lists the first 1000. ``"collect"`` leaves the
            record out, and `Scan.problems` has all of them, with their text: up to
            64 MiB of these, then the scan ends. Default ``"raise"``.
        drift: What happens to members that the schema does not have. ``"widen"``, the
            default without a schema: all records are looked at before, so that the
            schema has them all. The columns of the first ones are tried on all;
            if every record fits, none is read twice, and the batches are held in
            memory, up to 128 MiB. ``"json"``: all are looked at before, too, but a
            column whose values are not all of one type is their JSON text, whatever
            changes in it: integers and floats, or objects of which some lack a member.
            ``"error"``: such a record does not fit; without a
            schema, the first 4 MiB decide. ``"rest"``: a column ``_rest`` takes them,
            and values that do not fit, as a JSON object by JSON Pointer. ``"ignore"``:
            other members are skipped; the default with a schema, unless its class
            forbids them.
        check: ``"all"`` checks the whole text. ``"read"`` checks what is read: of
            other members only the end is found, and after the last wanted one the rest
            of the line is not looked at. Lines without a string that `where` requires,
            as in ``level == "ERROR"``, are skipped. Default ``"all"``.
        threads: How many threads read. They need no GIL. Default None: as many as this
            process has processors, up to eight.
        batch_bytes: The bytes of text in one batch, 1 to 1 GiB. Default 16 MiB. A scan
            holds about three times this for each thread, and without a schema up to
            128 MiB more.
        filesystem: Where the paths are: an object of fsspec, obstore or pyarrow.fs, or
            another with ``open(path, "rb")``. Files are copied first, some ranges at a
            time; of a part of `Scan.splits`, only its range. Default None: the files of
            this machine.

    Returns:
        A `Scan`, which pyarrow, polars, DuckDB, pandas and others read as it is.

    Raises:
        OSError: A file cannot be read; FileNotFoundError if there is none. Exceptions
            of the file system are raised as they are.
        TypeError: The source, the file system or the schema is none of these, or has a
            type that JSON is not read into; without `drift`, a class that forbids
            unknown members is inside one that does not, or has a tag; a number is no
            int.
        ValueError: An option has another value. A condition that does not fit inferred
            columns is found when they are inferred.

    Examples:
        >>> import snooze
        >>> log = b'{"ts": 1, "status": 200}\n{"ts": 2, "status": 404}'
        >>> scan = snooze.scan(log, columns=["status"])
        >>> scan.columns
        {'status': 'int64'}
    """
    _check_names(schema, errors, drift, check)
    if threads is not None:
        threads = count_of("threads", threads, _MAX_THREADS)
    batch_bytes = count_of("batch_bytes", batch_bytes, _MAX_BATCH)
    if limit is not None:
        limit = limit_of(limit)
    if where is not None:
        from snooze._scan.conditions import Condition  # noqa: PLC0415

        Condition(where)
    options = {
        "columns": names_of(columns),
        "where": where,
        "limit": limit,
        "errors": errors,
        "drift": drift,
        "check": check,
        "threads": threads,
        "batch_bytes": batch_bytes,
        "filesystem": filesystem,
        "keeps_copies": True,
    }
    if filesystem is not None:
        _check_filesystem(filesystem, source)
    if not _is_source(source):
        raise TypeError(
            "source: expected a path or pattern, several paths, bytes, an open file or "
            f"an iterable of bytes, found {type(source).__name__}"
        )
    if isinstance(source, list):
        # It is read later and more than once, and may be another list by then.
        source = list(source)
    return Scan(source, schema, options)


def _check_names(schema: Any, errors: str, drift: str | None, check: str) -> None:
    """Raise if an option has another value than those it may have."""
    for name, value, allowed in (
        ("errors", errors, ERRORS),
        ("drift", drift, (None, *_DRIFTS)),
        ("check", check, ("all", "read")),
    ):
        check_choice(name, value, allowed)
    if schema is None and drift == "ignore":
        raise ValueError('drift="ignore" needs a schema: members would be lost')
    if schema is not None and drift in {"widen", "json"}:
        raise ValueError(f'drift="{drift}" is for inferred schemas: one is given')


def _check_filesystem(filesystem: Any, source: Any) -> None:
    """Raise unless an object is a file system, and the source is paths in it."""
    from snooze._scan import filesystems, sources  # noqa: PLC0415 - not at import time

    filesystems.kind_of(filesystem)
    if sources.named_by(source) is None:
        raise TypeError(
            "filesystem: expected a path or several as the source, found "
            f"{type(source).__name__}"
        )


def _is_source(source: Any) -> bool:
    """Return whether a source may be one; reading it decides."""
    if isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike)):
        return True
    if any(hasattr(source, name) for name in ("read", "__iter__")):
        return True
    try:
        # Before Python 3.12 no attribute says that an object of C is a buffer.
        with memoryview(source):
            return True
    except TypeError:
        return False
