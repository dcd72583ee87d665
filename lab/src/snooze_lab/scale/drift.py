"""What readers make of data that changes: the right values, an error, or other values.

Separate because speed means nothing beside a reader that loses data. Every reader
infers the schema as it does by default; the oracle is the standard library's value of
each line; the JSON text of a value is right where values of several kinds share a
column.

usage: python -m snooze_lab.scale.drift LIBRARY print {case: outcome} as JSON
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from snooze_lab.scale import readers

#: The libraries of the table, by their names in readers.READERS.
LIBRARIES = ("snooze whole", "polars", "duckdb", "pyarrow", "datafusion", "arro3")
#: The records before the change, and all.
BEFORE, ALL = 1500, 2000
RIGHT, REFUSED, WRONG = "right", "error", "WRONG"
#: case -> the line before and the line from the change on.
CASES = {
    "a member that comes late": ('{"a": 1}', '{"a": 1, "late": 7}'),
    "integer, later 1500.5": ('{"a": 1}', '{"a": 1500.5}'),
    "integer, later text": ('{"a": 1}', '{"a": "x"}'),
    "null, later text": ('{"a": null}', '{"a": "x"}'),
    "null, later an object": ('{"a": null}', '{"a": {"b": 1}}'),
    "text, later an object": ('{"a": "x"}', '{"a": {"b": 1}}'),
    "list of mixed values": ('{"a": [1]}', '{"a": [1, "x"]}'),
    "null among objects of a list": ('{"a": [{"b": 1}]}', '{"a": [{"b": 1}, null]}'),
    "2^64-1": ('{"a": 1}', '{"a": 18446744073709551615}'),
    "2^70+1": ('{"a": 1}', '{"a": 1180591620717411303425}'),
    "2^53+1 in a column with 0.5": ('{"a": 0.5}', '{"a": 9007199254740993}'),
    "a member twice (the last counts)": ('{"a": 1}', '{"a": 1, "a": 2}'),
    "CRLF and empty lines": ('{"a": 1}', '{"a": 2}\r\n\r'),
    "a key with a dot": ('{"a.b": 1}', '{"a.b": 2}'),
}
#: The same with text that is not JSON, or no text at all, where an error is right.
INVALID = {
    "a broken line (not JSON)": ('{"a": 1}', '{"a": 1'),
    "NaN (not JSON)": ('{"a": 1.5}', '{"a": NaN}'),
    "half of a surrogate pair": ('{"a": "x"}', '{"a": "\\ud800"}'),
}


def outcomes(library: str) -> dict[str, str]:
    """Return the outcome of each case."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (case, (first, second)) in enumerate((CASES | INVALID).items()):
            path = Path(folder) / f"{number}.ndjson"
            text = f"{first}\n" * BEFORE + f"{second}\n" * (ALL - BEFORE)
            path.write_text(text, "utf-8", newline="")
            found[case] = _outcome(library, str(path), valid=case in CASES)
    return found


def _outcome(library: str, path: str, *, valid: bool) -> str:
    job = readers.Job(path, None, None, None, 1)
    try:
        rows = readers.as_table(readers.READERS[library](job)()).to_pylist()
    except Exception:  # noqa: BLE001 - whatever a library raises says that it refused
        return REFUSED if valid else RIGHT
    if not valid:
        return f"{WRONG}: {json.dumps(rows[-1], default=str)}"
    lines = Path(path).read_text("utf-8").split("\n")
    wanted = [json.loads(line) for line in lines if line.strip()]
    if len(rows) != len(wanted):
        return f"{WRONG}: {len(rows)} rows of {len(wanted)}"
    for row, right in zip(rows, wanted, strict=True):
        if not _same(row, right):
            return f"{WRONG}: {json.dumps(row, default=str)}"
    return RIGHT


def _same(found: Any, wanted: Any) -> bool:
    """Return whether a value of a column is that of the text."""
    if isinstance(wanted, dict):
        # DuckDB makes maps, pairs of names and values, of objects with few names.
        if isinstance(found, list) and all(isinstance(one, tuple) for one in found):
            found = dict(found)
        if isinstance(found, dict):
            names = found.keys() | wanted.keys()
            return all(_same(found.get(one), wanted.get(one)) for one in names)
    elif isinstance(wanted, list) and isinstance(found, list):
        same = len(found) == len(wanted)
        return same and all(map(_same, found, wanted))
    if isinstance(found, str) and found != wanted:
        try:
            return bool(json.loads(found) == wanted)
        except ValueError:
            return False
    return bool(found == wanted) and (type(found) is bool) == (type(wanted) is bool)


def main() -> None:
    """Run the command line."""
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print
    os.write(out, json.dumps(outcomes(sys.argv[1])).encode())


if __name__ == "__main__":
    main()
