"""Compare the time of hostile documents of 1 MB with that of a normal one.

Separate from the race, which measures useful documents. Invariants: each document has
1 MB and is made here; a time is the least of several runs, so that other load hardly
counts; the ratio is what is shown, because it means the same on every machine. With
`--write` the table of SECURITY.md is made anew. Needs the installed snooze.

usage: .venv/bin/python scripts/complexity.py [--write]
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime as dt
import functools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import snooze

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
SECURITY = ROOT / "SECURITY.md"
BEGIN, END = "<!-- table: scripts/complexity.py -->", "<!-- end of table -->"
SIZE = 1_000_000
#: No document may take longer than this many times the normal one.
LIMIT = 20.0
RUNS = 7


@dataclasses.dataclass
class Circle:
    """A class of a union."""

    radius: int


@dataclasses.dataclass
class Square:
    """Another class of that union."""

    side: int


def repeated(item: bytes) -> bytes:
    """Return an array of about 1 MB of one item."""
    return b"[" + b",".join([item] * (SIZE // (len(item) + 1))) + b"]"


def members(names: list[str]) -> bytes:
    """Return an object with these names."""
    return b"{" + ",".join(f'"{name}":1' for name in names).encode() + b"}"


def cases() -> dict[str, Callable[[], Any]]:
    """Return calls by the name of what they are given; the first is the normal one."""
    record = (
        b'{"id":12345,"name":"a name of some length","price":19.99,"tags":["a","b"]}'
    )
    deep = b"[" * 1000 + b"]" * 1000
    unions = snooze.Decoder(list[Circle | Square])
    every = snooze.Decoder(list[int], errors="all")
    names = [f"{number:08x}" for number in range(SIZE // 13)]
    halfway = b"9007199254740993" + b"0" * 700 + b"1e0"
    texts = {
        "records": repeated(record),
        "nesting, 1000 levels, many times": repeated(deep),
        "nesting, 1 MB of brackets": b"[" * SIZE,
        "one number of 1 MB": b"1" * SIZE,
        "one fraction of 1 MB": b"0." + b"1" * SIZE,
        "floats next to a halfway point": repeated(halfway),
        "escapes": b'"' + rb"\u00e9" * (SIZE // 6) + b'"',
        "surrogate pairs": b'"' + rb"\ud83d\ude00" * (SIZE // 12) + b'"',
        "names that all differ": members(names),
        "empty containers": repeated(b"{}"),
    }
    found: dict[str, Callable[[], Any]] = {
        f"loads: {name}": functools.partial(snooze.loads, text)
        for name, text in texts.items()
    }
    circles = repeated(b'{"side":1}')
    wrong = repeated(b'""')
    nested = b'{"b":' * 1000 + b'"' + b"x" * SIZE + b'"' + b',"a":1}' * 1000
    lines = record + b"\n"
    many = lines * (SIZE // len(lines))
    found["decode_lines: records"] = lambda: snooze.Decoder().decode_lines(many)
    found["iter_items: records"] = functools.partial(_items, texts["records"])
    found["iter_items: numbers of one digit"] = functools.partial(
        _items, repeated(b"1")
    )
    # Without its last bracket, the parts of a container come one by one.
    for name, text in (
        ("records", texts["records"]),
        ("one short member, repeated", repeated(b'"a":1').replace(b"[", b"{")),
    ):
        found[f"partial: {name}, cut at the end"] = functools.partial(
            _partial, text[:-1]
        )
    found["canonical: 1000 objects to be sorted, inside each other"] = lambda: (
        snooze.canonical(snooze.Raw(nested))
    )
    found["Decoder: a union of classes"] = lambda: unions.decode(circles)
    found['Decoder: errors="all", each value wrong'] = lambda: every.decode(wrong)
    return found | scans()


def _items(text: bytes) -> None:
    for _ in snooze.Decoder().iter_items(text):
        pass


def _partial(text: bytes) -> Any:
    document = snooze.Decoder().partial()
    document.feed(text)
    return document.value


def scans() -> dict[str, Callable[[], Any]]:
    """Return scans that skip wrong records, or read one that repeats a member."""
    ids = [str(number) for number in range(10_000)]
    wide = members(ids)
    inner = b'{"s":' + wide + b"}"
    lines = {
        "records that do not end": (b'{"id":1,"name":"a"}', b'{"id":1,"name":\n'),
        "wrong records, 10,000 columns": (wide, b'{"0":"a wrong value"}\n'),
    }
    texts = {
        name: (schema, line * (SIZE // len(line)))
        for name, (schema, line) in lines.items()
    }
    again = b",".join([b'"s":{"0":1}'] * (SIZE // 12))
    texts["a repeated member, 10,000 columns"] = (inner, b"{" + again + b"}\n")
    return {
        f"scan: {name}": functools.partial(_scanned, snooze.scan(schema), text)
        for name, (schema, text) in texts.items()
    }


def _scanned(schema: snooze.Scan, text: bytes) -> int:
    return sum(map(len, snooze.scan(text, schema, errors="skip", threads=1)))


def least(call: Callable[[], Any], runs: int = RUNS) -> float:
    """Return the least time of some calls, in seconds; a refusal is a result too."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        with contextlib.suppress(ValueError):
            call()
        best = min(best, time.process_time() - start)
    return best


def measure() -> dict[str, float]:
    """Return the time of each call, relative to the first."""
    calls = cases()
    times = {name: least(call) for name, call in calls.items()}
    normal = next(iter(times.values()))
    return {name: spent / normal for name, spent in times.items()}


def table(ratios: dict[str, float], day: str, python: str) -> str:
    """Return the lines of the table."""
    lines = ["| 1 MB of | time, relative to records |", "|---|--:|"]
    lines += [f"| {name} | {ratio:.2f} |" for name, ratio in ratios.items()]
    return "\n".join([*lines, "", f"CPython {python}, {day}."])


def main() -> int:
    """Measure, print, and write the table if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="write SECURITY.md")
    options = parser.parse_args()
    ratios = measure()
    day = dt.datetime.now(dt.UTC).date().isoformat()
    text = table(ratios, day, ".".join(map(str, sys.version_info[:3])))
    print(text)
    slow = {name: ratio for name, ratio in ratios.items() if ratio > LIMIT}
    for name, ratio in slow.items():
        print(f"{name}: {ratio:.1f} times as long, and the limit is {LIMIT:.0f}")
    if options.write and not slow:
        document = SECURITY.read_text("utf-8")
        before, _, rest = document.partition(BEGIN)
        after = rest.partition(END)[2]
        SECURITY.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{after}", "utf-8")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
