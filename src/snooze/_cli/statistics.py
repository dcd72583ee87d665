"""Statistics of a document: sizes, depth, names of members, members that occur twice.

Separate from reformat.py, which walks the same items. Invariant: one pass over the text
without making values; what is kept are the distinct names, and for each open container
its own. Called by the command `stats`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import snooze
from snooze._cli.items import items

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

#: Repeated members that are listed; all are counted.
_LISTED = 20
#: Items after which the progress is told.
_OFTEN = 1 << 16
_WORDS = {b"t": "true", b"f": "false", b"n": "null", b'"': "string"}


@dataclass
class _Open:
    """A container that has not ended: its place, its names, or its next index."""

    step: str | int | None
    names: set[bytes] | None
    index: int = 0


@dataclass
class Statistics:
    """What was counted in one document."""

    size: int = 0
    depth: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    names: Counter[bytes] = field(default_factory=Counter)
    longest_array: int = 0
    most_members: int = 0
    longest_string: int = 0
    repeated: int = 0
    repeated_places: list[str] = field(default_factory=list)
    white_space: int = 0

    def summary(self, names: int) -> dict[str, Any]:
        """Return everything as a document, with the most frequent names."""
        common = self.names.most_common(names)
        return {
            "bytes": self.size,
            "white_space_bytes": self.white_space,
            "values": self.kinds.total(),
            "kinds": dict(sorted(self.kinds.items())),
            "depth": self.depth,
            "longest_array": self.longest_array,
            "most_members": self.most_members,
            "longest_string_bytes": self.longest_string,
            "distinct_names": len(self.names),
            "names": {snooze.loads(name): count for name, count in common},
            "repeated_members": self.repeated,
            "repeated_places": self.repeated_places,
        }


def counted(text: bytes, progress: Callable[[int], None] | None = None) -> Statistics:
    """Return the statistics of a valid document.

    `progress` is told the offset that was reached.
    """
    found = Statistics(size=len(text))
    open_: list[_Open] = []
    kept = 0
    for match in items(text) if progress is None else _told(text, progress):
        name, scalar, opening, empty, closing, comma = match.groups(b"")
        kept += len(name) + bool(name) + len(scalar) + len(opening + empty + closing)
        kept += len(comma)
        if closing:
            _close(found, open_.pop())
            continue
        step: str | int | None = None
        if open_:
            step = _enter(found, open_, name)
        if scalar:
            kind = _WORDS.get(scalar[:1], "number")
            if kind == "number" and not set(scalar) & set(b".eE"):
                kind = "integer"
            found.kinds[kind] += 1
            if kind == "string":
                found.longest_string = max(found.longest_string, len(scalar) - 2)
            continue
        is_object = opening == b"{"
        found.kinds["object" if is_object else "array"] += 1
        found.depth = max(found.depth, len(open_) + 1)
        if not empty:
            open_.append(_Open(step, set() if is_object else None))
    found.white_space = found.size - kept
    return found


def _told(text: bytes, progress: Callable[[int], None]) -> Iterator[re.Match[bytes]]:
    """Yield the items of a document, and tell how far they are."""
    for number, match in enumerate(items(text), 1):
        if number % _OFTEN == 0:
            progress(match.end())
        yield match


def _enter(found: Statistics, open_: list[_Open], name: bytes) -> str | int:
    """Count a member or an item of the innermost container; return its step."""
    inside = open_[-1]
    inside.index += 1
    if inside.names is None:
        return inside.index - 1
    if b"\\" in name:
        name = snooze.dumps(snooze.loads(name))
    found.names[name] += 1
    text: str = snooze.loads(name)
    if name in inside.names:
        found.repeated += 1
        if len(found.repeated_places) < _LISTED:
            steps = [one.step for one in open_ if one.step is not None]
            found.repeated_places.append(snooze.pointer.join([*steps, text]))
    inside.names.add(name)
    return text


def _close(found: Statistics, ended: _Open) -> None:
    if ended.names is None:
        found.longest_array = max(found.longest_array, ended.index)
    else:
        found.most_members = max(found.most_members, ended.index)
