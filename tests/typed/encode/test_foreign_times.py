"""Typed encoding of times of other libraries and of zones with unusual offsets.

pandas is not needed: its classes are subclasses with the same attributes.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

import pytest

import snooze


class NaT(dt.datetime):
    """Like `pandas.NaT`: a datetime without a value."""

    def isoformat(self, *_: Any, **__: Any) -> str:  # type: ignore[override]
        """Return the name."""
        return "NaT"


class Precise(dt.timedelta):
    """Like `pandas.Timedelta`: with nanoseconds."""

    nanoseconds = 0


@pytest.mark.parametrize("tp", [Any, dt.datetime])
def test_datetimes_without_a_value(tp: Any) -> None:
    """They are null, like numpy's."""
    value = NaT(2020, 1, 1)
    assert snooze.encode(value, tp) == b"null"
    assert snooze.encode([value, dt.datetime(2020, 1, 1)], list[tp]) == (
        b'[null,"2020-01-01T00:00:00"]'
    )
    with pytest.raises(snooze.JSONEncodeError, match="as a key"):
        snooze.encode({value: 1}, dict[tp, int])


@pytest.mark.parametrize("name", ["unix", "unix_ms", "unix_us"])
def test_datetimes_without_a_value_as_numbers(name: str) -> None:
    """They are null in every form, and no key."""
    value, other = NaT(2020, 1, 1), dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    stamp = Annotated[dt.datetime, snooze.Format(name)]
    for tp in (stamp, stamp | None, stamp | str):
        assert snooze.encode([value, other], list[tp]) == b"[null,0]"
    assert snooze.encode([value, other], formats={dt.datetime: name}) == b"[null,0]"
    assert snooze.encode(value, dt.datetime, formats={dt.datetime: name}) == b"null"
    assert snooze.to_builtins([value], list[stamp]) == [None]
    for keys in (dict[stamp, int], dict[stamp | str, int]):
        assert snooze.encode({other: 1}, keys) == b'{"0":1}'
        with pytest.raises(snooze.JSONEncodeError, match="key"):
            snooze.encode({value: 1}, keys)


class Nanoseconds(dt.timedelta):
    """Like `pandas.Timedelta`: equal to no timedelta of whole microseconds."""

    def __eq__(self, _other: object) -> bool:
        return False

    def __ne__(self, _other: object) -> bool:
        return True

    __hash__ = dt.timedelta.__hash__


class Moment(dt.datetime):
    """Like `pandas.Timestamp` with nanoseconds."""

    def __sub__(self, _other: Any) -> Any:
        return Nanoseconds(seconds=1)


@pytest.mark.parametrize(
    ("tp", "names", "value"),
    [
        (dt.timedelta, ("seconds", "microseconds"), Nanoseconds(seconds=1)),
        (dt.datetime, ("unix", "unix_us"), Moment(1970, 1, 1, tzinfo=dt.UTC)),
    ],
)
def test_numbers_of_nanoseconds(tp: Any, names: tuple[str, ...], value: Any) -> None:
    """No format is exact, so the message recommends none."""
    for name in names:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            snooze.encode([value], list[tp], formats={tp: name})
        message = str(caught.value)
        assert message.endswith(f" is not exact in the format {name!r} at $[0]")


@pytest.mark.parametrize("tp", [Any, dt.timedelta])
def test_durations_with_nanoseconds(tp: Any) -> None:
    """They have no text, and are refused instead of cut."""
    value = Precise(seconds=1.5)
    assert snooze.encode(value, tp) == b'"PT1.5S"'
    value.nanoseconds = 7
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode({"a": value}, dict[str, tp])
    with pytest.raises(snooze.JSONEncodeError, match="with 7 nanoseconds"):
        snooze.encode({value: 1}, dict[tp, int])
    assert str(caught.value) == (
        "expected a timedelta of whole microseconds, found one with 7 nanoseconds "
        "at $.a"
    )


OFFSETS = [
    (dt.timedelta(minutes=19, seconds=32), "+00:19:32"),
    (-dt.timedelta(minutes=44, seconds=30), "-00:44:30"),
    (dt.timedelta(hours=23, minutes=59, seconds=59), "+23:59:59"),
    (dt.timedelta(hours=-5), "-05:00"),
]


@pytest.mark.parametrize(("offset", "text"), OFFSETS)
@pytest.mark.parametrize("direct", [True, False])
def test_offsets_with_seconds(offset: dt.timedelta, text: str, *, direct: bool) -> None:
    """Local mean times keep their offset, so that the same instant is read back."""

    class Zone(dt.tzinfo):
        def utcoffset(self, _: Any) -> dt.timedelta:
            return offset

        def dst(self, _: Any) -> None:
            return None

    zone = dt.timezone(offset) if direct else Zone()
    moment = dt.datetime(1890, 1, 2, 3, 4, 5, 600, tzinfo=zone)
    time = dt.time(3, 4, 5, tzinfo=zone)
    assert snooze.encode(moment) == f'"1890-01-02T03:04:05.000600{text}"'.encode()
    assert (
        snooze.encode([moment, moment], list[dt.datetime])
        == (
            f'["1890-01-02T03:04:05.000600{text}","1890-01-02T03:04:05.000600{text}"]'
        ).encode()
    )
    read = snooze.decode(snooze.encode(moment), dt.datetime)
    assert (read, read.utcoffset()) == (moment, offset)
    if direct:
        assert snooze.decode(snooze.encode(time), dt.time) == time
        assert snooze.encode(time) == f'"03:04:05{text}"'.encode()


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (dt.timedelta(hours=1, microseconds=5), "+01:00:00.000005"),
        (-dt.timedelta(microseconds=5), "-00:00:00.000005"),
    ],
)
def test_offsets_with_microseconds(offset: dt.timedelta, text: str) -> None:
    """They are written as Python writes them; no Decoder moves the instant."""
    moment = dt.datetime(2020, 1, 1, tzinfo=dt.timezone(offset))
    assert snooze.encode([moment]) == f'["2020-01-01T00:00:00{text}"]'.encode()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            dt.datetime(2020, 1, 1, tzinfo=type("Bad", (dt.tzinfo,), {})()),
            "datetime's timezone library is not supported: use datetime.timezone.utc, "
            "pendulum, pytz, or dateutil at $.a[0]",
        ),
        (
            type("Odd", (dt.date,), {"isoformat": lambda _: 3})(2020, 1, 1),
            "isoformat() must return a str at $.a[0]",
        ),
    ],
)
def test_errors_have_a_path(value: Any, message: str) -> None:
    """Errors that `dumps` raises without a place."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.encode({"a": [value]})
    assert str(caught.value) == message


def test_errors_of_users_stay_as_they_are() -> None:
    """An exception of a user's code is raised unchanged, with its traceback."""

    class Broken(dt.date):
        def isoformat(self) -> str:
            raise TypeError("mine")

    class Zone(dt.tzinfo):
        def utcoffset(self, _: Any) -> Any:
            raise ZeroDivisionError("zone")

        def dst(self, _: Any) -> None:
            return None

    with pytest.raises(
        snooze.JSONEncodeError, match=r"not supported: .* at \$\[0\]$"
    ) as e:
        snooze.encode([dt.datetime(2020, 1, 1, tzinfo=Zone())])
    assert str(e.value.__cause__) == "zone"
    with pytest.raises(TypeError, match="^mine$") as caught:
        snooze.encode([Broken(2020, 1, 1)])
    assert caught.traceback[-1].name == "isoformat"
