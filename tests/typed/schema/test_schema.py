"""`schema(T)` describes what `Decoder(T)` accepts: both get the same documents.

Every type is tried on every document. Where JSON Schema cannot express what the Decoder
refuses (formats, functions, 1.0 for an int), only one direction holds: what the Decoder
accepts, the schema accepts.
"""

from __future__ import annotations

import datetime
import decimal
import ipaddress
import json
import typing
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import jsonschema
import pytest
import typing_extensions

import snooze
from helpers.typed_schema_types import (
    DIALECT,
    DOCUMENTS,
    EXACT,
    WIDER,
    Attrs,
    Box,
    Circle,
    Color,
    Drop,
    Extra,
    Level,
    Point,
    Put,
    Rest,
    Square,
    Strict,
    User,
)
from snooze import (
    Field,
    Ge,
    Gt,
    Len,
    Lt,
    MultipleOf,
    Raw,
    Via,
    schema,
)


def accepts(decoder: snooze.Decoder[Any], document: Any) -> bool:
    """Return whether a Decoder accepts a document."""
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
    """Return the schema without the dialect."""
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
                    "description": "A choice of colours.",
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
    """The exact schema."""
    assert inner(tp) == expected


def test_schema_of_a_record() -> None:
    """Title, description, defaults, references, required names."""
    found = inner(User)
    assert found["$ref"] == "#/$defs/User"
    assert found["$defs"]["User"] == {
        "title": "User",
        "description": "A user.\n\nWith a second paragraph.",
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
    """`Circle(size: int)`, which dataclass generates, is not a description."""
    assert "description" not in inner(Circle)["$defs"]["Circle"]
    assert "description" not in inner(Point)["$defs"]["Point"]
    assert inner(Attrs)["$defs"]["Attrs"]["description"] == "An attrs class."


def test_renames_aliases_and_unknown_members() -> None:
    """As `configure` says; the options are for classes without their own."""
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
            "done": {"readOnly": True},
        },
        "allOf": [{"anyOf": [{"required": ["firstName"]}, {"required": ["name"]}]}],
        "additionalProperties": False,
    }
    found = inner(Attrs, rename="upper", unknown="forbid")["$defs"]["Attrs"]
    assert list(found["properties"]) == ["NAME", "AGE"]
    assert found["additionalProperties"] is False
    assert inner(Rest)["$defs"]["Rest"]["additionalProperties"] == {"type": "boolean"}
    assert inner(Extra)["$defs"]["Extra"]["additionalProperties"] == {"type": "integer"}


@pytest.mark.parametrize("value", [Strict("a"), Rest(1, {"b": True})])
def test_members_that_are_only_written(value: Any) -> None:
    """Fields with init=False: a Decoder skips them, whatever they hold."""
    document = json.loads(snooze.encode(value))
    validator = jsonschema.Draft202012Validator(schema(type(value)))
    for done in (document["done"], "anything", [1]):
        document["done"] = done
        assert accepts(snooze.Decoder(type(value)), document)
        assert validator.is_valid(document)


def test_tagged_unions() -> None:
    """oneOf, with the tag as a required const."""
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
    """Generics include their arguments; two classes with one name are told apart."""
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


def test_constants_that_python_thinks_equal() -> None:
    """1 and True are different alternatives."""
    for tp in (Literal[1] | Literal[True], Literal[True] | Literal[1] | None):
        assert len(schema(tp)["anyOf"]) == len(typing.get_args(tp))
        validator = jsonschema.Draft202012Validator(schema(tp))
        for document in (1, True, 2, False):
            found = validator.is_valid(document)
            assert accepts(snooze.Decoder(tp), document) == found == (document == 1)


