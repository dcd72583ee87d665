"""dumps of None, bool, int and float: exact bytes, ranges and round trips."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from helpers.support import float_text

STRICT = snooze.OPT_STRICT_INTEGER
RANGE_64 = "Integer exceeds 64-bit range"
RANGE_53 = "Integer exceeds 53-bit range"


@pytest.mark.parametrize(
    ("value", "expected"), [(None, b"null"), (True, b"true"), (False, b"false")]
)
def test_constants(value: Any, expected: bytes) -> None:
    """The three literals, alone and inside containers."""
    assert snooze.dumps(value) == expected
    assert snooze.dumps([value]) == b"[" + expected + b"]"
    assert snooze.dumps({"k": value}) == b'{"k":' + expected + b"}"


@pytest.mark.parametrize("value", [None, True, False, *range(-1, 12)])
def test_one_token_alone_and_in_a_list(value: Any) -> None:
    """One token, which takes a shorter way, is written as it is inside a list."""
    expected = snooze.dumps([value])[1:-1]
    assert snooze.dumps(value) == snooze.dumps_str(value).encode() == expected
    for option in (snooze.OPT_INDENT_2, snooze.OPT_NON_STR_KEYS, STRICT):
        assert snooze.dumps(value, option=option) == expected
    assert snooze.dumps(value, option=snooze.OPT_APPEND_NEWLINE) == expected + b"\n"


@pytest.mark.parametrize("value", [None, True, False, 0, 9])
def test_one_token_may_be_released_by_each_caller(value: Any) -> None:
    """Each call returns a new reference."""
    expected = json.dumps(value).encode()
    kept = snooze.dumps(value)
    count = sys.getrefcount(kept)
    for _ in range(1000):
        assert snooze.dumps(value) == expected
    assert sys.getrefcount(kept) == count
    assert hash(kept) == hash(expected)


def test_result_is_exact_bytes() -> None:
    """The result is a bytes object, never a subclass or a view."""
    assert type(snooze.dumps({})) is bytes


_POWERS = [10**n + d for n in range(20) for d in (-1, 0, 1)]
_BITS = [2**n + d for n in range(64) for d in (-1, 0, 1)]


@pytest.mark.parametrize("sign", [1, -1], ids=["plus", "minus"])
@pytest.mark.parametrize("magnitudes", [_POWERS, _BITS], ids=["decimal", "binary"])
def test_int_boundaries(sign: int, magnitudes: list[int]) -> None:
    """Exact at every change of digit count and of bit length."""
    numbers = [sign * n for n in magnitudes if -(2**63) <= sign * n < 2**64]
    expected = json.dumps(numbers, separators=(",", ":")).encode()
    assert snooze.dumps(numbers) == expected
    assert [snooze.dumps(n) for n in numbers] == [b"%d" % n for n in numbers]


@pytest.mark.parametrize("value", [-(2**63), 2**63 - 1, 2**63, 2**64 - 1])
def test_int_64_bit_limits_are_accepted(value: int) -> None:
    """The extremes of i64 and u64 are in range."""
    assert snooze.dumps(value) == str(value).encode()


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 2**65, 10**400, -(10**400)])
@pytest.mark.parametrize("option", [None, STRICT], ids=["plain", "strict"])
def test_int_beyond_64_bits(value: int, option: int | None) -> None:
    """Beyond 64 bits is an error without a cause, with and without OPT_STRICT_INTEGER."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps([value], option=option)
    assert str(caught.value) == RANGE_64
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("value", [2**53 - 1, -(2**53) + 1, 0, 1, -1])
def test_strict_integer_accepts_53_bits(value: int) -> None:
    """Integers that every IEEE double holds exactly are accepted."""
    assert snooze.dumps(value, option=STRICT) == str(value).encode()


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**63, 2**64 - 1, -(2**63)])
def test_strict_integer_refuses_more(value: int) -> None:
    """The first integer outside +-(2**53 - 1) is an error."""
    assert snooze.dumps(value) == str(value).encode()
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(value, option=STRICT)
    assert str(caught.value) == RANGE_53


def test_strict_integer_leaves_bool_and_float() -> None:
    """Only int is limited."""
    assert snooze.dumps([True, 1e300], option=STRICT) == b"[true,1e+300]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, b"0.0"),
        (-0.0, b"-0.0"),
        (1.0, b"1.0"),
        (-1.5, b"-1.5"),
        (0.1, b"0.1"),
        (1e-5, b"0.00001"),
        (1e-6, b"1e-6"),
        (1.5e-7, b"1.5e-7"),
        (1e15, b"1000000000000000.0"),
        (1e16, b"1e+16"),
        (123456789012345680.0, b"1.2345678901234568e+17"),
        (1e100, b"1e+100"),
        (5e-324, b"5e-324"),
        (2.2250738585072014e-308, b"2.2250738585072014e-308"),
        (1.7976931348623157e308, b"1.7976931348623157e+308"),
        (9007199254740993.0, b"9007199254740992.0"),
        (31.245270191439438, b"31.245270191439438"),
        (0.8303265988825125, b"0.8303265988825125"),
        (float("nan"), b"null"),
        (float("inf"), b"null"),
        (float("-inf"), b"null"),
        (-float("nan"), b"null"),
    ],
    ids=str,
)
def test_float_table(value: float, expected: bytes) -> None:
    """Shortest digits, fixed notation for exponents -5 to 15, null when not finite."""
    assert snooze.dumps(value) == expected
    assert snooze.dumps([value]) == b"[" + expected + b"]"


def test_float_every_power_of_ten_and_two() -> None:
    """Each exponent that a double has, written as the oracle lays it out."""
    numbers = [float(f"1e{n}") for n in range(-323, 309)]
    numbers += [math.ldexp(1.0, n) for n in range(-1074, 1024)]
    numbers += [math.nextafter(n, 0.0) for n in numbers]
    for number in numbers:
        assert snooze.dumps(number) == float_text(number).encode()


@given(st.floats())
def test_float_matches_oracle_and_round_trips(value: float) -> None:
    """Any float is written as by the oracle and reads back to the same bits."""
    written = snooze.dumps(value)
    assert written == float_text(value).encode()
    if math.isfinite(value):
        assert_same(float(written), value)
        assert_same(snooze.loads(written), value)


@given(st.integers(-(2**63), 2**64 - 1))
def test_int_round_trips(value: int) -> None:
    """Any 64-bit integer is written as its decimal digits and reads back equal."""
    written = snooze.dumps(value)
    assert written == str(value).encode()
    back = snooze.loads(written)
    assert type(back) is int
    assert back == value
