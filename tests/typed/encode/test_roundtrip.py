"""Round trips: an encoded value decodes to the same value of the same type."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import typing
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import attrs
import pytest
import typing_extensions

import snooze
from helpers.equality import assert_same
from snooze import Field, Raw, Via, configure

T = TypeVar("T")
UTC = datetime.UTC


class Color(enum.Enum):
    """An enum of strings."""

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    """An enum of numbers."""

    LOW = 1


class Bits(enum.Flag):
    """An enum of flags."""

    A = 1
    B = 2


@dataclass(slots=True)
class User:
    """A record with fields of many types."""

    name: str
    age: int = 0
    tags: list[str] = field(default_factory=list)
    color: Color = Color.RED
    friend: User | None = None
    when: datetime.datetime | None = None


@configure(rename="camel", omit_none=True, omit_defaults=True, tag=True, sort_keys=True)
@dataclass
class Short:
    """A record that omits as much as possible."""

    first_name: str = "x"
    second: int | None = None
    third: float = 1.5
    items: list[int] = field(default_factory=list)


@dataclass
class Rest:
    """A record that collects unknown members."""

    a: int
    rest: Annotated[dict[str, float], Field(rest=True)] = field(default_factory=dict)


@configure(tag=True)
@dataclass
class Circle:
    """A tagged class."""

    size: int


@configure(tag=True)
@dataclass
class Square:
    """Another tagged class."""

    size: int


class Put(TypedDict):
    """Has a Literal field."""

    op: Literal["put"]
    value: Annotated[int, Field(name="V")]


class Drop(TypedDict, total=False):
    """Has a Literal field."""

    op: typing.Required[Literal["drop"]]
    why: str


class Extra(typing_extensions.TypedDict, extra_items=int):
    """A TypedDict with extra items."""

    name: str


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: float = 0.5


@configure(array_like=True)
@dataclass
class Row:
    """A dataclass written as an array."""

    a: int
    b: str = "b"


@attrs.frozen
class Attrs:
    """An attrs class."""

    x: int
    _y: str = "y"


@dataclass
class Box(Generic[T]):
    """A generic class."""

    x: T


@dataclass
class Money:
    """Encoded as str."""

    cents: int

    @classmethod
    def __snooze__(cls) -> Via:
        return Via(str, decode=lambda v: cls(int(v)), encode=lambda m: str(m.cents))


Json = typing_extensions.TypeAliasType(
    "Json", "dict[str, Json] | list[Json] | int | None"
)
Seconds = Annotated[
    datetime.timedelta,
    Via(
        int, decode=lambda s: datetime.timedelta(seconds=s), encode=lambda d: d.seconds
    ),
]

VALUES: list[tuple[Any, Any]] = [
    (Any, {"a": [1, 2.5, None, True, "x"]}),
    (int, 2**100),
    (int, -(2**63)),
    (float, 1e-7),
    (str, 'é"\\\n\U0001f600'),
    (bytes, b"\x00\xff~"),
    (bytearray, bytearray(b"abc")),
    (decimal.Decimal, decimal.Decimal("1.500")),
    (decimal.Decimal, decimal.Decimal("1E+30")),
    (datetime.datetime, datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)),
    (datetime.datetime, datetime.datetime(2026, 1, 2, 3, 4, 5)),
    (datetime.date, datetime.date(2026, 1, 2)),
    (datetime.time, datetime.time(3, 4, 5, 678)),
    (datetime.timedelta, datetime.timedelta(days=1, seconds=2, microseconds=3)),
    (datetime.timedelta, -datetime.timedelta(hours=5)),
    (Seconds, datetime.timedelta(seconds=90)),
    (uuid.UUID, uuid.UUID(int=2**127)),
    (Color, Color.GREEN),
    (Level, Level.LOW),
    (Bits, Bits.A | Bits.B),
    (Literal["a", 1, None], "a"),
    (Literal[Color.RED], Color.RED),
    (int | None, None),
    (list[int | str | None], [1, "x", None]),
    (tuple[int, ...], (1, 2)),
    (tuple[int, str], (1, "x")),
    (tuple[()], ()),
    (set[int], {1, 2}),
    (frozenset[str], frozenset("a")),  # the order of two items is not fixed
    (collections.deque[int], collections.deque([1, 2])),
    (typing.Sequence[int], [1]),
    (dict[int, str], {1: "a", -5: "b"}),
    (dict[uuid.UUID, Color], {uuid.UUID(int=1): Color.RED}),
    (dict[Level, int], {Level.LOW: 1}),
    (dict[datetime.date, int], {datetime.date(2026, 1, 2): 1}),
    (dict[float | None, int], {1.5: 1, None: 2}),
    (collections.OrderedDict[str, int], collections.OrderedDict(b=1, a=2)),
    (collections.Counter[str], collections.Counter("aab")),
    (collections.defaultdict[str, list[int]], collections.defaultdict(list, a=[1])),
    (pathlib.PurePosixPath, pathlib.PurePosixPath("/a/b")),
    (ipaddress.IPv6Address, ipaddress.ip_address("::1")),
    (ipaddress.IPv4Network, ipaddress.ip_network("10.0.0.0/8")),
    (re.Pattern[str], re.compile("^a+$")),
    (Raw, Raw(b'{"a": 1}')),
    (list[Raw], [Raw(b"[1, 2]")]),
    (User, User("a", 1, ["x"], Color.GREEN, User("b"), datetime.datetime(2026, 1, 2))),
    (Short, Short()),
    (Short, Short("y", 5, 2.5, [1])),
    (Rest, Rest(1, {"x": 1.5})),
    (list[Circle | Square], [Circle(1), Square(2)]),
    (list[Put | Drop], [{"op": "put", "value": 1}, {"op": "drop"}]),
    (Extra, {"name": "x", "a": 1}),
    (Point, Point(1, 2.5)),
    (list[Row], [Row(1), Row(2, "c")]),
    (Attrs, Attrs(1, "z")),
    (Box[Box[int]], Box(Box(1))),
    (list[Money | None], [Money(5), None]),
    (dict[str, Money], {"a": Money(5)}),
    (Json, {"a": [None, {"b": 1}]}),
]


@pytest.mark.parametrize(("tp", "value"), VALUES, ids=repr)
def test_round_trip(tp: Any, value: Any) -> None:
    """By the given type, and by the value's own type where that suffices."""
    encoded = snooze.Encoder(tp).encode(value)
    decoded = snooze.Decoder(tp).decode(encoded)
    assert_same(decoded, value)
    assert snooze.Encoder(tp).encode(decoded) == encoded


