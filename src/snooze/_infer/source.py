"""The source of dataclasses for what was seen.

Separate from places.py, because it is one of two results. Invariants: the source runs,
and a Decoder of its type reads each document that was added; a class that would repeat
another, name and all, is that other. Called by `Inference.source`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from snooze._infer import names
from snooze._infer.places import NULL, SCALARS, Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = '''\
"""Classes of JSON documents, inferred by snooze.

Read a document with ``snooze.Decoder({name})``, and write it with
``snooze.Encoder({name}, omit_none=True)``.
"""

from __future__ import annotations

'''
_TYPES = dict(zip(SCALARS.values(), ("bool", "int", "float", "str"), strict=True))


def of(seen: Seen, name: str) -> str:
    """Return the source of a module."""
    if not names.is_class_name(name):
        raise ValueError(f"expected a name that a class can have, found {name!r}")
    return _Module(seen, name).text()


class _Module:
    """The classes and imports of one module."""

    def __init__(self, seen: Seen, name: str) -> None:
        self._name = name
        #: Fields and classes of one name would hide one another.
        self._class_names = names.ClassNames({name, *_all_fields(seen)})
        self._classes: list[str] = []
        #: By the member and the fields of a class, its name.
        self._known: dict[tuple[str, str], str] = {}
        if not seen.kinds and seen.item is None and seen.objects and not seen.values():
            self._type = self._class(seen, name, name)
        else:
            self._type = self._of(seen, f"{name}Item")

    def text(self) -> str:
        """Return the source."""
        body = "\n\n".join(self._classes)
        if self._type != self._name:
            body += ("\n\n" if body else "") + f"{self._name} = {self._type}\n"
        return _HEAD.replace("{name}", self._name) + self._imports(body) + body

    def _imports(self, body: str) -> str:
        lines = []
        if "@dataclass" in body:
            lines.append("from dataclasses import dataclass")
        typing = [one for one in ("Annotated", "Any") if re.search(rf"\b{one}\b", body)]
        if typing:
            lines.append(f"from typing import {', '.join(typing)}")
        if "snooze.Field" in body:
            lines.append("\nimport snooze")
        space = "\n\n\n" if "@dataclass" in body else "\n\n"
        return "\n".join(lines) + space if lines else ""

    def _of(self, seen: Seen, member: str) -> str:
        """Return the type of a place as text."""
        if seen.is_deep:
            return "Any"
        found = [tp for kind, tp in _TYPES.items() if kind in seen.kinds]
        if seen.item is not None:
            found.append(f"list[{self._of(seen.item, member)}]")
        if seen.objects:
            values = seen.values()
            if values is None:
                found.append(self._class(seen, member))
            else:
                found.append(f"dict[str, {self._of(values, member)}]")
        if NULL in seen.kinds:
            found.append("None")
        return " | ".join(found) or "Any"

    def _class(self, seen: Seen, member: str, title: str | None = None) -> str:
        lines = []
        attributes = names.fields(seen.members)
        for name, one in seen.members.items():
            tp = self._of(one, name)
            default = ""
            if seen.counts[name] < seen.objects:
                default = " = None"
                if tp != "Any" and not tp.endswith("None"):
                    tp += " | None"
            if attributes[name] != name:
                tp = f"Annotated[{tp}, snooze.Field({_literal(name)})]"
            lines.append(f"    {attributes[name]}: {tp}{default}\n")
        body = "".join(lines)
        known = self._known.get((member, body))
        if known is None:
            known = title or self._class_names.new(member)
            self._known[member, body] = known
            head = f"@dataclass(kw_only=True, slots=True)\nclass {known}:\n"
            self._classes.append(head + (body or "    pass\n"))
        return known


def _literal(name: str) -> str:
    """Return a str as Python source, in double quotes and ASCII."""
    inside = name.encode("unicode_escape").decode("ascii")
    return '"' + inside.replace('"', '\\"') + '"'


def _all_fields(seen: Seen) -> Iterator[str]:
    """Yield the names of all fields below a place."""
    waiting = [seen]
    while waiting:
        one = waiting.pop()
        yield from names.fields(one.members).values()
        waiting += one.members.values()
        if one.item is not None:
            waiting.append(one.item)
