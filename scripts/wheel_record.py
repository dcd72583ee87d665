"""The record of the wheels that were built, and its tables in docs/tested.md.

Separate from wheels.py, because the page is written without a build. Invariants: the
entry of a wheel is replaced only by a build of that wheel; a wheel without an entry is
on the page as not built, with a reason. Called by wheels.py and matrix_page.py.
Standard library only.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wheel_targets import TARGETS, VERSIONS

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "tests" / "record" / "wheels.json"
NOT_YET = "not built since the platform was added"
HEAD = (
    *("platform", "CPython", "wheel, bytes", "extension, bytes", "built twice, equal"),
    *("installs in an empty environment", "date", "library"),
)


def name_of(target: str, version: str) -> str:
    """Return the key of a wheel in the record."""
    return f"{target}, {version}"


def read() -> dict[str, Any]:
    """Return the record."""
    if not PATH.exists():
        return {"wheels": {}, "not_built": {}}
    found: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return found


def keep(rows: list[dict[str, Any]], missing: dict[str, str]) -> None:
    """Put wheels into the record, and reasons for those that could not be built."""
    record = read()
    for one in rows:
        name = name_of(one["target"], one["version"])
        before = record["wheels"].get(name, {})
        # The same bytes are still those that were built twice.
        is_twice = before.get("sha256") == one["sha256"] and before["twice"]
        record["wheels"][name] = one | {"twice": one["twice"] or is_twice}
        record["not_built"].pop(name, None)
    for name, reason in missing.items():
        if name not in record["wheels"]:
            record["not_built"][name] = reason
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", "utf-8")


def table(record: dict[str, Any]) -> list[str]:
    """Return the table of the wheels that were built."""
    lines = [f"| {' | '.join(HEAD)} |", "|---|---|--:|--:|---|---|---|---|"]
    for target in TARGETS:
        for version in VERSIONS:
            one = record["wheels"].get(name_of(target.name, version))
            if one is None:
                continue
            twice = "yes" if one["twice"] else "not tried"
            cells = [target.name, version, f"{one['wheel']:,}", f"{one['module']:,}"]
            cells += [twice, one["installed"], one["date"], f"`{one['library']}`"]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def not_built(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the wheels that were not built, by platform and reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for target in TARGETS:
        for version in VERSIONS:
            name = name_of(target.name, version)
            if name not in record["wheels"]:
                reason = record["not_built"].get(name, NOT_YET)
                found.setdefault((target.name, reason), []).append(version)
    return [
        (f"wheels for {target}, CPython {', '.join(versions)}", reason)
        for (target, reason), versions in found.items()
    ]
