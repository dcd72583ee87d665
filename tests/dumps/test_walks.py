"""Trees of containers around objects that need Python code.

Sorted dicts, dicts with non-str keys, dataclasses and enums are walked in place while
no Python code can run. An object that needs `default` or other Python code turns every
open container into a stack frame. Here such objects are at every place of every
container.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import json
import random
import zoneinfo
from typing import Any

import pytest

import snooze

SORT, OTHER, INDENT = (
    snooze.OPT_SORT_KEYS,
    snooze.OPT_NON_STR_KEYS,
    snooze.OPT_INDENT_2,
)
OPTIONS = [0, SORT, OTHER, SORT | OTHER]


class Opaque:
    """Only `default` can write it."""

    def __init__(self, value: Any) -> None:
        """Keep the value that it is written as."""
        self.value = value


@dataclasses.dataclass
class Plain:
    """A dataclass with a dict."""

    b: Any
    a: Any = 1
    _c: Any = 2


@dataclasses.dataclass(slots=True)
class Slots:
    """A dataclass with slots."""

    b: Any
    a: Any = 1
    _c: Any = 2


class Colour(enum.Enum):
    """Members whose values are scalars and containers."""

    RED = "réd"
    ONE = 1
    HALF = 0.5
    NOTHING = None
    PAIR = (1, [2])
    TABLE = {"y": 1, "x": 2}


class Text(str):
    """A subclass of str."""


def as_json(value: Any, options: int) -> Any:
    """Return the value that the json module must write for a value."""
    if isinstance(value, Opaque):
        return as_json(value.value, options)
    if isinstance(value, enum.Enum):
        return as_json(value.value, options)
    if isinstance(value, (Plain, Slots)):
        return {name: as_json(getattr(value, name), options) for name in ("b", "a")}
    if isinstance(value, (list, tuple)):
        return [as_json(one, options) for one in value]
    if isinstance(value, dict):
        members = {text_of(key): as_json(one, options) for key, one in value.items()}
        return dict(sorted(members.items())) if options & SORT else members
    return value


def text_of(key: Any) -> str:
    """Return the text of a key."""
    return key if isinstance(key, str) else json.dumps(key)


def check(value: Any, options: int) -> None:
    """Compare with the json module, compact and indented."""
    expected = as_json(value, options)
    compact = json.dumps(expected, separators=(",", ":"), ensure_ascii=False)
    assert snooze.dumps(value, lambda one: one.value, options) == compact.encode()
    indented = json.dumps(expected, indent=2, ensure_ascii=False)
    found = snooze.dumps(value, lambda one: one.value, options | INDENT)
    assert found == indented.encode()


def containers(value: Any, *, other: bool) -> list[Any]:
    """Return containers with a value at several places."""
    found: list[Any] = [
        [value],
        [1, value, "z"],
        (value, 2),
        {"b": value},
        {"b": 1, "a": value, "c": 2},
        {"c": 1, "b": 2, "a": value},
        {"é": 1, "b": value, "好": 2},
        {"é": 1, "zz": 2, "z": value},
        Plain(value),
        Plain(1, value),
        Slots(value),
        Slots(1, value),
    ]
    if other:
        found += [
            {7: value},
            {"b": 1, 3: value, None: 2},
            {True: 1, 0.5: [], -(2**40): value, 2**63: 4},
        ]
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_everything_in_everything(options: int) -> None:
    """Containers in containers, around values with and without Python code."""
    other = bool(options & OTHER)
    leaves = [1, "é", [], {}, Opaque(1), Opaque([Opaque({"b": 1, "a": 2})]), *Colour]
    for leaf in leaves:
        for inner in containers(leaf, other=other):
            check(inner, options)
            for outer in containers(inner, other=other):
                check(outer, options)


@pytest.mark.parametrize("options", OPTIONS)
def test_python_code_at_several_levels(options: int) -> None:
    """Objects that need Python code at each level, before and after the inner container."""
    value: Any = Opaque(0)
    for level in range(12):
        around = [
            {"z": 1, "b": Opaque(level), "a": value, "c": Opaque("x")},
            [Opaque(1), value, Opaque(2)],
            Plain(value, Opaque(level)),
            Slots(Opaque(level), value),
        ]
        value = around[level % 4]
        check(value, options)


@pytest.mark.parametrize("options", [SORT, SORT | OTHER])
def test_dicts_with_the_same_keys(options: int) -> None:
    """Dicts with the same keys, in the same order and in other orders."""
    dice = random.Random(7)
    names = ["id", "id_str", "profile_b", "profile_a", "profile_", "x", "", "zz", "é"]
    for count in (1, 2, 3, 7, 8, 9):
        chosen = names[:count]
        orders = [chosen, chosen[::-1], [chosen[0], *chosen[:0:-1]]]
        tables = []
        for _ in range(60):
            order = dice.choice(orders)
            tables.append({name: dice.random() for name in order})
        check(tables, options)
        check([{"in": table, "at": [table]} for table in tables], options)
    # Dicts with the same length, first key and last key.
    middle = ["k1", "k2", "k3"]
    tables = [
        dict.fromkeys(["z", *order, "a"], 0) for order in itertools.permutations(middle)
    ]
    check(tables * 4, options)
    # Keys that are equal but different objects, and deleted keys.
    for _ in range(4):
        fresh = [{"".join(["k", str(one)]): one for one in (3, 1, 2)} for _ in range(5)]
        del fresh[2]["k1"]
        fresh[3]["k0"] = fresh[3].pop("k2")
        check(fresh, options)


def test_more_key_orders_than_are_cached() -> None:
    """Every key order several times, in turn."""
    tables = [{f"{shape}-{name}": shape for name in "cab"} for shape in range(100)] * 4
    check(tables, SORT)
    large = [{f"{number * 7919 % 1000}": number for number in range(1000)}] * 4
    check(large, SORT)
    same_ends = [{"z": 1, "b": 2, "c": 3, "a": 4}, {"z": 1, "c": 2, "b": 3, "a": 4}]
    check(same_ends * 20, SORT)


def test_non_str_keys() -> None:
    """Every scalar as a key."""
    numbers = [0, -1, 10, 12345678, 123456789, 2**53, 2**60 - 1, 2**60, -(2**63)]
    keys = [*numbers, 2**64 - 1, 0.1, "a", "é", "好", 9, None, False, True]
    table = dict.fromkeys(keys, 5)
    del table[10]
    table[10] = 6
    check([table], OTHER)
    check([table], OTHER | SORT)
    assert snooze.dumps({-1e300: 1}, option=OTHER) == b'{"-1e+300":1}'
    twice = {float("nan"): 1, None: True}
    assert snooze.dumps(twice, option=OTHER) == b'{"null":1,"null":true}'


@pytest.mark.parametrize(
    ("key", "text"), [(2**64, "64-bit"), ("\ud800", "surrogates"), ((), "Dict key")]
)
def test_wrong_keys_come_before_wrong_values(key: Any, text: str) -> None:
    """A wrong key is reported before a wrong value, whatever the other keys are."""
    for extra in ({}, {1: 1}):
        table = {**extra, "v": Opaque(1), key: 1}
        for options in (OTHER, OTHER | SORT):
            with pytest.raises(snooze.JSONEncodeError, match=text):
                snooze.dumps([table], option=options)


def test_enums_with_changed_values() -> None:
    """The value was replaced, deleted, set in the `__dict__`, or is a property."""

    class Level(enum.Enum):
        LOW = 1
        HIGH = 2

    assert snooze.dumps([*Level] * 3) == b"[1,2,1,2,1,2]"
    Level.LOW._value_ = "low"
    assert snooze.dumps([*Level]) == b'["low",2]'
    Level.LOW.__dict__["_value_"] = 0.5
    assert snooze.dumps([*Level]) == b"[0.5,2]"
    Level.LOW._value_ = [Level.HIGH]
    assert snooze.dumps([*Level]) == b"[[2],2]"
    del Level.HIGH._value_
    with pytest.raises(AttributeError):
        snooze.dumps([Level.HIGH])

    class Loud(enum.Enum):
        A = "a"

        @property
        def value(self) -> str:
            """Return a value other than the stored one."""
            return self._value_.upper()

    assert snooze.dumps([Loud.A] * 3) == b'["A","A","A"]'


def test_enum_whose_value_is_itself() -> None:
    """An error, not an endless loop."""

    class Odd(enum.Enum):
        A = 1

    Odd.A._value_ = Odd.A
    with pytest.raises(snooze.JSONEncodeError, match="Recursion"):
        snooze.dumps([Odd.A])


def test_dataclass_with_an_unset_slot() -> None:
    """`__getattr__` supplies the value, in the middle of a tree."""

    @dataclasses.dataclass(slots=True)
    class Late:
        a: Any
        b: Any

        def __getattr__(self, name: str) -> Any:
            """Supply an unset attribute."""
            return [name]

    late = Late(1, {"z": 1})
    del late.a
    assert snooze.dumps([{"k": late}, 5]) == b'[{"k":{"a":["a"],"b":{"z":1}}},5]'
    late.a = 2
    del late.b
    assert snooze.dumps([{"k": late}, 5]) == b'[{"k":{"a":2,"b":["b"]}},5]'


def test_str_subclasses() -> None:
    """Texts of every width, in a list and as dict values."""
    texts = ["", "a", "plain" * 20, 'a"\n', "é", "é" * 70, "好\\", "😀" * 33, "\x7f"]
    check([Text(text) for text in texts], 0)
    check({text: Text(text) for text in texts}, SORT)
    with pytest.raises(snooze.JSONEncodeError, match="surrogates"):
        snooze.dumps([Text("\ud800")])


@pytest.mark.parametrize("end", ["", '"', "\n", "\x7f", "é", "é\u20ac", "😀"])
def test_str_subclasses_of_every_length(end: str) -> None:
    """Where a text ends, and which width its characters have, does not change it."""
    texts = ["x" * length + end for length in range(70)]
    check([Text(text) for text in texts], 0)
    check([Text(end + text) for text in texts], 0)
    kept = [Text(text) for text in texts]
    assert [text.encode() for text in kept] == [text.encode() for text in texts]
    check(kept, 0)


class Berlin(datetime.tzinfo):
    """A tzinfo in Python, whose code may do anything."""

    def __init__(self, act: Any = None) -> None:
        """Keep the function that utcoffset calls."""
        self.act = act

    def utcoffset(self, when: datetime.datetime | None) -> datetime.timedelta:
        """Call the function."""
        if self.act:
            self.act()
        return datetime.timedelta(hours=1)

    def dst(self, when: datetime.datetime | None) -> None:
        """Return None: unknown."""


def test_consecutive_datetimes() -> None:
    """Datetimes with every kind of tzinfo, alternating and repeated."""
    day = datetime.datetime(2020, 1, 2, 3, 4, 5)
    fixed = datetime.timezone(datetime.timedelta(hours=-2))
    zones = [None, datetime.UTC, fixed, zoneinfo.ZoneInfo("Etc/GMT-3"), Berlin()]
    offsets = ["", "+00:00", "-02:00", "+03:00", "+01:00"]
    dice = random.Random(3)
    for _ in range(30):
        chosen = [dice.randrange(5) for _ in range(3) for _ in range(dice.randrange(4))]
        chosen = [one for one in chosen for _ in range(dice.randrange(1, 4))]
        times = [day.replace(tzinfo=zones[one]) for one in chosen]
        texts = [f"2020-01-02T03:04:05{offsets[one]}" for one in chosen]
        assert json.loads(snooze.dumps(times)) == texts
        mixed = [[one, 1] for one in times]
        assert json.loads(snooze.dumps(mixed)) == [[text, 1] for text in texts]


@pytest.mark.parametrize("made", [1, "x", None, 0.5, [], [1], {"b": 1}, True])
def test_consecutive_objects_for_default(made: Any) -> None:
    """Many objects of one type in a row, and between other values."""
    values = [
        Opaque(made),
        Opaque(made),
        1,
        Opaque(made),
        [Opaque(made)],
        Plain(Opaque(made)),
        {"a": Opaque(made), "b": Opaque(made)},
        Opaque(made),
        (Opaque(made), Opaque(made)),
    ]
    for options in OPTIONS:
        check(values, options)
    calls: list[Any] = []
    snooze.dumps([Opaque(made)] * 5, lambda one: calls.append(one) or made)
    assert len(calls) == 5


def test_lists_changed_while_repeated_objects_are_written() -> None:
    """`default` or a tzinfo changes the list that is being written."""

    def run(size: int, change: Any) -> Any:
        items: list[Any] = []
        items.extend(Opaque(number) for number in range(size))
        left = [2]

        def default(one: Opaque) -> Any:
            left[0] -= 1
            if left[0] == 0:
                change(items)
            return one.value

        return json.loads(snooze.dumps(items, default))

    whole = [0, 1, 2, 3]
    assert run(4, lambda items: None) == whole
    assert run(4, lambda items: items.clear()) in ([0, 1], whole)
    assert run(4, lambda items: items.append(9)) in ([*whole, 9], whole)
    assert run(4, lambda items: items.__setitem__(2, "new")) in (
        [0, 1, "new", 3],
        whole,
    )
    assert run(4, lambda items: items.reverse()) in ([0, 1, 1, 0], whole)
    day = datetime.datetime(2020, 1, 2)
    times: list[Any] = []
    times.extend(day.replace(tzinfo=Berlin(times.clear)) for _ in range(3))
    assert len(json.loads(snooze.dumps(times))) in (1, 3)


def test_calls_after_an_error() -> None:
    """A call that follows a failed one gives the right result."""

    def default(one: Opaque) -> Any:
        if one.value == 3:
            raise ValueError
        return one.value

    for options in OPTIONS:
        table = [{"b": [Opaque(number)], "a": Plain(1)} for number in range(6)]
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps(table, default, options)
        assert isinstance(caught.value.__cause__, ValueError)
        check(table, options)


@pytest.mark.parametrize(
    ("make", "option"),
    [
        (lambda inner: [inner], 0),
        (lambda inner: {"b": 1, "a": inner}, SORT),
        (lambda inner: {1: inner}, OTHER),
        (Plain, 0),
        (Slots, SORT),
    ],
)
def test_depth_limit_of_every_kind(make: Any, option: int) -> None:
    """The limit counts containers walked in place like those with a frame."""
    for value in ([], [Opaque(1)]):
        for _ in range(253):
            value = make(value)  # noqa: PLW2901 - one more level
        snooze.dumps(value, lambda one: one.value, option)
        with pytest.raises(snooze.JSONEncodeError, match="Recursion"):
            snooze.dumps(make(value), lambda one: one.value, option)
