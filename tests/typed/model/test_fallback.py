"""`configure(fallback=True)`: the class for objects that no other class of a union takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

import pytest

import snooze
from snooze import UNSET, Field, UnsetType, Via, configure, decode, encode


@configure(tag=True)
@dataclass
class Cat:
    """A class with a tag."""

    lives: int


@configure(tag=True)
@dataclass
class Dog:
    """Another."""

    name: str


@configure(fallback=True)
@dataclass
class Other:
    """Everything else, as it was."""

    rest: Annotated[dict[str, Any], Field(rest=True)]


Animal = Cat | Dog | Other


class KindA(TypedDict):
    """Told apart by a Literal."""

    kind: Literal["a"]
    size: int


class KindB(TypedDict):
    """The same."""

    kind: Literal["b"]


@configure(fallback=True)
class KindOther(TypedDict):
    """Any other kind."""

    kind: str


@dataclass
class ByX:
    """Told apart by a member that the other has not."""

    x: int


@dataclass
class ByY:
    """The same."""

    y: int


@configure(fallback=True)
@dataclass
class Neither:
    """Neither x nor y."""

    z: int = 0


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        (b'{"type":"Cat","lives":9}', Cat),
        (b'{"type":"Cow","milk":[1]}', Other),
        (b'{"type":5}', Other),
        (b'{"type":{"a":1}}', Other),
        (b'{"milk":1}', Other),
        (b"{}", Other),
        (b'{"milk":1,"type":"Cow"}', Other),
    ],
)
def test_unknown_tags(text: bytes, cls: type) -> None:
    """Any tag that no class has, or none; what was read is written again."""
    value = decode(text, Animal)
    assert type(value) is cls
    assert encode(value, Animal) == text
    assert decode(b"[" + text + b"]", list[Animal]) == [value]


def test_other_discriminators() -> None:
    """Literals and required members have a fallback, too."""
    kinds: Any = KindA | KindB | KindOther
    values = [{"kind": "a", "size": 1}, {"kind": "b"}, {"kind": "c"}]
    assert decode(snooze.dumps(values), list[kinds]) == values
    assert encode(values, list[kinds]) == snooze.dumps(values)
    text = b'[{"x":1},{"y":2},{"z":3},{}]'
    assert decode(text, list[ByX | ByY | Neither]) == [
        ByX(1),
        ByY(2),
        Neither(3),
        Neither(),
    ]
    # One class and its fallback need no other class.
    assert decode(b'[{"x":1},{"w":1}]', list[ByX | Neither]) == [ByX(1), Neither()]


def test_the_fallback_has_rules_of_its_own() -> None:
    """It is no way around validation, and none around syntax."""
    kinds: Any = KindA | KindB | KindOther
    with pytest.raises(
        snooze.ValidationError, match=r"expected str, found int at \$\.kind"
    ):
        decode(b'{"kind":5}', kinds)
    with pytest.raises(snooze.ValidationError, match='member "kind"'):
        decode(b"{}", kinds)
    for text in (b'{"type":"Cow"', b'{"type":"Cow",}', b'{"type":}', b'{"a":tru}'):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decode(text, Animal)
        assert not isinstance(caught.value, snooze.ValidationError), text
    with pytest.raises(snooze.ValidationError, match=r'expected member "lives"'):
        decode(b'{"type":"Cat"}', Animal)


@configure(fallback=True)
@dataclass
class SameName:
    """A member of another class, which is found by another one."""

    x: int


@dataclass
class Wider:
    """Told apart by y alone, because the fallback has x."""

    x: int
    y: int


def test_what_would_be_read_as_another_class() -> None:
    """Refused when it is written."""
    for value, tp, name in (
        (Other({"type": "Cat", "lives": 1}), Animal, "Cat"),
        (Other({"x": 1}), ByX | ByY | Other, "ByX"),
    ):
        with pytest.raises(
            snooze.JSONEncodeError,
            match=rf"^Other with the member '\w+' would be read as {name} at \$\[0\]$",
        ):
            encode([value], list[tp])  # type: ignore[valid-type]
    both: Any = Wider | SameName
    assert decode(b'[{"x":1,"y":2},{"x":1}]', list[both]) == [Wider(1, 2), SameName(1)]
    assert encode([SameName(1)], list[both]) == b'[{"x":1}]'


class AnyDict(TypedDict):
    """A fallback that is a dict."""

    type: str


AnyDict = configure(fallback=True)(AnyDict)  # type: ignore[misc]


@configure(fallback=True)
@dataclass
class WritesX:
    """A member that is written and never read."""

    x: int = field(default=1, init=False)


def test_other_fallbacks_that_would_be_read_as_another_class() -> None:
    """Dicts, members that are only written, and Raw."""
    text = b'[{"type":"Cow"},{"type":"Cat","lives":1}]'
    both: Any = AnyDict | Cat
    assert decode(text, list[both]) == [{"type": "Cow"}, Cat(1)]
    assert encode([{"type": "Cow"}, Cat(1)], list[both]) == text
    wrong: list[tuple[Any, Any]] = [
        ({"type": "Cat"}, both),
        (WritesX(), ByX | WritesX),
        (Other({"type": snooze.Raw(b'"Cat"')}), Animal),
    ]
    for value, tp in wrong:
        with pytest.raises(snooze.JSONEncodeError, match=r"would be read as .* at \$"):
            encode([value], list[tp])
    assert encode([Other(None)], list[Animal]) == b"[{}]"  # type: ignore[arg-type]


@dataclass
class Named:
    """A class whose members are those of another one."""

    type: str | UnsetType = UNSET


@configure(fallback=True)
@dataclass
class Flat:
    """A fallback with the tag of other classes in a nested class."""

    named: Annotated[Named, Field(flatten=True)] = field(default_factory=Named)
    size: int = 1


class Word:
    """A class that is written as a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def __snooze__(cls) -> Via:
        """Return how it is written."""
        return Via(str, decode=cls, encode=lambda word: word.text)


