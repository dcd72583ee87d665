"""Dicts with integers as keys: written as any other dict, whatever else is in them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.typed_tools import Decoder
from snooze import Encoder

NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.integers(-(2**60), 2**60),
    st.integers(-(2**64), 2**64),
    st.sampled_from([2**30, 2**60 - 1, 2**60, -(2**60), 2**63, 10**40]),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS,
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
)
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(NUMBERS, SCALARS)
)


@dataclass
class Holder:
    """Has such a dict, and something before and behind it."""

    before: int = 1
    members: dict[int, Any] = field(default_factory=dict)
    after: str = "x"


@given(st.dictionaries(NUMBERS, VALUES, max_size=5), st.sampled_from([None, 2]))
def test_as_the_standard_library(value: dict[int, Any], indent: int | None) -> None:
    """At the root, in lists, records and dicts."""
    plain = json.loads(json.dumps(value))
    text = Encoder(dict[int, Any], indent=indent).encode(value)
    assert json.loads(text) == plain
    by_name = {str(key): one for key, one in value.items()}
    assert text == Encoder(dict[str, Any], indent=indent).encode(by_name)
    found = Encoder(list[dict[int, Any]]).encode([value, {}, value])
    assert json.loads(found) == [plain, {}, plain]
    found = Encoder(Holder).encode(Holder(members=value))
    assert json.loads(found) == {"before": 1, "members": plain, "after": "x"}
    found = Encoder(dict[str, dict[int, Any]]).encode({"a": value, "b": value})
    assert json.loads(found) == {"a": plain, "b": plain}


def test_deleted_entries() -> None:
    """They leave no trace."""
    value = {number: number * 2 for number in range(100)}
    for number in range(0, 100, 3):
        del value[number]
    expected = json.dumps(value, separators=(",", ":")).encode()
    assert Encoder(dict[int, int]).encode(value) == expected


@pytest.mark.parametrize("at", [0, 1, 50, 99])
@pytest.mark.parametrize("odd", [10**30, "é" * 50, [1], {"a": 1}, {1: [2]}])
def test_one_other_value(at: int, odd: Any) -> None:
    """What has been written before it is not written twice."""
    value: dict[int, Any] = dict.fromkeys(range(100), 1.5)
    value[at] = odd
    text = Encoder(dict[int, Any]).encode(value)
    assert json.loads(text) == json.loads(json.dumps(value))


def test_other_keys() -> None:
    """A key that the type does not allow is reported; True is no int."""
    encoder = Encoder(dict[int, int])
    for key in ("a", None, 1.5, False):
        with pytest.raises(TypeError):
            encoder.encode({1: 2, key: 3})
    mixed = Encoder(dict[int | str, int])
    assert mixed.encode({1: 2, "a": 3, -7: 4}) == b'{"1":2,"a":3,"-7":4}'


def test_values_of_other_types_are_refused() -> None:
    """With their place, behind values that fit."""
    with pytest.raises(TypeError, match=r'expected int, found str at \$\["3"\]'):
        Encoder(dict[int, int]).encode({1: 2, 3: "x"})
    with pytest.raises(TypeError, match=r'type at \$\.members\["2"\]'):
        Encoder(Holder).encode(Holder(members={1: 2.5, 2: float}))


def test_options() -> None:
    """Sorted by text; kept as integers; nested to any depth."""
    value = {10: 1, 9: None, -1: 2}
    assert (
        Encoder(dict[int, Any], sort_keys=True).encode(value)
        == b'{"-1":2,"10":1,"9":null}'
    )
    assert snooze.to_builtins({1: {2: 3}}) == {1: {2: 3}}
    assert snooze.to_builtins({1: {2: 3}}, str_keys=True) == {"1": {"2": 3}}
    text = Encoder(dict[int, Any], ensure_ascii=True).encode({1: "é", 2: 0.5})
    assert text == b'{"1":"\\u00e9","2":0.5}'
    for nan, expected in (("null", b"null"), ("literal", b"NaN")):
        found = Encoder(dict[int, float], nan=nan).encode({1: 1.5, 2: float("nan")})
        assert found == b'{"1":1.5,"2":' + expected + b"}"
    with pytest.raises(TypeError):
        Encoder(dict[int, float], nan="error").encode({1: 1.5, 2: float("nan")})
    with pytest.raises((TypeError, ValueError)):
        Encoder(list[dict[int, Any]], max_depth=1).encode([{1: 2}])
    assert Encoder(list[dict[int, Any]], max_depth=2).encode([{1: 2}]) == b'[{"1":2}]'
    nested: dict[int, Any] = {1: 1}
    for _ in range(200):
        nested = {1: nested}
    decoded = Decoder(dict[int, Any]).decode(Encoder(dict[int, Any]).encode(nested))
    assert str(decoded).count("{") == 201
