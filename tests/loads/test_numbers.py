"""loads of numbers: int or float, exact values, limits, midpoints."""

from __future__ import annotations

import json
import math
import random
import struct
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same

INFINITY = "number is infinity when parsed as double"


def read(text: str) -> Any:
    """Read a number at the root and inside containers; all must be the same."""
    value = snooze.loads(text)
    assert_same(snooze.loads(f"[{text}]"), [value])
    assert_same(snooze.loads(f'{{"a":{text} }}'), {"a": value})
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("1", 1),
        ("-1", -1),
        ("9007199254740993", 9007199254740993),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2**63),
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551616", 1.8446744073709552e19),
        ("18446744073709551619", 1.8446744073709552e19),
        ("18446744073709551620", 1.8446744073709552e19),
        ("184467440737095516150", 1.844674407370955e20),
        ("-9223372036854775809", -9.223372036854776e18),
        ("-18446744073709551615", -1.8446744073709552e19),
        ("100000000000000000000", 1e20),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("0.0", 0.0),
        ("-0.0", -0.0),
        ("-0e0", -0.0),
        ("0e1", 0.0),
        ("0E-1", 0.0),
        ("0e99999999999999999999", 0.0),
        ("0.0e400", 0.0),
        ("1e0", 1.0),
        ("1E+2", 100.0),
        ("1e-2", 0.01),
        ("1.0", 1.0),
        ("1.50", 1.5),
        ("0.1e1", 1.0),
        ("1e-400", 0.0),
        ("-1e-400", -0.0),
        ("1e-99999999999999999999", 0.0),
        ("1e0000000000000000000000000001", 10.0),
        ("5e-324", 5e-324),
        ("4.9e-324", 5e-324),
        ("2.4703282292062327e-324", 0.0),
        ("2.4703282292062328e-324", 5e-324),
        ("2.2250738585072011e-308", 2.225073858507201e-308),
        ("2.2250738585072014e-308", 2.2250738585072014e-308),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("1.797693134862315807e308", 1.7976931348623157e308),
        ("1" + "0" * 308, 1e308),
        ("0." + "0" * 400 + "1e401", 1.0),
        ("1" + "0" * 400 + "e-400", 1.0),
        ("12345678901234567890.5", 1.2345678901234567e19),
        ("1.00000000000000011102230246251565404236316680908203125", 1.0),
        ("1.00000000000000011102230246251565404236316680908203126", 1.0000000000000002),
        ("1.00000000000000033306690738754696212708950042724609375", 1.0000000000000004),
        ("9007199254740993.0", 9007199254740992.0),
        ("9007199254740995.0", 9007199254740996.0),
        ("0.3", 0.3),
        ("3.141592653589793238462643383279", 3.141592653589793),
    ],
    ids=lambda value: str(value)[:40],
)
def test_number_table(text: str, value: Any) -> None:
    """64-bit integers are int, everything else the nearest double."""
    assert_same(read(text), value)


@pytest.mark.parametrize(
    "text",
    [
        "1e309",
        "1e400",
        "-1e400",
        "1e99999999999999999999",
        "9" * 310,
        "-" + "9" * 400,
        "1" + "0" * 309,
        "1.797693134862315808e308",
        "0." + "0" * 10 + "1e400",
    ],
    ids=lambda text: text[:24],
)
def test_infinity_is_an_error(text: str) -> None:
    """A number that no double can hold is refused at its first character."""
    for before, after in (
        ("", ""),
        ("[", "]"),
        ('{"k":', "}"),
        (" ", "x"),
        ("[1,\n", ""),
    ):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.loads(before + text + after)
        assert (caught.value.msg, caught.value.pos) == (INFINITY, len(before))


