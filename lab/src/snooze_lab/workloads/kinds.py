"""Objects beyond plain JSON, written: classes, times, keys, layouts and arrays.

Separate because contenders support different subsets. Each kind states its options
(`Need`) and the required value of the written text (base.py); `json` is given a
`default` that converts, as its users do. Used by the race, and through
`workloads.find`: `dataclass-dict`, `numpy?dtype=int32&tenths=10`,
`sorted?document=twitter`.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import importlib
import uuid
import zoneinfo
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Need
from snooze_lab.workloads import documents, find, generated
from snooze_lab.workloads.base import Objects, Workload, WorkloadError, layout_of

if TYPE_CHECKING:
    from collections.abc import Callable

#: Rows of an array: a tenth of what orjson's own benchmark writes, unless --full.
TENTH, WHOLE = 1, 10
#: The kind that needs a database of time zones.
ZONED, ZONE = "datetime zone", "Europe/Berlin"
BEGIN = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - zones are put on below


@dataclass
class Member:
    """The fields of most of the dataclasses."""

    id: int
    active: bool
    since: str


@dataclass
class Account:
    """A dataclass with an instance dict."""

    id: int
    name: str
    members: list[Any]


def _slotted(kind: type) -> Any:
    """Return the same dataclass with slots."""
    fields = [(one.name, one.type) for one in dataclasses.fields(kind)]
    return dataclasses.make_dataclass(f"Slot{kind.__name__}", fields, slots=True)


SlotMember, SlotAccount = _slotted(Member), _slotted(Account)


class Colour(enum.Enum):
    """An enum of strings."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Level(enum.IntEnum):
    """An enum of integers."""

    LOW = 1
    HIGH = 2


class Name(str):
    """A subclass of str."""

    __slots__ = ()


class Money:
    """A type that only the caller's `default` supports."""

    __slots__ = ("cents",)

    def __init__(self, cents: int) -> None:
        """Hold an amount."""
        self.cents = cents


def _objects(name: str, build: Callable[[], Any], need: Need, note: str) -> Objects:
    return Objects(name, lambda _: build(), need, note)


def _many(
    name: str,
    seed: int,
    make: Callable[[generated.Dice], Any],
    need: Need,
    note: str = "10,000",
) -> Objects:
    """Return ten thousand objects, all made by one sequence of choices."""

    def build() -> Any:
        dice = generated.Dice(seed)
        return [make(dice) for _ in range(10_000)]

    return _objects(name, build, need, note)


def _accounts(outer: Any, inner: Any, seed: int) -> Any:
    dice = generated.Dice(seed)
    return [
        outer(
            number,
            dice.text("ascii", 2),
            [
                inner(dice.below(10**6), dice.below(2) == 0, f"2019-0{one + 1}-02")
                for one in range(9)
            ],
        )
        for number in range(1_000)
    ]


def _classes() -> list[Objects]:
    whole = Need(fallback=dataclasses.asdict)
    value = Need(fallback=lambda one: one.value)
    instances, members = "10,000 instances", "10,000 members"
    plain = partial(_accounts, Account, Member, 200)
    slots = partial(_accounts, SlotAccount, SlotMember, 201)
    return [
        _objects("dataclass dict", plain, whole, instances),
        _objects("dataclass slots", slots, whole, instances),
        _many("enum of str", 202, lambda dice: dice.among([*Colour]), value, members),
        _many("enum of int", 203, lambda dice: dice.among([*Level]), value, members),
    ]


def _moment(dice: generated.Dice, zone: dt.tzinfo | None = None) -> dt.datetime:
    seconds, microseconds = dice.below(2 * 10**8), dice.below(10**6)
    later = dt.timedelta(seconds=seconds, microseconds=microseconds)
    return BEGIN.replace(tzinfo=zone) + later


def _times() -> list[Objects]:
    need = Need(fallback=dt.datetime.isoformat)
    offset = dt.timezone(dt.timedelta(hours=2))
    return [
        _many("datetime naive", 210, _moment, need),
        _many("datetime UTC", 210, partial(_moment, zone=dt.UTC), need),
        _many("datetime offset", 210, partial(_moment, zone=offset), need),
        _many(ZONED, 210, lambda dice: _moment(dice, zoneinfo.ZoneInfo(ZONE)), need),
    ]


def _numbered(kind: Callable[[int], Any]) -> Any:
    dice = generated.Dice(220)
    return [
        {
            **{
                kind(1_500_000_000 + dice.below(10**8)): dice.below(1_000)
                for _ in range(365)
            },
            "other": number,
        }
        for number in range(100)
    ]


def _keys() -> list[Objects]:
    need = Need(non_str_keys=True)
    same = "the same, keys already str"
    return [
        _objects("int keys", partial(_numbered, int), need, "100 dicts of 366"),
        _objects("str keys allowed", partial(_numbered, str), need, same),
    ]


