"""The section of what else people ask: latency, threads, start-up, features.

Separate because its data, that of race/practical.py, is no table of a study.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.model import OURS, original
from snooze_lab.report import words
from snooze_lab.report.parts import (
    Cell,
    File,
    Section,
    Sheet,
    blank,
    name,
    number,
    quantity,
)

#: Shown quantiles of single calls.
TAILS = ("p50", "p99", "p99.9")


def section(found: dict[str, Any]) -> Section | None:
    """Return the section; None if nothing of it was measured."""
    race, features = found.get("race") or {}, found.get("features") or {}
    sheets = [_latency(race), _threads(race), _footprint(race), _features(features)]
    parts = tuple(one for one in sheets if one)
    failed = tuple(f"Not measured: {one}." for one in found.get("failed", ()))
    if not parts and not failed:
        return None
    return Section(
        name="practical",
        title="Before you choose: tails, threads, start-up, features",
        headline="of single calls, and what each library can do",
        lead=(
            (
                "Single calls, two threads at once, fresh interpreters, and what each "
                "library does with values that JSON does not have."
            ),
            *failed,
        ),
        parts=parts,
        files=(_file(race),) if race else (),
    )


def _grid(
    ending: str,
    title: str,
    rows: list[tuple[str, dict[str, Cell]]],
    caption: str,
    corner: str,
) -> Sheet | None:
    """Return a sheet with a column for each library that any row has.

    Rows without any value, as of a tail that too few calls were made for, are left out,
    and the second entry of a reference.
    """
    rows = [row for row in rows if row[1]]
    every = dict.fromkeys(who for _, cells in rows for who in cells)
    columns = [who for who in every if original(who) is None]
    if not columns:
        return None
    missing = blank("not measured")
    return Sheet(
        name=f"practical-{ending}",
        title=title,
        head=(corner, *columns),
        rows=tuple(
            (name(label), *(cells.get(who, missing) for who in columns))
            for label, cells in rows
        ),
        caption=caption,
        data="practical.csv" if ending != "features" else "",
        ours=OURS,
    )


def _latency(race: dict[str, Any]) -> Sheet | None:
    rows = [
        (
            f"{one['direction']} {one['workload']}, {part}",
            {
                who: quantity(times[part], "ns")
                for who, times in one["nanoseconds"].items()
                if part in times
            },
        )
        for one in race.get("latency", ())
        for part in TAILS
    ]
    return _grid(
        "latency",
        "Single calls: half, 99 and 99.9 % of them are no slower",
        rows,
        "Each call timed by itself, with the release of its result and the collections "
        "that it makes due; the cost of reading the clock is subtracted.",
        "document",
    )


def _threads(race: dict[str, Any]) -> Sheet | None:
    rows = [
        (
            f"{one['direction']} {one['workload']}",
            {
                who: number(words.times(ratio), ratio, words.span(low, high))
                for who, (ratio, low, high) in one["scaling"].items()
            },
        )
        for one in race.get("threads", ())
    ]
    with_gil = any(one["gil"] for one in race.get("threads", ()))
    limit = "With a GIL one call runs at a time: about 1 is the limit."
    return _grid(
        "threads",
        "Calls of two threads in the time of one call of one",
        rows,
        limit if with_gil else "Without a GIL: 2 is the limit.",
        "document",
    )


def _footprint(race: dict[str, Any]) -> Sheet | None:
    found = race.get("footprint") or {}
    times, sizes = found.get("own_ms", {}), found.get("extension_bytes", {})
    rows: list[tuple[str, dict[str, Cell]]] = [
        (
            "import, ms of its own",
            {
                who: number(words.digits(value), value, words.span(low, high))
                for who, (value, low, high) in times.items()
            },
        ),
        (
            "compiled extension",
            {who: quantity(size, "B") for who, size in sizes.items()},
        ),
    ]
    return _grid(
        "footprint",
        "Before the first call",
        rows,
        "Import time beyond that of an interpreter that imports nothing, and the size "
        "of the compiled files.",
        "what",
    )


def _features(found: dict[str, dict[str, str]]) -> Sheet | None:
    questions = dict.fromkeys(text for answers in found.values() for text in answers)
    rows = [
        (
            text,
            {
                who: Cell(
                    answers[text], kind="odd" if answers[text] == "no" else "text"
                )
                for who, answers in found.items()
                if text in answers
            },
        )
        for text in questions
    ]
    return _grid(
        "features",
        "What each library does, called without options unless it says so",
        rows,
        "Yes: done, and read back as expected. “as …” is what was written or read "
        "instead. Typed classes are in the study of structures.",
        "question",
    )


def _file(race: dict[str, Any]) -> File:
    """Return every figure of the section, one line each."""
    rows: list[tuple[object, ...]] = [
        ("latency", one["direction"], one["workload"], who, part, time, "", "", "ns")
        for one in race.get("latency", ())
        for who, times in one["nanoseconds"].items()
        for part, time in times.items()
    ]
    rows += [
        ("threads", one["direction"], one["workload"], who, "scaling", *found, "1")
        for one in race.get("threads", ())
        for who, found in one["scaling"].items()
    ]
    foot = race.get("footprint") or {}
    rows += [
        ("footprint", "", "", who, "import", *found, "ms")
        for who, found in foot.get("own_ms", {}).items()
    ]
    rows += [
        ("footprint", "", "", who, "extension", size, "", "", "B")
        for who, size in foot.get("extension_bytes", {}).items()
    ]
    head = ("part", "direction", "document", "library", "figure", "value", "low")
    return File("practical.csv", (*head, "high", "unit"), tuple(rows))
