"""Aliases of enum members: further values that are read, and enums that seem to have some."""

from __future__ import annotations

import dataclasses
import enum
import pstats
import sys
import typing
from typing import Annotated, Literal

import pytest

import snooze
from snooze import Len


class WithAliases(enum.Enum):
    """Members with further values, as `_add_value_alias_` of 3.13 adds."""

    def __new__(cls, value: object, *others: object) -> typing.Self:
        """Make a member with one value, and register the others."""
        self = object.__new__(cls)
        self._value_ = value
        for other in others:
            if sys.version_info >= (3, 13):
                self._add_value_alias_(other)
            else:
                cls._value2member_map_[other] = self
        return self


class Paint(WithAliases):
    """Texts, with texts and values of other types as aliases."""

    RED = ("red", "crimson", "rouge", 1, None, True, ("a", "tuple"))
    BLUE = ("blue",)


class Level(WithAliases):
    """Numbers of both types."""

    LOW = (1, 10, "low")
    HIGH = (2.5, 20.0)


@dataclasses.dataclass
class Painted:
    """A record with a tag of an enum."""

    kind: Literal[Paint.RED]


class Shade(WithAliases):
    """Another enum of texts."""

    DARK = ("dark", "black")


class Ink(WithAliases):
    """An enum that shares an alias with another one."""

    BLOT = ("blot", "black")


@dataclasses.dataclass
class Shaded:
    """Another record."""

    kind: Shade


def test_aliases_of_enum_members() -> None:
    """They are read if they have the JSON type of a value, and never written."""
    red, blue = Paint.RED, Paint.BLUE
    document = b'["red", "crimson", "blue", "rouge"]'
    assert snooze.decode(document, list[Paint]) == [red, red, blue, red]
    assert snooze.convert(snooze.loads(document), list[Paint]) == [red, red, blue, red]
    assert snooze.encode([red, blue]) == b'["red","blue"]'
    assert snooze.decode(b'{"rouge": 1, "blue": 2}', dict[Paint, int]) == {
        red: 1,
        blue: 2,
    }
    for document in (b"1", b"null", b"true", b'["a", "tuple"]', b'"RED"'):
        with pytest.raises(snooze.ValidationError) as caught:
            snooze.decode(document, Paint)
        assert str(caught.value).startswith("expected 'red' or 'blue', found")
    low, high = Level.LOW, Level.HIGH
    assert snooze.decode(b"[1, 10, 2.5, 20.0]", list[Level]) == [low, low, high, high]
    for document in (b"true", b'"low"', b"20", b"1.0"):
        with pytest.raises(snooze.ValidationError):
            snooze.decode(document, Level)


def test_aliases_beside_other_types() -> None:
    """An alias is another value of its member wherever the enum stands."""
    red, low = Paint.RED, Level.LOW
    assert snooze.decode(b'["rouge", null]', list[Paint | None]) == [red, None]
    assert snooze.decode(b'["rouge", "x"]', list[Paint | Literal["x"]]) == [red, "x"]
    assert snooze.decode(b'["low", 10]', list[Level | str]) == ["low", low]
    assert snooze.decode(b'["rouge", 10]', list[Paint | Level]) == [red, low]
    noted = Annotated[Paint, snooze.Meta(description="x")]
    assert snooze.decode(b'{"rouge": "rouge"}', dict[noted, noted]) == {red: red}
    with pytest.raises(TypeError, match="red"):
        snooze.Decoder(Paint | Literal["red"])
    # A value comes before an alias, and an alias of two enums is of neither.
    assert snooze.decode(b'["rouge", "red"]', list[Literal["rouge"] | Paint]) == [
        "rouge",
        red,
    ]
    assert snooze.decode(b'["module"]', list[pstats.SortKey | Literal["module"]]) == [
        "module"
    ]
    with pytest.raises(snooze.ValidationError):
        snooze.decode(b'"black"', Shade | Ink)
    assert snooze.decode(b'["dark", "blot"]', list[Shade | Ink]) == [
        Shade.DARK,
        Ink.BLOT,
    ]
    kinds = Painted | Shaded
    assert snooze.decode(b'{"kind": "black"}', kinds) == Shaded(Shade.DARK)
    assert snooze.decode(b'{"kind": "red"}', kinds) == Painted(red)
    assert snooze.encode(Shaded(Shade.DARK), kinds) == b'{"kind":"dark"}'


def test_aliases_beside_missing_values() -> None:
    """The class itself is asked, so that it finds both."""

    class Open(WithAliases):
        RED = ("red", "crimson")

        @classmethod
        def _missing_(cls, value: object) -> typing.Self | None:
            return cls.RED if value == "RED" else None

    document = b'["red", "crimson", "RED"]'
    assert snooze.decode(document, list[Open]) == [Open.RED] * 3
    assert "enum" not in snooze.schema(Open)


def test_the_schema_lists_aliases() -> None:
    """As values, and as names of members."""
    schema = snooze.schema(dict[Paint, Paint])
    assert schema["$defs"]["Paint"]["enum"] == ["red", "blue", "crimson", "rouge"]
    assert schema["propertyNames"]["enum"] == ["red", "blue", "crimson", "rouge"]
    few = Annotated[dict[Paint, int], Len(0, 1)]
    assert "maxProperties" not in snooze.schema(few)
    assert len(snooze.decode(b'{"red": 1, "rouge": 2}', few)) == 1


def test_enums_that_change_their_values() -> None:
    """JSON has `value`, whatever the class finds members by."""

    class Lower(enum.Enum):
        RED = enum.auto()
        GREEN = enum.auto()

        @property
        def value(self) -> str:
            return self.name.lower()

    class Upper(enum.Enum):
        A = "a"

        def __init__(self, text: str) -> None:
            self._value_ = text.upper()

    class Text(str):
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, other)

    class Unhashable(enum.Enum):
        A = Text("a")

    class Alone(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            if type(other) is not Alone:
                raise TypeError(other)
            return str.__eq__(self, other)

    class Refusing(enum.Enum):
        A = Alone("a")

    assert snooze.decode(b'"a"', Refusing) is Refusing.A
    for value, text in (
        (Lower.RED, b'"red"'),
        (Upper.A, b'"A"'),
        (Unhashable.A, b'"a"'),
    ):
        cls = type(value)
        assert snooze.decode(text, cls) is value
        assert snooze.decode(b"[" + text + b",1]", list[cls | int]) == [value, 1]
        assert snooze.encode(value) == text
        assert set(snooze.schema(cls)["$defs"][cls.__name__]) >= {"title"}
