"""Constraints that no value of a class can satisfy are refused when a codec is made."""

from __future__ import annotations

import datetime
import enum
import fractions
import ipaddress
import pathlib
import re
from typing import Annotated, Any

import pytest

import snooze
from snooze import Ge, Gt, Le, Len, Lt, MaxLen, MinLen, MultipleOf, Via


class Bits(enum.Flag):
    """A flag without an order."""

    A = 1
    B = 2


class IntBits(enum.IntFlag):
    """A flag with the order of its numbers."""

    A = 1
    B = 2


class Pair(enum.Enum):
    """Values that are arrays."""

    A = (1, 2)


class Money:
    """A class without order or length."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    @classmethod
    def __snooze__(cls) -> Via:
        """Represent it as a number."""
        return Via(int, decode=cls, encode=lambda one: one.cents)


class Weight(Money):
    """One with both."""

    def __lt__(self, other: float) -> bool:
        return self.cents < other

    def __len__(self) -> int:
        return self.cents


ORDINAL = Via(int, decode=datetime.date.fromordinal, encode=datetime.date.toordinal)
Ordinal = Annotated[datetime.date, ORDINAL]
OTHERS = "these Gt, Ge, Lt and Le cannot constrain this type; the bounds are values of"
LENGTHS = "Len, MinLen and MaxLen cannot constrain this type"
BOUNDS = "Gt, Ge, Lt, Le and MultipleOf cannot constrain this type"


@pytest.mark.parametrize(
    ("cls", "constraint", "message"),
    [
        (pathlib.Path, MaxLen(5), LENGTHS),
        (re.Pattern, MinLen(1), LENGTHS),
        (ipaddress.IPv4Address, Len(1, 9), LENGTHS),
        (Money, MaxLen(1), LENGTHS),
        (Bits, Lt(3), BOUNDS),
        (Pair, Lt(3), BOUNDS),
        (Annotated[str, Via(int, decode=str, encode=int)], Lt(3), BOUNDS),
        (pathlib.Path, Lt(3), BOUNDS),
        (ipaddress.IPv4Address, Ge(3), BOUNDS),
        (re.Pattern, Gt(1), BOUNDS),
        (memoryview, Gt(1), BOUNDS),
        (Money, Le(1), BOUNDS),
        (Weight, MultipleOf(2), BOUNDS),
        (fractions.Fraction, MultipleOf(2), BOUNDS),
        (Ordinal, Lt(3), BOUNDS),
        (Ordinal, Lt(datetime.datetime(1, 1, 3)), OTHERS),
        (Money, Lt(datetime.date(1, 1, 3)), OTHERS),
    ],
    ids=str,
)
def test_refused(cls: Any, constraint: Any, message: str) -> None:
    """They would refuse every value, with the words of Python."""
    for make in (snooze.Decoder, snooze.Encoder, snooze.Converter, snooze.schema):
        with pytest.raises(TypeError, match=message):
            make(Annotated[cls, constraint])


@pytest.mark.parametrize(
    ("tp", "right", "wrong"),
    [
        (Annotated[fractions.Fraction, Gt(0)], '"1/3"', '"-1/3"'),
        (Annotated[IntBits, Lt(3)], "2", "3"),
        (Annotated[Bits, MinLen(1)], "2", "0"),
        (Annotated[memoryview, MaxLen(2)], '"YWI="', '"YWJj"'),
        (Annotated[Weight, Lt(3), MinLen(1)], "2", "4"),
        (Annotated[Weight, Lt(3), MinLen(1)], "2", "0"),
        (Annotated[Any, Via(str, decode=int), Lt(3)], '"2"', '"3"'),
        (Annotated[int | str, Via(str, decode=int), Lt(3)], '"2"', '"3"'),
        (Annotated[pathlib.Path | list[int], MaxLen(1)], "[1]", "[1,2]"),
        (Annotated[Ordinal, Ge(datetime.date(1, 1, 3))], "3", "2"),
        (Annotated[Ordinal | None, Lt(datetime.date(1, 1, 3))], "2", "3"),
        (Annotated[Any, ORDINAL, Gt(datetime.date(1, 1, 2))], "3", "2"),
    ],
    ids=str,
)
def test_checked(tp: Any, right: str, wrong: str) -> None:
    """Where a value can satisfy them, they are checked."""
    decoder: Any = snooze.Decoder(tp)
    decoder.decode(right)
    with pytest.raises(snooze.ValidationError):
        decoder.decode(wrong)
