"""Enums and `Literal`: the JSON value of each alternative.

Separate from `introspect`, because enums have many variants. Invariant: no two values
of a `Choice` have the same JSON value. Called by `introspect` and `formats`.
"""

from __future__ import annotations

import enum
import json
import math
from typing import TYPE_CHECKING, Any

from snooze._typed import model
from snooze._typed.construction import lookup
from snooze._typed.errors import CheckFailed
from snooze._typed.generics import type_name

if TYPE_CHECKING:
    from collections.abc import Callable

#: Classes of values that can be alternatives of a choice.
SCALARS = (str, bool, int, float, type(None))
_KINDS = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    list: "array",
    dict: "object",
}
_TO_BUILTIN: dict[Any, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
}


def of_enum(cls: type[enum.Enum], place: str) -> model.Node:
    """Return the node of an enum: each member by its value."""
    if issubclass(cls, enum.Flag):
        return _of_flag(cls)
    pairs = []
    for member in cls:
        if not isinstance(member, cls):
            raise TypeError(
                f"{place}: {cls.__qualname__} contains {member!r}, which is not a "
                "member of it"
            )
        pairs.append((_builtin_value(member.value), member))
    if not pairs:
        raise TypeError(f"{place}: the enum {cls.__qualname__} has no members")
    if not all(_is_scalar(value) for value, _ in pairs) or cls.__hash__ is None:
        return _of_other_values(cls)
    if _has_duplicates(pairs):
        raise TypeError(f"{place}: two members of {cls.__qualname__} are equal in JSON")
    missing = cls._missing_
    default: Any = enum.Enum._missing_
    is_open = getattr(missing, "__func__", missing) is not default.__func__
    aliases = () if is_open else _aliases(cls, tuple(pairs))
    return model.Choice(tuple(pairs), cls, is_open, aliases)


def _aliases(
    cls: type[enum.Enum], pairs: tuple[tuple[Any, Any], ...]
) -> tuple[tuple[Any, Any], ...]:
    """Return further values of members: str, int or float, as the values are.

    `_add_value_alias_` registers them from 3.13 on; before, classes put them into
    `_value2member_map_` themselves. An enum whose `value` is another one than that in
    the map has none. A float alias needs a float value, and so on, so that the rest of
    a union reads what it read.
    """
    known = cls._value2member_map_
    if len(known) <= len(pairs):
        return ()
    # As builtins: a subclass may compare in its own way.
    found = {
        _builtin_value(value): member
        for value, member in known.copy().items()
        if _is_scalar(value)
    }
    if any(found.pop(value, None) is not member for value, member in pairs):
        return ()
    types = {type(value) for value, _ in pairs} & {str, int, float}
    members = {id(member) for _, member in pairs}
    return tuple(
        (value, member)
        for value, member in found.items()
        if type(value) in types and id(member) in members and _is_readable(value)
    )


