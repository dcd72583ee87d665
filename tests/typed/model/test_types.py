"""Every type that is not a record, and its plans for decoding and encoding."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import ipaddress
import pathlib
import pickle
import re
import types
import typing
import uuid
from collections import abc
from typing import Annotated, Any, Literal, NewType

import attrs
import pytest
import typing_extensions

import snooze
from helpers.typed_plans import label, reads, writes
from snooze import (
    Aware,
    Ge,
    Gt,
    Le,
    Len,
    Lt,
    MaxLen,
    MinLen,
    MultipleOf,
    Naive,
    Raw,
)
from snooze import Pattern as Regex

INT = ("int", None)
STR = ("str", None)
ANY = ("any",)


class Color(enum.Enum):
    """An enum of strings."""

    RED = "red"
    GREEN = "green"
    CRIMSON = "red"  # noqa: PIE796 - an alias


class Number(enum.IntEnum):
    """An enum of integers."""

    ONE = 1
    TWO = 2


class Word(enum.StrEnum):
    """An enum whose members are strings."""

    A = "a"


class Mixed(enum.Enum):
    """An enum with values of all scalar types."""

    NONE = None
    YES = True
    NO = False
    TEXT = "x"
    SEVEN = 7
    HALF = 0.5


class Open(enum.Enum):
    """An enum that creates members for other values."""

    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> Open | None:
        return cls.A if value == "A" else None


class Bits(enum.Flag):
    """Flags."""

    X = 1
    Y = 2


UserId = NewType("UserId", int)
LISTS = (("list", INT), ("tuple", INT))

SAME = [
    (Any, ANY, ANY),
    (object, ANY, ANY),
    (None, ("null",), ("none",)),
    (type(None), ("null",), ("none",)),
    (bool, ("bool", None), ("bool",)),
    (int, INT, ("int",)),
    (float, ("float", None), (("float",), ("int",))),
    (str, STR, ("str",)),
    (typing.LiteralString, STR, ("str",)),
    (bytes, ("bytes", None), ("bytes",)),
    (bytearray, ("bytearray", None), ("bytes",)),
    (decimal.Decimal, ("decimal", decimal.Decimal), ("decimal", decimal.Decimal)),
    (datetime.datetime, ("datetime", None), ("datetime",)),
    (datetime.date, ("date",), ("date",)),
    (datetime.time, ("time", None), ("time",)),
    (datetime.timedelta, ("timedelta",), ("timedelta",)),
    (uuid.UUID, ("uuid", uuid.UUID), ("uuid", uuid.UUID)),
    (Raw, ("raw", Raw), ("raw", Raw)),
    (typing.Never, (), ()),
    (typing.NoReturn, (), ()),
    (UserId, INT, ("int",)),
    (typing.Final[int], INT, ("int",)),
    (typing.Optional[int], (("null",), INT), (("int",), ("none",))),  # noqa: UP045
    (int | None, (("null",), INT), (("int",), ("none",))),
    (Annotated[int, "no constraint"], INT, ("int",)),
]


@pytest.mark.parametrize(("tp", "decode", "encode"), SAME, ids=lambda tp: repr(tp)[:40])
def test_scalars(tp: Any, decode: Any, encode: Any) -> None:
    """Scalars and aliases of them."""
    assert reads(tp) == decode
    unfolded = writes(tp)
    if (encode and isinstance(encode[0], tuple)) or tp in {int, str, bool}:
        assert unfolded == encode
    else:
        assert unfolded == (encode if tp is not int else ("int",))


ARRAYS = [
    (list, ("list", ANY, None)),
    (list[int], ("list", INT, None)),
    (typing.List[int], ("list", INT, None)),  # noqa: UP006
    (set[int], ("set", INT, None)),
    (frozenset[int], ("frozenset", INT, None)),
    (tuple, ("tuple", ANY, None)),
    (typing.Tuple, ("tuple", ANY, None)),  # noqa: UP006
    (tuple[int, ...], ("tuple", INT, None)),
    (tuple[int, str], ("fixed", INT, STR)),
    (tuple[()], ("fixed",)),
    (typing.Tuple[()], ("fixed",)),  # noqa: UP006
    (collections.deque[int], ("via", ("list", INT, None), collections.deque)),
    (typing.Deque[int], ("via", ("list", INT, None), collections.deque)),  # noqa: UP006
    (abc.Iterable[int], ("list", INT, None)),
    (abc.Collection[int], ("list", INT, None)),
    (abc.Container[int], ("list", INT, None)),
    (abc.Reversible[int], ("list", INT, None)),
    (abc.Sequence[int], ("list", INT, None)),
    (typing.Sequence, ("list", ANY, None)),
    (abc.MutableSequence[int], ("list", INT, None)),
    (abc.Set[int], ("set", INT, None)),
    (abc.MutableSet[int], ("set", INT, None)),
]


@pytest.mark.parametrize(("tp", "decode"), ARRAYS, ids=repr)
def test_arrays(tp: Any, decode: Any) -> None:
    """Abstract classes become a builtin class that fits."""
    assert reads(tp) == decode


@pytest.mark.parametrize(
    ("tp", "encode"),
    [
        (list[int], ("list", ("int",))),
        (tuple[int, ...], ("tuple", ("int",))),
        (tuple[int, str], ("fixed", ("int",), ("str",))),
        (set[int], ("iterable", set, ("int",))),
        (collections.deque[int], ("iterable", collections.deque, ("int",))),
        (
            abc.Sequence[int],
            (
                ("list", ("int",)),
                ("tuple", ("int",)),
                ("iterable", abc.Sequence, ("int",)),
            ),
        ),
        (
            abc.Container[int],
            (
                ("list", ("int",)),
                ("tuple", ("int",)),
                ("iterable", abc.Iterable, ("int",)),
            ),
        ),
        (
            abc.MutableSequence[int],
            (("list", ("int",)), ("iterable", abc.MutableSequence, ("int",))),
        ),
        (abc.Set[int], ("iterable", abc.Set, ("int",))),
        (dict[str, int], ("dict", ("str",), ("int",))),
        (
            abc.Mapping[str, int],
            (
                ("dict", ("str",), ("int",)),
                ("mapping", abc.Mapping, ("str",), ("int",)),
            ),
        ),
    ],
    ids=repr,
)
def test_containers_are_encoded_by_class(tp: Any, encode: Any) -> None:
    """For Sequence, a list and a tuple are arrays; for MutableSequence only a list."""
    assert writes(tp) == encode


def test_dicts() -> None:
    """Keys by the key's type, values by the value's; the class is created from a dict."""
    inner = ("dict", STR, INT, None)
    assert reads(dict) == ("dict", STR, ANY, None)
    assert reads(dict[Any, int]) == inner
    for tp in (dict[str, int], typing.Dict[str, int], abc.MutableMapping[str, int]):  # noqa: UP006
        assert reads(tp) == inner
    ordered = collections.OrderedDict
    assert reads(ordered[str, int]) == ("via", inner, ordered)
    for counter in (collections.Counter[str], typing.Counter[str], collections.Counter):
        assert reads(counter) == ("via", inner, collections.Counter)
    assert reads(dict[int, str]) == ("dict", INT, STR, None)
    assert reads(dict[uuid.UUID, int])[1] == ("uuid", uuid.UUID)
    assert reads(dict[Color, int])[1] == (
        "strings",
        {"red": Color.RED, "green": Color.GREEN},
    )
    assert reads(dict[int | None, str])[1] == (("null",), INT)


def test_defaultdict_factories() -> None:
    """A missing key of `defaultdict[str, list[int]]` is a list; of a class, an error."""
    make = reads(collections.defaultdict[str, list[int]])[2]
    made = make({"a": [1]})
    assert type(made) is collections.defaultdict
    assert (made["a"], made["b"]) == ([1], [])
    make = reads(collections.defaultdict[str, int | None])[2]
    assert make({}).default_factory is None


@pytest.mark.parametrize(
    ("value", "factory"),
    [
        (bool, bool),
        (decimal.Decimal, decimal.Decimal),
        (bytearray, bytearray),
        (NewType("Count", int), int),
        (typing_extensions.TypeAliasType("Texts", list[str]), list),
        (abc.Sequence[int], list),
        (abc.Set[int], set),
        (tuple[int, ...], tuple),
        (collections.deque[int], collections.deque),
        (collections.OrderedDict[str, int], collections.OrderedDict),
        (collections.Counter[str], collections.Counter),
        (abc.Mapping[str, int], dict),
        (Annotated[list[int], Len(0, 3)], list),
        # No empty or zero value is known to fit.
        (Annotated[list[int], Len(1)], None),
        (Annotated[int, Ge(1)], None),
        (types.MappingProxyType[str, int], None),
        (datetime.date, None),
        (Color, None),
    ],
)
def test_missing_values_of_a_defaultdict(value: Any, factory: Any) -> None:
    """They are what their type makes without an argument."""
    made = snooze.decode(b"{}", collections.defaultdict[str, value])
    assert made.default_factory is factory


def test_defaultdicts_of_defaultdicts() -> None:
    """The inner one has a factory of its own, and can be pickled."""
    inner = collections.defaultdict[str, list[int]]
    made = snooze.decode(b"{}", collections.defaultdict[str, inner])
    made["a"]["b"].append(1)
    assert made == {"a": {"b": [1]}}
    assert pickle.loads(pickle.dumps(made))["c"]["d"] == []


def test_enums() -> None:
    """Members are found by their JSON values; an alias is not another member."""
    assert reads(Color) == ("strings", {"red": Color.RED, "green": Color.GREEN})
    assert reads(Word) == ("strings", {"a": Word.A})
    assert type(next(iter(reads(Word)[1]))) is str
    assert reads(Number) == ("ints", {1: Number.ONE, 2: Number.TWO})
    assert writes(Color) == (
        "members",
        Color,
        {Color.RED: b'"red"', Color.GREEN: b'"green"'},
    )
    assert writes(Number)[2] == {Number.ONE: b"1", Number.TWO: b"2"}
    assert reads(Open) == ("via", STR, Open)
    null, yes_no, ints, floats, strings = reads(Mixed)
    assert null[:2] == ("via", ("null",))
    assert null[2](None) is Mixed.NONE
    assert yes_no[:2] == ("via", ("bool", None))
    assert (yes_no[2](True), yes_no[2](False)) == (Mixed.YES, Mixed.NO)
    assert ints == ("ints", {7: Mixed.SEVEN})
    assert floats == ("floats", {0.5: Mixed.HALF})
    assert strings == ("strings", {"x": Mixed.TEXT})


def test_flags_are_numbers() -> None:
    """Any combination is accepted; an undefined bit is refused."""
    via, rule, make = reads(Bits)
    assert (via, rule) == ("via", ("int", (0, None, None)))
    assert make(3) is Bits.X | Bits.Y
    with pytest.raises(ValueError, match="4 has bits that Bits does not define"):
        make(4)
    assert writes(Bits)[:2] == ("via", Bits)
    assert writes(Bits)[2](Bits.X | Bits.Y) == 3


def test_literals() -> None:
    """Values of each kind; True is not 1."""
    assert reads(Literal["a", "b"]) == ("strings", {"a": "a", "b": "b"})
    assert reads(Literal[True]) == ("bool", True)
    assert reads(Literal[True, False]) == ("bool", None)
    assert reads(Literal[1, True, None]) == (
        ("null",),
        ("bool", True),
        ("ints", {1: 1}),
    )
    assert reads(Literal[Color.RED]) == ("strings", {"red": Color.RED})
    assert reads(Literal["a"] | Literal["b", 1]) == (
        ("ints", {1: 1}),
        ("strings", {"a": "a", "b": "b"}),
    )
    assert reads(Literal["a"] | str) == STR
    assert reads(int | Literal[1]) == INT
    big = 2**70
    via, rule, make = reads(Literal[1180591620717411303424])
    assert (via, rule, make(big)) == ("via", INT, big)
    with pytest.raises(ValueError, match="^$"):
        make(1)
    assert writes(Literal["a", 1, None]) == (
        ("none",),
        ("members", str, {"a": b'"a"'}),
        ("members", int, {1: b"1"}),
    )


def test_types_encoded_as_str() -> None:
    """Paths, addresses and patterns."""
    assert reads(pathlib.Path) == ("via", STR, pathlib.Path)
    assert writes(pathlib.Path) == ("via", pathlib.Path, str, ("str",))
    for cls in (
        ipaddress.IPv4Address,
        ipaddress.IPv6Address,
        ipaddress.IPv4Network,
        ipaddress.IPv6Network,
        ipaddress.IPv4Interface,
        ipaddress.IPv6Interface,
        pathlib.PurePath,
        pathlib.PureWindowsPath,
    ):
        assert reads(cls) == ("via", STR, cls)
    for tp in (re.Pattern, re.Pattern[str], typing.Pattern[str]):
        make = reads(tp)[2]
        assert make("a+") == re.compile("a+")
        with pytest.raises(ValueError, match="not a regular expression"):
            make("(")
        text = writes(tp)[2]
        assert text(re.compile("a+")) == "a+"
        with pytest.raises(ValueError, match="flags"):
            text(re.compile("a", re.IGNORECASE))
        with pytest.raises(TypeError, match="bytes"):
            text(re.compile(b"a"))


def passes(rule: Any, value: Any) -> bool:
    """Return whether the function of a Via accepts a value."""
    try:
        return rule[2](value) == value
    except ValueError:
        return False


LIMITS = [
    (Annotated[int, Ge(0)], ("int", (0, None, None))),
    (Annotated[int, Gt(0)], ("int", (1, None, None))),
    (Annotated[int, Le(9)], ("int", (None, 9, None))),
    (Annotated[int, Lt(9)], ("int", (None, 8, None))),
    (Annotated[int, Gt(0.5), Lt(2.5)], ("int", (1, 2, None))),
    (Annotated[int, Ge(0.5), Le(2.5)], ("int", (1, 2, None))),
    (Annotated[int, Ge(0), Ge(5), Gt(5)], ("int", (6, None, None))),
    (Annotated[int, MultipleOf(5)], ("int", (None, None, 5))),
    (Annotated[int, Ge(-(2**63)), Le(2**63 - 1)], ("int", (-(2**63), 2**63 - 1, None))),
    (Annotated[float, Gt(0), Le(1.5)], ("float", (0.0, None, None, 1.5, None))),
    (Annotated[float, MultipleOf(0.5)], ("float", (None, None, None, None, 0.5))),
    (Annotated[Annotated[int, Ge(0)], Le(3)], ("int", (0, 3, None))),
    (Annotated[str, Len(1, 5)], ("str", (1, 5, None))),
    (Annotated[str, MinLen(1), MaxLen(5), MinLen(2)], ("str", (2, 5, None))),
    (Annotated[bytes, MaxLen(5)], ("bytes", (0, 5))),
    (Annotated[list[int], Len(2, 2)], ("list", INT, (2, 2))),
    (Annotated[dict[str, int], MinLen(1)], ("dict", STR, INT, (1, None))),
    (
        Annotated[collections.deque[int], MaxLen(1)],
        ("via", ("list", INT, (0, 1)), collections.deque),
    ),
    (Annotated[datetime.datetime, Aware], ("datetime", "aware")),
    (Annotated[datetime.time, Naive], ("time", "naive")),
    (Annotated[int | None, Ge(0)], (("null",), ("int", (0, None, None)))),
    (
        Annotated[int | str, Ge(0), MaxLen(2)],
        (("int", (0, None, None)), ("str", (0, 2, None))),
    ),
]


@pytest.mark.parametrize(("tp", "decode"), LIMITS, ids=repr)
def test_constraints(tp: Any, decode: Any) -> None:
    """Each constraint becomes part of the rule that it applies to."""
    assert reads(tp) == decode


def test_constraints_checked_in_python() -> None:
    """Constraints that plans cannot express are functions."""
    rule = reads(Annotated[int, Le(2**64)])
    assert rule[:2] == ("via", INT)
    assert passes(rule, 2**64)
    assert not passes(rule, 2**64 + 1)
    rule = reads(Annotated[decimal.Decimal, Ge(0), MultipleOf(decimal.Decimal("0.01"))])
    assert rule[:2] == ("via", ("decimal", decimal.Decimal))
    assert passes(rule, decimal.Decimal("1.25"))
    assert not passes(rule, decimal.Decimal("1.255"))
    assert not passes(rule, decimal.Decimal(-1))
    rule = reads(Annotated[float, Ge(decimal.Decimal("0.1"))])
    assert rule[:2] == ("via", ("float", None))
    assert passes(rule, 0.2)
    rule = reads(Annotated[int, Ge(float("-inf"))])
    assert passes(rule, -5)


def test_bounds_of_times() -> None:
    """Dates, times and durations are compared in Python, with bounds of their type."""
    day = datetime.date(2026, 1, 2)
    rule = reads(Annotated[datetime.date, Ge(day)])
    assert rule[:2] == ("via", ("date",))
    assert passes(rule, day)
    assert not passes(rule, datetime.date(2026, 1, 1))
    assert label(Annotated[datetime.date, Ge(day)]) == "date >= 2026-01-02"
    hour = datetime.timedelta(hours=1)
    rule = reads(Annotated[datetime.timedelta | None, Gt(hour)])[1]
    assert passes(rule, hour * 2)
    assert not passes(rule, hour)
    rule = reads(Annotated[str, Foreign(gt="a"), MinLen(1)])
    assert rule[:2] == ("via", ("str", (1, None, None)))
    assert not passes(rule, "a")
    moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    rule = reads(Annotated[datetime.datetime, Lt(moment), Aware])
    assert rule[:2] == ("via", ("datetime", "aware"))


def test_patterns() -> None:
    """The bound method `re.search`; a second pattern is a function."""
    name, (least, most, search) = reads(Annotated[str, Regex("^a+$"), MinLen(1)])
    assert (name, least, most) == ("str", 1, None)
    assert search("aa")
    assert not search("ab")
    rule = reads(Annotated[str, Regex("a"), Regex("b")])
    assert rule[0] == "via"
    assert passes(rule, "ab") or rule[1][1][2]("ab")
    both = [rule, ("via", None, rule[2])]
    assert both[0][1][1][2]("b") is None or not passes(both[0], "a")


class Foreign:
    """Metadata of another package, recognised by its attributes."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def test_constraints_of_other_packages() -> None:
    """The vocabulary of annotated-types, without the package."""
    grouped = Foreign(__is_annotated_types_grouped_metadata__=True)
    type(grouped).__iter__ = lambda _: iter([Foreign(ge=1), Foreign(lt=5)])
    try:
        assert reads(Annotated[int, grouped]) == ("int", (1, 4, None))
    finally:
        del type(grouped).__iter__
    assert reads(Annotated[int, Foreign(multiple_of=3)]) == ("int", (None, None, 3))
    assert reads(Annotated[str, Foreign(min_length=1)]) == ("str", (1, None, None))
    zone = type("Timezone", (), {"tz": ...})()
    assert reads(Annotated[datetime.datetime, zone]) == ("datetime", "aware")
    predicate = type("Predicate", (), {"func": staticmethod(str.islower)})()
    rule = reads(Annotated[str, predicate])
    assert passes(rule, "a")
    assert not passes(rule, "A")
    # msgspec.Meta holds all constraints in one object.
    assert reads(Annotated[int, Foreign(ge=1, le=None, tz=None)]) == (
        "int",
        (1, None, None),
    )

    class Rude:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    assert reads(Annotated[int, Rude()]) == INT


