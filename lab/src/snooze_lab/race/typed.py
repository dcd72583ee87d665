"""Typed codecs: documents into classes, and instances of classes into JSON.

Separate because here a contender is a way of using a library: snooze and msgspec with
classes of each kind, and beside them the calls of a program without classes. The
structures are those of twitter.json and citm_catalog.json (shapes.py) and a list of a
thousand customers. Invariants: every contender of a row gets the same bytes, or
instances of the same values; its result is verified class by class and member by member
before it is timed; a variant of snooze that a row compares with (order of members,
constraints, skipping) is a contender of that row, not another row. Used by command.py
and goals.py.

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
import hashlib
import importlib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from snooze_lab.model import AGAIN, OURS, REFERENCE
from snooze_lab.race import tasks
from snooze_lab.workloads import documents as originals
from snooze_lab.workloads import generated, shapes
from snooze_lab.workloads.base import same

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders import Call, Contender

GROUP = "typed"
#: A way of using a library -> the library.
WAYS = {
    OURS: OURS,
    "snooze dict": OURS,
    "snooze base": OURS,
    "snooze plain": OURS,
    "msgspec": "msgspec",
    "msgspec slots": "msgspec",
    REFERENCE: REFERENCE,
    AGAIN: AGAIN,
}
BASE, PLAIN = "snooze base", "snooze plain"
#: Rows that decode each structure unmodified, for the goals.
WHOLE = ("twitter", "twitter min", "citm", "citm min", "crud")
#: The same, into classes with gc=False.
UNSEEN = ("citm nogc", "citm-m nogc", "crud nogc")
STRUCTURES = {"twitter": shapes.TWITTER, "citm": shapes.CITM, "crud": shapes.CRUD}
CUSTOMERS = 1_000


@dataclass(frozen=True)
class Way:
    """How a contender takes part in a row: its call, and the expected result."""

    call: Callable[[], Call]
    argument: Any
    wanted: Any
    #: From a result to the value that is compared.
    read: Callable[[Any], Any]


@dataclass(frozen=True)
class Typed(tasks.Task):
    """A row of the group."""

    ways: dict[str, Way]

    def entered(self, libraries: list[Contender]) -> list[Contender]:
        """Return the ways of using the libraries of the race."""
        known = {one.name: one for one in libraries}
        return [
            dataclasses.replace(known[WAYS[name]], name=name)
            for name in self.ways
            if WAYS[name] in known
        ]

    def entry(self, contender: Contender) -> tuple[Call, Any]:
        """Return the call of a way and its argument."""
        way = self.ways[contender.name]
        return way.call(), way.argument

    def fault(self, result: Any, contender: Contender, /) -> str:
        """Compare every member with the standard library's, and every class."""
        way = self.ways[contender.name]
        found = way.read(result)
        return "" if same(found, way.wanted) else "another value than json's"


def _dataclass(name: str, fields: dict[str, Any]) -> type:
    return dataclasses.make_dataclass(name, fields.items())


def _slots(name: str, fields: dict[str, Any]) -> type:
    return dataclasses.make_dataclass(name, fields.items(), slots=True)


def _struct(name: str, fields: dict[str, Any]) -> type:
    made: type = _msgspec().defstruct(name, list(fields.items()))
    return made


def _unseen(kind: str) -> Callable[[str, dict[str, Any]], type]:
    """Return how to make classes whose instances the collector does not track."""

    def make(name: str, fields: dict[str, Any]) -> type:
        if kind == "struct":
            made: type = _msgspec().defstruct(name, list(fields.items()), gc=False)
            return made
        from snooze import configure  # noqa: PLC0415 - only these rows need it

        return configure(gc=False)(_MAKE[kind](name, fields))

    return make


def _msgspec() -> Any:
    return importlib.import_module("msgspec")


def _limited_for_us(kind: Any, tp: Any) -> Any:
    """Add a constraint to a type that holds for every document here."""
    from snooze import Ge, Le, Len  # noqa: PLC0415 - only these rows need it

    if kind in (int, float):
        return Annotated[tp, Ge(0), Le(2**62)]
    return tp if kind is bool else Annotated[tp, Len(0, 100_000)]


def _limited_for_msgspec(kind: Any, tp: Any) -> Any:
    meta = _msgspec().Meta
    if kind in (int, float):
        return Annotated[tp, meta(ge=0, le=2**62)]
    return tp if kind is bool else Annotated[tp, meta(max_length=100_000)]


_MAKE = {"slots": _slots, "dict": _dataclass, "struct": _struct}


@cache
def family(
    kind: str, *, limits: bool = False, seen: bool = True, library: str = OURS
) -> shapes.Family:
    """Return the classes of a kind: "slots", "dict" or "struct"."""
    make = _MAKE[kind] if seen else _unseen(kind)
    limited = _limited_for_us if library == OURS else _limited_for_msgspec
    return shapes.Family(make, limited if limits else None)


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
        value = shapes.projected(shape, json.loads(text))
        if "loads" in directions:
            made += _readings(name, shape, text, value, note)
        if "dumps" in directions:
            made.append(_writing(name, shape, value, note))
    return made


