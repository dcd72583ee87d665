"""`Self` is the class that is decoded or encoded, with its type arguments.

Separate from `test_annotations`, because a field keeps its annotation where a subclass or
an alias with arguments inherits it, and `Self` changes its meaning there. Forward
references in type arguments are here for the same reason: they depend on where they are.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Generic, Optional, Self, TypedDict, TypeVar

import attrs
import pytest
import typing_extensions

import snooze

T = TypeVar("T")


@dataclass
class Node(Generic[T]):
    """A chain of one type."""

    value: T
    next: Self | None = None


@dataclass
class Box(Generic[T]):
    """Holds one item."""

    item: T


@dataclass
class Tree:
    """Uses `Self` inside other types."""

    boxed: Box[Self] | None = None
    many: list[Box[Optional["Self"]]] = field(default_factory=list)  # noqa: UP037, UP045
    inner: Box[list["Self"]] | None = None  # noqa: UP037


@dataclass
class Named(Tree):
    """Inherits the fields of `Tree`."""

    name: str = ""


@dataclass
class Other:
    """Uses the same type arguments as `Tree`."""

    boxed: Box[Self] | None = None
    size: int = 0


@attrs.define
class Link:
    """A class of attrs."""

    value: int
    next: typing_extensions.Self | None = None


@attrs.define
class Wide(Link):
    """Inherits the field."""

    width: int = 1


class Entry(TypedDict, Generic[T]):
    """A dict of its own kind."""

    value: T
    next: typing_extensions.NotRequired[Self]


def test_type_arguments_are_kept() -> None:
    assert snooze.decode(b'{"value":1,"next":{"value":2}}', Node[int]) == Node(
        1, Node(2)
    )
    with pytest.raises(
        snooze.ValidationError, match=r"expected int, found str at \$.next"
    ):
        snooze.decode(b'{"value":1,"next":{"value":"x"}}', Node[int])
    with pytest.raises(snooze.JSONEncodeError, match="expected int, found str"):
        snooze.encode(Node(1, Node("x")), Node[int])
    with pytest.raises(
        snooze.ValidationError, match=r"expected int, found str at \$.next"
    ):
        snooze.decode(b'{"value":1,"next":{"value":"x"}}', Entry[int])
    inner = snooze.schema(Node[int])["$defs"]["Node[int]"]["properties"]
    assert inner["value"] == {"type": "integer"}
    assert inner["next"]["anyOf"][0] == {"$ref": "#/$defs/Node%5Bint%5D"}


@pytest.mark.parametrize(
    "value",
    [
        Named(Box(Named(name="a")), [Box(Named()), Box(None)], Box([Named(name="b")])),
        Tree(Box(Tree()), [Box(Tree())], Box([Tree()])),
        Other(Box(Other(size=3))),
        Wide(1, Wide(2, width=7), 3),
        Link(1, Link(2)),
        Node(Node(1), Node(Node(2))),
    ],
)
def test_subclasses_contain_themselves(value: Any) -> None:
    tp = Node[Node[int]] if type(value) is Node else type(value)
    assert snooze.decode(snooze.encode(value), tp) == value
    assert snooze.decode(snooze.encode(value, tp), tp) == value


def test_two_classes_with_the_same_arguments() -> None:
    """The plan has a `Box` for each: `Self` is another class in each."""

    @dataclass
    class Both:
        tree: Tree
        other: Other

    value = Both(Tree(Box(Tree())), Other(Box(Other(size=3))))
    assert snooze.decode(snooze.encode(value), Both) == value


def module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Make a module with a class `Item`, and one that refers to it."""
    made = ModuleType(name)
    made.__dict__.update(Box=Box, dataclass=dataclass)
    monkeypatch.setitem(sys.modules, name, made)
    exec(
        "@dataclass\nclass Item:\n    " + name + ": int = 1\n"
        "@dataclass\nclass User:\n    box: Box['Item']\n",
        made.__dict__,
    )
    return made


def test_forward_references_of_two_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Box["Item"]` of two modules are two types."""
    first, second = (module(name, monkeypatch) for name in ("one", "two"))
    read = snooze.Decoder(tuple[first.User, second.User]).decode
    found = read(b'[{"box":{"item":{"one":5}}},{"box":{"item":{"two":6}}}]')
    assert found == (
        first.User(Box(first.Item(5))),
        second.User(Box(second.Item(6))),
    )
