"""`numbers` and `nan`: exact integers, Decimals, texts, NaN and infinities."""

from __future__ import annotations

import decimal
import math
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from snooze import Decoder, JSONDecodeError, Raw

DECIMALS: Decoder[Any] = Decoder(numbers="decimal")
RAW: Decoder[Any] = Decoder(numbers="raw")
ACCEPTING: Decoder[Any] = Decoder(nan="accept")

NUMBERS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,4})?", fullmatch=True
)


@given(NUMBERS)
def test_decimals_lose_no_digit(text: str) -> None:
    """Numbers with a point or an exponent are what Decimal makes of the text."""
    found = DECIMALS.decode(f"[{text}]")[0]
    if text.lstrip("-").isdigit():
        assert_same(found, int(text))
    else:
        assert type(found) is Decimal
        assert found.as_tuple() == Decimal(text).as_tuple()


@given(st.lists(NUMBERS))
def test_raw_numbers_are_written_back_digit_for_digit(texts: list[str]) -> None:
    """Each is its text, and an Encoder copies it."""
    document = f"[{','.join(texts)}]".encode()
    found = RAW.decode(document)
    assert [type(one) for one in found] == [Raw] * len(texts)
    assert [one.decode() for one in found] == texts
    assert snooze.encode(found) == document


def test_decimals_in_every_place() -> None:
    """In arrays, in objects, alone, signed, after short integers."""
    found = DECIMALS.decode(b'{"a": [1, 1.10, -0.0, 1E+2], "b": 0.1}')
    assert repr(found) == (
        "{'a': [1, Decimal('1.10'), Decimal('-0.0'), Decimal('1E+2')], "
        "'b': Decimal('0.1')}"
    )
    assert repr(DECIMALS.decode("1.50")) == "Decimal('1.50')"
    assert repr(DECIMALS.decode("-7")) == "-7"


def test_a_context_of_decimal_rounds_nothing() -> None:
    """The precision of a context is for arithmetic."""
    with decimal.localcontext() as context:
        context.prec = 2
        context.traps[decimal.Inexact] = True
        assert repr(DECIMALS.decode("1.2345")) == "Decimal('1.2345')"


def test_exponents_beyond_decimal_are_an_error() -> None:
    """JSONDecodeError, not an exception of the module decimal."""
    assert DECIMALS.decode("1e400") == Decimal("1e400")
    with pytest.raises(JSONDecodeError, match="beyond the range of Decimal") as caught:
        DECIMALS.decode("[1, 1e1000000000000000000000]")
    assert caught.value.pos == 4


@pytest.mark.parametrize("options", [{}, {"numbers": "decimal"}, {"nan": "accept"}])
def test_integers_of_any_size_are_exact(options: dict[str, Any]) -> None:
    """Up to the limit of the interpreter for conversions of digits."""
    decoder: Decoder[Any] = Decoder(max_depth=10, **options)
    for value in (0, 2**53 + 1, -(2**63), 2**63, 2**64 - 1, 2**64, -(2**64), 10**300):
        assert_same(decoder.decode(str(value)), value)
    limit = sys.get_int_max_str_digits()
    assert decoder.decode("9" * limit) == 10**limit - 1
    with pytest.raises(JSONDecodeError, match="get_int_max_str_digits") as caught:
        decoder.decode(f"[1, {'9' * (limit + 1)}]")
    assert caught.value.pos == 4
    assert RAW.decode("9" * (limit + 1)) == b"9" * (limit + 1)


def test_nan_is_an_error_by_default() -> None:
    """Also under every other option."""
    for options in (
        {},
        {"numbers": "decimal"},
        {"numbers": "raw"},
        {"syntax": "jsonc"},
    ):
        decoder: Any = Decoder(**options)
        for text in ("NaN", "Infinity", "-Infinity", "[NaN]"):
            with pytest.raises(JSONDecodeError):
                decoder.decode(text)


def test_nan_is_accepted_if_asked_for() -> None:
    """The three words of json, and no other."""
    found = ACCEPTING.decode("[NaN, Infinity, -Infinity, 1]")
    assert math.isnan(found[0])
    assert_same(found[1:], [math.inf, -math.inf, 1])
    found = Decoder(nan="accept", numbers="decimal").decode(
        "[NaN, Infinity, -Infinity]"
    )
    assert repr(found) == "[Decimal('NaN'), Decimal('Infinity'), Decimal('-Infinity')]"
    found = Decoder(nan="accept", numbers="raw").decode("[-Infinity, 1]")
    assert_same(found, [-math.inf, Raw(b"1")])
    for text in (
        "-NaN",
        "+NaN",
        "nan",
        "Inf",
        "infinity",
        "+Infinity",
        "- Infinity",
        "N",
    ):
        with pytest.raises(JSONDecodeError):
            ACCEPTING.decode(text)


