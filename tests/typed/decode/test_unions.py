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
    """Tagged by its name."""

    lives: int = 9


@configure(tag=True)
@dataclass(slots=True)
class Dog:
    """Likewise."""

    name: str
    friend: Cat | Dog | None = None


@configure(tag='b\u00efrd"', tag_field="type")
@dataclass
class Bird:
    """Tagged by a name that needs care."""

    wings: int = 2


@configure(tag=1, tag_field="v")
@dataclass
class One:
    """Tagged by a number."""

    a: int = 0


@configure(tag=2, tag_field="v")
@dataclass
class Two:
    """Likewise."""

    a: str = ""


ANIMAL = Cat | Dog | Bird
CHOICE = "'Cat', 'Dog' or 'b\u00efrd\"'"


def test_tags() -> None:
    """Wherever the tag stands."""
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
    """The tag may be there, and then is right."""
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


def test_tags_that_are_no_value() -> None:
    """Are no JSON; space before them belongs to no message."""
    for tp in (Cat, ANIMAL, Circle | Square):
        name = "kind" if tp not in (Cat, ANIMAL) else "type"
        for text in (
            "",
            "}",
            ",",
            "tru",
            "01",
            "1e400}",
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


def test_tags_that_are_wrong() -> None:
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
    """The first one chooses, and the others must agree with it.

    A difference from other members, of which the last one wins: to read the whole object
    before the first value is made would cost every document, and a document with two
    different tags is a mistake.
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
    """Told by a Literal."""

    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    """By two of them."""

    kind: Literal["square", "rect"]
    side: float


class Line(TypedDict):
    """A dict."""

    kind: Literal["line"]
    ends: tuple[float, float]


def test_literal_discriminators() -> None:
    """A field with a Literal in every class."""
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
    """As tags."""
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
    """Told by a member that the other lacks."""

    numbers: list[int]
    name: str = ""


@dataclass
class Texts:
    """Likewise."""

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
    """Are refused when the plan is made, with the names that clash."""

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
    """Made of itself in every way."""

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


def test_unions_inside_a_broken_document() -> None:
    """What is behind the tag is read as JSON all the same."""
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
    """One of two classes that a tag tells apart."""

    type: Literal["leaf"]
    inner: Branch | Leaf | None = None
    value: int = 0


@dataclass
class Branch:
    """The other one."""

    type: Literal["branch"]
    inner: Branch | Leaf | None = None
    value: int = 0


def test_looking_for_tags_does_not_check_again_and_again() -> None:
    """What is nested is passed by its brackets; each level would check all of the rest."""
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
def test_a_fault_of_the_text_comes_before_a_tag_that_is_wrong(
    document, offset, mode
) -> None:
    with pytest.raises(snooze.JSONDecodeError) as expected:
        snooze.loads(document)
    if mode == "first" and '"leaf"' in document:
        # The value is read, and refused, before its text is.
        return
    with pytest.raises(snooze.JSONDecodeError) as caught:
        Decoder(Branch | Leaf, errors=mode).decode(document)
    assert type(caught.value) is snooze.JSONDecodeError
    assert caught.value.pos == expected.value.pos == offset
    assert caught.value.msg == expected.value.msg


def test_containers_around_a_union_count_for_the_depth() -> None:
    for depth in (1022, 1023, 1024):
        inner = "[" * depth + "]" * depth
        document = f'{{"x": {inner}, "type": "leaf"}}'
        if depth < 1024:
            assert decode(document, Branch | Leaf).type == "leaf"
        else:
            with pytest.raises(snooze.JSONDecodeError, match="depth"):
                decode(document, Branch | Leaf)


def test_messages_name_some_of_many_tags() -> None:
    classes = [make_dataclass(f"C{i}", [("type", Literal[f"t{i}"])]) for i in range(50)]
    error = refusal(functools.reduce(operator.or_, classes), '{"type": "x"}')
    shown = ", ".join(repr(f"t{i}") for i in range(8))
    assert error.errors[0].expected == f"{shown} or 42 more"


def test_a_wrong_tag_is_where_it_stands() -> None:
    """Not at the blanks before it, which are no part of what is shown."""

    @snooze.configure(tag=True)
    @dataclass
    class Tagged:
        x: int = 0

    with pytest.raises(snooze.ValidationError) as info:
        snooze.decode(b'{"type": \n "Other"}', Tagged)
    assert info.value.errors[0].found == '"Other"'
    assert (info.value.lineno, info.value.colno) == (2, 2)
