"""Layouts of JSON text, by `reformat` and by encoders, and the canonical form.

Oracles: `json.dumps` with the same arguments, for values that it writes with the same
digits; the published examples of RFC 8785.
"""

from __future__ import annotations

import dataclasses
import decimal
import functools
import hashlib
import json
import math
import pickle
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

import snooze
from helpers import ledger
from helpers.isolated import in_child, needs_module
from helpers.starvation import each_failure
from snooze._snooze import canonicalize, reformat

#: Floats have other exponents in `json`.
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=12,
)
INDENTS = st.none() | st.integers(0, 16) | st.sampled_from(["", "\t", "\t\t", " \t"])
SEPARATORS = st.sampled_from([None, (",", ":"), (", ", ": "), (" ,\n", "\t: ")])


@hypothesis.given(VALUES, INDENTS, SEPARATORS, st.booleans(), st.booleans())
def test_layouts_are_those_of_json(
    value: Any, indent: Any, separators: Any, ensure_ascii: bool, newline: bool
) -> None:
    options = {
        "indent": indent,
        "separators": separators,
        "ensure_ascii": ensure_ascii,
    }
    between = separators or (",", ":" if indent is None else ": ")
    expected = json.dumps(value, **options | {"separators": between})
    expected += "\n" * newline
    encoder = snooze.Encoder(**options, newline=newline)
    assert encoder.encode(value) == expected.encode()
    assert encoder.encode_str(value) == expected
    buffer = bytearray(b"<>")
    assert encoder.encode_into(value, buffer, 1) == 1 + len(expected.encode())
    assert buffer[1:] == expected.encode() or len(expected.encode()) < 1
    assert snooze.encode(value, **options, newline=newline) == expected.encode()
    compact = snooze.dumps(value)
    assert snooze.reformat(compact, **options, newline=newline) == expected.encode()
    assert snooze.reformat(expected) == compact if not ensure_ascii else True


