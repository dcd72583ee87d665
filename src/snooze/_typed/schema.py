"""`schema`: JSON Schema 2020-12 of a type, as its Decoder accepts it.

Separate from the plans: the third reading of the model. Invariant: what a strict
Decoder accepts, the schema accepts. It may accept more where JSON Schema has no words:
1.0 is an integer for it, formats are annotations, functions in Python are not known to
it. Called by users.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from snooze._typed import defaults, lower_decode, model, unions
from snooze._typed.introspect import build
from snooze._typed.options import UNSET, Options, check_rename, check_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._typed.options import Rename

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_INT = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_SCALARS: dict[str, Schema] = {
    "null": {"type": "null"},
    "bool": {"type": "boolean"},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "uuid": {"type": "string", "format": "uuid"},
}


def schema(
    type: Any,  # noqa: A002 - as in Decoder
    *,
    rename: Rename | None = None,
    unknown: Literal["ignore", "forbid"] | None = None,
) -> Schema:
    """Return the JSON Schema (2020-12) of what `Decoder(type, …)` accepts.

    Args:
        type: any type that a Decoder takes; classes that only dec_hook knows are `{}`.
        rename: names in JSON, for classes that do not say.
        unknown: "ignore" or "forbid", for classes that do not say.
    """
    if rename is not None:
        check_rename(rename, "schema")
    if unknown is not None:
        check_unknown(unknown, "schema")
    options = Options(
        rename=UNSET if rename is None else rename,
        unknown=UNSET if unknown is None else unknown,
    )
    writer = _Writer()
    node = build(type, options)
    # What a Decoder refuses has no schema; classes for dec_hook are as good as known.
    lower_decode.lower(node, (True, False, False, None), lambda _, value: value)
    root = writer.of(node)
    for key, write, found in writer.pending:  # grows while types lead to others
        writer.defs[key] = write(found)
    result: Schema = {"$schema": DIALECT, **root}
    if writer.defs:
        result["$defs"] = dict(sorted(writer.defs.items()))
    return result


class _Writer:
    def __init__(self) -> None:
        self.defs: dict[str, Schema] = {}
        self.names: dict[model.Node, str] = {}
        self.pending: list[tuple[str, Callable[[Any], Schema], Any]] = []

    def of(self, node: model.Node) -> Schema:  # noqa: PLR0911 - one line for each
        """Return the schema of a type; of named ones a reference."""
        match node:
            case model.Record():
                return self._named(node, node.name, self._record)
            case model.Alias(target=model.Node() as target):
                return self._named(node, node.name, lambda _: self.of(target))
            case model.Choice() if node.cls is not None and _is_whole(node):
                return self._named(node, node.cls.__name__, _choice)
            case model.Array() if node.dtype is not None:
                return self._named(node, f"ndarray[{node.dtype}]", self._array)
            case model.Via(wire=model.Record() | model.Union() | model.Items()):
                return self._named(node, node.name, self._via)
            case model.Via(wire=model.Entries() | model.Fixed() | model.Alias()):
                return self._named(node, node.name, self._via)
            case model.Union():
                return self._union(node)
            case _:
                return self._plain(node)

    def _named(self, node: Any, name: str, write: Callable[[Any], Schema]) -> Schema:
        """Write a definition once, and refer to it."""
        if node not in self.names:
            key = self._free(name, node)
            self.names[node] = key
            self.defs[key] = {}
            self.pending.append((key, write, node))
        escaped = self.names[node].replace("~", "~0").replace("/", "~1")
        return {"$ref": f"#/$defs/{_percent(escaped)}"}

    def _free(self, name: str, node: Any) -> str:
        if name not in self.defs:
            return name
        module = getattr(getattr(node, "cls", None), "__module__", "")
        wanted = f"{module}.{name}" if module else name
        number = 2
        key = wanted
        while key in self.defs:
            key = f"{wanted}-{number}"
            number += 1
        return key

    def _plain(self, node: model.Node) -> Schema:  # noqa: C901, PLR0911, PLR0912
        match node:
            case model.Anything() | model.Raw():
                return {}
            case model.Nothing():
                return {"not": {}}
            case model.Custom():
                return {"title": node.name}
            case model.Scalar(kind="datetime" | "time", tz="naive"):
                return {"type": "string", "description": f"{node.kind} without offset"}
            case model.Scalar():
                return dict(_SCALARS[node.kind])
            case model.Number():
                return _number(node)
            case model.Text():
                found = _between("Length", node.length)
                if node.pattern is not None:
                    found["pattern"] = node.pattern
                return {"type": "string", **found}
            case model.Binary():
                length = node.length
                most = None if length.most is None else _base64(length.most)
                quads = model.Length(_base64(length.least), most)
                found = _between("Length", quads)
                return {"type": "string", "contentEncoding": "base64", **found}
            case model.Choice():
                return _choice(node)
            case model.Items():
                found = {"type": "array"}
                items = self.of(node.item)
                if items:
                    found["items"] = items
                return {**found, **_between("Items", node.length)}
            case model.Fixed():
                return _tuple([self.of(item) for item in node.items])
            case model.Entries():
                return self._entries(node)
            case model.Array():
                return {"type": "array"}
            case model.Checked():
                words = ", ".join(check.words for check in node.checks if check.words)
                found = self.of(node.target)
                return {**found, "description": words} if words else found
            case model.Via():
                return self._via(node)
            case _:
                raise AssertionError(node)

    def _array(self, node: model.Array) -> Schema:
        """Write an array of numbers or of such arrays: lengths cannot be compared."""
        kinds = {"b": "boolean", "i": "integer", "u": "integer", "f": "number"}
        item = {"type": kinds[node.dtype.kind]}
        return {"type": "array", "items": {"anyOf": [item, self.of(node)]}}

    def _via(self, node: model.Via) -> Schema:
        if node.wire is None:
            raise TypeError(f"the wire type of {node.name} leads back to it")
        found = self.of(node.wire)
        return found if node.format is None else {**found, "format": node.format}

    def _entries(self, node: model.Entries) -> Schema:
        found: Schema = {"type": "object"}
        names = _names(node.key)
        if names:
            found["propertyNames"] = names
        value = self.of(node.value)
        if value:
            found["additionalProperties"] = value
        return {**found, **_between("Properties", node.length)}

    def _union(self, node: model.Union) -> Schema:
        options = [
            option for option in node.options if not isinstance(option, model.Nothing)
        ]
        if not options:
            return {"not": {}}
        records = [
            option
            for option in unions.flatten(node, "schema")
            if isinstance(option, model.Record) and not option.array
        ]
        if len(records) > 1:
            return self._objects(node, records)
        parts: list[Schema] = []
        for option in options:
            part = self.of(option)
            if part not in parts:
                parts.append(part)
        return parts[0] if len(parts) == 1 else {"anyOf": parts}

    def _objects(self, node: model.Union, records: list[model.Record]) -> Schema:
        """Write a union of classes, and what else the union has."""
        chosen = unions.choose(records, "schema")
        if chosen.how == "keys":
            found: Schema = {"anyOf": [self.of(record) for record in records]}
        else:
            parts = []
            for record in records:
                part = self.of(record)
                if chosen.how == "tag":
                    part = {**part, "required": [chosen.name]}
                parts.append(part)
            mapping = {
                str(value): self.of(record)["$ref"]
                for value, record in chosen.by.items()
            }
            found = {
                "oneOf": parts,
                "discriminator": {"propertyName": chosen.name, "mapping": mapping},
            }
        others = [
            self.of(option)
            for option in unions.flatten(node, "schema")
            if option not in records
        ]
        return {"anyOf": [found, *others]} if others else found

    def _record(self, record: model.Record) -> Schema:
        found: Schema = {"title": record.name}
        doc = defaults.documentation(record.cls)
        if doc:
            found["description"] = doc
        if record.array:
            return {**found, **self._array_record(record)}
        properties, required, either = self._members(record)
        found["type"] = "object"
        found["properties"] = properties
        if required:
            found["required"] = required
        if either:
            found["allOf"] = either
        if record.rest is not None:
            rest = self.of(record.rest[1])
            if rest:
                found["additionalProperties"] = rest
        elif record.unknown == "forbid":
            found["additionalProperties"] = False
        return found

    def _members(self, record: model.Record) -> tuple[Schema, list[str], list[Schema]]:
        """Return properties, required names, and names of which one is required."""
        properties: Schema = {}
        required: list[str] = []
        either: list[Schema] = []
        if record.tag is not None:
            properties[record.tag[0]] = {"const": record.tag[1]}
        for field in record.fields:
            for name in field.names:
                properties[name] = self._field(field)
            if not field.reads or field.presence != "required":
                continue
            if field.aliases:
                names: list[Schema] = [{"required": [name]} for name in field.names]
                either.append({"anyOf": names})
            else:
                required.append(field.name)
        return properties, required, either

    def _field(self, field: model.Field) -> Schema:
        found = dict(self.of(field.node))
        if field.presence == "default":
            value = defaults.to_json(field.default)
            if value is not defaults.NO_JSON:
                found["default"] = value
        elif field.presence == "factory" and field.default in {list, dict}:
            found["default"] = field.default()
        return found

    def _array_record(self, record: model.Record) -> Schema:
        fields = [field for field in record.fields if field.reads]
        least = sum(field.presence == "required" for field in fields)
        return _tuple([self._field(field) for field in fields], least)


def _tuple(items: list[Schema], least: int | None = None) -> Schema:
    found: Schema = {"type": "array"}
    if items:
        found["prefixItems"] = items
    found["items"] = False
    least = len(items) if least is None else least
    if least:
        found["minItems"] = least
    return found


def _number(node: model.Number) -> Schema:
    """Return the schema of a number; Decimals may be strings, without their bounds."""
    words = {
        "gt": "exclusiveMinimum",
        "ge": "minimum",
        "lt": "exclusiveMaximum",
        "le": "maximum",
        "multiple": "multipleOf",
    }
    bounds = {
        word: _json_number(getattr(node.limits, key))
        for key, word in words.items()
        if getattr(node.limits, key) is not None
    }
    if node.kind == "int":
        return {"type": "integer", **bounds}
    if node.kind == "float":
        return {"type": "number", **bounds}
    return {"type": ["string", "number"], "pattern": _NUMBER, **bounds}


def _json_number(value: Any) -> int | float:
    if isinstance(value, int):
        return int(value)
    number = float(value)
    if math.isinf(number):
        return math.copysign(1e308, number)
    return int(number) if number == int(number) and number == value else number


def _base64(size: int) -> int:
    """Return the length of so many bytes in base64."""
    return -(-size // 3) * 4


def _between(noun: str, length: model.Length) -> Schema:
    found: Schema = {}
    if length.least:
        found[f"min{noun}"] = length.least
    if length.most is not None:
        found[f"max{noun}"] = length.most
    return found


def _is_whole(node: model.Choice) -> bool:
    """Tell an enum from a Literal of some of its members."""
    return node.cls is not None and len(node.pairs) == len(list(node.cls))  # type: ignore[call-overload]


def _choice(node: model.Choice) -> Schema:
    values = [value for value, _ in node.pairs]
    if node.open:
        names = {
            str: "string",
            int: "integer",
            float: "number",
            bool: "boolean",
            type(None): "null",
        }
        found = sorted({names[type(value)] for value in values})
        return {"type": found[0] if len(found) == 1 else found}
    result: Schema = {"const": values[0]} if len(values) == 1 else {"enum": values}
    if node.cls is not None and _is_whole(node):
        doc = defaults.documentation(node.cls)
        result = {
            "title": node.cls.__name__,
            **({"description": doc} if doc else {}),
            **result,
        }
    return result


def _names(key: model.Node) -> Schema:
    """Return the schema of the names of a dict's members; `{}` for any."""
    parts: list[Schema] = []
    for option in unions.flatten(key, "schema"):
        part = _name(option)
        if part not in parts:
            parts.append(part)
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _name(option: model.Node) -> Schema:  # noqa: PLR0911 - one line for each kind
    match option:
        case model.Number(kind="int"):
            return {"pattern": _INT}
        case model.Number():
            return {"pattern": _NUMBER}
        case model.Scalar(kind="null"):
            return {"const": "null"}
        case model.Scalar(kind="bool"):
            return {"enum": ["true", "false"]}
        case model.Choice():
            return {"enum": [defaults.key_text(value) for value, _ in option.pairs]}
        case model.Checked():
            return _names(option.target)
        case model.Via(wire=model.Node() as wire):
            return _names(wire)
        case model.Text() | model.Scalar() | model.Binary():
            found = _Writer().of(option)
            del found["type"]
            return found
        case _:
            return {}


def _percent(text: str) -> str:
    """Return the name of a definition as a fragment of a URI."""
    from urllib.parse import quote  # noqa: PLC0415 - only schemas need it

    return quote(text, safe="~,.[]=")
