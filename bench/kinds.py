"""Objects beyond plain JSON, written: classes, times, keys, layouts and arrays.

Separate because here contenders differ in what they can do at all, and because the
values are Python objects that no JSON text holds. Each kind says what it needs
(`contenders.Need`) and what the written text must mean. A contender without such an
option, or whose text means something else, is not timed and shown as "-"; `json` is
given a `default` that converts, as its users do. Invariant: objects are made once, with
seeded choices, and are the same for all contenders. Used by race.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import enum
import json
import uuid
import zoneinfo
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bench import generated, tasks, workloads
from bench.contenders import Need

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.contenders import Call, Contender

#: Rows of an array: a tenth of what orjson's own benchmark writes, unless --full.
TENTH, WHOLE = 1, 10
BEGIN = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - zones are put on below


@dataclass
class Member:
    """What most of the dataclasses are."""

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
    """What only the caller's `default` knows."""

    __slots__ = ("cents",)

    def __init__(self, cents: int) -> None:
        """Hold an amount."""
        self.cents = cents


@dataclass(frozen=True)
class Kind(tasks.Task):
    """One kind of object, and how to tell that its text is right."""

    value: Callable[[Contender], Any]
    need: Need
    wanted: bytes
    layout: bool = False

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return the call with the options needed, and the object."""
        return contender.writer(self.need), self.value(contender)

    def fault(self, result: Any, _contender: Contender, /) -> str:
        """Compare with the text of orjson: its bytes, or else what they mean."""
        if type(result) is not bytes:
            return f"wrote {type(result).__name__}, not bytes"
        if result == self.wanted:
            return ""
        if self.layout:
            return "another layout or order than orjson's"
        found, wanted = (_normal(json.loads(text)) for text in (result, self.wanted))
        return "" if tasks.same(found, wanted) else "means something else than orjson's"


def _normal(value: Any) -> Any:
    """Return a value with equal instants and equal integer keys in one spelling."""
    if isinstance(value, dict):
        return {key: _normal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_normal(one) for one in value]
    if isinstance(value, str) and len(value) > 19 and value.endswith("Z"):
        return value[:-1] + "+00:00"
    return value


def kinds(
    rows: int = TENTH, documents: Mapping[str, Any] | None = None
) -> tuple[list[Kind], dict[str, str]]:
    """Return the kinds, and those that cannot be raced with the reason.

    The layouts are raced over `documents`, values by name, or else over the seed's.
    """
    if documents is None:
        documents = {one.name: one.values[0] for one in workloads.seed()}
    found = [*_classes(), *_times(), *_keys(), *_layouts(documents), *_others()]
    absent: dict[str, str] = {}
    try:
        found += _arrays(rows)
    except ImportError as reason:
        absent["numpy"] = str(reason)
    return found, absent


def _kind(name: str, value: Any, need: Need, note: str = "", **more: Any) -> Kind:
    import orjson  # noqa: PLC0415 - the reference decides what is right

    def give(contender: Contender) -> Any:
        return value(contender.module) if callable(value) else value

    option = (
        need.sort_keys * orjson.OPT_SORT_KEYS
        | need.indent * orjson.OPT_INDENT_2
        | need.non_str_keys * orjson.OPT_NON_STR_KEYS
        | need.numpy * orjson.OPT_SERIALIZE_NUMPY
    )
    whole = value(orjson) if callable(value) else value
    wanted = orjson.dumps(whole, default=need.default, option=option)
    return Kind(
        "kinds", name, "dumps", len(wanted), note, "", give, need, wanted, **more
    )


def _classes() -> list[Kind]:
    dice = generated.Dice(200)
    found = []
    pairs = ((Account, Member, "dict"), (SlotAccount, SlotMember, "slots"))
    for outer, inner, name in pairs:
        accounts = [
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
        need = Need(fallback=dataclasses.asdict)
        found.append(_kind(f"dataclass {name}", accounts, need, "10,000 instances"))
    colours = [tuple(Colour)[dice.below(3)] for _ in range(10_000)]
    levels = [tuple(Level)[dice.below(2)] for _ in range(10_000)]
    need = Need(fallback=lambda one: one.value)
    return [
        *found,
        _kind("enum of str", colours, need, "10,000 members"),
        _kind("enum of int", levels, need, "10,000 members"),
    ]


def _times() -> list[Kind]:
    dice = generated.Dice(210)
    zones: dict[str, dt.tzinfo | None] = {
        "naive": None,
        "UTC": dt.UTC,
        "offset": dt.timezone(dt.timedelta(hours=2)),
    }
    # Without a database of zones the row is missing from the table.
    with contextlib.suppress(zoneinfo.ZoneInfoNotFoundError):
        zones["zone"] = zoneinfo.ZoneInfo("Europe/Berlin")
    found = []
    for name, zone in zones.items():
        moments = [
            BEGIN.replace(tzinfo=zone)
            + dt.timedelta(
                seconds=dice.below(2 * 10**8), microseconds=dice.below(10**6)
            )
            for _ in range(10_000)
        ]
        need = Need(fallback=dt.datetime.isoformat)
        found.append(_kind(f"datetime {name}", moments, need, "10,000"))
    return found


def _keys() -> list[Kind]:
    dice = generated.Dice(220)
    numbered = [
        {
            **{
                1_500_000_000 + dice.below(10**8): dice.below(1_000) for _ in range(365)
            },
            "other": number,
        }
        for number in range(100)
    ]
    named = [{str(key): one for key, one in each.items()} for each in numbered]
    need = Need(non_str_keys=True)
    return [
        _kind("int keys", numbered, need, "100 dicts of 366"),
        _kind("str keys allowed", named, need, "the same, keys already str"),
    ]


def _layouts(documents: Mapping[str, Any]) -> list[Kind]:
    names = list(documents)
    first, second, third = (names[index] for index in (0, 1, 2))
    if "twitter" in documents:
        first, second, third = "twitter", "github", "citm_catalog"
    sort, indent = Need(sort_keys=True), Need(indent=True)
    return [
        _kind("sort keys", documents[first], sort, first, layout=True),
        _kind("indent 2 small", documents[second], indent, second, layout=True),
        _kind("indent 2 large", documents[third], indent, third, layout=True),
    ]


def _others() -> list[Kind]:
    dice = generated.Dice(230)
    identifiers = [uuid.UUID(hex=dice.hexadecimal(32)) for _ in range(10_000)]
    names = [Name(dice.text("ascii", 3)) for _ in range(10_000)]
    amounts = [Money(dice.below(10**6)) for _ in range(10_000)]
    pieces = [generated.message(1_000) for _ in range(500)]

    def fragments(module: Any) -> Any:
        made = getattr(module, "Fragment", None)
        return [made(piece) for piece in pieces] if made else _Unwritable()

    return [
        _kind("UUID", identifiers, Need(fallback=str), "10,000"),
        _kind("str subclass", names, Need(), "10,000"),
        _kind("default hook", amounts, Need(default=_cents), "10,000 calls"),
        _kind("Fragment", fragments, Need(), "500 of 1 kB"),
    ]


class _Unwritable:
    """Stands for a value that a library has no class for; no library writes it."""

    __slots__ = ()


def _cents(value: Any) -> Any:
    return value.cents


def _arrays(rows: int) -> list[Kind]:
    import numpy as np  # noqa: PLC0415 - an optional guest

    dice = np.random.Generator(np.random.PCG64(240))
    need = Need(numpy=True, fallback=lambda array: array.tolist())
    many, few = 10_000 * rows, 5_000 * rows
    days = np.datetime64("2021-01-01T00:00:00.172", "us")
    moments = days + dice.integers(0, 10**14, (few, 10)).astype("timedelta64[us]")
    integers = partial(dice.integers, -(2**31), 2**31)
    found: dict[str, Any] = {
        "float64": dice.random((few, 100)),
        "float32": dice.random((few, 100), dtype=np.float32),
        "int32": integers((many, 100), dtype=np.int32),
        "int64": dice.integers(-(2**62), 2**62, (many // 2, 100)),
        "bool": dice.integers(0, 2, (many, 200)).astype(np.bool_),
        "datetime64": moments,
    }
    return [
        _kind(f"numpy {name}", array, need, " x ".join(map(str, array.shape)))
        for name, array in found.items()
    ]
