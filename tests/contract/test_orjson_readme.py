"""Every behaviour that orjson's README documents, with examples written for snooze.

One test for each documented statement, so that a program written from that page works.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import typing
import uuid
import zoneinfo
from typing import Any

import pytest

import snooze

EPOCH = dt.datetime(1970, 1, 1)


def decimals(obj: Any) -> str:
    """Write Decimal as str; refuse every other type."""
    if isinstance(obj, decimal.Decimal):
        return str(obj)
    raise TypeError


def refusal(obj: Any, **kwargs: Any) -> str:
    """Return the text of the JSONEncodeError."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(obj, **kwargs)
    return str(caught.value)


def test_quickstart() -> None:
    """Datetimes, emoji and an array in one document, written and read back."""
    np = pytest.importorskip("numpy")
    data = {
        "kind": "task",
        "made": EPOCH,
        "mood": "🆗",
        "grid": np.array([[5, 6], [7, 8]]),
    }
    written = snooze.dumps(
        data, option=snooze.OPT_NAIVE_UTC | snooze.OPT_SERIALIZE_NUMPY
    )
    assert written == (
        b'{"kind":"task","made":"1970-01-01T00:00:00+00:00",'
        b'"mood":"\xf0\x9f\x86\x97","grid":[[5,6],[7,8]]}'
    )
    back = snooze.loads(written)
    assert back["mood"] == "🆗"
    assert back["grid"] == [[5, 6], [7, 8]]


def test_bytes_and_unescaped_unicode() -> None:
    """Output is bytes in UTF-8; the stdlib gives str with escapes."""
    assert snooze.dumps("好") == b'"\xe5\xa5\xbd"'
    assert json.dumps("好") == '"\\u597d"'


def test_default_for_decimal() -> None:
    """Decimal needs default; a type that default refuses is an error."""
    value = decimal.Decimal("0.0842389659712649442845")
    assert refusal(value) == "Type is not JSON serializable: decimal.Decimal"
    assert snooze.dumps(value, default=decimals) == b'"0.0842389659712649442845"'
    assert refusal({1, 2}, default=decimals) == "Type is not JSON serializable: set"


def test_default_that_forgets_to_raise() -> None:
    """A default without a final raise returns None, which is written as null."""
    value = {"set": {1, 2}}
    assert snooze.dumps(value, default=lambda _: None) == b'{"set":null}'
    assert json.dumps(value, default=lambda _: None) == '{"set": null}'


def test_default_is_chained() -> None:
    """The exception in default is the cause."""
    reason = ValueError("reason")

    def default(_: Any) -> None:
        raise reason

    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps({1}, default=default)
    assert caught.value.__cause__ is reason


def test_append_newline() -> None:
    """OPT_APPEND_NEWLINE adds one line feed."""
    assert snooze.dumps([]) == b"[]"
    assert snooze.dumps([], option=snooze.OPT_APPEND_NEWLINE) == b"[]\n"


def test_indent() -> None:
    """OPT_INDENT_2 is the stdlib's indent=2."""
    value = {"a": "b", "c": {"d": True}, "e": [1, 2]}
    assert snooze.dumps(value) == b'{"a":"b","c":{"d":true},"e":[1,2]}'
    written = snooze.dumps(value, option=snooze.OPT_INDENT_2)
    assert written == (
        b'{\n  "a": "b",\n  "c": {\n    "d": true\n  },\n'
        b'  "e": [\n    1,\n    2\n  ]\n}'
    )
    assert written.decode() == json.dumps(value, indent=2)


def test_naive_utc() -> None:
    """OPT_NAIVE_UTC adds the offset to naive datetimes only."""
    assert snooze.dumps(EPOCH) == b'"1970-01-01T00:00:00"'
    option = snooze.OPT_NAIVE_UTC
    assert snooze.dumps(EPOCH, option=option) == b'"1970-01-01T00:00:00+00:00"'
    aware = EPOCH.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert snooze.dumps(aware, option=option) == b'"1970-01-01T00:00:00+02:00"'


