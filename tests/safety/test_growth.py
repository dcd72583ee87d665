"""Growth of the output buffer: every mix of kinds, sizes and nesting.

The oracle is a plain writer in Python. The tests are meant for the checked build, which
asserts each write against the reserved space, under PYTHONMALLOC=debug: a reservation
that is one byte too small aborts at the mix that needs it. `make test` sets
SNOOZE_EXPECT_CHECKED=1 there, so that a release build in its place is a failure.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import json
import os
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
import snooze._snooze
from helpers.support import float_text


@dataclasses.dataclass
class Plain:
    """Written from its `__dict__`."""

    first: Any
    second: Any


@dataclasses.dataclass(slots=True)
class Slots:
    """Written by attribute."""

    first: Any
    second: Any


class Leading(enum.Enum):
    """An enum whose members are written as their values."""

    ONE = "\u00e9"
    TWO = (1, [2])


class Opaque:
    """Only `default` can write it."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner


def unwrap(value: Any) -> Any:
    """A `default` for Opaque."""
    return value.inner


class Writer:
    """The oracle: writes JSON piece by piece, without buffers."""

    def __init__(self, option: int) -> None:
        self.indent = bool(option & snooze.OPT_INDENT_2)
        self.sort = bool(option & snooze.OPT_SORT_KEYS)

    def text(self, value: Any, depth: int = 0) -> str:
        """Append the JSON of a value."""
        if isinstance(value, enum.Enum):
            return self.text(value.value, depth)
        if isinstance(value, Opaque):
            return self.text(value.inner, depth)
        if isinstance(value, snooze.Fragment):
            return "[1, 2]"
        if isinstance(value, (uuid.UUID, datetime.date)):
            text = str(value) if isinstance(value, uuid.UUID) else value.isoformat()
            return f'"{text}"'
        if isinstance(value, float):
            return float_text(value)
        if isinstance(value, (Plain, Slots)):
            return self.members(
                [("first", value.first), ("second", value.second)], depth
            )
        if isinstance(value, dict):
            items = list(value.items())
            if self.sort:
                items.sort(key=lambda item: item[0].encode())
            return self.members(items, depth)
        if isinstance(value, (list, tuple)):
            return self.wrap("[]", [self.text(v, depth + 1) for v in value], depth)
        return json.dumps(value, ensure_ascii=False)

    def members(self, items: list[tuple[str, Any]], depth: int) -> str:
        """Append the JSON of an object's members."""
        colon = ": " if self.indent else ":"
        texts = [
            json.dumps(key, ensure_ascii=False) + colon + self.text(value, depth + 1)
            for key, value in items
        ]
        return self.wrap("{}", texts, depth)

    def wrap(self, brackets: str, texts: list[str], depth: int) -> str:
        """Append the elements between their brackets."""
        if not texts:
            return brackets
        if not self.indent:
            return brackets[0] + ",".join(texts) + brackets[1]
        line = "\n" + "  " * (depth + 1)
        inner = ("," + line).join(texts)
        return f"{brackets[0]}{line}{inner}\n{'  ' * depth}{brackets[1]}"


def expected(value: Any, option: int) -> bytes:
    """Return the expected output of `dumps`."""
    newline = "\n" if option & snooze.OPT_APPEND_NEWLINE else ""
    return (Writer(option).text(value) + newline).encode()


