"""Input of loads: accepted types, refused types, encoding, and what `doc` holds."""

from __future__ import annotations

import array
import ctypes
import json
import mmap
import pathlib
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

WRONG_TYPE = "Input must be bytes, bytearray, memoryview, or str"
NOT_UTF8 = "str is not valid UTF-8: surrogates not allowed"
EMPTY = "Input is a zero-length, empty document"
BLANK = "input data is empty"
BOM = "UTF-8 byte order mark (BOM) is not supported"
KINDS = [bytes, bytearray, memoryview]


class Bytes(bytes):
    """A bytes subclass."""


class Str(str):
    """A str subclass."""


class ByteArray(bytearray):
    """A bytearray subclass."""


def refused(data: Any) -> snooze.JSONDecodeError:
    """Return the error that reading `data` raises, after checking that it has no cause."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads(data)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


def assert_whole(error: snooze.JSONDecodeError, text: str, doc: str = "") -> None:
    """Assert that an error is about the whole input: position 0."""
    assert (error.msg, error.pos, error.lineno, error.colno) == (text, 0, 1, 1)
    assert error.doc == doc


@pytest.mark.parametrize("kind", KINDS)
def test_byte_kinds(kind: Any) -> None:
    """bytes, bytearray and memoryview give the same value."""
    data = '{"é":["好",1,-2.5,"😀\\n"]}'.encode()
    assert snooze.loads(kind(data)) == {"é": ["好", 1, -2.5, "😀\n"]}
    assert snooze.loads(kind(b"1")) == 1


@pytest.mark.parametrize(
    "text", ["[1]", '["é"]', '["好"]', '["😀"]', '["\x80"]', '["é好😀"]'], ids=ascii
)
def test_str_of_every_width(text: str) -> None:
    """str in each of CPython's storage widths, slices included."""
    assert snooze.loads(text) == [text[2:-2] or 1]
    assert snooze.loads(("x😀" + text)[2:]) == snooze.loads(text.encode())


@pytest.mark.parametrize("wide", ["é", "߿", "ࠀ", "好", "\uffff", "😀", "\U0010ffff"])
@pytest.mark.parametrize("before", [0, 1, 30, 31, 32, 33, 70])
def test_wide_character_anywhere_in_a_long_str(wide: str, before: int) -> None:
    """A long str, with one character or many that are not ASCII, and with its UTF-8."""
    for text in ("a" * before + wide + "b" * 70, "a" * before + wide * 70):
        document = f'["{text}"]'
        size = sys.getsizeof(document)
        assert snooze.loads(document) == [text]
        assert sys.getsizeof(document) == size, "the str has been given its UTF-8"
        ctypes.pythonapi.PyUnicode_AsUTF8(ctypes.py_object(document))
        assert sys.getsizeof(document) > size
        assert snooze.loads(document) == [text]
        assert snooze.Decoder(list[str]).decode(document) == [text]


@pytest.mark.parametrize("at", [0, 1, 31, 32, 33, 69])
@pytest.mark.parametrize("wide", ["é", "好", "😀"])
def test_lone_surrogate_anywhere_in_a_long_str(at: int, wide: str) -> None:
    """A surrogate is no character, in a str of two and of four bytes a character."""
    for surrogate in "\ud800\udbff\udc00\udfff":
        text = wide * at + surrogate + wide * (69 - at)
        assert_whole(refused(f'["{text}"]'), NOT_UTF8)


@given(st.text(max_size=100))
def test_any_str_is_read_as_its_utf_8(text: str) -> None:
    """As `bytes` of the same text are."""
    document = json.dumps(text, ensure_ascii=False)
    assert snooze.loads(document) == snooze.loads(document.encode()) == text


@pytest.mark.parametrize(
    "view",
    [
        memoryview(bytearray(b"[1]")),
        memoryview(b"x[1]x")[1:4],
        memoryview(b"[1] ").cast("I"),
        memoryview(b"[1]").cast("B", (3, 1)),
        memoryview(b"[1]").cast("c"),
        memoryview(array.array("B", b"[1]")),
    ],
    ids=["bytearray", "slice", "unsigned int", "two dimensions", "char", "array"],
)
def test_memoryview_of_any_contiguous_format(view: memoryview) -> None:
    """The bytes count, not the format."""
    assert snooze.loads(view) == [1]


def test_memoryview_of_no_dimension() -> None:
    """A memoryview without dimensions, of a single byte."""
    assert snooze.loads(memoryview(b"7").cast("B", ())) == 7


@pytest.mark.parametrize(
    "view",
    [memoryview(b"]1[")[::-1], memoryview(b"[x1x]")[::2]],
    ids=["reversed", "strided"],
)
def test_memoryview_must_be_contiguous(view: memoryview) -> None:
    """A view with gaps is refused as a wrong type."""
    assert_whole(refused(view), WRONG_TYPE)


@pytest.mark.parametrize(
    "data",
    [
        None,
        1,
        1.5,
        True,
        [],
        {},
        object(),
        Bytes(b"1"),
        Str("1"),
        ByteArray(b"1"),
        array.array("B", b"1"),
        pathlib.PurePath("1"),
        range(1),
        type,
        (b"1",),
    ],
    ids=lambda data: type(data).__name__,
)
def test_refused_types(data: Any) -> None:
    """Any other type, subclasses included, is a JSONDecodeError."""
    assert_whole(refused(data), WRONG_TYPE)


def test_mmap_is_refused() -> None:
    """An mmap needs a memoryview around it."""
    with mmap.mmap(-1, 3) as data:
        data[:] = b"[1]"
        assert_whole(refused(data), WRONG_TYPE)
        with memoryview(data) as view:
            assert snooze.loads(view) == [1]