def test_non_str_keys() -> None:
    """OPT_NON_STR_KEYS with UUID and datetime keys."""
    key = uuid.UUID("7202d115-7ff3-4c81-a7c1-2a1f067b1ece")
    option = snooze.OPT_NON_STR_KEYS
    expected = b'{"7202d115-7ff3-4c81-a7c1-2a1f067b1ece":[1,2,3]}'
    assert snooze.dumps({key: [1, 2, 3]}, option=option) == expected
    option |= snooze.OPT_NAIVE_UTC
    expected = b'{"1970-01-01T00:00:00+00:00":[1,2,3]}'
    assert snooze.dumps({EPOCH: [1, 2, 3]}, option=option) == expected


def test_non_str_keys_duplicates() -> None:
    """A key may be written twice; the last wins when read."""
    written = snooze.dumps({"1": True, 1: False}, option=snooze.OPT_NON_STR_KEYS)
    assert snooze.loads(written) == {"1": False}


def test_non_str_keys_sorted() -> None:
    """OPT_SORT_KEYS sorts converted keys."""
    value = {"other": 1, dt.date(1970, 1, 5): 2, dt.date(1970, 1, 3): 3}
    option = snooze.OPT_NON_STR_KEYS | snooze.OPT_SORT_KEYS
    assert (
        snooze.dumps(value, option=option)
        == b'{"1970-01-03":3,"1970-01-05":2,"other":1}'
    )


def test_omit_microseconds() -> None:
    """OPT_OMIT_MICROSECONDS for datetime and time."""
    value = dt.datetime(1970, 1, 1, 0, 0, 0, 1)
    option = snooze.OPT_OMIT_MICROSECONDS
    assert snooze.dumps(value) == b'"1970-01-01T00:00:00.000001"'
    assert snooze.dumps(value, option=option) == b'"1970-01-01T00:00:00"'
    assert snooze.dumps(value.time(), option=option) == b'"00:00:00"'


@dataclasses.dataclass
class User:
    """Has a field that some documents must not show."""

    id: str
    name: str
    password: str


def test_passthrough_dataclass() -> None:
    """OPT_PASSTHROUGH_DATACLASS lets default choose the fields."""
    user = User("3b1", "asd", "zxc")
    option = snooze.OPT_PASSTHROUGH_DATACLASS
    assert snooze.dumps(user) == b'{"id":"3b1","name":"asd","password":"zxc"}'
    assert refusal(user, option=option) == "Type is not JSON serializable: User"
    public = snooze.dumps(user, lambda obj: {"id": obj.id, "name": obj.name}, option)
    assert public == b'{"id":"3b1","name":"asd"}'


def test_passthrough_datetime() -> None:
    """OPT_PASSTHROUGH_DATETIME lets default choose the format; keys are not affected."""
    option = snooze.OPT_PASSTHROUGH_DATETIME
    value = {"created_at": EPOCH}
    text = "Type is not JSON serializable: datetime.datetime"
    assert refusal(value, option=option) == text
    written = snooze.dumps(value, lambda obj: obj.strftime("%a, %d %b %Y"), option)
    assert written == b'{"created_at":"Thu, 01 Jan 1970"}'
    keyed = snooze.dumps({EPOCH: 1}, option=option | snooze.OPT_NON_STR_KEYS)
    assert keyed == b'{"1970-01-01T00:00:00":1}'


class Secret(str):
    """A str that must not be shown."""


def test_passthrough_subclass() -> None:
    """OPT_PASSTHROUGH_SUBCLASS lets default hide it; keys are not affected."""
    option = snooze.OPT_PASSTHROUGH_SUBCLASS
    assert snooze.dumps(Secret("zxc")) == b'"zxc"'
    text = "Type is not JSON serializable: Secret"
    assert refusal(Secret("zxc"), option=option) == text
    assert snooze.dumps(Secret("zxc"), lambda _: "******", option) == b'"******"'
    keyed = snooze.dumps({Secret("zxc"): 1}, option=option | snooze.OPT_NON_STR_KEYS)
    assert keyed == b'{"zxc":1}'


