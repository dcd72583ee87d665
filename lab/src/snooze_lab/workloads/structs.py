"""The structures of the fourth seed in Python, and every way to read and write them.

Separate because here a contender is a way of using a library: with which classes and by
which call. The structures are the seed's (of a tweet six members, of its user nine;
events and performances of the catalog) and the same as in lab/native, so both halves of
the study write the same bytes. Invariants: standard library only until a way is opened;
each way gets separate values, built from the document's text, so that no two share
strings; every result is checked member by member, and class by class. Used by the
engine for study s004.

    snooze slots | dataclass | attrs | TypedDict   Decoder(T).decode, Encoder(T).encode
    msgspec Struct | slots | dataclass | attrs | TypedDict   the same of msgspec.json
    pydantic                   TypeAdapter(T).validate_json and .dump_json
    orjson slots | dataclass   dumps of the instances
    snooze dumps slots         dumps of the instances
    json asdict                json.dumps of dataclasses.asdict
    … loads, … dumps dicts     no classes: the calls of a program without classes
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.metadata
import json
import typing
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.workloads import shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders.base import Call

OPERATIONS = ("encode", "decode")
#: The baseline of the ways; entered a second time as model.AGAIN.
BASELINES = {"encode": "orjson dataclass", "decode": "orjson loads"}

USER = shapes.Record(
    "User",
    {
        "id": int,
        "name": str,
        "screen_name": str,
        "location": str,
        "description": str,
        "verified": bool,
        "followers_count": int,
        "friends_count": int,
        "statuses_count": int,
    },
)
STATUS = shapes.Record(
    "Status",
    {
        "created_at": str,
        "id": int,
        "text": str,
        "user": USER,
        "retweet_count": int,
        "favorite_count": int,
    },
)
TWITTER = shapes.Record("TwitterData", {"statuses": shapes.Many(STATUS)})
CITM = shapes.Record(
    "CitmCatalog",
    {
        "events": shapes.Named(shapes.EVENT),
        "performances": shapes.Many(shapes.PERFORMANCE),
    },
)
STRUCTURES = {"twitter": TWITTER, "citm": CITM}
#: The workload that each structure is read from.
DOCUMENTS = {"twitter": "twitter", "citm": "citm_catalog"}


class StructureError(ValueError):
    """No such structure or operation; the message lists the known ones."""


@dataclass(frozen=True)
class Opened:
    """A way whose library was imported, ready to be timed.

    `argument` makes a new argument for `call`. `plain` converts a result to its plain
    value (TypeError or ValueError if it has none), which must equal `wanted`; `size` is
    the bytes of JSON of one call.
    """

    call: Call
    argument: Callable[[], Any]
    plain: Call
    wanted: Any
    size: int

    def check(self, result: Any) -> str:
        """Compare every member, and the class of everything that has one."""
        try:
            found = self.plain(result)
        except (TypeError, ValueError, AttributeError) as reason:
            return f"not as required: {reason}"[:200]
        return differs(found, self.wanted)

    def digest(self, result: Any) -> str:
        """Return SHA-256 of the plain value of a result; see `digest_of`."""
        return digest_of(self.plain(result))


@dataclass(frozen=True)
class Way:
    """A way of using a library for one structure and one operation.

    `kind` is of the classes: slots, dataclass, attrs, TypedDict, Struct, pydantic, or
    none. `note` names the call.
    """

    name: str
    module: str
    distribution: str
    kind: str
    note: str
    _open: Callable[[], Opened]

    def open(self) -> Opened:
        """Import the library and make its classes; ImportError if it is missing."""
        return self._open()

    @property
    def version(self) -> str:
        """The installed version; empty for the standard library or a missing one."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return ""

    @property
    def absent(self) -> str:
        """Why it cannot take part here, or an empty string."""
        for module in {self.module, _LIBRARIES.get(self.kind, self.module)}:
            try:
                importlib.import_module(module)
            except ImportError as reason:
                return f"{module} cannot be imported: {reason}"
        return ""


#: Further imports needed to make classes of a kind.
_LIBRARIES = {"attrs": "attrs", "Struct": "msgspec", "pydantic": "pydantic"}


def _attrs(name: str, fields: dict[str, Any]) -> type:
    attrs: Any = importlib.import_module("attrs")
    made: type = attrs.define(type(name, (), {"__annotations__": fields}))
    return made


def _struct(name: str, fields: dict[str, Any]) -> type:
    msgspec: Any = importlib.import_module("msgspec")
    made: type = msgspec.defstruct(name, list(fields.items()))
    return made


def _pydantic(name: str, fields: dict[str, Any]) -> type:
    pydantic: Any = importlib.import_module("pydantic")
    made: type = pydantic.create_model(
        name, **{member: (kind, ...) for member, kind in fields.items()}
    )
    return made


