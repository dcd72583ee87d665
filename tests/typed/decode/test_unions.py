"""Typed decoding of unions of classes: by tag, by Literal, by members; recursion."""

from __future__ import annotations

import functools
import operator
import time
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Literal, TypedDict

import pytest

import snooze
from helpers.typed_tools import Decoder, accept, decode, refusal, refuse
from snooze import Field, configure


@configure(tag=True)
@dataclass
class Cat:
    """Tagged with its name."""

    lives: int = 9


@configure(tag=True)
@dataclass(slots=True)
class Dog:
    """Tagged with its name."""

    name: str
    friend: Cat | Dog | None = None


@configure(tag='b\u00efrd"', tag_field="type")
@dataclass
class Bird:
    """Tagged with a name that needs escaping."""

    wings: int = 2


@configure(tag=1, tag_field="v")
@dataclass
class One:
    """Tagged with a number."""

    a: int = 0


@configure(tag=2, tag_field="v")
@dataclass
class Two:
    """Tagged with a number."""

    a: str = ""


ANIMAL = Cat | Dog | Bird
CHOICE = "'Cat', 'Dog' or 'b\u00efrd\"'"


def test_tags() -> None:
    """The tag is found wherever it is."""
    accept(ANIMAL, '{"type":"Cat"}', Cat())
    accept(ANIMAL, '{"lives":1,"type":"Cat"}', Cat(1))
    accept(ANIMAL, '{"type":"Dog","name":"x"}', Dog("x"))
    accept(ANIMAL, '{"name":"x","z":[{"type":5}],"\\u0074ype":"\\u0044og"}', Dog("x"))
    accept(ANIMAL, '{"type":"b\u00efrd\\"","wings":3}', Bird(3))
    accept(ANIMAL, ' { "type" \n:\t "Cat" } ', Cat())
    accept(list[ANIMAL | None], '[{"type":"Cat"},null]', [Cat(), None])
    accept(
        ANIMAL,
        '{"friend":{"friend":{"type":"Cat"},"name":"y","type":"Dog"},"type":"Dog","name":"x"}',
        Dog("x", Dog("y", Cat())),
    )
    accept(One | Two, '{"v":2,"a":"x"}', Two("x"))
    accept(One | Two, '{"a":5,"v":1}', One(5))


def test_tags_of_single_classes() -> None:
    """The tag of a single class may be missing, but must not be wrong."""
    accept(Cat, '{"lives":1}', Cat(1))
    accept(Cat, '{"type":"Cat","lives":1}', Cat(1))
    refuse(
        Cat,
        '{"type":"Dog"}',
        "expected 'Cat', found \"Dog\" at $.type (line 1 column 9)",
    )
    refuse(
        Cat,
        '{"lives":1,"type":null}',
        "expected 'Cat', found null at $.type (line 1 column 19)",
    )
    refuse(
        Cat, '{"type":{}}', "expected 'Cat', found object at $.type (line 1 column 9)"
    )
    refuse(One, '{"v":1.0}', "expected 1, found 1.0 at $.v (line 1 column 6)")
    refuse(One, '{"v":true}', "expected 1, found true at $.v (line 1 column 6)")
    accept(Cat, '{"type":"Cat","type":"Cat"}', Cat())


def test_malformed_tags() -> None:
    """Malformed JSON; white space before a tag is not part of the message."""
    for tp in (Cat, ANIMAL, Circle | Square):
        name = "kind" if tp not in (Cat, ANIMAL) else "type"
        for text in (
            "",
            "}",
            ",",
            "tru",
            "01",
            '"\\x"',
            '"',
            "-",
            "[",
            ":1}",
            '"\x01"}',
        ):
            document = f'{{"{name}":{text}'
            for errors in ("first", "all"):
                with pytest.raises(snooze.JSONDecodeError) as caught:
                    decode(document, tp, errors=errors)
                assert type(caught.value) is snooze.JSONDecodeError
                with pytest.raises(snooze.JSONDecodeError) as expected:
                    snooze.loads(document)
                assert str(caught.value) == str(expected.value)
    for tp, label in ((Cat, "'Cat'"), (ANIMAL, CHOICE)):
        for text, found in (
            ('"Cow"', '"Cow"'),
            ("{}", "object"),
            ("1", "1"),
        ):
            refuse(
                tp,
                f'{{"type": \t{text}}}',
                f"expected {label}, found {found} at $.type (line 1 column 11)",
            )


