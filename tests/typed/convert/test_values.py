"""Objects that a Converter keeps or converts: scalars, instances, numbers, keys.

What it makes of the objects that JSON has is tested with the Decoder: `accept` and
`refuse` of helpers.typed_tools run each document of tests/typed/decode through both.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import ipaddress
import math
import pathlib
import sys
import types
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest

from helpers.equality import assert_same
from snooze import (
    Aware,
    Converter,
    Decoder,
    FirstMatch,
    Format,
    Ge,
    Le,
    Len,
    MultipleOf,
    Naive,
    Raw,
    ValidationError,
    Via,
    convert,
    encode,
    loads,
)


class Color(enum.Enum):
    """An enum of strings."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """An enum whose members are integers."""

    LOW = 1
    HIGH = 2


class Word(str):
    """A subclass of str."""

    __slots__ = ()


class Connection:
    """A class that snooze does not know."""


class Pooled(Connection):
    """A subclass of it."""


@dataclass
class Job:
    """A class with fields of such classes."""

    connection: Connection
    names: list[str]
    spare: Connection | int | None = None


@dataclass
class Point:
    """A class with fields."""

    x: int
    y: float = 0.0


class Pair(NamedTuple):
    """A named tuple."""

    a: int
    b: str = "b"


UTC = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)
NAIVE = datetime.datetime(2026, 11, 21)
KEPT: list[tuple[Any, Any]] = [
    (Color.RED, Color),
    (Level.LOW, Level),
    (Color.RED, Literal[Color.RED]),
    (UTC, datetime.datetime),
    (UTC, Annotated[datetime.datetime, Aware]),
    (NAIVE, Annotated[datetime.datetime, Naive]),
    (datetime.date(2026, 11, 21), datetime.date),
    (datetime.time(1, 2), datetime.time),
    (datetime.timedelta(1), datetime.timedelta),
    (uuid.UUID(int=1), uuid.UUID),
    (Decimal("1.50"), Decimal),
    (Decimal("NaN"), Decimal),
    (Decimal("1.5"), Annotated[Decimal, Ge(1)]),
    (b"ab", bytes),
    (b"ab", Annotated[bytes, Len(2, 2)]),
    (bytearray(b"ab"), bytearray),
    (pathlib.Path("/x"), pathlib.Path),
    (ipaddress.IPv4Address("1.2.3.4"), ipaddress.IPv4Address),
    (fractions.Fraction(1, 3), fractions.Fraction),
    (2j, complex),
    (Point(1), Point),
    (Pair(1), Pair),
    (Raw(b"[ 1 ]"), Raw),
    (float("nan"), float),
    (math.inf, float),
    ("\ud800", str),
    (Word("a"), str),
    (Level.HIGH, int),
    (10**5000, int),
    (10**5000, Annotated[int, Ge(0)]),
    (10**30 * 7, Annotated[int, MultipleOf(7)]),
    (object(), Any),
    (UTC, datetime.datetime | None),
    (UTC, Annotated[datetime.datetime, Format("unix")]),
    (Color.RED, Annotated[Color, Format("name")]),
]


@pytest.mark.parametrize(("value", "tp"), KEPT, ids=map(str, range(len(KEPT))))
def test_kept(value: Any, tp: Any) -> None:
    """The object itself: it fits its type."""
    assert convert(value, tp) is value
    assert Converter(tp, errors="all").convert(value) is value
    assert convert([value], list[tp])[0] is value


MADE: list[tuple[Any, Any, Any]] = [
    ("red", Color, Color.RED),
    (1, Level, Level.LOW),
    (Word("red"), Color, Color.RED),
    ("2026-11-21", datetime.date, datetime.date(2026, 11, 21)),
    ("00000000-0000-0000-0000-000000000001", uuid.UUID, uuid.UUID(int=1)),
    ("YWI=", bytes, b"ab"),
    (bytes(15) + b"\1", uuid.UUID, uuid.UUID(int=1)),
    (bytearray(16), uuid.UUID, uuid.UUID(int=0)),
    (memoryview(bytes(16)).cast("i"), uuid.UUID, uuid.UUID(int=0)),
    (bytearray(b"ab"), bytes, b"ab"),
    (memoryview(b"ab"), bytes, b"ab"),
    (b"ab", bytearray, bytearray(b"ab")),
    (1, float, 1.0),
    (2**64, float, 2.0**64),
    (10**30, float, 1e30),
    (Decimal("1.5"), float, 1.5),
    (Decimal(15), int, 15),
    (Decimal(10**30), int, 10**30),
    (Decimal(15), float, 15.0),
    (Decimal("1.5"), int | float, 1.5),
    (1.5, Decimal, Decimal("1.5")),
    (10**30, Decimal, Decimal(10**30)),
    ("1.50", Decimal, Decimal("1.50")),
    ((1, "a"), Pair, Pair(1, "a")),
    ([1], Pair, Pair(1)),
    ((1, "a"), tuple[int, str], (1, "a")),
    ([1, 2], tuple[int, ...], (1, 2)),
    ((1, 2), list[int], [1, 2]),
    ({1}, list[int], [1]),
    (frozenset({1}), set[int], {1}),
    (collections.deque([1]), list[int], [1]),
    ({1: 2}.values(), list[int], [2]),
    ({1: 2}.keys(), set[int], {1}),
    (range(3), list[int], [0, 1, 2]),
    (collections.UserList([1]), list[int], [1]),
    ({1: 2}, dict[int, int], {1: 2}),
    ({"1": 2}, dict[int, int], {1: 2}),
    ({uuid.UUID(int=1): 2}, dict[uuid.UUID, int], {uuid.UUID(int=1): 2}),
    ({Color.RED: 2, "blue": 3}, dict[Color, int], {Color.RED: 2, Color.BLUE: 3}),
    ({Level.LOW: 2, 2: 3, "1": 4}, dict[Level, int], {Level.LOW: 4, Level.HIGH: 3}),
    ({1.5: 1, "2.5": 2}, dict[float, int], {1.5: 1, 2.5: 2}),
    ({None: 1, "null": 2}, dict[None, int], {None: 2}),
    ({True: 1, "false": 2}, dict[bool, int], {True: 1, False: 2}),
    ({"x": 1}, Point, Point(1)),
    (types.MappingProxyType({"x": 1}), Point, Point(1)),
    (collections.ChainMap({"x": 1}, {"y": 2}), Point, Point(1, 2.0)),
    (collections.OrderedDict(x=1), Point, Point(1)),
    (collections.UserDict(x=1), Point, Point(1)),
    ([Point(1), {"x": 2}], list[Point], [Point(1), Point(2)]),
    ({"a": [1]}, Raw, Raw(b'{"a":[1]}')),
    (None, Raw | None, None),
    ("a", Annotated[datetime.date | str, FirstMatch()], "a"),
]


@pytest.mark.parametrize(
    ("value", "tp", "expected"), MADE, ids=map(str, range(len(MADE)))
)
def test_made(value: Any, tp: Any, expected: Any) -> None:
    """The same as a Decoder makes of the JSON of the object."""
    assert_same(convert(value, tp), expected)
    assert_same(Converter(tp, errors="all").convert(value), expected)
    assert_same(convert({"k": value}, dict[str, tp]), {"k": expected})


REFUSED: list[tuple[Any, Any, str | None]] = [
    (True, int, "expected int, found bool at $"),
    (1, bool, "expected bool, found int at $"),
    (None, int, "expected int, found None at $"),
    (1, None, "expected None, found int at $"),
    ("1", int, "expected int, found str at $"),
    (1.0, int, "expected int, found float at $"),
    (-1, Annotated[int, Ge(0)], "expected int >= 0, found -1 at $"),
    (True, Literal[False], "expected False, found True at $"),
    (1.5, Annotated[float, Ge(2.0)], "expected float >= 2.0, found 1.5 at $"),
    (math.nan, Annotated[float, Ge(2.0)], "expected float >= 2.0, found nan at $"),
    (math.nan, Decimal, "expected decimal, found nan at $"),
    (math.inf, int, "expected int, found float at $"),
    (10**400, float, f"expected float, found 1{'0' * 39}... at $"),
    (10**5000, float, "expected float, found int at $"),
    (-(10**5000), Annotated[int, Ge(0)], "expected int >= 0, found int at $"),
    (10**30 * 7 + 1, Annotated[int, MultipleOf(7)], None),
    (Decimal("1.5"), int, "expected int, found Decimal at $"),
    (Decimal("NaN"), float, "expected float, found Decimal at $"),
    (Decimal(1), str, "expected str, found Decimal at $"),
    (Decimal("0.5"), Annotated[Decimal, Ge(1)], None),
    ("green", Color, "expected 'red' or 'blue', found 'green' at $"),
    ("\ud800", Color, r"expected 'red' or 'blue', found '\ud800' at $"),
    (Level.LOW, Color, "expected 'red' or 'blue', found Level at $"),
    (Color.BLUE, Literal[Color.RED], "expected 'red', found Color at $"),
    (UTC, datetime.date, "expected date, found datetime at $"),
    (datetime.date(1, 1, 1), datetime.datetime, "expected datetime, found date at $"),
    (UTC, Annotated[datetime.datetime, Naive], None),
    (NAIVE, Annotated[datetime.datetime, Aware], None),
    (b"abc", Annotated[bytes, Len(2, 2)], None),
    (bytearray(b"abc"), Annotated[bytes, Len(2, 2)], None),
    (b"ab", list[int], "expected list, found bytes at $"),
    (memoryview(b"ab"), list[int], "expected list, found memoryview at $"),
    ("ab", list[str], "expected list, found str at $"),
    (iter([1]), list[int], "expected list, found list_iterator at $"),
    ([1, 2, 3], Annotated[list[int], Len(2, 2)], None),
    (bytes(15), uuid.UUID, "expected uuid, found bytes at $"),
    ({1, 2}, tuple[int, int], "expected list of length 2, found set at $"),
    (
        {1: 1}.keys(),
        Pair,
        "expected list of length 1 to 2 or Pair, found dict_keys at $",
    ),
    (frozenset({1}), tuple[int, *tuple[int, ...]], None),
    ((1,), tuple[int, int], "expected list of length 2, found tuple of 1 at $"),
    ([1, "b", 3], Pair, "expected list of length 1 to 2 or Pair, found list of 3 at $"),
    ({"a": 1}, Pair, "expected list of length 1 to 2 or Pair, found dict at $"),
    ([], dict[str, int], "expected dict, found list at $"),
    ({1: 2}, dict[str, int], "expected str, found int at $[1]"),
    ({"x": 2}, dict[int, int], "expected int, found 'x' at $.x"),
    ({(1, 2): 3}, dict[int, int], 'expected int, found tuple at $["(1, 2)"]'),
    ({Color.RED: 1}, dict[str, int], 'expected str, found Color at $["Color.RED"]'),
    (object(), int, "expected int, found object at $"),
    (object(), Point, "expected dict or Point, found object at $"),
    (Point, Point, "expected dict or Point, found type at $"),
    (Pair(1), Point, "expected dict or Point, found Pair at $"),
    ({}, Point, 'expected member "x", found none at $'),
    ({"x": "1"}, Point, "expected int, found str at $.x"),
    ("a" * 50, Color, f"expected 'red' or 'blue', found '{'a' * 39}... at $"),
    (object(), Raw, None),
]


@pytest.mark.parametrize(
    ("value", "tp", "message"), REFUSED, ids=map(str, range(len(REFUSED)))
)
def test_refused(value: Any, tp: Any, message: str | None) -> None:
    """A ValidationError that says what was expected, found, and where."""
    for errors in ("first", "all"):
        with pytest.raises(ValidationError) as caught:
            convert(value, tp, errors=errors)
        (problem,) = caught.value.errors
        assert (problem.offset, problem.line, problem.column) == (0, 1, 1)
        assert (caught.value.doc, caught.value.pos) == ("", 0)
        assert "line" not in problem.message
        if message is not None:
            assert str(caught.value) == message
    with pytest.raises(ValidationError) as caught:
        convert([value], list[tp])
    assert caught.value.pointer.startswith("/0")


def test_lax() -> None:
    """strict=False converts as a lax Decoder does."""
    lax: list[tuple[Any, Any, Any]] = [
        ("1", int, 1),
        (1.0, int, 1),
        (1, bool, True),
        ("true", bool, True),
        ("2.5", float, 2.5),
        (2**60, float, 2.0**60),
        (1.5, datetime.timedelta, datetime.timedelta(seconds=1.5)),
        (0, datetime.datetime, datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)),
        (Decimal("2.0"), int, 2),
    ]
    for value, tp, expected in lax:
        assert_same(convert(value, tp, strict=False), expected)
        assert_same(convert([value], list[tp], strict=False), [expected])
    for value, tp in [
        (1.5, int),
        ("1.5", int),
        (math.inf, int),
        (math.nan, datetime.timedelta),
        (math.inf, datetime.datetime),
        (math.nan, bool),
        (2.0**53, int),
        ("x", int),
        (2, bool),
    ]:
        with pytest.raises(ValidationError):
            convert(value, tp, strict=False)


def test_numbers_of_any_size_without_a_limit() -> None:
    """The limit of digits in CPython only changes what a message shows."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(ValidationError, match=r"found -10{38}\.\.\. at"):
            convert(-(10**5000), Annotated[int, Ge(0)])
        with pytest.raises(ValidationError, match=r"expected float"):
            convert(10**5000, float)
    finally:
        sys.set_int_max_str_digits(before)


