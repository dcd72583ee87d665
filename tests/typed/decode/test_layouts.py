"""Typed decoding into NamedTuple, TypedDict, arrays of fields, and classes of PEP 695."""

from __future__ import annotations

import collections
import sys
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, NotRequired, Required, TypedDict

import pytest
import typing_extensions

from helpers.typed_tools import accept, decode, refusal, refuse
from snooze import Field, configure

CALLS: list[str] = []


class Point(NamedTuple):
    """An array in JSON."""

    x: int
    y: float = 0.5
    label: str | None = None


class NewPoint(Point):
    """A NamedTuple with its own `__new__`."""

    def __new__(cls, *args: Any) -> Any:
        CALLS.append("point")
        return super().__new__(cls, *args)


def test_named_tuples() -> None:
    """Arrays; trailing fields with a default may be missing, extra items are a problem."""
    for cls in (Point, NewPoint):
        accept(cls, "[1]", cls(1))
        accept(cls, "[1,2]", cls(1, 2.0))
        accept(cls, '[1,2,"x"]', cls(1, 2.0, "x"))
        accept(list[cls], "[[1],[2]]", [cls(1), cls(2)])
        refuse(cls, '["x"]', "expected int, found str at $[0] (line 1 column 2)")
        refuse(
            cls, "[1,2,3]", "expected str or null, found int at $[2] (line 1 column 6)"
        )
        refuse(
            cls,
            "{}",
            "expected array of length 1 to 3, found object at $ (line 1 column 1)",
        )
        refuse(cls, "[]", 'expected member "x", found none at $ (line 1 column 1)')
    plain = collections.namedtuple("plain", "a b", defaults=[2])  # noqa: PYI024
    accept(plain, '["x"]', plain("x", 2))
    accept(plain, '[{"k":[]},null]', plain({"k": []}, None))
    named = configure(array_like=False)(Point)
    accept(named, '{"y":1,"x":0}', Point(0, 1.0))
    refuse(named, "{}", 'expected member "x", found none at $ (line 1 column 1)')


def test_more_items_than_fields() -> None:
    """A problem, whatever the option `unknown` says."""

    class Pair(NamedTuple):
        a: int
        b: int = 0

    @configure(array_like=True)
    @dataclass
    class Layout:
        a: int
        b: int = 0

    for cls in (Pair, Layout):
        message = (
            "expected array of length 1 to 2, found array of 3 at $ (line 1 column 1)"
        )
        refuse(cls, "[1,2,3]", message)
        refuse(cls, '[1,2,"x"]', message, unknown="forbid")


class Total(TypedDict):
    """A TypedDict with required keys."""

    a: int
    b: NotRequired[str]


class Partial(TypedDict, total=False):
    """A TypedDict with optional keys."""

    a: Required[int]
    b: str


class Child(Total, total=False):
    """A TypedDict with a base."""

    c: Annotated[int, Field(name="sea")]


def test_typed_dicts() -> None:
    """Dicts of the members that are present, in the order of the class."""
    for cls in (Total, Partial):
        accept(cls, '{"b":"x","a":1}', {"a": 1, "b": "x"})
        assert list(decode(b'{"b":"x","a":1}', cls)) == ["a", "b"]
        accept(cls, '{"a":1,"z":{"y":[]}}', {"a": 1})
        refuse(
            cls, '{"b":"x"}', 'expected member "a", found none at $ (line 1 column 1)'
        )
        refuse(
            cls, '{"a":1,"b":2}', "expected str, found int at $.b (line 1 column 12)"
        )
    accept(Child, '{"sea":3,"a":1}', {"a": 1, "c": 3})
    accept(Child, '{"c":"ignored","a":1}', {"a": 1})
    refuse(
        Child,
        '{"a":1,"sea":null}',
        "expected int, found null at $.sea (line 1 column 14)",
    )


def test_typed_dicts_with_extra_items() -> None:
    """PEP 728: the type of extra items is checked; closed ones refuse them."""

    class Extra(typing_extensions.TypedDict, extra_items=int):  # type: ignore[call-arg]
        a: str

    class Closed(typing_extensions.TypedDict, closed=True):  # type: ignore[call-arg]
        a: str

    accept(Extra, '{"x":1,"a":"s","y":2,"x":3}', {"a": "s", "x": 3, "y": 2})
    refuse(
        Extra, '{"x":"1","a":"s"}', "expected int, found str at $.x (line 1 column 6)"
    )
    accept(Closed, '{"a":"s"}', {"a": "s"})
    refuse(
        Closed,
        '{"a":"s","x":1}',
        'expected no member "x", found one at $ (line 1 column 10)',
    )


def test_an_extra_item_named_like_a_field() -> None:
    """A field keeps its value and its type, whatever the names of other members."""

    class Extra(typing_extensions.TypedDict, extra_items=int):  # type: ignore[call-arg]
        a: Annotated[str, Field(name="A")]

    error = refusal(Extra, '{"A":"s","a":1}')
    assert error.errors[0].expected == 'no member "a"'


def test_array_layout() -> None:
    """Fields that are not read have no position in the array."""

    @configure(array_like=True)
    @dataclass
    class Layout:
        a: int
        hidden: Annotated[str, Field(exclude=True)] = "h"
        b: int = 5
        late: int = field(default=1, init=False)
        c: str = "c"

    accept(Layout, "[1]", Layout(1))
    accept(Layout, "[1,2]", Layout(1, b=2))
    accept(Layout, '[1,2,"x"]', Layout(1, b=2, c="x"))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with 3.12")
def test_type_parameters() -> None:
    """PEP 695 classes and aliases."""
    names: dict[str, Any] = {"dataclass": dataclass, "__name__": __name__}
    exec(
        "@dataclass\nclass Box[T]:\n    item: T\n    inner: 'Box[T] | None' = None\n"
        "type Json = int | list[Json] | dict[str, Json]\n"
        "type Pair[A] = tuple[A, A]\n",
        names,
    )
    box, json, pair = names["Box"], names["Json"], names["Pair"]
    accept(box[int], '{"item":1,"inner":{"item":2}}', box(1, box(2)))
    refuse(
        box[int], '{"item":""}', "expected int, found str at $.item (line 1 column 9)"
    )
    accept(json, '[1,{"a":[2]}]', [1, {"a": [2]}])
    accept(pair[int], "[1,2]", (1, 2))
    refuse(
        json,
        '[""]',
        "expected int, array or object, found str at $[0] (line 1 column 2)",
    )


class Pair(NamedTuple):
    """A tuple, whose hash CPython caches from 3.14 on."""

    a: int
    b: str


def test_named_tuples_hash_like_equal_tuples() -> None:
    """A decoded NamedTuple finds an equal tuple in a dict."""
    found = decode('[1,"x"]', Pair)
    assert type(found) is Pair
    assert found == (1, "x")
    assert hash(found) == hash((1, "x"))
    assert {(1, "x"): 5}[found] == 5
