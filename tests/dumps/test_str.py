"""dumps of str: escaping, every width of text, every position, surrogates.

The stdlib encoder with ensure_ascii=False escapes exactly the same characters, so it is
the oracle throughout.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

NOT_UTF8 = "str is not valid UTF-8: surrogates not allowed"
WIDTHS = {"ascii": "a", "latin1": "é", "bmp": "好", "astral": "😀"}


def expected(text: str) -> bytes:
    """Return the stdlib's text for a str."""
    return json.dumps(text, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", b'""'),
        ("abc", b'"abc"'),
        ('"', b'"\\""'),
        ("\\", b'"\\\\"'),
        ("/", b'"/"'),
        ("\b\t\n\f\r", b'"\\b\\t\\n\\f\\r"'),
        ("\x00\x01\x0b\x1f", b'"\\u0000\\u0001\\u000b\\u001f"'),
        ("\x7f\x80", b'"\x7f\xc2\x80"'),
        ("\u2028\u2029", b'"\xe2\x80\xa8\xe2\x80\xa9"'),
        ("好🆗é", b'"\xe5\xa5\xbd\xf0\x9f\x86\x97\xc3\xa9"'),
        ("</script>", b'"</script>"'),
    ],
    ids=ascii,
)
def test_escape_table(text: str, written: bytes) -> None:
    """Short escapes, lower-case u00xx for other controls, everything else raw."""
    assert snooze.dumps(text) == written


def test_every_code_point() -> None:
    """Each code point except the surrogates, alone and in runs of 64."""
    points = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    for start in range(0, len(points), 64):
        text = "".join(map(chr, points[start : start + 64]))
        assert snooze.dumps(text) == expected(text)
    for point in points[:0x3000]:
        assert snooze.dumps(chr(point)) == expected(chr(point))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "special", ['"', "\\", "\n", "\x00", "\x7f", "é", "😀"], ids=ascii
)
def test_every_length_and_position(width: str, special: str) -> None:
    """One special character at every position of texts of length 0 to 130."""
    filler = WIDTHS[width]
    for length in range(130):
        plain = filler * length
        assert snooze.dumps(plain) == expected(plain)
        for place in {0, 1, length // 2, length - 2, length - 1, length} - {-1, -2}:
            text = plain[:place] + special + plain[place:]
            assert snooze.dumps(text) == expected(text)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_single_position_of_one_block(width: str) -> None:
    """An escape at each position of a text of 70 characters."""
    for place in range(70):
        text = WIDTHS[width] * place + '"' + WIDTHS[width] * (69 - place)
        assert snooze.dumps(text) == expected(text)


@pytest.mark.parametrize("length", [1_000, 65_536, 1_000_000])
@pytest.mark.parametrize("char", ['"', "\x01", "a", "é", "好", "😀"], ids=ascii)
def test_long_text(length: int, char: str) -> None:
    """Texts that make the output buffer grow many times, up to six bytes a character."""
    text = char * length
    assert snooze.dumps([text, 1]) == b"[" + expected(text) + b",1]"


@pytest.mark.parametrize(
    "text",
    [
        "\ud800",
        "a\udfff",
        "\udc00\ud800",
        "é\udcff" * 50,
        "x" * 99 + "\udc80",
    ],
)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda s: s,
        lambda s: [s],
        lambda s: {"k": s},
        lambda s: {s: 1},
        lambda s: ({"a": [s]},),
        snooze.Fragment,
    ],
    ids=["root", "list", "value", "key", "deep", "fragment"],
)
def test_surrogates_are_refused(text: str, wrap: Any) -> None:
    """A str with a surrogate raises the same error at every position."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(wrap(text))
    assert str(caught.value) == NOT_UTF8
    assert caught.value.__cause__ is None


@given(st.text(st.characters(codec="utf-8")))
def test_text_matches_stdlib_and_round_trips(text: str) -> None:
    """Any valid text equals the stdlib's bytes and reads back equal."""
    assert snooze.dumps(text) == expected(text)
    assert snooze.loads(snooze.dumps(text)) == text
    assert snooze.dumps({text: text}) == b"{%b:%b}" % (expected(text), expected(text))


class Named(str):
    """A str subclass whose methods lie."""

    def __str__(self) -> str:
        return "lie"

    def encode(self, *_: Any) -> bytes:
        return b"lie"


def test_subclass_writes_its_storage() -> None:
    """A str subclass is written from its characters, not through its methods."""
    assert snooze.dumps(Named("né\n")) == '"né\\n"'.encode()
    with pytest.raises(snooze.JSONEncodeError, match=f"^{NOT_UTF8}$"):
        snooze.dumps(Named("\ud800"))


@pytest.mark.parametrize(
    "wide", ["\u00e9", "\u0434", "\u597d", "\U0001f600"], ids=ascii
)
@pytest.mark.parametrize("special", ["a", '"', "\\", "\n", "\x1f", "\x1c", "\x7f"])
def test_str_with_cached_utf8(wide: str, special: str) -> None:
    """A str whose UTF-8 CPython has cached is written the same, as a value and as a key."""
    keep = ctypes.pythonapi.PyUnicode_AsUTF8
    keep.argtypes, keep.restype = [ctypes.py_object], ctypes.c_char_p
    for before in (0, 1, 14, 30, 31, 62, 63, 64, 130):
        for after in (0, 1, 33, 100):
            text = "x" * before + wide + special + "y" * after + special
            size = sys.getsizeof(text)
            keep(text)
            assert sys.getsizeof(text) > size, "nothing was kept"
            assert snooze.dumps(text) == expected(text)
            name = b"{" + expected(text) + b":[]}"
            assert snooze.dumps({text: []}) == name
