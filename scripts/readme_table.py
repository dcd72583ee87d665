"""Render the performance section of README.md from a committed record of a race.

Separate from the document so that no figure is copied by hand. Invariants: only the
text between the two markers changes; every figure is computed from one record, whose
name and command stand beside the table. Used by hand and by tests/test_docs.py.

    python scripts/readme_table.py bench/record/FILE.json   write the section
    python scripts/readme_table.py --check                  is it still what it says?
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
LIMIT = 5.0  # per cent; race.py calls a run too noisy from there on
BUSY = "**The machine was busy: this run is too noisy to rank close results.**"
OURS, REFERENCE, AGAIN = "snooze", "orjson", "orjson again"


def load(path: Path) -> Any:
    """Return the record in a file."""
    return json.loads(path.read_text("utf-8"))


def render(record: Any, file: str) -> str:
    """Return the section for one record, by the name of its file in the checkout."""
    cells = {(one["direction"], one["workload"]): one for one in record["cells"]}
    documents = list(dict.fromkeys(document for _, document in cells))
    seconds = record["settings"]["seconds"]
    versions = record["versions"]
    rows = {name: _speeds(cells, documents, name) for name in versions if name != AGAIN}
    order = sorted(rows, key=lambda name: -math.prod(_means(rows[name], documents)))
    head = [f"{d} {document}" for d in DIRECTIONS for document in [*documents, "mean"]]
    lines = [
        f"`python -m bench.race --seconds {seconds:g} --record` on {_machine(record)}",
        f"wrote [{Path(file).name}]({file}). Speed relative to",
        "orjson in the same rounds, so higher is faster; `mean` is the geometric mean.",
        f"{REFERENCE} against itself differed by at most {_noise(cells):.1f} %:",
        "believe no smaller difference.",
        *([BUSY] if _noise(cells) > LIMIT else []),
        "",
        "| " + " | ".join(["", *head]) + " |",
        "|---" + "|--:" * len(head) + "|",
    ]
    for name in order:
        version = versions[name] if name != "json" else f"of Python {_python(record)}"
        figures = _with_means(rows[name], documents)
        lines.append("| " + " | ".join([f"{name} {version}", *figures]) + " |")
    times = []
    for direction in DIRECTIONS:
        times += [_time(cells[direction, document]) for document in documents] + [""]
    lines.append("| " + " | ".join([f"one call of {OURS}", *times]) + " |")
    left_out = sorted(
        {name for cell in cells.values() for name, reason in cell["wrong"].items()}
    )
    if left_out:
        lines += [
            "",
            f"No figure (-): the result of {', '.join(left_out)} for that document",
            "differed from that of `json`, so it was not timed.",
        ]
    return "\n".join(lines)


def _speeds(
    cells: dict[tuple[str, str], Any], documents: list[str], name: str
) -> dict[tuple[str, str], float | None]:
    found: dict[tuple[str, str], float | None] = {}
    for direction in DIRECTIONS:
        for document in documents:
            ratio = cells[direction, document]["speed_relative_to_orjson"].get(name)
            found[direction, document] = ratio[0] if ratio else None
    return found


def _mean(
    speeds: dict[tuple[str, str], float | None], direction: str, documents: list[str]
) -> float | None:
    values = [speeds[direction, document] for document in documents]
    known = [value for value in values if value is not None]
    return statistics.geometric_mean(known) if len(known) == len(values) else None


def _means(
    speeds: dict[tuple[str, str], float | None], documents: list[str]
) -> list[float]:
    """Return both means, nothing counting as zero: to sort by."""
    return [_mean(speeds, direction, documents) or 0.0 for direction in DIRECTIONS]


def _with_means(
    speeds: dict[tuple[str, str], float | None], documents: list[str]
) -> list[str]:
    figures = []
    for direction in DIRECTIONS:
        figures += [speeds[direction, document] for document in documents]
        figures.append(_mean(speeds, direction, documents))
    return ["-" if one is None else f"{one:.2f}" for one in figures]


def _time(cell: Any) -> str:
    rounds = [one for one in cell["nanoseconds"][OURS] if one is not None]
    return f"{statistics.median(rounds) / 1e3:,.0f} µs"


def _noise(cells: dict[tuple[str, str], Any]) -> float:
    ratios = [one["speed_relative_to_orjson"][AGAIN][0] for one in cells.values()]
    return max(abs(math.log(ratio)) for ratio in ratios) * 100


def _python(record: Any) -> str:
    return str(record["environment"]["python"]).split()[0]


def _machine(record: Any) -> str:
    where = record["environment"]
    return (
        f"{where['date'][:10]}, {where['processor']}\n({where['machine']}, "
        f"{where['processors']} processors), {where['system'].split()[0]}, "
        f"CPython {_python(record)},"
    )


def recorded() -> Path:
    """Return the record that the document names."""
    marker = re.escape(BEGIN).replace(r"\{\}", "(.*?)")
    found = re.search(marker, DOCUMENT.read_text("utf-8"))
    if not found:
        sys.exit("README.md has no marker <!-- record: bench/record/FILE.json -->")
    return ROOT / found[1]


def replaced(path: Path) -> str:
    """Return the document with the section of this record."""
    text = DOCUMENT.read_text("utf-8")
    name = path.resolve().relative_to(ROOT).as_posix()
    start, end = text.index(BEGIN.split("{}", maxsplit=1)[0]), text.index(END)
    section = f"{BEGIN.format(name)}\n\n{render(load(ROOT / name), name)}\n\n"
    return text[:start] + section + text[end:]


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("record", type=Path, nargs="?", help="default: the present one")
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    text = replaced(options.record or recorded())
    if options.check:
        if text == DOCUMENT.read_text("utf-8"):
            return 0
        print("README.md: the table is not that of its record: run me without --check")
        return 1
    DOCUMENT.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
