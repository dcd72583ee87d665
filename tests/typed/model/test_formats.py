"""`Format` and `configure(formats=…)`: exact in both directions, or refused."""

from __future__ import annotations

import datetime as dt
import enum
import pickle
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from snooze import Format, configure, decode, encode

UTC = dt.UTC
MOMENT = dt.datetime(2023, 11, 14, 22, 13, 20, 500000, UTC)


class Color(enum.Enum):
    """An enum whose values have no JSON form."""

    RED = slice(1)
    GREEN = slice(2)


class Size(enum.IntEnum):
    """An enum of numbers."""

    SMALL = 1
    LARGE = 2


class Grade(enum.Enum):
    """An enum for Literals."""

    GOOD = 1
    BAD = 2


class Pair(enum.Enum):
    """An enum of arrays and objects."""

    ONE = (1, "a")
    TWO = [2.5, None]
    THREE = {"b": True}


CASES: list[tuple[Any, str, Any, str]] = [
    (dt.datetime, "unix", MOMENT, "1700000000.5"),
    (dt.datetime, "unix", MOMENT.replace(microsecond=0), "1700000000"),
    (dt.datetime, "unix_ms", MOMENT, "1700000000500"),
    (
        dt.datetime,
        "unix_ms",
        dt.datetime(6577, 8, 16, 1, 2, 3, 742000, UTC),
        "145402563723742",
    ),
    (dt.datetime, "unix_ms", MOMENT.replace(microsecond=1), "1700000000000.001"),
    (dt.datetime, "unix_us", MOMENT, "1700000000500000"),
    (dt.datetime, "unix", dt.datetime(1969, 12, 31, 23, tzinfo=UTC), "-3600"),
    (dt.datetime, "unix_us", dt.datetime.max.replace(tzinfo=UTC), "253402300799999999"),
    (dt.datetime, "unix_us", dt.datetime.min.replace(tzinfo=UTC), "-62135596800000000"),
    (dt.timedelta, "seconds", dt.timedelta(seconds=90), "90"),
    (dt.timedelta, "seconds", dt.timedelta(microseconds=-1), "-1e-6"),
    (dt.timedelta, "milliseconds", dt.timedelta(microseconds=1500), "1.5"),
    (dt.timedelta, "seconds", dt.timedelta(seconds=86399999999999), "86399999999999"),
    (dt.timedelta, "microseconds", dt.timedelta.max, "86399999999999999999"),
    (bytes, "base64url", b"\xfb\xff", '"-_8"'),
    (bytes, "base64url", b"", '""'),
    (bytes, "hex", b"\x00\xff", '"00ff"'),
    (bytearray, "hex", bytearray(b"a"), '"61"'),
    (Color, "name", Color.GREEN, '"GREEN"'),
    (Size, "name", Size.LARGE, '"LARGE"'),
    (Pair, "name", Pair.ONE, '"ONE"'),
]


@pytest.mark.parametrize(("tp", "name", "value", "text"), CASES)
def test_both_directions(tp: Any, name: str, value: Any, text: str) -> None:
    """Also in containers, unions and as the keys of dicts."""
    marked = Annotated[tp, Format(name)]
    assert encode(value, marked) == text.encode()
    found = decode(text, marked)
    assert (found, type(found)) == (value, type(value))
    optional = Annotated[tp | None, Format(name)]
    assert decode(f"[{text},null]", list[optional]) == [value, None]
    assert encode([value, None], list[optional]) == f"[{text},null]".encode()
    if tp is not bytearray:
        key = text.strip('"')
        document = f'{{"{key}":1}}'
        assert encode({value: 1}, dict[marked, int]) == document.encode()
        assert decode(document, dict[marked, int]) == {value: 1}


@given(st.datetimes(timezones=st.just(UTC)), st.timedeltas())
def test_nothing_is_rounded(moment: dt.datetime, duration: dt.timedelta) -> None:
    """What can be written is read again as it was; the rest is refused."""
    for name in ("unix", "unix_ms", "unix_us"):
        tp: Any = Annotated[dt.datetime, Format(name)]
        try:
            text = encode(moment, tp)
        except snooze.JSONEncodeError as error:
            assert "is not exact in the format" in str(error)
            assert name != "unix_us"
        else:
            assert decode(text, tp) == moment
    for name in ("seconds", "milliseconds", "microseconds"):
        tp = Annotated[dt.timedelta, Format(name)]
        try:
            text = encode(duration, tp)
        except snooze.JSONEncodeError as error:
            assert "is not exact in the format" in str(error)
            assert name != "microseconds"
        else:
            assert decode(text, tp) == duration