def test_decimals_do_not_depend_on_the_context() -> None:
    """No digit is lost, whatever the precision of the context is."""
    with decimal.localcontext(decimal.Context(prec=2)):
        assert convert("1.23456", Decimal) == Decimal("1.23456")
        assert convert(123456, Decimal) == 123456
        assert convert(Decimal(123456), int) == 123456


def test_via() -> None:
    """A Via's function gets what its wire type makes; instances are kept."""
    hexadecimal = Annotated[
        fractions.Fraction,
        Via(list[int], decode=lambda ab: fractions.Fraction(*ab), encode=list),
    ]
    third = fractions.Fraction(1, 3)
    assert convert([1, 3], hexadecimal) == third
    assert convert(third, hexadecimal) is third
    stripped = Annotated[str, Via(str, decode=str.strip, encode=str)]
    assert convert(" a ", stripped) == "a"
    bounded = Annotated[Decimal, Ge(1), Le(2)]
    assert convert("1.5", bounded) == Decimal("1.5")


def test_hook() -> None:
    """A hook gets the object, whatever it is, unless that is an instance already."""

    class Odd:
        def __init__(self, value: Any) -> None:
            self.value = value

    seen: list[Any] = []

    def dec_hook(tp: Any, value: Any) -> Any:
        seen.append(value)
        if value == "bad":
            raise ValueError("so bad")
        return tp(value)

    odd, thing = Odd(1), object()
    assert convert(odd, Odd, dec_hook=dec_hook) is odd
    assert not seen
    assert convert(thing, Odd, dec_hook=dec_hook).value is thing
    assert convert([1], Odd, dec_hook=dec_hook).value == [1]
    with pytest.raises(ValidationError, match="so bad"):
        convert("bad", Odd, dec_hook=dec_hook)


