"""Markdown tables from committed records of the race.

Separate from results.py, which knows the documents, because here are only figures: a
table is a function of records. Invariants: every figure is computed from the records;
a library or row that a record lacks is a dash, never a guess; two records of the same
CPython, processor and tier never hold the same group. Called by results.py,
results_records.py and results_chart.py. Needs the standard library only.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DIRECTIONS = ("loads", "dumps")
OURS, REFERENCE, AGAIN = "snooze", "orjson", "orjson again"
TIMES = "\N{MULTIPLICATION SIGN}"
DOCUMENTS, HELD_OUT = "documents", "heldout"
MEDIAN = 3  # index in a list of times: rounds, min, lower quartile, median, upper, max
#: Groups of a record that are no cells.
APART = ("latency", "threads", "subinterpreters")
#: Suffixes of typed rows that vary the conditions; the others decode or encode a
#: document as it is.
VARIED = ("mix", "con", "skip", "nogc")


def load(path: Path) -> Any:
    """Return the record in a file."""
    return json.loads(path.read_text("utf-8"))


def check(records: dict[str, Any]) -> None:
    """Refuse two records of one CPython, processor and tier with the same group."""
    seen: dict[tuple[str, ...], str] = {}
    for name, record in records.items():
        for group in groups(record):
            key = (*kind(record), short(record), group)
            other = seen.setdefault(key, name)
            if other != name:
                raise SystemExit(
                    f"{other} and {name} both have the group {group!r} for CPython "
                    f"{short(record)}: give one of them"
                )


def kind(record: Any) -> tuple[str, str]:
    """Return the processor of a record and the tier; empty if it was not recorded."""
    where = record["environment"]
    return str(where["processor"]), str(where.get("tier") or "")


def footprint_of(record: Any) -> Any:
    """Return the figures of the group footprint; empty in records without them."""
    return record.get("footprint") or {}


def groups(record: Any) -> list[str]:
    """Return the groups that a record has figures of."""
    found = list(dict.fromkeys(cell["group"] for cell in record["cells"]))
    found += [name for name in ("memory", *APART) if record.get(name)]
    return found + (["footprint"] if footprint_of(record) else [])


def render(records: Iterable[Any]) -> dict[str, str]:
    """Return the tables by name; a table without figures is the empty string."""
    whole = list(records)
    return {
        "heldout": means(whole, HELD_OUT),
        "heldout documents": documents(whole, HELD_OUT),
        "means": means(whole),
        "documents": documents(whole),
        "tiny": tiny(whole),
        "kinds": kinds(whole),
        "typed": typed(whole),
        "memory": memory(whole),
        "goals": goals(whole),
    }


def summary(records: list[Any], title: str = "") -> str:
    """Return the rows of the front page: geometric means of whole groups.

    `title` is the heading of the first column. The held-out documents have rows only if
    they were raced.
    """
    tuned, held = count(records), count(records, HELD_OUT)
    rows = {
        f"`loads`, {tuned} documents": ("documents", "loads"),
        f"`dumps`, {tuned} documents": ("documents", "dumps"),
        f"`loads`, {held} held-out documents": (HELD_OUT, "loads"),
        f"`dumps`, {held} held-out documents": (HELD_OUT, "dumps"),
        "calls of at most 1 kB": ("tiny", ""),
        "`dumps` of classes, dates, arrays": ("kinds", "dumps"),
        "typed decoding": ("typed", "loads"),
        "typed encoding": ("typed", "dumps"),
    }
    columns = [
        (version, other) for version in versions(records) for other in ("orjson", "")
    ]
    head = [f"vs {other or 'best rival'}, {version}" for version, other in columns]
    lines = []
    for name, (group, direction) in rows.items():
        if group == HELD_OUT and not held:
            continue
        line = [name]
        for version, other in columns:
            cells = _whole(_of(records, version), group, direction)
            ours = [_speed(cell, OURS) for cell in cells]
            best = [cell["best_rival"] and cell["best_rival"][1] for cell in cells]
            mean = geometric_mean(ours if other else best)
            line.append("-" if mean is None else f"{mean:.2f}{TIMES}")
        lines.append(line)
    return table([title, *head], lines)


def _whole(records: list[Any], group: str, direction: str) -> list[Any]:
    """Return the cells of a group whose conditions are the usual ones."""
    found = [cell for record in records for cell in _over(record, group, direction)]
    return [cell for cell in found if cell["workload"].split()[-1] not in VARIED]


def mean_of(
    records: list[Any], version: str, direction: str, group: str = DOCUMENTS
) -> dict[str, float]:
    """Return each library's geometric mean over a group, for one CPython."""
    for record in _of(records, version):
        cells = _over(record, group, direction)
        if cells:
            found = {
                name: geometric_mean([_speed(cell, name) for cell in cells])
                for name in record["versions"]
                if name != AGAIN
            }
            return {name: mean for name, mean in found.items() if mean is not None}
    return {}


