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
from snooze import Field, Via, configure

T = TypeVar("T")


@dataclass
class Plain:
    """A required field and optional ones."""

    first_name: str
    age: int | None = None
    tags: list[str] = field(default_factory=list)
    score: float = 1.5


def omits(cls: Any, **options: Any) -> dict[str, Any]:
    """Return, for each field, when its member is omitted."""
    fields = written_record(cls, **options)["fields"]
    return {name: found[2] for name, found in fields.items()}


def test_the_parts_of_a_plan() -> None:
    """Version, nodes, records, root, options."""
    plan = encode_plan(Plain)
    assert (plan[0], plan[3], plan[4]) == (1, 0, ENCODE)
    assert plan[1][0] == ("Plain", (("record", 0),))
    (cls, how, fields, before, rest) = plan[2][0]
    assert (cls, how, before, rest) == (Plain, "attributes", b"", None)
    assert [found[:2] for found in fields] == [
        ("first_name", "first_name"),
        ("age", "age"),
        ("tags", "tags"),
        ("score", "score"),
    ]


def test_equal_types_share_a_node() -> None:
    """Forty fields of `str | None` share one node."""
    wide = dataclasses.make_dataclass(
        "Wide", [(f"f{n}", str | None) for n in range(40)]
    )
    assert len(encode_plan(wide)[1]) == 2


def test_omitting() -> None:
    """None, defaults, both; factories with a known result."""
    nothing = dict.fromkeys(("first_name", "age", "tags", "score"))
    assert omits(Plain) == nothing
    # A Decoder would not make None of the others if they were missing.
    assert omits(Plain, omit_none=True) == {**nothing, "age": ("none",)}
    assert omits(Plain, omit_defaults=True) == {
        "first_name": None,
        "age": ("equal", None),
        "tags": ("equal", []),
        "score": ("equal", 1.5),
    }
    assert omits(Plain, omit_none=True, omit_defaults=True) == {
        "first_name": None,
        "age": ("equal", None),
        "tags": ("equal", []),
        "score": ("equal", 1.5),
    }


class Optional(TypedDict, total=False):
    """Optional keys and a required one."""

    a: typing.Required[int | None]
    b: int | None


def test_omitting_from_typed_dicts() -> None:
    """Missing keys are omitted, and None if the option says so."""
    assert omits(Optional) == {"a": None, "b": ("absent",)}
    assert omits(Optional, omit_none=True) == {"a": None, "b": ("absent", True)}
    encoder = snooze.Encoder(Optional, omit_none=True)
    assert encoder.encode({"a": None, "b": None}) == b'{"a":null}'
    assert encoder.encode({"a": 1}) == b'{"a":1}'
    assert encoder.encode({"a": 1, "b": 2}) == b'{"a":1,"b":2}'
    assert snooze.Encoder(Optional).encode({"a": None, "b": None}) == (
        b'{"a":null,"b":null}'
    )


def test_unknown_factories_are_not_omitted() -> None:
    """The result of an unknown factory is not known in advance, so the member is written."""

    @dataclass
    class Own:
        a: list[int] = field(default_factory=lambda: [1])

    assert omits(Own, omit_defaults=True) == {"a": None}


def test_precedence_of_options() -> None:
    """`configure` overrides the encoder; a field overrides its class."""

    @configure(omit_none=False, omit_defaults=True)
    @dataclass
    class Explicit:
        a: int | None = 5
        b: Annotated[int | None, Field(omit_none=True)] = 5
        c: Annotated[int, Field(omit_default=False)] = 5

    assert omits(Explicit, omit_none=True) == {
        "a": ("equal", 5),
        "b": ("equal", 5, True),
        "c": None,
    }


