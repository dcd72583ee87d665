"""Each rule of an encoder's description, as a value and as a key.

Separate from test_descriptions because these are two long tables.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import json
import types
import uuid
from typing import Any

import pytest

import snooze
from helpers.descriptions import ANY, INT, STR, UTC, encoder, node


@pytest.mark.parametrize(
    ("rules", "value", "text"),
    [
        ((("none",), ("int",)), None, "null"),
        ((("bool",),), True, "true"),
        ((("int",),), 2**64 - 1, str(2**64 - 1)),
        ((("int",),), -(2**200), str(-(2**200))),
        ((("int",),), enum.IntEnum("E", "A").A, "1"),
        ((("float",),), 1.5, "1.5"),
        ((("float",),), 3, "3"),
        ((("float",),), float("nan"), "null"),
        ((("float",),), type("F", (float,), {})(0.5), "0.5"),
        ((("str",),), 'h\u00e9"', '"h\u00e9\\""'),
        ((("str",),), type("S", (str,), {})("sub"), '"sub"'),
        ((("bytes",),), b"\x00\xff\x10", '"AP8Q"'),
        ((("bytes",),), bytearray(b"a"), '"YQ=="'),
        ((("bytes",),), memoryview(b"abcd")[::2], '"YWM="'),
        ((("decimal", decimal.Decimal),), decimal.Decimal("1.10"), '"1.10"'),
        (
            (("datetime",),),
            dt.datetime(2020, 1, 2, 3, 4, 5, 6),
            '"2020-01-02T03:04:05.000006"',
        ),
        (
            (("datetime",),),
            dt.datetime(2020, 1, 2, tzinfo=UTC),
            '"2020-01-02T00:00:00+00:00"',
        ),
        ((("date",),), dt.date(2020, 1, 2), '"2020-01-02"'),
        ((("time",),), dt.time(1, 2, 3), '"01:02:03"'),
        ((("time",),), dt.time(1, 2, 3, tzinfo=UTC), '"01:02:03+00:00"'),
        ((("timedelta",),), dt.timedelta(days=1, seconds=2), '"P1DT2S"'),
        (
            (("uuid", uuid.UUID),),
            uuid.UUID(int=5),
            '"00000000-0000-0000-0000-000000000005"',
        ),
        ((("list", 1),), [1, 2], "[1,2]"),
        ((("list", 1),), type("L", (list,), {})([1]), "[1]"),
        ((("tuple", 1),), (1, 2), "[1,2]"),
        ((("tuple", 1),), (), "[]"),
        ((("fixed", (1, 2)),), (1, "a"), '[1,"a"]'),
        ((("iterable", set, 1),), {1}, "[1]"),
        ((("iterable", collections.abc.Iterable, 1),), range(3), "[0,1,2]"),
        ((("iterable", collections.abc.Sequence, 1),), [1], "[1]"),
        ((("iterable", collections.deque, 1),), collections.deque([1]), "[1]"),
        ((("dict", 2, 1),), {"a": 1, "\u00e9": 2}, '{"a":1,"\u00e9":2}'),
        ((("dict", 2, 1),), collections.OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
        ((("dict", 2, 1),), {}, "{}"),
        (
            (("mapping", collections.abc.Mapping, 2, 1),),
            types.MappingProxyType({"a": 1}),
            '{"a":1}',
        ),
        ((("mapping", collections.abc.Mapping, 2, 1),), {"a": 1}, '{"a":1}'),
        ((("dict", 1, 1),), {1: 2, -5: 6}, '{"1":2,"-5":6}'),
        (
            (("any",),),
            {"a": [1, 2.5, None, True, (), {}]},
            '{"a":[1,2.5,null,true,[],{}]}',
        ),
        ((("any",),), {1: 2, None: 3, 2.5: 4}, '{"1":2,"null":3,"2.5":4}'),
        ((("via", complex, str, 2),), 1j, '"1j"'),
    ],
)
def test_values(rules: Any, value: Any, text: str) -> None:
    """Each rule, alone and inside a list."""
    nodes = [node("it", *rules), INT, STR, node("array", ("list", 0))]
    assert encoder(nodes).encode(value) == text.encode()
    assert (
        encoder(nodes, root=3).encode([value] * 3) == f"[{text},{text},{text}]".encode()
    )
    json.loads(text)


@pytest.mark.parametrize("key", [2**64, 2**70, -(2**63) - 1, -(2**70), 10**300])
def test_keys_of_any_length_under_any(key: int) -> None:
    """The digits that json writes, also for a key type of int."""
    for tp in (Any, dict[Any, Any], dict[int, int], dict[int | str, int]):
        made = snooze.Encoder(tp)
        assert made.encode({key: 1}) == b'{"%d":1}' % key
        assert made.encode({key: 1, 2: 3}) == b'{"%d":1,"2":3}' % key
    for other in (type("Sub", (int,), {})(key), enum.IntEnum("E", {"A": key}).A):
        assert snooze.encode({other: 1}) == b'{"%d":1}' % key
    assert snooze.encode({1: 2, key: 3}, sort_keys=True)
    assert snooze.encode({"a": [{key: {key: 1}}]}) == b'{"a":[{"%d":{"%d":1}}]}' % (
        key,
        key,
    )


class Hostile(int):
    """An int whose every conversion to text raises."""

    def __repr__(self) -> str:
        """Raise."""
        raise AssertionError

    __str__ = __repr__
    __index__ = __int__ = __repr__  # type: ignore[assignment]

    def __format__(self, spec: str) -> str:
        """Raise."""
        raise AssertionError


def test_long_int_keys() -> None:
    """No code of a subclass runs; the interpreter's limit applies to keys as to values."""
    for tp in (Any, dict[Any, Any]):
        made = snooze.Encoder(tp)
        assert made.encode({Hostile(2**70): 1}) == b'{"%d":1}' % 2**70
        assert made.encode({Hostile(7): 1}) == b'{"7":1}'
        for key in (10**5000, -(10**5000)):
            with pytest.raises(ValueError, match="Exceeds the limit"):
                made.encode({key: 1})
            with pytest.raises(ValueError, match="Exceeds the limit"):
                made.encode({"a": key})


@pytest.mark.parametrize(
    ("rule", "key", "text"),
    [
        (("str",), type("S", (str,), {})("sub"), "sub"),
        (("int",), 2**100, str(2**100)),
        (("float",), 1.5, "1.5"),
        (("bool",), True, "true"),
        (("none",), None, "null"),
        (("date",), dt.date(2020, 1, 2), "2020-01-02"),
        (
            ("datetime",),
            dt.datetime(2020, 1, 2, tzinfo=UTC),
            "2020-01-02T00:00:00+00:00",
        ),
        (("timedelta",), dt.timedelta(days=3), "P3D"),
        (("uuid", uuid.UUID), uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (("decimal", decimal.Decimal), decimal.Decimal("1.10"), "1.10"),
        (("bytes",), b"abc", "YWJj"),
        (("via", complex, str, 1), 1j, "1j"),
    ],
)
def test_keys(rule: Any, key: Any, text: str) -> None:
    """The JSON string of each key."""
    nodes = [node("object", ("dict", 2, 1)), STR, node("key", rule), ANY]
    assert encoder(nodes).encode({key: "v"}) == b'{"%s":"v"}' % text.encode()
    assert encoder(nodes, sort=True).encode({key: "v"}) == b'{"%s":"v"}' % text.encode()
