"""Markdown tables from the race's groups layouts, functions and types.

Separate from results_tables.py because these rows compare calls, not libraries' plain
ones, and docs/json.md shows a part of them, snooze.json. Invariant: a figure that a
record lacks is a dash. Called by results.py. Needs the standard library only.
"""

from __future__ import annotations

from typing import Any

import results_tables as tables

LAYOUTS, FUNCTIONS, TYPES = "layouts", "functions", "types"
#: The row of the default arguments, and the contender that has json's arguments.
PLAIN, DROP_IN, STANDARD = "json", "snooze json", "json"
#: group -> its comparisons: the head of the column, and the two contenders.
COLUMNS = {
    LAYOUTS: (
        ("vs json", tables.OURS, STANDARD),
        ("snooze.json", DROP_IN, STANDARD),
        ("vs orjson", tables.OURS, tables.REFERENCE),
        ("vs plain", tables.OURS, "snooze plain"),
    ),
    FUNCTIONS: (
        ("vs orjson", tables.OURS, tables.REFERENCE),
        ("vs json", tables.OURS, STANDARD),
        ("vs by hand", tables.OURS, "by hand"),
    ),
    TYPES: (
        ("vs msgspec", tables.OURS, "msgspec"),
        ("vs orjson", tables.OURS, tables.REFERENCE),
    ),
}
#: A row of the group layouts -> the arguments of json, as a program writes them.
ARGUMENTS = {
    ("loads", "decimal"): "parse_float=Decimal",
    ("loads", "unique"): "object_pairs_hook=unique",
    ("dumps", "indent 2"): "indent=2, ensure_ascii=False",
    ("dumps", "tab"): r'indent="\t", ensure_ascii=False',
    ("dumps", "spaced"): "ensure_ascii=False",
    ("dumps", "ascii"): 'separators=(",", ":")',
    ("dumps", "sorted"): "sort_keys=True, ...",
}


def render(records: list[Any], group: str) -> str:
    """Return every row of a group with its comparisons, by CPython."""
    columns: list[tuple[str, dict[str, str]]] = []
    for record in records:
        found = _cells(record, group)
        for head, own, other in COLUMNS[group] if found else ():
            column = {
                f"{cell['direction']} {cell['workload']}": _figure(cell, own, other)
                for cell in found
            }
            columns.append((f"{head} {tables.short(record)}", column))
    names = list(dict.fromkeys(name for _, column in columns for name in column))
    rows = [[name, *(one.get(name, "-") for _, one in columns)] for name in names]
    return tables.table([group, *(head for head, _ in columns)], rows) if rows else ""


def having(records: list[Any], group: str = LAYOUTS) -> list[Any]:
    """Return the records with figures of a group."""
    return [one for one in records if _cells(one, group)]


def drop_in(records: list[Any]) -> str:
    """Return snooze.json beside json: each document, then means with arguments."""
    rows: dict[str, list[str]] = {}
    for place, record in enumerate(records):
        for name, value in _beside_json(record).items():
            line = rows.setdefault(name, ["-"] * len(records))
            line[place] = value
    heads = [f"CPython {tables.short(one)}" for one in records]
    return tables.table(["`snooze.json`", *heads], [[k, *v] for k, v in rows.items()])


def _beside_json(record: Any) -> dict[str, str]:
    """Return the speed of snooze.json relative to json by the call."""
    found: dict[str, str] = {}
    for direction in tables.DIRECTIONS:
        by_row: dict[str, list[tuple[str, Any]]] = {}
        for cell in _cells(record, LAYOUTS):
            if cell["direction"] == direction:
                document, row = cell["workload"].split(" ", 1)
                by_row.setdefault(row, []).append((document, cell))
        for document, cell in by_row.get(PLAIN, []):
            figure = _figure(cell, tables.OURS, STANDARD)
            found[f"`{direction}`, {document}"] = figure
        for row, cells in by_row.items():
            own = tables.OURS if row == PLAIN else DROP_IN
            words = ARGUMENTS.get((direction, row))
            if row == PLAIN or words:
                call = f"{direction}(..., {words})" if words else direction
                ratios = [_ratio(cell, own, STANDARD) for _, cell in cells]
                mean = tables.figure(tables.geometric_mean(ratios))
                found[f"`{call}`, mean of all"] = mean
    return found


def _cells(record: Any, group: str) -> list[Any]:
    return [cell for cell in record["cells"] if cell["group"] == group]


def _ratio(cell: Any, own: str, other: str) -> float | None:
    speeds = cell["speed_relative_to_orjson"]
    if own not in speeds or other not in speeds:
        return None
    return float(speeds[own][0]) / float(speeds[other][0])


def _figure(cell: Any, own: str, other: str) -> str:
    return tables.figure(_ratio(cell, own, other))
