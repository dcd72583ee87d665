"""Typed decoding refuses malformed JSON as `loads` does.

Every document here is a valid one with a small change. What `loads` refuses must be
refused by every type, and for `Any` with the same error; what it accepts must never be a
syntax error.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.equality import assert_same
from helpers.typed_tools import Decoder
from snooze import Field, Raw, ValidationError, configure


@dataclass
class Small:
    """Skips most of a document."""

    a: int | None = None


@dataclass(slots=True)
class Large:
    """Reads most of a document."""

    a: Any = None
    b: list[Large] = field(default_factory=list)
    c: dict[str, float | str | None] = field(default_factory=dict)
    d: Raw | None = None


@dataclass
class Keeper:
    """Collects unknown members."""

    a: Any = None
    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


@configure(tag="s")
@dataclass
class Left:
    """A tagged class."""

    a: Any = None


@configure(tag="t")
@dataclass
class Right:
    """Another tagged class."""

    b: Any = None


class Pair(NamedTuple):
    """Decoded from an array."""

    a: Any
    b: Any = None


class Table(TypedDict, total=False):
    """Decoded into a dict."""

    a: Any
    b: list[Any]


TYPES: list[Any] = [
    *(
        Any,
        object,
        int,
        str,
        float,
        bool,
        None,
        list[Any],
        list[int | str],
        dict[str, Any],
    ),
    *(
        dict[int, str],
        tuple[int, ...],
        tuple[Any, Any],
        set[str],
        Raw,
        list[Raw],
        Small,
    ),
    *(
        list[Small],
        Large,
        Keeper,
        Left | Right,
        Pair,
        Table,
        dict[str, Small | list[Small]],
    ),
    *(Literal["a", 1, None], list[Large | int | str | None]),
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"errors": "all"},
    {"strict": False},
    {"unknown": "forbid"},
]
DECODERS = [Decoder(tp, **options) for tp in TYPES for options in OPTIONS]
FAST = [Decoder(tp, skip="fast", **options) for tp in TYPES for options in OPTIONS]
POINTED = [
    Decoder(tp, at=at, **options)
    for tp in (Any, int, Small, list[Any])
    for at in ("/a", "/0", "/b/0", "")
    for options in ({}, {"errors": "all"})
]
#: Decoders that accept all JSON.
ANYTHING = [
    Decoder(),
    Decoder(errors="all"),
    Decoder(object),
    Decoder(strict=False),
    Decoder(at=""),
]


def broken_as(document: Any) -> tuple[Any, ...] | None:
    """Return the error that `loads` raises for a document."""
    try:
        snooze.loads(document)
    except snooze.JSONDecodeError as error:
        return (error.msg, error.pos, error.lineno, error.colno, error.doc)
    return None


def with_64_bit_ints(value: Any) -> Any:
    """Return a value of `Any` as `loads` gives it: larger ints are floats."""
    if type(value) is int and not -(2**63) <= value < 2**64:
        return float(value)
    if type(value) is list:
        return [with_64_bit_ints(item) for item in value]
    if type(value) is dict:
        return {key: with_64_bit_ints(item) for key, item in value.items()}
    return value


def check(document: Any) -> None:
    """Compare every decoder with `loads`.

    A number beyond the range of a double is an error only where it is read as one.
    """
    broken = broken_as(document)
    beyond = broken is not None and "infinity" in broken[0]
    for decoder in DECODERS + POINTED:
        try:
            decoder.decode(document)
        except ValidationError as error:
            if broken is not None and (decoder in POINTED or decoder.type is Any):
                assert beyond or decoder.type is not Any
                if beyond:
                    continue
                raise AssertionError(f"{decoder}: no syntax error, {error}") from error
            assert error.errors
        except snooze.JSONDecodeError as error:
            found = (error.msg, error.pos, error.lineno, error.colno, error.doc)
            assert type(error) is snooze.JSONDecodeError
            assert broken == found or beyond, (decoder, document)
        else:
            assert broken is None or beyond, (decoder, document)
    for decoder in ANYTHING:
        try:
            value = decoder.decode(document)
        except snooze.JSONDecodeError as error:
            found = (error.msg, error.pos, error.lineno, error.colno, error.doc)
            assert found == broken, (decoder, document)
        else:
            assert broken is None
            assert_same(with_64_bit_ints(value), snooze.loads(document))
    for decoder in FAST:  # skip="fast" may accept more, but must not fail otherwise
        try:
            decoder.decode(document)
        except ValidationError:
            pass
        except snooze.JSONDecodeError as error:
            assert broken is not None, (decoder, document, error)


VALID = [
    '{"a":1,"b":[{"a":null,"b":[]},{"c":{"x":1.5,"y":"z"}}],"c":{},"d":[1,{"e":"f"}]}',
    '[{"a":1},{"a":2,"x":{"y":[true,false,null]}},"text",-1.5e-7,[],{}]',
    '{"type":"s","a":[1,2,{"type":"t"}],"zz":"\\u00e9\\n\\ud83d\\ude00"}',
    '{"b":"\u00e9\u8a9e\U0001f600","type":"t","\u00e9":["\u00e9",{"\u8a9e":1}]}',
    '{"1":"a","22":"b"}',
    '[[1,2],["x","y"],[null,[]]]',
    '"some text \\" with \\\\ escapes"',
    ' [ 1 , 2 , { "a" : 3 } ] \n',
    "12345678901234567890123",
    '{"x":{"x":{"x":{"x":[[[[1]]]]}}},"a":5}',
    "null",
    '{"a":{"b":[{"0":"deep"}]}}',
]
BYTES = b'{}[]",:\\ \n0123456789-+.eEtrufalsn\x00\x1f\x7f\xff\xc3\xa9\x80\xed\xa0u/'


def mutated(rng: random.Random, data: bytearray) -> bytes:
    """Draw a document with a few small changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(data) + 1)
        action = rng.randrange(5)
        if action == 0:
            data[at : at + 1] = bytes([rng.choice(BYTES)])
        elif action == 1:
            data[at:at] = bytes([rng.choice(BYTES)])
        elif action == 2:
            del data[at : at + rng.randrange(1, 4)]
        elif action == 3:
            end = rng.randrange(len(data) + 1)
            data[at:at] = data[min(at, end) : max(at, end)]
        else:
            del data[at:]
    return bytes(data) or b" "


