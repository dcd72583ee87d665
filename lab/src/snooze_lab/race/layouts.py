r"""Layouts, reading options and `json`'s arguments, on the four well-known documents.

Separate because a contender here is a call with options, not a library's plain call.
Invariants: all calls of a row write, or read, the same values, judged before they are
timed; orjson is the measure of every row: it takes its nearest option, or has its plain
call, and for comments the text without them. Used by command.py and goals.py.

    dumps       snooze                          json                   orjson
    json        snooze.json.dumps               dumps                  dumps
    indent 2    Encoder(indent=2)               indent=2               OPT_INDENT_2
    indent 4    Encoder(indent=4)               indent=4               OPT_INDENT_2
    tab         Encoder(indent="\t")            indent="\t"            OPT_INDENT_2
    spaced      separators=(", ", ": ")         default separators     dumps
    newline     Encoder(newline=True)           dumps() + "\n"         APPEND_NEWLINE
    ascii       Encoder(ensure_ascii=True)      compact separators     dumps
    sorted      Encoder(sort_keys=True)         sort_keys=True         OPT_SORT_KEYS
    canonical   canonical (RFC 8785)            sort_keys=True         OPT_SORT_KEYS

    loads       snooze                          json                   orjson
    json        snooze.json.loads               loads                  loads
    decimal     Decoder(numbers="decimal")      parse_float=Decimal    loads
    raw         Decoder(numbers="raw")          parse_float=str, ...   loads
    unique      Decoder(duplicates="error")     object_pairs_hook      loads
    pairs       Decoder(object_pairs_hook=list) object_pairs_hook      loads
    jsonc       Decoder(syntax="jsonc")         comments cut by `re`   loads

Two more contenders are `snooze json`, which is snooze.json with json's own arguments,
and `snooze plain`, the plain dumps or loads: what an option costs.
"""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import table
from snooze_lab.race.typed import Typed, library_of
from snooze_lab.timing.rounds import overall
from snooze_lab.workloads import Workload, documents
from snooze_lab.workloads.operations import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.contenders import Call
    from snooze_lab.race.cells import Cell

GROUP = "layouts"
#: The row of the default arguments; its snooze is snooze.json.
PLAIN = "json"
#: snooze.json with the arguments of json, and snooze without any option.
DROP_IN, BARE = "snooze json", "snooze plain"
NEWLINE, CANONICAL, COMMENTS = "newline", "canonical", "jsonc"
#: Rows without a DROP_IN: json's call is that of another row, or has no such argument.
BY_HAND = (CANONICAL, COMMENTS)
#: Rows of white space, for the goals: of spaces and line feeds alone, and of others.
SPACES, OTHERS = ("indent 2", "indent 4", NEWLINE), ("tab", "spaced")
_COMPACT = (",", ":")
_UTF8: dict[str, Any] = {"ensure_ascii": False}
_TIGHT: dict[str, Any] = {"separators": _COMPACT, **_UTF8}
_SORTED: dict[str, Any] = {"sort_keys": True, **_TIGHT}
#: row -> what json is called with beside the value, the name of orjson's option, and
#: the options of snooze's Encoder, which CANONICAL does not use.
WRITERS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    PLAIN: ({}, "", {}),
    "indent 2": ({"indent": 2, **_UTF8}, "OPT_INDENT_2", {"indent": 2}),
    "indent 4": ({"indent": 4, **_UTF8}, "OPT_INDENT_2", {"indent": 4}),
    "tab": ({"indent": "\t", **_UTF8}, "OPT_INDENT_2", {"indent": "\t"}),
    "spaced": (_UTF8, "", {"separators": (", ", ": ")}),
    NEWLINE: (_TIGHT, "OPT_APPEND_NEWLINE", {"newline": True}),
    "ascii": ({"separators": _COMPACT}, "", {"ensure_ascii": True}),
    "sorted": (_SORTED, "OPT_SORT_KEYS", {"sort_keys": True}),
    CANONICAL: (_SORTED, "OPT_SORT_KEYS", {}),
}


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; ValueError if a name occurs twice in it. A hook of json."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member name occurs twice in one object")
    return found


#: row -> what json is called with beside the text, and the options of our Decoder.
READERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    PLAIN: ({}, {}),
    "decimal": ({"parse_float": Decimal}, {"numbers": "decimal"}),
    "raw": ({"parse_float": str, "parse_int": str}, {"numbers": "raw"}),
    "unique": ({"object_pairs_hook": unique}, {"duplicates": "error"}),
    "pairs": ({"object_pairs_hook": list}, {"object_pairs_hook": list}),
    COMMENTS: ({}, {"syntax": "jsonc"}),
}
#: direction -> the rows of each document.
ROWS: dict[str, Sequence[str]] = {"loads": tuple(READERS), "dumps": tuple(WRITERS)}
#: A string, to be kept, or a comment. As programs without a reader of JSONC cut them.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def entrants(row: str) -> list[str]:
    """Return the contenders of a row."""
    drop_in = [] if row == PLAIN or row in BY_HAND else [DROP_IN]
    return [OURS, BARE, REFERENCE, AGAIN, *drop_in, STANDARD]


def _module(row: str, contender: str) -> Any:
    """Return the module that a contender calls in a row."""
    drop_in = contender == DROP_IN or (contender == OURS and row == PLAIN)
    return importlib.import_module("snooze.json" if drop_in else library_of(contender))