@pytest.mark.parametrize(
    "text", ['{"a":1.10,"a":1E+2,"b":-0.0}', "1e400", '"\\/\\u00e9"']
)
def test_reformat_changes_nothing_else(text: str) -> None:
    """Digits, repeated names and escapes stay."""
    assert snooze.reformat(text) == text.encode()
    wide = snooze.reformat(text, indent=4, separators=(" ,", " : "))
    assert snooze.reformat(wide) == text.encode()
    for data in (text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert snooze.reformat(data) == text.encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "zero-length"),
        ("[1,]", "trailing comma is not allowed: line 1 column 3"),
        ('{"a" 1}', "expected ':'"),
        (b'"\xff"', "UTF-8"),
        ("[" * 1025, "depth limit"),
        ("1 2", "unexpected content"),
    ],
)
def test_reformat_checks_the_text(text: Any, message: str) -> None:
    with pytest.raises(snooze.JSONDecodeError, match=message):
        snooze.reformat(text)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"indent": True}, TypeError, "indent needs an int or a str, not True"),
        ({"indent": 2.0}, TypeError, "indent needs an int or a str, not 2.0"),
        ({"indent": -1}, ValueError, "indent=-1 is negative; 0 only breaks lines"),
        ({"indent": 17}, ValueError, "indent has 17 characters; at most 16"),
        ({"indent": "-"}, ValueError, "indent='-' is not white space"),
        ({"indent": "\u2003"}, ValueError, "is not white space"),
        ({"separators": [",", ":"]}, TypeError, "separators needs a tuple of two str"),
        ({"separators": (",",)}, TypeError, "separators needs a tuple of two str"),
        ({"separators": (";", ":")}, ValueError, "the separator ';' is not ','"),
        ({"separators": (",", "")}, ValueError, "the separator '' is not ':'"),
        ({"separators": ("," + " " * 16, ":")}, ValueError, "17 characters"),
        ({"ensure_ascii": 1}, TypeError, "ensure_ascii needs a bool, not 1"),
        ({"newline": "\n"}, TypeError, "newline needs a bool, not"),
    ],
)
def test_wrong_options(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as encoder:
        snooze.Encoder(**options)
    assert str(encoder.value).startswith("Encoder: ")
    with pytest.raises(error, match=message) as function:
        snooze.reformat("1", **options)
    assert str(function.value).startswith("reformat(): ")


@dataclasses.dataclass
class Point:
    """A typed value with a Raw part."""

    x: int
    rest: snooze.Raw


def test_typed_encoders_have_layouts() -> None:
    """Some lay out copied JSON too; an encoder pickles with its layout."""
    encoder = snooze.Encoder(Point, indent=" \t", newline=True)
    value = Point(1, snooze.Raw(b'{"a":[ 1.50 ]}'))
    expected = (
        b'{\n \t"x": 1,\n \t"rest": {\n \t \t"a": [\n \t \t \t1.50\n \t \t]\n \t}\n}\n'
    )
    assert encoder.encode(value) == expected
    assert pickle.loads(pickle.dumps(encoder)).encode(value) == expected
    assert repr(snooze.Encoder(int, indent=4)) == "Encoder(int, indent=4)"
    with pytest.raises(TypeError, match=r"expected int, found str at \$\.x"):
        encoder.encode(Point("1", snooze.Raw(b"1")))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "opening", "between", "closing"),
    [
        ({}, b"", b",", b""),
        ({"indent": 1}, b"\n ", b",\n ", b"\n"),
        ({"indent": 0}, b"\n", b",\n", b"\n"),
        ({"indent": "\t\t"}, b"\n\t\t", b",\n\t\t", b"\n"),
        ({"separators": (", ", ": ")}, b"", b", ", b""),
    ],
)
def test_most_layouts_read_nothing_again(
    options: dict[str, Any], opening: bytes, between: bytes, closing: bytes
) -> None:
    """Copied JSON keeps its layout, and the text need not be JSON."""
    raw = b'{"a":[ 1.50 ]}'
    for newline in (False, True):
        end = closing + b"]" + b"\n" * newline
        found = snooze.encode([1, snooze.Raw(raw)], newline=newline, **options)
        assert found == b"[" + opening + b"1" + between + raw + end
        encoder = snooze.Encoder(
            nan="literal", surrogates="escape", newline=newline, **options
        )
        found = encoder.encode([math.nan, "\ud800"])
        assert found == b"[" + opening + b"NaN" + between + b'"\\ud800"' + end


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"indent": 0},
        {"indent": 3},
        {"indent": "\t"},
        {"indent": " \t"},
        {"separators": (", ", ": ")},
        {"separators": (" ,", ":")},
        {"indent": 2, "separators": (", ", " : ")},
    ],
)
@pytest.mark.parametrize("newline", [False, True])
def test_ascii_in_every_layout(options: dict[str, Any], newline: bool) -> None:
    """The text of `json.dumps`; copied JSON is laid out anew."""
    plain = {"indent": None, "separators": (",", ":"), **options}
    if options.get("indent") is not None:
        plain.setdefault("separators", (",", ": "))
        plain["separators"] = options.get("separators", (",", ": "))
    value = {
        "a": [1, {}, [], "\u00e9\x7f\U0001f600", {"\u65e5": [None]}],
        "b": "x" * 2000,
    }
    expected = json.dumps(value, **plain) + "\n" * newline
    encoder = snooze.Encoder(ensure_ascii=True, newline=newline, **options)
    assert encoder.encode_str(value) == expected
    assert encoder.encode(value) == expected.encode()
    buffer = bytearray(b"_")
    encoder.encode_into(value, buffer, 1)
    assert buffer == b"_" + expected.encode()
    ascii_only = value | {"a": [1, {}, []]}
    expected = json.dumps(ascii_only, **plain) + "\n" * newline
    assert encoder.encode_str(ascii_only) == expected
    raw = snooze.Raw('[ 1.50,{ "\u00e9" :[ ]} ]')
    expected = json.dumps([[1.25, {"\u00e9": []}]], **plain).replace("1.25", "1.50")
    assert encoder.encode_str([raw]) == expected + "\n" * newline


@dataclasses.dataclass
class Omitting:
    """Members that may be left out, first, between, and last."""

    a: int | None = None
    b: list[int] = dataclasses.field(default_factory=list)
    c: str | None = None


LAYOUTS: list[dict[str, Any]] = [
    {"indent": "\t"},
    {"indent": 0},
    {"indent": 16},
    {"separators": (", ", ": ")},
]


@pytest.mark.parametrize("options", LAYOUTS)
def test_layouts_of_classes_are_those_of_json(options: dict[str, Any]) -> None:
    """Members that are left out, names without memory, empty and deep containers."""
    deep: Any = []
    for _ in range(70):
        deep = [deep, {}, {"k": deep} if len(str(deep)) < 100 else 1]
    values = [
        [],
        {},
        Omitting(),
        Omitting(a=1),
        Omitting(c="x"),
        Omitting(1, [1, 2], "é"),
        {"a": [Omitting(), {}, [], ()], "\u00fc" * 40: {"": None}},
        [b"abc", decimal.Decimal("1.5"), 1.5, -7, 2**63],
        deep,
    ]
    encoder = snooze.Encoder(**options, omit_none=True)
    plain = snooze.Encoder(omit_none=True)
    for value in values:
        tree = json.loads(plain.encode(value))
        assert encoder.encode(value).decode() == json.dumps(
            tree, ensure_ascii=False, **options
        )


