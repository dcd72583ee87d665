"""Fill the first table of COMPARE.md by calling every library with the same objects.

Separate from the document so that no cell is written by hand: a cell is what the
library returned, or the word `error`. The calls are ordinary ones with ordinary
objects; none is known to crash a process. The libraries are those of `make demo`.
compare_cells.py reads and writes the table. Used by hand and by
tests/repo/test_docs.py.

    python scripts/compare_table.py           write the table into COMPARE.md
    python scripts/compare_table.py --check   compare the columns of installed libraries
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import importlib
import io
import sys
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

from compare_cells import Table

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("snooze", "orjson", "json", "msgspec", "ssrjson", "pyrjson")
MODULES = {"msgspec": "msgspec.json", "pyrjson": "rjson"}
COMPACT = (",", ":")


@dataclasses.dataclass
class Point:
    """A dataclass to encode."""

    x: int
    y: int


class Colour(enum.Enum):
    """An enum to encode."""

    RED = "red"


Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024 - the untyped kind is compared

ENCODE: tuple[tuple[str, Any], ...] = (
    ("a dataclass", Point(1, 2)),
    ("an enum member", Colour.RED),
    ("an aware `datetime`", dt.datetime(2026, 11, 21, 6, tzinfo=dt.UTC)),
    ("a `UUID`", uuid.UUID(int=7)),
    ("a tuple", (1, 2)),
    ("a named tuple", Pair(1, 2)),
    ("a set", {1}),
    ("`bytes`", b"a"),
    ('`Decimal("1.10")`', decimal.Decimal("1.10")),
    ("`2**64`", 2**64),
    ("`float('nan')`", float("nan")),
    ("`{1: 2}`", {1: 2}),
    ("a `str` with a lone surrogate", "\ud800"),
)
DECODE: tuple[tuple[str, Any], ...] = (
    ("a `memoryview`", memoryview(b"[1]")),
    ("`18446744073709551616`", b"18446744073709551616"),
    ("`1e400`", b"1e400"),
    ("`NaN`", b"NaN"),
    ('`{"a":1,"a":2}`', b'{"a":1,"a":2}'),
    ('`"\\ud800"`', b'"\\ud800"'),
    ("a byte order mark and `1`", b"\xef\xbb\xbf1"),
    ("`[1,]`", b"[1,]"),
    ("bytes that are not UTF-8", b'"\xff"'),
)


LINES = b'{"x":1}\n{"x":2}'


def _extras(name: str, module: Any) -> dict[str, Callable[[], Any]]:
    """Return each library's call for features that not all libraries have."""
    flags = name in ("snooze", "orjson")
    dumps: Any = getattr(module, "dumps", None)
    spelled: dict[str, Callable[[], Any]] = {}
    if flags:
        spelled = {
            "sort": lambda: dumps({"b": 1, "a": 2}, option=module.OPT_SORT_KEYS),
            "indent": lambda: dumps([1], option=module.OPT_INDENT_2),
            "keys": lambda: dumps({1: 2}, option=module.OPT_NON_STR_KEYS),
            "raw": lambda: dumps([module.Fragment(b"{}")]),
            "default": lambda: dumps([{1}], default=list),
        }
        if name == "snooze":
            spelled["typed"] = lambda: module.decode(b'{"x":1,"y":2}', Point)
            spelled["patch"] = lambda: module.patch([], module.diff([], [2]))
            spelled["path"] = lambda: module.jsonpath.find({"a": [1]}, "$.a[?@ > 0]")
            spelled["infer"] = lambda: module.infer(1).schema()["type"]
            spelled["tab"] = lambda: module.encode([1], indent="\t")
            spelled["ascii"] = lambda: module.encode(["\u00e9"], ensure_ascii=True)
            hooks: Any = {complex: lambda one: [one.real], str: str.upper}
            spelled["hooks"] = lambda: module.encode([1j, "a"], hooks=hooks)
            spelled["iterables"] = lambda: module.encode(iter([1]), iterables=True)
            spelled["place"] = lambda: _place(lambda: dumps({"a": [1, {2}]}))
            spelled["layout"] = lambda: module.reformat('[ "\u00e9", 1.10]')
            spelled["canonical"] = lambda: module.canonical({"b": 2.0, "a": 1})
            lines = LINES
            spelled["read lines"] = lambda: module.Decoder().decode_lines(lines)
            spelled["write lines"] = lambda: module.Encoder().encode_lines([[1], {}])
            spelled["items"] = lambda: list(
                module.Decoder().iter_items([b'{"a":[{"x":1},{', b'"x":2}]}'], "/a")
            )
            spelled["pieces"] = lambda: list(
                module.Encoder().iter_items(iter([1, 2]), size=1)
            )
            spelled["partial"] = lambda: _partial(module)
            spelled["wrong lines"] = lambda: module.Decoder(int).decode_lines(
                b"1\nx\n2", on_error=len
            )
            spelled["columns"] = lambda: [len(batch) for batch in module.scan(lines)]
            spelled["lines"] = lambda: _lines(module, lines)
    elif name == "json":
        spelled = {
            "sort": lambda: dumps({"b": 1, "a": 2}, sort_keys=True, separators=COMPACT),
            "indent": lambda: dumps([1], indent=2),
            "tab": lambda: dumps([1], indent="\t"),
            "ascii": lambda: dumps(["\u00e9"]),
            "keys": lambda: dumps({1: 2}, separators=COMPACT),
            "default": lambda: dumps([{1}], default=list),
        }
    elif name == "msgspec":
        raw = importlib.import_module("msgspec").Raw
        spelled = {
            "sort": lambda: module.encode({"b": 1, "a": 2}, order="sorted"),
            "indent": lambda: module.format(b"[1]", indent=2),
            "layout": lambda: module.format('[ "\u00e9", 1.10]', indent=-1),
            "keys": lambda: module.encode({1: 2}),
            "raw": lambda: module.encode([raw(b"{}")]),
            "default": lambda: module.encode([1j], enc_hook=lambda _: [1]),
            "typed": lambda: module.decode(b'{"x":1,"y":2}', type=Point),
            "read lines": lambda: module.Decoder().decode_lines(LINES),
            "write lines": lambda: module.Encoder().encode_lines([[1], {}]),
        }
    elif name == "ssrjson":
        spelled = {"indent": lambda: module.dumps([1], indent=2)}
    elif name == "pyrjson":
        spelled = {
            "keys": lambda: dumps({1: 2}, non_str_keys=True),
            "default": lambda: dumps([{1}], default=list),
            "read lines": lambda: module.loads_ndjson(LINES),
        }
    return spelled