def test_wrong_tags() -> None:
    """Missing, unknown, or of another kind."""
    refuse(ANIMAL, "{}", 'expected member "type", found none at $ (line 1 column 1)')
    refuse(
        ANIMAL,
        '{"kind":"Cat"}',
        'expected member "type", found none at $ (line 1 column 1)',
    )
    for text in ('"cat"', '"Ca"', '"Catt"', '""', "1", "null", "true", "1.5", "-0"):
        refuse(
            ANIMAL,
            f'{{"type":{text}}}',
            f"expected {CHOICE}, found {text} at $.type (line 1 column 9)",
        )
    for text, kind in (("[]", "array"), ('{"a":"Cat"}', "object")):
        refuse(
            ANIMAL,
            f'{{"type": {text}}}',
            f"expected {CHOICE}, found {kind} at $.type (line 1 column 10)",
        )
    refuse(
        One | Two, '{"v":"1"}', 'expected 1 or 2, found "1" at $.v (line 1 column 6)'
    )
    refuse(
        One | Two, '{"v":1.0}', "expected 1 or 2, found 1.0 at $.v (line 1 column 6)"
    )
    refuse(
        One | Two,
        '{"v":99999999999999999999}',
        "expected 1 or 2, found 99999999999999999999 at $.v (line 1 column 6)",
    )
    refuse(
        ANIMAL,
        '{"type":"Dog","friend":{"type":"Cow"}}',
        "expected 'Cat' or 'Dog', found \"Cow\" at $.friend.type (line 1 column 32)",
        'expected member "name", found none at $ (line 1 column 1)',
    )
    refuse(ANIMAL, "[]", "expected object, found array at $ (line 1 column 1)")


def test_repeated_tags() -> None:
    """The first tag decides, and the others must equal it.

    For other members the last one wins. To read the whole object before the first value
    is created would slow down every document, and two different tags are a mistake.
    """
    accept(Cat | Dog, '{"type":"Cat","lives":1,"type":"Cat"}', Cat(1))
    refuse(
        Cat | Dog,
        '{"type":"Dog","name":"","type":"Cat"}',
        "expected 'Dog', found \"Cat\" at $.type (line 1 column 32)",
    )
    refuse(
        Cat | Dog,
        '{"type":"Cow","type":"Cat"}',
        "expected 'Cat' or 'Dog', found \"Cow\" at $.type (line 1 column 9)",
    )


@dataclass
class Circle:
    """Has a Literal field."""

    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    """Has a Literal of two values."""

    kind: Literal["square", "rect"]
    side: float


class Line(TypedDict):
    """A TypedDict with a Literal field."""

    kind: Literal["line"]
    ends: tuple[float, float]


def test_literal_discriminators() -> None:
    """A Literal field in every class tells them apart."""
    tp = Circle | Square | Line
    accept(tp, '{"kind":"circle","radius":1}', Circle("circle", 1.0))
    accept(tp, '{"side":2,"kind":"rect"}', Square("rect", 2.0))
    accept(tp, '{"ends":[1,2],"kind":"line"}', {"kind": "line", "ends": (1.0, 2.0)})
    refuse(
        tp,
        '{"kind":"oval"}',
        "expected 'circle', 'square', 'rect' or 'line', found \"oval\" at $.kind (line 1 column 9)",
    )
    refuse(tp, "{}", 'expected member "kind", found none at $ (line 1 column 1)')
    refuse(
        tp,
        '{"kind":"circle"}',
        'expected member "radius", found none at $ (line 1 column 1)',
    )


