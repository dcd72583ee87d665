"""`max_depth` and `max_size`: errors that say so, and documents beyond the usual depth."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

import snooze
from helpers.isolated import FREE_THREADED, in_child, is_instrumented
from snooze import Decoder, JSONDecodeError


def nested(levels: int, opening: str = "[", closing: str = "]") -> str:
    """Return a document of so many levels."""
    return opening * levels + ("1" if "{" in opening else "") + closing * levels


@pytest.mark.parametrize("shape", [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("most", [1, 2, 1024, 5000])
def test_depth(shape: tuple[str, str], most: int) -> None:
    """Arrays and objects count; the message has the limit."""
    decoder: Decoder[Any] = Decoder(max_depth=most)
    decoder.decode(nested(most, *shape))
    with pytest.raises(JSONDecodeError, match=f"limit exceeded: max_depth is {most}:"):
        decoder.decode(nested(most + 1, *shape))


def test_depth_by_default() -> None:
    """1024, whatever the other options are."""
    for options in ({"duplicates": "first"}, {"syntax": "json5"}, {"max_size": 9999}):
        decoder: Any = Decoder(**options)
        decoder.decode(nested(1024))
        with pytest.raises(JSONDecodeError, match="depth limit exceeded"):
            decoder.decode(nested(1025))


def test_a_depth_beyond_the_c_stack() -> None:
    """Nesting is on the heap; so is that of the errors."""
    decoder: Decoder[Any] = Decoder(max_depth=1_000_000)
    value = decoder.decode(nested(300_000))
    levels = 0
    while value:
        (value,) = value
        levels += 1
    assert levels == 300_000 - 1
    with pytest.raises(JSONDecodeError) as caught:
        decoder.decode("[" * 300_000)
    assert len(caught.value.pointer) == 2 * 300_000
    hooked = Decoder(object_pairs_hook=len, max_depth=100_000)
    assert hooked.decode(nested(100_000, '{"a":', "}")) == 1


def test_depth_with_a_type() -> None:
    """The document is checked before it is decoded, skipped parts too."""
    decoder = Decoder(dict[str, Any], max_depth=2)
    assert decoder.decode('{"a": []}') == {"a": []}
    with pytest.raises(JSONDecodeError, match="max_depth is 2") as caught:
        decoder.decode('{"a": [[]]}')
    assert caught.value.pointer == "/a/0/0"  # inside the array that is too deep
    with pytest.raises(JSONDecodeError, match="max_depth is 1"):
        snooze.decode('{"a": 1, "b": []}', int, at="/a", max_depth=1)


def test_size() -> None:
    """In bytes of UTF-8, of every kind of input."""
    decoder: Decoder[Any] = Decoder(max_size=6)
    for given_as in (bytes, bytearray, memoryview):
        assert decoder.decode(given_as(b"[1, 2]")) == [1, 2]
        with pytest.raises(JSONDecodeError, match="7 bytes: max_size is 6"):
            decoder.decode(given_as(b"[1, 22]"))
    assert decoder.decode("[1, 2]") == [1, 2]
    assert decoder.decode('"éé"') == "éé"
    for text in ("[1, 22]", '"ééé"', '"éééééé"'):
        with pytest.raises(JSONDecodeError, match=r"bytes: max_size is 6: line 1"):
            decoder.decode(text)
    with pytest.raises(JSONDecodeError, match="max_size"):
        Decoder(list[int], max_size=1).decode("[1]")


def test_size_is_checked_before_anything_is_read() -> None:
    """Also before a document is decoded."""
    with pytest.raises(JSONDecodeError, match="12 bytes: max_size is 11"):
        Decoder(max_size=11, encoding="detect").decode("[1,2]".encode("utf-16"))


def decode_deep() -> None:
    """In a child: what stays of a very deep document."""
    import resource

    def resident() -> int:
        ctypes.CDLL(None).malloc_trim(0)
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
        return int(pages) * resource.getpagesize()

    depth = 900_000
    decoder: Decoder[Any] = Decoder(max_depth=depth)
    decoder.decode(b"1")
    text = b"[" * depth + b"]" * depth
    before = resident()
    value = decoder.decode(text)
    while value:
        value = value.pop()
    assert resident() - before < 12 << 20, (resident() - before) >> 20


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim") or is_instrumented() or FREE_THREADED,
    reason="only glibc gives all memory back, and free-threaded builds use mimalloc",
)
def test_memory_of_deep_documents_is_given_back() -> None:
    """A Decoder keeps no stack for all of their containers."""
    in_child(decode_deep)
