"""Publish committed records: the front page, docs/benchmarks.md, docs/json.md's table.

Separate from the race, which measures, because what is published is chosen afterwards.
Invariants: one command writes every published figure; only the text between a
document's two markers changes; the first marker names the records, and whatever is
between the markers, and every chart, can be made again from them. Used by hand and by
tests/repo/test_docs.py. Needs the standard library only.

    python scripts/results.py lab/record/*.json   publish the newest of these records
    python scripts/results.py                     publish the same records again
    python scripts/results.py --check             check that everything matches
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import results_calls
import results_chart as chart
import results_footprint
import results_options as options_of
import results_records as choice
import results_tables as tables

ROOT = Path(__file__).resolve().parent.parent
FRONT, TABLES, IMAGES = "README.md", "docs/benchmarks.md", "docs/images"
DROP_IN = "docs/json.md"
BEGIN = "<!-- record: {} -->"
END = "<!-- end of record -->"
LIMIT = 2.5  # per cent in the median row; the race calls a run too noisy from there on
#: Of records before format 3, whose race gave all libraries the same objects.
SHARED = (
    "Strings held UTF-8 that other libraries had left: `dumps` of text that is not "
    "ASCII is shown too fast for snooze."
)
#: Of records before format 4, whose race made the objects of snooze first.
FIRST = (
    "The objects of snooze were made before those of others, in better memory: single "
    "ratios of `dumps` are up to a quarter off, mostly in favour of snooze."
)
#: The groups in which libraries write the same objects again and again.
RACED = frozenset({"documents", "heldout", "tiny", "kinds", "typed"})
BUSY = "**The machine was busy: this run is too noisy to rank close results.**"
#: Of records without a cell in which orjson ran twice, such as those of threads.
UNMEASURED = "The noise of single calls was not measured."
WIDTH = 110  # columns of a line of prose
#: Below this width of the window, in CSS pixels, the chart's panels are stacked.
PHONE = 700

#: Title, text and table of each section of docs/benchmarks.md.
SECTIONS = tuple(
    (title, " ".join(text.split()), table)
    for title, text, table in (
        (
            "Held-out documents",
            """Geometric mean over {held} documents that a rule chose and on which
            snooze is not tuned. Speed relative to orjson in the same rounds. Higher is
            faster. [METHODOLOGY](../lab/METHODOLOGY.md#held-out-documents) has the
            rule.""",
            "heldout",
        ),
        (
            "Held-out, document by document",
            """snooze on each of them: speed relative to orjson, and relative to the
            fastest rival on that document.""",
            "heldout documents",
        ),
        (
            "Documents",
            """Geometric mean over {count} documents: speed relative to orjson in the
            same rounds. Higher is faster.""",
            "means",
        ),
        (
            "Document by document",
            """snooze on each document: speed relative to orjson, and relative to the
            fastest rival on that document.""",
            "documents",
        ),
        (
            "Single calls",
            """Median time of one call in nanoseconds. Lower is faster.""",
            "tiny",
        ),
        (
            "Latency",
            """Microseconds of single calls that half of them, 99 of 100 and 999 of
            1,000 do not exceed, each with the release of its result and the collections
            that it makes due.""",
            "latency",
        ),
        (
            "Threads",
            """Calls of two threads in the time of one call of one thread: without
            noise 1.00 where there is a GIL, at most 2.00 where there is none (t).""",
            "threads",
        ),
        (
            "Subinterpreters",
            """Calls of two interpreters with their own GIL, each in a thread, in the
            time of one call of one: at most 2.00. `refuses`: the library cannot be
            imported there.""",
            "subinterpreters",
        ),
        (
            "Classes, dates, keys, layouts and arrays",
            """Speed of `snooze.dumps` relative to orjson, and relative to the fastest
            rival that supports the type or option.""",
            "kinds",
        ),
        (
            "Options of writing and reading, snooze.json",
            """Speed of `Encoder` and `Decoder` with an option relative to: json with
            the arguments or the hook for the same; orjson with its nearest option; and
            `dumps` or `loads` of snooze without it (`vs plain`). `snooze.json` is that
            module with json's arguments, relative to json; the rows `json`, without
            arguments, are all about it.
            `lab/src/snooze_lab/race/layouts.py` lists the calls.""",
            options_of.LAYOUTS,
        ),
        (
            "Files, pointers, queries, patches, differences",
            """Speed of the functions of snooze relative to orjson or json with a file,
            to the same by hand in Python, and, where orjson has no such call, to its
            `loads(dumps(document))`.
            `lab/src/snooze_lab/race/functions.py` lists the calls.""",
            options_of.FUNCTIONS,
        ),
        (
            "Typed codecs",
            """Speed of `Decoder` and `Encoder` with slots dataclasses, relative to:
            msgspec with Structs; msgspec with the same dataclasses (`msgspec slots`);
            orjson (`loads` without classes, `dumps` of the same dataclasses); and
            snooze's own `loads` and `dumps` without classes (`snooze plain`).
            Suffixes: min, minified; mix, members shuffled; con, a constraint on every
            field; skip, `skip="fast"`; nogc, `gc=False` for the dataclasses and the
            Structs; -m, minified as well.""",
            "typed",
        ),
        (
            "Python types",
            """Speed of `Decoder` and `Encoder` with a type, for a thousand values,
            relative to msgspec with the same type, and to orjson, which reads the text
            without a type and writes plain values, such as the text of a date.
            `lab/src/snooze_lab/race/python_types.py` has the values.""",
            options_of.TYPES,
        ),
        (
            "Memory",
            """Peak resident memory during a call, divided by the size of the result.
            CPython {memory}, each figure from a fresh process; the input is not
            counted.""",
            "memory",
        ),
        (
            "Before the first call",
            """Median time of a fresh interpreter that imports one library, or nothing,
            and ends, with the 95 % interval; the difference from the one that imports
            nothing; the bytes of the compiled file. Below, the bytes of machine code of
            snooze by the SIMD tier that runs it. Wheels have no symbols, so a function
            counts as avx512 or avx2 if it has instructions of that tier; the code for
            the tiers scalar and v128 cannot be told apart from code that all share.""",
            "footprint",
        ),
        (
            "Goals",
            """What the project wants and what these records measured, with the
            half-width of the 95 % interval. Where a goal says `each`, the slowest case
            decides. [DESIGN.md](../DESIGN.md#what-limits-the-speed) explains the goals
            that are missed.""",
            "goals",
        ),
    )
)


def front(records: dict[str, Any]) -> str:
    """Return the section of the front page: chart, table, date, machine, command."""
    kinds = choice.by_kind(records)
    kind, whole = next(iter(kinds.items()))
    where = whole[0]["environment"]
    dates = sorted({one["environment"]["date"][:10] for one in whole})
    pythons = " and ".join(dict.fromkeys(tables.full(one) for one in whole))
    tiers: dict[str, list[str]] = {}
    for processor, tier in list(kinds)[1:]:
        tiers.setdefault(processor, []).append(tier)
    others = [f"{name} ({', '.join(sorted(names))})" for name, names in tiers.items()]
    # docs/benchmarks.md has those of each record.
    seconds = statistics.mode(f"{one['settings']['seconds']:g}" for one in whole)
    text = (
        "Geometric means of speed; higher is faster. The best rival is chosen case by "
        "case; for typed codecs it is usually msgspec with its Struct classes. snooze "
        "is not tuned on the held-out documents. Measured on "
        f"{_joined(dates)} with CPython {pythons} on {machine(where)}, by "
        f"`make bench RACE='--seconds {seconds} --record'`. "
        f"[docs/benchmarks.md]({TABLES}) has the exact options, the noise, "
        "and every case, won or lost"
    )
    text += f", and the figures for {_joined(others)}." if others else "."
    text += caveats(whole)
    rows = tables.summary(whole, choice.title(kind))
    return "\n".join([picture(whole), "", rows, "", *wrapped(text)])


def picture(records: list[Any]) -> str:
    """Return the chart for a page at the root of the repository."""
    sources = [
        (f"(max-width: {PHONE}px) and (prefers-color-scheme: dark)", "narrow-dark"),
        (f"(max-width: {PHONE}px)", "narrow-light"),
        ("(prefers-color-scheme: dark)", "wide-dark"),
    ]
    lines = ["<picture>"]
    lines += [
        f'  <source media="{media}" srcset="{IMAGES}/speed-{name}.svg">'
        for media, name in sources
    ]
    words = chart.description(records)
    lines.append(f'  <img alt="{words}" src="{IMAGES}/speed-wide-light.svg">')
    return "\n".join([*lines, "</picture>"])


def page(records: dict[str, Any]) -> str:
    """Return the generated part of docs/benchmarks.md: every table, then how.

    Each kind of processor and tier has a heading, and its tables below that.
    """
    lines = []
    for kind, whole in choice.by_kind(records).items():
        lines += [f"## {choice.title(kind)}", "", *sections(whole)]
    lines += ["## Records", ""]
    for name, record in records.items():
        lines += [*introduction(name, record), ""]
    return "\n".join(lines[:-1])


def sections(records: list[Any]) -> list[str]:
    """Return the tables of one kind, each with its heading, in lines."""
    lines = []
    rendered = tables.render(records)
    rendered["footprint"] = results_footprint.footprint(records)
    rendered["latency"] = results_calls.latency(records)
    for group in ("threads", "subinterpreters"):
        rendered[group] = results_calls.scaling(records, group)
    for group in options_of.COLUMNS:
        rendered[group] = options_of.render(records, group)
    for title, text, key in SECTIONS:
        if rendered[key]:
            words = text.format(
                count=tables.count(records),
                held=tables.count(records, tables.HELD_OUT),
                memory=tables.memory_version(records),
            )
            words += results_calls.noise(records, key)
            lines += [f"### {title}", "", *wrapped(words), "", rendered[key], ""]
    return lines


def drop_in(records: dict[str, Any]) -> dict[str, str]:
    """Return docs/json.md with its table, by its path; nothing without such records.

    Its records are those of the first kind that has some, as on the front page.
    """
    kinds = choice.by_kind(records).values()
    shown = next((found for one in kinds if (found := options_of.having(one))), [])
    if not shown:
        return {}
    dates = _joined(sorted({one["environment"]["date"][:10] for one in shown}))
    noise = _joined([f"{statistics.median(tables.noise(one)):.1f} %" for one in shown])
    text = (
        f"Speed relative to `json`; higher is faster. Measured on {dates} on "
        f"{machine(shown[0]['environment'])}, by `make bench RACE='--group layouts "
        f"--record'`; orjson against itself differed by {noise} in the median row. "
        "[benchmarks.md](benchmarks.md) has the other options."
    )
    section = "\n".join([options_of.drop_in(shown), "", *wrapped(text)])
    names = [name for name, one in records.items() if one in shown]
    page = (ROOT / DROP_IN).read_text("utf-8")
    return {DROP_IN: replaced(page, names, section)}


def introduction(file: str, record: Any) -> list[str]:
    """Return how a record was made and how far to trust it, in lines."""
    where = record["environment"]
    noise = tables.noise(record)
    text = (
        f"- [{Path(file).name}](../{file}): `{command(record)}` with CPython "
        f"{tables.full(record)} on {where['date'][:10]}, {machine(where)}. "
    )
    text += (
        f"orjson against itself differed by {statistics.median(noise):.1f} % in the "
        f"median row and by {max(noise):.1f} % at most: ignore smaller differences."
        if noise
        else UNMEASURED
    )
    text += caveats([record])
    first, *others = wrapped(text)
    lines = [first, *(f"  {line}" for line in others)]
    is_busy = bool(noise) and statistics.median(noise) > LIMIT
    return [*lines, "", BUSY] if is_busy else lines


def machine(where: Any) -> str:
    """Return the processor, snooze's SIMD tier and the system of a record."""
    tier = where.get("tier")
    return (
        f"{where['processor']} ({where['machine']}, {where['processors']} "
        f"processors, SIMD tier {tier or 'not recorded'}), {where['system'].split()[0]}"
    )


def caveats(records: list[Any]) -> str:
    """Return what is known to be wrong with such records, after a blank, or nothing."""
    raced = [one for one in records if RACED.intersection(tables.groups(one))]
    formats = [one.get("format", 0) for one in raced]
    texts = [(3, SHARED), (4, FIRST)]
    return "".join(
        f" {text}" for since, text in texts if any(one < since for one in formats)
    )


def command(record: Any) -> str:
    """Return the command that makes such a record."""
    settings = record["settings"]
    words = [f"--group {one}" for one in settings["groups"]]
    if choice.forced(record):
        words.append(f"--tier {record['environment']['snooze_cpu']}")
    words.append(f"--seconds {settings['seconds']:g} --record")
    return f"make bench RACE='{' '.join(words)}'"


def _joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def wrapped(text: str) -> list[str]:
    """Break at blanks, but not inside backquotes."""
    lines, line = [], ""
    for word in re.findall(r"`[^`]*`\S*|\S+", text):
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def recorded() -> list[Path]:
    """Return the records that are published now."""
    marker = re.escape(BEGIN).replace(r"\{\}", "(.*?)")
    found = re.search(marker, (ROOT / TABLES).read_text("utf-8"))
    if not found:
        sys.exit(f"{TABLES} has no marker {BEGIN.format('lab/record/FILE.json')}")
    return [ROOT / name for name in found[1].split()]


def published(paths: list[Path]) -> dict[str, str]:
    """Return every file that these records decide, by its path in the repository."""
    names = sorted(path.resolve().relative_to(ROOT).as_posix() for path in paths)
    records = {name: tables.load(ROOT / name) for name in names}
    records = dict(sorted(choice.newest(records).items(), key=_order))
    tables.check(records)
    sections = (
        (FRONT, [f"those of {TABLES}"], front(records)),
        (TABLES, list(records), page(records)),
    )
    files = {
        name: replaced((ROOT / name).read_text("utf-8"), names, section)
        for name, names, section in sections
    }
    files |= drop_in(records)
    shown = next(iter(choice.by_kind(records).values()))
    for one in chart.PICTURES:
        files[f"{IMAGES}/{one.name}"] = chart.draw(shown, one)
    return files


def unused(paths: list[Path]) -> list[str]:
    """Return which of these records have no figure that is published."""
    records = {path.name: tables.load(path) for path in paths}
    return sorted(records.keys() - choice.newest(records).keys())


def _order(item: tuple[str, Any]) -> tuple[bool, list[int], str]:
    """Return where a record comes: documents before typed codecs, by CPython."""
    name, record = item
    version = [int(part) for part in tables.short(record).split(".")]
    return not tables.over_documents(record, "loads"), version, name


def replaced(text: str, names: list[str], section: str) -> str:
    """Return a document with another section between its markers."""
    start, end = text.index(BEGIN.split("{}", maxsplit=1)[0]), text.index(END)
    marker = BEGIN.format(" ".join(names))
    return f"{text[:start]}{marker}\n\n{section}\n\n{text[end:]}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "record", type=Path, nargs="*", help="default: those published now"
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    differing = []
    files = published(options.record or recorded())
    for name in unused(options.record):
        print(f"{name}: every figure has a newer one of its kind; not published")
    for name, text in files.items():
        path = ROOT / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        differing.append(name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    if options.check:
        for name in differing:
            print(f"{name} is not what the records say: run me without --check")
        return 1 if differing else 0
    print("\n".join(f"wrote {name}" for name in differing) or "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
