"""Typed decoding of formats in strings: base64, dates and times, enums, paths, addresses."""

from __future__ import annotations

import array
import base64
import copy
import datetime
import enum
import ipaddress
import pathlib
import pickle
import random
import re
import sys
import uuid
from dataclasses import dataclass
from datetime import date, time, timedelta, timezone
from typing import Annotated, Any, Literal, Self

import pytest

import snooze
from helpers.typed_tools import accept, decode, refusal, refuse
from snooze import Aware, Len, Naive

UTC = datetime.UTC
AT = "at $ (line 1 column 1)"


@pytest.mark.parametrize("cls", [bytes, bytearray])
def test_base64(cls: Any) -> None:
    """The standard alphabet, padded, at any length."""
    rng = random.Random(4)
    for length in [*range(200), 1000, 4096, 100_000]:
        data = rng.randbytes(length)
        text = base64.b64encode(data).decode()
        value = decode(f'"{text}"', cls)
        assert type(value) is cls
        assert value == data
    accept(cls, '""', cls())
    accept(cls, '"\\u0041A\\u003d="', cls(b"\0"))
    one, two = decode(b'["AAAA","AAAA"]', list[bytearray])
    assert one is not two


@pytest.mark.parametrize(
    "text",
    [
        *("A", "AA", "AAA", "AAAAA", "A===", "====", "=", "AA=", "AAA==", "AA=A"),
        *(
            "AA==AA==",
            "AAA=AAAA",
            "A A=",
            "AAAA\\n",
            " AAAA",
            "AA_-",
            "AA-_",
            "\u00e9AA",
        ),
        *("AB==", "AAB=", "A\\u0000A=", "AAA\u0661", "AAAA=", "AA*A", "AAAA\\r\\n"),
    ],
)
@pytest.mark.parametrize("cls", [bytes, bytearray])
def test_strings_that_are_not_base64(cls: Any, text: str) -> None:
    """No character is skipped, no padding added; unused bits must be 0."""
    refuse(cls, f'"{text}"', f'expected base64 str, found "{text}" {AT}')


def test_lengths_of_bytes() -> None:
    """Lengths of bytes are those of the result, not of the text."""
    tp = Annotated[bytes, Len(2, 3)]
    accept(tp, '"AAA="', b"\0\0")
    accept(tp, '"AAAA"', b"\0\0\0")
    refuse(
        tp, '"AA=="', f'expected base64 str of length 2 to 3 bytes, found "AA==" {AT}'
    )
    refuse(
        tp,
        '"AAAAAA=="',
        f'expected base64 str of length 2 to 3 bytes, found "AAAAAA==" {AT}',
    )
    refuse(bytes, "[65]", f"expected base64 str, found array {AT}")


def test_dates() -> None:
    """Every valid date, and no other."""
    decoder_days = [
        date(1, 1, 1),
        date(9999, 12, 31),
        date(2024, 2, 29),
        date(2000, 2, 29),
    ]
    rng = random.Random(5)
    decoder_days += [date.fromordinal(rng.randrange(1, 3_652_060)) for _ in range(500)]
    for day in decoder_days:
        accept(date, f'"{day.isoformat()}"', day)
    accept(
        dict[date, date],
        '{"2024-01-02":"2024-01-03"}',
        {date(2024, 1, 2): date(2024, 1, 3)},
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "2024", "2024-1-1", "2024-01-1", "20240101", "0000-01-01", "2023-02-29"),
        *(
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-01-32",
            "2024-04-31",
        ),
        *(
            "2024-01-01T00:00:00",
            "2024-01-01 ",
            " 2024-01-01",
            "2024/01/01",
            "2024-W01-1",
        ),
        *(
            "+2024-01-01",
            "-2024-01-01",
            "10000-01-01",
            "2024-01-0\u0661",
            "2024-01-01Z",
        ),
    ],
)
def test_strings_that_are_not_dates(text: str) -> None:
    """Only four, two and two digits of a day in the calendar."""
    refuse(date, f'"{text}"', f'expected date, found "{text}" {AT}')


def zone(minutes: int) -> timezone:
    """Return a fixed offset."""
    return timezone(timedelta(minutes=minutes))


