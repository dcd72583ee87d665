"""Polars: a scan as a LazyFrame, which reads only what a query needs.

    from snooze.adapters.polars import lazy_frame

Separate from ``polars.DataFrame(scan)``, which needs no adapter and reads everything.
Invariant: the frame equals that of ``polars.DataFrame(scan).lazy()``, whatever columns,
predicate and number of rows Polars pushes down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze import scan as new_scan
from snooze._missing import unusable

try:
    import polars as pl
    from polars.io.plugins import register_io_source
except ImportError as error:
    raise unusable(__name__, "polars", error) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze import Scan

__all__ = ("lazy_frame",)


def lazy_frame(scan: Scan) -> pl.LazyFrame:
    r"""Return a LazyFrame that reads a scan when it is collected.

    Columns that a query does not use are not read, and reading ends with the rows that
    ``head`` and ``limit`` need. Rows that a filter rejects are dropped batch by batch.
    Each collection reads the source again.

    Args:
        scan: The scan. Its schema is inferred now, if none was given.

    Raises:
        snooze.ScanError: A record does not fit, while the schema is inferred. While the
            frame is collected, Polars raises its ``ComputeError`` with the same text.

    Examples:
        >>> import polars as pl, snooze
        >>> from snooze.adapters.polars import lazy_frame
        >>> log = b'{"ts": 1, "status": 200}\n{"ts": 2, "status": 404}'
        >>> frame = lazy_frame(snooze.scan(log))
        >>> frame.filter(pl.col("status") >= 400).select("ts").collect().rows()
        [(2,)]
    """

    def read(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        _batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        wanted = scan
        if with_columns is not None and "_rest" not in scan.columns:
            wanted = scan.select(with_columns)
        for batch in wanted:
            frame = pl.DataFrame(batch)
            if with_columns is not None:
                frame = frame.select(with_columns)
            # Polars takes all rows that come, so the number is kept here. It counts
            # rows of the source: Polars pushes no limit below a filter.
            if n_rows is not None:
                frame = frame.head(n_rows)
                n_rows -= frame.height
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame
            if n_rows == 0:
                return

    schema = pl.DataFrame(new_scan(b"", scan)).schema
    return register_io_source(
        read, schema=schema, explain_name="SNOOZE", explain_detail=repr(scan)
    )
