"""Unions when encoding: what tells Python values apart where their classes do not.

Separate from `lower_encode`, which knows that a class has one rule: here are the
functions that look at values. Invariant: what is written is read again as the same
alternative, or refused. Called by `lower_encode`.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import uuid
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._snooze import loads
from snooze._typed import model, unions
from snooze._typed.expected import join_with_or, node_name
from snooze._typed.unset import UNSET

if TYPE_CHECKING:
    from collections.abc import Callable


#: The key of the rule for each built-in class that has one of its own.
_BUILTIN_KEYS: dict[Any, str] = {
    type(None): "none",
    uuid.UUID: "uuid",
    Decimal: "decimal",
    bytearray: "bytes",
    **{
        cls: cls.__name__
        for cls in (
            *(bool, int, float, str, bytes, list, tuple, dict),
            *(dt.datetime, dt.date, dt.time, dt.timedelta),
        )
    },
}


def builtin_key(node: model.Node, rule: tuple[Any, ...]) -> str | None:
    """Return the key of the built-in class that a `Via` writes in another form."""
    while isinstance(node, model.Checked):
        node = node.target
    if rule[0] != "via" or not isinstance(node, model.Via) or rule[1] is not node.cls:
        return None
    # A hook may stand beside another rule of its class: that of float, which takes
    # int, comes before it in a union with both.
    if isinstance(node.wire, model.Result):
        return None
    return _BUILTIN_KEYS.get(node.cls)


def are_two_forms(one: tuple[Any, ...], two: tuple[Any, ...]) -> bool:
    """Return whether two rules of one class write it differently."""
    if one[0] == two[0] == "members":
        return any(two[2].get(value, text) != text for value, text in one[2].items())
    return (one[0] == "via") is not (two[0] == "via")


def two_forms(rule: tuple[Any, ...], node: model.Node, place: str) -> str:
    """Return the message for a class that two alternatives write differently."""
    if len(rule) == 1:  # ("int",), also of float, which takes it
        name = rule[0]
    else:
        name = rule[1].__name__ if isinstance(rule[1], type) else node_name(node)
    return (
        f"{place}: a union has {name} in two forms, and an Encoder cannot know which "
        "one to write. Keep one of them, or try them in order with Annotated[…, "
        "FirstMatch()]"
    )


def is_typeddict(node: model.Node) -> bool:
    """Return whether a node is a TypedDict."""
    return isinstance(node, model.Record) and node.class_kind == "typeddict"


def merged_orders(alternatives: list[model.Node]) -> list[model.Node]:
    """Return the alternatives with one FirstMatch union in place of several."""
    ordered = [one for one in alternatives if isinstance(one, model.Ordered)]
    if len(ordered) < 2:
        return alternatives
    parts = [part for one in ordered for part in one.alternatives]
    others = [one for one in alternatives if one not in ordered]
    return [*others, model.Ordered(tuple(parts))]


def select_function(
    typeddicts: list[Any], place: str
) -> tuple[Callable[[Any], Any], str]:
    """Return a function that tells TypedDicts apart by their keys or values.

    It returns the position of the one that a dict is, or None. Also returns the names
    for messages.
    """
    # A tag is in documents only. Dicts have the keys of the class, not of JSON.
    as_dicts = [_with_python_names(record) for record in typeddicts]
    names = join_with_or([node_name(record) for record in typeddicts])
    try:
        found = unions.discriminator(as_dicts, place)
    except TypeError as error:
        raise TypeError(
            f"{place}: a union of the TypedDicts {names} cannot be encoded: "
            "neither their required keys nor Literal values tell their dicts "
            "apart. Give them a field of the same name with different Literal "
            "values"
        ) from error
    position = {id(record): index for index, record in enumerate(as_dicts)}
    fallback = None if found.fallback is None else position[id(found.fallback)]
    by_key = {key: position[id(record)] for key, record in found.records.items()}
    if found.method == "literal":
        key = found.name

        def select(value: dict[str, Any]) -> int:
            return by_key[getattr(value[key], "value", value[key])]
    else:

        def select(value: dict[str, Any]) -> int:
            return next(by_key[key] for key in value if key in by_key)

    def index_of(value: dict[str, Any]) -> int | None:
        try:
            return select(value)
        except (LookupError, StopIteration, TypeError):
            return fallback

    return index_of, names


def _with_python_names(record: model.Record) -> model.Record:
    """Return a record whose members have the names of its attributes, without a tag."""
    fields = [
        dataclasses.replace(field, wire_name=field.attribute, aliases=())
        for field in record.fields
    ]
    return dataclasses.replace(record, fields=fields, tag=None)


def fallback_check(
    alternatives: list[model.Node],
    place: str,
    text_of: Callable[[model.Node], Callable[[Any], bytes]],
) -> Callable[[Any], Any] | None:
    """Return a function that refuses an instance which would be read as another class.

    None if the union has no such class, or only TypedDicts, which are told apart.
    `text_of` returns the function that writes the values of a node.
    """
    records = [
        one
        for one in alternatives
        if isinstance(one, model.Record) and not one.is_array
    ]
    own = next((record for record in records if record.is_fallback), None)
    if own is None or len(records) < 2 or all(map(is_typeddict, records)):
        return None
    found = unions.discriminator(records, place)
    written_members = _members_of(own)
    # What writes the tag: that of its field, or of all further members.
    node = next((f.node for f in own.fields if f.wire_name == found.name), None)
    if node is None and own.rest is not None:
        node = own.rest[1]
    write_tag = None if node is None else text_of(node)

    def tag_of(written: dict[str, Any]) -> Any:
        """Return the tag that a Decoder would read; None if it would read none."""
        if write_tag is None or found.name not in written:
            return None
        value = written[found.name]
        if isinstance(value, abc.Iterable) and not isinstance(value, (str, bytes)):
            # No tag, and an iterator in it could be written only once.
            return None
        try:
            tag = loads(write_tag(value))
        except (TypeError, ValueError):
            # A wrong value, which is an error where it is written, or a Raw that is not
            # JSON.
            return None
        return tag if type(tag) in (str, int) else None

    def check(value: Any) -> Any:
        written = written_members(value)
        clash: Any = found.name
        if found.method == "required":
            clash = next((name for name in found.records if name in written), None)
        other = found.records.get(
            clash if found.method == "required" else tag_of(written)
        )
        if other is not None:
            raise TypeError(
                f"{own.name} with the member {clash!r} would be read as {other.name}"
            )
        return value

    return check


def _members_of(record: model.Record) -> Callable[[Any], dict[str, Any]]:
    """Return a function: the members that an instance is written with, by name."""
    if is_typeddict(record):
        by_key = {f.attribute: f.wire_name for f in record.fields if f.is_encoded}
        takes_all = record.rest is not None
        return lambda value: {
            by_key.get(key, key): one
            for key, one in value.items()
            if takes_all or key in by_key
        }
    own = list(record.fields)
    rest = None if record.rest is None else own.pop(record.rest[0]).attribute
    names = {f.wire_name: f.attribute for f in own if f.is_encoded}

    def members(value: Any) -> dict[str, Any]:
        if record.split is not None:
            values = record.split(value)
            found = {name: values[key] for name, key in names.items()}
        else:
            found = {name: getattr(value, key, UNSET) for name, key in names.items()}
        collected = None if rest is None else getattr(value, rest)
        if isinstance(collected, dict):
            found |= collected
        return {name: one for name, one in found.items() if one is not UNSET}

    return members
