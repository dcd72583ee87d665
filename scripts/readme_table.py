"""Render the performance section of README.md from committed records of the race.

Separate from the document so that no figure is copied by hand. Invariants: only the
text between the two markers changes; every figure is computed from the records that the
first marker names, whose files and command stand beside the tables. Of several records,
each is of another Python. Used by hand and by tests/test_docs.py.

    python scripts/readme_table.py lab/record/A.json lab/record/B.json   write it
    python scripts/readme_table.py --check             is it still what they say?
    python scripts/readme_table.py --goals FILE.json   print the table of goals
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "README.md"
BEGIN = "<!-- record: {} -->"
END = "<!-- end of record -->"
DIRECTIONS = ("loads", "dumps")
LIMIT = 2.5  # per cent in the median row; the race calls a run too noisy from there on
BUSY = "**The machine was busy: this run is too noisy to rank close results.**"
OURS, REFERENCE, AGAIN = "snooze", "orjson", "orjson again"
MEDIAN = 3  # in a list of times: rounds, least, lower quartile, median, upper, most


def load(path: Path) -> Any:
    """Return the record in a file."""
    return json.loads(path.read_text("utf-8"))


def render(records: dict[str, Any]) -> str:
    """Return the section for records, by the names of their files in the checkout."""
    whole = list(records.values())
    lines = []
    for name, record in records.items():
        lines += [*_introduction(name, record), ""]
    parts = [
        _means(whole),
        _documents(whole),
        _tiny(whole),
        _kinds(whole),
        _typed(whole),
        _memory(whole),
    ]
    return "\n".join(lines) + "\n" + "\n\n".join(part for part in parts if part)


def _introduction(file: str, record: Any) -> list[str]:
    where = record["environment"]
    settings = record["settings"]
    version = _python(record)
    groups = " ".join(f"--group {one}" for one in settings["groups"])
    noise = _noise(record)
    text = (
        f"`python -m snooze_lab.race {groups} --seconds {settings['seconds']:g} "
        f"--record` with CPython {version} on {where['date'][:10]}, "
        f"{where['processor']} "
        f"({where['machine']}, {where['processors']} processors), "
        f"{where['system'].split()[0]}, wrote [{Path(file).name}]({file}). "
        f"orjson against itself differed by {statistics.median(noise):.1f} % in the "
        f"median row, {max(noise):.1f} % at most: believe no smaller difference."
    )
    lines = _wrapped(text)
    return [*lines, BUSY] if statistics.median(noise) > LIMIT else lines


def _wrapped(text: str) -> list[str]:
    """Break at blanks, but not inside backquotes."""
    lines, line = [], ""
    for word in re.findall(r"`[^`]*`\S*|\S+", text):
        if line and len(line) + 1 + len(word) > 96:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def _means(records: list[Any]) -> str:
    """Return the geometric means of every contender over the documents."""
    columns: dict[str, dict[str, float | None]] = {}
    names: dict[str, str] = {}
    for record in records:
        for direction in DIRECTIONS:
            cells = _over_documents(record, direction)
            if not cells:
                continue
            title = f"{direction} {_short(record)}"
            columns[title] = {
                name: _mean([_speed(cell, name) for cell in cells])
                for name in record["versions"]
                if name != AGAIN
            }
        names |= record["versions"]
    names.pop(AGAIN, None)
    if not columns:
        return ""
    count = len(_cells(records[0], "documents", "loads")) or 4
    rows = [
        [_titled(name, names[name])]
        + [_figure(column.get(name)) for column in columns.values()]
        for name in sorted(names, key=lambda one: -_sortable(columns, one))
    ]
    title = (
        f"Geometric mean over {count} documents, speed relative to orjson in the same\n"
        "rounds, so higher is faster:"
    )
    return f"{title}\n\n" + _table(["", *columns], rows)


def _sortable(columns: dict[str, dict[str, float | None]], name: str) -> float:
    known = [column.get(name) or 0.01 for column in columns.values()]
    return math.prod(known)


def _documents(records: list[Any]) -> str:
    """Return snooze beside orjson and the best rival, document by document."""
    columns: list[tuple[str, dict[str, str]]] = []
    for record in records:
        for direction in DIRECTIONS:
            cells = _over_documents(record, direction)
            if not cells:
                continue
            ours, rivals = _beside(cells)
            best = [cell["best_rival"][1] for cell in cells if cell["best_rival"]]
            mean = _figure(_mean([_speed(cell, OURS) for cell in cells]))
            ours["geometric mean"] = mean
            rivals["geometric mean"] = _figure(_mean(best))
            columns.append((f"{direction} {_short(record)}", ours))
            columns.append(("best rival", rivals))
    title = (
        "snooze on each document: speed relative to orjson, and relative to the best\n"
        "rival on that document:"
    )
    return _grid(title, "document", columns, last="geometric mean")


def _beside(cells: list[Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return our speed relative to orjson, and to the best rival, cell by cell."""
    ours = {cell["workload"]: _figure(_speed(cell, OURS)) for cell in cells}
    return ours, {cell["workload"]: _rival(cell) for cell in cells}


def _tiny(records: list[Any]) -> str:
    """Return the nanoseconds of single calls."""
    calls: list[tuple[str, dict[str, str]]] = []
    for record in records:
        for cell in _cells(record, "tiny"):
            title = f"{cell['direction']} {cell['workload']} {_short(record)}"
            times = cell["nanoseconds"].items()
            figures = {
                name: f"{found[MEDIAN]:,.0f}" for name, found in times if name != AGAIN
            }
            calls.append((title, figures))
    return _lines("Single calls, nanoseconds:", calls) if calls else ""


