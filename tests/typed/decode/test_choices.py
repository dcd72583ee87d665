"""Enums and Literals: every way in which a value is found among the choices.

Texts in ASCII and integers of 64 bits are found in tables of their own, all others in a
dict. So each kind stands beside the others here.
"""

from __future__ import annotations

import enum
import gc
import json
import weakref
from typing import Any, Literal

import pytest

import snooze
from helpers.typed_tools import Decoder

TEXTS = [
    "a",
    "",
    "b" * 40,
    "b" * 41,
    "é",
    "日本",
    "😀",
    'with "quotes"',
    "\n",
    "1",
    "null",
]
NUMBERS = [0, 1, -1, 1023, 2**31, -(2**63), 2**63 - 1]
BIG = [2**63, 2**64, -(2**63) - 1, 10**30]


def enum_of(values: list[Any]) -> Any:
    """Return an enum with these values."""
    return enum.Enum("Made", {f"M{at}": value for at, value in enumerate(values)})


@pytest.mark.parametrize("values", [TEXTS, NUMBERS, BIG, TEXTS + NUMBERS + BIG])
def test_each_member_is_found(values: list[Any]) -> None:
    """Alone, and in a list, from text with and without escapes."""
    made = enum_of(values)
    decoder = Decoder(made)
    for value in values:
        for ascii_only in (True, False):
            text = json.dumps(value, ensure_ascii=ascii_only)
            assert decoder.decode(text) is made(value)
    escaped = ["".join(f"\\u{ord(c):04x}" for c in "a"), json.dumps("b" * 40)[1:-1]]
    if "a" in values:
        assert [decoder.decode(f'"{text}"').value for text in escaped] == [
            "a",
            "b" * 40,
        ]
    members = list(made)
    document = json.dumps([member.value for member in members])
    assert Decoder(list[made]).decode(document) == members  # type: ignore[valid-type]
    assert Decoder(tuple[made, ...]).decode(document) == tuple(members)


@pytest.mark.parametrize("values", [TEXTS, NUMBERS, BIG, TEXTS + NUMBERS + BIG])
def test_others_are_refused(values: list[Any]) -> None:
    """Neighbours of the choices, and values of other kinds."""
    decoder = Decoder(enum_of(values))
    others = [
        "A",
        "a ",
        "b" * 39,
        "É",
        2,
        -2,
        2**62,
        2**65,
        1.0,
        1.5,
        True,
        None,
        [],
        {},
    ]
    for other in others:
        with pytest.raises(snooze.ValidationError):
            decoder.decode(json.dumps(other))
    with pytest.raises(snooze.JSONDecodeError, match="UTF-8"):
        decoder.decode(b'"a\xff"')


def test_more_texts_than_the_table_holds() -> None:
    """A Literal may have any number of values."""
    values = [f"value {number}" for number in range(70_000)]
    decoder = Decoder(list[Literal[tuple(values)]])  # type: ignore[valid-type, misc]
    assert decoder.decode(json.dumps(values)) == values
    with pytest.raises(snooze.ValidationError):
        decoder.decode('["value 70000"]')


def test_many_integers() -> None:
    """In any order of definition."""
    values = [(number * 7919) % 10_007 - 5000 for number in range(2000)]
    made = enum_of(values)
    document = json.dumps(values)
    assert [m.value for m in Decoder(list[made]).decode(document)] == values  # type: ignore[valid-type]


def test_literals() -> None:
    """Values of several kinds beside each other; True is not 1."""
    decoder = Decoder(list[Literal["a", "é", 1, -5, True, None]])
    found = decoder.decode('["a","\\u00e9",1,-5,true,null]')
    assert found == ["a", "é", 1, -5, True, None]
    assert [type(one) for one in found] == [str, str, int, int, bool, type(None)]
    for text in ("false", "0", '"b"', "1.0", "-1"):
        with pytest.raises(snooze.ValidationError):
            decoder.decode(f"[{text}]")


def test_aliases_and_names() -> None:
    """An alias of a member is the member."""

    class Colour(enum.Enum):
        RED = "red"
        CRIMSON = "red"  # noqa: PIE796 - an alias is the point
        BLUE = "blue"

    assert Decoder(list[Colour]).decode('["red","blue"]') == [Colour.RED, Colour.BLUE]


def test_keys_of_dicts() -> None:
    """Names of members are found as well."""
    made = enum_of(["a", "é", "b" * 50])
    document = json.dumps({value: at for at, value in enumerate(["a", "é", "b" * 50])})
    found = Decoder(dict[made, int]).decode(document)  # type: ignore[valid-type]
    assert found == {member: at for at, member in enumerate(made)}


def test_a_codec_does_not_keep_its_enum() -> None:
    """A cycle of a class and a codec of it is collected."""

    class Colour(enum.Enum):
        RED = "red"
        ONE = 1

    Colour.decoder = Decoder(list[Colour])  # type: ignore[attr-defined]
    assert Colour.decoder.decode('["red",1]') == [Colour.RED, Colour.ONE]  # type: ignore[attr-defined]
    reference = weakref.ref(Colour)
    del Colour
    gc.collect()
    assert reference() is None
