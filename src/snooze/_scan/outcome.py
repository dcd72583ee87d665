"""What a scan yields, reports and raises: `RecordBatch`, `ScanProblem`, `ScanError`.

Separate from `scan`, which makes them. Invariants: they survive pickling, but for a
batch, whose memory is given away once. Made by `scan`, seen by users.
"""

from __future__ import annotations

from collections import namedtuple

from snooze import _snooze
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple

    from snooze._scan.schemas import Column

    class _ProblemFields(NamedTuple):
        source: str
        line: int | None
        offset: int
        pointer: str
        expected: str
        found: str
        text: bytes | None

    class _ProgressFields(NamedTuple):
        phase: str
        done: int
        total: int
        rows: int

else:
    _ProblemFields = namedtuple(  # noqa: PYI024 - not at import time
        "_ProblemFields", "source line offset pointer expected found text"
    )
    _ProgressFields = namedtuple(  # noqa: PYI024 - not at import time
        "_ProgressFields", "phase done total rows"
    )


#: The policies for wrong records, as Rust counts them.
ERRORS = ("raise", "skip", "null", "collect")


class ScanProblem(_ProblemFields):
    r"""One record that does not fit; a named tuple.

    Attributes:
        source: The path, or the kind of object, such as ``<bytes>``.
        line: The line, from 1; None if the scan began inside the source.
        offset: The byte in the source, from 0.
        pointer: The place in the record as a JSON Pointer (RFC 6901).
        expected: What the column takes, or what JSON demands.
        found: What the record has.
        text: The line, without its line feed, if `errors="collect"`; else None.

    Examples:
        >>> import snooze
        >>> scan = snooze.scan(b'{"a": 1}\n{"a": 2', errors="skip")
        >>> [len(batch) for batch in scan]
        [1]
        >>> scan.problems[0].line, scan.problems[0].found
        (2, 'unexpected end of data')
    """

    __slots__ = ()
    __module__ = "snooze"


class ScanProgress(_ProgressFields):
    r"""How far a scan has come; a named tuple.

    Attributes:
        phase: ``"schema"`` while the columns are inferred, then ``"rows"``.
        done: The bytes that were read: of the copy if one was made, else of the file,
            also where that is compressed.
        total: All bytes; 0 while unknown. A scan with a limit ends earlier.
        rows: The rows that were read.

    Examples:
        >>> import snooze
        >>> scan = snooze.scan(b'{"a": 1}\n{"a": 2}')
        >>> scan.progress
        ScanProgress(phase='rows', done=0, total=17, rows=0)
    """

    __slots__ = ()
    __module__ = "snooze"


class ScanError(ValueError):
    r"""The exception for a record that ends a scan.

    Other libraries that read a scan raise an exception of their own with the same text.

    Attributes:
        problem: The record, as a `ScanProblem`; None if a line is too long to read, or
            `errors="collect"` has no room for more.

    Examples:
        >>> import snooze
        >>> try:
        ...     list(snooze.scan(b'{"a": 1}\n{"a": 2'))
        ... except snooze.ScanError as error:
        ...     print(error.problem.line)
        2
    """

    __module__ = "snooze"
    problem: ScanProblem | None

    def __init__(self, message: str, problem: ScanProblem | None = None) -> None:
        """Store the text and the problem."""
        super().__init__(message)
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the call that makes an equal exception, and with the notes."""
        return type(self), (*self.args, self.problem), vars(self)


class RecordBatch:
    r"""Some rows of a scan, for any library that reads Arrow's C data interface.

    `len(batch)` is the number of rows. A library takes the batch once:
    ``pyarrow.record_batch(batch)``, ``polars.DataFrame(batch)``.

    Examples:
        >>> import snooze
        >>> [batch] = snooze.scan(b'{"a": 1}\n{"a": 2}')
        >>> len(batch)
        2
    """

    __slots__ = ("_array", "_columns", "_rows")
    __module__ = "snooze"

    def __init__(self, columns: tuple[Column, ...], array: Any, rows: int) -> None:
        """Store the parts; only scans call this."""
        self._columns = columns
        self._array = array
        self._rows = rows

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows

    def __repr__(self) -> str:
        """Return the numbers of rows and columns."""
        return f"<snooze.RecordBatch: {self._rows} x {len(self._columns)}>"

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        """Return the capsules of schema and array, once.

        Args:
            requested_schema: Not followed: the consumer converts.

        Returns:
            Capsules named ``arrow_schema`` and ``arrow_array``.

        Raises:
            ValueError: The batch was taken before.
        """
        array, self._array = self._array, None
        if array is None:
            raise ValueError("this batch was taken before; scan again")
        return _snooze.scan_schema(self._columns), array
