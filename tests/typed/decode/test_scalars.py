"""Typed decoding of scalars: what each type accepts, its value, and its errors."""

# ruff: noqa: UP045 - every way to write a type is tested here
from __future__ import annotations

import math
import random
import sys
import uuid
from decimal import Decimal
from typing import Any, NewType, Optional

import pytest

import snooze
from helpers.equality import assert_same
from helpers.typed_tools import (
    Decoder,
    ValidationError,
    accept,
    decode,
    refusal,
    refuse,
)
from snooze import Raw

AGE = NewType("AGE", int)
DEEP = "[" * 3 + "]" * 3

#: One document of each kind, and its name in messages.
KINDS = {
    "null": "null",
    "true": "bool",
    "1": "int",
    "1.5": "float",
    '"x"': "str",
    "[]": "array",
    "{}": "object",
}

#: type -> its label and the documents of KINDS that it accepts.
STRICT: dict[Any, tuple[str, dict[str, Any]]] = {
    None: ("null", {"null": None}),
    type(None): ("null", {"null": None}),
    bool: ("bool", {"true": True}),
    int: ("int", {"1": 1}),
    AGE: ("int", {"1": 1}),
    float: ("float", {"1": 1.0, "1.5": 1.5}),
    str: ("str", {'"x"': "x"}),
    Optional[int]: ("int or null", {"null": None, "1": 1}),
    int | str: ("int or str", {"1": 1, '"x"': "x"}),
    int | float: ("int or float", {"1": 1, "1.5": 1.5}),
    bool | None: ("bool or null", {"true": True, "null": None}),
    float | None: ("float or null", {"null": None, "1": 1.0, "1.5": 1.5}),
    str | list[Any]: ("str or array", {'"x"': "x", "[]": []}),
    dict[str, Any]: ("object", {"{}": {}}),
    dict: ("object", {"{}": {}}),
    list: ("array", {"[]": []}),
    list[Any]: ("array", {"[]": []}),
    tuple[Any, ...]: ("array", {"[]": ()}),
    tuple[()]: ("array of length 0", {"[]": ()}),
    set[Any]: ("array", {"[]": set()}),
    frozenset[Any]: ("array", {"[]": frozenset()}),
    Decimal: ("decimal", {"1": Decimal(1), "1.5": Decimal("1.5")}),
}


@pytest.mark.parametrize("tp", STRICT, ids=repr)
def test_kinds(tp: Any) -> None:
    """Each type with each kind of JSON value: strictly, without conversion."""
    label, accepted = STRICT[tp]
    for document, kind in KINDS.items():
        if document in accepted:
            accept(tp, document, accepted[document])
            accept(list[tp], f"[{document}]", [accepted[document]])
        else:
            found = '"x"' if tp is Decimal and kind == "str" else kind
            refuse(
                tp, document, f"expected {label}, found {found} at $ (line 1 column 1)"
            )
            refuse(
                list[tp],
                f"[{document}]",
                f"expected {label}, found {found} at $[0] (line 1 column 2)",
            )


@pytest.mark.parametrize("tp", [Any, object], ids=repr)
def test_any(tp: Any) -> None:
    """`Any` gives what `loads` gives."""
    document = ' {"a": [1, 1.5, null, true, "x\\n", {"b": {}}], "a": [], "": -0.0} '
    accept(tp, document, snooze.loads(document))
    accept(Decoder().type, "[]", [])
    assert decode(b"[1]") == [1]
    for text in KINDS:
        accept(tp, text, snooze.loads(text))


def test_any_keeps_large_ints() -> None:
    """Where `loads` gives a float, `Any` keeps all digits of an int."""
    for number in (2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**400, -(10**400)):
        accept(Any, str(number), number)
        accept(list[Any], f"[{number}]", [number])
    for tp in (Any, list[Any], dict[str, Any]):
        document = {Any: "1e400", list[Any]: "[1e400]"}.get(tp, '{"a":1e400}')
        for errors in ("first", "all"):
            with pytest.raises(snooze.JSONDecodeError) as caught:
                decode(document, tp, errors=errors)
            with pytest.raises(snooze.JSONDecodeError) as expected:
                snooze.loads(document)
            assert type(caught.value) is type(expected.value)
            assert str(caught.value) == str(expected.value)


