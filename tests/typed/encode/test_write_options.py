"""Options of an Encoder for single values: NaN, surrogates, times, None, depth, iterables."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from snooze import Encoder, Format, configure, decode, encode

NAN = [
    math.nan,
    math.inf,
    -math.inf,
    decimal.Decimal("sNaN"),
    decimal.Decimal("-Infinity"),
]
NAN += [1.5]
AWARE = dt.datetime(2026, 1, 2, 3, 4, 5, 67, dt.UTC)
NAIVE = dt.datetime(2026, 1, 2, 3, 4, 5)
Untyped = collections.namedtuple("Untyped", "a b")  # noqa: PYI024 - the untyped kind


class Pair(NamedTuple):
    """A tuple with names."""

    a: int
    b: Any = None


@configure(array_like=True)
class Fixed(NamedTuple):
    """A tuple that says how it is written."""

    a: int


class Level(enum.Enum):
    """An enum with a format."""

    LOW = 1


@dataclasses.dataclass
class Record:
    """Members that may be None, with and without a default."""

    a: int | None
    b: Any = None
    c: int | None = 5


class Later(dt.datetime):
    """A subclass, as pandas and pendulum have."""


@pytest.mark.parametrize(
    ("nan", "text"),
    [
        ("null", b"[null,null,null,null,null,1.5]"),
        ("literal", b"[NaN,Infinity,-Infinity,NaN,-Infinity,1.5]"),
        ("string", b'["NaN","Infinity","-Infinity","NaN","-Infinity",1.5]'),
    ],
)
def test_nan(nan: Any, text: bytes) -> None:
    """In lists, members, fields and typed positions, and with spaces."""
    assert encode(NAN, nan=nan) == text
    first = text[1:-1].split(b",", 1)[0]
    for value, tp in [({"a": math.nan}, Any), ({"a": math.nan}, dict[str, float])]:
        assert encode(value, tp, nan=nan) == b'{"a":' + first + b"}"
    assert encode([math.nan], nan=nan, indent=2) == b"[\n  " + first + b"\n]"
    with pytest.raises(TypeError, match="expected a finite number, found NaN"):
        encode({math.nan: 1}, nan=nan)


def test_literals_are_what_json_reads() -> None:
    """`json.loads` reads them."""
    read = json.loads(encode([math.nan, {"a": -math.inf}], nan="literal"))
    assert math.isnan(read[0])
    assert read[1] == {"a": -math.inf}


def test_nan_in_numpy() -> None:
    """Arrays of every float, and scalars."""
    np = pytest.importorskip("numpy")
    for dtype in ("f8", "f4", "f2"):
        array = np.array([[1.5, math.nan], [math.inf, -math.inf]], dtype)
        assert encode(array, nan="literal") == b"[[1.5,NaN],[Infinity,-Infinity]]"
        assert encode({"a": array[0, 1]}, nan="string") == b'{"a":"NaN"}'
        assert encode(array, nan="null") == b"[[1.5,null],[null,null]]"


def test_numpy_keys() -> None:
    """As the numbers and times that they equal."""
    np = pytest.importorskip("numpy")
    keys = {
        np.int64(-3): 1,
        np.uint64(2**64 - 1): 2,
        np.float32(0.1): 3,
        np.float64(1e16): 4,
        np.bool_(True): 5,
        np.str_("é"): 6,
        np.datetime64("2026-01-02"): 7,
        np.int8(5): 8,
    }
    names = ["-3", "18446744073709551615", "0.1", "1e+16", "true", "é"]
    names += ["2026-01-02T00:00:00", "5"]
    assert list(json.loads(encode(keys))) == names
    assert list(json.loads(encode(keys, sort_keys=True))) == sorted(names)
    for wrong in (np.float32("nan"), np.datetime64("NaT", "s")):
        with pytest.raises(TypeError, match=r"at \$"):
            encode({wrong: 1})


TEXTS = ["ok€", 'a"\ud800b\n\\', {"k\udfff": 1, "é" * 100: "x" * 200 + "\ud83d\ude00"}]


def test_surrogates() -> None:
    """Refused, replaced or escaped; other texts are as always."""
    with pytest.raises(TypeError, match=r"surrogates not allowed at \$\[1\]$"):
        encode(TEXTS)
    replaced = json.loads(encode(TEXTS, surrogates="replace"))
    assert replaced == [
        "ok€",
        'a"�b\n\\',
        {"k�": 1, "é" * 100: "x" * 200 + "��"},
    ]
    written = encode(TEXTS, surrogates="escape")
    assert written.startswith(b'["ok\xe2\x82\xac","a\\"\\ud800b\\n\\\\",{"k\\udfff":1,')
    # Two surrogates that form a pair are read as one character.
    assert json.loads(written)[2]["é" * 100] == "x" * 200 + "\U0001f600"
    spaced = encode(TEXTS, surrogates="escape", indent=2)
    assert (
        spaced
        == json.dumps(TEXTS, indent=2, ensure_ascii=False)
        .replace("\ud800", "\\ud800")
        .replace("\udfff", "\\udfff")
        .replace("\ud83d\ude00", "\\ud83d\\ude00")
        .encode()
    )


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("indent", [None, 1])
@given(
    st.recursive(
        st.text(st.characters(), max_size=90),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text(st.characters(), max_size=40), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_escaped_surrogates_round_trip(indent: Any, sort: bool, value: Any) -> None:
    """What Python's json reads of it is what it reads of its own text."""
    text = encode(value, surrogates="escape", indent=indent, sort_keys=sort)
    expected = json.loads(json.dumps(value))
    assert json.loads(text) == expected
    replaced = encode(value, surrogates="replace", indent=indent, sort_keys=sort)
    replaced.decode()
    snooze.loads(replaced)


