"""`Field(flatten=True)` with a default: what is left out, and what stands for it."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from snooze import UNSET, Decoder, Encoder, Field, UnsetType, configure

FLAT = Field(flatten=True)


@dataclass
class Page:
    """Members that an Encoder may leave out."""

    offset: int | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Fixed:
    """The same, frozen, so that an instance can be a default."""

    offset: int | None = None
    tags: tuple[int, ...] = ()


@dataclass
class Other:
    """A default that no members at all would not make."""

    page: Annotated[Page, FLAT] = field(default_factory=lambda: Page(5, 6))


@dataclass
class Same:
    """The default that no members make."""

    page: Annotated[Page, FLAT] = field(default_factory=Page)


@dataclass
class Absent:
    """A default that is no instance of the class."""

    page: Annotated[Page, FLAT] = None  # type: ignore[assignment]


@dataclass
class OtherFixed:
    """A default with other values than those of its fields."""

    page: Annotated[Fixed, FLAT] = Fixed(5)


@dataclass
class SameFixed:
    """A default with the values of its fields."""

    page: Annotated[Fixed, FLAT] = Fixed()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"omit_none": True},
    {"omit_defaults": True},
    {"omit_none": True, "omit_defaults": True},
]
VALUES = [
    *(Other(), Other(Page()), Other(Page(5)), Other(Page(None, 6)), Other(Page(5, 6))),
    *(Same(), Same(Page(5)), Same(Page(None, 6))),
    *(Absent(), Absent(Page()), Absent(Page(5)), Absent(Page(5, 6))),
    *(OtherFixed(), OtherFixed(Fixed()), OtherFixed(Fixed(7, (1,)))),
    *(SameFixed(), SameFixed(Fixed(5)), SameFixed(Fixed(None, (1,)))),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_round_trips(value: Any, options: dict[str, Any]) -> None:
    """What is left out does not change the value."""
    tp: Any = type(value)
    document = Encoder(tp, **options).encode(value)
    assert Decoder(tp).decode(document) == value
    assert snooze.decode(snooze.encode([value], **options), list[tp]) == [value]
    members = snooze.to_builtins(value, **options)
    assert snooze.convert(members, tp) == value
    assert snooze.dumps(members) == document


def test_what_is_left_out() -> None:
    """Only where no members at all make the default of the outer field."""
    for value, expected in [
        (Other(Page()), b'{"offset":null,"limit":null}'),
        (Same(Page()), b"{}"),
        (Absent(Page()), b'{"offset":null,"limit":null}'),
        (Absent(), b"{}"),
        (OtherFixed(Fixed()), b'{"offset":null,"tags":[]}'),
        (SameFixed(), b"{}"),
    ]:
        assert snooze.encode(value, omit_defaults=True) == expected


@configure(omit_defaults=True)
@dataclass
class Place:
    """A member that is always written beside one that is not."""

    street: str
    code: int = 0


def test_a_member_that_is_always_written() -> None:
    """The others may be left out: there is always one for the nested class."""

    @dataclass
    class Shop:
        place: Annotated[Place, FLAT] = field(default_factory=lambda: Place("a", 1))

    assert snooze.encode(Shop(Place("b"))) == b'{"street":"b"}'
    assert snooze.decode(b'{"street":"b"}', Shop) == Shop(Place("b"))


@dataclass
class Patch:
    """Members of which none may be there."""

    a: int | UnsetType = UNSET
    b: int | UnsetType | None = UNSET


@dataclass
class Excluding:
    """A default that its own type excludes, which is never written."""

    n: int = None  # type: ignore[assignment]


@dataclass
class Empty:
    """No members."""


@pytest.mark.parametrize("inner", [Patch, Excluding, Empty])
@pytest.mark.parametrize("default", ["factory", "None"])
def test_members_that_may_all_be_missing(inner: Any, default: str) -> None:
    """Refused where the outer field has another default than no members make."""
    given: Any = {"default": None}
    if default == "factory":
        given = {"default_factory": lambda: inner()}

    @dataclass
    class Wrong:
        part: Annotated[inner, FLAT] = field(**given)

    Wrong.__annotations__["part"] = Annotated[inner, FLAT]
    for make in (Decoder, Encoder, snooze.Converter, snooze.schema):
        with pytest.raises(TypeError) as caught:
            make(Wrong)
        assert str(caught.value).endswith(
            f"Wrong.part: Field(flatten=True): all members of {inner.__name__} can be "
            "missing, of which a Decoder makes the default of the field; write "
            f"field(default_factory={inner.__name__})"
        )


def test_unset_members_with_their_own_default() -> None:
    """Left out, and made again."""

    @dataclass
    class Right:
        part: Annotated[Patch, FLAT] = field(default_factory=Patch)

    for value in (Right(), Right(Patch(1)), Right(Patch(UNSET, None))):
        assert Decoder(Right).decode(snooze.encode(value)) == value


@dataclass
class Middle:
    """A nested class with a nested class that may be None."""

    b: int
    page: Annotated[Page, FLAT] = None  # type: ignore[assignment]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_nested_defaults(options: dict[str, Any]) -> None:
    """A nested class that is left out inside another."""

    @dataclass
    class Top:
        a: int
        middle: Annotated[Middle, FLAT] = None  # type: ignore[assignment]

    for value in (
        Top(1),
        Top(1, Middle(2)),
        Top(1, Middle(2, Page())),
        Top(1, Middle(2, Page(3))),
    ):
        document = snooze.encode(value, Top, **options)
        assert snooze.decode(document, Top) == value
    assert snooze.encode(Top(1)) == b'{"a":1}'


def test_the_place_of_a_wrong_instance() -> None:
    """The message names the field, which has no member."""
    for value, message in [
        (Absent(1), "Absent.page: expected Page, found int at $"),  # type: ignore[arg-type]
        (Other(None), "Other.page: expected Page, found NoneType at $"),  # type: ignore[arg-type]
        (Absent(Fixed()), "Absent.page: expected Page, found Fixed at $"),  # type: ignore[arg-type]
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode(value)
        assert str(caught.value) == message


def test_an_init_var_in_a_nested_class() -> None:
    """The refusal names it, and not init=False."""

    @dataclass
    class Seeded:
        seed: InitVar[int] = 1

    @dataclass
    class Late:
        made: int = field(default=1, init=False)

    for inner, reason in [
        (Seeded, "has the InitVar seed, which cannot be written"),
        (Late, "has made with init=False, which cannot be read"),
    ]:

        @dataclass
        class Wrong:
            part: Annotated[Any, FLAT]

        Wrong.__annotations__["part"] = Annotated[inner, FLAT]
        with pytest.raises(TypeError) as caught:
            Encoder(Wrong)
        assert str(caught.value).endswith(
            f"Wrong.part: Field(flatten=True): "
            f"test_an_init_var_in_a_nested_class.{inner.__name__} {reason}"
        )


@dataclass
class Pair:
    """A member that cannot be UNSET, and one that can."""

    x: int
    y: int | UnsetType = UNSET
    z: Any = 1


@dataclass
class Maybe:
    """A default that is no instance of the class."""

    pair: Annotated[Pair, FLAT] = None  # type: ignore[assignment]
    last: int = 0


@dataclass
class Outer:
    """A nested class with a nested class that need not be there."""

    maybe: Annotated[Maybe, FLAT] = None  # type: ignore[assignment]


def test_unset_where_it_is_no_value() -> None:
    """Refused, although it stands for the members of a class that is not there."""
    unset: Any = UNSET
    for value, name, expected in [
        (Maybe(Pair(unset)), "Maybe.pair.x", "int"),
        (Maybe(Pair(1, 2, unset)), "Maybe.pair.z", "any value"),
        (Outer(Maybe(Pair(unset))), "Maybe.pair.x", "int"),
        (Outer(Maybe(None, unset)), "Outer.maybe.last", "int"),  # type: ignore[arg-type]
    ]:
        message = f"{name}: expected {expected}, found UnsetType at $"
        for write in (snooze.encode, snooze.to_builtins):
            with pytest.raises(snooze.JSONEncodeError) as caught:
                write(value)
            assert str(caught.value) == message
    for value, text in [
        (Maybe(Pair(1)), b'{"x":1,"z":1,"last":0}'),
        (Maybe(), b'{"last":0}'),
        (Outer(Maybe()), b'{"last":0}'),
        (Outer(), b"{}"),
        (Outer(Maybe(Pair(1, 2))), b'{"x":1,"y":2,"z":1,"last":0}'),
    ]:
        assert snooze.encode(value) == text
        assert snooze.decode(text, type(value)) == value


@dataclass
class Partial:
    """Has a member that is required."""

    x: int
    y: int = 0


@dataclass
class Whole:
    """Has a default that is not what the nested class makes."""

    w: int
    part: Annotated[Partial, FLAT] = field(default_factory=lambda: Partial(1))


def test_a_part_that_lacks_a_member() -> None:
    """The message names the member, as where the class has no default."""
    assert snooze.decode(b'{"w":1}', Whole) == Whole(1, Partial(1))
    with pytest.raises(snooze.ValidationError, match='expected member "x", found none'):
        snooze.decode(b'{"w":1,"y":3}', Whole)
