"""Hypothesis strategies: JSON trees, objects of every supported kind, documents.

Used by the property and differential tests. snooze and orjson must agree on the objects
made here; a case where they differ on purpose is not generated, and each such gap is a
named constant or function that says what it leaves out.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import uuid
import zoneinfo
from typing import Any

from hypothesis import strategies as st

ZONES = (
    "UTC",
    "Europe/Amsterdam",
    "Australia/Adelaide",
    "America/New_York",
    "Asia/Kathmandu",
)

#: Text that UTF-8 can represent, and text with lone surrogates for the error paths.
texts = st.text(st.characters(codec="utf-8"), max_size=40)
broken_texts = st.text(st.characters(), max_size=20)
long_texts = st.builds(lambda part, times: part * times, texts, st.integers(1, 40))

ints = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.integers(-1000, 1000),
    st.sampled_from([n + d for n in (2**31, 2**53, 2**63, 2**64) for d in (-1, 0, 1)]),
    st.integers(),
)
valid_ints = st.integers(-(2**63), 2**64 - 1)
floats = st.one_of(
    st.floats(), st.decimals(allow_nan=False, allow_infinity=False).map(float)
)


def json_values(floats: bool = True, max_leaves: int = 40) -> st.SearchStrategy[Any]:
    """Return trees of exactly the types that loads returns."""
    leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | texts
    if floats:
        leaves |= st.floats(allow_nan=False, allow_infinity=False)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=8) | st.dictionaries(texts, inner, max_size=8)
        ),
        max_leaves=max_leaves,
    )


def _whole_minutes(zone: datetime.tzinfo | None) -> Any:
    """Leave out offsets with seconds (old local mean times): the two round differently."""

    def keep(moment: datetime.datetime) -> bool:
        offset = moment.replace(tzinfo=zone).utcoffset() if zone else None
        return (
            offset is None
            or offset % datetime.timedelta(minutes=1) == datetime.timedelta()
        )

    return keep


def _zoned(zone: datetime.tzinfo | None) -> st.SearchStrategy[datetime.datetime]:
    return (
        st.datetimes(allow_imaginary=True)
        .filter(_whole_minutes(zone))
        .map(lambda moment: moment.replace(tzinfo=zone))
    )


fixed_zones = st.integers(-1439, 1439).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)
zones = st.one_of(
    st.none(),
    st.just(datetime.UTC),
    fixed_zones,
    st.sampled_from(ZONES).map(zoneinfo.ZoneInfo),
)
datetimes = zones.flatmap(_zoned)
times = st.times()
dates = st.dates()


def _fraction_orjson_can_write(value: datetime.time) -> bool:
    """Leave out times whose fraction starts with one zero: orjson drops that zero."""
    return not 10_000 <= value.microsecond < 100_000


agreed_times = times.filter(_fraction_orjson_can_write)
uuids = st.builds(uuid.UUID, int=st.integers(0, 2**128 - 1))


class StrSub(str):
    """A str subclass."""

    __slots__ = ()


class IntSub(int):
    """An int subclass."""


class ListSub(list):
    """A list subclass."""


class DictSub(dict):
    """A dict subclass."""


class TupleSub(tuple):
    """A tuple subclass: refused."""

    __slots__ = ()


class FloatSub(float):
    """A float subclass: refused."""


class Opaque:
    """An object that only `default` can handle."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Opaque({self.value!r})"


def unwrap(obj: Any) -> Any:
    """Handle Opaque and the objects that options pass through."""
    if isinstance(obj, Opaque):
        return obj.value
    if isinstance(obj, (TupleSub, ListSub)):
        return list(obj)
    if isinstance(obj, (bytes, FloatSub, StrSub, IntSub)):
        return repr(obj)
    raise LookupError(type(obj).__name__)


class Colour(enum.Enum):
    """An enum with values of many kinds."""

    RED = "red"
    NUMBER = 2**60
    REAL = 0.1
    NONE = None
    MOMENT = datetime.datetime(1999, 12, 31, 23, 59, 59, 1)
    TREE = ("a", [1, {"b": 2, "a": 1}])
    OTHER = Opaque(1)


class Size(enum.IntEnum):
    """An int mixin."""

    SMALL = 1
    BIG = 2**62


class Word(enum.StrEnum):
    """A str mixin."""

    QUOTE = 'say "é"'


class Bits(enum.Flag):
    """Flags."""

    A = 1
    B = 2


@dataclasses.dataclass
class Pair:
    """A dataclass with a __dict__ and a private field."""

    first: Any
    second: Any = None
    _hidden: int = 0


@dataclasses.dataclass(slots=True)
class Slotted:
    """A dataclass with slots."""

    b: Any
    a: Any = "x"
    _hidden: int = 0


@dataclasses.dataclass(frozen=True)
class Child:
    """A frozen dataclass."""

    only: Any


