"""Classes that need no introspection: scalars, containers, paths, addresses.

Separate from `introspect`, so that the supported classes can be read as tables.
Invariant: each conversion takes a value of the wire type and returns an instance of
exactly that class, or raises ValueError or TypeError. Read by `introspect`.
"""

from __future__ import annotations

import cmath
import collections
import dataclasses
import datetime as dt
import functools
import ipaddress
import pathlib
import re
import sys
import types
import uuid
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from snooze._typed import model

if TYPE_CHECKING:
    from collections.abc import Callable

SCALARS: dict[Any, Callable[[], model.Node]] = {
    bool: lambda: model.Scalar("bool"),
    int: lambda: model.Number("int"),
    float: lambda: model.Number("float"),
    Decimal: lambda: model.Number("decimal"),
    str: model.Text,
    bytes: lambda: model.Binary("bytes"),
    bytearray: lambda: model.Binary("bytearray"),
    dt.datetime: lambda: model.Scalar("datetime"),
    dt.date: lambda: model.Scalar("date"),
    dt.time: lambda: model.Scalar("time"),
    dt.timedelta: lambda: model.Scalar("timedelta"),
    uuid.UUID: lambda: model.Scalar("uuid"),
    type(None): lambda: model.Scalar("null"),
    object: model.Anything,
}


@dataclasses.dataclass(frozen=True, slots=True)
class ArrayType:
    """A class whose JSON form is an array of items of one type."""

    #: The class that Rust makes.
    base: Literal["list", "set", "frozenset", "tuple"]
    #: Makes an instance of the class from that; None if it is one.
    convert: Callable[[Any], Any] | None = None


ARRAY_TYPES: dict[Any, ArrayType] = {
    list: ArrayType("list"),
    set: ArrayType("set"),
    frozenset: ArrayType("frozenset"),
    tuple: ArrayType("tuple"),
    collections.deque: ArrayType("list", collections.deque),
    abc.Iterable: ArrayType("list"),
    abc.Collection: ArrayType("list"),
    abc.Container: ArrayType("list"),
    abc.Reversible: ArrayType("list"),
    abc.Sequence: ArrayType("list"),
    abc.MutableSequence: ArrayType("list"),
    abc.Set: ArrayType("set"),
    abc.MutableSet: ArrayType("set"),
}

#: Classes whose JSON form is an object with any names, and the conversion from dict.
DICT_TYPES: dict[Any, Callable[[Any], Any] | None] = {
    dict: None,
    abc.Mapping: None,
    abc.MutableMapping: None,
    collections.OrderedDict: collections.OrderedDict,
    collections.Counter: collections.Counter,
    collections.ChainMap: collections.ChainMap,
    types.MappingProxyType: types.MappingProxyType,
}

#: What a defaultdict makes for missing keys, by the name of the type of its values.
_FACTORIES: dict[str, Callable[[], Any]] = {
    one.__name__: one
    for one in (bool, int, float, str, bytes, bytearray, list, set, frozenset, tuple)
} | {"decimal": Decimal}
#: The same for the classes of `DICT_TYPES`.
_DICT_FACTORIES: dict[Any, Callable[[], Any]] = {
    dict: dict,
    abc.Mapping: dict,
    abc.MutableMapping: dict,
    collections.OrderedDict: collections.OrderedDict,
    collections.Counter: collections.Counter,
    collections.ChainMap: collections.ChainMap,
}


def defaultdict_conversion(value: model.Node) -> Callable[[Any], Any]:
    """Return the conversion from dict: `defaultdict[str, list[int]]` makes lists."""
    factory = _default_factory(value)
    return lambda items: collections.defaultdict(factory, items)


def _default_factory(  # noqa: PLR0911 - one case for each class of node
    node: model.Node, outer: tuple[model.Node, ...] = ()
) -> Callable[[], Any] | None:
    """Return what makes the empty or zero value of a type; None if it has none.

    `outer` are the aliases around it.
    """
    match node:
        case model.Noted():
            return _default_factory(node.target, outer)
        case model.Alias(target=model.Node() as target) if node not in outer:
            return _default_factory(target, (*outer, node))
        case model.Number(limits=limits) if not limits:
            return _FACTORIES[node.type_name]
        case model.Scalar(type_name="bool"):
            return bool
        case model.Text(pattern=None) if not node.length.minimum:
            return str
        case model.Binary() if not node.length.minimum:
            return _FACTORIES[node.type_name]
        case model.Items() if not node.length.minimum:
            return node.cls if node.convert else _FACTORIES[node.base]
        case model.Entries(cls=collections.defaultdict) if not node.length.minimum:
            inner = _default_factory(node.value)
            return functools.partial(collections.defaultdict, inner)
        case model.Entries() if not node.length.minimum:
            return _DICT_FACTORIES.get(node.cls)
        case _:
            return None


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    # Numbers and nesting beyond what `re` can compile are no `re.error`.
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error


