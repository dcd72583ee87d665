"""dumps_str: the text of dumps, as a str."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given

import snooze
from helpers import ledger, strategies, subjects


@pytest.mark.parametrize("name", subjects.OBJECTS)
def test_same_text_as_dumps(name: str) -> None:
    """Whatever dumps writes or refuses, dumps_str does too."""
    value, option = subjects.OBJECTS[name]
    if value is None:
        pytest.skip("needs a library that is not here: NOT tested")
    try:
        expected: Any = snooze.dumps(value, subjects.unwrap, option).decode()
    except snooze.JSONEncodeError as exc:
        expected = str(exc)
    try:
        written: Any = snooze.dumps_str(value, subjects.unwrap, option)
    except snooze.JSONEncodeError as exc:
        written = str(exc)
    assert written == expected


@given(strategies.json_values())
def test_any_value(value: Any) -> None:
    """The text of any JSON value is that of dumps."""
    assert snooze.dumps_str(value) == snooze.dumps(value).decode()


@pytest.mark.parametrize("length", [0, 1, 2, 1022, 1023, 1024, 100_000])
@pytest.mark.parametrize("char", ["a", "\u00e9", "\u597d", "\U0001f600"], ids=ascii)
def test_every_width_and_size(char: str, length: int) -> None:
    """The str is compact: as wide as its widest character and no wider."""
    written = snooze.dumps_str(char * length)
    assert written == json.dumps(char * length, ensure_ascii=False)
    assert sys.getsizeof(written) == sys.getsizeof("".join(list(written)))


def test_options_and_default() -> None:
    """The parameters are those of dumps."""
    option = snooze.OPT_INDENT_2 | snooze.OPT_SORT_KEYS
    document = {"b": 1, "a": {2}}
    expected = '{\n  "a": [\n    2\n  ],\n  "b": 1\n}'
    assert snooze.dumps_str(document, default=list, option=option) == expected
    assert snooze.dumps_str(document, list, option) == expected


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((), {}, "dumps_str() missing 1 required positional argument: 'obj'"),
        (
            (1, None, None, None),
            {},
            "dumps_str() takes at most 3 positional arguments (4 given)",
        ),
        (
            (1,),
            {"indent": 2},
            "dumps_str() got an unexpected keyword argument 'indent'",
        ),
        (
            (1, None),
            {"default": None},
            "dumps_str() got multiple values for argument: 'default'",
        ),
        ((1,), {"option": -1}, "Invalid opts"),
    ],
)
def test_wrong_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], message: str
) -> None:
    """Wrong arguments raise TypeError with the function's name."""
    with pytest.raises(TypeError) as caught:
        snooze.dumps_str(*arguments, **keywords)
    assert str(caught.value) == message


def test_a_lone_surrogate_is_refused() -> None:
    """A str may hold one, JSON text in UTF-8 may not."""
    with pytest.raises(snooze.JSONEncodeError, match="surrogates not allowed"):
        snooze.dumps_str(["\ud800"])


def test_nothing_is_left_behind() -> None:
    """Results and errors leave no memory."""

    def calls(times: int) -> None:
        for _ in range(times):
            snooze.dumps_str(["\u597d" * 2000])
            with pytest.raises(snooze.JSONEncodeError):
                snooze.dumps_str([object()])

    assert not ledger.grown(calls, 50)