INTS = [
    *(0, 1, -1, 9, 10, 99, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**53 + 1),
    *(10**15, 10**16 - 1, 10**16, 10**17, 10**18, 10**19 - 1, 10**19),
    *(2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**64 + 1),
    *(-(2**64), 10**30, -(10**30), 10**308, 10**309, 10**400, 3**2000, -(7**1500)),
]


@pytest.mark.parametrize("number", INTS, ids=lambda n: str(n)[:12])
def test_ints_are_exact(number: int) -> None:
    """At any size, in every place that can hold a number."""
    accept(int, str(number), number)
    accept(int | None, f" {number} ", number)
    accept(list[int], f"[{number},{number}]", [number, number])
    accept(dict[str, int], f'{{"a":{number}}}', {"a": number})
    accept(dict[int, int], f'{{"{number}":{number}}}', {number: number})
    accept(int | str, str(number), number)


def test_ints_of_any_length() -> None:
    """Around the lengths at which the algorithm changes."""
    rng = random.Random(1)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        for length in [*range(1, 60), 100, 308, 309, 310, 640, 641, 4299]:
            digits = str(rng.randrange(1, 10)) + "".join(
                str(rng.randrange(10)) for _ in range(length - 1)
            )
            assert decode(digits.encode(), int) == int(digits)
            assert decode(b"-" + digits.encode(), int) == -int(digits)
            assert decode(f"[{digits}]", list[Any]) == [int(digits)]
    finally:
        sys.set_int_max_str_digits(limit)


def test_more_digits_than_the_interpreter_allows() -> None:
    """CPython's limit on the digits of ints is a problem of the document."""
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    for tp in (int, Any, list[int]):
        document = f"[{digits}]" if tp == list[int] else digits
        with pytest.raises(ValueError, match="int"):
            decode(document.encode(), tp)


def test_minus_zero() -> None:
    """0 as an int; the sign is kept as a float."""
    accept(int, "-0", 0)
    accept(float, "-0", -0.0)
    accept(float, "-0.0", -0.0)
    accept(float, "-0e5", -0.0)
    accept(float, "0", 0.0)
    accept(list[float], "[-0,0,-0.0]", [-0.0, 0.0, -0.0])
    accept(Decimal, "-0", Decimal("-0"))
    assert str(decode(b"-0", Decimal)) == "-0"
    assert_same(decode(b"-0", Any), snooze.loads(b"-0"))


def test_ints_refuse_floats() -> None:
    """Even integral ones."""
    for text in (
        "1.0",
        "1e2",
        "1E2",
        "0.0",
        "-0.0",
        "1e400",
        "0e0",
        "100000000000000000000.0",
    ):
        refuse(int, text, "expected int, found float at $ (line 1 column 1)")
        refuse(
            int | None,
            text,
            "expected int or null, found float at $ (line 1 column 1)",
        )


FLOATS = [
    *("0.0", "1.5", "1e0", "1E+5", "1e-5", "0.1", "3.141592653589793", "1e22", "1e23"),
    *("123456789012345678", "9007199254740993", "18446744073709551616", "1e308"),
    *("1.7976931348623157e308", "4.9e-324", "2.2250738585072014e-308", "1e-400"),
    *("2.4703282292062327e-324", "2.4703282292062328e-324", "9223372036854775807"),
    *("9223372036854775808", "-9223372036854775808", "18446744073709551615"),
    *(
        "9223372036854775295",
        "9223372036854775296",
        "1" + "0" * 300,
        "0." + "0" * 300 + "1",
    ),
    f"{2**1024 - 2**970}e0",
    f"{2**1024 - 2**970 - 1}.9",
    "9e18",
    "8999999999999999999.5",
    "-9e18",
    "9.1e18",
    "1e19",
]


@pytest.mark.parametrize("text", FLOATS, ids=lambda text: text[:24])
def test_floats_are_rounded_correctly(text: str) -> None:
    """As Python's `float` rounds, from int and float syntax."""
    number = float(text)
    if math.isinf(number):
        refuse(
            float, text, f"expected float, found {text[:40]}... at $ (line 1 column 1)"
        )
        return
    accept(float, text, number)
    accept(float | None, text, number)
    accept(float, f"-{text}" if text[0] != "-" else text[1:], -number)
    accept(list[float], f"[{text}]", [number])
    accept(int | float, text, number if set(".eE") & set(text) else int(text))