def test_every_length_gets_its_line_feed() -> None:
    # Every length up to a growth of the output.
    for length in range(600):
        assert snooze.encode("x" * length, newline=True) == b'"%b"\n' % (b"x" * length)


def test_large_texts() -> None:
    """Beyond the output that is on the C stack."""
    value = [{"name": "é" * 50, "n": list(range(30))}] * 500
    expected = json.dumps(value, indent=3)
    assert snooze.encode(value, indent=3, ensure_ascii=True) == expected.encode()
    assert (
        snooze.reformat(expected) == json.dumps(value, separators=(",", ":")).encode()
    )


#: RFC 8785, section 3.2.2 and 3.2.3.
RFC = [
    (
        r"""{
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3,
                      0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        }""",
        '{"literals":[null,true,false],"numbers":[333333333.3333333,'
        '1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ),
    (
        r"""{"\u20ac": "Euro Sign", "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"}""",
        '{"\\r":"Carriage Return","1":"One","\x80":"Control","ö":"Latin Small Letter O'
        ' With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew'
        ' Letter Dalet With Dagesh"}',
    ),
]


@pytest.mark.parametrize(("text", "expected"), RFC)
def test_examples_of_rfc_8785(text: str, expected: str) -> None:
    assert snooze.canonical(snooze.Raw(text.encode())) == expected.encode()
    assert snooze.canonical(json.loads(text)) == expected.encode()


@hypothesis.given(VALUES, st.randoms())
def test_order_does_not_matter(value: Any, random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(item) for item in value]
        if isinstance(value, dict):
            names = random.sample(list(value), len(value))
            return {name: shuffled(value[name]) for name in names}
        return value

    def doubles(value: Any) -> Any:
        if isinstance(value, list):
            return [doubles(item) for item in value]
        if isinstance(value, dict):
            return {name: doubles(item) for name, item in value.items()}
        is_int = isinstance(value, int) and not isinstance(value, bool)
        return float(value) if is_int else value

    first = doubles(value)
    text = snooze.canonical(first)
    assert text == snooze.canonical(shuffled(first))
    assert doubles(json.loads(text)) == first
    assert snooze.canonical(snooze.Raw(text)) == text


@hypothesis.given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.none())
)
def test_names_are_in_the_order_of_utf_16(value: dict[str, None]) -> None:
    names = list(json.loads(snooze.canonical(value)))
    assert names == sorted(names, key=lambda name: name.encode("utf-16-be"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2**53 + 1, "no double holds this integer, near '9007199254740993'"),
        ([-(2**64) - 1], "no double holds this integer"),
        (10**400, "."),
        ({1: 0, "1": 0}, "a member name occurs twice"),
        (float("nan"), "expected a finite number"),
        ({"a": {"b": float("inf")}}, "expected a finite number"),
        ("\ud800", "surrogates"),
    ],
)
def test_what_has_no_canonical_form(value: Any, message: str) -> None:
    with pytest.raises(snooze.JSONEncodeError, match=message):
        snooze.canonical(value)


def test_canonical_numbers() -> None:
    values = [2**53, 2**64, 1.0, -0.0, 1e-7, decimal.Decimal("1.10"), True]
    assert snooze.canonical(values) == (
        b'[9007199254740992,18446744073709552000,1,0,1e-7,"1.10",true]'
    )


def test_hashes() -> None:
    value = {"b": [1.0, "é"], "a": None}
    text = '{"a":null,"b":[1,"é"]}'.encode()
    assert snooze.canonical_hash(value) == hashlib.sha256(text).hexdigest()
    assert (
        snooze.canonical_hash(value, algorithm="blake2b")
        == hashlib.blake2b(text).hexdigest()
    )
    assert snooze.canonical_hash([1], type=list[int]) == snooze.canonical_hash([1.0])
    with pytest.raises(ValueError, match="unsupported hash"):
        snooze.canonical_hash(value, algorithm="none")
    with pytest.raises(ValueError, match="the length of 'shake_128' is not fixed"):
        snooze.canonical_hash(value, algorithm="shake_128")
    with pytest.raises(TypeError):
        snooze.canonical_hash([1], type=list[str])