def test_repeated_discriminators() -> None:
    """Like repeated tags."""
    accept(
        Circle | Square, '{"kind":"rect","kind":"rect","side":1}', Square("rect", 1.0)
    )
    accept(
        Circle | Square,
        '{"kind":"rect","kind":"square","side":1}',
        Square("square", 1.0),
    )
    refuse(
        Circle | Square,
        '{"kind":"rect","kind":"circle","side":1}',
        "expected 'square' or 'rect', found \"circle\" at $.kind (line 1 column 23)",
    )


@dataclass
class Numbers:
    """Has a required member that the other class lacks."""

    numbers: list[int]
    name: str = ""


@dataclass
class Texts:
    """Has a required member that the other class lacks."""

    texts: Annotated[list[str], Field(alias="strings")]
    name: str = ""


def test_distinct_members() -> None:
    """The first member that only one of the classes has decides."""
    tp = Numbers | Texts
    accept(tp, '{"numbers":[1]}', Numbers([1]))
    accept(tp, '{"name":"n","x":{"texts":1},"texts":[]}', Texts([], "n"))
    accept(tp, '{"strings":["a"]}', Texts(["a"]))
    accept(tp, '{"\\u006eumbers":[]}', Numbers([]))
    accept(tp, '{"numbers":[1],"texts":{}}', Numbers([1]))
    refuse(
        tp,
        '{"name":"n"}',
        "expected object with member 'numbers', 'texts' or 'strings', found object at $ (line 1 column 1)",
    )
    refuse(
        tp, '{"texts":[1]}', "expected str, found int at $.texts[0] (line 1 column 11)"
    )


def test_ambiguous_unions() -> None:
    """Refused when the plan is made; the message names the classes."""

    @dataclass
    class Left:
        a: int

    @dataclass
    class Right:
        a: int
        b: int = 0

    for tp in (
        Left | Right,
        list[Left | Right | None],
        dict[str, Left] | Left,
        dict | Left,
    ):
        with pytest.raises(TypeError, match="ambiguous"):
            Decoder(tp)
    for tp in (
        list[int] | list[str],
        list[int] | tuple[int, ...],
        set[int] | list[int],
    ):
        with pytest.raises(TypeError, match="both are arrays in JSON"):
            Decoder(tp)


@dataclass
class Tree:
    """A record that nests in several ways."""

    value: int = 0
    left: Tree | None = None
    right: Tree | None = None
    children: list[Tree] = field(default_factory=list)
    named: dict[str, Tree] = field(default_factory=dict)
    pair: tuple[Tree, Tree] | None = None


def test_recursion() -> None:
    """Through fields, lists, dicts and tuples."""
    accept(
        Tree,
        '{"left":{"value":1,"right":{}},"children":[{"value":2,"children":[{}]}],'
        '"named":{"x":{"named":{"y":{"value":3}}}},"pair":[{},{"value":4}]}',
        Tree(
            left=Tree(1, right=Tree()),
            children=[Tree(2, children=[Tree()])],
            named={"x": Tree(named={"y": Tree(3)})},
            pair=(Tree(), Tree(4)),
        ),
    )
    refuse(
        Tree,
        '{"named":{"a b":{"children":[{},{"pair":[{},{"left":{"value":"x"}}]}]}}}',
        'expected int, found str at $.named["a b"].children[1].pair[1].left.value (line 1 column 62)',
    )
    depth = 400
    document = '{"children":[' * depth + "{}" + "]}" * depth
    value = decode(document, Tree)
    for _ in range(depth):
        (value,) = value.children
    assert value == Tree()


