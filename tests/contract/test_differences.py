"""Deliberate differences from orjson: at least one test for each.

orjson 3.13.0 crashes, writes wrong text, drops data or ignores an argument in these
cases. Wrong arguments are in dumps/test_arguments, numpy in test_differences_numpy;
hostile callbacks, memory, depth and threads have their own modules in safety.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import enum
import functools
import gc
import sys
import uuid
from typing import Any

import pytest

import snooze
from helpers.support import nested

NAIVE = snooze.OPT_NAIVE_UTC
UTC_Z = snooze.OPT_UTC_Z
NON_STR = snooze.OPT_NON_STR_KEYS
LIMIT = "(?m)^Recursion limit reached$"


class Opaque:
    """An object without native support."""


# --- default -------------------------------------------------------------------------


def test_default_none_is_no_default() -> None:
    """An explicit `default=None` adds no cause about None not being callable."""
    for call in (
        lambda: snooze.dumps(Opaque(), None),
        lambda: snooze.dumps(Opaque(), default=None),
        lambda: snooze.dumps(Opaque(), None, 0),
    ):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            call()
        assert str(caught.value) == "Type is not JSON serializable: Opaque"
        assert caught.value.__cause__ is None


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_default_lets_base_exceptions_through(kind: type[BaseException]) -> None:
    """An exception that is not an Exception is never swallowed."""
    raised = kind()

    def default(_: Any) -> None:
        raise raised

    with pytest.raises(kind) as caught:
        snooze.dumps([{"a": Opaque()}], default=default)
    assert caught.value is raised
    assert caught.value.__cause__ is None


# --- depth ---------------------------------------------------------------------------


def _table(core: Any) -> Any:
    return {"a": core}


def _array(core: Any) -> Any:
    return [core]


def _tuple(core: Any) -> Any:
    return (core,)


def test_tuples_count_as_levels() -> None:
    """254 tuples are fine, 255 are not, alone or among lists and dicts."""
    value = nested(254, _tuple)
    assert snooze.dumps(value) == b"[" * 254 + b"1" + b"]" * 254
    for value in (
        nested(255, _tuple),
        nested(3000, _tuple),
        nested(254, _array, ()),
        nested(254, _table, (1,)),
        nested(128, lambda core: ([core],)),
    ):
        with pytest.raises(snooze.JSONEncodeError, match=LIMIT):
            snooze.dumps(value)


def test_cycle_through_a_tuple() -> None:
    """A cycle of list and tuple ends in the depth error."""
    array: list[Any] = []
    array.append((array,))
    with pytest.raises(snooze.JSONEncodeError, match=LIMIT):
        snooze.dumps(array)


def test_cycle_through_enums() -> None:
    """An enum whose value leads back to itself ends in an error, not a crash."""

    class Loop(enum.Enum):
        A = 1

        @property
        def value(self) -> Any:
            return self

    class Box(enum.Enum):
        A = []

    Box.A.value.append(Box.A)
    for value in (Loop.A, Box.A, (Box.A,)):
        with pytest.raises(snooze.JSONEncodeError):
            snooze.dumps(value)
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps({Loop.A: 1}, option=NON_STR)


# --- dataclasses ---------------------------------------------------------------------


@dataclasses.dataclass
class Defaults:
    """A field that __init__ never sets and one with a class default."""

    x: int = dataclasses.field(init=False, default=7)
    y: str = "y"
    _p: int = 0


@dataclasses.dataclass(slots=True)
class SlotsBase:
    """A dataclass with slots."""

    b: int


@dataclasses.dataclass
class DictSub(SlotsBase):
    """A subclass with a __dict__ on top of slots."""

    s: int


@dataclasses.dataclass
class Required:
    """A field without a default."""

    x: int
    y: int = 2


def test_field_with_init_false_and_default() -> None:
    """The class default of a field that was never set is written."""
    assert snooze.dumps(Defaults()) == b'{"x":7,"y":"y"}'


def test_slots_of_the_base_are_written() -> None:
    """Fields in the base's slots are written even if the subclass has a __dict__."""
    assert snooze.dumps(DictSub(1, 2)) == b'{"b":1,"s":2}'
    assert snooze.dumps([DictSub(1, [])], option=snooze.OPT_INDENT_2) == (
        b'[\n  {\n    "b": 1,\n    "s": []\n  }\n]'
    )


