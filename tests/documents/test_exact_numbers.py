"""Numbers that were read with all digits are compared as numbers: Raw and Decimal."""

from __future__ import annotations

import json
import math
import sys
import time
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import snooze
from snooze import Raw

NUMBERS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,4})?([eE][-+]?[0-9]{1,3})?", fullmatch=True
)


def passes(test, **members):
    """Tell whether an object passes a filter."""
    return snooze.jsonpath.find([members], f"$[?{test}]") == [members]


def order(one, other):
    """Return the order of two values by filters; None if they have none."""
    names = ("<", "==", ">")
    holds = [name for name in names if passes(f"@.a {name} @.b", a=one, b=other)]
    assert len(holds) <= 1
    return holds[0] if holds else None


def expected(one, other):
    return "<" if one < other else ">" if one > other else "=="


@given(NUMBERS, NUMBERS)
def test_texts_have_the_order_of_their_values(one, other):
    found = expected(Decimal(one), Decimal(other))
    first, second = Raw(one.encode()), Raw(other.encode())
    assert order(first, second) == found
    assert order(first, Decimal(other)) == found
    test = [{"op": "test", "path": "", "value": second}]
    if found == "==":
        assert snooze.patch(first, test) == first
    else:
        with pytest.raises(snooze.PatchError):
            snooze.patch(first, test)


@given(NUMBERS, st.integers())
def test_integers_are_exact(one, other):
    found = expected(Decimal(one), other)
    assert order(Raw(one.encode()), other) == found
    assert order(Decimal(one), other) == found


@given(NUMBERS, NUMBERS.map(float))
def test_floats_are_compared_as_doubles(one, other):
    value = json.loads(one)
    assert order(Raw(one.encode()), other) == expected(value, other)
    assert order(Raw(one.encode()), float("nan")) is None


@given(NUMBERS, NUMBERS)
def test_a_patch_is_empty_for_equal_numbers(one, other):
    first, second = json.loads(one), json.loads(other)
    operations = snooze.diff([Raw(one.encode())], [Raw(other.encode())])
    if type(first) is not type(second) or Decimal(one) != Decimal(other):
        assert operations == [
            {"op": "replace", "path": "/0", "value": Raw(other.encode())}
        ]
    elif Decimal(one):
        assert operations == []
    else:  # -0.0 is not 0.0, but the integer 0 has no sign
        signs = type(first) is float and (one[0] == "-") != (other[0] == "-")
        assert bool(operations) is signs


@pytest.mark.parametrize(
    "other", [None, True, "1", [1], {"a": 1}, Raw(b'"1"'), Raw(b"[1]"), Raw(b"1\n")]
)
def test_what_is_no_number_has_no_order(other):
    assert order(Raw(b"1"), other) is None
    assert order(other, Raw(b"1")) is None
    assert order(Decimal(1), other) is None
    assert not passes("@.a <= @.b", a=Raw(b"1"), b=other)


def test_other_texts_are_equal_if_they_are_the_same():
    assert order(Raw(b'"x"'), Raw(b'"x"')) == "=="
    assert order(Raw(b'"x"'), Raw(b'"y"')) is None
    assert snooze.diff([Raw(b'"x"')], [Raw(b'"x"')]) == []


def test_huge_exponents_cost_nothing():
    large, larger = Raw(b"1e999999999999999999"), Raw(b"-1e999999999999999998")
    assert order(large, larger) == ">"
    assert order(large, Raw(b"10e999999999999999998")) == "=="
    endless = Raw(b"1e" + b"9" * 10_000)
    assert order(endless, endless) == "=="
    assert order(endless, large) is None
    assert order(Raw(b"0e" + b"9" * 10_000), 0) == "=="
    assert order(Raw(b"1" * 10_000), 5) == ">"
    assert order(Raw(b"1" * 10_000), 0.5) == ">"
    assert order(Raw(b"1e400"), 1.5) == ">"