def ranked(records: list[Any], group: str = DOCUMENTS) -> list[str]:
    """Return the libraries by the product of their means, the fastest first."""
    product: dict[str, float] = {}
    for version in versions(records):
        for direction in DIRECTIONS:
            found = mean_of(records, version, direction, group)
            for name in _names(records, group):
                product[name] = product.get(name, 1.0) * found.get(name, 0.01)
    return sorted(product, key=lambda name: -product[name])


def means(records: list[Any], group: str = DOCUMENTS) -> str:
    """Return the geometric means of every library over a group of documents."""
    columns = {
        f"{direction} {version}": mean_of(records, version, direction, group)
        for version in versions(records)
        for direction in DIRECTIONS
    }
    columns = {title: column for title, column in columns.items() if column}
    if not columns:
        return ""
    names = _names(records, group)
    rows = [
        [_titled(name, names[name])]
        + [figure(column.get(name)) for column in columns.values()]
        for name in ranked(records, group)
    ]
    return table(["", *columns], rows)


def documents(records: list[Any], group: str = DOCUMENTS) -> str:
    """Return snooze beside orjson and the best rival, document by document."""
    columns: list[tuple[str, dict[str, str]]] = []
    for record in records:
        for direction in DIRECTIONS:
            cells = _over(record, group, direction)
            if not cells:
                continue
            ours, rivals = _beside(cells)
            best = [cell["best_rival"][1] for cell in cells if cell["best_rival"]]
            mean = figure(geometric_mean([_speed(cell, OURS) for cell in cells]))
            ours["geometric mean"] = mean
            rivals["geometric mean"] = figure(geometric_mean(best))
            columns.append((f"{direction} {short(record)}", ours))
            columns.append(("best rival", rivals))
    return _grid("document", columns, last="geometric mean")


