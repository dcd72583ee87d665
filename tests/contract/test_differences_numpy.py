"""Deliberate differences from orjson for numpy.datetime64.

orjson 3.13.0 has no NaT, fails for units with a multiplier and months before 1970,
wraps huge counts, and drops errors inside two-dimensional arrays. All other differences
are in test_differences.
"""

from __future__ import annotations

from typing import Any

import pytest

import snooze

np = pytest.importorskip("numpy", reason="numpy is not installed: NOT tested")

NAIVE = snooze.OPT_NAIVE_UTC
UTC_Z = snooze.OPT_UTC_Z
NUMPY = snooze.OPT_SERIALIZE_NUMPY


def _forms(value: Any) -> list[tuple[Any, str]]:
    return [
        (value, "{}"),
        (np.array([value]), "[{}]"),
        (np.array([[value]]), "[[{}]]"),
        (np.array([[[value]]]), "[[[{}]]]"),
    ]


# Newer versions of numpy warn about a NaT without a unit, which users may still have.
@pytest.mark.filterwarnings("ignore:The 'generic' unit:DeprecationWarning")
@pytest.mark.parametrize(
    "unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "generic"]
)
def test_nat_is_null(unit: str) -> None:
    """NaT is null in every unit and dimension, like NaN."""
    nat = np.datetime64("NaT") if unit == "generic" else np.datetime64("NaT", unit)
    for value, form in _forms(nat):
        assert snooze.dumps(value, option=NUMPY) == form.format("null").encode()
        option = NUMPY | NAIVE | UTC_Z | snooze.OPT_OMIT_MICROSECONDS
        assert snooze.dumps(value, option=option) == form.format("null").encode()


def test_nat_among_others() -> None:
    """Only the elements that are NaT are null."""
    array = np.array([["2000-01-01", "NaT"], ["NaT", "1960-01-01"]], "M8[D]")
    expected = b'[["2000-01-01T00:00:00",null],[null,"1960-01-01T00:00:00"]]'
    assert snooze.dumps(array, option=NUMPY) == expected


@pytest.mark.parametrize(
    ("count", "unit", "expected"),
    [
        (10, "25s", "1970-01-01T00:04:10"),
        (-1, "25s", "1969-12-31T23:59:35"),
        (10, "7D", "1970-03-12T00:00:00"),
        (10, "2h", "1970-01-01T20:00:00"),
        (10, "15m", "1970-01-01T02:30:00"),
        (10, "10ms", "1970-01-01T00:00:00.100000"),
        (10_000, "100ns", "1970-01-01T00:00:00.001000"),
        (10, "3M", "1972-07-01T00:00:00"),
        (-10, "5M", "1965-11-01T00:00:00"),
        (10, "5Y", "2020-01-01T00:00:00"),
        (-10, "5Y", "1920-01-01T00:00:00"),
        (10, "2W", "1970-05-21T00:00:00"),
    ],
)
def test_datetime64_with_multiplier(count: int, unit: str, expected: str) -> None:
    """Units such as 25 seconds."""
    for value, form in _forms(np.datetime64(count, unit)):
        text = form.format(f'"{expected}"')
        assert snooze.dumps(value, option=NUMPY) == text.encode()


def test_datetime64_months_and_years_of_all_centuries() -> None:
    """Months and years before 1970 as well as after."""
    for year in range(10_000):
        text = f"{year:04}-01-01T00:00:00"
        value = np.datetime64(year - 1970, "Y")
        assert snooze.dumps(value, option=NUMPY) == f'"{text}"'.encode()
    first, end = (np.datetime64(year * 12, "M") for year in (-1970, 8030))
    months = np.arange(first, end).reshape(-1, 12)
    written = snooze.loads(snooze.dumps(months, option=NUMPY))
    expected = [
        [f"{year:04}-{month:02}-01T00:00:00" for month in range(1, 13)]
        for year in range(10_000)
    ]
    assert written == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9999", "9999-01-01T00:00:00"),
        ("9999-12", "9999-12-01T00:00:00"),
        ("9999-12-31", "9999-12-31T00:00:00"),
        ("9999-12-31T23", "9999-12-31T23:00:00"),
        ("9999-12-31T23:59", "9999-12-31T23:59:00"),
        ("9999-12-31T23:59:59", "9999-12-31T23:59:59"),
        ("9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999"),
    ],
)
def test_datetime64_last_day(text: str, expected: str) -> None:
    """The last day of the year 9999 is in range."""
    for value, form in _forms(np.datetime64(text)):
        written = form.format(f'"{expected}"')
        assert snooze.dumps(value, option=NUMPY) == written.encode()


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us"])
@pytest.mark.parametrize("count", [2**63 - 1, 2**62, -(2**62), -(2**63) + 1])
def test_datetime64_counts_never_wrap(unit: str, count: int) -> None:
    """Huge counts are errors in arrays of every dimension; no wrong date, no silence."""
    for value, _ in _forms(np.datetime64(count, unit)):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps(value, option=NUMPY)
        assert str(caught.value).startswith(
            f"unrepresentable numpy.datetime64: {count} "
        )


def test_datetime64_error_in_a_later_row() -> None:
    """An error in any row fails the call."""
    array = np.array([["2000-01-01"], ["20000-01-01"]], "M8[D]")
    with pytest.raises(
        snooze.JSONEncodeError, match="^unrepresentable numpy.datetime64"
    ):
        snooze.dumps(array, option=NUMPY)
