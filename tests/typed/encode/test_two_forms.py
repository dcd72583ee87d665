"""Unions that have one Python class in two forms: an Encoder refuses to choose."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal, Union

import pytest

import snooze
from snooze import FirstMatch, Format, Via


class Level(enum.Enum):
    """An enum with two forms."""

    LOW = 1
    HIGH = 2


UNIX = Annotated[dt.datetime, Format("unix")]
SECONDS = Annotated[dt.timedelta, Format("seconds")]
NAME = Annotated[Level, Format("name")]
DIGITS = Annotated[int, Via(str, decode=int, encode=str)]
NUMBER = Annotated[uuid.UUID, Via(int, decode=lambda n: uuid.UUID(int=n), encode=int)]
LISTED = Annotated[
    Decimal,
    Via(list[str], decode=lambda one: Decimal(*one), encode=lambda one: [str(one)]),
]
PAIRS = [
    (dt.datetime, UNIX, "datetime"),
    (dt.timedelta, SECONDS, "timedelta"),
    (Level, NAME, "Level"),
    (int, DIGITS, "int"),
    (float, DIGITS, "int"),
    (uuid.UUID, NUMBER, "UUID"),
    (Decimal, LISTED, "Decimal"),
    (Literal[1, 2], DIGITS, "int"),
]


@pytest.mark.parametrize(("one", "two", "name"), PAIRS, ids=str)
def test_refused(one: Any, two: Any, name: str) -> None:
    """In either order: what is written may not depend on it, because they are equal."""
    for tp in (Union[one, two], Union[two, one], Union[None, one, two]):  # noqa: UP007
        snooze.Decoder(tp)
        for make in (snooze.Encoder, lambda tp: snooze.to_builtins([], tp)):
            with pytest.raises(TypeError) as caught:
                make(list[tp])
            assert str(caught.value) == (
                f"the type[…]: a union has {name} in two forms, and an Encoder cannot "
                "know which one to write. Keep one of them, or try them in order with "
                "Annotated[…, FirstMatch()]"
            )


@pytest.mark.parametrize("first", [dt.datetime, UNIX])
def test_in_order(first: Any) -> None:
    """With FirstMatch the first that can write the value does."""
    second = UNIX if first is dt.datetime else dt.datetime
    tp = Annotated[Union[first, second], FirstMatch()]  # noqa: UP007
    moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    text = b'"2024-01-01T00:00:00+00:00"' if first is dt.datetime else b"1704067200"
    assert snooze.encode(moment, tp) == text
    naive = dt.datetime(2024, 1, 1)
    assert snooze.encode(naive, tp) == b'"2024-01-01T00:00:00"'
    for value in (moment, naive):
        assert snooze.decode(snooze.encode(value, tp), tp) == value


class Name(str):
    """A subclass of a built-in class, which is written as that."""

    __slots__ = ()


def test_one_form() -> None:
    """Alternatives that write the same are no problem."""
    for tp, value, text in [
        (Name | str, Name("a"), b'"a"'),
        (Literal["a"] | str, "b", b'"b"'),
        (Literal[Level.LOW] | Level, Level.HIGH, b"2"),
        (UNIX | dt.date, dt.date(2024, 1, 1), b'"2024-01-01"'),
        (DIGITS | bool, True, b"true"),
        (UNIX | None, None, b"null"),
    ]:
        assert snooze.encode(value, tp) == text
    encoder = snooze.Encoder(list[int | str | None], hooks={int: str})
    assert encoder.encode([2, "a"]) == b'["2","a"]'