@given(st.binary())
def test_all_bytes(value: bytes) -> None:
    """base64url has neither + nor / nor padding, and is read with padding, too."""
    tp = Annotated[bytes, Format("base64url")]
    text = encode(value, tp).decode()
    assert not {*text} & {*"+/="}
    assert decode(text, tp) == value
    padding = "=" * (-(len(text) - 2) % 4)
    assert decode(f'{text[:-1]}{padding}"', tp) == value


WRONG: list[tuple[Any, str, str, str]] = [
    (dt.datetime, "unix", '"x"', "expected datetime, found str at $"),
    (dt.datetime, "unix", "true", "expected datetime, found bool at $"),
    (dt.datetime, "unix", "1e300", "found 1e300 at $ (line 1 column 1): out of range"),
    (dt.datetime, "unix", "1e12", "out of range"),
    (dt.datetime, "unix_us", "1.5", "expected datetime, found float at $"),
    (dt.timedelta, "seconds", "1e15", "out of range"),
    (bytes, "base64url", '"+_8"', "not base64url"),
    (bytes, "base64url", '"_-8=="', "not base64url"),
    (bytes, "base64url", '"_-9"', "bits after the last byte are not zero"),
    (bytes, "base64url", '"_"', "not base64url"),
    (bytes, "base64url", '"_-\\n8"', "not base64url"),
    (bytes, "hex", '"0"', ": Odd"),
    (bytes, "hex", '"00 ff"', "found"),
    (Color, "name", '"BLUE"', "expected 'RED' or 'GREEN', found \"BLUE\" at $"),
    (Size, "name", "1", "found int at $"),
]


@pytest.mark.parametrize(("tp", "name", "text", "message"), WRONG)
def test_wrong_documents(tp: Any, name: str, text: str, message: str) -> None:
    """Refused with the reason."""
    with pytest.raises(snooze.ValidationError) as caught:
        decode(text, Annotated[tp, Format(name)])
    assert message in str(caught.value)


def test_values_that_cannot_be_written() -> None:
    """Refused with the path of the value."""
    stamps = dict[str, Annotated[dt.datetime, Format("unix")]]
    with pytest.raises(
        snooze.JSONEncodeError,
        match=r"^expected datetime with an offset, found one without at \$\.a$",
    ):
        encode({"a": dt.datetime(2026, 1, 1)}, stamps)
    last = dt.datetime.max.replace(tzinfo=UTC)
    with pytest.raises(
        snooze.JSONEncodeError,
        match=r"^9999-.* is not exact in the format 'unix': 'unix_us' is at \$\.a$",
    ):
        encode({"a": last}, stamps)
    with pytest.raises(
        snooze.JSONEncodeError, match=r"format 'seconds': 'microseconds' is at \$$"
    ):
        encode(dt.timedelta.max, Annotated[dt.timedelta, Format("seconds")])
    west = dt.timezone(dt.timedelta(hours=-14))
    with pytest.raises(
        snooze.JSONEncodeError, match="is outside the years 1 to 9999 in UTC"
    ):
        encode({"a": last.replace(tzinfo=west)}, stamps)

    class Broken(dt.tzinfo):
        def utcoffset(self, _: Any) -> Any:
            raise ValueError("no such zone")

    with pytest.raises(snooze.JSONEncodeError, match=r"^no such zone at \$\.a$"):
        encode({"a": MOMENT.replace(tzinfo=Broken())}, stamps)
    with pytest.raises(snooze.JSONEncodeError, match=r"expected .*datetime, found str"):
        encode({"a": "x"}, stamps)


def test_offsets() -> None:
    """A datetime in any zone is the same point in time."""
    zone = dt.timezone(dt.timedelta(hours=2, microseconds=5))
    tp = Annotated[dt.datetime, Format("unix_us")]
    assert decode(encode(MOMENT.astimezone(zone), tp), tp) == MOMENT


def test_constraints_beside_a_format() -> None:
    """They apply to the value, not to its form."""
    recent = Annotated[dt.datetime, Format("unix"), snooze.Ge(MOMENT)]
    assert decode("1700000000.5", recent) == MOMENT
    with pytest.raises(snooze.ValidationError, match="expected datetime >= 2023"):
        decode("1700000000", recent)
    short = Annotated[bytes, snooze.MaxLen(1), Format("hex")]
    assert decode('"ff"', short) == b"\xff"
    with pytest.raises(snooze.ValidationError, match="with a length from 0 to 1"):
        decode('"ffff"', short)


