"""Write the tables of speed of docs/scale.md from the newest record of the study.

Separate from the study, which measures; and from results.py, whose records are of the
race. Invariants: one command writes every figure between the two markers; the first of
them names the record. Called by hand after `make lab-scale RECORD=--record`, and by
tests/repo; standard library only.

usage: scale_tables.py [--check]
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "scale.md"
RECORDS = ROOT / "lab" / "record" / "scale"
BEGIN, END = "<!-- record: lab/record/scale/{} -->", "<!-- end of record -->"
#: Columns of a line of the page.
WIDTH = 125

#: What a contender is called in the tables: with the version, and without.
NAMES = {
    "snooze": "`scan`",
    "snooze read": '`scan`, `check="read"`',
    "snooze polars": '`polars.lazy_frame(scan)`, `check="read"`',
    "datafusion": "DataFusion{} `register_json`",
    "arro3": "arrow-rs, by arro3-io{} `read_json`",
    "duckdb": "DuckDB{} `read_json`",
    "polars": "polars{} `scan_ndjson`",
    "pyarrow": "pyarrow{} `read_json`",
    "awkward": "awkward{} `from_json`",
    "chdb": "chDB{}",
    "daft": "Daft{}",
    "orjson lines": "orjson{} by line, `Table.from_pylist`",
}
OF_INFERENCE = {
    "snooze whole": "`scan`",
    "snooze": '`scan`, from a sample (`drift="error"`)',
}
OF_WRITING = {
    "snooze": "`write_lines`",
    "polars": "polars `write_ndjson`",
    "duckdb": "DuckDB `COPY`",
    "orjson lines": "orjson on `to_pylist`",
}
#: Engine -> what its reader is called, and which columns are read.
ENGINES = {
    "dask": "Dask `read_json(lines=True)`, all columns",
    "ray": "Ray `read_json(lines=True)`, all columns",
    "spark": "Spark `read.json`, three columns",
}

ENGINES_COMPARED = (
    "In engines, the processor time of all their processes, as a multiple of that of "
    "the adapter:"
)

Row = tuple[str, ...]
#: One contender in one contest.
Figure = dict[str, Any]


class Record:
    """A record of the study."""

    def __init__(self, path: Path) -> None:
        """Read the file."""
        self.name = path.name
        self.whole = json.loads(path.read_text("utf-8"))

    def contest(self, name: str) -> dict[str, Figure]:
        """Return the contenders of a contest that ran."""
        found = self.whole["figures"][name]
        return {key: one for key, one in found.items() if "not_run" not in one}

    def rate(self, contest: str, contender: str) -> float | None:
        """Return the MB of text per second of a processor."""
        one = self.contest(contest).get(contender)
        return None if one is None else one["text_mb"] / one["cpu_s"]

    def cost(self, contest: str, first: str, second: str, key: str = "cpu_s") -> float:
        """Return the time of the first contender in that of the second."""
        found = self.contest(contest)
        return float(found[first][key] / found[second][key])

    def version(self, contender: str) -> str:
        """Return the version of a library, after a space."""
        found = self.whole["versions"].get(contender)
        return f" {found}" if found else ""


def rates(
    record: Record, names: dict[str, str], contests: list[str], *, shows_version: bool
) -> list[Row]:
    """Return a row for each library that ran in a contest, the fastest first."""
    rows = []
    for contender, name in names.items():
        found = [record.rate(contest, contender) for contest in contests]
        if not any(found):
            continue
        version = record.version(contender) if shows_version else ""
        cells = ["" if one is None else f"{one:,.0f}" for one in found]
        rows.append((found[-1] or 0, (name.format(version), *cells)))
    return [row for _, row in sorted(rows, key=lambda one: -one[0])]


def table(head: Row, rows: list[Row]) -> str:
    """Return a table in Markdown; all columns but the first are figures."""
    marks = ("---", *["--:"] * (len(head) - 1))
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    lines.insert(1, f"|{'|'.join(marks)}|")
    return "\n".join(line.replace("  ", " ") for line in lines)


def paragraph(text: str) -> str:
    """Return text in lines of the page's width."""
    return textwrap.fill(
        " ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False
    )


def engines(record: Record) -> str:
    """Return the table of engines."""
    rows = []
    for engine, name in ENGINES.items():
        costs = [
            record.cost(f"{engine} {kind}", engine, f"{engine} snooze")
            for kind in ("log", "gh")
        ]
        rows.append((name, *(f"{one:.1f}" for one in costs)))
    return table(("", "log", "gh"), rows)


