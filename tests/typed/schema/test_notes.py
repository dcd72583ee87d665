"""Titles, descriptions and so on in a schema, and `schema_components`."""

from __future__ import annotations

import datetime as dt
import enum
import json
import pickle
import re
import sys
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from typing_extensions import Doc, deprecated

import snooze
from snooze import Format, Ge, Meta, Via, configure, schema, schema_components


@configure(
    meta=Meta(
        title="Shop order",
        examples=[{"id": 1, "at": dt.date(2026, 11, 23)}],
        deprecated=True,
        json_schema_extra={"x-owner": ["sales"]},
    )
)
@dataclass
class Order:
    """What a customer wants."""

    id: Annotated[int, Ge(1), Meta(description="unique", examples=[1, 2])]
    at: Annotated[dt.date, Doc("the day")] = dt.date(2026, 1, 1)
    tags: list[Annotated[str, Meta(title="Tag")]] = field(default_factory=list)
    next: Annotated[Order | None, Meta(description="the next one")] = None


class Sub(Order):
    """A subclass."""


def without_dialect(found: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without its first keyword."""
    del found["$schema"]
    return found


def test_notes_of_classes_and_fields() -> None:
    """They are added; the rules stay as they are."""
    found = schema(Order)["$defs"]["Order"]
    assert {key: value for key, value in found.items() if key != "properties"} == {
        "title": "Shop order",
        "description": "What a customer wants.",
        "examples": [{"id": 1, "at": "2026-11-23"}],
        "deprecated": True,
        "x-owner": ["sales"],
        "type": "object",
        "required": ["id"],
    }
    assert found["properties"] == {
        "id": {
            "type": "integer",
            "minimum": 1,
            "description": "unique",
            "examples": [1, 2],
        },
        "at": {
            "type": "string",
            "format": "date",
            "default": "2026-01-01",
            "description": "the day",
        },
        "tags": {
            "type": "array",
            "items": {"type": "string", "title": "Tag"},
            "default": [],
        },
        "next": {
            "anyOf": [{"$ref": "#/$defs/Order"}, {"type": "null"}],
            "default": None,
            "description": "the next one",
        },
    }
    jsonschema.Draft202012Validator.check_schema(schema(Order))
    json.dumps(schema(Order))


def test_notes_change_nothing_else() -> None:
    """Codecs do not see them."""
    order = snooze.decode(b'{"id":1,"tags":["a"]}', Order)
    assert snooze.decode(snooze.encode(order), Order) == order
    with pytest.raises(snooze.ValidationError, match=r"expected int >= 1, found 0"):
        snooze.decode(b'{"id":0}', Order)
    union = Annotated[int, Meta(title="x")] | Annotated[str, Meta(title="y")]
    assert snooze.decode(b'[1,"a"]', list[union]) == [1, "a"]


def test_classes_do_not_inherit_notes() -> None:
    """A subclass has its own name and docstring."""
    found = schema(Sub)["$defs"]["Sub"]
    assert found["title"] == "Sub"
    assert found["description"] == "A subclass."
    assert "deprecated" not in found

    @deprecated("use Order")
    @dataclass
    class Old:
        pass

    with pytest.warns(DeprecationWarning, match="use Order"):

        @dataclass
        class New(Old):
            pass

    assert schema(Old)["$defs"][next(iter(schema(Old)["$defs"]))]["deprecated"] is True
    assert "deprecated" not in next(iter(schema(New)["$defs"].values()))


def test_notes_of_other_packages() -> None:
    """Those of msgspec and pydantic mean the same."""
    msgspec: Any = pytest.importorskip("msgspec")
    pydantic: Any = pytest.importorskip("pydantic")
    expected = {
        "type": "integer",
        "title": "T",
        "description": "D",
        "examples": [1],
        "x-a": 1,
    }
    extra: dict[str, Any] = {"x-a": 1}
    for metadata in (
        Meta(title="T", description="D", examples=[1], json_schema_extra=extra),
        msgspec.Meta(title="T", description="D", examples=[1], extra_json_schema=extra),
        pydantic.Field(
            title="T", description="D", examples=[1], json_schema_extra=extra
        ),
    ):
        assert without_dialect(schema(Annotated[int, metadata])) == expected
    old = pydantic.Field(deprecated="use another")
    assert schema(Annotated[int, old])["deprecated"] is True


def test_the_last_note_counts() -> None:
    """Of several; a keyword that only one gives stays."""
    inner = Annotated[int, Meta(title="a", description="b")]
    found = schema(Annotated[inner, Meta(title="c")])
    assert (found["title"], found["description"]) == ("c", "b")
    replaced = Meta(json_schema_extra={"type": "number", "format": "int64"})
    assert without_dialect(schema(Annotated[int, replaced])) == {
        "type": "number",
        "format": "int64",
    }


MOMENT = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


@dataclass
class Shown:
    """Values of types with another form in JSON."""

    at: Annotated[dt.datetime, Format("unix"), Meta(examples=[MOMENT])] = MOMENT
    raw: Annotated[bytes, Meta(examples=[b"x"])] = b"x"
    count: Annotated[int, Via(str, decode=int, encode=str), Meta(examples=[5])] = 5
    pattern: re.Pattern[str] = re.compile("x", re.IGNORECASE)  # has no text


def test_values_are_shown_as_they_are_written() -> None:
    """Examples and defaults, in the form of their type."""
    properties = schema(Shown)["$defs"]["Shown"]["properties"]
    for name, value in (("at", 1577836800), ("raw", "eA=="), ("count", "5")):
        found = properties[name]
        assert (found["examples"], found["default"]) == ([value], value)
    assert "default" not in properties["pattern"]

    def broken(_: object) -> str:
        raise KeyError("no")

    via = Annotated[int, Via(str, decode=int, encode=broken), Meta(examples=[1])]
    with pytest.raises(TypeError, match="examples: 1 has no JSON form"):
        schema(via)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="field(doc=…) came with 3.14")
def test_docs_of_dataclass_fields() -> None:
    """They are descriptions; metadata in the annotation comes first."""
    options: dict[str, Any] = {"doc": "how many"}

    @dataclass
    class Counted:
        count: int = field(**options)
        other: Annotated[int, Meta(description="another")] = field(**options)

    (found,) = schema(Counted)["$defs"].values()
    assert found["properties"]["count"]["description"] == "how many"
    assert found["properties"]["other"]["description"] == "another"


def test_notes_of_alternatives() -> None:
    """Those of classes that a discriminator tells apart, too."""

    @dataclass
    class One:
        kind: Literal["a"]

    @dataclass
    class Two:
        kind: Literal["b"]

    tp = Annotated[One, Meta(title="first")] | Annotated[Two, Meta(title="second")]
    assert [one["title"] for one in schema(tp)["oneOf"]] == ["first", "second"]


def test_notes_that_python_thinks_equal() -> None:
    """1 and True are different examples."""
    for value in (1, True):
        found = schema(Annotated[int | bool, Meta(examples=[value])])
        assert found["examples"][0] is value
    both = Annotated[
        int, Meta(json_schema_extra={"x": 1}), Meta(json_schema_extra={"y": 2})
    ]
    assert schema(both).items() >= {"x": 1, "y": 2}.items()


def test_notes_that_are_functions() -> None:
    """Refused, because they would have no effect."""
    pydantic: Any = pytest.importorskip("pydantic")
    noted: Any = Annotated[int, pydantic.Field(json_schema_extra=lambda _: None)]
    with pytest.raises(TypeError, match="^the type: .* with a function has no effect"):
        schema(noted)


def test_notes_in_recursive_wire_types() -> None:
    """They do not hide the recursion."""

    class Node:
        @classmethod
        def __snooze__(cls) -> Via:
            wire = Annotated[list[cls], Doc("children")]  # type: ignore[valid-type]
            return Via(wire, decode=lambda _: cls(), encode=lambda _: [])

    (found,) = schema(Node)["$defs"].values()
    assert found["description"] == "children"


def test_one_definition_for_each_form_of_an_enum() -> None:
    """Every use refers to it."""

    @deprecated("use another")
    class Level(enum.Enum):
        LOW = 1

    named = Annotated[Level, Format("name")]
    roots, classes = schema_components([Level, list[Level], named, list[named]])
    assert len(classes) == 2
    assert roots[1]["items"] == roots[0] != roots[2] == roots[3]["items"]
    assert all(one["deprecated"] for one in classes.values())


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"title": 1}, "^Meta: title needs a str, not 1$"),
    ({"description": b"x"}, "^Meta: description needs a str"),
    ({"examples": "abc"}, "^Meta: examples needs a list of values, not 'abc'$"),
    ({"deprecated": 1}, "^Meta: deprecated needs True or False, not 1$"),
    ({"json_schema_extra": [1]}, "^Meta: json_schema_extra needs a dict"),
    ({"json_schema_extra": {1: 2}}, "^Meta: json_schema_extra needs a dict"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_notes(options: dict[str, Any], message: str) -> None:
    """Refused when they are made."""
    with pytest.raises(TypeError, match=message):
        Meta(**options)


def test_notes_without_json_form() -> None:
    """Refused with the field, when the schema is made."""

    @dataclass
    class Odd:
        x: Annotated[int, Meta(examples=[object()])]

    with pytest.raises(TypeError, match=r"Odd\.x: examples: <object .* no JSON form"):
        schema(Odd)
    with pytest.raises(TypeError, match=r"json_schema_extra\['x-a'\]: .* no JSON form"):
        schema(Annotated[int, Meta(json_schema_extra={"x-a": {1}})])
    with pytest.raises(TypeError, match="^configure: meta needs a snooze.Meta, not 5$"):
        configure(meta=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"write Meta\(…\), with parentheses"):
        schema(Annotated[int, Meta])


def test_meta_is_a_value() -> None:
    """Compared, hashed and pickled, with any examples."""
    one = Meta(title="a", examples=[[1]], json_schema_extra={"a": []})
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(one) == hash(
        Meta(title="a", examples=[[1]], json_schema_extra={"a": []})
    )
    assert one != Meta(title="a")


@dataclass
class Pet:
    """A class that two types share."""

    name: str
    owner: Owner | None = None


@dataclass
class Owner:
    """A class inside it."""

    pets: list[Pet]


def test_components() -> None:
    """One dict of classes for several types, with references into an OpenAPI document."""
    roots, components = schema_components([Pet, list[Owner], int])
    assert roots == [
        {"$ref": "#/components/schemas/Pet"},
        {"type": "array", "items": {"$ref": "#/components/schemas/Owner"}},
        {"type": "integer"},
    ]
    assert list(components) == ["Owner", "Pet"]
    assert components["Owner"]["properties"]["pets"]["items"] == roots[0]
    assert all("$schema" not in one for one in (*roots, *components.values()))
    roots, components = schema_components(
        (Pet,), ref_template="other.json#/{name}", rename="upper", unknown="forbid"
    )
    assert roots == [{"$ref": "other.json#/Pet"}]
    assert set(components["Pet"]["properties"]) == {"NAME", "OWNER"}
    assert components["Pet"]["additionalProperties"] is False
    assert schema_components([]) == ([], {})
    for template in ("#/x", 5):
        with pytest.raises(ValueError, match=r"ref_template needs a str that contains"):
            schema_components([Pet], ref_template=template)  # type: ignore[arg-type]


def test_discriminators_of_components() -> None:
    """The mapping refers to the same places."""

    @configure(tag="a")
    @dataclass
    class A:
        pass

    @configure(tag="b")
    @dataclass
    class B:
        pass

    (root,), _ = schema_components([A | B], ref_template="#/x/{name}")
    assert all(
        one.startswith("#/x/") for one in root["discriminator"]["mapping"].values()
    )


def test_names_of_components_are_those_that_openapi_allows() -> None:
    """Other characters become `_`; two such names stay two."""
    first = make_dataclass("Zoë", [("a", int)])
    second = make_dataclass("Zo_", [("b", int)])
    roots, classes = schema_components([first, second])
    assert all(re.fullmatch("[a-zA-Z0-9._-]+", name) for name in classes)
    found = [classes[root["$ref"].rpartition("/")[2]] for root in roots]
    assert [list(one["properties"]) for one in found] == [["a"], ["b"]]
    assert len(classes) == 2
    # A JSON Schema by itself keeps the names.
    assert any("Zoë" in name for name in schema(list[first])["$defs"])


def test_components_that_are_documents_of_their_own() -> None:
    """References of a pydantic model lead into its document, not beside it."""
    pydantic: Any = pytest.importorskip("pydantic")
    inner = pydantic.create_model("Inner", x=(int, ...))
    outer = pydantic.create_model("Outer", inner=(inner, ...))
    (root,), classes = schema_components([outer], ref_template="{name}.json")
    assert root == {"$ref": "Outer.json"}
    reference = classes["Outer"]["properties"]["inner"]["$ref"]
    assert reference == "Outer.json#/$defs/Inner"
    assert "Inner" in classes["Outer"]["$defs"]
