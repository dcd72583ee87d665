"""Fragment: construction, verbatim output, and the class itself."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from typing import Any

import pytest

import snooze
from helpers.isolated import in_child

CONTENT = "snooze.Fragment's content is not of type bytes or str"


@pytest.mark.parametrize(
    ("contents", "written"),
    [
        (b'{"a": "b", "c": 1}', b'{"a": "b", "c": 1}'),
        ('{"a":1}', b'{"a":1}'),
        ("好é😀", "好é😀".encode()),
        (b"", b""),
        ("", b""),
        (b"not json\n\x00\xff", b"not json\n\x00\xff"),
        (b"x" * 100_000, b"x" * 100_000),
        ("é" * 100_000, ("é" * 100_000).encode()),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_contents_are_copied(contents: Any, written: bytes) -> None:
    """bytes and str are copied verbatim: not escaped, not checked."""
    fragment = snooze.Fragment(contents)
    assert snooze.dumps(fragment) == written
    assert snooze.dumps([fragment, 1, fragment]) == b"[%b,1,%b]" % (written, written)
    assert snooze.dumps({"k": fragment}) == b'{"k":%b}' % written
    assert snooze.dumps(fragment, option=snooze.OPT_APPEND_NEWLINE) == written + b"\n"


class StrSub(str):
    """A str subclass."""


class BytesSub(bytes):
    """A bytes subclass."""


@pytest.mark.parametrize(
    "contents",
    [1, None, [1], bytearray(b"1"), memoryview(b"1"), StrSub("1"), BytesSub(b"1")],
    ids=lambda value: type(value).__name__,
)
def test_other_contents_fail_when_dumped(contents: Any) -> None:
    """A Fragment accepts any object; only exact bytes and str can be written."""
    fragment = snooze.Fragment(contents)
    for default in (None, lambda _: 1):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps([fragment], default=default)
        assert str(caught.value) == CONTENT
        assert caught.value.__cause__ is None


def test_passthrough_subclass_does_not_matter() -> None:
    """OPT_PASSTHROUGH_SUBCLASS does not apply to Fragment."""
    option = snooze.OPT_PASSTHROUGH_SUBCLASS
    assert snooze.dumps(snooze.Fragment(b"1"), option=option) == b"1"


def test_from_default() -> None:
    """default may return a Fragment."""
    assert snooze.dumps({1}, default=lambda _: snooze.Fragment(b"[1]")) == b"[1]"


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}),
        ((1, 2), {}),
        ((), {"contents": b""}),
        ((b"",), {"contents": b""}),
        ((b"",), {"x": 1}),
    ],
    ids=["none", "two", "keyword", "both", "unknown"],
)
def test_construction_takes_one_positional_argument(args: Any, kwargs: Any) -> None:
    """The constructor takes one positional argument."""
    with pytest.raises(TypeError) as caught:
        snooze.Fragment(*args, **kwargs)
    assert str(caught.value) == "snooze.Fragment() takes exactly 1 positional argument"


def test_type() -> None:
    """Fragment is a plain, immutable class of this module."""
    cls = snooze.Fragment
    assert (cls.__module__, cls.__qualname__) == ("snooze", "Fragment")
    assert cls.__mro__ == (cls, object)
    with pytest.raises(TypeError, match="immutable type 'snooze.Fragment'"):
        cls.x = 1
    with pytest.raises(
        TypeError, match="'snooze.Fragment' is not an acceptable base type"
    ):
        type("Sub", (cls,), {})


def test_instance() -> None:
    """Instances are opaque: no attributes, identity equality, no tuple, no pickling."""
    fragment = snooze.Fragment(b"1")
    assert repr(fragment).startswith("<snooze.Fragment object at 0x")
    assert fragment == fragment  # noqa: PLR0124
    assert fragment != snooze.Fragment(b"1")
    assert len({fragment, fragment}) == 1
    assert not isinstance(fragment, tuple)
    assert not hasattr(fragment, "contents")
    with pytest.raises(AttributeError):
        fragment.x = 1
    for function in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle 'snooze.Fragment' object"):
            function(fragment)


def test_contents_live_as_long_as_the_fragment() -> None:
    """The fragment owns a reference to its contents."""
    fragment = snooze.Fragment(bytes([65]) * 5000)
    gc.collect()
    assert snooze.dumps(fragment) == b"A" * 5000


def nested_fragments() -> str:
    """In a child: fragments nested 300,000 deep, freed all together."""
    fragment: Any = None
    for _ in range(300_000):
        fragment = snooze.Fragment(fragment)
    del fragment
    return "freed"


def test_nested_fragments_are_freed_without_recursion() -> None:
    """The C stack does not grow with the nesting."""
    assert in_child(nested_fragments).strip() == "freed"


def test_fragment_drops_what_cannot_be_written() -> None:
    """So no reference cycle can pass through a fragment, which the collector ignores."""
    contents: list[Any] = []
    before = sys.getrefcount(contents)
    fragment = snooze.Fragment(contents)
    assert sys.getrefcount(contents) == before
    with pytest.raises(snooze.JSONEncodeError, match="not of type bytes or str"):
        snooze.dumps(fragment)


def test_raw() -> None:
    """A part of a document that a Decoder kept as text, also with a `default`."""
    raw = snooze.decode(b'{"a" : [1,  2]}', snooze.Raw)
    for options in ({}, {"default": repr}, {"option": snooze.OPT_SORT_KEYS}):
        assert snooze.dumps({"b": [raw, 1]}, **options) == b'{"b":[{"a" : [1,  2]},1]}'
    assert snooze.dumps(raw) == b'{"a" : [1,  2]}'

    class Own(snooze.Raw):
        pass

    assert snooze.dumps([Own(b"{}")]) == b"[{}]"
    for value in (b"{}", type("Text", (bytes,), {})(b"{}")):
        with pytest.raises(snooze.JSONEncodeError, match="not JSON serializable"):
            snooze.dumps(value)
        assert snooze.dumps(value, default=lambda one: one.decode()) == b'"{}"'
