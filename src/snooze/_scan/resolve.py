"""The columns of a scan and its filter: those of its schema, or inferred from records.

Separate from `scan`, because it is done before the first batch is read. Invariants: a
column that is asked for exists, or the error says so; a wrong record that ends the scan
is reported before a column that is missing because of it. Called by `scan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from snooze._scan import schemas, streams
from snooze._scan.arguments import READ_FIRST, REST, REST_COLUMN
from snooze._scan.conditions import Condition
from snooze._scan.outcome import ScanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._scan.conditions import Filter
    from snooze._scan.outcome import ScanProgress
    from snooze._scan.schemas import Column
    from snooze._scan.sources import Opened, Range


class Resolved(NamedTuple):
    """What is known of the columns of a scan."""

    #: Those to read, without that for the rest.
    columns: tuple[Column, ...]
    #: All that are known, also those that are not selected.
    known: tuple[Column, ...]
    #: Which records become rows. None: all.
    filter: Filter | None


class Resolver:
    """Finds the columns of one scan.

    Args:
        schema: That of the scan. None: infer it.
        options: Those of the scan; `drift` is set to its default if it is None.
        opened: Opens the source; its argument is how many bytes are enough.
        progress: Called with a `ScanProgress` while columns are inferred, if given.
    """

    def __init__(
        self,
        schema: Any,
        options: dict[str, Any],
        opened: Callable[[int | None], Opened],
        progress: Callable[[ScanProgress], object] | None,
    ) -> None:
        """Read the condition, if there is one."""
        self._schema = schema
        self._options = options
        self._opened = opened
        self._progress = progress
        #: Whether there is a record, once that was asked.
        self._found_record: bool | None = None
        where = options["where"]
        self._condition = None if where is None else Condition(where)

    def resolved(self) -> Resolved:
        """Return the columns.

        Raises:
            ValueError: A column of the scan or of its condition does not exist, or does
                not compare with its constant.
            ScanError: A record is wrong, which the scan does not skip.
        """
        wanted, options = self._options["columns"], self._options
        if self._schema is None:
            columns, place = self._infer_wanted(), "record"
        else:
            is_open = options["drift"] is None
            columns, forbids = schemas.columns_of(self._schema, decides=is_open)
            place = "field of the schema"
            options["drift"] = options["drift"] or ("error" if forbids else "ignore")
            if options["drift"] == "rest" and columns[-1:] == (REST_COLUMN,):
                # The schema is that of such a scan.
                columns = columns[:-1]
        known = columns
        try:
            chosen = self.bound(columns)
            if wanted is not None:
                columns = schemas.chosen(columns, wanted, place)
        except ScanError:
            raise
        except ValueError:
            # A wrong record may be the reason that a column was not found.
            wrong = self._wrong_record() if self._schema is None else None
            if wrong is not None:
                raise wrong from None
            raise
        if options["drift"] == "rest" and any(one[0] == REST for one in columns):
            raise ValueError(
                f'drift="rest": there is a member {REST!r}, which is the name of the '
                "column for the rest; name the columns, or give a schema"
            )
        return Resolved(schemas.checked(columns), known, chosen)

    def _infer_wanted(self) -> tuple[Column, ...]:
        """Infer the columns to read; all, by another whole pass, if one is missing."""
        wanted = self._options["columns"]
        if wanted is None:
            return self._infer(None)
        roots = self._condition.roots if self._condition else ()
        read = tuple(dict.fromkeys((*wanted, *roots)))
        columns = self._infer(read)
        if not self._fits(columns):
            # Of a wrong record, which ends the scan, some values may have counted.
            columns = self._infer(read, is_exact=True)
        if not columns and not self._has_record():  # none could have them
            return tuple((name, "n", True, None, ()) for name in wanted)
        if not {one[0] for one in columns}.issuperset(read):
            return self._infer(None)
        return columns

    def _has_record(self) -> bool:
        """Return whether there is a record from which a column could be inferred.

        Raises:
            ScanError: One is wrong, which the scan does not skip.
        """
        if self._found_record is None:
            opened, ranges = self._read_for_schema()
            found = streams.has_record(opened, ranges, self._options)
            self._found_record = found
        return self._found_record

    def _wrong_record(self) -> ScanError | None:
        """Return the error of the first wrong record, if there is one."""
        try:
            self._has_record()
        except ScanError as error:
            return error
        return None

    def bound(self, columns: tuple[Column, ...]) -> Filter | None:
        """Return the filter for the condition; None if there is no record to test."""
        if self._condition is None:
            return None
        try:
            return self._condition.bound(columns)
        except ValueError:
            # Where there is no record, nothing is known of its columns.
            if self._schema is None and not self._has_record():
                return None
            raise

    def _fits(self, columns: tuple[Column, ...]) -> bool:
        """Return whether the condition, if there is one, can test some columns."""
        try:
            self.bound(columns)
        except ScanError:
            raise
        except ValueError:
            return False
        return True

    def _infer(
        self, wanted: tuple[str, ...] | None, *, is_exact: bool = False
    ) -> tuple[Column, ...]:
        """Return the columns for the records themselves.

        `is_exact`: nothing of a wrong record counts.
        """
        opened, ranges = self._read_for_schema()
        return streams.inferred(
            opened, ranges, wanted, self._options, self._progress, is_exact=is_exact
        )

    def _read_for_schema(self) -> tuple[Opened, list[Range]]:
        """Return the source, and the parts of it from which columns are inferred."""
        options = self._options
        if options["drift"] is None:
            options["drift"] = "widen"
        if options["drift"] in READ_FIRST:
            opened = self._opened(None)
            return opened, opened.ranges
        opened = self._opened(streams.SAMPLE)
        return opened, opened.sample(streams.SAMPLE)
