"""The Markdown tables of import times, file sizes and machine code, from records.

Separate from the other tables because nothing here is a ratio of calls. Invariant: only
records that have the group are shown, and a figure that a record lacks is a dash.
Called by results.py. Needs the standard library only.
"""

from __future__ import annotations

from typing import Any

import results_tables as tables


def footprint(records: list[Any]) -> str:
    """Return the tables, or the empty string if no record has the figures."""
    found = {
        tables.short(record): tables.footprint_of(record)
        for record in records
        if tables.footprint_of(record)
    }
    if not found:
        return ""
    return "\n\n".join(part for part in (_imports(found), _code(found)) if part)


def _imports(found: dict[str, Any]) -> str:
    """Return import times and the bytes of the compiled file, by library."""
    rows = []
    for version, one in found.items():
        for name, whole in one["import_ms"].items():
            own, size = one["own_ms"].get(name), one["extension_bytes"].get(name)
            row = [f"{name} {version}", _interval(whole)]
            row += [_interval(own) if own else "-", f"{size:,}" if size else "-"]
            rows.append(row)
    head = ["import", "interpreter, ms", "its own part, ms", "extension, bytes"]
    return tables.table(head, rows)


def _code(found: dict[str, Any]) -> str:
    """Return the bytes of machine code of snooze by tier."""
    known = {version: one["code_bytes"] for version, one in found.items()}
    names = list(dict.fromkeys(name for one in known.values() for name in one))
    rows = [
        [f"snooze {version}"]
        + [f"{one[name]:,}" if name in one else "-" for name in names]
        for version, one in known.items()
        if one
    ]
    return tables.table(["bytes of code", *names], rows) if rows else ""


def _interval(found: list[float]) -> str:
    value, low, high = found
    return f"{value:.1f} ({low:.1f} to {high:.1f})"
