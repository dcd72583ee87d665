"""FirstMatch: unions that JSON cannot tell apart, tried in order."""

from __future__ import annotations

import datetime as dt
import ipaddress
import pickle
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Union

import annotated_types
import pytest
import typing_extensions

import snooze
from helpers.typed_tools import accept, decode, refuse
from snooze import FirstMatch, Ge, MaxLen, Via


@dataclass
class Point:
    """A class without a tag."""

    x: float
    y: float


@dataclass
class Sized:
    """Another one whose members include those of a Point."""

    x: float
    y: float
    size: int


def ordered(*types: Any) -> Any:
    """Return a union of the types in this order."""
    return Annotated[Union[types], FirstMatch()]  # noqa: UP007


@pytest.mark.parametrize(
    ("types", "document", "value"),
    [
        ((dt.date, str), '"2026-11-23"', dt.date(2026, 11, 23)),
        ((dt.date, str), '"soon"', "soon"),
        ((str, dt.date), '"2026-11-23"', "2026-11-23"),
        ((dt.datetime, dt.date), '"2026-11-23"', dt.date(2026, 11, 23)),
        (
            (ipaddress.IPv4Address, ipaddress.IPv6Address),
            '"::1"',
            ipaddress.IPv6Address("::1"),
        ),
        ((list[int], list[str]), '["a"]', ["a"]),
        ((list[int], list[str]), "[]", []),
        ((tuple[int, int], tuple[int, int, int]), "[1,2,3]", (1, 2, 3)),
        ((Sized, Point, dict[str, Any]), '{"x":1,"y":2}', Point(1.0, 2.0)),
        ((Sized, Point, dict[str, Any]), '{"x":1,"y":2,"size":3}', Sized(1.0, 2.0, 3)),
        ((Sized, Point, dict[str, Any]), '{"x":1}', {"x": 1}),
        ((dt.date, int, None), "null", None),
        ((dt.date, int, None), "5", 5),
        ((float, int), "5", 5.0),
        ((int, float), "5", 5),
        ((bool, int), "true", True),
    ],
)
def test_the_first_that_accepts(types: Any, document: str, value: Any) -> None:
    """In the order written, also inside containers, and back."""
    tp = ordered(*types)
    accept(tp, document, value)
    assert type(decode(document, tp)) is type(value)
    accept(list[tp], f"[{document},{document}]", [value, value])
    accept(dict[str, tp], f'{{"k":{document}}}', {"k": value})
    (again,) = decode(snooze.encode([value], list[tp]), list[tp])
    assert (again, type(again)) == (value, type(value))


def test_no_alternative() -> None:
    """The message has the reason of each, if the value has parts."""
    tp = ordered(dt.date, ipaddress.IPv4Address)
    refuse(
        list[tp],
        '["x"]',
        'expected date or IPv4Address, found "x" at $[0] (line 1 column 2)',
    )
    refuse(tp, "5", "expected date or IPv4Address, found int at $ (line 1 column 1)")
    refuse(
        list[ordered(Point, list[int])],
        '[{"x":1,"y":"a"}]',
        "expected object or array, found object at $[0] (line 1 column 2): "
        "as object: expected float, found str at /y; "
        "as array: expected array, found object",
    )
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode([5], list[tp])
    assert str(caught.value) == (
        "expected date or IPv4Address, found int, which fits none of them at $[0]"
    )


def test_in_other_unions() -> None:
    """It takes the kinds of its alternatives, and no others."""
    tp = ordered(dt.date, str) | list[int] | None
    accept(list[tp], '["x",null,[1]]', ["x", None, [1]])
    assert snooze.encode(["x", None, [1], dt.date(2020, 1, 2)], list[tp]) == (
        b'["x",null,[1],"2020-01-02"]'
    )
    with pytest.raises(TypeError, match="is ambiguous: both are strings in JSON"):
        snooze.Decoder(ordered(dt.date, str) | dt.time)


def test_constraints() -> None:
    """Those of the union hold for the alternatives that they fit."""
    tp = Annotated[ordered(list[int], list[str], int), MaxLen(2), Ge(0)]
    accept(tp, '["a","b"]', ["a", "b"])
    for text in ("[1,2,3]", "-1"):
        with pytest.raises(snooze.ValidationError):
            decode(text, tp)


