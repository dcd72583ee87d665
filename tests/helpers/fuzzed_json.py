"""What must hold for any bytes that `snooze.json` and `loads` read: a property for fuzzing.

Separate from its campaign (`make fuzz TARGET=json`), as `fuzzed_types` is. Invariant:
`check` returns for all bytes, or there is a fault in snooze; the oracle is the standard
library. The first byte chooses the options of writing, and the rest is the text.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import snooze
from helpers.equality import same
from snooze import json as replacement

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Options of `json.dumps`. The number of one stays: a corpus has it.
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"indent": 2},
    {"indent": "\t", "ensure_ascii": False},
    {"sort_keys": True, "separators": (",", ":")},
    {"ensure_ascii": False},
    {"indent": 0, "separators": (" ,", " :")},
)
SAMPLES = (
    b'{"a": [1, -2.5, 1e300, true, null], "b": {"c": "\\u00e9\\ud83d\\ude00"}}',
    b"[NaN, -Infinity, 18446744073709551616, 0.1, 1E400]",
    b'"\\ud800"',
    b"\xef\xbb\xbf[]",
    b'{"a": 1, "a": {}}',
    b" 1e5 ",
)


def seeds() -> list[bytes]:
    """Return an input for each sample."""
    return [bytes([number]) + text for number, text in enumerate(SAMPLES)]


def outcome(function: Any, *arguments: Any, **options: Any) -> tuple[Any, Any]:
    """Return a value, or the exception."""
    try:
        return function(*arguments, **options), None
    except Exception as error:
        return None, error


def agree(found: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    """Assert that two outcomes are the same, messages included."""
    assert (type(found[1]), str(found[1])) == (type(expected[1]), str(expected[1]))
    assert same(found[0], expected[0])


def check(data: bytes) -> None:
    """Check one input.

    Raises:
        AssertionError: The module differs from the standard library's, or `loads` from
            both.
    """
    if not data:
        return
    options, text = OPTIONS[data[0] % len(OPTIONS)], data[1:]
    expected = outcome(json.loads, text)
    agree(outcome(replacement.loads, text), expected)
    check_loads(text, *expected)
    if expected[1] is None:
        value = expected[0]
        written = outcome(json.dumps, value, **options)
        agree(outcome(replacement.dumps, value, **options), written)


def check_loads(text: bytes, value: Any, error: Any) -> None:
    """Check `loads`, which accepts what RFC 8259 does, and `dumps` of its value."""
    found, other = outcome(snooze.loads, text)
    if other is not None:
        assert isinstance(other, snooze.JSONDecodeError)
        assert error is not None or is_refused(text), other
        return
    assert error is None, error
    if not has_large_numbers(value):
        assert same(found, value)
        written, refused = outcome(snooze.dumps, found)
        if refused is None:
            assert same(snooze.loads(written), found)
            assert same(json.loads(written), found)
        else:
            assert isinstance(refused, snooze.JSONEncodeError)
            assert "nested" in str(refused) or "Recursion" in str(refused)


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the names and scalars of a value."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            stack.extend(one)
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
        else:
            yield one


def is_refused(text: bytes) -> bool:
    """Tell whether `loads` refuses a text that `json` reads: see docs/reference.md."""
    if text.startswith(b"\xef\xbb\xbf") or b"\0" in text:
        return True  # a mark, or UTF-16 and UTF-32, which `json` detects
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    if text.count(b"[") + text.count(b"{") > 1024:
        return True

    def flat(pairs: list[tuple[str, Any]]) -> list[Any]:
        return [one for pair in pairs for one in pair]

    # With the members that a later one of the same name replaces.
    return any(
        is_no_value(one) for one in parts_of(json.loads(text, object_pairs_hook=flat))
    )


def is_no_value(part: Any) -> bool:
    """Tell whether a name or a scalar is none for `loads`."""
    if isinstance(part, str):
        return any("\ud800" <= character <= "\udfff" for character in part)
    if isinstance(part, float):
        return not math.isfinite(part)
    return isinstance(part, int) and abs(part) >= 2**1023


def has_large_numbers(value: Any) -> bool:
    """Tell whether there is an integer beyond 64 bits, which `loads` makes a float."""
    return any(
        type(one) is int and not -(2**63) <= one < 2**64 for one in parts_of(value)
    )
