"""The model to JSON Schema (draft 2020-12), as a strict Decoder accepts it.

Separate from the plans, because a schema needs no rules. Invariant: what a strict
Decoder accepts, the schema accepts. It may accept more where JSON Schema has no
keyword: 1.0 is an integer in it, formats are annotations, and checks in Python
functions are missing. Called by `calls`.
"""

from __future__ import annotations

import re
from collections import abc
from typing import TYPE_CHECKING, Any, Literal

from snooze._typed import (
    adjacent,
    defaults,
    lower_decode,
    model,
    notes,
    pydantic_models,
    unions,
)
from snooze._typed import schema_keywords as keywords
from snooze._typed.introspect import build_all
from snooze._typed.options import NOT_GIVEN, Options, check_rename, check_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from snooze._typed.options import Rename
    from snooze._typed.schema_keywords import Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_INT = r"^-?(0|[1-9][0-9]*)$"
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
    """Return the JSON Schema of a type: see `snooze.schema`, which calls this."""
    options = _options(rename, unknown, "schema")
    (root,), defs = _write([type], options, "#/$defs/{name}")
    result: Schema = {"$schema": DIALECT, **root}
    if defs:
        result["$defs"] = defs
    return result


def schema_components(
    types: Iterable[Any],
    *,
    ref_template: str = "#/components/schemas/{name}",
    rename: Rename | None = None,
    unknown: Literal["ignore", "forbid"] | None = None,
) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schemas of types: see `snooze.schema_components`."""
    if not isinstance(ref_template, str) or "{name}" not in ref_template:
        raise ValueError(
            "schema_components: ref_template needs a str that contains {name}, such as "
            f"'#/components/schemas/{{name}}', not {ref_template!r}"
        )
    options = _options(rename, unknown, "schema_components")
    return _write(types, options, ref_template, _COMPONENT)


def _options(rename: Rename | None, unknown: Any, where: str) -> Options:
    if rename is not None:
        check_rename(rename, where)
    if unknown is not None:
        check_unknown(unknown, where)
    return Options(
        rename=NOT_GIVEN if rename is None else rename,
        unknown=NOT_GIVEN if unknown is None else unknown,
    )


#: What the name of a component of OpenAPI 3.1 cannot have (section 4.8.7).
_COMPONENT = re.compile(r"[^a-zA-Z0-9._-]")


def _write(
    types: Iterable[Any],
    options: Options,
    ref_template: str,
    refused: re.Pattern[str] | None = None,
) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schemas of types, and the definitions that they refer to.

    Characters that are `refused` in the names of definitions become `_`.
    """
    writer = _Writer(ref_template, refused)
    nodes = build_all(types, options)
    for node in nodes:
        # A type that no Decoder takes has no schema. Classes for dec_hook are known.
        lower_decode.lower(node, (True, None, False, None), lower_decode.any_hook)
    roots = [writer.schema_of(node) for node in nodes]
    for key, write, found in writer.pending:  # grows while types lead to others
        writer.defs[key] = write(found)
    return roots, dict(sorted(writer.defs.items()))


#: Nodes of which the schema of a Via gets a definition, because they may contain it.
_WITH_PARTS = (
    model.Record,
    model.Union,
    model.Ordered,
    model.Items,
    model.Entries,
    model.Fixed,
    model.Alias,
)