def test_floats_beyond_the_range() -> None:
    """An error, or an infinity where NaN is accepted; json has the infinity."""
    for text in ("1e400", "-1e400", "[1e309]", '{"a": 1.0e999}'):
        with pytest.raises(JSONDecodeError, match="infinity when parsed as double"):
            Decoder(max_depth=10).decode(text)
    assert_same(ACCEPTING.decode("[1e400, -1e400]"), [math.inf, -math.inf])


def test_json5_accepts_nan_unless_told_otherwise() -> None:
    """Its grammar has it."""
    json5: Decoder[Any] = Decoder(syntax="json5")
    assert math.isnan(json5.decode("+NaN"))
    assert_same(json5.decode("[-Infinity, +Infinity]"), [-math.inf, math.inf])
    with pytest.raises(
        JSONDecodeError, match="NaN and Infinity are not accepted"
    ) as at:
        Decoder(syntax="json5", nan="error").decode("[1, NaN]")
    assert at.value.pos == 4


def test_json5_numbers_keep_their_digits() -> None:
    """As Decimal, as text in the form of JSON, and as int."""
    text = "[+1, .50, 5., 0x1F, -0xff, 1e5]"
    assert repr(Decoder(syntax="json5", numbers="decimal").decode(text)) == (
        "[1, Decimal('0.50'), Decimal('5.0'), 31, -255, Decimal('1E+5')]"
    )
    raw = Decoder(syntax="json5", numbers="raw").decode(text)
    assert raw == [b"1", b"0.50", b"5.0", b"31", b"-255", b"1e5"]
    big = "0x" + "f" * 5000
    assert Decoder(syntax="json5").decode(big) == 16**5000 - 1


@pytest.mark.parametrize("syntax", ["json", "jsonc", "json5"])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("digits", ["0", "1", "0.00", "9.99", "123456"])
@pytest.mark.parametrize(
    "exponent", [f"{sign}{'9' * n}" for sign in ("", "+", "-") for n in (1, 6, 17, 40)]
)
def test_a_decimal_is_exact_or_its_place_is_named(
    syntax: Any, sign: str, digits: str, exponent: str
) -> None:
    """Never another value, at the ends of the range of Decimal and beyond."""
    text = f"{sign}{digits}e{exponent}"
    decoder: Decoder[Any] = Decoder(numbers="decimal", syntax=syntax)
    typed = Decoder(list[Decimal], syntax=syntax)
    if abs(int(exponent)) < decimal.MAX_EMAX // 2:
        expected = Decimal(text).as_tuple()
        assert decoder.decode(f"[{text}]")[0].as_tuple() == expected
        assert typed.decode(f"[{text}]")[0].as_tuple() == expected
        return
    with pytest.raises(JSONDecodeError, match="beyond the range of Decimal") as caught:
        decoder.decode(f"[ 1,{text}]")
    assert caught.value.pos == 4
    with pytest.raises(JSONDecodeError, match=r"at \$\[1\] \(line 1 column 5\)"):
        typed.decode(f"[ 1,{text}]")


@pytest.mark.skipif(decimal.MAX_EMAX < 10**10, reason="Decimal of 32 bits has less")
@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("1e999999999999999999", True),
        ("1e1000000000000000000", False),
        ("-0.1e1000000000000000000", True),
        ("-0.1e1000000000000000001", False),
        ("100e999999999999999997", True),
        ("100e999999999999999998", False),
        ("1e-1999999999999999997", True),
        ("1e-1999999999999999998", False),
        ("0.1e-1999999999999999996", True),
        ("0.1e-1999999999999999997", False),
        ("0e999999999999999999", True),
        ("0e1000000000000000000", False),
        ("1e+0000000000000000000000000000000000000000000000001", True),
    ],
)
def test_the_limits_of_decimal(text: str, is_read: bool) -> None:
    """What `Decimal` takes is read, and nothing else."""
    try:
        expected = Decimal(text).as_tuple()
    except decimal.InvalidOperation:
        expected = None
    assert (expected is not None) == is_read
    for document, tp in ((text, None), (text, Decimal), (f'"{text}"', Decimal)):
        decoder: Any = DECIMALS if tp is None else Decoder(tp)
        if is_read:
            assert decoder.decode(document).as_tuple() == expected
        else:
            with pytest.raises(ValueError, match="Decimal|decimal"):
                decoder.decode(document)
