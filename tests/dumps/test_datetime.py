"""dumps of datetime, date and time: RFC 3339 text, options, refused kinds."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from typing import Any

import pytest
from hypothesis import given

import snooze
from helpers.strategies import dates, datetimes, times

NAIVE = snooze.OPT_NAIVE_UTC
Z = snooze.OPT_UTC_Z
OMIT = snooze.OPT_OMIT_MICROSECONDS
PASS = snooze.OPT_PASSTHROUGH_DATETIME
UTC = dt.UTC


def offset(**parts: float) -> dt.timezone:
    """Return a fixed timezone."""
    return dt.timezone(dt.timedelta(**parts))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (dt.datetime(1, 1, 1), "0001-01-01T00:00:00"),
        (dt.datetime(999, 12, 31), "0999-12-31T00:00:00"),
        (dt.datetime(1970, 1, 1), "1970-01-01T00:00:00"),
        (dt.datetime(2000, 2, 29, 12, 34, 56, 7), "2000-02-29T12:34:56.000007"),
        (dt.datetime(2000, 1, 1, 0, 0, 0, 100_000), "2000-01-01T00:00:00.100000"),
        (dt.datetime(9999, 12, 31, 23, 59, 59, 999_999), "9999-12-31T23:59:59.999999"),
        (dt.datetime(2018, 1, 1, fold=1), "2018-01-01T00:00:00"),
    ],
    ids=str,
)
def test_naive_datetime(value: dt.datetime, expected: str) -> None:
    """Zero-padded fields, microseconds only when not zero, no offset."""
    assert snooze.dumps(value) == f'"{expected}"'.encode()
    assert snooze.dumps(value, option=Z) == f'"{expected}"'.encode()
    assert snooze.dumps(value, option=NAIVE) == f'"{expected}+00:00"'.encode()
    assert snooze.dumps(value, option=NAIVE | Z) == f'"{expected}Z"'.encode()
    whole = expected.partition(".")[0]
    assert snooze.dumps(value, option=OMIT) == f'"{whole}"'.encode()
    assert snooze.dumps(value, option=OMIT | NAIVE | Z) == f'"{whole}Z"'.encode()


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        (UTC, "+00:00"),
        (offset(), "+00:00"),
        (offset(hours=1), "+01:00"),
        (offset(hours=5, minutes=30), "+05:30"),
        (offset(hours=-5, minutes=-30), "-05:30"),
        (offset(minutes=1), "+00:01"),
        (offset(minutes=-1), "-00:01"),
        (offset(minutes=-59), "-00:59"),
        (offset(hours=-1), "-01:00"),
        (offset(hours=-23), "-23:00"),
        (offset(hours=23, minutes=59), "+23:59"),
        (offset(hours=-23, minutes=-59), "-23:59"),
        (offset(seconds=29), "+00:00"),
        (offset(seconds=30), "+00:01"),
        (offset(minutes=1, seconds=29), "+00:01"),
        (offset(minutes=1, seconds=30), "+00:02"),
        (offset(minutes=-1, seconds=-29), "-00:01"),
        (offset(minutes=-1, seconds=-30), "-00:02"),
        (offset(hours=1, minutes=1, seconds=1), "+01:01"),
    ],
    ids=str,
)
def test_fixed_offsets(zone: dt.timezone, expected: str) -> None:
    """Offsets are in whole minutes; seconds are rounded to the nearest minute, 30 s up."""
    value = dt.datetime(2018, 12, 1, 2, 3, 4, 9, tzinfo=zone)
    text = f'"2018-12-01T02:03:04.000009{expected}"'
    assert snooze.dumps(value) == text.encode()
    assert snooze.dumps(value, option=NAIVE) == text.encode()
    assert snooze.dumps(value, option=OMIT) == text.replace(".000009", "").encode()


@pytest.mark.parametrize(
    "zone",
    [
        offset(hours=23, minutes=59, seconds=30),
        offset(hours=-23, minutes=-59.5),
        offset(days=-1, microseconds=1),
    ],
    ids=str,
)
def test_offsets_that_round_to_a_day(zone: dt.timezone) -> None:
    """No text of RFC 3339 has them: the error says so, and does not blame the zone."""
    moment = dt.datetime(2018, 12, 1, tzinfo=zone)
    message = (
        "expected a UTC offset of less than 24 hours in whole minutes, found one that "
        "rounds to 24:00: convert the time first, as in "
        "value.astimezone(datetime.timezone.utc)"
    )
    for value in (moment, [moment, 1]):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps(value)
        assert str(caught.value).startswith(message)
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps({moment: 1}, option=snooze.OPT_NON_STR_KEYS)
    assert str(caught.value).startswith(message)
    iso = snooze.loads(snooze.Encoder(dt.datetime).encode(moment))
    assert dt.datetime.fromisoformat(iso).utcoffset() == moment.utcoffset()


def test_utc_z_is_for_a_zero_offset_only() -> None:
    """Z replaces an offset of zero, but not one that rounds to zero."""
    moment = dt.datetime(2018, 1, 1)
    for zone, expected in (
        (UTC, "Z"),
        (offset(), "Z"),
        (offset(seconds=1), "+00:00"),
        (offset(hours=1), "+01:00"),
    ):
        written = snooze.dumps(moment.replace(tzinfo=zone), option=Z)
        assert written == f'"2018-01-01T00:00:00{expected}"'.encode()


@pytest.mark.parametrize(
    ("value", "expected", "whole"),
    [
        (dt.date(1, 1, 1), "0001-01-01", "0001-01-01"),
        (dt.date(900, 1, 2), "0900-01-02", "0900-01-02"),
        (dt.date(1970, 12, 31), "1970-12-31", "1970-12-31"),
        (dt.date(9999, 12, 31), "9999-12-31", "9999-12-31"),
        (dt.time(0), "00:00:00", "00:00:00"),
        (dt.time(1, 2, 3), "01:02:03", "01:02:03"),
        (dt.time(12, 0, 15, 290), "12:00:15.000290", "12:00:15"),
        (dt.time(23, 59, 59, 999_999), "23:59:59.999999", "23:59:59"),
        (dt.time(1, fold=1), "01:00:00", "01:00:00"),
    ],
    ids=str,
)
def test_date_and_time(value: Any, expected: str, whole: str) -> None:
    """Of the options only OPT_OMIT_MICROSECONDS applies to date and time."""
    assert snooze.dumps(value) == f'"{expected}"'.encode()
    assert snooze.dumps(value, option=NAIVE | Z) == f'"{expected}"'.encode()
    assert snooze.dumps(value, option=OMIT) == f'"{whole}"'.encode()


@pytest.mark.parametrize("zone", [UTC, offset(hours=1)], ids=str)
def test_time_with_tzinfo_is_refused(zone: dt.tzinfo) -> None:
    """A time must be naive; default is not called, but PASSTHROUGH takes precedence."""
    value = dt.time(1, tzinfo=zone)
    for option in (0, OMIT, Z):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.dumps([value], default=lambda _: 1, option=option)
        assert str(caught.value) == "datetime.time must not have tzinfo set"
    assert snooze.dumps(value, default=lambda _: 1, option=PASS) == b"1"


class MyDateTime(dt.datetime):
    """A datetime subclass."""


class MyDate(dt.date):
    """A date subclass."""


class MyTime(dt.time):
    """A time subclass."""


@pytest.mark.parametrize(
    "value", [MyDateTime(2000, 1, 1), MyDate(2000, 1, 1), MyTime(1)], ids=repr
)
def test_subclasses_are_refused(value: Any) -> None:
    """Only the exact types are written; subclasses go to default."""
    name = type(value).__name__
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(value)
    assert str(caught.value) == f"Type is not JSON serializable: {name}"
    assert snooze.dumps(value, default=str) == f'"{value}"'.encode()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (dt.datetime(2000, 1, 1), "datetime.datetime"),
        (dt.date(2000, 1, 1), "datetime.date"),
        (dt.time(1), "datetime.time"),
    ],
    ids=repr,
)
def test_passthrough(value: Any, name: str) -> None:
    """OPT_PASSTHROUGH_DATETIME hands all three types to default."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps({"k": value}, option=PASS)
    assert str(caught.value) == f"Type is not JSON serializable: {name}"
    assert snooze.dumps(value, default=repr, option=PASS) == f'"{value!r}"'.encode()


