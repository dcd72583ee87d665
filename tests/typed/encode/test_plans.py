"""Plans of encoders: records, omitted members, tags, collected members, hooks."""

from __future__ import annotations

import dataclasses
import enum
import typing
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, TypeVar

import pytest
import typing_extensions

import snooze
from helpers.typed_plans import ENCODE, encode_plan, writes, written_record
from snooze import Field, Raw, Via, configure

T = TypeVar("T")


@dataclass
class Plain:
    """A required field and optional ones."""

    first_name: str
    age: int | None = None
    tags: list[str] = field(default_factory=list)
    score: float = 1.5


def omits(cls: Any, **options: Any) -> dict[str, Any]:
    """When each member is left out."""
    fields = written_record(cls, **options)["fields"]
    return {name: found[2] for name, found in fields.items()}


def test_a_plan_is_one_tuple() -> None:
    """Version, nodes, records, root, options."""
    plan = encode_plan(Plain)
    assert (plan[0], plan[3], plan[4]) == (1, 0, ENCODE)
    assert plan[1][0] == ("object", (("record", 0),))
    (cls, how, fields, before, rest, sort) = plan[2][0]
    assert (cls, how, before, rest, sort) == (Plain, "attributes", b"", None, False)
    assert [found[:2] for found in fields] == [
        ("first_name", "first_name"),
        ("age", "age"),
        ("tags", "tags"),
        ("score", "score"),
    ]


def test_equal_types_share_a_node() -> None:
    """`str | None` forty times is one node."""
    wide = dataclasses.make_dataclass(
        "Wide", [(f"f{n}", str | None) for n in range(40)]
    )
    assert len(encode_plan(wide)[1]) == 2


def test_omitting() -> None:
    """None, defaults, both; factories that always make the same."""
    nothing = dict.fromkeys(("first_name", "age", "tags", "score"))
    assert omits(Plain) == nothing
    assert omits(Plain, omit_none=True) == dict.fromkeys(nothing, ("none",))
    assert omits(Plain, omit_defaults=True) == {
        "first_name": None,
        "age": ("equal", None),
        "tags": ("equal", []),
        "score": ("equal", 1.5),
    }
    assert omits(Plain, omit_none=True, omit_defaults=True) == {
        "first_name": ("none",),
        "age": ("equal", None),
        "tags": ("equal", [], True),
        "score": ("equal", 1.5, True),
    }


class Optional(TypedDict, total=False):
    """Keys that may be missing, and one that may not."""

    a: typing.Required[int | None]
    b: int | None


def test_omitting_from_typed_dicts() -> None:
    """What is missing, and None if asked for."""
    assert omits(Optional) == {"a": None, "b": ("absent",)}
    assert omits(Optional, omit_none=True) == {"a": ("none",), "b": ("absent", True)}
    encoder = snooze.Encoder(Optional, omit_none=True)
    assert encoder.encode({"a": None, "b": None}) == b"{}"
    assert encoder.encode({"a": 1}) == b'{"a":1}'
    assert encoder.encode({"a": 1, "b": 2}) == b'{"a":1,"b":2}'
    assert snooze.Encoder(Optional).encode({"a": None, "b": None}) == (
        b'{"a":null,"b":null}'
    )


def test_a_factory_that_is_not_known_is_written() -> None:
    """Nobody knows what it would make."""

    @dataclass
    class Own:
        a: list[int] = field(default_factory=lambda: [1])

    assert omits(Own, omit_defaults=True) == {"a": None}


def test_classes_say_more_than_encoders() -> None:
    """What `configure` says wins; a field says more than its class."""

    @configure(omit_none=False, omit_defaults=True)
    @dataclass
    class Said:
        a: int | None = 5
        b: Annotated[int | None, Field(omit_none=True)] = 5
        c: Annotated[int, Field(omit_default=False)] = 5

    assert omits(Said, omit_none=True) == {
        "a": ("equal", 5),
        "b": ("equal", 5, True),
        "c": None,
    }


def test_tags_names_and_order() -> None:
    """All of `configure` that shows in the output."""

    @configure(tag=True, tag_field="kind", rename="camel", sort=True)
    @dataclass
    class All:
        first_name: str
        x: Annotated[int, Field(name="ex")] = 1

    found = written_record(All)
    assert found["before"] == b'"kind":"All"'
    assert found["sort"] is True
    assert [entry[0] for entry in found["fields"].values()] == ["ex", "firstName"]


@pytest.mark.parametrize(
    ("tag", "before"),
    [("é", '"type":"é"'.encode()), (7, b'"type":7'), (str.lower, b'"type":"tagged"')],
)
def test_tags(tag: Any, before: bytes) -> None:
    """Any str, an int, or what a callable makes of the name."""

    @configure(tag=tag)
    @dataclass
    class Tagged:
        x: int

    assert written_record(Tagged)["before"] == before


def test_excluded_and_collected() -> None:
    """What is excluded is not written; what was collected is written as members."""

    @dataclass
    class Rest:
        a: int
        hidden: Annotated[int, Field(exclude=True)] = 1
        rest: Annotated[dict[str, bool], Field(rest=True)] = field(default_factory=dict)

    found = written_record(Rest)
    assert list(found["fields"]) == ["a"]
    assert found["rest"] == ("rest", ("bool",))


class Point(NamedTuple):
    """An array."""

    x: int
    y: int = 0