def test_nesting_and_many_members() -> None:
    """Unordered members at every level take linear memory and end."""
    value: Any = {}
    for _ in range(1000):
        value = {"b": 1, "a": value}
    text = snooze.canonical(value)
    assert text == b'{"a":' * 1000 + b"{}" + b',"b":1}' * 1000
    names = {f"{number:05}"[::-1]: number for number in range(20_000)}
    assert list(json.loads(snooze.canonical(names))) == sorted(names)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
NAMES = st.text("a\n\u00e9\uffe6\U0001f600", max_size=3)


@hypothesis.given(
    st.recursive(
        NUMBERS | NAMES,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(NAMES, inner, max_size=4)
            | st.dictionaries(st.integers(1, 12) | st.just("1"), inner, max_size=2)
            | inner.map(
                lambda value: snooze.Raw(json.dumps(value, default=str).encode())
            )
        ),
        max_leaves=12,
    )
)
def test_canonical_is_that_of_the_text(value: Any) -> None:
    """Nothing but the text decides, also where a value needs no second look."""
    text = snooze.encode(value, sort_keys=True)
    try:
        expected = canonicalize(text)
    except snooze.JSONDecodeError as error:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.canonical(value)
        assert error.msg in str(caught.value)
    else:
        assert snooze.canonical(value) == expected


RAW = '{ "\u00e9": [1.50, "\x7f\\u00E9" ] }'


@pytest.mark.parametrize("raw", [RAW, RAW.encode()])
def test_foreign_json(raw: Any) -> None:
    """White space of it is dropped, its escapes and digits stay; also in ASCII."""
    raw = snooze.Raw(raw) if isinstance(raw, bytes) else snooze.Fragment(raw)
    encoder = snooze.Encoder(ensure_ascii=True)
    expected = b'[{"\\u00e9":[1.50,"\\u007f\\u00E9"]},"\\u00e9"]'
    assert encoder.encode([raw, "\u00e9"]) == expected
    assert snooze.canonical([raw]) == '[{"\u00e9":[1.5,"\x7f\u00e9"]}]'.encode()


@hypothesis.given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_ascii_text_of_any_length(value: list[str]) -> None:
    """Runs of other characters at any place, in short and long texts."""
    encoder = snooze.Encoder(ensure_ascii=True)
    for texts in (value, ["x" * 70, *value, "y" * 99, *value]):
        expected = json.dumps(texts, separators=(",", ":"))
        assert encoder.encode_str(texts) == expected
        name = "".join(texts)
        assert encoder.encode_str({name: 1}) == json.dumps(
            {name: 1}, separators=(",", ":")
        )


ENCODER = snooze.Encoder(list[Any], indent=3, ensure_ascii=True, newline=True)
SORTED = snooze.Encoder(sort_keys=True, nan="error")
MEMBERS = [{"b": [n, 1.0], "é": {1, 2}, "a": {"d": 1, "c": 2}} for n in range(12)]
ITEMS = [{"é": [1, "x" * 50]}] * 100
LAYOUT = (", ", ": ", " ", True, True)
#: Without Python frames: 3.11 loses exceptions when it cannot make a traceback.
CASES = {
    "encoder": functools.partial(ENCODER.encode, ITEMS),
    "ascii": functools.partial(snooze.Encoder(ensure_ascii=True).encode, ITEMS),
    "sorted": functools.partial(SORTED.encode, MEMBERS),
    "canonical object": functools.partial(SORTED._encode_canonical, MEMBERS),
    "text": functools.partial(ENCODER.encode_str, ITEMS[:1]),
    "reformat": functools.partial(reformat, '{"é":[1,{}]}' + " " * 5000, *LAYOUT),
    "wrong": functools.partial(reformat, '{"é":[1,2,{}}', *LAYOUT),
    "canonical": functools.partial(canonicalize, '{"b":{"d":1.5,"c":""},"a":[1]}'),
    "twice": functools.partial(canonicalize, '{"b":1,"b":2}'),
}


def starve(name: str) -> None:
    """In a child: every failing allocation, then what was left behind."""
    case = CASES[name]
    each_failure(lambda: case, 1)
    left = ledger.grown(lambda times: each_failure(lambda: case, times), 4)
    assert not left, left


@needs_module("_testcapi")
@pytest.mark.parametrize("name", CASES)
def test_failing_allocations(name: str) -> None:
    in_child(starve, name)
