"""What a contender's file defines, and what the laboratory makes of it.

Separate because fairness is decided here. A contender's file names its library and how
it is called (`Library`); `bind` makes the calls when the library could be imported
(`Contender`). Invariants: standard library only, and a contender's file imports its
library in `bind`'s argument only, never at its top; a JSON contender reads `bytes` and
writes UTF-8 `bytes`, compact and not ASCII-escaped, by the shortest path that its users
have; where a library only makes `str`, the `.encode()` that a program would need is
part of its time. Used by the worker and by both instruments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Call = Callable[[Any], Any]


class UnsupportedError(Exception):
    """A library has no way to do what is asked; the text says what it lacks."""


@dataclass(frozen=True)
class Need:
    """What a call of dumps must do beyond writing a plain value.

    `fallback` is what the standard library is given as `default` where others know a
    type by themselves: so a program that stays with `json` would do it.
    """

    sort_keys: bool = False
    indent: bool = False
    non_str_keys: bool = False
    numpy: bool = False
    default: Call | None = None
    fallback: Call | None = None


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Calls:
    """The calls of one library.

    `loads` and `dumps` are timed as they are. `writer` returns a `dumps` with options,
    or raises UnsupportedError. `prepare` makes of a plain value (dict, list, str, …)
    what `dumps` takes, and `plain` makes a plain value of what `loads` returns: neither
    is timed. `touch` reads every field of what `loads` returned, for libraries that
    build Python objects on access only; None where there is nothing left to do. `into`
    writes a value into a bytearray that is used again, and returns how long the output
    is; None where a library cannot. `prepare` raises UnsupportedError for a value that
    the format cannot hold (an integer of more than 64 bits, another shape than its
    schema's), so it is called before either direction is timed. `source` makes, of a
    document's JSON text and its plain value, what `loads` is given; None is the usual
    case: the text itself for a JSON library, else `dumps(prepare(value))`.
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
    """A contender before it is imported: each file of this package has one, LIBRARY.

    `format` is `json`, `msgpack`, `pickle`, `marshal`, `bson`, `protobuf` or `floor`.
    `call_path` says in a sentence or two what is called and what its time contains: it
    is shown in the report, for its maintainers to check. `unavailable` is a reason why
    the library cannot run anywhere any more, for those that are dead.
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
        """Return a call that writes what is needed; UnsupportedError if it cannot."""
        return self.calls.writer(need)