DATETIMES = {
    "2024-01-02T03:04:05": datetime.datetime(2024, 1, 2, 3, 4, 5),
    "2024-01-02t03:04:05z": datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    "2024-01-02 03:04:05Z": datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    "2024-01-02T03:04:05.1": datetime.datetime(2024, 1, 2, 3, 4, 5, 100_000),
    "2024-01-02T03:04:05.123456": datetime.datetime(2024, 1, 2, 3, 4, 5, 123_456),
    "2024-01-02T03:04:05.1234567891": datetime.datetime(2024, 1, 2, 3, 4, 5, 123_456),
    "2024-01-02T03:04:05.999999999Z": datetime.datetime(
        2024, 1, 2, 3, 4, 5, 999_999, tzinfo=UTC
    ),
    "2024-01-02T03:04:05+00:00": datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    "2024-01-02T03:04:05-00:00": datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    "2024-01-02T03:04:05+05:30": datetime.datetime(
        2024, 1, 2, 3, 4, 5, tzinfo=zone(330)
    ),
    "2024-01-02T03:04:05-23:59": datetime.datetime(
        2024, 1, 2, 3, 4, 5, tzinfo=zone(-1439)
    ),
    "2024-01-02T03:04:05+23:59": datetime.datetime(
        2024, 1, 2, 3, 4, 5, tzinfo=zone(1439)
    ),
    "0001-01-01T00:00:00+23:59": datetime.datetime(1, 1, 1, tzinfo=zone(1439)),
    "9999-12-31T23:59:59.999999-23:59": datetime.datetime.max.replace(
        tzinfo=zone(-1439)
    ),
    "0001-01-01T00:00:00": datetime.datetime.min,
    "9999-12-31T23:59:59.999999": datetime.datetime.max,
}


@pytest.mark.parametrize("text", DATETIMES)
def test_datetimes(text: str) -> None:
    """RFC 3339; the offset is kept, the fraction is truncated to microseconds."""
    expected = DATETIMES[text]
    for tp in (
        datetime.datetime,
        Annotated[datetime.datetime, Naive if expected.tzinfo is None else Aware],
    ):
        value = decode(f'"{text}"', tp)
        assert type(value) is datetime.datetime
        assert (value.replace(tzinfo=None), value.tzinfo, value.fold) == (
            expected.replace(tzinfo=None),
            expected.tzinfo,
            0,
        )
        if value.utcoffset() == timedelta(0):
            assert value.tzinfo is UTC
    label, other = ("aware", Aware) if expected.tzinfo is None else ("naive", Naive)
    refuse(
        Annotated[datetime.datetime, other],
        f'"{text}"',
        f'expected {label} datetime, found "{text}" {AT}',
    )


NO_DATETIMES = [
    *("", "x", "2024-01-02", "2024-01-02T", "2024-01-02T03:04", "2024-01-02T03", "1"),
    *("2024-01-02T03:04:05.", "2024-01-02T24:00:00", "2024-01-02T23:60:00"),
    *(
        "2024-01-02T23:59:60",
        "2024-01-02T23:59:60Z",
        "2024-02-30T00:00:00",
        "2024-01-02T3:04:05",
    ),
    *(
        "2024-01-02T03:04:05+24:00",
        "2024-01-02T03:04:05+00:60",
        "2024-01-02T03:04:05+0000",
    ),
    *("2024-01-02T03:04:05+00", "2024-01-02T03:04:05 Z", "2024-01-02T03:04:05Zx"),
    *("2024-01-02T03:04:05,5", "2024-01-02T03:04:05.5.5", "2024-01-02_03:04:05"),
    *(
        "20240102T030405Z",
        "2024-W01-2T03:04:05",
        "0000-01-01T00:00:00",
        " 2024-01-02T03:04:05",
    ),
    *(
        "2024-01-02T03:04:05\u00a0",
        "2024-01-02T03:04:0\u0665",
        "2024-01-02T03:04:05\u2212" + "05:00",
    ),
    *("2024-01-02T-3:04:05", "2024-01-02T03:04:05+-1:00", "2024-01-02T03:04:05.12345x"),
]


@pytest.mark.parametrize("text", NO_DATETIMES)
def test_strings_that_are_not_datetimes(text: str) -> None:
    """Only RFC 3339, without leap seconds."""
    shown = f'"{text}"'
    refuse(datetime.datetime, f'"{text}"', f"expected datetime, found {shown} {AT}")


