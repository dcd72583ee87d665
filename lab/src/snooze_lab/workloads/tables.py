"""The Python objects of orjson's own tables (study s001).

Separate from kinds.py, whose objects are ours: here shapes, counts and values are the
seed's. `years` are 100 dicts of 365 epoch seconds in shuffled order and one key
"other", 589 KiB of JSON; `members` are 2,000 objects of ten members each, 555 KiB.
Invariant: the same objects on every machine; the seed's seconds were local time, here
they are UTC. Used through `workloads.find("years?keys=int")`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass, field
from typing import Any

from snooze_lab.contenders.base import Need
from snooze_lab.workloads.generated import Dice
from snooze_lab.workloads.objects import Objects

FIRST_YEAR, YEARS, DAYS = 1920, 100, 365
FIRST_ID, OBJECTS, MEMBERS = 100_000, 2_000, 10


@dataclass
class Member:
    """One of the ten parts of an object."""

    id: int
    active: bool = field(default=False)


@dataclass
class Object:
    """One of the two thousand objects."""

    id: int
    name: str
    members: list[Member]


def years_value(keys: str) -> list[dict[Any, int]]:
    """Return the dicts, with keys that are `int` (and "other") or all `str`."""
    dice = Dice(365)
    found = []
    for year in range(FIRST_YEAR, FIRST_YEAR + YEARS):
        begin = dt.datetime(year, 1, 1, tzinfo=dt.UTC)
        pairs: list[tuple[Any, int]] = [("other", 0)]
        for day in range(DAYS):
            moment = begin + dt.timedelta(days=day)
            pairs.append((int(moment.timestamp()), day + 1))
        dice.shuffle(pairs)
        found.append(
            {str(key) if keys == "str" else key: value for key, value in pairs}
        )
    return found


def members_value() -> list[Object]:
    """Return the instances of dataclasses."""
    return [
        Object(
            number,
            str(number) * 3,
            [Member(one, active=True) for one in range(MEMBERS)],
        )
        for number in range(FIRST_ID, FIRST_ID + OBJECTS)
    ]


def years(keys: str = "int") -> Objects:
    """Return the dicts of epoch seconds, written with keys of any type."""
    if keys not in {"int", "str"}:
        raise ValueError(f"keys of years: expected int or str, found {keys!r}")

    def build(_: Any) -> Any:
        return years_value(keys)

    return Objects("years", build, Need(non_str_keys=True), f"100 dicts, {keys} keys")


def members(form: str = "dataclass") -> Objects:
    """Return the 2,000 objects as dataclasses, or as equivalent dicts."""
    if form not in {"dataclass", "dict"}:
        raise ValueError(f"form of members: expected dataclass or dict, found {form!r}")

    def build(_: Any) -> Any:
        made = members_value()
        return [asdict(one) for one in made] if form == "dict" else made

    need = Need(fallback=asdict) if form == "dataclass" else Need()
    return Objects("members", build, need, f"2,000 objects of 10 members, {form}")


WORKLOADS = {"years": years, "members": members}
