"""Assertions of the tests of typed decoding: a document is accepted or refused.

Separate so that each test states type, document and result in one line. Invariant: a
refusal is compared by its whole text, an accepted value by its exact type as well.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any

import pytest

import snooze
from helpers.equality import assert_same
from snooze import Converter, Decoder, Problem, ValidationError, decode

__all__ = ["Decoder", "Problem", "ValidationError", "decode"]


def as_bytes(document: Any) -> Any:
    """Encode a str as UTF-8; return anything else unchanged."""
    return document.encode() if isinstance(document, str) else document


def accept(tp: Any, document: Any, expected: Any, **options: Any) -> None:
    """Assert that a document decodes to exactly this value, as bytes and as str."""
    decoder = Decoder(tp, **options)
    assert decoder.validate_only(as_bytes(document)) is None
    value = decoder.decode(as_bytes(document))
    assert_same(value, expected)
    if isinstance(document, str):
        assert_same(decoder.decode(document), expected)
        if is_convertible(tp, document, options):
            objects = python_objects(document)
            assert_same(Converter(tp, **options).convert(objects), expected)
    if not options.get("strict", True):
        return
    for mode in ("first", "all"):
        for skip in ("validate", "fast"):
            other = Decoder(tp, **{"errors": mode, "skip": skip, **options})
            assert_same(other.decode(as_bytes(document)), expected)


class _DuplicateError(ValueError):
    """A name comes twice in an object, which a dict cannot hold."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _DuplicateError
    return made


def _exact_number(text: str) -> Any:
    """Return a float or int, or a Decimal where these do not keep the digits."""
    number = float(text) if set(text) & set(".eE") else int(text)
    if repr(number) == text:
        return number
    exact = Decimal(text)
    if not exact.is_finite():
        raise InvalidOperation
    # An integer with an exponent is a float in JSON.
    return number if "e" in text.lower() and exact == number else exact


def python_objects(document: str) -> Any:
    """Return the objects that stand for a document, with every digit of its numbers."""
    return json.loads(
        document,
        object_pairs_hook=_object,
        parse_float=_exact_number,
        parse_int=_exact_number,
    )


def is_convertible(tp: Any, document: str, options: dict[str, Any]) -> bool:
    """Return whether a Converter must make of the objects what a Decoder makes of it.

    It has no text, so it has no Raw, no options for text, and no numbers that Python
    objects do not keep where any value is accepted.
    """
    if {"at", "skip"} & set(options) or "Raw" in repr(tp):
        return False
    try:
        python_objects(document)
    except (_DuplicateError, RecursionError, InvalidOperation):
        return False
    return True


def refusal(tp: Any, document: Any, **options: Any) -> ValidationError:
    """Return the error of a document that is JSON but does not fit."""
    with pytest.raises(ValidationError) as caught:
        Decoder(tp, **options).decode(as_bytes(document))
    error = caught.value
    with pytest.raises(ValidationError) as other:
        Decoder(tp, **options).validate_only(as_bytes(document))
    assert other.value.errors == error.errors
    assert type(error) is ValidationError
    assert error.errors
    first = error.errors[0]
    assert error.pointer == first.pointer
    assert error.msg == first.message
    assert (error.lineno, error.colno) == (first.line, first.column)
    text = document if isinstance(document, str) else bytes(document).decode()
    assert error.doc == text
    assert len(text[: error.pos].encode()) == first.offset
    count = len(error.errors) + error.omitted
    cut = f", {error.omitted} of them not listed" if error.omitted else ""
    more = f" (and {count - 1} more{cut})" if count > 1 else ""
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
    if isinstance(document, str) and is_convertible(tp, document, options):
        converter = Converter(tp, **{**options, "errors": "all"})
        with pytest.raises(ValidationError) as caught:
            converter.convert(python_objects(document))
        paths = sorted(one.pointer for one in error.errors)
        assert sorted(one.pointer for one in caught.value.errors) == paths


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
