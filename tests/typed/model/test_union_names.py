"""Unions of classes that required members tell apart, and members that classes write."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

import pytest
from typing_extensions import TypedDict

import snooze


@dataclasses.dataclass
class Collects:
    """A class that keeps members which it does not know."""

    name: str
    more: Annotated[dict[str, Any], snooze.Field(rest=True)] = dataclasses.field(
        default_factory=dict
    )


@dataclasses.dataclass
class Price:
    """A class that a required member tells."""

    price: int


@dataclasses.dataclass
class Writes:
    """A class that writes a member and does not read it."""

    name: str
    price: int = dataclasses.field(init=False, default=5)


@pytest.mark.parametrize("make", [snooze.Decoder, snooze.schema, snooze.Converter])
def test_a_rest_takes_the_names_of_others(make: Any) -> None:
    """The order of the members would decide what a document is."""
    message = "the Field.rest=True. of Collects takes 'price', too. Give both a tag"
    for union in (Collects | Price, Price | Collects | None):
        with pytest.raises(TypeError, match=message):
            make(union)


class Ints(TypedDict, extra_items=int):
    """A dict that keeps members which it does not know."""

    name: str


class Sized(TypedDict):
    """A dict that a required member tells."""

    size: int


def test_what_to_do_about_a_rest() -> None:
    """Also for a format that has no tags; a TypedDict has extra_items."""
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(Collects | Price)
    assert str(caught.value) == (
        "the type: a union of Collects and Price is ambiguous: the Field(rest=True) of "
        "Collects takes 'price', too. Give both a tag with configure(tag=True), or try "
        "them in order with Annotated[…, FirstMatch()]"
    )
    decoder = snooze.Decoder(Annotated[Price | Collects, snooze.FirstMatch()])
    assert decoder.decode(b'{"price":1}') == Price(1)
    assert decoder.decode(b'{"name":"x","a":1}') == Collects("x", {"a": 1})
    with pytest.raises(TypeError, match="the extra_items of Ints takes 'size', too. "):
        snooze.Decoder(Ints | Sized)


def kind_of(*values: str) -> Any:
    """Return the type of a member that tells a class."""
    return Literal[values]


A, B, AGAIN, ANY, NONE, LARGE, NUMBER = (
    dataclasses.make_dataclass(name, fields)
    for name, fields in [
        ("A", [("kind", kind_of("a"))]),
        ("B", [("kind", kind_of("b"))]),
        ("Again", [("kind", kind_of("c", "a"))]),
        ("AnyKind", [("kind", str)]),
        ("NoKind", [("x", int)]),
        ("Large", [("kind", kind_of(2**64))]),
        ("Number", [("kind", kind_of(1))]),
    ]
)
SAME_NAME = (
    "lacks. Give both a tag with configure(tag=True), or a field of the same name with "
    "different Literal values"
)


@pytest.mark.parametrize(
    ("union", "said"),
    [
        (
            A | B | ANY,
            "A and AnyKind is ambiguous: A has no required member that AnyKind "
            + SAME_NAME,
        ),
        (
            A | B | AGAIN,
            "A and Again is ambiguous: A has no required member that Again "
            + SAME_NAME,
        ),
        (
            B | A | AGAIN,
            "A and Again is ambiguous: A has no required member that Again "
            + SAME_NAME,
        ),
        (
            LARGE | NUMBER,
            "Large and Number is ambiguous: Large has no required member that Number "
            "lacks. Give both a tag with configure(tag=True), or values of at most 64 "
            "bits in the Literals of 'kind'",
        ),
        (
            A | B | NONE,
            "A, B and NoKind is ambiguous: 'kind' tells A from B, and NoKind has no "
            "Literal of this name. Give it one, or all of them a tag with "
            "configure(tag=True), or try them in order with Annotated[…, FirstMatch()]",
        ),
    ],
)
def test_literals_that_not_all_have(union: Any, said: str) -> None:
    """The message names a class for which the advice makes a difference."""
    with pytest.raises(TypeError) as caught:
        snooze.Decoder(union)
    assert str(caught.value) == f"the type: a union of {said}"
    snooze.Decoder(Annotated[union, snooze.FirstMatch()])


def test_a_member_that_is_only_written() -> None:
    """It tells no other class, because a Decoder would take it for that one."""
    with pytest.raises(TypeError, match="Price has no required member that Writes"):
        snooze.Decoder(Writes | Price)


def test_tags_and_literals_tell_them() -> None:
    """Neither is a member of the rest."""
    tagged = snooze.configure(tag=True)(
        dataclasses.make_dataclass("Tagged", [("price", int)])
    )
    other = snooze.configure(tag=True)(
        dataclasses.make_dataclass("Other", [], bases=(Collects,))
    )
    decoder = snooze.Decoder(tagged | other)
    found = decoder.decode(b'{"price":1,"type":"Other","name":"x"}')
    assert found == other("x", {"price": 1})