def test_times() -> None:
    """With and without a fraction and an offset."""
    accept(time, '"00:00:00"', time())
    accept(time, '"23:59:59.999999"', time.max)
    accept(time, '"01:02:03.5"', time(1, 2, 3, 500_000))
    for text, minutes in (("Z", 0), ("z", 0), ("+01:00", 60), ("-12:30", -750)):
        value = decode(f'"01:02:03{text}"', time)
        assert value == time(1, 2, 3, tzinfo=zone(minutes))
        assert value.utcoffset() == timedelta(minutes=minutes)
        refuse(
            Annotated[time, Naive],
            f'"01:02:03{text}"',
            f'expected naive time, found "01:02:03{text}" {AT}',
        )
    refuse(
        Annotated[time, Aware],
        '"01:02:03"',
        f'expected aware time, found "01:02:03" {AT}',
    )
    for text in (
        "",
        "1:02:03",
        "24:00:00",
        "00:60:00",
        "00:00:60",
        "01:02",
        "T01:02:03",
        "01:02:03+1:00",
    ):
        refuse(time, f'"{text}"', f'expected time, found "{text}" {AT}')


DURATIONS = {
    "PT0S": timedelta(),
    "P1D": timedelta(days=1),
    "-P1D": timedelta(days=-1),
    "+P1D": timedelta(days=1),
    "P2W": timedelta(weeks=2),
    "PT36H": timedelta(hours=36),
    "P1DT2H3M4.5S": timedelta(days=1, hours=2, minutes=3, seconds=4.5),
    "-PT0.000001S": timedelta(microseconds=-1),
    "PT0,25S": timedelta(milliseconds=250),
    "PT0.0000019S": timedelta(microseconds=1),
    "P999999999DT23H59M59.999999S": timedelta.max,
    "-P999999999D": timedelta.min,
}


@pytest.mark.parametrize("text", DURATIONS)
def test_durations(text: str) -> None:
    """ISO 8601, within the range of timedelta."""
    accept(timedelta, f'"{text}"', DURATIONS[text])


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "P",
            "PT",
            "P1",
            "1D",
            "P1DT",
            "P1Y",
            "P1M",
            "PT1D",
            "P1H",
            "PT1M1H",
            "P1D1W",
        ),
        *(
            "P1000000000D",
            "-P999999999DT1S",
            "P1.5D",
            "PT1.5M",
            "PT.5S",
            "PT1.S",
            "P-1D",
        ),
        *(
            "--P1D",
            "p1d",
            "P1D ",
            "PT1S1S",
            "3600",
            "1:00:00",
            "P99999999999999999999999D",
        ),
    ],
)
def test_strings_that_are_not_durations(text: str) -> None:
    """Months and years have no fixed length; the parts must be in order."""
    refuse(timedelta, f'"{text}"', f'expected timedelta, found "{text}" {AT}')


class Colour(enum.Enum):
    """An enum with values of several kinds."""

    RED = "red"
    ROUGE = "red"  # noqa: PIE796 - an alias
    ONE = 1
    HALF = 0.5
    NOTHING = None
    LARGE = 2**70
    TEXT = "1"


class Number(enum.IntEnum):
    """An enum of ints."""

    ONE = 1
    TWO = 2
    MINUS = -1


class Word(enum.StrEnum):
    """An enum of strings."""

    A = "a"
    UMLAUT = "\u00e4"


class Bits(enum.IntFlag, boundary=enum.STRICT):
    """An enum of flags."""

    A = 1
    B = 2


class Open(enum.Enum):
    """An enum that creates members for other values."""

    A = "a"

    @classmethod
    def _missing_(cls, value: Any) -> Any:
        return cls.A if isinstance(value, str) and value.lower() == "a" else None


