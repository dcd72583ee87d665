"""`UNSET`: a third state beside missing and null, for documents that change others."""

from __future__ import annotations

import copy
import datetime as dt  # noqa: TC003 - for annotations that are evaluated
import pickle
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    NamedTuple,
    NotRequired,
    Required,
    TypedDict,
)

import attrs
import pytest
from typing_extensions import TypeAliasType

import snooze
from snooze import (
    UNSET,
    Field,
    FirstMatch,
    Format,
    Ge,
    Meta,
    UnsetType,
    Via,
    configure,
    decode,
    encode,
)


@dataclass
class Patch:
    """A document of RFC 7396: null removes, a missing member keeps."""

    name: str | UnsetType | None = UNSET
    age: int | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET


@attrs.define
class AttrsPatch:
    """The same with attrs."""

    name: str | UnsetType | None = UNSET
    age: int | UnsetType = UNSET


@configure(omit_none=True, omit_defaults=True)
@dataclass
class Sparse:
    """With the other conditions, too."""

    a: int | UnsetType | None = UNSET
    b: Annotated[int | UnsetType | None, Field(omit_none=True)] = UNSET
    c: int | None = None


STATES = [
    b"{}",
    b'{"name":null}',
    b'{"name":"x"}',
    b'{"age":0}',
    b'{"name":null,"age":3}',
]


@pytest.mark.parametrize("text", STATES)
@pytest.mark.parametrize("cls", [Patch, AttrsPatch])
def test_each_state_survives(cls: Any, text: bytes) -> None:
    """Missing, null and a value stay apart, in every way of writing."""
    value = decode(text, cls)
    members = snooze.loads(text)
    assert (value.name is UNSET) == ("name" not in members)
    assert encode(value) == text
    assert encode([value, value], list[cls]) == b"[" + text + b"," + text + b"]"
    for options in ({"sort_keys": True}, {"indent": 2}, {"omit_none": True}):
        assert snooze.loads(encode(value, **options)) == members, options


def test_other_conditions() -> None:
    """UNSET is left out, whatever else is; null only where the field says so."""
    assert encode(Sparse()) == b"{}"
    assert encode(Sparse(None, None, None)) == b'{"a":null}'
    assert encode(Sparse(1, 6, 7)) == b'{"a":1,"b":6,"c":7}'


def test_computed_values() -> None:
    """Also where Python code returns the value."""

    class Slow(Patch):
        @property
        def age(self) -> Any:  # type: ignore[override]
            return UNSET

        @age.setter
        def age(self, value: Any) -> None:
            pass

    assert encode(Slow("x"), Patch) == b'{"name":"x"}'
    assert encode(Slow("x")) == b'{"name":"x"}'


def test_null_is_not_missing() -> None:
    """Refused where the type has no None."""
    with pytest.raises(snooze.ValidationError, match=r"expected int, found null"):
        decode(b'{"age":null}', Patch)


class Row(NamedTuple):
    """An array has no missing items."""

    a: int | UnsetType = UNSET


@dataclass
class OtherDefault:
    """A Decoder would make 5 of UNSET."""

    a: int | UnsetType = 5


@dataclass
class NoDefault:
    """A Decoder would refuse the document."""

    a: int | UnsetType


class RequiredKey(TypedDict):
    """The same in a TypedDict."""

    a: Required[int | UnsetType]


class OptionalKey(TypedDict):
    """A key that may be missing may be UNSET as well."""

    a: NotRequired[int | UnsetType]


@pytest.mark.parametrize(
    ("tp", "message"),
    [
        (
            list[int | UnsetType],
            r"^the type\[…\]: UnsetType is for the fields of classes",
        ),
        (
            dict[str | UnsetType, int],
            "^the type.*: UnsetType is for the fields",
        ),
        (UnsetType, "^the type: UnsetType is for the fields of classes"),
        (
            Row,
            r"^Row\.a: UnsetType is for objects in JSON; an array has no missing items$",
        ),
        (OtherDefault, r"^OtherDefault\.a: UnsetType needs the default UNSET"),
        (NoDefault, r"^NoDefault\.a: UnsetType needs the default UNSET"),
        (RequiredKey, r"^RequiredKey\.a: UnsetType needs the default UNSET"),
    ],
)
def test_where_it_would_be_lost(tp: Any, message: str) -> None:
    """Refused when the codec is made."""
    for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
        with pytest.raises(TypeError, match=message):
            make(tp)


