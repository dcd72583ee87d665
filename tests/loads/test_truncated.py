"""loads of truncated documents: every kind of document cut at every place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import snooze
from helpers.strategies import documents

END = "unexpected end of data"
EMPTY = "Input is a zero-length, empty document"
BLANK = "input data is empty"
LITERAL = "invalid literal, expected 'true'"


def check_cut(text: str) -> None:
    """A cut document is either valid by itself or ends unexpectedly, at its end."""
    for data in (text, text.encode()):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.loads(data)
        error = caught.value
        assert (error.msg, error.pos, error.doc) == (END, len(text), text)


@pytest.mark.parametrize(
    "document",
    [
        "[1,22]",
        "[[],{}]",
        '{"a":1,"b":[2]}',
        '{"a":{"b":{}}}',
        ' [ 1 , "x" ] ',
        '{ "a" : 1 , "b" : 2 }',
        '[\n  1,\n  {\n    "a": "é"\n  }\n]',
        "[true,false,null]",
        '{"a":true,"b":false,"c":null}',
        "[-1.5e+10,0.25E-3,-0]",
        r'["abc\u12e4\n\\\"\/"]',
        r'["\ud83d\ude00x\uD83D\uDE00"]',
        r'{"k\u00e9\ud83d\ude00":1}',
        '["é好😀"]',
        '["' + "a" * 70 + '",1]',
    ],
)
def test_every_cut(document: str) -> None:
    """Cut at each character: always "unexpected end of data" at the end."""
    start = len(document) - len(document.lstrip())
    for length in range(start + 1, len(document.rstrip())):
        check_cut(document[:length])


@pytest.mark.parametrize(
    "root", ["true", "false", "null", '"a\\u00e9\\n"', '"\\ud83d\\ude00"', '"é"']
)
@pytest.mark.parametrize("before", ["", " ", "\n\t"])
def test_every_cut_of_a_root_scalar(root: str, before: str) -> None:
    """Literals and strings at the root."""
    for length in range(1, len(root)):
        check_cut(before + root[:length])


def test_every_cut_of_a_root_number() -> None:
    """A number at the root may be complete where it is cut."""
    for text in ("-1.5e+10", "-12", "0.5", "10E-2", "-0.0e0"):
        for length in range(1, len(text) + 1):
            cut = text[:length]
            if cut[-1].isdigit():
                assert snooze.loads(cut) == json.loads(cut)
            else:
                check_cut(cut)


@pytest.mark.parametrize(
    ("text", "message"), [("", EMPTY), (" ", BLANK), ("\n \t", BLANK)]
)
def test_empty_input(text: str, message: str) -> None:
    """Empty input has its own messages, at position 0."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads(text)
    assert (caught.value.msg, caught.value.pos, caught.value.doc) == (message, 0, text)


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("tru ", LITERAL, 0),
        ("[tru]", LITERAL, 1),
        ("trux", LITERAL, 0),
        ("+", "no digit after sign", 0),
        ("[01", "number with leading zero is not allowed", 1),
        ("[1e400", "number is infinity when parsed as double", 1),
        ('"\\x', "invalid escaped sequence in string", 1),
        ('"\\u12g', "invalid escaped sequence in string", 1),
        ('"\\u1234\\x', "invalid escaped sequence in string", 7),
        ('"\x01', "unexpected control character in string", 1),
        ('"\\uD800\\n', "no low surrogate in string", 1),
        ('"\\uD800x', "no low surrogate in string", 1),
        ('"\\uD800\\u0', "invalid escape in string", 1),
        ('"\\uD800\\ud8', "invalid escape in string", 1),
        ('"\\uD800\\udcZ', "invalid escape in string", 1),
        ('"\\uD800\\ud800', "invalid low surrogate in string", 1),
        ('"\\uDC00x', "invalid high surrogate in string", 1),
        ('"\\uDC00\\uDC00', "invalid high surrogate in string", 1),
        ('"\\uDC00\\uD8', "invalid high surrogate in string", 1),
        ('["\\uD8"', "invalid escaped sequence in string", 2),
        ("[x", "unexpected character, expected a JSON value", 1),
        ("{x", "unexpected character, expected a string key", 1),
        ('{"a"x', "unexpected character, expected ':' after key", 4),
        ("[1x", "unexpected character, expected ',' or ']'", 2),
        ("[1.5.5", "unexpected character, expected ',' or ']'", 4),
    ],
    ids=ascii,
)
def test_an_earlier_mistake_comes_first(text: str, message: str, position: int) -> None:
    """An error before the end of the text is reported, not the end."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads(text)
    assert (caught.value.msg, caught.value.pos) == (message, position)


@pytest.mark.parametrize(
    "text",
    [
        '"\\uDC00',
        '"\\uDC00\\',
        '"\\uDC00\\u',
        '"\\uDC00\\ud',
        '"\\uDC00\\uDC',
        '"\\uDC00\\uDC0',
        '["\\uD800',
        '["\\uD800\\udc0',
        '{"\\ud8',
        '"\\"',
        '["\\\\\\"',
        '["a]',
        '{"a:1}',
    ],
    ids=ascii,
)
def test_unfinished_escapes(text: str) -> None:
    """An escape that could still be completed is an unexpected end."""
    check_cut(text)


@pytest.mark.parametrize("depth", [1, 190, 191, 192, 500, 1023, 1024])
def test_open_brackets(depth: int) -> None:
    """Up to the depth limit, brackets that are never closed."""
    for opening in ("[", '{"":', '[{"":'):
        levels = depth if len(opening) < 5 else depth // 2
        if levels:
            check_cut(opening * levels)
    check_cut("[1," * depth)


@given(documents())
def test_any_cut(document: bytes) -> None:
    """Any document with an array or object at the root, cut at ten places."""
    text = document.decode()
    body = text.rstrip()
    start = len(text) - len(text.lstrip())
    if body[start] in "[{":
        for length in range(start + 1, len(body), len(body) // 10 + 1):
            check_cut(text[:length])
