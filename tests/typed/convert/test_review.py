"""Conversions that once kept, lost or changed an object: one test for each cause."""

from __future__ import annotations

import array
import collections
import datetime
import enum
import fractions
import sqlite3
import sys
import types
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest

import snooze
from helpers.equality import assert_same
from snooze import (
    UNSET,
    Aware,
    Converter,
    FirstMatch,
    Format,
    Ge,
    Gt,
    Le,
    Len,
    Lt,
    MultipleOf,
    UnsetType,
    ValidationError,
    Via,
    configure,
    convert,
)


@dataclass
class Point:
    """A class of which every field has a default."""

    x: int = 0
    y: int = 0


@dataclass
class Wide:
    """A class with the fields of another."""

    x: int = 0
    y: int = 0
    z: int = 1


@configure(tag=True)
@dataclass
class Cat:
    """A class with a tag."""

    lives: int = 9


@configure(tag=True)
@dataclass
class Dog:
    """Another."""

    lives: int = 1


@configure(rename="camel")
@dataclass
class Circle:
    """A class that a Literal of another name tells."""

    radius: int
    shape_kind: Literal["circle"] = "circle"


@configure(rename="camel")
@dataclass
class Square:
    """Another."""

    radius: int
    shape_kind: Literal["square"] = "square"


@configure(rename="camel")
@dataclass
class Left:
    """A class that a required member of another name tells."""

    left_side: int


@configure(rename="camel")
@dataclass
class Right:
    """Another."""

    right_side: int


class Number(enum.IntEnum):
    """An enum whose members are integers."""

    ONE = 1


class Word(str):
    """A subclass of str."""

    __slots__ = ()


class Odd:
    """A class that no codec knows."""

    def __init__(self, value: Any) -> None:
        self.value = value


def refused(value: Any, tp: Any, match: str = ".", **options: Any) -> None:
    """Assert that a value is refused with a ValidationError."""
    with pytest.raises(ValidationError, match=match):
        convert(value, tp, **options)


def test_numpy_elements() -> None:
    """As strict as a Decoder: no overflow, no bools for numbers."""
    numpy = pytest.importorskip("numpy")

    def of(dtype: Any) -> Any:
        return numpy.ndarray[Any, numpy.dtype[dtype]]

    for values, dtype in [
        ([1, 2], numpy.uint8),
        ([0, 2**64 - 1], numpy.uint64),
        ([[1.5, 2], [3, float("nan")]], numpy.float64),
        ([True, False], numpy.bool_),
        ([], numpy.int8),
        ([float("inf")], numpy.float32),
    ]:
        made = convert(values, of(dtype))
        assert made.dtype == dtype
        numpy.testing.assert_array_equal(made, numpy.array(values, dtype))
    for values, dtype in [
        ([1e39], numpy.float32),
        ([70000.0], numpy.float16),
        ([True, 2], numpy.int64),
        ([256], numpy.uint8),
        ([-1], numpy.uint8),
        ([1.0], numpy.int64),
        ([1], numpy.bool_),
        (["1"], numpy.float64),
        ([[1], [1, 2]], numpy.int64),
        ([None], numpy.float64),
    ]:
        refused(values, of(dtype))
    whole = numpy.array([1.0])
    assert convert(whole, of(numpy.float64)) is whole
    assert convert(numpy.array([1], numpy.int8), of(numpy.float64)).dtype == float
    for kept in (
        numpy.array(1.0),
        numpy.array(["a"]),
        numpy.array([object()]),
        numpy.ma.array([1.0], mask=[True]),
    ):
        refused(kept, of(numpy.float64))
        refused(kept, numpy.ndarray)
    refused(numpy.array([1.5]), of(numpy.int64), "an array of float64")