def _pattern_text(pattern: re.Pattern[Any]) -> str:
    if not isinstance(pattern.pattern, str):
        raise TypeError("a bytes pattern has no JSON form")
    try:
        shown = re.compile(pattern.pattern).flags
    except re.error:  # it needs a flag, such as VERBOSE
        shown = -1
    if pattern.flags != shown:
        raise ValueError(
            "the text of a pattern does not show its flags: write them inline, (?i)…"
        )
    return pattern.pattern


#: `UTC+05:30`, as `str` writes it, `+05:30`, `UTC` or `Z`.
_OFFSET = re.compile(
    r"(?:UTC|Z)|(?:UTC)?([+-])([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{6}))?)?"
)


def _timezone(text: str) -> dt.timezone:
    match = _OFFSET.fullmatch(text)
    if match is None:
        raise ValueError("not an offset such as UTC+05:30")
    if match[1] is None:
        return dt.UTC
    hours, minutes, seconds, microseconds = (
        int(part or 0) for part in match.groups()[1:]
    )
    if minutes > 59 or seconds > 59:
        raise ValueError("not an offset such as UTC+05:30")
    offset = dt.timedelta(0, seconds, microseconds, 0, minutes, hours)
    return dt.timezone(offset if match[1] == "+" else -offset)


@dataclasses.dataclass(frozen=True, slots=True)
class StringType:
    """A class whose JSON form is a string."""

    decode: Callable[[str], Any]
    encode: Callable[[Any], str] = str
    #: The `format` keyword of JSON Schema.
    format: str | None = None


STRING_TYPES: dict[Any, StringType] = {
    **{
        cls: StringType(cls)
        for cls in (
            pathlib.Path,
            pathlib.PurePath,
            pathlib.PosixPath,
            pathlib.PurePosixPath,
            pathlib.WindowsPath,
            pathlib.PureWindowsPath,
        )
    },
    ipaddress.IPv4Address: StringType(ipaddress.IPv4Address, format="ipv4"),
    ipaddress.IPv6Address: StringType(ipaddress.IPv6Address, format="ipv6"),
    ipaddress.IPv4Network: StringType(ipaddress.IPv4Network),
    ipaddress.IPv6Network: StringType(ipaddress.IPv6Network),
    ipaddress.IPv4Interface: StringType(ipaddress.IPv4Interface),
    ipaddress.IPv6Interface: StringType(ipaddress.IPv6Interface),
    # A sequence of strings, too, which would have no end.
    collections.UserString: StringType(collections.UserString),
    re.Pattern: StringType(_pattern, _pattern_text, "regex"),
    dt.timezone: StringType(
        _timezone, lambda zone: str(dt.timezone(zone.utcoffset(None)))
    ),
}


def _fraction(text: str) -> Any:
    """Return the Fraction of `1/3` or `2`: what `str` writes, and nothing else."""
    if not _RATIO.fullmatch(text):
        raise ValueError("not a ratio of two integers")
    try:
        return sys.modules["fractions"].Fraction(text)
    except ZeroDivisionError as error:
        raise ValueError("the denominator is zero") from error


_RATIO = re.compile(r"-?[0-9]+(?:/[0-9]+)?")


def _zone(text: str) -> Any:
    """Return the ZoneInfo of a key such as `Europe/Oslo`."""
    try:
        return sys.modules["zoneinfo"].ZoneInfo(text)
    except (KeyError, OSError) as error:  # OSError: a directory of the database
        raise ValueError("no such time zone") from error


def _zone_key(zone: Any) -> str:
    if zone.key is None:
        raise TypeError("a ZoneInfo made from a file has no key")
    return str(zone.key)


#: String types of modules that are not imported here: a type that names such a class
#: shows that the user has imported its module.
_OPTIONAL_STRING_TYPES = {
    ("fractions", "Fraction"): StringType(_fraction),
    ("zoneinfo", "ZoneInfo"): StringType(_zone, _zone_key),
}


def _complex(text: str) -> complex:
    value = complex(text)
    if (
        not re.fullmatch(r"[^\s_]+", text, re.ASCII)
        or not text.isascii()
        or (not cmath.isfinite(value) and not re.search("inf|nan", text))
    ):
        raise ValueError("not a complex number as Python writes it")
    return value


def _complex_text(number: complex) -> str:
    return str(complex(number)).strip("()")


#: `1+2j`, as `str` writes it, with or without parentheses.
COMPLEX = StringType(_complex, _complex_text)


def string_type(cls: type) -> StringType | None:
    """Return how a class is represented as a string, or None if it is not."""
    if cls in STRING_TYPES:
        return STRING_TYPES[cls]
    found = _OPTIONAL_STRING_TYPES.get((cls.__module__, cls.__qualname__))
    module = sys.modules.get(cls.__module__)
    return found if getattr(module, cls.__name__, None) is cls else None
