"""What must hold for any bytes that a typed codec reads: a property for fuzzing.

Separate from its campaign (`make fuzz TARGET=typed`), because the suite replays what
that has found (`tests/safety/test_fuzz_corpus.py`). Invariant: `check` returns for all
bytes, or there is a fault in snooze. The first byte chooses the type, the second how
the text is cut where it arrives in pieces, and the rest is the text.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import typing
import uuid
from typing import Annotated, Any, Literal, NamedTuple

import snooze
from helpers.equality import same


class Color(enum.Enum):
    """Texts."""

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    """Integers."""

    LOW = 1
    HIGH = 2


class Pair(NamedTuple):
    """An array."""

    first: int
    second: str = "x"


class Options(typing.TypedDict, total=False):
    """An object without required members."""

    deep: bool
    name: typing.Required[str]


@dataclasses.dataclass
class Point:
    """Required and optional numbers."""

    x: float
    y: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """Refuses unknown members."""

    count: Annotated[int, snooze.Ge(-10), snooze.Le(1000)]
    label: Annotated[str, snooze.Len(0, 8)] | None = None


snooze.configure(unknown="forbid", rename="camel")(Closed)


@dataclasses.dataclass
class Node:
    """Contains itself."""

    value: int | str | None = None
    children: list[Node] = dataclasses.field(default_factory=list)


@snooze.configure(tag="circle")
@dataclasses.dataclass
class Circle:
    """Has a tag."""

    radius: float


@snooze.configure(tag="square")
@dataclasses.dataclass
class Square:
    """Has another one."""

    side: int
    corner: Point | None = None


@snooze.configure(array_like=True)
@dataclasses.dataclass
class Row:
    """An array of fields."""

    id: int
    tags: frozenset[str] = frozenset()
    at: datetime.date | None = None


@dataclasses.dataclass
class Moments:
    """Texts with a form."""

    moment: datetime.datetime
    clock: datetime.time | None = None
    span: datetime.timedelta | None = None


@dataclasses.dataclass
class Values:
    """Scalars that JSON does not have."""

    price: decimal.Decimal
    data: bytes = b""
    key: uuid.UUID | None = None


@dataclasses.dataclass
class Extra:
    """Collects the other members."""

    id: int
    rest: Annotated[dict[str, list[int]], snooze.Field(rest=True)] = dataclasses.field(
        default_factory=dict
    )


#: Types, each with a document of it. The number of a type stays: a corpus has it.
SAMPLES: tuple[tuple[Any, bytes], ...] = (
    (list[int], b"[1, -2, 18446744073709551616]"),
    (list[float], b"[1, -2.5, 1e3, 12345678901234567890.5]"),
    (dict[str, list[str | None]], b'{"a": ["x", null], "\\u00e9": ["\\n"]}'),
    (dict[int, float], b'{"1": 2.5, "-30": 4}'),
    (tuple[int, str, bool], b'[1, "a", true]'),
    (tuple[Pair, ...], b'[[1, "a"], [2]]'),
    (frozenset[int], b"[1, 2, 2]"),
    (Point, b'{"x": 1.5, "y": 2}'),
    (list[Point], b'[{"y": 1, "x": 0.1}, {"x": 1, "z": [{}]}]'),
    (Closed, b'{"count": 7, "label": "ab"}'),
    (Node, b'{"value": "a", "children": [{"value": 1}, {"children": [{}]}]}'),
    (Circle | Square, b'{"type": "square", "side": 2, "corner": {"x": 1}}'),
    (list[Row], b'[[1], [2, ["a"], "2026-11-21"]]'),
    (Moments, b'{"moment": "2026-11-21T06:30:00.25+01:00", "span": "P1DT2H"}'),
    (Values, b'{"price": "1.10", "data": "YWJj"}'),
    (Options, b'{"name": "a", "deep": false}'),
    (list[Color | Level | None], b'["red", 2, null]'),
    (dict[Color, Literal["a", 1, True] | None], b'{"green": "a", "red": 1}'),
    (Extra, b'{"id": 1, "a": [2], "b": []}'),
    (list[int | float | str | list[bool] | Point], b'[1, 2.0, "", [true], {"x": 1}]'),
    (
        Annotated[list[Annotated[str, snooze.Pattern("^[a-z]+$")]], snooze.MaxLen(3)],
        b'["a"]',
    ),
    (list[datetime.date | int], b'["2026-11-21", 5]'),
    (
        dict[uuid.UUID, decimal.Decimal],
        b'{"00000000-0000-0000-0000-000000000001": 1.50}',
    ),
    (Any, b'{"a": [1, 2.5, "x", null, {"b": true}]}'),
)

Outcome = tuple[Any, "snooze.JSONDecodeError | None"]


class Codecs:
    """The codecs of one type."""

    def __init__(self, tp: Any) -> None:
        """Make them."""
        self.is_any = tp is Any
        self.has_sets = any(name in repr(tp) for name in ("frozenset", "Row"))
        self.decoder = snooze.Decoder(tp)
        self.all_problems = snooze.Decoder(tp, errors="all")
        self.lax = snooze.Decoder(tp, strict=False)
        self.converter = snooze.Converter(tp)
        self.encoder = snooze.Encoder(tp)
        self.indented = snooze.Encoder(tp, indent=1)
        self.type = tp


CODECS = [Codecs(tp) for tp, _ in SAMPLES]
EXACT = snooze.Decoder(numbers="decimal")
UNIQUE = snooze.Decoder(duplicates="error")


def seeds() -> list[bytes]:
    """Return an input for each type."""
    return [bytes([number, 4]) + text for number, (_, text) in enumerate(SAMPLES)]


def check(data: bytes) -> None:
    """Check one input.

    Raises:
        AssertionError: Two ways to read or to write the text differ.
    """
    if len(data) < 2:
        return
    codecs, step, text = CODECS[data[0] % len(CODECS)], data[1] % 16 + 1, data[2:]
    value, error = outcome(codecs.decoder.decode, text)
    objects, fault = outcome(EXACT.decode, text)
    if fault is not None and "range of Decimal" in fault.msg:
        return  # these objects do not exist
    assert fault is None or error is not None
    check_whole(codecs, text, value, error)
    check_pieces(codecs.decoder, text, step, (value, error), is_json=fault is None)
    if fault is None and not codecs.is_any:
        check_converter(codecs, text, objects, (value, error))
    if error is None:
        check_writers(codecs, value)
        lax, lax_error = outcome(codecs.lax.decode, text)
        assert lax_error is None
        assert same(lax, value)


def outcome(read: Any, *arguments: Any) -> Outcome:
    """Return a value, or the error of a text that cannot be read."""
    try:
        return read(*arguments), None
    except snooze.JSONDecodeError as error:
        return None, error


def agree(first: Outcome, second: Outcome) -> None:
    """Assert that two outcomes are the same, messages and places included."""
    assert described(first[1]) == described(second[1])
    assert same(first[0], second[0])


def described(error: snooze.JSONDecodeError | None) -> object:
    """Return what an error says that needs no text: a document in pieces has none."""
    problems = getattr(error, "errors", None)
    return error and (type(error), error.msg, error.lineno, error.colno, problems)


def check_pieces(
    decoder: Any, text: bytes, step: int, expected: Outcome, *, is_json: bool
) -> None:
    """Check that a text that arrives in pieces is read as one that is there."""

    def in_pieces() -> Any:
        document = decoder.partial()
        for start in range(0, len(text), step):
            document.feed(text[start : start + step])
        return document.close()

    found = outcome(in_pieces)
    if is_json:
        agree(found, expected)
    else:
        assert found[1] is not None


def check_whole(codecs: Codecs, text: bytes, value: Any, error: Any) -> None:
    """Check the other ways to read a text that is there."""
    decoder = codecs.decoder
    assert str(outcome(decoder.validate_only, text)[1]) == str(error)
    found, other = outcome(codecs.all_problems.decode, text)
    if error is None:
        agree((found, other), (value, None))
        assert same(list(decoder.iter_items([b"[", text, b"]"])), [value])
        if b"\n" not in text:
            assert same(decoder.decode_lines(text), [value])
    elif isinstance(other, snooze.ValidationError):
        assert isinstance(error, snooze.ValidationError)
        assert error.errors[0] == other.errors[0]
    else:
        assert other is not None


def check_converter(
    codecs: Codecs, text: bytes, objects: Any, expected: Outcome
) -> None:
    """Check that the objects of a text are read by the rules of the text."""
    if outcome(UNIQUE.decode, text)[1] is not None:
        return  # only the text has both members
    if has_whole_decimal(objects):
        return  # 1e0 is not an integer, and its Decimal is one
    found, other = outcome(codecs.converter.convert, objects)
    assert (other and other.pointer) == (expected[1] and expected[1].pointer), other
    if other is None and b"-0" in text:
        # As an object, -0 is the int 0, and so the float 0.0.
        texts = [codecs.encoder.encode(one) for one in (found, expected[0])]
        assert texts[0].replace(b"-0.0", b"0.0") == texts[1].replace(b"-0.0", b"0.0")
    else:
        assert same(found, expected[0])


def has_whole_decimal(objects: Any) -> bool:
    """Tell whether a Decimal in the objects of a text is written without a point."""
    stack = [objects]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
        elif isinstance(one, decimal.Decimal) and one.as_tuple().exponent == 0:
            return True
    return False


def check_writers(codecs: Codecs, value: Any) -> None:
    """Check that a value is written, and read back as it is."""
    encoder, decoder = codecs.encoder, codecs.decoder
    text = encoder.encode(value)
    again = decoder.decode(text)
    assert same(again, value)
    if not codecs.has_sets:  # whose order depends on that in which the items came
        assert encoder.encode(again) == text
    assert encoder.encode_str(value).encode() == text
    buffer = bytearray(b"x")
    assert encoder.encode_into(value, buffer, 1) == len(text) + 1
    assert bytes(buffer[1:]) == text
    indented = codecs.indented.encode(value)
    assert snooze.reformat(indented) == text
    assert snooze.reformat(text, indent=1) == indented
    assert same(decoder.decode(indented), value)
    plain = snooze.to_builtins(value, codecs.type, str_keys=True)
    assert same(plain, snooze.decode(text))
