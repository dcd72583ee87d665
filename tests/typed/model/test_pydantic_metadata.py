"""Metadata of pydantic in `Annotated`: nothing that restricts or converts is ignored."""

from __future__ import annotations

import dataclasses
import math
import re
import uuid
from decimal import Decimal
from typing import Annotated, Any

import annotated_types
import pytest

import snooze

pydantic = pytest.importorskip("pydantic")
MAKERS = [snooze.Decoder, snooze.Encoder, snooze.Converter, snooze.schema]
INSTEAD = "use the constraints of snooze, annotated-types' Predicate, or snooze.Via"


def refusals() -> list[tuple[Any, str]]:
    """Return types with what their message says of the metadata."""
    field = pydantic.Field
    return [
        (Annotated[Decimal, field(max_digits=2)], "max_digits=2"),
        (Annotated[Decimal, field(gt=1, decimal_places=2)], "decimal_places=2"),
        (
            Annotated[str, field(coerce_numbers_to_str=True)],
            "coerce_numbers_to_str=True",
        ),
        (pydantic.condecimal(max_digits=3), "max_digits=3"),
        (pydantic.constr(strip_whitespace=True), "strip_whitespace=True"),
        (pydantic.constr(min_length=1, to_upper=True), "to_upper=True"),
        (pydantic.constr(to_lower=True), "to_lower=True"),
        (pydantic.UUID4, "UuidVersion"),
        (pydantic.FilePath, "PathType"),
        (pydantic.NewPath, "PathType"),
        (pydantic.Base64Bytes, "EncodedBytes"),
        (pydantic.Base64Str, "EncodedStr"),
        (pydantic.Json[int], "Json"),
        (Annotated[int, pydantic.AfterValidator(abs)], "AfterValidator"),
        (Annotated[int, pydantic.BeforeValidator(abs)], "BeforeValidator"),
        (Annotated[int, pydantic.PlainSerializer(str)], "PlainSerializer"),
        (Annotated[int, pydantic.SkipValidation], "SkipValidation"),
        (
            Annotated[int | str, field(union_mode="left_to_right")],
            "union_mode='left_to_right'",
        ),
    ]


@pytest.mark.parametrize(("tp", "what"), refusals(), ids=str)
def test_refused(tp: Any, what: str) -> None:
    """When the codec is created, with what to use."""
    for make in MAKERS:
        with pytest.raises(TypeError) as caught:
            make(list[tp])
        assert str(caught.value) == (
            f"the type[…]: pydantic's {what} has no effect here; {INSTEAD}"
        )


@pytest.mark.parametrize("pattern", [re.compile("a"), re.compile("a", re.IGNORECASE)])
def test_compiled_patterns(pattern: Any) -> None:
    """Refused: their flags would be lost."""
    for tp in (
        Annotated[str, pydantic.Field(pattern=pattern)],
        pydantic.constr(pattern=pattern),
    ):
        with pytest.raises(TypeError, match="needs to be the text of the expression"):
            snooze.Decoder(tp)


def test_read_or_harmless() -> None:
    """Constraints hold, and what changes no value is accepted."""
    for tp, right, wrong in [
        (pydantic.PositiveInt, b"1", b"0"),
        (pydantic.StrictInt, b"1", b"1.0"),
        (pydantic.conint(strict=True, multiple_of=2), b"4", b"3"),
        (pydantic.constr(pattern="^a", max_length=2), b'"ab"', b'"abc"'),
        (pydantic.constr(pattern="^a", strip_whitespace=False), b'"ab"', b'"b"'),
        (pydantic.conlist(int, min_length=1), b"[1]", b"[]"),
        (Annotated[float, pydantic.AllowInfNan(True)], b"1.5", b'"x"'),
        (Annotated[float, pydantic.Field(allow_inf_nan=True)], b"1.5", b'"x"'),
        (Annotated[int | str, pydantic.Field(union_mode="smart")], b"1", b"1.5"),
        (Annotated[int, pydantic.Tag("x")], b"1", b"1.5"),
        (Annotated[int, pydantic.AliasChoices("x", "y")], b"1", b"1.5"),
        (Annotated[int, pydantic.AliasPath("x", 1)], b"1", b"1.5"),
        (Annotated[int, pydantic.Field(strict=True)], b"1", b"1.5"),
        (Annotated[list[int], pydantic.Field(fail_fast=True)], b"[1]", b"[1.5]"),
        (Annotated[int, pydantic.WithJsonSchema({"type": "integer"})], b"1", b'"x"'),
        (Annotated[list[int], pydantic.FailFast()], b"[1]", b'["x"]'),
    ]:
        decoder: Any = snooze.Decoder(tp)
        assert snooze.dumps(decoder.decode(right)) == right
        with pytest.raises(snooze.ValidationError):
            decoder.decode(wrong)