def test_extra_items_have_no_key_of_a_field() -> None:
    """A TypedDict has its own keys, whatever their names are in JSON."""
    items: dict[str, Any] = {"first_name": str, "b": Annotated[int, Field(name="c")]}
    made = typing_extensions.TypedDict("Renamed", items, extra_items=int)  # type: ignore[misc,call-arg]
    cls: Any = snooze.configure(rename="camel")(made)
    validator = jsonschema.Draft202012Validator(schema(cls))
    for more in ({}, {"z": 5}, {"first_name": 5}, {"b": 5}, {"z": "x"}):
        document = {"firstName": "a", "c": 1, **more}
        assert accepts(snooze.Decoder(cls), document) == validator.is_valid(document)
    assert validator.is_valid({"firstName": "a", "c": 1, "z": 5})


def test_defaults_have_the_form_of_their_type() -> None:
    """A value in another form is left out; None says what a missing member means."""
    moment = datetime.datetime(2026, 1, 2)
    aware, huge = moment.replace(tzinfo=datetime.UTC), Raw("[1e999]")

    @dataclass
    class Forms:
        a: Annotated[datetime.datetime, snooze.Format("unix")] = moment  # no offset
        b: Annotated[int, Via(str, decode=int)] = 5  # cannot be written
        c: decimal.Decimal = decimal.Decimal("NaN")
        d: str = 5  # type: ignore[assignment]
        e: Raw = huge
        f: Annotated[list[int], Via(str, decode=list, encode=len)] = field(
            default_factory=list
        )
        g: Annotated[list[int], Via(str, decode=list, encode=str)] = field(
            default_factory=list
        )
        h: int = None  # type: ignore[assignment]
        i: Color = "red"  # type: ignore[assignment]
        j: list[slice] = ()  # type: ignore[assignment]
        k: Annotated[datetime.datetime, snooze.Format("unix")] = aware

    found = schema(Forms)
    json.dumps(found, allow_nan=False)
    (record,) = [one for name, one in found["$defs"].items() if "Forms" in name]
    shown = {
        name: found["default"]
        for name, found in record["properties"].items()
        if "default" in found
    }
    assert shown == {"g": "[]", "h": None, "i": "red", "j": [], "k": 1767312000}


def test_types_that_a_decoder_refuses() -> None:
    """Refused with the same text; classes for dec_hook are accepted."""
    with pytest.raises(TypeError, match="a union of str and uuid is ambiguous"):
        schema(str | uuid.UUID)
    with pytest.raises(TypeError, match="is not defined"):
        schema("Nope")
    assert inner(slice) == {"title": "slice"}
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        schema(int, strict=False)  # type: ignore[call-arg]


def test_items_of_a_set_that_repeat() -> None:
    """They are not counted by the Decoder, so the schema has no upper bound."""
    tp = Annotated[set[int], snooze.Len(1, 2)]
    assert snooze.decode(b"[1,1,1,2]", tp) == {1, 2}
    schema = snooze.schema(tp)
    assert (schema["minItems"], schema.get("maxItems")) == (1, None)
    assert snooze.schema(Annotated[list[int], snooze.MaxLen(2)])["maxItems"] == 2


def test_references_are_uris() -> None:
    """RFC 3986 has no brackets in a fragment; a validator still finds the definition."""
    schema = snooze.schema(list[Box[int]])
    reference = schema["items"]["$ref"]
    assert reference == "#/$defs/Box%5Bint%5D"
    assert "Box[int]" in schema["$defs"]
    validator = jsonschema.Draft202012Validator(schema)
    good, bad = snooze.encode([Box(1)]), snooze.encode([Box("x")])
    assert validator.is_valid(json.loads(good))
    assert not validator.is_valid(json.loads(bad))


def test_unions_require_the_name_of_a_literal_with_an_alias() -> None:
    """Only its name tells the classes of a union apart."""

    @dataclass
    class First:
        k: Literal["a"]

    @dataclass
    class Second:
        k: Annotated[Literal["b"], Field(alias="kk")]

    schema = snooze.schema(First | Second)
    jsonschema.validate({"k": "b"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kk": "b"}, schema)
    with pytest.raises(snooze.ValidationError):
        snooze.decode(b'{"kk":"b"}', First | Second)