LABELS = [
    (int, "int"),
    (int | None, "int or null"),
    (int | str | None, "int, str or null"),
    (Annotated[int, Ge(0)], "int >= 0"),
    (Annotated[int, Ge(0), Lt(9)], "int >= 0 and < 9"),
    (Annotated[int, MultipleOf(3)], "int a multiple of 3"),
    (Annotated[str, Len(1, 5)], "str of length 1 to 5"),
    (Annotated[str, MinLen(1)], "str of length >= 1"),
    (Annotated[str, MaxLen(5)], "str of length <= 5"),
    (Annotated[list[int], Len(3, 3)], "array of length 3"),
    (Annotated[str, Regex("^a$")], 'str matching "^a$"'),
    (Annotated[bytes, MaxLen(5)], "base64 str of length <= 5 bytes"),
    (list[int], "array"),
    (tuple[int, str], "array of length 2"),
    (dict[str, int], "object"),
    (Literal["a", "b"], "'a' or 'b'"),
    (Literal["a", 1, None, True], "'a', 1, null or true"),
    (Color, "'red' or 'green'"),
    (Open, "Open"),
    (datetime.datetime, "datetime"),
    (Annotated[datetime.datetime, Aware], "aware datetime"),
    (decimal.Decimal, "decimal"),
    (pathlib.Path, "str"),
    (ipaddress.IPv4Address, "IPv4Address"),
    (Any, "any value"),
    (typing.Never, "no value"),
]