def test_deleted_attribute_with_class_default() -> None:
    """The class default is written, as getattr would return it."""
    value = Defaults()
    del value.y
    assert snooze.dumps(value) == b'{"x":7,"y":"y"}'


def test_deleted_attribute_without_default() -> None:
    """A field that getattr does not find is an AttributeError that names it."""
    value = Required(1)
    del value.x
    with pytest.raises(AttributeError, match="'x'"):
        snooze.dumps(value)


def test_deleted_slot() -> None:
    """An empty slot is an AttributeError."""
    value = SlotsBase(1)
    del value.b
    with pytest.raises(AttributeError, match="b"):
        snooze.dumps([value])


def test_field_property_that_raises() -> None:
    """An exception from a property behind a field reaches the caller."""

    @dataclasses.dataclass
    class Slotted:
        __slots__ = ("_x",)
        x: int

        @property
        def x(self) -> int:
            raise RuntimeError("boom")

        @x.setter
        def x(self, value: int) -> None:
            pass

    with pytest.raises(RuntimeError, match="^boom$"):
        snooze.dumps(Slotted(1))


def test_empty_attribute_name() -> None:
    """An attribute whose name is the empty str is a key like any other."""
    value = Required(1)
    value.__dict__[""] = 3
    assert snooze.dumps(value) == b'{"x":1,"y":2,"":3}'


def test_enum_value_property_that_raises() -> None:
    """An exception from an overriding `value` property reaches the caller."""

    class Kind(enum.Enum):
        A = 1

        @property
        def value(self) -> Any:
            raise RuntimeError("boom")

    for value, option in (([Kind.A], 0), ({Kind.A: 1}, NON_STR)):
        with pytest.raises(RuntimeError, match="^boom$"):
            snooze.dumps(value, option=option)


# --- dict ----------------------------------------------------------------------------


def test_ordered_dict_order_is_honoured() -> None:
    """move_to_end changes the order of the output, as in the stdlib."""
    value = collections.OrderedDict([("a", 1), ("b", 2), ("c", 3)])
    value.move_to_end("a")
    assert snooze.dumps(value) == b'{"b":2,"c":3,"a":1}'
    value.move_to_end("c", last=False)
    assert snooze.dumps([value], option=NON_STR) == b'[{"c":3,"b":2,"a":1}]'
    assert snooze.dumps(value, option=snooze.OPT_SORT_KEYS) == b'{"a":1,"b":2,"c":3}'


def test_ordered_dict_keys_are_checked_first() -> None:
    """A wrong key is reported before `default` is called for a value."""
    calls: list[object] = []
    pairs: list[tuple[str, object]] = [("a", {1}), ("\ud800", 2)]
    with pytest.raises(snooze.JSONEncodeError, match="surrogates not allowed"):
        snooze.dumps(collections.OrderedDict(pairs), default=calls.append)
    assert calls == []


# --- datetime ------------------------------------------------------------------------


def _at(**offset: float) -> dt.datetime:
    return dt.datetime(2018, 1, 1, tzinfo=dt.timezone(dt.timedelta(**offset)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (_at(minutes=59, seconds=30), "+01:00"),
        (_at(minutes=59, seconds=59), "+01:00"),
        (_at(minutes=-59, seconds=-30), "-01:00"),
        (_at(hours=4, minutes=59, seconds=45), "+05:00"),
        (_at(hours=-22, minutes=-59, seconds=-59), "-23:00"),
        (_at(seconds=-1), "+00:00"),
        (_at(seconds=-29), "+00:00"),
        (_at(microseconds=-1), "+00:00"),
    ],
    ids=lambda value: str(value).removeprefix("2018-01-01 00:00:00"),
)
def test_rounded_offsets_are_rfc_3339(value: dt.datetime, expected: str) -> None:
    """Rounding carries into the hours; an offset that rounds to zero is positive."""
    assert snooze.dumps(value) == f'"2018-01-01T00:00:00{expected}"'.encode()
    written = snooze.dumps({value: 1}, option=NON_STR)
    assert written == f'{{"2018-01-01T00:00:00{expected}":1}}'.encode()


@pytest.mark.parametrize("sign", [1, -1])
def test_offset_that_rounds_to_a_day(sign: int) -> None:
    """RFC 3339 has no offset of 24 hours."""
    value = _at(hours=sign * 23, minutes=sign * 59, seconds=sign * 30)
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps(value)


