"""Tags and other integers that tell classes apart, beyond the signed ones of 64 bits."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import pytest

import snooze

LARGE = 2**64 - 1


@snooze.configure(tag=LARGE)
@dataclasses.dataclass
class Tagged:
    """A class with a large tag."""


@snooze.configure(tag=-(2**63))
@dataclasses.dataclass
class Other:
    """A class with a small one."""


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

    kind: Literal[18446744073709551615]


@dataclasses.dataclass
class Second:
    """Another one."""

    kind: Literal[1]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (Tagged(), Tagged),
        (Tagged(), Tagged | Other),
        (Other(), Tagged | Other),
        (InArray(), InArray | OtherArray),
        (First(LARGE), First | Second),
    ],
    ids=["alone", "union", "negative", "array", "literal"],
)
def test_round_trip(value: Any, type_: Any) -> None:
    """They are read as they are written."""
    text = snooze.encode(value, type_)
    assert snooze.decode(text, type_) == value
    assert snooze.convert(snooze.to_builtins(value, type=type_), type_) == value


@pytest.mark.parametrize("tag", [2**64, -(2**63) - 1])
def test_beyond_64_bits(tag: int) -> None:
    """No Decoder would find them, so they are refused when the codec is made."""
    cls = snooze.configure(tag=tag)(dataclasses.make_dataclass("Large", []))
    for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
        with pytest.raises(TypeError, match=f"tag of at most 64 bits, found {tag}"):
            make(cls)
    one = dataclasses.make_dataclass("One", [("kind", Literal[tag])])  # type: ignore[valid-type]
    with pytest.raises(TypeError, match="ambiguous"):
        snooze.Decoder(one | Second)


@pytest.mark.parametrize(
    "tag", [b"1.8446744073709551615e19", b"18446744073709551615.0"]
)
def test_other_numbers(tag: bytes) -> None:
    """A tag has neither a point nor an exponent."""
    with pytest.raises(snooze.ValidationError, match="at \\$.type"):
        snooze.decode(b'{"type":' + tag + b"}", Tagged | Other)
