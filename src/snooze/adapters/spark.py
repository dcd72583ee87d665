"""Spark 4: a data source that reads lines in Python workers, as Arrow batches.

    from snooze.adapters.spark import LinesDataSource
    spark.dataSource.register(LinesDataSource)
    spark.read.format("snooze").option("columns", "ts,status").load("logs/*.ndjson")

Invariants: the rows are those of the scan; each value is that of the text, because
types that Spark does not have become wider ones; a filter that is taken from Spark is
applied exactly, because Spark does not apply it again; a session as Spark makes it by
default reads, too. Spark asks a source for all columns of its schema, so the option
`columns` says which are read.

A default session refuses every reader that has `pushFilters`, and tells no reader how
it is set. So there are two readers: that with the method is used only in the processes
that Spark starts to push filters, which it does if the session allows it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snooze import scan as new_scan
from snooze._missing import unusable

try:
    import pyarrow as pa
    from pyspark.sql import datasource
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    from snooze.adapters import _conditions, _parts
except ImportError as error:
    raise unusable(__name__, "'pyspark>=4.1' pyarrow pandas", error) from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql.datasource import Filter
    from pyspark.sql.types import StructType

    from snooze import Scan

__all__ = ("LinesDataSource",)

#: The options of a scan, and their names in Spark.
_SCAN_OPTIONS = ("where", "errors", "drift", "check")
_OPTIONS = ("path", "columns", *_SCAN_OPTIONS, "partBytes", "pushFilters")
#: The setting of a session without which it refuses readers that have `pushFilters`.
SETTING = "spark.sql.python.filterPushdown.enabled"
#: What Spark runs in its processes that push filters; it runs nothing else in them.
_PUSHING = "pyspark.sql.worker.data_source_pushdown_filters"
#: The comparisons of Spark's filters.
_OPERATORS = {
    datasource.EqualTo: "==",
    datasource.LessThan: "<",
    datasource.LessThanOrEqual: "<=",
    datasource.GreaterThan: ">",
    datasource.GreaterThanOrEqual: ">=",
}
#: What holds the values of a type that Spark does not have.
_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.large_string(): pa.string(),
    pa.null(): pa.string(),
}


class LinesDataSource(DataSource):
    """The data source named ``snooze``.

    Options of ``spark.read.format("snooze")``:

    - ``path`` (or ``load(path)``): the file or the pattern; the same on all workers.
    - ``columns``: the names of the columns to read, with commas between them. Default:
      all, or those of ``.schema(…)``.
    - ``where``, ``errors``, ``drift``, ``check``: as for `snooze.scan`.
    - ``partBytes``: the bytes of text in a partition. Default 33554432.
    - ``pushFilters``: ``auto`` (default: if the session allows it), ``true`` (it is an
      error if the session does not allow it) or ``false``.

    ``.schema(…)`` gives the types; else they are inferred from the records: ``uint64``
    is ``decimal(20,0)``, values of several kinds are their JSON text, and a column that
    is always null is a string.

    Filters of a query become conditions of the scan if the session allows it, by
    ``spark.sql.python.filterPushdown.enabled``, which is false by default: comparisons
    of columns with constants, ``IN``, ``IS NULL``, prefixes. Spark applies all others
    itself, and in a default session all.

    Raises:
        ValueError: There is no path, an option has another name or value, or both a
            schema and ``columns`` are given.
        snooze.ScanError: A record does not fit. Spark raises an exception of its own
            with the same text.
    """

    @classmethod
    def name(cls) -> str:
        """Return ``snooze``."""
        return "snooze"

    def schema(self) -> StructType:
        """Return the schema of the records; Spark asks if the user gave none."""
        # Spark pickles this object afterwards, so the records are inferred once.
        self.inferred = self._scan(None)
        return from_arrow_schema(_spark_schema(self.inferred))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of the columns."""
        scan: Scan | None = getattr(self, "inferred", None)
        if scan is None:
            scan = self._scan(to_arrow_schema(schema))
        text = self.options.get("partBytes")
        parts = scan.splits(_parts.PART if text is None else int(text))
        return FilteringReader(parts) if self._pushes() else LinesReader(parts)

    def _pushes(self) -> bool:
        """Return whether the reader takes filters from Spark."""
        chosen: str = self.options.get("pushFilters", "auto").lower()
        if chosen == "auto":
            return _PUSHING in sys.modules
        if chosen not in {"true", "false"}:
            raise ValueError(
                f"pushFilters: expected auto, true or false; found {chosen!r}"
            )
        return chosen == "true"

    def _scan(self, schema: pa.Schema | None) -> Scan:
        allowed = {name.lower(): name for name in _OPTIONS}
        for name in self.options:
            if name.lower() not in allowed:
                known = ", ".join(_OPTIONS)
                raise ValueError(f"expected one of the options {known}; found {name!r}")
        path = self.options.get("path")
        if path is None:
            raise ValueError('expected a path: spark.read.format("snooze").load(path)')
        columns = self.options.get("columns")
        if columns is not None and schema is not None:
            raise ValueError("columns: expected a schema or columns, found both")
        names = None if columns is None else [one.strip() for one in columns.split(",")]
        found = {name: self.options.get(name) for name in _SCAN_OPTIONS}
        chosen = {name: value for name, value in found.items() if value is not None}
        return new_scan(path, schema, columns=names, **chosen)


@dataclass
class Part(InputPartition):
    """A part of a scan, which Spark pickles and sends to a worker."""

    scan: Scan


class LinesReader(DataSourceReader):
    """Reads the parts of a scan.

    Args:
        parts: What `Scan.splits` returns.
    """

    def __init__(self, parts: list[Scan]) -> None:
        """Keep the parts."""
        self.parts = parts

    def partitions(self) -> Sequence[InputPartition]:
        """Return a partition for each part."""
        return [Part(part) for part in self.parts]

    def read(self, partition: Part) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a part, in a worker."""
        schema = _spark_schema(partition.scan)
        for table in _parts.tables_of(partition.scan):
            yield from _parts.cast(table, schema).to_batches()


class FilteringReader(LinesReader):
    """A `LinesReader` that takes filters, where the session allows it."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's name
        """Take the filters that are conditions; return the others, which Spark keeps.

        Args:
            filters: A row must pass all of them.
        """
        for filter_ in filters:
            text = None
            if self.parts and self.parts[0].limit is None:
                node = _node(filter_)
                text = _conditions.exact(self.parts[0].columns, node)
            if text is None:
                yield filter_
            else:
                self.parts = [part.where(text) for part in self.parts]


def _node(found: Filter) -> _conditions.Node:  # noqa: PLR0911 - one for each shape
    """Return a filter of Spark as a node."""
    match found:
        case datasource.Not(child=child):
            return "not", _node(child)
        case datasource.IsNull(attribute=path):
            return "null", path
        case datasource.IsNotNull(attribute=path):
            return "not", ("null", path)
        case datasource.In(attribute=path, value=values):
            return "in", path, tuple(values)
        case datasource.StringStartsWith(attribute=path, value=text):
            return "starts", path, text
    operator = _OPERATORS.get(type(found))
    if operator is None:
        return None
    return "compare", found.attribute, operator, found.value


def _spark_schema(scan: Scan) -> pa.Schema:
    """Return the schema of a scan in types that Spark has."""
    return _parts.converted(_parts.schema_of(scan), _spark_type)


def _spark_type(kind: pa.DataType) -> pa.DataType:
    kind = _parts.storage_of(kind)
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    return _WIDER.get(kind, kind)
