"""Descriptions of fields that would have no effect are honoured or refused, never ignored."""

from __future__ import annotations

import dataclasses
import types
from typing import Annotated, Any, NamedTuple

import pytest

import snooze

VIA = snooze.Via(int, decode=str, encode=int)


def test_a_field_as_the_default() -> None:
    """Refused, with what to write."""

    @dataclasses.dataclass
    class Wrong:
        x: int = snooze.Field(name="b")  # type: ignore[assignment]

    class WrongTuple(NamedTuple):
        x: str = VIA  # type: ignore[assignment]

    for tp, name in ((Wrong, "Field"), (WrongTuple, "Via")):
        for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
            with pytest.raises(TypeError) as caught:
                make(tp)
            assert str(caught.value).endswith(
                f"{tp.__name__}.x: {name}(...) is the default of the field and has no "
                f"effect; write x: Annotated[T, {name}(...)]"
            )


def test_two_via() -> None:
    """Refused instead of ignoring the first."""
    with pytest.raises(TypeError, match="two Via in one Annotated; keep one"):
        snooze.Decoder(Annotated[str, VIA, VIA])


def field_info(**given: Any) -> Any:
    """Return what pydantic.Field would: its public parts, without pydantic."""
    cls = type("FieldInfo", (), {"__module__": "pydantic.fields"})
    info: Any = cls()
    info._attributes_set = given
    info.metadata = [
        types.SimpleNamespace(**{name: value})
        for name, value in given.items()
        if name in {"gt", "le", "min_length", "pattern"}
    ]
    return info


def test_constraints_of_pydantic() -> None:
    """Honoured, beside titles and descriptions."""
    decoder = snooze.Decoder(Annotated[int, field_info(gt=10, title="t")])
    assert decoder.decode(b"11") == 11
    with pytest.raises(snooze.ValidationError, match="expected int > 10, found 10"):
        decoder.decode(b"10")
    text = snooze.Decoder(Annotated[str, field_info(min_length=2, description="d")])
    with pytest.raises(snooze.ValidationError, match="length >= 2"):
        text.decode(b'"a"')


@pytest.mark.parametrize("option", ["alias", "default", "exclude", "discriminator"])
def test_other_options_of_pydantic(option: str) -> None:
    """Refused by name."""
    with pytest.raises(
        TypeError, match=rf"^the type: pydantic\.Field\({option}=…\) has"
    ):
        snooze.Decoder(Annotated[int, field_info(**{option: 1})])


def test_a_pydantic_field_as_the_default() -> None:
    """Refused like a Field."""

    @dataclasses.dataclass
    class Wrong:
        x: int = field_info(gt=1)

    with pytest.raises(TypeError, match=r"Wrong\.x: pydantic's Field is the default"):
        snooze.Decoder(Wrong)


@pytest.mark.parametrize("module", ["validators", "serializers"])
def test_functions_of_pydantic(module: str) -> None:
    """Validators and serializers in Annotated are refused by name."""
    cls = type("AfterValidator", (), {"__module__": f"pydantic.functional_{module}"})
    for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
        with pytest.raises(TypeError, match="^the type: pydantic's AfterValidator has"):
            make(Annotated[int, cls()])


def test_real_pydantic() -> None:
    """With the package itself, where it is installed."""
    pydantic = pytest.importorskip("pydantic")
    decoder = snooze.Decoder(
        Annotated[str, pydantic.Field(pattern="^a", max_length=3, description="d")]
    )
    assert decoder.decode(b'"abc"') == "abc"
    for wrong in (b'"b"', b'"abcd"'):
        with pytest.raises(snooze.ValidationError):
            decoder.decode(wrong)
    with pytest.raises(TypeError, match="AfterValidator has no effect"):
        snooze.Decoder(Annotated[int, pydantic.AfterValidator(abs)])
    positive = snooze.Decoder(pydantic.PositiveInt)
    assert positive.decode(b"1") == 1
    with pytest.raises(snooze.ValidationError, match="expected int > 0"):
        positive.decode(b"0")
    with pytest.raises(TypeError, match="alias=…"):
        snooze.Decoder(Annotated[str, pydantic.Field(alias="x")])