class Zone(dt.tzinfo):
    """A tzinfo whose utcoffset returns or raises any object."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def utcoffset(self, _: Any) -> Any:
        """Return or raise the result."""
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    def dst(self, _: Any) -> None:
        """Return None: no daylight saving."""


@pytest.mark.parametrize(
    "result",
    [None, 5, "x", dt.timedelta(days=1), dt.timedelta(days=2), -dt.timedelta(days=1)],
    ids=repr,
)
def test_utcoffset_of_a_wrong_type(result: Any) -> None:
    """None, other types, and offsets of a day or more are errors, never invented text."""
    value = dt.datetime(2000, 1, 1, tzinfo=Zone(result))
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps(value)
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps([value], option=NAIVE | UTC_Z)


def test_utcoffset_that_raises() -> None:
    """An Exception becomes the cause of a JSONEncodeError."""
    reason = ValueError("boom")
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps([dt.datetime(2000, 1, 1, tzinfo=Zone(reason))])
    assert caught.value.__cause__ is reason


def test_utcoffset_that_is_interrupted() -> None:
    """A BaseException reaches the caller unchanged."""
    reason = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt) as caught:
        snooze.dumps([dt.datetime(2000, 1, 1, tzinfo=Zone(reason))])
    assert caught.value is reason


def test_tzinfo_without_methods() -> None:
    """The abstract tzinfo has no offset."""
    with pytest.raises(snooze.JSONEncodeError):
        snooze.dumps(dt.datetime(2000, 1, 1, tzinfo=dt.tzinfo()))


@pytest.mark.parametrize("microsecond", [10_000, 10_003, 50_000, 99_999])
def test_time_keeps_the_leading_zero_of_its_fraction(microsecond: int) -> None:
    """The fraction always has six digits."""
    value = dt.time(1, 2, 3, microsecond)
    expected = f"01:02:03.{microsecond:06}"
    assert snooze.dumps(value) == f'"{expected}"'.encode()
    assert snooze.dumps({value: 1}, option=NON_STR) == f'{{"{expected}":1}}'.encode()


# --- uuid ----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2**128, -1, "z", None, 2**4000], ids=repr)
def test_uuid_with_a_wrong_number(number: Any) -> None:
    """A tampered UUID raises an ordinary exception; no text, no SystemError."""
    value = uuid.UUID(int=1)
    object.__setattr__(value, "int", number)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        snooze.dumps(value)


# --- loads ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document", ["[" * 191, "[1," * 80, '[{"":' * 105, "[" * 700 + "x"]
)
def test_no_false_memory_error(document: str) -> None:
    """Documents with many open brackets get the error of their mistake."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads(document)
    if document.endswith("x"):
        assert caught.value.msg == "unexpected character, expected a JSON value"
    else:
        assert caught.value.msg == "unexpected end of data"


def test_released_memoryview() -> None:
    """A released view is an error."""
    view = memoryview(b"[1]")
    view.release()
    with pytest.raises(ValueError):
        snooze.loads(view)


# --- memory --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [1, "a" * 10, [1] * 100, {"k": "é" * 100}, "x" * 5000, [1.5] * 5000],
    ids=lambda value: ascii(value)[:12],
)
def test_result_owns_no_more_than_it_needs(value: Any) -> None:
    """The bytes object is as large as its length needs, not as the work buffer."""
    written = snooze.dumps(value)
    assert sys.getsizeof(written) == sys.getsizeof(bytes(len(written)))


@pytest.mark.parametrize("text", ["é" * 1000, "好" * 1000, "😀" * 1000], ids=ascii)
def test_no_utf8_copy_stays_with_the_str(text: str) -> None:
    """Calls that are not repeated often leave the str as small as before."""
    fresh = (text + " ")[:-1]
    size = sys.getsizeof(fresh)
    snooze.dumps([fresh, {fresh: 1}])
    document = f'"{fresh}"'
    document_size = sys.getsizeof(document)
    snooze.loads(document)
    gc.collect()
    assert sys.getsizeof(fresh) == size
    assert sys.getsizeof(document) == document_size


def test_partial_default_is_released() -> None:
    """The default object is not kept after the call."""
    default = functools.partial(str)
    count = sys.getrefcount(default)
    for _ in range(100):
        snooze.dumps(Opaque(), default)
    assert sys.getrefcount(default) == count
