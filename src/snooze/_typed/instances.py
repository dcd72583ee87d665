"""The objects that a Converter keeps: instances of the classes that a type names.

Separate from `lower_decode`, because JSON has no instances: only a plan for objects has
these rules. Invariant: an instance that is kept fits the type as a value decoded from
JSON would, except that what is in it is not looked at. Called for a Converter.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import enum
import functools
import numbers
import re
import types
import uuid
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._typed import arrays, model, unions
from snooze._typed.codecs import Encoder
from snooze._typed.constraint_merge import limits_check
from snooze._typed.errors import CheckFailed
from snooze._typed.generics import instance_classes
from snooze._typed.kind_rules import check_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Function = Callable[[Any], Any] | None
    #: A class, or a tuple of classes; a class whose instances do not fit although they
    #: are instances of that; a function that checks or converts an instance; whether
    #: the class has a form in JSON, as which its instances are read if the type has it.
    Instance = tuple[Any, type | None, Function, bool]
    Attempts = Mapping[Any, Callable[[Any], Any]]

#: What a Converter reads as objects and as arrays, beside built-in classes.
_MAPPINGS = (abc.Mapping,)
_SETS = (abc.Set,)
_ARRAYS = (abc.Sequence, *_SETS, abc.ValuesView)
#: Sequences that no array stands for.
_NO_ARRAYS = (bytes, bytearray, memoryview)
#: Objects whose attributes are no members: values, containers, code.
_NO_ATTRIBUTES = (
    *(str, int, float, complex, Decimal, numbers.Number, enum.Enum),
    *(bytes, bytearray, memoryview, array.array, slice, type(None), type(...)),
    *(dt.date, dt.time, dt.timedelta, dt.tzinfo, uuid.UUID, re.Pattern),
    *(abc.Set, abc.Mapping, collections.deque, range, abc.Iterator, abc.ValuesView),
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType),
    *(types.MethodType, functools.partial, type),
)
#: Classes that have a form in JSON.
_BUILTIN = {bool, int, float, str, list, tuple, set, frozenset, dict, type(None)}

_SCALARS: dict[str, type] = {
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "uuid": uuid.UUID,
}


def readable(*, from_attributes: bool) -> tuple[Any, ...]:
    """Return which objects are read as JSON values: see `objects::plan`."""
    no_attributes = _NO_ATTRIBUTES if from_attributes else None
    classes = (no_attributes, _MAPPINGS, _ARRAYS, _NO_ARRAYS, _SETS, Decimal)
    return (*classes, "keys", "__getitem__")


def rule(
    alternatives: Iterable[model.Node], attempts: Attempts
) -> tuple[Any, ...] | None:
    """Return the rule for the instances that a type accepts, or None.

    `attempts` are the functions of the FirstMatch unions that have been lowered.
    """
    found: list[Instance] = []
    places: dict[int, list[int]] = {}
    for instance in (each for one in alternatives for each in _of(one, attempts)):
        same = places.setdefault(id(instance[0]), [])
        for at in same:
            found[at] = _or_as(found[at], instance[2])
        same.append(len(found))
        found.append(instance)
    return ("instances", tuple(found)) if found else None


def raw_function(cls: type) -> Callable[[Any], Any]:
    """Return a function that makes a `Raw` of any object: its JSON text."""

    def raw(value: Any) -> Any:
        return value if isinstance(value, cls) else cls(_encoder().encode(value))

    return raw


@functools.cache
def _encoder() -> Encoder[Any]:
    return Encoder(nan="error")


def _of(  # noqa: C901, PLR0912 - one case for each class of node
    node: model.Node, attempts: Attempts
) -> Iterator[Instance]:
    match node:
        case model.Scalar(type_name=name) if name in _SCALARS:
            yield _kept(_SCALARS[name], _time_zone_check(node.tz))
            if name == "uuid":
                yield _kept((bytes, bytearray, memoryview), _uuid_of_bytes)
        case model.Number(type_name="decimal"):
            limits = node.limits
            check = check_function(limits_check(limits)) if limits else None
            yield _kept(Decimal, check)
        case model.Binary():
            yield from _binary(node)
        case model.Choice():
            yield from _members(node)
        case model.Record() if node.class_kind != "typeddict":
            yield _kept(node.cls)
        case model.Array():
            yield _kept(node.cls, arrays.kept(node))
        case model.Kept() | model.Raw():
            yield _kept(node.cls)
        case model.Checked():
            for *found, function, is_builtin in _of(node.target, attempts):
                for condition in node.checks:
                    function = _then(function, check_function(condition))  # noqa: PLW2901
                cls, excluded = found
                yield cls, excluded, function, is_builtin
        case model.Ordered():
            for part in unions.ordered_parts(node):
                for cls, excluded, function, is_builtin in _of(part, attempts):
                    again = _or_else(function, attempts.get(node))
                    yield cls, excluded, again, is_builtin
        case model.Via(plain=model.Scalar(type_name="datetime")):
            # A Unix time is a point in time.
            yield _kept(dt.datetime, _time_zone_check("aware"))
        case model.Via(plain=model.Node() as plain):
            yield from _of(plain, attempts)
        case model.Via():
            yield from _via(node, attempts)
        case model.Custom():
            yield from _kept_all(instance_classes(node.type))
            if node.make_base is not None:
                yield from _via(node.make_base(), attempts)


def _kept(cls: Any, function: Function = None) -> Instance:
    # A datetime is a date, and True an int, but they are no values of these types.
    excluded: Any = {dt.date: dt.datetime, int: bool}.get(cls)
    return cls, excluded, function, cls in _BUILTIN


def _kept_all(classes: tuple[Any, ...]) -> Iterator[Instance]:
    if object not in classes:
        yield from map(_kept, classes)


def _via(node: model.Via, attempts: Attempts) -> Iterator[Instance]:
    """Return the class itself, and what its wire type keeps, as that is decoded."""
    found = list(_kept_all(instance_classes(node.cls)))
    if node.from_object is None and node.wire is not None and not node.is_open:
        node.is_open = True  # it may lead back to itself
        for part in unions.flatten(node.wire, node.name):
            for cls, excluded, function, is_builtin in _of(part, attempts):
                if isinstance(part, model.Raw):
                    continue
                decode = _then(function, node.decode)
                found.append((cls, excluded, decode, is_builtin))
        node.is_open = False
    yield from found


def _time_zone_check(tz: str | None) -> Function:
    if tz is None:
        return None
    is_aware = tz == "aware"

    def checked(value: Any) -> Any:
        # Of a datetime the offset counts; that of a time may depend on the day.
        is_datetime = isinstance(value, dt.datetime)
        zone = value.utcoffset() if is_datetime else value.tzinfo
        if (zone is not None) != is_aware:
            raise CheckFailed
        return value

    return checked


def _uuid_of_bytes(value: Any) -> uuid.UUID:
    """Return the UUID of 16 bytes, as databases and binary formats have it."""
    if memoryview(value).nbytes != 16:
        raise CheckFailed
    return uuid.UUID(bytes=bytes(value))


def _binary(node: model.Binary) -> Iterator[Instance]:
    cls = bytes if node.type_name == "bytes" else bytearray
    others = bytearray if cls is bytes else bytes
    least, most = node.length.in_plan() or (0, None)

    def checked(value: Any) -> Any:
        if len(value) < least or (most is not None and len(value) > most):
            raise CheckFailed
        return value

    check = checked if node.length else None
    yield _kept(cls, check)
    yield _kept((others, memoryview), _then(cls, check))


def _members(node: model.Choice) -> Iterator[Instance]:
    """Return the enums of a choice; of a Literal only the members that it names."""
    whole: Any = node.enum_class
    members: dict[Any, list[Any]] = {}
    for json_value, value in node.pairs:
        if value is not json_value:
            members.setdefault(type(value), []).append(value)
    for cls, values in members.items():
        is_whole = whole is cls and list(whole) == values
        yield _kept(cls, None if is_whole else _identity_check(values))


def _identity_check(values: list[Any]) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not any(value is one for one in values):
            raise CheckFailed
        return value

    return checked


def _then(first: Function, second: Function) -> Function:
    """Return a function that calls both."""
    if first is None or second is None:
        return first or second
    return lambda value: second(first(value))


def _or_as(one: Instance, other: Function) -> Instance:
    """Return how the instances of a class are kept, if need be as by a later rule."""
    cls, excluded, function, is_builtin = one
    return cls, excluded, _or_else(function, other or _itself), is_builtin


def _itself(value: Any) -> Any:
    return value


def _or_else(function: Function, other: Function) -> Function:
    """Return a function that calls the other one for what does not fit."""
    if function is None or other is None:
        return function

    def converted(value: Any) -> Any:
        try:
            return function(value)
        except (ValueError, TypeError, AssertionError):
            return other(value)

    return converted
