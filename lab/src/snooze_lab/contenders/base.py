"""A contender as its entry states it, and the object that the laboratory makes of it.

Separate because fairness is decided here. A JSON contender reads `bytes` and writes
UTF-8 `bytes`, compact and not ASCII-escaped, by the shortest path available to its
users; where a library returns `str`, the `.encode()` that a program would need is part
of its time. The functions that make calls get the library as an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Call = Callable[[Any], Any]


class UnsupportedError(Exception):
    """A library lacks a requested feature; the message names it."""


@dataclass(frozen=True)
class Need:
    """What a call of dumps must do beyond writing a plain value.

    `fallback` is the `default` function for the standard library where others support a
    type natively, as a program that uses `json` would pass it.
    """

    sort_keys: bool = False
    indent: bool = False
    non_str_keys: bool = False
    numpy: bool = False
    default: Call | None = None
    fallback: Call | None = None


def refuse(need: Need, *known: str) -> None:
    """Raise UnsupportedError for a need that is not among `known`."""
    for name in ("sort_keys", "indent", "non_str_keys", "numpy", "default"):
        if getattr(need, name) and name not in known:
            raise UnsupportedError(f"no option for {name}")


def plain_only(dumps: Call) -> Callable[[Need], Call]:
    """Return a writer for libraries that take part with plain values only."""

    def writer(need: Need) -> Call:
        refuse(need)
        return dumps

    return writer


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Calls:
    """The calls of one library.

    `loads` and `dumps` are timed unwrapped. `writer` returns a `dumps` with options, or
    raises UnsupportedError. `prepare` converts a plain value (dict, list, str, …) to
    the argument of `dumps`, and `plain` the result of `loads` to a plain value: neither
    is timed. `touch` reads every field of a result of `loads`, for libraries that build
    Python objects lazily; None for all others. `into` writes a value into a reused
    bytearray, and returns the length of the output; None where a library cannot.
    `prepare` raises UnsupportedError for a value that the format cannot hold (an
    integer of more than 64 bits, another shape than its schema's), so it is called
    before either direction is timed. `source` makes the argument of `loads` from a
    document's JSON text and its plain value; None is the usual case: the text itself
    for a JSON library, else `dumps(prepare(value))`.
    """

    loads: Call
    dumps: Call
    writer: Callable[[Need], Call]
    prepare: Call = _same
    plain: Call = _same
    touch: Call | None = None
    into: Callable[[Any, bytearray], int] | None = None
    source: Callable[[bytes, Any], Any] | None = None


@dataclass(frozen=True)
class Library:
    """A contender before it is imported: an entry of contenders.toml.

    `format` is `json`, `msgpack`, `pickle`, `marshal`, `bson`, `protobuf` or `floor`.
    `call_path` states in a sentence or two which function is called and what its time
    includes: the report shows it, for maintainers to check. `unavailable` is the reason
    why an abandoned library can no longer run anywhere.
    """

    name: str
    module: str
    distribution: str
    bind: Callable[[Any], Calls]
    call_path: str
    format: str = "json"
    unavailable: str = ""


@dataclass(frozen=True)
class Contender:
    """One library, ready to be called."""

    name: str
    version: str
    module: Any
    calls: Calls
    format: str = "json"

    @property
    def loads(self) -> Call:
        """Read."""
        return self.calls.loads

    @property
    def dumps(self) -> Call:
        """Write."""
        return self.calls.dumps

    def writer(self, need: Need) -> Call:
        """Return a call that writes as `need` says; UnsupportedError if it cannot."""
        return self.calls.writer(need)