def _is_readable(value: Any) -> bool:
    """Return whether a lookup table can have a value: 64 bits, no lone surrogates."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, float) or -(2**63) <= value < 2**63


def _of_other_values(cls: type[enum.Enum]) -> model.Node:
    """Return the node of an enum with values that are not all scalars.

    Tuples, lists and dicts are compared as JSON. An enum with other objects has no JSON
    form, except by the names of its members (`Format`) and by hooks.
    """
    name = type_name(cls)
    by_text: dict[str, enum.Enum] = {}
    by_name: dict[str, Any] = {}
    try:
        for member in cls:
            by_name[member.name] = _plain(member.value)
            by_text[_sorted_text(by_name[member.name])] = member
    except (TypeError, ValueError, RecursionError):
        return model.Custom(cls, name)
    if len(by_text) != len(by_name):
        return model.Custom(cls, name, refusal="has members with equal JSON")

    def decode(value: Any) -> enum.Enum:
        try:
            return by_text[_sorted_text(value)]
        except (KeyError, ValueError, RecursionError):
            raise CheckFailed from None

    def encode(member: enum.Enum) -> Any:
        return by_name[member.name]

    kinds = dict.fromkeys(map(json_kind, by_name.values()))
    notes = model.Notes(extra={"enum": [*by_name.values()]})
    wire = model.Noted(model.OfKinds(tuple(kinds)), notes)
    return model.Via(cls, name, wire, decode, encode)


def _plain(value: Any) -> Any:
    """Return a value as JSON: without tuples. TypeError if it has another class."""
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {_builtin_value(key): _plain(item) for key, item in value.items()}
    if not _is_scalar(value):
        raise TypeError(value)
    return _builtin_value(value)


def json_kind(value: Any) -> str:
    """Return the kind of a value that has a JSON form without conversion."""
    if value is None:
        return "null"
    return _KINDS[type(value)]


def _sorted_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def by_name(node: model.Node) -> model.Node:
    """Return an enum, or a Literal of members, with their names in JSON."""
    cls: Any = node.type if isinstance(node, model.Custom) else None
    if isinstance(node, model.Choice):
        cls, pairs = node.enum_class, node.pairs
    else:
        cls = cls or node.cls  # type: ignore[attr-defined] # a Via
        pairs = tuple((member.value, member) for member in cls)
    named = tuple(
        (value.name if isinstance(value, enum.Enum) else form, value)
        for form, value in pairs
    )
    if cls is not None and cls.__hash__ is None:
        wire = model.Choice(tuple((name, name) for name, _ in named))
        decode = dict(named).__getitem__
        name = type_name(cls)
        return model.Via(cls, name, wire, decode, lambda m: m.name, plain=node)
    if _has_duplicates(list(named)):
        raise TypeError("two values of a Literal are equal in JSON by their names")
    return model.Choice(named, cls, plain=node)


def _of_flag(cls: type[enum.Flag]) -> model.Node:
    """Return the node of a flag enum: any combination, as an int."""
    # What `enum` itself says of other bits has several lines.
    is_own = lookup(cls, "_missing_")[0] is not enum.Flag

    def decode(number: int) -> enum.Flag:
        undefined = f"{number} has bits that {cls.__name__} does not define"
        try:
            member = cls(number)
        except ValueError as error:
            if is_own:
                raise
            raise ValueError(undefined) from error
        # The boundary of the class may drop bits or return an int: refuse both.
        if not isinstance(member, cls) or member.value != number:
            raise ValueError(undefined)
        return member

    wire = model.Number("int", model.Limits(ge=0))
    return model.Via(cls, cls.__name__, wire, decode, lambda member: member.value)


def of_literal(values: tuple[Any, ...], place: str) -> model.Node:
    """Return the node of a `Literal`; enum members in it by their values."""
    pairs: list[tuple[Any, Any]] = []
    known: dict[tuple[type, Any], Any] = {}
    for value in values:
        scalar = value.value if isinstance(value, enum.Enum) else value
        if not _is_scalar(scalar):
            raise TypeError(
                f"{place}: Literal[{value!r}] is not a str, int, bool, None or member "
                "of an enum with such a value"
            )
        pair = (_builtin_value(scalar), value)
        # As JSON values: 1, True and 1.0 are three.
        key = (type(pair[0]), pair[0])
        if key in known and known[key] is value:
            continue
        known.setdefault(key, value)
        pairs.append(pair)
    if _has_duplicates(pairs):
        raise TypeError(f"{place}: two values of the Literal are equal in JSON")
    classes = {type(value) for _, value in pairs}
    only = classes.pop() if len(classes) == 1 else None
    return model.Choice(tuple(pairs), only if _is_enum(only) else None)


def _is_enum(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, enum.Enum)


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, SCALARS)


def _builtin_value(value: Any) -> Any:
    """Return the value as a builtin: a subclass may override `__eq__` or `__hash__`."""
    for cls in (bool, int, float, str):
        if isinstance(value, cls):
            return value if cls is bool else _TO_BUILTIN[cls](value)
    return value


def _has_duplicates(pairs: list[tuple[Any, Any]]) -> bool:
    values = {(type(value), value) for value, _ in pairs}
    return len(values) != len(pairs)