class _Writer:
    """Writes schemas of nodes, and the definitions that they refer to."""

    def __init__(
        self, ref_template: str, refused: re.Pattern[str] | None = None
    ) -> None:
        self.ref_template = ref_template
        self.refused = refused
        self.defs: dict[str, Schema] = {}
        #: The key in `defs` of each node that has a definition.
        self.def_keys: dict[model.Node, str] = {}
        #: Definitions to write: key, function, and node.
        self.pending: list[tuple[str, Callable[[Any], Schema], Any]] = []

    def schema_of(  # noqa: PLR0911 - one case for each class of node
        self, node: model.Node
    ) -> Schema:
        """Return the schema of a node: a reference, if it has a definition."""
        match node:
            case model.Record():
                return self._definition(node, node.name, self._record)
            case model.Alias(target=model.Node() as target):
                return self._definition(
                    node, node.name, lambda _: self.schema_of(target)
                )
            case model.Choice() if (
                node.enum_class is not None and keywords.is_full_enum(node)
            ):
                return self._definition(node, node.enum_class.__name__, keywords.choice)
            case model.Array() if node.dtype is not None:
                return self._definition(node, f"ndarray[{node.dtype}]", self._array)
            case model.Via() if pydantic_models.is_model(node.cls):
                return self._definition(node, node.name, self._pydantic)
            case model.Via(plain=None) if isinstance(_wire(node), _WITH_PARTS):
                return self._definition(node, node.name, self._via)
            case model.Noted():
                found = self.schema_of(node.target)
                return {**found, **_notes(node.notes, "the schema", node.target)}
            case model.Union():
                return self._union(node)
            case model.Ordered():
                return {"anyOf": [self.schema_of(one) for one in node.alternatives]}
            case _:
                return self._plain(node)

    def _definition(
        self, node: Any, name: str, write: Callable[[Any], Schema]
    ) -> Schema:
        """Add a definition if the node has none, and return a reference to it."""
        if node not in self.def_keys:
            key = self._unused_key(name, node)
            self.def_keys[node] = key
            self.defs[key] = {}
            self.pending.append((key, write, node))
        escaped = self.def_keys[node].replace("~", "~0").replace("/", "~1")
        name = _percent_encoded(escaped)
        return {"$ref": self.ref_template.replace("{name}", name)}

    def _unused_key(self, name: str, node: Any) -> str:
        """Return the name, or a longer one if another definition has it."""
        cls = getattr(node, "enum_class", getattr(node, "cls", None))
        module = getattr(cls, "__module__", "")
        full_name = f"{module}.{name}" if module else name
        if self.refused is not None:
            name, full_name = (self.refused.sub("_", one) for one in (name, full_name))
        if name not in self.defs:
            return name
        number = 2
        key = full_name
        while key in self.defs:
            key = f"{full_name}-{number}"
            number += 1
        return key

    def _plain(self, node: model.Node) -> Schema:  # noqa: C901, PLR0911, PLR0912
        match node:
            case model.Anything() | model.Raw():
                return {}
            case model.Nothing():
                return {"not": {}}
            case model.Custom() if node.make_base is not None:
                return self.schema_of(node.make_base())
            case model.Custom():
                return {"title": node.name}
            case model.Scalar(type_name="datetime" | "time", tz="naive"):
                return {
                    "type": "string",
                    "description": f"{node.type_name} without offset",
                }
            case model.Scalar():
                return dict(_SCALARS[node.type_name])
            case model.Number():
                return keywords.number(node)
            case model.Text():
                found = keywords.lengths("Length", node.length)
                if node.pattern is not None:
                    found |= keywords.pattern(node.pattern)
                return {"type": "string", **found}
            case model.Binary():
                length = node.length
                most = length.maximum
                encoded = model.Length(
                    keywords.base64_length(length.minimum),
                    None if most is None else keywords.base64_length(most),
                )
                found = keywords.lengths("Length", encoded)
                return {"type": "string", "contentEncoding": "base64", **found}
            case model.Choice():
                return keywords.choice(node)
            case model.Items():
                found = {"type": "array"}
                items = self.schema_of(node.item)
                if items:
                    found["items"] = items
                length = node.length
                if issubclass(node.cls, abc.Set):  # items that repeat are not counted
                    length = model.Length(length.minimum, None)
                return {**found, **keywords.lengths("Items", length)}
            case model.Fixed():
                found = keywords.array([self.schema_of(item) for item in node.items])
                if node.rest is not None:
                    found["items"] = self.schema_of(node.rest)
                return found
            case model.Entries():
                return self._entries(node)
            case model.Array():
                return {"type": "array"}
            case model.Checked():
                text = ", ".join(check.text for check in node.checks if check.text)
                found = self.schema_of(node.target)
                return {**found, "description": text} if text else found
            case model.Via():
                return self._via(node)
            case _:
                raise AssertionError(node)

    def _pydantic(self, node: model.Via) -> Schema:
        reference: str = self.schema_of(node)["$ref"]
        if "#" not in reference:  # the class is a document of its own
            reference += "#"
        return pydantic_models.schema_of(node.cls, reference)

    def _array(self, node: model.Array) -> Schema:
        """Return the schema of nested arrays, whose equal lengths it cannot state."""
        kinds = {"b": "boolean", "i": "integer", "u": "integer", "f": "number"}
        item = {"type": kinds[node.dtype.kind]}
        return {"type": "array", "items": {"anyOf": [item, self.schema_of(node)]}}

    def _via(self, node: model.Via) -> Schema:
        if node.wire is None:
            raise TypeError(f"the wire type of {node.name} refers back to {node.name}")
        found = self.schema_of(node.wire)
        if node.plain is not None and "anyOf" in found:
            found = {"type": "number"}  # int | float
        return found if node.format is None else {**found, "format": node.format}

    def _entries(self, node: model.Entries) -> Schema:
        found: Schema = {"type": "object"}
        names = _property_names(node.key)
        if names:
            found["propertyNames"] = names
        value = self.schema_of(node.value)
        if value:
            found["additionalProperties"] = value
        found |= keywords.lengths("Properties", node.length)
        match node.key:
            case model.Text() | model.Anything():
                has_one_text = True
            case model.Choice(is_open=False, aliases=(), pairs=pairs):
                has_one_text = all(type(value) is str for value, _ in pairs)
            case _:
                has_one_text = False
        if not has_one_text:
            # Names that are written differently may be one key, as 1 and 1.0.
            found.pop("maxProperties", None)
        return found

    def _union(self, node: model.Union) -> Schema:
        alternatives = [
            one for one in node.alternatives if not isinstance(one, model.Nothing)
        ]
        if not alternatives:
            return {"not": {}}
        records = [
            one
            for one in unions.flatten(node, "schema")
            if isinstance(one, model.Record) and not one.is_array
        ]
        if len(records) > 1:
            return self._object_union(node, records)
        # By their text: the constants 1 and True are equal in Python.
        found = {repr(part): part for part in map(self.schema_of, alternatives)}
        parts = list(found.values())
        return parts[0] if len(parts) == 1 else {"anyOf": parts}

    def _object_union(self, node: model.Union, records: list[model.Record]) -> Schema:
        """Return the schema of a union with several classes."""
        discriminator = unions.discriminator(records, "schema")
        fallback = discriminator.fallback
        records = [record for record in records if record is not fallback]
        noted = {
            one.target: one for one in node.alternatives if isinstance(one, model.Noted)
        }
        if discriminator.method == "required":
            found: Schema = {
                "anyOf": [self.schema_of(noted.get(one, one)) for one in records]
            }
        else:
            parts = []
            for record in records:
                part = self.schema_of(noted.get(record, record))
                if not keywords.requires(record, discriminator.name):
                    part = {**part, "required": [discriminator.name]}
                parts.append(part)
            mapping = {
                str(value): self.schema_of(record)["$ref"]
                for value, record in discriminator.records.items()
            }
            found = {
                "oneOf": parts,
                "discriminator": {
                    "propertyName": discriminator.name,
                    "mapping": mapping,
                },
            }
        others = [
            self.schema_of(one)
            for one in unions.flatten(node, "schema")
            if one not in records
        ]
        return {"anyOf": [found, *others]} if others else found

    def _record(self, record: model.Record) -> Schema:
        said = _notes(record.notes, record.name, record)
        found: Schema = {"title": record.name, **said}
        if record.is_array:
            return {**found, **self._array_record(record), **said}
        if record.content is not None:
            return {**found, **self._adjacent(record), **said}
        properties, required, any_of = self._properties(record)
        dependent, rules = keywords.together(record)
        found["type"] = "object"
        found["properties"] = properties
        if required:
            found["required"] = required
        found |= dependent
        if any_of or rules:
            found["allOf"] = any_of + rules
        if record.rest is not None:
            rest = self.schema_of(record.rest[1])
            if rest:
                found["additionalProperties"] = rest
        elif record.unknown == "forbid":
            found["additionalProperties"] = False
        return {**found, **said}

    def _properties(
        self, record: model.Record
    ) -> tuple[Schema, list[str], list[Schema]]:
        """Return the properties, the required names, and the rules for aliases.

        Such a rule requires one of the names of a field.
        """
        properties: Schema = {}
        required: list[str] = []
        any_of: list[Schema] = []
        if record.tag is not None:
            properties[record.tag[0]] = {"const": record.tag[1]}
        for field in record.fields:
            names = field.decoded_names
            if field.is_encoded and not field.is_decoded:
                # A Decoder skips them, whatever they are.
                properties[field.wire_name] = {"readOnly": True}
            for name in names:
                properties[name] = self._field(field, record)
            if not field.is_decoded or field.presence != "required":
                continue
            if field.aliases:
                any_of.append(keywords.any_required(names))
            else:
                required.append(field.wire_name)
        if record.rest is not None and record.rest[0] < 0:
            for field in record.fields:
                if field.is_decoded:  # no extra item can have its key
                    properties.setdefault(field.attribute, {"not": {}})
        return properties, required, any_of

    def _field(self, field: model.Field, record: model.Record) -> Schema:
        found = dict(self.schema_of(field.node))
        value: Any = defaults.NO_JSON
        if field.presence == "default":
            value = keywords.default_of(field, field.default)
        elif field.presence == "factory" and field.default in {list, dict}:
            value = keywords.default_of(field, field.default())
        if value is not defaults.NO_JSON:
            found["default"] = value
        place = f"{record.name}.{field.attribute}"
        return {**found, **_notes(field.notes, place, field.node)}

    def _adjacent(self, record: model.Record) -> Schema:
        assert record.tag is not None  # noqa: S101 - `records` refuses it
        name, value = record.tag
        content = self._record(adjacent.inner(record))
        for repeated in ("title", "description"):
            content.pop(repeated, None)
        is_needed = not adjacent.is_optional(record)
        found: Schema = {
            "type": "object",
            "properties": {name: {"const": value}, record.content: content},
            "required": [record.content] if is_needed else [],
        }
        if record.unknown == "forbid":
            found["additionalProperties"] = False
        return found

    def _array_record(self, record: model.Record) -> Schema:
        fields = [field for field in record.fields if field.is_decoded]
        least = sum(field.presence == "required" for field in fields)
        items = [self._field(field, record) for field in fields]
        if record.tag is not None:
            items.insert(0, {"const": record.tag[1]})
            least += 1
        found = keywords.array(items, least)
        if record.unknown != "forbid":
            del found["items"]
        return found