def test_pydantic_models() -> None:
    """Pydantic validates the object itself, not its JSON."""
    pydantic = pytest.importorskip("pydantic")

    class Inner(pydantic.BaseModel):  # type: ignore[misc,name-defined]
        secret: pydantic.SecretStr
        hidden: int = pydantic.Field(default=0, exclude=True)
        data: bytes = b""

    class Outer(pydantic.BaseModel):  # type: ignore[misc,name-defined]
        inner: Inner

    inner = Inner(secret="pw", hidden=5)
    made = convert({"inner": inner}, Outer)
    assert made.inner.secret.get_secret_value() == "pw"
    assert made.inner.hidden == 5
    assert convert({"secret": "x", "data": b"hello"}, Inner).data == b"hello"
    assert convert([inner], list[Inner])[0] is inner
    refused({"inner": {}}, Outer, "inner.secret: Field required")


def test_functions_run_once_and_never_with_an_exception() -> None:
    """A key that a function refuses is a problem."""
    calls: list[Any] = []

    def decode(number: int) -> Word:
        calls.append(number)
        return Word(number)

    refused({"1": 1}, dict[Annotated[int, Ge(2**63)], int], strict=False)
    unix = Annotated[datetime.datetime, Format("unix")]
    refused({"1e18": 1}, dict[unix, int], strict=False)
    key = Annotated[Word, Via(int, decode=decode, encode=int)]
    assert convert({"5": 1}, dict[key, int]) == {"5": 1}
    assert calls == [5]


def test_rows_come_before_attributes() -> None:
    """A row with keys is read by its keys, whatever the options are."""
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    row = database.execute("select 7 as x, 8 as y").fetchone()
    database.close()
    for from_attributes in (False, True):
        made = convert(row, Point, from_attributes=from_attributes)
        assert made == Point(7, 8)