@dataclass
class Tree:
    """Contains itself by such a union."""

    kids: list[Annotated[Tree | Leaf, FirstMatch()]] = field(default_factory=list)
    name: str = ""


@dataclass
class Leaf:
    """Accepts less than a Tree."""

    name: str


def test_recursion() -> None:
    """A union may lead back to itself; its plans are made once."""
    value: Any = Tree([Tree([Tree(name="x")]), Tree(name="y")])
    decoder, encoder = snooze.Decoder(Tree), snooze.Encoder(Tree)
    assert decoder.decode(encoder.encode(value)) == value
    assert pickle.loads(pickle.dumps(decoder)).decode(b"{}") == Tree()


#: The values that `number` has seen.
LEAVES: list[Any] = []


def number(value: Any) -> int:
    """Return an int, and note the value."""
    LEAVES.append(value)
    return int(value)


@dataclass
class One:
    """Looks like Two."""

    next: Annotated[One | Two | None, FirstMatch()]
    value: Annotated[int, Via(Any, decode=number, encode=int)]


@dataclass
class Two:
    """Looks like One."""

    value: Annotated[int, Via(Any, decode=number, encode=int)]
    next: Annotated[Two | One | None, FirstMatch()]


def test_the_cost_is_bounded() -> None:
    """Deep nesting of attempts ends with a problem, not after hours."""
    document = '{"next":null,"value":"x"}'
    for _ in range(40):
        document = f'{{"next":{document},"value":1}}'
    LEAVES.clear()
    with pytest.raises(snooze.ValidationError):
        decode(document, One | None)
    assert 0 < len(LEAVES) < 50_000
    value: Any = One(None, 1)
    for _ in range(40):
        value = One(value, 1)
    with pytest.raises(TypeError, match="^FirstMatch unions are more than 32 deep"):
        snooze.encode(value, One | None)


def test_encoding_tries_each_value_once() -> None:
    """Not once for each attempt around it."""
    LEAVES.clear()
    tp: Any = Annotated[int, Via(int, decode=int, encode=number)]
    value: Any = 1
    for _ in range(8):
        tp = ordered(list[str], list[tp], list[int])
        value = [value]
    assert snooze.encode(value, tp) == b"[" * 8 + b"1" + b"]" * 8
    assert len(LEAVES) == 1
    document = snooze.encode({"a": value}, dict[str, tp], indent=2)
    assert document == snooze.dumps({"a": value}, option=snooze.OPT_INDENT_2)
    numbers = (i for i in range(3))
    assert snooze.encode(numbers, ordered(Iterable[int], str)) == b"[0,1,2]"


@dataclass
class Deep:
    """Every alternative but the last enters a list."""

    inner: Annotated[
        list[Deep] | Sequence[Deep] | Collection[Deep] | Iterable[Deep] | int,
        FirstMatch(),
    ]


def test_failing_attempts_are_bounded() -> None:
    """Four alternatives in each of eleven levels would make four million calls."""

    def nested(depth: int) -> Any:
        value: Any = Deep("x")  # type: ignore[arg-type] # the wrong value
        for _ in range(depth):
            value = Deep([value])
        return value

    with pytest.raises(TypeError, match="^FirstMatch .* too many attempts"):
        snooze.encode(nested(11), Deep)
    with pytest.raises(snooze.JSONEncodeError, match="which fits none of them"):
        snooze.encode(nested(2), Deep)


def test_many_values_after_a_failure() -> None:
    """A value that an attempt did not reach is not counted as reached again."""
    item = ordered(dt.date, int)
    other = ordered(dt.time, str)
    tp = ordered(list[item], list[other])
    value = ["x"] * 30_000
    assert snooze.decode(snooze.encode(value, tp), tp) == value


def test_objects_that_functions_use_again() -> None:
    """The same list with other items is another value."""
    shared = [0]

    def encode(value: Any) -> Any:
        shared[0] = int(value)
        return shared

    inner = Annotated[float, Via(ordered(list[int], str), decode=float, encode=encode)]
    tp = ordered(dict[str, inner], list[inner])
    assert snooze.encode([1.0, 2.0, 3.0], tp) == b"[[1],[2],[3]]"


