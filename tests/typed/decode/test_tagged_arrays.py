"""Classes that are arrays with a tag: the first item tells the class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest

import snooze
from helpers.typed_tools import Decoder, accept, refuse
from snooze import Encoder, FirstMatch, Subclasses, configure, convert, encode


@configure(tag=True, array_like=True)
@dataclass
class Get:
    """A command with a default."""

    key: str
    count: int = 0


@configure(tag="put", array_like=True)
@dataclass(slots=True)
class Put:
    """A command with a value of any type."""

    key: str
    value: Any


@configure(tag=True, array_like=True)
@dataclass
class Nop:
    """A command without fields."""


@configure(tag=7, array_like=True)
@dataclass
class Seven:
    """A class whose tag is an integer."""

    x: list[int] = field(default_factory=list)


Command = Get | Put | Nop


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ('["Get","a"]', Get("a")),
        ('[ "Get" , "a" , 5 ]', Get("a", 5)),
        ('["put","k",{"a":[1]}]', Put("k", {"a": [1]})),
        ('["Nop"]', Nop()),
        ('["\\u004eop"]', Nop()),
    ],
)
def test_accepted(document: str, value: Any) -> None:
    """In a union and alone, at the root and in containers."""
    accept(Command, document, value)
    accept(type(value), document, value)
    accept(list[Command], f"[{document},{document}]", [value, value])
    accept(Command | None | dict[str, int], document, value)
    assert encode(value) in {b'["Get","a",0]', b'["Get","a",5]'} or (
        encode(value) == document.replace("\\u004e", "N").encode()
    )
    assert Decoder(Command).decode(encode(value, Command)) == value


def test_refused() -> None:
    """Each problem has its place."""
    lengths = "array of length 2 to 3, array of length 3 or array of length 1"
    place = "(line 1 column 2)"
    for document, message in [
        ("[]", f"expected {lengths}, found array of 0 at $ (line 1 column 1)"),
        ("[ ]", f"expected {lengths}, found array of 0 at $ (line 1 column 1)"),
        ("{}", f"expected {lengths}, found object at $ (line 1 column 1)"),
        ('["x"]', f"expected 'Get', 'put' or 'Nop', found \"x\" at $[0] {place}"),
        ("[1]", f"expected 'Get', 'put' or 'Nop', found 1 at $[0] {place}"),
        ("[true]", f"expected 'Get', 'put' or 'Nop', found true at $[0] {place}"),
        ("[[]]", f"expected 'Get', 'put' or 'Nop', found array at $[0] {place}"),
        (
            '["Get",1]',
            "expected str, found int at $[1] (line 1 column 8)",
        ),
        (
            '["Get"]',
            'expected member "key", found none at $ (line 1 column 1)',
        ),
        (
            '["Nop",1]',
            f"expected {lengths}, found array of 2 at $ (line 1 column 1)",
        ),
    ]:
        refuse(Command, document, message)
    refuse(
        Get,
        "[]",
        "expected array of length 2 to 3, found array of 0 at $ (line 1 column 1)",
    )
    refuse(Get, '["put","a"]', f"expected 'Get', found \"put\" at $[0] {place}")
    refuse(
        Get,
        '["put",1]',
        f"expected 'Get', found \"put\" at $[0] {place}",
        "expected str, found int at $[1] (line 1 column 8)",
    )


@pytest.mark.parametrize("document", ["[nul]", '["Get', "[", '["Get" "a"]', "[1e]"])
def test_not_json(document: str) -> None:
    """The same error as from `loads`."""
    with pytest.raises(snooze.JSONDecodeError) as expected:
        snooze.loads(document)
    for tp in (Command, Get):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            Decoder(tp).decode(document)
        assert str(caught.value) == str(expected.value)


def test_other_tags() -> None:
    """Integers, subclasses, named tuples, unions in order."""

    @configure(tag=8, array_like=True)
    @dataclass
    class Eight:
        y: str

    accept(Seven | Eight, "[7,[1]]", Seven([1]))
    accept(Seven | Eight, '[8,"a"]', Eight("a"))
    assert encode([Seven([2]), Eight("b")]) == b'[[7,[2]],[8,"b"]]'

    @configure(tag=str.lower, array_like=True)
    @dataclass
    class Base:
        a: int

    @dataclass
    class Sub(Base):
        b: int = 0

    accept(Annotated[Base, Subclasses()], '["sub",1,2]', Sub(1, 2))
    accept(Annotated[Base, Subclasses()], '["base",1]', Base(1))

    @configure(tag=True)
    class Pair(NamedTuple):
        a: int
        b: str = "b"

    accept(Pair, '["Pair",1]', Pair(1))
    assert encode(Pair(1)) == b'["Pair",1,"b"]'
    either = Annotated[Get | list[str], FirstMatch()]
    accept(either, '["Get","a"]', Get("a"))
    accept(either, '["x","a"]', ["x", "a"])


def test_writing() -> None:
    """With indentation, sorted, and in a union."""
    assert encode(Get("a"), indent=2) == b'[\n  "Get",\n  "a",\n  0\n]'
    assert encode(Nop(), indent=2) == b'[\n  "Nop"\n]'
    assert encode([Nop(), Get("a")], list[Command], sort_keys=True) == (
        b'[["Nop"],["Get","a",0]]'
    )
    assert Encoder(list[Command]).encode([Put("k", (1,))]) == b'[["put","k",[1]]]'


def test_conversion_and_schema() -> None:
    """The same from lists, and in JSON Schema."""
    assert convert(("put", "k", b"x"), Command) == Put("k", b"x")
    assert convert([Get("a"), ["Nop"]], list[Command]) == [Get("a"), Nop()]
    with pytest.raises(snooze.ValidationError, match=r"found 'x' at \$\[0\]"):
        convert(["x"], Command)
    with pytest.raises(snooze.ValidationError, match="found tuple of 0"):
        convert((), Command)
    made = snooze.schema(Get)["$defs"]["Get"]
    assert made["prefixItems"][0] == {"const": "Get"}
    assert (made["minItems"], made["items"]) == (2, False)


def test_named_tuples_of_other_classes() -> None:
    """Have fields and no tag, so that none of them is taken for one."""

    @configure(tag="P")
    class First(NamedTuple):
        a: Any
        b: Any = None

    @configure(tag="Q")
    class Second(NamedTuple):
        a: Any
        b: Any = None

    first = First("Q", 5)
    assert convert(first, First | Second) is first
    for tp in (Second, Second | Get):
        with pytest.raises(snooze.ValidationError, match="found .*First"):
            convert(first, tp)


def test_subclasses_with_the_tag_of_their_base() -> None:
    """Have more items, which no Decoder of the union takes."""

    @configure(tag="a", array_like=True)
    @dataclass
    class One:
        x: int

    @dataclass
    class More(One):
        z: int = 3

    with pytest.raises(TypeError, match="a subclass with another tag or none"):
        encode(More(1), One | Get)


def test_unions_that_cannot_be_told_apart() -> None:
    """Equal tags, and an array without a tag."""

    @configure(tag="Get", array_like=True)
    @dataclass
    class Other:
        key: str

    with pytest.raises(TypeError, match="Get and .*Other both have the tag 'Get'"):
        Decoder(Get | Other)
    with pytest.raises(TypeError, match="ambiguous"):
        Decoder(Get | list[str])
    with pytest.raises(TypeError, match="ambiguous"):
        Decoder(Get | Put | list[str])


def test_places_of_items_count_the_tag() -> None:
    @configure(array_like=True, tag="p")
    @dataclass
    class Point:
        x: int
        y: int = 0

    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode(Point(1, "y"), Point)
    assert caught.value.pointer == "/2"
    assert str(caught.value) == "expected int, found str at $[2]"
    with pytest.raises(snooze.ValidationError, match=r"found str at \$\[2\]"):
        snooze.decode(b'["p",1,"y"]', Point)
