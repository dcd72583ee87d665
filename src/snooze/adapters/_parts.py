"""Parts of a scan as pyarrow tables, for the engines whose blocks these are.

Separate because Ray, Dask, Spark and Hugging Face datasets all read them. Invariants: a
part reads no more columns than are asked for; an error is a `snooze.ScanError` that
names the file and the byte. Called by the adapters, in the worker processes of engines.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from snooze import Scan

#: The bytes of text in a part, unless the user or the engine asks for others.
PART = 32 << 20


def schema_of(scan: Scan, columns: Sequence[str] | None = None) -> pa.Schema:
    """Return the schema of some columns of a scan, in the order of the names."""
    schema = pa.schema(scan)
    if columns is None:
        return schema
    return pa.schema([schema.field(name) for name in columns], schema.metadata)


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table without rows, also where `Schema.empty_table` raises.

    It does not know extension types inside other types.
    """
    return pa.Table.from_batches([], schema)


def tables_of(
    part: Scan, columns: Sequence[str] | None = None, limit: int | None = None
) -> Iterator[pa.Table]:
    """Yield the batches of a part, each as a table of the columns.

    Args:
        part: The part.
        columns: The names, in order. Default None: all.
        limit: The most rows to read. Default None: all.
    """
    if columns is not None and can_select(part):
        part = part.select(columns)
    if limit is not None:
        part = part.head(limit)
    for batch in part:
        table = pa.Table.from_batches([pa.record_batch(batch)])
        if columns is not None and table.column_names != list(columns):
            table = table.select(columns)
        yield table


def table_of(part: Scan, columns: Sequence[str] | None = None) -> pa.Table:
    """Return a part as one table of the columns."""
    tables = list(tables_of(part, columns))
    if not tables:
        return empty_table(schema_of(part, columns))
    # concat_tables would lose the rows of tables without columns.
    batches = [batch for table in tables for batch in table.to_batches()]
    return pa.Table.from_batches(batches, tables[0].schema)


def storage_of(kind: pa.DataType) -> pa.DataType:
    """Return the type that holds the values of an extension type, else the type."""
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def converted(
    schema: pa.Schema, leaf: Callable[[pa.DataType], pa.DataType]
) -> pa.Schema:
    """Return a schema whose types without children went through a function."""

    def of(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_struct(kind):
            return pa.struct([one.with_type(of(one.type)) for one in kind])
        if pa.types.is_list(kind):
            return pa.list_(kind.value_field.with_type(of(kind.value_type)))
        if pa.types.is_map(kind):
            return pa.map_(kind.key_type, of(kind.item_type))
        return leaf(kind)

    # Without the metadata of a field, which names its extension type.
    fields = [pa.field(one.name, of(one.type), one.nullable) for one in schema]
    return pa.schema(fields)


def cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the types of a schema; an error if a value does not fit."""
    return table if table.schema == schema else table.cast(schema)


def can_select(scan: Scan) -> bool:
    """Return whether a scan can leave columns out: not if one holds the rest."""
    return "_rest" not in scan.columns


def path_of(part: Scan) -> str:
    """Return the file of which a scan of `Scan.splits` reads a part."""
    return _range_of(part)[0]


def stamp_of(part: Scan) -> str:
    """Return what changes when the file of a part is written again.

    Raises:
        TypeError: Its file system does not say that.
    """
    path = path_of(part)
    filesystem = part._options["filesystem"]  # noqa: SLF001 - of one package
    if filesystem is None:
        path = os.path.realpath(path)
        status = os.stat(path)  # noqa: PTH116 - a path is a str here
        return repr((path, status.st_size, status.st_mtime_ns))
    from snooze._scan.filesystems import File  # noqa: PLC0415 - only these need it

    stamp = File(filesystem, path).stamp()
    if stamp is None:
        raise TypeError(
            f"{type(filesystem).__name__} does not say when {path} was changed, so a "
            "cache of it would not know either; read it as an iterable dataset"
        )
    return stamp


def size_of(part: Scan) -> int | None:
    """Return the bytes of text in a part; None if the file is compressed."""
    _, start, end = _range_of(part)
    return None if end is None else end - start


def _range_of(part: Scan) -> tuple[str, int, int | None]:
    found = part.ranges
    if found is None or len(found) != 1:
        raise AssertionError("a part of Scan.splits has one range")
    return found[0]
