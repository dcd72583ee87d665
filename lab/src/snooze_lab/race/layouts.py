"""Layouts and `json`'s default arguments, on the four well-known documents.

Separate because a contender here is a call with options, not a library's plain call.
Invariants: every row has snooze, json and orjson, and all write, or read, the same
values: what is written is read again and compared before it is timed. orjson is the
measure of all rows: it takes its nearest option, and writes compact text where it has
none. Used by command.py; not among the usual groups.

    row         snooze                        json                    orjson
    json        snooze.json, both ways        dumps, loads            dumps, loads
    indent 2    Encoder(indent=2)             indent=2                OPT_INDENT_2
    indent 4    Encoder(indent=4)             indent=4                OPT_INDENT_2
    ascii       Encoder(ensure_ascii=True)    without white space     dumps
    sorted      Encoder(sort_keys=True)       sort_keys=True          OPT_SORT_KEYS
    canonical   canonical (RFC 8785)          sort_keys=True          OPT_SORT_KEYS
"""

from __future__ import annotations

import hashlib
import importlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.operations import Job
from snooze_lab.race.typed import Typed
from snooze_lab.workloads import Workload, documents

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "layouts"
PLAIN = "json"
_COMPACT = (",", ":")
#: row -> what json is called with beside the value, and the name of orjson's option.
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    PLAIN: ({}, ""),
    "indent 2": ({"indent": 2, "ensure_ascii": False}, "OPT_INDENT_2"),
    "indent 4": ({"indent": 4, "ensure_ascii": False}, "OPT_INDENT_2"),
    "ascii": ({"separators": _COMPACT}, ""),
    "sorted": (
        {"sort_keys": True, "ensure_ascii": False, "separators": _COMPACT},
        "OPT_SORT_KEYS",
    ),
    "canonical": (
        {"sort_keys": True, "ensure_ascii": False, "separators": _COMPACT},
        "OPT_SORT_KEYS",
    ),
}
#: row -> the options of snooze's Encoder.
ENCODERS: dict[str, dict[str, Any]] = {
    "indent 2": {"indent": 2},
    "indent 4": {"indent": 4},
    "ascii": {"ensure_ascii": True},
    "sorted": {"sort_keys": True},
}


def writer(row: str, library: str) -> Callable[[Any], Any]:
    """Return the call with which a library writes a row."""
    found: Callable[[Any], Any]
    module: Any = importlib.import_module(library)
    keywords, option = ROWS[row]
    if library == STANDARD:
        found = partial(module.dumps, **keywords) if keywords else module.dumps
    elif library == REFERENCE:
        chosen = {"option": getattr(module, option)} if option else {}
        found = partial(module.dumps, **chosen) if chosen else module.dumps
    elif row == PLAIN:
        found = importlib.import_module("snooze.json").dumps
    elif row == "canonical":
        found = module.canonical
    else:
        found = module.Encoder(**ENCODERS[row]).encode
    return found


def reader(library: str) -> Callable[[Any], Any]:
    """Return the call with which a library reads."""
    name = "snooze.json" if library == OURS else library
    found: Callable[[Any], Any] = importlib.import_module(name).loads
    return found


def rows(directions: list[str], texts: dict[str, bytes] | None = None) -> list[Typed]:
    """Return every row of the group: each document with each option."""
    found = texts or {one.name: one.texts[0] for one in documents.GROUPS["seed"]()}
    made = []
    for name, text in found.items():
        for direction in directions:
            kinds = ROWS if direction == "dumps" else [PLAIN]
            made += [_row(direction, f"{name} {row}", text, row) for row in kinds]
    return made


def _row(direction: str, name: str, text: bytes, row: str) -> Typed:
    """Return a row: the same value, or the same text, for every library."""
    libraries = {OURS: OURS, REFERENCE: REFERENCE, AGAIN: REFERENCE, STANDARD: STANDARD}
    make = _writing if direction == "dumps" else _reading
    jobs = {one: partial(make, text, row, module) for one, module in libraries.items()}
    return Typed(GROUP, direction, Workload(name, [text]), len(text), jobs)


def _writing(text: bytes, row: str, library: str) -> Job:
    value = json.loads(text)

    def fault(written: Any) -> str:
        return "" if json.loads(written) == value else "wrote other values"

    def digest(written: Any) -> str:
        return _digest(json.loads(written))

    return Job(writer(row, library), lambda: json.loads(text), fault, digest, len, None)


def _reading(text: bytes, row: str, library: str) -> Job:
    del row
    value = json.loads(text)

    def fault(found: Any) -> str:
        return "" if found == value else "read other values"

    # A str of its own: a library may keep its UTF-8 form.
    return Job(reader(library), text.decode, fault, _digest, lambda _: len(text), None)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
