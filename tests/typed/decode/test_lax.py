"""strict=False: values in another form that mean the same, and nothing else."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.typed_tools import Decoder, accept, decode, refusal
from snooze import Ge, Le, Lt, Via

UTC = datetime.UTC


class Level(enum.IntEnum):
    """An enum of ints."""

    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    """An enum of strings."""

    A = "a"


REFUSED = object()
#: type -> document -> value; strict decoding refuses all of them.
TABLE: dict[Any, dict[str, Any]] = {
    int: {
        '"1"': 1,
        '"-5"': -5,
        '"0"': 0,
        '"12345678901234567890123"': 12345678901234567890123,
        "1.0": 1,
        "-2.0": -2,
        "1e3": 1000,
        "9007199254740991.0": 2**53 - 1,
        "10.50e1": 105,
        "1200e-2": 12,
        "0.0e-5": 0,
        "4503599627370497.25": REFUSED,
        "2251799813685249.25": REFUSED,
        "1.00000000000000000001": REFUSED,
        "10000000000000000000001e-22": REFUSED,
        "1e-400": REFUSED,
        '"1.0"': REFUSED,
        '"1.5"': REFUSED,
        "1.5": REFUSED,
        '""': REFUSED,
        '" 1"': REFUSED,
        '"1 "': REFUSED,
        '"+1"': REFUSED,
        '"1_0"': REFUSED,
        '"0x1"': REFUSED,
        '"01"': REFUSED,
        '"\u0661"': REFUSED,
        "true": REFUSED,
        "null": REFUSED,
        "1e17": REFUSED,
        "9007199254740993.0": REFUSED,
        "1e400": REFUSED,
        '"NaN"': REFUSED,
        "[1]": REFUSED,
        '{"1":1}': REFUSED,
        '"one"': REFUSED,
        "0.1": REFUSED,
    },
    float: {
        '"1.5"': 1.5,
        '"1"': 1.0,
        '"-0"': -0.0,
        '"1e5"': 1e5,
        '"NaN"': REFUSED,
        '"Infinity"': REFUSED,
        '"1e400"': REFUSED,
        '"inf"': REFUSED,
        '""': REFUSED,
        "true": REFUSED,
        "null": REFUSED,
        '"1,5"': REFUSED,
    },
    bool: {
        '"true"': True,
        '"false"': False,
        '"1"': True,
        '"0"': False,
        "1": True,
        "0": False,
        "1.0": True,
        "0.0": False,
        "1.00000000000000000001": REFUSED,
        "1e-400": REFUSED,
        '"True"': REFUSED,
        '"yes"': REFUSED,
        "2": REFUSED,
        '"2"': REFUSED,
        '""': REFUSED,
        "null": REFUSED,
        "-1": REFUSED,
        "0.5": REFUSED,
        '" true"': REFUSED,
    },
    None: {
        '"null"': None,
        '"None"': REFUSED,
        '""': REFUSED,
        "0": REFUSED,
        "false": REFUSED,
    },
    str: {
        "1": REFUSED,
        "true": REFUSED,
        "null": REFUSED,
        "1.5": REFUSED,
        "[]": REFUSED,
    },
    int | None: {'"null"': None, '"5"': 5, '"x"': REFUSED, "5.0": 5, "true": REFUSED},
    bool | None: {'"null"': None, '"true"': True, "1": True, "2": REFUSED},
    int | float: {'"1"': 1, '"1.0"': 1.0, '"x"': REFUSED},
    Annotated[int, Ge(0), Le(9)]: {
        '"5"': 5,
        '"10"': REFUSED,
        "5.0": 5,
        "10.0": REFUSED,
        '"-1"': REFUSED,
        "-1.0": REFUSED,
    },
    Annotated[float, Ge(0)]: {'"0.5"': 0.5, '"-0.5"': REFUSED},
    Level: {'"2"': Level.HIGH, '"3"': REFUSED},
    Literal[1, 2]: {'"1"': 1, '"3"': REFUSED},
    Literal[True]: {'"true"': True, '"false"': REFUSED, "1": True, "0": REFUSED},
    Word: {"1": REFUSED, "null": REFUSED},
    Decimal: {"true": REFUSED, "null": REFUSED, '"x"': REFUSED},
    datetime.datetime: {
        "0": datetime.datetime(1970, 1, 1, tzinfo=UTC),
        "1700000000": datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
        "1.5": datetime.datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC),
        "-1": datetime.datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC),
        '"x"': REFUSED,
        "true": REFUSED,
        "null": REFUSED,
        "1e300": REFUSED,
        "1e18": REFUSED,
        "99999999999999": REFUSED,
        "-99999999999999": REFUSED,
        "1e400": REFUSED,
        "9223372036854775807": REFUSED,
        "18446744073709551616": REFUSED,
    },
    datetime.date: {"0": REFUSED, '"x"': REFUSED},
    datetime.timedelta: {
        "90": datetime.timedelta(seconds=90),
        "1.5": datetime.timedelta(seconds=1.5),
        "-0.000001": datetime.timedelta(microseconds=-1),
        "0.9999999": datetime.timedelta(seconds=1),
        "86399999999999": datetime.timedelta(days=999999999, seconds=86399),
        "-86399999913600": datetime.timedelta.min,
        "86400000000000": REFUSED,
        "-86399999913601": REFUSED,
        "1e300": REFUSED,
        "true": REFUSED,
        '"90"': REFUSED,
    },
    list[int]: {
        '["1",2.0]': [1, 2],
        '"[]"': REFUSED,
        '{"0":1}': REFUSED,
        '"1"': REFUSED,
    },
    dict[str, bool]: {'{"a":"true"}': {"a": True}, '"{}"': REFUSED, "[]": REFUSED},
    tuple[int, float]: {'["1","2"]': (1, 2.0), '["1"]': REFUSED},
    dict[int, int]: {'{"1":"2"}': {1: 2}},
}


@pytest.mark.parametrize("tp", TABLE, ids=str)
def test_table(tp: Any) -> None:
    """The documents that are accepted, their values, and the refused ones, in both modes."""
    for document, expected in TABLE[tp].items():
        for errors in ("first", "all"):
            strict = refusal(tp, document, errors=errors)
            assert strict.errors
            if expected is REFUSED:
                assert refusal(tp, document, strict=False, errors=errors).errors, (
                    document
                )
            else:
                accept(tp, document, expected, strict=False, errors=errors)


def test_fitting_values_are_not_converted() -> None:
    """A value of the right kind never becomes another."""
    for tp, document, expected in (
        (int | str, '"1"', "1"),
        (str | None, '"null"', "null"),
        (bool | str, '"true"', "true"),
        (int | bool, "1", 1),
        (bool | int, "0", 0),
        (float | bool, "1.0", 1.0),
        (float | bool, "1", 1.0),
        (int | float, "1.0", 1.0),
        (Any, '"1"', "1"),
        (object, "1.0", 1.0),
        (datetime.datetime | float, "5", 5.0),
        (dict[str, int], '{"1":1}', {"1": 1}),
        (Decimal, '"1.0"', Decimal("1.0")),
        (list[Any], '["1",1.0]', ["1", 1.0]),
    ):
        accept(tp, document, expected, strict=False)
        accept(tp, document, expected)


def test_in_classes() -> None:
    """Fields, hooks and constraints see the converted value."""

    @dataclass
    class Form:
        count: int
        ok: bool = False
        ratio: float | None = None
        doubled: Annotated[Any, Via(int, decode=lambda value: value * 2)] = 0

    accept(
        Form,
        '{"count":"3","ok":"1","ratio":"null","doubled":"4"}',
        Form(3, True, None, 8),
        strict=False,
    )
    accept(
        Form,
        '{"count":3.0,"ok":0,"ratio":"0.5","doubled":4.0}',
        Form(3, False, 0.5, 8),
        strict=False,
    )
    error = refusal(
        Form,
        '{"count":"x","ok":"maybe","ratio":"1.","doubled":"4.5"}',
        strict=False,
        errors="all",
    )
    assert [one.pointer for one in error.errors] == [
        "/count",
        "/ok",
        "/ratio",
        "/doubled",
    ]
    assert [one.found for one in error.errors] == ['"x"', '"maybe"', '"1."', '"4.5"']


def test_escaped_words() -> None:
    """Words are recognised in escaped strings too."""
    decoder = Decoder(list[bool | None], strict=False)
    assert decoder.decode('["\\u0074rue","n\\u0075ll"]') == [True, None]


def test_escaped_numbers() -> None:
    """Numbers are recognised in escaped strings too."""
    assert decode('"\\u0031"', int, strict=False) == 1


@given(st.floats(-1e12, 1e12) | st.floats(-1e-3, 1e-3))
def test_seconds_are_rounded_as_in_python(seconds: float) -> None:
    """To the nearest microsecond, halves to even."""
    found = decode(repr(seconds), datetime.timedelta, strict=False)
    assert found == datetime.timedelta(seconds=seconds)


@given(st.floats(-(2.0**31), 2.0**31 - 1) | st.floats(-1e-3, 1e-3))
def test_times_are_rounded_as_in_python(seconds: float) -> None:
    """To the nearest microsecond, halves to even."""
    found = decode(repr(seconds), datetime.datetime, strict=False)
    assert found == datetime.datetime.fromtimestamp(seconds, UTC)


def test_numbers_beyond_datetime() -> None:
    """Numbers outside the range of datetime are refused, the limits accepted."""
    for text in ["1e300", "-1e300", "1e17", "253402300800", "-62135596801"]:
        error = refusal(datetime.datetime, text, strict=False)
        assert error.errors[0].expected == "datetime"
    utc = datetime.UTC
    accept(
        datetime.datetime,
        "-62135596800",
        datetime.datetime(1, 1, 1, tzinfo=utc),
        strict=False,
    )
    accept(
        datetime.datetime,
        "253402300799",
        datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=utc),
        strict=False,
    )


def test_integral_floats_in_unions() -> None:
    """1.0 is an int where there is one, and a float where there is one."""
    found = decode("[0.0,1.0,2.0,true,0]", list[int | bool], strict=False)
    assert list(map(repr, found)) == ["0", "1", "2", "True", "0"]
    moment = datetime.datetime(2027, 1, 15, 8, 0, tzinfo=UTC)
    for text in ("1800000000", "1800000000.0", "1.8e9"):
        accept(datetime.datetime, text, moment, strict=False)
        accept(datetime.datetime | None, text, moment, strict=False)
    accept(float | datetime.datetime, "1800000000.0", 1800000000.0, strict=False)


@pytest.mark.parametrize("other", [bool, int, Literal[1, 2], Literal[True]])
@pytest.mark.parametrize(
    "moment",
    [
        datetime.datetime,
        datetime.timedelta,
        Annotated[datetime.timedelta, Lt(datetime.timedelta(hours=1))],
    ],
)
def test_unions_that_would_share_the_numbers(other: Any, moment: Any) -> None:
    """Refused: 1 would be one alternative, and 2 or 1.5 the other."""
    tp = other | moment
    Decoder(tp)  # strict: only strings are times
    for make in (Decoder, snooze.Converter):
        with pytest.raises(TypeError) as caught:
            make(list[tp | None], strict=False)
        name = "datetime" if moment is datetime.datetime else "timedelta"
        shown = {bool: "bool", int: "int"}.get(other, str(other)[7:])
        assert str(caught.value) == (
            f"the type[…]: with strict=False a union of {shown} and {name} is ambiguous: "
            f"numbers are read as both. Drop strict=False, or try them in order with "
            f"Annotated[{shown} | {name}, FirstMatch()]"
        )
        advised: Any = make(Annotated[tp, snooze.FirstMatch()], strict=False)
        assert advised is not None
    tried = Annotated[int | datetime.datetime, snooze.FirstMatch()]
    found = decode('[1,"1","2020-01-01T00:00:00Z"]', list[tried], strict=False)
    assert found == [1, 1, datetime.datetime(2020, 1, 1, tzinfo=UTC)]
    # Where every number has an alternative of its own, none is a time.
    found = decode('[1,1.5,"PT1S"]', list[float | datetime.timedelta], strict=False)
    assert found == [1.0, 1.5, datetime.timedelta(seconds=1)]