def test_a_tag_counts_as_it_is_written() -> None:
    """Not by its class in Python: that of a nested class, of a hook, as a Fragment."""

    class Foreign:
        pass

    for value in (
        Flat(Named("Cat")),
        Other({"type": Word("Cat")}),
        Other({"type": Foreign()}),
        Other({"type": snooze.Fragment(b'"Cat"')}),
    ):
        kinds: Any = Cat | type(value)
        with pytest.raises(snooze.JSONEncodeError, match="would be read as Cat at"):
            encode([value], list[kinds], enc_hook=lambda _: "Cat")
    assert encode(Flat(Named("Cow")), Cat | Flat) == b'{"type":"Cow","size":1}'
    assert encode(Flat(), Cat | Flat) == b'{"size":1}'
    assert encode(Other({"type": Word("Cow")}), Animal) == b'{"type":"Cow"}'
    other = encode(Other({"type": Foreign()}), Animal, enc_hook=lambda _: "Cow")
    assert other == b'{"type":"Cow"}'


def test_what_is_no_tag_is_written_once() -> None:
    """An iterator is not read to find out that it is none."""
    for value in (iter("ab"), [iter("ab")], {"a": iter("ab")}):
        text = encode(Other({"type": value}), Animal, iterables=True)
        assert b'["a","b"]' in text


def test_a_tag_that_is_not_json_is_written() -> None:
    """A Raw is not checked, and a wrong value is an error at its place."""
    raw = Other({"type": snooze.Raw(b"oops")})
    assert encode(raw, Animal) == b'{"type":oops}'
    with pytest.raises(snooze.JSONEncodeError, match=r"object at \$\[0\]\.type$"):
        encode([Other({"type": object()})], list[Animal])


def test_members_that_are_not_written_are_no_clash() -> None:
    """UNSET, and the name of the field for all other members."""

    @dataclass
    class ByRest:
        rest: int

    @configure(fallback=True)
    @dataclass
    class MayBeX:
        x: int | UnsetType = UNSET

    kinds: Any = ByRest | Other
    assert encode([Other({}), ByRest(1)], list[kinds]) == b'[{},{"rest":1}]'
    with pytest.raises(snooze.JSONEncodeError, match="would be read as .*ByRest"):
        encode(Other({"rest": 1}), kinds)
    assert encode(MayBeX(), ByY | MayBeX) == b"{}"


def test_nothing_tells_them_apart() -> None:
    """A class without required members is everything that its fallback could be."""

    @dataclass
    class Anything:
        a: int = 1

    for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
        with pytest.raises(
            TypeError, match="Anything has no required member that Other"
        ):
            make(Anything | Other)

    @dataclass
    class Kind:
        kind: Literal["a"] = "a"

    @configure(fallback=True)
    @dataclass
    class AnyKind:
        kind: str

    both: Any = Kind | AnyKind
    assert decode(b'[{"kind":"a"},{"kind":"b"}]', list[both]) == [Kind(), AnyKind("b")]


def test_the_schema() -> None:
    """Any of the classes with a tag, or the fallback."""
    schema = snooze.schema(Animal)
    tagged, other = schema["anyOf"]
    assert other == {"$ref": "#/$defs/Other"}
    assert set(tagged["discriminator"]["mapping"]) == {"Cat", "Dog"}
    assert len(tagged["oneOf"]) == 2


def test_wrong_fallbacks() -> None:
    """One for each union, without a tag, and no array."""

    @configure(fallback=True)
    @dataclass
    class Second:
        pass

    with pytest.raises(TypeError, match=r"Other and .*Second both have configure"):
        snooze.Decoder(Cat | Other | Second)

    @configure(fallback=True, tag=True)
    @dataclass
    class Tagged:
        pass

    with pytest.raises(TypeError, match="for a class without tag; say tag=False"):
        snooze.Decoder(Cat | Tagged)

    @configure(fallback=True, array_like=True)
    @dataclass
    class Array:
        pass

    with pytest.raises(TypeError, match="without array_like; say array_like=False"):
        snooze.Decoder(Cat | Array)
    with pytest.raises(TypeError, match="fallback needs True or False, not 1"):
        configure(fallback=1)  # type: ignore[arg-type]
