"""PEP 728: `closed` and `extra_items` of a TypedDict hold for those that inherit from it."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import pytest
import typing_extensions

import snooze
from helpers.typed_tools import accept, refuse

T = TypeVar("T")


class Closed(typing_extensions.TypedDict, closed=True):  # type: ignore[call-arg]
    """No other keys."""

    a: int


class Inherits(Closed):
    """One more key, and no others."""

    b: typing_extensions.NotRequired[int]


class InheritsTwice(Inherits, total=False):
    """The same, two classes away."""

    c: int


class Ints(typing_extensions.TypedDict, extra_items="Number"):  # type: ignore[call-arg]
    """Other keys of one type, the name of which is found in this module."""

    a: int


Number = int


class MoreInts(Ints):
    """The same."""


class NoMore(Ints, closed=True):  # type: ignore[call-arg]
    """Says otherwise."""


class Texts(Ints, extra_items=str):  # type: ignore[call-arg]
    """Says otherwise."""


class Of(typing_extensions.TypedDict, Generic[T], extra_items=T):  # type: ignore[call-arg]
    """Other keys of a type that is an argument."""

    a: int


class OfInt(Of[int]):
    """With an argument."""


class Never(typing_extensions.TypedDict, extra_items=typing_extensions.Never):  # type: ignore[call-arg]
    """No other keys, in other words."""

    a: int


class InheritsNever(Never):
    """The same."""


@pytest.mark.parametrize("cls", [Inherits, InheritsTwice, NoMore, InheritsNever])
def test_closed(cls: Any) -> None:
    """Other keys are a problem, in documents, dicts and the schema."""
    accept(cls, '{"a":1}', {"a": 1})
    refuse(
        cls,
        '{"a":1,"zz":2}',
        'expected no member "zz", found one at $ (line 1 column 8)',
    )
    with pytest.raises(snooze.ValidationError, match='no member "zz"'):
        snooze.convert({"a": 1, "zz": 2}, cls)
    made = snooze.schema(cls)["$defs"][cls.__name__]
    assert made["additionalProperties"] is False


@pytest.mark.parametrize("cls", [Ints, MoreInts, OfInt])
def test_extra_items(cls: Any) -> None:
    """Other keys have the type, when reading and when writing."""
    accept(cls, '{"a":1,"zz":2}', {"a": 1, "zz": 2})
    refuse(
        cls,
        '{"a":1,"zz":"x"}',
        "expected int, found str at $.zz (line 1 column 13)",
    )
    assert snooze.encode({"a": 1, "zz": 2}, cls) == b'{"a":1,"zz":2}'
    with pytest.raises(snooze.JSONEncodeError, match=r"found str at \$\.zz"):
        snooze.encode({"a": 1, "zz": "x"}, cls)
    made = snooze.schema(cls)["$defs"][cls.__name__]
    assert made["additionalProperties"] == {"type": "integer"}


def test_the_class_itself_comes_first() -> None:
    """Its own `extra_items` counts."""
    accept(Texts, '{"a":1,"zz":"x"}', {"a": 1, "zz": "x"})


def test_bases_that_differ() -> None:
    """Refused, with what to do."""

    class Both(Closed, Ints):  # type: ignore[misc]
        pass

    class Said(Closed, Ints, closed=True):  # type: ignore[call-arg, misc]
        pass

    for make in (snooze.Decoder, snooze.Encoder, snooze.schema):
        with pytest.raises(TypeError) as caught:
            make(Both)
        assert str(caught.value).endswith(
            "Both: its bases Closed and Ints differ in closed and extra_items; say in "
            "the class itself what holds"
        )
        make(Said)

    class Alike(Closed, Never):  # type: ignore[misc]
        pass

    refuse(
        Alike,
        '{"a":1,"b":2}',
        'expected no member "b", found one at $ (line 1 column 8)',
    )