EXTRAS: tuple[tuple[str, str, Any], ...] = (
    ("a callback for other types", "default", "[[1]]"),
    (
        "a function (hook) for instances of a class, built-in ones too",
        "hooks",
        '[[0.0],"A"]',
    ),
    ("generators as arrays", "iterables", "[1]"),
    ("errors say where the object is", "place", "/a/1"),
    ("keys other than `str`", "keys", '{"1":2}'),
    ("sorted keys", "sort", '{"a":2,"b":1}'),
    ("indentation by two", "indent", "[\n  1\n]"),
    ("indentation by a tab", "tab", "[\n\t1\n]"),
    ("ASCII only", "ascii", '["\\u00e9"]'),
    ("a text in another layout, digit for digit", "layout", '["\u00e9",1.10]'),
    ("the canonical form of RFC 8785", "canonical", '{"a":1,"b":2}'),
    ("raw JSON inside a value", "raw", "[{}]"),
    ("decoding into a class", "typed", Point(1, 2)),
    ("JSON Pointer, JSON Patch, differences", "patch", [2]),
    ("JSONPath (RFC 9535)", "path", [1]),
    ("inferring a JSON Schema from documents", "infer", "integer"),
    ("JSON Lines into a list", "read lines", [{"x": 1}, {"x": 2}]),
    ("a list into JSON Lines", "write lines", "[1]\n{}\n"),
    ("JSON Lines without the lines that are wrong", "wrong lines", [1, 2]),
    (
        "the items of an array in a document larger than memory",
        "items",
        [{"x": 1}, {"x": 2}],
    ),
    ("an array from a generator, in pieces", "pieces", [b"[1", b",2", b"]"]),
    ("the value so far of a document that is still arriving", "partial", [1, "a"]),
    ("JSON Lines into Arrow record batches", "columns", [2]),
    ("Arrow record batches into JSON Lines", "lines", '{"x":1}\n{"x":2}\n'),
)