def test_classes_that_snooze_does_not_know() -> None:
    """Without a hook their instances are kept, and everything else is refused."""
    one, two = Connection(), Pooled()
    job = convert({"connection": one, "names": ("a",), "spare": two}, Job)
    assert job == Job(one, ["a"], two)
    assert convert({"connection": two, "names": [], "spare": 5}, Job).spare == 5
    assert convert([one, None], list[Connection | None]) == [one, None]
    for wrong in (1, "a", [], {}, object(), Connection):
        with pytest.raises(ValidationError, match=r"expected Connection, found \w+ at"):
            convert(wrong, Connection)
    with pytest.raises(ValidationError, match=r"found str at \$\.spare"):
        convert({"connection": one, "names": [], "spare": "a"}, Job)
    with pytest.raises(TypeError, match="Connection is not a type that snooze knows"):
        Decoder(Job)


def test_any_keeps_objects() -> None:
    """Nothing in `Any` is looked at, copied or changed."""
    inner = {"a": [1, {2}], 3: object()}
    assert convert(inner, Any) is inner
    assert convert({"v": inner}, dict[str, Any])["v"] is inner
    assert convert([inner], list)[0] is inner
    recursive: list[Any] = []
    recursive.append(recursive)
    assert convert(recursive, Any) is recursive