def test_tags_names_and_order() -> None:
    """Every option of `configure` that affects the output."""

    @configure(tag=True, tag_field="kind", rename="camel", sort_keys=True)
    @dataclass
    class All:
        first_name: str
        x: Annotated[int, Field(name="ex")] = 1

    found = written_record(All)
    assert found["before"] == (b'"kind":"All"', b"")
    assert [entry[0] for entry in found["fields"].values()] == [
        "ex",
        "firstName",
        "kind",
    ]
    assert snooze.encode(All("a")) == b'{"ex":1,"firstName":"a","kind":"All"}'


@pytest.mark.parametrize(
    ("tag", "before"),
    [("é", '"type":"é"'.encode()), (7, b'"type":7'), (str.lower, b'"type":"tagged"')],
)
def test_tags(tag: Any, before: bytes) -> None:
    """Any str, an int, or the result of a callable on the name."""

    @configure(tag=tag)
    @dataclass
    class Tagged:
        x: int

    assert written_record(Tagged)["before"] == before


def test_excluded_and_collected() -> None:
    """Excluded fields are not written; collected members are written as members."""

    @dataclass
    class Rest:
        a: int
        hidden: Annotated[int, Field(exclude=True)] = 1
        rest: Annotated[dict[str, bool], Field(rest=True)] = field(default_factory=dict)

    found = written_record(Rest)
    assert list(found["fields"]) == ["a"]
    assert found["rest"] == ("rest", ("bool",))


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int = 0


def test_named_tuples() -> None:
    """Arrays by position, or objects if the class is configured so."""
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
    """A dataclass as an array; no item is omitted, because positions matter."""

    @configure(array_like=True)
    @dataclass
    class Row:
        a: int
        b: int = 1

    assert writes(Row) == ("array_record", Row)
    assert omits(Row, omit_none=True, omit_defaults=True) == {"a": None, "b": None}


class Money:
    """Encoded as str."""

    @classmethod
    def __snooze__(cls) -> Via:
        return Via(str, decode=lambda _: cls(), encode=lambda _: "1")


def twice(value: int) -> str:
    """Return a number multiplied by two."""
    return str(value * 2)


def test_via() -> None:
    """On the class and in Annotated."""
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


def test_via_to_itself() -> None:
    """A wire type that is the class itself is refused: it would never end."""

    class Bad:
        @classmethod
        def __snooze__(cls) -> Via:
            return Via(cls, decode=cls, encode=str)

    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Bad)
    name = "test_via_to_itself.Bad"
    assert (
        str(caught.value) == f"the type: the wire type of {name} refers back to {name}"
    )


def test_recursive_via() -> None:
    """The class may occur inside its wire type."""

    class Tree(dict):
        @classmethod
        def __snooze__(cls) -> Via:
            return Via(dict[str, cls], decode=cls, encode=dict)

    assert snooze.decode(b'{"a": {"b": {}}}', Tree) == {"a": {"b": {}}}
    assert type(snooze.decode(b'{"a": {"b": {}}}', Tree)["a"]) is Tree


def test_results_of_the_snooze_method() -> None:
    """A result that is not a Via is an error; exceptions of the method pass through."""

    class Wrong:
        @classmethod
        def __snooze__(cls) -> str:
            return "str"

    class Raises:
        @classmethod
        def __snooze__(cls) -> Via:
            raise LookupError("mine")

    name = "test_results_of_the_snooze_method.Wrong"
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Wrong)
    assert str(caught.value) == (
        f"the type: {name}.__snooze__() returned 'str'; it has to be a class method that "
        "returns snooze.Via(wire_type, decode=…, encode=…)"
    )
    with pytest.raises(LookupError, match="mine"):
        snooze.Decoder(Raises)


class Put(TypedDict):
    """Has a Literal field."""

    op: Literal["put"]
    value: int


class Drop(TypedDict):
    """Has a Literal field."""

    op: Literal["drop"]


class Left(typing_extensions.TypedDict):
    """Has a key that the other class lacks."""

    left: int


class Right(typing_extensions.TypedDict):
    """Has a key that the other class lacks."""

    right: int