@dataclass
class RestOrUnset:
    """Members that are collected are a dict."""

    rest: Annotated[dict[str, int] | UnsetType, Field(rest=True)] = UNSET


Cyclic = TypeAliasType("Cyclic", "Cyclic | int")  # type: ignore[misc]
Tuples = TypeAliasType("Tuples", "tuple[Tuples, ...] | int")  # type: ignore[misc]


@dataclass
class HasCyclic:
    """An alias that contains itself."""

    a: Cyclic


def test_aliases_that_contain_themselves() -> None:
    """Refused with a reason, or read as far as they go."""
    with pytest.raises(TypeError, match="the type Cyclic contains itself"):
        snooze.Decoder(HasCyclic)
    with pytest.raises(TypeError, match="is for datetime$"):
        snooze.Decoder(Annotated[Cyclic, Format("unix")])
    assert decode(b"[[1,[2]]]", set[Tuples]) == {(1, (2,))}
    with pytest.raises(TypeError, match="needs the type dict"):
        snooze.Decoder(RestOrUnset)


def test_typed_dicts() -> None:
    """Such a key is left out."""
    assert encode({"a": UNSET}, OptionalKey) == b"{}"
    assert encode({"a": 1}, OptionalKey) == b'{"a":1}'
    with pytest.raises(snooze.JSONEncodeError, match="UnsetType"):
        encode([UNSET])


SEEN: list[int] = []


def write(value: int) -> str:
    """Note the value, and return its text."""
    SEEN.append(value)
    return str(value)


@dataclass
class Forms:
    """UNSET inside other metadata."""

    when: Annotated[dt.date | str | UnsetType, FirstMatch()] = UNSET
    size: Annotated[int | UnsetType, Meta(title="Size"), Ge(1)] = UNSET
    text: Annotated[int | UnsetType, Via(str, decode=int, encode=write)] = UNSET


def test_inside_other_forms() -> None:
    """In unions that are tried in order, beside notes and checks, and beside a Via."""
    SEEN.clear()
    assert encode(Forms()) == b"{}"
    assert SEEN == []
    text = b'{"when":"soon","size":2,"text":"3"}'
    assert decode(text, Forms) == Forms("soon", 2, 3)
    assert encode(Forms("soon", 2, 3)) == text
    with pytest.raises(snooze.ValidationError, match="expected int >= 1"):
        decode(b'{"size":0}', Forms)


def test_the_wrong_default() -> None:
    """A field that the type does not expect to be unset is left out all the same."""

    @dataclass
    class Untyped:
        a: int = UNSET  # type: ignore[assignment]
        b: Annotated[str, Field(omit_default=True)] = UNSET  # type: ignore[assignment]

    assert encode(Untyped()) == b"{}"
    assert decode(b"{}", Untyped).a is UNSET


def test_the_constant() -> None:
    """One object, which is false."""
    assert UnsetType() is UNSET
    assert pickle.loads(pickle.dumps(UNSET)) is UNSET
    assert copy.copy(UNSET) is copy.deepcopy(UNSET) is UNSET
    assert (bool(UNSET), repr(UNSET)) == (False, "UNSET")
    with pytest.raises(TypeError, match="cannot have subclasses"):
        type("Sub", (UnsetType,), {})


def test_the_schema() -> None:
    """Unset is the absence of a member: nothing of it is in the schema."""
    properties = snooze.schema(Patch)["$defs"]["Patch"]
    assert "required" not in properties
    assert properties["properties"]["age"] == {"type": "integer"}
    assert properties["properties"]["name"] == {
        "anyOf": [{"type": "string"}, {"type": "null"}]
    }


def test_where_any_value_is_allowed() -> None:
    """UNSET is what JSON cannot represent, at its place; a hook may take it."""
    for value, place in (
        ({"a": [1, UNSET]}, "$.a[1]"),
        ([UNSET], "$[0]"),
        (UNSET, "$"),
    ):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            encode(value)
        text = f"Type is not JSON serializable: UnsetType at {place}"
        assert (str(caught.value), caught.value.path) == (text, place)
    assert encode([UNSET, 1], enc_hook=str) == b'["UNSET",1]'