def _readings(name: str, shape: Any, text: bytes, value: Any, note: str) -> list[Typed]:
    declared = generated.compact(value)
    dice = generated.Dice(330)
    mixed = generated.compact(shapes.projected(shape, value, dice))
    found = [_reading(name, shape, text, note)]
    if declared != text:
        words = "minified"
        found.append(_reading(f"{name} min", shape, declared, _both(note, words)))
    words = "shuffled"
    found.append(
        _reading(f"{name} mix", shape, mixed, _both(note, words), base=declared)
    )
    words = "limits"
    found.append(
        _reading(f"{name} con", shape, text, _both(note, words), base=text, limits=True)
    )
    if name == "twitter":
        words = "fast skip"
        found.append(
            _reading(
                "tweets skip", shape, text, _both(note, words), base=text, skip="fast"
            )
        )
    else:
        words = _both(note, "gc=False")
        found.append(
            _reading(f"{name} nogc", shape, text, words, base=text, seen=False)
        )
        if declared != text:
            words = _both(note, "minified, gc=False")
            found.append(
                _reading(
                    f"{name}-m nogc", shape, declared, words, base=declared, seen=False
                )
            )
    return found


def _both(note: str, words: str) -> str:
    return f"{note}, {words}" if note else words


def _reading(  # noqa: PLR0913 - a row is made of these
    name: str,
    shape: Any,
    text: bytes,
    note: str,
    *,
    base: bytes | None = None,
    limits: bool = False,
    seen: bool = True,
    skip: str = "",
) -> Typed:
    whole = json.loads(text)
    value = shapes.projected(shape, whole)

    def ours(
        kind: str, text: bytes, *, limits: bool, seen: bool, skip: str = ""
    ) -> Way:
        classes = family(kind, limits=limits, seen=seen)
        options: Any = {"skip": skip} if skip else {}

        def call() -> Call:
            import snooze  # noqa: PLC0415 - only where it races

            decode: Call = snooze.Decoder(classes.type_of(shape), **options).decode
            return decode

        return Way(call, text, value, lambda one: shapes.read_back(shape, one, classes))

    def theirs(kind: str) -> Way:
        classes = family(
            kind, limits=limits, seen=seen or kind != "struct", library="msgspec"
        )

        def call() -> Call:
            decode: Call = _msgspec().json.Decoder(classes.type_of(shape)).decode
            return decode

        return Way(call, text, value, lambda one: shapes.read_back(shape, one, classes))

    def untyped(library: str) -> Way:
        return Way(
            lambda: importlib.import_module(library).loads, text, whole, lambda one: one
        )

    ways = {
        OURS: ours("slots", text, limits=limits, seen=seen, skip=skip),
        "snooze dict": ours("dict", text, limits=limits, seen=seen, skip=skip),
    }
    if base is not None:
        ways[BASE] = ours("slots", base, limits=False, seen=True)
    ways |= {
        PLAIN: untyped(OURS),
        "msgspec": theirs("struct"),
        "msgspec slots": theirs("slots"),
        REFERENCE: untyped(REFERENCE),
        AGAIN: untyped(REFERENCE),
    }
    digest = hashlib.sha256(text).hexdigest()
    return Typed(GROUP, name, "loads", len(text), note, digest, ways)


def _writing(name: str, shape: Any, value: Any, note: str) -> Typed:
    """Return the row that writes; its bytes are those of the output."""

    def of(classes: shapes.Family, call: Callable[[], Call]) -> Way:
        return Way(call, shapes.instance(shape, value, classes), value, _read)

    def ours(kind: str) -> Way:
        classes = family(kind)

        def call() -> Call:
            import snooze  # noqa: PLC0415 - only where it races

            encode: Call = snooze.Encoder(classes.type_of(shape)).encode
            return encode

        return of(classes, call)

    def theirs() -> Call:
        encode: Call = _msgspec().json.Encoder().encode
        return encode

    def generic(library: str) -> Callable[[], Call]:
        return lambda: importlib.import_module(library).dumps

    ways = {
        OURS: ours("slots"),
        "snooze dict": ours("dict"),
        PLAIN: Way(generic(OURS), shapes.projected(shape, value), value, _read),
        "msgspec": of(family("struct"), theirs),
        "msgspec slots": of(family("slots"), theirs),
        REFERENCE: of(family("slots"), generic(REFERENCE)),
        AGAIN: of(family("slots"), generic(REFERENCE)),
    }
    text = generated.compact(value)
    digest = hashlib.sha256(text).hexdigest()
    return Typed(GROUP, name, "dumps", len(text), note, digest, ways)


def _read(result: Any) -> Any:
    if type(result) is not bytes:
        raise TypeError(f"wrote {type(result).__name__}, not bytes")
    return json.loads(result)