@configure(formats={dt.datetime: "unix_ms", bytes: "hex", enum.Enum: "name"})
@dataclass
class Event:
    """Formats for all fields."""

    at: dt.datetime
    others: list[dt.datetime | None] = field(default_factory=list)
    raw: bytes = b"\x01"
    size: Size = Size.SMALL
    color: Color = Color.RED
    plain: Annotated[bytes, Format("default")] = b"\x01"
    pair: Annotated[Pair, Format("default")] = Pair.ONE


@configure(formats={Size: "name", Color: "name"})
@dataclass
class Later(Event):
    """A subclass with formats in place of those that it would inherit."""

    nested: list[Event] = field(default_factory=list)


class Stamps(list[dt.datetime]):
    """A class with its own items."""


def test_formats_of_a_class() -> None:
    """They reach into containers, not into other classes."""
    text = (
        b'{"at":1500,"others":[0,null],"raw":"01","size":"SMALL","color":"RED",'
        b'"plain":"AQ==","pair":[1,"a"]}'
    )
    event = decode(text, Event)
    assert event.at == dt.datetime(1970, 1, 1, 0, 0, 1, 500000, UTC)
    assert encode(event) == text
    inherited = decode(b'{"at":"1970-01-01T00:00:00Z","nested":[%b]}' % text, Later)
    assert inherited.nested == [event]

    @configure(formats={dt.datetime: "unix"})
    @dataclass
    class Holder:
        own: dt.datetime
        foreign: Stamps

    stamp = dt.datetime(1970, 1, 1, tzinfo=UTC)
    document = b'{"own":0,"foreign":["1970-01-01T00:00:00+00:00"]}'
    holder = decode(document, Holder)
    assert (holder.own, list(holder.foreign)) == (stamp, [stamp])
    assert encode(holder) == document


@dataclass
class Misplaced:
    """A format as a default."""

    a: bytes = Format("hex")  # type: ignore[assignment]


@configure(formats={enum.Enum: "name", Size: "default", dt.datetime: Format("unix")})
@dataclass
class Nearest:
    """A class counts before its bases, whatever the order."""

    color: Color
    size: Size
    at: Annotated[dt.datetime, snooze.Aware]
    only: Literal[Grade.GOOD, "none"] = "none"


def test_the_nearest_class_counts() -> None:
    """Also for a Literal of members, which stays as narrow as it is."""
    text = b'{"color":"RED","size":2,"at":5,"only":"GOOD"}'
    value = decode(text, Nearest)
    assert (value.size, value.only) == (Size.LARGE, Grade.GOOD)
    assert encode(value) == text
    only = Annotated[Literal[Grade.GOOD], Format("name")]
    with pytest.raises(snooze.ValidationError, match="expected 'GOOD', found"):
        decode(b'"BAD"', only)
    with pytest.raises(
        snooze.JSONEncodeError, match="expected Grade.GOOD, found Grade"
    ):
        encode(Grade.BAD, only)
    assert snooze.schema(only)["const"] == "GOOD"


def test_bytes_of_any_class() -> None:
    """As without a format."""
    for value in (b"ab", bytearray(b"ab"), memoryview(b"ab")):
        assert encode(value, Annotated[bytes, Format("hex")]) == b'"6162"'
        assert encode(value, Annotated[bytearray, Format("hex")]) == b'"6162"'


def test_schemas_of_formats() -> None:
    """The form, and the default in that form."""
    properties = snooze.schema(Event)["$defs"]["Event"]["properties"]
    assert properties["at"] == {"type": "number"}
    assert properties["raw"] == {
        "type": "string",
        "contentEncoding": "base16",
        "default": "01",
    }
    assert properties["size"] == {"$ref": "#/$defs/Size", "default": "SMALL"}
    assert properties["plain"]["contentEncoding"] == "base64"
    assert properties["pair"]["default"] == [1, "a"]
    assert snooze.schema(Event)["$defs"]["Size"]["enum"] == ["SMALL", "LARGE"]


def test_enums_of_arrays_and_objects() -> None:
    """By their values, compared as JSON."""
    text = b'[[1,"a"],[2.5,null],{"b":true}]'
    assert decode(text, list[Pair]) == list(Pair)
    assert encode(list(Pair), list[Pair]) == text
    deep = b"[" * 1000 + b"]" * 1000
    for text in (b"[1]", deep):
        with pytest.raises(snooze.ValidationError, match="expected Pair, found array"):
            decode(text, Pair)


