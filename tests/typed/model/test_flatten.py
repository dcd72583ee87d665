"""`Field(flatten=True)`: members of a nested class among those of the outer one."""

from __future__ import annotations

import datetime
import gc
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypedDict

import attrs
import pytest

import snooze
from helpers.typed_tools import Decoder, accept, refuse
from snooze import (
    Encoder,
    Field,
    Ge,
    configure,
    convert,
    encode,
    to_builtins,
)

FLAT = Field(flatten=True)


@configure(rename="camel")
@dataclass(slots=True)
class Address:
    """A nested class with other names."""

    street_name: str
    zip_code: Annotated[int, Ge(0)] = 0


@dataclass
class Times:
    """A nested class that needs no member."""

    made: datetime.date | None = None
    tags: list[str] = field(default_factory=list)


@dataclass
class Person:
    """Two nested classes between other fields."""

    name: str
    address: Annotated[Address, FLAT]
    times: Annotated[Times, FLAT] = field(default_factory=Times)
    age: int = 7


ANN = Person("ann", Address("Main", 5), Times(datetime.date(2026, 11, 21), ["x"]), 3)


def test_both_ways() -> None:
    """One object, in the order of the fields."""
    text = (
        '{"name":"ann","streetName":"Main","zipCode":5,"made":"2026-11-21",'
        '"tags":["x"],"age":3}'
    )
    assert encode(ANN).decode() == text
    accept(Person, text, ANN)
    accept(list[Person], f"[{text}]", [ANN])
    accept(Person, '{"streetName":"a","name":"b"}', Person("b", Address("a")))
    assert encode(Person("b", Address("a")), Person | None, omit_none=True) == (
        b'{"name":"b","streetName":"a","zipCode":0,"tags":[],"age":7}'
    )
    assert Encoder(Person, omit_defaults=True).encode(Person("b", Address("a"))) == (
        b'{"name":"b","streetName":"a"}'
    )
    assert encode(Person("b", Address("a")), sort_keys=True).startswith(b'{"age":7,')
    assert encode([ANN], indent=2).count(b'\n    "') == 6


def test_refused() -> None:
    """Each problem has its place; a nested object is an unknown member."""
    refuse(
        Person,
        '{"name":"a","zipCode":-1}',
        "expected int >= 0, found -1 at $.zipCode (line 1 column 23)",
        'expected member "streetName", found none at $ (line 1 column 1)',
    )
    refuse(
        Person,
        '{"name":"a","address":{"streetName":"a"}}',
        'expected member "streetName", found none at $ (line 1 column 1)',
    )
    with pytest.raises(TypeError, match=r"expected int, found str at \$\.zipCode"):
        encode(Person("a", Address("b", "c")))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected Address, found str"):
        encode(Person("a", "b"))  # type: ignore[arg-type]


def test_defaults_of_the_outer_field() -> None:
    """Taken if no member of the nested class is there."""

    @dataclass
    class Shop:
        name: str
        address: Annotated[Address, FLAT] = field(
            default_factory=lambda: Address("here", 1)
        )

    accept(Shop, '{"name":"a"}', Shop("a"))
    accept(Shop, '{"name":"a","streetName":"b"}', Shop("a", Address("b")))
    assert "streetName" in message_of(Shop, '{"name":"a","zipCode":1}')


def message_of(tp: Any, document: str) -> str:
    """Return the message of the refusal."""
    with pytest.raises(snooze.ValidationError) as caught:
        Decoder(tp).decode(document)
    return str(caught.value)


@dataclass
class Inner:
    """A class inside a nested class."""

    c: int


@dataclass
class Middle:
    """A nested class with one of its own."""

    b: int
    inner: Annotated[Inner, FLAT]


@configure(tag=True)
@dataclass
class Outer:
    """A class with a tag."""

    a: int
    middle: Annotated[Middle, FLAT]


@configure(tag=True)
@dataclass
class Other:
    """Another."""

    a: int


def test_nested_and_in_unions() -> None:
    """A nested class may have nested classes, and a union is told apart by its tag."""
    value = Outer(1, Middle(2, Inner(3)))
    text = '{"type":"Outer","a":1,"b":2,"c":3}'
    accept(Outer | Other, text, value)
    assert encode([value, Other(1)], list[Outer | Other]) == (
        f'[{text},{{"type":"Other","a":1}}]'.encode()
    )
    assert encode(value, sort_keys=True) == b'{"a":1,"b":2,"c":3,"type":"Outer"}'
    accept(Middle, '{"b":1,"c":2}', Middle(1, Inner(2)))


