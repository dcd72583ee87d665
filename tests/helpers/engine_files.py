"""Files of lines for the tests of engines, what they hold, and how a test is skipped.

Separate because each engine's tests use them. Invariants: two plain files, one
compressed, with empty lines, a carriage return and no final line feed, so that parts
begin and end at awkward bytes; no row is told from another by its position.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

import snooze

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 3000
#: The bytes in a part, so that there are many.
PART = 20_000


def record(number: int) -> dict[str, Any]:
    """Return a record with each type of column."""
    return {
        "id": number,
        "status": (200, 404, 500)[number % 3],
        "name": f"näme-{number % 7}" * (number % 4),
        "big": 2**63 + number,
        "mixed": (number, "x", None, [number])[number % 4],
        "at": {
            "x": number / 4,
            "none": None,
            "any": [{"y": (number, "y")[number % 2]}],
        },
        "tags": ["a", "b", "c"][: number % 4],
        # No double holds these, and they have nulls beside them.
        "exact": None if number % 2 else 2**60 + number,
        "flag": number % 5 == 0,
    }


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the files; return the pattern that means them, in order."""
    folder: Path = tmp_path_factory.mktemp("lines")
    lines = [json.dumps(record(number)) for number in range(ROWS)]
    third = ROWS // 3
    (folder / "1.ndjson").write_text("\n\n".join(lines[:third]))
    (folder / "2.ndjson").write_text("\r\n".join(lines[third : 2 * third]) + "\n")
    with gzip.open(folder / "3.ndjson.gz", "wt") as file:
        file.write("\n".join(lines[2 * third :]))
    return str(folder / "*")


RECORDS = [record(number) for number in range(ROWS)]
FAILED = [(one["id"], one["exact"]) for one in RECORDS if one["status"] >= 404]


def adapter(name: str) -> Any:
    """Import a module of `snooze.adapters`; skip the test module without the engine."""
    found = f"snooze.adapters.{name}"
    reason = f"{name} is not installed: NOT tested"
    return pytest.importorskip(found, reason=reason, exc_type=ImportError)


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its JSON text read."""
    mixed, at = row["mixed"], row["at"]
    at = {**at, "any": [{"y": json.loads(one["y"])} for one in at["any"]]}
    return {**row, "at": at, "mixed": None if mixed is None else json.loads(mixed)}


def broken(folder: Path) -> tuple[snooze.Scan, str]:
    """Return a scan with a wrong record behind the sample, and its place."""
    path = folder / "broken.ndjson"
    lines = b'{"a": 1}\n' * 600_000
    path.write_bytes(lines + b'{"a": "x"}\n')
    return snooze.scan(str(path), drift="error"), f"byte {len(lines) + 6}"