def test_random_floats() -> None:
    """The shortest digits of any double, and 17 digits, give the same double."""
    rng = random.Random(2)
    decoder = Decoder(list[float])
    numbers = []
    while len(numbers) < 3000:
        number = math.ldexp(rng.random() - 0.5, rng.randrange(-1073, 1025))
        if math.isfinite(number):
            numbers.append(number)
    texts = [repr(n) if i % 2 else f"{n:.17e}" for i, n in enumerate(numbers)]
    assert_same(decoder.decode(f"[{','.join(texts)}]"), numbers)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e309", "9" * 309, "1.8e308"])
def test_numbers_beyond_doubles(text: str) -> None:
    """Refused as a float, exact as an int or a Decimal."""
    shown = text if len(text) <= 40 else text[:40] + "..."
    refuse(float, text, f"expected float, found {shown} at $ (line 1 column 1)")
    accept(Decimal, text, Decimal(text))
    if text.isdigit():
        accept(int, text, int(text))
        accept(int | float, text, int(text))
    else:
        refuse(int, text, "expected int, found float at $ (line 1 column 1)")
        refuse(
            int | float,
            text,
            f"expected int or float, found {shown} at $ (line 1 column 1)",
        )
    refuse(
        str,
        text,
        f"expected str, found {'int' if text.isdigit() else 'float'} at $ (line 1 column 1)",
    )


DECIMALS = ["0", "-0", "0.0", "0.10", "1.50", "1e2", "1E+2", "12e-3", "0.1e-7", "1e400"]
DECIMALS += [
    "123456789012345678901234567890.123456789012345678901234567890",
    "-1.0e-400",
]


@pytest.mark.parametrize("text", DECIMALS)
def test_decimals_are_lossless(text: str) -> None:
    """Digits, trailing zeros and exponent are kept, from numbers and strings."""
    for document in (text, f'"{text}"'):
        value = decode(document, Decimal)
        assert type(value) is Decimal
        assert value.as_tuple() == Decimal(text).as_tuple()
    assert decode(f'{{"{text}":1}}', dict[Decimal, int]) == {Decimal(text): 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1 ",
        " 1",
        "+1",
        "1_0",
        "NaN",
        "Infinity",
        "-Infinity",
        "sNaN",
        "1e",
        ".5",
        "5.",
        "01",
        "--1",
        "0x1",
        "\u0661",
        "1,5",
        "1e5e5",
        "\uff11",
        "1\u00a0",
        "\\u0000",
        "1\\n",
    ],
)
def test_strings_that_are_not_decimals(text: str) -> None:
    """Only the text of a JSON number; not Python's other forms."""
    refuse(
        Decimal, f'"{text}"', f'expected decimal, found "{text}" at $ (line 1 column 1)'
    )


@pytest.mark.parametrize("text", ["1e99999999999999999999", "-1e-99999999999999999999"])
def test_decimals_with_huge_exponents(text: str) -> None:
    """A number that Decimal cannot hold is a problem of the document, even if it is trapped."""
    import decimal

    for document in (text, f'"{text}"'):
        refuse(
            Decimal,
            document,
            f"expected decimal, found {document} at $ (line 1 column 1)",
        )
        with decimal.localcontext() as context:
            context.clear_traps()
            refuse(
                Decimal,
                document,
                f"expected decimal, found {document} at $ (line 1 column 1)",
            )


def test_strings() -> None:
    """Every escape, length and alphabet, as `loads` reads them."""
    alphabets = ("a", "\u00e9", "\u8a9e", "\U0001f600", 'a"\\\n\u00e9\u8a9e\U0001f600')
    rng = random.Random(3)
    for alphabet in alphabets:
        for length in [*range(70), 127, 128, 129, 1000]:
            text = "".join(rng.choice(alphabet) for _ in range(length))
            document = snooze.dumps(text)
            assert decode(document, str) == text
            assert decode(document.decode(), str) == text
            assert decode(document, str | None) == text
            assert decode(b"[" + document + b"]", list[str | int]) == [text]
    escaped = r'"\u0061\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t\u0000"'
    accept(str, escaped, 'a\u00e9\U0001f600"\\/\b\f\n\r\t\x00')


