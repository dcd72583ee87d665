"""White space between tokens: regular indentation, and what breaks it.

Separate because `loads` guesses that the white space after a comma is as long as that
after the opening bracket; a wrong guess must change nothing.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import snooze

#: Longer than a vector of each tier, and around its length.
LENGTHS = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 130, 300]
VALUE = {"a": [1, "x", [2.5, [True, None]], {}], "b": {"c": "é", "d": [[], 7]}, "e": -1}


def spaced(value: Any, spaces: Any) -> str:
    """Return JSON with the next of these white spaces between any two tokens."""
    if isinstance(value, dict):
        members = (
            f"{next(spaces)}{json.dumps(name)}{next(spaces)}:{next(spaces)}"
            f"{spaced(member, spaces)}{next(spaces)}"
            for name, member in value.items()
        )
        return "{" + (",".join(members) or next(spaces)) + "}"
    if isinstance(value, list):
        items = (
            f"{next(spaces)}{spaced(item, spaces)}{next(spaces)}" for item in value
        )
        return "[" + (",".join(items) or next(spaces)) + "]"
    return json.dumps(value)


@pytest.mark.parametrize("indent", ["", "\t", *(" " * length for length in LENGTHS)])
def test_regular_indentation(indent: str) -> None:
    text = json.dumps([VALUE] * 3, indent=indent)
    for document in (text, text.replace("\n", "\r\n"), text.replace("\n", " \n\t")):
        assert snooze.loads(document) == [VALUE] * 3
        assert snooze.Decoder(Any).decode(document) == [VALUE] * 3


@pytest.mark.parametrize("first", LENGTHS)
@pytest.mark.parametrize("second", LENGTHS)
def test_indentation_that_changes(first: int, second: int) -> None:
    """From one element to the next, with other white space of the same length, too."""
    one, other, mixed = " " * first, "\t" * second, (" \r\n\t" * first)[:first]
    items = f'1,{other}2,{one}"3",{mixed}[],{one}{other}5,{one}6.5'
    assert snooze.loads(f"[{one}{items}{other}]") == [1, 2, "3", [], 5, 6.5]
    members = f'"a":1,{other}"b":2,{one}"c":{one}3,{mixed}"d":[],{one}{other}"e":5'
    expected = {"a": 1, "b": 2, "c": 3, "d": [], "e": 5}
    assert snooze.loads(f"{{{one}{members}{other}}}") == expected


@pytest.mark.parametrize("seed", range(200))
def test_any_white_space(seed: int) -> None:
    chance = random.Random(seed)
    lengths = chance.sample(LENGTHS, 3)

    def spaces() -> Any:
        while True:
            length = chance.choice(lengths)
            yield "".join(chance.choice(" \t\r\n") for _ in range(length))

    assert snooze.loads(spaced([VALUE, VALUE], spaces())) == [VALUE, VALUE]


@pytest.mark.parametrize("indent", LENGTHS)
@pytest.mark.parametrize("byte", ["\x0b", "\x00", "\xa0", ",", "]", "}", ":", "x"])
def test_what_is_no_white_space_is_an_error_at_its_place(
    indent: int, byte: str
) -> None:
    """Where the guess would end, one before and one after it."""
    space = " " * indent
    for at in {max(indent - 1, 0), indent, indent + 1}:
        broken = (" " * 400)[:at] + byte
        text = f"[{space}1,{broken}{space}2]"
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.loads(text)
        assert caught.value.pos == len(f"[{space}1,") + (at if byte != "]" else -1)
        with pytest.raises(snooze.JSONDecodeError):
            snooze.loads(f'{{{space}"a":1,{broken}{space}"b":2}}')


@pytest.mark.parametrize("indent", LENGTHS)
def test_documents_that_end_in_white_space(indent: int) -> None:
    space = " " * indent
    for text in (f"[{space}1,{space}", f'{{{space}"a":1,{space}', f"[{space}1{space}"):
        with pytest.raises(snooze.JSONDecodeError):
            snooze.loads(text)
