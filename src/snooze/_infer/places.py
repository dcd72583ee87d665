"""What was seen in each place of the documents.

Separate from the results, which are made of it. Invariants: adding a document is a loop
that takes time in proportion to its size; places are nested at most DEEPEST levels, so
that the results may be made by recursion. Used by schema.py and source.py.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from snooze._edit import numbers
from snooze._edit.values import check_depth
from snooze._typed.raw import Raw

DEEPEST = 40
#: More names than this, with values of one type, make a dict.
MANY_NAMES = 50
#: Names of members that a programmer would write.
_USUAL_NAME = re.compile(r"[^\W\d][\w.$@:-]*|[$@_][\w.$@:-]*")
#: The JSON types of scalars, in the order in which results list them.
SCALARS = {bool: "boolean", int: "integer", float: "number", str: "string"}
NULL = "null"
_KINDS = {**SCALARS, type(None): NULL}


class Seen:
    """Everything that was seen in one place."""

    __slots__ = ("counts", "is_deep", "item", "kinds", "members", "objects")

    def __init__(self) -> None:
        """Start with nothing."""
        #: The JSON types of the scalars.
        self.kinds: set[str] = set()
        #: The items of arrays, None if there was no array.
        self.item: Seen | None = None
        self.objects = 0
        self.members: dict[str, Seen] = {}
        #: How many of the objects have a member.
        self.counts: dict[str, int] = {}
        self.is_deep = False

    def add(self, value: Any) -> None:
        """Add a value that was found here, and what is inside."""
        waiting: list[tuple[Seen, Any, int]] = [(self, value, 0)]
        while waiting:
            seen, one, depth = waiting.pop()
            if depth > DEEPEST:
                seen.is_deep = True
                # Nothing more is learned, but an end there must be.
                check_depth(one, depth + 1)
            elif isinstance(one, dict):
                seen.objects += 1
                inside = [(seen.member(name), its) for name, its in one.items()]
                _enter(inside, depth, waiting)
            elif isinstance(one, (list, tuple)):
                if seen.item is None:
                    seen.item = Seen()
                item = seen.item
                _enter([(item, its) for its in one], depth, waiting)
            else:
                seen.kinds.add(_kind(one))

    def member(self, name: Any) -> Seen:
        """Return the place of a member, which is counted."""
        if not isinstance(name, str):
            raise TypeError(f"expected names of type str, found {type(name).__name__}")
        self.counts[name] = self.counts.get(name, 0) + 1
        found = self.members.get(name)
        if found is None:
            found = self.members[name] = Seen()
        return found

    def join(self, other: Seen) -> None:
        """Add everything that was seen in another place."""
        self.kinds |= other.kinds
        self.is_deep |= other.is_deep
        self.objects += other.objects
        if other.item is not None:
            if self.item is None:
                self.item = Seen()
            self.item.join(other.item)
        for name, one in other.members.items():
            self.counts[name] = self.counts.get(name, 0) + other.counts[name]
            self.members.setdefault(name, Seen()).join(one)

    @property
    def types(self) -> int:
        """The number of JSON types here, without null."""
        found = len(self.kinds - {NULL})
        return found + (self.item is not None) + bool(self.objects)

    def values(self) -> Seen | None:
        """Return the values of all members together if the names are data."""
        if any(map(_USUAL_NAME.fullmatch, self.members)):
            if len(self.members) <= MANY_NAMES:
                return None
            whole = self._joined()
            return whole if whole.types <= 1 else None
        return self._joined()

    def _joined(self) -> Seen:
        whole = Seen()
        for one in self.members.values():
            whole.join(one)
        return whole


def _enter(
    inside: list[tuple[Seen, Any]], depth: int, waiting: list[tuple[Seen, Any, int]]
) -> None:
    """Add the scalars inside at once, and leave the containers for later."""
    containers = []
    for seen, one in inside:
        kind = _KINDS.get(type(one))
        if kind is not None and depth < DEEPEST:
            seen.kinds.add(kind)
        else:
            containers.append((seen, one, depth + 1))
    waiting += reversed(containers)


def _kind(value: Any) -> str:
    """Return the JSON type of a scalar."""
    for tp, kind in _KINDS.items():
        if isinstance(value, tp):
            return kind
    if isinstance(value, Decimal):
        return SCALARS[float]
    if isinstance(value, Raw):
        number = numbers.python_type(value)
        if number is not None:
            return SCALARS[number]
        raise TypeError("expected a JSON value, found a Raw that is no number")
    raise TypeError(f"expected a JSON value, found {type(value).__name__}")