@pytest.mark.parametrize("part", range(4))
def test_mutated_documents(part: int) -> None:
    """Thousands of small changes, with every type."""
    rng = random.Random(part)
    for _ in range(900):
        document = mutated(rng, bytearray(rng.choice(VALID).encode()))
        check(document)


def test_every_cut_and_every_missing_byte() -> None:
    """Each document cut at every place, and without each byte."""
    for text in VALID:
        data = text.encode()
        check(data)
        for at in range(1, len(data)):
            check(data[:at])
            check(data[:at] + data[at + 1 :])


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.text(max_size=3) | st.sampled_from(["a", "b", "type"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=10,
    )
)
def test_valid_documents(value: Any) -> None:
    """Valid documents never raise a syntax error."""
    check(json.dumps(value))
    check(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


#: Invalid UTF-8: a lone byte, truncated, overlong, a surrogate, out of range.
BAD = [
    b"\xff",
    b"\x80",
    b"\xc3",
    b"\xe8\xaa",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
]
HOLES = [
    b'"%s"',
    b'{"a":"%s"}',
    b'{"a":1,"x":"%s"}',
    b'{"a":1,"%s":2}',
    b'{"%s":[],"a":1}',
    b'{"x":[{"y":"%s"}],"a":1}',
    b'{"x":{"%s":1},"a":1}',
    b'[{"a":1,"x":"long enough to be read in vectors, I should think: %s"}]',
    b'{"type":"%s"}',
    b'{"x":"%s","type":"s"}',
    b'{"type":"s","x":"%s"}',
    b'[1,"%s"]',
    b'[[],["\\n%s"]]',
    b'{"d":{"k":"%s"}}',
    b'{"c":{"k":"%s"}}',
    b"%s",
    b"[1] %s",
    b'{"a":%s}',
]


def test_invalid_utf8() -> None:
    """In values, names, unknown members, skipped parts, and after problems."""
    for hole in HOLES:
        for bad in BAD:
            for pad in (b"", b"x" * 40, "\u00e9".encode() * 20):
                document = hole.replace(b"%s", pad + bad)
                broken = broken_as(document)
                assert broken is not None
                for decoder in DECODERS + POINTED + ANYTHING:
                    with pytest.raises(snooze.JSONDecodeError) as caught:
                        decoder.decode(document)
                    error = caught.value
                    if type(error) is not ValidationError:
                        found = (
                            error.msg,
                            error.pos,
                            error.lineno,
                            error.colno,
                            error.doc,
                        )
                        assert found == broken, (decoder, document)
                    else:
                        raise AssertionError((decoder, document, error))


def test_lone_surrogates() -> None:
    """As escapes and in a str."""
    for document in (
        '"\ud800"',
        '{"a":"\udfff"}',
        '{"x":"\ud800"}',
        '["\\ud800"]',
        '{"a":1,"\\udc00":2}',
        '{"x":"\\ud800\\u0041"}',
    ):
        check(document)
