"""`omit_defaults` and values that equal the default but are other JSON."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import pathlib
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

import snooze

UTC = datetime.UTC
EAST = datetime.timezone(datetime.timedelta(hours=1))


@dataclasses.dataclass
class Defaults:
    """Defaults that other values equal."""

    price: Decimal = Decimal("1.0")
    flags: tuple[Any, ...] = (0,)
    rows: tuple[Any, ...] = (1.0, ("a", 0))
    none: list[int] = dataclasses.field(default_factory=list)
    when: datetime.datetime = datetime.datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("price", Decimal("1.00")),
        ("flags", (False,)),
        ("flags", (0.0,)),
        ("rows", (1, ("a", 0))),
        ("rows", (1.0, ("a", False))),
        ("when", datetime.datetime(2020, 1, 1, 1, tzinfo=EAST)),
    ],
)
def test_other_json_is_written(name: str, value: Any) -> None:
    """What is written is read back as it was, to the last digit."""
    encoder = snooze.Encoder(Defaults, omit_defaults=True)
    text = encoder.encode(Defaults(**{name: value}))
    assert text == b'{"' + name.encode() + b'":' + snooze.encode(value) + b"}"
    assert snooze.encode(snooze.decode(text, Defaults), omit_defaults=True) == text
    assert snooze.to_builtins(
        Defaults(**{name: value}), type=Defaults, omit_defaults=True
    ) == {name: snooze.to_builtins(value)}


def test_equal_values_are_omitted() -> None:
    """A value made anew, and the default itself."""
    encoder = snooze.Encoder(Defaults, omit_defaults=True)
    assert encoder.encode(Defaults()) == b"{}"
    rows = tuple([1.0, tuple(["a", 0])])  # noqa: C409 - not the constant
    made = Defaults(Decimal("1.0"), tuple([0]), rows, [], Defaults.when.replace())  # noqa: C409
    assert encoder.encode(made) == b"{}"


@dataclasses.dataclass(frozen=True)
class Point:
    """A class of the user, with a value that has two forms."""

    x: Decimal


class Color(enum.IntEnum):
    """Members that are written as numbers."""

    RED = 1


class Pair(NamedTuple):
    """A tuple with a class."""

    first: Any
    second: Any = 0


class Shy:
    """A class that equals all of its instances, and whose `repr` may fail."""

    error: type[BaseException] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shy)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        if self.error is not None:
            raise self.error("no")
        return "shy"


def is_omitted(default: Any, value: Any) -> bool:
    """Return whether a value is left out for a default."""
    field = dataclasses.field(default=default)
    cls = dataclasses.make_dataclass("Holder", [("value", Any, field)])
    encoder = snooze.Encoder(cls, omit_defaults=True, enc_hook=lambda _: "hook")
    return encoder.encode(cls(value)) == b"{}"


@pytest.mark.parametrize(
    ("default", "value"),
    [
        (1, Color.RED),
        ("a", type("Text", (str,), {})("a")),
        (1.5, type("Real", (float,), {})(1.5)),
        (pathlib.PurePosixPath("a"), pathlib.PosixPath("a")),
        (frozenset({0, 8}), frozenset([8, 0])),
        (frozenset({"a", "b", "c"}), frozenset(["c", "b", "a"])),
        (datetime.date(2020, 1, 1), datetime.date(2020, 1, 1)),
        (datetime.time(1), datetime.time(1)),
        (datetime.timedelta(1), datetime.timedelta(hours=24)),
        (b"ab", bytes(bytearray(b"ab"))),
        ((1, "a", (None, (2.5,))), (1, "a", (None, (2.5,)))),
        (Pair(1), Pair(1)),
        (Point(Decimal("1.0")), Point(Decimal("1.00"))),
        (Shy(), Shy()),
        ((Shy(), 1), (Shy(), 1)),
    ],
    ids=repr,
)
def test_the_same_json_is_omitted(default: Any, value: Any) -> None:
    """Also of other classes; of the user's own, equality is all that is known."""
    assert is_omitted(default, value)


@pytest.mark.parametrize(
    ("default", "value"),
    [
        (1, True),
        (1, 1.0),
        (1, Decimal(1)),
        (0.0, type("Real", (float,), {})(-0.0)),
        (Decimal("1.0"), type("Price", (Decimal,), {})("1.00")),
        (Pair(1), Pair(True)),
        (Pair(1), (1, 0)),
        (frozenset({0, 1}), frozenset({False, 1})),
        (frozenset({0, "a"}), frozenset({0, "a"})),
        ((((((((((1,),),),),),),),),), (((((((((True,),),),),),),),),)),
        ((0, Decimal("1.0")), (0, Decimal("1.00"))),
        (datetime.time(1, tzinfo=UTC), datetime.time(2, tzinfo=EAST)),
        ((1, 2), (1, 2, 3)),
        ((1, Shy()), (1, 2)),
    ],
    ids=repr,
)
def test_other_json_of_equal_values(default: Any, value: Any) -> None:
    """In doubt a value is written."""
    assert not is_omitted(default, value)


def test_numpy_scalars() -> None:
    """They are written as the numbers that they equal."""
    numpy = pytest.importorskip("numpy")
    assert is_omitted(1, numpy.int64(1))
    assert is_omitted(1.5, numpy.float64(1.5))
    assert is_omitted(1.5, numpy.float32(1.5))
    assert is_omitted(True, numpy.bool_(True))
    assert not is_omitted(1, numpy.bool_(True))
    assert not is_omitted(1, numpy.float64(1))
    assert not is_omitted(0.0, numpy.float32(-0.0))
    assert not is_omitted(0.1, numpy.float32(0.1))


def test_a_repr_that_fails() -> None:
    """An `Exception` counts as a difference; an interrupt is not lost."""
    default, value = Pair(Shy()), Pair(Shy())
    assert is_omitted(default, value)
    try:
        Shy.error = ValueError
        assert not is_omitted(default, value)
        Shy.error = KeyboardInterrupt
        with pytest.raises(KeyboardInterrupt):
            is_omitted(default, value)
    finally:
        Shy.error = None