def test_unions_in_malformed_json() -> None:
    """What follows the tag is still checked as JSON."""
    for document in (
        '{"type":"Cat"',
        '{"type":"Cat",}',
        '{"type":"Cat"}x',
        '{"x":[,"type":"Cat"}',
    ):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decode(document, ANIMAL)
        with pytest.raises(snooze.JSONDecodeError) as expected:
            snooze.loads(document)
        assert str(caught.value) == str(expected.value)


@dataclass
class Leaf:
    """One of two classes with a Literal tag."""

    type: Literal["leaf"]
    inner: Branch | Leaf | None = None
    value: int = 0


@dataclass
class Branch:
    """The other class."""

    type: Literal["branch"]
    inner: Branch | Leaf | None = None
    value: int = 0


def test_finding_tags_takes_linear_time() -> None:
    """Nested values are skipped by their brackets; checking them would cost each level again."""
    padding = ",".join(["[1]"] * 20_000)
    depth = 300
    document = '{"inner":' * depth + f'{{"x":[{padding}],"type":"leaf"}}'
    document += ',"type":"branch"}' * depth
    start = time.perf_counter()
    snooze.loads(document)
    once = time.perf_counter() - start
    decoder = Decoder(Branch | Leaf)
    start = time.perf_counter()
    decoder.decode(document)
    assert time.perf_counter() - start < 40 * once + 0.1


@pytest.mark.parametrize("mode", ["first", "all"])
@pytest.mark.parametrize(
    ("document", "offset"),
    [
        ('{"value": [1}], "type": "leaf"}', 12),
        ('{"value": [1}], "type": "other"}', 12),
        ('{"value": [1}], "x": 1}', 12),
        ('{"value": {"a" 1}, "x": 1}', 15),
        ('{"value": {"a" 1}, "type": "other"}', 15),
        ('{"value": [tru], "type": "other"}', 11),
        ('{"value": [1], "type": other}', 23),
        ('{"value": [1], "x" 1, "type": "other"}', 19),
    ],
)
def test_malformed_json_before_a_wrong_tag(document, offset, mode) -> None:
    """An error of the JSON text is reported before a wrong tag."""
    with pytest.raises(snooze.JSONDecodeError) as expected:
        snooze.loads(document)
    if mode == "first" and '"leaf"' in document:
        # The value is read and refused before the rest is checked.
        return
    with pytest.raises(snooze.JSONDecodeError) as caught:
        Decoder(Branch | Leaf, errors=mode).decode(document)
    assert type(caught.value) is snooze.JSONDecodeError
    assert caught.value.pos == expected.value.pos == offset
    assert caught.value.msg == expected.value.msg


def test_depth_around_a_union() -> None:
    """Containers around and inside a union count against the same limit."""
    for depth in (1022, 1023, 1024):
        inner = "[" * depth + "]" * depth
        document = f'{{"x": {inner}, "type": "leaf"}}'
        if depth < 1024:
            assert decode(document, Branch | Leaf).type == "leaf"
        else:
            with pytest.raises(snooze.JSONDecodeError, match="depth"):
                decode(document, Branch | Leaf)


def test_messages_list_eight_tags() -> None:
    """With more tags the message says how many are left out."""
    classes = [make_dataclass(f"C{i}", [("type", Literal[f"t{i}"])]) for i in range(50)]
    error = refusal(functools.reduce(operator.or_, classes), '{"type": "x"}')
    shown = ", ".join(repr(f"t{i}") for i in range(8))
    assert error.errors[0].expected == f"{shown} or 42 more"


def test_the_position_of_a_wrong_tag() -> None:
    """The tag itself, not the white space before it."""

    @snooze.configure(tag=True)
    @dataclass
    class Tagged:
        x: int = 0

    with pytest.raises(snooze.ValidationError) as info:
        snooze.decode(b'{"type": \n "Other"}', Tagged)
    assert info.value.errors[0].found == '"Other"'
    assert (info.value.lineno, info.value.colno) == (2, 2)
