"""The bound of attempts of FirstMatch: only values that are read again count."""

from __future__ import annotations

import datetime as dt
import types
from collections import OrderedDict, UserDict, UserList, defaultdict, deque
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

import pytest

import snooze
from snooze import Decoder, FirstMatch, ValidationError, Via, convert

MANY = 70_000
WORD = Annotated[str | dt.date, FirstMatch()]
WORDS = Annotated[list[WORD] | int, FirstMatch()]
BY_NAME = Annotated[dict[str, WORD] | int, FirstMatch()]
LIST = ["x"] * MANY
DICT = dict.fromkeys(map(str, range(MANY)), "x")


@dataclass
class Row:
    """Read from members or attributes."""

    items: list[WORD]


class Slots:
    """An object whose attributes are in no dict."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        """Have many."""
        self.items = LIST


class Computed:
    """An object whose attribute is computed."""

    @property
    def items(self) -> Any:
        """Return new objects."""
        return deque(LIST)


@pytest.mark.parametrize(
    "value",
    [
        LIST,
        tuple(LIST),
        deque(LIST),
        UserList(LIST),
        DICT.values(),
        OrderedDict(DICT).values(),
        UserDict(DICT).values(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_arrays(value: Any) -> None:
    """Every kind of array has as many values as a list."""
    assert convert(value, WORDS) == LIST
    assert convert({"a": value}, Annotated[dict[str, WORDS] | int, FirstMatch()]) == {
        "a": LIST
    }
    pairs = Annotated[list[tuple[WORDS, int]] | list[tuple[WORDS, str]], FirstMatch()]
    assert convert([(value, "x")], pairs) == [(LIST, "x")]


@pytest.mark.parametrize(
    "value",
    [
        DICT,
        OrderedDict(DICT),
        defaultdict(str, DICT),
        UserDict(DICT),
        types.MappingProxyType(DICT),
    ],
    ids=lambda value: type(value).__name__,
)
def test_objects(value: Any) -> None:
    """Every kind of object has as many values as a dict."""
    assert convert(value, BY_NAME) == DICT


@pytest.mark.parametrize(
    "value",
    [{"items": LIST}, types.SimpleNamespace(items=LIST), Slots(), Computed()],
    ids=lambda value: type(value).__name__,
)
def test_attributes(value: Any) -> None:
    """The values of attributes count as those of members."""
    tp = Annotated[Row | int, FirstMatch()]
    assert convert(value, tp, from_attributes=True) == Row(LIST)
    assert convert([value], list[tp], from_attributes=True) == [Row(LIST)]


class Special:
    """A class that only a hook converts."""

    def __init__(self, value: Any) -> None:
        """Hold a value."""
        self.value = value


def test_hooks_that_convert() -> None:
    """Their objects are others than that of the call around them."""
    tp = Annotated[str | Special, FirstMatch()]
    for inner, made in [(list[WORD], LIST), (WORDS, deque(LIST)), (BY_NAME, DICT)]:

        def hook(cls: Any, _: Any, inner: Any = inner, made: Any = made) -> Any:
            return cls(convert(made, inner))

        assert len(convert(5, tp, dec_hook=hook).value) == MANY
        found = convert([5, 6], list[tp], dec_hook=hook)
        assert [len(one.value) for one in found] == [MANY, MANY]


def test_functions_that_decode() -> None:
    """Their documents are others, whether longer or not."""
    text = snooze.dumps(LIST)
    for inner in (list[WORD], WORDS):
        decoder: Decoder[Any] = Decoder(inner)
        many = Annotated[list, Via(str, decode=lambda _, d=decoder: d.decode(text))]
        tp = Annotated[dt.date | many, FirstMatch()]
        for document in ('"x"', '"a longer text"', f'"{"x" * 2 * len(text)}"'):
            assert len(snooze.decode(document, tp)) == MANY


@dataclass
class One:
    """A recursive type, each level of which is tried twice."""

    pad: Any
    nodes: Annotated[list[One] | list[Two], FirstMatch()]


@dataclass
class Two:
    """The same."""

    pad: Any
    nodes: Annotated[list[One] | list[Two], FirstMatch()]
    name: str = field(default="")


@pytest.mark.parametrize("make", [deque, UserList])
def test_many_attempts(make: Any) -> None:
    """Whatever the containers, they end, and not after hours; the next call is free."""
    value: Any = {"pad": 1, "nodes": 5}
    for _ in range(40):
        value = OrderedDict(pad=make([1, 2]), nodes=make([value]))
    with pytest.raises(ValidationError):
        convert(value, One)
    assert convert(make(LIST), WORDS) == LIST


def test_many_attempts_to_decode() -> None:
    """The same for a document."""
    text = '{"pad":1,"nodes":5}'
    for _ in range(40):
        text = f'{{"pad":1,"nodes":[{text}]}}'
    with pytest.raises(ValidationError):
        snooze.decode(text, One)
    assert snooze.decode(snooze.dumps(LIST), WORDS) == LIST


@pytest.mark.parametrize("text", ['{"a":1e400}', '[{"a":1e400}]'])
def test_numbers_that_no_double_holds(text: str) -> None:
    """An alternative with `Any` refuses them, and the next one is tried."""
    part: Any = dict[str, Any]
    for other in (dict[str, Decimal], snooze.Raw):
        tp = Annotated[part | other, FirstMatch()]
        found = snooze.decode(text, tp if text[0] == "{" else list[tp])
        one = found if text[0] == "{" else found[0]
        assert one == ({"a": Decimal("1e400")} if other is not snooze.Raw else one)
    tp = Annotated[part | dict[str, int], FirstMatch()]
    with pytest.raises(ValidationError) as caught:
        snooze.decode(text, tp if text[0] == "{" else list[tp])
    assert "number is infinity when parsed as double; as " in str(caught.value)
    assert "char" not in str(caught.value)


def test_attempts_at_small_values_are_few() -> None:
    """A small value allows no more attempts than a larger one of the same depth."""
    calls = 0

    def count(value: Any) -> Any:
        nonlocal calls
        calls += 1
        return value

    leaf = Annotated[Any, Via(Any, decode=count)]
    tp: Any = leaf
    for _ in range(12):
        tp = Annotated[tuple[tp, int] | tuple[tp, str], FirstMatch()]
    text = "[" * 12 + "0" + ",null]" * 12
    with pytest.raises(ValidationError):
        snooze.decode(text, tp)
    assert calls < 300
