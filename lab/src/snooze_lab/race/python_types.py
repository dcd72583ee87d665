"""Types of Python, one a row: a thousand values of each, read and written with a type.

Separate from typed.py, whose structures have strings, numbers and booleans only, as the
documents have them. Invariants: every contender of a row reads the same text, or writes
equal values, made for it alone; what it reads is compared with values that Python's own
constructors make, and what it writes is read by the other typed library, before it is
timed. orjson, the measure of every row, reads the text without a type, and writes the
values that the text has. Used by command.py.

    loads     snooze Decoder(T)     msgspec Decoder(T)    orjson loads
    dumps     snooze Encoder(T)     msgspec Encoder()     orjson dumps of plain values

Rows have the names of the types, except: `optional int` is `int | None`, `tuple` and
the classes have two fields each, `vectors` are lists of eight floats, `dict str`,
`dict int` and `dict Any` are `dict[str, int]`, `dict[int, int]` and `dict[str, Any]`.
Times are in UTC, whose offset snooze writes as +00:00 and msgspec as Z; durations also
have several texts.
"""

from __future__ import annotations

import base64
import enum
import importlib
import json
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from snooze_lab.model import AGAIN, OURS, REFERENCE
from snooze_lab.race.typed import MSGSPEC, Typed
from snooze_lab.workloads import Workload, generated
from snooze_lab.workloads.operations import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders import Call

GROUP = "types"
CONTENDERS = (OURS, MSGSPEC, REFERENCE, AGAIN)
COUNT = 1_000


