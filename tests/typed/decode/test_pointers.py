"""Decoding a part of a document: JSON Pointers, and skipping the rest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

import snooze
from helpers.typed_tools import Decoder, accept, decode, json_error, refusal, refuse
from snooze import ValidationError

#: The document of RFC 6901, section 5, and more.
DOCUMENT: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
    "~1": 9,
    "\u00e9\u8a9e": {"\U0001f600": [[1], {"0": "zero", "01": "no index"}]},
    "n\n": None,
    "-": "minus",
}
POINTERS = {
    "": DOCUMENT,
    "/foo": ["bar", "baz"],
    "/foo/0": "bar",
    "/foo/1": "baz",
    "/": 0,
    "/a~1b": 1,
    "/c%d": 2,
    "/e^f": 3,
    "/g|h": 4,
    "/i\\j": 5,
    '/k"l': 6,
    "/ ": 7,
    "/m~0n": 8,
    "/~01": 9,
    "/\u00e9\u8a9e/\U0001f600/0/0": 1,
    "/\u00e9\u8a9e/\U0001f600/1/0": "zero",
    "/\u00e9\u8a9e/\U0001f600/1/01": "no index",
    "/n\n": None,
    "/-": "minus",
}


@pytest.mark.parametrize("at", POINTERS)
@pytest.mark.parametrize("skip", ["validate", "fast"])
def test_pointers(at: str, skip: str) -> None:
    """Pointers of RFC 6901, through objects and arrays, with names escaped in any way."""
    for text in (
        json.dumps(DOCUMENT),
        json.dumps(DOCUMENT, ensure_ascii=False),
        json.dumps(DOCUMENT, indent=3),
        json.dumps(dict(reversed(DOCUMENT.items())), separators=(",", ":")),
    ):
        assert Decoder(at=at, skip=skip).decode(text) == POINTERS[at]
        assert (
            Decoder(at=at, skip=skip, errors="all").decode(text.encode())
            == POINTERS[at]
        )


@pytest.mark.parametrize(
    ("at", "place", "token"),
    [
        ("/fo", "$", "fo"),
        ("/foo/2", "$.foo", "2"),
        ("/foo/-", "$.foo", "-"),
        ("/foo/00", "$.foo", "00"),
        ("/foo/01", "$.foo", "01"),
        ("/foo/-1", "$.foo", "-1"),
        ("/foo/1.0", "$.foo", "1.0"),
        ("/foo/ 1", "$.foo", " 1"),
        ("/foo/99999999999999999999999", "$.foo", "99999999999999999999999"),
        ("/foo/", "$.foo", ""),
        ("/foo/0/x", "$.foo[0]", "x"),
        ("/a~1b/0", '$["a/b"]', "0"),
        ("/a/b", "$", "a"),
        ("//x", '$[""]', "x"),
        ("/n\n/x", '$["n\\u000a"]', "x"),
        ("/\u00e9\u8a9e/x/y", '$["\u00e9\u8a9e"]', "x"),
    ],
)
def test_pointers_to_nothing(at: str, place: str, token: str) -> None:
    """A problem, at the place up to which the pointer exists."""
    text = json.dumps(DOCUMENT)
    for errors in ("first", "all"):
        error = refusal(int, text, at=at, errors=errors)
        assert len(error.errors) == 1
        problem = error.errors[0]
        assert (problem.expected, problem.found) == ("int", f'no "{token}"')
        assert f" at {place} (line 1 column " in problem.message
        with pytest.raises(ValidationError):
            Decoder(Any, at=at, errors=errors).decode(text)


@dataclass
class User:
    """A record to point at."""

    name: str
    age: int = 0


def test_pointers_with_types() -> None:
    """The part is decoded by its type; problems have their place in the whole document."""
    text = '{"meta":{"n":1},"users":[{"name":"a"},\n {"name":"b","age":"x"}]}'
    accept(User, text, User("a"), at="/users/0")
    accept(dict[str, int], text, {"n": 1}, at="/meta")
    refuse(
        User,
        text,
        "expected int, found str at $.users[1].age (line 2 column 20)",
        at="/users/1",
    )
    refuse(
        list[User],
        text.replace('"a"', "1"),
        "expected str, found int at $.users[0].name (line 1 column 34)",
        "expected int, found str at $.users[1].age (line 2 column 20)",
        at="/users",
    )
    refuse(
        int,
        text,
        "expected int, found array at $.users (line 1 column 25)",
        at="/users",
    )
    refuse(int, "5", 'expected int, found no "a" at $ (line 1 column 1)', at="/a")
    refuse(int, " []", 'expected int, found no "0" at $ (line 1 column 2)', at="/0")


def test_repeated_members() -> None:
    """The pointer selects the last of equal names."""
    for text in (
        '{"a":1,"b":0,"a":2}',
        '{"a":{"x":[]},"\\u0061":2}',
        '{"a":[1,{"a":3}],"a":2}',
    ):
        accept(int, text, 2, at="/a")
    accept(int, '{"a":{"b":1},"a":{"b":2,"b":3}}', 3, at="/a/b")
    refuse(
        int,
        '{"a":{"b":1},"a":{}}',
        'expected int, found no "b" at $.a (line 1 column 18)',
        at="/a/b",
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            '{"a":1',
            '{"a":1}x',
            '{"a":1,}',
            '{"x":tru,"a":1}',
            '{"a":1,"x":[1,]}',
            '{"a":1 "b":2}',
        ),
        *(
            '{"a":1,"x":"\\x"}',
            '{"x":01,"a":1}',
            '{"a":1}}',
            "",
            " ",
            '{"a":01}',
        ),
        *(
            '{"a":1,"x":' + "[" * 1100 + "]" * 1100 + "}",
            '{"a":1,"\x01":2}',
            '{"a":1,1:2}',
            "nul",
        ),
    ],
    ids=lambda text: text[:20],
)
def test_the_whole_document_is_validated(text: str) -> None:
    """Malformed JSON elsewhere is refused as by `loads`, before or after the part."""
    expected = json_error(text)
    assert expected is not None
    for at in ("/a", "/b", "/a/0", ""):
        for errors in ("first", "all"):
            with pytest.raises(snooze.JSONDecodeError) as caught:
                decode(text, int, at=at, errors=errors)
            error = caught.value
            assert (
                error.msg,
                error.pos,
                error.lineno,
                error.colno,
                error.doc,
            ) == expected


def test_invalid_utf8_elsewhere() -> None:
    """Invalid UTF-8 elsewhere is refused as by `loads`."""
    for data in (
        b'{"a":1,"x":"\xff"}',
        b'{"\xff":2,"a":1}',
        b'["\xff"]',
        b'{"x":["\xed\xa0\x80"],"a":1}',
    ):
        for at in ("/a", "/b"):
            with pytest.raises(snooze.JSONDecodeError, match="UTF-8") as caught:
                decode(data, int, at=at)
            assert not isinstance(caught.value, ValidationError)


@pytest.mark.parametrize(
    "at", ["a", "a/b", "/~", "/~2", "/a~", "/~~0", "#/a", 5, b"/a", ["a"]]
)
def test_invalid_pointers(at: Any) -> None:
    """Refused when the Decoder is made."""
    with pytest.raises((ValueError, TypeError), match="JSON Pointer"):
        Decoder(at=at)


def test_fast_skipping() -> None:
    """In skipped parts only brackets and strings are checked."""
    for text in (
        '{"x":[1,,2],"name":"a"}',
        '{"x":{"a" 1},"name":"a"}',
        '{"name":"a","x":[tru,01,"\\x"]}',
        '{"x":["]"],"name":"a"}',
        '{"x":"}","name":"a"}',
        '{"x":"\\"}","name":"a"}',
    ):
        assert decode(text, User, skip="fast") == User("a")
    for text in (
        '{"x":[1,2,"name":"a"}',
        '{"x":"a,"name":"a"}',
        '{"x":[}],"name":"a"}',
        '{"x":1,"name":"a"',
        '{"x" 1,"name":"a"}',
        '{"x":,"name":"a"}',
        '{"x":1 2,"name":"a"}',
    ):
        with pytest.raises(snooze.JSONDecodeError):
            decode(text, User, skip="fast")
    # The decoded part is still checked.
    with pytest.raises(snooze.JSONDecodeError):
        decode('{"name":"\\x"}', User, skip="fast")
    with pytest.raises(snooze.JSONDecodeError):
        decode(b'{"name":"\xff"}', User, skip="fast")
    with pytest.raises(snooze.JSONDecodeError):
        decode('{"name":"a"} x', User, skip="fast")


def test_real_documents(documents: dict[str, bytes]) -> None:
    """Parts of the benchmark documents equal those that `loads` gives."""
    whole = {name: snooze.loads(data) for name, data in documents.items()}
    for name, at, value in (
        ("twitter", "/statuses", whole["twitter"]["statuses"]),
        (
            "twitter",
            "/statuses/7/user/screen_name",
            whole["twitter"]["statuses"][7]["user"]["screen_name"],
        ),
        (
            "citm_catalog",
            "/performances/100",
            whole["citm_catalog"]["performances"][100],
        ),
        (
            "canada",
            "/features/0/geometry/coordinates/5/0",
            whole["canada"]["features"][0]["geometry"]["coordinates"][5][0],
        ),
        ("github", "/3", whole["github"][3]),
    ):
        for skip in ("validate", "fast"):
            assert Decoder(at=at, skip=skip).decode(documents[name]) == value