def test_named_tuples() -> None:
    """Arrays by position, or objects if the class says so."""
    assert writes(Point) == ("array_record", Point)
    found = written_record(Point)
    assert (found["how"], list(found["fields"])) == ("tuple", [0, 1])

    @configure(array_like=False, omit_defaults=True)
    class Named(NamedTuple):
        x: int
        y: int = 0

    assert writes(Named) == ("record", Named)
    assert omits(Named) == {0: None, 1: ("equal", 0)}


def test_array_like() -> None:
    """A dataclass as an array; nothing is omitted, since position is all it has."""

    @configure(array_like=True)
    @dataclass
    class Row:
        a: int
        b: int = 1

    assert writes(Row) == ("array_record", Row)
    assert omits(Row, omit_none=True, omit_defaults=True) == {"a": None, "b": None}


class Money:
    """Travels as str."""

    @classmethod
    def __snooze__(cls) -> Via:
        return Via(str, decode=lambda _: cls(), encode=lambda _: "1")


def twice(value: int) -> str:
    """Write twice a number."""
    return str(value * 2)


def test_via() -> None:
    """By class, and by Annotated."""
    name, cls, function, wire = writes(Money)
    assert (name, cls, function(Money()), wire) == ("via", Money, "1", ("str",))
    assert writes(Annotated[int, Via(str, encode=twice)]) == (
        "via",
        int,
        twice,
        ("str",),
    )
    with pytest.raises(TypeError) as caught:
        encode_plan(Annotated[int, Via(str, decode=int)])
    assert str(caught.value) == "the type: Via of int has no encode= function"
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Annotated[int, Via(str, encode=twice)])
    assert str(caught.value) == "the type: Via of int has no decode= function"


def test_via_that_leads_back() -> None:
    """A wire type that is the class itself has no end."""

    class Bad:
        @classmethod
        def __snooze__(cls) -> Via:
            return Via(cls, decode=cls, encode=str)

    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Bad)
    name = "test_via_that_leads_back.Bad"
    assert str(caught.value) == f"the type: the wire type of {name} leads back to it"


def test_via_that_is_recursive() -> None:
    """Inside a dict it may lead back."""

    class Tree(dict):
        @classmethod
        def __snooze__(cls) -> Via:
            return Via(dict[str, cls], decode=cls, encode=dict)

    assert snooze.decode(b'{"a": {"b": {}}}', Tree) == {"a": {"b": {}}}
    assert type(snooze.decode(b'{"a": {"b": {}}}', Tree)["a"]) is Tree


def test_what_snooze_method_returns() -> None:
    """Anything but a Via is a mistake, and its own exception passes."""

    class Wrong:
        @classmethod
        def __snooze__(cls) -> str:
            return "str"

    class Raises:
        @classmethod
        def __snooze__(cls) -> Via:
            raise LookupError("mine")

    name = "test_what_snooze_method_returns.Wrong"
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Wrong)
    assert str(caught.value) == (
        f"the type: {name}.__snooze__() returned 'str'; it has to be a class method that "
        "returns snooze.Via(wire_type, decode=…, encode=…)"
    )
    with pytest.raises(LookupError, match="mine"):
        snooze.Decoder(Raises)


class Put(TypedDict):
    """Told by its Literal."""

    op: Literal["put"]
    value: int


class Drop(TypedDict):
    """Likewise."""

    op: Literal["drop"]


class Left(typing_extensions.TypedDict):
    """Told by its key."""

    left: int


class Right(typing_extensions.TypedDict):
    """Likewise."""

    right: int


@configure(tag=True)
class TaggedOne(TypedDict):
    """Told by a tag that is not in the dict."""

    x: int


@configure(tag=True)
class TaggedTwo(TypedDict):
    """Likewise."""

    x: int


@pytest.mark.parametrize("tp", [Put | Drop, Left | Right])
def test_unions_of_typed_dicts(tp: Any) -> None:
    """Python chooses by what is in the dict; what fits none is refused."""
    name, cls, choose, wire = writes(tp)
    assert (name, cls, wire) == ("via", dict, ("raw", Raw))
    with pytest.raises(TypeError, match=r"a dict that is neither \w+ or \w+"):
        choose({"other": 1})


def test_unions_of_tagged_typed_dicts() -> None:
    """Cannot be told apart in Python."""
    with pytest.raises(TypeError) as caught:
        encode_plan(TaggedOne | TaggedTwo)
    assert str(caught.value) == (
        "the type: a union of TypedDicts cannot be encoded by their tags, which are not "
        "in the dicts; give them a field with different Literal values"
    )


class Loud(enum.Enum):
    """Values that have to be escaped."""

    QUOTE = '"'
    UMLAUT = "ä"
    HALF = 0.5


def test_members_are_rendered() -> None:
    """As JSON, once; a Literal of one member writes whatever the enum has."""
    expected = {Loud.QUOTE: b'"\\""', Loud.UMLAUT: '"ä"'.encode(), Loud.HALF: b"0.5"}
    assert writes(Loud) == ("members", Loud, expected)
    assert writes(Literal[Loud.QUOTE]) == ("members", Loud, expected)


def test_enums_without_json() -> None:
    """Values that are no scalars are refused, with the way out."""

    class Odd(enum.Enum):
        A = (1, 2)

    class Empty(enum.Enum):
        pass

    with pytest.raises(TypeError) as caught:
        encode_plan(Odd)
    assert str(caught.value) == (
        "the type: test_enums_without_json.<locals>.Odd.A has the value (1, 2), which is "
        "no str, int, float, bool or None; give the class a __snooze__ method"
    )
    with pytest.raises(TypeError, match="has no members"):
        encode_plan(Empty)
