"""Keep the results of the test matrix, and write docs/tested.md from them.

Separate from test_matrix.py, because the page can be written, and compared with the
record, without a run. Invariants: each line of the page is an entry of the record, made
by a run of its row; rows without an entry are on the page as not run, with a reason.
Called by test_matrix.py, wheels.py and tests/repo; standard library only.

usage: matrix_page.py [--check | --current]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import sources
import wheel_record
from matrix_rows import NOT_RUN, ROWS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tested.md"
RECORD = ROOT / "tests" / "record"
MATRIX = RECORD / "matrix.json"
BEGIN, END = "<!-- table: scripts/matrix_page.py {} -->", "<!-- end of table -->"
HEAD = (
    *("CPython", "build", "processor", "tier", "check"),
    *("passed", "skipped", "failed", "date", "library", "tests"),
)
#: In the place of a digest, in a record from before there were any.
NO_DIGEST = "-"
NOT_YET = "not run since the row was added"
TREES = ("library", "tests")


def keep(found: list[dict[str, Any]], missing: dict[str, str]) -> None:
    """Put results of rows into the record, and reasons for those that were not run."""
    record = read(MATRIX, {"rows": {}, "not_run": {}})
    for one in found:
        record["rows"][one["name"]] = one
        record["not_run"].pop(one["name"], None)
    for name, reason in missing.items():
        if name not in record["rows"]:
            record["not_run"][name] = reason
    RECORD.mkdir(exist_ok=True)
    MATRIX.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", "utf-8")


def read(path: Path, default: Any) -> Any:
    """Return a record, or the default if there is none."""
    return json.loads(path.read_text("utf-8")) if path.exists() else default


def matrix_table(record: dict[str, Any]) -> list[str]:
    """Return the table of the rows that were run."""
    lines = [f"| {' | '.join(HEAD)} |", "|---|---|---|---|---|--:|--:|--:|---|---|---|"]
    for row in ROWS:
        one = record["rows"].get(row.name)
        if one is None:
            continue
        version = one["python"] + ("t" if row.version.endswith("t") else "")
        cells = [version, one["build"], one["machine"], one["tier"], one["check"]]
        cells += [f"{one[name]:,}" for name in ("passed", "skipped", "failed")]
        cells += [one["date"], *(f"`{digest_of(one, tree)}`" for tree in TREES)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def digest_of(one: dict[str, Any], tree: str) -> str:
    """Return the digest of the library or the tests of a run."""
    digest: str = one.get("sources", {}).get(tree, NO_DIGEST)
    return digest


def stale_rows(record: dict[str, Any], now: dict[str, str]) -> dict[str, str]:
    """Return the rows that were not run with these sources, each with the reason."""
    found = {}
    for row in ROWS:
        one = record["rows"].get(row.name)
        if one is None:
            found[row.name] = record["not_run"].get(row.name, NOT_YET)
            continue
        changed = [tree for tree in TREES if digest_of(one, tree) != now[tree]]
        if changed:
            found[row.name] = f"changed since {one['date']}: {' and '.join(changed)}"
    return found


def show_current() -> int:
    """Print which rows were run with the sources that are here; 1 if any was not."""
    record = read(MATRIX, {"rows": {}, "not_run": {}})
    now = sources.digests()
    print(", ".join(f"{tree} {digest}" for tree, digest in now.items()))
    stale = stale_rows(record, now)
    for row in ROWS:
        reason = stale.get(row.name)
        print(f"{row.name:>12}: {f'STALE, {reason}' if reason else 'current'}")
    return 1 if stale else 0


def not_run_table(record: dict[str, Any]) -> list[str]:
    """Return the table of what was not run."""
    lines = ["| not run | why |", "|---|---|"]
    for row in ROWS:
        if row.name not in record["rows"]:
            reason = record["not_run"].get(row.name, NOT_YET)
            name = f"{row.version}, {row.build}, {row.machine}, {row.check}"
            name += f", tier {row.tier}" if row.tier else ""
            lines.append(f"| {name} | {reason} |")
    lines += [f"| {name} | {reason} |" for name, reason in NOT_RUN]
    return lines


def page(text: str) -> str:
    """Return the page with its tables made anew."""
    record = read(MATRIX, {"rows": {}, "not_run": {}})
    wheels = wheel_record.read()
    unbuilt = [f"| {name} | {why} |" for name, why in wheel_record.not_built(wheels)]
    tables = {
        "matrix": matrix_table(record),
        "not-run": not_run_table(record) + unbuilt,
        "wheels": wheel_record.table(wheels),
    }
    for name, lines in tables.items():
        begin = BEGIN.format(name)
        before, found, rest = text.partition(begin)
        if not found or END not in rest:
            sys.exit(f"{PAGE.name} has no table {name}")
        after = rest.partition(END)[2]
        table = "\n".join(lines)
        text = f"{before}{begin}\n{table}\n{END}{after}"
    return text


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")


def main() -> int:
    """Write the page, or say whether it, or each of its rows, is up to date."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument(
        "--current", action="store_true", help="name the rows that are not of now"
    )
    options = parser.parse_args()
    if options.current:
        return show_current()
    if options.check:
        text = PAGE.read_text("utf-8")
        if page(text) == text:
            return 0
        print("docs/tested.md is not up to date: run scripts/matrix_page.py")
        return 1
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