def test_results_do_not_share_containers() -> None:
    """Lists, dicts and sets of a type are new; the source is unchanged."""

    class Options(TypedDict):
        sizes: list[int]

    source = {"sizes": [1, 2], "more": 3}
    result = convert(source, Options)
    assert result == {"sizes": [1, 2]}
    assert result["sizes"] is not source["sizes"]
    assert source == {"sizes": [1, 2], "more": 3}


def test_same_as_through_json() -> None:
    """What an Encoder writes of an instance, a Converter reads as objects."""

    @dataclass
    class Everything:
        when: datetime.datetime
        ids: dict[uuid.UUID, set[int]]
        colors: list[Color]
        amount: Decimal
        data: bytes
        points: tuple[Point, Pair]

    whole = Everything(
        UTC,
        {uuid.UUID(int=3): {1}},
        [Color.BLUE],
        Decimal("1.10"),
        b"\0",
        (Point(1), Pair(2)),
    )
    assert_same(convert(loads(encode(whole)), Everything), whole)


class Bounds(NamedTuple):
    """A type, and objects that fit only its second or third alternative."""

    tp: Any
    objects: list[Any]


AT_LEAST, AT_MOST = Annotated[Decimal, Ge(10)], Annotated[Decimal, Le(0)]
ALTERNATIVES = [
    Bounds(Annotated[AT_LEAST | AT_MOST, FirstMatch()], [Decimal(-1), Decimal(10)]),
    Bounds(
        Annotated[
            Annotated[datetime.datetime, Aware] | Annotated[datetime.datetime, Naive],
            FirstMatch(),
        ],
        [UTC, UTC.replace(tzinfo=None)],
    ),
    Bounds(
        Annotated[datetime.datetime, Naive]
        | Annotated[datetime.datetime, Format("unix")],
        [UTC, UTC.replace(tzinfo=None)],
    ),
    Bounds(
        Annotated[AT_LEAST | bool | AT_MOST | None, FirstMatch()] | list[int],
        [Decimal(-1), Decimal(10), True, None, [1]],
    ),
]


@pytest.mark.parametrize(("tp", "objects"), ALTERNATIVES)
def test_two_alternatives_of_one_class(tp: Any, objects: list[Any]) -> None:
    """An instance is kept if it meets the constraints of one of them."""
    for one in objects:
        assert_same(convert(one, tp), one)
        assert_same(convert([one], list[tp]), [one])


def test_first_match_of_instances() -> None:
    """What the constraints of its class refuse is left to the other alternatives."""
    tp: Any = Annotated[AT_LEAST | float, FirstMatch()]
    assert_same(convert([Decimal(11), Decimal("1.5")], list[tp]), [Decimal(11), 1.5])
    with pytest.raises(ValidationError, match="expected decimal >= 10 or decimal <= 0"):
        convert(Decimal(5), ALTERNATIVES[0].tp)