def test_kinds_of_classes() -> None:
    """attrs, NamedTuple, post-init, aliases of constructors."""

    @attrs.define
    class Part:
        _x: int
        y: int = 1

    class Pair(NamedTuple):
        p: int
        q: int = 2

    pair_object = configure(array_like=False)(Pair)

    @attrs.define
    class Whole:
        part: Annotated[Part, FLAT]
        pair: Annotated[pair_object, FLAT]  # type: ignore[valid-type]

    globals().update(Part=Part, pair_object=pair_object)
    value = Whole(Part(5), Pair(6))
    assert encode(value) == b'{"_x":5,"y":1,"p":6,"q":2}'
    assert Decoder(Whole).decode(encode(value)) == value

    @dataclass
    class Checked:
        low: int
        high: int

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise ValueError("low > high")

    globals().update(Checked=Checked)

    @dataclass
    class Has:
        bounds: Annotated[Checked, FLAT]

    accept(Has, '{"low":1,"high":2}', Has(Checked(1, 2)))
    assert "low > high" in message_of(Has, '{"low":3,"high":2}')


def test_conversion_and_schema() -> None:
    """The same from dicts, and in JSON Schema."""
    assert convert({"name": "b", "streetName": "a"}, Person) == Person(
        "b", Address("a")
    )
    assert convert(ANN, Person) is ANN
    assert to_builtins(ANN)["zipCode"] == 5
    made = snooze.schema(Person)["$defs"]["Person"]
    assert list(made["properties"]) == [
        *("name", "streetName", "zipCode", "made", "tags", "age")
    ]
    assert made["required"] == ["name", "streetName"]


def test_hiding_from_the_collector() -> None:
    """`gc=False` has no effect, because the nested instances are made first."""

    @configure(gc=False)
    class Hidden(Outer):
        pass

    made = Decoder(Hidden).decode('{"a":1,"b":2,"c":3}')
    assert gc.is_tracked(made)
    found = Decoder(Outer, gc=False).decode('{"a":1,"b":2,"c":3}')
    assert gc.is_tracked(found)
    assert gc.is_tracked(found.middle)


def test_subclasses_are_refused() -> None:
    """Whose fields would be lost."""

    @dataclass
    class More(Address):
        extra: int = 0

    with pytest.raises(TypeError, match="expected Address, found More"):
        encode(Person("a", More("b")))


def test_refused_types() -> None:
    """Each with its reason, when the codec is made."""

    @dataclass
    class Loop:
        loop: Annotated[Loop, FLAT]

    @dataclass
    class Twice:
        name: str
        address: Annotated[Same, FLAT]

    @dataclass
    class Same:
        name: int

    @dataclass
    class Number:
        x: Annotated[int, FLAT]

    @dataclass
    class Collects:
        x: Annotated[Inner, FLAT]
        rest: Annotated[dict[str, Any], Field(rest=True)]

    @dataclass
    class HasRest:
        rest: Annotated[dict[str, Any], Field(rest=True)]

    @dataclass
    class OfRest:
        x: Annotated[HasRest, FLAT]

    @dataclass
    class OfTag:
        x: Annotated[Other, FLAT]

    @configure(array_like=True)
    @dataclass
    class Row:
        x: Annotated[Inner, FLAT]

    class Typed(TypedDict):
        x: Annotated[Inner, FLAT]

    @dataclass
    class Maybe:
        x: Annotated[Inner | None, FLAT]

    globals().update(Loop=Loop, Same=Same, HasRest=HasRest)
    for tp, message in [
        (Loop, "leads back to"),
        (Twice, "both have the name 'name' in JSON"),
        (Number, "needs a class with fields"),
        (Maybe, "needs a class with fields"),
        (Collects, "cannot be combined"),
        (OfRest, "collects members"),
        (OfTag, "Other has a tag"),
        (Row, "not an array"),
        (Typed, "not a TypedDict"),
    ]:
        with pytest.raises(TypeError, match=message):
            Decoder(tp)
        with pytest.raises(TypeError, match=message):
            Encoder(tp)
    with pytest.raises(ValueError, match="flatten=True has no member of its own"):
        Field(name="x", flatten=True)
    with pytest.raises(TypeError, match="flatten"):
        Field(flatten=1)  # type: ignore[arg-type]
