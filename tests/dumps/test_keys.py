"""dumps of dict keys: the str-only rule and OPT_NON_STR_KEYS."""

from __future__ import annotations

import datetime
import enum
import uuid
from typing import Any

import pytest

import snooze

NON_STR = snooze.OPT_NON_STR_KEYS
MUST_BE_STR = "Dict key must be str"
BAD_KEY = "Dict key must a type serializable with OPT_NON_STR_KEYS"
KEY_RANGE = "Dict integer key must be within 64-bit range"
UTC = datetime.UTC


class StrSub(str):
    """A str subclass."""


class IntSub(int):
    """An int subclass."""


class FloatSub(float):
    """A float subclass."""


class DateSub(datetime.date):
    """A date subclass."""


class Colour(enum.Enum):
    """Values of many kinds."""

    TEXT = "text"
    NUMBER = 1
    REAL = 1.5
    NOTHING = None
    MOMENT = datetime.datetime(1970, 1, 1)
    PAIR = (1, 2)


class Inner(enum.Enum):
    """A member whose value is another member."""

    SAME = Colour.TEXT


class Word(enum.StrEnum):
    """A str mixin."""

    A = "a"


class Size(enum.IntEnum):
    """An int mixin."""

    BIG = 7


def error(value: Any, option: int | None = None, default: Any = None) -> str:
    """Return the text of the JSONEncodeError that dumping `value` raises."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        if default is None:
            snooze.dumps(value, option=option)
        else:
            snooze.dumps(value, default=default, option=option)
    assert caught.value.__cause__ is None
    return str(caught.value)


@pytest.mark.parametrize(
    "key",
    [
        1,
        1.5,
        None,
        True,
        b"a",
        (1,),
        frozenset(),
        StrSub("a"),
        Word.A,
        Size.BIG,
        Colour.TEXT,
        uuid.UUID(int=1),
        datetime.date(1, 1, 1),
    ],
    ids=repr,
)
def test_only_str_keys_without_the_option(key: Any) -> None:
    """Every key that is not exactly str is refused: first, last or sorted."""
    assert error({key: 1}) == MUST_BE_STR
    assert error({"z": 1, key: 1}) == MUST_BE_STR
    assert error({"z": 1, key: 1}, snooze.OPT_SORT_KEYS) == MUST_BE_STR
    assert error([{key: 1}], default=lambda _: "x") == MUST_BE_STR


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("a", "a"),
        ('q"', 'q\\"'),
        (StrSub("né"), "né"),
        (1, "1"),
        (-(2**63), "-9223372036854775808"),
        (2**64 - 1, "18446744073709551615"),
        (2**60, "1152921504606846976"),
        (IntSub(5), "5"),
        (1.5, "1.5"),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
        (float("nan"), "null"),
        (float("inf"), "null"),
        (float("-inf"), "null"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (datetime.datetime(1970, 1, 1), "1970-01-01T00:00:00"),
        (datetime.datetime(1970, 1, 1, tzinfo=UTC), "1970-01-01T00:00:00+00:00"),
        (datetime.date(1, 2, 3), "0001-02-03"),
        (datetime.time(1, 2, 3, 4), "01:02:03.000004"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Colour.TEXT, "text"),
        (Colour.NUMBER, "1"),
        (Colour.REAL, "1.5"),
        (Colour.NOTHING, "null"),
        (Colour.MOMENT, "1970-01-01T00:00:00"),
        (Inner.SAME, "text"),
        (Word.A, "a"),
        (Size.BIG, "7"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("sort", [0, snooze.OPT_SORT_KEYS], ids=["plain", "sorted"])
def test_non_str_keys(key: Any, text: str, sort: int) -> None:
    """Each supported key becomes the str of its JSON value."""
    expected = f'{{"{text}":[1]}}'.encode()
    assert snooze.dumps({key: [1]}, option=NON_STR | sort) == expected
    assert snooze.dumps([{key: [1]}], option=NON_STR | sort) == b"[" + expected + b"]"


@pytest.mark.parametrize(
    "key",
    [
        b"a",
        (1,),
        frozenset(),
        1j,
        FloatSub(1.5),
        DateSub(2000, 1, 1),
        Colour.PAIR,
        Colour,
        snooze.Fragment(b"1"),
        object(),
    ],
    ids=lambda key: type(key).__name__,
)
@pytest.mark.parametrize("sort", [0, snooze.OPT_SORT_KEYS], ids=["plain", "sorted"])
def test_non_str_keys_refused(key: Any, sort: int) -> None:
    """Other types are refused; default is never called for a key."""
    calls: list[Any] = []
    assert error({"a": 1, key: 1}, NON_STR | sort, calls.append) == BAD_KEY
    assert calls == []


@pytest.mark.parametrize("key", [2**64, -(2**63) - 1, 10**100, IntSub(2**64)])
def test_integer_key_range(key: int) -> None:
    """Integer keys are limited to 64 bits; the error names that limit."""
    assert error({key: 1}, NON_STR) == KEY_RANGE


def test_strict_integer_does_not_apply_to_keys() -> None:
    """OPT_STRICT_INTEGER limits values, not keys."""
    option = NON_STR | snooze.OPT_STRICT_INTEGER
    assert snooze.dumps({2**60: 1}, option=option) == b'{"1152921504606846976":1}'
    assert error({1: 2**60}, option) == "Integer exceeds 53-bit range"


def test_datetime_options_apply_to_keys() -> None:
    """NAIVE_UTC, UTC_Z and OMIT_MICROSECONDS act on keys as on values."""
    key = datetime.datetime(2000, 1, 2, 3, 4, 5, 6)
    option = NON_STR | snooze.OPT_NAIVE_UTC | snooze.OPT_UTC_Z
    assert snooze.dumps({key: 1}, option=option) == b'{"2000-01-02T03:04:05.000006Z":1}'
    option |= snooze.OPT_OMIT_MICROSECONDS
    assert snooze.dumps({key: 1}, option=option) == b'{"2000-01-02T03:04:05Z":1}'
    assert snooze.dumps({key.time(): 1}, option=option) == b'{"03:04:05":1}'


def test_time_key_with_tzinfo() -> None:
    """A time key must be naive, like a time value."""
    key = datetime.time(1, tzinfo=UTC)
    assert error({key: 1}, NON_STR) == "datetime.time must not have tzinfo set"


def test_passthrough_does_not_apply_to_keys() -> None:
    """The PASSTHROUGH options apply to values only."""
    option = NON_STR | snooze.OPT_PASSTHROUGH_SUBCLASS | snooze.OPT_PASSTHROUGH_DATETIME
    value = {StrSub("s"): 1, IntSub(2): 2, datetime.date(2000, 1, 1): 3}
    assert snooze.dumps(value, option=option) == b'{"s":1,"2":2,"2000-01-01":3}'


def test_duplicates_are_all_written() -> None:
    """Different keys with the same text are all written, in order; readers take the last."""
    written = snooze.dumps({"1": True, 1: False}, option=NON_STR)
    assert written == b'{"1":true,"1":false}'
    assert snooze.loads(written) == {"1": False}


def test_order_of_checks() -> None:
    """Without options the first error in the dict wins; with them keys are checked first."""
    bad_value_first = {"a": object(), 1: 2}
    assert error(bad_value_first) == "Type is not JSON serializable: object"
    assert error(bad_value_first, snooze.OPT_SORT_KEYS) == MUST_BE_STR
    bad_value_first = {"a": object(), b"": 2}
    assert error(bad_value_first, NON_STR) == BAD_KEY
    assert error(bad_value_first, NON_STR | snooze.OPT_SORT_KEYS) == BAD_KEY


@pytest.mark.parametrize("option", [0, NON_STR, snooze.OPT_SORT_KEYS])
def test_key_lengths(option: int) -> None:
    """Keys of every length around the SIMD block sizes, plain and with an escape."""
    for length in range(140):
        for key in ("k" * length, "k" * length + "\n", "é" * length, "好" * length):
            expected = b"{" + snooze.dumps(key) + b":1}"
            assert snooze.dumps({key: 1}, option=option) == expected
