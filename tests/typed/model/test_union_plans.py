"""Plans of unions: which rule takes which kind of JSON, and which unions are refused."""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
from collections import deque
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import pytest

import snooze
from helpers.typed_plans import encode_plan, reads, writes
from snooze import Ge, MinLen, Raw, Via, configure

INT = ("int", None)
STR = ("str", None)
NULL = ("null",)
T = TypeVar("T")
FLOAT = ("float", None)
DECIMAL = ("decimal", decimal.Decimal)


class Color(enum.Enum):
    """An enum of strings."""

    RED = "red"


@dataclass
class Cat:
    """Has the required member `meow`."""

    name: str
    meow: int


@dataclass
class Dog:
    """Has the required member `bark`."""

    name: str
    bark: int


@dataclass
class Name:
    """Has no member that a cat lacks."""

    name: str


@configure(tag=True)
@dataclass
class Circle:
    """Tagged with its name."""

    size: int


@configure(tag=True)
@dataclass
class Square:
    """Tagged with its name."""

    size: int


@configure(tag="Circle")
@dataclass
class Impostor:
    """Has the tag of another class."""

    size: int


@configure(tag=True, tag_field="kind")
@dataclass
class Elsewhere:
    """Has its tag in another member."""

    size: int


@configure(tag=7)
@dataclass
class Numbered:
    """Has a number as its tag."""

    size: int


class Put(TypedDict):
    """Has a Literal field."""

    op: Literal["put"]
    value: int


class Drop(TypedDict):
    """Has a Literal field of two values."""

    op: Literal["drop", "delete"]


@dataclass
class Move:
    """A dataclass with the same field."""

    op: Literal["move"]


@dataclass
class Box(Generic[T]):
    """A generic: one class, whatever its argument."""

    x: T


class Point(NamedTuple):
    """A named tuple."""

    x: int


class Money:
    """Encoded as str."""

    @classmethod
    def __snooze__(cls) -> Via:
        return Via(str, decode=lambda _: cls(), encode=lambda _: "1")


FINE = [
    (int | str | None, (NULL, INT, STR)),
    (int | float, (INT, FLOAT)),
    (float | int, (INT, FLOAT)),
    (float | decimal.Decimal, (FLOAT, DECIMAL)),
    (decimal.Decimal | int, (INT, DECIMAL)),
    (bool | int, (("bool", None), INT)),
    (Any | None, ("any",)),
    (object | int | str, ("any",)),
    (list[int] | dict[str, int], (("list", INT, None), ("dict", STR, INT, None))),
    (list[int] | Cat, (("list", INT, None), ("record", "Cat"))),
    (Point | Cat, (("array_record", "Point"), ("record", "Cat"))),
    (int | Annotated[int, "same"], INT),
    (datetime.date | int, (INT, ("date",))),
    (Color | int, (INT, ("strings", {"red": Color.RED}))),
    (Cat | Dog | None, (NULL, ("keyed", {"meow": "Cat", "bark": "Dog"}))),
    (Circle | Square, ("tagged", "type", {"Circle": "Circle", "Square": "Square"})),
    (
        Put | Drop | Move,
        (
            "tagged",
            "op",
            {"put": "Put", "drop": "Drop", "delete": "Drop", "move": "Move"},
        ),
    ),
]


@pytest.mark.parametrize(("tp", "expected"), FINE, ids=repr)
def test_unions(tp: Any, expected: Any) -> None:
    """Each kind of JSON has at most one rule."""
    assert reads(tp) == expected


def test_none_beside_types_that_accept_everything() -> None:
    """Raw and classes for dec_hook accept any JSON; null is still None."""

    class Own:
        def __init__(self, value: Any) -> None:
            self.value = value

    via, rule, function = reads(Raw | None)
    assert (via, rule) == ("via", ("raw", Raw))
    assert function(Raw(b"null")) is None
    assert function(Raw(b"[1]")) == Raw(b"[1]")
    assert snooze.decode(b"[null, 1]", list[Raw | None]) == [None, Raw(b"1")]
    found = snooze.decode(b"[null, 1]", list[Own | None], dec_hook=lambda t, v: t(v))
    assert (found[0], found[1].value) == (None, 1)


def union(*parts: str) -> str:
    """Return the text that refuses a union of two types."""
    one, two, words = parts
    return (
        f"the type: a union of {one} and {two} is ambiguous: both are {words} in JSON. "
        "Keep one of them, or try them in order with Annotated[…, FirstMatch()]"
    )


