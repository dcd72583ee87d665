"""One small case for each kind, option and error of `dumps` and `loads`.

Separate because several tests run the same cases under different strains: without
memory, many times over, in every tier. Invariant: a case is a name and a function
without arguments that returns a call; the call does the same each time and keeps no
state. Cold cases create their types anew for each call that they return, so that nothing
about those types has been cached.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import functools
import sys
import uuid
import zoneinfo
from typing import TYPE_CHECKING, Any

import snooze
from snooze import _snooze

try:
    import numpy as np
except ImportError:  # no wheel for this Python
    np = None

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[], Any]
    Case = Callable[[], Call]

UTC = datetime.UTC
MOMENT = datetime.datetime(2024, 5, 6, 7, 8, 9, 10, UTC)
BERLIN = datetime.datetime(
    2024, 7, 6, 7, 8, 9, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")
)


@dataclasses.dataclass
class Plain:
    """Written from its `__dict__`."""

    name: str
    inner: Any = None
    _hidden: int = 0


@dataclasses.dataclass
class Partial:
    """A field is not in the `__dict__`: written by attribute."""

    given: int
    missing: int = dataclasses.field(init=False, default=7)


@dataclasses.dataclass(slots=True)
class Slots:
    """Written by attribute."""

    name: str
    inner: Any = None


@dataclasses.dataclass
class Private:
    """No public field."""

    _a: int = 1


class Colour(enum.Enum):
    """Values of several kinds."""

    RED = "red"
    LIST = (1, "two")


class Text(str):
    """A subclass of str."""


class Number(int):
    """A subclass of int."""


class Sequence(list):
    """A subclass of list."""


class Table(dict):
    """A subclass of dict."""


class Opaque:
    """Only `default` can write it."""

    def __init__(self, *held: Any) -> None:
        self.held = held


def unwrap(value: Any) -> Any:
    """Handle Opaque, and nothing else."""
    if isinstance(value, Opaque):
        return value.held
    raise LookupError("no such thing")


def pytz_moment() -> datetime.datetime | None:
    """Return a datetime whose zone must be normalized, or None without pytz."""
    try:
        import pytz
    except ImportError:
        return None
    return pytz.timezone("Europe/Berlin").localize(datetime.datetime(2024, 7, 6))


KEYS = {
    "text": 1,
    2: 2,
    2**63: 3,
    1.5: 4,
    float("inf"): 5,
    None: 6,
    True: 7,
    MOMENT: 8,
    MOMENT.date(): 9,
    datetime.time(1, 2, 3): 10,
    uuid.UUID(int=5): 11,
    Colour.RED: 12,
    Text("é"): 13,
    "語": 14,
    "😀": 15,
}
LOOP: list[Any] = []
LOOP.append((LOOP,))
NON_STR, SORT, INDENT = (
    snooze.OPT_NON_STR_KEYS,
    snooze.OPT_SORT_KEYS,
    snooze.OPT_INDENT_2,
)
NUMPY = snooze.OPT_SERIALIZE_NUMPY

#: name -> (object, options); `default` is `unwrap`.
OBJECTS: dict[str, tuple[Any, int]] = {
    "scalars": ([None, True, False, 0, -1, 2**40, 2**64 - 1, -(2**63), 0.1, 1e300], 0),
    "str": (["", "ascii", "é" * 9, "語" * 9, "😀" * 9, '"\\\n\x01' * 9], 0),
    "long str": ("x" * 3000, 0),
    "long wide str": (["é" * 3000, "語\n" * 900], 0),
    "nesting": ([[], {}, (), [[[{"a": ({"b": [1]},)}]]]], 0),
    "growing": ([{"key": "value", "n": list(range(40))}] * 30, 0),
    "growing indented": ([{"key": "value", "n": list(range(40))}] * 20, INDENT),
    "newline": ([1], snooze.OPT_APPEND_NEWLINE),
    "sorted": ({f"k{i * 7 % 31}é": i for i in range(31)}, SORT),
    "sorted indented": ({"b": {"d": 1, "c": 2}, "a": {}}, SORT | INDENT),
    "keys": (KEYS, NON_STR),
    "keys sorted": (KEYS, NON_STR | SORT),
    "dataclass": ([Plain("a", Plain("b")), Private()], 0),
    "dataclass partial": (Partial(1), 0),
    "dataclass slots": ([Slots("a", Slots("b", {"x": 1}))], INDENT),
    "enum": ([Colour.RED, Colour.LIST], 0),
    "datetime": ([MOMENT, MOMENT.date(), datetime.time(1, 2), BERLIN], 0),
    "datetime options": (
        [MOMENT, MOMENT.replace(tzinfo=None)],
        snooze.OPT_NAIVE_UTC | snooze.OPT_UTC_Z | snooze.OPT_OMIT_MICROSECONDS,
    ),
    "datetime pytz": (pytz_moment(), 0),
    "uuid": ([uuid.UUID(int=2**127 + 1)], 0),
    "subclasses": ([Text("é"), Number(7), Sequence([1]), Table(a=1), Table()], 0),
    "ordered": (collections.OrderedDict(b=1, a=collections.OrderedDict()), 0),
    "fragment": ([snooze.Fragment(b"{}"), snooze.Fragment("é"), b""][:2], 0),
    "default": ([Opaque(1, Opaque("x"))], 0),
    "default nested": (functools.reduce(lambda o, _: Opaque(o), range(9), 1), 0),
    "error type": ([1, {2}], 0),
    "error key": ({"a": 1, 2: 3}, 0),
    "error any key": ({"a": 1, (1,): 3}, NON_STR),
    "error integer": ([2**64], 0),
    "error strict": ([2**60], snooze.OPT_STRICT_INTEGER),
    "error surrogate": (["a" * 50 + "\ud800"], 0),
    "error surrogate key": ({"\ud800": 1}, SORT),
    "error depth": (LOOP, 0),
    "error time": (datetime.time(1, tzinfo=UTC), 0),
    "error fragment": (snooze.Fragment(1), 0),
    "error option": (1, 1 << 20),
}
if np is not None:
    OBJECTS |= {
        "numpy arrays": (
            [
                np.arange(300).reshape(3, 100),
                np.linspace(0, 1, 50, dtype=np.float32),
                np.zeros((0, 3)),
                np.array([True, False]),
            ],
            NUMPY,
        ),
        "numpy scalars": ([np.int8(1), np.float16(1.5), np.bool_(0)], NUMPY),
        "numpy time": (
            [
                np.array(["2024-01-02T03", "NaT"], "M8[h]"),
                np.datetime64("2024-01-02"),
            ],
            NUMPY | INDENT,
        ),
        "numpy error": (np.array(["x"]), NUMPY),
    }
if sys.version_info >= (3, 15):
    OBJECTS["frozendict"] = (frozendict({"a": frozendict(), "b": 1}), 0)  # noqa: F821

#: name -> document.
DOCUMENTS: dict[str, Any] = {
    "scalars": b"[null, true, false, 0, -1, 18446744073709551615, 1e5, 12345678901234567890123]",
    "str": '["", "a", "ascii", "\u00e9", "\u8a9e", "\U0001f600", "\\n\\u00e9\\ud83d\\ude00"]'.encode(),
    "long str": b'["' + b"x" * 2000 + b'", "' + b"\\n" * 2000 + b'"]',
    "object": b'{"a": 1, "bb": {"cc": [], "d\\u00e9": {}}, "a": 2, "\xc3\xa9": 3}',
    "many keys": b"{" + b",".join(b'"key%d":%d' % (i, i) for i in range(60)) + b"}",
    "long key": b'{"' + b"k" * 100 + b'": 1}',
    "values": b"[" + b",".join(b"%d.5" % i for i in range(200)) + b"]",
    "nesting": b"[" * 100 + b"]" * 100,
    "ascii input": '{"a": [1, 2]}',
    "wide input": '{"\u00e9": ["\u8a9e", 2]}',
    "integers": str([*range(20), 10**17] * 2).encode(),
    "bytearray": bytearray(b'{"a": [1, "x"]}'),
    "memoryview": memoryview(b'{"a": [1, "x"]}'),
    "error empty": b"",
    "error type": 7,
    "error utf8": b'["\xff"]',
    "error surrogate input": '["\ud800"]',
    "error character": b'{"a": [1, "x", ?]}',
    "error wide": '["\u00e9\u8a9e", \n ?]',
    "error end": b'{"a": [1, "xyz", {"b": "c"',
    "error string": b'["abc',
    "error escape": b'["abc\\q"]',
    "error number": b'{"k": [1, 01]}',
    "error trailing": b"[1, 2] 3",
    "error depth": b"[" * 1100,
}


def _fixed(call: Call) -> Case:
    return lambda: call


def _dumps(name: str) -> Call:
    value, option = OBJECTS[name]
    return functools.partial(snooze.dumps, value, unwrap, option)


#: What `snooze.json` asks for: `json_dumps` and its styles, and where it gives up.
_NESTED = {"a": [1, 2.5, 1e-5, None, True], "é": {"ü": "\U0001f600\n" * 40}, "e": []}
_USUAL = (", ", ": ", None, True, False, None)
JSON_TEXTS: dict[str, tuple[Any, ...]] = {
    "usual": (_NESTED, *_USUAL),
    "utf-8": (_NESTED, ",", ":", None, False, True, None),
    "indented": ([_NESTED] * 20, ",", ": ", "  ", True, True, None),
    "error subclass": ([Colour.RED], *_USUAL),
    "error argument": (1, 2, ":", None, True, False, None),
    "error key": ({1: 2}, *_USUAL),
    "error integer": (2**64, *_USUAL),
    "error surrogate": ("\ud800", ",", ":", None, False, False, None),
}
JSON_DOCUMENTS: dict[str, Any] = {
    "usual": '{"a": [1, 2.5, [3.25, 1e-5]], "é": "ü"}'.encode(),
    "text": '{"é": [1.5, 2]}',
    "error integer": b"[1.5, 18446744073709551616]",
    "error": "[1,]",
}

CASES: dict[str, Case] = {
    **{f"dumps {name}": _fixed(_dumps(name)) for name in OBJECTS},
    **{
        f"loads {name}": _fixed(functools.partial(snooze.loads, document))
        for name, document in DOCUMENTS.items()
    },
    "dumps no arguments": _fixed(functools.partial(snooze.dumps)),
    "dumps many arguments": _fixed(functools.partial(snooze.dumps, 1, None, 0, 0)),
    "dumps twice given": _fixed(functools.partial(snooze.dumps, 1, None, default=1)),
    "dumps unknown name": _fixed(functools.partial(snooze.dumps, 1, colour="red")),
    "dumps error default": _fixed(functools.partial(snooze.dumps, [{1}], unwrap)),
    **{
        f"json dumps {name}": _fixed(functools.partial(_snooze.json_dumps, *arguments))
        for name, arguments in JSON_TEXTS.items()
    },
    **{
        f"json loads {name}": _fixed(functools.partial(_snooze.json_loads, document))
        for name, document in JSON_DOCUMENTS.items()
    },
    "fragment": _fixed(lambda: type(snooze.Fragment(b"x")).__name__),
    "fragment error": _fixed(functools.partial(snooze.Fragment)),
    "cpu_tiers": _fixed(snooze.cpu_tiers),
}


def _cold_dataclass() -> Call:
    names = [("one", int), ("t\u00e9xt", str), ("_no", int)]
    cls = dataclasses.make_dataclass("Cold", names)
    return functools.partial(snooze.dumps, cls(1, "x", 2))


def _cold_slots() -> Call:
    cls = dataclasses.make_dataclass("Cold", [("one", int)], slots=True)
    return functools.partial(snooze.dumps, [cls(1), cls(2)])


def _cold_enum() -> Call:
    cls = enum.Enum("Cold", {"A": 1})
    return functools.partial(snooze.dumps, [cls.A])


def _cold_subclass() -> Call:
    return functools.partial(snooze.dumps, type("Cold", (dict,), {})(a=1))


def _cold_opaque() -> Call:
    return functools.partial(
        snooze.dumps, type("Cold", (), {})(), lambda _: "a longer text"
    )


def _cold_zone() -> Call:
    def utcoffset(self: Any, moment: Any) -> datetime.timedelta:
        return datetime.timedelta(hours=1)

    names = {"utcoffset": utcoffset, "dst": utcoffset}
    zone = type("Cold", (datetime.tzinfo,), names)()
    return functools.partial(snooze.dumps, MOMENT.replace(tzinfo=zone))


COLD: dict[str, Case] = {
    "dataclass": _cold_dataclass,
    "dataclass slots": _cold_slots,
    "enum": _cold_enum,
    "subclass": _cold_subclass,
    "default": _cold_opaque,
    "tzinfo": _cold_zone,
}