def _notes(said: model.Notes, place: str, node: model.Node) -> Schema:
    """Return the keywords of notes, with examples as an Encoder writes them."""
    return notes.keywords(said, place, lambda value: keywords.json_value(value, node))


def _wire(node: model.Via) -> model.Node | None:
    """Return the wire type of a Via, without notes and checks."""
    wire = node.wire
    while isinstance(wire, (model.Noted, model.Checked)):
        wire = wire.target
    return wire


def _property_names(key: model.Node) -> Schema:
    """Return the schema of the member names of a dict; `{}` for any name."""
    parts: list[Schema] = []
    for one in unions.flatten(key, "schema"):
        part = _property_name(one)
        if part not in parts:
            parts.append(part)
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _property_name(  # noqa: C901, PLR0911 - one case for each class of node
    node: model.Node,
) -> Schema:
    match node:
        case model.Number(type_name="int"):
            return {"pattern": _INT}
        case model.Number():
            return {"pattern": keywords.NUMBER}
        case model.Scalar(type_name="null"):
            return {"const": "null"}
        case model.Scalar(type_name="bool"):
            return {"enum": ["true", "false"]}
        case model.Choice():
            if node.is_open or any(type(value) is float for value, _ in node.pairs):
                return {}  # other texts may be the same member
            names = [defaults.member_name(value) for value, _ in node.read_pairs]
            return {"enum": names}
        case model.Checked():
            return _property_names(node.target)
        case model.Via(wire=model.Node() as wire):
            return _property_names(wire)
        case model.Custom() if node.make_base is not None:
            return _property_name(node.make_base())
        case model.Text() | model.Scalar() | model.Binary():
            found = _Writer("{name}").schema_of(node)
            del found["type"]
            return found
        case _:
            return {}


def _percent_encoded(text: str) -> str:
    """Return the key of a definition as part of a URI fragment."""
    from urllib.parse import quote  # noqa: PLC0415 - only schemas need it

    return quote(text, safe="~,.=")