@pytest.mark.parametrize(
    ("timespec", "texts"),
    [
        ("auto", ["05.000067+00:00", "05", "05", "05.000067"]),
        ("seconds", ["05+00:00", "05", "05", "05"]),
        ("milliseconds", ["05.000+00:00", "05.000", "05.000", "05.000"]),
        (
            "microseconds",
            ["05.000067+00:00", "05.000000", "05.000000", "05.000067"],
        ),
    ],
)
def test_timespec(timespec: Any, texts: list[str]) -> None:
    """As of `isoformat`, for each kind of time, in values, keys and fields."""
    later = Later(2026, 1, 2, 3, 4, 5)
    values: list[Any] = [AWARE, NAIVE, later, dt.time(3, 4, 5, 67)]
    days = ["2026-01-02T"] * 3 + [""]
    expected = [f"{day}03:04:{text}" for day, text in zip(days, texts, strict=True)]
    encoder = Encoder(timespec=timespec)
    assert json.loads(encoder.encode(values)) == expected
    assert [one.isoformat(timespec=timespec) for one in values] == expected
    assert (
        list(json.loads(encoder.encode(dict.fromkeys(values[:2], 1)))) == expected[:2]
    )
    typed = Encoder(dict[dt.datetime, dt.datetime], timespec=timespec)
    assert json.loads(typed.encode({AWARE: NAIVE})) == {expected[0]: expected[1]}
    assert encoder.encode([dt.date(2026, 1, 2)]) == b'["2026-01-02"]'
    berlin = dt.timezone(dt.timedelta(hours=1))
    value = [dt.time(3, 4, 5, tzinfo=berlin), AWARE.astimezone(berlin)]
    assert json.loads(encoder.encode(value)) == [
        one.isoformat(timespec=timespec) for one in value
    ]


@given(
    st.datetimes(timezones=st.none() | st.just(dt.UTC) | st.timezones()),
    st.sampled_from(["auto", "seconds", "milliseconds", "microseconds"]),
)
def test_times_are_read_again(value: dt.datetime, timespec: Any) -> None:
    """What is written is what is read, cut to the digits."""
    (read,) = decode(encode([value], timespec=timespec), list[dt.datetime])
    cut = {"seconds": 10**6, "milliseconds": 1000}.get(timespec, 1)
    assert read.replace(tzinfo=None) == value.replace(
        microsecond=value.microsecond // cut * cut, tzinfo=None, fold=0
    )
    assert read.utcoffset() == value.utcoffset()


def test_zones() -> None:
    """`Z`, and UTC where there is no zone."""
    value = [AWARE, NAIVE]
    assert encode(value, utc_z=True, timespec="seconds") == (
        b'["2026-01-02T03:04:05Z","2026-01-02T03:04:05"]'
    )
    assert encode(value, naive_utc=True, timespec="seconds") == (
        b'["2026-01-02T03:04:05+00:00","2026-01-02T03:04:05+00:00"]'
    )
    both = Encoder(
        list[dt.datetime], utc_z=True, naive_utc=True, timespec="milliseconds"
    )
    assert both.encode(value) == (
        b'["2026-01-02T03:04:05.000Z","2026-01-02T03:04:05.000Z"]'
    )


class Stubborn(dt.datetime):
    """A subclass that writes another text, or a zone where there is none."""

    def isoformat(self, *_: Any) -> str:
        return super().isoformat() + "Z" if self.tzinfo is None else "noon"