def test_enums() -> None:
    """Members are found by value and kind: 1, true, 1.0 and "1" are four values."""
    cases = {
        '"red"': Colour.RED,
        "1": Colour.ONE,
        "0.5": Colour.HALF,
        "5e-1": Colour.HALF,
    }
    cases |= {"null": Colour.NOTHING, '"1"': Colour.TEXT, str(2**70): Colour.LARGE}
    for text, member in cases.items():
        assert decode(text, Colour) is member
        assert decode(f"[{text}]", list[Colour]) == [member]
    for text in ("2", "1.0", "0.25", '"RED"', '"RED\u00e9"', str(2**71)):
        error = refusal(Colour, text)
        assert (
            error.errors[0].expected
            == "'red', 1, 0.5, null, 1180591620717411303424 or '1'"
        )
        assert error.errors[0].found == text
    for text in ("[]", "{}"):
        error = refusal(Colour, text)
        assert error.errors[0].found in {"array", "object"}
    for member in Number:
        assert decode(str(int(member)), Number) is member
        assert decode(f'{{"{int(member)}":0}}', dict[Number, int]) == {member: 0}
    refuse(Number, "3", f"expected 1, 2 or -1, found 3 {AT}")
    refuse(Number, '"1"', f"expected 1, 2 or -1, found str {AT}")
    refuse(Number, "1.0", f"expected 1, 2 or -1, found float {AT}")
    refuse(Number, "true", f"expected 1, 2 or -1, found bool {AT}")
    for member in Word:
        assert decode(f'"{member}"', Word) is member
        assert decode(f'{{"{member}":0}}', dict[Word, int]) == {member: 0}
    assert decode(b'"\\u00e4"', Word) is Word.UMLAUT
    refuse(Word, '"b"', f"expected 'a' or '\u00e4', found \"b\" {AT}")
    refuse(Word, '""', f"expected 'a' or '\u00e4', found \"\" {AT}")


def test_flags_and_open_enums() -> None:
    """Any combination of flags; `_missing_` is called, and may refuse."""
    assert decode(b"3", Bits) is Bits.A | Bits.B
    assert decode(b"0", Bits) is Bits(0)
    assert refusal(Bits, "4").errors[0].found == "4"
    assert refusal(Bits, "-1").errors[0].found == "-1"
    assert decode(b'"A"', Open) is Open.A
    assert decode(b'"a"', Open) is Open.A
    error = refusal(Open, '"b"')
    assert (error.errors[0].expected, error.errors[0].found) == ("Open", '"b"')
    assert isinstance(error.__cause__, ValueError)


def test_literals() -> None:
    """Values are told apart by kind."""
    tp = Literal["a", 1, True, None, -5]
    for text, value in {
        '"a"': "a",
        "1": 1,
        "true": True,
        "null": None,
        "-5": -5,
    }.items():
        accept(tp, text, value)
    label = "'a', 1, true, null or -5"
    for text in ('"b"', "2", "false"):
        refuse(tp, text, f"expected {label}, found {text} {AT}")
    refuse(tp, "1.0", f"expected {label}, found float {AT}")
    refuse(tp, "[]", f"expected {label}, found array {AT}")
    accept(Literal[Number.ONE, "x"], "1", Number.ONE)
    accept(Literal["a"] | int, "5", 5)
    accept(Literal["a"] | str, '"b"', "b")
    accept(Literal["a", "b"], '"b"', "b")
    refuse(Literal[False], "true", f"expected false, found true {AT}")
    refuse(Literal[None], "0", f"expected null, found int {AT}")
    many = Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    refuse(many, "0", f"expected 1, 2, 3, 4, 5, 6, 7, 8 or 2 more, found 0 {AT}")
    accept(dict[Literal["a", "b"], int], '{"b":1}', {"b": 1})
    refuse(
        dict[Literal["a"], int],
        '{"c":1}',
        "expected 'a', found \"c\" at $.c (line 1 column 2)",
    )


def test_paths_addresses_and_patterns() -> None:
    """Classes that take a str; the text of their error is part of the message."""
    accept(pathlib.PurePosixPath, '"/a/b"', pathlib.PurePosixPath("/a/b"))
    accept(pathlib.Path, '""', pathlib.Path())
    accept(ipaddress.IPv4Address, '"127.0.0.1"', ipaddress.IPv4Address("127.0.0.1"))
    accept(ipaddress.IPv6Network, '"::/64"', ipaddress.IPv6Network("::/64"))
    accept(ipaddress.IPv6Interface, '"::1/64"', ipaddress.IPv6Interface("::1/64"))
    accept(re.Pattern, '"a+"', re.compile("a+"))
    error = refusal(ipaddress.IPv4Address, '"1.2.3"')
    assert str(error) == (
        f"expected IPv4Address, found \"1.2.3\" {AT}: Expected 4 octets in '1.2.3'"
    )
    assert isinstance(error.__cause__, ipaddress.AddressValueError)
    refuse(ipaddress.IPv4Address, "16909060", f"expected IPv4Address, found int {AT}")
    refuse(pathlib.Path, "1", f"expected str, found int {AT}")
    assert refusal(re.Pattern, '"("').errors[0].expected == "Pattern"


