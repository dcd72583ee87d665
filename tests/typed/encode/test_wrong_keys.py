"""Typed encoding of dicts with keys that JSON cannot have: exact messages.

Each message says that a key is wrong, what was found, and where.
"""

from __future__ import annotations

import decimal
import math
from collections import OrderedDict
from typing import Any

import pytest

import snooze
from helpers.descriptions import ANY, encoder, node
from snooze import Via


class Items(list):
    """A list that can be a key."""

    __hash__ = object.__hash__


class Table(dict):
    """A dict that can be a key."""

    __hash__ = object.__hash__


KEY = "a key that is a str, number, bool, None, time, UUID or enum member"
KEYS: list[tuple[Any, str]] = [
    (Items(), "Items"),
    (Table(), "Table"),
]


@pytest.mark.parametrize(("key", "name"), KEYS, ids=["list", "dict"])
@pytest.mark.parametrize(
    "options",
    [{}, {"resolve": lambda _: None}, {"hook": lambda _: "key"}],
    ids=["plain", "resolve", "hook"],
)
def test_containers_as_keys_without_an_encoder(
    key: Any, name: str, options: dict[str, Any]
) -> None:
    """A subclass of list or dict for which `resolve` has no encoder."""
    for value, path in [
        ({key: 1}, f"$[{name}]"),
        ({"a": [{key: 1}]}, f"$.a[0][{name}]"),
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            encoder([ANY], **options).encode(value)
        assert str(caught.value) == f"expected {KEY}, found {name} at {path}"
    table = encoder([node("object", ("dict", 1, 1)), ANY], **options)
    with pytest.raises(snooze.JSONEncodeError) as caught:
        table.encode({key: 1})
    assert str(caught.value) == f"expected {KEY}, found {name} at $[{name}]"


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (Items(), "Items"),
        (Table(), "Table"),
        ((1, 2), "tuple"),
        (frozenset(), "frozenset"),
        (object(), "object"),
    ],
    ids=["list", "dict", "tuple", "frozenset", "object"],
)
def test_keys_without_a_text(key: Any, name: str) -> None:
    """The message is about the key; it does not say that an array was expected."""
    for value, path in [
        ({key: 1}, f"$[{name}]"),
        ({"a": {key: 1}}, f"$.a[{name}]"),
        (OrderedDict({"b": OrderedDict({key: 1})}), f"$.b[{name}]"),
    ]:
        for options in ({}, {"sort_keys": True}):
            with pytest.raises(snooze.JSONEncodeError) as caught:
                snooze.encode(value, **options)
            assert str(caught.value) == f"expected {KEY}, found {name} at {path}"


@pytest.mark.parametrize("cls", [dict, OrderedDict])
@pytest.mark.parametrize("sort_keys", [False, True])
def test_keys_of_another_type(cls: Any, *, sort_keys: bool) -> None:
    """The message says that the key is wrong, and the path ends with it."""
    inner = cls({1: 2})
    for value, tp, message in [
        (inner, dict[str, int], 'expected str as a key, found int at $["1"]'),
        (
            [{"a": inner}],
            list[dict[str, dict[str, int]]],
            'expected str as a key, found int at $[0].a["1"]',
        ),
        ({"a": 1}, dict[int, int], "expected int as a key, found str at $.a"),
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode(value, tp, sort_keys=sort_keys)
        assert str(caught.value) == message


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("nan", ["null", "error"])
@pytest.mark.parametrize("tp", [Any, dict[float, int], dict[Any, int]])
def test_keys_that_are_not_finite(number: float, nan: str, tp: Any) -> None:
    """Two of them would have the name "null", which no Decoder reads as a float."""
    name = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(number, "NaN")
    for key in (number, decimal.Decimal(number)):
        with pytest.raises(snooze.JSONEncodeError, match="finite|as a key"):
            snooze.encode({key: 1}, tp, nan=nan)
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode({"a": {number: 1}}, dict[str, tp] if tp is Any else Any, nan=nan)
    assert str(caught.value) == f"expected a finite number, found {name} at $.a[{name}]"


class Endless:
    """Its conversion never ends."""

    @classmethod
    def __snooze__(cls) -> Via:
        """Return a conversion to the same."""
        return Via(Any, decode=lambda one: one, encode=lambda one: one)


@pytest.mark.parametrize("tp", [Any, dict[Endless, int]])
@pytest.mark.parametrize("sort_keys", [False, True])
def test_endless_conversions_of_keys(tp: Any, *, sort_keys: bool) -> None:
    """They end with an error, not with the stack."""
    with pytest.raises(snooze.JSONEncodeError, match="Recursion limit reached"):
        snooze.encode({Endless(): 1}, tp, sort_keys=sort_keys)


def test_texts_of_keys_that_are_wrong() -> None:
    """The message says what is wrong with the text, not that the type is."""

    class Name(str):
        pass

    for options in ({}, {"sort_keys": True}):
        with pytest.raises(snooze.JSONEncodeError, match="^str is not valid UTF-8"):
            snooze.encode({"a": {Name("\ud800"): 1}}, **options)


@pytest.mark.parametrize("key", [2**63, -(2**70), 10**100])
def test_integers_beyond_64_bits_name_a_place(key: int) -> None:
    """Where a value below such a key is wrong."""
    for call in (snooze.encode, snooze.to_builtins):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            call({key: "x"}, dict[int, int])
        assert caught.value.pointer == f"/{key}"
        assert f'found str at $["{str(key)[:60]}' in str(caught.value)
