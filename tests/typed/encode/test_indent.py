"""Encoder(indent=2): the layout of `dumps` with OPT_INDENT_2; a tag in any layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest

import snooze
from snooze import Field, Raw, configure


class Pair(NamedTuple):
    """An array."""

    x: int
    y: Any


@configure(tag="it")
@dataclass
class Item:
    """A class with a tag, nested values and further members."""

    name: str
    parts: list[Any] = field(default_factory=list)
    table: dict[str, Any] = field(default_factory=dict)
    more: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


VALUE: list[Any] = [
    Item("a", [1, [], {}, (), [2, [3]]], {"k": {"l": None}}, {"z": [True]}),
    Item("b"),
    Pair(1, {"a": [1.5]}),
    [],
    {},
]


@pytest.mark.parametrize("sort_keys", [False, True])
@pytest.mark.parametrize("tp", [Any, list[Item | Pair | list[Any] | dict[str, Any]]])
def test_the_layout_of_dumps(tp: Any, *, sort_keys: bool) -> None:
    """Each item and member on its own line, two spaces for each level."""
    options = {"sort_keys": sort_keys}
    found = snooze.encode(VALUE, Any, indent=2, **options)
    plain = snooze.loads(snooze.encode(VALUE, Any, **options))
    assert found == snooze.dumps(plain, option=snooze.OPT_INDENT_2)
    if tp is not Any:
        value = VALUE[:1] * 2
        assert snooze.encode(value, list[Item], indent=2, **options) == snooze.dumps(
            snooze.loads(snooze.encode(value, **options)), option=snooze.OPT_INDENT_2
        )


LAYOUTS: list[dict[str, Any]] = [
    {"newline": True},
    {"ensure_ascii": True},
    {"ensure_ascii": True, "indent": 1},
    {"separators": (", ", ": ")},
    {"separators": (" ,", ": "), "indent": 2},
    {"separators": (",", ":"), "indent": 2},
    {"separators": (",", ":"), "ensure_ascii": True},
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tags(layout: dict[str, Any]) -> None:
    """The name of a tag is followed by what follows the other names."""
    found = snooze.encode(VALUE[1], Item, **layout)
    assert found == snooze.reformat(snooze.encode(VALUE[1], Item), **layout)


def test_text_that_is_copied() -> None:
    """It stays as it is."""
    value = {"a": Raw(b"[1,  2]"), "b": snooze.Fragment(b"{}")}
    assert snooze.encode(value, indent=2) == (b'{\n  "a": [1,  2],\n  "b": {}\n}')