REFUSED = [
    (str | datetime.datetime, union("str", "datetime", "strings")),
    (str | uuid.UUID, union("str", "uuid", "strings")),
    (bytes | str, union("bytes", "str", "strings")),
    (str | decimal.Decimal, union("str", "Decimal", "strings")),
    (str | Color, union("str", "Color", "strings")),
    (str | Literal[Color.RED], union("str", "Color", "strings")),
    (pathlib.Path | str, union("Path", "str", "strings")),
    (Money | str, union("Money", "str", "strings")),
    (datetime.date | datetime.datetime, union("date", "datetime", "strings")),
    (list[int] | list[str], union("list", "list", "arrays")),
    (list[int] | set[int], union("list", "set", "arrays")),
    (tuple[int, int] | deque[int], union("tuple", "deque", "arrays")),
    (Point | list[int], union("Point", "list", "arrays")),
    (dict[str, int] | Cat, union("dict", "Cat", "objects")),
    (dict[str, int] | dict[int, int], union("dict", "dict", "objects")),
    (Any | datetime.date, union("any value", "date", "strings")),
    (float | Literal[3], union("float", "Literal[3]", "int")),
    (Annotated[int, Ge(0)] | float, union("int", "float", "int")),
    (decimal.Decimal | Annotated[float, Ge(0)], union("Decimal", "float", "float")),
    (Annotated[int, Ge(0)] | Annotated[int, Ge(5)], union("int", "int", "int")),
    (Annotated[str, MinLen(1)] | Literal[""], union("str", "Literal['']", "strings")),
    (
        Circle | Impostor,
        "the type: Circle and Impostor both have the tag 'Circle'; give one another with "
        "configure(tag=…)",
    ),
    (
        Circle | Elsewhere,
        "the type: Circle has its tag in 'type' and Elsewhere in 'kind'; give both the "
        "same configure(tag_field=…)",
    ),
    (Circle | Numbered, "the type: tags are all str or all int, not ['Circle', 7]"),
    (
        Name | Cat,
        "the type: a union of Name and Cat is ambiguous: Name has no required member that "
        "Cat lacks. Give both a tag with configure(tag=True), or a field of the same name "
        "with different Literal values",
    ),
    (
        Cat | Name | Dog,
        "the type: a union of Name and Cat is ambiguous: Name has no required member that "
        "Cat lacks. Give both a tag with configure(tag=True), or a field of the same name "
        "with different Literal values",
    ),
]


@pytest.mark.parametrize(("tp", "text"), REFUSED, ids=lambda x: repr(x)[:50])
def test_ambiguous_unions_are_refused(tp: Any, text: str) -> None:
    """When the plan is made; the message names both types and what to do."""
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(tp)
    assert str(caught.value) == text


def test_the_message_names_the_place() -> None:
    """Down to the field."""

    @dataclass
    class Holder:
        items: list[str | uuid.UUID]

    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Holder)
    assert str(caught.value).startswith(
        "test_the_message_names_the_place.Holder.items[…]: a union of str and uuid is ambiguous"
    )


def test_unions_are_decoded() -> None:
    """By kind, tag, Literal and members."""
    assert snooze.decode(b'[1, "a", null]', list[int | str | None]) == [1, "a", None]
    tp: Any = Circle | Square
    assert snooze.decode(b'{"size": 1, "type": "Square"}', tp) == Square(1)
    pets: Any = Cat | Dog
    assert snooze.decode(b'{"name": "x", "bark": 1}', pets) == Dog("x", 1)
    assert snooze.decode(b'{"op": "delete"}', Put | Drop) == {"op": "delete"}


ENCODED = [
    (Circle | Square, (("record", "Circle"), ("record", "Square"))),
    (str | datetime.datetime, (("str",), ("datetime",))),
    (str | Color, (("str",), ("members", Color, {Color.RED: b'"red"'}))),
    (
        list[int] | set[int],
        (("list", ("int",)), ("iterable", set, ("int",))),
    ),
    (int | float, (("int",), ("float",))),
    (Any | None, ("any",)),
    (int | slice, (("int",), ("any",))),
]


@pytest.mark.parametrize(("tp", "expected"), ENCODED, ids=repr)
def test_encoding_distinguishes_classes(tp: Any, expected: Any) -> None:
    """A union that is ambiguous in JSON need not be ambiguous in Python."""
    found = writes(tp)

    def named(rule: Any) -> Any:
        return ("record", rule[1].__name__) if rule[0] == "record" else rule

    assert (
        tuple(map(named, found)) if isinstance(found[0], tuple) else found
    ) == expected


@pytest.mark.parametrize(
    ("tp", "names"),
    [
        (list[int] | list[str], "list and list"),
        (dict[str, int] | Put, "dict and Put"),
        (tuple[int, str] | tuple[int, ...], "tuple and tuple"),
        (Box[int] | Box[str], "Box[int] and Box[str]"),
    ],
    ids=repr,
)
def test_unions_that_encoding_cannot_distinguish(tp: Any, names: str) -> None:
    """Refused: one Python class with two plans."""
    with pytest.raises(TypeError) as caught:
        encode_plan(tp)
    assert str(caught.value) == (
        f"the type: a union of {names} is ambiguous: nothing but their items tells them "
        "apart"
    )


def test_no_required_member_of_its_own() -> None:
    """Each of the three has a member that one other lacks, but none that both lack."""

    @dataclass
    class First:
        a: int
        b: int

    @dataclass
    class Second:
        b: int
        c: int

    @dataclass
    class Third:
        c: int
        a: int

    with pytest.raises(TypeError) as caught:
        snooze.Decoder(First | Second | Third)
    name = "test_no_required_member_of_its_own."
    assert str(caught.value).replace(name, "") == (
        "the type: a union of First, Second, Third is ambiguous: each required member "
        "of First is a member of Second or Third. Give each a tag with "
        "configure(tag=True), or a field of the same name with different Literal values"
    )
    assert snooze.decode(b'{"a":1,"b":2}', First | Second) == First(1, 2)