def _layouts() -> list[Objects]:
    found = {one.name: one.values[0] for one in documents.seed()[:3]}
    rows = {
        "sort keys": Need(sort_keys=True),
        "indent 2 small": Need(indent=True),
        "indent 2 large": Need(indent=True),
    }
    return [
        _objects(row, partial(found.__getitem__, name), need, name)
        for name, (row, need) in zip(found, rows.items(), strict=True)
    ]


def _fragments(module: Any) -> Any:
    pieces = [generated.message(1_000) for _ in range(500)]
    made = getattr(module, "Fragment", None)
    return [made(piece) for piece in pieces] if made else _Unwritable()


def _others() -> list[Objects]:
    return [
        _many(
            "UUID",
            230,
            lambda dice: uuid.UUID(hex=dice.hexadecimal(32)),
            Need(fallback=str),
        ),
        _many("str subclass", 231, lambda dice: Name(dice.text("ascii", 3)), Need()),
        _many(
            "default hook",
            232,
            lambda dice: Money(dice.below(10**6)),
            Need(default=lambda one: one.cents),
            "10,000 calls",
        ),
        Objects("Fragment", _fragments, Need(), "500 of 1 kB"),
    ]


class _Unwritable:
    """Represents a value that a library has no class for; no library writes it."""

    __slots__ = ()


#: Elements in a row of an array, and thousands of rows to a tenth of the whole.
ARRAYS = {
    "float64": (100, 5),
    "float32": (100, 5),
    "int32": (100, 10),
    "int64": (100, 5),
    "bool": (200, 10),
    "datetime64": (10, 5),
}


def _array(dtype: str, count: int) -> Any:
    """Return an array of this many rows."""
    import numpy as np  # noqa: PLC0415 - numpy is optional

    dice = np.random.Generator(np.random.PCG64(240 + list(ARRAYS).index(dtype)))
    shape = (count, ARRAYS[dtype][0])
    match dtype:
        case "float64":
            return dice.random(shape)
        case "float32":
            return dice.random(shape, dtype=np.float32)
        case "int32":
            return dice.integers(-(2**31), 2**31, shape, dtype=np.int32)
        case "int64":
            return dice.integers(-(2**62), 2**62, shape)
        case "bool":
            return dice.integers(0, 2, shape).astype(np.bool_)
        case _:
            days = np.datetime64("2021-01-01T00:00:00.172", "us")
            return days + dice.integers(0, 10**14, shape).astype("timedelta64[us]")


def array(dtype: str, tenths: int = 1) -> Objects:
    """Return a numpy array of this many tenths of the rows of orjson's own benchmark.

    WorkloadError for an unknown dtype; ImportError without numpy only when the array is
    built.
    """
    if dtype not in ARRAYS:
        raise WorkloadError(f"no arrays of '{dtype}'; there are: {', '.join(ARRAYS)}")
    if tenths < 1:
        raise WorkloadError(f"numpy?tenths=: expected 1 or more, found {tenths}")
    width, thousands = ARRAYS[dtype]
    count = thousands * 1_000 * tenths
    need = Need(numpy=True, fallback=lambda found: found.tolist())
    note = f"{count} x {width}"
    return _objects(f"numpy {dtype}", partial(_array, dtype, count), need, note)


def kinds(rows: int = TENTH) -> tuple[list[Objects], dict[str, str]]:
    """Return the kinds, and those that cannot be raced with the reason."""
    made = [*_classes(), *_times(), *_keys(), *_layouts(), *_others()]
    absent: dict[str, str] = {}
    if not _has_zone():
        made = [one for one in made if one.name != ZONED]
        absent[ZONED] = "no database of time zones"
    try:
        importlib.import_module("numpy")
        made += [array(name, rows) for name in ARRAYS]
    except ImportError as reason:
        absent["numpy"] = str(reason)
    return made, absent


def _has_zone() -> bool:
    try:
        zoneinfo.ZoneInfo(ZONE)
    except zoneinfo.ZoneInfoNotFoundError:
        return False
    return True


def _one(made: Callable[[], list[Objects]], name: str, /) -> Workload:
    if name == ZONED and not _has_zone():
        raise WorkloadError(f"{name}: no database of time zones on this machine")
    return next(one for one in made() if one.name == name)


def _laid_out(operation: str, /, document: str) -> Workload:
    """Return a document to be written with sorted members, or an indent of two."""
    return layout_of(find(document), operation)


WORKLOADS: dict[str, Callable[..., Workload]] = {
    **{
        kind.name.lower().replace(" ", "-"): partial(_one, made, kind.name)
        for made in (_classes, _times, _keys, _others)
        for kind in made()
    },
    "sorted": partial(_laid_out, "sort"),
    "indented": partial(_laid_out, "indent"),
    "numpy": array,
}
