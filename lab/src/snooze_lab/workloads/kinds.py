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
    from collections.abc import Callable, Mapping

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


@dataclass(slots=True)
class SlotMember:
    """The same, with slots."""

    id: int
    active: bool
    since: str


@dataclass(slots=True)
class SlotAccount:
    """The same, with slots."""

    id: int
    name: str
    members: list[Any]


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


def _members(kind: Any, seed: int) -> Any:
    dice = generated.Dice(seed)
    found = tuple(kind)
    return [dice.among(found) for _ in range(10_000)]


def _classes() -> list[Objects]:
    whole = Need(fallback=dataclasses.asdict)
    value = Need(fallback=lambda one: one.value)
    instances, members = "10,000 instances", "10,000 members"
    plain = partial(_accounts, Account, Member, 200)
    slots = partial(_accounts, SlotAccount, SlotMember, 201)
    return [
        _objects("dataclass dict", plain, whole, instances),
        _objects("dataclass slots", slots, whole, instances),
        _objects("enum of str", partial(_members, Colour, 202), value, members),
        _objects("enum of int", partial(_members, Level, 203), value, members),
    ]


def _objects(
    name: str, build: Callable[[], Any], need: Need, note: str, *, layout: bool = False
) -> Objects:
    return Objects(name, lambda _: build(), need, note, layout=layout)


def _moments(zone: dt.tzinfo | None) -> Any:
    dice = generated.Dice(210)
    return [
        BEGIN.replace(tzinfo=zone)
        + dt.timedelta(seconds=dice.below(2 * 10**8), microseconds=dice.below(10**6))
        for _ in range(10_000)
    ]


def _times() -> list[Objects]:
    need = Need(fallback=dt.datetime.isoformat)
    offset = dt.timezone(dt.timedelta(hours=2))
    return [
        _objects("datetime naive", partial(_moments, None), need, "10,000"),
        _objects("datetime UTC", partial(_moments, dt.UTC), need, "10,000"),
        _objects("datetime offset", partial(_moments, offset), need, "10,000"),
        _objects(ZONED, lambda: _moments(zoneinfo.ZoneInfo(ZONE)), need, "10,000"),
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


def _layouts(found: Mapping[str, Any]) -> list[Objects]:
    names = list(found)
    first, second, third = (names[index] for index in (0, 1, 2))
    if "twitter" in found:
        first, second, third = "twitter", "github", "citm_catalog"
    rows = {
        "sort keys": (first, Need(sort_keys=True)),
        "indent 2 small": (second, Need(indent=True)),
        "indent 2 large": (third, Need(indent=True)),
    }
    return [
        _objects(row, partial(found.__getitem__, name), need, name, layout=True)
        for row, (name, need) in rows.items()
    ]


def _ten_thousand(seed: int, make: Callable[[generated.Dice], Any]) -> Any:
    dice = generated.Dice(seed)
    return [make(dice) for _ in range(10_000)]


def _uuid(dice: generated.Dice) -> uuid.UUID:
    return uuid.UUID(hex=dice.hexadecimal(32))


def _name(dice: generated.Dice) -> Name:
    return Name(dice.text("ascii", 3))


def _money(dice: generated.Dice) -> Money:
    return Money(dice.below(10**6))


def _fragments(module: Any) -> Any:
    pieces = [generated.message(1_000) for _ in range(500)]
    made = getattr(module, "Fragment", None)
    return [made(piece) for piece in pieces] if made else _Unwritable()


def _others() -> list[Objects]:
    return [
        _objects(
            "UUID", partial(_ten_thousand, 230, _uuid), Need(fallback=str), "10,000"
        ),
        _objects("str subclass", partial(_ten_thousand, 231, _name), Need(), "10,000"),
        _objects(
            "default hook",
            partial(_ten_thousand, 232, _money),
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


def kinds(
    rows: int = TENTH, found: Mapping[str, Any] | None = None
) -> tuple[list[Objects], dict[str, str]]:
    """Return the kinds, and those that cannot be raced with the reason.

    The layouts are raced over `found`, values by name, or else over the seed's.
    """
    if found is None:
        found = {one.name: one.values[0] for one in documents.seed()}
    made = [*_classes(), *_times(), *_keys(), *_layouts(found), *_others()]
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