@pytest.mark.parametrize(("tp", "expected"), LABELS, ids=repr)
def test_labels(tp: Any, expected: str) -> None:
    """The text that messages give for the expected type."""
    assert label(tp) == expected


@dataclasses.dataclass
class Pair:
    """A class, to refuse an object of it."""

    first: int


@attrs.define
class AttrsPair:
    """Likewise, of attrs."""

    first: int


REFUSED = [
    (slice, "the type: slice is not a type that snooze knows; give dec_hook=…, a __snooze__ method in the class, or a wire type with Annotated[…, Via(…)]"),
    (3, "the type: 3 is a value, not a type; for one value use Literal"),
    (b"[1]", "the type: bytes are a document, not a type; the document comes first, as in decode(document, type)"),
    (Pair(1), "the type: an object of Pair is a value, not a type; use Pair"),
    (AttrsPair(1), "the type: an object of AttrsPair is a value, not a type; use AttrsPair"),
    (typing.ClassVar[int], "the type: ClassVar is not the type of a value"),
    (dict[list[int], int], "the type: list cannot be the key of a dict: member names are strings in JSON"),
    (dict[str | int, int], "the type: the keys str or int cannot be told apart: member names are strings in JSON"),
    (Annotated[str, Ge(0)], "the type: Gt, Ge, Lt, Le and MultipleOf cannot constrain this type; they are for int, float and Decimal"),
    (Annotated[int, Ge(datetime.date(2026, 1, 2))], "the type: these Gt, Ge, Lt and Le cannot constrain this type; the bounds are values of another type"),
    (Annotated[datetime.date, Ge(5)], "the type: Gt, Ge, Lt, Le and MultipleOf cannot constrain this type; they are for int, float and Decimal"),
    (Annotated[datetime.datetime, type("Timezone", (), {"tz": "UTC"})()], "the type: Timezone('UTC') is not supported; use Aware (any offset) or Naive (none)"),
    (Annotated[int, MultipleOf(2), MultipleOf(3)], "the type: two different MultipleOf; keep one"),
    (Annotated[int, MinLen(1)], "the type: Len, MinLen and MaxLen cannot constrain this type; they are for str, bytes, arrays and dicts"),
    (Annotated[int, Regex("a")], "the type: Pattern cannot constrain this type; it is for str"),
    (Annotated[int, Aware], "the type: Aware and Naive cannot constrain this type; they are for datetime and time"),
    (tuple[*tuple[str, ...], int], "the type: items after an unpacked tuple of any length are not supported, because a Decoder reads an array from its start"),
    (Literal[b"a"], "the type: Literal[b'a'] is not a str, int, bool, None or member of an enum with such a value"),
    (set[list[int]], "the type: list cannot be in a set: it is not hashable"),
    (frozenset[dict[str, int]], "the type: dict cannot be in a frozenset: it is not hashable"),
    (set[bytearray | None], "the type: bytearray cannot be in a set: it is not hashable"),
    (dict[bytearray, int], "the type: bytearray cannot be the key of a dict: it is not hashable"),
    (typing_extensions.Self, "the type: Self is not a type that snooze knows; give it a wire type with Annotated[…, Via(…)], or a class with a __snooze__ method"),
]  # fmt: skip


@pytest.mark.parametrize(("tp", "text"), REFUSED, ids=lambda x: repr(x)[:40])
def test_refused_types(tp: Any, text: str) -> None:
    """Refused with a clear text when the plan is made."""
    with pytest.raises(TypeError) as caught:
        reads(tp)
    assert str(caught.value) == text
