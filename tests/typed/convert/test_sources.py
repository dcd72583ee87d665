"""What a Converter reads: mappings, rows, attributes, members of records and unions."""

from __future__ import annotations

import collections
import datetime
import sqlite3
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypedDict

import pytest

from snooze import (
    Converter,
    Field,
    FirstMatch,
    ValidationError,
    Via,
    configure,
    convert,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class User:
    """A class with names, defaults and aliases."""

    user_id: int
    name: Annotated[str, Field(name="userName", alias="login")] = "?"
    tags: list[str] = field(default_factory=list)


@configure(tag=True)
@dataclass
class Cat:
    """A class with a tag."""

    lives: int = 9


@configure(tag=True)
@dataclass
class Dog:
    """Another."""

    name: str


@dataclass
class Circle:
    """A class that a Literal tells."""

    radius: float
    kind: Literal["circle"] = "circle"


@dataclass
class Square:
    """Another."""

    side: float
    kind: Literal["square"] = "square"


@dataclass
class ByLeft:
    """A class that a required member tells."""

    left: int


@dataclass
class ByRight:
    """Another."""

    right: int


@dataclass
class Rest:
    """A class that collects members."""

    a: int
    rest: Annotated[dict[str, int], Field(rest=True)] = field(default_factory=dict)


class Attributes:
    """Any object."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def message_of(value: Any, tp: Any, **options: Any) -> str:
    """Return the message of the refusal."""
    with pytest.raises(ValidationError) as caught:
        convert(value, tp, **options)
    return str(caught.value)


def test_names_and_aliases() -> None:
    """The names of JSON, as in a document."""
    assert convert({"user_id": 1, "userName": "a"}, User) == User(1, "a")
    assert convert({"login": "b", "user_id": 1}, User) == User(1, "b")
    assert convert({"user_id": 1, "name": "a"}, User) == User(1)
    assert convert({"userId": 1}, User, rename="camel") == User(1)
    unknown = {"user_id": 1, "name": "a", 3: 4, ("x",): 5}
    assert convert(unknown, User) == User(1)
    with pytest.raises(ValidationError) as caught:
        convert(unknown, User, unknown="forbid", errors="all")
    assert [problem.expected for problem in caught.value.errors] == [
        'no member "name"',
        'no member "3"',
        "no member \"('x',)\"",
    ]


def test_rows() -> None:
    """A row of sqlite3 has `keys`, and items by name."""
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    row = database.execute("select 7 as user_id, 'ada' as userName").fetchone()
    assert convert(row, User) == User(7, "ada")
    assert (
        convert([row, row], list[dict[str, Any]])
        == [{"user_id": 7, "userName": "ada"}] * 2
    )
    assert convert(row, dict[str, Any])["user_id"] == 7
    row_class = collections.namedtuple("row_class", "user_id name")  # noqa: PYI024
    assert convert(row_class(7, "ada"), User, from_attributes=True) == User(7, "ada")
    database.close()


def test_attributes() -> None:
    """The names of attributes, whatever the names in JSON are."""
    source = Attributes(user_id=1, name="ada", tags=("x",), more=2)
    assert convert(source, User, from_attributes=True) == User(1, "ada", ["x"])
    assert convert(Attributes(user_id=1), User, from_attributes=True) == User(1)
    nested = Attributes(users=[source, {"user_id": 2}, User(3)])

    @dataclass
    class Group:
        users: tuple[User, ...]

    assert convert(nested, Group, from_attributes=True) == Group(
        (User(1, "ada", ["x"]), User(2), User(3))
    )
    assert message_of(source, User) == "expected dict or User, found Attributes at $"
    missing = Attributes(user_id=None)
    message = "expected int, found None at $.user_id"
    assert message_of(missing, User, from_attributes=True) == message
    assert message_of(Attributes(), User, from_attributes=True) == (
        'expected attribute "user_id", found none at $'
    )
    message = "expected dict, found Attributes at $"
    assert message_of(source, dict[str, int], from_attributes=True) == message
    assert message_of(5, User, from_attributes=True) == (
        "expected dict or User, found int at $"
    )


def test_objects_beside_an_alternative_that_takes_any() -> None:
    """A FirstMatch is asked for those that no other alternative reads."""

    @dataclass
    class Point:
        x: int

    first = Annotated[datetime.date | str, FirstMatch()]
    row = types.MappingProxyType({"a": 1})
    assert convert({1}, set[int] | first) == {1}
    assert convert(collections.deque([1]), first | list[int]) == [1]
    assert convert(row, first | dict[str, int]) == {"a": 1}
    both = first | Point
    assert convert(Attributes(x=1), both, from_attributes=True) == Point(1)
    for plain in (datetime.date(2026, 1, 2), "a"):
        assert convert(plain, both, from_attributes=True) == plain
    assert message_of(1j, set[int] | first) == (
        "expected list, date or str, found complex at $"
    )
    message = 'expected attribute "x", found none at $'
    assert message_of(Attributes(), both, from_attributes=True) == message


def test_attributes_of_classes_that_are_arrays() -> None:
    """The form of a class in JSON does not matter where attributes are read."""

    @configure(array_like=True)
    @dataclass
    class Point:
        x: int
        y: int = 0

    @configure(array_like=True, tag="p")
    @dataclass
    class Tagged:
        x: int

    class Size(NamedTuple):
        width: int
        height: int = 2

    assert convert(Attributes(x=1, y=2), Point, from_attributes=True) == Point(1, 2)
    assert convert(Attributes(x=1), Tagged, from_attributes=True) == Tagged(1)
    assert convert(Attributes(width=1), Size, from_attributes=True) == Size(1, 2)
    many = [Attributes(x=1), [2, 3], Point(4)]
    wanted = [Point(1), Point(2, 3), Point(4)]
    assert convert(many, list[Point], from_attributes=True) == wanted
    checked = Annotated[Point, Via(Point, decode=lambda one: (one.x, one.y))]
    assert convert(Attributes(x=1), checked, from_attributes=True) == (1, 0)
    name = Point.__qualname__.replace("<locals>.", "")
    message = f"expected list of length 1 to 2 or {name}, found Attributes at $"
    assert message_of(Attributes(x=1), Point) == message
    assert message_of(Attributes(y=1), Point, from_attributes=True) == (
        'expected attribute "x", found none at $'
    )
    assert message_of(Attributes(x="a"), Point, from_attributes=True) == (
        "expected int, found str at $.x"
    )


def test_attributes_that_raise() -> None:
    """AttributeError is a missing attribute; any other exception passes."""

    class Lazy:
        user_id = 1

        @property
        def name(self) -> str:
            raise AttributeError("not loaded")

        @property
        def tags(self) -> list[str]:
            raise LookupError("no session")

    with pytest.raises(LookupError, match="no session"):
        convert(Lazy(), User, from_attributes=True)


def test_unions_by_tag() -> None:
    """A tag is a member, an attribute, or not needed for an instance."""
    pets = Converter(list[Cat | Dog], from_attributes=True)
    cat, tagged = Cat(3), Attributes(type="Dog", name="rex")
    made = pets.convert([{"type": "Cat"}, {"name": "x", "type": "Dog"}, cat, tagged])
    assert made == [Cat(), Dog("x"), Cat(3), Dog("rex")]
    assert made[2] is cat
    for value, message in [
        ({}, 'expected member "type", found none at $[0]'),
        ({"type": "Cow"}, "expected 'Cat' or 'Dog', found 'Cow' at $[0].type"),
        ({"type": True}, "expected 'Cat' or 'Dog', found True at $[0].type"),
        ({"type": []}, "expected 'Cat' or 'Dog', found list at $[0].type"),
        (Attributes(), 'expected member "type", found none at $[0]'),
        (5, "expected dict, Cat or Dog, found int at $[0]"),
    ]:
        with pytest.raises(ValidationError) as caught:
            pets.convert([value])
        assert str(caught.value) == message
    assert convert({"type": "Cat", "lives": 1}, Cat) == Cat(1)
    message = "expected 'Cat', found 'Dog' at $.type"
    assert message_of({"type": "Dog", "lives": 1}, Cat) == message
    problems = "expected 'Cat', found 'Dog' at $.type (and 1 more)"
    both = {"type": "Dog", "lives": "x"}
    assert message_of(both, Cat, errors="all") == problems


def test_unions_by_literal_and_member() -> None:
    """As in a document: the value of a Literal, or the presence of a member."""
    shapes = Circle | Square
    assert convert({"kind": "square", "side": 2}, shapes) == Square(2.0)
    attributes = Attributes(kind="circle", radius=1)
    assert convert(attributes, shapes, from_attributes=True) == Circle(1.0)
    sides = ByLeft | ByRight
    assert convert({"right": 1, "other": 2}, sides) == ByRight(1)
    assert convert(Attributes(right=1), sides, from_attributes=True) == ByRight(1)
    assert "with member 'left' or 'right'" in message_of({"other": 1, 2: 3}, sides)


def test_rest() -> None:
    """Unknown members are collected, and must have names."""
    assert convert({"a": 1, "b": 2}, Rest) == Rest(1, {"b": 2})
    assert message_of({"a": 1, "b": "x"}, Rest) == "expected int, found str at $.b"
    message = 'expected no member "2", found one at $'
    assert message_of({"a": 1, 2: 3}, Rest) == message


def test_first_match() -> None:
    """Each alternative converts the object, and the first that can is taken."""
    lists = Annotated[list[int] | list[str], FirstMatch()]
    assert convert(["b", "a"], lists) == ["b", "a"]
    assert convert({"a": [1]}, dict[str, lists]) == {"a": [1]}
    assert message_of([1, "a"], lists) == (
        "expected list[int] or list[str], found list at $: as list[int]: expected int, "
        "found str at /1; as list[str]: expected str, found int at /0"
    )
    assert message_of(5, lists) == "expected list[int] or list[str], found int at $"


@dataclass
class Tree:
    """A recursive type, each level of which is tried twice."""

    nodes: Annotated[list[Tree] | list[Wood], FirstMatch()]


@dataclass
class Wood:
    """The same."""

    nodes: Annotated[list[Tree] | list[Wood], FirstMatch()]
    name: str = ""


def test_first_match_is_bounded() -> None:
    """Unions inside each other end, even where each attempt fails."""
    for depth in (8, 28, 200):
        value: Any = {"nodes": 5}
        for _ in range(depth):
            value = {"nodes": [value]}
        with pytest.raises(ValidationError):
            convert(value, Tree)


def test_all_problems() -> None:
    """Every problem has its path, in the order of the objects."""
    value = {"user_id": "x", "tags": [1, "a", None], "userName": 5}
    with pytest.raises(ValidationError) as caught:
        convert([value, {}, 7], list[User], errors="all")
    assert [problem.pointer for problem in caught.value.errors] == [
        *("/0/user_id", "/0/tags/0", "/0/tags/2", "/0/userName"),
        *("/1", "/2"),
    ]


def test_names_in_messages_are_escaped() -> None:
    """Whatever the objects hold, a message is one line."""
    assert message_of({"a\nb": "x"}, dict[str, int]) == (
        'expected int, found str at $["a\\u000ab"]'
    )
    assert "\n" not in message_of("a\nb", Literal["x"])


class Node(TypedDict, total=False):
    """A recursive type."""

    nodes: list[Node]


def test_depth() -> None:
    """At most 1024 containers; one that contains itself has more."""
    value: Any = {}
    for _ in range(511):
        value = {"nodes": [value]}
    made = convert(value, Node)
    for _ in range(511):
        (made,) = made["nodes"]
    assert made == {}
    value = {"nodes": [{"nodes": [value]}]}
    for errors in ("first", "all"):
        with pytest.raises(ValidationError, match="at most 1024 levels, found more"):
            convert(value, Node, errors=errors)
    cyclic: Any = {"nodes": []}
    cyclic["nodes"] += [cyclic, cyclic]
    for errors in ("first", "all"):
        with pytest.raises(ValidationError, match="at most 1024 levels") as caught:
            convert(cyclic, Node, errors=errors)
        assert len(caught.value.errors) == 1
        assert caught.value.pointer == "/nodes/0" * 512
        assert len(str(caught.value)) < 600


def test_containers_that_change() -> None:
    """A container is read as it was when it was opened."""
    values: list[Any] = [1, 2, 3]

    class Sly(collections.abc.Mapping[str, int]):
        def __getitem__(self, name: str) -> int:
            values.clear()
            return 5

        def __iter__(self) -> Iterator[str]:
            return iter(["x"])

        def __len__(self) -> int:
            return 1

    values.insert(0, Sly())
    assert convert(values, list[dict[str, int] | int]) == [{"x": 5}, 1, 2, 3]
    assert values == []


def test_errors_of_sources_pass() -> None:
    """An exception of the object's own code is not a refusal."""

    class Broken(collections.UserDict[str, int]):
        def __getitem__(self, name: str) -> int:
            raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        convert(Broken(x=1), dict[str, int])

    @dataclass
    class Door:
        keys: list[str]

    for odd in (Door(["a"]), dict, Attributes(keys=5), Attributes(keys=dict)):
        with pytest.raises(ValidationError, match="expected dict or User, found"):
            convert(odd, User, errors="all")
