"""Classes that need no look inside: scalars, containers, paths, addresses.

Separate from `introspect`, so that what is supported can be read as a list. Invariant:
each maker takes what the wire type gives and returns an instance of exactly that class,
or raises ValueError or TypeError. Read by `introspect` and `lower_encode`.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import ipaddress
import pathlib
import re
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

Base = Literal["list", "set", "frozenset", "tuple"]


@dataclasses.dataclass(frozen=True, slots=True)
class Sequenced:
    """A class of items: what Rust makes, and what turns that into the class."""

    base: Base
    make: Callable[[Any], Any] | None = None


ARRAYS: dict[Any, Sequenced] = {
    list: Sequenced("list"),
    set: Sequenced("set"),
    frozenset: Sequenced("frozenset"),
    tuple: Sequenced("tuple"),
    collections.deque: Sequenced("list", collections.deque),
    abc.Iterable: Sequenced("list"),
    abc.Collection: Sequenced("list"),
    abc.Container: Sequenced("list"),
    abc.Reversible: Sequenced("list"),
    abc.Sequence: Sequenced("list"),
    abc.MutableSequence: Sequenced("list"),
    abc.Set: Sequenced("set"),
    abc.MutableSet: Sequenced("set"),
}

DICTS: dict[Any, Callable[[Any], Any] | None] = {
    dict: None,
    abc.Mapping: None,
    abc.MutableMapping: None,
    collections.OrderedDict: collections.OrderedDict,
    collections.Counter: collections.Counter,
    types.MappingProxyType: types.MappingProxyType,
}

#: Values of a defaultdict that is asked for a missing key, by the class of its values.
FACTORIES = (bool, int, float, str, bytes, list, set, frozenset, tuple, dict)


def defaultdict_maker(value_class: Any) -> Callable[[Any], Any]:
    """Return what makes a defaultdict: `defaultdict[str, list[int]]` makes lists."""
    factory = value_class if value_class in FACTORIES else None
    return lambda items: collections.defaultdict(factory, items)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from error


def _pattern_text(pattern: re.Pattern[Any]) -> str:
    if not isinstance(pattern.pattern, str):
        raise TypeError("a pattern of bytes is no JSON string")
    if pattern.flags & ~re.UNICODE:
        raise ValueError(
            "a pattern with flags is more than its text: write them into it, (?i)…"
        )
    return pattern.pattern


@dataclasses.dataclass(frozen=True, slots=True)
class Texted:
    """A class that travels as str."""

    decode: Callable[[str], Any]
    encode: Callable[[Any], str] = str
    format: str | None = None


TEXTS: dict[Any, Texted] = {
    **{
        cls: Texted(cls)
        for cls in (
            pathlib.Path,
            pathlib.PurePath,
            pathlib.PosixPath,
            pathlib.PurePosixPath,
            pathlib.WindowsPath,
            pathlib.PureWindowsPath,
        )
    },
    ipaddress.IPv4Address: Texted(ipaddress.IPv4Address, format="ipv4"),
    ipaddress.IPv6Address: Texted(ipaddress.IPv6Address, format="ipv6"),
    ipaddress.IPv4Network: Texted(ipaddress.IPv4Network),
    ipaddress.IPv6Network: Texted(ipaddress.IPv6Network),
    ipaddress.IPv4Interface: Texted(ipaddress.IPv4Interface),
    ipaddress.IPv6Interface: Texted(ipaddress.IPv6Interface),
    re.Pattern: Texted(_pattern, _pattern_text, "regex"),
}