def test_enums_without_json_form() -> None:
    """By the names of their members, or by hooks."""

    @dataclass
    class Mixin:
        x: int

    class Unhashable(Mixin, enum.Enum):
        A = 1

    class Unordered(enum.Enum):
        A = frozenset("abc")

    cyclic: list[Any] = []
    cyclic.append(cyclic)
    Cyclic = enum.Enum("Cyclic", {"A": cyclic})  # type: ignore[misc] # noqa: N806
    Huge = enum.Enum("Huge", {"A": (10**5000,)})  # type: ignore[misc] # noqa: N806
    for cls in (Unhashable, Unordered, Cyclic, Huge):
        with pytest.raises(TypeError, match="has values without a JSON form; write"):
            snooze.Decoder(cls)
        named: Any = Annotated[cls, Format("name")]
        assert encode([cls.A], list[named]) == b'["A"]'
        assert decode(b'["A"]', list[named]) == [cls.A]
        with pytest.raises(snooze.ValidationError):
            decode(b'["B"]', list[named])
        assert encode([cls.A], list[cls], enc_hook=lambda one: one.name) == b'["A"]'  # type: ignore[valid-type]


REFUSED: list[tuple[Any, str]] = [
    (lambda: Format("never"), r"^Format: expected one of 'unix', "),
    (lambda: Format(1), "^Format: name needs a str, not 1$"),  # type: ignore[arg-type]
    (
        lambda: snooze.Decoder(Annotated[int, Format("unix")]),
        r"^the type: Format\('unix'\) is for datetime$",
    ),
    (
        lambda: snooze.Decoder(Annotated[bytes, Format("name")]),
        r"^the type: Format\('name'\) is for enums$",
    ),
    (
        lambda: configure(formats={int: "unix"}),
        r"^configure: formats=\{<class 'int'>: 'unix'\}: the format 'unix' is for ",
    ),
    (lambda: configure(formats={dt.datetime: "hex"}), "is for bytes and bytearray$"),
    (lambda: configure(formats={enum.Flag: "name"}), "the format 'name' is for enums$"),
    (
        lambda: configure(formats={str: "default"}),
        "is for datetime, timedelta, bytes, bytearray and enums$",
    ),
    (
        lambda: snooze.Decoder(Annotated[bytes, Format("hex"), Format("base64url")]),
        "^the type: two Format in one Annotated; keep one$",
    ),
    (
        lambda: snooze.Decoder(Annotated[list[bytes], Format("default")]),
        r"^the type: Format\('default'\) is for datetime, timedelta, bytes, ",
    ),
    (
        lambda: snooze.Decoder(Misplaced),
        r"^Misplaced\.a: Format\(\.\.\.\) is the default",
    ),
    (
        lambda: snooze.Decoder(Annotated[dt.datetime, Format("unix")] | int),
        "^the type: a union of datetime and int is ambiguous",
    ),
    (
        lambda: snooze.Decoder(Annotated[dt.datetime, snooze.Naive, Format("unix")]),
        "^the type: Naive does not fit a Format in Unix time",
    ),
    (
        lambda: snooze.Decoder(
            Annotated[
                dt.datetime, Format("unix"), snooze.Ge(MOMENT.replace(tzinfo=None))
            ]
        ),
        r"^the type: the bound datetime.datetime\(.*\) needs an offset",
    ),
    (lambda: configure(formats="unix"), "^configure: formats needs a dict such as "),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_wrong_formats(make: Any, message: str) -> None:
    """Refused when the format or the codec is made."""
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_a_format_is_a_value() -> None:
    """Compared, shown and pickled by its name."""
    assert Format("hex") == pickle.loads(pickle.dumps(Format("hex"))) != Format("unix")
    assert repr(Format("hex")) == "Format(name='hex')"


@given(
    st.floats(0, 4e9) | st.floats(-8e13, 8e13) | st.integers(0, 10**16).map(float),
    st.sampled_from(["unix", "unix_ms", "seconds", "milliseconds"]),
)
def test_numbers_are_rounded_once(number: float, name: str) -> None:
    """To the nearest microsecond of the exact value, not of a product of doubles."""
    unit = 1_000_000 if name in {"unix", "seconds"} else 1000
    microseconds = round(Fraction(number) * unit)
    is_duration = name.endswith("seconds")
    tp = Annotated[dt.timedelta if is_duration else dt.datetime, Format(name)]
    try:
        expected: Any = dt.timedelta(microseconds=microseconds)
        if not is_duration:
            expected += dt.datetime(1970, 1, 1, tzinfo=UTC)
    except OverflowError:
        with pytest.raises(snooze.ValidationError, match="out of range"):
            decode(repr(number), tp)
        return
    assert decode(repr(number), tp) == expected
    exact = Fraction(microseconds, unit)
    if round(Fraction(float(exact)) * unit) == microseconds:
        assert decode(encode(expected, tp), tp) == expected
    else:
        with pytest.raises(snooze.JSONEncodeError, match="not exact"):
            encode(expected, tp)
