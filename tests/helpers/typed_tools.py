"""Assertions of the tests of typed decoding: a document is accepted or refused.

Separate so that each test states type, document and result in one line. Invariant: a
refusal is compared by its whole text, an accepted value by its exact type as well.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import snooze
from helpers.equality import assert_same
from snooze import Decoder, Problem, ValidationError, decode

__all__ = ["Decoder", "Problem", "ValidationError", "decode"]


def as_bytes(document: Any) -> Any:
    """Encode a str as UTF-8; return anything else unchanged."""
    return document.encode() if isinstance(document, str) else document


def accept(tp: Any, document: Any, expected: Any, **options: Any) -> None:
    """Assert that a document decodes to exactly this value, as bytes and as str."""
    decoder = Decoder(tp, **options)
    value = decoder.decode(as_bytes(document))
    assert_same(value, expected)
    if isinstance(document, str):
        assert_same(decoder.decode(document), expected)
    if not options.get("strict", True):
        return
    for mode in ("first", "all"):
        for skip in ("validate", "fast"):
            other = Decoder(tp, **{"errors": mode, "skip": skip, **options})
            assert_same(other.decode(as_bytes(document)), expected)


def refusal(tp: Any, document: Any, **options: Any) -> ValidationError:
    """Return the error of a document that is JSON but does not fit."""
    with pytest.raises(ValidationError) as caught:
        Decoder(tp, **options).decode(as_bytes(document))
    error = caught.value
    assert type(error) is ValidationError
    assert error.errors
    first = error.errors[0]
    assert error.path == first.path
    assert error.msg == first.message
    assert (error.lineno, error.colno) == (first.line, first.column)
    text = document if isinstance(document, str) else bytes(document).decode()
    assert error.doc == text
    assert len(text[: error.pos].encode()) == first.offset
    more = f" (and {len(error.errors) - 1} more)" if len(error.errors) > 1 else ""
    assert str(error) == first.message + more
    return error


def refuse(tp: Any, document: Any, *messages: str, **options: Any) -> None:
    """Assert that a document is refused with exactly these messages.

    With errors="first" only the first of them is reported.
    """
    error = refusal(tp, document, **options)
    got = [one.message for one in error.errors]
    assert got == [messages[0]], got
    error = refusal(tp, document, errors="all", **options)
    got = [one.message for one in error.errors]
    assert got == list(messages), got


def json_error(document: Any) -> tuple[Any, ...] | None:
    """Return the attributes of the error that `loads` raises for malformed JSON, or None."""
    try:
        snooze.loads(document)
    except snooze.JSONDecodeError as error:
        return (error.msg, error.pos, error.lineno, error.colno, error.doc)
    return None


def ulps(one: float, two: float) -> float:
    """Return the distance between two floats, in units of the last place."""
    return abs(one - two) / math.ulp(max(abs(one), abs(two)))
