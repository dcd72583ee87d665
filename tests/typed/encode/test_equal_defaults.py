"""`omit_defaults` and values that equal the default but are other JSON."""

from __future__ import annotations

import collections
import copy
import dataclasses
import datetime
import enum
import pathlib
import uuid
import zoneinfo
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

import snooze

UTC = datetime.UTC


def has_zones() -> bool:
    """Whether this machine has the zones of IANA."""
    return "Europe/Berlin" in zoneinfo.available_timezones()


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


@dataclasses.dataclass(frozen=True)
class Noted:
    """A class with a field that is not compared."""

    x: int
    note: str = dataclasses.field(default="", compare=False)


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


class Plain:
    """A class that equals all of its instances, with the `repr` of `object`."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain)

    __hash__ = object.__hash__


BERLIN = zoneinfo.ZoneInfo("Europe/Berlin") if has_zones() else None
DAY = datetime.datetime(2020, 10, 25, 2, 30)


@pytest.mark.parametrize(
    ("default", "value"),
    [
        (frozenset({0, 8}), frozenset([8, 0])),
        (frozenset({"a", "b", "c"}), frozenset(["c", "b", "a"])),
        (frozenset({1, None}), frozenset({1, None})),
        (datetime.date(2020, 1, 1), datetime.date(2020, 1, 1)),
        (DAY, DAY.replace(fold=1)),
        (DAY.replace(tzinfo=EAST), DAY.replace(tzinfo=EAST)),
        (datetime.time(1), datetime.time(1)),
        (datetime.timedelta(1), datetime.timedelta(hours=24)),
        (uuid.UUID(int=7), uuid.UUID(int=7)),
        (pathlib.PurePosixPath("a"), pathlib.PurePosixPath("a")),
        (b"ab", bytes(bytearray(b"ab"))),
        ((1, "a", (None, (2.5,))), (1, "a", (None, (2.5,)))),
        (Pair(1), Pair(1)),
        (Point(Decimal("1.0")), Point(Decimal("1.0"))),
        (Shy(), Shy()),
        (Plain(), Plain()),
        ((Shy(), 1), (Shy(), 1)),
    ],
    ids=repr,
)
def test_the_same_json_is_omitted(default: Any, value: Any) -> None:
    """What is made anew, as a Decoder does."""
    assert is_omitted(default, value)


def test_empty_containers_are_omitted() -> None:
    """They are made for each instance."""

    @dataclasses.dataclass
    class Empty:
        tags: set[str] = dataclasses.field(default_factory=set)
        keys: frozenset[str] = frozenset()
        rows: list[int] = dataclasses.field(default_factory=list)
        more: dict[str, int] = dataclasses.field(default_factory=dict)

    encoder = snooze.Encoder(Empty, omit_defaults=True)
    assert encoder.encode(Empty()) == b"{}"
    read = snooze.decode(b'{"tags":[],"keys":[],"rows":[],"more":{}}', Empty)
    assert encoder.encode(read) == b"{}"
    assert (
        encoder.encode(Empty({"a"}, more={"b": 1})) == b'{"tags":["a"],"more":{"b":1}}'
    )


@pytest.mark.parametrize(
    ("default", "value"),
    [
        (1, True),
        (1, 1.0),
        (1, Decimal(1)),
        (Decimal(1), 1),
        (1, Color.RED),
        (Color.RED, 1),
        ("a", type("Text", (str,), {})("a")),
        (0.0, type("Real", (float,), {})(-0.0)),
        (pathlib.PurePosixPath("a"), pathlib.PosixPath("a")),
        (Decimal("1.0"), type("Price", (Decimal,), {})("1.00")),
        (Pair(1), Pair(True)),
        (Pair(1), (1, 0)),
        (Point(Decimal("1.0")), Point(Decimal("1.00"))),
        (Noted(1), Noted(1, "paid")),
        (frozenset({0, 1}), frozenset({False, 1})),
        (frozenset({Decimal("1.0")}), frozenset({Decimal("1.00")})),
        (frozenset({0.0}), frozenset({-0.0})),
        (frozenset({(1,)}), frozenset({(True,)})),
        ((((((((((1,),),),),),),),),), (((((((((True,),),),),),),),),)),
        ((0, Decimal("1.0")), (0, Decimal("1.00"))),
        (datetime.time(1, tzinfo=UTC), datetime.time(2, tzinfo=EAST)),
        pytest.param(
            DAY.replace(tzinfo=BERLIN),
            DAY.replace(tzinfo=BERLIN, fold=1),
            marks=pytest.mark.skipif(
                BERLIN is None, reason="no time zones: NOT tested"
            ),
        ),
        ((1, 2), (1, 2, 3)),
        ((1, Shy()), (1, 2)),
    ],
    ids=repr,
)
def test_other_json_of_equal_values(default: Any, value: Any) -> None:
    """In doubt a value is written."""
    assert not is_omitted(default, value)


def test_a_wrong_class_is_an_error() -> None:
    """Also if it equals the default."""

    @dataclasses.dataclass
    class Priced:
        price: Decimal = Decimal(0)

    encoder = snooze.Encoder(Priced, omit_defaults=True)
    with pytest.raises(TypeError, match="expected Decimal, found int"):
        encoder.encode(Priced(0))  # type: ignore[arg-type]


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
    assert not is_omitted(10**18, numpy.datetime64(10**18, "ns"))
    array = numpy.array([1, 2])
    assert not is_omitted((Plain(), array), (Plain(), array.copy()))


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


@dataclasses.dataclass(frozen=True)
class Noted:
    """A class with a field that neither `==` nor `repr` shows."""

    number: Any = 0
    note: Any = dataclasses.field(default="", compare=False, repr=False)


class Items(list[Any]):
    """A list of a class of its own."""


@pytest.mark.parametrize(
    "wrap",
    [
        lambda one: one,
        lambda one: (one,),
        lambda one: ([1, one],),
        lambda one: ({"a": one},),
        lambda one: Noted([one]),
        lambda one: Pair(one),
        lambda one: frozenset({one}),
        lambda one: (collections.deque([one]),),
        lambda one: (collections.OrderedDict(a=one),),
        lambda one: (collections.defaultdict(list, a=one),),
        lambda one: (Items([one]),),
    ],
)
def test_hidden_fields_are_compared(wrap: Any) -> None:
    """They are JSON, too."""
    is_set = isinstance(wrap(Noted()), frozenset)  # whose order may differ
    assert is_omitted(wrap(Noted()), wrap(Noted())) is not is_set
    assert not is_omitted(wrap(Noted()), wrap(Noted(note="x")))
    assert not is_omitted(wrap(Noted()), wrap(Noted(1)))


def test_hidden_fields_of_attrs_are_compared() -> None:
    """As those of dataclasses."""
    attrs = pytest.importorskip("attrs")
    cls = attrs.make_class(
        "Hidden",
        {"number": attrs.field(default=0), "note": attrs.field(default="", eq=False)},
        frozen=True,
    )
    assert is_omitted(cls(), cls())
    assert not is_omitted(cls(), cls(note="x"))


def test_containers_are_compared_in_order() -> None:
    """Members in another order are another text; values have their exact classes."""
    assert is_omitted(({"a": [1], "b": {}},), ({"a": [1], "b": {}},))
    assert not is_omitted(({"a": 1, "b": 2},), ({"b": 2, "a": 1},))
    assert not is_omitted(([0],), ([False],))
    assert not is_omitted(({"a": 1},), ({"a": 1.0},))
    assert not is_omitted(([1],), ([1, 2],))
    deep: Any = 0
    for _ in range(20):
        deep = [deep]
    assert not is_omitted((deep,), (copy.deepcopy(deep),))  # in doubt it is written


def test_equality_that_raises_is_a_difference() -> None:
    """Two arrays in equal instances cannot be compared by `==`."""
    numpy = pytest.importorskip("numpy")
    one, two = Noted(numpy.array([1, 2])), Noted(numpy.array([1, 2]))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(one == two)
    assert not is_omitted(one, two)
    assert not is_omitted(([one],), ([two],))


def test_attributes_that_fail() -> None:
    """The class says which fields there are, not `__getattr__`."""

    class Odd:
        def __init__(self, value: int) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Odd) and self.value == other.value

        def __hash__(self) -> int:
            return self.value

        def __repr__(self) -> str:
            return f"Odd({self.value})"

        def __getattr__(self, name: str) -> Any:
            raise KeyError(name)

    assert is_omitted(Odd(1), Odd(1))
    assert not is_omitted(Odd(1), Odd(2))


def test_shared_items_are_not_compared_without_end() -> None:
    """Lists that contain one list many times: with too many the value is written."""

    def shared(count: int) -> Any:
        found: Any = [0]
        for _ in range(5):
            found = [found] * count
        return (found,)

    assert is_omitted(shared(3), shared(3))
    assert not is_omitted(shared(8), shared(8))
