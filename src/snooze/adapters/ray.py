"""Ray Data: a scan of files as a Dataset, read by tasks on all nodes.

    from snooze.adapters.ray import dataset

Invariants: the rows are those of the scan; columns, predicates and limits that Ray
pushes down are applied exactly, because Ray does not apply them again.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from snooze._missing import unusable

try:
    import pyarrow as pa
    import ray.data
    from ray.data._internal.planner.plan_expression.expression_visitors import (
        get_column_references,
    )
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask
    from ray.data.expressions import BinaryExpr, ColumnExpr, LiteralExpr, UnaryExpr

    from snooze.adapters import _conditions, _parts
except ImportError as error:
    raise unusable(__name__, "'ray[data]'", error) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ray.data.expressions import Expr

    from snooze import Scan

__all__ = ("LinesDatasource", "dataset")

#: The least bytes of text in a read task of a size that Ray chooses.
MIN_PART = 4 << 20
#: The column that carries the number of rows where no column is read: Ray's own name.
ROWS_ONLY = "__bsp_stub"


def dataset(
    scan: Scan,
    *,
    part_bytes: int | None = None,
    concurrency: int | None = None,
    **ray_remote_args: Any,
) -> ray.data.Dataset:
    """Return a Ray Dataset of a scan of files.

    ``select_columns``, ``filter(expr=…)`` and ``limit`` right after it are pushed into
    the reader: other columns are not read, and comparisons of columns with constants
    become conditions of the scan, as by `Scan.where`. The files must have the same
    paths on all nodes.

    Args:
        scan: The scan, of paths or a pattern. Its schema is inferred now, if none was
            given.
        part_bytes: The bytes of text for one read task. Default None: 32 MiB, or fewer
            where Ray wants more tasks than that gives, but at least 4 MiB.
        concurrency: The most tasks that read at a time, as for
            ``ray.data.read_datasource``.
        **ray_remote_args: What each task needs, such as ``num_cpus``.

    Raises:
        TypeError: The scan is not of files.
        ValueError: `part_bytes` is below 1.
        snooze.ScanError: A record does not fit, while the schema is inferred. In a
            task, Ray raises its ``RayTaskError`` with the same text.
    """
    return ray.data.read_datasource(
        LinesDatasource(scan, part_bytes=part_bytes),
        concurrency=concurrency,
        ray_remote_args=ray_remote_args or None,
    )


class LinesDatasource(Datasource):
    """A scan for ``ray.data.read_datasource``, with pushdown.

    Args:
        scan: The scan, of paths or a pattern.
        part_bytes: The bytes of text for one read task. Default None: as for `dataset`.

    Raises:
        TypeError: The scan is not of files.
        ValueError: `part_bytes` is below 1.
    """

    def __init__(self, scan: Scan, *, part_bytes: int | None = None) -> None:
        """Find the files, and the schema."""
        super().__init__()
        self._projection_map: dict[str, str] | None = None
        self._scan = scan
        self._part_bytes = part_bytes
        self._parts = scan.splits(_parts.PART if part_bytes is None else part_bytes)

    def estimate_inmemory_data_size(self) -> int | None:
        """Return the bytes of text, near those of the columns; None if unknown."""
        sizes = [_parts.size_of(part) for part in self._parts]
        return sum(size for size in sizes if size is not None) or None

    def supports_projection_pushdown(self) -> bool:
        """Return True: only the columns that are asked for are read."""
        return True

    def supports_predicate_pushdown(self) -> bool:
        """Return True: rows that fail are dropped before or after they are read."""
        return True

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: Any = None,  # noqa: ARG002 - Ray passes it
    ) -> list[ReadTask]:
        """Return a task for each part.

        Args:
            parallelism: How many tasks Ray wants; more are made if `part_bytes` says
                so, fewer if parts would be below 4 MiB.
            per_task_row_limit: The most rows that a task has to read.
            data_context: Not used.
        """
        columns = self._get_data_columns()
        predicate = self.get_current_predicate()
        expression = None if predicate is None else predicate.to_pyarrow()
        tested = [] if predicate is None else get_column_references(predicate)
        schema = _parts.schema_of(self._scan, columns)
        if columns == []:
            schema = pa.schema([(ROWS_ONLY, pa.null())])
        tasks = []
        node = None if predicate is None else _node(predicate)
        for part in self._sized(parallelism):
            narrow = _conditions.narrowed(part, node)
            metadata = BlockMetadata(
                num_rows=None,
                size_bytes=_parts.size_of(part),
                input_files=[_parts.path_of(part)],
                exec_stats=None,
            )
            read = functools.partial(
                _read, narrow, columns, tested, expression, per_task_row_limit
            )
            tasks.append(
                ReadTask(
                    read, metadata, schema=schema, per_task_row_limit=per_task_row_limit
                )
            )
        return tasks

    def _sized(self, parallelism: int) -> list[Scan]:
        """Return the parts, smaller ones if Ray wants more."""
        if self._part_bytes is not None or len(self._parts) >= parallelism:
            return self._parts
        size = (self.estimate_inmemory_data_size() or 0) // max(parallelism, 1)
        return self._scan.splits(min(max(size, MIN_PART), _parts.PART))


def _read(
    part: Scan,
    columns: list[str] | None,
    tested: list[str],
    predicate: pa.compute.Expression | None,
    limit: int | None,
) -> Iterator[pa.Table]:
    """Yield the blocks of a part, in a worker process."""
    names = columns
    if columns is not None:
        names = columns + [name for name in tested if name not in columns]
    for read in _parts.tables_of(part, names, limit if predicate is None else None):
        table = read
        if predicate is not None:
            table = table.filter(predicate)
        if columns == []:
            yield pa.table({ROWS_ONLY: pa.nulls(table.num_rows)})
        else:
            yield table if names == columns else table.select(columns)


#: The operators of Ray's expressions, by their values.
_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _node(found: Expr) -> _conditions.Node:  # noqa: PLR0911 - one for each shape
    """Return an expression of Ray as a node."""
    match found:
        case ColumnExpr():
            return "column", (found.name,)
        case UnaryExpr(operand=ColumnExpr() as column):
            null = ("null", (column.name,))
            nodes = {
                "is_null": null,
                "is_not_null": ("not", null),
                "not": ("not", ("column", (column.name,))),
            }
            return nodes.get(found.op.value)
        case UnaryExpr() if found.op.value == "not":
            return "not", _node(found.operand)
        case BinaryExpr() if found.op.value in {"and", "or"}:
            return found.op.value, _node(found.left), _node(found.right)
        case BinaryExpr(left=ColumnExpr() as column, right=LiteralExpr(value=value)):
            if found.op.value == "in" and isinstance(value, (list, tuple)):
                return "in", (column.name,), tuple(value)
            operator = _OPERATORS.get(found.op.value)
            return "compare", (column.name,), operator, value
        case BinaryExpr(left=LiteralExpr(value=value), right=ColumnExpr() as column):
            operator = _conditions.EXCHANGED.get(_OPERATORS.get(found.op.value, ""))
            return "compare", (column.name,), operator, value
    return None