def test_every_digit_count() -> None:
    """Integers and fractions of 1 to 40 digits, of both signs."""
    rng = random.Random(7)
    for count in range(1, 41):
        for _ in range(50):
            digits = str(rng.randint(1, 9)) + "".join(
                rng.choices("0123456789", k=count - 1)
            )
            for sign in ("", "-"):
                number = int(sign + digits)
                fits = -(2**63) <= number < 2**64
                expected = number if fits else float(number)
                assert_same(snooze.loads(f"[{sign}{digits}]"), [expected])
                for point in {1, count // 2, count - 1} - {0, count}:
                    text = f"{sign}{digits[:point]}.{digits[point:]}"
                    assert_same(snooze.loads(text), float(text))
                    assert_same(snooze.loads(f"[{text}e-7]"), [float(f"{text}e-7")])


def test_every_exponent() -> None:
    """All decimal exponents that a double has, and some more."""
    for exponent in range(-345, 309):
        for mantissa in (
            "1",
            "9",
            "1.7976931348623157",
            "2.2250738585072014",
            "12345678901234567",
        ):
            text = f"{mantissa}e{exponent}"
            expected = float(text)
            if math.isfinite(expected):
                assert_same(snooze.loads(text), expected)


def test_halfway_between_doubles() -> None:
    """Exact midpoints round to even; one more digit up or down decides otherwise."""
    rng = random.Random(11)
    for _ in range(500):
        low = abs(struct.unpack("<d", rng.randbytes(8))[0])
        high = math.nextafter(low, math.inf)
        if not 1e-290 < low < high < 1e290:
            continue
        middle = (Fraction(low) + Fraction(high)) / 2
        # A binary fraction has a finite decimal expansion; write it out in full.
        scale = max(0, middle.denominator.bit_length() - 1)
        digits = str(middle.numerator * 5**scale)
        text = f"{digits}e-{scale}"
        assert_same(snooze.loads(text), float(text))
        assert_same(snooze.loads(f"{digits}1e-{scale + 1}"), high)
        below = str(int(digits) * 10 - 1)
        assert_same(snooze.loads(f"{below}e-{scale + 1}"), low)


def hard_numbers() -> list[str]:
    """Texts whose rounding 128 bits do not decide: midpoints, and digits before them."""
    texts = ["1.7000000000000000386e308", "7.4109846876186982e-323"]
    for exponent in (-1074, -1073, -1050, -1000, -540, -100, -60, 60, 300, 900):
        for mantissa in (2**53 + 1, 2**53 + 0x1234_5678_9ABC_DEF1, 2**54 - 1):
            middle = Fraction(mantissa) * Fraction(2) ** exponent
            scale = max(0, middle.denominator.bit_length() - 1)
            digits = str(middle.numerator * 5**scale)
            texts += [f"{digits}e-{scale}", f"{digits}{'0' * 900}1e-{scale + 901}"]
            for count in (20, 21, 40, 100, 400, 700):
                rest = len(digits) - count
                if rest > 0:
                    texts.append(f"{digits[:count]}e{rest - scale}")
    return texts


def test_hard_numbers_by_every_reader() -> None:
    """loads, typed floats, Any, arrays and Raw round like Python."""
    texts = hard_numbers()
    numbers = [float(text) for text in texts]
    document = f"[{','.join(texts)}]"
    assert_same(snooze.loads(document), numbers)
    assert_same(snooze.decode(document, list[float]), numbers)
    assert_same(snooze.decode(document, list[Any]), numbers)
    assert_same(snooze.decode(document, Any), numbers)
    raw = snooze.decode(document, list[snooze.Raw])
    assert_same([snooze.loads(bytes(one)) for one in raw], numbers)
    for text, number in zip(texts, numbers, strict=True):
        assert_same(snooze.loads(f"-{text}"), -number)


def test_hard_numbers_in_an_array() -> None:
    """An array of float64 rounds like Python."""
    np = pytest.importorskip("numpy")
    texts = hard_numbers()
    numbers = np.array([float(text) for text in texts])
    document = f"[{','.join(texts)}]"
    array = snooze.decode(document, np.ndarray[tuple[int], np.dtype[np.float64]])
    assert array.tobytes() == numbers.tobytes()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_double(number: float) -> None:
    """repr, 17 digits and fixed notation all read back to the same bits."""
    for text in (repr(number), f"{number:.17e}", f"{number:.40f}"):
        assert_same(snooze.loads(text), float(text))


@given(
    st.from_regex(
        r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
    )
)
def test_any_number_text(text: str) -> None:
    """Any number of the grammar is int within 64 bits, float otherwise."""
    if all(c not in text for c in ".eE") and -(2**63) <= int(text) < 2**64:
        assert_same(snooze.loads(text), int(text))
    elif math.isfinite(float(text)):
        assert_same(snooze.loads(text), float(text))
        assert_same(snooze.loads(f"[{text}]"), [json.loads(text, parse_int=float)])
    else:
        with pytest.raises(snooze.JSONDecodeError, match=INFINITY):
            snooze.loads(text)