DYNAMIC = [
    value
    for tp, value in VALUES
    if isinstance(tp, type)
    and tp not in {Extra, bytearray}
    and "Box" not in repr(value)
]


@pytest.mark.parametrize("value", DYNAMIC, ids=repr)
def test_any_writes_the_same(value: Any) -> None:
    """`encode(value)` takes the type from the value and finds the same plan."""
    by_type = snooze.encode(value, type(value))
    assert snooze.encode(value) == by_type
    assert snooze.encode([value], list[Any]) == b"[" + by_type + b"]"
    assert_same(snooze.decode(by_type, type(value)), value)


ENCODED = [
    (Short(), b'{"type":"Short"}'),
    (Short("y", 5, 2.5, [1]), b'{"firstName":"y","items":[1],"second":5,"third":2.5,"type":"Short"}'),
    (Rest(1, {"x": 1.5}), b'{"a":1,"x":1.5}'),
    (Point(1), b"[1,0.5]"),
    (Row(1), b'[1,"b"]'),
    (Circle(1), b'{"type":"Circle","size":1}'),
    (Attrs(1), b'{"x":1,"_y":"y"}'),
    (Money(5), b'"5"'),
    ({Color.RED }, b'["red"]'),
    (Bits.A | Bits.B, b"3"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), ENCODED, ids=repr)
def test_output(value: Any, expected: bytes) -> None:
    """The output, byte for byte."""
    assert snooze.encode(value) == expected


def test_options_apply_inside_any() -> None:
    """Plans made for values inside Any use the encoder's options."""

    @dataclass
    class Plain:
        first_name: str | None = None
        cost: decimal.Decimal = decimal.Decimal("1.50")

    encoder = snooze.Encoder(rename="camel", decimal="number")
    assert encoder.encode([Plain("x")]) == b'[{"firstName":"x","cost":1.50}]'
    encoder = snooze.Encoder(omit_none=True, omit_defaults=True)
    assert encoder.encode({"a": Plain()}) == b'{"a":{}}'


def test_sorting() -> None:
    """Members of classes and dicts are sorted, and the tag; arrays keep their order."""

    @configure(rename={"b": "z"}, tag=True)
    @dataclass
    class Plain:
        b: int = 1
        a: Any = None

    encoder = snooze.Encoder(sort_keys=True)
    assert encoder.encode(Plain(a={"y": 1, "x": 2})) == (
        b'{"a":{"x":2,"y":1},"type":"Plain","z":1}'
    )
    assert encoder.encode(Row(1)) == b'[1,"b"]'
    assert snooze.encode(Plain()) == b'{"type":"Plain","z":1,"a":null}'


def test_enc_hook() -> None:
    """Called for unknown classes; its result is encoded in turn."""

    class Own:
        pass

    assert (
        snooze.encode([Own()], enc_hook=lambda _: {"a": Color.RED}) == b'[{"a":"red"}]'
    )
    assert snooze.encode(Own(), Own | int, enc_hook=lambda _: 5) == b"5"
    with pytest.raises(snooze.JSONEncodeError, match="Own"):
        snooze.encode([Own()])


@dataclass
class Switches:
    """A class with defaults that equal values of other types."""

    flag: bool = True
    count: int = 1
    zero: float = 0.0


def test_only_identical_defaults_are_omitted() -> None:
    """`True` is not 1, and -0.0 is not 0.0; an omitted value decodes to the same value."""
    encoder = snooze.Encoder(omit_defaults=True)
    assert encoder.encode(Switches()) == b"{}"
    assert encoder.encode(Switches(zero=-0.0)) == b'{"zero":-0.0}'
    with pytest.raises(snooze.JSONEncodeError, match=r"^expected int, found bool at"):
        encoder.encode(Switches(count=True))
    with pytest.raises(snooze.JSONEncodeError, match=r"^expected bool, found int at"):
        encoder.encode(Switches(flag=1))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["NaN", "sNaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("form", ["str", "number"])
def test_decimals_beyond_the_decoder(text: str, form: str) -> None:
    """Decimals that no decoder accepts are null or refused, as floats are."""
    value = [decimal.Decimal(text)]
    message = rf"^expected a finite number, found {text} at \$\[0\]$"
    for tp in (Any, list[decimal.Decimal]):
        assert snooze.encode(value, tp, decimal=form) == b"[null]"
        with pytest.raises(snooze.JSONEncodeError, match=message):
            snooze.encode(value, tp, decimal=form, nan="error")
