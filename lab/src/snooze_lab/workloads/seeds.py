"""The documents and objects of the published studies s000 to s003, made or collected.

Separate from generated.py, whose documents are the race's own. `crud` (s000): records
of users, in any size, in the data cache piece by piece and never all in memory.
`years` and `members` (s001): the Python objects of orjson's own tables. `plan` (s002):
its size is counted in *fields*, scalars of the tree; the schema of protobuf has this
shape. `wheels` (s003): thousands of real documents of two packages; feeds.py has the
made ones. Invariants: the same bytes on every machine and Python; a smaller document of
records is the beginning of a larger one, up to its last line, and the digest of the
first megabyte is checked whenever one is made. Used through `workloads.find`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Need
from snooze_lab.data import FetchError, cache, trees
from snooze_lab.workloads.base import Objects, Workload, WorkloadError
from snooze_lab.workloads.generated import Dice, compact, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Part of the data cache where documents are kept.
PART = "made"
#: Changes with the bytes; it is in the name of the file in the data cache.
VERSION = 1
CRUD_SEED = 7_405_800
#: Bytes of a record in the array, with its comma and line end, on average.
RECORD = 708
#: SHA-256 of the first 1,000,000 bytes of any document of more than that.
FIRST = "6a210348c24f9fc0d21ed618d3170e964782e0e735f764ac2123197e7a643cac"
FIRST_BYTES = 1_000_000

BIO = (
    "Keeps the catalogue of a small library in order, answers letters from readers, "
    "and writes about old maps, railway timetables and the people who drew them by "
    "hand. Collects stamps with ships, walks along rivers on Sundays, and has never "
    "missed a choir meeting."
)


NAMES = words(
    "Ada Boris Chloe Dmitri Elena Farid Grace Hiro Ines Jonas Katya Liam Mara Nils "
    "Olga Pavel Quinn Rosa Sven Tara Umar Vera Wanda Xenia Yusuf Zoe"
)
FAMILIES = words(
    "Abbott Becker Costa Dvorak Eriksen Fischer Garcia Hansen Ivanova Jensen Kowalski "
    "Lindqvist Moreau Novak Okafor Petrov Quist Rossi Santos Tanaka Ueda Vasquez Weber"
)
ROLES = ("viewer", "editor", "admin", "auditor")
RIGHTS = ("read", "write", "delete", "share", "export")
#: How numbers are spelled: `random` has up to 17 significant digits, which is the
#: hardest case for a writer of JSON and the seed's only one; `short` has two decimals,
#: as most measured and all priced quantities do.
FLOATS = ("random", "short")
PLAN_SEED = 20
#: Characters of each string.
LETTERS = 10
FIRST_YEAR, YEARS, DAYS = 1920, 100, 365
FIRST_ID, OBJECTS, MEMBERS = 100_000, 2_000, 10


def record(number: int, dice: Dice) -> dict[str, Any]:
    """Return record `number`; `dice` must have made all records before it."""
    key = dice.hexadecimal(32)
    first = dice.among(NAMES)
    last = dice.among(FAMILIES)
    user = f"{first}.{last}{dice.below(10_000)}".lower()
    rights = dice.below(31) + 1
    return {
        "id": number,
        "uuid": f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}",
        "username": user,
        "email": f"{user}@mail.example",
        "profile": {"first_name": first, "last_name": last, "bio": BIO},
        "role": dice.among(ROLES),
        "is_active": dice.below(4) != 0,
        "permissions": [right for bit, right in enumerate(RIGHTS) if rights >> bit & 1],
        "created_at": _moment(dice, 2024),
        "updated_at": _moment(dice, 2025),
    }


def _moment(dice: Dice, year: int) -> str:
    month, day = dice.below(12) + 1, dice.below(28) + 1
    second = dice.below(86_400)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{year}-{month:02d}-{day:02d}T{clock}Z"


def pieces(size: int) -> Iterator[bytes]:
    """Yield the document of about `size` bytes: at least one record, then a piece each.

    It ends with the first record at which `size` is reached. ValueError if `size` is
    not positive.
    """
    if size < 1:
        raise ValueError(f"bytes of crud: expected 1 or more, found {size}")
    dice = Dice(CRUD_SEED)
    indented = json.JSONEncoder(indent=2).encode
    done, number, before = 0, 0, "[\n"
    while done < size:
        number += 1
        text = indented(record(number, dice)).replace("\n", "\n  ")
        piece = f"{before}  {text}".encode()
        done += len(piece)
        before = ",\n"
        yield piece
    yield b"\n]"


def checked(size: int) -> Iterator[bytes]:
    """Yield the same pieces; RuntimeError if the first megabyte is not FIRST's."""
    first, missing = hashlib.sha256(), FIRST_BYTES
    for piece in pieces(size):
        yield piece
        if missing:
            first.update(piece[:missing])
            missing -= min(missing, len(piece))
    if not missing and first.hexdigest() != FIRST:
        raise RuntimeError(
            f"crud: the first {FIRST_BYTES} bytes have the SHA-256 "
            f"{first.hexdigest()}, expected {FIRST}: the generator has changed, so "
            "VERSION and FIRST must change with it"
        )