class Colour(enum.Enum):
    """An enum of texts."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Level(enum.IntEnum):
    """An enum of numbers."""

    LOW = 10
    MIDDLE = 20
    HIGH = 30


class Pair(NamedTuple):
    """Written as an array."""

    number: int
    ratio: float


class Table(TypedDict):
    """A dict with known names."""

    number: int
    name: str


@dataclass(slots=True)
class Point:
    """A small class of floats."""

    x: float
    y: float


@dataclass(frozen=True)
class Kind:
    """A row: the type of the whole document, its plain values, and how to read them."""

    annotation: Any
    plain: Any
    #: The value of the document, of what json reads.
    made: Callable[[Any], Any]


def _each(annotation: Any, plain: list[Any], make: Callable[[Any], Any]) -> Kind:
    return Kind(list[annotation], plain, lambda found: [make(one) for one in found])


def kinds() -> dict[str, Kind]:
    """Return every row by its name."""
    dice = generated.Dice(350)
    numbers = [dice.below(10 ** (1 + number % 6)) for number in range(COUNT)]
    units = [dice.unit() for _ in range(COUNT)]
    words = [dice.text("ascii", 1) for _ in range(COUNT)]
    moments = [
        datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=7_919 * number)
        for number in range(COUNT)
    ]
    lengths = [timedelta(seconds=number * 13) for number in numbers]
    return {
        "int": _each(int, numbers, int),
        "float": _each(float, units, float),
        "str": _each(str, words, str),
        "datetime": _each(
            datetime, [one.isoformat() for one in moments], datetime.fromisoformat
        ),
        "date": _each(
            date, [one.date().isoformat() for one in moments], date.fromisoformat
        ),
        "time": _each(
            time, [one.time().isoformat() for one in moments], time.fromisoformat
        ),
        "timedelta": _each(
            timedelta,
            [f"PT{one.total_seconds():.0f}S" for one in lengths],
            lambda text: timedelta(seconds=int(text[2:-1])),
        ),
        "UUID": _each(
            uuid.UUID,
            [str(uuid.UUID(int=number * 2**90 + 7)) for number in numbers],
            uuid.UUID,
        ),
        "Decimal": _each(
            Decimal, [f"{number}.{number % 100:02d}" for number in numbers], Decimal
        ),
        "bytes": _each(
            bytes,
            [base64.b64encode(word.encode() * 2).decode() for word in words],
            base64.b64decode,
        ),
        "Enum": _each(
            Colour, [[*Colour][number % 3].value for number in numbers], Colour
        ),
        "IntEnum": _each(
            Level, [[*Level][number % 3].value for number in numbers], Level
        ),
        "Literal": _each(
            Literal["red", "green", "blue"],
            [[*Colour][number % 3].value for number in numbers],
            str,
        ),
        "optional int": _each(
            int | None,
            [None if number % 3 else number for number in numbers],
            lambda value: value,
        ),
        "set": Kind(set[int], sorted({*range(COUNT)}), set),
        "tuple": _each(tuple[int, float], [*zip(numbers, units, strict=True)], tuple),
        "vectors": _each(
            list[float], [units[at : at + 8] for at in range(0, COUNT, 8)], list
        ),
        "dict str": Kind(
            dict[str, int], {f"key {at}": one for at, one in enumerate(numbers)}, dict
        ),
        "dict int": Kind(
            dict[int, int],
            {str(at * 7): one for at, one in enumerate(numbers)},
            lambda found: {int(name): one for name, one in found.items()},
        ),
        "dict Any": _each(
            dict[str, Any],
            [
                {"id": one, "name": word, "ratio": unit, "tags": [word, None]}
                for one, word, unit in zip(numbers, words, units, strict=True)
            ],
            dict,
        ),
        "dataclass": _each(
            Point, [{"x": one, "y": -one} for one in units], lambda one: Point(**one)
        ),
        "NamedTuple": _each(
            Pair, [*zip(numbers, units, strict=True)], lambda one: Pair(*one)
        ),
        "TypedDict": _each(
            Table,
            [
                {"number": one, "name": word}
                for one, word in zip(numbers, words, strict=True)
            ],
            dict,
        ),
    }


def rows(directions: list[str]) -> list[Typed]:
    """Return every row of the group."""
    found = kinds()
    return [
        _row(direction, name, kind)
        for direction in directions
        for name, kind in found.items()
    ]


def _row(direction: str, name: str, kind: Kind) -> Typed:
    """Return a row: the same text, or equal values, for every contender."""
    text = generated.compact(kind.plain)
    make = _writing if direction == "dumps" else _reading
    jobs = {one: partial(make, one, kind, text) for one in CONTENDERS}
    return Typed(GROUP, direction, Workload(name, [text]), len(text), jobs)


def decoder(contender: str, annotation: Any) -> Call:
    """Return the call with which a contender reads a type."""
    module = importlib.import_module(OURS if contender == OURS else "msgspec.json")
    found: Call = module.Decoder(annotation).decode
    return found


def encoder(contender: str, annotation: Any) -> Call:
    """Return the call with which a contender writes a type."""
    if contender == OURS:
        own: Call = importlib.import_module(OURS).Encoder(annotation).encode
        return own
    found: Call = importlib.import_module("msgspec.json").Encoder().encode
    return found


def _reading(contender: str, kind: Kind, text: bytes) -> Job:
    is_plain = contender in {REFERENCE, AGAIN}
    if is_plain:
        call = importlib.import_module(REFERENCE).loads
    else:
        call = decoder(contender, kind.annotation)
    plain = json.loads(text)
    wanted = plain if is_plain else kind.made(plain)
    fault = partial(_fault, wanted)
    return Job(call, partial(bytes, text), fault, lambda _: len(text))


def _writing(contender: str, kind: Kind, text: bytes) -> Job:
    plain = json.loads(text)
    if contender in {REFERENCE, AGAIN}:
        dumps = importlib.import_module(REFERENCE).dumps
        return Job(
            dumps,
            partial(json.loads, text),
            lambda found: _fault(plain, json.loads(found)),
            len,
        )
    other = decoder(MSGSPEC if contender == OURS else OURS, kind.annotation)
    wanted = kind.made(plain)
    return Job(
        encoder(contender, kind.annotation),
        lambda: kind.made(json.loads(text)),
        lambda found: _fault(wanted, other(found)),
        len,
    )


def _fault(wanted: Any, found: Any) -> str:
    """Return what is wrong with a value: its types count, item by item."""
    if found != wanted or type(found) is not type(wanted):
        return "other values"
    if isinstance(found, list) and [*map(type, found)] != [*map(type, wanted)]:
        return "values of other types"
    return ""
