"""`UNSET`: a third state beside missing and null, for documents that change others."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import attrs
import pytest

import snooze
from snooze import UNSET, Field, UnsetType, configure, decode, encode


@dataclass
class Patch:
    """A document of RFC 7386: null removes, a missing member keeps."""

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
    b: int | UnsetType = 5
    c: int | UnsetType | None = None


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
    """UNSET is left out, whatever else is."""
    assert encode(Sparse(UNSET, UNSET, UNSET)) == b"{}"
    assert encode(Sparse(None, 5, None)) == b'{"a":null}'
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


def test_elsewhere() -> None:
    """UNSET has no JSON form: it is refused in arrays and dicts."""
    for value, tp in (
        ([UNSET], list[int | UnsetType]),
        ({"a": UNSET}, dict[str, int | UnsetType]),
        ([UNSET], list[UnsetType]),
    ):
        with pytest.raises(snooze.JSONEncodeError, match="found UnsetType"):
            encode(value, tp)
    with pytest.raises(snooze.JSONEncodeError, match="UnsetType"):
        encode([UNSET])

    class Row(NamedTuple):
        a: int
        b: int | UnsetType = UNSET

    assert decode(b"[1]", Row) == (1, UNSET)
    with pytest.raises(snooze.JSONEncodeError, match=r"found UnsetType at \$\[1\]"):
        encode(Row(1))


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
