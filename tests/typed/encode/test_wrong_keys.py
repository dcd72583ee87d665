"""Typed encoding of dicts with keys that JSON cannot have: exact messages.

Each message says that a key is wrong, what was found, and where.
"""

from __future__ import annotations

from typing import Any

import pytest

import snooze
from helpers.descriptions import ANY, encoder, node


class Items(list):
    """A list that can be a key."""

    __hash__ = object.__hash__


class Table(dict):
    """A dict that can be a key."""

    __hash__ = object.__hash__


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
        assert str(caught.value) == f"expected a key, found {name} at {path}"
    table = encoder([node("object", ("dict", 1, 1)), ANY], **options)
    with pytest.raises(snooze.JSONEncodeError) as caught:
        table.encode({key: 1})
    assert str(caught.value) == f"expected a key, found {name} at $[{name}]"


@pytest.mark.parametrize(
    ("key", "found", "name"),
    [
        (Items(), "Items", "Items"),
        (Table(), "Table", "Table"),
        ((1, 2), "array", "tuple"),
        (frozenset(), "frozenset", "frozenset"),
    ],
    ids=["list", "dict", "tuple", "frozenset"],
)
def test_containers_as_keys_of_any(key: Any, found: str, name: str) -> None:
    """The message is about the key; it does not say that an array was expected."""
    for value, path in [
        ({key: 1}, f"$[{name}]"),
        ({"a": {key: 1}}, f"$.a[{name}]"),
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode(value)
        assert str(caught.value) == f"expected a key, found {found} at {path}"
