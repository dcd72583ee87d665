"""Bytes and durations in every position: the borrowed walk writes them itself."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.typed_tools import Decoder

Encoder = snooze.Encoder


@dataclass(slots=True)
class Both:
    """Has both, and containers of both."""

    data: bytes
    length: timedelta
    parts: list[bytes] = field(default_factory=list)
    steps: dict[str, timedelta] = field(default_factory=dict)
    pair: tuple[bytes, timedelta] | None = None


DURATIONS = st.timedeltas()
INSTANCES = st.builds(
    Both,
    st.binary(max_size=70),
    DURATIONS,
    st.lists(st.binary(max_size=5), max_size=4),
    st.dictionaries(st.text(max_size=3), DURATIONS, max_size=3),
    st.none() | st.tuples(st.binary(max_size=4), DURATIONS),
)


def plain(value: Any) -> Any:
    """Return what JSON has of an instance, made by the standard library and one encoder."""
    if isinstance(value, Both):
        names = ("data", "length", "parts", "steps", "pair")
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, timedelta):
        return json.loads(Encoder(timedelta).encode(value))
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


@given(st.lists(INSTANCES, max_size=4))
def test_in_every_position(values: list[Both]) -> None:
    """As each value alone; and back again."""
    encoder = Encoder(list[Both])
    text = encoder.encode(values)
    assert json.loads(text) == plain(values)
    assert Decoder(list[Both]).decode(text) == values
    indented = Encoder(list[Both], indent=2).encode(values)
    assert json.loads(indented) == plain(values)
    ordered = Encoder(list[Both], sort_keys=True).encode(values)
    assert json.loads(ordered) == plain(values)


class MyBytes(bytes):
    """Another class."""


class MyDelta(timedelta):
    """Another class."""


@pytest.mark.parametrize(
    "value", [b"ab", bytearray(b"ab"), memoryview(b"ab"), MyBytes(b"ab")]
)
def test_other_classes_of_bytes(value: Any) -> None:
    """They are written the same, beside exact ones."""
    assert Encoder(list[bytes]).encode([b"x", value, b"y"]) == b'["eA==","YWI=","eQ=="]'
    assert Encoder(dict[str, bytes]).encode({"a": value}) == b'{"a":"YWI="}'


def test_other_classes_of_durations() -> None:
    """They are written the same, beside exact ones."""
    values = [timedelta(seconds=1), MyDelta(days=-1, seconds=3), timedelta(0)]
    assert Encoder(list[timedelta]).encode(values) == b'["PT1S","-PT23H59M57S","PT0S"]'


@given(DURATIONS)
def test_durations_come_back(value: timedelta) -> None:
    """The text says exactly which duration it was."""
    assert Decoder(timedelta).decode(Encoder(timedelta).encode(value)) == value
    negative = -value if abs(value.days) < 999_999_999 else value
    assert Decoder(timedelta).decode(Encoder(timedelta).encode(negative)) == negative


def test_other_values_are_refused() -> None:
    """Text is neither bytes nor a duration, beside ones that are."""
    with pytest.raises(TypeError, match=r"at \$\[1\]"):
        Encoder(list[bytes]).encode([b"abc", "text"])
    with pytest.raises(TypeError, match=r"at \$\[1\]"):
        Encoder(list[timedelta]).encode([timedelta(1), 5])


def test_kept_objects() -> None:
    """`to_builtins` leaves what it is told to keep, in every position."""
    value = Both(b"ab", timedelta(1), [b"c"], {"d": timedelta(2)}, (b"e", timedelta(3)))
    expected = {
        "data": b"ab",
        "length": timedelta(1),
        "parts": [b"c"],
        "steps": {"d": timedelta(2)},
        "pair": [b"e", timedelta(3)],
    }
    assert snooze.to_builtins(value, keep=(bytes, timedelta)) == expected
    found = snooze.to_builtins(value, keep=(timedelta,))
    assert (found["data"], found["length"], found["parts"]) == (
        "YWI=",
        timedelta(1),
        ["Yw=="],
    )


def test_long_bytes() -> None:
    """Larger than the memory in which a document begins."""
    data = bytes(range(256)) * 4000
    text = Encoder(list[bytes]).encode([data, b"", data[:-1], data[:-2]])
    found = json.loads(text)
    assert [base64.b64decode(one) for one in found] == [data, b"", data[:-1], data[:-2]]