def _typed_dict(name: str, fields: dict[str, Any]) -> type:
    make: Any = typing.TypedDict
    made: type = make(name, fields)
    return made


def _dataclass(name: str, fields: dict[str, Any], *, slots: bool) -> type:
    return dataclasses.make_dataclass(name, fields.items(), slots=slots)


_KINDS: dict[str, Callable[[str, dict[str, Any]], type]] = {
    "slots": partial(_dataclass, slots=True),
    "dataclass": partial(_dataclass, slots=False),
    "attrs": _attrs,
    "TypedDict": _typed_dict,
    "Struct": _struct,
    "pydantic": _pydantic,
}


@cache
def family(kind: str) -> shapes.Family:
    """Return a kind's classes; ImportError when one is made without its library."""
    return shapes.Family(_KINDS[kind])


def projected(structure: str, text: bytes | None = None) -> bytes:
    """Return the members of a structure as compact JSON, which both halves write.

    `text` is the whole document; by default that of the laboratory's workload. Without
    it, or with a look-alike that lacks these members, a document that has them is made.
    StructureError for an unknown structure.
    """
    if text is None:
        return _usual(structure)[0]
    return _compact(shapes.projected(_shape(structure), json.loads(text)))


def note(structure: str) -> str:
    """Return `look-alike` if the original document is missing, else an empty string."""
    return _usual(structure)[1]


@cache
def _usual(structure: str) -> tuple[bytes, str]:
    # Not at the top: that package imports this module when it lists its workloads.
    from snooze_lab.workloads import find, generated  # noqa: PLC0415

    shape = _shape(structure)
    try:
        document = find(DOCUMENTS[structure])
        text = projected(structure, document.texts[0])
    except (ValueError, KeyError, TypeError, OSError):
        dice = generated.Dice(320)
        value = shapes.look_alike(shape, dice)
        if structure == "twitter":
            value["statuses"] = [shapes.look_alike(STATUS, dice) for _ in range(100)]
        return _compact(value), "look-alike"
    return text, document.note


def ways(structure: str, operation: str, text: bytes | None = None) -> dict[str, Way]:
    """Return every way of doing an operation with a structure, by name.

    `text` is the whole document; by default that of the laboratory's workload. Decoding
    reads only the members of the structure, compact, as encoding writes them.
    StructureError for an unknown structure or operation.
    """
    if operation not in OPERATIONS:
        raise StructureError(
            f"operation {operation!r}: expected one of {', '.join(OPERATIONS)}"
        )
    subject = _Subject(_shape(structure), projected(structure, text))
    made = _encodings(subject) if operation == "encode" else _decodings(subject)
    found = {way.name: way for way in made}
    again = dataclasses.replace(found[BASELINES[operation]], name=model.AGAIN)
    return found | {again.name: again}


def _shape(structure: str) -> shapes.Record:
    if structure not in STRUCTURES:
        raise StructureError(
            f"structure {structure!r}: expected one of {', '.join(STRUCTURES)}"
        )
    return STRUCTURES[structure]


@dataclass(frozen=True)
class _Subject:
    """A structure and its text, from which arguments and classes are made."""

    shape: shapes.Record
    text: bytes

    def value(self) -> Any:
        """Return a new plain value that shares no part with another."""
        return json.loads(self.text)

    def instance(self, kind: str) -> Any:
        """Return an instance of the classes of a kind."""
        return shapes.instance(self.shape, self.value(), family(kind))

    def type_of(self, kind: str) -> Any:
        """Return the class of a kind."""
        return family(kind).type_of(self.shape)

    def plain(self, kind: str, result: Any) -> Any:
        """Return the plain value of a decoded result; TypeError for a wrong class."""
        if kind in {"", "TypedDict"}:
            return result
        return shapes.read_back(self.shape, result, family(kind))

    def opened(self, call: Call, argument: Callable[[], Any], plain: Call) -> Opened:
        return Opened(call, argument, plain, self.value(), len(self.text))


#: Makes the call of a type.
_Maker = "Callable[[Any], Call]"


def _made(library: str, distribution: str = "") -> Callable[..., Way]:
    """Return Way with the library filled in."""
    return partial(Way, module=library, distribution=distribution or library)