def test_unions_of_formats() -> None:
    """Two formats are ambiguous; one beside numbers, null and containers is not."""
    for tp in (date | datetime.datetime, str | uuid.UUID, bytes | str, date | Colour):
        with pytest.raises(TypeError, match="ambiguous: both are strings in JSON"):
            decode(b"1", tp)
    accept(date | None | int, '"2024-01-02"', date(2024, 1, 2))
    refuse(date | int, '"x"', f'expected date or int, found "x" {AT}')
    refuse(date | int, "1.5", f"expected date or int, found float {AT}")


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, bytes.decode])
def test_raw_of_bytes_and_of_text(wrap: Any) -> None:
    """A `Raw` that users make has the text as UTF-8."""
    text = '{"a": "\u00e9"}'.encode()
    raw = snooze.Raw(wrap(text))
    assert (type(raw), raw, hash(raw)) == (snooze.Raw, text, hash(text))
    assert snooze.encode([raw]) == b"[" + text + b"]"
    assert snooze.Raw() == b""
    assert pickle.loads(pickle.dumps(raw)) == copy.copy(raw) == raw


def test_raw_of_subclasses_and_buffers() -> None:
    """The contents, whatever the methods return."""

    class Text(str):
        def encode(self, *_: Any) -> Any:
            return 5

    class Bytes(bytes):
        def __bytes__(self) -> bytes:
            return b"other"

    assert snooze.Raw(Text("1")) == snooze.Raw(Bytes(b"1")) == b"1"
    assert snooze.Raw(array.array("B", b"12")) == b"12"
    assert snooze.Raw(memoryview(b"1020")[::2]) == b"12"


def test_subclasses_of_raw_are_called() -> None:
    """Their constructors may refuse a text and set attributes."""

    class NoArrays(snooze.Raw):
        def __new__(cls, text: Any = b"") -> Self:
            if bytes(text).startswith(b"["):
                raise ValueError("no arrays")
            return super().__new__(cls, text)

        def __init__(self, text: Any = b"") -> None:
            self.size = len(text)

    decoder = snooze.Decoder(list[NoArrays])
    [raw] = decoder.decode(b"[ 12 ]")
    assert (type(raw), raw, raw.size) == (NoArrays, b"12", 2)
    assert snooze.convert([12], list[NoArrays])[0].size == 2
    with pytest.raises(
        snooze.ValidationError, match=r"found array at \$\[1\] .*no arrays"
    ):
        decoder.decode(b"[1, [1]]")
    assert snooze.decode(b"[null, 1]", list[NoArrays | None]) == [None, b"1"]


@pytest.mark.parametrize("wrong", [5, None, [49], {"a": 1}, 1.5, object()])
def test_raw_of_other_values(wrong: Any) -> None:
    """`bytes(5)` is five zeros: no JSON."""
    kind = type(wrong).__name__
    with pytest.raises(TypeError, match=f"found {kind}: snooze.encode makes text"):
        snooze.Raw(wrong)
    with pytest.raises(UnicodeEncodeError):
        snooze.Raw('"\ud800"')


def test_decoded_raw_is_as_made() -> None:
    """A Decoder makes instances without a call of the class."""
    for text in (b"1", b'"' + b"x" * 1000 + b'"', b"[1, 2]"):
        raw = snooze.decode(text, snooze.Raw)
        made = snooze.Raw(text)
        assert (type(raw), raw, hash(raw)) == (snooze.Raw, text, hash(text))
        assert sys.getsizeof(raw) == sys.getsizeof(made)
        assert pickle.loads(pickle.dumps(raw)) == made
    [number] = snooze.decode(b"[1.50]", numbers="raw")
    assert (type(number), number, hash(number)) == (snooze.Raw, b"1.50", hash(b"1.50"))


def test_raw_can_be_decoded_later() -> None:
    """A Decoder accepts `Raw`, a subclass of `bytes`; `loads` does not."""

    @dataclass
    class Envelope:
        body: snooze.Raw

    body = snooze.decode(b'{"body": [1, 2 ]}', Envelope).body
    assert snooze.decode(body, list[int]) == [1, 2]
    with pytest.raises(snooze.JSONDecodeError, match="zero-length"):
        snooze.decode(snooze.Raw(b""), int)
    with pytest.raises(snooze.ValidationError, match="expected int, found array"):
        snooze.decode(body, int)
    with pytest.raises(snooze.JSONDecodeError, match="must be bytes"):
        snooze.loads(body)
