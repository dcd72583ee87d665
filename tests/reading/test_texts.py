"""`surrogates` and `encoding`: escapes of half pairs, byte order marks, UTF-16 and UTF-32."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from helpers.isolated import in_child
from snooze import Decoder, JSONDecodeError

KEEP: Decoder[Any] = Decoder(surrogates="keep")
REPLACE: Decoder[Any] = Decoder(surrogates="replace")
DETECT: Decoder[Any] = Decoder(encoding="detect")
BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@given(st.text(st.characters(codec=None, categories=["L", "Cs", "Zs", "So", "Cc"])))
def test_lone_surrogates_are_kept_as_json_keeps_them(text: str) -> None:
    """As values and as names."""
    document = json.dumps({text: [text]})
    assert_same(KEEP.decode(document), json.loads(document))


@given(st.text(st.sampled_from("a\ud800\udfffé\U0001f600")))
def test_lone_surrogates_are_replaced(text: str) -> None:
    """Each by U+FFFD; pairs are not touched."""
    document = json.dumps([text])
    # json joins neighbours to a character, as every reader does.
    joined = json.loads(document)[0]
    expected = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in joined)
    assert REPLACE.decode(document) == [expected]
    assert Decoder(list[str], surrogates="replace").decode(document) == [expected]


def test_lone_surrogates_are_an_error_by_default() -> None:
    """With the faults and places of loads."""
    for document in (
        '["\\ud800"]',
        '["\\udc00"]',
        '["\\ud800\\u0041"]',
        '["\\ud800\\u1"]',
    ):
        with pytest.raises(JSONDecodeError) as ours:
            Decoder(duplicates="first").decode(document)
        with pytest.raises(JSONDecodeError) as theirs:
            snooze.loads(document)
        assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("decoder", [KEEP, REPLACE])
def test_other_faults_of_strings_remain(decoder: Decoder[Any]) -> None:
    """Escapes that are none, control characters, bytes that are not UTF-8."""
    for document in (
        b'["\\ud800\\u12g4"]',
        b'["\\ud800\\x"]',
        b'["\\ud800\n"]',
        b'["\\ud800',
    ):
        with pytest.raises(JSONDecodeError):
            decoder.decode(document)
    for bad in (b"\xff", b"\xed\xa0\x80", b"\xc3"):
        with pytest.raises(JSONDecodeError, match="UTF-8"):
            decoder.decode(b'["\\ud800' + bad + b'"]')
        with pytest.raises(JSONDecodeError, match="UTF-8"):
            decoder.decode(b'["' + bad + b'"]')


@pytest.mark.parametrize("name", BOMS)
@pytest.mark.parametrize("document", ['{"é": [1, "\U0001f600"]}', "1", '"a"', "[]"])
def test_encodings_are_detected_as_json_does(name: str, document: str) -> None:
    """With and without a byte order mark, from every kind of object."""
    expected = json.loads(document)
    for data in (document.encode(name), BOMS[name] + document.encode(name)):
        for given_as in (bytes, bytearray, memoryview):
            assert DETECT.decode(given_as(data)) == expected
        assert Decoder(object, encoding="detect").decode(data) == expected


def test_utf_8_sig_skips_a_mark_and_reads_nothing_else() -> None:
    """Without a mark the document is read as always."""
    decoder: Decoder[Any] = Decoder(encoding="utf-8-sig")
    assert decoder.decode(codecs.BOM_UTF8 + b"[1]") == decoder.decode(b"[1]") == [1]
    assert decoder.decode("\ufeff[1]") == [1]
    with pytest.raises(JSONDecodeError):
        decoder.decode("[1]".encode("utf-16"))
    with pytest.raises(JSONDecodeError):
        decoder.decode(codecs.BOM_UTF8 * 2 + b"[1]")


def test_a_mark_is_an_error_by_default() -> None:
    """As for loads."""
    for options in ({"max_depth": 3}, {"syntax": "jsonc"}, {"max_size": 100}):
        decoder: Any = Decoder(**options)
        with pytest.raises(JSONDecodeError, match="byte order mark"):
            decoder.decode(codecs.BOM_UTF8 + b"[1]")


@pytest.mark.parametrize("name", BOMS)
def test_errors_name_the_option_that_reads_another_encoding(name: str) -> None:
    """In a note, so that message and position stay those of loads."""
    text = '{"a": 1}'
    for data in (text.encode(name), BOMS[name] + text.encode(name)):
        for options in ({}, {"max_depth": 3}, {"syntax": "jsonc"}):
            decoder: Any = Decoder(**options)
            if name == "utf-8" and not data.startswith(codecs.BOM_UTF8):
                assert decoder.decode(data) == {"a": 1}
                continue
            with pytest.raises(JSONDecodeError) as caught:
                decoder.decode(data)
            option = "utf-8-sig" if name == "utf-8" else "detect"
            assert f"encoding='{option}'" in caught.value.__notes__[-1]
    for data in (b'{"a": tru}', b'"\xff"', '["\xff\xfe'.encode()):
        with pytest.raises(JSONDecodeError) as caught:
            Decoder().decode(data)
        assert "encoding" not in "".join(getattr(caught.value, "__notes__", []))


def test_broken_encodings_name_the_encoding() -> None:
    """And the byte where it breaks."""
    with pytest.raises(JSONDecodeError, match="not valid UTF-16-LE: .* at byte 6"):
        DETECT.decode('"ab'.encode("utf-16-le") + b"\x00\xd8\x00\xd8")
    with pytest.raises(JSONDecodeError, match="not valid UTF-32"):
        DETECT.decode(codecs.BOM_UTF32_LE + b"[\x00\x00")
    with pytest.raises(JSONDecodeError, match="UTF-8"):
        DETECT.decode(b'"\xff"')


@pytest.mark.parametrize("document", [b"", bytearray(), codecs.BOM_UTF8, 3, None, [1]])
def test_what_is_no_document_is_refused(document: Any) -> None:
    """With a JSONDecodeError, as by loads."""
    for options in ({"encoding": "detect"}, {"max_size": 9}, {"syntax": "json5"}):
        decoder: Any = Decoder(**options)
        if document == codecs.BOM_UTF8 and "syntax" in options:
            continue
        with pytest.raises(JSONDecodeError):
            decoder.decode(document)


class Text(str):
    """A class of users."""

    __slots__ = ()


class Array(bytearray):
    """Another one."""


class Bytes(bytes):
    """One that is read, as by loads, whatever its methods do."""

    def removeprefix(self, prefix: Any) -> Any:
        raise NotImplementedError

    decode = startswith = __bytes__ = removeprefix  # type: ignore[assignment]


#: Options by which the extension does not read the document itself, for a type or not.
PREPARED: list[tuple[Any, dict[str, Any]]] = [
    *(
        (tp, options)
        for tp in (Any, list[int])
        for options in (
            {"encoding": "utf-8-sig"},
            {"encoding": "detect"},
            {"max_size": 99},
            {"encoding": "detect", "syntax": "json5"},
        )
    ),
    (list[int], {"syntax": "json5"}),
    (list[int], {"max_depth": 3}),
    (list[int], {"duplicates": "error"}),
]


@pytest.mark.parametrize(("tp", "options"), PREPARED)
def test_the_same_objects_as_by_every_decoder(tp: Any, options: Any) -> None:
    decoder: Any = Decoder(tp, **options)
    holes = memoryview(b"[x1x]x")[::2]
    for document in (Text("[1]"), Text("[1" * 99), Array(b"[1]"), holes, None):
        for call in (decoder.decode, decoder.validate_only):
            messages = []
            for one in (Decoder().decode, call):
                with pytest.raises(JSONDecodeError) as caught:
                    one(document)  # type: ignore[arg-type]
                messages.append(str(caught.value))
            assert messages[0] == messages[1]
    square = memoryview(b"[1] ").cast("B", (2, 2))
    for document in (b"[1]", Bytes(b"[1]"), bytearray(b"[1]"), square, "[1]"):
        assert decoder.decode(document) == [1]


@pytest.mark.parametrize("name", BOMS)
def test_a_second_mark_is_an_error(name: str) -> None:
    data = ("\ufeff" * 2 + "[1]").encode(name)
    with pytest.raises(JSONDecodeError, match="byte order mark"):
        DETECT.decode(data)
    with pytest.raises(json.JSONDecodeError):
        json.loads(data)


def test_places_are_those_of_the_decoded_text() -> None:
    """Without the mark, in characters."""
    with pytest.raises(JSONDecodeError) as caught:
        DETECT.decode('["é", tru]'.encode("utf-16"))
    assert (caught.value.pos, caught.value.doc) == (6, '["é", tru]')


def own_handler() -> None:
    """In a child: register another handler of errors as `surrogatepass`."""
    called: list[Any] = []

    def handler(error: Any) -> Any:
        called.append(error)
        return "?", error.end

    codecs.register_error("surrogatepass", handler)
    text = '["\\ud800", {"\\udc00": "a\\u00e9\\u20ac\U0001f600\\udfff"}]'
    expected = ["\ud800", {"\udc00": "a\u00e9\u20ac\U0001f600\udfff"}]
    assert KEEP.decode(text) == expected
    assert not called


def test_kept_surrogates_need_no_handler_of_errors() -> None:
    """A program may have replaced it by its own."""
    in_child(own_handler)