def test_unions_of_scalars() -> None:
    """Each kind of JSON goes to the alternative that accepts it."""
    tp = int | float | str | bool | None
    for document in ("1", "1.0", '"x"', "true", "false", "null"):
        accept(tp, document, snooze.loads(document))
    refuse(
        tp,
        "[]",
        "expected int, float, str, bool or null, found array at $ (line 1 column 1)",
    )
    accept(float | Decimal, "1.5", 1.5)
    accept(float | Decimal, '"1.5"', Decimal("1.5"))
    accept(int | Decimal, "1", 1)
    accept(int | Decimal, "1.5", Decimal("1.5"))
    accept(list[int | list[str]], '[1,["a"],2]', [1, ["a"], 2])


def test_raw() -> None:
    """The text of one value, checked but not decoded."""
    from snooze import Raw

    for text in (
        "1",
        "-0.00",
        '"\\u00e9\u00e9"',
        "null",
        "true",
        '{"a" : [1,  2]}',
        "[]",
    ):
        value = decode(f" {text}\n", Raw)
        assert type(value) is Raw
        assert value == text.encode()
        assert decode(f'{{"k":\t{text} , "l":1}}', dict[str, Raw])["k"] == text.encode()
        assert decode(value, Any) == snooze.loads(text)
    assert decode(b"[null]", list[Raw | None]) == [None]
    for beyond in ("1e400", "[1e400]", '{"a":-1E+999999999999999999999}', "9" * 400):
        assert decode(beyond, Raw) == beyond.encode()
    for broken in ("1e", "[1e-]", "[1,]", '{"a":}', '"\\x"', "tru", '["\x01"]'):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decode(broken, Raw)
        with pytest.raises(snooze.JSONDecodeError) as expected:
            snooze.loads(broken)
        assert str(caught.value) == str(expected.value)
    with pytest.raises(snooze.JSONDecodeError):
        decode(b'["\xff"]', Raw)


UUIDS = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]
UUIDS += [
    "12345678-1234-5678-1234-567812345678",
    "ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB",
]


def test_uuids() -> None:
    """The canonical form in either case; equal to Python's UUID, and usable as one."""
    for text in UUIDS:
        accept(uuid.UUID, f'"{text}"', uuid.UUID(text))
        value = decode(f'"{text}"', uuid.UUID)
        assert value.is_safe is uuid.UUID(text).is_safe
        assert hash(value) == hash(uuid.UUID(text))
        assert str(value) == text.lower()
        assert value.bytes == uuid.UUID(text).bytes
        with pytest.raises(TypeError):
            value.int = 1
        accept(dict[uuid.UUID, int], f'{{"{text}":1}}', {uuid.UUID(text): 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "12345678-1234-5678-1234-56781234567",
        "12345678-1234-5678-1234-5678123456789",
        *(
            "12345678-1234-5678-1234-56781234567g",
            "{12345678-1234-5678-1234-567812345678}",
        ),
        *(
            "12345678_1234_5678_1234_567812345678",
            "1234567-81234-5678-1234-567812345678",
        ),
        "\u0661" * 8 + "-1234-5678-1234-567812345678",
        " 12345678-1234-5678-1234-567812345678",
    ],
)
def test_strings_that_are_not_uuids(text: str) -> None:
    """Other forms that Python's constructor accepts are refused."""
    error = refusal(uuid.UUID, f'"{text}"')
    assert error.errors[0].expected == "uuid"
    assert error.errors[0].found.startswith(f'"{text}"'[:20])


@pytest.mark.parametrize("tail", ["-5", "e1e", "+", ".", ".5.5", "e5e5", "--", "E"])
@pytest.mark.parametrize("tp", [int, float, Decimal, Any, Raw, bool])
@pytest.mark.parametrize("mode", ["first", "all"])
@pytest.mark.parametrize("head", ["1" + "0" * 400, "1e400", "1.5e400", "-1e+400"])
def test_malformed_numbers_beyond_doubles(head, tail, tp, mode) -> None:
    """The number ends where its grammar ends; what follows is malformed JSON."""
    document = f"[{head}{tail}]"
    with pytest.raises(snooze.JSONDecodeError):
        Decoder(list[tp], errors=mode).decode(document)
    if tp is Decimal:
        with pytest.raises(ValidationError):
            Decoder(tp).decode(f'"{head}{tail}"')