enums = st.sampled_from([*Colour, *Size, *Word, *Bits, Bits.A | Bits.B])
scalars = st.one_of(
    st.none(), st.booleans(), ints, floats, texts, long_texts, broken_texts
)
others = st.one_of(datetimes, agreed_times, dates, uuids, enums)
oddities = st.one_of(
    st.binary(max_size=3),
    st.builds(StrSub, texts),
    st.builds(IntSub, valid_ints),
    st.builds(FloatSub, floats),
    st.just(object()),
    st.sets(st.integers(0, 3), max_size=2),
    st.times(timezones=st.just(datetime.UTC)),
)
str_keys = texts | broken_texts | long_texts
any_keys = st.one_of(
    str_keys,
    st.builds(StrSub, texts),
    ints,
    floats,
    st.booleans(),
    st.none(),
    datetimes,
    dates,
    agreed_times,
    uuids,
    st.sampled_from(
        [Colour.RED, Colour.NUMBER, Colour.REAL, Colour.NONE, *Size, *Word]
    ),
    st.sampled_from([Colour.TREE, Colour.OTHER, (1,), b"x", frozenset()]),
)


def _extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Add one more level of every container kind."""
    dicts = st.dictionaries(texts, inner, max_size=6)
    arrays = st.lists(inner, max_size=6)
    return st.one_of(
        arrays,
        arrays.map(tuple),
        arrays.map(ListSub),
        arrays.map(TupleSub),
        dicts,
        dicts.map(DictSub),
        st.dictionaries(str_keys, inner, max_size=3),
        st.dictionaries(any_keys, inner, max_size=3),
        st.builds(Pair, inner, inner),
        st.builds(Slotted, inner, inner),
        st.builds(Child, inner),
        st.builds(Opaque, inner),
    )


#: Mostly serializable objects, and objects of which many raise an error.
clean_objects = st.recursive(
    st.one_of(st.none(), st.booleans(), valid_ints, floats, texts, long_texts, others),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.lists(inner, max_size=6).map(tuple),
        st.dictionaries(texts, inner, max_size=6),
        st.dictionaries(texts, inner, max_size=6).map(DictSub),
        st.builds(Pair, inner, inner),
        st.builds(Slotted, inner, inner),
    ),
    max_leaves=30,
)
objects = st.recursive(scalars | others | oddities, _extend, max_leaves=25)
options = st.lists(st.sampled_from([1 << bit for bit in range(12)]), max_size=4).map(
    lambda bits: sum(set(bits))
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Draw a valid JSON document in one of several layouts."""
    value = draw(json_values())
    indent = draw(st.sampled_from([None, None, 0, 1, 2, 7]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r\n: ")]))
    text = json.dumps(
        value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans())
    )
    before, after = draw(st.sampled_from([("", ""), (" ", "\n"), ("\n\t\r ", "  ")]))
    return (before + text + after).encode("utf-8", "surrogatepass")


FRAGMENTS = [
    *(b'[ ] { } , : " \\ / - + . e E 0 1 9 t f n u a'.split(b" ")),
    *(b" ", b"\n", b"\t", b"\r", b"\x00", b"\x1f", b"\x7f", b"\x0b"),
    *(b"true", b"false", b"null", b"NaN", b"Infinity", b"tru", b"nul", b"01", b"1e400"),
    *(b"\\u", b"\\u12", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\ud83d\\u0041"),
    *(
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x98\x80",
        b"\xef\xbb\xbf",
    ),
    *(
        b"[[",
        b"]]",
        b'{"a":',
        b'"a"',
        b",]",
        b",}",
        b"[1,2]",
        b"-0",
        b"1.",
        b"1e",
        b"1e+",
    ),
]


@st.composite
def mutated_documents(draw: st.DrawFn) -> bytes:
    """Draw a valid document with a few bytes cut, doubled, replaced or inserted."""
    data = bytearray(draw(documents()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(["cut", "drop", "insert", "replace", "double"]))
        if kind == "cut":
            del data[at:]
        elif kind == "drop":
            del data[at : at + draw(st.integers(1, 4))]
        elif kind == "insert":
            data[at:at] = draw(st.sampled_from(FRAGMENTS))
        elif kind == "replace":
            data[at : at + 1] = draw(st.sampled_from(FRAGMENTS))
        else:
            data[at:at] = data[at : at + draw(st.integers(1, 12))]
    return bytes(data)


#: Documents made of grammar pieces in any order: mostly malformed in some way.
scrambled_documents = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(b"".join)

TOKENS = [
    *("[", "]", "{", "}", ",", ":"),
    *("1", '"a"', "null", " ", "\n", '{"a":1', "[1"),
]
#: Whole tokens in any order: structural errors late in the document.
token_documents = st.lists(st.sampled_from(TOKENS), max_size=20).map(
    lambda tokens: "".join(tokens).encode()
)
random_documents = st.one_of(
    st.binary(max_size=40),
    texts.map(str.encode),
    st.text("0123456789+-.eE", max_size=30).map(str.encode),
    st.text('\\"uUdDcC0123456789abfnrt/ é😀', max_size=30).map(str.encode),
)
