"""pydantic models as types: validated and written by pydantic itself."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import jsonschema
import pytest

import snooze
from snooze import decode, encode

if TYPE_CHECKING:
    import pydantic
else:
    pydantic = pytest.importorskip("pydantic")


class Address(pydantic.BaseModel):
    """A model inside another."""

    street: str


class Person(pydantic.BaseModel):
    """An alias, a validator and a forbidden rest."""

    model_config = pydantic.ConfigDict(extra="forbid")
    person_id: int = pydantic.Field(alias="personId", gt=0)
    address: Address | None = None

    @pydantic.field_validator("person_id")
    @classmethod
    def even(cls, value: int) -> int:
        """Refuse odd numbers."""
        if value % 2:
            raise ValueError("odd")
        return value


class Numbers(pydantic.RootModel[list[int]]):
    """A model that is an array."""


class Employee(Person):
    """A subclass."""

    office: str = "A"


@dataclass
class Team:
    """Models in a dataclass."""

    lead: Person | None
    numbers: Numbers
    members: list[Person] = field(default_factory=list)


TEXT = (
    b'{"lead":{"personId":2,"address":{"street":"x"}},"numbers":[1,2],'
    b'"members":[{"personId":4,"address":null}]}'
)


def test_both_directions() -> None:
    """By alias, so that the document can be read again."""
    team = decode(TEXT, Team)
    assert team.lead == Person(personId=2, address=Address(street="x"))
    assert (team.numbers, team.members) == (Numbers([1, 2]), [Person(personId=4)])
    assert encode(team) == encode(team, Team) == TEXT
    assert encode(Person(personId=2)) == b'{"personId":2,"address":null}'
    assert decode(b"[1]", Numbers) == Numbers([1])


def test_options_of_an_encoder() -> None:
    """They reach into models."""
    person = Person(personId=2)
    assert encode(person, sort_keys=True) == b'{"address":null,"personId":2}'
    assert encode([person], indent=2) == (
        b'[\n  {\n    "personId": 2,\n    "address": null\n  }\n]'
    )
    staff = Team(Employee(personId=2), Numbers([]))
    assert b'"office":"A"' in encode(staff)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"lead":{"personId":3},"numbers":[]}',
            r"^expected Person or null, found object at \$\.lead .*: "
            "personId: Value error, odd$",
        ),
        (
            '{"lead":{"personId":"x","q":1},"numbers":[]}',
            r": personId: Input should be a valid integer, .* \(and 1 more\)$",
        ),
        ('{"lead":[1],"numbers":[]}', r"expected Person or null, found array at"),
        (
            '{"lead":null,"numbers":["a"]}',
            r"expected Numbers, found array .*: 0: Input",
        ),
        ('{"lead":{"personId":2},"numbers":[]', "^unexpected end"),
    ],
)
def test_wrong_documents(text: str, message: str) -> None:
    """The first problem that pydantic finds, in one line."""
    with pytest.raises(snooze.JSONDecodeError, match=message):
        decode(text, Team)


def test_the_schema() -> None:
    """That of pydantic, with its classes beside it."""
    schema: dict[str, Any] = snooze.schema(Team)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(TEXT), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"lead": {"personId": 0}, "numbers": []}, schema)
    with pytest.raises(jsonschema.ValidationError):
        wrong = {"personId": 2, "address": {"street": 5}}
        jsonschema.validate({"lead": wrong, "numbers": []}, schema)
    (root,), classes = snooze.schema_components([Person])
    assert root == {"$ref": "#/components/schemas/Person"}
    assert classes["Person"]["properties"]["address"]["anyOf"][0] == {
        "$ref": "#/components/schemas/Person/$defs/Address"
    }


T = TypeVar("T")


class Generated(pydantic.BaseModel, Generic[T]):
    """A generic model."""

    x: T


@dataclass
class Box(Generic[T]):
    """A generic class with a generic model."""

    inner: Generated[T]


class Own(pydantic.BaseModel):
    """A model with a wire type of its own."""

    x: int

    @classmethod
    def __snooze__(cls) -> snooze.Via:
        """Stand for its number."""
        return snooze.Via(int, decode=lambda x: cls(x=x), encode=lambda own: own.x)


class Blob(pydantic.BaseModel):
    """A value that may have no JSON form."""

    content: bytes


class Loose(pydantic.BaseModel):
    """Any value."""

    x: Any


def test_type_arguments() -> None:
    """Those of a generic class reach the models in it."""
    assert decode(b'{"inner":{"x":5}}', Box[int]).inner.x == 5
    with pytest.raises(snooze.ValidationError, match="x: Input should be a valid int"):
        decode(b'{"inner":{"x":"q"}}', Box[int])


def test_other_descriptions_of_a_model() -> None:
    """`__snooze__` comes first; `configure` would have no effect."""
    assert (encode(Own(x=1)), decode(b"1", Own)) == (b"1", Own(x=1))

    class Renamed(pydantic.BaseModel):
        x: int

    with pytest.raises(TypeError, match="no effect on the pydantic model Renamed"):
        snooze.Decoder(snooze.configure(rename="upper")(Renamed))
    with pytest.raises(TypeError, match="cannot constrain this type"):
        snooze.Decoder(Annotated[Address, snooze.Ge(1)])


def test_values_that_pydantic_cannot_write() -> None:
    """Errors of encoding, with the path."""
    cyclic = Loose(x=1)
    cyclic.x = cyclic
    for value in (Blob(content=b"\xff"), Loose(x=object()), cyclic):
        with pytest.raises(snooze.JSONEncodeError, match=r" at \$\[0\]$"):
            encode([value])


def test_models_that_are_not_defined() -> None:
    """Refused when the codec is made."""

    class Forward(pydantic.BaseModel):
        x: NotDefined  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(TypeError, match="Forward is not fully defined: name 'NotDef"):
        snooze.Decoder(Forward)
    with pytest.raises(TypeError, match="BaseModel is not a type that snooze knows"):
        snooze.Decoder(pydantic.BaseModel)

    class NoSchema(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        x: slice

    with pytest.raises(
        TypeError, match="^the pydantic model NoSchema has no JSON Schema"
    ):
        snooze.schema(NoSchema)


class Place(pydantic.BaseModel):
    """An object in JSON."""

    x: int


class Integers(pydantic.RootModel[list[int]]):
    """An array in JSON."""


@pytest.mark.parametrize(
    ("tp", "values"),
    [
        (
            Place | None,
            [(None, None), ({"x": 1}, Place(x=1)), (Place(x=2), Place(x=2))],
        ),
        (Place | int, [(3, 3), ({"x": 1}, Place(x=1))]),
        (Place | str | list[int], [("a", "a"), ([1], [1]), ({"x": 1}, Place(x=1))]),
        (list[Place | None], [([None, {"x": 1}], [None, Place(x=1)])]),
        (Integers | None, [(None, None), ([1], Integers([1]))]),
        (Place, [({"x": 1}, Place(x=1))]),
    ],
)
def test_unions_convert_as_they_decode(tp: Any, values: list[tuple[Any, Any]]) -> None:
    for value, expected in values:
        assert snooze.convert(value, tp) == expected
        assert snooze.decode(snooze.encode(value), tp) == expected
    with pytest.raises(snooze.ValidationError, match="valid integer"):
        snooze.convert({"x": "y"}, Place | None)


def test_objects_with_attributes_in_unions() -> None:
    class Other:
        x = 3

    assert snooze.convert(Other(), Place | None, from_attributes=True) == Place(x=3)
