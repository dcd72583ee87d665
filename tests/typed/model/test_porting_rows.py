"""Rows of docs/porting.md for users of pydantic: both sides do the same.

Separate from test_pydantic_models, which decodes models themselves. Each case has the
type of either library and documents; both must accept the same ones and make the same
values, and the text that both write must be the same JSON.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

import pytest

import snooze
from snooze import (
    Aware,
    Field,
    FirstMatch,
    Ge,
    Gt,
    Le,
    Len,
    Naive,
    Pattern,
    UnsetType,
    Via,
    configure,
)

pydantic = pytest.importorskip("pydantic")
generators = pytest.importorskip("pydantic.alias_generators")

NO = object()  # refused


def plain(value: Any) -> Any:
    """Return dicts in place of models and instances."""
    if isinstance(value, pydantic.BaseModel):
        return value.model_dump()
    if is_dataclass(value):
        return asdict(value)  # type: ignore[arg-type]
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def by_pydantic(tp: Any, text: str) -> Any:
    """Return the value, or NO."""
    try:
        return plain(pydantic.TypeAdapter(tp).validate_json(text))
    except pydantic.ValidationError:
        return NO


def by_snooze(tp: Any, text: str) -> Any:
    """Return the value, or NO."""
    try:
        return plain(snooze.decode(text, tp))
    except snooze.ValidationError:
        return NO


class Numbers(pydantic.RootModel[list[int]]):
    """A model that is a list."""


class Camel(pydantic.BaseModel):
    """`alias_generator=to_camel` and `extra="forbid"`."""

    model_config = pydantic.ConfigDict(
        alias_generator=generators.to_camel, extra="forbid"
    )
    first_name: str
    last_name: str = "?"


@configure(rename="camel", unknown="forbid")
@dataclass
class OurCamel:
    """The same."""

    first_name: str
    last_name: str = "?"


class Named(pydantic.BaseModel):
    """Aliases, one excluded field, one private."""

    key: int = pydantic.Field(alias="ID")
    size: int = pydantic.Field(
        default=0, validation_alias=pydantic.AliasChoices("size", "length")
    )


@dataclass
class OurNamed:
    """The same."""

    key: Annotated[int, Field(name="ID")]
    size: Annotated[int, Field(alias=("length",))] = 0


class Allowing(pydantic.BaseModel):
    """`extra="allow"`."""

    model_config = pydantic.ConfigDict(extra="allow")
    x: int


@dataclass
class OurAllowing:
    """The same, in a field."""

    x: int
    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


class Cat(pydantic.BaseModel):
    """One class of a union."""

    kind: Literal["cat"] = "cat"
    lives: int


class Dog(pydantic.BaseModel):
    """Another one."""

    kind: Literal["dog"] = "dog"
    legs: int


@dataclass
class OurCat:
    """The same, with the fields in an order that dataclasses allow."""

    lives: int
    kind: Literal["cat"] = "cat"


@dataclass
class OurDog:
    """The same."""

    legs: int
    kind: Literal["dog"] = "dog"


def upper(value: str) -> str:
    """Validate and convert after decoding."""
    if not value:
        raise ValueError("empty")
    return value.upper()


Pets = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]
LeftToRight = Annotated[int | str, pydantic.Field(union_mode="left_to_right")]
#: A row -> pydantic's type, ours, documents.
ROWS: dict[str, tuple[Any, Any, list[str]]] = {
    "TypeAdapter": (list[int], list[int], ["[1]", '["x"]', "{}"]),
    "RootModel": (Numbers, list[int], ["[]", "[1]", "[null]"]),
    "Field(gt=0, le=9)": (
        Annotated[int, pydantic.Field(gt=0, le=9)],
        Annotated[int, Gt(0), Le(9)],
        ["0", "1", "9", "10"],
    ),
    "pydantic.Field in Annotated": (
        Annotated[int, pydantic.Field(gt=0)],
        Annotated[int, pydantic.Field(gt=0)],
        ["0", "1"],
    ),
    "Field(min_length=1, pattern=)": (
        Annotated[str, pydantic.Field(min_length=1, pattern="^a")],
        Annotated[str, Len(1), Pattern("^a")],
        ['""', '"a"', '"b"', '"ab"'],
    ),
    "AwareDatetime": (
        pydantic.AwareDatetime,
        Annotated[datetime, Aware],
        ['"2026-01-02T03:04:05Z"', '"2026-01-02T03:04:05"'],
    ),
    "NaiveDatetime": (
        pydantic.NaiveDatetime,
        Annotated[datetime, Naive],
        ['"2026-01-02T03:04:05Z"', '"2026-01-02T03:04:05"'],
    ),
    "alias_generator, extra=forbid": (
        Camel,
        OurCamel,
        ['{"firstName": "a"}', '{"first_name": "a"}', '{"firstName": "a", "x": 1}'],
    ),
    "alias, AliasChoices": (
        Named,
        OurNamed,
        ['{"ID": 1}', '{"ID": 1, "size": 2}', '{"ID": 1, "length": 2}', '{"key": 1}'],
    ),
    "discriminator": (
        Pets,
        OurCat | OurDog,
        [
            '{"kind": "cat", "lives": 9}',
            '{"kind": "dog", "legs": 4}',
            '{"kind": "cat", "legs": 4}',
            '{"kind": "cow", "legs": 4}',
        ],
    ),
    "union_mode=left_to_right": (
        LeftToRight,
        Annotated[int | str, FirstMatch()],
        ["1", '"a"', "null"],
    ),
    "AfterValidator": (
        Annotated[str, pydantic.AfterValidator(upper)],
        Annotated[str, Via(str, decode=upper, encode=str)],
        ['"a"', '""', "1"],
    ),
    "BeforeValidator": (
        Annotated[
            int, pydantic.BeforeValidator(lambda value: 0 if value is None else 1)
        ],
        Annotated[int, Via(Any, decode=lambda value: 0 if value is None else 1)],
        ["null", '"a"'],
    ),
    "Json[T]": (
        pydantic.Json[list[int]],
        Annotated[list[int], Via(str, decode=snooze.Decoder(list[int]).decode)],
        ['"[1, 2]"', '"[null]"', "[1]"],
    ),
}
CASES = [(row, text) for row, (_, _, texts) in ROWS.items() for text in texts]


@pytest.mark.parametrize(("row", "text"), CASES)
def test_both_read_the_same(row: str, text: str) -> None:
    """The same value, or a refusal by both."""
    theirs, ours, _ = ROWS[row]
    expected = by_pydantic(theirs, text)
    found = by_snooze(ours, text)
    assert found == expected, text
    assert (found is NO) == (expected is NO)


def test_extra_members_are_kept() -> None:
    """`extra="allow"`: as attributes there, in a dict here; both write them."""
    text = b'{"x": 1, "y": [2], "z": null}'
    theirs = Allowing.model_validate_json(text)
    ours = snooze.decode(text, OurAllowing)
    assert theirs.model_extra == ours.rest
    assert json.loads(theirs.model_dump_json()) == snooze.loads(snooze.encode(ours))


def test_both_write_the_same() -> None:
    """The rows about `model_dump_json` and `model_dump`."""

    class Theirs(pydantic.BaseModel):
        a: int = 1
        b: str | None = None
        c: list[int] = []

    @dataclass
    class Ours:
        a: int = 1
        b: str | None = None
        c: list[int] = field(default_factory=list)

    for values in ({}, {"a": 2, "c": [3]}, {"b": "x"}):
        theirs, ours = Theirs(**values), Ours(**values)
        assert theirs.model_dump() == snooze.to_builtins(ours)
        pairs = [
            (theirs.model_dump_json(), snooze.encode(ours)),
            (
                theirs.model_dump_json(exclude_none=True),
                snooze.Encoder(Ours, omit_none=True).encode(ours),
            ),
            (
                theirs.model_dump_json(exclude_defaults=True),
                snooze.Encoder(Ours, omit_defaults=True).encode(ours),
            ),
        ]
        for text, found in pairs:
            assert json.loads(text) == json.loads(found)
        indented = snooze.Encoder(Ours, indent=2).encode(ours).decode()
        assert indented.splitlines()[0] == theirs.model_dump_json(indent=2)[0]


def test_excluded_and_unset_fields() -> None:
    """`exclude=True`, `model_fields_set` and `exclude_unset=True`."""

    class Theirs(pydantic.BaseModel):
        secret: str = pydantic.Field(default="s", exclude=True)
        name: str | None = None

    @dataclass
    class Ours:
        secret: Annotated[str, Field(exclude=True)] = "s"
        name: str | UnsetType | None = snooze.UNSET

    for text in ("{}", '{"name": null}', '{"name": "a"}'):
        theirs = Theirs.model_validate_json(text)
        ours = snooze.decode(text, Ours)
        assert ("name" in theirs.model_fields_set) == (ours.name is not snooze.UNSET)
        assert json.loads(theirs.model_dump_json(exclude_unset=True)) == json.loads(
            snooze.encode(ours)
        )


def test_objects_and_attributes() -> None:
    """`model_validate` and `from_attributes=True`."""

    class Theirs(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(from_attributes=True)
        name: str
        when: datetime

    @dataclass
    class Ours:
        name: str
        when: datetime

    class Row:
        name, when = "a", datetime(2026, 1, 2, tzinfo=UTC)

    assert Theirs.model_validate(Row()).model_dump() == asdict(
        snooze.convert(Row(), Ours, from_attributes=True)
    )
    given = {"name": "a", "when": Row.when}
    assert Theirs.model_validate(given).model_dump() == asdict(
        snooze.convert(given, Ours)
    )


def test_serialisers_and_formats() -> None:
    """`PlainSerializer` and `ser_json_timedelta="float"`."""

    class Theirs(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(ser_json_timedelta="float")
        lag: timedelta
        size: Annotated[int, pydantic.PlainSerializer(hex, return_type=str)]

    @configure(formats={timedelta: "seconds"})
    @dataclass
    class Ours:
        lag: timedelta
        size: Annotated[int, Via(str, encode=hex)]

    given = {"lag": timedelta(seconds=1.5), "size": 255}
    assert json.loads(Theirs(**given).model_dump_json()) == json.loads(
        snooze.encode(Ours(**given), Ours)
    )


def test_places_of_errors() -> None:
    """`error["loc"]` and `problem.pointer`."""

    class Theirs(pydantic.BaseModel):
        a: list[Annotated[int, pydantic.Field(ge=0)]]
        b: str

    @dataclass
    class Ours:
        a: list[Annotated[int, Ge(0)]]
        b: str

    text = '{"a": [1, -2, "x"], "b": 3}'
    with pytest.raises(pydantic.ValidationError) as theirs:
        Theirs.model_validate_json(text)
    with pytest.raises(snooze.ValidationError) as ours:
        snooze.decode(text, Ours, errors="all")
    places = ["/" + "/".join(map(str, one["loc"])) for one in theirs.value.errors()]
    assert places == [str(one.pointer) for one in ours.value.errors]


def test_classes_that_check_themselves() -> None:
    """`@model_validator(mode="after")`, `PrivateAttr` and `__subclasses__`."""

    class Theirs(pydantic.BaseModel):
        low: int
        high: int
        _seen: int = pydantic.PrivateAttr(default=7)

        @pydantic.model_validator(mode="after")
        def ordered(self) -> Any:
            if self.low > self.high:
                raise ValueError("low > high")
            return self

    @dataclass
    class Ours:
        low: int
        high: int
        seen: int = field(default=7, init=False)

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise ValueError("low > high")

    good, bad = '{"low": 1, "high": 2, "seen": 8}', '{"low": 2, "high": 1}'
    assert by_pydantic(Theirs, bad) is by_snooze(Ours, bad) is NO
    ours = snooze.decode(good, Ours)
    theirs = Theirs.model_validate_json(good)
    assert (ours.low, ours.high, ours.seen) == (theirs.low, theirs.high, theirs._seen)


def test_schemas_describe_the_same_documents() -> None:
    """`json_schema()`, and titles and descriptions in `Field`."""
    note = pydantic.Field(title="Age", description="In years.", examples=[7])
    tp = Annotated[int, note]
    theirs = pydantic.TypeAdapter(tp).json_schema()
    ours = snooze.schema(tp)
    assert {key: ours[key] for key in theirs} == theirs
