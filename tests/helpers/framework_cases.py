"""Documents, bodies and classes that every framework is asked about.

Separate, because each framework's own JSON and the adapter get the same ones, and the
outcomes are compared. Used by tests/frameworks.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclasses.dataclass
class User:
    """What typed bodies are decoded into."""

    id: int
    name: str
    joined: datetime.date | None = None


class Colour(enum.Enum):
    """An enum without a base class."""

    RED = "red"


class Level(enum.IntEnum):
    """An enum that the standard library's json writes."""

    HIGH = 3


class Name(str):
    """A subclass of str, as template engines have."""


class Pair(NamedTuple):
    """A tuple that json writes as an array."""

    a: int
    b: list[int]


MOMENT = datetime.datetime(2026, 11, 23, 18, 30, 5, 123456, tzinfo=datetime.UTC)

#: What `json` writes.
PLAIN: dict[str, Any] = {
    "nested": {"a": [1, {"b": [None, True, 1.5]}], "": {}},
    "empty": {},
    "array": [[], [1, 2, 3], "x"],
    "text": "text",
    "null": None,
    "beyond latin": ["é", "日本", "😀", "\u2028\u2029", "\x7f", '"\\/\b\n\x01'],
    "floats": [0.1, 1e16, 1e-7, 1e22, -0.0, 123456789.123456789],
    "huge ints": [2**63, 2**64, -(2**70), {"n": 10**40}],
    "keys": {1: 2, 1.5: 3, 2**70: 4},
    "keys of constants": {True: 1, None: 2},
    "keys of two types": {"a": 1, 1: 2},
    "tuples": ((1, 2), Pair(1, [2])),
    "subclasses": [Name("x"), Level.HIGH, collections.OrderedDict(b=1, a=2)],
    "a key of a subclass": {Name("x"): 1},
    "deep": [[[[[[[[[[1]]]]]]]]]],
}

#: What `json` refuses, or writes only by a framework's own `default`.
RICH: dict[str, Any] = {
    "datetime": MOMENT,
    "naive": datetime.datetime(2026, 11, 23, 1, 2, 3),
    "offset": MOMENT.astimezone(datetime.timezone(datetime.timedelta(hours=5.5))),
    "date": {"day": datetime.date(2026, 11, 23)},
    "time": [datetime.time(1, 2, 3, 4000)],
    "aware time": [datetime.time(1, 2, 3, tzinfo=datetime.UTC)],
    "timedelta": datetime.timedelta(days=1, seconds=2, microseconds=3),
    "decimal": [decimal.Decimal("1.10"), decimal.Decimal(10)],
    "uuid": uuid.UUID(int=7),
    "dataclass": User(1, "ann", datetime.date(2026, 1, 2)),
    "enum": Colour.RED,
    "set": {1},
    "bytes": b"a",
    "object": object(),
    "nan": [float("nan")],
    "infinity": {"a": -float("inf")},
    "surrogate": "\ud800",
    "a key of a date": {datetime.date(2026, 1, 1): 1},
}

#: Bodies of requests, right and wrong.
BODIES: dict[str, bytes] = {
    "object": b'{"a": [1, 2.5, null], "b": {"c": "\xc3\xa9"}}',
    "huge int": b"[123456789012345678901234567890]",
    "number beyond double": b"[1e400]",
    "repeated key": b'{"a": 1, "a": 2}',
    "lone surrogate": b'["\\ud800"]',
    "spaces": b" \n[1]\n ",
    "empty": b"",
    "cut": b'{"a": [1,',
    "trailing comma": b"[1,]",
    "two documents": b"[1] [2]",
    "nan": b"[NaN]",
    "infinity": b"-Infinity",
    "not UTF-8": b'"\xff"',
    "byte order mark": b"\xef\xbb\xbf[1]",
    "UTF-16": '["é"]'.encode("utf-16"),
    "leading zero": b"01",
}

#: Bodies for `list[User]` and whether each fits: None if it is not JSON.
TYPED: dict[bytes, bool | None] = {
    b'[{"id": 1, "name": "ann", "joined": "2026-11-23"}]': True,
    b"[]": True,
    b'[{"id": "1", "name": "ann"}, {"id": 2}]': False,
    b"{}": False,
    b'[{"id": 1, "name": "x"}': None,
    b"": None,
    b"\xff": None,
}


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[str, str]:
    """Return what a call returns or raises, as texts that can be compared."""
    try:
        value = call(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error)
    return "value", repr(value)