def column(name: str) -> list[str]:
    """Return one library's cells, in the order of the rows."""
    module = importlib.import_module(MODULES.get(name, name))
    loads, dumps = _calls(name, module)
    cells = [type(getattr(module, "dumps", dumps)([1])).__name__]
    cells += [_outcome(partial(_written, dumps, value)) for _, value in ENCODE]
    cells.append(_deepest(dumps, _nested))
    cells += [_outcome(partial(_read, loads, text)) for _, text in DECODE]
    cells.append(_deepest(loads, lambda levels: b"[" * levels + b"1" + b"]" * levels))
    spelled = _extras(name, module)
    for _, key, expected in EXTRAS:
        if key not in spelled:
            cells.append("no")
            continue
        found = spelled[key]()
        if isinstance(found, bytes):
            found = found.decode()
        if found != expected:
            sys.exit(f"{name}: {key} gave {found!r}, expected {expected!r}")
        cells.append("yes")
    return cells


def _partial(module: Any) -> Any:
    document = module.Decoder().partial()
    document.feed('[1, "a')
    return document.value


def _lines(module: Any, text: bytes) -> bytes:
    """Return the lines of the columns of some lines."""
    file = io.BytesIO()
    module.write_lines(module.scan(text), file)
    return file.getvalue()


def _place(call: Callable[[], Any]) -> str:
    """Return the JSON Pointer that an error has."""
    try:
        call()
    except TypeError as error:
        return str(getattr(error, "pointer", None))
    return "no error"


def _calls(name: str, module: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    if name == "json":
        return module.loads, lambda value: module.dumps(
            value, ensure_ascii=False, separators=COMPACT
        ).encode()
    if name == "msgspec":
        return module.decode, module.encode
    if name == "ssrjson":
        return module.loads, module.dumps_to_bytes
    return module.loads, module.dumps


def _written(dumps: Callable[[Any], Any], value: Any) -> str:
    """Return the text, or "yes" for a UUID, whose text is too long for a cell."""
    text = str(dumps(value).decode())
    return "yes" if isinstance(value, uuid.UUID) and str(value) in text else f"`{text}`"


def _read(loads: Callable[[Any], Any], text: Any) -> str:
    return f"`{loads(text)!r}`"


def _outcome(call: Callable[[], str]) -> str:
    try:
        return call()
    except Exception:  # noqa: BLE001 - whatever is raised, it is an error
        return "error"


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def _deepest(call: Callable[[Any], Any], make: Callable[[int], Any]) -> str:
    """Return the limit, or "Python's" if the interpreter's recursion limit decides."""
    for levels in (254, 1024, 100_000):
        try:
            call(make(levels + 1))
        except RecursionError:
            return "Python's"
        except Exception:  # noqa: BLE001 - its own error, whatever its class
            return str(levels)
    return "more"


def titles() -> list[str]:
    """Return the first cell of every row."""
    rows = ["`dumps` returns"]
    rows += [f"encode {title}" for title, _ in ENCODE]
    rows += ["encode: nested lists, at most"]
    rows += [f"decode {title}" for title, _ in DECODE]
    rows += ["decode: nested lists, at most"]
    return rows + [title for title, _, _ in EXTRAS]


TABLE = Table("compare_table", NAMES, titles, column)

if __name__ == "__main__":
    sys.exit(TABLE.main(__doc__))
