"""Numbers that were read with all digits are compared as numbers: Raw and Decimal."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
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


def test_messages_show_the_text():
    document = snooze.decode('{"a": 1.10}', numbers="raw")
    with pytest.raises(snooze.PatchError, match=r"expected 2, found 1\.10$"):
        snooze.patch(document, [{"op": "test", "path": "/a", "value": 2}])
    with pytest.raises(snooze.pointer.PointerError, match="found JSON text$"):
        snooze.pointer.get(document, "/a/b")