def memory(record: Record) -> str:
    """Return what is said of memory."""

    def beside(name: str) -> str:
        found = []
        for kind in ("log", "gh"):
            one = record.contest(f"given {kind}")[name]
            found.append(f"{max(one['peak_mb'] - one.get('result_mb', 0), 0):.0f}")
        return " and ".join(found)

    return f"""Peak memory beside the table itself, in MB, `log` and `gh`:
        {beside("snooze")} with `scan`, {beside("arro3")} with arro3,
        {beside("duckdb")} with DuckDB, {beside("pyarrow")} with pyarrow."""


def threads(record: Record) -> str:
    """Return what is said of threads and compressed files."""

    def by_clock(contest: str, first: str, second: str, of: str) -> float:
        one, two = record.contest(contest)[first], record.contest(of)[second]
        return float(one["wall_s"] / two["wall_s"])

    two = [
        by_clock(f"given {kind}", "snooze", "snooze", f"given {kind} 2")
        for kind in ("log", "gh")
    ]
    packed = [
        by_clock(f"gz {kind} 2", "gzip", "snooze", f"gz {kind} 2")
        for kind in ("log", "gh")
    ]
    return f"""Two threads read {two[0]:.2f} (`log`) and {two[1]:.2f} (`gh`) times as
        much in a second as one. With two threads a file in gzip takes
        {1 / packed[0]:.2f} and {1 / packed[1]:.2f} times as long as zlib alone needs
        to decompress it, on one."""


def section(record: Record) -> str:
    """Return everything between the markers."""
    facts = record.whole["environment"]
    python = ".".join(facts["python"].split(".")[:2])
    readers = {
        name: text
        for name, text in NAMES.items()
        if name not in ("snooze polars", "awkward", "chdb", "daft", "orjson lines")
    }
    inferring = {
        name: text for name, text in NAMES.items() if not name.startswith("snooze")
    }
    how = f"""MB of text per second of CPU time, to Arrow in memory; one thread where
        the reader allows that; all readers get the schema unless marked *inferred*.
        `log` has flat records of 13 members, 300 B each, and `gh` events of a code
        host, 106 columns when united, 1 kB each. Files of 100 MB, least of two
        interleaved runs of a process each; {facts["processor"]},
        {facts["processors"]} processors, CPython {python}, {facts["date"][:10]}.
        `make lab-scale` runs the race. The
        [record](../lab/record/scale/{record.name}) has every figure, and the goals
        that were met and missed."""
    parts = [
        paragraph(how),
        table(
            ("", "log, all", "gh, all", "log, three columns", "gh, three columns"),
            rates(
                record,
                readers,
                ["given log", "given gh", "three log", "three gh"],
                shows_version=True,
            ),
        ),
        table(
            ("all columns, inferred", "log", "gh"),
            rates(
                record,
                OF_INFERENCE | inferring,
                ["all log", "all gh"],
                shows_version=False,
            ),
        ),
        table(
            ("three columns, a condition on a string", "log, 1 % pass", "gh, 3 % pass"),
            rates(record, NAMES, ["where log", "where gh"], shows_version=False),
        ),
        table(
            ("Arrow to JSON Lines", "log", "gh"),
            rates(record, OF_WRITING, ["write log", "write gh"], shows_version=False),
        ),
        ENGINES_COMPARED,
        engines(record),
        paragraph(memory(record) + " " + threads(record)),
    ]
    return "\n\n".join(parts)


def placed(page: str, record: Record) -> str:
    """Return the page with the section of a record.

    Raises:
        ValueError: The page has not both markers.
    """
    start, first, rest = page.partition(BEGIN.split("{}", 1)[0])
    _, last, end = rest.partition(END)
    if not first or not last:
        raise ValueError(f"{PAGE.name} has not both markers: {BEGIN} and {END}")
    begin = BEGIN.format(record.name)
    return f"{start}{begin}\n\n{section(record)}\n\n{END}{end}"


def newest() -> Record:
    """Return the newest record."""
    return Record(max(RECORDS.glob("*.json")))


def main() -> int:
    """Run the command line."""
    page = PAGE.read_text("utf-8")
    made = placed(page, newest())
    if "--check" in sys.argv[1:]:
        return int(made != page)
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