def file_of(size: int) -> Path:
    """Return where the document of about `size` bytes is, or will be."""
    return cache.folder(PART) / f"crud-{VERSION}-{size}.json"


def crud(bytes: int) -> Workload:  # noqa: A002 - the parameter's name in references
    """Return records of about this many bytes, as a file in the data cache."""
    place = file_of(bytes)
    if not place.exists():
        cache.write(place, checked(bytes))
    return Workload("crud", file=place, note=f"about {RECORD} bytes a record")


def snapshot(fields: int, floats: str = "random") -> dict[str, Any]:
    """Return the plan of this many fields; ValueError for an invalid argument."""
    if fields < 4 or fields % 4:
        raise ValueError(
            f"fields of plan: expected a multiple of 4, 4 or more, found {fields}"
        )
    if floats not in FLOATS:
        raise ValueError(
            f"floats of plan: expected one of {', '.join(FLOATS)}, found {floats!r}"
        )
    dice = Dice(PLAN_SEED)

    def number() -> float:
        return dice.unit() if floats == "random" else dice.below(100_000) / 100

    quarter = fields // 4
    return {
        "floats": [number() for _ in range(quarter)],
        "events": [
            {
                "int": dice.below(10**6),
                "float": number(),
                "str": dice.hexadecimal(LETTERS),
            }
            for _ in range(quarter)
        ],
    }


def document(fields: int, floats: str = "random") -> bytes:
    """Return the compact text of the plan of this many fields."""
    return compact(snapshot(fields, floats))


def plan(fields: int, floats: str = "random") -> Workload:
    """Return the plan of this many fields as a workload."""
    text = document(fields, floats)  # early, so that a wrong number is an error here
    return Workload("plan", [text], note=f"{fields} fields, {floats} floats")


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
    kind = str if keys == "str" else int
    found = []
    for year in range(FIRST_YEAR, FIRST_YEAR + YEARS):
        begin = int(dt.datetime(year, 1, 1, tzinfo=dt.UTC).timestamp())
        pairs: list[tuple[Any, int]] = [("other", 0)]
        pairs += [(kind(begin + 86_400 * day), day + 1) for day in range(DAYS)]
        dice.shuffle(pairs)
        found.append(dict(pairs))
    return found


def members_value() -> list[Object]:
    """Return the instances of dataclasses."""
    found = []
    for number in range(FIRST_ID, FIRST_ID + OBJECTS):
        parts = [Member(one, active=True) for one in range(MEMBERS)]
        found.append(Object(number, str(number) * 3, parts))
    return found


def years(keys: str = "int") -> Objects:
    """Return the dicts of epoch seconds, written with keys of any type."""
    if keys not in {"int", "str"}:
        raise ValueError(f"keys of years: expected int or str, found {keys!r}")
    note = f"100 dicts, {keys} keys"
    return Objects("years", lambda _: years_value(keys), Need(non_str_keys=True), note)


def members(form: str = "dataclass") -> Objects:
    """Return the 2,000 objects as dataclasses, or as equivalent dicts."""
    if form not in {"dataclass", "dict"}:
        raise ValueError(f"form of members: expected dataclass or dict, found {form!r}")

    def build(_: Any) -> list[Any]:
        made = members_value()
        return list(map(asdict, made)) if form == "dict" else made

    need = Need(fallback=asdict) if form == "dataclass" else Need()
    return Objects("members", build, need, f"2,000 objects of 10 members, {form}")


#: The corpora of each workload.
CORPORA = {
    "botocore": ("botocore",),
    "cfn-lint": ("cfn-lint",),
    "wheels": ("botocore", "cfn-lint"),
}


def collected(name: str, every: int = 1) -> Workload:
    """Return the documents of a collection, or each `every`-th of them.

    WorkloadError if they are not in the data cache, or `every` is not positive.
    """
    if type(every) is not int or every < 1:
        raise WorkloadError(f"every of {name}: expected 1 or more, found {every}")
    try:
        paths = [
            path for one in CORPORA[name] for path in trees.paths("documents", one)
        ]
    except FetchError as reason:
        raise WorkloadError(str(reason)) from reason
    chosen = paths[::every]
    note = f"{len(chosen):,} real documents"
    return Workload(name, lambda: [path.read_bytes() for path in chosen], note)


WORKLOADS: dict[str, Callable[..., Workload]] = {
    "crud": crud,
    "plan": plan,
    "years": years,
    "members": members,
    **{name: partial(collected, name) for name in CORPORA},
}
