"""Unions of classes told apart by a Literal that is a default, and numbers with bounds."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest

import snooze
from helpers.typed_tools import accept, decode, refuse
from snooze import Field, Ge, Lt


@dataclass
class Point:
    """As GeoJSON libraries write it: the type is a constant."""

    coordinates: list[float]
    type: Literal["Point"] = "Point"


@dataclass
class Line:
    """The same members."""

    coordinates: list[list[float]]
    type: Literal["Line", "Path"] = "Line"


@dataclass
class Bare:
    """All members have defaults."""

    type: Annotated[Literal["Bare"], Field(name="type")] = "Bare"
    coordinates: list[float] = field(default_factory=list)


SHAPES = Point | Line | Bare


class Size(enum.Enum):
    """A Literal of a member tells classes apart, too."""

    SMALL = "small"
    GREAT = "great"


class Only(enum.Enum):
    """An enum of one member is as good as such a Literal."""

    GREAT = "great"


@dataclass
class Small:
    """A class with a member for its tag."""

    size: Literal[Size.SMALL] = Size.SMALL


@dataclass
class Great:
    """A class with an enum for its tag."""

    size: Only = Only.GREAT


def test_the_default_selects_the_class() -> None:
    """Before or after the other members; alone it may be missing."""
    for text, value in [
        ('{"type":"Point","coordinates":[1]}', Point([1.0])),
        ('{"coordinates":[[1]],"type":"Line"}', Line([[1.0]])),
        ('{"coordinates":[[1]],"type":"Path"}', Line([[1.0]], "Path")),
        ('{"type":"Bare"}', Bare()),
    ]:
        accept(SHAPES, text, value)
    accept(Point, '{"coordinates":[1]}', Point([1.0]))
    refuse(
        SHAPES,
        '{"coordinates":[1]}',
        'expected member "type", found none at $ (line 1 column 1)',
    )
    refuse(
        SHAPES,
        '{"type":"Circle"}',
        "expected 'Point', 'Line', 'Path' or 'Bare', found \"Circle\" at $.type "
        "(line 1 column 9)",
    )


def test_the_default_is_written() -> None:
    """Even with omit_defaults, if the Literal has one value."""
    values = [Point([1.0]), Line([]), Line([], "Path"), Bare()]
    document = snooze.encode(values, list[SHAPES])
    assert decode(document, list[SHAPES]) == values
    values = [Point([1.0]), Line([], "Path"), Bare()]
    document = snooze.encode(values, list[SHAPES], omit_defaults=True)
    assert document == (
        b'[{"coordinates":[1.0],"type":"Point"},{"coordinates":[],"type":"Path"},'
        b'{"type":"Bare"}]'
    )

    # Also a Literal of a member, and an enum that has only one.
    values = [Small(), Great()]
    document = snooze.encode(values, list[Small | Great], omit_defaults=True)
    assert document == b'[{"size":"small"},{"size":"great"}]'
    assert decode(document, list[Small | Great]) == values

    @dataclass
    class Quiet:
        type: Annotated[Literal["q"], Field(omit_default=True)] = "q"

    assert snooze.encode(Quiet()) == b"{}"


def test_the_schema_requires_it_in_the_union() -> None:
    """Not in the class itself."""
    found = snooze.schema(Point | Bare)
    assert found["oneOf"] == [
        {"$ref": "#/$defs/Point", "required": ["type"]},
        {"$ref": "#/$defs/Bare", "required": ["type"]},
    ]
    assert found["$defs"]["Point"]["required"] == ["coordinates"]


def test_required_members_go_first() -> None:
    """Classes that their required members tell apart need no constant."""

    @dataclass
    class Left:
        left: int
        kind: Literal["l"] = "l"

    @dataclass
    class Right:
        right: int
        kind: Literal["r"] = "r"

    accept(Left | Right, '{"right":1}', Right(1))
    refuse(
        Left | Right,
        '{"right":1,"kind":"l"}',
        "expected 'r', found \"l\" at $.kind (line 1 column 19)",
    )


@pytest.mark.parametrize("other", [float, Decimal])
def test_bounds_of_a_union_of_numbers(other: Any) -> None:
    """The same bounds hold for both; other bounds leave it ambiguous."""
    tp = Annotated[int | other, Ge(0), Lt(10)]
    for text, value in [("0", 0), ("9", 9), ("9.5", other("9.5"))]:
        accept(tp, text, value)
        assert type(decode(text, tp)) is type(value)
    for text in ("-1", "10", "-0.5", "10.0"):
        with pytest.raises(snooze.ValidationError):
            decode(text, tp)
    for wrong in (Annotated[int, Ge(0)] | other, Annotated[int, Ge(0)] | None | other):
        with pytest.raises(TypeError, match="is ambiguous: both are int in JSON"):
            snooze.Decoder(wrong)
