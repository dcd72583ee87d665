"""`write_lines`: Arrow record batches as JSON Lines.

Separate from `api`, which reads. Invariants: a file is replaced as a whole or not at
all; the producer is released when the call ends, however it ends. Imported by
``import snooze``, so it imports the rest when it is called.
"""

from __future__ import annotations

import os

from snooze import _snooze
from snooze._typed.lazy_typing import TYPE_CHECKING, Any
from snooze._typed.options import check_choice

if TYPE_CHECKING:
    from typing import IO, Literal, NoReturn

    from snooze._scan.streams import Problems

_NULLS = ("keep", "omit")
_NANS = ("null", "error")
_DECIMALS = ("number", "str")


def write_lines(
    source: Any,
    dest: str | os.PathLike[str] | IO[bytes] | IO[str],
    /,
    *,
    nulls: Literal["keep", "omit"] = "keep",
    nan: Literal["null", "error"] = "null",
    decimal: Literal["number", "str"] = "number",
) -> int:
    r"""Write Arrow record batches as JSON Lines: one object for each row.

    The rows are made into text without the GIL, a part at a time, so memory is that of
    one batch.

    Args:
        source: A table or a stream of record batches from any library: an object with
            ``__arrow_c_stream__`` or ``__arrow_c_array__``, such as a `Scan`, a
            ``pyarrow.Table``, or a data frame of polars or pandas.
        dest: A path, or an open file, binary or text. The file of a path is replaced
            when all is written, as by ``dump``. Paths in ``.gz`` and ``.zst`` are
            compressed.
        nulls: ``"keep"`` writes members that are null; ``"omit"`` leaves them out, also
            of objects inside. Elements of arrays and values of maps are always kept.
            Default ``"keep"``.
        nan: ``"null"`` writes NaN and infinities as null; ``"error"`` refuses them.
            Default ``"null"``.
        decimal: ``"number"`` writes decimals as numbers with all their digits,
            ``"str"`` as strings. Default ``"number"``.

    Returns:
        The number of rows written.

    Raises:
        TypeError: The source is no table, or has a column of a type that is not
            written; the message names it. The destination is neither a path nor an
            open file.
        ValueError: A value cannot be written, such as a date after the year 9999; the
            producer breaks Arrow's specification; two columns have one name; an option
            has another value; Python cannot write the compression.
        ScanError: The source is a scan, and a record does not fit.
        OSError: The file cannot be written, or the producer failed.

    Examples:
        >>> import io, snooze
        >>> file = io.BytesIO()
        >>> scan = snooze.scan(b'{"a": 1, "b": [true]}\n{"a": 2.5}')
        >>> snooze.write_lines(scan, file, nulls="omit")
        2
        >>> file.getvalue()
        b'{"a":1.0,"b":[true]}\n{"a":2.5}\n'
    """
    from snooze._files import put_pieces  # noqa: PLC0415 - not at import time

    pieces = lines_of(source, nulls=nulls, nan=nan, decimal=decimal)
    try:
        return put_pieces(dest, pieces)
    finally:
        pieces.close()


def lines_of(
    source: Any, *, nulls: str = "keep", nan: str = "null", decimal: str = "number"
) -> Lines:
    """Return an iterator of lines and how many they are; the schema is checked now."""
    for name, value, allowed in (
        ("nulls", nulls, _NULLS),
        ("nan", nan, _NANS),
        ("decimal", decimal, _DECIMALS),
    ):
        check_choice(name, value, allowed)
    from snooze._scan.scan import Scan  # noqa: PLC0415 - not at import time

    options = (nulls == "omit", nan == "error", decimal == "str")
    stream = getattr(source, "__arrow_c_stream__", None)
    array = getattr(source, "__arrow_c_array__", None)
    if isinstance(source, type) or (stream is None and array is None):
        kind = "a class" if isinstance(source, type) else type(source).__name__
        raise TypeError(
            "expected a table or a stream of record batches (an object with "
            f"__arrow_c_stream__ or __arrow_c_array__), found {kind}"
        )
    _refuse_objects(source)
    problems = None
    if isinstance(source, Scan):
        # Batches without rows, so that a scan that finds none can be interrupted.
        found = source._stream(has_empty=True)  # noqa: SLF001 - of one package
        problems = found.problems
        opened = _snooze.lines_open(found.capsule, None, options)
    elif stream is not None:
        opened = _snooze.lines_open(stream(), None, options)
    else:
        schema, batch = array()  # type: ignore[misc]
        opened = _snooze.lines_open(schema, batch, options)
    if isinstance(opened, tuple):
        _fail(problems, *opened)
    return Lines(problems, opened)


class Lines:
    """An iterator of parts of the text, each with the number of its lines."""

    __slots__ = ("_problems", "_writer", "has_failed")

    def __init__(self, problems: Problems | None, writer: Any) -> None:
        """Keep what is written, and the problems of its stream if that is of a scan."""
        #: Whether an error is that of the producer.
        self.has_failed = False
        self._problems = problems
        self._writer = writer

    def __iter__(self) -> Lines:
        """Return the iterator."""
        return self

    def __next__(self) -> tuple[bytes, int]:
        """Return the next part."""
        self.has_failed = True
        found = _snooze.lines_next(self._writer)
        if found is None:
            self.has_failed = False
            raise StopIteration
        first, second = found
        if isinstance(first, bytes):
            self.has_failed = False
            return first, second  # type: ignore[return-value]
        return _fail(self._problems, first, second)  # type: ignore[arg-type]

    def close(self) -> None:
        """Release the producer."""
        _snooze.lines_close(self._writer)


def _refuse_objects(source: Any) -> None:
    """Refuse a polars column of Python objects: its Arrow data are their addresses."""
    if type(source).__module__.partition(".")[0] != "polars":
        return
    for name, dtype in getattr(source, "schema", {}).items():
        if str(dtype) == "Object":
            raise TypeError(
                f"the column {name!r} has the type Object of polars, which is not "
                "written as JSON; cast it"
            )


def _fail(problems: Problems | None, code: int, text: str) -> NoReturn:
    """Raise the error of a producer; `problems` are those of the stream of a scan."""
    import errno  # noqa: PLC0415 - only failures need it

    if problems is not None:
        from snooze._scan import streams  # noqa: PLC0415 - likewise

        streams.fail(code, text, problems)
    if code == errno.EINVAL:
        raise ValueError(text or "the producer of the record batches failed")
    raise OSError(code, f"{os.strerror(code)}: {text}")
