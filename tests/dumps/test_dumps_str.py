"""dumps_str: the text of dumps, as a str."""

from __future__ import annotations

import json
import pickle
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given

import snooze
from helpers import ledger, strategies, subjects
from helpers.isolated import FREE_THREADED, KNOWS_LAYOUTS


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


@pytest.mark.parametrize("length", [1022, 1023, 1100, 70_000, 3_000_000])
def test_a_text_in_ascii_is_an_ordinary_str(length: int) -> None:
    """It is built where it was written, and can do what every other one can."""
    for write in (
        snooze.dumps_str,
        snooze.Encoder().encode_str,
        snooze.Encoder(ensure_ascii=True, indent=2).encode_str,
        snooze.json.dumps,
    ):
        for value in ("a" * length, ["a"] * (length // 4)):
            written = write(value)
            same = "".join(list(written))
            assert written == same
            assert hash(written) == hash(same)
            assert sys.getsizeof(written) == sys.getsizeof(same)
            assert written.isascii()
            assert {written: 1}[same] == 1
            assert written.encode() == same.encode()
            assert pickle.loads(pickle.dumps(written)) == same
            written += "!"  # changes it in place, as this is the only reference
            assert written == same + "!"
            written += "\u597d"
            assert written == same + "!\u597d"
            assert sys.intern(write(value)) == same


@pytest.mark.skipif(
    hasattr(sys, "gettotalrefcount")
    or (FREE_THREADED and sys.version_info[:2] != (3, 14))
    or not KNOWS_LAYOUTS,
    reason="this build of Python makes every str by calls",
)
@pytest.mark.parametrize(
    ("write", "text", "most"),
    [
        (snooze.dumps_str, "a" * 50, 1.2),
        (snooze.Encoder().encode_str, "a" * 50, 1.2),
        (snooze.json.dumps, "a" * 50, 1.2),
        (snooze.json.dumps, "a" * 50 + "\u00e9", 1.2),
        (snooze.Encoder(ensure_ascii=True, indent=1).encode_str, "a" * 50, 1.2),
        # The text in UTF-8, and the result.
        (snooze.Encoder(ensure_ascii=True).encode_str, "a" * 50 + "\u00e9", 2.2),
        (snooze.Encoder(separators=(" ,", ":")).encode_str, "a" * 50, 2.2),
    ],
)
def test_a_large_text_is_not_copied(write: Any, text: str, most: float) -> None:
    """The most memory of a call is little more than the result."""
    value = [text] * 100_000
    for _ in range(2):  # from the second on the size is predicted
        write(value)
    tracemalloc.start()
    try:
        written = write(value)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most * len(written)


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