@pytest.mark.parametrize("discriminator", ["k", lambda _: "q"])
def test_discriminators(discriminator: Any) -> None:
    """Refused in both forms: required members and Literals tell classes apart."""
    left = dataclasses.make_dataclass("Left", [("x", int)])
    right = dataclasses.make_dataclass("Right", [("y", int)])
    union = Annotated[left, pydantic.Tag("q")] | Annotated[right, pydantic.Tag("r")]
    for make in MAKERS:
        with pytest.raises(TypeError) as caught:
            make(Annotated[union, pydantic.Discriminator(discriminator)])
        assert str(caught.value) == (
            "the type: pydantic's Discriminator has no effect here; a Literal field in "
            "each class tells the members of a union apart"
        )
        with pytest.raises(TypeError, match="discriminator=…. has no effect here"):
            make(Annotated[union, pydantic.Field(discriminator=discriminator)])


def test_any_json() -> None:
    """Its discriminator tells apart what JSON tells apart by itself."""
    text = b'{"a":[1,1.5,"x",true,null]}'
    found = snooze.decode(text, pydantic.JsonValue)
    assert found == snooze.loads(text)
    assert snooze.encode(found, pydantic.JsonValue) == text


@pytest.mark.parametrize(
    "metadata",
    [pydantic.AllowInfNan(False), pydantic.Field(allow_inf_nan=False)],
    ids=["class", "field"],
)
def test_finite_numbers(metadata: Any) -> None:
    """As with annotated-types' IsFinite; what is no number is not looked at."""
    converter = snooze.Converter(Annotated[float | None, metadata])
    assert converter.convert(1.5) == 1.5
    assert converter.convert(None) is None
    for value in (math.inf, -math.inf, math.nan):
        with pytest.raises(snooze.ValidationError, match="that is finite"):
            converter.convert(value)
    decimals = snooze.Converter(Annotated[Decimal, metadata])
    assert decimals.convert(Decimal("1e999")) == Decimal("1e999")
    for text in ("Infinity", "NaN", "sNaN"):
        with pytest.raises(snooze.ValidationError):
            decimals.convert(Decimal(text))
    assert snooze.decode(b"[1, 1.5]", list[pydantic.FiniteFloat]) == [1.0, 1.5]
    assert snooze.encode(1.5, Annotated[float, metadata]) == b"1.5"
    snooze.schema(Annotated[float, metadata])


class Money(float):
    """A float of its own class."""


PARSED = snooze.Via(str, decode=float, encode=str)


@pytest.mark.parametrize(
    ("tp", "right", "wrong"),
    [
        (Any, "1", math.inf),
        (bool | float, 1.5, math.inf),
        (Annotated[float, annotated_types.Gt(0)] | None, 1.5, math.inf),
        (Annotated[str | float, snooze.FirstMatch()], "1", math.inf),
        (Annotated[float, PARSED], "1", "inf"),
        (Money, 1.5, math.inf),
    ],
    ids=str,
)
def test_types_with_floats(tp: Any, right: Any, wrong: Any) -> None:
    """The check reaches the float, whatever is around it."""
    converter = snooze.Converter(Annotated[tp, pydantic.AllowInfNan(False)])
    converter.convert(right)
    with pytest.raises(snooze.ValidationError, match="that is finite"):
        converter.convert(wrong)


@pytest.mark.parametrize(
    "tp",
    [int, str, complex, list[float], dict[str, float], int | str, list[float] | None],
    ids=str,
)
def test_types_without_floats(tp: Any) -> None:
    """Refused: it would have no effect, also not on what is inside."""
    for metadata in (pydantic.AllowInfNan(False), pydantic.Field(allow_inf_nan=False)):
        for make in MAKERS:
            with pytest.raises(TypeError) as caught:
                make(Annotated[tp, metadata])
            assert str(caught.value) == (
                "the type: AllowInfNan(False) cannot constrain this type; it is for "
                "float and Decimal"
            )


@pytest.mark.parametrize("name", ["strict", "fail_fast", "allow_inf_nan", "union_mode"])
def test_fields_of_older_releases(name: str) -> None:
    """pydantic before 2.12 has the names of constraints among the attributes."""
    value = "smart" if name == "union_mode" else True
    field = pydantic.Field(**{name: value})
    field._attributes_set[name] = value
    assert snooze.decode(b"1", Annotated[int | None, field]) == 1


def test_inside_a_model() -> None:
    """A model's own metadata is pydantic's business."""

    class Model(pydantic.BaseModel):  # type: ignore[name-defined, misc]
        key: pydantic.UUID4
        name: pydantic.constr(strip_whitespace=True)  # type: ignore[valid-type]

    Model.model_rebuild(_types_namespace={"pydantic": pydantic})
    key = uuid.uuid4()
    found = snooze.decode(snooze.dumps({"key": key, "name": " a "}), Model)
    assert (found.key, found.name) == (key, "a")
