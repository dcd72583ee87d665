"""`decode` and `encode` check options that a cached codec does not cover.

Python compares 1, 1.0 and True as equal, and so do keys of a cache. A codec that was
made with `True` must not answer a call with `1`: `Decoder` refuses that option.
"""

from __future__ import annotations

from typing import Any

import pytest

import snooze
from snooze._typed import calls

DECODE_OPTIONS = ["strict", "gc"]
ENCODE_OPTIONS = ["omit_none", "omit_defaults", "sort_keys"]
#: A bool, and a number that is equal to it.
EQUAL = [(True, 1), (False, 0), (True, 1.0), (False, 0.0), (False, -0.0)]


@pytest.mark.parametrize(("right", "wrong"), EQUAL)
@pytest.mark.parametrize("option", DECODE_OPTIONS)
@pytest.mark.parametrize("tp", [int, list[int]], ids=["class", "alias"])
def test_decode_refuses_a_number_after_the_equal_bool(
    tp: Any, option: str, right: bool, wrong: float
) -> None:
    """The call fails as `Decoder` does, whatever was cached before."""
    text = b"1" if tp is int else b"[1]"
    expected = snooze.decode(text, tp)
    calls._decoder.cache_clear()
    assert snooze.decode(text, tp, **{option: right}) == expected
    assert calls._decoder.cache_info().currsize == 1
    for _ in range(2):
        with pytest.raises(TypeError, match=f"{option} needs True or False"):
            snooze.decode(text, tp, **{option: wrong})
    assert snooze.decode(text, tp, **{option: right}) == expected
    assert calls._decoder.cache_info().hits == 1


@pytest.mark.parametrize(("right", "wrong"), EQUAL)
@pytest.mark.parametrize("option", ENCODE_OPTIONS)
@pytest.mark.parametrize("tp", [int, Any], ids=["class", "Any"])
def test_encode_refuses_a_number_after_the_equal_bool(
    tp: Any, option: str, right: bool, wrong: float
) -> None:
    """The call fails as `Encoder` does, whatever was cached before."""
    calls._encoder.cache_clear()
    assert snooze.encode(1, tp, **{option: right}) == b"1"
    assert calls._encoder.cache_info().currsize == 1
    for _ in range(2):
        with pytest.raises(TypeError, match=f"{option} needs True or False"):
            snooze.encode(1, tp, **{option: wrong})
    assert snooze.encode(1, tp, **{option: right}) == b"1"
    assert calls._encoder.cache_info().hits == 1


def test_options_of_one_call_share_one_plan() -> None:
    """Equal options of equal types are one entry of the cache."""
    calls._decoder.cache_clear()
    for _ in range(3):
        assert snooze.decode(b'"1"', int, strict=False, errors="all") == 1
    info = calls._decoder.cache_info()
    assert (info.misses, info.hits, info.currsize) == (1, 2, 1)


def test_options_without_a_hash_are_checked_too() -> None:
    """A mapping is not cached; the other options of the call are checked as ever."""
    rename = {"a": "b"}
    assert snooze.decode(b"1", int, rename=rename, gc=True) == 1
    with pytest.raises(TypeError, match="gc needs True or False"):
        snooze.decode(b"1", int, rename=rename, gc=1)  # type: ignore[arg-type]