def test_sort_keys() -> None:
    """OPT_SORT_KEYS ignores the locale and does not sort dataclasses."""
    option = snooze.OPT_SORT_KEYS
    value = {"b": 1, "c": 2, "a": 3}
    assert snooze.dumps(value) == b'{"b":1,"c":2,"a":3}'
    assert snooze.dumps(value, option=option) == b'{"a":3,"b":1,"c":2}'
    expected = b'{"A":3,"a":1,"\xc3\xa4":2}'
    assert snooze.dumps({"a": 1, "ä": 2, "A": 3}, option=option) == expected
    user = User("1", "2", "3")
    assert snooze.dumps(user, option=option) == snooze.dumps(user)


def test_utc_z() -> None:
    """OPT_UTC_Z writes Z for UTC."""
    value = EPOCH.replace(tzinfo=zoneinfo.ZoneInfo("UTC"))
    assert snooze.dumps(value) == b'"1970-01-01T00:00:00+00:00"'
    assert snooze.dumps(value, option=snooze.OPT_UTC_Z) == b'"1970-01-01T00:00:00Z"'


def test_fragment() -> None:
    """Existing JSON is included verbatim, without indentation."""
    value = {"key": "zxc", "data": snooze.Fragment(b'{"a": "b", "c": 1}')}
    assert snooze.dumps(value) == b'{"key":"zxc","data":{"a": "b", "c": 1}}'
    written = snooze.dumps(value, option=snooze.OPT_INDENT_2)
    assert b'{"a": "b", "c": 1}' in written
    text = "str is not valid UTF-8: surrogates not allowed"
    assert refusal(snooze.Fragment("\ud800")) == text


def test_loads_input_and_output() -> None:
    """Four input types, seven output types."""
    document = b'{"a":[1,1.5,"b",true,null]}'
    expected = {"a": [1, 1.5, "b", True, None]}
    for kind in (bytes, bytearray, memoryview, bytes.decode):
        assert snooze.loads(kind(document)) == expected


@pytest.mark.parametrize("document", ["NaN", "Infinity", "-Infinity", "[NaN]", "{]"])
def test_loads_is_strict(document: str) -> None:
    """The stdlib's extensions are errors, catchable as the stdlib's class or ValueError."""
    with pytest.raises(ValueError) as caught:
        snooze.loads(document)
    assert isinstance(caught.value, snooze.JSONDecodeError)
    assert isinstance(caught.value, json.JSONDecodeError)


def test_loads_depth() -> None:
    """More than 1024 levels are an error."""
    assert snooze.loads(b"[" * 1024 + b"]" * 1024)
    with pytest.raises(snooze.JSONDecodeError):
        snooze.loads(b"[" * 1025 + b"]" * 1025)


def test_keys_are_shared_between_calls() -> None:
    """Short keys are cached: the same key is one object in many documents."""
    first = snooze.loads(b'{"a rather plain key":1}')
    second = snooze.loads('[{"a rather plain key":2}]')[0]
    assert next(iter(first)) is next(iter(second))


@dataclasses.dataclass
class Member:
    """A member of a team."""

    id: int
    active: bool = dataclasses.field(default=False)


@dataclasses.dataclass
class Team:
    """A team with members."""

    id: int
    name: str
    members: typing.List[Member]  # noqa: UP006