def test_several_in_one_union() -> None:
    """Those of other kinds of JSON values, beside each other."""
    tp: Any = (
        Annotated[dt.date | str, FirstMatch()]
        | Annotated[list[int] | list[str], FirstMatch()]
        | None
    )
    text = b'["2026-11-23","x",[1],["a"],null]'
    values = snooze.decode(text, list[tp])
    assert values == [dt.date(2026, 11, 23), "x", [1], ["a"], None]
    assert snooze.encode(values, list[tp]) == text
    with pytest.raises(snooze.JSONEncodeError, match="which fits none of them"):
        snooze.encode([b"x"], list[tp])


def test_documents_of_hooks() -> None:
    """A function that decodes another document has its own bound."""
    inner = snooze.Decoder(ordered(list[int], list[str]))
    large = "[" + ",".join(["1"] * 100_000) + "]"
    tp = Annotated[list, Via(str, decode=lambda _: inner.decode(large), encode=str)]
    assert len(decode('"x"', ordered(tp, str))) == 100_000


def test_lax() -> None:
    """Alternatives read other forms, if the union stands alone."""
    for text, types, value in [
        ('"5"', (int, None), 5),
        ("1.0", (int, list[int]), 1),
        ('"true"', (float, bool), True),
        ('["1"]', (list[int], int), [1]),
    ]:
        assert decode(text, ordered(*types), strict=False) == value


def test_defaults_that_the_union_excludes() -> None:
    """They are left out, as those of other unions."""

    @dataclass
    class Day:
        day: Annotated[dt.date | int, FirstMatch()] = None  # type: ignore[assignment]

    assert snooze.encode(Day()) == b"{}"
    assert snooze.encode(Day(3)) == b'{"day":3}'


@pytest.mark.parametrize(
    ("tp", "message"),
    [
        (Annotated[int, FirstMatch()], "FirstMatch is for unions"),
        (Annotated[int | str, FirstMatch], r"write FirstMatch\(…\), with parentheses"),
        (dict[ordered(dt.date, str), int], "a union with FirstMatch cannot be a key"),
        (set[ordered(list[int], str)], "list cannot be in a set"),
    ],
)
def test_refused_types(tp: Any, message: str) -> None:
    """Each when the codec is made."""
    with pytest.raises(TypeError, match=message):
        snooze.Decoder(tp)


def test_instances_differ() -> None:
    """Annotated keeps the order of each union only if the metadata differ."""
    one, two = (
        Annotated[dt.date | str, FirstMatch()],
        Annotated[str | dt.date, FirstMatch()],
    )
    text = b'"2020-01-02"'
    assert snooze.decode(text, one) == dt.date(2020, 1, 2)
    assert snooze.decode(text, two) == "2020-01-02"
    assert FirstMatch() != FirstMatch()


def test_schema() -> None:
    """Any of the alternatives."""
    found = snooze.schema(ordered(dt.date, str))
    assert found["anyOf"] == [{"type": "string", "format": "date"}, {"type": "string"}]


INT_OR_STR = Annotated[int | str, FirstMatch()]


@dataclass
class Wrapped:
    """What a Via makes of a FirstMatch union."""

    value: Any


@pytest.mark.parametrize(
    ("tp", "values"),
    [
        (
            list[int] | Annotated[INT_OR_STR | None, FirstMatch()],
            {"[1]": [1], "1": 1, '"a"': "a", "null": None},
        ),
        (
            list[int]
            | Annotated[
                Wrapped, Via(INT_OR_STR, decode=Wrapped, encode=lambda w: w.value)
            ],
            {"[1]": [1], "1": Wrapped(1), '"a"': Wrapped("a")},
        ),
        (
            list[int] | Annotated[INT_OR_STR, annotated_types.Predicate(bool)],
            {"[1]": [1], "1": 1, '"a"': "a"},
        ),
    ],
)
def test_inside_another_union(tp: Any, values: dict[str, Any]) -> None:
    """In lax mode, too, it takes only the kinds of its own alternatives there."""
    decoders: list[Any] = [snooze.Decoder(tp), snooze.Decoder(tp, strict=False)]
    for document, value in values.items():
        for decoder in decoders:
            assert decoder.decode(document) == value
        assert snooze.convert(snooze.loads(document), tp, strict=False) == value
    alone = snooze.Decoder(Annotated[INT_OR_STR | None, FirstMatch()], strict=False)
    assert alone.decode('"1"') == 1
    assert alone.decode("1.0") == 1


@dataclass
class Same:
    """A class with the same members as a Point."""

    x: float
    y: float


