"""Markdown tables of the race's groups latency, threads and subinterpreters.

Separate from results_tables.py because records have these groups only since format 3,
and their rows are no ratios to orjson. Invariant: a figure that a record lacks is a
dash. Called by results.py. Needs the standard library only.
"""

from __future__ import annotations

import math
from typing import Any

import results_tables as tables

#: The quantiles that are shown, of those that a record has.
SHOWN = ("p50", "p99", "p99.9")
#: The two entries of orjson.
ENTRIES = (tables.REFERENCE, tables.AGAIN)


def latency(records: list[Any]) -> str:
    """Return the µs of single calls by library: a column for each quantile."""
    rows = []
    for record in records:
        for one in record.get("latency", []):
            for name, times in one["nanoseconds"].items():
                if name != tables.AGAIN:
                    row = f"{one['direction']} {one['workload']} {tables.short(record)}"
                    figures = [_micro(times.get(part)) for part in SHOWN]
                    rows.append([f"{row}, {name}", *figures])
    return tables.table(["", *SHOWN], rows) if rows else ""


def scaling(records: list[Any], group: str) -> str:
    """Return the calls of two in the time of one call of one: threads, interpreters."""
    found = [(record, row) for record in records for row in record.get(group, [])]
    names = dict.fromkeys(
        name for _, row in found for name in (*row["scaling"], *row.get("unable", ()))
    )
    names.pop(tables.AGAIN, None)
    rows = []
    for record, row in found:
        build = tables.short(record) + ("" if row.get("gil", True) else "t")
        title = f"{row['direction']} {row['workload']} {build}"
        rows.append([title, *(_scaling(row, name) for name in names)])
    return tables.table(["", *names], rows) if rows else ""


def noise(records: list[Any], group: str) -> str:
    """Return by how much orjson's two entries differ, after a blank, or nothing.

    Only for groups of `scaling`, whose rows have both.
    """
    most: dict[str, float] = {}
    for record in records if group in ("threads", "subinterpreters") else ():
        for row in record.get(group, []):
            first, again = (row["scaling"].get(name) for name in ENTRIES)
            if first and again:
                python = tables.short(record)
                differed = abs(math.log(first[0] / again[0])) * 100
                most[python] = max(most.get(python, 0.0), differed)
    if not most:
        return ""
    figures = ", ".join(f"{python}: {one:.0f} %" for python, one in most.items())
    return f" Noise (orjson against itself, largest difference): {figures}."


def _scaling(row: dict[str, Any], name: str) -> str:
    if name in row.get("unable", ()):
        return "refuses"
    return tables.figure(row["scaling"].get(name, [None])[0])


def _micro(nanoseconds: float | None) -> str:
    return "-" if nanoseconds is None else f"{nanoseconds / 1e3:,.2f}"
