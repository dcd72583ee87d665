"""The objects that a Converter keeps: instances of the classes that a type names.

Separate from `lower_decode`, because JSON has no instances: only a plan for objects has
these rules. Invariant: an instance that is kept fits the type as a value decoded from
JSON would, except that what is in it is not looked at. Called by `lower_decode`.
"""

from __future__ import annotations

import datetime as dt
import functools
import uuid
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._typed import model
from snooze._typed.codecs import Encoder
from snooze._typed.constraint_merge import limits_check
from snooze._typed.errors import CheckFailed
from snooze._typed.generics import instance_classes
from snooze._typed.kind_rules import check_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Function = Callable[[Any], Any] | None
    #: A class, or a tuple of classes; a class whose instances do not fit although they
    #: are instances of that; a function that checks or converts an instance.
    Instance = tuple[Any, type | None, Function]

#: What a Converter reads as objects and as arrays, beside built-in classes.
_MAPPINGS = (abc.Mapping,)
_ARRAYS = (abc.Sequence, abc.Set, abc.ValuesView)
#: Sequences that no array stands for.
_NO_ARRAYS = (bytes, bytearray, memoryview)

_SCALARS: dict[str, type] = {
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "uuid": uuid.UUID,
}


def readable(*, from_attributes: bool) -> tuple[Any, ...]:
    """Return which objects are read as JSON values: see `objects::plan`."""
    return (from_attributes, _MAPPINGS, _ARRAYS, _NO_ARRAYS, Decimal, "keys")


def rule(alternatives: Iterable[model.Node]) -> tuple[Any, ...] | None:
    """Return the rule for the instances that a type accepts, or None."""
    found: list[Instance] = []
    for one in alternatives:
        found += _of(one)
    return ("instances", tuple(found)) if found else None


def raw_function(cls: type) -> Callable[[Any], Any]:
    """Return a function that makes a `Raw` of any object: its JSON text."""

    def raw(value: Any) -> Any:
        return value if isinstance(value, cls) else cls(_encoder().encode(value))

    return raw


@functools.cache
def _encoder() -> Encoder[Any]:
    return Encoder()


def _of(  # noqa: C901, PLR0912 - one case for each class of node
    node: model.Node,
) -> Iterator[Instance]:
    match node:
        case model.Scalar(type_name=name) if name in _SCALARS:
            # A datetime is a date, but no value of a date.
            no_date = dt.datetime if name == "date" else None
            yield _SCALARS[name], no_date, _time_zone_check(node.tz)
        case model.Number(type_name="decimal"):
            limits = node.limits
            check = check_function(limits_check(limits)) if limits else None
            yield Decimal, None, check
        case model.Binary():
            yield from _binary(node)
        case model.Choice():
            yield from _members(node)
        case model.Record() if node.class_kind != "typeddict":
            yield node.cls, None, None
        case model.Array():
            yield node.cls, None, _array_check(node)
        case model.Checked():
            for cls, excluded, function in _of(node.target):
                for condition in node.checks:
                    function = _then(function, check_function(condition))  # noqa: PLW2901
                yield cls, excluded, function
        case model.Via():
            cls = _instance_class(node)
            if cls:
                yield cls, None, None
        case model.Custom():
            classes = instance_classes(node.type)
            if object not in classes:
                yield classes, None, None


def _instance_class(node: model.Via) -> Any:
    """Return the classes of a Via's values, or None if that is any class."""
    classes = node.classes or instance_classes(node.cls)
    return None if object in classes else classes


def _time_zone_check(tz: str | None) -> Function:
    if tz is None:
        return None
    is_aware = tz == "aware"

    def checked(value: Any) -> Any:
        if (value.tzinfo is not None) != is_aware:
            raise CheckFailed
        return value

    return checked


def _binary(node: model.Binary) -> Iterator[Instance]:
    cls = bytes if node.type_name == "bytes" else bytearray
    others = bytearray if cls is bytes else bytes
    least, most = node.length.in_plan() or (0, None)

    def checked(value: Any) -> Any:
        if len(value) < least or (most is not None and len(value) > most):
            raise CheckFailed
        return value

    check = checked if node.length else None
    yield cls, None, check
    yield (others, memoryview), None, _then(cls, check)


def _members(node: model.Choice) -> Iterator[Instance]:
    """Return the enums of a choice; of a Literal only the members that it names."""
    whole: Any = node.enum_class
    members: dict[Any, list[Any]] = {}
    for json_value, value in node.pairs:
        if value is not json_value:
            members.setdefault(type(value), []).append(value)
    for cls, values in members.items():
        if whole is cls and list(whole) == values:
            yield cls, None, None
        else:
            yield cls, None, _identity_check(values)


def _identity_check(values: list[Any]) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not any(value is one for one in values):
            raise CheckFailed
        return value

    return checked


def _array_check(node: model.Array) -> Function:
    dtype = node.dtype
    if dtype is None:
        return None

    def checked(array: Any) -> Any:
        if array.dtype != dtype:
            raise ValueError(f"an array of {array.dtype}")
        return array

    return checked


def _then(first: Function, second: Function) -> Function:
    """Return a function that calls both."""
    if first is None or second is None:
        return first or second
    return lambda value: second(first(value))
