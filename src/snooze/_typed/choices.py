"""Enums and `Literal`: the JSON value of each member.

Separate from `introspect`, because enums have variants enough for a file. Invariant: no
two members of a `Choice` have the same JSON value. Called by `introspect`.
"""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, Any

from snooze._typed import model

if TYPE_CHECKING:
    from collections.abc import Callable

#: Kinds of JSON value that a choice can be told by.
SCALARS = (str, bool, int, float, type(None))
_METHODS: dict[Any, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
}


def of_enum(cls: type[enum.Enum], place: str) -> model.Node:
    """Return the members of an enum by their values."""
    if issubclass(cls, enum.Flag):
        return _of_flag(cls)
    pairs = []
    for member in cls:
        if not isinstance(member, cls):
            raise TypeError(f"{place}: {cls.__qualname__} has {member!r}, no member")
        value = member.value
        if not _is_scalar(value):
            raise TypeError(
                f"{place}: {cls.__qualname__}.{member.name} has the value {value!r}, "
                "which is no str, int, float, bool or None; give the class a "
                "__snooze__ method"
            )
        pairs.append((_plain(value), member))
    if not pairs:
        raise TypeError(f"{place}: the enum {cls.__qualname__} has no members")
    if _clash(pairs):
        raise TypeError(f"{place}: two members of {cls.__qualname__} are equal in JSON")
    found = cls._missing_
    is_open = getattr(found, "__func__", found) is not enum.Enum._missing_.__func__  # type: ignore[attr-defined]
    return model.Choice(tuple(pairs), cls, is_open)


def _of_flag(cls: type[enum.Flag]) -> model.Node:
    """Return flags as their number: any combination is a value."""

    def decode(number: int) -> enum.Flag:
        member = cls(number)
        # A boundary may be to drop bits, or to give an int: both would lose something.
        if not isinstance(member, cls) or member.value != number:
            raise ValueError(f"{number} has bits that {cls.__name__} has not")
        return member

    wire = model.Number("int", model.Limits(ge=0))
    return model.Via(cls, cls.__name__, wire, decode, lambda member: member.value)


def of_literal(values: tuple[Any, ...], place: str) -> model.Node:
    """Return the values of a `Literal`; members of enums by their values."""
    pairs: list[tuple[Any, Any]] = []
    for value in values:
        known = value.value if isinstance(value, enum.Enum) else value
        if not _is_scalar(known):
            raise TypeError(
                f"{place}: Literal[{value!r}] is no str, int, bool, None or member of "
                "an enum with such a value"
            )
        pair = (_plain(known), value)
        if any(_same(pair[0], old) and new is value for old, new in pairs):
            continue
        pairs.append(pair)
    if _clash(pairs):
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


def _plain(value: Any) -> Any:
    """Return the value as a builtin, not as a subclass with its own ideas."""
    for cls in (bool, int, float, str):
        if isinstance(value, cls):
            return value if cls is bool else _METHODS[cls](value)
    return value


def _same(one: Any, two: Any) -> bool:
    """Equal in JSON: 1, True and 1.0 are three values."""
    return type(one) is type(two) and one == two


def _clash(pairs: list[tuple[Any, Any]]) -> bool:
    keys = [(type(value), value) for value, _ in pairs]
    return len(set(keys)) != len(keys)
