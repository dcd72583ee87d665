"""Every way to read and write a structure in Python, with classes and without.

Separate because here a contender is a way of using a library: with which classes and by
which call. Invariants: standard library only until a job is made; each way gets
separate values, built from the text, so that no two share strings; every result is
checked member by member, and class by class. Used by structs.py and race/typed.py.

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
from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.workloads import generated, shapes
from snooze_lab.workloads.base import difference
from snooze_lab.workloads.operations import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from snooze_lab.contenders.base import Call

OPERATIONS = ("encode", "decode")
#: The baseline of the ways, entered a second time as model.AGAIN; and the one of a
#: document whose members may need names that are none of a field.
BASELINES = {"encode": "orjson dataclass", "decode": "orjson loads"}
UNTYPED = model.UNTYPED
#: What a kind of classes is imported from, if it is not the library of the way.
_IMPORTS = {"attrs": "attrs", "Struct": "msgspec", "pydantic": "pydantic"}
#: Kinds whose members any library can name; those of the other kinds only snooze can.
_NAMED = ("Struct", "TypedDict", "pydantic")


def _class_of(
    kind: str,
    name: str,
    fields: dict[str, Any],
    renamed: dict[str, str] | None = None,
    optional: Collection[str] = (),
) -> type:
    """Make a class of a kind; arguments as in shapes.Family."""
    renamed = renamed or {}
    # A field with a default may come before one without.
    any_order = bool(optional)
    given: list[Any] = [
        (one, tp, None) if one in optional else (one, tp) for one, tp in fields.items()
    ]
    made: Any
    match kind:
        case "Struct":
            msgspec: Any = importlib.import_module("msgspec")
            made = msgspec.defstruct(name, given, rename=renamed, kw_only=any_order)
        case "pydantic":
            made = _model(name, fields, renamed, optional)
        case "TypedDict":
            members = {
                renamed.get(one, one): typing.NotRequired[tp] if one in optional else tp
                for one, tp in fields.items()
            }
            functional: Any = typing.TypedDict
            made = functional(name, members)
        case "attrs":
            attrs: Any = importlib.import_module("attrs")
            body = {"__annotations__": fields} | dict.fromkeys(optional)
            made = attrs.define(type(name, (), body), kw_only=any_order)
        case _:
            made = dataclasses.make_dataclass(
                name, given, slots=kind == "slots", kw_only=any_order
            )
    if renamed and kind in {"slots", "dataclass", "attrs"}:
        # Only snooze has names of members for these.
        made = importlib.import_module("snooze").configure(rename=renamed)(made)
    found: type = made
    return found


def _model(
    name: str,
    fields: dict[str, Any],
    renamed: dict[str, str],
    optional: Collection[str],
) -> Any:
    pydantic: Any = importlib.import_module("pydantic")
    given = {}
    for one, tp in fields.items():
        more = {"alias": renamed[one]} if one in renamed else {}
        default = None if one in optional else ...
        given[one] = (tp, pydantic.Field(default, **more))
    config: dict[str, Any] = {"protected_namespaces": ()}
    if renamed:
        config |= {"populate_by_name": True, "serialize_by_alias": True}
    return pydantic.create_model(name, __config__=config, **given)


KINDS: dict[str, Callable[..., type]] = {
    kind: partial(_class_of, kind)
    for kind in ("slots", "dataclass", "attrs", "TypedDict", "Struct", "pydantic")
}


@dataclass(frozen=True)
class Use:
    """How a library is used: `call` makes the call from its module and a class.

    `kind` is of the classes: slots, dataclass, attrs, TypedDict, Struct, pydantic, or
    none. `note` names the call. `renames` says that the library gives members names
    other than those of the fields.
    """

    name: str
    library: str
    kind: str
    note: str
    call: Callable[[Any, Any], Call]
    renames: bool = True


def _each(library: str, kinds: str, note: str, call: Any, how: str = "") -> list[Use]:
    """Return a use for each kind of classes; `how` is a word of their names.

    Only a coder of its own can rename members for snooze, plain dumps cannot.
    """
    words = [library, how] if how else [library]
    return [
        Use(
            " ".join([*words, kind]),
            library,
            kind,
            note,
            call,
            renames=kind in _NAMED or (library == "snooze" and not how),
        )
        for kind in kinds.split()
    ]


def _plain(libraries: str, how: str, note: str, call: Any) -> list[Use]:
    """Return a use without classes for each library."""
    return [Use(f"{one} {how}", one, "", note, call) for one in libraries.split()]


def _dumps(module: Any, _: Any) -> Call:
    found: Call = module.dumps
    return found


def _loads(module: Any, _: Any) -> Call:
    found: Call = module.loads
    return found


def _asdict(module: Any, tp: Any) -> Call:
    if dataclasses.is_dataclass(tp):
        return lambda value: generated.compact(dataclasses.asdict(value))
    return lambda value: module.dumps(
        value, ensure_ascii=False, separators=(",", ":"), default=dataclasses.asdict
    ).encode()


_INSTANCES, _NO_CLASSES = "dumps of the instances", "dumps, no classes"
USES: dict[str, tuple[Use, ...]] = {
    "encode": (
        *_each(
            "snooze",
            "slots dataclass attrs TypedDict",
            "Encoder(T).encode",
            lambda module, tp: module.Encoder(tp).encode,
        ),
        *_each(
            "msgspec",
            "Struct slots dataclass attrs TypedDict",
            "json.Encoder().encode",
            lambda module, _: module.json.Encoder().encode,
        ),
        Use(
            *("pydantic", "pydantic", "pydantic", "TypeAdapter(T).dump_json"),
            lambda module, tp: module.TypeAdapter(tp).dump_json,
        ),
        *_each("orjson", "slots dataclass", _INSTANCES, _dumps),
        *_each("snooze", "slots", _INSTANCES, _dumps, "dumps"),
        Use(
            *("json asdict", "json", "dataclass", "json.dumps(asdict(…)).encode()"),
            _asdict,
            renames=False,
        ),
        *_plain("snooze orjson", "dumps dicts", _NO_CLASSES, _dumps),
        *_plain(
            *("json", "dumps dicts", "json.dumps(…).encode(), no classes"),
            lambda _, __: generated.compact,
        ),
    ),
    "decode": (
        *_each(
            "snooze",
            "slots dataclass attrs TypedDict",
            "Decoder(T).decode",
            lambda module, tp: module.Decoder(tp).decode,
        ),
        *_each(
            "msgspec",
            "Struct slots dataclass attrs TypedDict",
            "json.Decoder(T).decode",
            lambda module, tp: module.json.Decoder(tp).decode,
        ),
        Use(
            *("pydantic", "pydantic", "pydantic", "TypeAdapter(T).validate_json"),
            lambda module, tp: module.TypeAdapter(tp).validate_json,
        ),
        *_plain("snooze orjson json", "loads", "loads, no classes, no checks", _loads),
    ),
}


class Subject:
    """A structure and a document of it, and the classes that ways use for it.

    `shape` is the structure (shapes.py), `text` the document. Decoding reads the text;
    encoding writes every member of the structure, compact. `families` are the classes
    by kind, where they are not the usual ones.
    """

    def __init__(
        self,
        shape: Any,
        text: bytes,
        families: Mapping[str, shapes.Family] | None = None,
    ) -> None:
        """Keep the structure; no class is made yet."""
        self.shape = shape
        self.text = text
        self._families = families or {
            kind: shapes.Family(make) for kind, make in KINDS.items()
        }

    def absent(self, use: Use) -> str:
        """Return what a use needs and cannot import, or an empty string."""
        for name in {use.library, _IMPORTS.get(use.kind, use.library)}:
            try:
                importlib.import_module(name)
            except ImportError as reason:
                return f"{name} cannot be imported: {reason}"
        return ""

    def job(self, operation: str, use: Use) -> Job:
        """Import the library, make its classes, and return the call to be timed.

        ImportError if it is missing, UnsupportedError if it cannot have such classes.
        """
        is_renamed = any(one.attributes for one in shapes.records(self.shape))
        if is_renamed and not use.renames:
            raise UnsupportedError(
                "members are named as the fields, and this document has names that no "
                "field can have"
            )
        family = self._families.get(use.kind)
        tp = None if family is None else family.type_of(self.shape)
        call = use.call(importlib.import_module(use.library), tp)
        if operation == "encode":
            text = generated.compact(self._value())
            make = partial(self._instance, use.kind)
            return _judged(call, make, _read, json.loads(text), len(text))
        # Without classes nothing completes the members that are missing.
        wanted = self._value() if use.kind else json.loads(self.text)
        plain = partial(self._plain, use.kind)
        return _judged(call, lambda: self.text, plain, wanted, len(self.text))

    def _value(self) -> Any:
        """Return a new plain value, complete, that shares no part with another."""
        return shapes.projected(self.shape, json.loads(self.text))

    def _instance(self, kind: str) -> Any:
        if kind in {"", "TypedDict"}:
            return self._value()
        value = json.loads(self.text)
        return shapes.instance(self.shape, value, self._families[kind])

    def _plain(self, kind: str, result: Any) -> Any:
        """Return the plain value of a decoded result; TypeError for a wrong class."""
        if not kind:
            return result
        if kind == "TypedDict":
            is_partial = any(one.optional for one in shapes.records(self.shape))
            return shapes.projected(self.shape, result) if is_partial else result
        return shapes.read_back(self.shape, result, self._families[kind])


def _judged(
    call: Call, argument: Callable[[], Any], plain: Call, wanted: Any, size: int
) -> Job:
    """Return the job of a way: the plain value of its result must equal `wanted`.

    `plain` raises TypeError or ValueError for a result that has none.
    """

    def fault(result: Any) -> str:
        try:
            return difference(plain(result), wanted)
        except (TypeError, ValueError, AttributeError) as reason:
            return f"not as required: {reason}"[:200]

    return Job(
        call=call,
        argument=argument,
        fault=fault,
        digest=lambda result: digest_of(plain(result)),
        size=lambda _result: size,
    )


def uses(operation: str, baselines: dict[str, str] = BASELINES) -> dict[str, Use]:
    """Return every way of an operation by name; its baseline twice.

    UnsupportedError for an unknown operation.
    """
    if operation not in OPERATIONS:
        raise UnsupportedError(
            f"operation {operation!r}: expected one of {', '.join(OPERATIONS)}"
        )
    found = {use.name: use for use in USES[operation]}
    again = dataclasses.replace(found[baselines[operation]], name=model.AGAIN)
    return found | {again.name: again}


def version(library: str) -> str:
    """Return the installed version of a way's library."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "standard library"


def _read(result: Any) -> Any:
    if type(result) is not bytes:
        raise TypeError(f"wrote {type(result).__name__}, not bytes")
    return json.loads(result)


def digest_of(value: Any) -> str:
    """Return SHA-256 of a plain value, ignoring the order of members."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
