"""Which records are published: the newest of each CPython, SIMD tier and processor.

Separate from the tables, which show whatever records they get. Records of other kinds
of processor, tiers and CPythons are kept beside each other, so that readers find the
figures of a machine like theirs; of the same kind the newest counts, group by group,
because one race may be recorded in several runs. Invariants: figures of two kinds are
never in one table; a record without figures left is not published. A record from before
tiers were recorded counts as one of the tier that its processor has, so a newer run
without a forced tier replaces it. Called by results.py. Needs the standard library.
"""

from __future__ import annotations

from typing import Any

import results_tables as tables


def newest(records: dict[str, Any]) -> dict[str, Any]:
    """Return the records, by name, without the groups that a newer one has too.

    SystemExit for a record of some rows only: it would replace the whole group.
    """
    found: dict[str, Any] = {}
    for name, record in records.items():
        rows = record["settings"].get("only")
        if rows:
            raise SystemExit(
                f"{name}: expected whole groups, found only {rows}: publish a record "
                "that was made without --only"
            )
    seen: set[tuple[str, ...]] = set()
    dated = sorted(records, key=lambda one: (date(records[one]), one), reverse=True)
    for name in dated:
        record = records[name]
        processor, tier = tables.kind(record)
        python = tables.short(record)
        mine = [
            group
            for group in tables.groups(record)
            if (processor, tier, python, group) not in seen
        ]
        for group in tables.groups(record):
            seen.add((processor, tier, python, group))
            if not forced(record):
                seen.add((processor, "", python, group))
        if mine:
            found[name] = only(record, mine)
    return {name: found[name] for name in records if name in found}


def only(record: Any, groups: list[str]) -> Any:
    """Return a record with the figures of these groups."""
    return record | {
        "cells": [cell for cell in record["cells"] if cell["group"] in groups],
        **{
            name: record.get(name, []) if name in groups else []
            for name in ("memory", *tables.APART)
        },
        "footprint": tables.footprint_of(record) if "footprint" in groups else {},
    }


def by_kind(records: dict[str, Any]) -> dict[tuple[str, str], list[Any]]:
    """Return the records of each processor and tier; the kind of the front page first.

    That is the one with the most groups that ran in the tier of its processor, not a
    forced one, and of these the newest.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for record in records.values():
        found.setdefault(tables.kind(record), []).append(record)

    def rank(kind: tuple[str, str]) -> tuple[bool, int, str]:
        own = found[kind]
        own_groups = {(tables.short(one), g) for one in own for g in tables.groups(one)}
        free = not any(forced(one) for one in own)
        return free, len(own_groups), max(date(one) for one in own)

    order = sorted(found, key=rank, reverse=True)
    return {kind: found[kind] for kind in order}


def forced(record: Any) -> bool:
    """Tell whether a record's tier was chosen by its caller."""
    return bool(record["environment"]["snooze_cpu"] != "default")


def date(record: Any) -> str:
    """Return when a record was made, as text that sorts."""
    return str(record["environment"]["date"])


def title(kind: tuple[str, str]) -> str:
    """Return a processor and a tier as a heading."""
    processor, tier = kind
    return f"{processor}, {tier}" if tier else f"{processor}, tier not recorded"
