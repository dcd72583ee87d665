"""Typed codecs: documents into classes, and instances of classes into JSON.

Separate because here a contender is a way of using a library: snooze and msgspec with
classes of each kind, and beside them the calls of a program without classes. The
structures are those of twitter.json and citm_catalog.json (shapes.py) and a list of a
thousand customers; ways.py makes the calls and judges results. Invariants: every
contender of a row gets the same bytes, or instances of the same values, made for it
alone; its result is verified class by class and member by member before it is timed; a
variant of snooze that a row compares with (order of members, constraints, skipping) is
a contender of that row, not another row. Used by command.py and goals.py.

    snooze         dataclasses with slots
    snooze dict    ordinary dataclasses
    snooze base    snooze without the feature of the row: members in the declared
                   order (mix), no limits (con), everything validated (skip),
                   instances tracked by the collector (nogc)
    snooze plain   loads and dumps, no classes
    msgspec        msgspec.Struct
    msgspec slots  the dataclasses with slots
    (nogc: the classes of snooze and msgspec are given gc=False; for the dataclasses
    with slots msgspec has no such option)
    orjson         loads without classes; dumps of the dataclasses with slots
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any

from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import cells
from snooze_lab.workloads import Workload, generated, shapes, ways
from snooze_lab.workloads import documents as originals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from snooze_lab.contenders import Call, Contender
    from snooze_lab.workloads.operations import Job

GROUP = "typed"
MSGSPEC = "msgspec"
BASE, PLAIN = "snooze base", "snooze plain"
#: What a program without a library for it does, of groups that functions.py has.
BY_HAND = "by hand"
#: A contender -> its ways (ways.py) to decode and to encode.
WAYS = {
    OURS: ("snooze slots", "snooze slots"),
    "snooze dict": ("snooze dataclass", "snooze dataclass"),
    BASE: ("snooze slots", "snooze slots"),
    PLAIN: ("snooze loads", "snooze dumps dicts"),
    MSGSPEC: ("msgspec Struct", "msgspec Struct"),
    "msgspec slots": ("msgspec slots", "msgspec slots"),
    REFERENCE: ("orjson loads", "orjson slots"),
    AGAIN: ("orjson loads", "orjson slots"),
}
DIRECTIONS = {"loads": "decode", "dumps": "encode"}
#: Rows that decode each structure unmodified, for the goals.
WHOLE = ("twitter", "twitter min", "citm", "citm min", "crud")
#: The same, into classes with gc=False.
UNSEEN = ("citm nogc", "citm-m nogc", "crud nogc")
STRUCTURES = {"twitter": shapes.TWITTER, "citm": shapes.CITM, "crud": shapes.CRUD}
CUSTOMERS = 1_000


def library_of(way: str) -> str:
    """Return the library that a way uses: by its first word, or what Python has."""
    return STANDARD if way == BY_HAND else way.partition(" ")[0]


@dataclass(frozen=True)
class Feature:
    """What a row of decoding varies: limits on fields, `gc=False`, fast skipping."""

    limits: bool = False
    seen: bool = True
    skip: bool = False


@dataclass(frozen=True)
class Typed(cells.Task):
    """A row of the group: the ways that take part, and how a job is made for each."""

    ways: Mapping[str, Callable[[], Job]]

    def entered(self, libraries: list[Contender]) -> list[Contender]:
        """Return the ways of using the libraries of the race."""
        known = {one.name: one for one in libraries}
        return [
            dataclasses.replace(known[library], name=name)
            for name in self.ways
            if (library := name if name == AGAIN else library_of(name)) in known
        ]

    def job(self, contender: Contender) -> Job:
        """Return the call of a way; every member and class of its result is judged."""
        return self.ways[contender.name]()


def _unseen(kind: str, name: str, fields: dict[str, Any]) -> type:
    """Make a class whose instances the collector does not track."""
    if kind == "Struct":
        msgspec: Any = importlib.import_module(MSGSPEC)
        made: type = msgspec.defstruct(name, list(fields.items()), gc=False)
        return made
    from snooze import configure  # noqa: PLC0415 - only these rows need it

    return configure(gc=False)(ways.KINDS[kind](name, fields))


def _limited(library: str, kind: Any, tp: Any) -> Any:
    """Add a constraint to a type that holds for every document here."""
    if kind is bool:
        return tp
    number = kind in (int, float)
    if library == MSGSPEC:
        limits = {"ge": 0, "le": 2**62} if number else {"max_length": 100_000}
        return Annotated[tp, importlib.import_module(MSGSPEC).Meta(**limits)]
    from snooze import Ge, Le, Len  # noqa: PLC0415 - only these rows need it

    if number:
        return Annotated[tp, Ge(0), Le(2**62)]
    return Annotated[tp, Len(0, 100_000)]


@cache
def families(library: str, feature: Feature) -> dict[str, shapes.Family]:
    """Return the classes that a library's ways use, by kind."""
    limited = partial(_limited, library) if feature.limits else None
    found = {}
    for kind in ("slots", "dataclass", "Struct"):
        # For dataclasses with slots msgspec has no such option.
        seen = feature.seen or (library == MSGSPEC and kind != "Struct")
        make = ways.KINDS[kind] if seen else partial(_unseen, kind)
        found[kind] = shapes.Family(make, limited)
    return found


