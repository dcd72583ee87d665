"""Classes whose values would be lost or moved are refused when a codec is created."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any, TypedDict

import pytest

import snooze
from snooze import Field, Len, MinLen, Pattern, configure

REST = Field(rest=True)
MAKERS = [snooze.Decoder, snooze.Encoder, snooze.Converter, snooze.schema]


def refused(tp: Any, message: str) -> None:
    """Check that no codec and no schema is made of a type."""
    for make in MAKERS:
        with pytest.raises(TypeError) as caught:
            make(tp)
        assert str(caught.value) == message


@configure(array_like=True)
@dataclass
class Item:
    """An InitVar has a position in an array, but no value that could be written."""

    a: int
    seed: InitVar[int] = 4
    c: int = 3


@configure(array_like=True)
@dataclass
class Needed:
    """The same without a default."""

    seed: InitVar[int]
    c: int = 3


@pytest.mark.parametrize("cls", [Item, Needed])
def test_arrays_with_an_init_var(cls: Any) -> None:
    """The items after it would be read into the wrong fields."""
    refused(
        cls,
        f"{cls.__name__}.seed: an InitVar cannot be an item of an array: an Encoder has "
        "no value to write at its place; say array_like=False, or exclude it with "
        "Field(exclude=True)",
    )
    with pytest.raises(TypeError, match="an InitVar cannot be an item"):
        snooze.to_builtins(cls(1, c=8))


def test_arrays_with_an_excluded_init_var() -> None:
    """It has no position, neither when reading nor when writing."""

    @configure(array_like=True)
    @dataclass
    class Fine:
        a: int
        seed: Annotated[InitVar[int], Field(exclude=True)] = 4
        c: int = 3

    document = snooze.encode(Fine(1, c=8))
    assert document == b"[1,8]"
    assert snooze.decode(document, Fine) == Fine(1, c=8)
    assert snooze.convert([1, 8], Fine) == Fine(1, c=8)


@dataclass
class Counted:
    """A length of the collected members."""

    more: Annotated[dict[str, int], Len(1, 2), REST] = field(default_factory=dict)


@dataclass
class CountedInside:
    """The same, in a type of its own."""

    more: Annotated[Annotated[dict[str, int], MinLen(1)], REST]


@dataclass
class Named:
    """A pattern of the collected names."""

    more: Annotated[dict[Annotated[str, Pattern("^x-")], int], REST]


@dataclass
class NamedShort:
    """A length of the collected names."""

    more: Annotated[dict[Annotated[str, Len(1, 3)], int], REST]


@pytest.mark.parametrize("cls", [Counted, CountedInside])
def test_lengths_of_collected_members(cls: Any) -> None:
    """Refused: they would not be checked."""
    refused(
        cls,
        f"{cls.__name__}.more: Field(rest=True) does not check Len, MinLen and MaxLen of "
        "its dict; check the number of members in __post_init__",
    )


@pytest.mark.parametrize("cls", [Named, NamedShort])
def test_constraints_of_collected_names(cls: Any) -> None:
    """Refused: they would not be checked."""
    refused(
        cls,
        f"{cls.__name__}.more: Field(rest=True) does not check constraints of its keys; "
        "write dict[str, T], and check the names in __post_init__",
    )


def test_constraints_of_collected_values() -> None:
    """Checked as ever."""

    @dataclass
    class Fine:
        more: Annotated[dict[str, Annotated[list[int], Len(1, 2)]], REST]

    assert snooze.decode(b'{"a":[1]}', Fine) == Fine({"a": [1]})
    with pytest.raises(snooze.ValidationError, match="array of length 1 to 2"):
        snooze.decode(b'{"a":[]}', Fine)


@dataclass
class Twice:
    """A name that is given twice."""

    a: Annotated[int, Field(name="z", alias=("x", "y", "x"))] = 1


class TwiceTyped(TypedDict):
    """The same in a TypedDict."""

    a: Annotated[int, Field(alias=("x", "x"))]


@configure(array_like=True)
@dataclass
class TwiceArray:
    """The same in an array."""

    a: Annotated[int, Field(alias=("x", "x"))]


@dataclass
class AroundTwice:
    """The same in a flattened class."""

    part: Annotated[Twice, Field(flatten=True)]


@pytest.mark.parametrize(
    ("cls", "place"),
    [
        (Twice, "Twice.a"),
        (TwiceTyped, "TwiceTyped.a"),
        (TwiceArray, "TwiceArray.a"),
        (AroundTwice, "Twice.a"),
    ],
)
def test_an_alias_that_is_given_twice(cls: Any, place: str) -> None:
    """It may be a mistake for another name."""
    refused(cls, f"{place}: Field(alias=…) has 'x' twice; keep one")


def test_aliases_that_say_the_same() -> None:
    """In several Field, or the name itself."""

    @dataclass
    class Fine:
        a: Annotated[int, Field(alias="x"), Field(alias=("a", "x", "y"))]

    for name in ("a", "x", "y"):
        assert snooze.decode(f'{{"{name}":1}}', Fine) == Fine(1)


def test_too_many_fields() -> None:
    """Refused with the limit: a plan counts them in 16 bits."""
    count = 65_535
    keys = [f"f{number}" for number in range(count)]
    many: Any = TypedDict("Many", dict.fromkeys(keys, int))  # type: ignore[misc]
    refused(
        many,
        f"Many has {count} fields; a class can have 65534. Use dict[str, T] for so many "
        "members",
    )