@pytest.mark.parametrize(
    "value",
    [
        *(b"ab", bytearray(b"ab"), memoryview(b"ab"), 5, 2.5, 2j, "x", True, None),
        *({1}, frozenset(), iter([]), collections.deque([1]), range(3), slice(1)),
        *(datetime.date(1, 1, 1), datetime.timedelta(1), uuid.UUID(int=1)),
        *(Decimal(1), fractions.Fraction(1), Number.ONE, array.array("i"), ...),
        *(sys, len, refused, [].append, Point, {1: 2}.values(), types.SimpleNamespace),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_have_no_attributes(value: Any) -> None:
    """Only objects that are no values, containers or code."""
    refused(value, Point, "expected dict or Point, found", from_attributes=True)
    refused(value, Point | bool if value is None else Point, from_attributes=True)


def test_first_match_keeps_instances() -> None:
    """Of any alternative, before one is tried."""
    wide, day = Wide(1, 2, 3), datetime.date(2026, 11, 21)
    ordered = Annotated[Point | Wide, FirstMatch()]
    assert convert(wide, ordered, from_attributes=True) is wide
    dated = Annotated[Point | datetime.date, FirstMatch()]
    assert convert(day, dated, from_attributes=True) is day
    names = Annotated[Annotated[Number, Format("name")] | list[str], FirstMatch()]
    assert convert(Number.ONE, names) is Number.ONE
    sets = Annotated[Point | set[int], FirstMatch()]
    assert convert({1, 2}, sets, from_attributes=True) == {1, 2}


def test_tags_of_attributes() -> None:
    """A tag is checked where there is one; names are those of attributes."""
    row = types.SimpleNamespace
    options: Any = {"from_attributes": True}
    assert convert(row(type="Cat", lives=3), Cat, **options) == Cat(3)
    assert convert(row(lives=3), Cat, **options) == Cat(3)
    dog = row(type="Dog", lives=3)
    refused(dog, Cat, r"expected 'Cat', found 'Dog' at \$\.type", **options)
    with pytest.raises(ValidationError) as caught:
        convert(row(type="Dog", lives="x"), Cat, errors="all", **options)
    assert [one.pointer for one in caught.value.errors] == ["/type", "/lives"]
    square = row(shape_kind="square", radius=2)
    assert convert(square, Circle | Square, **options) == Square(2)
    assert convert(row(right_side=2), Left | Right, **options) == Right(2)


def test_via_and_kept_instances() -> None:
    """An instance is kept only if the Via could have made it."""
    aware = Annotated[datetime.datetime, Aware, Format("unix")]
    refused(datetime.datetime(2026, 1, 1), aware)
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    assert convert(now, aware) is now
    day = Annotated[datetime.date, Via(str, decode=datetime.date.fromisoformat)]
    refused(now, day)
    assert convert(now.date(), day) == now.date()
    view = convert(b"ab", memoryview)
    assert isinstance(view, memoryview)
    assert view == b"ab"
    assert_same(convert(bytearray(b"a"), Annotated[bytes, Format("hex")]), b"a")
    assert_same(convert(b"a", Annotated[bytearray, Format("hex")]), bytearray(b"a"))


def test_subclasses_of_builtin_classes_are_converted() -> None:
    """As the values that they are, where the type converts these."""
    stripped = Annotated[str, Via(str, decode=str.strip)]
    assert convert([" a ", Word(" a ")], list[stripped]) == ["a", "a"]
    more = Annotated[int, Via(int, decode=lambda number: number + 5)]
    assert convert([1, Number.ONE], list[more]) == [6, 6]
    ordered = Annotated[list[int], Via(list[int], decode=sorted)]
    assert convert(collections.UserList([2, 1]), ordered) == [1, 2]

    class Own(list[int]):
        pass

    assert convert(Own([2, 1]), ordered) == [1, 2]
    refused(Own(["x"]), ordered)  # type: ignore[list-item]


def test_wire_types_take_their_objects() -> None:
    """What the wire type of a Via would keep is decoded."""
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    dated = Annotated[Odd, Via(datetime.datetime, decode=Odd)]
    assert convert(now, dated).value is now
    assert convert([now], list[dated])[0].value is now
    pointed = Annotated[Odd, Via(Point, decode=Odd)]
    assert convert(Point(1), pointed).value == Point(1)
    exact = Annotated[Odd, Via(Decimal, decode=Odd)]
    assert convert(Decimal("1E+400"), exact).value == Decimal("1E+400")
    odd = Odd(1)
    assert convert(odd, dated) is odd

    class Blob(bytes):
        pass

    assert_same(convert(b"ab", Blob), Blob(b"ab"))


def test_a_builtin_class_is_kept_where_json_has_another_form() -> None:
    """An id that is a string in JSON, and an int in a row."""
    number = Annotated[int, Via(str, decode=int, encode=str)]
    assert convert(["5", 5, Number.ONE], list[number]) == [5, 5, 1]
    refused(5.5, number)


def test_any_key() -> None:
    """Where keys may be anything they stay what they are."""
    value = {1: 2, (3, 4): 5, "a": None, None: 6}
    assert convert(value, dict) == value
    assert convert(value, dict[Any, Any]) == value
    refused({1: 2}, dict[str, int])


def test_unset() -> None:
    """UNSET is a value of a field that may be missing, and of no other."""

    @dataclass
    class Patch:
        a: int | UnsetType = UNSET
        b: int = 0

    @dataclass
    class Copy:
        a: int | UnsetType = UNSET

    assert convert({"a": UNSET}, Patch) == Patch()
    assert convert({"a": 5}, Patch) == Patch(5)
    assert convert(Patch(), Copy, from_attributes=True) == Copy()
    refused({"b": UNSET}, Patch, "expected int, found UnsetType")


def test_unset_beside_any() -> None:
    """Any value, or none: the other alternatives are values of Any."""

    @dataclass
    class Patch:
        a: Any | UnsetType | None = UNSET
        b: Any | int | UnsetType = UNSET

    assert convert({}, Patch) == Patch(UNSET, UNSET)
    assert convert({"a": None, "b": UNSET}, Patch) == Patch(None, UNSET)
    assert convert({"a": [1], "b": 2}, Patch) == Patch([1], 2)
    assert snooze.decode(b'{"a":null}', Patch) == Patch(None, UNSET)


@pytest.mark.parametrize("text", ["NaN", "-NaN", "sNaN"])
@pytest.mark.parametrize("bound", [Gt(0), Ge(0), Lt(0), Le(0), MultipleOf(2)])
def test_no_bound_holds_for_nan(text, bound) -> None:
    """Comparing a Decimal that is none raises in Python."""
    refused(Decimal(text), Annotated[Decimal, bound], "expected decimal ")


def test_order_of_an_ordered_dict() -> None:
    """That of `move_to_end`."""
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert list(convert(ordered, dict[str, int])) == ["b", "a"]


@dataclass
class Tree:
    """A recursive type, each level of which is tried twice."""

    pad: list[int] = field(default_factory=list)
    nodes: Annotated[list[Tree] | list[Wood] | None, FirstMatch()] = None


@dataclass
class Wood:
    """The same."""

    pad: list[int] = field(default_factory=list)
    nodes: Annotated[list[Tree] | list[Wood] | None, FirstMatch()] = None
    name: str = ""


def test_attempts_are_bounded_by_values() -> None:
    """Of the whole object, not by the number of unions alone."""
    seen: list[int] = []

    class Counted:
        def __init__(self, value: int) -> None:
            seen.append(value)

    @dataclass
    class One:
        pad: list[Counted]
        nodes: Annotated[list[One] | list[Two], FirstMatch()]

    @dataclass
    class Two:
        pad: list[Counted]
        nodes: Annotated[list[One] | list[Two], FirstMatch()]
        name: str = ""

    globals().update(One=One, Two=Two, Counted=Counted)
    value: Any = {"pad": [], "nodes": 5}
    for _ in range(16):
        value = {"pad": list(range(200)), "nodes": [value]}
    converter = Converter(One, dec_hook=lambda tp, one: tp(one))
    with pytest.raises(ValidationError):
        converter.convert(value)
    assert len(seen) < 64 * 16 * 210 + 70_000


def test_first_match_may_be_deep() -> None:
    """As deep as a Decoder reads it."""
    value: Any = {}
    for _ in range(60):
        value = {"nodes": [value]}
    assert isinstance(convert(value, Wood), Wood)


def test_two_unions_in_order() -> None:
    """In one union, each takes its kinds."""
    lists = Annotated[list[int] | list[str], FirstMatch()]
    numbers = Annotated[int | float, FirstMatch()]
    both = lists | numbers
    assert convert(["a"], both) == ["a"]
    assert convert(1.5, both) == 1.5
    refused(object(), both)


def test_keys_without_text() -> None:
    """A message is made of any key."""
    key = 10**5000

    class Silent:
        def __str__(self) -> str:
            raise ValueError("no text")

    refused({key: "x"}, dict[int, int], r"at \$\.int")
    refused({key: 1}, Point, "no member", unknown="forbid")
    refused({(key,): 1}, dict[int, int], "found tuple")
    refused({Silent(): 1}, Point, 'no member "Silent"', unknown="forbid")
    refused({Number.ONE: "x"}, dict[int, int], r"at \$\[\"1\"\]|at \$\[1\]")


def test_tags_that_cannot_be_hashed() -> None:
    """Select no class."""

    class Bad(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, other)

        __hash__ = None  # type: ignore[assignment]

    refused({"type": Bad("Cat")}, Cat | Dog, "expected 'Cat' or 'Dog', found Bad")


def test_bounds_keep_subclasses_and_surrogates() -> None:
    """A `str` that fits is kept, whatever its class and characters are."""
    short = Annotated[str, Len(1, 3)]
    for value in (Word("ab"), "\ud800", Word("\ud800")):
        assert convert(value, short) is value
    refused(Word("abcd"), short)


def test_a_zone_without_offset_is_naive() -> None:
    """As in Python itself."""

    class Nowhere(datetime.tzinfo):
        def utcoffset(self, _: Any) -> None:
            return None

        def dst(self, _: Any) -> None:
            return None

        def tzname(self, _: Any) -> str:
            return "nowhere"

    refused(
        datetime.datetime(2026, 1, 1, tzinfo=Nowhere()),
        Annotated[datetime.datetime, Aware],
    )


def test_lax_unions_in_order() -> None:
    """A string is no number of a union that only takes numbers."""
    number = Annotated[
        Annotated[datetime.datetime, Format("unix_us")] | Annotated[float, Ge(0.5)],
        FirstMatch(),
    ]
    refused("1.5", number | set[datetime.time], strict=False)


def test_nan_has_no_json() -> None:
    """So it is no Raw."""
    from snooze import Raw

    refused(float("nan"), Raw)
    refused([float("inf")], Raw)