def _beside(cells: list[Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return our speed relative to orjson and to the best rival, cell by cell."""
    ours = {cell["workload"]: figure(_speed(cell, OURS)) for cell in cells}
    return ours, {cell["workload"]: _rival(cell) for cell in cells}


def tiny(records: list[Any]) -> str:
    """Return the nanoseconds of single calls."""
    calls: list[tuple[str, dict[str, str]]] = []
    for record in records:
        for cell in _cells(record, "tiny"):
            title = f"{cell['direction']} {cell['workload']} {short(record)}"
            times = cell["nanoseconds"].items()
            figures = {
                name: f"{found[MEDIAN]:,.0f}" for name, found in times if name != AGAIN
            }
            calls.append((title, figures))
    return _lines(calls)


def kinds(records: list[Any]) -> str:
    """Return what `dumps` writes beyond plain JSON."""
    columns: list[tuple[str, dict[str, str]]] = []
    for record in records:
        ours, rivals = _beside(_cells(record, "kinds"))
        if ours:
            columns.append((f"vs orjson {short(record)}", ours))
            columns.append(("best rival", rivals))
    return _grid("dumps of", columns)


def typed(records: list[Any]) -> str:
    """Return snooze with classes beside each other way, row by row."""
    columns: list[tuple[str, dict[str, str]]] = []
    for record in records:
        cells = _cells(record, "typed")
        if not cells:
            continue
        for other in ("msgspec", "msgspec slots", REFERENCE, "snooze plain"):
            found = {}
            for cell in cells:
                ours, theirs = _speed(cell, OURS), _speed(cell, other)
                name = f"{cell['direction']} {cell['workload']}"
                found[name] = figure(ours / theirs if ours and theirs else None)
            columns.append((f"{other} {short(record)}", found))
    return _grid("typed", columns)


def memory(records: list[Any]) -> str:
    """Return the peaks of the first record that has them."""
    for record in records:
        figures = [row for row in record["memory"] if row["task"] in DIRECTIONS]
        if figures:
            return _lines(
                [
                    (
                        f"{row['task']} {row['document']}",
                        {name: _peak(found) for name, found in row["bytes"].items()},
                    )
                    for row in figures
                ]
            )
    return ""


def memory_version(records: list[Any]) -> str:
    """Return the CPython that the table of memory was measured with."""
    return next((short(record) for record in records if record["memory"]), "")


def goals(records: list[Any]) -> str:
    """Return a table of goals for each CPython, from all of its records.

    Of a goal that several records have, the newest counts, as in the other tables.
    """
    parts = []
    for version in versions(records):
        rows: dict[str, list[str]] = {}
        python = ""
        dated = sorted(
            _of(records, version), key=lambda one: one["environment"]["date"]
        )
        for record in dated:
            python = full(record)
            for one in record["goals"]:
                if one["reached"] is None:
                    continue
                mark = "yes" if one["reached"] else "no"
                row = [one["name"], one["wanted"], one["measured"], mark]
                rows[one["name"]] = row
        head = ["goal", "wanted", f"CPython {python}", "reached"]
        if rows:
            parts.append(table(head, list(rows.values())))
    return "\n\n".join(parts)


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table whose columns but the first are aligned to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _grid(first: str, columns: list[tuple[str, dict[str, str]]], last: str = "") -> str:
    """Return a table of columns; missing entries are a dash."""
    names = list(dict.fromkeys(name for _, column in columns for name in column))
    names.sort(key=lambda name: name == last)
    if not names:
        return ""
    rows = [[name, *(one.get(name, "-") for _, one in columns)] for name in names]
    return table([first, *(head for head, _ in columns)], rows)


def _lines(lines: list[tuple[str, dict[str, str]]]) -> str:
    """Return a table with a column for each library."""
    names = list(dict.fromkeys(name for _, line in lines for name in line))
    if not names:
        return ""
    rows = [[head, *(one.get(name, "-") for name in names)] for head, one in lines]
    return table(["", *names], rows)


def versions(records: list[Any]) -> list[str]:
    """Return the CPythons of the records, the oldest first."""
    found = {short(record) for record in records}
    return sorted(found, key=lambda one: [int(part) for part in one.split(".")])


def _of(records: list[Any], version: str) -> list[Any]:
    return [record for record in records if short(record) == version]


def _names(records: list[Any], group: str) -> dict[str, str]:
    """Return the libraries that were raced over a group, with their versions."""
    found: dict[str, str] = {}
    for record in records:
        if _over(record, group, "loads") or _over(record, group, "dumps"):
            found |= record["versions"]
    found.pop(AGAIN, None)
    return found


def count(records: list[Any], group: str = DOCUMENTS) -> int:
    """Return how many documents the geometric means are over."""
    return max((len(_over(one, group, "loads")) for one in records), default=0)


def _cells(record: Any, group: str, direction: str = "") -> list[Any]:
    return [
        cell
        for cell in record["cells"]
        if cell["group"] == group and direction in ("", cell["direction"])
    ]


def _over(record: Any, group: str, direction: str) -> list[Any]:
    """Return the cells of a group; those of the seed stand in for the documents."""
    if group == DOCUMENTS:
        return over_documents(record, direction)
    return _cells(record, group, direction)


def over_documents(record: Any, direction: str) -> list[Any]:
    """Return the cells of all documents, or of the seed's if only those were raced."""
    found = _cells(record, "documents", direction)
    return found or _cells(record, "seed", direction)


def _speed(cell: Any, name: str) -> float | None:
    found = cell["speed_relative_to_orjson"].get(name)
    return float(found[0]) if found else None


def _rival(cell: Any) -> str:
    best = cell["best_rival"]
    return f"{best[1]:.2f} {best[0]}" if best else "-"


def geometric_mean(values: list[float | None]) -> float | None:
    """Return the mean, or None if there is no value or one is missing."""
    known = [value for value in values if value is not None]
    if not known or len(known) != len(values):
        return None
    return statistics.geometric_mean(known)


def figure(value: float | None) -> str:
    """Return a ratio with two decimals, or a dash."""
    return "-" if value is None else f"{value:.2f}"


def _peak(figures: Any) -> str:
    return f"{figures['peak'] / figures['own']:.2f}" if figures else "-"


def _titled(name: str, version: str) -> str:
    return name if name == "json" else f"{name} {version}"


def noise(record: Any) -> list[float]:
    """Return by how many per cent orjson differed from itself, row by row.

    Empty if no cell has both of its entries.
    """
    found = [_speed(cell, AGAIN) for cell in record["cells"]]
    return [abs(math.log(ratio)) * 100 for ratio in found if ratio]


def full(record: Any) -> str:
    """Return the version of CPython, as 3.11.7."""
    return str(record["environment"]["python"]).split()[0]


def short(record: Any) -> str:
    """Return the version of CPython, as 3.11."""
    return re.match(r"\d+\.\d+", full(record))[0]  # type: ignore[index]
