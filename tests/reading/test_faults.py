"""Documents and options that were read wrongly once."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

import snooze


def test_unclosed_comments_are_searched_once_for_the_place_of_an_error() -> None:
    # A search for each of them takes half a minute.
    document = '{"z":[' + "/* " * 330_000 + '],"x":@}'
    with pytest.raises(snooze.JSONDecodeError):
        snooze.decode(document, int, at="/x", skip="fast")


@pytest.mark.parametrize("option", [{"max_depth": 5}, {"duplicates": "error"}])
def test_limits_do_not_change_which_numbers_fit(option: dict[str, Any]) -> None:
    large = snooze.decode('{"a":1e400}', dict[str, Decimal], **option)
    assert large == {"a": Decimal("1e400")}
    digits = "9" * 5000
    raw = snooze.decode(f"[{digits}]", list[snooze.Raw], **option)
    assert raw == [digits.encode()]
    assert snooze.decode('{"a":1e400,"b":1}', int, at="/b", **option) == 1


@pytest.mark.parametrize(
    ("document", "options"),
    [
        (b'["\xff"]', {"syntax": "jsonc"}),
        (b"[ // \xff\n1]", {"syntax": "jsonc"}),
        (b"[ /* \xff */ 1]", {"syntax": "json5"}),
        (b'["\xff"]', {"surrogates": "replace"}),
    ],
)
def test_bytes_that_are_not_utf8(document: bytes, options: dict[str, str]) -> None:
    for tp in (list[str], Any):
        with pytest.raises(snooze.JSONDecodeError, match="UTF-8"):
            snooze.decode(document, tp, **options)  # type: ignore[call-overload]


def test_an_escaped_character_that_is_not_ascii() -> None:
    for surrogates in ("error", "replace", "keep"):
        found = snooze.decode('"\\é"', syntax="json5", surrogates=surrogates)
        assert found == "é"


@pytest.mark.parametrize("space", ["\u00a0", "\u2028", "\ufeff"])
def test_the_place_after_white_space_of_json5(space: str) -> None:
    for name in ("a", '"a"'):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.decode(f"{{{space}{name}: @}}", syntax="json5")
        assert caught.value.pointer == "/a"


@dataclass
class Point:
    """A class with one field."""

    x: int


@pytest.mark.parametrize("option", [{"max_depth": 5}, {"duplicates": "error"}])
def test_fast_skipping_is_refused_where_everything_is_read(
    option: dict[str, Any],
) -> None:
    with pytest.raises(ValueError, match="skip='fast' has no meaning with"):
        snooze.decode(b"{}", Point, skip="fast", **option)


def test_a_name_that_looks_like_a_place_stays_as_it_is() -> None:
    document = '/* */ {"(line 1 column 24)": 1, "(line 1 column 30)": "a"}'
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(document, dict[str, int], syntax="jsonc", errors="all")
    assert '$["(line 1 column 30)"] (line 1 column 55)' in str(caught.value)


class Syntax(enum.StrEnum):
    """A str of another class."""

    JSON5 = "json5"


class Number(int):
    """An int of another class."""


def test_values_of_subclasses_are_options() -> None:
    assert snooze.Decoder(syntax=Syntax.JSON5).decode("[.5]") == [0.5]  # type: ignore[arg-type]
    assert snooze.Decoder(max_depth=Number(5)).decode("[1]") == [1]


def test_a_buffer_that_a_hook_changes_is_read_as_it_was() -> None:
    document = bytearray(b'/* */ ["a", "b"]')

    class Own:
        pass

    def make(tp: Any, value: str) -> Own:
        document[:] = b"\xff" * len(document)
        return Own()

    found = snooze.decode(document, list[Own], syntax="jsonc", dec_hook=make)
    assert [type(one) for one in found] == [Own, Own]


@pytest.mark.parametrize("position", [-1, 10**30])
def test_positions_outside_a_document(position: int) -> None:
    error = snooze.JSONDecodeError("own", "[1]", position if position < 0 else 3)
    error.pos = position
    assert error.pointer == ""
    assert error.snippet.startswith("[1]")
