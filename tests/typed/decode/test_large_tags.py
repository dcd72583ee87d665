"""Tags and other integers that tell classes apart, beyond 64 bits."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import pytest

import snooze

LARGE = 2**63
HUGE = 10**308


@snooze.configure(tag=LARGE)
@dataclasses.dataclass
class Tagged:
    """A class with a large tag."""


@snooze.configure(tag=-HUGE)
@dataclasses.dataclass
class Other:
    """A class with a longer one."""


@snooze.configure(tag=LARGE, array_like=True)
@dataclasses.dataclass
class InArray:
    """A class whose tag is the first item."""


@snooze.configure(tag=1, array_like=True)
@dataclasses.dataclass
class OtherArray:
    """Another one."""


@dataclasses.dataclass
class First:
    """A class that a Literal tells."""

    kind: Literal[9223372036854775808]


@dataclasses.dataclass
class Second:
    """Another one."""

    kind: Literal[1]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (Tagged(), Tagged),
        (Tagged(), Tagged | Other),
        (InArray(), InArray | OtherArray),
        (First(LARGE), First | Second),
    ],
    ids=["alone", "union", "array", "literal"],
)
def test_round_trip(value: Any, type_: Any) -> None:
    """They are read as they are written."""
    text = snooze.encode(value, type_)
    assert str(LARGE).encode() in text
    assert snooze.decode(text, type_) == value
    assert snooze.convert(snooze.to_builtins(value, type=type_), type_) == value


def test_the_longest() -> None:
    """Integers beyond the range of a double are no tags."""
    text = b'{"type":-' + str(HUGE).encode() + b"}"
    assert snooze.decode(text, Tagged | Other) == Other()
    with pytest.raises(snooze.ValidationError, match="at \\$.type"):
        snooze.decode(text.replace(b"}", b"0}"), Tagged | Other)


@pytest.mark.parametrize("tag", [b"9.223372036854775808e18", b"9223372036854775808.0"])
def test_other_numbers(tag: bytes) -> None:
    """A tag has neither a point nor an exponent."""
    with pytest.raises(snooze.ValidationError, match="at \\$.type"):
        snooze.decode(b'{"type":' + tag + b"}", Tagged | Other)
