"""Types and documents for test_schema.py, which tries every type on every document.

Separate because there are many. For the `EXACT` types schema and Decoder accept the same
documents; the schema of a `WIDER` type cannot express all that the Decoder refuses.
"""

# ruff: noqa: D101 - docstrings show in schemas, so most classes here have none
from __future__ import annotations

import collections
import datetime
import decimal
import enum
import ipaddress
import pathlib
import typing
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import attrs
import numpy as np
import typing_extensions

from snooze import (
    Field,
    Ge,
    Gt,
    Le,
    Len,
    Lt,
    MaxLen,
    MinLen,
    MultipleOf,
    Pattern,
    Raw,
    Via,
    configure,
)

T = TypeVar("T")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Color(enum.Enum):
    """A choice of colours."""

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Open(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> Open | None:
        return cls.A if value == "red" else None


@dataclass
class User:
    """A user.

    With a second paragraph.
    """

    name: str
    age: Annotated[int, Ge(0)] = 0
    tags: list[str] = field(default_factory=list)
    color: Color = Color.RED
    friend: User | None = None


@configure(rename="camel", unknown="forbid")
@dataclass
class Strict:
    first_name: Annotated[str, Field(alias="name")]
    last_name: str | None = None
    hidden: Annotated[int, Field(exclude=True)] = 0
    done: bool = field(init=False, default=False)


@dataclass
class Rest:
    a: int
    done: int = field(init=False, default=7)
    rest: Annotated[dict[str, bool], Field(rest=True)] = field(default_factory=dict)


@configure(tag=True)
@dataclass
class Circle:
    size: int


@configure(tag=True, unknown="forbid")
@dataclass
class Square:
    size: int


class Put(TypedDict):
    op: Literal["put"]
    value: int


class Drop(TypedDict):
    op: Literal["drop", "delete"]


class Left(TypedDict):
    left: int


class Right(TypedDict):
    right: int


class Partial(TypedDict, total=False):
    a: typing.Required[int]
    b: str


class Closed(typing_extensions.TypedDict, closed=True):
    a: int


class Extra(typing_extensions.TypedDict, extra_items=int):
    name: str


class Point(NamedTuple):
    x: int
    y: int = 0


@configure(array_like=True)
@dataclass
class Row:
    a: int
    b: str
    c: bool = True


@attrs.define
class Attrs:
    """An attrs class."""

    name: str
    age: int = 0


@dataclass
class Box(Generic[T]):
    x: T


class Money:
    @classmethod
    def __snooze__(cls) -> Via:
        return Via(Annotated[int, Ge(0)], decode=lambda _: cls(), encode=lambda _: 0)


class Tree:
    @classmethod
    def __snooze__(cls) -> Via:
        return Via(dict[str, cls], decode=lambda _: cls(), encode=lambda _: {})


Json = typing_extensions.TypeAliasType("Json", "list[Json] | dict[str, Json] | int")
Loop = typing_extensions.TypeAliasType("Loop", "tuple[int, Loop] | None")

EXACT: list[Any] = [
    Any,
    object,
    None,
    bool,
    int,
    float,
    str,
    decimal.Decimal,
    typing.Never,
    Raw,
    Annotated[int, Ge(1)],
    Annotated[int, Gt(1), Lt(4)],
    Annotated[int, MultipleOf(2)],
    Annotated[int, Le(2**70)],
    Annotated[float, Gt(0.5), Le(2.5)],
    Annotated[float, MultipleOf(0.5)],
    Annotated[str, Len(1, 3)],
    Annotated[str, MinLen(4)],
    Annotated[str, Pattern("^[a-c]+$")],
    Color,
    Level,
    Literal["red", "a", 1, None],
    Literal[True],
    Literal[1],
    Literal[Color.RED],
    int | None,
    int | str | None,
    bool | Literal["a"],
    int | float,
    list,
    list[int],
    list[int | None],
    Annotated[list[int], Len(1, 2)],
    set[int],
    frozenset[str],
    collections.deque[int],
    tuple,
    tuple[int, ...],
    tuple[int, str],
    tuple[()],
    dict,
    dict[str, int],
    dict[str, Any],
    Annotated[dict[str, Any], MinLen(2)],
    dict[Color, int],
    dict[Level, int],
    dict[int, Any],
    dict[Annotated[str, MaxLen(1)], Any],
    dict[Literal["a", "b"], int],
    dict[bool | None, Any],
    collections.Counter[str],
    typing.Mapping[str, bool],
    User,
    User | None,
    list[User],
    Strict,
    Rest,
    Circle,
    Square,
    Circle | Square,
    Circle | Square | int,
    Put,
    Put | Drop,
    Left | Right,
    Partial,
    Closed,
    Extra,
    Point,
    Row,
    Attrs,
    Box[int],
    Box[Box[int]],
    Money,
    Tree,
    Json,
    Loop,
    Point | User,
]
#: Types whose schema has a format, which is only an annotation, or that run a function.
WIDER: list[Any] = [
    datetime.datetime,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    uuid.UUID,
    bytes,
    Annotated[bytes, Len(1, 3)],
    pathlib.Path,
    ipaddress.IPv4Address,
    Open,
    dict[uuid.UUID, int],
    Annotated[str, type("Predicate", (), {"func": str.islower})()],
    Annotated[decimal.Decimal, Ge(1)],
    np.ndarray,
    np.ndarray[Any, np.dtype[np.float64]],
    np.ndarray[Any, np.dtype[np.int8]],
    np.ndarray[Any, np.dtype[np.bool_]],
]

DOCUMENTS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    2,
    3,
    -1,
    2**64,
    2**71,
    0.5,
    1.5,
    2.5,
    -0.25,
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "red",
    "RED",
    "1",
    "1.50",
    "-3e5",
    "é€\U0001f600",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "03:04:05",
    "PT1S",
    "12345678-1234-5678-1234-567812345678",
    "AAAA",
    "AAAAAAAA",
    "1.2.3.4",
    [],
    [1],
    [1, 1],
    [1, 2, 3],
    [1, "a"],
    [1, "a", True],
    [1, "a", True, 4],
    [None],
    ["a", "a"],
    [[]],
    [[1], [{}]],
    [1, [2, None]],
    [1, None],
    {},
    {"a": 1},
    {"a": "x"},
    {"a": 1, "b": "x"},
    {"a": 1, "b": True},
    {"a": 1, "z": None},
    {"a": {"b": {}}},
    {"1": 1},
    {"1": 1, "2": 2},
    {"red": 1},
    {"true": 1, "null": 2},
    {"x": 1},
    {"x": {"x": 1}},
    {"x": 1, "y": 2},
    {"name": "x"},
    {"name": "x", "n": 1},
    {"name": "x", "age": 3},
    {"name": "x", "age": -3},
    {"name": "x", "age": None},
    {"name": "x", "tags": ["a"], "color": "green", "friend": {"name": "y"}},
    {"name": "x", "tags": [1]},
    {"name": "x", "color": "blue"},
    {"name": "x", "friend": {"age": 1}},
    [{"name": "x"}],
    [{"name": "x"}, {}],
    {"firstName": "x"},
    {"firstName": "x", "lastName": None},
    {"firstName": "x", "last_name": "y"},
    {"firstName": "x", "name": "y"},
    {"firstName": "x", "hidden": 1},
    {"lastName": "x"},
    {"size": 1},
    {"size": 1, "type": "Circle"},
    {"size": 1, "type": "Square"},
    {"size": 1, "type": "Square", "more": 1},
    {"size": 1, "type": "Circle", "more": 1},
    {"size": 1, "type": "Triangle"},
    {"type": "Circle"},
    {"op": "put", "value": 1},
    {"op": "put"},
    {"op": "drop"},
    {"op": "delete", "value": "x"},
    {"op": "keep"},
    {"value": 1},
    {"left": 1},
    {"right": 1},
    {"left": "x"},
    {"12345678-1234-5678-1234-567812345678": 1},
]
