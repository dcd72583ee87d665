"""Dask: a scan of files as a DataFrame, one partition for each part of a file.

    from snooze.adapters.dask import dataframe

Invariants: the rows are those of the scan, in its order; the types of columns are
Arrow's, so that an integer beside nulls keeps its digits; what Dask has computed of a
file is not used again after the file has changed.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from snooze._missing import unusable

try:
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    from snooze.adapters import _parts
except ImportError as error:
    raise unusable(__name__, "'dask[dataframe]'", error) from error

if TYPE_CHECKING:
    from snooze import Scan

__all__ = ("dataframe",)


def dataframe(scan: Scan, *, part_bytes: int = _parts.PART) -> dd.DataFrame:
    """Return a Dask DataFrame of a scan of files.

    Columns that a computation does not use are not read. Each partition is read by one
    thread of a worker, unless the scan was given ``threads``. The files must have the
    same paths on all workers.

    Args:
        scan: The scan, of paths or a pattern. Its schema is inferred now, if none was
            given.
        part_bytes: The bytes of text in a partition, at least 1. Default 32 MiB. A
            compressed file is one partition.

    Raises:
        TypeError: The scan is not of files.
        ValueError: `part_bytes` is below 1.
        snooze.ScanError: A record does not fit: now, while the schema is inferred, or
            when the frame is computed.
    """
    parts = scan.splits(part_bytes)
    meta = _frame(_parts.empty_table(_parts.schema_of(scan)))
    if not parts:
        return dd.from_pandas(meta, npartitions=1)
    return dd.from_map(
        read_part,
        parts,
        _versions(parts),
        meta=meta,
        enforce_metadata=False,
        label="snooze",
    )


def read_part(
    part: Scan,
    version: str,  # noqa: ARG001 - it is for the names of Dask's results
    columns: list[str] | None = None,
) -> pd.DataFrame:
    """Return a part of a scan as a pandas DataFrame; Dask calls this in its workers.

    Args:
        part: The part, from `Scan.splits`.
        version: What changes with the file, see `_versions`.
        columns: The columns that Dask needs. Default None: all.
    """
    return _frame(_parts.table_of(part, columns))


def _versions(parts: list[Scan]) -> list[str]:
    """Return for each part what changes when its file is written again.

    A cluster keeps results by a name that Dask makes of the arguments of `read_part`,
    and takes them for those of another frame with the same name.
    """
    known: dict[str, str] = {}
    for part in parts:
        path = _parts.path_of(part)
        if path not in known:
            try:
                known[path] = _parts.stamp_of(part)
            except TypeError:
                # The file system does not say: no result is used again.
                known[path] = uuid.uuid4().hex
    return [known[_parts.path_of(part)] for part in parts]


def _frame(table: pa.Table) -> pd.DataFrame:
    """Return a frame with Arrow's types.

    Extension types inside other types become what holds their values: JSON text, the
    bytes of a UUID. pyarrow makes no empty array of them, which Dask needs.
    """
    plain = _parts.converted(table.schema, _parts.storage_of)
    fields = [
        old if isinstance(old.type, pa.BaseExtensionType) else new
        for old, new in zip(table.schema, plain, strict=True)
    ]
    return _parts.cast(table, pa.schema(fields)).to_pandas(types_mapper=pd.ArrowDtype)