OPTIONS = [
    sum(bits)
    for count in range(4)
    for bits in itertools.combinations(
        (snooze.OPT_INDENT_2, snooze.OPT_SORT_KEYS, snooze.OPT_APPEND_NEWLINE), count
    )
]
ALPHABETS = [
    "a",
    "\u00e9",
    "\u8a9e",
    "\U0001f600",
    '"',
    "\n",
    "\x01",
    'a"\u00e9',
    "ab\u8a9e\x00",
]
sizes = st.one_of(st.integers(0, 70), st.integers(0, 1200), st.integers(0, 40_000))
strings = st.builds(
    lambda alphabet, size: (alphabet * (size // len(alphabet) + 1))[:size],
    st.sampled_from(ALPHABETS),
    sizes,
)
leaves = st.one_of(
    strings,
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([None, True, False, 0, -1.5e-300, *Leading, [], {}, ()]),
    st.builds(uuid.UUID, int=st.integers(0, 2**128 - 1)),
    st.datetimes(timezones=st.just(datetime.UTC)),
    st.dates(),
    st.just(snooze.Fragment(b"[1, 2]")),
)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Add one more level of every container kind."""
    lists = st.lists(inner, max_size=8)
    return st.one_of(
        lists,
        lists.map(tuple),
        st.dictionaries(strings, inner, max_size=5),
        st.builds(Plain, inner, inner),
        st.builds(Slots, inner, inner),
        st.builds(Opaque, inner),
        st.builds(lambda it, count: [it] * count, inner, st.integers(0, 30)),
        st.builds(lambda it, count: _deep(it, count), inner, st.integers(0, 40)),
    )


def _deep(value: Any, count: int) -> Any:
    for index in range(count):
        value = [value] if index % 2 else {"k": value}
    return value


mixes = st.recursive(leaves, containers, max_leaves=12)


def test_the_checked_build_is_tested() -> None:
    """Where a checked build is expected, this is one, with Rust's own assertions."""
    if os.environ.get("SNOOZE_EXPECT_CHECKED") == "1":
        assert snooze._snooze.checked
        assert os.environ.get("PYTHONMALLOC") == "debug"


@given(mixes, st.sampled_from(OPTIONS))
def test_mixes_of_everything(value: Any, option: int) -> None:
    """Any object, compared with the oracle."""
    assert snooze.dumps(value, unwrap, option) == expected(value, option)


SMALL = [
    *(None, True, False, 0, -1, 2**64 - 1, -(2**63), 0.0, -1.7976931348623157e308),
    *(5e-324, "", "a", "\u00e9", '"', "\x01", [], {}, (), [1], {"a": 1}, Leading.ONE),
    *(uuid.UUID(int=0), datetime.date(1, 1, 1), Plain(1, 2), Slots("", "")),
    *(datetime.datetime(1, 1, 1, 0, 0, 0, 1, datetime.UTC), snooze.Fragment(b"[1, 2]")),
]


#: Sizes at which the first buffer of an output is full, and the block after it.
EDGES = (1024, 2048)


def padded(size: int, value: Any, option: int) -> None:
    """Write a value after exactly `size` bytes, and compare.

    The padding is a Fragment: it reserves exactly its own size, while a str reserves for
    the longest possible escapes and would move the edge.
    """
    snooze.dumps(0)  # the estimate for the next output is small again
    padding = snooze.Fragment(b"1" * size)
    got = snooze.dumps([padding, value, [value], {"k": value}, value], unwrap, option)
    right = expected([0, value, [value], {"k": value}, value], option)
    assert got == right.replace(b"0", b"1" * size, 1)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("option", [0, snooze.OPT_INDENT_2])
@pytest.mark.parametrize("tail", range(len(SMALL)))
def test_every_kind_at_the_buffer_edge(tail: int, option: int, edge: int) -> None:
    """Each kind written with 0 to 60 bytes left, at each place in a container."""
    for size in range(edge - 60, edge + 2):
        padded(size, SMALL[tail], option)


@pytest.mark.parametrize("unit", ALPHABETS)
def test_texts_at_the_buffer_edge(unit: str) -> None:
    """Text with escapes grows up to six times; the reservation must cover it."""
    for length in range(160):
        for factor in (1, 2, 3, 6):
            size = 1022 - factor * length
            if size > 0:
                padded(size, unit * length, 0)


@pytest.mark.parametrize("depth", [1, 2, 30, 100, 251])
def test_closing_brackets_at_the_buffer_edge(depth: int) -> None:
    """Hundreds of brackets and lines in a row, wherever the buffer ends."""
    for option in (0, snooze.OPT_INDENT_2):
        for core in (0, [], "x"):
            value = _deep(core, depth)
            length = len(expected(value, option))
            for edge in EDGES:
                for size in range(
                    max(edge - length - 8, 1), edge, max(1, length // 40)
                ):
                    padded(size, value, option)


@pytest.mark.slow
def test_numpy_arrays_at_the_buffer_edge() -> None:
    """numpy's elements, every dtype and many shapes."""
    np = pytest.importorskip("numpy", reason="no numpy here: NOT tested")
    for kind in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f8"):
        low = np.iinfo(kind).min if kind[0] in "iu" else 1
        for shape in [(n,) for n in range(0, 300, 13)] + [
            (3, 40),
            (0, 5),
            (5, 0),
            (2, 3, 9),
        ]:
            array = np.full(shape, low, kind)
            for option in (0, snooze.OPT_INDENT_2):
                for size in (700, 1000, 1015, 1018, 1019, 1020, 1021, 1022, 1023):
                    snooze.dumps(0)
                    value = [snooze.Fragment(b"1" * size), array, array]
                    right = expected([0, array.tolist(), array.tolist()], option)
                    got = snooze.dumps(
                        value, option=option | snooze.OPT_SERIALIZE_NUMPY
                    )
                    assert got == right.replace(b"0", b"1" * size, 1)
