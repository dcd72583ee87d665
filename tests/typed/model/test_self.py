"""`Self` is the class that is decoded or encoded, with its type arguments.

Separate from `test_annotations`, because a field keeps its annotation where a subclass or
an alias with arguments inherits it, and `Self` changes its meaning there. Forward
references in type arguments are here for the same reason: they depend on where they are.
"""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, field, make_dataclass
from types import ModuleType
from typing import (
    Annotated,
    Any,
    Generic,
    Optional,
    Self,
    TypedDict,
    TypeVar,
    Union,
)

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


class Quantity:
    """A class that only a hook knows, with an argument that is no type."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, tp: Any) -> None:
        """Keep the type that a hook gets."""
        self.tp = tp

    def __eq__(self, other: object) -> bool:
        """Compare the types."""
        return isinstance(other, Quantity) and self.tp == other.tp

    __hash__ = None  # type: ignore[assignment]


class Word(str):
    """A class with an attribute of the name that `typing.Self` has."""

    __slots__ = ()
    _name = "Self"


@dataclass
class Unused(Generic[T]):
    """Needs no argument."""

    size: int = 0


Json = Union[int, list["Json"]]  # noqa: UP007 - a string inside
Noted = Annotated[int, {"unhashable": 1}]

#: Type arguments, a document for each, and its value.
ARGUMENTS: list[tuple[Any, str, Any]] = [
    (Box[tuple[int, *tuple["int", ...]]], '{"item":[1,2,3]}', Box((1, 2, 3))),
    (Box[Optional["Noted"]], '{"item":1}', Box(1)),
    (Box[dict[str, Union["Noted", str]]], '{"item":{"a":1}}', Box({"a": 1})),
    (Box[Word], '{"item":"a"}', Box(Word("a"))),
    (Box[Quantity["m/s"]], '{"item":1}', Box(Quantity(Quantity["m/s"]))),
    (Unused[Json], '{"size":2}', Unused(2)),
    (Unused[list["Undefined"]], '{"size":2}', Unused(2)),  # noqa: F821
    (Unused["Undefined"], '{"size":2}', Unused(2)),
]


def made(tp: Any, value: Any) -> Any:
    """Make what a hook makes of a type."""
    return tp(value) if isinstance(tp, type) else Quantity(tp)


@pytest.mark.parametrize(("tp", "document", "value"), ARGUMENTS)
def test_arguments_stay_as_they_are(tp: Any, document: str, value: Any) -> None:
    """Names in them are looked up only where a value needs them."""
    module = {"__module__": __name__}
    holder = make_dataclass("Holder", [("field", tp)], namespace=module)
    text = f'{{"field":{document}}}'
    found: Any = snooze.decode(text, holder, dec_hook=made)
    assert found.field == value


@dataclass
class Twice:
    """Names itself in two ways."""

    itself: Box[Self] | None = None
    named: Box["Twice"] | None = None  # noqa: UP037


@dataclass
class Measured(Twice):
    """Names itself in the argument of a class that a hook knows."""

    unknown: Box[Quantity[Self]] | None = None


def test_hooks_and_schemas_see_types() -> None:
    """`Self` is the class there, or stays what it is inside another type."""
    found = snooze.decode(b'{"unknown":{"item":1}}', Measured, dec_hook=made)
    assert found.unknown == Box(Quantity(Quantity[Self]))
    assert set(snooze.schema(Twice)["$defs"]) == {"Twice", "Box[Twice]"}