def is_even(value: Any) -> bool:
    """Return whether a list has an even length."""
    return len(value) % 2 == 0


EVEN = annotated_types.Predicate(is_even)
Nested = typing_extensions.TypeAliasType(
    "Nested", Annotated[Union["list[Nested]", "list[int]", None], FirstMatch()]
)


@pytest.mark.parametrize(
    ("tp", "value", "expected", "python"),
    [
        (ordered(Point, Same), 1, "object (Point) or object (Same)", "Point or Same"),
        (
            ordered(list[int | None], list[Point], tuple[int, str]),
            1,
            "array (list[int | None]), array (list[Point]) or array of length 2",
            "list[int | None], list[Point] or tuple of length 2",
        ),
        (
            ordered(dict[str, Any], dict[str, int]),
            1,
            "object (dict[str, Any]) or object (dict[str, int])",
            "dict[str, Any] or dict[str, int]",
        ),
        (
            ordered(tuple[int, ...], tuple[str, ...]),
            [1.5],
            "array (tuple[int, ...]) or array (tuple[str, ...])",
            "tuple[int, ...] or tuple[str, ...]",
        ),
        (
            ordered(list[tuple[int, ...]], list[tuple[int]]),
            [[1.5]],
            "array (list[tuple[int, ...]]) or array (list[tuple[int]])",
            "list[tuple[int, ...]] or list[tuple[int]]",
        ),
        (
            ordered(list[list[int]], list[list[str]]),
            1,
            "array (list[list[int]]) or array (list[list[str]])",
            "list[list[int]] or list[list[str]]",
        ),
        (
            ordered(list[dict[str, list[int]]], list[dict[str, list[str]]], list[int]),
            1,
            "array (list[dict[str, list[int]]]), array (list[dict[str, list[str]]]) or "
            "array (list[int])",
            "list[dict[str, list[int]]], list[dict[str, list[str]]] or list[int]",
        ),
        (
            ordered(list[Annotated[int, Ge(0)]], list[Annotated[int, Ge(-9)]]),
            1,
            "array (list[int >= 0]) or array (list[int >= -9])",
            "list[int >= 0] or list[int >= -9]",
        ),
        (
            ordered(
                tuple[Annotated[list[str], MaxLen(2)]],
                tuple[Annotated[list[str], MaxLen(3)]],
                tuple[Annotated[list[str], EVEN]],
                tuple[list[Annotated[str, MaxLen(3)]]],
                tuple[Annotated[bytes, MaxLen(3)]],
            ),
            1,
            "array of length 1 (tuple[list of length <= 2]), "
            "array of length 1 (tuple[list of length <= 3]), "
            "array of length 1 (tuple[list for which is_even holds]), "
            "array of length 1 (tuple[list]) or "
            "array of length 1 (tuple[bytes of length <= 3])",
            "tuple of length 1 (tuple[list of length <= 2]), "
            "tuple of length 1 (tuple[list of length <= 3]), "
            "tuple of length 1 (tuple[list for which is_even holds]), "
            "tuple of length 1 (tuple[list]) or "
            "tuple of length 1 (tuple[bytes of length <= 3])",
        ),
        (
            ordered(tuple[int, *tuple[int, ...]], tuple[int, *tuple[str, ...]]),
            1,
            "array of length >= 1 (tuple[int, *tuple[int, ...]]) or "
            "array of length >= 1 (tuple[int, *tuple[str, ...]])",
            "tuple of length >= 1 (tuple[int, *tuple[int, ...]]) or "
            "tuple of length >= 1 (tuple[int, *tuple[str, ...]])",
        ),
        (
            Nested,
            "x",
            "array (list[Nested]), array (list[int]) or null",
            "list[Nested], list[int] or None",
        ),
    ],
)
def test_the_names_of_alternatives(
    tp: Any, value: Any, expected: str, python: str
) -> None:
    """Those that look alike in JSON are named by their types."""
    error = message_of(snooze.Decoder(tp).decode, snooze.dumps(value))
    assert error.startswith(f"expected {expected}, found ")
    assert message_of(snooze.Encoder(tp).encode, value).startswith(
        f"expected {python}, "
    )


def message_of(function: Any, value: Any) -> str:
    """Return the message of the refusal."""
    with pytest.raises((ValueError, TypeError)) as caught:
        function(value)
    return str(caught.value)