@configure(tag=True)
class TaggedOne(TypedDict):
    """Has a tag that is not in the dict."""

    x: int


@configure(tag=True)
class TaggedTwo(TypedDict):
    """Has a tag that is not in the dict."""

    x: int


@pytest.mark.parametrize("tp", [Put | Drop, Left | Right])
def test_unions_of_typed_dicts(tp: Any) -> None:
    """The keys of the dict decide; a dict that fits none is refused."""
    name, choose, nodes, names = writes(tp)
    assert name == "select"
    assert len(nodes) == 2
    assert " or " in names
    assert choose({"other": 1}) is None


def test_unions_of_tagged_typed_dicts() -> None:
    """Python dicts do not contain the tag, so such a union is refused."""
    with pytest.raises(TypeError) as caught:
        encode_plan(TaggedOne | TaggedTwo)
    assert str(caught.value) == (
        "the type: a union of the TypedDicts TaggedOne or TaggedTwo cannot be encoded: "
        "neither their required keys nor Literal values tell their dicts apart. Give "
        "them a field of the same name with different Literal values"
    )


def test_unions_of_renamed_typed_dicts() -> None:
    """The keys of the dicts decide, not the names in JSON."""

    @configure(rename="upper")
    class Both(TypedDict):
        a: bool
        b: int

    class First(TypedDict):
        a: bool

    class Other(TypedDict):
        c: bool

    with pytest.raises(TypeError, match="cannot be encoded: neither"):
        snooze.Encoder(Both | First)
    encoder = snooze.Encoder(list[Both | Other])
    assert encoder.encode([{"a": True, "b": 1}, {"c": False}]) == (
        b'[{"A":true,"B":1},{"c":false}]'
    )


class Loud(enum.Enum):
    """An enum whose values need escaping."""

    QUOTE = '"'
    UMLAUT = "ä"
    HALF = 0.5


def test_enum_members_are_rendered() -> None:
    """Rendered once as JSON; a Literal writes only the members that it lists."""
    expected = {Loud.QUOTE: b'"\\""', Loud.UMLAUT: '"ä"'.encode(), Loud.HALF: b"0.5"}
    assert writes(Loud) == ("members", Loud, expected)
    quote = {Loud.QUOTE: b'"\\""'}
    assert writes(Literal[Loud.QUOTE]) == ("members", Loud, quote)


def test_enums_without_json_values() -> None:
    """Values that are not JSON are refused; the message says what to do."""

    class Odd(enum.Enum):
        A = object()

    class Empty(enum.Enum):
        pass

    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Odd)
    assert str(caught.value) == (
        "the type: test_enums_without_json_values.Odd has values without a JSON form; "
        "write Annotated[test_enums_without_json_values.Odd, Format('name')] for the "
        "names of the members, or give dec_hook=… or a __snooze__ method in the class"
    )
    with pytest.raises(
        snooze.JSONEncodeError, match=r"Format\('name'\)\] or .* at \$\[0\]$"
    ):
        snooze.encode([Odd.A], list[Odd])
    with pytest.raises(TypeError, match="has no members"):
        encode_plan(Empty)


def test_nulls_that_a_decoder_needs() -> None:
    """omit_none keeps what a Decoder would refuse or change if it were missing."""

    @configure(omit_none=True)
    @dataclass
    class Feature:
        geometry: dict[str, Any] | None
        bbox: list[float] | None = None
        limit: int | None = 5
        tags: list[str] | None = field(default_factory=list)
        note: Annotated[str | None, Field(omit_none=True)] = "n"

    value = Feature(None, None, None, None)
    document = snooze.encode(value)
    assert document == b'{"geometry":null,"limit":null,"tags":null,"note":"n"}'
    assert snooze.decode(document, Feature) == value
    value.note = None
    assert snooze.encode(value) == b'{"geometry":null,"limit":null,"tags":null}'