def test_dataclasses_are_maps() -> None:
    """Every attribute in order of definition, nested."""
    team = Team(1, "a", [Member(1, True), Member(2)])
    assert snooze.dumps(team) == (
        b'{"id":1,"name":"a","members":[{"id":1,"active":true},{"id":2,"active":false}]}'
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            dt.datetime(
                2018, 12, 1, 2, 3, 4, 9, zoneinfo.ZoneInfo("Australia/Adelaide")
            ),
            b'"2018-12-01T02:03:04.000009+10:30"',
        ),
        (
            dt.datetime(2100, 9, 1, 21, 55, 2, tzinfo=zoneinfo.ZoneInfo("UTC")),
            b'"2100-09-01T21:55:02+00:00"',
        ),
        (dt.datetime(2100, 9, 1, 21, 55, 2), b'"2100-09-01T21:55:02"'),
        (dt.time(12, 0, 15, 290), b'"12:00:15.000290"'),
        (dt.date(1900, 1, 2), b'"1900-01-02"'),
    ],
    ids=repr,
)
def test_datetimes(value: Any, expected: bytes) -> None:
    """RFC 3339, compatible with isoformat()."""
    assert snooze.dumps(value) == expected
    assert snooze.loads(expected) == value.isoformat()


def test_enum() -> None:
    """The value is written; options and default apply to it."""

    class When(enum.Enum):
        EPOCH = EPOCH

    assert snooze.dumps(When.EPOCH) == b'"1970-01-01T00:00:00"'
    written = snooze.dumps(When.EPOCH, option=snooze.OPT_NAIVE_UTC)
    assert written == b'"1970-01-01T00:00:00+00:00"'

    class Custom:
        def __init__(self, val: int) -> None:
            self.val = val

    class Holder(enum.Enum):
        ONE = Custom(1)

    assert snooze.dumps(Holder.ONE, default=lambda obj: obj.val) == b"1"


def test_float_not_finite() -> None:
    """NaN and the infinities are null."""
    value = [float("nan"), float("inf"), float("-inf")]
    assert snooze.dumps(value) == b"[null,null,null]"


def test_int_limits() -> None:
    """64 bits, or 53 with OPT_STRICT_INTEGER."""
    assert snooze.dumps(9007199254740992) == b"9007199254740992"
    for value in (9007199254740992, -9007199254740992):
        text = refusal(value, option=snooze.OPT_STRICT_INTEGER)
        assert text == "Integer exceeds 53-bit range"
    assert refusal(2**64) == "Integer exceeds 64-bit range"


def test_numpy() -> None:
    """Arrays and datetime64."""
    np = pytest.importorskip("numpy")
    option = snooze.OPT_SERIALIZE_NUMPY
    array = np.array([[1, 2, 3], [4, 5, 6]])
    assert snooze.dumps(array, option=option) == b"[[1,2,3],[4,5,6]]"
    value = np.datetime64("2021-01-01T00:00:00.172")
    assert snooze.dumps(value, option=option) == b'"2021-01-01T00:00:00.172000"'
    option |= snooze.OPT_NAIVE_UTC | snooze.OPT_OMIT_MICROSECONDS
    assert snooze.dumps(value, option=option) == b'"2021-01-01T00:00:00+00:00"'


def test_str_is_strict_utf8() -> None:
    """Surrogates are refused in both directions; bad input needs decode("replace")."""
    assert refusal("\ud800") == "str is not valid UTF-8: surrogates not allowed"
    with pytest.raises(snooze.JSONDecodeError):
        snooze.loads('"\\ud800"')
    bad = b'"\xed\xa0\x80"'
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads(bad)
    assert caught.value.msg == "str is not valid UTF-8: surrogates not allowed"
    assert snooze.loads(bad.decode("utf-8", "replace")) == "\ufffd" * 3


def test_uuid() -> None:
    """RFC 4122 text."""
    value = uuid.UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
    assert snooze.dumps(value) == b'"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"'
    value = uuid.uuid5(uuid.NAMESPACE_DNS, "python.org")
    assert snooze.dumps(value) == b'"886313e1-3b8a-5372-9b90-0c9aee199e5d"'