def documents() -> dict[str, tuple[bytes, str]]:
    """Return the text of each structure, and a note on its source."""
    return {
        "twitter": _original("twitter", "twitter", 4, 100),
        "citm": _original("citm_catalog", "citm", 0, 1),
        "crud": (generated.compact(customers()), "1,000 records"),
    }


def _original(file: str, name: str, extra: int, times: int) -> tuple[bytes, str]:
    path = originals.original(file)
    if path.exists():
        return path.read_bytes(), ""
    dice = generated.Dice(320)
    shape = STRUCTURES[name]
    value = shapes.look_alike(shape, dice, extra)
    if name == "twitter":
        value["statuses"] = [
            shapes.look_alike(shapes.STATUS, dice, extra) for _ in range(times)
        ]
    return generated.indented(value, 2), "look-alike"


def customers() -> Any:
    """Return the records of a small shop, as an API would answer."""
    dice = generated.Dice(310)
    return [
        {
            "id": 1 + number,
            "name": dice.text("latin" if number % 9 == 0 else "ascii", 2),
            "email": f"user{number}@mail.example",
            "age": 18 + dice.below(73),
            "active": dice.below(4) != 0,
            "balance": round(dice.unit() * 10_000, 2),
            "tags": [dice.text("ascii", 1) for _ in range(3)],
            "address": {
                "street": f"{dice.text('ascii', 1)} {1 + dice.below(99)}",
                "city": dice.text("ascii", 1),
                "zip": f"{dice.below(10**5):05d}",
            },
            "created": f"2025-0{1 + dice.below(9)}-{10 + dice.below(18)}T08:00:00Z",
            "score": None if number % 3 else dice.unit(),
        }
        for number in range(CUSTOMERS)
    ]


def rows(
    directions: list[str], found: dict[str, tuple[bytes, str]] | None = None
) -> list[Typed]:
    """Return every row of the group."""
    made: list[Typed] = []
    for name, (text, note) in (found or documents()).items():
        shape = STRUCTURES[name]
        declared = generated.compact(shapes.projected(shape, json.loads(text)))
        if "loads" in directions:
            made += _readings(name, shape, text, declared, note)
        if "dumps" in directions:
            made.append(_row("dumps", Workload(name, [declared], note), shape))
    return made


def _readings(
    name: str, shape: Any, text: bytes, declared: bytes, note: str
) -> list[Typed]:
    """Return the rows that read: as it comes, minified, and with each feature."""
    mixed = shapes.projected(shape, json.loads(declared), generated.Dice(330))
    limits, unseen = Feature(limits=True), Feature(seen=False)
    found = [
        (name, "", text, Feature(), None),
        (f"{name} min", "minified", declared, Feature(), None),
        (f"{name} mix", "shuffled", generated.compact(mixed), Feature(), declared),
        (f"{name} con", "limits", text, limits, text),
    ]
    if name == "twitter":
        found.append(("tweets skip", "fast skip", text, Feature(skip=True), text))
    else:
        words = "minified, gc=False"
        found.append((f"{name} nogc", "gc=False", text, unseen, text))
        found.append((f"{name}-m nogc", words, declared, unseen, declared))
    return [
        _row("loads", Workload(row, [given], _both(note, words)), shape, feature, base)
        for row, words, given, feature, base in found
        if not words.startswith("minified") or declared != text
    ]


def _both(note: str, words: str) -> str:
    return ", ".join(one for one in (note, words) if one)


def _row(
    direction: str,
    workload: Workload,
    shape: Any,
    feature: Feature = Feature(),
    base: bytes | None = None,
) -> Typed:
    """Return a row; `base` is the text that snooze reads without the feature."""
    (text,) = workload.texts

    def job(contender: str) -> Job:
        plain = contender == BASE
        way = WAYS[contender][direction == "dumps"]
        found, given = (Feature(), base or text) if plain else (feature, text)
        use = ways.uses(DIRECTIONS[direction])[way]
        if found.skip and contender in {OURS, "snooze dict"}:
            use = dataclasses.replace(use, call=_skipping)
        subject = ways.Subject(shape, given, families(use.library, found))
        return subject.job(DIRECTIONS[direction], use)

    names = [name for name in WAYS if name != BASE or base is not None]
    jobs = {name: partial(job, name) for name in names}
    return Typed(GROUP, direction, workload, len(text), jobs)


def _skipping(module: Any, tp: Any) -> Call:
    found: Call = module.Decoder(tp, skip="fast").decode
    return found
