"""`infer`: documents read with exact numbers, and documents without an end."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

import snooze

TEXT = b"""
{"n": 1, "x": 1.50, "e": 1e2, "all": [1, 2.5, null], "big": 123456789012345678901}
"""


@pytest.mark.parametrize("numbers", ["raw", "decimal"])
def test_exact_numbers_are_what_loads_reads(numbers):
    """Integers are integers, and those with a point or an exponent are numbers."""
    found = snooze.infer(snooze.decode(TEXT, numbers=numbers))
    same = snooze.infer(snooze.decode(TEXT))
    assert found.schema() == same.schema()
    assert found.source() == same.source()
    assert "all: list[int | float | None]" in found.source()


def test_numbers_alone():
    for value, kind in [
        (snooze.Raw(b"-0"), "integer"),
        (snooze.Raw(b"-1.0"), "number"),
        (snooze.Raw(b"1E400"), "number"),
        (Decimal(1), "number"),
        (Decimal("NaN"), "number"),
        (math.inf, "number"),
    ]:
        assert snooze.infer(value).schema()["type"] == kind


@pytest.mark.parametrize("text", [b'"x"', b"[1]", b"1x", b"1\n", b""])
def test_other_raw_texts_are_refused(text):
    with pytest.raises(TypeError, match="found a Raw that is no number$"):
        snooze.infer([snooze.Raw(text)])


def deep(levels):
    """Return nested lists and objects."""
    document: object = []
    for number in range(levels - 1):
        document = [1, document] if number % 2 else {"a": document}
    return document


def test_depth_is_limited():
    assert snooze.infer(deep(100_000)).documents == 1
    with pytest.raises(ValueError, match="at most 100000 nested objects and arrays"):
        snooze.infer(deep(100_001))


@pytest.mark.parametrize("times", [1, 2])
def test_what_contains_itself_is_refused(times):
    inside: list = []
    inside += [inside] * times
    with pytest.raises(ValueError, match="that contains itself"):
        snooze.infer(inside)
    members: dict = {}
    members.update({str(name): {"up": members} for name in range(times)})
    with pytest.raises(ValueError, match="that contains itself"):
        snooze.infer([members])