def test_timedelta_and_tzinfo_are_refused() -> None:
    """The other types of the datetime module are refused."""
    for value, name in ((dt.timedelta(1), "timedelta"), (UTC, "timezone")):
        with pytest.raises(
            snooze.JSONEncodeError, match=f"serializable: datetime.{name}$"
        ):
            snooze.dumps(value)


@given(datetimes)
def test_any_datetime_is_isoformat(value: dt.datetime) -> None:
    """For whole-minute offsets the text is datetime.isoformat()."""
    assert snooze.dumps(value) == f'"{value.isoformat()}"'.encode()


@given(dates, times)
def test_any_date_and_time_is_isoformat(date: dt.date, time: dt.time) -> None:
    """date and time are written as their isoformat()."""
    written = snooze.dumps([date, time])
    assert written == f'["{date.isoformat()}","{time.isoformat()}"]'.encode()


@pytest.mark.parametrize("option", [0, snooze.OPT_INDENT_2, snooze.OPT_UTC_Z])
def test_lists_with_runs_of_dates(option: int) -> None:
    """A run ends at another type, a zone of Python code, or the end of the list."""
    day, utc = dt.date(2026, 11, 26), dt.UTC
    naive = dt.datetime(2026, 11, 26, 1, 2, 3)
    paris = naive.replace(tzinfo=zoneinfo.ZoneInfo("Europe/Paris"))
    aware = naive.replace(tzinfo=utc)
    fixed = naive.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)))
    one_by_one = [naive, naive, aware, aware, paris, aware, fixed, fixed, naive]
    one_by_one += [day, day, "text", day, day, None, [], day, {}, naive.time()]
    texts = [snooze.loads(snooze.dumps(one, option=option)) for one in one_by_one]
    for length in range(len(texts) + 1):
        together = snooze.dumps(one_by_one[:length], option=option)
        assert together == snooze.dumps(texts[:length], option=option)
    nested = snooze.dumps([one_by_one, one_by_one], option=option)
    assert nested == snooze.dumps([texts, texts], option=option)
    calls: list[object] = []
    snooze.dumps(
        one_by_one,
        default=lambda value: calls.append(value),
        option=option | snooze.OPT_PASSTHROUGH_DATETIME,
    )
    assert calls == [one for one in one_by_one if hasattr(one, "isoformat")]
