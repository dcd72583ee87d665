"""Polars: a scan as a LazyFrame, which reads only what a query needs.

    from snooze.adapters.polars import lazy_frame

Separate from ``polars.DataFrame(scan)``, which needs no adapter and reads everything.
Invariant: the frame equals that of ``polars.DataFrame(scan).lazy()``, whatever columns,
predicate and number of rows Polars pushes down.
"""

from __future__ import annotations

import io
import json
import warnings
from typing import TYPE_CHECKING, Any

from snooze import scan as new_scan
from snooze._missing import unusable
from snooze.adapters import _conditions

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
    ``head`` and ``limit`` need. Comparisons of columns with constants in a filter
    become conditions of the scan, as by `Scan.where`; Polars applies the whole filter
    to what these let pass. Each collection reads the source again, and
    `Scan.problems` has the wrong records of the latest one.

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

    def part(
        frame: pl.DataFrame,
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
    ) -> pl.DataFrame:
        if with_columns is not None:
            frame = frame.select(with_columns)
        return frame if predicate is None else frame.filter(predicate)

    def read(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        _batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        wanted = scan
        if with_columns is not None and "_rest" not in scan.columns:
            wanted = scan.select(with_columns)
        # Polars takes all rows that come, so the number is kept here. It counts rows of
        # the source: Polars pushes no limit below a filter.
        if n_rows is not None:
            wanted = wanted.head(n_rows)
        elif predicate is not None:
            wanted = _conditions.narrowed(wanted, _node_of(predicate))
        found = False
        try:
            for batch in wanted:
                found = True
                yield part(pl.DataFrame(batch), with_columns, predicate)
        finally:
            # What was left out has to be found where it always is.
            scan._problems = wanted._problems  # noqa: SLF001 - of one package
        if not found:
            # Even without rows Polars has to see a predicate that is an error.
            yield part(empty, with_columns, predicate)

    empty = pl.DataFrame(new_scan(b"", scan))
    return register_io_source(
        read, schema=empty.schema, explain_name="SNOOZE", explain_detail=repr(scan)
    )


#: The operators of Polars' expressions.
_OPERATORS = {
    "Eq": "==",
    "NotEq": "!=",
    "Lt": "<",
    "LtEq": "<=",
    "Gt": ">",
    "GtEq": ">=",
}


def _node_of(predicate: pl.Expr) -> _conditions.Node:
    """Return a predicate as a node; None if Polars describes it in an unknown way."""
    try:
        with warnings.catch_warnings():
            # The form may change, says Polars: then nothing is pushed down.
            warnings.simplefilter("ignore")
            return _node(json.loads(predicate.meta.serialize(format="json")))
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None
    except pl.exceptions.PolarsError:
        return None


def _node(found: Any) -> _conditions.Node:  # noqa: PLR0911 - one for each shape
    """Return what the JSON of an expression says, as a node."""
    match found:
        case {"Column": str(name)}:
            return "column", (name,)
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            return "and", _node(left), _node(right)
        case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
            return "or", _node(left), _node(right)
        case {"BinaryExpr": {"left": {"Column": name}, "op": op, "right": right}}:
            return "compare", (name,), _OPERATORS[op], _constant(right)
        case {"BinaryExpr": {"left": left, "op": op, "right": {"Column": name}}}:
            return (
                "compare",
                (name,),
                _conditions.EXCHANGED[_OPERATORS[op]],
                _constant(left),
            )
        case {"Function": {"input": [inner], "function": {"Boolean": "Not"}}}:
            return "not", _node(inner)
        case {"Function": {"input": [{"Column": name}], "function": {"Boolean": kind}}}:
            null = ("null", (name,))
            return {"IsNull": null, "IsNotNull": ("not", null)}[kind]
        case {
            "Function": {
                "input": [{"Column": name}, prefix],
                "function": {"StringExpr": "StartsWith"},
            }
        }:
            return "starts", (name,), _constant(prefix)
        case {
            "Function": {
                "input": [{"Column": name}, {"Literal": {"Scalar": {"List": items}}}],
                "function": {"Boolean": {"IsIn": {"nulls_equal": False}}},
            }
        }:
            # The list is a column in Arrow's format. A null in it is equal to nothing.
            column = pl.read_ipc_stream(io.BytesIO(bytes(items))).to_series()
            return "in", (name,), tuple(column.drop_nulls())
    return None


def _constant(found: Any) -> Any:
    """Return a literal; None if it is not of a type that is compared."""
    match found:
        case {"Literal": {"Dyn": {"Int": int()} | {"Float": float()} as literal}}:
            [value] = literal.values()
            return value
        case {"Literal": {"Scalar": dict(literal)}} if len(literal) == 1:
            [(kind, value)] = literal.items()
            wanted: dict[str, type] = {
                "Boolean": bool,
                "Float64": float,
                "String": str,
                "StringOwned": str,
            }
            is_integer = kind.removeprefix("U").startswith("Int")
            if isinstance(value, int if is_integer else wanted.get(kind, ())):
                return value
    return None