def test_literals_are_the_doubles_that_loads_reads():
    for value in (Raw(b"1.10"), Decimal("1.10"), 1.1):
        assert passes("@.a == 1.1 && @.a >= 1.1 && @.a > 1 && @.a < 2", a=value)
        assert not passes("@.a > 1.1", a=value)
    assert not passes("@.a == 9007199254740992.0", a=Raw(b"9007199254740993"))


WORDS = ("Infinity", "-Infinity", "NaN")


@pytest.mark.parametrize("numbers", ["float", "raw", "decimal"])
def test_numbers_that_are_not_finite_have_the_order_of_floats(numbers):
    """A Decimal that is infinite is beyond all others, and NaN has no order."""
    text = "[1, 1.5, -2, Infinity, -Infinity, NaN]"
    values = snooze.decode(text, nan="accept", numbers=numbers)
    floats = snooze.decode(text, nan="accept")
    for one, its in zip(values, floats, strict=True):
        for other, others in zip(values + floats, floats * 2, strict=True):
            has_nan = math.isnan(its) or math.isnan(others)
            found = None if has_nan else expected(its, others)
            assert order(one, other) == found


@pytest.mark.parametrize("word", WORDS)
def test_a_patch_knows_numbers_that_are_not_finite(word):
    for numbers in ("float", "raw", "decimal"):
        for other in WORDS:
            old, new = (
                snooze.decode(f"[{one}]", nan="accept", numbers=numbers)
                for one in (word, other)
            )
            assert (snooze.diff(old, new) == []) is (word == other)
    signalling = Decimal("sNaN")
    assert order(signalling, signalling) is None
    assert order(signalling, 1) is None
    assert order(1.5, signalling) is None
    assert snooze.diff([signalling], [Decimal("-NaN")]) == []


def test_infinity_is_beyond_the_largest_decimal():
    huge = Decimal("1e999999")
    assert order(huge, Decimal("Infinity")) == "<"
    assert order(-huge, Decimal("-Infinity")) == ">"


def test_a_patch_keeps_the_sign_of_a_decimal_zero():
    """As of floats, and of Raw."""
    old, new = ([Decimal(text)] for text in ("0.0", "-0.0"))
    assert snooze.diff(old, [Decimal("0.00")]) == []
    assert str(snooze.patch(old, snooze.diff(old, new))[0]) == "-0.0"


def test_decimals_with_one_hash_are_compared_fast():
    """Their texts are keys, because numbers could be chosen that have one hash."""
    modulus = sys.hash_info.modulus
    old = [Decimal(number * modulus) for number in range(1, 8_000)]
    new = [*old[1:], Decimal(5)]
    start = time.process_time()
    assert len(snooze.diff(old, new)) == 2
    assert time.process_time() - start < 3


@given(
    st.one_of(
        st.integers(-(2**66), 2**66), st.integers(), st.integers(1, 9).map((10).__pow__)
    ),
    st.floats(allow_nan=False),
)
@example(100000000000000000001, 1e20)
@example(2**64 - 1, 2.0**64)
@example(2**64, 2.0**64)
@example(2**64 + 1, 2.0**64)
@example(-(2**63), -(2.0**63))
@example(-(2**63) - 1, -(2.0**63))
@example(10**300 + 1, 1e300)
def test_integers_are_compared_with_floats_as_loads_reads_them(number, other):
    """Exactly up to 64 bits; beyond, where `loads` reads a float, as that float."""
    text = str(number).encode()
    for value in (Raw(text), Decimal(number)):
        for its in (other, float(number)):
            found = expected(snooze.loads(text), its)
            assert order(value, its) == found
            test = [{"op": "test", "path": "", "value": its}]
            if found == "==":
                assert snooze.patch(value, test) == value
            else:
                with pytest.raises(snooze.PatchError):
                    snooze.patch(value, test)


def test_messages_show_the_text():
    document = snooze.decode('{"a": 1.10}', numbers="raw")
    with pytest.raises(snooze.PatchError, match=r"expected 2, found 1\.10$"):
        snooze.patch(document, [{"op": "test", "path": "/a", "value": 2}])
    with pytest.raises(snooze.pointer.PointerError, match="found JSON text$"):
        snooze.pointer.get(document, "/a/b")
