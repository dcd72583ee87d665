"""Members without a field: their names are predicted from earlier instances.

A prediction must never change a result, so each test decodes several instances, or several
documents, by one Decoder and compares with the standard library.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snooze import Decoder, ValidationError, configure


@dataclass
class Pair:
    """Two members of many."""

    first: int
    second: int = 0


@dataclass
class Outer:
    """A record around records."""

    pair: Pair
    pairs: list[Pair]


@configure(tag_field="kind", tag=True)
@dataclass
class Cat:
    """A class with a tag."""

    name: str


@configure(tag_field="kind", tag=True)
@dataclass
class Dog:
    """Another class with a tag."""

    name: str


PAIRS = Decoder(list[Pair])


def decoded(rows: list[dict[str, Any]], decoder: Decoder[list[Pair]] = PAIRS) -> None:
    """Decode rows and compare the two fields."""
    wanted = [Pair(row["first"], row.get("second", 0)) for row in rows]
    assert decoder.decode(json.dumps(rows, ensure_ascii=False)) == wanted
    assert decoder.decode(json.dumps(rows, ensure_ascii=False, indent=1)) == wanted


NAMES = ["first", "second", "third", "f", "firs", "first1", "é", "", "a" * 31, "a" * 32]


@given(st.lists(st.permutations(NAMES), min_size=1, max_size=8))
def test_any_order_of_members(orders: list[list[str]]) -> None:
    """Members of any order are told apart, whatever came before."""
    decoded([{name: index for index, name in enumerate(one)} for one in orders])


@given(
    st.lists(
        st.lists(st.sampled_from(NAMES[2:]) | st.text(max_size=3), max_size=6),
        max_size=8,
    )
)
def test_any_names(rows: list[list[str]]) -> None:
    """Unknown members come and go."""
    decoded(
        [
            {name: [{"first": "x"}] for name in names} | {"first": number}
            for number, names in enumerate(rows)
        ]
    )


def test_predicted_name_that_becomes_a_longer_or_shorter_one() -> None:
    """A prediction compares the whole name."""
    for name in ("x", "xy", "xyz", "xy", "x", '"', "\\", "\n", "é"):
        decoded([{"first": 1, name: 2, "second": 3}] * 2)


def test_names_with_escapes() -> None:
    """An escaped field after an unknown name of the same length is a field."""
    text = rb'[{"a":1,"\u0061b":2,"first":3},{"a":1,"ab":2,"first":4},'
    text += rb'{"a":1,"\u0066irst":5}]'
    for _ in range(2):
        assert PAIRS.decode(text) == [Pair(3), Pair(4), Pair(5)]


def test_unknown_name_is_the_field_of_another_class() -> None:
    """Each class has predictions for itself."""
    decoder = Decoder(Outer)
    text = b'{"first":0,"pair":{"pairs":1,"first":2},"pairs":[{"pair":3,"first":4}]}'
    for _ in range(3):
        assert decoder.decode(text) == Outer(Pair(2), [Pair(4)])


def test_two_decoders_by_turns() -> None:
    """The predictions of one plan are not used for another."""
    names = Decoder(list[Cat])
    for _ in range(3):
        decoded([{"name": 1, "kind": 2, "first": 3}] * 2)
        assert names.decode(b'[{"first":1,"kind":"Cat","name":"Tom"}]') == [Cat("Tom")]


def test_members_beside_a_tag() -> None:
    """Unknown members of a tagged class are skipped, its tag is still checked."""
    decoder: Decoder[list[Cat | Dog]] = Decoder(list[Cat | Dog])
    rows = [{"kind": kind, "x": 1, "name": "n", "y": 2} for kind in ("Cat", "Dog")]
    for _ in range(3):
        assert decoder.decode(json.dumps(rows)) == [Cat("n"), Dog("n")]
    cats = Decoder(list[Cat])
    for last in ('"x":1', '"kind":"Cat"'):
        cats.decode(f'[{{"x":1,"name":"n",{last}}}]')
    with pytest.raises(ValidationError, match="expected 'Cat', found"):
        cats.decode(b'[{"x":1,"name":"n","kind":"Dog"}]')


def test_late_tag_where_an_unknown_name_was() -> None:
    """A tag is no unknown name, wherever it is."""

    @dataclass
    class One:
        kind: Literal["one"]
        value: int

    @dataclass
    class Two:
        kind: Literal["two"]
        value: int

    decoder: Decoder[list[One | Two]] = Decoder(list[One | Two])
    text = '[{"x":0,"value":1,"kind":"one"},{"value":2,"x":0,"kind":"two"}]'
    for _ in range(3):
        assert decoder.decode(text) == [One("one", 1), Two("two", 2)]


@pytest.mark.parametrize("fault", ['"x" 1', '"x', '"x":', '"x":tru', '"x":1 "y"'])
def test_faults_after_a_predicted_name(fault: str) -> None:
    """The error is the same with a prediction and without."""
    text = f'{{"first":1,{fault}}}'
    with pytest.raises(json.JSONDecodeError) as wanted:
        Decoder(Pair).decode(text)
    decoder = Decoder(Pair)
    decoder.decode(b'{"first":1,"x":1,"y":2}')
    with pytest.raises(json.JSONDecodeError) as found:
        decoder.decode(text)
    assert str(found.value) == str(wanted.value)


def test_names_that_are_not_utf8() -> None:
    """A name that was not learned because it is not UTF-8 is refused each time."""
    for _ in range(3):
        with pytest.raises(json.JSONDecodeError):
            PAIRS.decode(b'[{"first":1,"\xff":2}]')


@pytest.mark.parametrize("count", [255, 256, 257, 1000])
def test_many_unknown_names(count: int) -> None:
    """More names than are remembered."""
    row = {f"x{index}": index for index in range(count)} | {"first": 1}
    for _ in range(3):
        decoded([row] * 3)


def test_names_that_never_repeat() -> None:
    """Documents without any order, and then one with it."""
    rows = [
        {f"x{row}-{index}": 0 for index in range(50)} | {"first": row}
        for row in range(60)
    ]
    decoded(rows)
    decoded([{"a": 1, "first": 2, "b": 3, "second": 4}] * 100)
