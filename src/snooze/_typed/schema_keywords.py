"""The keywords of JSON Schema for values without parts: numbers, lengths, choices.

Separate from `schema`, which follows types to their parts and writes definitions.
Invariant: each function returns a new dict. Called by `schema`.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snooze._snooze import DecoderBase
from snooze._typed import (
    defaults,
    errors,
    lower_decode,
    model,
    notes,
    plans,
    schema_patterns,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

Schema = dict[str, Any]
#: A JSON number, as the pattern of a string.
NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"


def default_of(field: model.Field, value: Any) -> Any:
    """Return the default of a field as an Encoder writes it, or `NO_JSON`.

    A value that the type excludes is one if a Decoder reads it, or if it is None: that
    says what a missing member means, in any type.
    """
    if value is None:
        return None
    try:
        return _written(value, field.node)
    except TypeError:
        found = defaults.to_json(value)
        return found if _is_read(found, field.node) else defaults.NO_JSON


def json_value(value: Any, node: model.Node) -> Any:
    """Return an example as an Encoder of a type writes it, or `NO_JSON`.

    A value that the type excludes stays as it is, if JSON has it.
    """
    try:
        return _written(value, node)
    except TypeError:
        return defaults.to_json(value)


def _written(value: Any, node: model.Node) -> Any:
    """Return the JSON value that an Encoder writes; TypeError if the type excludes it.

    `NO_JSON` for another exception, which is one of a function of the user, and for
    what is not JSON.
    """
    try:
        text = plans.encoder_of(node).encode(value)
        found = json.loads(text)
        json.dumps(found, allow_nan=False)  # a Raw may hold a number beyond a double
    except (TypeError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - of a function of the user
        return defaults.NO_JSON
    return found


def _is_read(found: Any, node: model.Node) -> bool:
    """Return whether a strict Decoder reads a value."""
    if found is defaults.NO_JSON:
        return False
    decoder = DecoderBase()
    options = (True, None, False, None)
    description = lower_decode.lower(node, options, lower_decode.any_hook)
    try:
        decoder._compile((*description, errors.fail))  # noqa: SLF001
        decoder.decode(json.dumps(found))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - also of a function of the user
        return False
    return True


def requires(record: model.Record, name: str) -> bool:
    """Return whether the schema of a record requires a member."""
    return any(
        field.wire_name == name and field.presence == "required" and not field.aliases
        for field in record.fields
    )


def together(record: model.Record) -> tuple[Schema, list[Schema]]:
    """Return `dependentRequired`, and further rules, for classes that are flattened.

    An instance of such a class may be missing, but if one of its members is there, all
    that it requires must be. The attributes of the fields begin with that of the class.
    """
    groups: dict[str, list[model.Field]] = {}
    for field in record.fields if record.split is not None else ():
        group = field.attribute
        while "." in group:
            group = group.rpartition(".")[0]
            groups.setdefault(group, []).append(field)
    dependent: dict[str, list[str]] = {}
    rules: list[Schema] = []
    for group, fields in groups.items():
        for field in fields:
            if field.required_in != group:
                continue
            beside = [one.decoded_names for one in fields if one is not field]
            others = [name for names in beside for name in names]
            if others and field.aliases:
                known = any_required(field.decoded_names)["anyOf"]
                rules.append({"anyOf": [*known, {"not": any_required(others)}]})
                continue
            for other in others:
                dependent.setdefault(other, []).append(field.wire_name)
    return ({"dependentRequired": dependent} if dependent else {}), rules


def any_required(names: Iterable[str]) -> Schema:
    """Return the rule that one of these members must be there."""
    return {"anyOf": [{"required": [name]} for name in names]}


def array(items: list[Schema], least: int | None = None) -> Schema:
    """Return the schema of an array with these items, of which `least` are required."""
    found: Schema = {"type": "array"}
    if items:
        found["prefixItems"] = items
    found["items"] = False
    least = len(items) if least is None else least
    if least:
        found["minItems"] = least
    return found


def number(node: model.Number) -> Schema:
    """Return the schema of a number.

    A Decimal may also be a string, to which the bounds do not apply.
    """
    bounds: Schema = {}
    for key, value in (
        ("exclusiveMinimum", node.limits.gt),
        ("minimum", node.limits.ge),
        ("exclusiveMaximum", node.limits.lt),
        ("maximum", node.limits.le),
    ):
        if value is not None:
            bounds |= _bound(key, value, is_double=node.type_name == "float")
    multiple = node.limits.multiple
    if multiple is not None and _is_moderate(multiple):
        bounds["multipleOf"] = _json_number(multiple)
    if node.type_name == "int":
        return {"type": "integer", **bounds}
    if node.type_name == "float":
        return {"type": "number", **bounds}
    return {"type": ["string", "number"], "pattern": NUMBER, **bounds}


def _bound(keyword: str, value: Any, *, is_double: bool) -> Schema:
    """Return a bound of numbers, or of doubles.

    It holds for all numbers of the type, and for a few more if JSON cannot have it
    exactly. There is none for an infinite bound.
    """
    if isinstance(value, int) and not is_double:
        return {keyword: int(value)}
    if not _is_moderate(value):
        return {}
    exact, is_upper = Fraction(value), keyword.lower().endswith("maximum")
    if exact.denominator == 1 and not is_double:
        return {keyword: int(exact)}
    number = float(exact)
    if number == exact:
        return {keyword: _json_number(number)}
    if (number < exact) == is_upper:
        number = math.nextafter(number, math.inf if is_upper else -math.inf)
    return {"maximum" if is_upper else "minimum": _json_number(number)}


def _is_moderate(value: Any) -> bool:
    """Return whether a number is finite, and neither too large nor too small."""
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value.adjusted()) < 300
    return bool(abs(value) < 1e300)


def _json_number(value: Any) -> int | float:
    if isinstance(value, int):
        return int(value)
    number = float(value)
    return int(number) if number == int(number) and number == value else number


def pattern(text: str) -> Schema:
    """Return the keyword for a pattern: a description, if only `re` has its syntax."""
    found = schema_patterns.translated(text)
    if found is None:
        return {"description": f"matching {text!r}"}
    return {"pattern": found}


def base64_length(size: int) -> int:
    """Return the length of the base64 text of `size` bytes."""
    return -(-size // 3) * 4


def lengths(suffix: str, length: model.Length) -> Schema:
    """Return the keywords for a length: `minItems` for the suffix "Items"."""
    found: Schema = {}
    if length.minimum:
        found[f"min{suffix}"] = length.minimum
    if length.maximum is not None:
        found[f"max{suffix}"] = length.maximum
    return found


def is_full_enum(node: model.Choice) -> bool:
    """Return whether it has every member of an enum, unlike a Literal of some."""
    cls = node.enum_class
    return cls is not None and len(node.pairs) == len(list(cls))  # type: ignore[call-overload]


def choice(node: model.Choice) -> Schema:
    """Return the schema of an enum or a Literal."""
    values = [value for value, _ in node.read_pairs]
    if node.is_open:
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
    if node.enum_class is not None and is_full_enum(node):
        said = notes.keywords(notes.of_class(node.enum_class, None), "")
        result = {"title": node.enum_class.__name__, **said, **result}
    return result
