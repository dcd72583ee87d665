"""dumps of aware datetimes with the tzinfo classes of every supported library."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from typing import Any

import pytest

import snooze

SUMMER = dt.datetime(2018, 7, 1, 12)
WINTER = dt.datetime(2018, 12, 1, 2, 3, 4, 9)
ZONES = [
    ("UTC", "+00:00", "+00:00"),
    ("Etc/UTC", "+00:00", "+00:00"),
    ("Europe/Amsterdam", "+02:00", "+01:00"),
    ("Australia/Adelaide", "+09:30", "+10:30"),
    ("America/New_York", "-04:00", "-05:00"),
    ("America/St_Johns", "-02:30", "-03:30"),
    ("Asia/Kathmandu", "+05:45", "+05:45"),
    ("Pacific/Kiritimati", "+14:00", "+14:00"),
    ("Africa/Monrovia", "+00:00", "+00:00"),
]


def _zoneinfo(name: str) -> dt.tzinfo:
    return zoneinfo.ZoneInfo(name)


def _pytz(name: str) -> dt.tzinfo:
    return pytest.importorskip("pytz").timezone(name)


def _dateutil(name: str) -> dt.tzinfo:
    zone = pytest.importorskip("dateutil.tz").gettz(name)
    assert zone is not None, "dateutil finds no time zone data"
    return zone


def _pendulum(name: str) -> dt.tzinfo:
    return pytest.importorskip("pendulum").timezone(name)


LIBRARIES = {
    "zoneinfo": _zoneinfo,
    "pytz": _pytz,
    "dateutil": _dateutil,
    "pendulum": _pendulum,
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("name", "summer", "winter"), ZONES, ids=lambda z: z)
def test_named_zones(library: str, name: str, summer: str, winter: str) -> None:
    """The offset in force at that moment, also for pytz zones that were never localized."""
    zone = LIBRARIES[library](name)
    text = f'["2018-07-01T12:00:00{summer}","2018-12-01T02:03:04.000009{winter}"]'
    value = [SUMMER.replace(tzinfo=zone), WINTER.replace(tzinfo=zone)]
    assert snooze.dumps(value) == text.encode()
    with_z = text.replace("+00:00", "Z")
    assert snooze.dumps(value, option=snooze.OPT_UTC_Z) == with_z.encode()
    assert snooze.dumps(value, option=snooze.OPT_NAIVE_UTC) == text.encode()


@pytest.mark.parametrize("library", ["zoneinfo", "dateutil", "pendulum"])
@pytest.mark.parametrize(
    ("moment", "fold", "expected"),
    [
        (dt.datetime(2018, 11, 4, 1, 30), 0, "2018-11-04T01:30:00-04:00"),
        (dt.datetime(2018, 11, 4, 1, 30), 1, "2018-11-04T01:30:00-05:00"),
        (dt.datetime(2018, 3, 11, 2, 30), 0, "2018-03-11T02:30:00-05:00"),
        (dt.datetime(2018, 3, 11, 2, 30), 1, "2018-03-11T02:30:00-04:00"),
    ],
    ids=["overlap first", "overlap second", "gap first", "gap second"],
)
def test_fold(library: str, moment: dt.datetime, fold: int, expected: str) -> None:
    """`fold` selects the offset before or after the change."""
    zone = LIBRARIES[library]("America/New_York")
    value = moment.replace(tzinfo=zone, fold=fold)
    assert snooze.dumps(value) == f'"{expected}"'.encode()


def test_pytz_localized_and_fixed() -> None:
    """Localized pytz datetimes and pytz's fixed offsets."""
    pytz = pytest.importorskip("pytz")
    value = pytz.timezone("Europe/Amsterdam").localize(dt.datetime(2018, 7, 1))
    assert snooze.dumps(value) == b'"2018-07-01T00:00:00+02:00"'
    for minutes, text in ((330, "+05:30"), (0, "+00:00"), (-90, "-01:30")):
        value = dt.datetime(2018, 7, 1, tzinfo=pytz.FixedOffset(minutes))
        assert snooze.dumps(value) == f'"2018-07-01T00:00:00{text}"'.encode()
    value = dt.datetime(2018, 7, 1, tzinfo=pytz.UTC)
    assert snooze.dumps(value, option=snooze.OPT_UTC_Z) == b'"2018-07-01T00:00:00Z"'


def test_dateutil_fixed_zones() -> None:
    """dateutil's tzutc and tzoffset, one of them with seconds."""
    tz = pytest.importorskip("dateutil.tz")
    for zone, text in (
        (tz.tzutc(), "+00:00"),
        (tz.tzoffset(None, -1800), "-00:30"),
        (tz.tzoffset("x", 3661), "+01:01"),
    ):
        value = dt.datetime(2018, 7, 1, tzinfo=zone)
        assert snooze.dumps(value) == f'"2018-07-01T00:00:00{text}"'.encode()


def test_pendulum_classes_are_subclasses() -> None:
    """pendulum's own DateTime, Date and Time are subclasses and go to default."""
    pendulum = pytest.importorskip("pendulum")
    for value, name in (
        (pendulum.datetime(2018, 1, 1), "DateTime"),
        (pendulum.date(2018, 1, 1), "Date"),
        (pendulum.time(1, 2), "Time"),
    ):
        with pytest.raises(snooze.JSONEncodeError, match=f"serializable: {name}$"):
            snooze.dumps(value)
        written = snooze.dumps(value, default=lambda obj: obj.isoformat())
        assert written == f'"{value.isoformat()}"'.encode()


class Shift(dt.tzinfo):
    """A tzinfo that belongs to no library."""

    def __init__(self, offset: dt.timedelta) -> None:
        self.offset = offset

    def utcoffset(self, _: Any) -> dt.timedelta:
        """Return the fixed offset."""
        return self.offset

    def dst(self, _: Any) -> None:
        """Return None: no daylight saving."""


class Delta(dt.timedelta):
    """A timedelta subclass."""


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        (dt.timedelta(0), "+00:00"),
        (dt.timedelta(hours=1), "+01:00"),
        (-dt.timedelta(hours=1), "-01:00"),
        (dt.timedelta(seconds=90), "+00:02"),
        (Delta(hours=2), "+02:00"),
    ],
    ids=str,
)
def test_any_tzinfo(shift: dt.timedelta, expected: str) -> None:
    """Any tzinfo that gives an offset is supported."""
    value = dt.datetime(2000, 1, 1, tzinfo=Shift(shift))
    assert snooze.dumps(value) == f'"2000-01-01T00:00:00{expected}"'.encode()


def test_zoneinfo_subclass() -> None:
    """A subclass of ZoneInfo is a tzinfo like any other."""

    class Zone(zoneinfo.ZoneInfo):
        pass

    value = dt.datetime(2000, 1, 1, tzinfo=Zone("Europe/Paris"))
    assert snooze.dumps(value) == b'"2000-01-01T00:00:00+01:00"'