def test_zones_of_subclasses() -> None:
    """Subclasses of datetime, which write their own text, follow the options too."""
    zone = dt.timezone(dt.timedelta(hours=-1))
    value = [
        Later(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
        Later(2026, 1, 2, 3, 4, 5),
        Later(2026, 1, 2, tzinfo=zone),
        Stubborn(2026, 1, 2, tzinfo=dt.UTC),
        Stubborn(2026, 1, 2),
        dt.time(3, 4, tzinfo=dt.UTC),
    ]
    start, rest = (
        '["2026-01-02T03:04:05',
        '"2026-01-02T00:00:00-01:00","noon","2026-01-02T00:00:00Z",',
    )
    cases = [
        ({}, '+00:00","2026-01-02T03:04:05"', '"03:04:00+00:00"'),
        ({"utc_z": True}, 'Z","2026-01-02T03:04:05"', '"03:04:00+00:00"'),
        (
            {"naive_utc": True},
            '+00:00","2026-01-02T03:04:05+00:00"',
            '"03:04:00+00:00"',
        ),
        (
            {"naive_utc": True, "utc_z": True},
            'Z","2026-01-02T03:04:05Z"',
            '"03:04:00+00:00"',
        ),
    ]
    for options, first, time in cases:
        expected = f"{start}{first},{rest}{time}]"
        assert encode(value, **options).decode() == expected
        as_keys = encode(dict.fromkeys(value[:2], 0), **options).decode()
        assert as_keys == "{" + start[1:] + first.replace(",", ":0,") + ":0}"
    found = encode([value[0]], utc_z=True, timespec="milliseconds")
    assert found == b'["2026-01-02T03:04:05.000Z"]'


def test_formats_for_all_values() -> None:
    """In `Any`, in types and in fields; a class and a field say it for themselves."""
    formats: Any = {
        dt.datetime: "unix_ms",
        bytes: "hex",
        bytearray: Format("base64url"),
        dt.timedelta: "seconds",
        enum.Enum: "name",
    }
    value: list[Any] = [AWARE.replace(microsecond=0), b"\xff\x00"]
    value += [bytearray(b"\xff\xff")]
    value += [dt.timedelta(minutes=1), Level.LOW]
    text = b'[1767323045000,"ff00","__8",60,"LOW"]'
    assert encode(value, formats=formats) == text
    assert encode(value[0], dt.datetime, formats=formats) == b"1767323045000"
    assert encode({"a": b"\x01"}, dict[str, bytes], formats=formats) == b'{"a":"01"}'

    @configure(formats={bytes: "default"})
    @dataclasses.dataclass
    class Both:
        data: bytes
        when: dt.datetime

    assert encode(Both(b"\xff", value[0]), Both, formats=formats) == (
        b'{"data":"/w==","when":1767323045000}'
    )
    later = Later(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    assert encode([later], formats=formats) == b"[1767323045000]"
    with pytest.raises(TypeError, match="expected datetime with an offset"):
        encode([NAIVE], formats=formats)


def test_none() -> None:
    """`omit_none="all"` leaves out every member that is None, and no item."""
    value = {"a": None, "b": [None, {"c": None, "d": 0}], "e": Record(None, None, None)}
    text = b'{"b":[null,{"d":0}],"e":{}}'
    assert encode(value, omit_none="all") == text
    assert encode(value, omit_none=True) == (
        b'{"a":null,"b":[null,{"c":null,"d":0}],"e":{"a":null,"c":null}}'
    )
    assert encode({"a": None}, dict[str, int | None], omit_none="all") == b"{}"
    assert encode(Record(None), Record, omit_none="all", omit_defaults=True) == b"{}"
    assert encode(collections.OrderedDict(a=None, b=1), omit_none="all") == b'{"b":1}'
    assert encode(Pair(1), omit_none="all") == b"[1,null]"
    assert encode(Pair(1), omit_none="all", namedtuple="object") == b'{"a":1}'
    spaced = encode({"a": None, "b": {"c": None}}, omit_none="all", indent=2)
    assert spaced == b'{\n  "b": {}\n}'
    assert encode({"b": 1, "a": None}, omit_none="all", sort_keys=True) == b'{"b":1}'


def test_named_tuples() -> None:
    """As arrays, or as objects; a class may say it for itself."""
    value = [Pair(1, Untyped(2, 3)), (4,), Fixed(5)]
    assert encode(value) == b"[[1,[2,3]],[4],[5]]"
    assert encode(value, namedtuple="object") == (
        b'[{"a":1,"b":{"a":2,"b":3}},[4],[5]]'
    )
    assert encode([Pair(1)], list[Pair], namedtuple="object") == b'[{"a":1,"b":null}]'


def test_classes_that_fit_only_with_an_option() -> None:
    """They can be written where the type is `Any`, too."""

    @configure(tag="named")
    @dataclasses.dataclass
    class Named:
        type: str

    @configure(sort_keys=True)
    class Sorted(NamedTuple):
        b: int
        a: int

    assert encode([Named("x")], rename="upper") == b'[{"type":"named","TYPE":"x"}]'
    built = snooze.to_builtins(Named("x"), rename=str.upper)
    assert built == {"type": "named", "TYPE": "x"}
    assert encode([Sorted(1, 2)], namedtuple="object") == b'[{"a":2,"b":1}]'
    with pytest.raises(TypeError, match="has the name of the field type"):
        encode([Named("x")])


def test_iterables() -> None:
    """Generators, ranges, views and classes with `__iter__`, as arrays."""

    class Bag:
        def __iter__(self) -> Any:
            return iter([1, (n for n in (2, 3))])

    value = [range(2), (n for n in "ab"), {"a": 1}.keys(), map(str, [1]), Bag()]
    assert encode(value, iterables=True) == b'[[0,1],["a","b"],["a"],["1"],[1,[2,3]]]'
    assert encode(iter(()), iterables=True) == b"[]"
    for one in (range(2), iter([1]), Bag()):
        with pytest.raises(TypeError, match="Type is not JSON serializable"):
            encode([one])
    # Text, bytes and mappings are none.
    assert encode(["ab", b"ab", collections.UserDict(a=1)], iterables=True) == (
        b'["ab","YWI=",{"a":1}]'
    )

    def broken() -> Any:
        yield 1
        raise LookupError("end")

    with pytest.raises(LookupError, match="^end$"):
        encode([broken()], iterables=True)
    with pytest.raises(TypeError, match=r"at \$\[0\]\[1\]$"):
        encode([iter([1, object()])], iterables=True)


def nested(depth: int, kind: str) -> Any:
    """Return containers inside each other."""
    value: Any = 1
    for _ in range(depth):
        value = {"list": [value], "tuple": (value,), "dict": {"a": value}}[kind]
    return value


@pytest.mark.parametrize("kind", ["list", "tuple", "dict"])
@pytest.mark.parametrize("limit", [1, 2, 15, 16, 17, 33, 50, 100, 1023, 1024])
def test_max_depth(kind: str, limit: int) -> None:
    """The limit is exact, whatever walk meets it."""
    encoder = Encoder(max_depth=limit)
    assert encoder.encode(nested(limit, kind))
    message = f"(?m)^Recursion limit reached: nested deeper than max_depth={limit}$"
    with pytest.raises(TypeError, match=message):
        encoder.encode(nested(limit + 1, kind))


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        (
            {"nan": "nil"},
            ValueError,
            "'null', 'error', 'literal' or 'string', found 'nil'",
        ),
        (
            {"surrogates": "keep"},
            ValueError,
            "expected 'error', 'replace' or 'escape', found 'keep'",
        ),
        (
            {"namedtuple": "dict"},
            ValueError,
            "expected 'array' or 'object', found 'dict'",
        ),
        ({"timespec": "minutes"}, ValueError, "timespec: expected 'auto'"),
        ({"omit_none": "some"}, TypeError, "needs True or False, or 'all', not 'some'"),
        ({"iterables": 1}, TypeError, "iterables needs True or False, not 1"),
        ({"naive_utc": None}, TypeError, "naive_utc needs True or False, not None"),
        ({"utc_z": "Z"}, TypeError, "utc_z needs True or False, not 'Z'"),
        ({"max_depth": 0}, ValueError, "max_depth=0 is not from 1 to 1024"),
        ({"max_depth": 1025}, ValueError, "max_depth=1025 is not from 1 to 1024"),
        ({"max_depth": True}, TypeError, "max_depth needs an int, not True"),
        ({"formats": {int: "hex"}}, TypeError, "the format 'hex' is for"),
        ({"formats": {"x": "hex"}}, TypeError, "the keys are classes, as in"),
        ({"formats": "hex"}, TypeError, "formats needs a dict"),
        ({"nan": "literal", "ensure_ascii": True}, ValueError, "cannot be combined"),
        ({"nan": "literal", "indent": " \t"}, ValueError, "cannot be combined"),
        (
            {"surrogates": "escape", "separators": (", ", ":")},
            ValueError,
            "cannot be combined",
        ),
        ({"surrogate": "escape"}, TypeError, "unexpected keyword argument"),
    ],
)
def test_wrong_options(options: Any, kind: Any, text: str) -> None:
    """An unknown or contradictory option is an error when the encoder is made."""
    with pytest.raises(kind) as caught:
        Encoder(**options)
    assert text in str(caught.value)


@pytest.mark.parametrize("method", ["__str__", "__class__", "__reduce__"])
def test_methods_of_every_object_are_no_json_method(method: str) -> None:
    """Each value would have one."""
    with pytest.raises(ValueError, match="is a method of every object"):
        Encoder(json_method=method)


def test_naive_utc_and_a_format_without_zones() -> None:
    """The option would have no effect."""
    with pytest.raises(ValueError, match="naive_utc has no effect"):
        Encoder(naive_utc=True, formats={dt.datetime: "unix"})
