"""`schema(T)` says what `Decoder(T)` accepts: both are asked about the same documents.

Every type here is held against every document, valid for it or not. Where JSON Schema has
no words for what the Decoder refuses (formats, functions, 1.0 that is no int), only one
direction holds: what the Decoder accepts, the schema accepts.
"""

# ruff: noqa: D101 - docstrings show in schemas, so that most classes here have none
from __future__ import annotations

import collections
import datetime
import decimal
import enum
import ipaddress
import json
import pathlib
import typing
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import attrs
import jsonschema
import numpy as np
import pytest
import typing_extensions

import snooze
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
    schema,
)

T = TypeVar("T")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Color(enum.Enum):
    """Colours that there are."""

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
    """Somebody.

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


@dataclass
class Rest:
    a: int
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
    """By attrs."""

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
#: Types whose schema has a format, which is an annotation, or a function behind it.
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


def accepts(decoder: snooze.Decoder[Any], document: Any) -> bool:
    """Whether a Decoder takes a document."""
    try:
        decoder.decode(json.dumps(document))
    except snooze.ValidationError:
        return False
    return True


@pytest.mark.parametrize("tp", EXACT + WIDER, ids=repr)
def test_schema_and_decoder_agree(tp: Any) -> None:
    """On every document."""
    decoder = snooze.Decoder(tp)
    written = schema(tp)
    json.dumps(written, allow_nan=False)
    jsonschema.Draft202012Validator.check_schema(written)
    validator = jsonschema.Draft202012Validator(written)
    taken = 0
    for document in DOCUMENTS:
        decoded, valid = accepts(decoder, document), validator.is_valid(document)
        taken += decoded
        if decoded or tp in EXACT:
            assert decoded == valid, (document, written)
    assert taken or tp is typing.Never
    assert taken < len(DOCUMENTS) or tp in {Any, object, Raw}


def inner(tp: Any, **options: Any) -> Any:
    """The schema without the dialect."""
    found = schema(tp, **options)
    assert found.pop("$schema") == DIALECT
    return found


SCHEMAS = [
    (Any, {}),
    (typing.Never, {"not": {}}),
    (int, {"type": "integer"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.timedelta, {"type": "string", "format": "duration"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    (ipaddress.IPv6Address, {"type": "string", "format": "ipv6"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (
        Annotated[bytes, Len(1, 4)],
        {"type": "string", "contentEncoding": "base64", "minLength": 4, "maxLength": 8},
    ),
    (
        Annotated[int, Ge(0), Lt(10), MultipleOf(2)],
        {"type": "integer", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 2},
    ),
    (
        Annotated[decimal.Decimal, Gt(decimal.Decimal("0.5"))],
        {
            "type": ["string", "number"],
            "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$",
            "exclusiveMinimum": 0.5,
        },
    ),
    (Literal["a"], {"const": "a"}),
    (Literal["a", 1], {"enum": ["a", 1]}),
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (
        tuple[int, str],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": False,
            "minItems": 2,
        },
    ),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (
        dict[int, Any],
        {"type": "object", "propertyNames": {"pattern": "^-?(0|[1-9][0-9]*)$"}},
    ),
    (
        Color,
        {
            "$ref": "#/$defs/Color",
            "$defs": {
                "Color": {
                    "title": "Color",
                    "description": "Colours that there are.",
                    "enum": ["red", "green"],
                }
            },
        },
    ),
    (
        Level,
        {
            "$ref": "#/$defs/Level",
            "$defs": {"Level": {"title": "Level", "enum": [1, 2]}},
        },
    ),
]


@pytest.mark.parametrize(("tp", "expected"), SCHEMAS, ids=repr)
def test_schemas(tp: Any, expected: Any) -> None:
    """Word for word."""
    assert inner(tp) == expected


def test_a_record() -> None:
    """Title, description, defaults, references, required names."""
    found = inner(User)
    assert found["$ref"] == "#/$defs/User"
    assert found["$defs"]["User"] == {
        "title": "User",
        "description": "Somebody.\n\nWith a second paragraph.",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer", "minimum": 0, "default": 0},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
            "color": {"$ref": "#/$defs/Color", "default": "red"},
            "friend": {
                "anyOf": [{"$ref": "#/$defs/User"}, {"type": "null"}],
                "default": None,
            },
        },
        "required": ["name"],
    }


def test_generated_docstrings_are_left_out() -> None:
    """`Circle(size: int)` describes nothing."""
    assert "description" not in inner(Circle)["$defs"]["Circle"]
    assert "description" not in inner(Point)["$defs"]["Point"]
    assert inner(Attrs)["$defs"]["Attrs"]["description"] == "By attrs."


def test_renames_aliases_and_unknown_members() -> None:
    """As `configure` says; options are for classes that do not say."""
    assert inner(Strict)["$defs"]["Strict"] == {
        "title": "Strict",
        "type": "object",
        "properties": {
            "firstName": {"type": "string"},
            "name": {"type": "string"},
            "lastName": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": None,
            },
        },
        "allOf": [{"anyOf": [{"required": ["firstName"]}, {"required": ["name"]}]}],
        "additionalProperties": False,
    }
    found = inner(Attrs, rename="upper", unknown="forbid")["$defs"]["Attrs"]
    assert list(found["properties"]) == ["NAME", "AGE"]
    assert found["additionalProperties"] is False
    assert inner(Rest)["$defs"]["Rest"]["additionalProperties"] == {"type": "boolean"}
    assert inner(Extra)["$defs"]["Extra"]["additionalProperties"] == {"type": "integer"}


def test_tagged_unions() -> None:
    """oneOf, with the tag as const and required."""
    found = inner(Circle | Square)
    assert found["oneOf"] == [
        {"$ref": "#/$defs/Circle", "required": ["type"]},
        {"$ref": "#/$defs/Square", "required": ["type"]},
    ]
    assert found["discriminator"] == {
        "propertyName": "type",
        "mapping": {"Circle": "#/$defs/Circle", "Square": "#/$defs/Square"},
    }
    assert found["$defs"]["Circle"]["properties"]["type"] == {"const": "Circle"}
    found = inner(Put | Drop)
    assert found["discriminator"]["mapping"] == {
        "put": "#/$defs/Put",
        "drop": "#/$defs/Drop",
        "delete": "#/$defs/Drop",
    }


def test_names_of_definitions() -> None:
    """Generics have their arguments; two classes of one name are told apart."""
    found = inner(Box[int])
    assert list(found["$defs"]) == ["Box[int]"]

    def make(name: str) -> Any:
        made = type(
            "Same", (), {"__annotations__": {name: int}, "__module__": "elsewhere"}
        )
        made.__qualname__ = "Same"
        return dataclass(made)

    tp = tuple[make("a"), make("b"), make("c")]
    found = inner(tp)
    assert sorted(found["$defs"]) == ["Same", "elsewhere.Same", "elsewhere.Same-2"]
    validator = jsonschema.Draft202012Validator(schema(tp))
    assert validator.is_valid([{"a": 1}, {"b": 1}, {"c": 1}])
    assert not validator.is_valid([{"b": 1}, {"a": 1}, {"c": 1}])


def test_defaults() -> None:
    """In JSON where that is certain, otherwise left out."""

    @dataclass
    class Defaults:
        a: Any = Color.RED
        b: Any = decimal.Decimal("1.50")
        c: Any = datetime.date(2026, 1, 2)
        d: Any = (1, (None, "x"))
        e: Any = float("nan")
        f: Any = frozenset()
        g: Any = int
        h: dict[str, int] = field(default_factory=dict)
        i: list[int] = field(default_factory=lambda: [1])
        j: Any = (1, int)

    (record,) = inner(Defaults)["$defs"].values()
    shown = {
        name: found["default"]
        for name, found in record["properties"].items()
        if "default" in found
    }
    assert shown == {
        "a": "red",
        "b": "1.50",
        "c": "2026-01-02",
        "d": [1, [None, "x"]],
        "f": [],
        "h": {},
    }


def test_what_a_decoder_refuses_has_no_schema() -> None:
    """With the same words; classes for dec_hook are taken as they are."""
    with pytest.raises(TypeError, match="a union of str and uuid is ambiguous"):
        schema(str | uuid.UUID)
    with pytest.raises(TypeError, match="is not defined"):
        schema("Nope")
    assert inner(complex) == {"title": "complex"}
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        schema(int, strict=False)  # type: ignore[call-arg]