def _encodings(subject: _Subject) -> list[Way]:
    def way(library: str, name: str, kind: str, words: str, call: Any) -> Way:
        def opened() -> Opened:
            made = call(
                importlib.import_module(library),
                subject.type_of(kind) if kind else None,
            )
            if kind:
                return subject.opened(made, lambda: subject.instance(kind), _read)
            return subject.opened(made, subject.value, _read)

        return _made(library)(name=name, kind=kind, note=words, _open=opened)

    def dumps(module: Any, _: Any) -> Call:
        found: Call = module.dumps
        return found

    found = [
        way("snooze", f"snooze {kind}", kind, "Encoder(T).encode", _our_encoder)
        for kind in ("slots", "dataclass", "attrs", "TypedDict")
    ]
    found += [
        way("msgspec", f"msgspec {kind}", kind, "json.Encoder().encode", _their_encoder)
        for kind in ("Struct", "slots", "dataclass", "attrs", "TypedDict")
    ]
    found.append(
        way("pydantic", "pydantic", "pydantic", "TypeAdapter(T).dump_json", _dump_json)
    )
    found += [
        way("orjson", f"orjson {kind}", kind, "dumps of the instances", dumps)
        for kind in ("slots", "dataclass")
    ]
    found += [
        way("snooze", "snooze dumps slots", "slots", "dumps of the instances", dumps),
        way(
            "json",
            "json asdict",
            "dataclass",
            "json.dumps(asdict(…)).encode()",
            _asdict,
        ),
        way("snooze", "snooze dumps dicts", "", "dumps, no classes", dumps),
        way("orjson", "orjson dumps dicts", "", "dumps, no classes", dumps),
        way(
            "json", "json dumps dicts", "", "json.dumps(…).encode(), no classes", _json
        ),
    ]
    return found


def _decodings(subject: _Subject) -> list[Way]:
    def way(library: str, name: str, kind: str, words: str, call: Any) -> Way:
        def opened() -> Opened:
            made = call(
                importlib.import_module(library),
                subject.type_of(kind) if kind else None,
            )
            return subject.opened(
                made, lambda: subject.text, partial(subject.plain, kind)
            )

        return _made(library)(name=name, kind=kind, note=words, _open=opened)

    def loads(module: Any, _: Any) -> Call:
        found: Call = module.loads
        return found

    found = [
        way("snooze", f"snooze {kind}", kind, "Decoder(T).decode", _our_decoder)
        for kind in ("slots", "dataclass", "attrs", "TypedDict")
    ]
    found += [
        way(
            "msgspec", f"msgspec {kind}", kind, "json.Decoder(T).decode", _their_decoder
        )
        for kind in ("Struct", "slots", "dataclass", "attrs", "TypedDict")
    ]
    found.append(
        way(
            "pydantic",
            "pydantic",
            "pydantic",
            "TypeAdapter(T).validate_json",
            _validate,
        )
    )
    found += [
        way(library, f"{library} loads", "", "loads, no classes and no checks", loads)
        for library in ("snooze", "orjson", "json")
    ]
    return found


def _our_encoder(module: Any, tp: Any) -> Call:
    found: Call = module.Encoder(tp).encode
    return found


def _our_decoder(module: Any, tp: Any) -> Call:
    found: Call = module.Decoder(tp).decode
    return found


def _their_encoder(_: Any, __: Any) -> Call:
    found: Call = importlib.import_module("msgspec.json").Encoder().encode
    return found


def _their_decoder(_: Any, tp: Any) -> Call:
    found: Call = importlib.import_module("msgspec.json").Decoder(tp).decode
    return found


def _dump_json(module: Any, tp: Any) -> Call:
    found: Call = module.TypeAdapter(tp).dump_json
    return found


def _validate(module: Any, tp: Any) -> Call:
    found: Call = module.TypeAdapter(tp).validate_json
    return found


def _asdict(_: Any, __: Any) -> Call:
    return lambda value: _compact(dataclasses.asdict(value))


def _json(_: Any, __: Any) -> Call:
    return _compact


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _read(result: Any) -> Any:
    if type(result) is not bytes:
        raise TypeError(f"wrote {type(result).__name__}, not bytes")
    return json.loads(result)


def digest_of(value: Any) -> str:
    """Return SHA-256 of a plain value, ignoring the order of members."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def differs(found: Any, wanted: Any, place: str = "$") -> str:
    """Return where two plain values first differ, types included, or nothing."""
    if type(found) is not type(wanted):
        return f"{place}: {type(found).__name__} instead of {type(wanted).__name__}"
    if isinstance(found, dict):
        if found.keys() != wanted.keys():
            return f"{place}: other members than the document's"
        pairs = [(f"{place}.{name}", found[name], wanted[name]) for name in wanted]
    elif isinstance(found, list):
        if len(found) != len(wanted):
            return f"{place}: {len(found)} elements instead of {len(wanted)}"
        pairs = [
            (f"{place}[{index}]", one, other)
            for index, (one, other) in enumerate(zip(found, wanted, strict=True))
        ]
    else:
        return "" if found == wanted else f"{place}: another value than the document's"
    for one in pairs:
        reason = differs(one[1], one[2], one[0])
        if reason:
            return reason
    return ""