def _kinds(records: list[Any]) -> str:
    """Return what is written beyond plain JSON."""
    columns: list[tuple[str, dict[str, str]]] = []
    for record in records:
        ours, rivals = _beside(_cells(record, "kinds"))
        if ours:
            columns.append((f"vs orjson {_short(record)}", ours))
            columns.append(("best rival", rivals))
    title = (
        "Classes, times, keys, layouts and arrays: speed of snooze relative to\n"
        "orjson, and relative to the best rival that has the kind:"
    )
    return _grid(title, "dumps of", columns)


def _typed(records: list[Any]) -> str:
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
                found[name] = _figure(ours / theirs if ours and theirs else None)
            columns.append((f"{other} {_short(record)}", found))
    title = (
        "Typed codecs (`Decoder`, `Encoder`) with slots dataclasses: speed relative\n"
        "to msgspec with Structs and with the same dataclasses, to orjson without\n"
        "classes (dumps: of the same dataclasses), and to snooze's own `loads` and\n"
        "`dumps`. min: minified; mix: members shuffled; con: constraints on every\n"
        'field; skip: `skip="fast"`; nogc: `gc=False` for our classes and Structs,\n'
        "-m: minified too:"
    )
    return _grid(title, "typed", columns)


def _grid(
    title: str, first: str, columns: list[tuple[str, dict[str, str]]], last: str = ""
) -> str:
    """Return a table of columns; what one of them lacks is a dash."""
    names = list(dict.fromkeys(name for _, column in columns for name in column))
    names.sort(key=lambda name: name == last)
    if not names:
        return ""
    rows = [[name, *(one.get(name, "-") for _, one in columns)] for name in names]
    return f"{title}\n\n" + _table([first, *(head for head, _ in columns)], rows)


def _lines(title: str, lines: list[tuple[str, dict[str, str]]]) -> str:
    """Return a table with a column for each library."""
    names = list(dict.fromkeys(name for _, line in lines for name in line))
    rows = [[head, *(one.get(name, "-") for name in names)] for head, one in lines]
    return f"{title}\n\n" + _table(["", *names], rows)


def _memory(records: list[Any]) -> str:
    """Return the peaks of the first record that has them."""
    for record in records:
        figures = [row for row in record["memory"] if row["task"] in DIRECTIONS]
        if not figures:
            continue
        lines = [
            (
                f"{row['task']} {row['document']}",
                {name: _peak(found) for name, found in row["bytes"].items()},
            )
            for row in figures
        ]
        title = (
            "Peak of resident memory during a call over the result's own size,\n"
            f"CPython {_short(record)}, each in a fresh process, the input not counted:"
        )
        return _lines(title, lines)
    return ""


def goals(record: Any) -> str:
    """Return the table of goals of a record."""
    marks = {True: "yes", False: "no", None: ""}
    rows = [
        [one["name"], one["wanted"], one["measured"], marks[one["reached"]]]
        for one in record["goals"]
    ]
    return _table(["goal", "wanted", f"CPython {_python(record)}", "reached"], rows)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _cells(record: Any, group: str, direction: str = "") -> list[Any]:
    return [
        cell
        for cell in record["cells"]
        if cell["group"] == group and direction in ("", cell["direction"])
    ]


def _over_documents(record: Any, direction: str) -> list[Any]:
    """Return the cells of all documents, or of the seed's if only those were raced."""
    found = _cells(record, "documents", direction)
    return found or _cells(record, "seed", direction)


def _speed(cell: Any, name: str) -> float | None:
    found = cell["speed_relative_to_orjson"].get(name)
    return float(found[0]) if found else None


def _rival(cell: Any) -> str:
    best = cell["best_rival"]
    return f"{best[1]:.2f} {best[0]}" if best else "-"


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known or len(known) != len(values):
        return None
    return statistics.geometric_mean(known)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _peak(figures: Any) -> str:
    return f"{figures['peak'] / figures['own']:.2f}" if figures else "-"


def _titled(name: str, version: str) -> str:
    return name if name == "json" else f"{name} {version}"


def _noise(record: Any) -> list[float]:
    found = [_speed(cell, AGAIN) for cell in record["cells"]]
    return [abs(math.log(ratio)) * 100 for ratio in found if ratio] or [0.0]


def _python(record: Any) -> str:
    return str(record["environment"]["python"]).split()[0]


def _short(record: Any) -> str:
    return ".".join(_python(record).split(".")[:2])


def recorded() -> list[Path]:
    """Return the records that the document names."""
    marker = re.escape(BEGIN).replace(r"\{\}", "(.*?)")
    found = re.search(marker, DOCUMENT.read_text("utf-8"))
    if not found:
        sys.exit("README.md has no marker <!-- record: lab/record/FILE.json -->")
    return [ROOT / name for name in found[1].split()]


def replaced(paths: list[Path]) -> str:
    """Return the document with the section of these records."""
    text = DOCUMENT.read_text("utf-8")
    names = [path.resolve().relative_to(ROOT).as_posix() for path in paths]
    start, end = text.index(BEGIN.split("{}", maxsplit=1)[0]), text.index(END)
    section = render({name: load(ROOT / name) for name in names})
    marker = BEGIN.format(" ".join(names))
    return f"{text[:start]}{marker}\n\n{section}\n\n{text[end:]}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("record", type=Path, nargs="*", help="default: those of now")
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--goals", action="store_true", help="print the goals instead")
    options = parser.parse_args()
    paths = options.record or recorded()
    if options.goals:
        print("\n\n".join(goals(load(path)) for path in paths))
        return 0
    text = replaced(paths)
    if options.check:
        if text == DOCUMENT.read_text("utf-8"):
            return 0
        print("README.md: the tables are not their records': run me without --check")
        return 1
    DOCUMENT.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
