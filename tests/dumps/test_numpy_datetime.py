"""dumps of numpy.datetime64: every unit, multipliers, the whole range, NaT."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

np = pytest.importorskip("numpy", reason="numpy is not installed: NOT tested")

NUMPY = snooze.OPT_SERIALIZE_NUMPY
NAIVE = snooze.OPT_NAIVE_UTC
Z = snooze.OPT_UTC_Z
OMIT = snooze.OPT_OMIT_MICROSECONDS
NAMES = {
    "Y": "years",
    "M": "months",
    "W": "weeks",
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
UNSUPPORTED = {"ps": "picoseconds", "fs": "femtoseconds", "as": "attoseconds"}
NAT = -(2**63)


def forms(value: Any) -> list[Any]:
    """Return a datetime64 as a scalar and in arrays of one to three dimensions."""
    return [value, np.array([value]), np.array([[value]]), np.array([[[value]]])]


def refused(value: Any, default: Any = None) -> str:
    """Return the text of the error."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(value, default=default, option=NUMPY)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2021", "2021-01-01T00:00:00"),
        ("2021-03", "2021-03-01T00:00:00"),
        ("2021-03-04", "2021-03-04T00:00:00"),
        ("2021-03-04T05", "2021-03-04T05:00:00"),
        ("2021-03-04T05:06", "2021-03-04T05:06:00"),
        ("2021-03-04T05:06:07", "2021-03-04T05:06:07"),
        ("2021-01-01T00:00:00.172", "2021-01-01T00:00:00.172000"),
        ("2021-03-04T05:06:07.123456", "2021-03-04T05:06:07.123456"),
        ("2021-03-04T05:06:07.123456789", "2021-03-04T05:06:07.123456"),
        ("1969", "1969-01-01T00:00:00"),
        ("1969-12-31", "1969-12-31T00:00:00"),
        ("1969-12-31T23:59:59.999999", "1969-12-31T23:59:59.999999"),
        ("1969-12-31T23:59:59.999999999", "1969-12-31T23:59:59.999999"),
        ("1600-02-29", "1600-02-29T00:00:00"),
        ("0001-01-01", "0001-01-01T00:00:00"),
        ("0000-01-01", "0000-01-01T00:00:00"),
        ("0000-02-29", "0000-02-29T00:00:00"),
        ("9999-12-29T23:59:59", "9999-12-29T23:59:59"),
    ],
)
def test_text_and_options(text: str, written: str) -> None:
    """Written as naive datetimes, truncated to microseconds; the datetime options apply."""
    whole = written.partition(".")[0]
    for value, form in zip(
        forms(np.datetime64(text)),
        ['"%s"', '["%s"]', '[["%s"]]', '[[["%s"]]]'],
        strict=True,
    ):
        assert snooze.dumps(value, option=NUMPY) == (form % written).encode()
        assert snooze.dumps(value, option=NUMPY | Z) == (form % written).encode()
        naive = form % (written + "+00:00")
        assert snooze.dumps(value, option=NUMPY | NAIVE) == naive.encode()
        short = form % (whole + "Z")
        assert snooze.dumps(value, option=NUMPY | NAIVE | Z | OMIT) == short.encode()


@pytest.mark.parametrize("unit", UNSUPPORTED)
@pytest.mark.parametrize("value", [0, 1, -1, 2**62])
def test_unsupported_units(unit: str, value: int) -> None:
    """Units finer than nanoseconds are an error that default cannot change."""
    text = f"unsupported numpy.datetime64 unit: {UNSUPPORTED[unit]}"
    for form in forms(np.datetime64(value, unit)):
        assert refused(form) == text
        assert refused(form, default=lambda _: "d") == text


def test_empty_arrays() -> None:
    """An empty array is `[]` whatever its unit."""
    for unit in (*NAMES, *UNSUPPORTED):
        assert snooze.dumps(np.array([], f"M8[{unit}]"), option=NUMPY) == b"[]"
        array = np.zeros((2, 0), f"M8[{unit}]")
        assert snooze.dumps(array, option=NUMPY) == b"[[],[]]"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("10000-01-01", "D"),
        ("-0001-01-01", "D"),
        ("10000", "Y"),
        ("-0001", "Y"),
        ("10000-01", "M"),
        ("-0001-12", "M"),
        ("10000-01-01T00:00:00", "s"),
        ("-0001-12-31T23:59:59.999999", "us"),
        ("10000-01-01T00:00", "m"),
    ],
)
def test_out_of_range(text: str, unit: str) -> None:
    """Outside the years 0 to 9999 the error names the count and its unit."""
    value = np.datetime64(text, unit)
    number = int(value.astype("i8"))
    expected = f"unrepresentable numpy.datetime64: {number} {NAMES[unit]}"
    for form in forms(value):
        assert refused(form) == expected
        assert refused(form, default=lambda _: "d") == expected


def test_array_layout() -> None:
    """Arrays of several rows, indented."""
    array = np.array(
        [["2000-01-01", "1960-01-01"], ["0001-01-01", "9000-12-31"]], "M8[D]"
    )
    expected = (
        b'[["2000-01-01T00:00:00","1960-01-01T00:00:00"],'
        b'["0001-01-01T00:00:00","9000-12-31T00:00:00"]]'
    )
    assert snooze.dumps(array, option=NUMPY) == expected
    indented = snooze.dumps(array[:1, :1], option=NUMPY | snooze.OPT_INDENT_2)
    assert indented == b'[\n  [\n    "2000-01-01T00:00:00"\n  ]\n]'


def isoformat(value: Any) -> str:
    """Return the text by way of datetime.datetime (years 1 to 9999)."""
    return value.astype("M8[us]").astype(dt.datetime).isoformat()


@given(st.datetimes(), st.sampled_from(["D", "h", "m", "s", "ms", "us"]))
def test_any_moment(moment: dt.datetime, unit: str) -> None:
    """Any moment in any unit agrees with datetime."""
    value = np.datetime64(moment, unit)
    for form, brackets in zip(forms(value), range(4), strict=True):
        text = "[" * brackets + f'"{isoformat(value)}"' + "]" * brackets
        assert snooze.dumps(form, option=NUMPY) == text.encode()


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_any_nanosecond(number: int) -> None:
    """Every nanosecond count but NaT is in range and truncated to microseconds."""
    value = np.datetime64(number, "ns")
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=number // 1000)
    assert snooze.dumps(value, option=NUMPY) == f'"{moment.isoformat()}"'.encode()


def test_datetime64_of_many_weeks_does_not_wrap() -> None:
    """A product beyond 128 bits is out of range, not a date."""
    np = pytest.importorskip("numpy")
    value = np.datetime64(4292573461090300619, "131072W")
    with pytest.raises(snooze.JSONEncodeError, match="unrepresentable"):
        snooze.dumps(value, option=NUMPY)
