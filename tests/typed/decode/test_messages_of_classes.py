"""Messages about classes with conditions, unions of classes, and names in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import annotated_types
import pytest

import snooze
from snooze import Field, configure


def is_small(value: Any) -> bool:
    """Return whether it has a small number."""
    return value.a < 10


SMALL = annotated_types.Predicate(is_small)


@configure(tag=True)
@dataclass
class One:
    """A class with a condition."""

    a: int = 1


@configure(tag=True)
@dataclass
class Two:
    """Another class."""

    a: int = 1


@configure(array_like=True)
@dataclass
class Row:
    """An array."""

    a: int = 1


def test_a_condition_on_a_class() -> None:
    """The message has it."""
    for tp, document, found in [
        (One, '[{"type":"One","a":10}]', "object"),
        (Row, "[[10]]", "array"),
    ]:
        decoder: Any = snooze.Decoder(list[Annotated[tp, SMALL]])
        with pytest.raises(snooze.ValidationError) as caught:
            decoder.decode(document)
        assert str(caught.value) == (
            f"expected {tp.__name__}, found {found} at $[0] (line 1 column 2): "
            "expected one for which is_small holds"
        )
        assert decoder.decode(document.replace("10", "9")) == [tp(9)]
    with pytest.raises(snooze.ValidationError, match="expected one for which is_small"):
        snooze.convert({"type": "One", "a": 10}, Annotated[One, SMALL])


def test_a_condition_on_a_class_of_a_union() -> None:
    """The refusal says that the condition is the reason."""
    for make in (snooze.Decoder, snooze.schema):
        with pytest.raises(TypeError) as caught:
            make(Annotated[One, SMALL] | Two)
        assert str(caught.value) == (
            "the type: a union of One and Two is ambiguous, because One has a condition "
            "(Predicate) here, and only classes without one are told apart. Check the "
            "condition in __post_init__, or try them in order with "
            "Annotated[…, FirstMatch()]"
        )


@dataclass
class Text:
    """A Literal of str."""

    kind: Literal["a"]


@dataclass
class Number:
    """A Literal of int."""

    kind: Literal[1]


@dataclass
class Yes:
    """A Literal of bool."""

    kind: Literal[True]


@dataclass
class No:
    """The other."""

    kind: Literal[False]


@dataclass
class SameText:
    """The same value as another class."""

    kind: Literal["a"]


@pytest.mark.parametrize(
    ("tp", "is_mixed"),
    [
        (Text | Number, True),
        (Yes | No, True),
        (Text | Yes, True),
        (Text | SameText, False),
    ],
)
def test_literals_that_do_not_count(tp: Any, is_mixed: bool) -> None:
    """The refusal does not ask for what the classes have."""
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(tp)
    mixed = "or values of one class, str or int, in the Literals of 'kind'"
    missing = "or a field of the same name with different Literal values"
    assert str(caught.value).endswith(mixed if is_mixed else missing)


@dataclass
class Named:
    """A name that is not UTF-8."""

    a: Annotated[int, Field(name="\ud800")]


@dataclass
class Aliased:
    """An alias that is not UTF-8."""

    a: Annotated[int, Field(alias=("b", "\ud800x"))]


@configure(tag="t", tag_field="\udfff")
@dataclass
class Tagged:
    """The name of a tag that is not UTF-8."""

    a: int


@pytest.mark.parametrize(
    ("cls", "place", "shown"),
    [
        (Named, "Named.a", r"'\ud800'"),
        (Aliased, "Aliased.a", r"'\ud800x'"),
        (Tagged, "Tagged", r"'\udfff'"),
    ],
)
def test_names_that_no_document_has(cls: Any, place: str, shown: str) -> None:
    """The message names the class and the field."""
    for make in (snooze.Decoder, snooze.Converter, snooze.schema):
        with pytest.raises(ValueError, match="surrogate") as caught:
            make(cls)
        assert str(caught.value) == (
            f"{place}: the name {shown} has a surrogate, which no document can have: it "
            "is not valid UTF-8"
        )
