"""An Encoder writes only values of its type: Literals, bool, TypedDicts, own defaults.

What an Encoder writes, a Decoder of the same type must read; anything else is an error
with the place of the value.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import pathlib
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

import snooze


class Text(str):
    """A subclass of str."""

    __slots__ = ()


class Number(enum.IntEnum):
    """An enum of ints."""

    ONE = 1
    TWO = 2


def refused(value: Any, tp: Any, message: str, **options: Any) -> None:
    """Assert that a value is refused with this message, by an Encoder of the type."""
    with pytest.raises(TypeError) as caught:
        snooze.Encoder(tp, **options).encode(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "tp", "document"),
    [
        (["a", 1, None, True], list[Literal["a", 1, None, True]], b'["a",1,null,true]'),
        ('é"\n', Literal['é"\n'], '"é\\"\\n"'.encode()),
        (str(b"ab", "ascii"), Literal["ab"], b'"ab"'),
        (Text("a"), Literal["a"], b'"a"'),
        (1 << 80, Literal[1208925819614629174706176], b"1208925819614629174706176"),
        ({"a": 1}, dict[Literal["a", "b"], int], b'{"a":1}'),
        ({'"': 1}, dict[Literal['"'], int], b'{"\\"":1}'),
        ({2: 1}, dict[Literal[1, 2], int], b'{"2":1}'),
        ("c", Literal["a"] | str, b'"c"'),
        ("b", Literal["a"] | Literal["b"], b'"b"'),
        (3, Literal[1, "a"] | int, b"3"),
        (Number.ONE, int, b"1"),
        (Number.TWO, Literal[Number.TWO], b"2"),
        (Number.ONE, Literal[Number.TWO] | Literal[Number.ONE], b"1"),
    ],
)
def test_literal_values(value: Any, tp: Any, document: bytes) -> None:
    """Each value of a Literal is written; a Literal and its class make the class."""
    assert snooze.Encoder(tp).encode(value) == document


@pytest.mark.parametrize(
    ("value", "tp", "message"),
    [
        ("z", Literal["a"], "expected 'a', found str at $"),
        (["a", "z"], list[Literal["a"]], "expected 'a', found str at $[1]"),
        (2, Literal[1], "expected 1, found int at $"),
        (Number.ONE, Literal[Number.TWO], "expected Number.TWO, found Number at $"),
        (True, Literal[1], "expected 1, found bool at $"),
        (1, Literal[True], "expected True, found int at $"),
        (Text("z"), Literal["a"], "expected 'a', found Text at $"),
        ({"z": 1}, dict[Literal["a"], int], "expected 'a' as a key, found str at $.z"),
        (
            {1: 1},
            dict[Literal["a"], int],
            "expected 'a' as a key, found int at $[\"1\"]",
        ),
        (True, int, "expected int, found bool at $"),
        ([1, False], list[int], "expected int, found bool at $[1]"),
        (True, float, "expected float, found bool at $"),
        ({True: 1}, dict[int, int], "expected int as a key, found bool at $.true"),
        (
            {Text("z"): 1},
            dict[Literal["a"], int],
            "expected 'a' as a key, found Text at $[Text]",
        ),
    ],
)
def test_values_of_another_type(value: Any, tp: Any, message: str) -> None:
    """A value that the Decoder would refuse is refused."""
    refused(value, tp, message)


def test_values_of_a_literal_in_a_record() -> None:
    """In the walk over records, for the first and for later records."""

    @dataclasses.dataclass
    class Event:
        kind: Literal["a", "b"]
        number: int = 0

    encoder = snooze.Encoder(list[Event])
    assert encoder.encode([Event("a"), Event("b", 2)]) == (
        b'[{"kind":"a","number":0},{"kind":"b","number":2}]'
    )
    refused(
        [Event("a"), Event("c")],  # type: ignore[arg-type]
        list[Event],
        "expected 'a' or 'b', found str at $[1].kind",
    )
    refused(
        [Event("a"), Event("b", True)],
        list[Event],
        "expected int, found bool at $[1].number",
    )


class Leaf(TypedDict):
    """A leaf of a tree."""

    kind: Literal["leaf"]
    value: int


class Branch(TypedDict):
    """A tree with children."""

    kind: Literal["branch"]
    children: list[Leaf | Branch]


class ByKey(TypedDict):
    """Known by its key `first`."""

    by_key: NotRequired[int]
    first: int


class ByOtherKey(TypedDict):
    """Known by its key `second`."""

    second: str


def test_recursive_union_of_typeddicts() -> None:
    """It compiles, writes what the Decoder reads, and errors have their place."""
    tree: Any = {"kind": "leaf", "value": 1}
    for _ in range(50):
        tree = {"kind": "branch", "children": [tree, {"kind": "leaf", "value": 2}]}
    encoder = snooze.Encoder(Leaf | Branch)
    assert snooze.decode(encoder.encode(tree), Leaf | Branch) == tree
    wrong = [{"kind": "branch", "children": [{"kind": "leaf", "value": "x"}]}]
    refused(
        wrong,
        list[Leaf | Branch],
        "expected int, found str at $[0].children[0].value",
    )


def test_nested_unions_of_typeddicts_compile_once() -> None:
    """Each level has a union of two; the plan grows by a level, not by a factor."""
    tp: Any = int
    for _ in range(40):
        left = TypedDict("Left", {"left": tp})  # type: ignore[misc]  # noqa: UP013
        right = TypedDict("Right", {"right": tp})  # type: ignore[misc]  # noqa: UP013
        tp = left | right
    value: Any = 1
    for level in range(40):
        value = {"left" if level % 2 else "right": value}
    assert snooze.decode(snooze.Encoder(tp).encode(value), tp) == value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({}, "Leaf or Branch, found dict, which fits none of them"),
        ({"kind": "other"}, "Leaf or Branch, found dict, which fits none of them"),
        ({"kind": []}, "Leaf or Branch, found dict, which fits none of them"),
        (1, "dict (Leaf) or dict (Branch), found int"),
    ],
)
def test_dicts_that_no_typeddict_of_a_union_takes(value: Any, found: str) -> None:
    """Neither by the value of the Literal nor by its class."""
    refused([value], list[Leaf | Branch], f"expected {found} at $[0]")


def test_typeddicts_told_apart_by_their_keys() -> None:
    """With members in any order."""
    tp = list[ByKey | ByOtherKey]
    document = snooze.Encoder(tp).encode([{"first": 1}, {"second": "a"}])
    assert document == b'[{"first":1},{"second":"a"}]'
    refused([{"second": 1}], tp, "expected str, found int at $[0].second")
    refused(
        [{}],
        tp,
        "expected ByKey or ByOtherKey, found dict, which fits none of them at $[0]",
    )


class User(TypedDict):
    """With an excluded and a renamed member."""

    a: int
    password: Annotated[NotRequired[str], snooze.Field(exclude=True)]
    n: Annotated[int, snooze.Field(name="N")]


@pytest.mark.parametrize("cls", [dict, collections.OrderedDict, type("D", (dict,), {})])
def test_dict_subclasses_keep_the_plan_of_a_typeddict(cls: Any) -> None:
    """No excluded member is written, and types and names hold."""
    value = cls(a=1, password="secret", n=2)
    assert snooze.encode(value, User) == b'{"a":1,"N":2}'
    assert snooze.encode([value], list[User]) == b'[{"a":1,"N":2}]'
    refused(cls(a="x", n=1), User, "expected int, found str at $.a")


@dataclasses.dataclass
class Person:
    """With defaults that the annotations exclude."""

    name: str
    emails: list[str] = ()  # type: ignore[assignment]
    age: int = None  # type: ignore[assignment]
    tags: set[str] = dataclasses.field(default=())  # type: ignore[assignment]
    size: Literal["s", "m"] = 0  # type: ignore[assignment]
    note: str | None = None


@dataclasses.dataclass
class Settled:
    """With defaults that are instances of subclasses, which the annotations include."""

    text: str = Text("t")
    number: int = Number.ONE
    path: pathlib.Path = None  # type: ignore[assignment]
    other: pathlib.PurePath = pathlib.Path("p")


def test_defaults_of_subclasses_are_written() -> None:
    """Only a default that the type excludes is left out."""
    assert snooze.encode(Settled()) == b'{"text":"t","number":1,"other":"p"}'
    assert snooze.decode(snooze.encode(Settled()), Settled) == Settled()


def test_a_converted_str_beside_another_type() -> None:
    """`Via` of str is no Literal, which a str beside it would take."""
    via = snooze.Via(int, decode=str, encode=int)
    encoder = snooze.Encoder(Annotated[str, via] | None)
    assert encoder.encode("5") == b"5"
    mixed = Annotated[int, snooze.Via(str, decode=int, encode=str)] | int
    assert snooze.decode(b'"5"', mixed) == 5
    with pytest.raises(TypeError, match="a union has int in two forms"):
        snooze.Encoder(mixed)


def test_defaults_that_the_annotation_excludes() -> None:
    """An instance with its own defaults can be encoded, and read again; others cannot.

    A default that the type would not read is left out, and restored by decoding.
    """
    document = snooze.encode(Person("ann"))
    assert document == b'{"name":"ann","emails":[],"tags":[],"note":null}'
    assert snooze.decode(document, Person) == Person("ann", [], tags=set())
    assert snooze.encode(Person("bo", ["x"], 3, {"t"}, "s")) == (
        b'{"name":"bo","emails":["x"],"age":3,"tags":["t"],"size":"s","note":null}'
    )
    refused(Person("c", [1]), Person, "expected str, found int at $.emails[0]")  # type: ignore[list-item]
    refused(Person("c", (1,)), Person, "expected str, found int at $.emails[0]")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"found str at \$\.age"):
        snooze.encode(Person("c", age="x"))  # type: ignore[arg-type]


NAMES = [
    ("a\nb", '["a\\u000ab"]'),
    ("\x1b[31m", '["\\u001b[31m"]'),
    ("a\u202eb", '["a\\u202eb"]'),
    ("\u2028", '["\\u2028"]'),
    ("\x85", '["\\u0085"]'),
    ('a"\\', '["a\\"\\\\"]'),
    ("", '[""]'),
    ("1a", '["1a"]'),
    ("k" * 60, "." + "k" * 60),
    ("k" * 61, '["' + "k" * 60 + '..."]'),
    ("\n" * 5000, '["' + "\\u000a" * 60 + '..."]'),
    ("\U0001f600" * 61, '["' + "\U0001f600" * 60 + '..."]'),
]


@pytest.mark.parametrize(("name", "shown"), NAMES, ids=ascii)
def test_names_in_messages(name: str, shown: str) -> None:
    """One line, of bounded length, in both directions; the Problem has the whole name."""
    refused({name: "x"}, dict[str, int], f"expected int, found str at ${shown}")
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(snooze.dumps({name: "x"}), dict[str, int])
    assert f"expected int, found str at ${shown} (line" in str(caught.value)
    assert caught.value.pointer == "/" + name.replace("~", "~0").replace("/", "~1")