def writer(row: str, contender: str) -> Call:
    """Return the call with which a contender writes a row."""
    module = _module(row, contender)
    keywords, option, own = WRITERS[row]
    found: Call = module.dumps
    if contender in {STANDARD, DROP_IN}:
        if row == NEWLINE:
            return lambda value: found(value, **keywords) + "\n"
        return partial(found, **keywords) if keywords else found
    if contender == OURS and row == CANONICAL:
        found = module.canonical
    elif contender == OURS and own:
        found = module.Encoder(**own).encode
    elif contender in {REFERENCE, AGAIN} and option:
        chosen = {"option": getattr(module, option)}
        found = partial(found, **chosen)
    return found


def reader(row: str, contender: str) -> Call:
    """Return the call with which a contender reads a row."""
    module = _module(row, contender)
    keywords, own = READERS[row]
    found: Call = module.loads
    if contender in {STANDARD, DROP_IN}:
        if row == COMMENTS:
            return lambda text: found(uncommented(text))
        return partial(found, **keywords) if keywords else found
    if contender == OURS and own:
        found = module.Decoder(**own).decode
    return found


def uncommented(text: str) -> str:
    """Return a text without its comments; strings stay as they are."""
    return _COMMENT.sub(lambda found: found[1] or "", text)


def commented(text: bytes) -> bytes:
    """Return a document in lines with a comment at the end of every tenth one."""
    lines = json.dumps(json.loads(text), indent=2, ensure_ascii=False).split("\n")
    for number in range(0, len(lines), 10):
        lines[number] += f"  // line {number + 1}"
    return "\n".join(lines).encode()


def rows(directions: list[str], texts: dict[str, bytes] | None = None) -> list[Typed]:
    """Return every row of the group: each document with each option."""
    found = texts or {one.name: one.texts[0] for one in documents.GROUPS["seed"]()}
    return [
        _row(direction, name.removesuffix("_catalog"), text, row)
        for name, text in found.items()
        for direction in directions
        for row in ROWS[direction]
    ]


def _row(direction: str, name: str, text: bytes, row: str) -> Typed:
    """Return a row: the same value, or the same text, for every contender."""
    make = _writing if direction == "dumps" else _reading
    given = commented(text) if row == COMMENTS else text
    judge = _Judge(text, READERS[row][0] if direction == "loads" else {})
    jobs = {one: partial(make, judge, row, one, given) for one in entrants(row)}
    return Typed(GROUP, direction, Workload(f"{name} {row}", [given]), len(given), jobs)


@dataclass
class _Judge:
    """What is right in a row, found once for all contenders when it is needed."""

    text: bytes
    keywords: dict[str, Any]
    _right: set[bytes] = field(default_factory=set)

    @cached_property
    def plain(self) -> Any:
        """The value without options."""
        return json.loads(self.text)

    @cached_property
    def wanted(self) -> Any:
        """The value with the options of the row."""
        return json.loads(self.text, **self.keywords) if self.keywords else self.plain

    def written(self, found: str | bytes) -> str:
        """Return what is wrong with a text; one that was right is not read again."""
        text = found.encode() if isinstance(found, str) else found
        if text not in self._right:
            if json.loads(text) != self.plain:
                return "wrote other values"
            self._right.add(text)
        return ""

    def read(self, found: Any, *, plainly: bool) -> str:
        """Return what is wrong with a value."""
        right = found == self.plain if plainly else _unraw(found) == self.wanted
        return "" if right else "read other values"


def _writing(judge: _Judge, row: str, contender: str, text: bytes) -> Job:
    call = writer(row, contender)
    return Job(call, partial(json.loads, text), judge.written, len)


def _reading(judge: _Judge, row: str, contender: str, text: bytes) -> Job:
    plainly = contender in {REFERENCE, AGAIN, BARE}
    # Those without the option read what they can.
    given = judge.text if plainly else text
    fault = partial(judge.read, plainly=plainly)
    # A str of its own: a library may keep its UTF-8 form.
    call = reader(row, contender)
    return Job(call, given.decode, fault, lambda _: len(given))


def _unraw(value: Any) -> Any:
    """Return a value with each Raw of snooze, a number's text, as a str."""
    if isinstance(value, dict):
        return {name: _unraw(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_unraw(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


#: What the summary compares: a title, and the two contenders.
COMPARED = (
    ("snooze vs json", OURS, STANDARD),
    ("snooze.json", DROP_IN, STANDARD),
    ("vs orjson", OURS, REFERENCE),
    ("vs plain", OURS, BARE),
)


def shown(cells: list[Cell]) -> str:
    """Return the summary: each option beside json, orjson and the call without it."""
    parts = []
    for direction, known in ROWS.items():
        chosen = [one for one in cells if one.task.direction == direction]
        for title, own, other in COMPARED:
            grid = _compared(chosen, known, f"{direction} {title}", (own, other))
            parts += [grid] if grid else []
    return "\n\n".join(parts)


def _compared(
    cells: list[Cell], known: Sequence[str], title: str, sides: tuple[str, str]
) -> str:
    """Return a table of one comparison: options down, documents across."""
    found = {
        tuple(one.task.name.split(" ", 1)): speed
        for one in cells
        if (speed := one.speed(*sides))
    }
    names = list(dict.fromkeys(document for document, _ in found))
    lines, tails = {}, {"": "   geom. mean"}
    for row in known:
        speeds = [found.get((name, row)) for name in names]
        whole = [one for one in speeds if one]
        if whole:
            lines[row] = [table.speed(one) for one in speeds]
            tails[row] = f"{overall(whole).ratio().value:>7.2f}x"
    if not lines:
        return ""
    first = table.NAME + 10
    return table.grid(title, names, lines, width=10, first=first, per=4, tails=tails)
