"""Errors of loads: exact msg, pos, lineno, colno and doc, for every kind of mistake.

Each row of a table is a mistake inside a value; it is tried at the root and in several
containers, where the same message must name the same place.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import snooze

VALUE = "unexpected character, expected a JSON value"
KEY = "unexpected character, expected a string key"
COLON = "unexpected character, expected ':' after key"
IN_ARRAY = "unexpected character, expected ',' or ']'"
IN_OBJECT = "unexpected character, expected ',' or '}'"
AFTER = "unexpected content after document"
COMMA = "trailing comma is not allowed"
ZERO = "number with leading zero is not allowed"
SIGN = "no digit after sign"
POINT = "no digit after decimal point"
EXPONENT = "no digit after exponent sign"
INFINITY = "number is infinity when parsed as double"
ESCAPE = "invalid escaped sequence in string"
NO_LOW = "no low surrogate in string"
BAD_LOW = "invalid low surrogate in string"
BAD_LOW_ESCAPE = "invalid escape in string"
BAD_HIGH = "invalid high surrogate in string"
CONTROL = "unexpected control character in string"
TRUE = "invalid literal, expected 'true'"
FALSE = "invalid literal, expected 'false'"
NULL = "invalid literal, expected 'null'"
DEPTH = "depth limit exceeded"


def check(document: str, message: str, position: int) -> None:
    """Read `document` as str and as bytes; both must fail with exactly this error."""
    for data in (document, document.encode(), bytearray(document.encode())):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.loads(data)
        error: Any = caught.value
        assert (error.msg, error.pos) == (message, position)
        assert error.lineno == document.count("\n", 0, position) + 1
        assert error.colno == position - document.rfind("\n", 0, position)
        assert error.doc == document
        place = f"line {error.lineno} column {error.colno} (char {position})"
        assert str(error) == f"{message}: {place}"
        assert error.args == (str(error),)
        assert error.__cause__ is None
        assert error.__context__ is None


IN_VALUE = [
    *[
        (text, VALUE, 0)
        for text in ("NaN", "Infinity", "True", "None", "undefined", "x")
    ],
    *[
        (text, VALUE, 0)
        for text in ("'a'", "//c", "/*c*/1", "#", "%", "@", "~", "\x7f")
    ],
    *[
        (text, VALUE, 0)
        for text in ("é", "好", "😀", "\xa0", "\u2028", "\x00", "\x0b", "\x0c")
    ],
    *[
        (text, VALUE, 0)
        for text in (",", ":", "=1", "(1)", "<a>", "`a`", "１", "٣", "*")
    ],
    *[(text, NULL, 0) for text in ("nan", "nil", "nulL", "nu ll", "n1", "no")],
    *[(text, TRUE, 0) for text in ("t ", "truE", "tr ue", "trve", "tRUE", "t,")],
    *[(text, FALSE, 0) for text in ("f ", "falsE", "falze", "fa lse", "fALSE")],
    *[(text, ZERO, 0) for text in ("00", "01", "01.5", "0123", "00.5", "000")],
    *[(text, ZERO, 1) for text in ("-00", "-01", "-0123", "-01.5")],
    *[
        (text, SIGN, 1)
        for text in ("- 1", "--1", "-+1", "-.5", "-x", "-Infinity", "-NaN")
    ],
    *[(text, SIGN, 1) for text in ("-\n1", '-"', "-é", "-e5", "- ")],
    *[(text, SIGN, 0) for text in ("+1", "+", ".5", "+Infinity", "+-1", ".", "+.5")],
    *[(text, POINT, 2) for text in ("1.x", "1.e5", "1. 5", "1..", "0.e", "9.-", "1.é")],
    *[(text, POINT, 3) for text in ("-1.x", "-0.e1", "12. ", "-0. ")],
    *[
        (text, EXPONENT, 2)
        for text in ("1e ", "1ex", "1ee5", "1e.5", "0e,", "1E x", "2eé")
    ],
    *[(text, EXPONENT, 3) for text in ("1e+x", "1e- ", "1e++1", "0E+,", "1e+.5")],
    *[(text, EXPONENT, 4) for text in ("1.5e ", "12e-x", "-1e+,")],
    *[(text, INFINITY, 0) for text in ("1e309", "-1e400", "9" * 400, "-" + "9" * 400)],
    *[
        (text, ESCAPE, 1)
        for text in (r'"\x"', r'"\a"', r'"\0"', r'"\U0041"', r'"\ n"', '"\\\n"')
    ],
    *[
        (text, ESCAPE, 1)
        for text in (r'"\u"', r'"\u1"', r'"\u12"', r'"\u123"', r'"\u123g"')
    ],
    *[
        (text, ESCAPE, 1)
        for text in (r'"\u 123"', r'"\u+123"', r'"\u-123"', r'"\u0x41"', r'"\'"')
    ],
    *[
        (text, ESCAPE, 1)
        for text in (r'"\é"', r'"\v"', r'"\e"', r'"\u00é0"', r'"\DC00"')
    ],
    (r'"abc\x"', ESCAPE, 4),
    (r'"é😀\x"', ESCAPE, 3),
    (r'"\n\t\x"', ESCAPE, 5),
    (r'"\u0041\u00"', ESCAPE, 7),
    *[
        (text, NO_LOW, 1)
        for text in (r'"\uD800"', r'"\ud800x"', r'"\uDBFF\n"', r'"\uD800é"')
    ],
    *[
        (text, NO_LOW, 1)
        for text in (r'"\uD800\\uDC00"', r'"\uD800 \uDC00"', '"\\uD83D\\"')
    ],
    *[(text, BAD_LOW, 1) for text in (r'"\uD800\u0041"', r'"\uD800\uD800"')],
    *[(text, BAD_LOW, 1) for text in (r'"\uD800\uDBFF"', r'"\uD800\uE000"')],
    *[
        (text, BAD_LOW_ESCAPE, 1)
        for text in (r'"\uD83D\uDE0"', r'"\uD83D\u"', r'"\uD83D\uDExx"')
    ],
    *[(text, BAD_HIGH, 1) for text in (r'"\uDC00"', r'"\uDFFF"', r'"\udc00\ud800"')],
    (r'"ab\uD800"', NO_LOW, 3),
    (r'"é\uDC00"', BAD_HIGH, 2),
    *[(f'"{chr(code)}"', CONTROL, 1) for code in range(0x20)],
    ('"a\tb"', CONTROL, 2),
    ('"é好😀\n"', CONTROL, 4),
    ('"' + "a" * 100 + '\x1f"', CONTROL, 101),
    ('"' + "好" * 100 + '\x1f"', CONTROL, 101),
    ('"\\n' + "x" * 50 + '\x00"', CONTROL, 53),
]
PLACES = {
    "array": ("[", "]"),
    "second": ("[1,", "]"),
    "object": ('{"k":', "}"),
    "after text": ('["é😀",', "]"),
    "lines": ("[\n  1,\n  ", "\n]"),
    "pretty": ('{\n  "a": 1,\n  "é": ', "\n}"),
    "deep": ('[{"a":[[', "]]}]"),
    "root": ("", " "),
    "root after line": ("\r\n\t", "\n"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("text", "message", "offset"),
    IN_VALUE,
    ids=lambda v: ascii(v)[:24] if isinstance(v, str) else "",
)
def test_mistake_in_a_value(text: str, message: str, offset: int, place: str) -> None:
    """The message and the position do not depend on what surrounds the value."""
    before, after = PLACES[place]
    check(before + text + after, message, len(before) + offset)


@pytest.mark.parametrize(
    ("document", "message", "position"),
    [
        ("[,]", VALUE, 1),
        ("[,1]", VALUE, 1),
        ("[ , ]", VALUE, 2),
        ("[1,,2]", VALUE, 3),
        ("[1,\n,2]", VALUE, 4),
        ("[}", VALUE, 1),
        ("[\n}", VALUE, 2),
        ("]", VALUE, 0),
        ("}", VALUE, 0),
        (" ]", VALUE, 1),
        ("[1 2]", IN_ARRAY, 3),
        ("[1:2]", IN_ARRAY, 2),
        ("[1}", IN_ARRAY, 2),
        ('["a"b]', IN_ARRAY, 4),
        ('["a":1]', IN_ARRAY, 4),
        ("[1.5.5]", IN_ARRAY, 4),
        ("[1e5.5]", IN_ARRAY, 4),
        ("[0x10]", IN_ARRAY, 2),
        ("[1_000]", IN_ARRAY, 2),
        ("[1f]", IN_ARRAY, 2),
        ("[truee]", IN_ARRAY, 5),
        ("[nulll]", IN_ARRAY, 5),
        ("[null null]", IN_ARRAY, 6),
        ("[[]1]", IN_ARRAY, 3),
        ("[{}[]]", IN_ARRAY, 3),
        ("[1,\n2,\n3 4]", IN_ARRAY, 9),
        ("[1\x00]", IN_ARRAY, 2),
        ("[1\xa0]", IN_ARRAY, 2),
        ("[1é]", IN_ARRAY, 2),
        ("[99999999999999999999x]", IN_ARRAY, 21),
        ("[1,]", COMMA, 2),
        ("[1 , ]", COMMA, 3),
        ("[1,\n\n  ]", COMMA, 2),
        ("[\n  1,\n]", COMMA, 5),
        ("[[1,],2]", COMMA, 3),
        ('["é",]', COMMA, 4),
        ('["a,b",\t]', COMMA, 6),
        ("[[],]", COMMA, 3),
        ('{"a":1,}', COMMA, 6),
        ('{"a":1, }', COMMA, 6),
        ('{"a":1\n,\n}', COMMA, 7),
        ('{\n  "a": 1,\n}', COMMA, 10),
        ('{"a":1,\n "b":2,\n}', COMMA, 14),
        ('{"é":"好",}', COMMA, 8),
        ('{"a":{},}', COMMA, 7),
        ("{,}", KEY, 1),
        ("{a:1}", KEY, 1),
        ("{'a':1}", KEY, 1),
        ("{1:1}", KEY, 1),
        ("{null:1}", KEY, 1),
        ("{true:1}", KEY, 1),
        ("{[]:1}", KEY, 1),
        ("{]", KEY, 1),
        ("{ :1}", KEY, 2),
        ("{é:1}", KEY, 1),
        ('{"a":1,,"b":2}', KEY, 7),
        ('{"a":1,b:2}', KEY, 7),
        ('{"a":1,2}', KEY, 7),
        ('{\n  "a":1,\n  b}', KEY, 13),
        ('{"a"}', COLON, 4),
        ('{"a" 1}', COLON, 5),
        ('{"a",1}', COLON, 4),
        ('{"a"=1}', COLON, 4),
        ('{"a"\n"b"}', COLON, 5),
        ('{"é"x}', COLON, 4),
        ('{"a";1}', COLON, 4),
        ('{"a":}', VALUE, 5),
        ('{"a"::1}', VALUE, 5),
        ('{"a":,"b":1}', VALUE, 5),
        ('{"a": ]', VALUE, 6),
        ('{"a":1 "b":2}', IN_OBJECT, 7),
        ('{"a":1]', IN_OBJECT, 6),
        ('{"a":1:2}', IN_OBJECT, 6),
        ('{"a":"b"c}', IN_OBJECT, 8),
        ('{"a":nulll}', IN_OBJECT, 9),
        ('{"a":1.0.0}', IN_OBJECT, 8),
        ('{"a":[]x}', IN_OBJECT, 7),
        ('{"a":1é}', IN_OBJECT, 6),
        (r'{"\x":1}', ESCAPE, 2),
        (r'{"ab\uD800":1}', NO_LOW, 4),
        ('{"a\tb":1}', CONTROL, 3),
    ],
    ids=ascii,
)
def test_mistake_in_the_structure(document: str, message: str, position: int) -> None:
    """Mistakes in brackets, commas, colons and keys."""
    check(document, message, position)


@pytest.mark.parametrize(
    ("document", "position"),
    [
        ("1 2", 2),
        ("1x", 1),
        ("1,", 1),
        ("1-", 1),
        ("-1 -", 3),
        ("1.5.5", 3),
        ("1.0.", 3),
        ("1e5.5", 3),
        ("0x10", 1),
        ("-0x", 2),
        ("0 0", 2),
        ("1_000", 1),
        ("99999999999999999999x", 20),
        ("nullx", 4),
        ("null null", 5),
        ("true1", 4),
        ("true,", 4),
        ("falsey", 5),
        ('"a"b', 3),
        ('"a" "b"', 4),
        ('"é"x', 3),
        ("[]]", 2),
        ("{}}", 2),
        ("[1]x", 3),
        ("[1] x", 4),
        ("[],", 2),
        ("{} {}", 3),
        ("[\n  1]x", 6),
        ("1 \n\nx", 4),
        ("[1] \x00", 4),
        ("1\x00", 1),
        ('"a"\x00', 3),
        ("1\x0b", 1),
        ("1\xa0", 1),
        ("1\ufeff", 1),
        ("1//c", 1),
        ("[]#", 2),
    ],
    ids=ascii,
)
def test_content_after_the_document(document: str, position: int) -> None:
    """Anything but white space after the root is an error, a NUL byte too."""
    check(document, AFTER, position)


@pytest.mark.parametrize(
    ("document", "line", "column"),
    [
        ("\n\n x", 3, 2),
        ("\r\n\r\nx", 3, 1),
        ("\r\rx", 1, 3),
        ('["\u2028",x]', 1, 6),
        ('["é"\n,\n x]', 3, 2),
        ('["😀😀",\n"😀", x]', 2, 6),
        ("[" + "1,\n" * 500 + "x]", 501, 1),
        ("[\n" + '"' + "好" * 1000 + '", x]', 2, 1005),
    ],
    ids=lambda v: ascii(v)[:20],
)
def test_lines_and_columns(document: str, line: int, column: int) -> None:
    """Only a line feed ends a line; columns count characters."""
    for data in (document, document.encode()):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.loads(data)
        assert (caught.value.lineno, caught.value.colno) == (line, column)
        assert caught.value.msg == VALUE


OPENINGS = {"array": "[", "object": '{"a":', "both": '[{"a":', "pretty": '[\n{\n"é": '}


@pytest.mark.parametrize("before", ["", " ", "\n\n"])
@pytest.mark.parametrize("opening", OPENINGS.values(), ids=OPENINGS)
@pytest.mark.parametrize("levels", [1025, 1026, 5000, 100_000])
def test_depth_limit(opening: str, levels: int, before: str) -> None:
    """The 1025th open bracket is an error, closed or not; pos is just after it."""
    document = before + opening * levels
    brackets = [i for i, char in enumerate(document) if char in "[{"][:1025]
    if len(brackets) == 1025:
        check(document, DEPTH, brackets[-1] + 1)
        check(document + "x", DEPTH, brackets[-1] + 1)
        if opening == "[":
            check(document + "]" * levels, DEPTH, brackets[-1] + 1)


def test_errors_are_json_decode_errors() -> None:
    """Code that catches json.JSONDecodeError or ValueError catches snooze's error."""
    for kind in (json.JSONDecodeError, ValueError, snooze.JSONDecodeError):
        with pytest.raises(kind):
            snooze.loads("x")


def interrupted(name: str) -> Any:
    """Return a trace function that interrupts the call of a function."""

    def trace(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == name:
            raise KeyboardInterrupt

    return trace


def test_interrupts_are_not_lost() -> None:
    """Ctrl-C while the place of an error is found ends the call."""
    decoder = snooze.Decoder(list[int])
    with pytest.raises(snooze.JSONDecodeError):
        decoder.decode(b"[1,")
    before = sys.gettrace()
    try:
        sys.settrace(interrupted("_add_place"))
        with pytest.raises(KeyboardInterrupt):
            decoder.decode(b"[1,")
    finally:
        sys.settrace(before)