@pytest.mark.parametrize("data", ["", b"", bytearray(), memoryview(b"")], ids=repr)
def test_empty(data: Any) -> None:
    """Empty input."""
    assert_whole(refused(data), EMPTY)


@pytest.mark.parametrize("blank", [" ", "\n", "\t\r\n ", " " * 100])
def test_only_white_space(blank: str) -> None:
    """Input that is only white space."""
    assert_whole(refused(blank), BLANK, doc=blank)
    assert_whole(refused(blank.encode()), BLANK, doc=blank)


@pytest.mark.parametrize("text", ["\ufeff", "\ufeff[]", "\ufeff 1"], ids=ascii)
def test_byte_order_mark(text: str) -> None:
    """A byte order mark has its own error text, in str as in bytes."""
    assert_whole(refused(text), BOM, doc=text)
    assert_whole(refused(text.encode()), BOM, doc=text)


INVALID = {
    "lone continuation": b"\x80",
    "lone lead": b"\xc3",
    "lead and quote": b'\xc3"',
    "cut 3": b"\xe2\x82",
    "cut 4": b"\xf0\x9f\x98",
    "overlong 2": b"\xc0\x80",
    "overlong 2 high": b"\xc1\xbf",
    "overlong 3": b"\xe0\x9f\xbf",
    "overlong 4": b"\xf0\x8f\xbf\xbf",
    "surrogate low end": b"\xed\xa0\x80",
    "surrogate high end": b"\xed\xbf\xbf",
    "surrogate pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "above U+10FFFF": b"\xf4\x90\x80\x80",
    "5 bytes": b"\xf8\x88\x80\x80\x80",
    "6 bytes": b"\xfc\x84\x80\x80\x80\x80",
    "FE": b"\xfe",
    "FF": b"\xff",
    "latin-1": "é".encode("latin-1"),
    "utf-16": b"\xff\xfe[\x00",
}


@pytest.mark.parametrize("bad", INVALID.values(), ids=INVALID)
@pytest.mark.parametrize("kind", KINDS)
def test_invalid_utf8(bad: bytes, kind: Any) -> None:
    """UTF-8 is checked before anything is parsed: after an error and in keys too."""
    for before, after in (
        (b"", b""),
        (b'"', b'"'),
        (b'["', b'"]'),
        (b'{"', b'":1}'),
        (b"[1,", b""),
        (b"syntax error ", b""),
        (b'"' + b"a" * 200, b"a" * 100 + b'"'),
        ("\ufeff".encode(), b""),
        (b"[] ", b""),
        (b" ", b" "),
    ):
        assert_whole(refused(kind(before + bad + after)), NOT_UTF8)


def test_invalid_utf8_at_every_offset() -> None:
    """One invalid byte at each position of a document of 200 bytes."""
    document = b'["' + b"a" * 196 + b'"]'
    for place in range(len(document)):
        data = document[:place] + b"\xff" + document[place + 1 :]
        assert_whole(refused(data), NOT_UTF8)


@pytest.mark.parametrize(
    "text",
    [
        "\ud800",
        '"\ud800"',
        '["\udfff"]',
        "x\ud800",
        '"😀\udc00"',
        '"' + "é" * 99 + '\udcff"',
    ],
    ids=ascii,
)
def test_str_with_surrogates(text: str) -> None:
    """A str that UTF-8 cannot represent."""
    assert_whole(refused(text), NOT_UTF8)


@pytest.mark.parametrize(
    ("data", "point"),
    [
        (b'"\xc2\x80"', 0x80),
        (b'"\xdf\xbf"', 0x7FF),
        (b'"\xe0\xa0\x80"', 0x800),
        (b'"\xed\x9f\xbf"', 0xD7FF),
        (b'"\xee\x80\x80"', 0xE000),
        (b'"\xef\xbf\xbf"', 0xFFFF),
        (b'"\xf0\x90\x80\x80"', 0x10000),
        (b'"\xf4\x8f\xbf\xbf"', 0x10FFFF),
    ],
    ids=ascii,
)
def test_limits_of_valid_utf8(data: bytes, point: int) -> None:
    """The first and last code point of each encoded length."""
    assert snooze.loads(data) == chr(point)


@given(st.binary(max_size=80))
def test_utf8_is_what_python_says(body: bytes) -> None:
    """Any bytes inside a string are refused exactly when Python cannot decode them."""
    data = b'["' + body.replace(b'"', b"").replace(b"\\", b"") + b'"]'
    text = data.decode(errors="replace")
    if text.encode() != data:
        assert_whole(refused(data), NOT_UTF8)
    elif min(text) < " ":
        assert refused(data).msg == "unexpected control character in string"
    else:
        assert snooze.loads(data) == [text[2:-2]]


@pytest.mark.parametrize("kind", [*KINDS, bytes.decode])
def test_doc_is_a_str_of_the_input(kind: Any) -> None:
    """Errors of the parser carry the whole input as a str, whatever type it was."""
    data = '["é", x]'.encode()
    error = refused(kind(data))
    assert error.doc == data.decode()
    assert type(error.doc) is str


def test_input_is_not_changed() -> None:
    """A bytearray can be resized after the call and is not changed by it."""
    data = bytearray(b'["a\\nb", 1]')
    copy = bytes(data)
    assert snooze.loads(data) == ["a\nb", 1]
    assert data == copy
    data.clear()
    bad = bytearray(b"[1,]")
    refused(bad)
    bad.clear()
